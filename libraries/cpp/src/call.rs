//! One call: its arguments in order, the function called, what it says.

use std::sync::Arc;

use gpurepl_extend::{AnyArray, Error, Result, error, refuse_in_capture};

use crate::argument::{CppArgumentList, Item, Value};
use crate::compiled::{Trampoline, WORDS, text_of};
use crate::module::{CppModule, check_name};
use crate::ordered::{Passed, check, ordered};
use crate::result::{ResultType, Returned};
use crate::trampoline::{Signature, type_name};

/// Calls a function of a module.
pub(crate) fn perform(
    module: &CppModule,
    function: &str,
    arguments: CppArgumentList<'_>,
    result: ResultType,
) -> Result<Returned> {
    let function = function.trim();
    check_name(function)?;
    refuse_in_capture("a call of C++")?;
    let items = arguments.checked(function)?;
    let is_for_gpus = module.inner.is_for_gpus();
    let otherwise = "compile the text for device memory: `CppModule::builder(text).cuda(true)`";
    check_arrays(function, &items, is_for_gpus, otherwise)?;
    let types = items.iter().map(|item| item.of.clone()).collect();
    let signature = Signature { function: function.to_owned(), arguments: types, result };
    let trampoline = module.inner.trampoline(signature)?;
    call(function, &Code { trampoline, function: 0 }, items, is_for_gpus)
}

/// What is called: a trampoline, and the function for one that calls any function of a type.
pub(crate) struct Code {
    pub(crate) trampoline: Arc<Trampoline>,
    pub(crate) function: usize,
}

/// Refuses arrays that the function could not use. `otherwise` says how a GPU's memory is passed.
pub(crate) fn check_arrays(
    function: &str,
    items: &[Item<'_>],
    is_for_gpus: bool,
    otherwise: &str,
) -> Result<()> {
    items
        .iter()
        .enumerate()
        .filter_map(|(k, item)| passed(item, k))
        .try_for_each(|passed| check(function, &passed, is_for_gpus, otherwise))
}

/// The array of an item, if it is one.
fn passed(item: &Item<'_>, k: usize) -> Option<Passed> {
    let Value::Array { array, is_written } = &item.value else { return None };
    Some(Passed { array: AnyArray::clone(array), is_written: *is_written, number: k + 1 })
}

/// Calls a trampoline in the order of the streams.
pub(crate) fn call(
    function: &str,
    code: &Code,
    mut items: Vec<Item<'_>>,
    is_for_gpus: bool,
) -> Result<Returned> {
    let mut arrays: Vec<Passed> = Vec::new();
    let mut slots = Vec::new();
    for (k, item) in items.iter_mut().enumerate() {
        if let Some(passed) = passed(item, k) {
            slots.push(Slot::Array(arrays.len()));
            arrays.push(passed);
            continue;
        }
        slots.push(match &mut item.value {
            Value::Bytes(words) => Slot::At(words.as_mut_ptr() as usize),
            Value::Address(address) => Slot::Pointer(*address),
            Value::Text(text) => Slot::Pointer(text.as_ptr() as usize),
            Value::Array { .. } => unreachable!("it is passed as an array"),
        });
    }
    let mut outcome = None;
    ordered("a call of C++", &mut arrays, is_for_gpus, &mut |addresses| {
        outcome = Some(code.run(&slots, addresses));
    })?;
    // `items` holds what the addresses lead to until here.
    drop(items);
    let outcome = outcome.ok_or_else(|| error::call(function, "the call was not made".to_owned()))?;
    outcome.into_result(function)
}

/// Where a trampoline finds an argument.
enum Slot {
    /// Its bytes lie here.
    At(usize),
    /// It is this address.
    Pointer(usize),
    /// It is the address of the array of this number.
    Array(usize),
}

/// What came of a call.
struct Outcome {
    status: i32,
    returned: Returned,
    words: String,
}

impl Code {
    /// Calls the function with arguments that lie in these places, and arrays at these addresses.
    fn run(&self, slots: &[Slot], addresses: &[usize]) -> Outcome {
        let mut pointers: Vec<usize> = slots
            .iter()
            .map(|slot| match slot {
                Slot::At(address) | Slot::Pointer(address) => *address,
                Slot::Array(number) => addresses[*number],
            })
            .collect();
        let first = pointers.as_mut_ptr();
        let mut arguments: Vec<*mut u8> = slots
            .iter()
            .enumerate()
            .map(|(k, slot)| match slot {
                Slot::At(address) => *address as *mut u8,
                Slot::Pointer(_) | Slot::Array(_) => first.wrapping_add(k).cast(),
            })
            .collect();
        arguments.push(self.function as *mut u8);
        let mut returned = Returned::default();
        let mut words = vec![0_u8; WORDS];
        // SAFETY: the trampoline was compiled for arguments of these very types, in this order, each of which it
        // reads from its pointer: a number or a structure from the bytes of its item, an address from
        // `pointers`. Items, borrowed slices and texts live until `call` returns, which is after this, as
        // `ordered` does the work before it returns. Arrays are contiguous, so an
        // address leads to all elements; on the host `perform` has locked their memory, on a GPU their work is
        // done. The result and the words have the room that `trampoline.hpp` writes to. C++'s exceptions are
        // caught there. What the user's function does with its arguments is as much the user's as a kernel's
        // text is.
        let status = unsafe {
            (self.trampoline.entry)(
                arguments.as_mut_ptr(),
                returned.words.as_mut_ptr().cast(),
                words.as_mut_ptr(),
                words.len(),
            )
        };
        let words = text_of(&words);
        Outcome { status, returned, words }
    }
}

impl Outcome {
    fn into_result(self, function: &str) -> Result<Returned> {
        let Outcome { status, returned, words } = self;
        Err(match status {
            0 => return Ok(returned),
            2 => thrown(function, &words),
            3 => error::call(function, "the C++ code threw something that is no std::exception".to_owned()),
            4 => {
                let message = "the function returned a null pointer, where a text was asked for\n  = help: ask for \
                               `*const std::ffi::c_void` and look whether it is null";
                error::call(function, message.to_owned())
            }
            number if number > 16 => {
                let message = format!(
                    "argument {} is a number that the function's `{}` cannot hold",
                    number - 16,
                    type_name(&words)
                );
                error::argument(function, message)
            }
            _ => error::call(function, "the result has another type than was asked for".to_owned()),
        })
    }
}

/// An exception of C++, with the name of its type where the compiler has one.
fn thrown(function: &str, words: &str) -> Error {
    let (of, what) = words.split_once('\n').unwrap_or(("", words));
    let name = plain_type(of);
    let message = match name {
        Some(name) => format!("the C++ code threw {name}: {what}"),
        None => format!("the C++ code threw an exception: {what}"),
    };
    error::call(function, message)
}

/// `std::runtime_error` of `St13runtime_error`, `Problem` of `7Problem`, and `a::B` of `N1a1BE`.
fn plain_type(mangled: &str) -> Option<String> {
    let (start, rest) = match mangled.strip_prefix("St") {
        Some(rest) => ("std::", rest),
        None => ("", mangled),
    };
    let mut rest = rest.strip_prefix('N').and_then(|rest| rest.strip_suffix('E')).unwrap_or(rest);
    let mut parts: Vec<&str> = Vec::new();
    if let Some(inner) = rest.strip_prefix("St") {
        parts.push("std");
        rest = inner;
    }
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length: usize = rest.get(..digits)?.parse().ok()?;
        let name = rest.get(digits..digits + length)?;
        if !name.starts_with("__") {
            parts.push(name);
        }
        rest = &rest[digits + length..];
    }
    (!parts.is_empty()).then(|| format!("{start}{}", parts.join("::")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_exceptions_are_named() {
        assert_eq!(plain_type("St13runtime_error").unwrap(), "std::runtime_error");
        assert_eq!(plain_type("7Problem").unwrap(), "Problem");
        assert_eq!(plain_type("N1a1BE").unwrap(), "a::B");
        assert_eq!(plain_type("NSt8ios_base7failureB5cxx11E"), None);
        assert_eq!(plain_type(""), None);
    }
}
