//! Controls of functions that are called again whenever one is moved.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The MIME type of an [`Interaction`] among the forms of a value; see [`Interaction::to_text`].
pub const INTERACTION: &str = "application/vnd.gpurepl.interaction";

/// A function of the worker's that can be called with other settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    /// Its number, which no other one has.
    pub id: u64,
    /// The controls of its arguments.
    pub controls: Vec<Control>,
}

/// A control of an argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// What stands beside it.
    pub name: String,
    /// What it is.
    pub kind: ControlKind,
}

/// What a control is, and how it stands at first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ControlKind {
    /// A slider over numbers.
    Slider {
        /// The smallest one.
        from: f64,
        /// The largest one.
        to: f64,
        /// From one to the next.
        step: f64,
        /// The first one.
        value: f64,
        /// Whether it is over integers.
        is_integer: bool,
    },
    /// A box that is checked or not.
    CheckBox {
        /// Whether it is at first.
        is_set: bool,
    },
    /// A list of which one is chosen.
    List {
        /// The texts of its entries.
        options: Vec<String>,
        /// The first choice.
        index: usize,
    },
    /// A line of text.
    Text {
        /// The first one.
        value: String,
    },
    /// None that is seen: a picture's own script asks for it, and is answered by another picture.
    /// It and the elements that it knows have the control's name.
    View,
}

/// How a control stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Setting {
    /// Of a slider.
    Number(f64),
    /// Of a check box.
    Flag(bool),
    /// Of a list: the number of the choice, from zero.
    Choice(usize),
    /// Of a line of text, and what a script asks for.
    Text(String),
}

impl Interaction {
    /// As one of the forms of a value, which are texts: as it is on the wire, in hexadecimal digits.
    /// (JSON would bring a crate to all cells whose comparisons leave theirs ambiguous.)
    ///
    /// ```
    /// use gpurepl_wire::Interaction;
    /// let interaction = Interaction { id: 5, controls: Vec::new() };
    /// assert_eq!(Interaction::from_text(&interaction.to_text()), Some(interaction));
    /// assert_eq!(Interaction::from_text("nothing"), None);
    /// ```
    pub fn to_text(&self) -> String {
        to_digits(self)
    }

    /// Reads one.
    pub fn from_text(text: &str) -> Option<Interaction> {
        from_digits(text)
    }
}

pub(crate) fn to_digits(value: &impl Serialize) -> String {
    let bytes = rmp_serde::to_vec_named(value).unwrap_or_default();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn from_digits<T: DeserializeOwned>(text: &str) -> Option<T> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| Some(c.to_digit(16)? as u8)).collect();
    let bytes: Vec<u8> = digits?.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect();
    rmp_serde::from_slice(&bytes).ok()
}

impl Control {
    /// How it stands at first.
    pub fn setting(&self) -> Setting {
        match &self.kind {
            ControlKind::Slider { value, .. } => Setting::Number(*value),
            ControlKind::CheckBox { is_set } => Setting::Flag(*is_set),
            ControlKind::List { index, .. } => Setting::Choice(*index),
            ControlKind::Text { value } => Setting::Text(value.clone()),
            ControlKind::View => Setting::Text(String::new()),
        }
    }
}
