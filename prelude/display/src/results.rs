//! The values of cells, kept for later ones: `_` and `Out[3]`.
//!
//! Values are kept as clones, of types that this crate knows and that borrow
//! nothing. An array's clone is a handle on the same memory, so keeping one
//! costs no copy; but it keeps the memory, and therefore there is a limit.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Problem};

/// Results that are kept, at most.
const MOST: usize = 100;

/// Bytes of results that are kept, at most; the newest stays whatever it takes.
const MOST_BYTES: usize = 64 << 20;

struct Kept {
    value: Box<dyn Any + Send>,
    type_name: String,
    bytes: usize,
}

struct Results {
    /// The cell that is running, if its value is to be kept.
    cell: Option<u64>,
    /// The type of that value, once it is.
    type_name: Option<String>,
    kept: BTreeMap<u64, Kept>,
}

static RESULTS: Mutex<Results> = Mutex::new(Results { cell: None, type_name: None, kept: BTreeMap::new() });

/// The lock is never held while a value is cloned or dropped.
fn results<R>(act: impl FnOnce(&mut Results) -> R) -> R {
    act(&mut RESULTS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A cell begins; its number, if its value is to be kept.
pub fn begin(cell: Option<u64>) {
    results(|results| (results.cell, results.type_name) = (cell, None));
}

/// Whether the value of the running cell is to be kept.
pub(crate) fn is_wanted() -> bool {
    results(|results| results.cell.is_some())
}

/// Keeps the running cell's value; `type_name` is its type as a cell writes it.
pub(crate) fn keep(value: Box<dyn Any + Send>, type_name: String, bytes: usize) {
    let former = results(|results| {
        let cell = results.cell?;
        results.type_name = Some(type_name.clone());
        results.kept.insert(cell, Kept { value, type_name, bytes })
    });
    drop(former);
}

/// The cells whose values are kept, and the types of these.
pub fn held() -> Vec<(u64, String)> {
    results(|results| results.kept.iter().map(|(cell, kept)| (*cell, kept.type_name.clone())).collect())
}

/// The cell has ended: the type of the value that was kept, and the cells
/// whose values are kept no longer.
pub fn finish() -> (Option<String>, Vec<u64>) {
    let (type_name, dropped) = results(|results| {
        results.cell = None;
        let mut dropped = Vec::new();
        let mut bytes: usize = results.kept.values().map(|kept| kept.bytes).sum();
        while results.kept.len() > 1 && (results.kept.len() > MOST || bytes > MOST_BYTES) {
            let Some((cell, kept)) = results.kept.pop_first() else { break };
            bytes = bytes.saturating_sub(kept.bytes);
            dropped.push((cell, kept));
        }
        (results.type_name.take(), dropped)
    });
    (type_name, dropped.into_iter().map(|(cell, _)| cell).collect())
}

/// The value that a cell had. The code around a cell calls it with the type
/// that the value was kept with.
///
/// # Panics
///
/// If it is not kept, or not of that type.
pub fn result<T: Clone + 'static>(cell: u64) -> T {
    let kept = take(cell);
    let value = kept.value.downcast_ref::<T>().cloned();
    results(|results| results.kept.insert(cell, kept));
    value.unwrap_or_else(|| missing(cell))
}

/// Takes a value out while it is cloned, which may run anything.
fn take(cell: u64) -> Kept {
    results(|results| results.kept.remove(&cell)).unwrap_or_else(|| missing(cell))
}

fn missing<T>(cell: u64) -> T {
    let message = "it is not kept any more; bind a value by `let` to keep it".to_owned();
    Error::from(Problem::Argument { kernel: format!("Out[{cell}]"), message }).raise()
}

#[cfg(test)]
mod tests {
    use super::*;

    // One test: the results are one for the process.
    #[test]
    fn the_newest_stays_and_the_oldest_go_first() {
        for cell in 1..=3 {
            begin(Some(cell));
            assert!(is_wanted());
            keep(Box::new(cell), "u64".to_owned(), MOST_BYTES / 2);
            let (type_name, dropped) = finish();
            assert_eq!(type_name.as_deref(), Some("u64"));
            assert_eq!(dropped, if cell == 3 { vec![1] } else { vec![] });
        }
        assert_eq!(result::<u64>(2), 2);
        assert_eq!(result::<u64>(2), 2, "a value is cloned, not taken");

        begin(Some(4));
        keep(Box::new(4u64), "u64".to_owned(), 2 * MOST_BYTES);
        assert_eq!(finish().1, [2, 3]);
        assert_eq!(result::<u64>(4), 4);

        begin(None);
        assert!(!is_wanted());
        keep(Box::new(5u64), "u64".to_owned(), 8);
        assert_eq!(finish(), (None, vec![]));
    }
}
