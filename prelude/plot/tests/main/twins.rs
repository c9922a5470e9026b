//! Second axes, and copies of figures that have some.

use gpurepl_prelude::*;

use super::{check, raises, svg, words};

#[test]
fn a_second_horizontal_axis_stands_above() {
    let celsius = [0.0, 20.0, 40.0, 60.0, 80.0];
    let figure = plot((&celsius, &[1.0, 4.0, 9.0, 6.0, 2.0])).marker("o").xlabel("°C").ylabel("yield");
    figure.twiny().plot((&[32.0, 176.0], &[0.0, 10.0])).dashed().xlabel("°F");
    check("twiny", &figure.title("Two scales"));
    let words = words(&svg(&figure));
    assert!(words.contains(&"°F".to_owned()) && words.contains(&"160".to_owned()), "{words:?}");
    assert!(svg(&figure).contains("#FF7F0E"));
    // Both at once, in colours of their own.
    figure.twinx().plot((&[0, 80], &[100, 200]));
    assert!(svg(&figure).contains("#2CA02C"));
}

#[test]
fn a_twin_of_a_twin_was_ignored_without_a_word() {
    let figure = plot(&[1, 2]);
    for (name, twin) in [("twinx", figure.twinx()), ("twiny", figure.twiny())] {
        raises(
            &format!(
                "{name}: this figure is the second one over axes that it shares, and has no twin of its own; call \
                 `.{name}()` on the first one"
            ),
            || drop(if name == "twinx" { twin.twinx() } else { twin.twiny() }),
        );
    }
    // A copy of it is a figure like others.
    figure.twinx().clone().plot(&[1, 2]).twinx().plot(&[3, 4]);
}

#[test]
fn copies_of_figures_with_twins_and_insets_are_their_own() {
    let figure = plot(&[1, 2]);
    let (twin, inset) = (figure.twinx().plot(&[10, 20]), figure.inset(0.1, 0.6, 0.3, 0.3).plot(&[5, 6]));
    let copy = figure.clone();
    let before = svg(&copy);
    assert_eq!(before, svg(&figure));
    twin.plot(&[1000, 2000]);
    assert!(svg(&copy) == before && svg(&figure) != before);
    let with_twin = svg(&figure);
    inset.plot(&[500, 600]);
    assert!(svg(&copy) == before && svg(&figure) != with_twin);
    let after = svg(&figure);
    copy.twinx().plot(&[-70, 70]);
    assert!(svg(&copy) != before && svg(&figure) == after);
}
