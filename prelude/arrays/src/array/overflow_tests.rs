//! Overflow of arithmetic is noted once, by its operator.

use std::sync::{Mutex, PoisonError};

use super::types::{i64, u32};
use super::{GpuArray, arange, full, to_gpu};
use crate::device::overflow_note;

/// What a cell that runs this tells. Other tests of the process overflow
/// nothing.
fn told(work: impl FnOnce()) -> Option<String> {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = overflow_note();
    work();
    overflow_note()
}

fn run(array: GpuArray<i32>) {
    drop(array.to_vec());
}

#[test]
fn overflow_is_told_by_its_operator() {
    let large = || full(5000, i32::MAX - 4000) + 0;
    for (work, operator) in [
        (Box::new(|| run(large() + arange(0..5000))) as Box<dyn FnOnce()>, "`+`:"),
        (Box::new(|| run(-large() - arange(0..5000))), "`-`:"),
        (Box::new(|| run(arange(0..50_000) * arange(0..50_000))), "`*` or `pow`:"),
        (Box::new(|| run(arange(0..100_000).pow(2))), "`*` or `pow`:"),
        (Box::new(|| run(arange(0..40).pow(&full(40, 20)))), "`pow` by an array:"),
        (Box::new(|| assert_ne!(arange(0..100_000).pow(2).sum().item(), 0_i64)), "`*` or `pow`:"),
        (
            Box::new(|| {
                run({
                    let mut a = to_gpu([i32::MIN, 1]);
                    a -= 1;
                    a
                })
            }),
            "`-`:",
        ),
    ] {
        let note = told(work).expect(operator);
        assert!(note.starts_with(&format!("i32 overflow in {operator}")), "{note}");
    }
}

#[test]
fn what_fits_is_not_told() {
    let note = told(|| {
        run(arange(0..46_340).pow(2));
        run(to_gpu([i32::MAX, i32::MIN]) + to_gpu([0, 0]));
        run(to_gpu([i32::MIN, -1]) - to_gpu([-1, i32::MAX]));
        run(to_gpu([i32::MIN, i32::MIN / 2, 1 << 16]) * to_gpu([1, 2, -(1 << 15)]));
        run(to_gpu([-2, 0, 1, -1]).pow(&to_gpu([31, i32::MAX, i32::MAX, i32::MAX])));
        drop((arange(0..100_000).astype(i64).pow(2)).to_vec());
        drop((arange(0..100_000).astype(u32).pow(4)).to_vec());
        assert_eq!(arange(0..100_000).sum().item(), 4_999_950_000_i64);
    });
    assert_eq!(note, None);
}
