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
