//! What stands in space.

use std::f64::consts::{PI, TAU};

use gpurepl_prelude::*;

use super::{areas, check, lines, svg, words};

#[test]
fn a_line_in_space() {
    let t = linspace(-4.0 * PI, 4.0 * PI, 200);
    let z = linspace(-2.0, 2.0, 200);
    let r = z.square() + 1.0;
    let figure = plot3d((&(&r * t.sin()), &(&r * t.cos()), &z)).label("a curve").xlabel("x").ylabel("y");
    check("plot3d", &figure.zlabel("z").title("A line in space"));
}

#[test]
fn points_in_space() {
    let draw = rng(7);
    let cloud = |middle: f64| -> [GpuArray<f64>; 3] { [0; 3].map(|_| draw.normal(middle, 0.6, 80)) };
    let ([a, b, c], [d, e, f]) = (cloud(-1.0), cloud(1.0));
    let figure = scatter3d((&a, &b, &c)).label("one").scatter3d((&d, &e, &f)).marker("^").label("other");
    check("scatter3d", &figure.title("Two clouds").view_init(20, 30));
}

#[test]
fn points_with_colours() {
    // Computed here: the last digits of a device's own sines are others.
    let k: Vec<f64> = (0..150).map(|k| f64::from(k) / 149.0).collect();
    let x: Vec<f64> = k.iter().map(|k| (k * 40.0).cos() * k).collect();
    let y: Vec<f64> = k.iter().map(|k| (k * 40.0).sin() * k).collect();
    let figure = scatter3d((&x, &y, &k)).colors(&k).colormap("plasma").colorbar_label("height").markersize(5);
    check("scatter3d-colors", &figure.title("Points with colours"));
}

#[test]
fn a_wireframe() {
    let (x, y) = (linspace(-3.0, 3.0, 40), linspace(-3.0, 3.0, 40));
    let (x2, y2) = (x.reshape((1, -1)).square(), y.reshape((-1, 1)).square());
    let distance: GpuArray<f64> = &x2 + &y2;
    let z = (&distance / -2.0).exp();
    check("wireframe", &wireframe((&x, &y, &z)).linewidth(0.8).title("Wires").view_init(35, -50));
}

#[test]
fn a_sphere() {
    let at = |place: fn(f64, f64) -> f64| {
        let angles = |(row, column)| (column as f64 / 39.0 * TAU, row as f64 / 23.0 * PI);
        ndarray::Array2::from_shape_fn((24, 40), |cell| {
            let (u, v) = angles(cell);
            place(u, v)
        })
    };
    let (x, y) = (at(|u, v| u.cos() * v.sin()), at(|u, v| u.sin() * v.sin()));
    let z = at(|_, v| v.cos());
    check("sphere", &surface((&x, &y, &z)).colormap("coolwarm").aspect("equal").title("A sphere"));
}

#[test]
fn a_surface_over_places_with_a_line_on_it() {
    let (x, y) = (linspace(-2.0, 2.0, 40), linspace(-1.0, 1.0, 30));
    let z = &x.reshape((1, -1)).square() - &y.reshape((-1, 1)).square();
    let path = linspace(-1.0, 1.0, 60);
    let figure = surface((&x, &y, &z)).colormap("viridis").alpha(0.9).colorbar_label("height (m)");
    figure.plot3d((&(&path * 2.0), &path, &(path.square() * 3.0))).color("tab:red").linewidth(2.5);
    check("surface-line", &figure.xlabel("x (m)").ylabel("y (m)").title("A path on a saddle"));
}

#[test]
fn surfaces_stand_beside_other_axes() {
    let z = &linspace(0.0, 3.0, 20).reshape((1, -1)).sin() * &linspace(0.0, 3.0, 20).reshape((-1, 1)).sin();
    let axes = subplots(1, 2);
    axes[0].surface(&z).title("In space");
    axes[1].imshow(&z).title("In the plane");
    let svg = axes.to_svg().unwrap();
    let text = words(&svg);
    assert!(text.contains(&"In space".to_owned()) && text.contains(&"In the plane".to_owned()), "{text:?}");
    // All of the surface is in the left half.
    let walls = areas(&svg, "#F3F3F3");
    assert!(!walls.is_empty() && walls.iter().flatten().all(|(x, _)| *x < 480.0), "{walls:?}");
}

#[test]
fn gaps_and_limits_cut_lines_in_space() {
    let x = [0.0, 1.0, f64::NAN, 2.0, 3.0];
    let figure = plot3d((&x, &x, &x)).color("#123456");
    assert_eq!(lines(&svg(&figure), "#123456").len(), 2);
    // Half of the first piece is beyond the end of an axis.
    let whole = lines(&svg(&figure.clone().xlim(0.0, 3.0)), "#123456");
    let cut = lines(&svg(&figure.xlim(0.5, 3.0)), "#123456");
    let length = |line: &Vec<(f64, f64)>| (line[0].0 - line[1].0).hypot(line[0].1 - line[1].1);
    assert!(length(&cut[0]) < 0.75 * length(&whole[0]), "{cut:?} {whole:?}");
}

#[test]
fn many_points_are_thinned_out_and_a_note_says_so() {
    let k = arange(0.0..1e6);
    let text = &scatter3d((&k, &(&k * 2.0), &k)).render().0["text/plain"].clone();
    assert!(text.contains("note: shown is one of 200 points, and there are 1000000"), "{text}");
    assert!(text.contains("x: -2"), "{text}");
}

#[test]
fn what_does_not_fit_says_so() {
    let message = |act: &dyn Fn() -> Figure| {
        let raised = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(act()))).unwrap_err();
        raised.downcast_ref::<Error>().expect("an error is raised").to_string()
    };
    let said = message(&|| plot3d((&[1, 2], &[1, 2, 3], &[1, 2, 3])));
    assert!(said.starts_with("plot3d: x has 2 elements and z has 3"), "{said}");
    let said = message(&|| surface((&[1, 2, 3], &[1, 2], &[[1, 2], [3, 4]])));
    assert!(said.contains("the matrix has 2 columns and x has shape [3]"), "{said}");
    let said = message(&|| scatter3d((&[1], &[1], &[1], "ro")));
    assert!(said.contains("`.marker(..)`"), "{said}");
    let said = message(&|| surface(&[[1, 2], [3, 4]]).view_init(f64::NAN, 0));
    assert!(said.contains("finite numbers of degrees"), "{said}");
    let said = surface(&[[1, 2], [3, 4]]).log_x().to_svg().unwrap_err().to_string();
    assert!(said.contains("axes of space are linear"), "{said}");
    let said = plot3d((&[1], &[1], &[1])).xaxis_date().to_svg().unwrap_err().to_string();
    assert!(said.starts_with("xaxis_date: axes of space show numbers"), "{said}");
}

#[test]
fn dashes_beside_a_surface_were_one_line() {
    let path = [0.0, 0.25, 0.5, 0.75, 1.0];
    let figure = surface(&[[0.0, 0.0], [0.0, 0.0]]).plot3d((&path, &path, &[0.5; 5])).color("#123456");
    let whole = lines(&svg(&figure), "#123456");
    let dashes = lines(&svg(&figure.dashed()), "#123456");
    let length = |lines: &[Vec<(f64, f64)>]| {
        let pairs = lines.iter().flat_map(|line| line.windows(2));
        pairs.map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1)).sum::<f64>()
    };
    // Dashes of 3.7 widths and gaps of 1.6.
    let part = length(&dashes) / length(&whole);
    assert!(dashes.len() > 10 && (part - 3.7 / 5.3).abs() < 0.05, "{part} {dashes:?}");
}

#[test]
fn dashes_of_the_thinnest_line_were_without_number() {
    let figure = scatter3d((&[0.5], &[0.5], &[0.5])).plot3d((&[0, 1], &[0, 1], &[0, 1]));
    let count = lines(&svg(&figure.color("#123456").dotted().linewidth(1e-9)), "#123456").len();
    assert!(count < 2000, "{count}");
}
