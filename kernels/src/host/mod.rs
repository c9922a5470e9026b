//! CUDA C that runs on a CPU: a source becomes C++ for the system's compiler.
//!
//! The translation changes as little as it can. A kernel gets its indices as
//! hidden arguments in front of its own:
//!
//! ```text
//! __global__ void twice(float *a)
//! __global__ void twice(const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim, float *a)
//! ```
//!
//! which lets the compiler see the loop over a block's threads as a loop, and
//! an entry after the text runs that loop over a range of blocks. Everything
//! else that CUDA has and C++ has not stands in [`SHIM`]. Lines keep their
//! numbers, so a message of the compiler is about the user's own line.
//!
//! Kernels with barriers, shared memory or warp functions cannot run as loops;
//! they are translated to nothing, and [`HostKernel::needs`] says why.

mod globals;
mod reach;
mod rewrite;
mod textures;

pub use rewrite::Change;

use crate::SpecError;
use crate::signature::{self, Signature};

/// The C++ that goes before every translated text.
pub const SHIM: &str = concat!(
    include_str!("../constants.h"),
    include_str!("../math_constants.h"),
    include_str!("shim/language.hpp"),
    include_str!("shim/math.hpp"),
    include_str!("shim/intrinsics.hpp"),
    include_str!("shim/atomics.hpp"),
    include_str!("shim/run.hpp"),
);

/// The name that compilers know the user's text by.
pub const SOURCE_NAME: &str = "kernel.cu";

/// A translated source.
#[derive(Clone, Debug)]
pub struct HostSource {
    /// C++, complete with [`SHIM`].
    pub text: String,
    /// Its kernels, in order; number `k` is entered by `gpurepl_kernel_k`.
    pub kernels: Vec<HostKernel>,
    /// Where lines of the user's text have become longer, in order.
    pub changes: Vec<Change>,
}

/// A kernel of a translated source.
#[derive(Clone, Debug)]
pub struct HostKernel {
    /// Its name and arguments.
    pub signature: Signature,
    /// What it uses that the host device cannot run: `__syncthreads`, say.
    pub needs: Option<String>,
}

/// Translates CUDA C. Kernels of these qualified names get no entry: the
/// preprocessor has removed them, say, which shows only when a compiler runs.
///
/// # Errors
///
/// If a kernel's arguments cannot be read, or the text uses something that no
/// translation can provide: launches from a kernel, inline PTX.
///
/// ```
/// use gpurepl_kernels::host;
/// let source = host::translate("__global__ void twice(float *a) { a[threadIdx.x] *= 2; }", &[])?;
/// assert!(source.text.contains("GPUREPL_KERNEL(0, false, ::twice)"));
/// # Ok::<(), gpurepl_kernels::SpecError>(())
/// ```
pub fn translate(source: &str, left_out: &[String]) -> Result<HostSource, SpecError> {
    let signatures = signature::find(source)?;
    let reach = reach::Reach::new(source);
    let kept = reach.indices_outside_kernels() || textures::may_leave(source);
    let mut text = format!("{SHIM}\n");
    textures::check(source)?;
    text.push_str(&textures::shim(source));
    if rewrite::includes_complex(source) {
        text.push_str(crate::support::COMPLEX);
    }
    if rewrite::includes(source, "pycuda-helpers.hpp") {
        text.push_str(crate::support::PYCUDA_HELPERS);
    }
    text.push_str(&format!("#line 1 \"{SOURCE_NAME}\"\n"));
    let (rewritten, changes) = rewrite::rewrite(source, &reach)?;
    text.push_str(&rewritten);
    text.push('\n');
    text.push_str(globals::anchor(&crate::globals::find(source)));
    let mut kernels = Vec::new();
    for signature in signatures {
        let needs = if signature.is_template {
            Some("a template".to_owned())
        } else if left_out.contains(&signature.qualified_name()) {
            Some("the preprocessor".to_owned())
        } else {
            reach.unsupported(&signature.name).map(str::to_owned)
        };
        if needs.is_none() {
            let number = kernels.len();
            text.push_str(&format!("GPUREPL_KERNEL({number}, {kept}, ::{})\n", signature.qualified_name()));
        }
        kernels.push(HostKernel { signature, needs });
    }
    Ok(HostSource { text, kernels, changes })
}

/// C++ for a generated loop: the shim, then the text.
pub fn with_shim(text: &str) -> String {
    format!("{SHIM}\n{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_arguments_gets_no_comma() {
        let text = translate("__global__ void a() {}\n__global__ void b(void) {}", &[]).unwrap().text;
        assert!(text.contains(
            "void a(const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim) {}"
        ));
        assert!(text.contains(
            "void b(const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim) {}"
        ));
    }

    #[test]
    fn barriers_are_named_and_their_bodies_left_out() {
        let source = "__device__ void wait() {\n __syncthreads(); }\n\
                      __global__ void plain(int *a) { a[0] = 1; }\n\
                      __global__ void sum(int *a) {\n extern __shared__ int s[]; s[0] = a[0]; wait(); }";
        let translated = translate(source, &[]).unwrap();
        assert_eq!(translated.kernels[0].needs, None);
        assert_eq!(translated.kernels[1].needs.as_deref(), Some("__shared__"));
        assert!(!translated.text[SHIM.len()..].contains("__shared__"));
        assert!(translated.text.contains("GPUREPL_KERNEL(0, "));
        assert!(!translated.text.contains("GPUREPL_KERNEL(1, "));
    }

    #[test]
    fn shared_memory_at_file_scope_is_named_where_it_is_used() {
        let source = "extern __shared__ float s[];\n__shared__ int a[2], n;\n\
                      __global__ void sum(float *x) { s[0] = x[0]; }\n\
                      __global__ void count(float *x) { n = 1; }\n\
                      __global__ void plain(float *x) { x[0] = 1; }";
        let translated = translate(source, &[]).unwrap();
        let needs: Vec<Option<&str>> =
            translated.kernels.iter().map(|kernel| kernel.needs.as_deref()).collect();
        assert_eq!(needs, [Some("__shared__"), Some("__shared__"), None]);
    }

    #[test]
    fn what_no_translation_has_is_refused() {
        for (source, message) in [
            (
                "__global__ void k() { child<<<1, 2>>>(); }",
                "a kernel cannot launch kernels on the host device",
            ),
            ("__global__ void k() { asm(\"trap;\"); }", "inline PTX cannot run on the host device"),
        ] {
            assert_eq!(translate(source, &[]).unwrap_err().message, message);
        }
    }

    #[test]
    fn indices_in_a_function_or_macro_are_kept() {
        let kernel = "__global__ void k(int *a) { a[f()] = 1; }";
        let entry = |source: &str| translate(source, &[]).unwrap().text;
        assert!(entry(&format!("__device__ int f() {{ return 1; }}\n{kernel}")).contains("(0, false, ::k)"));
        assert!(
            entry(&format!("__device__ int f() {{ return threadIdx.x; }}\n{kernel}"))
                .contains("(0, true, ::k)")
        );
        assert!(entry(&format!("#define f() threadIdx.x\n{kernel}")).contains("(0, true, ::k)"));
        assert!(
            entry(&format!("{kernel}\n__global__ void g(int *a) {{ assert(a); }}"))
                .contains("(0, true, ::k)")
        );
    }
}
