//! Matrices, photographs and fields.

use gpurepl_prelude::*;

use super::{areas, check, evenly, landscape, normal, over, pixel, raises, svg, words};

fn text(figure: &Figure) -> String {
    figure.render().0["text/plain"].clone()
}

#[test]
fn a_photograph_in_red_green_and_blue() {
    let (rows, columns) = (60, 90);
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let colors: Vec<f32> = places
        .flat_map(|(row, column)| {
            let (down, across) = (row as f32 / (rows - 1) as f32, column as f32 / (columns - 1) as f32);
            [across, down, 1.0 - (across + down) / 2.0]
        })
        .collect();
    let colors = to_gpu(&colors).reshape((rows, columns, 3));
    let figure = imshow(&colors).title("Red, green and blue");
    check("imshow-rgb", &figure);
    // No bar of colours stands beside it.
    assert!(svg(&figure).matches("<image").count() == 1);
    assert_eq!(text(&figure).lines().next(), Some("Figure: 1 series, 640x480, \"Red, green and blue\""));
}

#[test]
fn bytes_and_floats_are_the_same_colours_and_opacity_shows_the_ground() {
    let middle = (330, 236);
    let bytes = |colors: &[u8]| to_gpu(colors).reshape((1, 1, colors.len()));
    assert_eq!(pixel(&imshow(&bytes(&[255, 128, 0])), middle), [255, 128, 0]);
    let floats = to_gpu(&[1.0f64, 128.0 / 255.0, -0.5]).reshape((1, 1, 3));
    assert_eq!(pixel(&imshow(&floats), middle), [255, 128, 0]);
    let half = pixel(&imshow(&bytes(&[0, 0, 0, 51])), middle);
    assert_eq!(half, [204; 3]);
    assert_eq!(pixel(&imshow(&bytes(&[0, 0, 0, 255])).alpha(0.2), middle), [204; 3]);
    // The first row is above, and below where that was asked for.
    let two = to_gpu(&[255u8, 0, 0, 0, 0, 255]).reshape((2, 1, 3));
    let (above, below) = ((330, 150), (330, 350));
    assert_eq!((pixel(&imshow(&two), above), pixel(&imshow(&two), below)), ([255, 0, 0], [0, 0, 255]));
    assert_eq!(pixel(&imshow(&two).origin("lower"), above), [0, 0, 255]);
    assert_eq!(pixel(&imshow(&two).extent(0, 1, 0, 1), above), [255, 0, 0]);
    // A large one is shown by means.
    let many = to_gpu(&vec![100u8; 2000 * 1500 * 3]).reshape((2000, 1500, 3));
    assert_eq!(pixel(&imshow(&many), middle), [100; 3]);
    raises(
        "imshow: an array of shape [3, 4, 5] is neither a matrix nor one of colours; colours have a last axis of 3 (red, \
         green, blue) or 4 (and opacity): move it there, `a.transpose_axes((1, 2, 0))`, or take a part, `a.slice(0)`",
        || drop(imshow(&zeros::<f32>((3, 4, 5)))),
    );
}

#[test]
fn between_elements_colours_flow() {
    let x = evenly(-3.0, 3.0, 9);
    let matrix = over(&x, &x[1..8], landscape);
    let figure = imshow(&matrix).interpolation("bilinear").colorbar_label("height (m)").title("Bilinear");
    check("imshow-bilinear", &figure);
    assert!(words(&svg(&figure)).contains(&"height (m)".to_owned()));
    let two = imshow(&[[0.0, 1.0]]).interpolation("bilinear").colormap("gray").aspect("auto");
    let dark = [0.3, 0.5, 0.7].map(|part| pixel(&two, ((80.0 + part * 400.0) as usize, 200))[0]);
    assert!(dark[0] < dark[1] && dark[1] < dark[2] && dark[1] > 60 && dark[1] < 200, "{dark:?}");
    raises("interpolation: `cubic` is not an interpolation; write `nearest` or `bilinear`", || {
        drop(imshow(&[[1, 2]]).interpolation("cubic"));
    });
}

#[test]
fn colours_by_logarithms() {
    let matrix = over(&evenly(0.0, 4.0, 24), &evenly(0.0, 3.0, 16), |x, y| 10f64.powf(x - y * y / 9.0));
    let figure = imshow(&matrix).log_norm().colorbar_label("counts");
    check("imshow-log", &figure);
    let powers = words(&svg(&figure)).iter().filter(|word| *word == "10").count();
    assert!(powers >= 4, "{:?}", words(&svg(&figure)));
    // What is not above zero has no colour.
    let figure = imshow(&[[0.0, 1.0], [10.0, 100.0]]).log_norm();
    assert_eq!(pixel(&figure, (200, 150)), [255; 3]);
    assert!(text(&imshow(&[[0.0, -1.0]]).log_norm()).contains("note: no value is finite and above 0"));
    assert!(
        text(&scatter((&[1, 2], &[1, 2])).colors(&[1.0, 1000.0]).log_norm()).starts_with("Figure: 1 series")
    );
}

#[test]
fn areas_between_heights_with_numbers_on_lines() {
    let (x, y) = (evenly(-3.0, 3.0, 80), evenly(-2.0, 3.0, 60));
    let z = over(&x, &y, landscape);
    let figure = contourf((&x, &y, &z)).colormap("RdBu_r").colorbar_label("height (m)");
    let figure = figure.contour((&x, &y, &z)).color("k").linewidth(0.8).clabel().fontsize(8);
    check("contourf", &figure.title("Areas and lines").xlabel("x (km)").ylabel("y (km)"));
    let words = words(&svg(&figure));
    assert!(words.contains(&"\u{2212}1.6".to_owned()) && words.contains(&"0.8".to_owned()), "{words:?}");
}

#[test]
fn an_area_has_the_colour_of_its_middle_and_holes() {
    let x = evenly(-1.0, 1.0, 41);
    let cone = over(&x, &x, |x, y| x.hypot(y));
    let figure = contourf((&x, &x, &cone)).levels([0.0, 0.5, 1.0]).colormap("gray").alpha(0.999);
    // The middle is dark, the ring around it light, and the corners are blank.
    let at = |x: f64, y: f64| {
        pixel(&figure, ((80.0 + (x + 1.0) * 208.0) as usize, (427.0 - (y + 1.0) * 184.5) as usize))
    };
    assert!(at(0.1, 0.1)[0].abs_diff(64) < 4 && at(0.7, 0.0)[0].abs_diff(191) < 4, "{:?}", at(0.7, 0.0));
    assert_eq!(at(0.95, 0.95), [255; 3]);
    assert!(!areas(&svg(&figure), "#404040").is_empty(), "{}", svg(&figure));
    // Opaque ones lie on each other.
    let opaque = contourf((&x, &x, &cone)).levels([0.0, 0.5, 1.0]).colormap("gray");
    assert_eq!((pixel(&opaque, (288, 230))[0], pixel(&opaque, (430, 242))[0]), (64, 192));
    assert!(text(&contourf(&[[1, 2], [3, 4]]).levels([1.5])).contains("2 levels or more"));
}

#[test]
fn places_of_columns_and_rows() {
    let slope = [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]];
    let figure = contour((&[0.0, 10.0, 100.0], &[1.0, 2.0], &slope)).levels([0.5, 1.5]).color("red");
    let svg = svg(&figure);
    let line = |k: usize| -> f64 {
        let lines = svg.split("<polyline ").skip(1).filter(|line| line.contains("#FF0000"));
        let points =
            lines.map(|line| line.split("points=\"").nth(1).unwrap().split([' ', ',']).next().unwrap());
        points.map(|x| x.parse::<f64>().unwrap() / 10.0).nth(k).unwrap()
    };
    // At 5 and at 55 of 100.
    assert!((line(1) - line(0) - 496.0 * 0.5).abs() < 6.0, "{} {}", line(0), line(1));
    // As `meshgrid` makes them.
    let (x, y) = ([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]);
    assert!(text(&contour((&x, &y, &slope))).starts_with("Figure: 1 series"));
    raises("contour: the matrix has 3 columns and x has shape [2]; give 3 numbers", || {
        drop(contour((&[1, 2], &[1, 2], &slope)));
    });
    raises(
        "contourf: y neither ascends nor descends from each number to the next; sort it, and the matrix with it",
        || drop(contourf((&[1, 2, 3], &[1, 1], &slope))),
    );
    raises(
        "contour: the rows or columns of x differ: cells must be rectangles; give one number for each column",
        || drop(contour((&[[1, 2, 3], [1, 2, 4]], &[1, 2], &slope))),
    );
}

#[test]
fn cells_between_edges() {
    let (x, y) = ([0.0, 1.0, 3.0, 6.0, 10.0], [1.0, 10.0, 100.0, 1000.0]);
    let cells = over(&x[..4], &y[..3], |x, y| x + y.log10());
    let figure = pcolormesh((&x, &y, &cells)).log_y().title("Cells of unequal size").colorbar_label("value");
    check("pcolormesh", &figure);
    let left = pcolormesh((&[0, 1, 10], &[0, 1], &[[0.0, 1.0]])).colormap("gray");
    assert_eq!(pixel(&left, (85, 200)), [0; 3]);
    assert_eq!(pixel(&left, (140, 200)), [255; 3]);
    // The first row is below; where x falls, the first column is still at its edges.
    let up = pcolormesh((&[1, 0], &[0, 1, 2], &[[0.0], [1.0]])).colormap("gray");
    assert_eq!((pixel(&up, (200, 350)), pixel(&up, (200, 100))), ([0; 3], [255; 3]));
    raises("pcolormesh: the matrix has 2 columns and x has shape [4]; give 2 numbers, or 3 edges", || {
        drop(pcolormesh((&[1, 2, 3, 4], &[1, 2], &[[1, 2]])));
    });
}

#[test]
fn points_are_counted_in_rectangles_and_hexagons() {
    let (x, noise) = (normal(20_000, 11), normal(20_000, 12));
    let y: Vec<f64> = x.iter().zip(&noise).map(|(x, noise)| 0.6 * x + 0.5 * noise).collect();
    check("hist2d", &hist2d((&x, &y), 40).title("20 000 points in squares").colorbar_label("count"));
    check("hexbin", &hexbin((&x, &y), 30).colormap("inferno").title("20 000 points in hexagons"));
    // numpy.histogram2d([0, 1, 2, 2], [0, 2, 2, 1], 2)[0].T is [[1, 0], [0, 3]].
    let few = hist2d((&[0, 1, 2, 2], &[0, 2, 2, 1]), 2).colormap("gray");
    assert_eq!((pixel(&few, (120, 380)), pixel(&few, (400, 100))), ([85; 3], [255; 3]));
    assert_eq!((pixel(&few, (400, 380)), pixel(&few, (120, 100))), ([0; 3], [0; 3]));
    raises("hist2d: points have two coordinates; give both as a pair, `(&x, &y)`", || {
        drop(hist2d(&[1, 2], 10))
    });
    raises("hexbin: 0 is not a valid number of hexagons; give a number from 1 to 300", || {
        drop(hexbin((&[1], &[1]), 0));
    });
    assert!(text(&hist2d((&[f64::NAN], &[1.0]), 3)).contains("not counted"));
}

#[test]
fn a_label_of_an_image_was_dropped_without_a_word() {
    raises(
        "label: `imshow` shows its values by colours, for which a legend has no mark; name them by `.colorbar_label(..)`, or \
         the figure by `.title(..)`",
        || drop(imshow(&[[1, 2], [3, 4]]).label("a")),
    );
}

#[test]
fn a_setting_of_another_kind_is_refused() {
    raises(
        "clabel: the last series is one of `contourf`, which does not have this setting; set it after `.contour(..)`, or \
         leave it out",
        || drop(contourf(&[[1, 2], [3, 4]]).clabel()),
    );
}
