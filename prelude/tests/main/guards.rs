//! Generated kernels that look at what they do: an error names the array, the index and the
//! element, and the device goes on.

use gpurepl_prelude::*;

use crate::is_on_host;

/// Runs a test in a process of its own: on a GPU a fault is told to whoever waits for the device
/// first, which may be another test.
fn alone(name: &str, test: impl FnOnce()) {
    const ALONE: &str = "GPUREPL_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return test();
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", &format!("guards::{name}")]).env(ALONE, "1").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

/// The fault that a call ends with, at once or when the device is waited for.
#[track_caller]
fn fault(call: Result<()>) -> KernelFault {
    let error = call.and_then(|()| synchronize()).unwrap_err();
    let fault = error.kernel_fault().unwrap_or_else(|| panic!("{error}")).clone();
    // The device is as before.
    assert_eq!((ones::<f32>(3) * 2).to_vec(), [2.0; 3]);
    synchronize().unwrap();
    fault
}

#[test]
fn a_subscript_beyond_an_array() {
    alone("a_subscript_beyond_an_array", || {
        let shift = ElementwiseKernel::new("const float *x, float *y", "y[i] = x[i + 1];\n(void)n;", "shift")
            .unwrap();
        let (x, mut y) = (ones::<f32>(1000), zeros::<f32>(1000));
        let found = fault(shift.check(true).call((&x, &mut y)));
        assert_eq!(found.kind, FaultKind::OutOfBounds);
        assert_eq!(found.message, "`x[1000]` is out of bounds: `x` has 1000 elements; for i = 999");
        assert_eq!((found.line, found.source_name.as_str()), (Some(1), "operation"));
        assert_eq!(found.source_line.as_deref(), Some("y[i] = x[i + 1];"));
        if !is_on_host() {
            let (block, thread) = (found.block.unwrap(), found.thread.unwrap());
            assert_eq!(256 * block[0] + thread[0], 999);
        }
        // All others were computed.
        if !is_on_host() {
            assert_eq!(y.to_vec()[..999], [1.0; 999]);
        }
    });
}

#[test]
fn tables_views_and_addresses_are_guarded() {
    alone("tables_views_and_addresses_are_guarded", || {
        let pick = ElementwiseKernel::new(
            "const int *at, const float *table, float *y",
            "y[i] = table[at[i]]",
            "pick",
        );
        let pick = pick.unwrap().check(true);
        let (table, mut y) = (ones::<f32>(4), zeros::<f32>(3));
        pick.call((&gpu![0, 3, 1], &table, &mut y)).unwrap();
        assert_eq!(y.to_vec(), [1.0; 3]);
        for wrong in [4, -1, i32::MIN] {
            let found = fault(pick.call((&gpu![0, wrong, 1], &table, &mut y)));
            let words = format!("`table[{wrong}]` is out of bounds: `table` has 4 elements; for i = 1");
            assert_eq!(found.message, words);
        }
        // A view that is walked, written and read.
        let a = zeros::<i32>((4, 6));
        let set = ElementwiseKernel::new("int *x, int by", "x[i + by] = (int)i", "set").unwrap().check(true);
        set.call((&mut a.slice(s![.., ..; 2]), 0)).unwrap();
        assert_eq!(a.to_vec()[..8], [0, 0, 1, 0, 2, 0, 3, 0]);
        let found = fault(set.call((&mut a.slice(s![.., ..; 2]), 1)));
        assert_eq!(found.message, "`x[12]` is out of bounds: `x` has 12 elements; for i = 11");
        // The elements of a range.
        let found = fault(set.call_range(5..7, (&mut zeros::<i32>(10), 4)));
        assert_eq!(found.message, "`x[10]` is out of bounds: `x` has 10 elements; for i = 6");
        let count =
            ElementwiseKernel::new("const int *x, int *bins", "atomicAdd(&bins[x[i]], 1)", "count").unwrap();
        let (count, mut bins) = (count.check(true), zeros::<i32>(3));
        count.call((&gpu![0, 2, 2, 1], &mut bins)).unwrap();
        assert_eq!(bins.to_vec(), [1, 1, 2]);
        let found = fault(count.call((&gpu![0, 5, 2, 1], &mut bins)));
        assert_eq!(found.message, "`bins[5]` is out of bounds: `bins` has 3 elements; for i = 1");
    });
}

#[test]
fn reductions_and_scans_are_guarded() {
    alone("reductions_and_scans_are_guarded", || {
        let steps =
            ReductionKernel::<f32>::new("0", "a+b", "x[i + 1] - x[i]", "const float *x", "steps").unwrap();
        let x = arange(0.0_f32..100.0);
        let found = fault(steps.clone().check(true).call(&x).map(|_| ()));
        assert_eq!(found.message, "`x[100]` is out of bounds: `x` has 100 elements; for i = 99");
        assert_eq!((found.line, found.source_name.as_str()), (Some(1), "map_expr"));
        let found = fault(steps.check(true).call_axis(1, &x.reshape((4, 25))).map(|_| ()));
        assert_eq!(found.message, "`x[100]` is out of bounds: `x` has 100 elements; for i = 99");
        let right =
            ReductionKernel::<f32>::new("0", "a+b", "x[i] * y[0]", "const float *x, const float *y", "right");
        let right = right.unwrap().check(true).check_nan(true);
        assert_eq!(right.call((&x, &gpu![f32; 2])).unwrap().item(), 9900.0);
        assert_eq!(right.call_axis(0, (&x.reshape((4, 25)), &gpu![f32; 1])).unwrap().to_vec()[0], 150.0);

        for threads in [100, 100_000] {
            let scan = ScanKernel::<i32>::new(
                "const int *x, int *y",
                "x[i]",
                "a+b",
                "0",
                "y[i + 1] = item",
                "beyond",
            );
            let (x, mut y) = (ones::<i32>(threads), zeros::<i32>(threads));
            let found = fault(scan.unwrap().check(true).call((&x, &mut y)));
            let last = threads - 1;
            let words =
                format!("`y[{threads}]` is out of bounds: `y` has {threads} elements; for i = {last}");
            assert_eq!((found.message, found.source_name.as_str()), (words, "output_statement"));
        }
        let running =
            ScanKernel::<i32>::new("const int *x, int *y", "x[i]", "a+b", "0", "y[i] = item", "running");
        let mut y = zeros::<i32>(100_000);
        running.unwrap().check(true).check_nan(true).call((&ones::<i32>(100_000), &mut y)).unwrap();
        assert!((0..100_000).all(|k| y.to_vec()[k] == k as i32 + 1));
    });
}

#[test]
fn results_that_are_nan() {
    alone("results_that_are_nan", || {
        let root = ElementwiseKernel::new("const float *x, float *y", "y[i] = sqrtf(x[i])", "root").unwrap();
        let (x, mut y) = (gpu![f32; 4, 1, -1, 9], zeros::<f32>(4));
        root.call((&x, &mut y)).unwrap();
        let found = fault(root.clone().check_nan(true).call((&x, &mut y)));
        assert_eq!((found.kind, found.message.as_str()), (FaultKind::NotANumber, "`y[2]` is NaN"));
        assert_eq!(found.source_line.as_deref(), Some("y[i] = sqrtf(x[i])"));
        root.check(true).check_nan(true).call((&gpu![f32; 4, 1, 0, 9], &mut y)).unwrap();
        assert_eq!(y.to_vec(), [2.0, 1.0, 0.0, 3.0]);
        // An array that is only read may have some, and options for fast mathematics hide none.
        let is_nan =
            ElementwiseKernel::new("const double *x, double *y", "y[i] = x[i] == x[i] ? 0 : 1", "is_nan");
        let mut flags = zeros::<f64>(2);
        is_nan.unwrap().check_nan(true).call((&gpu![f64; 1, f64::NAN], &mut flags)).unwrap();
        assert_eq!(flags.to_vec(), [0.0, 1.0]);
        let complex =
            ElementwiseKernel::new("pycuda::complex<float> *z", "z[i] = z[i] / z[i]", "one").unwrap();
        let mut z = zeros::<Complex<f32>>(2);
        assert_eq!(fault(complex.check_nan(true).call(&mut z)).kind, FaultKind::NotANumber);
        let sum = ReductionKernel::<f64>::new("0", "a+b", "log(x[i])", "const double *x", "logs").unwrap();
        let found = fault(sum.check_nan(true).call(&gpu![f64; 1, 2, -1]).map(|_| ()));
        assert_eq!(found.message, "`map_expr` is NaN, for i = 2");
        assert_eq!((found.line, found.source_line.as_deref()), (Some(1), Some("log(x[i])")));
        let scan =
            ScanKernel::<f32>::new("float *x", "sqrtf(x[i])", "a+b", "0", "x[i] = item", "roots").unwrap();
        let found = fault(scan.check_nan(true).call(&mut gpu![f32; 1, -4, 1]));
        assert_eq!(found.message, "`input_expr` is NaN, for i = 1");
    });
}

#[test]
fn assertions_leave_the_device_as_it_is() {
    alone("assertions_leave_the_device_as_it_is", || {
        let kernel =
            ElementwiseKernel::new("float *x", "float y = x[i];\nassert(y < 3);\nx[i] = f(y)", "checked");
        let kernel = kernel
            .unwrap()
            .preamble("__device__ float f(float x) { assert(x >= 0); return 2*x; }")
            .check(true);
        let mut x = gpu![f32; 0, 1, 2];
        kernel.call(&mut x).unwrap();
        assert_eq!(x.to_vec(), [0.0, 2.0, 4.0]);
        let found = fault(kernel.call(&mut x));
        assert_eq!((found.kind, found.message.as_str()), (FaultKind::Assertion, "assertion `y < 3` failed"));
        assert_eq!(found.line, Some(2));
        let found = fault(kernel.call(&mut gpu![f32; 1, -1]));
        assert_eq!(found.message, "assertion `x >= 0` failed");
        // Threads of a scan that fail do not keep others waiting.
        let scan =
            ScanKernel::<i32>::new("int *x", "x[i]", "a+b", "0", "assert(item < 50000); x[i] = item", "scan");
        let found = fault(scan.unwrap().check(true).call(&mut ones::<i32>(100_000)));
        assert_eq!(found.message, "assertion `item < 50000` failed");
    });
}

/// Arrays have any names, are copied, or are complex numbers of `cuComplex.h`: everything that works
/// works guarded.
#[test]
fn kernels_that_are_right_are_right_when_guarded() {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["kernels::", "scans::", "structures::", "options::preambles_include_headers"]);
    let output = command.env("GPUREPL_CHECK", "nan").env("RUST_BACKTRACE", "0").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let passed = told.matches("... ok\n").count();
    assert!(output.status.success() && passed > 40, "{told}");
}

#[test]
fn arrays_may_have_names_of_ours() {
    for name in
        ["begin", "end", "args", "start", "step", "size", "count", "k", "map", "values", "report", "x_size"]
    {
        let arguments = format!("const float *x, float *{name}");
        let kernel = ElementwiseKernel::new(&arguments, &format!("{name}[i] = 2*x[i]"), "own").unwrap();
        let (x, mut y) = (ones::<f32>((4, 6)), zeros::<f32>((2, 3)));
        let kernel = kernel.check(true).check_nan(true);
        kernel.call((&x.slice(s![..2, ..3]), &mut y)).unwrap_or_else(|error| panic!("{name}: {error}"));
        kernel
            .call_range(1..5, (&x.slice(s![..2, ..3]), &mut y))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(y.to_vec(), [2.0; 6]);
    }
}

/// Before the loop there is no element.
#[test]
fn a_subscript_before_the_loop_told_of_an_element_at_random() {
    alone("a_subscript_before_the_loop_told_of_an_element_at_random", || {
        let kernel = ElementwiseKernel::new("const float *x, float *y", "y[i] = s", "before").unwrap();
        let kernel = kernel.loop_prep("const float s = x[n];").check(true);
        let found = fault(kernel.call((&ones::<f32>(5), &mut zeros::<f32>(5))));
        assert_eq!(found.message, "`x[5]` is out of bounds: `x` has 5 elements");
        assert_eq!(found.source_name, "loop_prep");
    });
}

/// A function of the user's that takes a pointer gets the array itself, as it is.
#[test]
fn arrays_that_are_passed_on_are_not_guarded() {
    let first = ElementwiseKernel::new("const float *x, float *y", "y[i] = first(x) + *x", "first").unwrap();
    let first =
        first.preamble("template <class T> __device__ T first(const T *x) { return x[0]; }").check(true);
    let mut y = zeros::<f32>(3);
    first.call((&gpu![f32; 7, 8, 9], &mut y)).unwrap();
    assert_eq!(y.to_vec(), [14.0; 3]);
    let halves = ElementwiseKernel::new(
        "const float2 *x, float3 by, float *y",
        "y[i] = x[i].x * by.y + x[i].y",
        "two",
    );
    let mut y = zeros::<f32>(2);
    halves
        .unwrap()
        .check(true)
        .check_nan(true)
        .call((&gpu![f32; 1, 2, 3, 4], [1.0_f32, 10.0, 100.0], &mut y))
        .unwrap();
    assert_eq!(y.to_vec(), [12.0, 34.0]);
}
