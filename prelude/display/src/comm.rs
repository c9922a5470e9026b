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

use gpurepl_wire::{COMM, CommAct, MimeBundle, Setting};

use super::{frames, interaction, is_rich};

/// A line to a front end. Clones are the same line, which ends by [`Comm::close`] alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comm {
    name: String,
}

/// Opens a line to what front ends have registered under a name, with a first message.
pub fn open(target: &str, data: impl AsRef<str>) -> Comm {
    let comm = Comm { name: format!("gpurepl-comm-{:x}", interaction::new_number()) };
    let (name, target) = (comm.name.clone(), target.to_owned());
    act(&CommAct::Open { comm: name, target, data: data.as_ref().to_owned() });
    comm
}

/// Calls a function whenever a front end opens a line to a name: with the line, and the message that came with it. A
/// name that is registered again has the new function.
pub fn on_open(target: &str, mut function: impl FnMut(Comm, &str) + 'static) {
    let function = interaction::pinned(Box::new(move |settings| {
        if let [Setting::Text(name), Setting::Text(data)] = settings {
            function(Comm { name: name.clone() }, data);
        }
        MimeBundle::default()
    }));
    act(&CommAct::Listen { target: target.to_owned(), function });
}

impl Comm {
    /// The line's name, which no other one has.
    pub fn id(&self) -> &str {
        &self.name
    }

    /// Sends a message.
    pub fn send(&self, data: impl AsRef<str>) {
        act(&CommAct::Send { comm: self.name.clone(), data: data.as_ref().to_owned() });
    }

    /// Calls a function with each message that comes, after the cells that wait. It takes the place of one from before.
    pub fn on_message(&self, mut function: impl FnMut(&str) + 'static) {
        let function = interaction::pinned(Box::new(move |settings| {
            if let [Setting::Text(data)] = settings {
                function(data);
            }
            MimeBundle::default()
        }));
        act(&CommAct::Hear { comm: self.name.clone(), function });
    }

    /// Ends the line at both ends.
    pub fn close(&self) {
        act(&CommAct::Close { comm: self.name.clone(), data: "{}".to_owned() });
    }
}

fn act(act: &CommAct) {
    if is_rich() {
        frames::show(MimeBundle::default().with(COMM, act.to_text()), false);
    }
}
