//! What cells do with comms, the lines between a notebook's kernel and its front ends.

use serde::{Deserialize, Serialize};

use crate::interaction::{from_digits, to_digits};

/// The MIME type of a [`CommAct`] among the forms of a value; see [`CommAct::to_text`].
pub const COMM: &str = "application/vnd.gpurepl.comm";

/// What a cell does with a comm. Data is a text, the JSON of an object; functions are the worker's, by their numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CommAct {
    /// The function is called whenever a front end opens a comm to the target: with the comm, and what came with it.
    Listen {
        /// What comms are opened to.
        target: String,
        /// The function.
        function: u64,
    },
    /// Opens a comm to something in front ends.
    Open {
        /// Its name, which no other one has.
        comm: String,
        /// What it is opened to.
        target: String,
        /// What goes with it.
        data: String,
    },
    /// The function is called with each message that comes.
    Hear {
        /// The comm.
        comm: String,
        /// The function.
        function: u64,
    },
    /// Sends a message.
    Send {
        /// The comm.
        comm: String,
        /// The message.
        data: String,
    },
    /// Ends a comm.
    Close {
        /// The comm.
        comm: String,
        /// A last message.
        data: String,
    },
}

impl CommAct {
    /// As one of the forms of a value, which are texts.
    ///
    /// ```
    /// use gpurepl_wire::CommAct;
    /// let act = CommAct::Send { comm: "c".to_owned(), data: "{}".to_owned() };
    /// assert_eq!(CommAct::from_text(&act.to_text()), Some(act));
    /// assert_eq!(CommAct::from_text("nothing"), None);
    /// ```
    pub fn to_text(&self) -> String {
        to_digits(self)
    }

    /// Reads one.
    pub fn from_text(text: &str) -> Option<CommAct> {
        from_digits(text)
    }
}
