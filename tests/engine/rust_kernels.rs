//! Kernels that are written in Rust, in cells.

use std::time::Duration;

use gpurepl_session::Outcome;
use gpurepl_tests::{Conversation, is_on_host};

const AXPY: &str = "#[kernel] fn axpy(a: f32, x: &[f32], y: &mut [f32]) { let i = thread::index(); if i < y.len() { y[i] += a * x[i]; } }";

fn start() -> Conversation {
    let mut cells = Conversation::start();
    cells.ok("let x = arange(0..1000).astype(f32);");
    cells.ok("let mut y = ones::<f32>(1000);");
    cells
}

#[test]
fn the_function_is_the_kernel() {
    let mut cells = start();
    cells.ok(AXPY);
    cells.ok("axpy.launch(4, 256, (2.0, &x, &mut y))?;");
    cells.shows("y.sum().item()", "1000000.0");
    // Of a later cell, with the grid chosen.
    cells.ok("axpy.launch_for(1000, (-2.0, &x, &mut y))?; axpy.launch_for(0, (1.0, &x, &mut y))?;");
    cells.shows("y.to_vec() == [1.0; 1000]", "true");
    cells.shows("axpy.launch_timed(4, 256, (0.0, &x, &mut y))? > 0.0", "true");
    cells.shows("axpy.source()?.contains(\"y[i] += a * x[i]\")", "true");
    cells.shows("axpy.compiled((0.0, &x, &mut y))?.max_threads_per_block() >= 256", "true");
    // A function of the user's calls it as well.
    cells.ok("fn twice(x: &GpuArray<f32>, y: &mut GpuArray<f32>) -> Result<()> { axpy.launch_for(1000, (1.0, x, &mut *y))?; axpy.launch_for(1000, (1.0, x, y)) }");
    cells.ok("twice(&x, &mut y)?;");
    cells.shows("y[999].item()", "1999.0");
}

#[test]
fn threads_share_memory_and_meet() {
    let mut cells = start();
    cells.ok("#[kernel] fn sum(x: &[f32], out: &mut [f32]) {
        let part = shared!([f32; 32]);
        let mut sum = 0.0;
        for i in thread::range(x.len()) { sum += x[i]; }
        let sum = warp::reduce(sum, |a, b| a + b);
        if thread::lane() == 0 { part[thread::x() / 32] = sum; }
        block::sync();
        if thread::x() < 32 {
            let v = if thread::x() < block::width() / 32 { part[thread::x()] } else { 0.0 };
            let v = warp::reduce(v, |a, b| a + b);
            if thread::x() == 0 { atomic::add(&mut out[0], v); }
        }
    }");
    cells.ok("let mut out = zeros::<f32>(1); sum.launch(2, 256, (&x, &mut out))?;");
    cells.shows("out[0].item()", "499500.0");
    cells.ok("#[kernel] fn matmul<const T: usize>(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        let (ta, tb) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
        let (tx, ty) = (thread::x(), thread::y());
        let (column, row) = (thread::index(), thread::index_y());
        let mut sum = 0.0;
        for t in 0..n / T {
            ta[ty][tx] = a[row * n + t * T + tx];
            tb[ty][tx] = b[(t * T + ty) * n + column];
            block::sync();
            for k in 0..T { sum += ta[ty][k] * tb[k][tx]; }
            block::sync();
        }
        c[row * n + column] = sum;
    }");
    cells.ok("let a = arange(0..4096).reshape((64, 64)).astype(f32) / 4096.0; let b = a.t().copy();");
    cells.ok(
        "let mut c = zeros::<f32>((64, 64)); matmul::<16>.launch((4, 4), (16, 16), (64, &a, &b, &mut c))?;",
    );
    cells.shows("(&c - a.matmul(&b)).abs().max().item() < 1e-4", "true");
    cells.ok("#[kernel] fn votes(out: &mut [u32]) {
        let t = thread::x();
        let even = block::count(t % 2 == 0) as u32;
        let (all, any) = (block::all(t < 64), block::any(t == 70));
        out[t] = even + 1000 * all as u32 + 2000 * any as u32 + 10_000 * warp::ballot(t % 32 < 3) + 100_000 * warp::shuffle(t as u32, 5);
    }");
    cells.ok("let mut v = zeros::<u32>(64); votes.launch(1, 64, (&mut v,))?;");
    cells.shows("(v[0].item(), v[63].item())", "(571032, 3771032)");
    // Memory that the launch brings.
    cells.ok("#[kernel] fn count_up(bins: &[std::sync::atomic::AtomicU32]) { use std::sync::atomic::Ordering::Relaxed; bins[thread::index() % bins.len()].fetch_add(1, Relaxed); }");
    cells.ok("let mut bins = zeros::<u32>(7); count_up.launch(10, 70, (&mut bins,))?;");
    cells.shows("bins.to_vec()", "[100, 100, 100, 100, 100, 100, 100]");
}

#[test]
fn items_of_the_session_are_part_of_a_kernel() {
    let mut cells = start();
    cells.ok("kernel_struct! { #[derive(Clone, Copy)] struct Body { p: [f32; 3], m: f32 } }");
    cells.ok("impl Body { fn shown(&self) -> String { format!(\"{:?}\", self.p) } fn norm(&self) -> f32 { self.p.iter().map(|v| v * v).sum::<f32>().sqrt() } }");
    cells.ok("trait Weight { fn weight(&self) -> f32; } impl Weight for Body { fn weight(&self) -> f32 { self.norm() * self.m * G } } const G: f32 = 10.0;");
    cells.ok("use std::f32::consts::PI;");
    cells.ok("fn total<T: Weight, const N: usize>(all: [&T; N]) -> f32 { all.iter().map(|one| one.weight()).sum() }");
    cells.ok("#[kernel] fn weights(scale: f32, all: &[Body], out: &mut [f32]) {
        let i = thread::index();
        let (Some(body), Some(out)) = (all.get(i), out.get_mut(i)) else { return };
        *out = total([body, body]) * scale + (PI * 0.5).sin();
    }");
    cells.ok("let bodies = vec![Body { p: [3.0, 4.0, 0.0], m: 2.0 }; 5]; let mut w = zeros::<f32>(5);");
    cells.ok("weights.launch_for(5, (0.5, In(&bodies), &mut w))?;");
    cells.shows("w.to_vec()", "[101.0, 101.0, 101.0, 101.0, 101.0]");
    // The changed constant is seen by the next launch.
    cells.ok("const G: f32 = 1.0;");
    cells.ok("weights.launch_for(5, (0.5, In(&bodies), &mut w))?;");
    cells.shows("w[0].item()", "11.0");
    cells.ok("enum Shape { Circle(f32), Square { side: f32 } } #[kernel] fn areas(out: &mut [f32]) {
        let shapes = [Shape::Circle(2.0), Shape::Square { side: 3.0 }];
        let area = |shape: &Shape| match *shape { Shape::Circle(r) => 3.0 * r * r, Shape::Square { side } => side * side };
        for (out, shape) in out.iter_mut().zip(&shapes) { *out = area(shape); }
    }");
    cells.ok("let mut areas_of = zeros::<f32>(2); areas.launch(1, 1, (&mut areas_of,))?;");
    cells.shows("areas_of.to_vec()", "[12.0, 9.0]");
    // A whole structure by value, and data of the host that is written.
    cells.ok("#[kernel] fn heavier(by: Body, all: &mut [Body]) { let i = thread::index(); if i < all.len() { all[i].m += by.m; } }");
    cells.ok("let mut all = vec![Body { p: [0.0; 3], m: 1.0 }; 3]; heavier.launch(1, 32, (Struct(Body { p: [0.0; 3], m: 0.5 }), InOut(&mut all)))?;");
    cells.shows("all[2].m", "1.5");
}

#[test]
fn a_panic_in_a_kernel_names_the_line_and_keeps_everything() {
    let mut cells = start();
    cells.ok(AXPY);
    for (statement, words) in [
        ("y[i] = x[i + 1];", "index out of bounds: the len is 1000 but the index is 1000"),
        ("let t = [1.0f32, 2.0]; y[0] = t[i];", "index out of bounds: the len is 2 but the index is"),
        ("y[0] = (10 / (i as i32 / 2000)) as f32;", "attempt to divide by zero"),
        ("assert!(i < 900); y[i.min(999)] = 0.0;", "assertion failed: i < 900"),
        ("assert!(i != 5, \"five\"); y[i.min(999)] = 0.0;", "five"),
        (
            "let none: Option<f32> = None; y[0] = none.unwrap();",
            "called `Option::unwrap()` on a `None` value",
        ),
        ("if i == 3 { panic!(\"three\"); }", "three"),
        ("unreachable!();", "entered unreachable code"),
        ("block::sync(); if thread::x() == 9 { y[i + 5000] = 1.0; } block::sync();", "the index is"),
    ] {
        cells.ok(&format!("#[kernel]\nfn wrong(x: &[f32], y: &mut [f32]) {{\n    let i = thread::index();\n    {statement}\n}}"));
        let error = cells.fails("wrong.launch(4, 256, (&x, &mut y))?; device().synchronize()?;");
        assert!(error.message.contains(words), "{statement}: {}", error.message);
        let rendered = cells.rendered();
        assert!(rendered.contains("line 4, thread ["), "{statement}: {rendered}");
        assert!(rendered.contains(statement), "{statement}: {rendered}");
        // Nothing is lost, and the next launch works.
        cells.ok("let mut z = zeros::<f32>(1000); axpy.launch_for(1000, (1.0, &x, &mut z))?;");
        cells.shows("z.sum().item()", "499500.0");
    }
}

#[test]
fn a_panic_of_a_launch_that_nobody_waits_for_ends_the_cell() {
    let mut cells = start();
    cells.ok("#[kernel] fn wrong(y: &mut [f32]) { let n = y.len(); y[n] = 0.0; }");
    let error = cells.fails("wrong.launch(1, 1, (&mut y,))?;");
    assert!(error.message.contains("the len is 1000 but the index is 1000"), "{}", error.message);
    cells.shows("y.sum().item()", "1000.0");
}

#[test]
fn functions_and_closures_over_elements() {
    let mut cells = start();
    cells.ok("#[device] fn relu(x: f32) -> f32 { if x > 500.0 { x } else { 0.0 } }");
    cells.shows("x.map(relu).sum().item()", "374250.0");
    cells.shows("relu(-1.0)", "0.0");
    cells.ok("let k = 1.5f32; let n: usize = 3;");
    cells.ok("let z = x.map(|v| v * 2.0 + k);");
    cells.shows("z.to_vec() == x.to_vec().iter().map(|v| v * 2.0 + k).collect::<Vec<_>>()", "true");
    cells.ok("let w = x.map_indexed(|i, v| if i < n { 0.0 } else { v + k });");
    cells.shows("(w[2].item(), w[3].item())", "(0.0, 4.5)");
    cells.ok("let both = x.zip_with(&z, |a, b| relu(a) as f64 + b as f64 * 2.0);");
    cells.shows("both[600].item()", "3003.0");
    // Sizes around what a thread takes at once, views, and nothing at all.
    for count in [0, 1, 3, 4, 5, 255, 257, 997] {
        cells.shows(&format!("let part = x.slice(3..3 + {count}); let made = part.map(|v| v as u8); made.to_vec() == part.to_vec().iter().map(|v| *v as u8).collect::<Vec<u8>>()"), "true");
    }
    // Values of a closure are its own each time.
    cells.ok("let mut sums = Vec::new(); for k in 1..4 { let s = x.map(|v| v * k as f32); sums.push(s.sum().item()); }");
    cells.shows("sums", "[499500.0, 999000.0, 1498500.0]");
    // Elements of other sizes than before.
    cells.ok("let bytes = arange(0..1003i64).map(|v| v as u8); let wide = bytes.map(|v| v as f64 * 0.5); let halves = wide.map(|v| v as i16);");
    cells.shows("(bytes.to_vec() == (0..1003).map(|v| v as u8).collect::<Vec<_>>(), wide[255].item(), halves[254].item())", "(true, 127.5, 127)");
    // All elements made into one.
    cells.ok("#[device] fn least(a: f32, b: f32) -> f32 { if b < a { b } else { a } }");
    cells.shows(
        "(x.reduce(0.0, |a, b| a + b), x.reduce(f32::MAX, least), x.slice(..0).reduce(7.0, least))",
        "(499500.0, 0.0, 7.0)",
    );
    cells.ok("let top = 400.5f32; let most = x.reduce(f32::MIN, |a, b| if b > top { a } else { a.max(b) });");
    cells.shows("most", "400.0");
    cells.ok("let many = arange(0..100_003i64); let odd = many.reduce(0, |a, b| a ^ b);");
    cells.shows("odd == (0..100_003i64).fold(0, |a, b| a ^ b)", "true");
    // Other methods of the name are left alone.
    cells.shows("(0..3).map(|i| i * n).collect::<Vec<_>>()", "[0, 3, 6]");
    cells.shows("Some(2).map(|v| v + n)", "Some(5)");
}

/// The session itself ended with this.
#[test]
fn calls_with_closures_are_chained() {
    let mut cells = Conversation::start();
    cells.ok("let a = gpu![1.0f32, 2.0, 3.0]; let k = 1.0f32;");
    cells.shows("a.map(|v| v * v).map(|v| v + k).to_vec()", "[2.0, 5.0, 10.0]");
    cells.shows("a.map(|v| v * 2.0).zip_with(&a.map(|v| -v), |v, w| v + w).reduce(0.0, |v, w| v + w)", "6.0");
}

#[test]
fn a_panic_in_a_closure_is_at_its_line() {
    let mut cells = start();
    let error =
        cells.fails("let made = x.map(|v| {\n    let table = [1.0f32, 2.0];\n    table[v as usize]\n});");
    assert!(error.message.contains("the len is 2 but the index is"), "{}", error.message);
    assert!(cells.rendered().contains("line 3, thread ["), "{}", cells.rendered());
    cells.shows("y.sum().item()", "1000.0");
}

#[test]
fn what_a_device_cannot_have_is_said() {
    let mut cells = start();
    cells.ok(AXPY);
    let mut says = |cell: &str, words: &[&str]| {
        let error = cells.fails(cell);
        let rendered = cells.rendered();
        for word in words {
            assert!(error.message.contains(word) || rendered.contains(word), "{cell}: {rendered}");
        }
    };
    says(
        "fn plain(y: &mut [f32]) {} plain.launch(1, 1, (&mut y,))?;",
        &["write `#[kernel]` before `fn plain`"],
    );
    says("axpy.launch(4, 256, (2.0, &x, &y))?;", &["cannot be passed for the parameter `&mut [f32]`"]);
    says("axpy.launch(4, 256, (2, &x, &mut y))?;", &["cannot be passed for the parameter `f32`"]);
    says("axpy.launch(4, 256, (2.0, &x))?;", &["is not the list of this kernel's arguments"]);
    says("axpy.launch(4, 5000, (2.0, &x, &mut y))?;", &["5000", "1024"]);
    says("let mut view = x.slice(1..); axpy.launch_for(9, (1.0, &x, &mut view))?;", &["shares memory"]);
    says(
        "#[kernel] fn grows(y: &mut [f32]) { let v = vec![1.0f32]; y[0] = v[0]; }\ngrows.launch(1, 1, (&mut y,))?;",
        &["a kernel allocates nothing", "vec"],
    );
    says("let a = x.map(|v| v + y[0].item());", &["the closure uses `y`, a `GpuArray<f32>`", "zip_with"]);
    says("thread::index()", &["thread::index() is known within a kernel"]);
    says("dbg!(x.map(|v| v + 1.0));", &["a closure's text is known in a statement"]);
    cells.shows("y.sum().item()", "1000.0");
}

/// Casts, shifts and the like are Rust's on every device: what the same function gives
/// as a part of the cell is what is expected.
#[test]
fn arithmetic_is_rusts() {
    let mut cells = Conversation::start();
    cells.ok("let floats = gpu![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e9, -3e9, 255.9, -0.5, 0.0, -0.0, 1e-40, 16777217.0, 2.5, 3.5, -2.5, 1e20];");
    cells.ok("let numbers = gpu![0, 1, -1, i32::MAX, i32::MIN, 7, -7, 255, 256, 65536, 31, 32, 33];");
    let float = [
        "v as i32",
        "v as u8",
        "v as i64",
        "v as u64",
        "v.max(1.0)",
        "v.min(-1.0)",
        "v.clamp(-1.0, 300.0)",
        "v.to_bits()",
        "v.floor()",
        "v.ceil()",
        "v.trunc()",
        "v.round()",
        "v.round_ties_even()",
        "v.fract()",
        "v.abs()",
        "v.signum()",
        "v.sqrt()",
        "v.mul_add(3.0, 1.0)",
        "v.powi(3)",
        "v * 3.0 + 1.0",
        "v as f64 / 3.0",
        "v.is_nan()",
        "v.copysign(-1.0)",
        "v.total_cmp(&1.0) as i32",
        "v.rem_euclid(3.0) as i32",
    ];
    let integer = [
        "v.wrapping_mul(v)",
        "v.wrapping_add(i32::MAX)",
        "v.wrapping_shl(v as u32)",
        "v >> (v & 31)",
        "(v as u32 >> (v & 31)) as i64",
        "v.checked_mul(3).unwrap_or(-5)",
        "v.saturating_sub(100)",
        "v as i8",
        "v as u16",
        "v.count_ones()",
        "v.leading_zeros()",
        "v.rotate_left(5)",
        "v.checked_div(v.wrapping_sub(7)).unwrap_or(9)",
        "v.rem_euclid(7)",
        "v.wrapping_abs()",
        "v.signum()",
        "v.pow(2_u32.min(v as u32 & 1))",
        "(v as i64 * v as i64 % 1_000_003)",
        "v as f32",
        "v as u128 as u64",
        "v.swap_bytes()",
        "v.unsigned_abs()",
        "v.abs_diff(12)",
        "(v as u32).is_power_of_two()",
        "v.cmp(&7) as i32",
    ];
    let mut items = String::new();
    let mut checks = String::new();
    for (kind, of, all) in [("f", "floats", &float[..]), ("n", "numbers", &integer[..])] {
        let element = if kind == "f" { "f32" } else { "i32" };
        for (number, expression) in all.iter().enumerate() {
            let name = format!("{kind}{number}");
            // As text, in which a NaN is equal to a NaN.
            items.push_str(&format!(
                "#[device] fn {name}(v: {element}) -> f64 {{ ({expression}) as {}f64 }}\n",
                through(expression)
            ));
            checks.push_str(&format!("let ours = {of}.map({name}).to_vec(); let theirs: Vec<f64> = {of}.to_vec().into_iter().map({name}).collect(); if format!(\"{{ours:?}}\") != format!(\"{{theirs:?}}\") {{ wrong.push(format!(\"{{}}: {{ours:?}} {{theirs:?}}\", {expression:?})); }}\n"));
        }
    }
    cells.ok(&items);
    cells.ok(&format!("let mut wrong: Vec<String> = Vec::new();\n{checks}"));
    cells.shows("wrong", "[]");
}

/// Booleans become floats by way of an integer.
fn through(expression: &str) -> &'static str {
    if expression.contains("is_") { "u8 as " } else { "" }
}

#[test]
fn a_changed_function_is_compiled_again_and_an_unchanged_one_is_not() {
    let mut cells = start();
    cells.ok("#[device] fn scale(v: f32) -> f32 { v * 2.0 }");
    cells.ok("#[kernel] fn apply(y: &mut [f32]) { let i = thread::index(); if i < y.len() { y[i] = scale(y[i]); } }");
    cells.ok("apply.launch_for(1000, (&mut y,))?;");
    cells.shows("y[5].item()", "2.0");
    cells.ok("#[device] fn scale(v: f32) -> f32 { v * 10.0 }");
    cells.ok("apply.launch_for(1000, (&mut y,))?;");
    cells.shows("y[5].item()", "20.0");
    // A kernel of another cell beside it changes nothing for it.
    cells.ok("#[kernel] fn other(y: &mut [f32]) { y[0] = 0.0; }");
    cells.ok("apply.launch_for(1000, (&mut y,))?; other.launch(1, 1, (&mut y,))?;");
    cells.shows("(y[0].item(), y[5].item())", "(0.0, 200.0)");
}

#[test]
fn kernels_print() {
    let mut cells = start();
    cells.ok("#[kernel] fn hello(n: f32) { let t = thread::x(); println!(\"thread {t} of {}, {n:.2}\", block::width()); }");
    cells.ok("hello.launch(1, 2, (0.5,))?;");
    let text = String::from_utf8_lossy(cells.stdout()).into_owned();
    assert_eq!(text, "thread 0 of 2, 0.50\nthread 1 of 2, 0.50\n");
}

#[test]
fn a_kernel_that_never_ends_is_stopped_by_the_time_limit() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let mut cells = start();
    cells.ok("device().set_kernel_timeout(Some(std::time::Duration::from_millis(300)));");
    cells.ok("#[kernel] fn spin(y: &mut [f32]) { let mut i = 0_u32; loop { i = i.wrapping_mul(3).wrapping_add(1); if i == 2 { break; } } y[0] = i as f32; }");
    cells.fails_with("spin.launch(1, 1, (&mut y,))?;", "the time limit for kernels");
    cells.shows("y.sum().item()", "1000.0");
}

/// On a GPU nothing else ends a kernel and leaves the context, and with it the arrays.
#[test]
fn a_kernel_that_polls_is_stopped_and_the_context_stays() {
    let mut cells = Conversation::with_environment(&[("GPUREPL_POLL", "1"), ("GPUREPL_KERNEL_TIMEOUT", "2")]);
    cells.ok("let x = arange(0..1000).astype(f32); let mut y = ones::<f32>(1000);");
    cells.ok(AXPY);
    cells.ok("axpy.launch(4, 256, (1.0, &x, &mut y))?;");
    cells.ok("#[kernel] fn spin(y: &mut [f32]) { let mut i = 0_u32; loop { i = i.wrapping_mul(3).wrapping_add(1); if i == 2 { break; } } y[0] = i as f32; }");
    let worker = cells.worker();
    cells.fails_with("spin.launch(4, 64, (&mut y,))?;", "the time limit for kernels");
    // Where an event is waited for.
    cells.ok("let (stream, other) = (Stream::new()?, Stream::new()?); let mut z = zeros::<f32>(1000);");
    let event = "spin.launch_async(4, 64, &stream, (&mut z,))?; stream.record()?.synchronize()?;";
    cells.fails_with(event, "the time limit for kernels");
    cells.ok("z.fill(0.0); axpy.launch_async(4, 256, &other, (1.0, &x, &mut z))?;");
    cells.shows("z.sum().item()", "499500.0");
    cells.shows("y.sum().item()", "500500.0");
    cells.ok("device().set_kernel_timeout(None);");
    let endless = "println!(\"started\"); spin.launch(4, 64, (&mut y,))?;";
    let (outcome, _) = cells.interrupted(endless, &[Duration::from_millis(300)]);
    assert!(matches!(outcome, Outcome::Interrupted), "{outcome:?}");
    // A kernel that ends is not held up by what stopped others.
    cells.ok("axpy.launch(4, 256, (1.0, &x, &mut y))?;");
    cells.shows("y.sum().item()", "1000000.0");
    assert_eq!(cells.worker(), worker, "the worker was started again");
}

#[test]
fn lanes_that_have_the_same_value_are_found() {
    let mut cells = Conversation::start();
    cells.ok("#[kernel] fn same(x: &[u64], out: &mut [u32]) { let i = thread::index(); out[i] = warp::match_any(x[i] as u8) ^ warp::match_any(x[i]); \
        if warp::match_all(i / 32) && !warp::match_all(i) { atomic::xor(&mut out[i], 0xf000_0000); } }");
    cells.ok("let x: Vec<u64> = (0..48).map(|k| k % 4 + (k % 2) << 40).collect();");
    cells.ok("let mut out = zeros::<u32>(48); same.launch(1, 48, (&to_gpu(&x), &mut out))?; let out = out.to_vec();");
    cells.ok("let lanes = move |k: usize, f: &dyn Fn(u64) -> u64| (k / 32 * 32..(k / 32 * 32 + 32).min(48)).filter(|l| f(x[*l]) == f(x[k])).fold(0u32, |all, l| all | 1 << (l % 32));");
    cells.shows("(0..48).all(|k| out[k] == lanes(k, &|v| v & 255) ^ lanes(k, &|v| v) ^ 0xf000_0000)", "true");
}

#[test]
fn elements_change_in_one_step_in_every_scope() {
    let mut cells = Conversation::start();
    for scope in ["atomic", "atomic::block", "atomic::system"] {
        cells.ok(&format!(
            "#[kernel] fn all(i: &mut [i32], u: &mut [u64], f: &mut [f32], d: &mut [f64]) {{ let k = thread::index(); \
             {scope}::add(&mut i[0], -1); {scope}::min(&mut i[1], -(k as i32)); {scope}::max(&mut i[2], k as i32 - 100); \
             {scope}::and(&mut i[3], !(1 << (k % 8))); {scope}::or(&mut i[4], 1 << (k % 8)); {scope}::xor(&mut i[5], 1 << (k % 16)); \
             if {scope}::exchange(&mut i[6], 7) == 7 {{ {scope}::add(&mut i[7], 1); }} \
             if {scope}::compare_exchange(&mut u[0], k as u64, k as u64) == 5 && k == 5 {{ {scope}::add(&mut u[1], 1 << 40); }} \
             {scope}::max(&mut u[2], u64::MAX - k as u64); {scope}::min(&mut u[3], u64::MAX - k as u64); {scope}::update(&mut u[4], |v| v + 2); \
             {scope}::add(&mut f[0], 0.5); {scope}::min(&mut f[1], -(k as f32)); {scope}::max(&mut f[2], k as f32); {scope}::exchange(&mut f[3], 2.5); \
             {scope}::add(&mut d[0], 0.25); {scope}::update(&mut d[1], |v| v + 1.0); }}"
        ));
        cells.ok("let (mut i, mut u, mut f, mut d) = (gpu![i32; 0, 0, -1000, -1, 0, 0, 0, 0], gpu![u64; 5, 0, 0, u64::MAX, 0], zeros::<f32>(4), zeros::<f64>(2)); all.launch(1, 64, (&mut i, &mut u, &mut f, &mut d))?;");
        cells.shows("i.to_vec()", "[-64, -63, -37, -256, 255, 0, 7, 63]");
        cells.shows(
            "u.to_vec() == [5, 1 << 40, u64::MAX, u64::MAX - 63, 128] && f.to_vec() == [32.0, -63.0, 63.0, 2.5] && d.to_vec() == [16.0, 64.0]",
            "true",
        );
    }
    // As ordinary functions they change what they are given.
    cells.shows("let mut v = 6; (atomic::and(&mut v, 3), atomic::system::xor(&mut v, 1), v)", "(6, 2, 3)");
}

#[test]
fn shared_memory_comes_with_the_launch() {
    let mut cells = start();
    cells.ok("#[kernel] fn reversed(x: &[f32], y: &mut [f32]) {
        let (part, t) = (shared!([f32]), thread::x());
        part[t] = x[t];
        block::sync();
        y[t] = part[part.len() - 1 - t];
    }");
    cells.ok("reversed.launch_shared(1, 64, 64 * 4, (&x, &mut y))?;");
    cells.shows("(y[0].item(), y[63].item(), y[64].item())", "(63.0, 0.0, 1.0)");
    cells.fails_with(
        "reversed.launch_shared(1, 64, 63 * 4, (&x, &mut y))?;",
        "the len is 63 but the index is 63",
    );
    cells.fails_with("reversed.launch(1, 64, (&x, &mut y))?;", "the len is 0");
    cells.fails_with("reversed.launch_shared(1, 64, 1 << 30, (&x, &mut y))?;", "shared memory");
    // Whose threads do not meet.
    cells.ok("#[kernel] fn own(y: &mut [f32]) { let part = shared!([u16]); part[thread::x()] = 3; y[thread::x()] = part[thread::x()] as f32 + part.len() as f32; }");
    cells.ok("own.launch_shared(1, 10, 20, (&mut y,))?;");
    cells.shows("y[9].item()", "13.0");
}

#[test]
fn fast_functions_are_close() {
    let mut cells = start();
    cells.ok("let x = linspace::<f32>(0.5, 3.0, 1000);");
    let functions = ["sin", "cos", "tan", "exp", "exp2", "ln", "log2", "log10", "sqrt", "rsqrt", "recip"];
    for function in functions {
        let call = format!("x.map(|v| fast::{function}(v))");
        let exact = match function {
            "rsqrt" => "1.0 / v.sqrt()".to_owned(),
            "recip" => "1.0 / v".to_owned(),
            other => format!("v.{other}()"),
        };
        cells.shows(
            &format!("{call}.to_vec().iter().zip(x.to_vec()).all(|(fast, v)| {{ let exact = {exact}; (fast - exact).abs() <= 4e-6 * (1.0 + exact * exact) }})"),
            "true",
        );
    }
    cells.shows("x.map(|v| fast::powf(v, 2.0) - v * v).map(f32::abs).max().item() < 1e-4", "true");
    cells.shows("x.map(|v| fast::divide(v, 3.0) - v / 3.0).map(f32::abs).max().item() < 1e-6", "true");
}

#[test]
fn a_loop_by_strides_gives_each_thread_its_own_elements() {
    let mut cells = Conversation::start();
    cells.ok("#[kernel] fn owners(y: &mut [u32]) { for i in thread::range(y.len()) { y[i] = y[i] * 100 + thread::index() as u32; } }");
    cells.ok("let mut y = zeros::<u32>(1000); owners.launch(3, 4, (&mut y,))?; owners.launch(1, 4, (&mut zeros::<u32>(0),))?;");
    cells.shows("(0..1000).all(|i| y[i].item() == i as u32 % 12)", "true");
    cells.ok("#[kernel] fn twice(x: &[f32], y: &mut [f32]) { for i in thread::range(y.len()) { if i == 5 { continue; } y[i] += 2.0 * x[i]; } }");
    cells.ok("let (x, mut y) = (arange(0..100_000).astype(f32), ones::<f32>(100_000)); twice.launch(64, 256, (&x, &mut y))?;");
    cells.shows(
        "y.to_vec().iter().enumerate().all(|(i, v)| *v == if i == 5 { 1.0 } else { 1.0 + 2.0 * i as f32 })",
        "true",
    );
    // A loop that keeps something between its turns: it was lost once.
    cells.ok("#[kernel] fn counted(mut n: u32, y: &mut [u32]) { for i in thread::range(y.len()) { n += 1; y[i] = n; } }");
    cells.ok("let mut counts = zeros::<u32>(12); counted.launch(1, 4, (10, &mut counts))?;");
    cells.shows("counts.to_vec()", "[11, 11, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13]");
    let short = "twice.launch(2, 8, (&gpu![f32; 1, 2, 3], &mut y))?;";
    cells.fails_with(short, "index out of bounds: the len is 3 but the index is");
    cells.shows("y[99_999].item()", "199999.0");
}

#[test]
fn blocks_beside_each_other_know_where_they_are() {
    let mut cells = Conversation::start();
    // The shape of the threads is not seen in the first text, and is in the second.
    cells.ok("#[device] fn place(i: usize, j: usize, k: usize, width: usize, height: usize) -> usize { i + width * (j + height * k) }
        #[kernel] fn seen(width: usize, height: usize, y: &mut [u32]) {
            let at = place(thread::index(), thread::index_y(), thread::index_z(), width, height);
            y[at] = (at + 1) as u32;
        }");
    cells.ok("#[kernel] fn own(width: usize, height: usize, y: &mut [u32]) {
            use gpurepl_prelude::{block as b, thread as t};
            let (i, j, k) = (b::x() * b::width() + t::x(), b::y() * b::height() + t::y(), b::z() * b::depth() + t::z());
            y[place(i, j, k, width, height)] = (1000 * t::number() + b::x() + 10 * b::y() + 100 * b::z()) as u32;
        }");
    cells.ok("let mut y = zeros::<u32>(21 * 8 * 6); seen.launch((7, 4, 3), (3, 2, 2), (21, 8, &mut y))?;");
    cells.shows("y.to_vec() == (1..=1008).collect::<Vec<u32>>()", "true");
    cells.ok("own.launch((7, 4, 3), (3, 2, 2), (21, 8, &mut y))?;");
    cells.shows(
        "(0..1008u32).all(|at| { let (i, j, k) = (at % 21, at / 21 % 8, at / 168);
            y[at as usize].item() == 1000 * (i % 3 + 3 * (j % 2 + 2 * (k % 2))) + i / 3 + 10 * (j / 2) + 100 * (k / 2) })",
        "true",
    );
    // A panic knows its own thread and block among those that run together.
    cells.ok("#[kernel] fn fails(y: &mut [u32]) { let i = thread::index(); assert!(i != 17 || thread::index_y() < 3); y[i] = 1; }");
    cells.fails_with("fails.launch((7, 2), (3, 2), (&mut y,))?;", "thread [2, 1, 0] of block [5, 1, 0]");
}

#[test]
fn what_threads_print_comes_in_the_order_of_their_blocks() {
    let mut cells = Conversation::start();
    cells.ok("#[derive(Debug)] enum Size { Small, Large(f32) }
        #[kernel] fn show(x: &[f32]) {
            let i = thread::index();
            if thread::x() == 0 {
                let size = if x[i] > 1.0 { Size::Large(x[i]) } else { Size::Small };
                println!(\"{i:>2}: {:+.2} {size:?} {:#x} {}\", x[i], i, 'c');
            }
        }");
    cells.prints(
        "show.launch(3, 2, (&gpu![f32; 0.5, 0, 1.5, 0, -2.25, 0],))?;",
        " 0: +0.50 Small 0x0 c\n 2: +1.50 Large(1.5) 0x2 c\n 4: -2.25 Small 0x4 c\n",
    );
    let once = " 0: NaN Small 0x0 c\n 1: +0.00 Small 0x1 c\n";
    cells.prints("for _ in 0..2 { show.launch(2, 1, (&gpu![f32; f32::NAN, 1e-7],))?; }", &once.repeat(2));
}

#[test]
fn messages_with_arguments_are_told() {
    let mut cells = start();
    cells.ok("#[kernel] fn check(x: &[f32]) { let i = thread::index(); assert!(x[i] < 5.0, \"element {i} is {:.1}\", x[i]); }");
    cells.fails_with("check.launch(1, 8, (&x,))?;", "check: element 5 is 5.0");
    cells.ok("#[kernel] fn equal(x: &[f32]) { assert_eq!(x[1] as usize, 2); }");
    cells.fails_with("equal.launch(1, 1, (&x,))?;", "assertion `left == right` failed");
    // The device goes on.
    cells.shows("x.sum().item()", "499500.0");
}

#[test]
fn matrices_are_passed_as_they_lie() {
    let mut cells = Conversation::start();
    cells.ok("#[kernel] fn add_one(mut m: MatrixMut<i32>) { let at = (thread::index_y(), thread::index()); if m.contains(at) { m[at] += 1; } }");
    cells.ok("let mut a = zeros::<i32>((3, 4));");
    cells.ok("add_one.launch(1, (8, 8), (&mut a.slice(s![.., 1..;2]),))?;");
    cells.shows("a.sum_axis(0).to_vec()", "[0, 3, 0, 3]");
    cells.fails_with("add_one.launch(1, 1, (&mut zeros::<i32>(3),))?;", "array 1 is 1-dimensional");
    cells.fails_with("add_one.launch(1, 1, (&mut gpu![1, 2].broadcast_to((3, 2)),))?;", "broadcast");
    cells.ok("#[kernel] fn outside(m: Matrix<i32>, out: &mut [i32]) { out[0] = m[(0, 4)]; }");
    cells.fails_with("outside.launch(1, 1, (&a, &mut zeros::<i32>(1)))?;", "the len is 4 but the index is 4");
}

#[test]
fn places_are_chosen_for_a_part_of_a_program() {
    let mut cells = Conversation::start();
    cells.ok("#[device] fn axpy(a: f64, x: f64, y: f64) -> f64 { a * x + y }");
    cells.ok("let values: Vec<f64> = (0..100).map(f64::from).collect();");
    cells.ok("let here = places::here()?.run(|| { let (x, y) = (to_gpu(&values), to_gpu(&values)); x.zip_with(&y, |x, y| axpy(2.0, x, y)).to_vec() })?;");
    cells.shows("here == values.iter().map(|v| 3.0 * v).collect::<Vec<_>>()", "true");
    cells.shows("places::here()?.device().kind() == DeviceKind::Host", "true");
    cells.shows(
        "{ let _scope = places::host_scope()?; Device::current()?.kind() == DeviceKind::Host }",
        "true",
    );
    if is_on_host() {
        cells.fails_with("places::gpu(0)?;", "CUDA driver");
    } else {
        cells.ok("let there = places::gpu(0)?.run(|| { let (x, y) = (to_gpu(&values), to_gpu(&values)); x.zip_with(&y, |x, y| axpy(2.0, x, y)).to_vec() })?;");
        cells.shows("there == here", "true");
    }
}
