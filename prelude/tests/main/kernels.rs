//! Elementwise kernels and reductions out of strings.

use gpurepl_prelude::*;

#[test]
fn several_results_and_parts() {
    let kernel = ElementwiseKernel::new(
        "float a, const float *x, float *twice, int *place",
        "twice[i] = scaled(a, x[i]); place[i] = i",
        "parts",
    )
    .unwrap()
    .preamble("__device__ float scaled(float a, float x) { return a * x; }");
    let x = gpu![f32; 1, 2, 3];
    let (mut twice, mut place) = (empty_like(&x), empty::<i32>(3));
    kernel.call((2.0_f32, &x, &mut twice, &mut place)).unwrap();
    assert_eq!((twice.to_vec(), place.to_vec()), (vec![2.0, 4.0, 6.0], vec![0, 1, 2]));
    assert!(kernel.source().unwrap().contains("scaled"));
}

#[test]
fn every_type_of_element() {
    macro_rules! doubled {
        ($($c:literal $t:ident: $x:expr => $y:expr;)*) => {$(
            let kernel = ElementwiseKernel::new(&format!("{} *x", $c), "x[i] = x[i] + x[i]", "doubled").unwrap();
            let mut a = full::<$t>(5, $x);
            kernel.call(&mut a).unwrap();
            assert_eq!(a.to_vec(), [$y; 5], $c);
        )*};
    }
    doubled! {
        "signed char" i8: -3 => -6;
        "short" i16: -300 => -600;
        "int" i32: -3 => -6;
        "long long" i64: 1 << 40 => 1 << 41;
        "unsigned char" u8: 200 => 144;
        "unsigned short" u16: 40_000 => 14_464;
        "unsigned int" u32: 3_000_000_000 => 1_705_032_704;
        "unsigned long" u64: 1 << 62 => 1 << 63;
        "float" f32: 1.25 => 2.5;
        "double" f64: 0.1 => 0.2;
        "pycuda::complex<float>" Complex32: Complex32::new(1.0, -2.0) => Complex32::new(2.0, -4.0);
        "pycuda::complex<double>" Complex64: Complex64::new(1.0, -2.0) => Complex64::new(2.0, -4.0);
    }
}

#[test]
fn numbers_of_elements_around_a_block() {
    let kernel = ElementwiseKernel::new("long long *x", "x[i] = i * i", "squares").unwrap();
    for n in [0_usize, 1, 31, 255, 256, 257, 100_003] {
        let mut x = zeros::<i64>(n);
        kernel.call(&mut x).unwrap();
        let expected: Vec<i64> = (0..n as i64).map(|k| k * k).collect();
        assert_eq!(x.to_vec(), expected, "{n}");
    }
}

#[test]
fn shapes_that_do_not_broadcast_are_named() {
    let kernel = ElementwiseKernel::new("const float *x, float *y", "y[i] = x[i]", "copy").unwrap();
    let message = |x: &[usize], y: &[usize]| {
        let shape = |lengths: &[usize]| zeros::<f32>(lengths.iter().product::<usize>()).reshape(lengths);
        kernel.call((&shape(x), &mut shape(y))).unwrap_err().to_string()
    };
    assert_eq!(
        message(&[3], &[4]),
        "copy: `x` has shape [3] and `y` has shape [4]; they do not broadcast to one shape"
    );
    assert_eq!(
        message(&[2, 3], &[3]),
        "copy: `y` has shape [3], and the arrays together have shape [2, 3], which an array must have that the kernel \
         writes\n  = help: if the kernel only reads it, declare it `const`"
    );
    let row = zeros::<f32>(3);
    let error = kernel.call((&zeros::<f32>((2, 3)), &mut row.broadcast_to((2, 3)))).unwrap_err();
    assert!(error.to_string().contains("several elements of `y` lie at one place in memory"), "{error}");
    let windows = zeros::<f32>(6).sliding_window_view(3);
    let error = kernel.call((&zeros::<f32>((4, 3)), &mut windows.clone())).unwrap_err();
    assert!(error.to_string().contains("lie at one place in memory"), "{error}");
    // As many elements go one by one, whatever axes the others have.
    let mut y = zeros::<f32>((2, 3));
    kernel.call((&arange(0..6).astype(f32), &mut y)).unwrap();
    assert_eq!(y.to_vec(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    kernel.call((&arange(0..6).astype(f32).slice(s![..; -1]), &mut y)).unwrap();
    assert_eq!(y.to_vec(), [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
    // Memory of the host has no axes.
    kernel.call((In(&[1.0f32; 6]), &mut y.t())).unwrap();
    assert_eq!(y.to_vec(), [1.0; 6]);
    let message = kernel.call((In(&[1.0f32; 5]), &mut y)).unwrap_err().to_string();
    assert!(message.contains("need the same number of elements"), "{message}");
    // What is empty lies in any order.
    kernel.call((&zeros::<f32>((2, 0)), &mut y.slice(s![.., 2..2]))).unwrap();
}

#[test]
fn views_are_read_and_written_where_they_are() {
    let kernel =
        ElementwiseKernel::new("const float *x, float *y", "y[i] = 10*x[i] + y[i]", "scaled").unwrap();
    let x = arange(0..6).astype(f32);
    let y = zeros::<f32>(6);
    kernel.call((&x.slice(..3), &mut y.slice(s![..; 2]))).unwrap();
    assert_eq!(y.to_vec(), [0.0, 0.0, 10.0, 0.0, 20.0, 0.0]);
    kernel.call((&x.slice(s![..; -2]), &mut y.slice(3..))).unwrap();
    assert_eq!(y.to_vec(), [0.0, 0.0, 10.0, 50.0, 50.0, 10.0]);
    // Columns of a matrix, and the matrix the other way round.
    let m = zeros::<f32>((2, 3));
    kernel.call((&x.reshape((2, 3)).slice(s![.., 1]), &mut m.slice(s![.., 2]))).unwrap();
    assert_eq!(m.to_vec(), [0.0, 0.0, 10.0, 0.0, 0.0, 40.0]);
    kernel.call((&x.reshape((3, 2)), &mut m.t())).unwrap();
    assert_eq!(m.to_vec(), [0.0, 20.0, 50.0, 10.0, 30.0, 90.0]);
    // A neighbour is the neighbour in the view.
    let before =
        ElementwiseKernel::new("const int *x, int *y", "y[i] = i > 0 ? x[i - 1] : -1", "before").unwrap();
    let mut shifted = zeros::<i32>((3, 2));
    before.call((&gpu![[1, 2, 3], [4, 5, 6]].t(), &mut shifted)).unwrap();
    assert_eq!(shifted.to_vec(), [-1, 1, 4, 2, 5, 3]);
}

#[test]
fn shapes_broadcast_without_copies() {
    let sum =
        ElementwiseKernel::new("const int *x, const int *y, int *z", "z[i] = x[i] + 10*y[i]", "sum").unwrap();
    let mut z = zeros::<i32>((2, 3));
    sum.call((&gpu![[1], [2]], &gpu![1, 2, 3], &mut z)).unwrap();
    assert_eq!(z.to_vec(), [11, 21, 31, 12, 22, 32]);
    // One element beside many; without `const`, as PyCUDA declares what is only read.
    let plain = ElementwiseKernel::new("int *x, int *y, int *z", "z[i] = x[i] + 10*y[i]", "plain").unwrap();
    plain.call((&gpu![7], &gpu![1, 2, 3], &mut z)).unwrap();
    assert_eq!(z.to_vec(), [17, 27, 37, 17, 27, 37]);
    // Arrays that are their own result in another order are copied first.
    let mut square = gpu![[1, 2], [3, 4]];
    sum.call((&square.t(), &square.clone(), &mut square)).unwrap();
    assert_eq!(square.to_vec(), [11, 23, 32, 44]);
    let x = gpu![[1, 2], [3, 4]];
    sum.call((&x.t(), &x.slice(s![0, ..]), &mut x.slice(..))).unwrap();
    assert_eq!(x.to_vec(), [11, 23, 12, 24]);
}

#[test]
fn a_table_has_a_length_of_its_own() {
    let kernel = ElementwiseKernel::new(
        "const int *at, const float *table, float *y",
        "y[i] = table[at[i]]",
        "look_up",
    );
    let kernel = kernel.unwrap();
    let mut y = zeros::<f32>(4);
    kernel.call((&gpu![1, 0, 1, 2], &gpu![5.0f32, 6.0, 7.0], &mut y)).unwrap();
    assert_eq!(y.to_vec(), [6.0, 5.0, 6.0, 7.0]);
    let count =
        ElementwiseKernel::new("const int *x, int *bins", "atomicAdd(&bins[x[i]], 1)", "count").unwrap();
    let mut bins = zeros::<i32>(3);
    count.call((&gpu![2, 0, 2, 2, 1], &mut bins)).unwrap();
    assert_eq!(bins.to_vec(), [1, 1, 3]);
}

#[test]
fn results_that_are_left_out_are_made() {
    let kernel = ElementwiseKernel::new(
        "float a, const float *x, const float *y, float *sum, int *sign",
        "sum[i] = a*x[i] + y[i]; sign[i] = sum[i] > 0 ? 1 : -1",
        "signs",
    )
    .unwrap();
    let (x, y) = (gpu![[1.0f32], [-2.0]], gpu![0.5f32, 1.0]);
    let (sum, sign) = kernel.map::<(f32, i32)>((2, &x, &y)).unwrap();
    assert_eq!((sum.shape(), sum.to_vec()), ([2, 2].as_slice(), vec![2.5, 3.0, -3.5, -3.0]));
    assert_eq!(sign.to_vec(), [1, 1, -1, -1]);
    let sign = kernel.map::<i32>((2, &x, &y, &mut zeros::<f32>((2, 2)))).unwrap();
    assert_eq!(sign.to_vec(), [1, 1, -1, -1]);
    let given = ElementwiseKernel::new("float *y, float *x", "y[i] = twice(x, i)", "given").unwrap();
    let given = given.preamble("__device__ float twice(const float *x, int i) { return 2 * x[i]; }");
    assert_eq!(given.map::<f32>(&gpu![1.0f32, 2.0]).unwrap().to_vec(), [2.0, 4.0]);
    let message = |error: Error| error.to_string();
    assert!(message(kernel.map::<f64>((2, &x, &y, &sum)).unwrap_err()).contains("`map::<i32>`"));
    assert!(message(kernel.map::<i32>((2, &x, &y)).unwrap_err()).contains("takes 4 beside `sign`"));
    assert!(message(kernel.map::<(f32, f32, i32)>((2, &x)).unwrap_err()).contains("the kernel writes 2"));
    let twice = ElementwiseKernel::new("const float *x, float *y", "y[i] = 2*x[i]", "twice").unwrap();
    let error = message(twice.map::<(f32, f32)>(&x).unwrap_err());
    assert_eq!(error, "twice: the number of results asked for is 2, and the kernel writes 1 array");
    let constant = ElementwiseKernel::new("float a, float *x", "x[i] = a", "constant").unwrap();
    assert!(message(constant.map::<f32>(2.0f32).unwrap_err()).contains("which shape"));
}

#[test]
fn options_reach_the_compiler() {
    let kernel = ElementwiseKernel::new("int *x", "x[i] = TIMES * i", "times").unwrap().option("-DTIMES=3");
    let mut x = zeros::<i32>(4);
    kernel.call(&mut x).unwrap();
    assert_eq!(x.to_vec(), [0, 3, 6, 9]);
    let sum = ReductionKernel::<i32>::new("0", "a + b", "x[i] * TIMES", "const int *x", "sum").unwrap();
    assert_eq!(sum.option("-DTIMES=2").call(&x).unwrap().item(), 36);
}

#[test]
fn vectors_halves_and_complex_numbers_of_all_names() {
    let kernel = ElementwiseKernel::new(
        "float3 shift, const float3 *x, float3 *y",
        "y[i] = make_float3(x[i].x + shift.x, x[i].y + shift.y, x[i].z + shift.z)",
        "shifted",
    )
    .unwrap();
    let x = arange(0..6).astype(f32).reshape((2, 3));
    let mut y = empty_like(&x);
    kernel.call(([1.0f32, 10.0, 100.0], &x, &mut y)).unwrap();
    assert_eq!(y.to_vec(), [1.0, 11.0, 102.0, 4.0, 14.0, 105.0]);

    let half =
        ElementwiseKernel::new("const __half *x, __half *y", "y[i] = x[i] * x[i]", "half_squares").unwrap();
    let squares = half.map::<f16>(&gpu![1.5f32, -2.0].astype(f16)).unwrap();
    assert_eq!(squares.astype(f32).to_vec(), [2.25, 4.0]);

    let z = gpu![Complex32::new(1.0, 2.0), Complex32::new(0.0, -1.0)];
    let expected = [Complex32::new(-3.0, 4.0), Complex32::new(-1.0, 0.0)];
    for (types, operation) in [
        ("const pycuda::complex<float> *x, pycuda::complex<float> *y", "y[i] = x[i] * x[i]"),
        ("const cuFloatComplex *x, cuFloatComplex *y", "y[i] = cuCmulf(x[i], x[i])"),
        ("const cuComplex *x, cuComplex *y", "y[i] = cuCmulf(x[i], x[i])"),
        ("const float2 *x, float2 *y", "y[i] = make_float2(x[i].x*x[i].x - x[i].y*x[i].y, 2*x[i].x*x[i].y)"),
    ] {
        let kernel = ElementwiseKernel::new(types, operation, "squares").unwrap();
        let mut y = empty_like(&z);
        kernel.call((&z, &mut y)).unwrap();
        assert_eq!(y.to_vec(), expected, "{types}");
        // Views of complex numbers are walked as those of other numbers.
        kernel.call((&z.slice(s![..; -1]), &mut y)).unwrap();
        assert_eq!(y.to_vec(), [expected[1], expected[0]], "{types}");
    }
}

#[test]
fn functions_of_complex_numbers_have_pycudas_names() {
    let z = [Complex64::new(0.5, -1.25), Complex64::new(-2.0, 0.75), Complex64::new(0.0, 3.0)];
    let array = to_gpu(&z);
    type Function = fn(Complex64) -> Complex64;
    let functions: [(&str, Function); 16] = [
        ("exp(z[i])", |z| z.exp()),
        ("pycuda::log(z[i])", |z| z.ln()),
        ("log10(z[i])", |z| z.log10()),
        ("sqrt(z[i])", |z| z.sqrt()),
        ("sin(z[i])", |z| z.sin()),
        ("cos(z[i])", |z| z.cos()),
        ("tan(z[i])", |z| z.tan()),
        ("sinh(z[i])", |z| z.sinh()),
        ("cosh(z[i])", |z| z.cosh()),
        ("tanh(z[i])", |z| z.tanh()),
        ("asin(z[i])", |z| z.asin()),
        ("atanh(z[i])", |z| z.atanh()),
        ("pow(z[i], z[i])", |z| z.powc(z)),
        ("pow(z[i], 3)", |z| z.powi(3)),
        ("pow(2.0, z[i])", |z| Complex64::new(2.0, 0.0).powc(z)),
        ("pycuda::polar(abs(z[i]), arg(z[i]))", |z| z),
    ];
    let types = "const pycuda::complex<double> *z, pycuda::complex<double> *w";
    let source = |body: &str, include: &str| {
        format!(
            "{include}__global__ void f(const pycuda::complex<double> *z, pycuda::complex<double> *w) {{ \
             int i = threadIdx.x; w[i] = {body}; }}"
        )
    };
    for (body, function) in functions {
        let near = |found: Vec<Complex64>| {
            for (found, z) in found.into_iter().zip(z) {
                assert!((found - function(z)).norm() < 1e-13 * function(z).norm(), "{body}: {found}");
            }
        };
        let kernel = ElementwiseKernel::new(types, &format!("w[i] = {body}"), "f").unwrap();
        near(kernel.map::<Complex64>(&array).unwrap().to_vec());
        let module = SourceModule::new(&source(body, "#include <pycuda-complex.hpp>\n")).unwrap();
        let mut w = empty_like(&array);
        module.get_function("f").unwrap().launch(1, 3, (&array, &mut w)).unwrap();
        near(w.to_vec());
    }
}

kernel_struct! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Ball { place: [f32; 2], mass: f64 }

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Extremes { smallest: i32, largest: i32, at: i64, parts: [Ball; 2] }
}

#[test]
fn structures_of_the_preamble_are_elements() {
    let kernel =
        ElementwiseKernel::new("Ball *balls, float step", "balls[i].place[1] -= step", "fall").unwrap();
    let error = kernel.call((InOut(&mut [Ball { place: [0.0, 1.0], mass: 2.0 }; 2]), 0.5)).unwrap_err();
    assert!(error.to_string().contains("unknown type `Ball`"), "{error}");
    let kernel = kernel.preamble(&Ball::c_struct());
    let mut balls = [Ball { place: [0.0, 1.0], mass: 2.0 }; 3];
    balls[2].place[1] = 4.0;
    kernel.call((InOut(&mut balls), 0.5)).unwrap();
    assert_eq!(balls.map(|ball| ball.place[1]), [0.5, 0.5, 3.5]);
    // Of raw memory nobody knows how many there are.
    let memory = to_device(&balls).unwrap();
    let error = kernel.call((&memory, 0.5)).unwrap_err();
    assert!(error.to_string().contains("`call_range(0..n, ..)`"), "{error}");
    kernel.call_range(0..2, (&memory, 0.5)).unwrap();
    let back: Vec<Ball> = {
        let mut back = balls.to_vec();
        memcpy_dtoh(&mut back, &memory).unwrap();
        back
    };
    assert_eq!(back.iter().map(|ball| ball.place[1]).collect::<Vec<_>>(), [0.0, 0.0, 3.5]);
    // Another structure of the name is found out by the compiler.
    let other = ElementwiseKernel::new("Ball *balls", "balls[i].mass = 1", "other").unwrap();
    let error =
        other.preamble("struct Ball { double mass; };").call(InOut(&mut balls)).unwrap_err().to_string();
    assert!(
        error.contains("Ball has other fields in the kernel than in Rust, where it has 16 bytes"),
        "{error}"
    );
    let error =
        ElementwiseKernel::new("Ball ball, float *x", "x[i] = ball.mass", "k").unwrap_err().to_string();
    assert!(error.contains("`Ball` cannot be passed by value here"), "{error}");
    let misspelt = ElementwiseKernel::new("flaot *x", "x[i] = 0", "zero").unwrap_err().to_string();
    assert!(misspelt.contains("did you mean `float`?"), "{misspelt}");
}

#[test]
fn structures_are_values_of_reductions() {
    let extremes = ReductionKernel::<Extremes>::new(
        "{INT_MAX, INT_MIN, -1, {}}",
        "both(a, b)",
        "{x[i], x[i], i, {{{1.0f, 2.0f}, 3.0}, {{0, 0}, (double)i}}}",
        "const int *x",
        "extremes",
    )
    .unwrap()
    .preamble(
        "#ifndef INT_MAX
        #define INT_MAX 2147483647
        #define INT_MIN (-2147483647 - 1)
        #endif
        __device__ Extremes both(Extremes a, Extremes b) {
          Extremes c = a;
          if (b.smallest < a.smallest) c.smallest = b.smallest;
          if (b.largest > a.largest || (b.largest == a.largest && b.at < a.at)) {
            c.largest = b.largest; c.at = b.at; c.parts[0] = b.parts[0]; c.parts[1] = b.parts[1];
          }
          return c;
        }",
    );
    for n in [1_i64, 5, 255, 256, 257, 100_003] {
        let x: Vec<i32> = (0..n).map(|k| ((k * 7919) % n) as i32 - 3).collect();
        let found = extremes.call(&to_gpu(&x)).unwrap();
        let largest = *x.iter().max().unwrap();
        let at = x.iter().position(|value| *value == largest).unwrap() as i64;
        assert_eq!((found.smallest, found.largest, found.at), (*x.iter().min().unwrap(), largest, at), "{n}");
        assert_eq!(found.parts[0], Ball { place: [1.0, 2.0], mass: 3.0 });
        assert_eq!(found.parts[1].mass, at as f64);
    }
    let none = extremes.call(&zeros::<i32>(0)).unwrap();
    assert_eq!((none.smallest, none.largest, none.at), (i32::MAX, i32::MIN, -1));
    let long = arange(0..1000).reshape((4, 250)).astype(i32);
    let rows = extremes.call_axis(1, &long).unwrap();
    assert_eq!(
        rows.iter().map(|row| (row.smallest, row.at)).collect::<Vec<_>>(),
        [(0, 249), (250, 499), (500, 749), (750, 999)]
    );
    let other = extremes.clone().preamble("").call(&zeros::<i32>(3)).unwrap();
    assert_eq!(other.at, 0);
    let rows = extremes.call_axis(1, &gpu![[3, 1], [5, 9], [-1, 7]]).unwrap();
    let rows: Vec<_> = rows.iter().map(|row| (row.smallest, row.largest, row.at % 2)).collect();
    assert_eq!(rows, [(1, 3, 0), (5, 9, 1), (-1, 7, 1)]);
}

kernel_struct! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Parts { half: f16, sum: Complex32 }

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct MinMax { min: f32, max: f32 }
}

#[test]
fn values_have_halves_complex_numbers_and_definitions_of_their_own() {
    let parts = ReductionKernel::<Parts>::new(
        "{__float2half(0.0f), {0.0f, 0.0f}}",
        "{__hadd(a.half, b.half), a.sum + b.sum}",
        "{__float2half(1.0f), z[i]}",
        "const cuFloatComplex *z",
        "parts",
    )
    .unwrap();
    let found = parts.call(&gpu![Complex32::new(1.0, 2.0), Complex32::new(3.0, -1.0)]).unwrap();
    assert_eq!((f32::from(found.half), found.sum), (2.0, Complex32::new(4.0, 1.0)));

    let minmax = reduction!(|x: &[f32]| -> MinMax {
        map: "{x[i], x[i]}", reduce: "{fminf(a.min, b.min), fmaxf(a.max, b.max)}", neutral: "{INFINITY, -INFINITY}"
    });
    let x = arange(0..1000).astype(f32) % 77.0;
    assert_eq!(minmax(&x), MinMax { min: 0.0, max: 76.0 });
    assert_eq!(minmax(&x.slice(s![..10; -3])), MinMax { min: 0.0, max: 76.0 });

    // PyCUDA's way: the preamble has the structure and its functions.
    let own = |definition: &str| {
        ReductionKernel::<MinMax>::new("none()", "both(a, b)", "{x[i], x[i]}", "const float *x", "own").unwrap().preamble(
            &format!(
                "{definition}
                __device__ MinMax none() {{ return {{INFINITY, -INFINITY}}; }}
                __device__ MinMax both(MinMax a, MinMax b) {{ return {{fminf(a.min, b.min), fmaxf(a.max, b.max)}}; }}"
            ),
        )
    };
    for definition in [
        "",
        "struct __align__(8) MinMax { float min, max; };",
        "typedef struct { float min; float max; } MinMax;",
    ] {
        assert_eq!(own(definition).call(&x).unwrap(), MinMax { min: 0.0, max: 76.0 }, "{definition}");
    }
    let error = own("struct MinMax { double min, max; };").call(&x).unwrap_err().to_string();
    assert!(
        error.contains("MinMax has other fields in the kernel than in Rust, where it has 8 bytes"),
        "{error}"
    );
}

#[test]
fn mistakes_of_calls_are_named_and_not_fatal() {
    let sum = ReductionKernel::<i32>::new("0", "a + b", "x[i]", "const int *x", "sum").unwrap();
    let x = zeros::<i32>((2, 3));
    let error = sum.call_axis(0, (&x, &x)).unwrap_err().to_string();
    assert!(error.contains("2 arguments given, but it takes 1"), "{error}");
    let scaled =
        ElementwiseKernel::new("const int *x, int *y, int by = 2", "y[i] = by*x[i]", "scaled").unwrap();
    let mut y = zeros::<i32>((3, 2));
    scaled.call((&gpu![[1, 2, 3], [4, 5, 6]].t(), &mut y)).unwrap();
    assert_eq!(y.to_vec(), [2, 8, 4, 10, 6, 12]);
    let error = scaled.call((&x.t(), &mut y, 1, 2)).unwrap_err().to_string();
    assert!(error.contains("4 arguments given, but it takes 3") && !error.contains("gpurepl_"), "{error}");
    // Names of the user's own that ours must not meet.
    let named =
        ElementwiseKernel::new("const float *x, float *y", "y[i] = R*x[i] + T(1) + first", "named").unwrap();
    let named = named.preamble("#define R 2.0f\n#define T float\n#define first 10.0f\n#define lengths ?");
    let found = named.map::<f32>(&gpu![[1.0f32, 2.0], [3.0, 4.0]].t()).unwrap();
    assert_eq!(found.to_vec(), [13.0, 17.0, 15.0, 19.0]);
    // A macro that names an array has it as it is.
    let hidden = ReductionKernel::<i32>::new("0", "a + b", "AT(i)", "const int *x", "hidden").unwrap();
    let hidden = hidden.preamble("#define AT(k) x[k]");
    let x = gpu![[1, 2, 3], [4, 5, 6]];
    assert_eq!(hidden.call_axis(0, &x).unwrap().to_vec(), [5, 7, 9]);
    assert_eq!(hidden.call(&x.slice(s![.., ..; 2])).unwrap().item(), 14);
}

#[test]
fn ranges_and_graphs_have_views_too() {
    let scaled =
        ElementwiseKernel::new("const int *x, const int *by, int *y", "y[i] = x[i] * by[i]", "scaled")
            .unwrap();
    let x = gpu![[1, 2, 3], [4, 5, 6]];
    let mut y = zeros::<i32>((3, 2));
    scaled.call_range(s![1..; 2], (&x.t(), &gpu![10, 100], &mut y)).unwrap();
    assert_eq!(y.to_vec(), [0, 400, 0, 500, 0, 600]);
    let sum = ReductionKernel::<i32>::new("0", "a + b", "x[i]", "const int *x", "sum").unwrap();
    let mut sums = zeros::<i32>(2);
    let by = gpu![2, 3];
    let graph = Graph::capture(|| {
        scaled.call((&x.t(), &by, &mut y.t().t()))?;
        sums.fill(&sum.call_axis(0, &y)?);
        Ok(())
    });
    graph.unwrap().launch().unwrap();
    assert_eq!((y.to_vec(), sums.to_vec()), (vec![2, 12, 4, 15, 6, 18], vec![12, 45]));
}

#[test]
fn keys_do_not_take_the_place_of_an_array() {
    let sort = algorithm::RadixSort::<i32>::new("int *x", "digit(x, i)").unwrap();
    let sort = sort.preamble("__device__ int digit(int *x, long long i) { return x[i] % 10; }");
    let x = gpu![31, 12, 53, 4];
    assert_eq!(sort.order(&x).unwrap().to_vec(), [0, 1, 2, 3]);
    assert_eq!(sort.order(&gpu![9, 18, 7]).unwrap().to_vec(), [2, 1, 0]);
    assert_eq!(x.to_vec(), [31, 12, 53, 4]);
}

#[test]
fn reductions_along_axes_are_those_of_arrays() {
    let dot =
        ReductionKernel::<f64>::new("0", "a + b", "x[i]*y[i]", "const double *x, const double *y", "dot");
    let dot = dot.unwrap();
    for shape in
        [(3_usize, 4_usize, 5_usize), (1, 300, 2), (70, 1, 90), (2, 0, 3), (20_000, 3, 1), (3, 70, 20_000)]
    {
        let x = arange(0..(shape.0 * shape.1 * shape.2) as i64).astype(f64).reshape(shape) % 17.0;
        let y = &x + 1.0;
        for axis in [0_isize, 1, 2, -1] {
            let found = dot.call_axis(axis, (&x, &y)).unwrap();
            let expected = (&x * &y).sum_axis(axis);
            assert_eq!(
                (found.shape(), found.to_vec()),
                (expected.shape(), expected.to_vec()),
                "{shape:?} {axis}"
            );
        }
        let found = dot.call_axis((0, 2), (&x, &y)).unwrap();
        assert_eq!(found.to_vec(), (&x * &y).sum_axis((0, 2)).to_vec(), "{shape:?}");
        // A row that is repeated, and a view.
        let row = y.slice(s![0, .., ..]);
        if shape.0 > 0 && shape.1 > 0 {
            let found = dot.call_axis(0, (&x.slice(s![.., ..; -1, ..]), &row)).unwrap();
            let expected = (&x.slice(s![.., ..; -1, ..]) * &row).sum_axis(0);
            assert_eq!(found.to_vec(), expected.to_vec(), "{shape:?}");
        }
        let whole = dot.call((&x.transpose_axes((2, 0, 1)), &y.transpose_axes((2, 0, 1)))).unwrap();
        assert_eq!(whole.item(), (&x * &y).sum().item(), "{shape:?}");
    }
    let error = dot.call_axis(3, (&zeros::<f64>((2, 2)), &zeros::<f64>((2, 2)))).unwrap_err();
    assert!(error.to_string().contains("axis 3 is out of bounds"), "{error}");
}

#[test]
fn an_answer_goes_where_it_is_asked_for() {
    let sum = ReductionKernel::<i32>::new("0", "a + b", "x[i]", "const int *x", "sum").unwrap();
    let totals = zeros::<i32>(3);
    for k in 0..3 {
        sum.call_into(&(arange(0..10) + k), &mut totals.slice(k)).unwrap();
    }
    assert_eq!(totals.to_vec(), [45, 55, 65]);
}

#[test]
fn closures_of_c() {
    let add = elementwise!(|x: &[f64], y: &[f64], z: &mut [f64]| "z[i] = x[i] + y[i]");
    let mut z = zeros::<f64>(2);
    add(&gpu![1.0, 2.0], &gpu![0.5, 0.25], &mut z);
    assert_eq!(z.to_vec(), [1.5, 2.25]);
}

#[test]
fn what_does_not_compile_says_where() {
    let kernel =
        ElementwiseKernel::new("float *x", "x[i] = 1;\nx[i] = nothing_of_this_name", "wrong").unwrap();
    let error = kernel.call(&mut zeros::<f32>(2)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Compile);
    let message = &error.compile_error().unwrap().messages[0];
    assert_eq!((message.line, message.severity), (2, gpurepl_prelude::kernel::Severity::Error));
    assert!(error.to_string().contains("operation line 2"), "{error}");
}

#[test]
fn a_kernel_with_the_name_of_a_function() {
    let kernel = ElementwiseKernel::new("float *x", "x[i] = exp(x[i])", "exp").unwrap();
    let mut x = zeros::<f32>(3);
    kernel.call(&mut x).unwrap();
    assert_eq!(x.to_vec(), [1.0; 3]);
}

#[test]
fn complex_numbers_by_pycudas_name_in_a_preamble() {
    let kernel = ElementwiseKernel::new("float *x", "x[i] = size(x[i])", "sizes")
        .unwrap()
        .preamble("__device__ float size(float v) { pycuda::complex<float> z(v, 1); return abs(z); }");
    let mut x = gpu![0.0_f32, f32::sqrt(3.0)];
    kernel.call(&mut x).unwrap();
    assert!(allclose(&x, &gpu![1.0, 2.0]));
}

#[test]
fn places_before_the_first_element_are_below_zero() {
    let x = arange(0..10).astype(f32);
    let mut y = zeros_like(&x);
    let lagged =
        ElementwiseKernel::new("const float *x, float *y", "y[i] = i - 3 >= 0 ? x[i - 3] : -1", "lagged");
    lagged.unwrap().call((&x, &mut y)).unwrap();
    assert_eq!(y.to_vec(), [-1.0, -1.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    // In a loop of another form, and over some elements.
    let text = "if (i - n / 2 < 0) continue; y[i] = 100";
    let later = ElementwiseKernel::new("float *y", text, "later").unwrap();
    later.call(&mut y).unwrap();
    later.call_range(0..2, &mut y).unwrap();
    assert_eq!(y.to_vec(), [-1.0, -1.0, -1.0, 0.0, 1.0, 100.0, 100.0, 100.0, 100.0, 100.0]);
    let before =
        ReductionKernel::<i32>::new("0", "a + b", "i - n / 2 < 0 ? 1 : 0", "const float *x", "before");
    assert_eq!(before.unwrap().call(&x).unwrap().item(), 5);
}
