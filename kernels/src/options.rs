//! Options of compilers: nvcc's, NVRTC's and g++'s, each for the compiler that
//! a device has, so that a cell's options do for both.
//!
//! What says how to compile for a GPU means nothing to a CPU, and the other
//! way round; the host device computes as exactly as it can whatever is asked
//! for. What is not known here goes to the compiler, which says so.

/// An option that is known: what it is called, and whether a value follows it.
struct Known {
    names: &'static [&'static str],
    value: Value,
    host: Host,
    nvrtc: Nvrtc,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    None,
    /// After `=`, or as the next option.
    Follows,
    /// As [`Value::Follows`], and it may start with `-`.
    Any,
    /// Within the option: `-lm`.
    Joined,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Host {
    Ignored,
    /// Under another name, with its value in the same word.
    As(&'static str),
    Standard,
    Fmad,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nvrtc {
    Ignored,
    Kept,
    As(&'static str),
}

const fn known(names: &'static [&'static str], value: Value, host: Host, nvrtc: Nvrtc) -> Known {
    Known { names, value, host, nvrtc }
}

/// In order: the first that fits is meant.
const KNOWN: &[Known] = &[
    known(&["-lineinfo", "--generate-line-info"], Value::None, Host::As(""), Nvrtc::Kept),
    known(&["--include-path"], Value::Follows, Host::As("-I"), Nvrtc::As("--include-path=")),
    known(&["--pre-include", "-include"], Value::Follows, Host::As("-include"), Nvrtc::As("--pre-include=")),
    known(&["--define-macro"], Value::Follows, Host::As("-D"), Nvrtc::As("-D")),
    known(&["--undefine-macro"], Value::Follows, Host::As("-U"), Nvrtc::As("-U")),
    known(&["--std", "-std"], Value::Follows, Host::Standard, Nvrtc::As("--std=")),
    known(&["--fmad", "-fmad"], Value::Follows, Host::Fmad, Nvrtc::As("--fmad=")),
    known(
        &["--ftz", "-ftz", "--prec-div", "-prec-div", "--prec-sqrt", "-prec-sqrt"],
        Value::Follows,
        Host::Ignored,
        Nvrtc::Kept,
    ),
    known(&["--use_fast_math", "-use_fast_math"], Value::None, Host::Ignored, Nvrtc::Kept),
    // The machine code is for the device in use.
    known(
        &["--gpu-architecture", "-arch", "--gpu-code", "-code", "--generate-code", "-gencode"],
        Value::Follows,
        Host::Ignored,
        Nvrtc::Ignored,
    ),
    known(&["--maxrregcount", "-maxrregcount"], Value::Follows, Host::Ignored, Nvrtc::Kept),
    known(&["--ptxas-options", "-Xptxas"], Value::Any, Host::Ignored, Nvrtc::As("--ptxas-options=")),
    known(
        &[
            "--compiler-options",
            "-Xcompiler",
            "-Xlinker",
            "--linker-options",
            "-Xnvlink",
            "-Xarchive",
            "-Xcudafe",
        ],
        Value::Any,
        Host::Ignored,
        Nvrtc::Ignored,
    ),
    known(&["--relocatable-device-code", "-rdc"], Value::Follows, Host::Ignored, Nvrtc::Kept),
    known(
        &["--diag-suppress", "-diag-suppress", "--diag-error", "-diag-error", "--diag-warn", "-diag-warn"],
        Value::Follows,
        Host::Ignored,
        Nvrtc::Kept,
    ),
    known(
        &[
            "--compiler-bindir",
            "-ccbin",
            "--cudart",
            "-cudart",
            "--default-stream",
            "-default-stream",
            "--machine",
        ],
        Value::Follows,
        Host::Ignored,
        Nvrtc::Ignored,
    ),
    known(&["--threads", "-t", "--keep-dir", "-keep-dir"], Value::Follows, Host::Ignored, Nvrtc::Ignored),
    known(
        &[
            "--device-c",
            "-dc",
            "-dlto",
            "--restrict",
            "-restrict",
            "--extra-device-vectorization",
            "-minimal",
            "--minimal",
            "--device-as-default-execution-space",
            "-default-device",
        ],
        Value::None,
        Host::Ignored,
        Nvrtc::Kept,
    ),
    known(
        &[
            "--expt-relaxed-constexpr",
            "-expt-relaxed-constexpr",
            "--expt-extended-lambda",
            "-expt-extended-lambda",
            "--extended-lambda",
            "-extended-lambda",
            "--keep",
            "-keep",
            "--verbose",
            "-v",
            "--resource-usage",
            "-res-usage",
            "--ptx",
            "-ptx",
            "--cubin",
            "-cubin",
            "--disable-warnings",
            "-m64",
            "-lcudadevrt",
        ],
        Value::None,
        Host::Ignored,
        Nvrtc::Ignored,
    ),
    known(&["--optimize"], Value::Follows, Host::As("-O"), Nvrtc::Ignored),
    known(&["-O", "-L", "-l"], Value::Joined, Host::As(""), Nvrtc::Ignored),
    known(
        &["-Werror", "-Wno-", "-Wall", "-Wextra", "-pedantic"],
        Value::Joined,
        Host::As(""),
        Nvrtc::Ignored,
    ),
    known(&["-march=", "-mtune=", "-mavx", "-msse", "-mfma"], Value::Joined, Host::As(""), Nvrtc::Ignored),
    known(
        &["-ffast-math", "-fopenmp", "-funroll-loops", "-fno-", "-fstrict", "-fopt", "-ffp-"],
        Value::Joined,
        Host::As(""),
        Nvrtc::Ignored,
    ),
    known(&["-g"], Value::None, Host::As("-g"), Nvrtc::Ignored),
];

/// An option as it is used, and its value.
fn read<'a>(
    option: &'a str,
    rest: &mut std::slice::Iter<'a, String>,
) -> Option<(&'static Known, &'a str, String)> {
    let (name, inline) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
    let is_meant = |known: &&Known| match known.value {
        Value::Joined => known.names.iter().any(|start| option.starts_with(start)),
        Value::None => known.names.contains(&option),
        _ => known.names.contains(&name),
    };
    let known = KNOWN.iter().find(is_meant)?;
    let value = match (known.value, inline) {
        (Value::Joined | Value::None, _) => String::new(),
        (_, Some(value)) => value.to_owned(),
        (kind, None) => {
            let next = rest.clone().next().filter(|next| kind == Value::Any || !next.starts_with('-'));
            next.map_or(String::new(), |next| {
                rest.next();
                next.clone()
            })
        }
    };
    Some((known, name, value))
}

/// The options for the C++ compiler of the host device.
///
/// ```
/// use gpurepl_kernels::options;
/// let given = ["-arch=sm_70", "--fmad=false", "-Xcompiler", "-Wall", "-DN=4", "--include-path", "/x"].map(str::to_owned);
/// assert_eq!(options::for_host(&given), ["-ffp-contract=off", "-DN=4", "-I/x"]);
/// ```
pub fn for_host(given: &[String]) -> Vec<String> {
    let mut options = Vec::new();
    let mut rest = given.iter();
    while let Some(option) = rest.next() {
        let Some((known, _, value)) = read(option, &mut rest) else {
            options.push(option.clone());
            continue;
        };
        match known.host {
            Host::Ignored => {}
            Host::As("") => options.push(option.clone()),
            Host::As("-include") => options.extend(["-include".to_owned(), value]),
            Host::As(name) => options.push(format!("{name}{value}")),
            // The translation needs C++17.
            Host::Standard => {
                let is_later = ["20", "2a", "23", "2b", "26"].iter().any(|year| value.ends_with(year));
                options.extend(is_later.then(|| format!("-std={value}")));
            }
            Host::Fmad => options.extend((value == "false").then(|| "-ffp-contract=off".to_owned())),
        }
    }
    options
}

/// The options for NVRTC.
///
/// ```
/// use gpurepl_kernels::options;
/// let given = ["-O2", "--use_fast_math", "-Xptxas", "-v", "-march=native", "-DN=4", "-arch=sm_70"].map(str::to_owned);
/// assert_eq!(options::for_nvrtc(&given), ["--use_fast_math", "--ptxas-options=-v", "-DN=4"]);
/// ```
pub fn for_nvrtc(given: &[String]) -> Vec<String> {
    let mut options = Vec::new();
    let mut rest = given.iter();
    while let Some(option) = rest.next() {
        let Some((known, name, value)) = read(option, &mut rest) else {
            options.push(option.clone());
            continue;
        };
        match known.nvrtc {
            Nvrtc::Ignored => {}
            Nvrtc::As(name) => options.push(format!("{name}{value}")),
            Nvrtc::Kept if known.value == Value::Follows => options.push(format!("{name}={value}")),
            Nvrtc::Kept => options.push(option.clone()),
        }
    }
    options
}

/// An option that a device ignores though results may depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredOption {
    /// As it was given: `--prec-div=false`.
    pub option: String,
    /// Why it is ignored, to follow "is ignored: ".
    pub reason: &'static str,
}

const EXACT: &str = "the host device always rounds as IEEE 754 says";
const FIXED_STREAM: &str = "each launch says which stream it is for";

/// Whether a source can tell for which architecture it is compiled.
fn asks_for_architecture(source: &str) -> bool {
    ["__CUDA_ARCH__", "__CUDA_ARCH_LIST__", "__CUDA_ARCH_FEAT"].iter().any(|name| source.contains(name))
}

fn ignored(given: &[String], reason: impl Fn(&str, &str) -> Option<&'static str>) -> Vec<IgnoredOption> {
    let mut found: Vec<IgnoredOption> = Vec::new();
    let mut rest = given.iter();
    while let Some(option) = rest.next() {
        let left = rest.len();
        let Some((_, name, value)) = read(option, &mut rest) else { continue };
        let Some(reason) = reason(name.trim_start_matches('-'), &value) else { continue };
        let is_apart = rest.len() < left;
        let option = if is_apart { format!("{option} {value}") } else { option.clone() };
        let ignored = IgnoredOption { option, reason };
        if !found.contains(&ignored) {
            found.push(ignored);
        }
    }
    found
}

/// The options that [`for_host`] leaves out though the source's results may
/// depend on them.
///
/// ```
/// use gpurepl_kernels::options;
/// let given = ["--use_fast_math", "-O2", "-ftz=true", "--prec-div=true"].map(str::to_owned);
/// let ignored = options::ignored_by_host(&given, "");
/// let names: Vec<&str> = ignored.iter().map(|ignored| ignored.option.as_str()).collect();
/// assert_eq!(names, ["--use_fast_math", "-ftz=true"]);
/// ```
pub fn ignored_by_host(given: &[String], source: &str) -> Vec<IgnoredOption> {
    ignored(given, |name, value| match (name, value) {
        ("use_fast_math", _) => Some(EXACT),
        ("ftz", "true") => Some("the host device keeps denormal numbers"),
        ("prec-div" | "prec-sqrt", "false") => Some(EXACT),
        ("gpu-architecture" | "arch" | "gpu-code" | "code" | "generate-code" | "gencode", _) => {
            asks_for_architecture(source).then_some("`__CUDA_ARCH__` of the host device is fixed")
        }
        ("default-stream", _) => Some(FIXED_STREAM),
        _ => None,
    })
}

/// The options that [`for_nvrtc`] leaves out though the source's results may
/// depend on them.
///
/// ```
/// use gpurepl_kernels::options;
/// let given = ["-ffast-math", "-arch=sm_70"].map(str::to_owned);
/// let ignored = options::ignored_by_nvrtc(&given, "int a = __CUDA_ARCH__;");
/// assert_eq!(ignored.len(), 2);
/// ```
pub fn ignored_by_nvrtc(given: &[String], source: &str) -> Vec<IgnoredOption> {
    let of_host =
        given.iter().filter(|option| option.starts_with("-ffast-math") || option.starts_with("-ffp-"));
    let reason = "it is an option of the host device's compiler; NVRTC has `--use_fast_math` and `--fmad`";
    let mut found: Vec<IgnoredOption> =
        of_host.map(|option| IgnoredOption { option: option.clone(), reason }).collect();
    found.dedup();
    found.extend(ignored(given, |name, _| match name {
        "gpu-architecture" | "arch" | "gpu-code" | "code" | "generate-code" | "gencode" => {
            asks_for_architecture(source).then_some("kernels are compiled for the device in use")
        }
        "default-stream" => Some(FIXED_STREAM),
        _ => None,
    }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_change_results_were_ignored_silently() {
        let given = |all: &[&str]| -> Vec<String> { all.iter().map(|option| (*option).to_owned()).collect() };
        let named = |found: Vec<IgnoredOption>| -> Vec<String> {
            found.into_iter().map(|ignored| ignored.option).collect()
        };
        let all = given(&[
            "-use_fast_math",
            "--ftz",
            "true",
            "-prec-sqrt=false",
            "-prec-div=true",
            "-arch=sm_70",
            "-gencode",
            "arch=compute_80,code=sm_80",
            "-O2",
            "-lineinfo",
            "-maxrregcount=32",
            "-Xptxas",
            "-v",
            "--use_fast_math",
            "--use_fast_math",
            "-ffast-math",
            "--std=c++11",
        ]);
        assert_eq!(
            named(ignored_by_host(&all, "")),
            ["-use_fast_math", "--ftz true", "-prec-sqrt=false", "--use_fast_math"]
        );
        assert_eq!(named(ignored_by_nvrtc(&all, "")), ["-ffast-math"]);
        let asks = "#if __CUDA_ARCH__ >= 700\n#endif";
        let both = ["-arch=sm_70", "-gencode arch=compute_80,code=sm_80"];
        assert_eq!(named(ignored_by_nvrtc(&all, asks))[1..], both);
        assert_eq!(named(ignored_by_host(&all, asks))[3..5], both);
    }

    fn both(given: &[&str]) -> (Vec<String>, Vec<String>) {
        let given: Vec<String> = given.iter().map(|option| (*option).to_owned()).collect();
        (for_host(&given), for_nvrtc(&given))
    }

    #[test]
    fn options_of_one_compiler_for_another() {
        for (given, host, nvrtc) in [
            (&["-gencode", "arch=compute_80,code=sm_80", "-DA"][..], &["-DA"][..], &["-DA"][..]),
            (&["--std=c++11"], &[], &["--std=c++11"]),
            (&["-std", "c++20"], &["-std=c++20"], &["--std=c++20"]),
            (&["-maxrregcount", "32"], &[], &["-maxrregcount=32"]),
            (&["-O3", "-g", "-w"], &["-O3", "-g", "-w"], &["-w"]),
            (&["--optimize", "2"], &["-O2"], &[]),
            (&["-Xcompiler=-fPIC", "-lineinfo"], &["-lineinfo"], &["-lineinfo"]),
            (&["-include", "x.h"], &["-include", "x.h"], &["--pre-include=x.h"]),
            (
                &["-D", "N=4", "-I", "/x", "-UB"],
                &["-D", "N=4", "-I", "/x", "-UB"],
                &["-D", "N=4", "-I", "/x", "-UB"],
            ),
            (&["--fmad=true"], &[], &["--fmad=true"]),
            (&["--no-such-option"], &["--no-such-option"], &["--no-such-option"]),
            (&["-arch"], &[], &[]),
        ] {
            assert_eq!(
                both(given),
                (
                    host.iter().map(|o| (*o).to_owned()).collect(),
                    nvrtc.iter().map(|o| (*o).to_owned()).collect()
                ),
                "{given:?}"
            );
        }
    }
}
