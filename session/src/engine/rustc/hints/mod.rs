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
//! | `foreign/` | lines of Python and C, which do not parse |
//! | `names` | names that are not there: `np.sin(a)`, `len(v)`, `PI` |
//! | `numpy` | the table of NumPy's names |
//! | `ufuncs` | `np.add.reduce(a)` |
//! | `methods` | `a.argmax()`, `a.T`, `a.size` |
//! | `calls` | `m.sum(0)`, `zeros(3, 4)`, `f.launch(1, 4, &a, 4)` |
//! | `operators` | `a > b`, `a ** 2`, `i /= 2`, `s * &a` |
//! | `moves` | `x / x.max()`: an array that an operator takes |
//! | `indexing` | `a[0] = 1.0`, `a[&mask]`, `let x = a[1]` |
//! | `types` | `gpu![1, 2.5]`, `let s: f32 = a.sum()`, `maximum(0, &a)` |
//! | `kernels` | kernels in Rust: `#[gpu]`, a hidden `thread` |
//! | `plots` | `plot(&x, &y)`, `fig.legend("upper left")`, `let (fig, ax) = subplots(1, 2)` |
//! | `sparse` | `a.toarray()`, `a[0, 1]` of a sparse matrix, `sparse::spsolve(&a, &b)` |
//! | `pycuda` | classes of the driver's |
//! | `comments` | `a // 2`, which is a comment |
//! | `noise` | what rustc adds that misleads |

mod calls;
mod comments;
mod foreign;
mod indexing;
mod kernels;
mod methods;
mod moves;
mod names;
pub(super) mod noise;
mod numpy;
mod operators;
mod place;
mod plots;
mod pycuda;
mod sparse;
mod types;
mod ufuncs;

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
    pycuda::advice,
    kernels::advice,
    plots::advice,
    sparse::advice,
    names::advice,
    methods::advice,
    calls::advice,
    indexing::advice,
    operators::advice,
    types::advice,
    of_suffix,
    missing_crate,
];

/// Advice for a message, if it is about something of gpurepl's.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    SUBJECTS.iter().find_map(|subject| subject(mistake))
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
