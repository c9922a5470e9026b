//! Measuring work by events: recorded where it is asked for, and only there.

use gpurepl_prelude::{cell, to_gpu};

use super::{fake, give_back, in_child};

#[test]
fn events_are_recorded_only_while_work_is_measured() {
    let Some(outcome) = fake(&[], "measuring::uploads") else { return };
    outcome.is_clean();
    assert_eq!(outcome.calls("cuMemcpyHtoDAsync_v2").len(), 5 + 2 + 2);
    // A pair for each upload of the one run that is measured.
    assert_eq!(outcome.calls("cuEventRecord").len(), 2 * 2);
    assert_eq!((outcome.left("allocations"), outcome.left("events")), (0, 0));
}

#[test]
#[ignore = "a body"]
fn uploads() {
    if !in_child() {
        return;
    }
    for _ in 0..5 {
        drop(to_gpu(&[1, 2, 3]));
    }
    let ended = cell::timeit(2, 1, &mut || {
        let array = to_gpu(&[4, 5, 6]);
        cell::measured(&array)
    });
    assert!(ended.is_ok());
    give_back();
}
