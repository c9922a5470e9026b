//! Headers of CUDA's toolkit that kernels include: NVIDIA's where there is a
//! toolkit, else ours, so only names that both have.

mod bf16;
mod cub;
mod fp8;
mod groups;
mod half;
mod libcu;
mod mma;
mod random;

use gpurepl_prelude::*;

use crate::is_on_host;

/// A header of the user's could name no header of ours, no shuffle and no index.
#[test]
fn a_header_of_the_users_that_includes_ours() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("lanes.h"),
        "#pragma once\n#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cub/warp/warp_reduce.cuh>\n\
         __device__ inline int lane() { return (threadIdx.x + blockIdx.x * blockDim.x) % 32; }\n\
         __device__ inline float neighbours(float x) { return __shfl_xor_sync(0xffffffffu, x, 1) + __half2float(__float2half(0.5f)); }\n",
    )
    .unwrap();
    let source = "#include \"lanes.h\"\n__global__ void k(float *a) { a[threadIdx.x] = neighbours(lane()); }";
    let module = SourceModule::builder(source).include_dir(folder.path()).compile().unwrap();
    let mut a = [0.0_f32; 32];
    module.get_function("k").unwrap().launch(1, 32, Out(&mut a)).unwrap();
    assert_eq!(a, std::array::from_fn(|k| (k ^ 1) as f32 + 0.5));
    // A function with inline PTX there does no harm until a kernel calls it.
    let text = "__device__ inline int lane() { int x; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x)); return x; }\n\
                __device__ inline float neighbours(float x) { return x + 1; }\n";
    std::fs::write(folder.path().join("lanes.h"), text).unwrap();
    let compiled = |call: &str| {
        let source = source.replace("lane()", call);
        let module = SourceModule::builder(&source).include_dir(folder.path()).compile()?;
        module.get_function("k")?.launch(1, 32, Out(&mut [0.0_f32; 32]))
    };
    compiled("threadIdx.x").unwrap();
    match compiled("lane()") {
        Ok(()) => assert!(!is_on_host()),
        Err(error) => {
            assert!(is_on_host(), "{error}");
            let expected = "inline PTX in the header `lanes.h` is not translated for the host device";
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}

/// The kernel `k` of a source.
#[track_caller]
fn kernel(source: &str) -> Function {
    kernel_of(source, "k")
}

#[track_caller]
fn kernel_of(source: &str, name: &str) -> Function {
    SourceModule::new(source)
        .and_then(|module| module.get_function(name))
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn complex_numbers_of_c() {
    let source = r#"
        #include <cuComplex.h>
        __global__ void k(cuDoubleComplex *a, const cuDoubleComplex *z, double *b)
        {
            a[0] = cuCadd(z[0], z[1]); a[1] = cuCsub(z[0], z[1]); a[2] = cuCmul(z[0], z[1]); a[3] = cuCdiv(z[0], z[1]);
            a[4] = cuConj(z[0]); a[5] = make_cuDoubleComplex(cuCimag(z[0]), cuCreal(z[0]));
            a[6] = cuCfma(z[0], z[1], z[2]);
            b[0] = cuCabs(z[0]);
            cuFloatComplex x = cuComplexDoubleToFloat(z[0]), y = cuComplexDoubleToFloat(z[1]);
            cuComplex w = make_cuComplex(1.0f, 2.0f);
            a[7] = cuComplexFloatToDouble(cuCaddf(x, y)); a[8] = cuComplexFloatToDouble(cuCsubf(x, y));
            a[9] = cuComplexFloatToDouble(cuCmulf(x, y)); a[10] = cuComplexFloatToDouble(cuCdivf(x, y));
            a[11] = cuComplexFloatToDouble(cuConjf(x)); a[12] = make_cuDoubleComplex(cuCimagf(w), cuCrealf(w));
            a[13] = cuComplexFloatToDouble(cuCfmaf(x, y, make_cuFloatComplex(0.5f, 0.25f)));
            b[1] = cuCabsf(x);
        }
    "#;
    let [x, y, z] = [Complex64::new(1.5, -2.0), Complex64::new(0.25, 3.0), Complex64::new(-1.0, 0.125)];
    let (mut a, mut b) = (vec![Complex64::new(0.0, 0.0); 14], [0.0_f64; 2]);
    kernel(source).launch(1, 1, (Out(&mut a), In(&[x, y, z]), Out(&mut b))).unwrap();
    let short = Complex64::new(0.5, 0.25);
    let expected = [
        x + y,
        x - y,
        x * y,
        x / y,
        x.conj(),
        Complex64::new(x.im, x.re),
        x * y + z,
        x + y,
        x - y,
        x * y,
        x / y,
        x.conj(),
        Complex64::new(2.0, 1.0),
        x * y + short,
    ];
    for (k, (a, expected)) in a.iter().zip(&expected).enumerate() {
        let allowed = if k < 7 { 1e-15 } else { 1e-6 };
        assert!((a - expected).norm() <= allowed * expected.norm(), "{k}: {a} {expected}");
    }
    assert!(b.iter().all(|b| (b - 2.5).abs() < 1e-6), "{b:?}");
}

#[test]
fn quotients_that_neither_overflow_nor_vanish() {
    let source = r#"
        #include "cuComplex.h"
        __global__ void k(cuFloatComplex *a, const cuFloatComplex *b) { int i = threadIdx.x; a[i] = cuCdivf(a[i], b[i]); }
    "#;
    let mut a = [Complex32::new(1e30, 1e30), Complex32::new(1e-30, 2e-30), Complex32::new(3.0, 4.0)];
    let b = [Complex32::new(1e30, 0.0), Complex32::new(0.0, 1e-30), Complex32::new(3.0, 4.0)];
    kernel(source).launch(1, 3, (InOut(&mut a), In(&b))).unwrap();
    let expected = [Complex32::new(1.0, 1.0), Complex32::new(2.0, -1.0), Complex32::new(1.0, 0.0)];
    for (a, expected) in a.iter().zip(&expected) {
        assert!((a - expected).norm() < 1e-6, "{a} {expected}");
    }
}

#[test]
fn headers_that_the_host_does_not_have() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let source = "// one\n#include <thrust/sort.h>\n__global__ void k(float *a) { a[0] = 1; }";
    let error = SourceModule::new(source).err().unwrap();
    assert_eq!(
        error.to_string(),
        "kernel: the host device does not have `thrust/sort.h`\n  | #include <thrust/sort.h>\n  | ^^^^^^^^^^^^^^^^^^^^^^^^\n  \
         = help: write the loop, or use the arrays' own operations; a CUDA device with a toolkit has it"
    );
    // What is left out by the preprocessor is not missed.
    let source =
        "#ifndef GPUREPL_HOST\n#include <thrust/sort.h>\n#endif\n__global__ void k(float *a) { a[0] = 1; }";
    let mut a = zeros::<f32>(1);
    kernel(source).launch(1, 1, &mut a).unwrap();
    assert_eq!(a.item(), 1.0);
}
