//! Data that has no picture, or only half of one.

use gpurepl_prelude::*;

use crate::raises;

fn text(figure: &Figure) -> String {
    figure.render().0["text/plain"].clone()
}

/// Draws a figure in every form.
fn drawn(figure: Figure) -> String {
    for theme in [Theme::Light, Theme::Dark] {
        let figure = figure.clone().theme(theme);
        let bundle = figure.render();
        assert_eq!(
            bundle.0.keys().map(String::as_str).collect::<Vec<_>>(),
            ["image/png", "image/svg+xml", "text/plain", "text/x-ansi"]
        );
        let svg = &bundle.0["image/svg+xml"];
        let written = svg.split('"').filter(|part| !part.starts_with("data:"));
        assert!(!written.clone().any(|part| part.contains("NaN") || part.contains("inf")), "{svg}");
        let text = &bundle.0["text/plain"];
        assert!(text.lines().count() <= 20 && !text.contains('\x1b'), "{text}");
    }
    figure.to_svg().unwrap()
}

#[test]
fn every_kind_takes_no_data_one_value_and_nothing_finite() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let series: [&[f64]; 9] = [
        &[],
        &[3.0],
        &[nan],
        &[nan, nan, inf, -inf],
        &[5.0; 10],
        &[0.0; 4],
        &[1.0, nan, 3.0, inf, 2.0, -1.0],
        &[1e308, -1e308],
        &[1e-320, 2e-320, -1.0],
    ];
    for data in series {
        for figure in [plot(data), scatter(data), bar(data), hist(data, 7)] {
            drawn(figure.clone());
            drawn(figure.clone().log_y());
            drawn(figure.clone().log_x());
            drawn(figure.grid().legend().log_log());
        }
        let matrix = to_gpu(data).reshape((1, -1));
        for figure in [imshow(&matrix), contour(&matrix), surface(&matrix)] {
            drawn(figure.clone());
            drawn(figure.title("A title").xlabel("x").ylabel("y"));
        }
    }
    for shape in [(0, 0), (0, 3), (3, 0), (1, 1), (2, 2)] {
        let matrix = full(shape, f64::NAN);
        for figure in [imshow(&matrix), contour(&matrix), surface(&matrix)] {
            drawn(figure);
        }
    }
    drawn(Figure::new());
    drawn(Figure::new().title("Nothing").log_log().legend());
}

#[test]
fn what_is_not_finite_is_a_gap() {
    let svg = |values: &[f64]| drawn(plot(values));
    let lines = |svg: String| svg.matches("stroke=\"#1F77B4\"").count();
    assert_eq!(lines(svg(&[1.0, 2.0, 3.0, 4.0, 5.0])), 1);
    assert_eq!(lines(svg(&[1.0, 2.0, f64::NAN, 4.0, 5.0])), 2);
    assert_eq!(lines(svg(&[1.0, 2.0, f64::INFINITY, f64::NEG_INFINITY, 5.0, 6.0])), 2);
    // Also of more points than there are pixels.
    let mut many: Vec<f32> = (0..200_000).map(|i| (i as f32 * 1e-4).sin()).collect();
    many[50_000..80_000].fill(f32::NAN);
    assert_eq!(lines(drawn(plot(&many))), 2);
    let x: Vec<f32> = (0..200_000).map(|i| i as f32).collect();
    assert_eq!(lines(drawn(plot((&x, &many)))), 2);
}

#[test]
fn what_is_left_out_is_said() {
    let data = [1.0, 2.0, f64::NAN, 3.0, f64::INFINITY];
    assert!(text(&hist(&data, 3)).contains("note: 2 values are not finite and not counted"));
    assert!(text(&plot(&[1.0, 0.0, -1.0, 5.0]).log_y()).contains("2 values of y are not above 0"));
    assert!(text(&imshow(&zeros::<f32>((0, 4)))).contains("the matrix is empty"));
}

#[test]
fn every_kind_of_data_is_taken() {
    let a = arange(0.0..10.0);
    for figure in [
        plot(&a),
        plot(a.clone()),
        plot(&a * 2.0),
        plot((&a, &a.sin())),
        plot((0..10, &a)),
        plot(0..=3),
        plot(vec![1u8, 2, 3]),
        plot(&[true, false]),
        plot(&vec![1usize, 2, 3]),
        plot(&ndarray::arr1(&[1.0f32, 2.0])),
        plot((["a", "b"], [1, 2])),
        plot((vec!["a".to_owned(), "b".to_owned()], [1, 2])),
        plot(&a.astype(f16)),
        plot(a.reshape((10, 1)).t()),
        plot(&[Complex32::new(1.0, 2.0), Complex32::new(0.0, 1.0)]),
        scatter(&[Complex64::new(1.0, 2.0), Complex64::new(0.0, 1.0)]),
        bar((["a", "b"], &[1.0f32, -2.0])),
        hist(&a.astype(i64), 3),
        hist([false, true, true], 2usize),
        imshow(&[[1, 2], [3, 4]]),
        imshow(&full((3, 3), Complex32::new(3.0, 4.0))),
        contour(&ndarray::Array2::<f64>::eye(5)),
        surface(&rand::<f32>((5, 5)).astype(f16)),
    ] {
        drawn(figure);
    }
}

#[test]
fn what_cannot_be_plotted_is_an_error_that_says_what_to_do() {
    let matrix = zeros::<f32>((3, 4));
    raises(
        ErrorKind::Shape,
        "scatter: y has shape [3, 4], and a series has one axis; take a row, `a.slice(0)`, flatten it, `a.ravel()`, or \
         show the matrix with `imshow`",
        || drop(scatter(&matrix)),
    );
    raises(
        ErrorKind::Shape,
        "scatter: x has 3 elements and y has 2; x and y must have the same length, so take a part of the longer one",
        || drop(scatter(([1, 2, 3], [1, 2]))),
    );
    raises(
        ErrorKind::Shape,
        "imshow: an array of shape [4] is not a matrix; reshape it, `a.reshape((rows, columns))`, or take a part of it, \
         `a.slice(0)`",
        || drop(imshow(&[1, 2, 3, 4])),
    );
    raises(
        ErrorKind::DType,
        "hist: the data of complex64 cannot be ordered; plot `.abs()`, `.real()` or `.imag()` of it",
        || drop(hist(&[Complex32::new(0.0, 1.0)], 3)),
    );
    raises(
        ErrorKind::Value,
        "hist: 0 is not a valid number of bins; give a number from 1 to 1048576",
        || {
            drop(hist(&[1.0], 0));
        },
    );
    raises(
        ErrorKind::Value,
        "label: the figure has no series yet; add one first: `Figure::new().plot(&y)`",
        || drop(Figure::new().label("x")),
    );
    raises(
        ErrorKind::Value,
        "ylim: an axis cannot run from 1 to 1; give two finite numbers that differ",
        || drop(plot(&[1]).ylim(1.0, 1.0)),
    );
    raises(
        ErrorKind::Value,
        "size: a figure of 10x480 pixels cannot be drawn; give each side from 50 to 20000",
        || drop(plot(&[1]).size(10, 480)),
    );
    let error = plot(&[1.0, 2.0]).log_y().ylim(-1.0, 1.0).to_svg().unwrap_err();
    assert_eq!(error.to_string(), "ylim: a logarithmic axis cannot run from -1 to 1; both must be above 0");
    assert_eq!(
        plot(&[1]).save("figure.jpg").unwrap_err().to_string(),
        "save: the name `figure.jpg` does not say what the file is to be; end it with `.svg`, `.png`, `.pdf` or `.html`"
    );
    assert_eq!(plot(&[1]).save("/no/such/folder/a.svg").unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn sizes_and_limits_from_small_to_large_are_drawn() {
    let x = linspace(-1e9, 1e9, 10_000);
    for (width, height) in [(50, 50), (120, 800), (2000, 60), (1500, 1000)] {
        let figure = plot((&x, &(&x * &x))).label("a label that is longer than the whole figure is wide");
        drawn(
            figure
                .title("A title that is longer than the figure")
                .xlabel("x")
                .ylabel("y")
                .size(width, height),
        );
    }
    drawn(plot((&x, &x)).xlim(1e9, -1e9).ylim(1e-9, 2e-9));
    drawn(plot((&x, &x)).xlim(5e30, 6e30));
    drawn(scatter((&x, &x)).xlim(0.0, 1.0));
    drawn(imshow(&rand::<f32>((3, 2000))));
    drawn(imshow(&rand::<f32>((2000, 3))).clim(0.0, 1e-12));
    drawn(imshow(&rand::<f32>((1500, 1500))).xlim(0.0, 100.0).alpha(0.5));
    drawn(bar((arange((0.0..1.0).by(0.01)), &[1; 100])).log_x());
}

#[test]
fn text_is_escaped() {
    let svg = plot(&[1]).title("a < b & \"c\" </text><script>").to_svg().unwrap();
    assert!(svg.contains("a &lt; b &amp; &quot;c&quot; &lt;/text&gt;&lt;script&gt;"));
}

#[test]
fn a_figure_shows_what_its_arrays_hold_when_it_is_drawn() {
    let mut y = zeros::<f32>(3);
    let figure = plot(&y).ylim(-1.0, 10.0);
    let before = figure.to_svg().unwrap();
    y.set(1, 5.0);
    assert_ne!(before, figure.to_svg().unwrap());
}
