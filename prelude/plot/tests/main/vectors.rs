//! Vectors over a plane, as arrows and as lines.

use gpurepl_prelude::*;

use super::{areas, check, evenly, lines, over, raises, svg, words};

fn text(figure: &Figure) -> String {
    figure.render().0["text/plain"].clone()
}

/// The field of Matplotlib's example of `streamplot`.
fn field(x: &[f64], y: &[f64]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    (over(x, y, |x, y| -1.0 - x * x + y), over(x, y, |x, y| 1.0 + x - y * y))
}

#[test]
fn arrows_over_a_plane() {
    let (x, y) = (evenly(-3.0, 3.0, 15), evenly(-3.0, 3.0, 15));
    let (u, v) = field(&x, &y);
    let speed = over(&x, &y, |x, y| (-1.0 - x * x + y).hypot(1.0 + x - y * y));
    let figure = quiver((&x, &y, &u, &v)).colors(&speed).colorbar_label("speed");
    check("quiver", &figure.title("Vectors").xlabel("x").ylabel("y"));
    assert!(words(&svg(&figure)).contains(&"speed".to_owned()));
}

#[test]
fn an_arrow_is_as_long_as_its_vector() {
    // Of the axes, 496 pixels wide, a vector of 5 is a half.
    let figure = quiver((&[0.0, 1.0], &[0.0, 1.0], &[5.0, 0.0], &[0.0, -2.5])).scale(10.0).color("red");
    let arrows = areas(&svg(&figure), "#FF0000");
    let reach = |arrow: &[(f64, f64)]| {
        let tail = ((arrow[0].0 + arrow[6].0) / 2.0, (arrow[0].1 + arrow[6].1) / 2.0);
        (arrow[3].0 - tail.0, arrow[3].1 - tail.1)
    };
    let (right, down) = (reach(&arrows[0]), reach(&arrows[1]));
    assert!((right.0 - 248.0).abs() < 0.3 && right.1.abs() < 0.3, "{right:?}");
    assert!(down.0.abs() < 0.3 && (down.1 - 124.0).abs() < 0.3, "{down:?}");
    // Chosen, the mean of few is the width, divided by 18: Matplotlib's.
    let chosen = areas(&svg(&quiver((&[0.0], &[0.0], &[3.0], &[0.0]))), "#000000");
    assert!((reach(&chosen[0]).0 - 496.0 / 18.0).abs() < 0.3, "{chosen:?}");
    // Without places they stand at columns and rows; NaN is no arrow.
    let figure = quiver((&[[1.0, 1.0], [f64::NAN, 1.0]], &[[0.0, 0.0], [0.0, 0.0]]));
    assert_eq!(areas(&svg(&figure), "#000000").len(), 3);
    assert!(text(&figure).starts_with("Figure: 1 series"));
}

#[test]
fn lines_along_vectors() {
    let (x, y) = (evenly(-3.0, 3.0, 100), evenly(-3.0, 3.0, 100));
    let (u, v) = field(&x, &y);
    let figure = streamplot((&x, &y, &u, &v));
    check("streamplot", &figure.title("Lines along vectors").xlabel("x").ylabel("y"));
    let count = |figure: &Figure| lines(&svg(figure), "#1F77B4").len();
    let usual = count(&figure);
    let (few, many) = (count(&figure.line_density(0.5)), count(&figure.line_density(2)));
    assert!(few * 4 < usual * 3 && usual * 4 < many * 3, "{few} {usual} {many}");
    // As many colours as values.
    let height = over(&x, &y, |_, y| y);
    let colored = streamplot((&x, &y, &u, &v)).colors(&height).colormap("plasma");
    assert_eq!(count(&colored), 0);
    assert!(svg(&colored).matches("<polyline").count() > 500);
}

/// Of a large field, the means of blocks have the same lines.
#[test]
fn a_large_field_has_the_lines_of_a_small_one() {
    let around = |count: usize| {
        let x = evenly(-1.0, 1.0, count);
        let (u, v) = (over(&x, &x, |_, y| -y), over(&x, &x, |x, _| x));
        svg(&streamplot((&x, &x, &u, &v)))
    };
    let (small, large) = (around(100), around(1000));
    let middle = (80.5 + 496.0 / 2.0, 58.5 + 369.0 / 2.0);
    for svg in [small, large] {
        let all = lines(&svg, "#1F77B4");
        assert!(all.len() > 10);
        for line in &all {
            let radius = |at: &(f64, f64)| ((at.0 - middle.0) / 496.0).hypot((at.1 - middle.1) / 369.0);
            let first = radius(&line[0]);
            assert!(line.iter().all(|at| (radius(at) - first).abs() < 0.01), "{first}");
        }
    }
}

#[test]
fn fields_that_cannot_be_drawn_are_refused() {
    let matrix = vec![vec![1.0; 3]; 2];
    raises("quiver: u has shape [2, 3] and v has shape [3]; both must have the same", || {
        drop(quiver((&matrix, &[1.0, 2.0, 3.0])));
    });
    raises(
        "quiver: u has shape [3]; give matrices, or arrays of as many places as vectors, `(&x, &y, &u, &v)`",
        || drop(quiver((&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]))),
    );
    raises("streamplot: the matrix has 3 columns and x has shape [2]; give 3 numbers", || {
        drop(streamplot((&[1, 2], &[1, 2], &matrix, &matrix)));
    });
    raises("streamplot: vectors of shape [1, 2] cover no area; give at least two rows and columns", || {
        drop(streamplot((&[[1, 2]], &[[1, 2]])))
    });
    raises(
        "quiver: 10000 arrows are too many to tell apart (at most 5000); take every tenth row and column of all, \
         `u.slice(s![..; 10, ..; 10])`, or draw lines, `streamplot`",
        || drop(quiver((&zeros::<f32>((100, 100)), &zeros::<f32>((100, 100))))),
    );
    raises(
        "colors: the vectors have shape [2, 3] and the data has shape [6]; give a number for each vector",
        || drop(quiver((&matrix, &matrix)).colors(&[0, 1, 2, 3, 4, 5])),
    );
    raises("line_density: 11 is too dense; give a number up to 10", || {
        drop(streamplot((&matrix, &matrix)).line_density(11));
    });
    raises("scale: 0 is not valid here; give a finite number above 0", || {
        drop(quiver((&matrix, &matrix)).scale(0));
    });
    let still = vec![vec![0.0; 3]; 2];
    assert!(text(&streamplot((&still, &still))).contains("no line follows them"));
    // What the hint says works.
    let all = zeros::<f32>((100, 100));
    let some = all.slice(s![..; 10, ..; 10]);
    drop(quiver((&some, &some)));
}
