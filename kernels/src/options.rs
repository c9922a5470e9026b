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

#[cfg(test)]
mod tests {
    use super::*;

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
