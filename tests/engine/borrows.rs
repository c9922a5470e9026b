//! Variables that borrow, and those that are moved in part.

use gpurepl_tests::Conversation;

/// A cell that runs whole, the variables that it keeps, and those that it does
/// not.
const CASES: &[(&str, &str, &str)] = &[
    // References made in closures: the message is about the user's lines.
    (
        "let s = String::from(\"a=b\"); let kv = s.split_once('=').map(|(k, v)| (k, v)); println!(\"{kv:?}\");",
        "s",
        "kv",
    ),
    (
        "let rows = vec![vec![1], vec![]]; let first = rows.iter().find_map(|r| r.first()); println!(\"{first:?}\");",
        "rows",
        "first",
    ),
    (
        "let m = std::collections::HashMap::from([(\"a\", vec![1])]); let f = m.get(\"a\").and_then(|v| v.first());",
        "m",
        "f",
    ),
    (
        "let t = String::from(\"a b\"); let w = t.split(' ').map(|w| w).collect::<Vec<_>>(); let n = w.len();",
        "(t, n)",
        "w",
    ),
    (
        "let mut v = vec![3]; let most = v.iter_mut().map(|x| { *x += 1; x }).max(); println!(\"{most:?}\");",
        "v",
        "most",
    ),
    // Through another variable that borrows.
    (
        "let s = String::from(\"a b\"); let p = s.split(' '); let q: Vec<&str> = p.map(|w| w).collect(); let n = q.len();",
        "(s, n)",
        "p q",
    ),
    // What has a destructor ends before what it borrows is kept.
    (
        "let lock = std::sync::Mutex::new(5); let guard = lock.lock().unwrap(); println!(\"{guard}\");",
        "lock",
        "guard",
    ),
    ("let cell = std::cell::RefCell::new(vec![1]); let b = cell.borrow(); println!(\"{b:?}\");", "cell", "b"),
    (
        "let h = vec![1.0f32; 4]; let mut copy = Memcpy2D::new(); copy.set_src_host(&h); let z = 3;",
        "(h, z)",
        "copy",
    ),
    // Closures.
    ("let n = 5; let f: Box<dyn Fn(i32) -> i32> = Box::new(|x| x + n); println!(\"{}\", f(1));", "n", "f"),
    ("let n = 5; let add = |x: i32| x + n; println!(\"{}\", add(1));", "n", "add"),
    ("let n = 5; let it = (0..3).map(|x| x + n); println!(\"{}\", it.clone().sum::<i32>());", "n", "it"),
];

#[test]
fn a_cell_with_a_variable_that_borrows_runs_and_keeps_the_others() {
    let mut cells = Conversation::start();
    for (source, kept, gone) in CASES {
        cells.ok(source);
        let notes = gone.split(' ').map(|gone| format!("`{gone}` is not kept: it borrows"));
        let is_told = cells.notes().iter().zip(notes.clone()).all(|(note, words)| note.starts_with(&words));
        assert!(is_told && cells.notes().len() == notes.count(), "{source}: {}", cells.noted());
        cells.ok(&format!("let _ = &{kept};"));
        for gone in gone.split(' ') {
            cells.fails_with(&format!("let _ = &{gone};"), "was not kept");
        }
        cells.ok(":reset");
    }
}

#[test]
fn what_borrows_from_an_older_variable_leaves_it_alone() {
    let mut cells = Conversation::start();
    cells.ok("let m = std::collections::HashMap::from([(\"a\", vec![1])]); let mut list = vec![vec![1]]; let n = 5;");
    cells.ok("let g = m.get(\"a\").and_then(|v| v.first()); println!(\"{g:?}\");");
    cells.ok(
        "let last = list.iter_mut().filter_map(|r| r.first_mut()).last(); if let Some(x) = last { *x = 7 }",
    );
    cells.ok("let f = |x: i32| x + n; println!(\"{}\", f(1));");
    assert!(cells.noted().contains("it borrows `n`; `move` before `|`"), "{}", cells.noted());
    cells.shows("(m[\"a\"].len(), list, n)", "(1, [[7]], 5)");
}

#[test]
fn what_is_borrowed_is_named() {
    let mut cells = Conversation::start();
    cells.ok("let v = vec![1]; let first = v.iter().map(|x| x).next();");
    assert_eq!(cells.noted(), "`first` is not kept: it borrows from `v`, which may change between cells");
    cells.ok("let most = vec![1].iter().max();");
    assert!(cells.noted().contains("dropped at the end of its statement"), "{}", cells.noted());
}

#[test]
fn a_thread_that_borrows_is_told_to_move() {
    let mut cells = Conversation::start();
    cells.ok("let n = 5; let mut names: Vec<&str> = vec![\"x\"];");
    cells.fails_with("std::thread::spawn(|| println!(\"{n}\")).join().unwrap();", "write `move` before `|`");
    // A variable of an earlier cell cannot hold what ends with this one.
    cells.fails_with("let own = String::from(\"o\"); names.push(&own);", "variables outlive their cells");
    cells.shows("names", "[\"x\"]");
}

#[test]
fn errors_of_the_users_own_are_shown_alone() {
    let mut cells = Conversation::start();
    let error = cells.fails(
        "let s = String::from(\"a\"); let t = s; let kv = s.split_once('=').map(|(k, v)| (k, v)); println!(\"{t} {kv:?}\");",
    );
    assert_eq!(error.code.as_deref(), Some("E0382"));
    assert!(!cells.rendered().contains("E0597"), "{}", cells.rendered());
}

#[test]
fn a_variable_that_is_moved_in_part_is_gone_with_a_word() {
    let mut cells = Conversation::start();
    cells.ok("let p = (String::from(\"a\"), String::from(\"b\"));");
    cells.ok("let a = p.0;");
    assert!(cells.noted().contains("`p` is gone: the cell moves `p.0` out of it"), "{}", cells.noted());
    cells.fails_with("p.1", "was moved in part in cell 2");
    cells.ok("let q = (String::from(\"a\"), 2); let (left, _) = q;");
    assert!(cells.noted().starts_with("`q` is not kept: the cell moves a part of it"), "{}", cells.noted());
    // Nothing is said of what is moved whole.
    cells.ok("let b = a;");
    assert_eq!(cells.noted(), "");
    cells.shows("(b, left)", "(\"a\", \"a\")");
}

#[test]
fn a_statement_that_is_only_a_name_says_what_it_drops() {
    let mut cells = Conversation::start();
    cells.ok("let v = vec![1]; let n = 1; let a = gpu![1.0, 2.0];");
    cells.ok("v; n; 5");
    assert_eq!(cells.noted(), "`v;` drops `v`: to show nothing write nothing, or `let _ = &v;`");
    cells.fails_with("v.len()", "in cell 2 `v;` dropped it; to show nothing write nothing, or `let _ = &v;`");
    cells.shows("n", "1");
    cells.ok("let w = vec![2]; w;");
    assert!(cells.noted().starts_with("`w` is not kept: `w;` drops it"), "{}", cells.noted());
    // What is written instead keeps it.
    cells.ok("let _ = &a;");
    cells.shows("a.size()", "2");
}
