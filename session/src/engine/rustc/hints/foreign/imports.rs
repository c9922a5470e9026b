//! Python's imports, and what there is without one.

use super::{Found, after_word, around_word, word_of};
use crate::names;

/// Modules, and what is said of them.
#[rustfmt::skip]
const MODULES: &[(&[&str], &str)] = &[
    (&["numpy", "cupy", "np", "cp"], "arrays need no import: `gpu![1.0, 2.0]`, `zeros::<f32>((3, 4))`, `a.sin()`"),
    (&["pycuda"], "nothing has to be imported or initialized: the first array or kernel opens the device, and `device()` shows it"),
    (&["math", "cmath"], "numbers have these as methods: `f64::sqrt(2.0)`, `2.0_f64.sin()`; `std::f64::consts::PI`"),
    (&["random"], "random arrays need no import: `rand::<f32>(3)`, `randn::<f64>((2, 2))`, `seed(0)`"),
    (&["matplotlib", "pylab", "seaborn"], "plots need no import: `plot((&x, &y))`, `hist(&x, 10)`, `imshow(&m)`"),
    (&["pandas", "polars"], "tables need no import: `table(&rows)`, `columns(((\"x\", &x), (\"y\", &y)))`, `describe(&x)`"),
    (&["tqdm"], "progress needs no import: `for k in progress(0..10) { .. }`"),
    (&["numba"], "functions are compiled as they are; one with `#[kernel]` in front of `fn` is a kernel"),
    (&["time"], "Rust's clock is `std::time::Instant::now()`; `%time` and `%timeit` measure a line"),
    (&["os", "sys", "pathlib", "subprocess", "shutil"], "the standard library has these: `std::env::current_dir()?`, `std::fs::read_to_string(\"a.txt\")?`; `!COMMAND` runs a command"),
];

/// How classes of PyCUDA's are made, if it is not by their name alone.
const CLASSES: &[(&str, &str)] = &[
    ("SourceModule", "SourceModule::new(source)?"),
    ("ElementwiseKernel", "ElementwiseKernel::new(arguments, operation, name)?"),
    ("ReductionKernel", "ReductionKernel::new(..)?"),
    ("InclusiveScanKernel", "InclusiveScanKernel::<i32>::new(scan_expr, neutral)?"),
    ("ExclusiveScanKernel", "ExclusiveScanKernel::<i32>::new(scan_expr, neutral)?"),
    ("Device", "Device::new(0)?"),
];

/// What is said of a module.
pub(in super::super) fn of_module(module: &str) -> Option<&'static str> {
    MODULES.iter().find(|(modules, _)| modules.contains(&module)).map(|(_, help)| *help)
}

/// `import numpy as np`, `from pycuda.compiler import SourceModule`
pub(super) fn line(line: &str, code: &str) -> Option<Found> {
    let (word, module, imported) = if let Some(rest) = after_word(code, "import") {
        ("import", rest.split([' ', ',', ';']).next()?, "")
    } else {
        let rest = after_word(code, "from")?;
        let (module, imported) = around_word(rest, "import").or_else(|| rest.split_once(" import "))?;
        ("from", module.trim(), imported.trim())
    };
    let module = module.trim_end_matches(';');
    let root = module.split('.').next().unwrap_or(module);
    let first = imported.split([',', ' ']).next().unwrap_or_default();
    let help = if names::PRELUDE.contains(&first) && first.starts_with(char::is_uppercase) {
        let example = CLASSES.iter().find(|(name, _)| *name == first).map_or(first, |(_, example)| example);
        format!("`{first}` is there already: `{example}`")
    } else if let Some(help) = of_module(root) {
        help.to_owned()
    } else {
        format!(
            "names are imported by `use path::name;`; `:dep {root}` adds a crate of that name, if there is one"
        )
    };
    Some(Found::new(line, word_of(line, word), help))
}
