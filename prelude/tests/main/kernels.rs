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
fn arrays_of_two_lengths() {
    let kernel = ElementwiseKernel::new("const float *x, float *y", "y[i] = x[i]", "copy").unwrap();
    let error = kernel.call((&zeros::<f32>(3), &mut zeros::<f32>(4))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "copy: `x` has shape [3] and `y` has shape [4]; all arrays need as many elements"
    );
    // Memory that a kernel may write is passed as it lies or not at all.
    let y = zeros::<f32>(6);
    let x = arange(0..6).astype(f32);
    let error = kernel.call((&x.slice(..3), &mut y.slice(s![..; 2]))).unwrap_err();
    // What the kernel writes into a copy has to come back.
    assert!(error.to_string().contains("`view.fill(&copy);`"), "{error}");
    kernel.call((&x.slice(s![..; 2]), &mut y.slice(3..))).unwrap();
    assert_eq!(y.to_vec(), [0.0, 0.0, 0.0, 0.0, 2.0, 4.0]);
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
