//! Which items a cell has to repeat: those that it can reach.
//!
//! A session may have hundreds of items; compiling them all with each cell
//! would cost more than the cell. An item is repeated if the cell mentions a
//! name that it defines, or an item that is repeated does. An implementation
//! mentions nothing that calls it, so it comes along with its type and trait.

use std::collections::HashSet;

use super::items::KeptItem;

/// Which of the items are reached from some names; in the order of `items`.
pub(super) fn reach(items: &[KeptItem], names: &HashSet<String>) -> Vec<bool> {
    let mut reached = vec![false; items.len()];
    let mut names = names.clone();
    // Types and traits of the session: others are someone else's, and always
    // there. (A variant `Drop` is not a trait `Drop`.)
    let own: HashSet<&str> = items.iter().filter_map(|item| item.key.strip_prefix("T:")).collect();
    loop {
        let mut is_new = false;
        for (item, reached) in items.iter().zip(&mut reached) {
            if *reached || !(is_reached(item, &names, &own) || is_made(item, items, &names)) {
                continue;
            }
            *reached = true;
            is_new = true;
            names.extend(item.names.iter().cloned());
        }
        if !is_new {
            return reached;
        }
    }
}

fn is_reached(item: &KeptItem, names: &HashSet<String>, own: &HashSet<&str>) -> bool {
    let is_there = |name: &String| !own.contains(name.as_str()) || names.contains(name);
    match &item.implements {
        Some(implements) => {
            implements.names_of_type.iter().all(is_there)
                && implements.name_of_trait.iter().all(is_there)
                && implements.names_of_arguments.iter().all(is_there)
        }
        // A macro's definitions cannot be seen from outside, and an item
        // without a name is there for its effect.
        None if item.defines.is_empty() || item.has_implementations => true,
        None => item.defines.iter().any(|name| names.contains(name)),
    }
}

/// Whether a macro call may define something of these names, by what the
/// macro writes.
fn is_made(item: &KeptItem, items: &[KeptItem], names: &HashSet<String>) -> bool {
    let is_call = item.key.starts_with("I:") && item.unnamed.iter().any(|part| part.implements.is_none());
    is_call
        && items.iter().any(|known| {
            known.key.strip_prefix("M:").is_some_and(|name| item.names.contains(name))
                && known.names.iter().any(|name| names.contains(name))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rustc::items::items;

    fn reached(source: &str, from: &[&str]) -> Vec<String> {
        let items = items(source);
        let names = from.iter().map(|name| (*name).to_owned()).collect();
        let reached = reach(&items, &names);
        items.iter().zip(reached).filter(|(_, reached)| *reached).map(|(item, _)| item.key.clone()).collect()
    }

    const ITEMS: &str = "struct A(B); struct B; struct C;
        impl A { fn new() -> A { A(B) } }
        trait Speak { fn speak(&self); }
        impl Speak for C { fn speak(&self) {} }
        impl Speak for u8 { fn speak(&self) {} }
        fn call(x: &dyn Speak) { x.speak() }
        macro_rules! make { () => { A::new() } }";

    #[test]
    fn items_bring_what_they_mention() {
        assert_eq!(reached(ITEMS, &["A"]), ["T:A", "T:B", "II: A "]);
        assert_eq!(reached(ITEMS, &["make"]), ["T:A", "T:B", "II: A ", "M:make"]);
        assert_eq!(reached(ITEMS, &["x"]), [""; 0]);
    }

    #[test]
    fn a_method_brings_its_trait_and_implementations() {
        assert_eq!(reached(ITEMS, &["speak"]), ["T:Speak", "IT: Speak for u8 "]);
        assert_eq!(
            reached(ITEMS, &["C", "speak"]),
            ["T:C", "T:Speak", "IT: Speak for C ", "IT: Speak for u8 "]
        );
    }

    #[test]
    fn a_name_that_a_macro_writes_brings_its_call() {
        let items = "macro_rules! config { ($t:ty) => { struct Config(pub $t); } } config! { u64 }";
        assert_eq!(
            reached(items, &["Config"]),
            ["I:config ! { u64 }", "M:config"].map(str::to_owned).into_iter().rev().collect::<Vec<_>>()
        );
        assert_eq!(reached(items, &["other"]), [""; 0]);
    }
}
