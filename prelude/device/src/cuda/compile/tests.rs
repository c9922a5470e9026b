//! With NVRTC, which compiles for a GPU on a machine that has none.

use super::*;
use crate::ModuleSource;
use crate::cuda::{loaded, module};
use crate::error::ErrorKind;
use gpurepl_kernels::preprocessor::Environment;
use gpurepl_kernels::signature;
use gpurepl_kernels::token;

const HOPPER: (i32, i32) = (9, 0);

fn source<'a>(text: &'a str, texts: &'a [(&'a str, &'a str)], options: &'a [String]) -> Source<'a> {
    Source { what: "kernel", texts, text, name: "kernel.cu", options, kernels: &[] }
}

fn compiled(text: &str, options: &[&str]) -> Result<Vec<u8>> {
    let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
    let texts = [("kernel.cu", text)];
    compile_to(&source(text, &texts, &options), HOPPER, Target::Cubin, 13000).map(|compiled| compiled.image)
}

/// A text that no other run has compiled.
fn fresh(text: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    format!("{text}\n// {} {}\n", now.as_nanos(), std::process::id())
}

fn hits() -> u64 {
    cache::report().hits
}

#[test]
fn ptx_tells_its_arguments() {
    if !library::has_test_nvrtc() {
        return;
    }
    let text = "struct Pair { double a; int b; };\n\
                __global__ void k(float *a, int n, float f, double d, Pair p, unsigned char c) { a[0] = n + f + d + p.b + c; }";
    let request = ModuleSource {
        source: text,
        preprocessed: &token::Source::new(text),
        globals: &[],
        signatures: &signature::find(text, &Environment::default()).unwrap(),
        options: &[],
        left_out: &[],
        instances: &[],
        is_checked: false,
    };
    let ptx = module::compile_to(HOPPER, &request, Target::Ptx, 13000).unwrap();
    assert!(!ptx.contains(&0));
    let told = loaded::tests::arguments(&String::from_utf8(ptx).unwrap());
    let float = gpurepl_kernels::DType::Float32;
    let double = gpurepl_kernels::DType::Float64;
    assert_eq!(told, [(8, None), (4, None), (4, Some(float)), (8, Some(double)), (16, None), (1, None)],);
    let cubin = module::compile_to(HOPPER, &request, Target::Cubin, 13000).unwrap();
    assert_eq!(loaded::tests::kernels(&cubin), ["_Z1kPfifd4Pairh"]);
}

#[test]
fn kernels_of_machine_code_are_told_from_functions() {
    if !library::has_test_nvrtc() {
        return;
    }
    let text = "__device__ __noinline__ int f(int x) { return x > 1 ? x*f(x - 1) : 1; }\n\
                extern \"C\" __global__ void none() { if (f(threadIdx.x) == 3) __trap(); }\n\
                namespace deep { __global__ void some(int *a) { *a = f(*a); } }\n\
                __constant__ int c = 3; __device__ int d[4];";
    for capability in [(8, 0), (9, 0), (10, 0), (12, 0)] {
        if !is_supported(capability) {
            continue;
        }
        let request = ModuleSource {
            source: text,
            options: &["-rdc=true".to_owned()],
            preprocessed: &token::Source::new(text),
            globals: &[],
            signatures: &signature::find(text, &Environment::default()).unwrap(),
            left_out: &[],
            instances: &[],
            is_checked: false,
        };
        let cubin = module::compile_to(capability, &request, Target::Cubin, 13000).unwrap();
        let mut kernels = loaded::tests::kernels(&cubin);
        kernels.sort();
        assert_eq!(kernels, ["_ZN4deep4someEPi", "none"], "{capability:?}");
    }
}

#[test]
fn options_reach_the_compiler_and_a_wrong_one_is_named() {
    if !library::has_test_nvrtc() {
        return;
    }
    let text = "__global__ void k(float *a) { a[threadIdx.x] = 1; }";
    let plain = compiled(text, &[]).unwrap();
    let lines = compiled(text, &["--generate-line-info"]).unwrap();
    let debug = compiled(text, &["--device-debug"]).unwrap();
    let has =
        |image: &[u8], section: &str| image.windows(section.len()).any(|part| part == section.as_bytes());
    assert!(!has(&plain, ".debug_line") && has(&lines, ".debug_line") && has(&debug, ".debug_info"));
    let relocatable =
        compiled("__device__ int f(int); __global__ void k(int *a) { *a = f(1); }", &["-rdc=true"]);
    assert!(relocatable.is_ok());
    let error = compiled(text, &["--no-such-option"]).unwrap_err();
    assert_eq!(error.code().map(|code| code.name), Some("NVRTC_ERROR_INVALID_OPTION"));
    assert!(error.to_string().contains("no-such-option"), "{error}");
}

#[test]
fn a_kernel_is_compiled_again_when_a_file_that_it_includes_has_changed() {
    if !library::has_test_nvrtc() || cache::folder().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let header = folder.path().join("factor.h");
    let option = format!("-I{}", folder.path().display());
    let text = fresh("#include \"factor.h\"\n__global__ void k(float *a) { a[threadIdx.x] = FACTOR; }");
    std::fs::write(&header, "#define FACTOR 2.0f\n").unwrap();
    let first = compiled(&text, &[&option]).unwrap();
    let before = hits();
    assert_eq!(compiled(&text, &[&option]).unwrap(), first);
    assert!(hits() > before);
    std::fs::write(&header, "#define FACTOR 3.0f\n").unwrap();
    assert_ne!(compiled(&text, &[&option]).unwrap(), first);
    std::fs::write(&header, "#define FACTOR 2.0f\n").unwrap();
    assert_eq!(compiled(&text, &[&option]).unwrap(), first);
}

#[test]
fn a_missing_header_is_named_with_who_has_it() {
    if !library::has_test_nvrtc() {
        return;
    }
    let error = compiled("#include <no_such_header.h>\n__global__ void k() {}", &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Compile);
    assert!(error.to_string().contains("kernel.cu line 1"), "{error}");
    assert!(error.to_string().contains("include_dir"), "{error}");
}

#[test]
fn headers_of_the_toolkit_are_there_without_one() {
    if !library::has_test_nvrtc() || nvrtc::bundled_headers().is_none() {
        return;
    }
    let text = "#include <cub/block/block_reduce.cuh>\n#include <cuda/std/limits>\n\
                __global__ void k(float *a) {\n\
                typedef cub::BlockReduce<float, 128> Reduce; __shared__ typename Reduce::TempStorage s;\n\
                float sum = Reduce(s).Sum(a[threadIdx.x]); if (threadIdx.x == 0) a[0] = sum; }";
    compiled(text, &[]).unwrap();
    compiled(
        "#include <mma.h>\n#include <cuda_bf16.h>\n__global__ void k(__nv_bfloat16 *a) { a[0] = a[1]; }",
        &[],
    )
    .unwrap();
}

#[test]
fn precompiled_headers_change_nothing_but_the_time() {
    if !library::has_test_nvrtc() || nvrtc::bundled_headers().is_none() {
        return;
    }
    let text = |k: u32| {
        fresh(&format!("#include <cuda_bf16.h>\n__global__ void k(__nv_bfloat16 *a) {{ a[{k}] = a[0]; }}"))
    };
    for k in 0..4 {
        let start = std::time::Instant::now();
        compiled(&text(k), &[]).unwrap();
        eprintln!("compilation {k} with the same headers: {:?}", start.elapsed());
    }
    // A mistake of the user's is told as without.
    let wrong = "#include <cuda_bf16.h>\n__global__ void k(__nv_bfloat16 *a) { a[0] = foo; }";
    let error = compiled(wrong, &[]).unwrap_err();
    assert!(error.to_string().contains("identifier \"foo\" is undefined"), "{error}");
    assert!(error.to_string().contains("kernel.cu line 2"), "{error}");
    compiled(&text(5), &[]).unwrap();
}

#[test]
fn a_debugger_finds_the_source() {
    if !library::has_test_nvrtc() {
        return;
    }
    let text = "__global__ void k(float *a) { a[threadIdx.x] = 1; }";
    let texts = [("kernel.cu", text)];
    let image = with_debug_information(&source(text, &texts, &[]), HOPPER, Target::Cubin).unwrap().image;
    let path = debug::keep("kernel.cu", text).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let folder = path.parent().unwrap().as_os_str().as_encoded_bytes();
    assert!(image.windows(folder.len()).any(|part| part == folder), "the folder is in the line table");
    let wrong = "__global__ void k(float *a) { a[threadIdx.x] = foo; }";
    let texts = [("kernel.cu", wrong)];
    let error = with_debug_information(&source(wrong, &texts, &[]), HOPPER, Target::Cubin).err().unwrap();
    assert!(error.to_string().contains("foo") && error.to_string().contains("line 1"), "{error}");
}

#[test]
fn lines_are_asked_for_once() {
    let options = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let missing = |is_asked_for, names: &[&str]| missing_line_information(is_asked_for, &options(names));
    assert_eq!(missing(true, &["--fmad=false"]), Some("--generate-line-info"));
    assert_eq!(missing(true, &["-lineinfo"]), None);
    assert_eq!(missing(true, &["--generate-line-info"]), None);
    assert_eq!(missing(false, &[]), None);
}

/// The types of a source's kernels by the compiler, as a launch gets them.
fn types(text: &str, options: &[&str], instances: &[&str]) -> Vec<String> {
    let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
    let instances: Vec<String> = instances.iter().map(|instance| (*instance).to_owned()).collect();
    let mut environment = Environment::cuda(90);
    environment.options(&options);
    let signatures = signature::find(text, &environment).unwrap();
    let names: Vec<String> = signatures.iter().map(signature::Signature::qualified_name).collect();
    let mut left_out = Vec::new();
    let kernels = loop {
        let request = ModuleSource {
            source: text,
            preprocessed: &token::Source::new(text),
            globals: &[],
            signatures: &signatures,
            options: &options,
            left_out: &left_out,
            instances: &instances,
            is_checked: false,
        };
        match module::kernels(HOPPER, &request, 13000) {
            Ok(kernels) => break kernels,
            Err(error) => {
                assert!(left_out.is_empty(), "{error}");
                left_out = error.compile_error().unwrap().left_out(&names);
            }
        }
    };
    kernels.into_iter().map(|(name, types)| format!("{name}: {}", types.join(", "))).collect()
}

#[test]
fn types_of_parameters_are_nvrtcs() {
    if !library::has_test_nvrtc() {
        return;
    }
    let text = "#ifdef USE_DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n\
                #define KERNEL extern \"C\" __global__ void\ntypedef real *Ptr;\n\
                KERNEL k(Ptr x, double (*o)[2], [[maybe_unused]] int n, const char *text, int d = 3) {}\n\
                #if __CUDA_ARCH__ < 800\n__global__ void arch(float x) {}\n#else\n__global__ void arch(int x) {}\n#endif\n\
                #if __CUDACC_VER_MAJOR__ < 9\n__global__ void version(float *x, float y) {}\n#else\n\
                __global__ void version(float *x, int y) {}\n#endif\n\
                __global__ void over(int *x) {}\n__global__ void over(float *x) {}\n\
                template <class T, class... A> __global__ void pack(T *out, A... values) {}\n\
                __global__ void later(int *);";
    let single = types(text, &[], &["pack<real, int, char>"]);
    assert_eq!(
        single,
        [
            "k: float *, double (*)[2], int, const char *, int",
            "arch: int",
            "version(float *, int): float *, int",
            "over(int *): int *",
            "over(float *): float *",
            "pack<real, int, char>: float *, int, char",
        ]
    );
    assert!(types(text, &["-DUSE_DOUBLE"], &[])[0].starts_with("k: double *, double (*)[2], "));
    // What is compiled to be linked could not be loaded.
    assert!(types(text, &["-rdc=true", "-O2", "-arch=sm_70"], &[])[0].starts_with("k: float *, "));
}
