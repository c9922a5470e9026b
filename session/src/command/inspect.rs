//! What an expression or a name is: `:type`, `:doc`, and the questions
//! `?name`, `name?` and `??name`.

use super::show;
use crate::analysis::{Level, markdown};
use crate::engine::Variable;
use crate::output::Sink;
use crate::session::Session;

/// Names the exact type of an expression, which is not evaluated.
pub(super) fn type_of(session: &mut Session, expression: &str, sink: &mut dyn Sink) -> Result<(), String> {
    if expression.is_empty() {
        return Err("`:type` needs an expression: `:type a.shape()`".to_owned());
    }
    match session.type_of(expression) {
        Some(Ok(of)) => show(of, sink),
        Some(Err(diagnostic)) => {
            // Its first line says that it is an error, as what shows it does.
            let rendered = diagnostic.render(false);
            let rest = rendered.split_once('\n').map_or("", |(_, rest)| rest);
            Err(format!("{}\n{rest}", diagnostic.message).trim_end().to_owned())
        }
        None => {
            Err("this engine cannot show types of expressions; `:vars` shows those of variables".to_owned())
        }
    }
}

/// Shows the documentation of a name.
pub(super) fn doc(session: &mut Session, name: &str, sink: &mut dyn Sink) -> Result<(), String> {
    if name.is_empty() {
        return Err("`:doc` needs a name: `:doc GpuArray::reshape`".to_owned());
    }
    explain(session, name, Level::Documentation, sink)
}

/// Answers a question about a name.
pub(super) fn explain(
    session: &mut Session,
    name: &str,
    level: Level,
    sink: &mut dyn Sink,
) -> Result<(), String> {
    if name.is_empty() {
        return Err(
            "`?` needs a name: `?zeros`, `??zeros` for its source; `:help` lists the commands".to_owned()
        );
    }
    session.example = None;
    let bundle = session.analysis().documentation(name, level)?;
    let marked = bundle.get("text/markdown").unwrap_or_default();
    // The first piece of code is what is asked about.
    session.example = markdown::examples(marked).into_iter().nth(1);
    sink.display(&bundle, false);
    Ok(())
}

/// The name that a text asks about, as IPython has it: `?name`, `name?`, and
/// with two signs for the source text too. What Rust would read otherwise, as
/// `result?` of a variable, is not a question.
pub(crate) fn question<'s>(source: &'s str, variables: &[Variable]) -> Option<(&'s str, Level)> {
    let text = source.trim();
    let (name, signs) = match text.trim_start_matches('?') {
        name if name.len() < text.len() => (name, text.len() - name.len()),
        _ => {
            let name = text.trim_end_matches('?');
            (name, text.len() - name.len())
        }
    };
    let level = match signs {
        1 => Level::Documentation,
        2 => Level::Source,
        _ => return None,
    };
    let name = name.trim();
    let path = name.trim_end_matches('!');
    let is_name = |part: &str| {
        let mut characters = part.chars();
        characters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && characters.all(|c| c.is_alphanumeric() || c == '_')
    };
    let is_path = path.split("::").flat_map(|part| part.split('.')).all(is_name);
    if !is_path {
        // Anything may follow a sign in front, which is not Rust.
        return text.starts_with('?').then_some((name, level));
    }
    let is_tried = |variable: &Variable| {
        let of = variable.type_name.split('<').next().unwrap_or_default();
        variable.name == path && ["Result", "Option"].iter().any(|name| of.ends_with(name))
    };
    let is_rust = !text.starts_with('?') && (path.contains('.') || variables.iter().any(is_tried));
    (!is_rust || is_method(path, variables)).then_some((name, level))
}

/// Whether a path with a dot names a method rather than a field: nobody tries
/// a method.
fn is_method(path: &str, variables: &[Variable]) -> bool {
    let Some((owner, _)) = path.split_once('.') else { return false };
    variables.iter().any(|variable| variable.name == owner && variable.type_name.contains("GpuArray"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_from_rust() {
        let variable = |name: &str, of: &str| Variable {
            name: name.to_owned(),
            type_name: of.to_owned(),
            is_mutable: false,
            cell: 1,
        };
        let variables = [variable("r", "std::result::Result<u8, String>"), variable("a", "GpuArray<f32>")];
        let ask = |source| question(source, &variables);
        assert_eq!(ask("?zeros"), Some(("zeros", Level::Documentation)));
        assert_eq!(ask(" zeros? "), Some(("zeros", Level::Documentation)));
        assert_eq!(ask("??GpuArray::sum"), Some(("GpuArray::sum", Level::Source)));
        assert_eq!(ask("gpu!??"), Some(("gpu!", Level::Source)));
        assert_eq!(ask("a.reshape?"), Some(("a.reshape", Level::Documentation)));
        for rust in ["r?", "f()?", "file.read(1)?", "p.result?", "1 + 1", "zeros", "a ? b", "x???"] {
            assert_eq!(ask(rust), None, "{rust}");
        }
        assert_eq!(ask("?r"), Some(("r", Level::Documentation)));
    }
}
