//! Headers that a compiler did not find, and who has them.

/// What a compiler's log says about a header that it did not find, and what to
/// do about it.
pub(super) fn help(log: &str) -> Option<String> {
    let name = log.lines().find_map(missing)?;
    Some(match package(name) {
        Some(package) => format!(
            "`{name}` comes with the CUDA toolkit: install it, or {package} of pip, and set CUDA_PATH if it is not \
             found; the host device does without NVIDIA's headers"
        ),
        None => format!(
            "name the folder of `{name}`: `SourceModule::builder(source).include_dir(\"folder\").compile()`"
        ),
    })
}

/// The header that a line of NVRTC's, of g++'s or of clang's misses.
fn missing(line: &str) -> Option<&str> {
    // NVRTC: cannot open source file "a.h".
    if let Some((_, rest)) =
        line.split_once("open source file \"").filter(|(before, _)| before.contains("error"))
    {
        return rest.split('"').next();
    }
    // g++: fatal error: a.h: No such file or directory.
    if let Some((before, _)) = line.split_once(": No such file or directory") {
        return before.rsplit_once("error: ").map(|(_, name)| name.trim());
    }
    // clang: fatal error: 'a.h' file not found.
    let (before, _) = line.split_once("' file not found")?;
    before.rsplit_once('\'').map(|(_, name)| name)
}

/// The package for Python that has a header of the toolkit's, if it is one.
#[doc(hidden)]
pub fn package(name: &str) -> Option<&'static str> {
    let folder = name.split_once('/').map_or("", |(folder, _)| folder);
    let runtime = [
        "cooperative_groups.h",
        "cuComplex.h",
        "cuda_awbarrier.h",
        "cuda_awbarrier_primitives.h",
        "cuda_bf16.h",
        "cuda_fp16.h",
        "cuda_fp4.h",
        "cuda_fp6.h",
        "cuda_fp8.h",
        "cuda_pipeline.h",
        "cuda_pipeline_primitives.h",
        "cuda_tf32.h",
        "mma.h",
    ];
    match folder {
        "cub" | "thrust" | "cuda" | "nv" => Some("nvidia-cuda-cccl"),
        "cooperative_groups" => Some("nvidia-cuda-runtime"),
        "" if name.starts_with("curand") => Some("nvidia-curand"),
        "" if runtime.contains(&name) => Some("nvidia-cuda-runtime"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_compilers_words_are_read() {
        for line in [
            "kernel.cu(1): catastrophic error: cannot open source file \"cub/cub.cuh\"",
            "kernel.cu(1): catastrophic error: could not open source file \"cub/cub.cuh\" (no directories in search list)",
            "kernel.cu:1:10: fatal error: cub/cub.cuh: No such file or directory",
            "kernel.cu:1:10: fatal error: 'cub/cub.cuh' file not found",
        ] {
            assert_eq!(missing(line), Some("cub/cub.cuh"), "{line}");
            assert!(help(line).unwrap().contains("nvidia-cuda-cccl"));
        }
        assert_eq!(help("kernel.cu(1): error: identifier \"a\" is undefined"), None);
    }

    #[test]
    fn a_header_has_a_package_or_a_folder() {
        for (name, who) in [
            ("thrust/sort.h", "nvidia-cuda-cccl"),
            ("cuda/std/atomic", "nvidia-cuda-cccl"),
            ("curand_kernel.h", "nvidia-curand"),
            ("mma.h", "nvidia-cuda-runtime"),
            ("cuda_bf16.h", "nvidia-cuda-runtime"),
            ("cuda_fp8.h", "nvidia-cuda-runtime"),
            ("mine.h", "include_dir"),
        ] {
            let line = format!("kernel.cu(1): catastrophic error: cannot open source file \"{name}\"");
            assert!(help(&line).unwrap().contains(who), "{name}");
        }
    }
}
