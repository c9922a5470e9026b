// Array operations on large arrays, as a script:
//
//     gpurepl tests/benches/arrays.rs
//
// Prints Markdown. Each time is the best of five after one to warm up, the
// device's work included; bytes are those that must be moved at least, so the
// rate can be held against the memory's.

// %% Arrays larger than any cache
let n: usize = if device().kind() == DeviceKind::Cuda { 100_000_000 } else { 20_000_000 };
let a = rand::<f32>(n);
let b = rand::<f32>(n);
println!("{}, {n} elements of f32\n", device().name());
println!("| operation | ms | GB/s |\n|---|---|---|");

// %% A clock
fn time(what: &str, bytes: usize, mut run: impl FnMut()) {
    let mut once = || {
        let start = std::time::Instant::now();
        run();
        device().synchronize().unwrap();
        start.elapsed().as_secs_f64()
    };
    once();
    let best = (0..5).map(|_| once()).fold(f64::INFINITY, f64::min);
    println!("| {what} | {:.2} | {:.0} |", best * 1e3, bytes as f64 / best / 1e9);
}

// %% What moves how much
let size = n * size_of::<f32>();
time("`5*a + 6*b`, one kernel", 3 * size, || drop((5 * &a + 6 * &b).gpudata()));
time("`a.sum()`", size, || { a.sum().item(); });
time("`a.dot(&b)`", 2 * size, || { a.dot(&b).item(); });
time("`rand`", size, || drop(rand::<f32>(n)));
time("`randn`", size, || drop(randn::<f32>(n)));
time("`a.copy()`", 2 * size, || drop(a.copy()));
let host = a.to_vec();
time("`to_gpu`", size, || drop(to_gpu(&host)));
time("`to_vec`", size, || drop(a.to_vec()));
