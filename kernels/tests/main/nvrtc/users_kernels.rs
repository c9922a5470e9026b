//! Elementwise kernels, reductions and scans of the user's.

use gpurepl_kernels::{DType, ElementwiseSpec, Guards, Layouts, ReductionSpec, ScanSpec, ValueType};

use super::Nvrtc;

#[test]
fn specs_compile() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    let loops = [
        ("float a, float *x, float b, float *y, float *z", "z[i] = a*x[i] + b*y[i]", "linear_combination"),
        ("unsigned long *x", "x[i] = i // a comment", "exp"),
        ("pycuda::complex<float> *z", "z[i] = z[i] * z[i] + pycuda::complex<float>(1, 2)", "square"),
        ("bool *b, const double *x", "b[i] = x[i] > 0", "all"),
    ];
    for (arguments, operation, name) in loops {
        let spec = ElementwiseSpec::new(arguments, operation, name).unwrap();
        nvrtc.accepts(name, &spec.to_cuda());
    }
    let folds = [
        (DType::Float32, "0", "a+b", "x[i]*y[i]", "const float *x, const float *y", "dot"),
        (DType::Int64, "0", "a > b ? a : b", "x[i]", "const long *x", "largest"),
        (DType::Complex64, "0", "a+b", "z[i]", "const pycuda::complex<float> *z", "total"),
    ];
    for (dtype, neutral, reduce, map, arguments, name) in folds {
        let spec =
            ReductionSpec::new(ValueType::Number(dtype), neutral, reduce, map, arguments, name).unwrap();
        nvrtc.accepts(name, &spec.to_cuda());
        nvrtc.accepts(name, &spec.of_rows().to_cuda());
    }
}

#[test]
fn views_and_structures_of_user_kernels_compile() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    let loops = [
        ("float a, const float *x, float *y", "y[i] = a*x[i] + y[i]", vec![None, Some(2), Some(1)]),
        ("const pycuda::complex<double> *x, cuDoubleComplex *y", "y[i].x = x[i].real()", vec![Some(3), None]),
        (
            "float3 by, const float3 *x, __half *y",
            "y[i] = __float2half(x[i].x * by.x)",
            vec![None, None, Some(1)],
        ),
        ("const bool *x, long long *y", "if (x[i]) y[i] = y[i - 1]", vec![Some(2), Some(8)]),
    ];
    for (arguments, operation, axes) in loops {
        let spec = ElementwiseSpec::new(arguments, operation, "walk").unwrap();
        for is_narrow in [false, true] {
            let laid = spec.laid_out(Layouts::new(axes.clone(), is_narrow));
            nvrtc.accepts(arguments, &laid.to_cuda());
            nvrtc.accepts(arguments, &laid.ranged().to_cuda());
        }
    }
    let definition = "struct Pair {\n  float x;\n  int at;\n};\n";
    let pair = ValueType::Structure {
        name: "Pair".to_owned(),
        definitions: vec![("Pair".to_owned(), definition.to_owned())],
        bytes: 8,
    };
    let arguments = "const float *x, const Pair *y";
    let mut spec =
        ReductionSpec::new(pair, "{0, -1}", "larger(a, b)", "{x[i], (int)i}", arguments, "p").unwrap();
    assert!(spec.check_types().is_ok());
    spec.preamble = "__device__ Pair larger(Pair a, Pair b) { return a.x < b.x ? b : a; }".to_owned();
    for spec in [spec.clone(), spec.laid_out(Layouts::new(vec![Some(2), None], true))] {
        nvrtc.accepts("p", &spec.to_cuda());
        nvrtc.accepts("p", &spec.of_rows().to_cuda());
    }
}

#[test]
fn guarded_kernels_compile() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    for guards in [(true, false), (false, true), (true, true)] {
        let guards = Guards { is_guarded: guards.0, has_nan: guards.1 };
        for (arguments, operation) in [
            ("float a, const float *x, float *y", "assert(a > 0); y[i] = a*x[i + 1u]"),
            ("const pycuda::complex<double> *x, half *y", "y[i] = x[(size_t)i].real()"),
            ("const bool *x, float4 *y, long n", "if (x[n - i]) atomicAdd(&y[i].x, 1.0f)"),
        ] {
            let arguments = arguments.replace("long n", "long m");
            let operation = operation.replace("n - i", "m - i");
            let mut spec = ElementwiseSpec::new(&arguments, &operation, "look").unwrap();
            spec.guards = guards;
            let pointers: Vec<bool> =
                spec.parameters.iter().map(|parameter| guards.is_guarded && parameter.is_pointer()).collect();
            let walked =
                spec.parameters.iter().map(|parameter| parameter.is_pointer().then_some(2)).collect();
            for axes in [vec![None; pointers.len()], walked] {
                let laid = spec.laid_out(Layouts::new(axes, true).guarded(pointers.clone()));
                nvrtc.accepts(&arguments, &laid.to_cuda());
                nvrtc.accepts(&arguments, &laid.ranged().to_cuda());
            }
        }
        let pointers = vec![guards.is_guarded; 2];
        let mut spec = ReductionSpec::new(
            ValueType::Number(DType::Float32),
            "0",
            "a+b",
            "x[i]*y[i]",
            "const float *x, const float *y",
            "dot",
        )
        .unwrap();
        spec.guards = guards;
        let laid = spec.laid_out(Layouts::new(vec![None; 2], false).guarded(pointers.clone()));
        nvrtc.accepts("dot", &laid.to_cuda());
        nvrtc.accepts("dot of rows", &laid.of_rows().to_cuda());
        let statement = "assert(item > 0); y[i] = item + last_item";
        let mut spec =
            ScanSpec::new(DType::Float64, "const double *x, double *y", "x[i]", "a+b", "0", statement, "own")
                .unwrap();
        spec.guards = guards;
        nvrtc.accepts("scan", &spec.laid_out(Layouts::new(Vec::new(), false).guarded(pointers)).to_cuda());
    }
}

#[test]
fn every_scan_of_the_users_compiles() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    use DType::*;
    // One of each size and kind.
    for dtype in [Bool, Int16, Float16, Float32, Int64, Complex128] {
        let c = dtype.c();
        let scan = if dtype == Bool { "a || b" } else { "a + b" };
        let arguments = format!("const {c} *x, {c} *y, const bool *starts");
        for statement in ["y[i] = item", "y[i] = prev_item", "y[i] = item; if (i + 1 == n) y[0] = last_item"]
        {
            let mut spec = ScanSpec::new(dtype, &arguments, "x[i]", scan, "0", statement, "own").unwrap();
            nvrtc.accepts(&format!("a scan of {dtype}: {statement}"), &spec.to_cuda());
            spec.is_segment_start = "starts[i]".to_owned();
            spec.scan_expr = format!("across_seg_boundary ? b : ({c})({scan})");
            nvrtc.accepts(&format!("a scan of segments of {dtype}: {statement}"), &spec.to_cuda());
        }
    }
}
