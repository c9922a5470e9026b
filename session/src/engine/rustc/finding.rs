//! What a message of the compiler's asks for: some are the user's, some are
//! about generated lines and say how the cell has to be compiled instead.

use super::compile::{Message, Span};
use super::generate::{Origin, Preferred};
use super::line_map::Map;

/// What a message about one of our lines asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// The cell moves a variable: it is to be taken within the guard. The part
    /// that it moves, if it leaves the rest.
    Moves { name: String, part: Option<String> },
    /// A new variable borrows, so it cannot be kept.
    Borrows(String),
    /// Some new variable borrows; the older variable that the message is about.
    Borrowed(Option<String>),
    /// Some new variable borrows from this one, and uses it after it is put.
    Lends(String),
    /// A variable that is not kept ends after what it borrows is put.
    EndsLate { name: String, lender: String },
    /// A variable that is not kept cannot be ended early.
    CannotEnd(String),
    /// A new variable cannot be kept; why, if the user should know.
    NotKept { name: String, reason: Option<String> },
    /// The type of a variable of the session cannot be written any more.
    Lost { name: String, reason: String },
    /// A new variable's cast does not fit its type.
    BadCast(String),
    /// An item of an earlier cell does not compile any more.
    BrokenItem(Broken),
    /// An implementation of an earlier cell is in the way of this cell's: the
    /// trait and the type that both are for.
    Conflict { broken: Broken, of_trait: String, of_type: String },
    /// An implementation of this cell's is there already, by the library's for
    /// all types that have another one.
    Blanket { of_trait: String, of_type: String },
    /// This variable cannot be kept if the cell fails.
    CannotRescue(String),
    /// The last expression has no value: it never ends.
    NoValue,
    /// Items may be missing that the cell did not seem to reach.
    MayNeedAllItems,
    /// Types of literals are open.
    OpenTypes,
    /// The message is the user's.
    Users,
}

/// What does not compile any more, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// The item, by its place among those of the session; none for a `use`.
    pub(super) item: Option<usize>,
    pub(super) cell: u64,
    pub(super) line: usize,
    pub(super) message: String,
}

/// Codes that a lifetime error of a kept variable comes with.
pub(super) const BORROWS: &[&str] = &[
    "E0310", "E0311", "E0373", "E0499", "E0500", "E0501", "E0502", "E0503", "E0505", "E0506", "E0515",
    "E0521", "E0524", "E0597", "E0621", "E0700", "E0712", "E0713", "E0716",
];

/// Codes that an item left out can cause without being named: a trait
/// implementation, say.
const MAY_NEED_ITEMS: &[&str] =
    &["E0038", "E0271", "E0277", "E0282", "E0283", "E0369", "E0599", "E0600", "E0608", "E0618"];

/// Codes of what is defined twice.
const TWICE: &[&str] = &["E0119", "E0428", "E0592"];

/// Codes of types that inference leaves open.
pub(super) const OPEN_TYPES: &[&str] = &["E0275", "E0282", "E0283", "E0284", "E0689"];

/// Codes of a name that two `use ..::*` bring. It is a warning, and the first
/// of them wins, where one is of another crate.
const AMBIGUOUS: &[&str] = &["E0659", "ambiguous_glob_imports"];

/// The imports that make names the user's which the prelude has too.
pub(super) fn preferred_imports(map: &Map<'_>, messages: &[Message]) -> Vec<Preferred> {
    let ambiguous = messages.iter().filter(|message| AMBIGUOUS.contains(&message.code()));
    ambiguous.filter_map(|message| map.preferred(message)).collect()
}

/// What an error asks for.
pub(super) fn classify(map: &Map<'_>, message: &Message, has_items: bool) -> Finding {
    let code = message.code();
    let origin = map.primary(message);
    let puts = map.put_labels(message);
    let moved = matches!(code, "E0382" | "E0507");
    // What a macro call redefines takes the place of an earlier call's.
    if TWICE.contains(&code)
        && let Some(broken) = message.spans.iter().find_map(|span| {
            let call = map.earlier_call(span, &message.message);
            // A macro may pass on an item as it was written in its call.
            call.or_else(|| map.earlier_item(span, &message.message).filter(|_| code == "E0428"))
        })
    {
        return Finding::BrokenItem(broken);
    }
    if code == "E0119"
        && let [_, of_trait, _, of_type, ..] = message.message.split('`').collect::<Vec<_>>()[..]
    {
        let (of_trait, of_type) = (of_trait.to_owned(), of_type.to_owned());
        if let Some(broken) = map.conflicting_item(message) {
            return Finding::Conflict { broken, of_trait, of_type };
        }
        let is_own = matches!(&origin, Origin::User { cell, .. } if *cell == map.cell);
        let is_of_library = message.children.iter().any(|child| child.message.contains("in crate `"));
        if is_own && is_of_library {
            return Finding::Blanket { of_trait, of_type };
        }
    }
    let is_lifetime = BORROWS.contains(&code) || (code.is_empty() && message.message.contains("lifetime"));
    // What is kept of a cell that fails borrows nothing.
    let notes = message.children.iter().flat_map(|child| &child.spans);
    let rescued = message.spans.iter().chain(notes).find_map(|span| match map.origin(span) {
        Origin::Rescue(name) => Some(name),
        _ => None,
    });
    // A move is found where the variable is mentioned first, and reported once.
    let is_gone = matches!(code, "E0382" | "E0381") && matches!(origin, Origin::Rescue(_));
    if puts.is_empty()
        && !is_gone
        && let Some(name) = rescued
    {
        return Finding::CannotRescue(name);
    }
    match &origin {
        // Of another type is what a macro has bound under the variable's name.
        Origin::PutBack(name) if moved || code == "E0308" => {
            return Finding::Moves { name: name.clone(), part: moved_part(message, name) };
        }
        Origin::End(name) => return Finding::CannotEnd(name.clone()),
        Origin::Rescue(name) if !is_gone => return Finding::CannotRescue(name.clone()),
        Origin::Put(lender) if code == "E0505" && ends_late(message).is_some() => {
            let name = ends_late(message).unwrap_or_default();
            return Finding::EndsLate { name, lender: lender.clone() };
        }
        // What a message about the move of a variable names beside it borrows.
        Origin::Put(name) if code == "E0505" => {
            return match puts.iter().find(|other| *other != name) {
                Some(borrower) => Finding::Borrows(borrower.clone()),
                None => Finding::Lends(name.clone()),
            };
        }
        // The value is borrowed by a new variable that is put before.
        Origin::PutBack(_) | Origin::User { .. } | Origin::Take(_) | Origin::Generated
            if is_lifetime && !puts.is_empty() =>
        {
            return Finding::Borrows(puts[0].clone());
        }
        Origin::PutBack(name) if is_lifetime => return Finding::Borrowed(Some(name.clone())),
        Origin::Put(name) | Origin::Rescue(name) => {
            return match code {
                // Moved, or never given a value: there is nothing to keep.
                "E0382" | "E0381" => {
                    let reason = moved_part(message, name).map(|part| match part.strip_prefix(name) {
                        Some(_) => {
                            format!("the cell moves `{part}` out of it; `{part}.clone()` would keep it")
                        }
                        None => format!("the cell moves {part} of it; `&{name}` would lend it"),
                    });
                    Finding::NotKept { name: name.clone(), reason }
                }
                _ if is_lifetime => Finding::Borrows(puts.first().unwrap_or(name).clone()),
                "E0308" | "E0277" | "E0605" | "E0282" | "E0283" | "E0599" => Finding::BadCast(name.clone()),
                _ => Finding::NotKept { name: name.clone(), reason: Some(message.message.clone()) },
            };
        }
        // `{ println!("x"); panic!() }`
        _ if code == "E0277" && message.message.contains("Shown<'_, !>") => return Finding::NoValue,
        Origin::Take(name) => return Finding::Lost { name: name.clone(), reason: message.message.clone() },
        Origin::User { cell, line } if *cell != map.cell && has_items => {
            let item = map.primary_line(message).and_then(|line| map.generated.item_at(line));
            let message = message.message.clone();
            return Finding::BrokenItem(Broken { item, cell: *cell, line: *line, message });
        }
        _ => {}
    }
    if OPEN_TYPES.contains(&code) {
        Finding::OpenTypes
    } else if MAY_NEED_ITEMS.contains(&code) {
        Finding::MayNeedAllItems
    } else if is_lifetime {
        Finding::Borrowed(None)
    } else {
        Finding::Users
    }
}

impl Finding {
    /// The item of the session that has to go.
    pub(super) fn item(&self) -> Option<usize> {
        match self {
            Finding::BrokenItem(broken) | Finding::Conflict { broken, .. } => broken.item,
            _ => None,
        }
    }
}

/// The part of a variable that a cell moves, if it leaves the rest: `p.0`, or
/// "a part" where a pattern takes it.
fn moved_part(message: &Message, name: &str) -> Option<String> {
    if !message.message.contains("partially moved") {
        return None;
    }
    let is_move = |span: &&Span| {
        let words = ["partially moved here", "due to use in closure"];
        span.label.as_ref().is_some_and(|label| words.iter().any(|words| label.contains(words)))
    };
    let words = message.spans.iter().find(is_move).and_then(Span::words);
    let is_field = |words: &String| words.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    Some(words.filter(is_field).unwrap_or_else(|| "a part".to_owned()))
}

/// The variable whose destructor uses what it borrows after that is moved.
fn ends_late(message: &Message) -> Option<String> {
    message.spans.iter().filter_map(|span| span.label.as_ref()).find_map(|label| {
        let (_, rest) = label.split_once("when `")?;
        let (name, rest) = rest.split_once('`')?;
        rest.starts_with(" is dropped").then(|| name.to_owned())
    })
}
