//! Distributed arrays on so many workers, `gpurepl --workers 2 tests/benches/scripts/distributed_arrays.rs`: one line a
//! figure, in milliseconds, each on an array of the same size with any number of workers. Smaller ones: `.. 16`, whose
//! sides are a 16th.

// %%
use distributed::{DistArray, DistCsr, Edge, Reduce};
let part: usize = std::env::args().nth(1).map_or(1, |part| part.parse().unwrap());
let n = 16384 / part;

fn milliseconds(times: usize, mut act: impl FnMut() -> Result<()>) -> Result<f64> {
    act()?;
    distributed::barrier()?;
    let start = std::time::Instant::now();
    for _ in 0..times {
        act()?;
    }
    distributed::barrier()?;
    Ok(start.elapsed().as_secs_f64() * 1e3 / times as f64)
}

fn out(case: &str, milliseconds: f64) {
    if rank() == 0 {
        println!("{case:44} {} ranks {milliseconds:10.4}", ranks());
    }
}

// %%
let mut u = DistArray::<f32>::rand((n, n))?;
let heat = move |u: &GpuArray<f32>| {
    let (rows, n) = (u.shape()[0] as i64, n as i64);
    let beside = u.slice(s![..rows - 2, 1..n - 1])
        + u.slice(s![2.., 1..n - 1])
        + u.slice(s![1..rows - 1, ..n - 2])
        + u.slice(s![1..rows - 1, 2..]);
    let inner = u.slice(s![1..rows - 1, 1..n - 1]) * 0.5 + beside * 0.125;
    let mut next = u.slice(s![1..rows - 1]).copy();
    set!(next[s![.., 1..n - 1]] = &inner);
    next
};
out(&format!("a step of heat, {n} x {n} f32"), milliseconds(20, || {
    u = u.stencil(1, Edge::Constant(0.0), heat)?;
    Ok(())
})?);

// %%
out("all_reduce of one f64", milliseconds(20, || {
    distributed::all_reduce(&ones::<f64>(1), Reduce::Sum).map(drop)
})?);

// %%
let m = n / 4;
let line = sparse::diags([m, m], &[(-1, -1.0), (0, 2.0), (1, -1.0)])?.to_csr();
let one = sparse::eye::<f64>(m)?;
let poisson = DistCsr::from_whole(&(sparse::kron(&one, &line)? + sparse::kron(&line, &one)?))?;
let b = DistArray::<f64>::full(m * m, 1.0)?;
let steps = 200;
out(&format!("a step of cg, {} unknowns, f64", m * m), milliseconds(2, || {
    distributed::solver().rtol(0.0).maxiter(steps).cg(&poisson, &b).map(drop)
})? / steps as f64);

// %%
let v = DistArray::<f32>::rand(n * n)?;
out(&format!("sort of {} f32", n * n), milliseconds(3, || v.sort().map(drop))?);
out(&format!("transpose of {n} x {n} f32"), milliseconds(3, || u.transpose().map(drop))?);
