//! What is made of the PTX that rustc writes: shared arrays and CUDA's own
//! mathematics are added, and the version is one that drivers know.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A kernel's PTX, and what it still lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// The text.
    pub text: String,
    /// CUDA's own functions that it calls, by their names in CUDA C.
    pub maths: Vec<String>,
}

/// Before the names of what is added.
const OURS: &str = "__gr_";

/// Completes the compiler's text for an architecture, 90 for 9.0. `maths` is
/// PTX that defines the functions it calls, once they are known.
///
/// # Errors
///
/// With the functions that nothing defines: those of another crate.
pub fn finish(raw: &str, architecture: u32, maths: Option<&str>) -> Result<Finished, Vec<String>> {
    // What is left of debug information is lines: ptxas does not take the tables that LLVM writes beside them.
    let body = after_head(raw);
    let body = body.find("\t.section\t.debug_").map_or(body, |end| &body[..end]);
    let mut shared: BTreeSet<(String, usize, usize)> = BTreeSet::new();
    let (mut wanted, mut foreign) = (BTreeSet::new(), Vec::new());
    let mut text = String::new();
    let mut uses_dynamic = false;
    let mut lines = body.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start();
        if trimmed.starts_with(".extern .func") {
            // A declaration may go on over several lines.
            let mut whole = line.to_owned();
            while !whole.contains(';') {
                let Some(next) = lines.next() else { break };
                whole.push(' ');
                whole.push_str(next);
            }
            match declared(&whole) {
                Some(name) if name.starts_with(OURS) => {
                    wanted.insert(name[OURS.len()..].to_owned());
                }
                Some(name) => foreign.push(name.to_owned()),
                None => {}
            }
            continue;
        }
        // A table within `core`, of which a kernel has no code: those of Unicode.
        if trimmed.starts_with(".extern .global") {
            foreign.push("a table of `core`".to_owned());
            continue;
        }
        if let Some((_, remark)) = line.split_once("// __gr_shared_") {
            let mut words = remark.split_whitespace();
            if let (Some(name), Some(Ok(size)), Some(Ok(alignment))) =
                (words.next(), words.next().map(str::parse), words.next().map(str::parse))
            {
                shared.insert((format!("__gr_shared_{name}"), size, alignment));
            }
        }
        uses_dynamic |= line.contains("__gr_dynamic");
        text.push_str(line);
        text.push('\n');
    }
    if !foreign.is_empty() {
        return Err(foreign);
    }
    let mut head =
        format!(".version {}\n.target sm_{architecture}\n.address_size 64\n", version(architecture));
    for (name, size, alignment) in shared {
        // A vector of four floats may be read at once.
        let _ = writeln!(head, ".shared .align {} .b8 {name}[{size}];", alignment.max(16));
    }
    if uses_dynamic {
        head.push_str(".extern .shared .align 16 .b8 __gr_dynamic[];\n");
    }
    if let Some(maths) = maths {
        head.push_str(&after_head(maths).replace(".visible .func", ".func").replace(".weak .func", ".func"));
        head.push('\n');
    }
    Ok(Finished { text: head + &text, maths: wanted.into_iter().collect() })
}

/// The version of PTX that knows an architecture: the PTX ISA's table of
/// release notes.
fn version(architecture: u32) -> &'static str {
    match architecture {
        ..=89 => "7.8",
        90..=99 => "7.8",
        100..=119 => "8.6",
        _ => "8.7",
    }
}

fn after_head(text: &str) -> &str {
    const LAST: &str = ".address_size 64";
    text.find(LAST).map_or(text, |at| &text[at + LAST.len()..])
}

/// The name of a declared function.
fn declared(declaration: &str) -> Option<&str> {
    let mut rest = declaration.trim_start().strip_prefix(".extern .func")?.trim_start();
    if rest.starts_with('(') {
        rest = rest[rest.find(')')? + 1..].trim_start();
    }
    let end = rest.find(|c: char| c.is_whitespace() || c == '(' || c == ';')?;
    Some(&rest[..end])
}

/// CUDA C that gives CUDA's own functions the names that kernels call.
pub fn maths_source(functions: &[String]) -> String {
    let mut text = String::new();
    for name in functions {
        let float = name.ends_with('f') && name != "erf";
        let of = if float { "float" } else { "double" };
        let two = ["atan2", "pow", "hypot", "fmod"]
            .iter()
            .any(|two| name.strip_suffix('f').unwrap_or(name) == *two);
        let _ = if two {
            writeln!(
                text,
                "extern \"C\" __device__ {of} {OURS}{name}({of} x, {of} y) {{ return {name}(x, y); }}"
            )
        } else {
            writeln!(text, "extern \"C\" __device__ {of} {OURS}{name}({of} x) {{ return {name}(x); }}")
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "//\n.version 3.2\n.target sm_70\n.address_size 64\n\n.extern .func  (.param .b32 func_retval0) __gr_sinf\n(\n\t.param .b32 __gr_sinf_param_0\n)\n;\n\
        .visible .entry k()\n{\n\tcvta.shared.u64 %rd1, __gr_shared_3_9_128; // __gr_shared_3_9_128 128 4\n\tret;\n}\n";

    #[test]
    fn shared_arrays_and_the_head_are_written() {
        let finished = finish(RAW, 90, None).unwrap();
        assert_eq!(finished.maths, ["sinf"]);
        assert!(finished.text.starts_with(
            ".version 7.8\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 __gr_shared_3_9_128[128];\n"
        ));
        assert!(!finished.text.contains(".extern"), "{}", finished.text);
    }

    #[test]
    fn maths_are_local_functions() {
        let maths = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .func (.param .b32 r) __gr_sinf(.param .b32 x) { ret; }";
        let finished = finish(RAW, 120, Some(maths)).unwrap();
        assert!(finished.text.contains("\n.func (.param .b32 r) __gr_sinf"), "{}", finished.text);
        assert!(finished.text.starts_with(".version 8.7\n.target sm_120"));
        let wanted = ["sinf", "pow"].map(str::to_owned);
        assert_eq!(
            maths_source(&wanted),
            "extern \"C\" __device__ float __gr_sinf(float x) { return sinf(x); }\n\
             extern \"C\" __device__ double __gr_pow(double x, double y) { return pow(x, y); }\n"
        );
    }

    #[test]
    fn functions_of_other_crates_are_named() {
        let raw = RAW.replace("__gr_sinf\n", "memcmp\n");
        assert_eq!(finish(&raw, 90, None), Err(vec!["memcmp".to_owned()]));
    }
}
