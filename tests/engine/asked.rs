//! `_` and `_3` in what macros are given.

use gpurepl_tests::Conversation;

#[test]
fn a_pattern_in_a_macro_moves_nothing() {
    let mut cells = Conversation::keeping_results();
    cells.ok("let o = Some(String::from(\"text\")); let n = 3;");
    cells.shows("5", "5");
    cells.shows("matches!(o, Some(_))", "true");
    cells.shows("matches!((&o, n), (_, 3) | (None, _))", "true");
    cells.ok("assert!(matches!(o, Some(_)), \"{:?}\", o.as_ref().map(|_| 1));");
    cells.ok(
        "println!(\"{}\", match o { Some(_) => { let _ = 1; Vec::<_>::from([1, 2]) } _ => vec![] }.len());",
    );
    cells.shows("o", "Some(\"text\")");
    assert!(cells.notes().is_empty(), "{}", cells.noted());
}

#[test]
fn expressions_in_macros_have_the_latest_value() {
    let mut cells = Conversation::keeping_results();
    cells.shows("5", "5");
    cells.shows("vec![_; 2]", "[5, 5]");
    cells.prints("println!(\"{} {_1:?} {_1}\", _1 + 1)", "6 5 5\n");
    cells.ok("let a: [i32; _] = [1, 2, 3];");
    cells.shows("a.len()", "3");
    cells.shows("dbg!(_)", "3");
}

#[test]
fn a_macro_of_the_users_own_is_given_what_it_takes() {
    let mut cells = Conversation::keeping_results();
    cells.ok("macro_rules! double { ($e:expr) => { $e * 2 } }\n\
              macro_rules! fits { ($p:pat, $e:expr) => { matches!($e, $p) } }");
    cells.shows("7", "7");
    cells.shows("double!(_)", "14");
    cells.shows("fits!(Some(_), Some(_))", "true");
    cells.shows("fits!(Some(_), Some(double!(_ as u8)))", "true");
    // A macro may have the name of another.
    cells.ok("macro_rules! format { ($p:pat) => { matches!(Some(1), $p) } }");
    cells.shows("format!(Some(_))", "true");
}

#[test]
fn saved_cells_keep_their_patterns() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("saved.rs");
    let mut cells = Conversation::keeping_results();
    cells.shows("vec![1]", "[1]");
    cells.shows("matches!(&_[..], [_])", "true");
    cells.prints("println!(\"{_1:?}\")", "[1]\n");
    cells.ok(&format!(":save {}", file.display()));
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(saved.contains("matches!(&out_1[..], [_])"), "{saved}");
    assert!(saved.contains("println!(\"{out_1:?}\")"), "{saved}");
}
