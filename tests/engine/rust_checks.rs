//! What `GPUREPL_CHECK=1` finds in kernels in Rust: races on the host device, overflows on every device.

use gpurepl_tests::{Conversation, is_on_host};

fn checked() -> Conversation {
    Conversation::with_environment(&[("GPUREPL_CHECK", "1")])
}

macro_rules! on_host {
    () => {
        if !is_on_host() {
            return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
        }
    };
}

#[test]
fn an_overflow_of_integers_is_an_error() {
    let mut cells = checked();
    cells.ok("let x = arange(0..64);");
    cells.ok("#[kernel] fn scaled(x: &[i32], y: &mut [i32]) {\n    let t = thread::x();\n    y[t] = x[t] * 100_000_000;\n}");
    cells.ok("let mut y = zeros::<i32>(64);");
    cells.fails_with("scaled.launch(1, 64, (&x, &mut y))?;", "attempt to multiply with overflow");
    assert!(cells.rendered().contains("line 3"), "{}", cells.rendered());
    cells.fails_with("x.map(|v| v - i32::MIN).sum().item()", "attempt to subtract with overflow");
    // What is meant to wrap around does.
    cells.shows("x.map(|v| v.wrapping_sub(i32::MIN))[0].item()", "-2147483648");
    cells.shows("scaled.launch(1, 22, (&x, &mut y))?; y[21].item()", "2100000000");
}

#[test]
fn a_missing_barrier_between_threads_is_a_race() {
    on_host!();
    let mut cells = checked();
    let turn = "#[kernel] fn turn(a: &mut [i32]) {\n    let s = shared!([i32; 64]);\n    let t = thread::x();\n    \
                s[t] = a[t];\n    block::sync();\n    a[t] = s[63 - t];\n}";
    cells.ok(&turn.replace("block::sync();", ""));
    cells.ok("let mut a = arange(0..64);");
    cells.fails_with("turn.launch(1, 64, (&mut a,))?;", "of the same block has read");
    let rendered = cells.rendered();
    for words in
        ["race: this thread writes", "the block's shared memory", "line 4", "line 6", "call `block::sync()`"]
    {
        assert!(rendered.contains(words), "{words}: {rendered}");
    }
    cells.ok(turn);
    cells.shows("let mut a = arange(0..64); turn.launch(1, 64, (&mut a,))?; a.to_vec() == (0..64).rev().collect::<Vec<_>>()", "true");
}

#[test]
fn a_sum_without_atomics_is_a_race_of_threads_and_of_blocks() {
    on_host!();
    let mut cells = checked();
    cells.ok("#[kernel] fn total(x: &[i32], y: &mut [i32]) { let i = thread::index(); if i < x.len() { y[0] += x[i]; } }");
    cells.ok("let (x, mut y) = (arange(0..1000), zeros::<i32>(1));");
    cells.fails_with(
        "total.launch(4, 256, (&x, &mut y))?;",
        "neither waits for the other, in an array of 4 bytes",
    );
    cells.fails_with(
        "total.launch(1000, 1, (&x, &mut y))?;",
        "let each write a place of its own, use `atomic::add`",
    );
    cells.ok("#[kernel] fn added(x: &[i32], y: &mut [i32]) { let i = thread::index(); if i < x.len() { atomic::add(&mut y[0], x[i]); } }");
    cells.shows("let mut y = zeros::<i32>(1); added.launch(4, 256, (&x, &mut y))?; y[0].item()", "499500");
    // Threads that write the same value are none.
    cells.ok("#[kernel] fn flag(x: &[i32], y: &mut [i32]) { let i = thread::index(); if i < x.len() && x[i] > 5 { y[0] = 1; } }");
    cells.shows("flag.launch(4, 256, (&x, &mut y))?; y[0].item()", "1");
    cells.ok("#[kernel] fn last(y: &mut [i32]) { y[0] = thread::index() as i32; }");
    cells.fails_with("last.launch(2, 32, (&mut y,))?;", "has written another value to");
}

#[test]
fn a_flag_that_is_passed_by_an_atomic_is_no_race() {
    on_host!();
    let mut cells = checked();
    cells.ok("use std::sync::atomic::{AtomicU32, Ordering};");
    // The last block adds up what the others have left: of NVIDIA's sample threadFenceReduction.
    cells.ok("#[kernel] fn total(x: &[f32], parts: &mut [f32], done: &[AtomicU32], out: &mut [f32]) {
        let part = shared!([f32; 64]);
        let is_last = shared!([u32; 1]);
        let t = thread::x();
        part[t] = x[thread::index()];
        block::sync();
        let mut half = 32;
        while half > 0 {
            if t < half { part[t] += part[t + half]; }
            block::sync();
            half /= 2;
        }
        if t == 0 {
            parts[block::x()] = part[0];
            let before = done[0].fetch_add(1, Ordering::AcqRel);
            is_last[0] = u32::from(before as usize == grid::width() - 1);
        }
        block::sync();
        if is_last[0] == 1 && t == 0 { out[0] = parts.iter().sum(); }
    }");
    cells.ok("let (mut parts, mut done, mut out) = (zeros::<f32>(8), zeros::<u32>(1), zeros::<f32>(1));");
    cells.ok("total.launch(8, 64, (&arange(0..512).astype(f32), &mut parts, &mut done, &mut out))?;");
    cells.shows("out[0].item()", "130816.0");
}
