static inline float gpurepl_combine(float a, float b) { return 
#line 1 "reduce_expr"
a+b
#line 1 "after reduce_expr"
; }
extern "C" GPUREPL_EXPORT void gpurepl_neutral(void *out) { *(float *)out = (float)(
#line 1 "neutral"
0
#line 1 "after neutral"
); }
extern "C" GPUREPL_EXPORT void gpurepl_combine_into(void *a, const void *b) { *(float *)a = gpurepl_combine(*(float *)a, *(const float *)b); }
extern "C" GPUREPL_EXPORT void gpurepl_reduce(void **gpurepl_args, long long gpurepl_begin, long long gpurepl_end, long long n, void *gpurepl_out) {
  const float *x = *(const float * *)gpurepl_args[0];
  const float *y = *(const float * *)gpurepl_args[1];
  long long i = gpurepl_begin;
  const long long gpurepl_lanes = 16;
  float gpurepl_values[gpurepl_lanes];
  for (long long gpurepl_k = 0; gpurepl_k < gpurepl_lanes; gpurepl_k++) gpurepl_values[gpurepl_k] = (float)(
#line 1 "neutral"
0
#line 1 "after neutral"
);
  for (; i + gpurepl_lanes <= gpurepl_end; ) {
    for (long long gpurepl_k = 0; gpurepl_k < gpurepl_lanes; gpurepl_k++, i++)
      gpurepl_values[gpurepl_k] = gpurepl_combine(gpurepl_values[gpurepl_k], (
#line 1 "map_expr"
x[i]*y[i]
#line 1 "after map_expr"
));
  }
  for (; i < gpurepl_end; i++) gpurepl_values[0] = gpurepl_combine(gpurepl_values[0], (
#line 1 "map_expr"
x[i]*y[i]
#line 1 "after map_expr"
));
  for (long long gpurepl_half = gpurepl_lanes / 2; gpurepl_half > 0; gpurepl_half /= 2)
    for (long long gpurepl_k = 0; gpurepl_k < gpurepl_half; gpurepl_k++) gpurepl_values[gpurepl_k] = gpurepl_combine(gpurepl_values[gpurepl_k], gpurepl_values[gpurepl_k + gpurepl_half]);
  *(float *)gpurepl_out = gpurepl_values[0];
}
