//! The ways to go on at a place, by our own tables.

use super::context::{self, Place};
use super::definitions::{Definition, Known};
use super::infer::{self, Scope};
use super::{Candidate, CandidateKind as Kind, Completions, markdown, standard, table};
use crate::commands::magic::MAGICS;
use crate::engine::Variable;
use crate::{commands, names};

/// The ways to go on at a byte of the source.
pub(super) fn complete(known: &Known, source: &str, at: usize) -> Completions {
    let before = &source[..at];
    let (word, mut items) = match context::at(source, at) {
        Place::Command { word } => (word, commands(true)),
        Place::Magic { word } => (word, magics()),
        Place::Variable { word } => (word, variables(known)),
        Place::Argument { command, spec, word } => arguments(command, spec, word),
        Place::Member { receiver, word } => (word, members(&Scope::new(known, before), receiver)),
        Place::Path { path, word } => (word, of_path(&Scope::new(known, before), path)),
        Place::Word { word } if word.is_empty() => (word, Vec::new()),
        Place::Word { word } => (word, words(&Scope::new(known, before))),
        Place::File { path } => files(path),
        Place::Nothing => ("", Vec::new()),
    };
    let matching = |candidate: &Candidate| candidate.replacement.starts_with(word);
    if items.iter().any(matching) {
        items.retain(matching);
    } else {
        // What was typed in another case.
        let lower = word.to_lowercase();
        items.retain(|candidate| candidate.replacement.to_lowercase().starts_with(&lower));
    }
    let mut seen = std::collections::HashSet::new();
    items.retain(|candidate| seen.insert(candidate.replacement.clone()));
    Completions { range: at - word.len()..at, items, is_from_analyser: false }
}

/// The analyser's answer with what it cannot know.
pub(super) fn merged(own: Completions, mut better: Completions) -> Completions {
    if better.items.is_empty() {
        return own;
    }
    if own.range != better.range {
        return better;
    }
    // Documentation is in our tables; macros are written with their sign.
    for candidate in &mut better.items {
        if let Some(known) = own.items.iter().find(|known| known.label == candidate.label) {
            if candidate.summary.is_empty() {
                candidate.summary.clone_from(&known.summary);
            }
            if candidate.detail.is_empty() {
                candidate.detail.clone_from(&known.detail);
            }
        }
    }
    // The session's names first, then the prelude's, then all others.
    let rank = |candidate: &Candidate| {
        own.items.iter().position(|known| known.label == candidate.label).unwrap_or(usize::MAX)
    };
    better.items.sort_by_key(rank);
    better
}

fn candidate(name: &str, kind: Kind, detail: &str, doc: &str) -> Candidate {
    let sign = if kind == Kind::Macro && !name.ends_with('!') { "!" } else { "" };
    Candidate {
        replacement: format!("{name}{sign}"),
        label: format!("{name}{sign}"),
        kind,
        detail: detail.to_owned(),
        summary: markdown::summary(doc),
    }
}

fn of_entry(entry: &table::Entry) -> Candidate {
    candidate(entry.name, entry.kind, entry.signature, entry.doc)
}

fn of_item(item: &Definition) -> Candidate {
    candidate(&item.name, item.kind, &item.signature, &item.doc)
}

fn commands(with_aliases: bool) -> Vec<Candidate> {
    let mut all = Vec::new();
    for command in commands::COMMANDS {
        let detail = format!(":{} {}", command.name, command.arguments);
        all.push(candidate(command.name, Kind::Command, detail.trim_end(), command.help));
        if with_aliases {
            let aliases = command.aliases.iter().filter(|alias| alias.starts_with(char::is_alphabetic));
            all.extend(aliases.map(|alias| candidate(alias, Kind::Command, detail.trim_end(), command.help)));
        }
    }
    all
}

/// The magics that there are, those of the system's shell among them.
fn magics() -> Vec<Candidate> {
    let known = MAGICS.iter().map(|magic| {
        candidate(magic.name, Kind::Command, &format!("%{} {}", magic.name, magic.arguments), magic.help)
    });
    let shells = ["sh", "bash"].map(|name| {
        candidate(name, Kind::Command, &format!("%%{name}"), "runs the lines below in the system's shell")
    });
    known.chain(shells).collect()
}

/// The session's variables.
fn variables(known: &Known) -> Vec<Candidate> {
    known.variables.iter().map(of_variable).collect()
}

fn of_variable(variable: &Variable) -> Candidate {
    candidate(&variable.name, Kind::Variable, &variable.shown_type(), "")
}

/// What can follow a command: `[info|clear]` names it, and `COMMAND` and
/// `FILE` say what it is.
fn arguments<'s>(command: &str, spec: &str, word: &'s str) -> (&'s str, Vec<Candidate>) {
    if spec.contains("FILE") {
        return files(word);
    }
    let word = word.rsplit(char::is_whitespace).next().unwrap_or(word);
    if spec.contains("COMMAND") {
        return (word, commands(false));
    }
    let words = spec.split(['[', ']', '|', ' ']).filter(|word| word.starts_with(char::is_lowercase));
    let detail = format!(":{command} {spec}");
    (word, words.map(|word| candidate(word, Kind::Keyword, &detail, "")).collect())
}

/// The files of the folder that a path names.
fn files(path: &str) -> (&str, Vec<Candidate>) {
    let (folder, word) = match path.rfind('/') {
        Some(at) => path.split_at(at + 1),
        None => ("", path),
    };
    let place = match folder.strip_prefix("~/") {
        Some(rest) => std::path::PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(rest),
        None if folder.is_empty() => ".".into(),
        None => folder.into(),
    };
    let mut all: Vec<Candidate> = std::fs::read_dir(place)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_hidden = name.starts_with('.') && !word.starts_with('.');
            let end = if entry.path().is_dir() { "/" } else { "" };
            (!is_hidden).then(|| candidate(&format!("{name}{end}"), Kind::File, "", ""))
        })
        .collect();
    all.sort_by(|a, b| a.label.cmp(&b.label));
    (word, all)
}

/// What belongs to the value of an expression.
fn members(scope: &Scope<'_>, receiver: &str) -> Vec<Candidate> {
    let Some(of) = scope.type_of(receiver) else {
        // An array is the best guess here, and a number has a point.
        let is_number = receiver.starts_with(|c: char| c.is_ascii_digit());
        let is_none = is_number || receiver.is_empty() || scope.is_unknown(receiver);
        return if is_none { Vec::new() } else { of_value(scope, "GpuArray") };
    };
    of_value(scope, infer::name(&of))
}

/// What belongs to a value of a type.
fn of_value(scope: &Scope<'_>, owner: &str) -> Vec<Candidate> {
    let is_of_value = |kind: Kind| matches!(kind, Kind::Method | Kind::Field);
    let mut own: Vec<Candidate> = scope
        .items()
        .filter(|item| item.owner == owner && is_of_value(item.kind))
        .map(of_item)
        .chain(table::members(owner).filter(|entry| is_of_value(entry.kind)).map(of_entry))
        .collect();
    own.sort_by(|a, b| (a.kind, &a.label).cmp(&(b.kind, &b.label)));
    let mut others: Vec<Candidate> = standard::methods(owner)
        .map(|method| candidate(method.name, Kind::Method, &format!("fn {}", method.signature), method.doc))
        .collect();
    others.sort_by(|a, b| a.label.cmp(&b.label));
    own.into_iter().chain(others).collect()
}

/// What belongs to a type or a module.
fn of_path(scope: &Scope<'_>, path: &str) -> Vec<Candidate> {
    let owner = infer::name(path);
    if matches!(path, "gpurepl_prelude" | "::gpurepl_prelude") {
        return table::top().map(of_entry).collect();
    }
    let own = scope.items().filter(|item| item.owner == owner && item.kind != Kind::Field).map(of_item);
    let of_prelude = table::members(owner).filter(|entry| entry.kind != Kind::Field).map(of_entry);
    let standard = standard::methods(owner)
        .map(|method| candidate(method.name, Kind::Method, &format!("fn {}", method.signature), method.doc));
    let mut all: Vec<Candidate> = own.chain(of_prelude).chain(standard).collect();
    let order = |kind: Kind| match kind {
        Kind::Variant => 0,
        Kind::Constant | Kind::Function => 1,
        _ => 2,
    };
    all.sort_by(|a, b| (order(a.kind), &a.label).cmp(&(order(b.kind), &b.label)));
    all
}

/// What can stand on its own: the nearest first.
fn words(scope: &Scope<'_>) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    for name in scope.locals() {
        let of = scope.type_of(&name).unwrap_or_default();
        all.push(candidate(&name, Kind::Variable, &of, ""));
    }
    all.extend(scope.known.variables.iter().map(of_variable));
    let mut items: Vec<Candidate> = scope.items().filter(|item| item.owner.is_empty()).map(of_item).collect();
    items.sort_by(|a, b| a.label.cmp(&b.label));
    all.extend(items);
    for (name, path) in scope.known.imported() {
        let kind = if name.starts_with(char::is_uppercase) { Kind::Struct } else { Kind::Function };
        all.push(candidate(name, kind, path, ""));
    }
    let mut of_prelude: Vec<Candidate> =
        table::top().filter(|entry| entry.kind != Kind::Constant).map(of_entry).collect();
    of_prelude.sort_by(|a, b| a.label.cmp(&b.label));
    all.extend(of_prelude);
    all.extend(standard::TOP.iter().map(|(name, kind, doc)| candidate(name, *kind, "", doc)));
    for word in names::KEYWORDS {
        let kind = if word.ends_with('!') { Kind::Macro } else { Kind::Keyword };
        all.push(candidate(word, kind, "", ""));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Definitions, Item, Variable};

    fn known() -> Known {
        let variable = |name: &str, of: &str| Variable {
            name: name.to_owned(),
            type_name: of.to_owned(),
            is_mutable: false,
            cell: 1,
        };
        let text = "/// A wave.\nstruct Wave { height: f32 }";
        let items = vec![
            Item { text: text.to_owned(), cell: 1 },
            Item {
                text: "impl Wave { fn energy(&self) -> f32 { 0.0 } fn flat() -> Wave { todo!() } }"
                    .to_owned(),
                cell: 1,
            },
        ];
        let uses = vec!["use std::collections::HashMap;".to_owned()];
        let variables = vec![
            variable("weights", "GpuArray<f32>"),
            variable("wave", "Wave"),
            variable("module", "SourceModule"),
            variable("names", "std::vec::Vec<std::string::String>"),
        ];
        Known::new(variables, Definitions { uses, items, ..Definitions::default() })
    }

    fn completed(source: &str) -> Vec<String> {
        complete(&known(), source, source.len()).items.into_iter().map(|item| item.replacement).collect()
    }

    #[test]
    fn files_complete_in_strings_and_after_commands() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("data.bin"), "").unwrap();
        std::fs::create_dir(folder.path().join("data.d")).unwrap();
        let half = folder.path().join("da");
        for before in ["std::fs::read(\"", ":load ", "!cat -n "] {
            assert_eq!(
                completed(&format!("{before}{}", half.display())),
                ["data.bin", "data.d/"],
                "{before}"
            );
        }
        assert_eq!(completed("println!(\"no file is called so"), Vec::<String>::new());
        for before in ["%%bash\nls -l ", "!cat \"", "%%sh\nfor f in a; do\n  cat <"] {
            assert_eq!(
                completed(&format!("{before}{}", half.display())),
                ["data.bin", "data.d/"],
                "{before}"
            );
        }
    }

    #[test]
    fn magics_and_variables_complete_where_they_are_meant() {
        assert_eq!(completed("%ti"), ["time", "timeit"]);
        assert_eq!(completed("%%b"), ["bash"]);
        assert_eq!(completed("%%opt 3\n%%timei"), ["timeit"]);
        assert_eq!(completed("%time weig"), ["weights"]);
        assert_eq!(completed(":vars wa"), ["wave"]);
        assert_eq!(completed(":vars weights al"), Vec::<String>::new());
    }

    #[test]
    fn words_complete_from_what_is_known() {
        assert_eq!(completed(":he"), ["help"]);
        assert_eq!(completed(":cache cl"), ["clear"]);
        assert_eq!(completed(":help va"), ["vars"]);
        assert_eq!(completed("let a = wei"), ["weights"]);
        assert_eq!(completed("let a = zeros_"), ["zeros_like"]);
        assert_eq!(completed("launch"), ["launch!"]);
        assert_eq!(completed("0..wei"), ["weights"]);
        assert_eq!(completed("HashM"), ["HashMap"]);
        assert_eq!(completed("let a = "), Vec::<String>::new());
        assert_eq!(completed("let rate = 2.0; let b = ra")[0], "rate");
        assert_eq!(completed("wav"), ["wave"]);
        assert_eq!(completed("GPUAR"), ["GpuArray", "gpuarray_to_array"]);
    }

    #[test]
    fn members_follow_the_type_of_what_stands_before_the_dot() {
        assert_eq!(completed("weights.itemsi"), ["itemsize"]);
        assert_eq!(completed("(2.0 * &weights).itemsi"), ["itemsize"]);
        assert_eq!(completed("wave."), ["height", "energy"]);
        assert!(completed("module.").contains(&"get_function".to_owned()));
        assert!(!completed("module.").contains(&"reshape".to_owned()));
        assert_eq!(completed("names.pus"), ["push"]);
        assert_eq!(completed("names[0].push_"), ["push_str"]);
        assert_eq!(completed("struct Q { part: u8 }\nlet q = Q { part: 1 }; q."), ["part"]);
        // A name that nothing has, and one that something has that is not understood.
        assert_eq!(completed("np."), Vec::<String>::new());
        assert!(completed("fn f(x: &GpuArray<f32>) { x.").contains(&"reshape".to_owned()));
        assert!(completed("let x = made_somehow(); x.").contains(&"reshape".to_owned()));
    }

    #[test]
    fn paths_name_what_belongs_to_a_type_or_a_module() {
        assert_eq!(completed("Wave::"), ["flat", "energy"]);
        assert_eq!(completed("cumath::sin"), ["sin", "sinc", "sinh"]);
        assert!(completed("Device::").len() > 2);
    }

    #[test]
    fn candidates_say_what_they_are() {
        let known = known();
        let all = complete(&known, "zer", 3).items;
        let zeros = &all[0];
        assert_eq!(zeros.kind, Kind::Function);
        assert!(zeros.detail.contains("-> GpuArray<T>") && !zeros.summary.is_empty(), "{zeros:?}");
        let wave = complete(&known, "Wav", 3).items.remove(0);
        assert_eq!((wave.detail.as_str(), wave.summary.as_str()), ("struct Wave", "A wave."));
    }

    #[test]
    fn whatever_is_typed_the_range_lies_before_the_cursor() {
        for source in [
            "ä.ö",
            "\"ä",
            "a.\u{301}",
            "::",
            ".",
            "x?.",
            ")))).",
            "]::<>::",
            "'",
            "r#\"",
            "let ",
            "(a.b(",
            ">.",
        ] {
            for at in (0..=source.len()).filter(|at| source.is_char_boundary(*at)) {
                let completions = complete(&known(), source, at);
                assert!(completions.range.end == at && source.get(completions.range.clone()).is_some());
            }
        }
    }
}
