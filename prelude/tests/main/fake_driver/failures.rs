//! Errors after which the device is lost.

use gpurepl_prelude::*;

use super::{Outcome, fake, has_nvrtc, in_child};

/// The sticky error came where it should, and nothing was said but that.
#[track_caller]
fn is_quiet(outcome: &Outcome, code: i32) {
    outcome.is_clean();
    let mut codes = outcome.log.iter().map(super::Line::code).skip_while(|failed| *failed != code).peekable();
    assert!(codes.peek().is_some(), "{}", outcome.shown());
    assert!(codes.all(|failed| failed == 0 || failed == code), "{}", outcome.shown());
}

#[test]
fn a_launch_that_loses_the_device() {
    if !has_nvrtc() {
        return;
    }
    for code in [214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810] {
        let fail = format!("cuLaunchKernel={code}@2");
        let Some(outcome) = fake(&[("FAIL", &fail)], "failures::lost") else { return };
        is_quiet(&outcome, code);
    }
}

#[test]
fn a_device_that_is_lost_while_a_kernel_runs() {
    if !has_nvrtc() {
        return;
    }
    let Some(outcome) = fake(&[("FAIL", "cuStreamSynchronize=700@2")], "failures::lost") else { return };
    is_quiet(&outcome, 700);
    let Some(outcome) = fake(&[("FAIL", "cuMemcpyDtoHAsync_v2=719@2")], "failures::lost") else { return };
    is_quiet(&outcome, 719);
}

#[test]
#[ignore = "a body"]
fn lost() {
    if !in_child() {
        return;
    }
    let source = "__global__ void twice(float *a, int n) { a[threadIdx.x] *= 2; }";
    let twice = SourceModule::new(source).unwrap().get_function("twice").unwrap();
    let mut a = to_gpu(&[1.0_f32; 32]);
    twice.launch(1, 32, (&mut a, 32)).unwrap();
    assert_eq!(a.to_vec(), [2.0; 32]);
    let error = twice
        .launch((2, 3), (4, 8), (&mut a, 32))
        .and_then(|()| device().synchronize())
        .and_then(|()| a.try_get().map(drop))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeviceLost, "{error}");
    let text = error.to_string();
    for part in ["twice", "grid (2, 3, 1)", "block (4, 8, 1)", "cannot be used by this process any more"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The rest says so as well, and nothing hangs or panics.
    let again: [Result<()>; 6] = [
        try_to_gpu(&[1]).map(drop),
        a.try_get().map(drop),
        twice.launch(1, 1, (&mut a, 1)),
        device().synchronize(),
        // Smaller ones may have been there before, and cost no call.
        mem_alloc(40 << 20).map(drop),
        mem_get_info().map(drop),
    ];
    for result in again {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DeviceLost, "{error}");
    }
    assert_eq!(SourceModule::new(source).map(drop).unwrap_err().kind(), ErrorKind::DeviceLost);
    let error = SourceModule::new("__global__ void f() { what }").map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Compile, "{error}");
}

#[test]
fn a_kernel_that_reaches_beyond_its_array() {
    if !has_nvrtc() {
        return;
    }
    let Some(outcome) = fake(&[], "failures::beyond") else { return };
    outcome.is_clean();
    assert_eq!(outcome.remarks("lost"), ["twice: an illegal access"]);
}

#[test]
#[ignore = "a body"]
fn beyond() {
    if !in_child() {
        return;
    }
    let source = "__global__ void twice(float *a, int n) { a[threadIdx.x] *= 2; }";
    let twice = SourceModule::new(source).unwrap().get_function("twice").unwrap();
    // As large as its block of memory.
    let mut a = to_gpu(&[1.0_f32; 128]);
    twice.launch(1, 128, (&mut a, 129)).unwrap();
    let error = a.try_get().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeviceLost);
    let text = error.to_string();
    assert!(text.starts_with("copying from the device, after launching twice"), "{text}");
    assert!(text.contains("an illegal memory access was encountered"), "{text}");
}

#[test]
fn a_launch_that_fails_by_itself_is_an_error_of_that_launch() {
    if !has_nvrtc() {
        return;
    }
    let Some(outcome) = fake(&[("FAIL", "cuLaunchKernel=701@1")], "failures::once") else { return };
    outcome.is_clean();
}

#[test]
#[ignore = "a body"]
fn once() {
    if !in_child() {
        return;
    }
    let source = "__global__ void twice(float *a, int n) { a[threadIdx.x] *= 2; }";
    let twice = SourceModule::new(source).unwrap().get_function("twice").unwrap();
    let mut a = to_gpu(&[1.0_f32; 4]);
    let error = twice.launch(1, 4, (&mut a, 4)).unwrap_err();
    assert_ne!(error.kind(), ErrorKind::DeviceLost, "{error}");
    assert!(error.to_string().contains("twice"), "{error}");
    twice.launch(1, 4, (&mut a, 4)).unwrap();
    assert_eq!(a.to_vec(), [2.0; 4]);
}
