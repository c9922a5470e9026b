//! What there is to say about a name.

use gpurepl_wire::MimeBundle;

use super::context::{self, Place};
use super::definitions::{Definition, Known};
use super::infer::{self, Scope};
use super::{AnalyserState, CandidateKind as Kind, Level, markdown, standard, table};
use crate::cell_name::cell_name;
use crate::commands::magic::MAGICS;
use crate::{commands, names};

/// What is known of a name.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Rust that says what it is: a signature, a type.
    heading: String,
    /// Markdown.
    doc: String,
    /// Its text, if that was requested and is known.
    source: Option<String>,
    /// Whether nobody knows better.
    pub(super) is_certain: bool,
}

impl Answer {
    /// The answer as plain text and as Markdown.
    pub(super) fn bundle(&self) -> MimeBundle {
        let code = |text: &str| format!("```rust\n{text}\n```\n");
        let mut plain = self.heading.clone();
        let mut marked = if self.heading.is_empty() { String::new() } else { code(&self.heading) };
        if !self.doc.is_empty() {
            let text = markdown::plain(&self.doc);
            plain = if plain.is_empty() { text } else { format!("{plain}\n\n{text}") };
            marked.push_str(&format!("\n{}\n", markdown::portable(&self.doc)));
        }
        if let Some(source) = &self.source {
            plain.push_str(&format!("\n\n{source}"));
            marked.push_str(&format!("\n{}", code(source)));
        }
        MimeBundle::text(plain).with("text/markdown", marked)
    }
}

/// A bundle of what the analyser says, which is Markdown.
pub(super) fn of_analyser(text: String) -> MimeBundle {
    MimeBundle::text(markdown::plain(&text)).with("text/markdown", markdown::portable(&text))
}

/// What is known of the name that the cursor is in or after.
pub(super) fn inspect(known: &Known, source: &str, at: usize, level: Level) -> Option<Answer> {
    // To the end of the name: the cursor may be within it.
    let rest = &source[at..];
    let end = at + (rest.len() - rest.trim_start_matches(context::is_part).len());
    let mut text = source[..end].trim_end_matches(['!', '?']).trim_end();
    // Among arguments it is about the function that they are for.
    for _ in 0..MOST_CALLS {
        let found = at_end(known, text, level == Level::Source);
        if found.is_some() {
            return found;
        }
        text = context::called(text)?;
    }
    None
}

/// Calls within calls that are looked at.
const MOST_CALLS: usize = 8;

/// What is known of the name that a text ends with.
fn at_end(known: &Known, text: &str, wants_source: bool) -> Option<Answer> {
    let scope = Scope::new(known, text);
    match context::at(text, text.len()) {
        Place::Command { word } => {
            let found = commands::find(word)?;
            let doc = format!("It {}.", found.help);
            let heading = format!(":{} {}", found.name, found.arguments).trim_end().to_owned();
            Some(Answer { heading, doc, is_certain: true, source: None })
        }
        Place::Magic { word } => {
            let found = MAGICS.iter().find(|magic| magic.name == word)?;
            let heading = format!("%{} {}", found.name, found.arguments).trim_end().to_owned();
            Some(Answer { heading, doc: format!("It {}.", found.help), is_certain: true, source: None })
        }
        Place::Variable { word } if !word.is_empty() => name(&scope, word, wants_source),
        Place::Member { receiver, word } if !word.is_empty() => {
            let of = scope.type_of(receiver);
            member(&scope, of.as_deref().map(infer::name), word, wants_source)
        }
        Place::Path { path, word } if !word.is_empty() => match infer::name(path) {
            "gpurepl_prelude" => name(&scope, word, wants_source),
            owner => member(&scope, Some(owner), word, wants_source),
        },
        Place::Word { word } if !word.is_empty() => name(&scope, word, wants_source),
        _ => None,
    }
}

fn of_entry(entry: &table::Entry, wants_source: bool) -> Answer {
    let source = if wants_source { entry.source() } else { None };
    let heading = if entry.owner.is_empty() || entry.kind == Kind::Variant {
        entry.signature.to_owned()
    } else {
        format!("// of {}\n{}", entry.owner, entry.signature)
    };
    Answer { heading, doc: entry.doc.to_owned(), source, is_certain: true }
}

fn of_item(item: &Definition, wants_source: bool) -> Answer {
    let source = wants_source.then(|| item.source.clone());
    let cell = if item.cell == 0 { "this cell".to_owned() } else { cell_name(item.cell) };
    let heading = format!("{}  // {cell}", item.signature);
    Answer { heading, doc: item.doc.clone(), source, is_certain: true }
}

/// What belongs to a type, or, if the type is not known, to some type.
fn member(scope: &Scope<'_>, owner: Option<&str>, word: &str, wants_source: bool) -> Option<Answer> {
    let Some(owner) = owner else {
        let entry = table::named("GpuArray", word).next()?;
        return Some(Answer { is_certain: false, ..of_entry(entry, wants_source) });
    };
    if let Some(item) = scope.items().find(|item| item.owner == owner && item.name == word) {
        return Some(of_item(item, wants_source));
    }
    if let Some(entry) = table::named(owner, word).next() {
        return Some(of_entry(entry, wants_source));
    }
    let method = standard::methods(owner).find(|method| method.name == word)?;
    let heading = format!("// of {owner}\nfn {}", method.signature);
    Some(Answer { heading, doc: method.doc.to_owned(), ..Answer::default() })
}

/// A name on its own.
fn name(scope: &Scope<'_>, word: &str, wants_source: bool) -> Option<Answer> {
    if let Some(variable) = scope.known.variable(word) {
        let mutability = if variable.is_mutable { "mut " } else { "" };
        let heading =
            format!("let {mutability}{word}: {};  // {}", variable.shown_type(), cell_name(variable.cell));
        let owner = infer::name(&variable.type_name);
        let of_type = table::named("", owner).next().map(|entry| entry.doc.to_owned());
        let own = || scope.items().find(|item| item.owner.is_empty() && item.name == owner);
        let doc = of_type.or_else(|| own().map(|item| item.doc.clone())).unwrap_or_default();
        let doc = doc.split("\n\n").next().unwrap_or_default().to_owned();
        let source = if wants_source { own().map(|item| item.source.clone()) } else { None };
        return Some(Answer { heading, doc, source, is_certain: true });
    }
    if let Some(item) = scope.items().find(|item| item.owner.is_empty() && item.name == word) {
        let mut answer = of_item(item, wants_source);
        let parts: Vec<&str> = scope
            .items()
            .filter(|part| part.owner == word && part.kind != Kind::Field)
            .map(|part| part.signature.as_str())
            .collect();
        if !parts.is_empty() {
            answer.heading = format!("{}\n{}", answer.heading, parts.join("\n"));
        }
        return Some(answer);
    }
    let entries: Vec<&table::Entry> = table::named("", word).collect();
    if let Some(first) = entries.first() {
        // A name may be a function and a module.
        let mut answer = of_entry(first, wants_source);
        for other in &entries[1..] {
            answer.heading = format!("{}\n{}", answer.heading, other.signature);
        }
        return Some(answer);
    }
    if let Some((_, path)) = scope.known.imported().find(|(name, _)| *name == word) {
        return Some(Answer { heading: format!("use {path};"), ..Answer::default() });
    }
    if let Some((_, _, doc)) = standard::TOP.iter().find(|(name, ..)| *name == word) {
        return Some(Answer { heading: word.to_owned(), doc: (*doc).to_owned(), ..Answer::default() });
    }
    names::KEYWORDS.contains(&word).then(|| Answer {
        heading: word.to_owned(),
        doc: "A word of Rust's own; see <https://doc.rust-lang.org/std/#keywords>.".to_owned(),
        ..Answer::default()
    })
}

/// What is said where nothing is known: names that are alike, and what would
/// help.
pub(super) fn nothing(known: &Known, path: &str, analyser: &AnalyserState) -> String {
    let word = path.trim_end_matches(['!', '(', ')']).rsplit(['.', ':']).next().unwrap_or(path);
    let mut all: Vec<&str> = known.variables.iter().map(|variable| variable.name.as_str()).collect();
    all.extend(known.items().iter().map(|item| item.name.as_str()));
    all.extend(table::top().map(|entry| entry.name));
    for name in members_named(path) {
        all.push(name);
    }
    all.sort_unstable();
    all.dedup();
    // Of a short name every short name is near.
    let limit = word.chars().count() / 3;
    let mut near: Vec<(usize, &str)> = all
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(name, word), name))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_unstable();
    let mut text = format!("nothing is known about `{path}`");
    if !near.is_empty() {
        let names: Vec<String> = near.iter().take(3).map(|(_, name)| format!("`{name}`")).collect();
        text.push_str(&format!("; did you mean {}?", names.join(" or ")));
    }
    let elsewhere: Vec<String> = table::anywhere(word)
        .filter(|entry| !entry.owner.is_empty())
        .take(3)
        .map(|entry| format!("`{}::{}`", entry.owner, entry.name))
        .collect();
    if !elsewhere.is_empty() {
        text.push_str(&format!("\n  = note: there is {}", elsewhere.join(", ")));
    }
    match analyser {
        AnalyserState::Ready => {}
        AnalyserState::Starting => text.push_str(
            "\n  = help: the analyser, which knows the standard library, is still starting: try again in a few seconds",
        ),
        AnalyserState::Stopped => text.push_str("\n  = help: the standard library is documented at https://doc.rust-lang.org/std"),
        AnalyserState::Failed(reason) => text.push_str(&format!(
            "\n  = note: the analyser, which knows the standard library, does not run: {reason}\n  \
             = help: the standard library is documented at https://doc.rust-lang.org/std"
        )),
    }
    text
}

/// The names of what belongs to the owner that a path names.
fn members_named(path: &str) -> impl Iterator<Item = &'static str> + use<> {
    let owner = path.rsplit_once("::").map_or("GpuArray", |(owner, _)| owner);
    let owner = infer::name(owner).to_owned();
    let entries: Vec<&'static str> = table::members(&owner).map(|entry| entry.name).collect();
    entries.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Definitions, Item, Variable};

    fn known() -> Known {
        let text = "/// Twice as much.\nfn twice(x: f32) -> f32 { 2.0 * x }";
        let variables = vec![Variable {
            name: "a".to_owned(),
            type_name: "GpuArray<f32>".to_owned(),
            is_mutable: true,
            cell: 2,
        }];
        let items = vec![Item { text: text.to_owned(), cell: 3 }];
        Known::new(variables, Definitions { items, ..Definitions::default() })
    }

    fn told(source: &str, at: usize, level: Level) -> String {
        let answer = inspect(&known(), source, at, level).unwrap_or_else(|| panic!("{source}"));
        answer.bundle().get("text/plain").unwrap().to_owned()
    }

    #[test]
    fn names_are_explained_wherever_the_cursor_is_in_them() {
        for at in [4, 6, 9] {
            let text = told("2 * zeros(3)", at, Level::Documentation);
            assert!(text.starts_with("pub fn zeros<T: Elem>") && text.contains("\n\n"), "{text}");
        }
        assert!(told("a.reshape((2, 3))", 4, Level::Documentation).contains("pub fn reshape"));
        assert!(told("GpuArray::sum", 13, Level::Documentation).contains("pub fn sum"));
        assert!(told("elementwise!", 12, Level::Documentation).contains("statement"));
        assert!(told(":vars", 5, Level::Documentation).starts_with(":vars"));
    }

    #[test]
    fn among_arguments_the_function_is_explained() {
        for source in ["zeros::<f32>(", "zeros::<f32>((2, 3", "let b = zeros(3, ", "f(1, zeros( "] {
            let text = told(source, source.len(), Level::Documentation);
            assert!(text.starts_with("pub fn zeros<T: Elem>"), "{source}: {text}");
        }
        assert!(told("twice(1.0, ", 11, Level::Documentation).starts_with("fn twice"));
        assert!(told("a.reshape((2, ", 14, Level::Documentation).contains("pub fn reshape"));
        assert!(told("%timeit", 7, Level::Documentation).starts_with("%timeit"));
        for source in ["let b = [1, ", "zeros(3); ", "(1, ", "{ "] {
            assert!(inspect(&known(), source, source.len(), Level::Documentation).is_none(), "{source}");
        }
    }

    #[test]
    fn variables_and_items_of_the_session_are_explained() {
        let text = told("a", 1, Level::Documentation);
        assert!(text.starts_with("let mut a: GpuArray<f32>;  // cell 2\n\n"), "{text}");
        let text = told("twice", 5, Level::Documentation);
        assert_eq!(text, "fn twice(x: f32) -> f32  // cell 3\n\nTwice as much.");
        assert!(told("twice", 5, Level::Source).ends_with("fn twice(x: f32) -> f32 { 2.0 * x }"));
        assert!(told("zeros", 5, Level::Source).contains("pub fn zeros<T: Elem>"));
    }

    #[test]
    fn a_miss_names_what_is_alike() {
        assert!(inspect(&known(), "zerros", 6, Level::Documentation).is_none());
        let text = nothing(&known(), "zerros", &AnalyserState::Stopped);
        assert!(text.contains("did you mean `zeros`") && text.contains("doc.rust-lang.org"), "{text}");
        assert!(nothing(&known(), "twise", &AnalyserState::Ready).contains("`twice`"));
        for short in ["v", "", "zz"] {
            let text = nothing(&known(), short, &AnalyserState::Ready);
            assert!(!text.contains("did you mean"), "{text}");
        }
    }
}
