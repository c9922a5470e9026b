extern "C" GPUREPL_EXPORT void gpurepl_range(void **gpurepl_args, long long gpurepl_begin, long long gpurepl_end, long long n) {
  float a = *(float *)gpurepl_args[0];
  float *x = *(float * *)gpurepl_args[1];
  float b = *(float *)gpurepl_args[2];
  float *y = *(float * *)gpurepl_args[3];
  float *z = *(float * *)gpurepl_args[4];
  const long long tid = 0, total_threads = 1, cta_start = gpurepl_begin;
  (void)tid; (void)total_threads; (void)cta_start; (void)n;
  long long i;
#pragma GCC ivdep
  for (i = gpurepl_begin; i < gpurepl_end; i += total_threads) {

#line 1 "operation"
z[i] = a*x[i] + b*y[i];
#line 1 "after operation"
  }
}
