//! Advice for messages that rustc cannot word: it does not know that these
//! are arrays, and what someone who comes from NumPy, PyCUDA or C meant.
//!
//! Advice is the user's own line as it is written here, wherever that can be
//! said. It is found by the code of rustc's message, by the user's text at the
//! place, and by as few of rustc's words as tell one mistake from another.
//! Where these words change, nothing is found and rustc's message stands.
//!
//! | file | what it is about |
//! |---|---|
//! | `foreign/` | lines of Python, C and the system's shell, which do not parse |
//! | `modules` | `time.time()`, `os.listdir(".")` |
//! | `names` | names that are not there: `np.sin(a)`, `len(v)`, `PI` |
//! | `collections` | `set(v)`, `dict(a=1)`, `tuple(v)` |
//! | `numpy` | the table of NumPy's names |
//! | `ufuncs` | `np.add.reduce(a)` |
//! | `methods` | `a.argmax()`, `a.T`, `a.size` |
//! | `calls` | `m.sum(0)`, `zeros(3, 4)`, `f.launch(1, 4, &a, 4)` |
//! | `strings` | `"a".upper()`, `", ".join(v)`, `println!(f"{x}")` |
//! | `lists` | `[1, 2] + [3]`, `"-" * 20` |
//! | `captures` | closures that are called after their cell |
//! | `tables` | `describe(&v)`, `columns(x, y)` |
//! | `operators` | `a > b`, `a ** 2`, `s * &a` |
//! | `updates` | `i /= 2`, `s += x[i]` |
//! | `arithmetic` | `x**2`, `2*np.pi` and `a.T` in what is advised |
//! | `moves` | `x / x.max()`: an array that an operator takes |
//! | `indexing` | `a[0] = 1.0`, `a[&mask]`, `let x = a[1]` |
//! | `types` | `gpu![1, 2.5]`, `let s: f32 = a.sum()`, `maximum(0, &a)` |
//! | `variables` | `x = 5` where `x` is an array, `return 5` |
//! | `kernels` | kernels in Rust: `#[gpu]`, a hidden `thread` |
//! | `plots` | `plot(&x, &y)`, `fig.legend("upper left")` |
//! | `data` | `contour(&x, &y, &z)`, `pie(&sizes, labels=["a"])` |
//! | `keywords` | `plot(&x, color="red", lw=2)` |
//! | `settings` | `fig.set_yscale("symlog")`, `imshow(&z).vmin(0)`, `bar(&y).color(["r", "b"])` |
//! | `grids` | `let (fig, ax) = subplots(1, 2)`, `axes[0][1]`, `axes.title("a")` |
//! | `kinds` | `matshow(&m)`, `stackplot(&x, &a, &b)` |
//! | `pyplot` | `plt.subplots(2, 2)`, `ax.set_title("a")` |
//! | `sparse` | `a.toarray()`, `a[0, 1]` of a sparse matrix, `sparse::spsolve(&a, &b)` |
//! | `pycuda` | classes of the driver's |
//! | `comments` | `a // 2`, which is a comment |
//! | `noise` | what rustc adds that misleads |

mod arithmetic;
mod calls;
mod captures;
mod collections;
mod comments;
mod data;
mod foreign;
mod grids;
mod indexing;
mod kernels;
mod keywords;
mod kinds;
mod lists;
mod methods;
mod modules;
mod moves;
mod names;
pub(super) mod noise;
mod numpy;
mod operators;
mod place;
mod plots;
mod pycuda;
mod pyplot;
mod settings;
mod sparse;
mod strings;
mod tables;
mod types;
mod ufuncs;
mod updates;
mod variables;

pub(super) use comments::division;
pub(super) use foreign::line as foreign_line;
pub(super) use place::{Scope, closing, end_of_expression, receiver_start};

use std::ops::Range;

use super::compile::Message;
use crate::diagnostic::Label;

/// A message, and what the user has written where it points.
pub(super) struct Mistake<'m> {
    pub(super) message: &'m Message,
    /// The cell's text, and the place in it.
    pub(super) text: &'m str,
    pub(super) range: Range<usize>,
    pub(super) scope: &'m Scope<'m>,
    /// All places in the cell's text that the message speaks of.
    pub(super) marks: &'m [Label],
}

impl<'m> Mistake<'m> {
    /// The first name that the message quotes.
    fn quoted(&self) -> &'m str {
        self.message.message.split('`').nth(1).unwrap_or_default()
    }

    /// The text that the message points at.
    fn words(&self) -> &'m str {
        self.text.get(self.range.clone()).unwrap_or_default()
    }

    fn line_start(&self) -> usize {
        let before = self.text.get(..self.range.start).unwrap_or_default();
        before.rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The line that it points into.
    fn line(&self) -> &'m str {
        self.text[self.line_start()..].lines().next().unwrap_or_default()
    }

    /// Where the place starts in the line, in bytes.
    fn column(&self) -> usize {
        (self.range.start - self.line_start()).min(self.line().len())
    }

    fn labels(&self) -> impl Iterator<Item = &'m str> {
        self.message.spans.iter().filter_map(|span| span.label.as_deref())
    }

    /// All that the message says.
    fn all(&self) -> String {
        let children = self.message.children.iter().map(|child| child.message.as_str());
        let all: Vec<&str> =
            std::iter::once(self.message.message.as_str()).chain(self.labels()).chain(children).collect();
        all.join("\n")
    }
}

/// The subjects, the first of which that knows something answers.
const SUBJECTS: &[fn(&Mistake<'_>) -> Option<String>] = &[
    names::in_print,
    pycuda::advice,
    kernels::advice,
    grids::advice,
    settings::advice,
    plots::advice,
    sparse::advice,
    captures::advice,
    tables::advice,
    strings::advice,
    names::advice,
    methods::advice,
    calls::advice,
    indexing::advice,
    operators::advice,
    types::advice,
    variables::advice,
    of_suffix,
    missing_crate,
];

/// Advice for a message, if it is about something of gpurepl's.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    let help = SUBJECTS.iter().find_map(|subject| subject(mistake))?;
    Some(arithmetic::in_advice(mistake.scope, help))
}

/// What is said of `axis=0`, unless the call has better advice.
const KEYWORD: &str = "functions take no keyword arguments; arguments are identified by their order";

/// Whether advice is about a part of a call: the call may have better.
pub(super) fn is_part(help: &str) -> bool {
    help == KEYWORD || help.starts_with("the type is `")
}

/// A form as a sentence.
fn written(form: String) -> String {
    if form.starts_with('`') && form.ends_with('`') { format!("write {form}") } else { form }
}

/// A form, and why it is that one.
fn said(why: &str, form: &str) -> String {
    if why.is_empty() { format!("write `{form}`") } else { format!("{why}: `{form}`") }
}

/// A number with a suffix of C's or Python's.
fn of_suffix(mistake: &Mistake<'_>) -> Option<String> {
    if !mistake.message.message.starts_with("invalid suffix") {
        return None;
    }
    foreign::suffix(mistake.words())
}

/// The crate that the compiler takes for missing.
fn missing_crate(mistake: &Mistake<'_>) -> Option<String> {
    let starts = ["you might be missing a crate named `", "if you wanted to use a crate named `"];
    let all = mistake.all();
    let rest = starts.iter().find_map(|start| all.split_once(start))?.1;
    let (name, _) = rest.split_once('`')?;
    Some(format!("`:dep {name}` adds the crate, if that is what `{name}` is"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rustc::compile::{Code, Span};

    fn message(code: &str, text: &str, label: &str) -> Message {
        let span = Span {
            file_name: String::new(),
            line_start: 1,
            line_end: 1,
            column_start: 1,
            column_end: 1,
            is_primary: true,
            label: Some(label.to_owned()),
            suggested_replacement: None,
            expansion: None,
            text: Vec::new(),
        };
        Message {
            message: text.to_owned(),
            code: Some(Code { code: code.to_owned() }),
            level: "error".to_owned(),
            spans: vec![span],
            children: Vec::new(),
        }
    }

    /// rustc's messages about lines of Python: the code, the text and the label of the place, the
    /// line, what the place is, and what is advised.
    const TABLE: &[(&str, &str, &str, &str, &str, &str)] = &[
        (
            "E0425",
            "cannot find value `plt` in this scope",
            "",
            "plt.subplots(2,2)",
            "plt",
            "`let axes = subplots(2, 2);`",
        ),
        (
            "E0425",
            "cannot find value `plt` in this scope",
            "",
            "plt.hist(x, bins=30)",
            "plt",
            "`hist(&x, 30)`",
        ),
        ("E0425", "cannot find value `ax` in this scope", "", "ax.plot(x, y)", "ax", "`plot((&x, &y))`"),
        ("E0425", "cannot find value `df` in this scope", "", "df.head()", "df", "`describe(&x)`"),
        ("E0425", "cannot find value `ls` in this scope", "", "ls", "ls", "`!ls`"),
        (
            "E0425",
            "cannot find value `ls` in this scope",
            "",
            "files = !ls",
            "ls",
            "`let files = String::from_utf8(",
        ),
        (
            "E0425",
            "cannot find function `tqdm` in this scope",
            "",
            "tqdm(range(5))",
            "tqdm",
            "`progress(0..5)`",
        ),
        (
            "E0425",
            "cannot find function `enumerate` in this scope",
            "",
            "enumerate(x)",
            "enumerate",
            "`x.to_vec().into_iter().enumerate()`",
        ),
        (
            "E0425",
            "cannot find function `zip` in this scope",
            "",
            "zip(x, y)",
            "zip",
            "`x.to_vec().into_iter().zip(y.to_vec())`",
        ),
        ("E0425", "cannot find value `np` in this scope", "", "np.exp(-x**2)", "np", "`(-x.pow(2)).exp()`"),
        (
            "E0425",
            "cannot find value `np` in this scope",
            "",
            "np.linspace(0, 2*np.pi, 100)",
            "np",
            "`linspace(0.0, 2.0*std::f64::consts::PI, 100)`",
        ),
        ("E0614", "type `{integer}` cannot be dereferenced", "", "2 * x ** 2", "* 2", "`x.pow(2)`"),
        (
            "E0599",
            "no method named `plot` found for struct `GpuArray<T>` in the current scope",
            "",
            "x.plot()",
            "plot",
            "`plot(&x)`",
        ),
        ("E0369", "cannot multiply `&str` by `{integer}`", "", "\"a\" * 3", "*", "`\"a\".repeat(3)`"),
        ("E0277", "cannot multiply `{integer}` by `&str`", "", "3 * \"a\"", "*", "`\"a\".repeat(3)`"),
        (
            "E0308",
            "mismatched types",
            "expected `GpuArray<f64>`, found integer",
            "x = 5",
            "5",
            "`let x = 5;`",
        ),
        (
            "E0308",
            "mismatched types",
            "expected `Result<(), CellError>`, found integer",
            "return 5",
            "5",
            "a cell's value is its last expression: `5`",
        ),
        (
            "E0308",
            "mismatched types",
            "expected `bool`, found `GpuArray<f64>`",
            "x && y",
            "x",
            "`x.logical_and(&y)`",
        ),
        (
            "E0384",
            "cannot assign twice to immutable variable `x`",
            "",
            "x = x + 1;",
            "x = x + 1",
            "`let x = &x + 1;`",
        ),
        (
            "E0594",
            "cannot assign to `x`, as it is not declared as mutable",
            "cannot assign",
            "x = linspace(0.0, 1.0, 5)",
            "x",
            "`let x = linspace(0.0, 1.0, 5);`",
        ),
        (
            "E0425",
            "cannot find value `time` in this scope",
            "",
            "time.sleep(1)",
            "time",
            "`std::thread::sleep(std::time::Duration::from_secs(1))`",
        ),
        (
            "E0373",
            "closure may outlive the current function, but it borrows `x`, which is owned by the current function",
            "may outlive borrowed value `x`",
            "interact(|k: f64| (&x * k).sum(), 0.0..1.0)",
            "|k: f64|",
            "`let z = x.clone(); interact(move |k: f64| (&z * k).sum(), 0.0..1.0)`",
        ),
        (
            "E0599",
            "no method named `upper` found for reference `&'static str` in the current scope",
            "method not found in `&'static str`",
            "\"a\".upper()",
            "upper",
            "`\"a\".to_uppercase()`",
        ),
        (
            "E0369",
            "cannot add `[{integer}; 1]` to `[{integer}; 3]`",
            "[{integer}; 3]",
            "[1,2,3]+[4]",
            "+",
            "`[&[1, 2, 3][..], &[4]].concat()`; an array's sum is `gpu![1, 2, 3] + 4`",
        ),
        (
            "E0423",
            "expected function, found macro `set`",
            "not a function",
            "set([1, 2])",
            "set",
            "`[1, 2].into_iter().collect::<std::collections::HashSet<_>>()`",
        ),
        (
            "E0423",
            "expected function, found builtin type `str`",
            "not a function",
            "print(\"a\"+str(x))",
            "str",
            "`println!(\"a{}\", x)`",
        ),
        (
            "E0061",
            "this function takes 0 arguments but 1 argument was supplied",
            "unexpected argument",
            "bool(1)",
            "bool",
            "`1 != 0`",
        ),
        (
            "E0308",
            "mismatched types",
            "expected `&GpuArray<_>`, found `&Vec<i32>`",
            "describe(&v)",
            "&v",
            "`describe(&to_gpu(&v))`",
        ),
        (
            "E0277",
            "the trait bound `&Vec<i32>: tables::Columns` is not satisfied",
            "",
            "columns(&x)",
            "&x",
            "`columns(((\"x\", &x),))`",
        ),
        (
            "",
            "prefix `f` is unknown",
            "unknown prefix",
            "println!(f\"{n:.2f}\")",
            "f",
            "`println!(\"{n:.2}\")`",
        ),
    ];

    #[test]
    fn lines_of_python_that_parse_have_advice() {
        let type_of = |name: &str| ["x", "y"].contains(&name).then(|| "GpuArray<f64>".to_owned());
        let scope = Scope { type_of: &type_of };
        for (code, said, label, text, words, help) in TABLE {
            let start = text.find(words).unwrap_or_else(|| panic!("{text}"));
            let message = message(code, said, label);
            let range = start..start + words.len();
            let mistake = Mistake { message: &message, text, range, scope: &scope, marks: &[] };
            let found = advice(&mistake).unwrap_or_else(|| panic!("{text}"));
            assert!(found.contains(help), "{text}: {found}");
        }
    }
}
