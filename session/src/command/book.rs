//! `:help TOPIC`: what the pages of the documentation say, which the program has with it.

use std::fmt::Write as _;

use gpurepl_book::{Section, search};

use super::show;
use crate::MimeBundle;
use crate::analysis::markdown;
use crate::names;
use crate::output::Sink;

/// The sections that are named.
const NAMED: usize = 6;

/// The lines of a section that are shown in a terminal.
const LINES: usize = 60;

pub(super) fn help(topic: &str, sink: &mut dyn Sink) -> Result<(), String> {
    if topic.is_empty() || topic.starts_with([':', '%']) {
        return show(crate::commands::help(topic)?, sink);
    }
    // The last word may be which of those that were found.
    let (words, number) =
        match topic.rsplit_once(' ').and_then(|(words, last)| Some((words, last.parse().ok()?))) {
            Some((words, number)) => (words, number),
            None => (topic, 1),
        };
    match crate::commands::help(topic) {
        Ok(text) => show(text, sink),
        Err(problem) => {
            let found = search(words);
            if found.is_empty() {
                return Err(format!("{problem}, and no page of the documentation has all of these words"));
            }
            let Some(section) = usize::checked_sub(number, 1).and_then(|at| found.get(at)) else {
                return Err(format!("there are {} sections about `{words}`", found.len()));
            };
            sink.display(&bundle(section, words, number, &found), false);
            Ok(())
        }
    }
}

fn name(section: &Section) -> String {
    match section.level {
        1 => section.title.clone(),
        _ => format!("{} › {}", section.title, section.heading),
    }
}

/// Whether the words are a name that cells have.
fn is_named(words: &str) -> bool {
    names::PRELUDE.contains(&words) || names::ARRAY_METHODS.contains(&words)
}

fn bundle(section: &Section, words: &str, number: usize, found: &[Section]) -> MimeBundle {
    let mut others = String::new();
    for (at, other) in found.iter().take(NAMED).enumerate().filter(|(at, _)| at + 1 != number) {
        let _ = write!(others, "\n  :help {words} {:<3} {}", at + 1, name(other));
    }
    let title = format!("{} (docs/{})", name(section), section.page);
    let text = markdown::plain(section.text);
    let count = text.lines().count();
    let head = match is_named(words) {
        true => format!("`?{words}` says what `{words}` does.\n\n{title}"),
        false => title.clone(),
    };
    let mut plain = format!("{head}\n\n{}", text.lines().take(LINES).collect::<Vec<_>>().join("\n"));
    if count > LINES {
        let _ = write!(plain, "\n.. {} more lines in docs/{}", count - LINES, section.page);
    }
    let mut marked = format!("**{title}**\n\n{}", markdown::portable(section.text));
    if !others.is_empty() {
        let _ = write!(plain, "\n\nMore about it:{others}");
        let _ = write!(marked, "\n\n```text\nMore about it:{others}\n```");
    }
    MimeBundle::text(plain.trim_end()).with("text/markdown", marked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Ear(Vec<MimeBundle>);

    impl Sink for Ear {
        fn display(&mut self, bundle: &MimeBundle, _: bool) {
            self.0.push(bundle.clone());
        }
    }

    fn told(topic: &str) -> Result<String, String> {
        let mut ear = Ear::default();
        help(topic, &mut ear)?;
        Ok(ear.0[0].get("text/plain").unwrap().to_owned())
    }

    #[test]
    fn a_topic_is_what_a_page_says_of_it() {
        let text = told("broadcasting").unwrap();
        assert!(text.starts_with("Arrays › ") && text.contains("(docs/arrays.md)"), "{text}");
        assert!(text.contains("\n  :help broadcasting 2  "), "{text}");
        let second = told("broadcasting 2").unwrap();
        assert!(second != text && second.contains(":help broadcasting 1 "), "{second}");
        assert!(told("zeros").unwrap().starts_with("`?zeros` says what"));
        assert!(told("broadcasting 10000").unwrap_err().contains("sections about `broadcasting`"));
    }

    #[test]
    fn commands_come_before_pages_and_nothing_is_an_error() {
        assert!(told("vars").unwrap().starts_with(":vars"));
        assert!(
            told("%timeit").unwrap().starts_with("%timeit") || told("%timeit").unwrap().contains("timeit")
        );
        assert!(told("").unwrap().contains(":help TOPIC"));
        assert!(told(":nonsense").unwrap_err().contains("there is no command"));
        assert!(told("xyzzy").unwrap_err().contains("no page of the documentation"));
    }
}
