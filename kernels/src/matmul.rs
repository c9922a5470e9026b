//! Products of matrices, many at once, in one kernel.

use crate::dtype::DType;
use crate::support::pieces_for;

/// The threads of a block of a product of matrices.
pub const MATMUL_BLOCK: usize = 256;

/// The rows, and the columns, of a block's tile of the result.
pub const MATMUL_TILE: usize = 64;

/// CUDA C of `gpurepl_matmul` for elements of a type; its parameters stand in
/// `matmul.hpp`. Floats are multiplied and added with one rounding. Integers
/// wrap.
///
/// # Panics
///
/// For booleans and half precision, which are multiplied as `float32`.
pub fn to_cuda(dtype: DType) -> String {
    let size = dtype.size();
    let (element, zero, multiply_add) = match dtype {
        DType::Bool | DType::Float16 => unreachable!("internal error: products of {dtype}"),
        DType::Float32 => ("float", "0", "__fmaf_rn(a, b, sum)".to_owned()),
        DType::Float64 => ("double", "0", "__fma_rn(a, b, sum)".to_owned()),
        DType::Complex64 | DType::Complex128 => {
            let fma = if dtype == DType::Complex64 { "__fmaf_rn" } else { "__fma_rn" };
            let parts = format!(
                "gpurepl_element({fma}(a.re, b.re, {fma}(-a.im, b.im, sum.re)), \
                 {fma}(a.re, b.im, {fma}(a.im, b.re, sum.im)))"
            );
            (dtype.c(), "gpurepl_element(0, 0)", parts)
        }
        // Wrapped products and sums have the same bits with a sign and without.
        _ => {
            let element = match size {
                1 => "unsigned char",
                2 => "unsigned short",
                4 => "unsigned int",
                _ => "unsigned long long",
            };
            (element, "0", "(gpurepl_element)((gpurepl_wide)a * b + sum)".to_owned())
        }
    };
    let wide = if size == 8 { "unsigned long long" } else { "unsigned int" };
    let text = format!(
        "typedef {element} gpurepl_element;\ntypedef {wide} gpurepl_wide;\n\
         static __device__ __forceinline__ gpurepl_element gpurepl_zero() {{ return {zero}; }}\n\
         static __device__ __forceinline__ gpurepl_element gpurepl_multiply_add(\
         gpurepl_element a, gpurepl_element b, gpurepl_element sum) {{\n  return {multiply_add};\n}}\n{}",
        include_str!("matmul.hpp")
    );
    format!("{}{text}", pieces_for(&text))
}
