//! What is kept for the next array.
//!
//! Other tests of this process use the same pool at the same time, so what is
//! checked are bounds.

use gpurepl_prelude::*;

// PyCUDA's test_mempool: more than there is room for, one after the other.
#[test]
fn what_is_given_back_is_held() {
    let pool = memory_pool().unwrap();
    let mut queue = std::collections::VecDeque::new();
    for _ in 0..200 {
        queue.push_back(mem_alloc(1 << 20).unwrap());
        if queue.len() > 10 {
            queue.pop_front();
        }
    }
    assert!(pool.active_blocks() >= queue.len() && pool.active_bytes() >= 10 << 20, "{pool}");
    assert!(pool.managed_bytes() >= 10 << 20);
    drop(queue);
    assert!(format!("{pool:?}").starts_with("MemoryPool("), "{pool}");
}

// PyCUDA's test_mempool_2: what is used is as much as was asked for at least,
// and not much more.
#[test]
fn sizes_are_rounded_up_by_little() {
    let pool = memory_pool().unwrap();
    let mut state = 12345_u64;
    for _ in 0..300 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bytes = 1 + (state >> (34 + state % 20)) as usize % (8 << 20);
        let memory = mem_alloc(bytes).unwrap();
        assert!(memory.len() == bytes && pool.active_bytes() >= bytes as u64);
    }
}

#[test]
fn a_limit() {
    // A context of its own, which the host's limit is not: one pool there.
    if crate::is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_GPU);
    }
    let other = super::Other::new();
    other
        .0
        .scope(|| {
            let pool = memory_pool().unwrap();
            assert_eq!(pool.limit(), None);
            pool.set_limit(Some(1 << 20)).unwrap();
            let half = mem_alloc(1 << 19).unwrap();
            let error = mem_alloc(600_000).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
            assert!(error.to_string().contains("set_limit"), "{error}");
            drop(half);
            let is_kept = std::env::var_os("GPUREPL_MEMORY_POOL").is_none_or(|value| value != "0");
            let large = mem_alloc(600_000).unwrap();
            assert!(pool.held_blocks() == usize::from(is_kept) && pool.active_blocks() == 1, "{pool}");
            pool.free_held().unwrap();
            assert_eq!(pool.held_blocks(), 0);
            pool.set_limit(None).unwrap();
            drop(large);
        })
        .unwrap();
}
