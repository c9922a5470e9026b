//! How values are shown.

use gpurepl_tests::Conversation;

#[test]
fn values_show_as_what_they_can() {
    let mut cells = Conversation::start();
    cells.shows("vec![1, 2]", "[1, 2]");
    cells.shows("(1, \"a\", 'c', 2.5, None::<u8>)", "(1, \"a\", 'c', 2.5, None)");
    cells.ok("struct NoDebug;");
    cells.ok("NoDebug");
    assert!(cells.results()[0].contains("NoDebug"), "{:?}", cells.results());
    cells.ok("()");
    assert!(cells.results().is_empty());
    cells.ok("5;");
    assert!(cells.results().is_empty());
}

#[test]
fn arrays_show_as_numpy_shows_them() {
    let mut cells = Conversation::start();
    cells.shows("arange(0..4)", "array([0, 1, 2, 3], dtype=int32)");
    cells.shows("arange(0..6).reshape([2, 3])", "array([[0, 1, 2],\n       [3, 4, 5]], dtype=int32)");
    cells.shows("to_gpu(&[1.0, 2.5])", "array([1. , 2.5], dtype=float64)");
    cells.shows("&ones::<f32>(2) * 1.5", "array([1.5, 1.5], dtype=float32)");
}

#[test]
fn values_can_be_shown_on_the_way() {
    let mut cells = Conversation::start();
    cells.ok("display(&arange(0..2)); display(&\"text\"); 3");
    let texts: Vec<&str> = cells.displays().iter().filter_map(|bundle| bundle.get("text/plain")).collect();
    assert_eq!(texts, ["array([0, 1], dtype=int32)", "\"text\""]);
    assert_eq!(cells.results(), ["3"]);
}

#[test]
fn users_types_can_show_themselves_richly() {
    let mut cells = Conversation::start();
    cells.ok("struct Logo; impl Render for Logo { fn render(&self) -> MimeBundle { MimeBundle::text(\"LOGO\").with(\"text/html\", \"<b>logo</b>\") } }");
    cells.shows("Logo", "LOGO");
}

#[test]
fn a_display_that_panics_fails_the_cell() {
    let mut cells = Conversation::start();
    cells.ok("struct Bad; impl std::fmt::Debug for Bad { fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result { panic!(\"no show\") } } let kept = 1;");
    cells.fails_with("Bad", "no show");
    cells.shows("kept", "1");
}

#[test]
fn what_is_shown_is_not_consumed() {
    let mut cells = Conversation::start();
    cells.ok("let s = String::from(\"s\");");
    cells.shows("s", "\"s\"");
    cells.shows("s", "\"s\"");
}

#[test]
fn values_of_cells_are_recalled() {
    let mut session = Conversation::keeping_results();
    session.shows("let a = arange(0..4);\n&a + 1", "array([1, 2, 3, 4], dtype=int32)");
    session.shows("_.sum().item()", "10");
    session.shows("_ * 2 + Out[1].len() as i64", "24");
    session.shows("_1", "array([1, 2, 3, 4], dtype=int32)");
    session.shows("vec![1.5f32; 2]", "[1.5, 1.5]");
    session.shows("let w = _; w.len()", "2");
    session.shows("Out[5]", "[1.5, 1.5]");
    session.shows("format!(\"{}\", _.len())", "\"2\"");
    session.ok("struct Own; Own");
    // A type of the user's own is not kept, and `_` is not an older value.
    session.fails_with("_.len()", "no stored value for cell 9");
    session.shows("Out[8]", "\"2\"");
    session.shows("_.len()", "1");
}

#[test]
fn a_value_that_is_not_kept_is_named_where_it_is_asked_for() {
    let mut session = Conversation::keeping_results();
    let diagnostic = session.fails("1 + _");
    assert!(diagnostic.message.contains("no stored value"), "{}", diagnostic.message);
    session.shows("7", "7");
    let diagnostic = session.fails("let x = Out[2];\nOut[9] + x");
    assert!(diagnostic.message.contains("cell 9"), "{}", diagnostic.message);
    let diagnostic = session.fails("_ + \"a\"");
    assert!(!diagnostic.message.contains('\u{2cd}'), "{}", diagnostic.message);
}

#[test]
fn the_latest_value_is_never_an_older_one() {
    let mut cells = Conversation::keeping_results();
    cells.ok("10");
    cells.ok("std::collections::HashMap::<i32, i32>::from([(1, 2)])");
    cells.fails_with("_", "no stored value for cell 2");
    cells.ok("5");
    cells.ok("let nothing = 1;");
    cells.ok("_ + 1");
    assert_eq!(cells.results().last().map(String::as_str), Some("6"));
}

#[test]
fn arithmetic_of_integers_that_wrapped_around_said_nothing() {
    let mut cells = Conversation::start();
    cells.shows("arange(0..100_000).pow(2).max().item()", "2147395600");
    assert!(cells.noted().contains("i32 overflow in `*` or `pow`"), "{}", cells.noted());
    cells.shows("arange(0..100_000).astype(i64).pow(2).max().item()", "9999800001");
    assert_eq!(cells.noted(), "");
    cells.shows("arange(0..100_000).sum().item()", "4999950000");
    assert_eq!(cells.noted(), "");
}

#[test]
fn a_style_holds_for_the_session_until_it_is_reset() {
    let mut cells = Conversation::start();
    cells.ok("style().theme(Theme::Dark).size(800, 400).cycle([\"#102030\"]).grid().font_size(20);");
    cells.shows("plot(&[1, 4, 9]).to_svg()?.contains(\"width=\\\"800\\\" height=\\\"400\\\" viewBox=\\\"0 0 4000 2000\\\"\")", "true");
    cells.shows(
        "let svg = plot(&[1, 4, 9]).to_svg()?; (svg.contains(\"#16181D\"), svg.contains(\"#102030\"))",
        "(true, true)",
    );
    // Each figure's own setting counts more, and one that was made before keeps its look.
    cells.ok("let dark = plot(&[1, 4, 9]); style().reset();");
    cells.shows(
        "dark.to_svg()?.contains(\"#16181D\") && !plot(&[1, 4, 9]).to_svg()?.contains(\"#16181D\")",
        "true",
    );
    cells.ok("style().theme(Theme::Dark);");
    cells.shows("plot(&[1, 2]).theme(Theme::Light).to_svg()?.contains(\"#16181D\")", "false");
    cells.shows(
        "let axes = subplots(1, 2); axes[0].plot(&[1, 2]); axes.to_svg()?.contains(\"#16181D\")",
        "true",
    );
    cells.fails_with("style().cycle([\"reed\"]);", "`reed` is not a known colour");
    cells.fails_with("style().cycle(Vec::<String>::new());", "0 colours are not a cycle");
    cells.fails_with("style().font_size(400);", "400 points is not a size of letters at axes");
}

/// PyCUDA's introduction shows both, and leaves the type out of one.
#[test]
fn an_array_of_the_host_and_one_of_the_device_show_the_same_text() {
    let mut cells = Conversation::start();
    cells.ok("let x = randn::<f32>(5).get(); let x_gpu = to_gpu(&x);");
    cells.ok("x.clone()");
    let host = cells.results()[0].clone();
    cells.ok("&x_gpu");
    assert_eq!(cells.results()[0], host);
    assert!(host.ends_with("dtype=float32)"), "{host}");
}
