//! What a library's operation asks of a GPU.

use gpurepl_prelude::*;

use super::{fake, give_back, has_nvrtc, in_child};
use crate::extend::roll;

#[test]
fn a_librarys_kernel_goes_to_the_current_stream_and_waits_for_its_inputs() {
    if !has_nvrtc() {
        return;
    }
    let Some(outcome) = fake(&[], "libraries::on_a_stream") else { return };
    let launches = outcome.is_clean().calls("cuLaunchKernel");
    let ours: Vec<_> = launches.iter().filter(|launch| launch.words()[1] == "roll").collect();
    assert_eq!(ours.len(), 1, "{}", outcome.shown());
    assert_ne!(ours[0].after("stream"), "0", "{}", outcome.shown());
    // That it waits for the right one, the driver checks: `is_clean`.
    assert!(!outcome.calls("cuStreamWaitEvent").is_empty(), "the input was made on the default stream");
}

#[test]
#[ignore = "a body"]
fn on_a_stream() {
    if !in_child() {
        return;
    }
    let a = arange(0_u32..1000);
    let stream = Stream::with_flags(StreamFlags { non_blocking: true }, 0).unwrap();
    let rolled = stream.scope(|| roll(&a, 1)).unwrap().unwrap();
    stream.synchronize().unwrap();
    drop((rolled, a, stream));
    give_back();
}
