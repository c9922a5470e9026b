//! What the keys do at the prompt, beyond what the line editor knows.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustyline::history::History;
use rustyline::{
    Cmd, ConditionalEventHandler, Editor, Event, EventContext, EventHandler, Helper, InputMode, KeyCode,
    KeyEvent, Modifiers, RepeatCount,
};

use crate::config::EditMode;
use crate::{helper, indent};

/// What the keys remember from one to the next.
#[derive(Clone, Default)]
pub struct Keys {
    /// Whether the text is to be opened in the user's editor.
    wants_editor: Arc<AtomicBool>,
    /// Whether what was typed is to be dropped.
    is_dropped: Arc<AtomicBool>,
    walk: Arc<Mutex<Walk>>,
    replacement: Arc<Mutex<Option<Replacement>>>,
    typed: Arc<Mutex<Typed>>,
}

/// What stands at the prompt: reading it may fail, and then it comes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// The text.
    pub text: String,
    /// Where the cursor is, in bytes.
    pub at: usize,
    /// Whether a text is being pasted.
    pub is_pasting: bool,
}

/// A text for the place of another; the cursor comes to stand behind it.
///
/// The editor has no command that does both: a key asks for completion, and
/// this is what it finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What is replaced, in bytes.
    pub range: Range<usize>,
    /// What it is replaced with.
    pub text: String,
}

/// How the user walks through the history.
#[derive(Default)]
enum Walk {
    /// Not at all.
    #[default]
    Resting,
    /// From cell to cell.
    All,
    /// Over the cells that begin as this text does.
    Prefix {
        original: String,
        /// The text when Down was pressed last.
        down: Option<String>,
    },
}

impl Keys {
    /// Binds the keys.
    pub fn bind<H: Helper, I: History>(&self, editor: &mut Editor<H, I>, mode: EditMode) {
        let mut bind = |events: &[Event], act: Act| {
            for event in events {
                let handler = Handler { keys: self.clone(), act };
                editor.bind_sequence(event.clone(), EventHandler::Conditional(Box::new(handler)));
            }
        };
        let key = |code| Event::from(KeyEvent(code, Modifiers::NONE));
        let ctrl = |letter| Event::from(KeyEvent::ctrl(letter));
        bind(&[Event::Any], |keys, event, _| {
            keys.rest();
            let begin = KeyEvent(KeyCode::BracketedPasteStart, Modifiers::NONE);
            keys.typed(|typed| typed.is_pasting = event.get(0) == Some(&begin));
            None
        });
        bind(&[key(KeyCode::Enter), ctrl('J'), ctrl('M')], enter);
        bind(&[')', ']', '}'].map(|bracket| key(KeyCode::Char(bracket))), close);
        bind(&[key(KeyCode::Tab), ctrl('I')], tab);
        bind(&[key(KeyCode::BackTab)], back_tab);
        bind(&[key(KeyCode::Up)], up);
        bind(&[key(KeyCode::Down)], down);
        // A line more where Enter would end the cell: `let a = b`, `.map(..)`.
        bind(
            &[Event::from(KeyEvent(KeyCode::Enter, Modifiers::ALT)), Event::from(KeyEvent::alt('\r'))],
            |_, _, context| Some(new_line(context).unwrap_or(Cmd::Newline)),
        );
        bind(&[ctrl('C')], drop_text);
        bind(&[Event::KeySeq(vec![KeyEvent::ctrl('X'), KeyEvent::ctrl('E')])], edit);
        match mode {
            EditMode::Emacs => bind(&[Event::from(KeyEvent::alt('e'))], edit),
            // Escape and `e` goes to the end of a word.
            EditMode::Vi => bind(&[key(KeyCode::Char('v'))], |keys, event, context| {
                (context.input_mode() == InputMode::Command).then(|| edit(keys, event, context)).flatten()
            }),
        }
    }

    /// Notes what stands at the prompt now.
    pub fn note(&self, text: &str, at: usize) {
        self.typed(|typed| *typed = Typed { text: text.to_owned(), at, is_pasting: false });
    }

    /// What stands at the prompt.
    pub fn typed<R>(&self, act: impl FnOnce(&mut Typed) -> R) -> R {
        act(&mut self.typed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the text was sent off to be edited; to be asked once for it.
    pub fn take_wants_editor(&self) -> bool {
        self.wants_editor.swap(false, Ordering::Relaxed)
    }

    /// Whether Ctrl-C has dropped the text; to be asked once for it.
    pub fn take_is_dropped(&self) -> bool {
        self.is_dropped.swap(false, Ordering::Relaxed)
    }

    /// What completion is to put in its place, if a key has requested it.
    pub fn replacement(&self) -> Option<Replacement> {
        self.replacement.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The replacement has been made.
    pub fn has_replaced(&self) {
        self.replacement.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn replace(&self, range: Range<usize>, text: String) -> Cmd {
        let replacement = Some(Replacement { range, text });
        *self.replacement.lock().unwrap_or_else(PoisonError::into_inner) = replacement;
        Cmd::Complete
    }

    /// Another key, or another prompt: the history is walked no more.
    pub fn rest(&self) {
        self.has_replaced();
        self.walk(|walk| *walk = Walk::Resting);
    }

    fn walk<R>(&self, change: impl FnOnce(&mut Walk) -> R) -> R {
        change(&mut self.walk.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

type Act = fn(&Keys, &Event, &EventContext<'_>) -> Option<Cmd>;

struct Handler {
    keys: Keys,
    act: Act,
}

impl ConditionalEventHandler for Handler {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        (self.act)(&self.keys, event, context)
    }
}

fn before<'c>(context: &'c EventContext<'_>) -> &'c str {
    &context.line()[..context.pos()]
}

fn after<'c>(context: &'c EventContext<'_>) -> &'c str {
    &context.line()[context.pos()..]
}

fn is_typing(context: &EventContext<'_>) -> bool {
    context.input_mode() == InputMode::Insert
}

/// A new line, indented; none where the editor's own does.
fn new_line(context: &EventContext<'_>) -> Option<Cmd> {
    let indentation = indent::of_new_line(before(context), after(context))?;
    is_typing(context).then(|| Cmd::Insert(1, format!("\n{indentation}")))
}

fn enter(keys: &Keys, _: &Event, context: &EventContext<'_>) -> Option<Cmd> {
    keys.rest();
    if helper::goes_on(context.line()) { new_line(context) } else { None }
}

fn close(keys: &Keys, event: &Event, context: &EventContext<'_>) -> Option<Cmd> {
    keys.rest();
    let Some(KeyEvent(KeyCode::Char(bracket), _)) = event.get(0).copied() else { return None };
    let indentation = indent::of_closing(before(context), bracket).filter(|_| is_typing(context))?;
    let start = before(context).rfind('\n').map_or(0, |newline| newline + 1);
    Some(keys.replace(start..context.pos(), format!("{indentation}{bracket}")))
}

fn tab(keys: &Keys, _: &Event, context: &EventContext<'_>) -> Option<Cmd> {
    keys.rest();
    let spaces = indent::of_tab(before(context)).filter(|_| is_typing(context))?;
    Some(Cmd::Insert(1, " ".repeat(spaces)))
}

/// A step less before the line. The editor's own command for it takes the
/// lines below along.
fn back_tab(keys: &Keys, _: &Event, context: &EventContext<'_>) -> Option<Cmd> {
    keys.rest();
    let start = before(context).rfind('\n').map_or(0, |newline| newline + 1);
    let line = &before(context)[start..];
    let rest = indent::less(line);
    (rest.len() < line.len() && is_typing(context))
        .then(|| keys.replace(start..context.pos(), rest.to_owned()))
}

fn edit(keys: &Keys, _: &Event, _: &EventContext<'_>) -> Option<Cmd> {
    keys.rest();
    keys.wants_editor.store(true, Ordering::Relaxed);
    Some(Cmd::AcceptLine)
}

/// The editor's own command for Ctrl-C forgets the keys that were read with it.
fn drop_text(keys: &Keys, _: &Event, _: &EventContext<'_>) -> Option<Cmd> {
    keys.rest();
    keys.is_dropped.store(true, Ordering::Relaxed);
    Some(Cmd::AcceptLine)
}

/// A line up; from the first one, the cell before, or the one before that
/// begins with what stands before the cursor.
fn up(keys: &Keys, _: &Event, context: &EventContext<'_>) -> Option<Cmd> {
    if before(context).contains('\n') {
        return Some(Cmd::LineUpOrPreviousHistory(1));
    }
    keys.walk(|walk| {
        if let Walk::Resting = walk {
            *walk = match before(context).trim() {
                "" => Walk::All,
                _ => Walk::Prefix { original: context.line().to_owned(), down: None },
            };
        }
        match walk {
            Walk::Prefix { down, .. } => {
                *down = None;
                Some(Cmd::HistorySearchBackward)
            }
            _ => Some(Cmd::LineUpOrPreviousHistory(1)),
        }
    })
}

fn down(keys: &Keys, _: &Event, context: &EventContext<'_>) -> Option<Cmd> {
    if after(context).contains('\n') && !keys.walk(|walk| matches!(walk, Walk::Prefix { .. })) {
        return Some(Cmd::LineDownOrNextHistory(1));
    }
    keys.walk(|walk| match walk {
        Walk::Prefix { original, down } => {
            if down.as_deref() == Some(context.line()) {
                // There was no later one: back to what was typed.
                let original = std::mem::take(original);
                *walk = Walk::Resting;
                return Some(keys.replace(0..context.line().len(), original));
            }
            *down = Some(context.line().to_owned());
            Some(Cmd::HistorySearchForward)
        }
        _ => Some(Cmd::LineDownOrNextHistory(1)),
    })
}
