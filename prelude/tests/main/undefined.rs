//! Arithmetic that C++ leaves undefined and every GPU defines: the host's
//! kernels compute what a GPU's do.

use gpurepl_prelude::*;

/// Values in range, beyond it on either side, and none.
fn floats() -> Vec<f32> {
    vec![
        3.7,
        -3.7,
        300.0,
        -1.0,
        3e9,
        -3e9,
        3e10,
        -3e10,
        1e20,
        -1e20,
        f32::NAN,
        f32::INFINITY,
        2_147_483_648.0,
    ]
}

/// `cvt.rzi.s32.f32`, and so on: Rust's `as` saturates too, with 0 for a NaN.
fn expected(x: f32) -> (i32, u32, i64, u64, u8, i8) {
    let (signed, unsigned) = (x as i32, x as u32);
    let nan = x.is_nan();
    let wide = if nan { (i64::MIN, 1 << 63) } else { (x as i64, x as u64) };
    (signed, unsigned, wide.0, wide.1, unsigned as u8, signed as i8)
}

fn check(source: &str, name: &str) {
    let kernel = SourceModule::new(source).unwrap().get_function(name).unwrap();
    let x = floats();
    let n = x.len();
    let (mut a, mut b) = (zeros::<i32>(n), zeros::<u32>(n));
    let (mut c, mut d) = (zeros::<i64>(n), zeros::<u64>(n));
    let (mut e, mut f) = (zeros::<u8>(n), zeros::<i8>(n));
    kernel.launch(1, n, (&to_gpu(&x), &mut a, &mut b, &mut c, &mut d, &mut e, &mut f)).unwrap();
    let (a, b, c, d) = (a.to_vec(), b.to_vec(), c.to_vec(), d.to_vec());
    let (e, f) = (e.to_vec(), f.to_vec());
    for k in 0..n {
        assert_eq!((a[k], b[k], c[k], d[k], e[k], f[k]), expected(x[k]), "{name}: {}", x[k]);
    }
}

const ARGUMENTS: &str = "const float *x, int *a, unsigned *b, long long *c, unsigned long long *d, unsigned char *e, \
                         signed char *f";

#[test]
fn casts_beyond_the_range_gave_the_least_integer() {
    let source = format!(
        "typedef unsigned char byte;\n__global__ void casts({ARGUMENTS}) {{ int i = threadIdx.x; a[i] = (int)x[i]; \
         b[i] = unsigned(x[i]); c[i] = static_cast<long long>(x[i]); d[i] = (unsigned long long)x[i]; \
         e[i] = (byte)x[i]; f[i] = (signed char)(x[i]); }}"
    );
    check(&source, "casts");
    let source = format!(
        "template <class T> __device__ T to(float x) {{ return (T)x; }}\n\
         #define SHORT(v) ((signed char)(v))\n\
         __global__ void templates({ARGUMENTS}) {{ int i = threadIdx.x; a[i] = to<int>(x[i]); b[i] = to<unsigned>(x[i]); \
         c[i] = to<long long>(x[i]); d[i] = to<unsigned long long>(x[i]); e[i] = to<unsigned char>(x[i]); \
         f[i] = SHORT(x[i]); }}"
    );
    check(&source, "templates");
}

#[test]
fn conversions_that_nobody_writes_down_saturate_too() {
    let source = format!(
        "__device__ unsigned back(float x) {{ return x; }}\n__device__ long long pass(long long x) {{ return x; }}\n\
         #define SAME(v) ((v) * 1.0f)\n\
         __global__ void implicit({ARGUMENTS}) {{\n  int i = threadIdx.x;\n  int first = x[i];\n  a[i] = first;\n  \
         b[i] = back(x[i]);\n  c[i] = pass(x[i]);\n  d[i] = 0; d[i] += x[i];\n  e[i] = SAME(x[i]);\n  \
         f[i] = x[i] == x[i] ? x[i] : x[i];\n}}"
    );
    check(&source, "implicit");
}

#[test]
fn doubles_saturate_and_a_nan_is_the_highest_bit() {
    let source = "__global__ void k(const double *x, int *a, unsigned *b) { int i = threadIdx.x; a[i] = (int)x[i]; b[i] = x[i]; }";
    let kernel = SourceModule::new(source).unwrap().get_function("k").unwrap();
    let x = [3e9, -3e9, 2.5, -2.5, 1e300, f64::NAN];
    let (mut a, mut b) = (zeros::<i32>(6), zeros::<u32>(6));
    kernel.launch(1, 6, (&to_gpu(&x[..]), &mut a, &mut b)).unwrap();
    assert_eq!(a.to_vec(), [i32::MAX, i32::MIN, 2, -2, i32::MAX, i32::MIN]);
    assert_eq!(b.to_vec(), [3_000_000_000, 0, 2, 0, u32::MAX, 1 << 31]);
}

#[test]
fn an_elementwise_kernel_saturates_too() {
    let cast = ElementwiseKernel::new("int *z, const float *x", "z[i] = (int)x[i]", "cast_down").unwrap();
    let assign = ElementwiseKernel::new("int *z, const float *x", "z[i] = x[i]", "assign_down").unwrap();
    let x = to_gpu(&floats());
    for kernel in [cast, assign] {
        let mut z = zeros::<i32>(floats().len());
        kernel.call((&mut z, &x)).unwrap();
        assert_eq!(z.to_vec(), floats().iter().map(|x| *x as i32).collect::<Vec<i32>>());
    }
}

#[test]
fn a_shift_by_the_width_or_more_took_its_low_bits() {
    let source = "__global__ void shifts(int *a, const int *by, unsigned u, long long w)\n{\n  int i = threadIdx.x, n = by[i];\n  \
                  a[8 * i] = 1 << n;\n  a[8 * i + 1] = -8 >> n;\n  a[8 * i + 2] = u >> n;\n  a[8 * i + 3] = (w << n) != 0;\n  \
                  a[8 * i + 4] = -5;\n  a[8 * i + 4] >>= n;\n  unsigned char c = 3;\n  c <<= n;\n  a[8 * i + 5] = c;\n  \
                  a[8 * i + 6] = w >> n;\n  a[8 * i + 7] = 1ull << n << 1 >> n;\n}";
    let kernel = SourceModule::new(source).unwrap().get_function("shifts").unwrap();
    let by = [0, 1, 31, 32, 33, 63, 64, 100, -1];
    let mut a = zeros::<i32>(8 * by.len());
    kernel.launch(1, by.len(), (&mut a, &to_gpu(&by[..]), u32::MAX, -3_i64)).unwrap();
    let a = a.to_vec();
    for (k, by) in by.into_iter().enumerate() {
        let by = by as u32;
        let wide = |x: i64| if by < 64 { x >> by } else { -1 };
        let expected = [
            1_i32.checked_shl(by).unwrap_or(0),
            -8 >> by.min(31),
            u32::MAX.checked_shr(by).unwrap_or(0) as i32,
            i32::from((-3_i64).checked_shl(by).unwrap_or(0) != 0),
            -5 >> by.min(31),
            i32::from(3_u32.checked_shl(by).unwrap_or(0) as u8),
            wide(-3) as i32,
            ((1_u64.checked_shl(by).unwrap_or(0) << 1).checked_shr(by).unwrap_or(0)) as i32,
        ];
        assert_eq!(a[8 * k..8 * k + 8], expected, "by {}", by as i32);
    }
}

#[test]
fn texts_that_only_look_like_casts_and_shifts_compile() {
    let source = "template <class A, class B> struct pair { A a; B b; };\ntemplate <class T> struct box { T value; };\n\
                  struct stream { int sum; __device__ stream &operator<<(int x) { sum += x; return *this; } };\n\
                  __device__ int twice(int) ;\n__device__ int twice(int x) { return 2 * x; }\n\
                  template <int N> __device__ int bits() { return N; }\n\
                  struct flags { unsigned low : 4, high : 4; };\n\
                  __global__ void k(int *a, int n)\n{\n  pair<int, box<int>> p = {1, {2}};\n  stream s = {0};\n  s << n << 2 << p.b.value;\n  \
                  flags f = {1, 0};\n  f.high = f.low << n;\n  enum { three = 1 << 1 | 1, eight = (1 << three) };\n  int table[1 << three] = {};\n  \
                  table[bits<(16 >> three)>()] = 5;\n  size_t where = (size_t)a;\n  void *back = (void *)where;\n  \
                  a[0] = s.sum; a[1] = f.high; a[2] = table[2]; a[3] = back == a; a[4] = sizeof(int) * n; a[5] = (n) - 1; a[6] = twice(n);\n  \
                  a[7] = eight;\n}";
    let kernel = SourceModule::new(source).unwrap().get_function("k").unwrap();
    let mut a = zeros::<i32>(8);
    kernel.launch(1, 1, (&mut a, 2)).unwrap();
    assert_eq!(a.to_vec(), [6, 4, 5, 1, 8, 1, 4, 8]);
}

/// A template that was made for `int` as well lost the fraction of its `float`s.
#[test]
fn a_template_of_two_types_lost_fractions() {
    let source = "
        template <class T> __device__ T half_of(float x) { T v = x * 0.5f; return v; }
        template <class T> __device__ T third_of(float x) { return x / 3; }
        template <class T> __global__ void k(T *out, const float *x, int n)
        {
            int i = threadIdx.x;
            T sum = 1;
            out[4 * i] = half_of<T>(x[i]);
            out[4 * i + 1] = third_of<T>(x[i]);
            out[4 * i + 2] = x[i] * 2;
            sum += x[i];
            out[4 * i + 3] = sum;
        }";
    let module = SourceModule::builder(source)
        .name_expression("k<float>")
        .name_expression("k<int>")
        .name_expression("k<short>")
        .name_expression("k<unsigned>")
        .compile()
        .unwrap();
    let x = [1.5_f32, -2.25, 3e9, f32::NAN];
    let mut floats = zeros::<f32>(16);
    module.get_function("k<float>").unwrap().launch(1, 4, (&mut floats, In(&x), 4)).unwrap();
    assert_eq!(floats.to_vec()[..8], [0.75, 0.5, 3.0, 2.5, -1.125, -0.75, -4.5, -1.25]);
    let mut whole = zeros::<i32>(16);
    module.get_function("k<int>").unwrap().launch(1, 4, (&mut whole, In(&x), 4)).unwrap();
    let most = i32::MAX;
    assert_eq!(whole.to_vec()[..12], [0, 0, 3, 2, -1, 0, -4, -1, 1_500_000_000, 1_000_000_000, most, most]);
    let mut short = zeros::<i16>(16);
    module.get_function("k<short>").unwrap().launch(1, 4, (&mut short, In(&x), 4)).unwrap();
    assert_eq!(short.to_vec()[..8], [0, 0, 3, 2, -1, 0, -4, -1]);
    let mut unsigned = zeros::<u32>(16);
    module.get_function("k<unsigned>").unwrap().launch(1, 4, (&mut unsigned, In(&x), 4)).unwrap();
    assert_eq!(unsigned.to_vec()[..3], [0, 0, 3]);
    assert_eq!(unsigned.to_vec()[4..7], [0, 0, 0]);
    assert_eq!(unsigned.to_vec()[10], u32::MAX);
}
