//! Parts of the shim that few kernels use, which cost each kernel's compile
//! some milliseconds: a text gets those that it mentions a name of.

/// Mathematical functions that the C library has not, or few have a use for.
const SPECIAL: [&str; 49] = [
    "__cos2pif",
    "__sin2pif",
    "__sincos2pif",
    "cospi",
    "cospif",
    "cyl_bessel_i0",
    "cyl_bessel_i0f",
    "cyl_bessel_i1",
    "cyl_bessel_i1f",
    "erfcinv",
    "erfcinvf",
    "erfcx",
    "erfcxf",
    "erfinv",
    "erfinvf",
    "j0",
    "j0f",
    "j1",
    "j1f",
    "jn",
    "jnf",
    "norm",
    "norm3d",
    "norm3df",
    "norm4d",
    "norm4df",
    "normcdf",
    "normcdff",
    "normcdfinv",
    "normcdfinvf",
    "normf",
    "rhypot",
    "rhypotf",
    "rnorm",
    "rnorm3d",
    "rnorm3df",
    "rnorm4d",
    "rnorm4df",
    "rnormf",
    "sincospi",
    "sincospif",
    "sinpi",
    "sinpif",
    "y0",
    "y0f",
    "y1",
    "y1f",
    "yn",
    "ynf",
];

/// Operations rounded in a given direction. Conversions to integers round
/// too, but are in the shim that every kernel has.
fn is_rounding(name: &str) -> bool {
    let is_directed = ["_rz", "_ru", "_rd"].iter().any(|direction| name.ends_with(direction));
    let is_to_integer = ["__float2", "__double2int", "__double2uint", "__double2ll", "__double2ull"]
        .iter()
        .any(|conversion| name.starts_with(conversion));
    name.starts_with("__")
        && is_directed
        && !is_to_integer
        && !["half", "bfloat16"].iter().any(|other| name.contains(other))
}

/// Several integers in a word, and dot products of them.
fn is_simd(name: &str) -> bool {
    ["__v", "__dp2a_", "__dp4a"].iter().any(|start| name.starts_with(start))
}

/// What allocates and frees, and what has a table of functions, in which a
/// destructor of `delete`'s kind and a pure function stand.
fn is_of_memory(name: &str) -> bool {
    matches!(name, "new" | "delete" | "virtual" | "malloc" | "free")
}

/// The parts that a text needs, after the shim.
pub(super) fn needed_by(source: &str) -> String {
    let mut parts = [
        (false, include_str!("shim/special.hpp")),
        (false, include_str!("shim/rounding.hpp")),
        (false, include_str!("shim/simd.hpp")),
        (false, include_str!("shim/memory.hpp")),
        (false, include_str!("shim/assembly.hpp")),
    ];
    // Directives are read too: a macro may name a function. That comments are
    // costs time only.
    for name in source.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        parts[0].0 |= SPECIAL.contains(&name);
        parts[1].0 |= is_rounding(name);
        parts[2].0 |= is_simd(name);
        parts[3].0 |= is_of_memory(name);
        parts[4].0 |= name == "gpurepl_ptx";
    }
    parts.iter().filter(|(is_needed, _)| *is_needed).map(|(_, text)| *text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_gets_the_parts_that_it_mentions() {
        assert_eq!(needed_by("y[i] = sin(x[i]) + __float2int_rz(x[i]) + __fadd_rn(x[i], 1.0f);"), "");
        assert!(needed_by("y[i] = normcdf(x[i]);").contains("double normcdf("));
        assert_eq!(needed_by("renew(p); newest = p;"), "");
        assert!(needed_by("p = new (s) int(1);").contains("#include <new>"));
        assert!(needed_by("#define UP __fadd_ru\ny[i] = UP(x[i], 1);").contains("gpurepl_sum"));
        assert!(needed_by("y[i] = __double2float_rd(x[i]);").contains("gpurepl_to_float"));
        assert!(needed_by("y[i] = __vadd4(x[i], 1);").contains("GPUREPL_LANES"));
    }
}
