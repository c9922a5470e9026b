//! How long figures of many points take, from their data to a bundle that a notebook shows: `cargo bench -p gpurepl-tests
//! --bench figures [POINTS]`, on the device that `GPUREPL_DEVICE` names; 10^9 points on a GPU, else 10^7.
//!
//! One line for each kind: the milliseconds of the first figure, which compiles kernels or finds them, and the least of
//! three more.

use std::time::Instant;

use gpurepl_prelude::*;

/// Times a figure.
fn line(name: &str, figure: impl Fn() -> Figure) {
    let time = || {
        let start = Instant::now();
        let bundle = figure().render();
        assert!(bundle.get("image/svg+xml").is_some_and(|svg| svg.len() > 1000), "{name}");
        start.elapsed().as_secs_f64() * 1e3
    };
    let first = time();
    let least = (0..3).map(|_| time()).fold(f64::INFINITY, f64::min);
    println!("{name:14} {first:9.1} {least:9.1}");
}

fn main() {
    let is_host = device().kind() == DeviceKind::Host;
    let usual = if is_host { 10_000_000 } else { 1_000_000_000 };
    let count: usize = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(usual);
    let side = (count as f64).sqrt() as usize;
    println!("{count} points of float32, matrices of {side} x {side}; {}", device().name());
    println!("{:14} {:>9} {:>9}", "kind", "first ms", "ms");
    seed(1);
    let x = linspace(0.0_f32, 1.0, count);
    let y: GpuArray<f32> = x.sin() + randn::<f32>(count) * 0.1_f32;
    let z = randn::<f32>(count);
    line("plot y", || plot(&y));
    line("plot x y", || plot((&x, &y)));
    line("scatter", || scatter((&z, &y)));
    line("scatter, colours", || scatter((&z, &y)).colors(&x));
    line("plot, symlog", || plot((&x, &y)).symlog_x(1.0).symlog_y(1.0));
    line("fill_between, where", || fill_between(&x, &y, 0.0).where_(y.gt(0.0_f32)));
    line("hist", || hist(&z, 100));
    line("hist2d", || hist2d((&z, &y), 50));
    line("hexbin", || hexbin((&z, &y), 40));
    line("fill_between", || fill_between(&x, &y, 0.0));
    line("boxplot", || boxplot(&z));
    line("violinplot", || violinplot(&z));
    line("plot3d", || plot3d((&x, &y, &z)));
    line("scatter3d", || scatter3d((&x, &y, &z)));
    drop((x, y));
    let matrix = z.slice(s![..side * side]).reshape((side, side));
    line("imshow", || imshow(&matrix));
    line("contour", || contour(&matrix));
    line("contourf", || contourf(&matrix));
    line("pcolormesh", || pcolormesh(&matrix));
    line("surface", || surface(&matrix));
    line("wireframe", || wireframe(&matrix));
    line("streamplot", || streamplot((&matrix, &matrix.t())));
}
