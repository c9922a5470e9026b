//! Memory that runs out, and memory that is given back.

use gpurepl_prelude::*;

use super::{fake, give_back, in_child};

#[test]
fn an_allocation_that_fails_is_an_error_and_the_next_one_works() {
    // The first call tries the pool; the second attempt after a failure follows a trim.
    for fail in ["cuMemAllocAsync=2@3,cuMemAllocAsync=2@4", "cuMemAllocAsync=2@3,cuMemAllocAsync=1@4"] {
        let Some(outcome) = fake(&[("FAIL", fail)], "memory::one_fails") else { return };
        assert_eq!(outcome.is_clean().left("allocations"), 0);
        // One of them is the body's own, at its end.
        assert_eq!(outcome.calls("cuMemPoolTrimTo").len(), 2);
    }
}

#[test]
#[ignore = "a body"]
fn one_fails() {
    if !in_child() {
        return;
    }
    let first = to_gpu(&[1, 2, 3]);
    let error = try_to_gpu(&[4, 5, 6]).unwrap_err();
    let kind =
        if error.to_string().contains("memory on") { ErrorKind::OutOfMemory } else { ErrorKind::Device };
    assert_eq!(error.kind(), kind, "{error}");
    assert_eq!(to_gpu(&[7, 8]).to_vec(), [7, 8]);
    assert_eq!(first.to_vec(), [1, 2, 3]);
    drop(first);
    give_back();
}

#[test]
fn a_failure_that_a_trim_mends_is_none() {
    let Some(outcome) = fake(&[("FAIL", "cuMemAllocAsync=2@2")], "memory::mended") else { return };
    assert_eq!(outcome.is_clean().left("allocations"), 0);
}

#[test]
#[ignore = "a body"]
fn mended() {
    if in_child() {
        assert_eq!(to_gpu(&[1, 2, 3]).to_vec(), [1, 2, 3]);
        give_back();
    }
}

#[test]
fn a_full_device_says_how_much_there_is() {
    for settings in [vec![], vec![("OLD", "")]] {
        let Some(outcome) = fake(&settings, "memory::full") else { return };
        assert_eq!(outcome.is_clean().left("allocations"), 0);
    }
}

#[test]
#[ignore = "a body"]
fn full() {
    if !in_child() {
        return;
    }
    assert_eq!(mem_get_info().unwrap(), (1 << 30, 1 << 30));
    let mut held = Vec::new();
    let error = loop {
        match mem_alloc(300 << 20) {
            Ok(memory) => held.push(memory),
            Err(error) => break error,
        }
    };
    assert_eq!(held.len(), 3);
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(error.to_string().contains("300 MiB requested, 124 MiB of 1.0 GiB free"), "{error}");
    held.clear();
    // What the pool keeps is free, also for something larger.
    assert_eq!(mem_get_info().unwrap().0, 1 << 30);
    drop(mem_alloc(1 << 30).unwrap());
    assert_eq!(mem_alloc(1 << 40).unwrap_err().kind(), ErrorKind::OutOfMemory);
}

#[test]
fn everything_is_given_back() {
    for settings in [vec![], vec![("OLD", "")]] {
        let Some(outcome) = fake(&settings, "memory::comes_and_goes") else { return };
        outcome.is_clean();
        let is_old = !settings.is_empty();
        let (allocate, free) =
            if is_old { ("cuMemAlloc_v2", "cuMemFree_v2") } else { ("cuMemAllocAsync", "cuMemFreeAsync") };
        let mut given: Vec<&str> = outcome.calls(allocate).iter().map(|call| call.after("->")).collect();
        let mut back: Vec<&str> = outcome.calls(free).iter().map(|call| call.words()[1]).collect();
        given.sort_unstable();
        back.sort_unstable();
        assert_eq!(given, back);
        assert!(given.len() > 4);
        assert_eq!(outcome.left("allocations") + outcome.left("arrays") + outcome.left("objects"), 0);
    }
}

#[test]
#[ignore = "a body"]
fn comes_and_goes() {
    if !in_child() {
        return;
    }
    let mut kept = Vec::new();
    for k in 0..100 {
        let array = to_gpu(&vec![k; 1 + k as usize]);
        let memory = to_device(&[1.0_f32; 8]).unwrap();
        let mut copy = mem_alloc(32).unwrap();
        memcpy_dtod(&mut copy, &memory).unwrap();
        let mut back = [0.0_f32; 8];
        memcpy_dtoh(&mut back, &copy).unwrap();
        assert_eq!(back, [1.0; 8]);
        if k % 3 == 0 {
            kept.push(array.gpudata());
        }
        if k % 10 == 0 {
            kept.clear();
        }
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..50).for_each(|k| assert_eq!(to_gpu(&[k; 5]).to_vec(), [k; 5])));
        }
    });
    kept.clear();
    let pool = memory_pool().unwrap();
    assert!(pool.held_blocks() > 0 && pool.active_blocks() == 0, "{pool:?}");
    give_back();
    assert_eq!((pool.held_blocks(), pool.held_bytes()), (0, 0));
}

#[test]
fn an_upload_that_fails_leaves_no_memory_behind() {
    for (fail, says) in [
        ("cuMemcpyHtoDAsync_v2=1@1+", "copying to the device"),
        ("cuMemcpyDtoHAsync_v2=999@1+", "copying from the device"),
    ] {
        let Some(outcome) = fake(&[("FAIL", fail)], "memory::copies_fail") else { return };
        assert!(outcome.output.contains(says), "{}", outcome.output);
        assert_eq!(outcome.is_clean().left("allocations"), 0);
    }
}

#[test]
#[ignore = "a body"]
fn copies_fail() {
    if !in_child() {
        return;
    }
    let error = try_to_gpu(&[1, 2]).and_then(|array| array.try_get()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Device);
    println!("{error}");
    give_back();
}
