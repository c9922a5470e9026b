//! Golden files: the text of generated kernels, whole.
//!
//! After a change that is meant, `UPDATE_EXPECT=1 cargo test -p gpurepl-kernels`
//! writes them anew; read the difference before committing it.

#[path = "../../../tests/support/ignored.rs"]
mod ignored;
mod nvrtc;

use expect_test::expect_file;
use gpurepl_kernels::{
    BinaryOp, DType, ElementwiseSpec, Instruction, Operand, Program, ReduceOp, ReductionSpec, UnaryOp,
    ValueType, View, Walk,
};

/// `5.0*x + y` in single precision.
fn linear_combination(x: View, y: View, output: View, rank: usize) -> Program {
    let step = |operand| Instruction { dtype: DType::Float32, operand };
    Program {
        inputs: vec![(DType::Float32, x), (DType::Float32, y)],
        scalars: vec![DType::Float32],
        instructions: vec![
            step(Operand::Scalar(0)),
            step(Operand::Input(0)),
            step(Operand::Binary(BinaryOp::Multiply, 0, 1)),
            step(Operand::Input(1)),
            step(Operand::Binary(BinaryOp::Add, 2, 3)),
        ],
        output,
        rank,
        reports_overflow: false,
    }
}

#[test]
fn elementwise() {
    let spec = ElementwiseSpec::new(
        "float a, float *x, float b, float *y, float *z",
        "z[i] = a*x[i] + b*y[i]",
        "linear_combination",
    )
    .unwrap();
    expect_file!["golden/elementwise.cu"].assert_eq(&spec.to_cuda());
    expect_file!["golden/elementwise.host.cpp"].assert_eq(&spec.to_host());
}

#[test]
fn elementwise_with_everything() {
    let mut spec = ElementwiseSpec::new(
        "const double *z, unsigned char *out, long limit",
        "double m = twice(z[i]);\nout[i] = m < limit ? 1 : 0",
        "inside",
    )
    .unwrap();
    spec.preamble = "__device__ double twice(double x) { return 2*x; }".to_owned();
    spec.loop_prep = "const float unused = 0".to_owned();
    spec.after_loop = "(void)unused".to_owned();
    expect_file!["golden/elementwise_with_everything.cu"].assert_eq(&spec.to_cuda());
}

#[test]
fn reduction() {
    let spec = ReductionSpec::new(
        ValueType::Number(DType::Float32),
        "0",
        "a+b",
        "x[i]*y[i]",
        "const float *x, const float *y",
        "dot",
    )
    .unwrap();
    expect_file!["golden/reduction.cu"].assert_eq(&spec.to_cuda());
    expect_file!["golden/reduction.host.cpp"].assert_eq(&spec.to_host());
}

#[test]
fn fused() {
    let contiguous = linear_combination(View::Contiguous, View::Single, View::Contiguous, 1);
    expect_file!["golden/fused.cu"].assert_eq(&contiguous.to_cuda(Walk::Elements));
    let strided = linear_combination(View::Strided, View::Contiguous, View::Strided, 3);
    expect_file!["golden/fused_strided.cu"].assert_eq(&strided.to_cuda(Walk::Elements));
    expect_file!["golden/fused_sum.cu"].assert_eq(&contiguous.to_cuda_reduction(ReduceOp::Sum));
}

#[test]
fn summaries() {
    let read = |dtype, view| Program {
        inputs: vec![(dtype, view)],
        scalars: vec![],
        instructions: vec![Instruction { dtype, operand: Operand::Input(0) }],
        output: View::Contiguous,
        rank: 2,
        reports_overflow: false,
    };
    expect_file!["golden/summary.cu"].assert_eq(&read(DType::Float16, View::Strided).to_cuda_summary());
    let complex = read(DType::Complex64, View::Contiguous).to_cuda_summary();
    expect_file!["golden/summary_complex.cu"].assert_eq(&complex);
}

#[test]
fn fused_half_and_complex() {
    let half = Program {
        inputs: vec![(DType::Float16, View::Contiguous), (DType::Complex64, View::Contiguous)],
        scalars: vec![],
        instructions: vec![
            Instruction { dtype: DType::Float16, operand: Operand::Input(0) },
            Instruction { dtype: DType::Float16, operand: Operand::Unary(UnaryOp::Sqrt, 0) },
            Instruction { dtype: DType::Complex64, operand: Operand::Cast(1) },
            Instruction { dtype: DType::Complex64, operand: Operand::Input(1) },
            Instruction { dtype: DType::Complex64, operand: Operand::Binary(BinaryOp::Divide, 3, 2) },
            Instruction { dtype: DType::Float32, operand: Operand::Unary(UnaryOp::Absolute, 4) },
            Instruction { dtype: DType::Float16, operand: Operand::Cast(5) },
        ],
        output: View::Contiguous,
        rank: 1,
        reports_overflow: false,
    };
    expect_file!["golden/fused_half_and_complex.cu"].assert_eq(&half.to_cuda(Walk::Elements));
}

#[test]
fn translated() {
    let source = "#include <stdio.h>\n#define N 16\n__constant__ float scale;\n\
                  __device__ float twice(float x) { return 2*x*scale; }\n\
                  __global__ void plain(float *a, int n)\n{\n  int i = blockIdx.x*blockDim.x + threadIdx.x;\n  if (i < n) a[i] = twice(a[i]);\n}\n\
                  __global__ void shared(float *a) {\n  __shared__ float s[N];\n  s[threadIdx.x] = a[threadIdx.x];\n  __syncthreads();\n}\n";
    let request = gpurepl_kernels::host::Request::new(source);
    let translated = gpurepl_kernels::host::translate(&request).unwrap();
    let (_, text) = translated.text.split_once("#line 1 \"kernel.cu\"\n").unwrap();
    expect_file!["golden/translated.host.cpp"].assert_eq(text);
}

#[test]
fn random() {
    expect_file!["golden/random_normal.cu"]
        .assert_eq(&gpurepl_kernels::random::to_cuda(DType::Float32, true));
    expect_file!["golden/random_integers.cu"]
        .assert_eq(&gpurepl_kernels::random::to_cuda(DType::UInt64, false));
}
