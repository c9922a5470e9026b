//! What a source that uses textures or surfaces needs on the host.

use super::rewrite;
use crate::SpecError;
use crate::token::{Source, TokenKind};

/// Objects: descriptions of images, and how coordinates become elements.
const OBJECTS: &str = include_str!("shim/textures.hpp");

/// How names that have to do with textures and surfaces start.
const STARTS: [&str; 8] =
    ["tex", "surf", "fp_tex", "fp_surf", "cudaTex", "cudaSurf", "cudaBoundaryMode", "cudaReadMode"];

/// The C++ that goes before the text; nothing for a text that does without,
/// because the compiler takes its time to read it.
pub(super) fn shim(source: &Source<'_>) -> String {
    let helpers = rewrite::includes(source, "pycuda-helpers.hpp");
    let mentions = |text: &str| STARTS.iter().any(|start| text.starts_with(start));
    let text = source.text;
    let is_named = source.tokens.iter().any(|token| match token.kind {
        TokenKind::Identifier => mentions(token.text(text)),
        TokenKind::Directive => STARTS.iter().any(|start| token.text(text).contains(start)),
        _ => false,
    });
    if !is_named && !helpers && !rewrite::includes_files(source) {
        return String::new();
    }
    let references = helpers || rewrite::includes_files(source) || crate::globals::has_references(source);
    format!("{OBJECTS}{}", if references { crate::support::REFERENCES } else { "" })
}

/// Whether an access to a surface may end a launch early.
pub(super) fn may_leave(source: &Source<'_>) -> bool {
    let is_access = |name: &str| {
        let name = name.strip_prefix("fp_").unwrap_or(name);
        name.starts_with("surf") && (name.ends_with("read") || name.ends_with("write"))
    };
    source.tokens.iter().any(|token| match token.kind {
        TokenKind::Identifier => is_access(token.text(source.text)),
        TokenKind::Directive => token.text(source.text).contains("surf"),
        _ => false,
    })
}

/// # Errors
///
/// If the source uses what textures on a GPU can do and those here cannot.
pub(super) fn check(source: &Source<'_>) -> Result<(), SpecError> {
    let Source { text: source, tokens } = source;
    for token in tokens.iter().filter(|token| token.kind == TokenKind::Identifier) {
        let name = token.text(source);
        let is_fetch = ["tex1D", "tex2D", "tex3D", "texCubemap"].iter().any(|start| name.starts_with(start));
        let what = if name.starts_with("texCubemap") || name.starts_with("surfCubemap") {
            "cubemaps"
        } else if is_fetch && name.contains("gather") {
            "gathering four elements"
        } else if is_fetch && (name.ends_with("Lod") || name.ends_with("Grad")) {
            "mipmaps"
        } else {
            continue;
        };
        let message = format!("textures on the host device have no `{name}`: they are without {what}");
        return Err(SpecError::new(message, source, token.span.clone())
            .help("read single elements, or run this kernel on a CUDA device"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shim(text: &str) -> String {
        super::shim(&Source::new(text))
    }

    fn check(text: &str) -> Result<(), SpecError> {
        super::check(&Source::new(text))
    }

    fn may_leave(text: &str) -> bool {
        super::may_leave(&Source::new(text))
    }

    #[test]
    fn only_who_uses_textures_reads_their_text() {
        assert!(shim("__global__ void f(float *a) { a[0] = 1; }").is_empty());
        let objects = shim("__global__ void f(cudaTextureObject_t t) {}");
        assert!(objects.contains("tex2D") && !objects.contains("struct texture"));
        assert!(shim("texture<float> t;").contains("struct texture"));
        assert!(shim("#define T texture<float>\nT t;").contains("struct texture"));
        assert!(shim("#include <pycuda-helpers.hpp>\n").contains("struct texture"));
    }

    #[test]
    fn what_is_not_there_is_said() {
        for (call, word) in [
            ("tex2Dgather<float4>(t, 1, 2)", "gathering"),
            ("tex2DLod<float>(t, 1, 2, 0)", "mipmaps"),
            ("tex3DGrad<float>(t, 1, 2, 3, a, b)", "mipmaps"),
            ("texCubemap<float>(t, 1, 2, 3)", "cubemaps"),
        ] {
            let error =
                check(&format!("__global__ void f(cudaTextureObject_t t) {{ {call}; }}")).unwrap_err();
            assert!(error.message.ends_with(&format!("without {word}")) || error.message.contains(word));
        }
        assert!(check("__global__ void f() { tex2D<float>(t, 1, 2); int textures; }").is_ok());
    }

    #[test]
    fn surfaces_may_leave_a_kernel() {
        assert!(may_leave("surf2Dwrite(1.0f, s, 0, 0);") && may_leave("fp_surf3Dread(&x, s, 0, 0, 0);"));
        assert!(!may_leave("cudaSurfaceObject_t surface; surf = 1;"));
    }
}
