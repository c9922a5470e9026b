//! What compilers say about kernels, in the cells that hold their texts.

use gpurepl_wire::{CompileFailure, CompileMessage};

use crate::diagnostic::{Diagnostic, Source};
use crate::kernel_text::{KernelTexts, Literal};

/// Errors of one kernel that are shown: what comes after follows from them.
const SHOWN: usize = 5;

/// A failure whose message has the compiler's words below it, with these on
/// the lines of the cell that holds the kernel's text. None if no cell holds
/// it: it was read from a file, or made when the cell ran.
pub(super) fn in_its_cell<'s>(
    failure: &Diagnostic,
    error: &CompileFailure,
    cells: impl IntoIterator<Item = &'s Source>,
) -> Option<Diagnostic> {
    let texts = KernelTexts::of(cells);
    let literals: Vec<Option<&Literal<'_>>> =
        (0..error.texts.len()).map(|source| holding(&texts, error, source)).collect();
    let place = |message: &CompileMessage| {
        let literal = (*literals.get(message.source)?)?;
        Some((literal, literal.word(message.line, message.column)?))
    };
    let name = |message: &CompileMessage| {
        let name = error.texts.get(message.source).map_or("kernel.cu", |(name, _)| name);
        format!("{name} line {}", message.line)
    };
    let first = error.messages.iter().find(|message| message.is_error)?;
    place(first)?;

    let summary = format!("{} does not compile", error.what);
    // Around it may stand the words of a panic, or of another error.
    let head = match failure.message.find(&summary) {
        Some(at) => &failure.message[..at],
        None => "",
    };
    let mut shown = Diagnostic {
        message: format!("{head}{summary}: {}", first.text),
        labels: Vec::new(),
        sources: Vec::new(),
        ..failure.clone()
    };
    for message in error.messages.iter().take(SHOWN) {
        let at = name(message);
        let text = if message == first { at.clone() } else { format!("{} ({at})", message.text) };
        match place(message) {
            Some((literal, range)) => literal.label(&mut shown, range, text, message.is_error),
            None => shown.notes.push(format!("{at}: {}", message.text)),
        }
        shown.notes.extend(message.generated.clone());
    }
    if error.messages.len() > SHOWN {
        shown.notes.push(format!("... and {} more", error.messages.len() - SHOWN));
    }
    // Then the call that had it compiled, unless the text stands in it.
    for label in &failure.labels {
        let holds = |literal: &&Literal<'_>| {
            literal.cell() == label.cell && label.range.contains(&literal.range().start)
        };
        if !literals.iter().flatten().any(holds) {
            let mut label = label.clone();
            (label.text, label.is_primary) = ("compiled here".to_owned(), false);
            shown.labels.push(label);
        }
    }
    let missing = failure.sources.iter().filter(|source| {
        shown.labels.iter().any(|label| label.cell == source.cell)
            && !shown.sources.iter().any(|known| known.cell == source.cell)
    });
    let missing: Vec<Source> = missing.cloned().collect();
    shown.sources.extend(missing);
    Some(shown)
}

/// The literal that holds one of a kernel's texts.
fn holding<'k, 't>(
    texts: &'k KernelTexts<'t>,
    error: &CompileFailure,
    source: usize,
) -> Option<&'k Literal<'t>> {
    let others = error.texts.iter().enumerate().filter(|(k, (_, text))| *k != source && !text.is_empty());
    let mut company: Vec<&str> = others.map(|(_, (_, text))| text.as_str()).collect();
    if error.texts.len() > 1 {
        company.push(&error.what);
    }
    texts.holding(&error.texts[source].1, &company)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn cell(number: u64, text: &str) -> Source {
        Source { cell: number, name: format!("cell {number}"), text: text.to_owned(), first_line: 1 }
    }

    fn message(text: &str, source: usize, line: usize, column: usize) -> CompileMessage {
        CompileMessage { is_error: true, text: text.to_owned(), source, line, column, generated: None }
    }

    /// How a failure of the last cell is shown, whose call starts with
    /// `call`.
    fn check(cells: &[Source], call: &str, error: &CompileFailure, expected: Expect) {
        let last = cells.last().unwrap();
        let at = last.text.find(call).unwrap();
        let failure = Diagnostic::error(format!("{} does not compile\nerror: below", error.what))
            .at(last.clone(), at..at + call.len());
        let shown = in_its_cell(&failure, error, cells);
        expected.assert_eq(&shown.map_or("not found".to_owned(), |shown| shown.render(false)));
    }

    fn kernel(text: &str, messages: Vec<CompileMessage>) -> CompileFailure {
        let texts = vec![("kernel.cu".to_owned(), text.to_owned())];
        CompileFailure { what: "kernel".to_owned(), texts, messages }
    }

    #[test]
    fn an_error_is_shown_in_the_cell_that_holds_the_text() {
        let text = "\n__global__ void f(float *größe) {\n    größe[0] = missing;\n}\n";
        let cells = [
            cell(1, &format!("// Größe\nconst SOURCE: &str = r#\"{text}\"#;")),
            cell(2, "let m = SourceModule::new(SOURCE)?;"),
        ];
        let error = kernel(text, vec![message("identifier \"missing\" is undefined", 0, 3, 18)]);
        check(
            &cells,
            "SourceModule::new(SOURCE)?",
            &error,
            expect![[r#"
            error: kernel does not compile: identifier "missing" is undefined
             --> cell 1:4:16
              |
            4 |     größe[0] = missing;
              |                ^^^^^^^ kernel.cu line 3
              |
             ::: cell 2:1:9
              |
            1 | let m = SourceModule::new(SOURCE)?;
              |         -------------------------- compiled here"#]],
        );
    }

    #[test]
    fn several_errors_are_several_places() {
        let text = "__global__ void f(int *a) { a[0] = x; }\n__device__ int g() { return y; }";
        let cells = [cell(1, &format!("SourceModule::new({text:?})?;"))];
        let mut error = kernel(text, vec![message("no x", 0, 1, 36), message("no y", 0, 2, 0)]);
        check(
            &cells,
            cells[0].text.trim_end_matches(';'),
            &error,
            expect![[r#"
                error: kernel does not compile: no x
                 --> cell 1:1:55
                  |
                1 | SourceModule::new("__global__ void f(int *a) { a[0] = x; }\n__device__ int g() { return y; }")?;
                  |                                                       ^     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ no y (kernel.cu line 2)
                  |                                                       |
                  |                                                       kernel.cu line 1"#]],
        );
        error.messages = (0..8).map(|k| message("no x", 0, 1, 1 + k)).collect();
        let shown = in_its_cell(&Diagnostic::error("x"), &error, &cells).unwrap();
        assert_eq!((shown.labels.len(), shown.notes.join("")), (5, "... and 3 more".to_owned()));
    }

    #[test]
    fn an_operation_that_stops_too_early_is_marked_at_its_end() {
        let cells = [
            cell(1, "let k = ElementwiseKernel::new(\"float *x\", \"x[i] = 2*\", \"twice\")?;"),
            cell(2, "let mut x = zeros::<f32>(2);\nk.call(&mut x)?;"),
        ];
        let texts = [("operation", "x[i] = 2*"), ("loop_prep", ""), ("preamble", "int f();")];
        let texts = texts.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec();
        let messages = vec![message("expected an expression", 0, 1, 10), message("f", 2, 1, 1)];
        let error = CompileFailure { what: "twice".to_owned(), texts, messages };
        check(
            &cells,
            "k.call(&mut x)?",
            &error,
            expect![[r#"
            error: twice does not compile: expected an expression
             --> cell 1:1:54
              |
            1 | let k = ElementwiseKernel::new("float *x", "x[i] = 2*", "twice")?;
              |                                                      ^ operation line 1
              |
             ::: cell 2:2:1
              |
            2 | k.call(&mut x)?;
              | --------------- compiled here
              |
              = note: preamble line 1: f"#]],
        );
    }

    #[test]
    fn an_error_of_a_template_shows_the_generated_line() {
        let text = "{% for i in range(2) %}\n  a[{{ i }}] = x;\n{% endfor %}";
        let cells = [cell(1, &format!("SourceModule::template(r\"{text}\", context! {{}})?;"))];
        let mut message = message("no x", 0, 2, 16);
        message.generated = Some("line 3 of the generated text: `a[0] = x;`".to_owned());
        let error = CompileFailure {
            texts: vec![("template".to_owned(), text.to_owned())],
            ..kernel("", vec![message])
        };
        check(
            &cells,
            &cells[0].text,
            &error,
            expect![[r#"
            error: kernel does not compile: no x
             --> cell 1:2:16
              |
            2 |   a[{{ i }}] = x;
              |                ^ template line 2
              |
              = note: line 3 of the generated text: `a[0] = x;`"#]],
        );
    }

    #[test]
    fn what_no_cell_holds_stays_as_it_is() {
        let cells = [cell(1, "let a = \"ab\"; let b = \"ab\"; SourceModule::new(&format!(\"{a}{b}\"))?;")];
        let error = |text| kernel(text, vec![message("no", 0, 1, 1)]);
        check(&cells, "SourceModule", &error("abab"), expect!["not found"]);
        check(&cells, "SourceModule", &error("ab"), expect!["not found"]);
        check(&cells, "SourceModule", &kernel("{a}{b}", Vec::new()), expect!["not found"]);
    }

    #[test]
    fn the_words_around_an_error_stay() {
        let cells = [cell(1, "SourceModule::new(\"x\").unwrap();")];
        let words = "panic: called `Result::unwrap()` on an `Err` value: kernel does not compile\nerror: no";
        let error = kernel("x", vec![message("no", 0, 1, 1)]);
        let shown = in_its_cell(&Diagnostic::error(words), &error, &cells).unwrap();
        assert_eq!(
            shown.message,
            "panic: called `Result::unwrap()` on an `Err` value: kernel does not compile: no"
        );
    }
}
