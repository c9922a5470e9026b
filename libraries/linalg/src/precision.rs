//! How exactly products of matrices are computed.

/// Lets a GPU compute products of `f32`, and of complex numbers of it, in TF32: factors are rounded to 11 significant
/// bits, 3 decimal digits, and products are added as `f32`. On an H100 large products then take an eighth of the time. It
/// holds for `matmul`, `dot`, `einsum` and the functions that multiply matrices, from now on and on this thread; cells
/// share one. PyTorch's `allow_tf32`. False at first.
///
/// The host device, small products, and machines without cuBLAS compute with all digits.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = rand::<f32>((512, 512));
/// let exact = a.matmul(&a).copy();
/// linalg::allow_tf32(true);
/// let fast = a.matmul(&a).copy();
/// linalg::allow_tf32(false);
/// assert!(((&fast - &exact) / &exact).abs().max().item() < 2e-3);
/// ```
pub fn allow_tf32(is_allowed: bool) {
    gpurepl_extend::allow_tf32(is_allowed);
}

/// Whether [`allow_tf32`] holds on this thread.
///
/// ```
/// use gpurepl_prelude::*;
/// assert!(!linalg::is_tf32_allowed());
/// ```
pub fn is_tf32_allowed() -> bool {
    gpurepl_extend::is_tf32_allowed()
}
