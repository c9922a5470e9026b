//! What the host device finds in a kernel, on lines of the script.

use super::place::Kernels;
use super::report::Place;
use crate::diagnostic::{Diagnostic, Source};

/// How a kernel's fault names its line within the text.
const ARROW: &str = "--> kernel.cu line ";

/// A fault of a kernel with its line as one of the user's texts. What is no
/// fault, or one of a kernel that is not in the texts, stays as it is.
///
/// ```
/// use gpurepl_session::diagnostic::{Diagnostic, Source};
/// let text = "SourceModule::new(\"__global__ void k(int *a) {\n  a[9] = 1;\n}\")?;".to_owned();
/// let script = Source { cell: 0, name: "demo.rs".to_owned(), text, first_line: 1 };
/// let fault = "k: write out of bounds\n --> kernel.cu line 2, thread [0, 0, 0] of block [0, 0, 0]\n  \
///              |\n2 |   a[9] = 1;\n  |";
/// let shown = gpurepl_session::sanitizer::on_lines_of(&[script], &Diagnostic::error(fault)).render(false);
/// assert!(shown.contains("demo.rs:2:3") && !shown.contains("kernel.cu"), "{shown}");
/// ```
pub fn on_lines_of(texts: &[Source], diagnostic: &Diagnostic) -> Diagnostic {
    located(texts, diagnostic).unwrap_or_else(|| diagnostic.clone())
}

fn located(texts: &[Source], diagnostic: &Diagnostic) -> Option<Diagnostic> {
    let (said, shown) = diagnostic.message.split_once(ARROW)?;
    let said = said.trim_end();
    let mut shown = shown.lines();
    let place = shown.next()?;
    let (line, who) = place.split_once(", ").unwrap_or((place, ""));
    let function = said.lines().last()?.split(": ").next()?.to_owned();
    let place = Place { function, line: Some(("kernel.cu".to_owned(), line.parse().ok()?)) };
    // The numbers of these texts are not those of cells.
    let numbered = |(k, text): (u64, &Source)| Source { cell: u64::MAX - k, ..text.clone() };
    let texts: Vec<Source> = (0..).zip(texts).map(numbered).collect();
    let kernels = Kernels::of(&texts);
    let found = kernels.find(&place)?;
    let mut located = Diagnostic { message: said.to_owned(), ..diagnostic.clone() };
    // The kernel's line comes first, the launch after it.
    located.labels.clear();
    located.sources.clear();
    found.label(&mut located, who.to_owned(), true);
    for label in &diagnostic.labels {
        let text = if label.text.is_empty() { "found here" } else { &label.text };
        located.labels.push(crate::diagnostic::Label {
            text: text.to_owned(),
            is_primary: false,
            ..label.clone()
        });
    }
    located.sources.extend(diagnostic.sources.iter().cloned());
    if found.is_ambiguous {
        located.notes.push(format!("several texts here define `{}`; the first is shown", place.name()));
    }
    located
        .notes
        .extend(shown.filter_map(|line| line.trim_start().strip_prefix("= note: ")).map(str::to_owned));
    Some(located)
}
