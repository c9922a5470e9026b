//! A picture of every kind. The files are those of `docs/plots.md`, in
//! `docs/images`; `UPDATE_EXPECT=1` writes them anew, and `GPUREPL_TEST_PICTURES`
//! names a folder for PNGs in both themes, to look at.

use expect_test::expect_file;
use gpurepl_prelude::*;

pub fn check(name: &str, figure: Figure) {
    if let Some(folder) = std::env::var_os("GPUREPL_TEST_PICTURES") {
        let folder = std::path::PathBuf::from(folder);
        std::fs::create_dir_all(&folder).unwrap();
        figure.clone().pixel_ratio(1.0).save(folder.join(format!("{name}.png"))).unwrap();
        figure.clone().theme(Theme::Dark).save(folder.join(format!("{name}-dark.png"))).unwrap();
        std::fs::write(folder.join(format!("{name}.txt")), &figure.render().0["text/plain"]).unwrap();
    }
    let path = format!("{}/../docs/images/plot-{name}.svg", env!("CARGO_MANIFEST_DIR"));
    expect_file![path].assert_eq(&figure.to_svg().unwrap());
}

/// Numbers of a normal distribution, the same in every run: the prelude's own
/// depend on what other tests draw meanwhile. (Marsaglia's xorshift; Box and
/// Muller.)
pub fn normal(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    (0..count).map(|_| (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()).collect()
}

/// Hills and valleys.
pub fn landscape(rows: usize, columns: usize) -> GpuArray<f64> {
    let x = linspace(-3.0, 3.0, columns).reshape((1, -1));
    let y = linspace(-3.0, 3.0, rows).reshape((-1, 1));
    let hill = |a: f64, b: f64| -> GpuArray<f64> {
        let (across, down) = (&x - a, &y - b);
        let distance: GpuArray<f64> = &across * &across + &down * &down;
        (distance * -1.0).exp()
    };
    hill(1.0, 1.0) * 3.0 - hill(-1.0, -0.5) * 2.0 + hill(-1.0, 1.5) * 1.5
}

#[test]
fn lines_with_a_legend() {
    let x = linspace(0.0, 10.0, 200);
    let figure = plot((&x, &x.sin()))
        .label("sin(x)")
        .plot((&x, &(x.cos() * 0.5)))
        .label("0.5 cos(x)")
        .dashed()
        .plot((&[0.0, 2.0, 4.0, 6.0, 8.0, 10.0], &[-0.8, -0.4, 0.0, 0.3, 0.6, 0.9]))
        .marker("o")
        .label("measured")
        .title("Waves")
        .xlabel("time (s)")
        .ylabel("amplitude");
    check("lines", figure);
}

#[test]
fn points() {
    let (x, noise) = (to_gpu(&normal(300, 1)), to_gpu(&normal(300, 2)));
    let y = &x * 0.7 + noise * 0.5;
    check("scatter", scatter((&x, &y)).alpha(0.7).grid().title("300 points"));
}

#[test]
fn a_crowd_of_points_is_a_density() {
    let (x, y) = (to_gpu(&normal(200_000, 3)), to_gpu(&normal(200_000, 4)));
    check("density", scatter((&x, &(&x * 0.5 + y))).title("200 000 points"));
}

#[test]
fn a_histogram() {
    check("hist", hist(&normal(10_000, 5), 40).xlabel("value").ylabel("count").title("10 000 values"));
}

#[test]
fn a_matrix_with_a_color_bar() {
    check("imshow", imshow(&landscape(40, 60)).title("A landscape"));
}

#[test]
fn contours() {
    check("contour", contour(&landscape(120, 160)).title("Lines of equal height"));
}

#[test]
fn bars_with_names() {
    let names = ["copy", "scale", "add", "triad"];
    let figure = bar((names, [3.1, 3.0, 3.4, 3.3]))
        .label("before")
        .bar((names, [3.9, 3.8, 4.1, 4.0]))
        .label("after")
        .ylabel("TB/s")
        .legend();
    check("bar", figure);
}

#[test]
fn a_surface() {
    check("surface", surface(&landscape(60, 60)).title("A surface"));
}

#[test]
fn logarithmic_axes() {
    let x = power_of_ten(linspace(0.0, 6.0, 100));
    let figure = plot((&x, &(&x * &x * 1e-3)))
        .label("quadratic")
        .plot((&x, &(&x * 10.0)))
        .label("linear")
        .log_log()
        .grid()
        .xlabel("elements")
        .ylabel("operations");
    check("log", figure);
}

fn power_of_ten(exponents: GpuArray<f64>) -> GpuArray<f64> {
    (exponents * std::f64::consts::LN_10).exp()
}

#[test]
fn many_samples_of_a_noisy_signal() {
    let t: GpuArray<f64> = linspace(0.0, 100.0, 1_000_000);
    let signal = (&t * 0.3_f64).sin() + to_gpu(&normal(1_000_000, 6)) * 0.1_f64;
    check("signal", plot((&t, &signal)).linewidth(1.0).title("A million samples"));
}

#[test]
fn complex_values_are_two_lines() {
    let t = linspace(0.0, 12.0, 300);
    let wave: Vec<Complex64> =
        t.to_vec().iter().map(|t| Complex64::from_polar((*t / -6.0_f64).exp(), 3.0 * t)).collect();
    check("complex", plot(&wave).label("z").size(480, 320));
}

#[test]
fn a_small_picture_has_the_pixels_that_it_had() {
    let x = linspace(0.0, 6.25, 50);
    let figure = plot((&x, &x.sin())).bar([0.5, 0.25, 0.75]).alpha(0.5).title("Small").size(200, 150);
    let bytes = figure.pixel_ratio(1.0).to_png().unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/main/plots/small.png");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &bytes).unwrap();
    }
    let (found, wanted) = (pixels(&bytes), pixels(&std::fs::read(path).unwrap()));
    assert_eq!(found.len(), 200 * 150 * 3);
    let apart = found.iter().zip(&wanted).filter(|(a, b)| a.abs_diff(**b) > 24).count();
    assert!(apart < found.len() / 500, "{apart} of {} differ", found.len());
    // And it is a picture: ink on a white ground.
    assert!(wanted.iter().any(|part| *part < 10) && wanted[..3] == [255; 3]);
}

/// The pixels of an RGB picture.
pub fn pixels(bytes: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels
}
