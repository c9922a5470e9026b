//! Lines to scripts and extensions of a front end: Jupyter's comms.
//!
//! A message is a text, the JSON of an object: `{"value": 3}`. A crate for JSON, by `:dep serde_json`, writes and reads
//! them. Outside of notebooks nobody is at the other end, and what is sent goes nowhere.
//!
//! ```
//! use gpurepl_prelude::*;
//! // An extension of JupyterLab opens a comm to this name.
//! comm::on_open("my.sliders", |line, _first| {
//!     let answer = line.clone();
//!     line.on_message(move |message| answer.send(format!("{{\"heard\": {}}}", message.len())));
//! });
//! // One that the extension has registered.
//! let line = comm::open("my.plots", r#"{"title": "Roots"}"#);
//! line.send(r#"{"points": [1, 2, 3]}"#);
//! line.close();
//! ```

use std::cell::RefCell;
use std::collections::BTreeMap;

use gpurepl_wire::{COMM, CommAct, MimeBundle, Setting};

use super::{frames, interaction, is_rich};
use crate::error::{Error, Problem};

thread_local! {
    /// The functions that hear lines, and those that are called when targets are opened, by their names.
    static HEARD_BY: RefCell<BTreeMap<String, u64>> = const { RefCell::new(BTreeMap::new()) };
    static OPENED_BY: RefCell<BTreeMap<String, u64>> = const { RefCell::new(BTreeMap::new()) };
}

/// A line to a front end. Clones are the same line, which ends by [`Comm::close`] alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comm {
    name: String,
}

/// Opens a line to what front ends have registered under a name, with a first message.
///
/// # Panics
///
/// With an [`Error`], if several workers run the session's cells.
#[track_caller]
pub fn open(target: &str, data: impl AsRef<str>) -> Comm {
    let comm = Comm { name: format!("gpurepl-comm-{:x}", interaction::new_number()) };
    let (name, target) = (comm.name.clone(), target.to_owned());
    act(&CommAct::Open { comm: name, target, data: data.as_ref().to_owned() });
    comm
}

/// Calls a function whenever a front end opens a line to a name: with the line, and the message that came with it. A
/// name that is registered again has the new function.
///
/// # Panics
///
/// As [`open`].
#[track_caller]
pub fn on_open(target: &str, mut function: impl FnMut(Comm, &str) + 'static) {
    let function = interaction::pinned(Box::new(move |settings| {
        if let [Setting::Text(name), Setting::Text(data)] = settings {
            function(Comm { name: name.clone() }, data);
        }
        MimeBundle::default()
    }));
    act(&CommAct::Listen { target: target.to_owned(), function });
    let before = OPENED_BY.with_borrow_mut(|functions| functions.insert(target.to_owned(), function));
    before.into_iter().for_each(interaction::release);
}

impl Comm {
    /// The line's name, which no other one has.
    pub fn id(&self) -> &str {
        &self.name
    }

    /// Sends a message.
    #[track_caller]
    pub fn send(&self, data: impl AsRef<str>) {
        act(&CommAct::Send { comm: self.name.clone(), data: data.as_ref().to_owned() });
    }

    /// Calls a function with each message that comes, after the cells that wait. It takes the place of one from before,
    /// and goes when the line ends.
    #[track_caller]
    pub fn on_message(&self, mut function: impl FnMut(&str) + 'static) {
        let name = self.name.clone();
        let function = interaction::pinned(Box::new(move |settings| {
            match settings {
                [Setting::Text(data)] => function(data),
                // The front end has closed it.
                _ => forget(&name),
            }
            MimeBundle::default()
        }));
        act(&CommAct::Hear { comm: self.name.clone(), function });
        let before = HEARD_BY.with_borrow_mut(|functions| functions.insert(self.name.clone(), function));
        before.into_iter().for_each(interaction::release);
    }

    /// Ends the line at both ends.
    #[track_caller]
    pub fn close(&self) {
        act(&CommAct::Close { comm: self.name.clone(), data: "{}".to_owned() });
        forget(&self.name);
    }
}

/// Drops the function that hears a line.
fn forget(name: &str) {
    let function = HEARD_BY.with_borrow_mut(|functions| functions.remove(name));
    function.into_iter().for_each(interaction::release);
}

#[track_caller]
fn act(act: &CommAct) {
    if gpurepl_ground::group::ranks() > 1 {
        let message = "several workers run this session's cells, and a line has one end here; start a session with one \
                       worker"
            .to_owned();
        Error::from(Problem::Invalid { operation: "comm", message }).raise()
    }
    if is_rich() {
        frames::show(MimeBundle::default().with(COMM, act.to_text()), false);
    }
}
