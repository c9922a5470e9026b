//! Measures how fast expressions of arrays are, in GB/s of memory, for short arrays and for long ones.

// %% The shortest of several runs, in seconds. `timed` gives the result and the milliseconds
fn seconds(mut run: impl FnMut()) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        best = best.min(f64::from(timed(&mut run)?.1) / 1e3);
    }
    Ok(best)
}

// %% A copy, a + b, 5*a + 6*b, a sum: the bytes that each of them moves for an element, and its speed
let bytes = [8.0, 12.0, 12.0, 4.0];
let sizes: Vec<usize> = (10..=22).step_by(3).map(|k| 1_usize << k).collect();
let mut speeds = vec![Vec::new(); 4];
for &n in &sizes {
    let (a, b) = (rng(1).random::<f32>(n), rng(2).random::<f32>(n));
    let (mut copied, mut added, mut mixed) = (empty_like(&a), empty_like(&a), empty_like(&a));
    let mut total = 0.0;
    let times = [
        seconds(|| { copied.assign(&a); })?,
        seconds(|| { added.assign(&a + &b); })?,
        seconds(|| { mixed.assign(5 * &a + 6 * &b); })?,
        seconds(|| { total = a.sum().item(); })?,
    ];
    for k in 0..4 {
        speeds[k].push(1e-9 * bytes[k] * n as f64 / times[k].max(1e-9));
    }

    // The same on the host.
    let (x, y) = (a.to_vec(), b.to_vec());
    assert!(copied.to_vec() == x);
    assert!(added.to_vec().iter().zip(x.iter().zip(&y)).all(|(sum, (x, y))| *sum == x + y));
    assert!(mixed.to_vec().iter().zip(x.iter().zip(&y)).all(|(sum, (x, y))| *sum == 5.0 * x + 6.0 * y));
    let expected: f64 = x.iter().map(|&x| f64::from(x)).sum();
    assert!((f64::from(total) - expected).abs() < 1e-5 * expected);
}

// %%
println!("GB/s on {}", device().name());
println!("{:>8} {:>10} {:>10} {:>10} {:>10}", "n", "copy", "a + b", "5*a + 6*b", "sum");
for (k, n) in sizes.iter().enumerate() {
    let row: Vec<String> = speeds.iter().map(|of| format!("{:10.2}", of[k])).collect();
    println!("{n:>8} {}", row.join(" "));
}

// %%
if let Some(path) = std::env::args().nth(1) {
    let lengths: Vec<f64> = sizes.iter().map(|&n| n as f64).collect();
    let figure = loglog((&lengths, &speeds[0])).label("copy").xlabel("elements").ylabel("GB/s");
    figure.plot((&lengths, &speeds[1])).label("a + b").plot((&lengths, &speeds[2])).label("5*a + 6*b");
    figure.plot((&lengths, &speeds[3])).label("sum").title("Speed of expressions").save(path)?;
}
