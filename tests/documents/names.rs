//! What a user can name has a place in the documents.

use gpurepl_session::command::COMMANDS;
use gpurepl_session::names;

use super::pages;

/// Whether a name stands in the text as a word.
fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(start, _)| {
        !text[..start].ends_with(is_word) && !text[start + name.len()..].starts_with(is_word)
    })
}

#[test]
fn each_name_of_the_prelude_is_on_a_page() {
    let text: String = pages().into_iter().map(|page| page.text).collect();
    let macros = names::MACROS.iter().map(|name| name.trim_end_matches('!'));
    let names = names::PRELUDE.iter().copied().chain(macros).chain(names::ARRAY_METHODS.iter().copied());
    let missing: Vec<&str> = names.filter(|name| !mentions(&text, name)).collect();
    assert!(missing.is_empty(), "no page of docs/ says what these are for: {missing:?}");
}

#[test]
fn each_command_is_on_a_page() {
    let text: String = pages().into_iter().map(|page| page.text).collect();
    let is_there = |name: &str| mentions(&text, &format!(":{name}"));
    let missing: Vec<&str> =
        COMMANDS.iter().map(|command| command.name).filter(|name| !is_there(name)).collect();
    assert!(missing.is_empty(), "no page of docs/ has these commands: {missing:?}");
}
