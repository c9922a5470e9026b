//! Kernels of the user's own: modules, functions, grids and arguments.

use gpurepl_prelude::*;

#[test]
fn a_grid_of_blocks_in_three_dimensions() {
    let source = r#"
        __global__ void places(int *out, int width, int height)
        {
            int x = blockIdx.x * blockDim.x + threadIdx.x;
            int y = blockIdx.y * blockDim.y + threadIdx.y;
            int z = blockIdx.z * blockDim.z + threadIdx.z;
            out[(z * height + y) * width + x] = x + 100 * y + 10000 * z;
        }
    "#;
    let places = SourceModule::new(source).unwrap().get_function("places").unwrap();
    let mut out = zeros::<i32>((6, 4, 10));
    places.launch((5, 2, 3), (2, 2, 2), (&mut out, 10, 4)).unwrap();
    let expected: Vec<i32> = (0..6)
        .flat_map(|z| (0..4).flat_map(move |y| (0..10).map(move |x| x + 100 * y + 10_000 * z)))
        .collect();
    assert_eq!(out.to_vec(), expected);
}

#[test]
fn numbers_of_every_type() {
    let source = r#"
        __global__ void all(double *out, bool a, signed char b, short c, int d, long long e, unsigned char f,
                            unsigned short g, unsigned int h, unsigned long long i, float j, double k)
        {
            out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f;
            out[6] = g; out[7] = h; out[8] = i; out[9] = j; out[10] = k;
        }
    "#;
    let all = SourceModule::new(source).unwrap().get_function("all").unwrap();
    let mut out = zeros::<f64>(11);
    let whole = -123_456_789_012_i64;
    all.launch(
        1,
        1,
        (
            &mut out,
            true,
            -5_i8,
            -300_i16,
            -70_000,
            whole,
            200_u8,
            60_000_u16,
            4_000_000_000_u32,
            1_u64 << 60,
            1.5_f32,
            0.1,
        ),
    )
    .unwrap();
    let expected =
        [1.0, -5.0, -300.0, -70_000.0, whole as f64, 200.0, 60_000.0, 4e9, (1_u64 << 60) as f64, 1.5, 0.1];
    assert_eq!(out.to_vec(), expected);
}

#[test]
fn the_hosts_data_as_arguments() {
    let source = "__global__ void add(const float *a, float *b, float *c) { int i = threadIdx.x; c[i] = a[i] + b[i]; b[i] = -1; }";
    let add = SourceModule::new(source).unwrap().get_function("add").unwrap();
    let a = vec![1.0_f32, 2.0, 3.0];
    let mut b = ndarray::array![10.0_f32, 20.0, 30.0];
    let mut c = [0.0_f32; 3];
    add.launch(1, 3, (In(&a), InOut(&mut b), Out(&mut c))).unwrap();
    assert_eq!((b.to_vec(), c), (vec![-1.0; 3], [11.0, 22.0, 33.0]));
}

#[test]
fn shared_memory_and_constants_that_need_no_barrier() {
    let source = r#"
        #define N 4
        __device__ float half(float x) { return x / 2; }
        template <typename T> __device__ T twice(T x) { return x + x; }
        extern "C" __global__ void f(float *a) { int i = threadIdx.x; if (i < N) a[i] = half(twice(twice(a[i]))); }
    "#;
    let f = SourceModule::new(source).unwrap().get_function("f").unwrap();
    let mut a = gpu![f32; 1, 2, 3, 4, 5];
    f.launch(1, 5, &mut a).unwrap();
    assert_eq!(a.to_vec(), [2.0, 4.0, 6.0, 8.0, 5.0]);
}

#[test]
fn a_function_that_is_not_there() {
    let module = SourceModule::new("__global__ void twice(int *a) { a[0] *= 2; }").unwrap();
    let error = module.get_function("twcie").unwrap_err();
    assert_eq!(error.to_string(), "twcie: the source has no kernel of this name; it has twice");
}

#[test]
fn a_kernel_that_is_launched_many_times() {
    let source =
        "__global__ void next(unsigned int *a) { a[threadIdx.x] = a[threadIdx.x] * 1664525u + 1013904223u; }";
    let next = SourceModule::new(source).unwrap().get_function("next").unwrap();
    let mut a = arange(0_u32..64);
    let mut expected: Vec<u32> = (0..64).collect();
    for _ in 0..500 {
        next.launch(1, 64, &mut a).unwrap();
        for x in &mut expected {
            *x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
    }
    assert_eq!(a.to_vec(), expected);
}

#[test]
fn barriers_and_shared_memory() {
    let source = r#"
        __global__ void turn(int *a)
        {
            extern __shared__ int s[];
            s[threadIdx.x] = a[threadIdx.x];
            __syncthreads();
            a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
        }
    "#;
    let turn = SourceModule::new(source).unwrap().get_function("turn").unwrap();
    let mut a = arange(0..128);
    turn.launch_shared(1, 128, 128 * 4, &mut a).unwrap();
    assert_eq!(a.to_vec(), (0..128).rev().collect::<Vec<i32>>());
    let error = turn.launch_shared(1, 128, 10_000_000, &mut a).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Launch, "{error}");
}

#[test]
fn expressions_as_arguments_are_computed_first() {
    let copy =
        SourceModule::new("__global__ void copy(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }")
            .unwrap()
            .get_function("copy")
            .unwrap();
    let a = arange(0..8);
    let mut b = zeros::<i32>(8);
    copy.launch(1, 8, (&(&a * 3 - 1), &mut b)).unwrap();
    assert_eq!(b.to_vec(), (0..8).map(|k| k * 3 - 1).collect::<Vec<i32>>());
    // A view that is not one piece is copied for a kernel that only reads it.
    copy.launch(1, 4, (&a.slice(s![..; 2]), &mut b)).unwrap();
    assert_eq!(b[..4].to_vec(), [0, 2, 4, 6]);
    let error = copy.launch(1, 4, (&a, &mut b.slice(s![..; 2]))).unwrap_err();
    assert!(error.to_string().contains("do not lie in order"), "{error}");
}

#[test]
fn names_that_c_has_from_its_headers() {
    let source = r#"
        #include <math.h>
        #include <float.h>
        #include <limits.h>
        #include <cstdint>
        #include <cmath>
        #include <algorithm>
        #include <math_constants.h>
        __global__ void f(double *a, uint8_t *b)
        {
            a[0] = M_PI; a[1] = INFINITY; a[2] = FLT_MAX; a[3] = DBL_EPSILON; a[4] = INT_MAX; a[5] = UINT32_MAX;
            a[6] = std::sqrt(2.0); a[7] = std::min(3, 4); a[8] = isnan(NAN); a[9] = CUDART_PI;
            b[0] = std::uint8_t(255);
        }
    "#;
    let f = SourceModule::new(source).unwrap().get_function("f").unwrap();
    let (mut a, mut b) = (zeros::<f64>(10), zeros::<u8>(1));
    f.launch(1, 1, (&mut a, &mut b)).unwrap();
    let pi = std::f64::consts::PI;
    let expected = [
        pi,
        f64::INFINITY,
        f64::from(f32::MAX),
        f64::EPSILON,
        f64::from(i32::MAX),
        f64::from(u32::MAX),
        2.0_f64.sqrt(),
        3.0,
        1.0,
        pi,
    ];
    assert_eq!((a.to_vec(), b.to_vec()), (expected.to_vec(), vec![255]));
}

#[test]
fn kernels_that_the_preprocessor_removes() {
    let source = r#"
        #if 0
        __global__ void old(int *a) { a[0] = missing; }
        #endif
        #ifdef NEVER_DEFINED
        namespace never { __global__ void other(int *a) {} }
        #endif
        __global__ void now(int *a) { a[0] = 7; }
    "#;
    let module = SourceModule::new(source).unwrap();
    let mut a = zeros::<i32>(1);
    module.get_function("now").unwrap().launch(1, 1, &mut a).unwrap();
    assert_eq!(a.item(), 7);
    let error = module.get_function("old").unwrap_err();
    assert!(error.to_string().contains("the preprocessor removes this kernel"), "{error}");
    // A mistake in what is left is still the user's to see.
    let error = SourceModule::new(&source.replace("a[0] = 7", "a[0] = old_value")).unwrap_err();
    assert_eq!(error.compile_error().unwrap().messages[0].line, 8, "{error}");
}

#[test]
fn a_kernel_after_one_that_needs_barriers() {
    let source = r#"
        __global__ void turn(int *a)
        {
            __shared__ int s[32];
            s[threadIdx.x] = a[threadIdx.x];
            __syncthreads();
            a[threadIdx.x] = s[31 - threadIdx.x];
        }
        __global__ void plain(int *a) { a[threadIdx.x] += 1; }
    "#;
    let module = SourceModule::new(source).unwrap();
    let mut a = arange(0..32);
    module.get_function("plain").unwrap().launch(1, 32, &mut a).unwrap();
    assert_eq!(a.to_vec(), (1..33).collect::<Vec<i32>>());
    module.get_function("turn").unwrap().launch(1, 32, &mut a).unwrap();
    assert_eq!(a.to_vec(), (1..33).rev().collect::<Vec<i32>>());
}

#[test]
fn a_kernel_beside_shared_memory_at_file_scope() {
    let source = r#"
        extern __shared__ int s[];
        __global__ void turn(int *a)
        {
            s[threadIdx.x] = a[threadIdx.x];
            __syncthreads();
            a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
        }
        __global__ void plain(int *a) { a[threadIdx.x] += 1; }
    "#;
    let module = SourceModule::new(source).unwrap();
    let mut a = arange(0..32);
    module.get_function("plain").unwrap().launch(1, 32, &mut a).unwrap();
    assert_eq!(a.sum().item(), 528);
    module.get_function("turn").unwrap().launch_shared(1, 32, 32 * 4, &mut a).unwrap();
    assert_eq!(a.to_vec(), (1..33).rev().collect::<Vec<i32>>());
}

#[test]
fn arguments_within_a_macro() {
    let source = "#define ARGUMENTS float *a, int n\n__global__ void f(ARGUMENTS) { a[0] = n; }";
    let f = SourceModule::new(source).unwrap().get_function("f").unwrap();
    let error = f.launch(1, 1, 5_u64).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument, "{error}");
}

#[test]
fn a_header_of_the_users_may_change() {
    let folder = tempfile::tempdir().unwrap();
    let (header, option) = (folder.path().join("value.h"), format!("-I{}", folder.path().display()));
    let source = "#include \"value.h\"\n__global__ void f(int *a) { a[0] = VALUE; }";
    let mut a = zeros::<i32>(1);
    for value in [1, 2] {
        std::fs::write(&header, format!("#define VALUE {value}\n")).unwrap();
        let module = SourceModule::with_options(source, &[&option]).unwrap();
        module.get_function("f").unwrap().launch(1, 1, &mut a).unwrap();
        assert_eq!(a.item(), value);
    }
}

#[test]
fn an_instance_of_a_template_shares_the_variables_of_its_source() {
    let source = "__device__ int factor = 1;\n\
                  template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= factor; }";
    let module = SourceModule::builder(source).name_expression("scale<int>").compile().unwrap();
    memcpy_htod(&mut module.get_global("factor").unwrap(), &[7]).unwrap();
    let mut a = ones::<i32>(3);
    module.get_function("scale<int>").unwrap().launch(1, 3, &mut a).unwrap();
    assert_eq!(a.to_vec(), [7; 3]);
    // One that was not asked for would have variables of its own.
    let error = module.get_function("scale<float>").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(error.to_string().contains("name_expression(\"scale<float>\")"), "{error}");
    let error = module.get_function("scale").unwrap_err();
    assert!(error.to_string().contains("name an instance: `scale<float>`"), "{error}");
}

/// `row >= height` reached the compiler of the host as `row > = height`, and
/// the whole source was compiled without what makes it fast.
#[test]
fn a_bound_of_two_characters() {
    let source = "
        __global__ void transpose(float *z, const float *x, int width, int height)
        {
            int column = blockIdx.x*blockDim.x + threadIdx.x, row = blockIdx.y*blockDim.y + threadIdx.y;
            if (column >= width || row >= height) return;
            z[column*height + row] = x[row*width + column];
        }
        __global__ void some(float *z, const float *x, int n, int way)
        {
            float s = 0;
            for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) {
                if (x[i] >= 2 && way != 3) s += x[i];
            }
            if (way <= 2) z[blockIdx.x*blockDim.x + threadIdx.x] = s;
        }";
    let module = SourceModule::new(source).unwrap();
    let x: Vec<f32> = (0..70 * 50).map(|k| (k % 101) as f32).collect();
    let mut z = zeros::<f32>((70, 50));
    module.get_function("transpose").unwrap().launch((5, 4), (16, 16), (&mut z, In(&x), 70, 50)).unwrap();
    let expected: Vec<f32> =
        (0..70).flat_map(|c| (0..50).map(move |r| ((r * 70 + c) % 101) as f32)).collect();
    assert_eq!(z.to_vec(), expected);
    for way in [2, 3] {
        let mut sums = full::<f32>(96, -1.0);
        module.get_function("some").unwrap().launch(3, 32, (&mut sums, In(&x), 3500, way)).unwrap();
        let of = |t: usize| x.iter().skip(t).step_by(96).filter(|v| **v >= 2.0).sum::<f32>();
        let expected: Vec<f32> = (0..96).map(|t| if way == 2 { of(t) } else { -1.0 }).collect();
        assert_eq!(sums.to_vec(), expected);
    }
}

/// Loops by strides that add up took five times as long as OpenMP's on the host.
#[test]
fn totals_of_loops_by_strides() {
    let source = "
        __device__ int place() { return blockIdx.x*blockDim.x + threadIdx.x; }
        __global__ void sums(double *y, const float *x, int n)
        {
            int t = blockIdx.x*blockDim.x + threadIdx.x;
            double s = 0.5;
            for (int i = t; i < n; i += blockDim.x*gridDim.x) s += x[i];
            y[t] = s;
        }
        __global__ void several(float *top, int *counts, int *total, const float *x, float above, int n)
        {
            float most = -INFINITY;
            int count = 0, i = place();
            while (i < n) {
                most = fmaxf(most, x[i]);
                if (x[i] > above) count++;
                i += gridDim.x * blockDim.x;
            }
            top[place()] = most;
            counts[blockIdx.x*blockDim.x + threadIdx.x] = count;
            if (threadIdx.x == 3) atomicAdd(total, blockIdx.x);
        }
        template <class T> __global__ void mixed(T *y, const T *x, size_t n)
        {
            T s = 1;
            for (size_t i = place(); i < n; i += blockDim.x*gridDim.x) { T v = x[i]; s = s * 3 + v; }
            y[place()] = s;
        }";
    let module = SourceModule::new(source).unwrap();
    for (grid, block, n) in [(1, 1, 5), (3, 32, 1000), (7, 100, 699), (2, 256, 1), (40, 128, 100_003)] {
        let threads = grid * block;
        let x: Vec<f32> = (0..n).map(|k| ((k * 7919) % 1000) as f32).collect();
        let of = |t: usize| x.iter().skip(t).step_by(threads);
        let mut y = zeros::<f64>(threads);
        module.get_function("sums").unwrap().launch(grid, block, (&mut y, In(&x), n)).unwrap();
        let expected: Vec<f64> =
            (0..threads).map(|t| 0.5 + of(t).map(|v| f64::from(*v)).sum::<f64>()).collect();
        assert_eq!(y.to_vec(), expected, "{grid} x {block}, {n}");
        let (mut top, mut counts, mut total) =
            (zeros::<f32>(threads), zeros::<i32>(threads), zeros::<i32>(1));
        let several = module.get_function("several").unwrap();
        several.launch(grid, block, (&mut top, &mut counts, &mut total, In(&x), 500.0, n)).unwrap();
        let most: Vec<f32> = (0..threads).map(|t| of(t).copied().fold(f32::NEG_INFINITY, f32::max)).collect();
        assert_eq!(top.to_vec(), most, "{grid} x {block}, {n}");
        let above: Vec<i32> = (0..threads).map(|t| of(t).filter(|v| **v > 500.0).count() as i32).collect();
        assert_eq!(counts.to_vec(), above, "{grid} x {block}, {n}");
        let blocks = if block > 3 { (0..grid as i32).sum() } else { 0 };
        assert_eq!(total.item(), blocks);
        let whole: Vec<u32> = x.iter().map(|v| *v as u32).collect();
        let mut y = zeros::<u32>(threads);
        module.get_function("mixed<unsigned>").unwrap().launch(grid, block, (&mut y, In(&whole), n)).unwrap();
        let mixed = |t: usize| of(t).fold(1_u32, |s, v| s.wrapping_mul(3).wrapping_add(*v as u32));
        assert_eq!(y.to_vec(), (0..threads).map(mixed).collect::<Vec<u32>>(), "{grid} x {block}, {n}");
    }
}
