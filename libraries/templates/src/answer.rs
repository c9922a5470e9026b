//! What crosses the border to the plugin, as MessagePack; the other side of it is
//! `libraries/templates-host/`.

use std::ops::Range;

use gpurepl_extend::text::{self, KernelValues};
use gpurepl_extend::{Result, error};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
pub enum Answer<T> {
    Done(T),
    Fault(Fault),
}

#[derive(Deserialize)]
pub struct Rendered {
    pub text: String,
    pub parts: Vec<Part>,
}

/// Where a part lies in the generated text and in the template, and whether it was copied.
#[derive(Deserialize)]
pub struct Part(u32, u32, u32, u32, bool);

impl From<Part> for text::Part {
    fn from(Part(start, end, from, to, is_copy): Part) -> text::Part {
        let range = |start: u32, end: u32| -> Range<usize> { start as usize..end as usize };
        text::Part { generated: range(start, end), template: range(from, to), is_copy }
    }
}

/// A mistake at a place in the template, in bytes.
#[derive(Deserialize)]
pub struct Fault {
    pub message: String,
    pub start: u32,
    pub end: u32,
    pub help: Option<String>,
}

#[derive(Serialize)]
struct Request<'a> {
    text: &'a str,
    values: &'a KernelValues,
}

/// What the plugin is asked.
pub fn request(text: &str, values: &KernelValues) -> Result<Vec<u8>> {
    rmp_serde::to_vec(&Request { text, values }).map_err(foreign)
}

/// What the plugin has answered: a mistake of the user's is no failure of the plugin.
pub fn read<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<Result<T, Fault>> {
    Ok(match rmp_serde::from_slice(bytes).map_err(foreign)? {
        Answer::Done(done) => Ok(done),
        Answer::Fault(fault) => Err(fault),
    })
}

fn foreign(why: impl std::fmt::Display) -> gpurepl_extend::Error {
    error::invalid("Template", format!("the plugin `templates` is another one: {why}"))
}
