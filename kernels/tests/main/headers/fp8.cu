// Every name of cuda_fp8.h once.
#include <cuda_fp8.h>
__global__ void all(const float *f, const double *d, const long long *n, const half2 *h, const __nv_bfloat162 *b, unsigned char *c, unsigned short *c2,
                    unsigned int *c4, float *out_f, double *out_d, long long *no, half2 *ho, __nv_bfloat162 *bo) {
  __syncthreads();
  const int i = threadIdx.x;
  int k = i * 200;
  c[k++] = __nv_cvt_float_to_fp8(f[i], __NV_SATFINITE, __NV_E4M3);
  c[k++] = __nv_cvt_double_to_fp8(d[i], __NV_SATFINITE, __NV_E4M3);
  c[k++] = __nv_cvt_halfraw_to_fp8(h[i].x, __NV_SATFINITE, __NV_E4M3);
  c[k++] = __nv_cvt_bfloat16raw_to_fp8(b[i].x, __NV_SATFINITE, __NV_E4M3);
  c2[k++] = __nv_cvt_float2_to_fp8x2(make_float2(f[i], f[i+1]), __NV_SATFINITE, __NV_E4M3);
  c2[k++] = __nv_cvt_double2_to_fp8x2(make_double2(d[i], d[i+1]), __NV_SATFINITE, __NV_E4M3);
  c2[k++] = __nv_cvt_halfraw2_to_fp8x2(h[i], __NV_SATFINITE, __NV_E4M3);
  c2[k++] = __nv_cvt_bfloat16raw2_to_fp8x2(b[i], __NV_SATFINITE, __NV_E4M3);
  c[k++] = __nv_cvt_float_to_fp8(f[i], __NV_NOSAT, __NV_E4M3);
  c[k++] = __nv_cvt_double_to_fp8(d[i], __NV_NOSAT, __NV_E4M3);
  c[k++] = __nv_cvt_halfraw_to_fp8(h[i].x, __NV_NOSAT, __NV_E4M3);
  c[k++] = __nv_cvt_bfloat16raw_to_fp8(b[i].x, __NV_NOSAT, __NV_E4M3);
  c2[k++] = __nv_cvt_float2_to_fp8x2(make_float2(f[i], f[i+1]), __NV_NOSAT, __NV_E4M3);
  c2[k++] = __nv_cvt_double2_to_fp8x2(make_double2(d[i], d[i+1]), __NV_NOSAT, __NV_E4M3);
  c2[k++] = __nv_cvt_halfraw2_to_fp8x2(h[i], __NV_NOSAT, __NV_E4M3);
  c2[k++] = __nv_cvt_bfloat16raw2_to_fp8x2(b[i], __NV_NOSAT, __NV_E4M3);
  ho[k++] = half2(__nv_cvt_fp8_to_halfraw(c[i], __NV_E4M3), __nv_cvt_fp8_to_halfraw(c[i + 1], __NV_E4M3));  ho[k++] = __nv_cvt_fp8x2_to_halfraw2(c2[i], __NV_E4M3);
  bo[k++] = __nv_bfloat162(__nv_cvt_fp8_to_bf16raw(c[i], __NV_E4M3), __nv_cvt_fp8_to_bf16raw(c[i + 1], __NV_E4M3));  bo[k++] = __nv_cvt_fp8x2_to_bf162raw(c2[i], __NV_E4M3);
  { __nv_fp8_e4m3 x(f[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e4m3 x(d[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e4m3 x(h[i].x); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e4m3 x(b[i].x); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e4m3 x((short)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e4m3 x((unsigned short)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e4m3 x((int)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e4m3 x((unsigned int)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e4m3 x((long)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e4m3 x((unsigned long)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e4m3 x((long long)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e4m3 x((unsigned long long)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  no[k++] = (long long)(signed char)__nv_fp8_e4m3(f[i]);
  no[k++] = (long long)(unsigned char)__nv_fp8_e4m3(f[i]);
  no[k++] = (long long)(char)__nv_fp8_e4m3(f[i]);
  no[k++] = (long long)(short)__nv_fp8_e4m3(f[i]);
  no[k++] = (long long)(unsigned short)__nv_fp8_e4m3(f[i]);
  no[k++] = (long long)(int)__nv_fp8_e4m3(f[i]);
  no[k++] = (long long)(unsigned int)__nv_fp8_e4m3(f[i]);
  no[k++] = (long long)(long)__nv_fp8_e4m3(f[i]);
  no[k++] = (long long)(unsigned long)__nv_fp8_e4m3(f[i]);
  no[k++] = (long long)(long long)__nv_fp8_e4m3(f[i]);
  no[k++] = (long long)(unsigned long long)__nv_fp8_e4m3(f[i]);
  no[k++] = (long long)(bool)__nv_fp8_e4m3(f[i]);
  { __nv_fp8x2_e4m3 x(h[i]); c2[k++] = x.__x; ho[k++] = (half2)x; bo[k++] = (__nv_bfloat162)x; float2 y = (float2)x; out_f[k++] = y.x; out_f[k++] = y.y; }
  { __nv_fp8x2_e4m3 x(b[i]); c2[k++] = x.__x; ho[k++] = (half2)x; bo[k++] = (__nv_bfloat162)x; float2 y = (float2)x; out_f[k++] = y.x; out_f[k++] = y.y; }
  { __nv_fp8x2_e4m3 x(make_float2(f[i], f[i+1])); c2[k++] = x.__x; ho[k++] = (half2)x; bo[k++] = (__nv_bfloat162)x; float2 y = (float2)x; out_f[k++] = y.x; out_f[k++] = y.y; }
  { __nv_fp8x2_e4m3 x(make_double2(d[i], d[i+1])); c2[k++] = x.__x; ho[k++] = (half2)x; bo[k++] = (__nv_bfloat162)x; float2 y = (float2)x; out_f[k++] = y.x; out_f[k++] = y.y; }
  { __nv_fp8x4_e4m3 x(h[i], h[i+1]); c4[k++] = x.__x; float4 y = float4(x); out_f[k++] = y.x; out_f[k++] = y.y; out_f[k++] = y.z; out_f[k++] = y.w; }
  { __nv_fp8x4_e4m3 x(b[i], b[i+1]); c4[k++] = x.__x; float4 y = float4(x); out_f[k++] = y.x; out_f[k++] = y.y; out_f[k++] = y.z; out_f[k++] = y.w; }
  { __nv_fp8x4_e4m3 x(make_float4(f[i], f[i+1], f[i+2], f[i+3])); c4[k++] = x.__x; float4 y = float4(x); out_f[k++] = y.x; out_f[k++] = y.y; out_f[k++] = y.z; out_f[k++] = y.w; }
  { __nv_fp8x4_e4m3 x(make_double4_16a(d[i], d[i+1], d[i+2], d[i+3])); c4[k++] = x.__x; float4 y = float4(x); out_f[k++] = y.x; out_f[k++] = y.y; out_f[k++] = y.z; out_f[k++] = y.w; }
  c[k++] = __nv_cvt_float_to_fp8(f[i], __NV_SATFINITE, __NV_E5M2);
  c[k++] = __nv_cvt_double_to_fp8(d[i], __NV_SATFINITE, __NV_E5M2);
  c[k++] = __nv_cvt_halfraw_to_fp8(h[i].x, __NV_SATFINITE, __NV_E5M2);
  c[k++] = __nv_cvt_bfloat16raw_to_fp8(b[i].x, __NV_SATFINITE, __NV_E5M2);
  c2[k++] = __nv_cvt_float2_to_fp8x2(make_float2(f[i], f[i+1]), __NV_SATFINITE, __NV_E5M2);
  c2[k++] = __nv_cvt_double2_to_fp8x2(make_double2(d[i], d[i+1]), __NV_SATFINITE, __NV_E5M2);
  c2[k++] = __nv_cvt_halfraw2_to_fp8x2(h[i], __NV_SATFINITE, __NV_E5M2);
  c2[k++] = __nv_cvt_bfloat16raw2_to_fp8x2(b[i], __NV_SATFINITE, __NV_E5M2);
  c[k++] = __nv_cvt_float_to_fp8(f[i], __NV_NOSAT, __NV_E5M2);
  c[k++] = __nv_cvt_double_to_fp8(d[i], __NV_NOSAT, __NV_E5M2);
  c[k++] = __nv_cvt_halfraw_to_fp8(h[i].x, __NV_NOSAT, __NV_E5M2);
  c[k++] = __nv_cvt_bfloat16raw_to_fp8(b[i].x, __NV_NOSAT, __NV_E5M2);
  c2[k++] = __nv_cvt_float2_to_fp8x2(make_float2(f[i], f[i+1]), __NV_NOSAT, __NV_E5M2);
  c2[k++] = __nv_cvt_double2_to_fp8x2(make_double2(d[i], d[i+1]), __NV_NOSAT, __NV_E5M2);
  c2[k++] = __nv_cvt_halfraw2_to_fp8x2(h[i], __NV_NOSAT, __NV_E5M2);
  c2[k++] = __nv_cvt_bfloat16raw2_to_fp8x2(b[i], __NV_NOSAT, __NV_E5M2);
  ho[k++] = half2(__nv_cvt_fp8_to_halfraw(c[i], __NV_E5M2), __nv_cvt_fp8_to_halfraw(c[i + 1], __NV_E5M2));  ho[k++] = __nv_cvt_fp8x2_to_halfraw2(c2[i], __NV_E5M2);
  bo[k++] = __nv_bfloat162(__nv_cvt_fp8_to_bf16raw(c[i], __NV_E5M2), __nv_cvt_fp8_to_bf16raw(c[i + 1], __NV_E5M2));  bo[k++] = __nv_cvt_fp8x2_to_bf162raw(c2[i], __NV_E5M2);
  { __nv_fp8_e5m2 x(f[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e5m2 x(d[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e5m2 x(h[i].x); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e5m2 x(b[i].x); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e5m2 x((short)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e5m2 x((unsigned short)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e5m2 x((int)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e5m2 x((unsigned int)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e5m2 x((long)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e5m2 x((unsigned long)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e5m2 x((long long)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  { __nv_fp8_e5m2 x((unsigned long long)n[i]); c[k++] = x.__x; out_f[k++] = float(x); out_d[k++] = (double)x; ho[k++].x = (half)x; bo[k++].x = (__nv_bfloat16)x; }
  no[k++] = (long long)(signed char)__nv_fp8_e5m2(f[i]);
  no[k++] = (long long)(unsigned char)__nv_fp8_e5m2(f[i]);
  no[k++] = (long long)(char)__nv_fp8_e5m2(f[i]);
  no[k++] = (long long)(short)__nv_fp8_e5m2(f[i]);
  no[k++] = (long long)(unsigned short)__nv_fp8_e5m2(f[i]);
  no[k++] = (long long)(int)__nv_fp8_e5m2(f[i]);
  no[k++] = (long long)(unsigned int)__nv_fp8_e5m2(f[i]);
  no[k++] = (long long)(long)__nv_fp8_e5m2(f[i]);
  no[k++] = (long long)(unsigned long)__nv_fp8_e5m2(f[i]);
  no[k++] = (long long)(long long)__nv_fp8_e5m2(f[i]);
  no[k++] = (long long)(unsigned long long)__nv_fp8_e5m2(f[i]);
  no[k++] = (long long)(bool)__nv_fp8_e5m2(f[i]);
  { __nv_fp8x2_e5m2 x(h[i]); c2[k++] = x.__x; ho[k++] = (half2)x; bo[k++] = (__nv_bfloat162)x; float2 y = (float2)x; out_f[k++] = y.x; out_f[k++] = y.y; }
  { __nv_fp8x2_e5m2 x(b[i]); c2[k++] = x.__x; ho[k++] = (half2)x; bo[k++] = (__nv_bfloat162)x; float2 y = (float2)x; out_f[k++] = y.x; out_f[k++] = y.y; }
  { __nv_fp8x2_e5m2 x(make_float2(f[i], f[i+1])); c2[k++] = x.__x; ho[k++] = (half2)x; bo[k++] = (__nv_bfloat162)x; float2 y = (float2)x; out_f[k++] = y.x; out_f[k++] = y.y; }
  { __nv_fp8x2_e5m2 x(make_double2(d[i], d[i+1])); c2[k++] = x.__x; ho[k++] = (half2)x; bo[k++] = (__nv_bfloat162)x; float2 y = (float2)x; out_f[k++] = y.x; out_f[k++] = y.y; }
  { __nv_fp8x4_e5m2 x(h[i], h[i+1]); c4[k++] = x.__x; float4 y = float4(x); out_f[k++] = y.x; out_f[k++] = y.y; out_f[k++] = y.z; out_f[k++] = y.w; }
  { __nv_fp8x4_e5m2 x(b[i], b[i+1]); c4[k++] = x.__x; float4 y = float4(x); out_f[k++] = y.x; out_f[k++] = y.y; out_f[k++] = y.z; out_f[k++] = y.w; }
  { __nv_fp8x4_e5m2 x(make_float4(f[i], f[i+1], f[i+2], f[i+3])); c4[k++] = x.__x; float4 y = float4(x); out_f[k++] = y.x; out_f[k++] = y.y; out_f[k++] = y.z; out_f[k++] = y.w; }
  { __nv_fp8x4_e5m2 x(make_double4_16a(d[i], d[i+1], d[i+2], d[i+3])); c4[k++] = x.__x; float4 y = float4(x); out_f[k++] = y.x; out_f[k++] = y.y; out_f[k++] = y.z; out_f[k++] = y.w; }
  __shared__ __nv_fp8_e4m3 tile[32];
  tile[i & 31] = __nv_fp8_e4m3(f[i]);
  __syncthreads();
  c[k++] = tile[31 - (i & 31)].__x;
}
