use super::*;
use crate::{Figure, plot, scatter, subplots};

fn marks(svg: &str, part: &str) -> usize {
    svg.matches(&format!("data-part=\"{part}\"")).count()
}

fn drawn(figure: &Figure) -> String {
    let scene = Source::of(&figure.drawing()).scene(None, &Request::parse("own").unwrap()).unwrap();
    picture(&scene, "n", "own")
}

#[test]
fn marks_say_what_they_belong_to() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let svg = drawn(&plot([1, 4, 9]).marker("^").grid().title("t"));
    assert_eq!((marks(&svg, "data"), marks(&svg, "grid"), marks(&svg, "ticks")), (1, 1, 1));
    assert_eq!(svg.matches("data-at=").count(), 3, "each mark has its place");
    assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
    // A cross has two strokes, which keep together.
    let svg = drawn(&scatter((&[1, 2], &[3, 4])).marker("x"));
    let first = svg.split("data-at=").nth(1).unwrap();
    assert_eq!(first.matches("<polyline").count(), 2);
}

#[test]
fn twins_and_axes_within_move_too() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let figure = plot([1, 4, 9]);
    figure.twinx().plot([100, 50, 10]);
    figure.inset(0.5, 0.5, 0.4, 0.4).plot([1, 2]);
    assert_eq!(marks(&drawn(&figure), "data"), 3);
    let source = Source::of(&figure.drawing());
    let request = Request::parse("own-1;0 0 1 0 5;1 0 1 20 80;2 0 0.5 0 1").unwrap();
    let windows = source.scene(None, &request).unwrap().windows;
    let ends = windows.iter().map(|w| (w.x.limits.from, w.x.limits.to, w.y.limits.from, w.y.limits.to));
    assert_eq!(
        ends.collect::<Vec<_>>(),
        [(0.0, 1.0, 0.0, 5.0), (0.0, 1.0, 20.0, 80.0), (0.0, 0.5, 0.0, 1.0)]
    );
}

#[test]
fn other_ends_are_drawn_from_the_data() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let figure = plot([1.0, 10.0, 100.0]).log_y();
    let source = Source::of(&figure.drawing());
    let svg = answer(&source, "dark-7;0 0 1 2 3", "n").unwrap();
    assert!(svg.contains("data-token=\"dark-7\"") && svg.contains("#16181D"), "it is dark");
    assert!(svg.contains(&display::escape("\"from\":2e0,\"to\":3e0")));
    let error = answer(&source, "own-1;0 0 1 -2 3", "n").unwrap_err().to_string();
    assert!(error.contains("a logarithmic axis cannot run from -2 to 3"), "{error}");
    // The figure itself has its ends as before.
    assert!(figure.drawing().y.limits.is_none());
}

#[test]
fn axes_that_share_ends_move_together() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let axes = subplots(2, 2).sharex_col().sharey();
    axes.iter().for_each(|figure| drop(figure.plot([1, 2, 3])));
    let scene = Source::Subplots(axes).scene(None, &Request::parse("own").unwrap()).unwrap();
    let groups: Vec<_> = scene.windows.iter().map(|window| (window.x.group, window.y.group)).collect();
    assert_eq!(groups, [(Some(0), Some(0)), (Some(1), Some(0)), (Some(0), Some(0)), (Some(1), Some(0))]);
}

#[test]
fn a_page_for_both_themes_shows_the_light_picture_first() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let scene = || plot([1, 2]).drawing().chart().unwrap().scene().unwrap();
    let html = both(&scene(), Some(&scene()), "n", "");
    let hidden = "style=\"display:none\"";
    assert_eq!(html.matches(hidden).count(), 1);
    assert!(html.find("gpurepl-light").unwrap() < html.find(hidden).unwrap());
    assert!(page(&scene(), "a < b").contains("<title>a &lt; b</title>"));
}
