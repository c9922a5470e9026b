//! Variables between cells.

use gpurepl_tests::Conversation;

#[test]
fn variables_live_on() {
    let mut cells = Conversation::start();
    cells.ok("let mut a = 34; let b = 8;");
    cells.ok("a = a + b;");
    cells.shows("a", "42");
    cells.shows("let c = a * 2; c + 1", "85");
    cells.shows("c", "84");
}

#[test]
fn a_missing_semicolon_at_the_end_is_forgiven() {
    let mut cells = Conversation::start();
    cells.ok("let v = vec![1, 2]");
    cells.ok("let mut sum = 0; for x in &v { sum += x }");
    cells.shows("sum", "3");
}

#[test]
fn what_is_not_mutable_cannot_be_changed() {
    let mut cells = Conversation::start();
    cells.ok("let a = vec![1];");
    let error = cells.fails("a.push(2);");
    assert_eq!(error.code.as_deref(), Some("E0596"));
    assert!(cells.rendered().contains("let mut a"), "{}", cells.rendered());
    cells.ok("let mut a = a;");
    cells.ok("a.push(2);");
    cells.shows("a.len()", "2");
}

#[test]
fn mutations_and_new_variables_survive_a_panic() {
    let mut cells = Conversation::start();
    cells.ok("let mut a = vec![1]; let b = String::from(\"b\");");
    cells.fails_with("a.push(2); let c = 5; panic!(\"stop {c}\");", "stop 5");
    cells.shows("(a.len(), b.len(), c)", "(2, 1, 5)");
}

#[test]
fn numbers_that_were_bound_before_a_cell_failed_are_kept() {
    let mut cells = Conversation::start();
    cells.fails_with("let kept = 5; let v = vec![1]; v[9]", "the len is 1 but the index is 9");
    cells.shows("kept", "5");
    // As it is when the cell fails, and not as it was bound.
    cells.fails_with(
        "let mut n = 1; let list = vec![0]; n += 41; let n2 = n; let never = list[7]; let after = 1;",
        "the index is 7",
    );
    cells.shows("(n, n2)", "(42, 42)");
    cells.fails("after");
    // The last one of a name counts; by `?` as by a panic, and by patterns.
    cells.fails_with(
        "let (x, y) = (1, \"one\"); let x = 2.5; \"no\".parse::<i32>()?; let z = 1;",
        "InvalidDigit",
    );
    cells.shows("(x, y)", "(2.5, \"one\")");
    cells.ok("let early = 3; if early == 3 { return; } let late = 4;");
    cells.shows("early", "3");
}

#[test]
fn arrays_that_were_bound_before_a_cell_failed_are_kept() {
    let mut cells = Conversation::start();
    cells.fails_with(
        "let x = gpu![1.0, 2.0] * 3.0; let y = x.exp(); let mut z = gpu![1]; z += 1; let w = gpu![1, 2]; drop(w); &x + &gpu![1.0, 2.0, 3.0]",
        "do not broadcast",
    );
    cells.shows("x.to_vec()", "[3.0, 6.0]");
    cells.shows("y.len()", "2");
    cells.fails("z");
    cells.fails("w");
    cells.fails("let a = gpu![1, 2]; let b = 5; \"no\".parse::<i32>()?; let a = 3.5;");
    cells.fails("a");
    // A variable that could not be kept uncovers an older one, and that is said.
    cells.ok("let v = vec![1]; let mut m = ones::<f64>(3); let n = ones::<f64>(4);");
    cells.fails("let v = vec![1, 2]; v[5]");
    assert!(cells.noted().contains("`v` is what it was before the cell, which failed"), "{}", cells.noted());
    cells.fails("m = m + 1.0; m + n");
    assert!(cells.noted().contains("`m` is what it was before the cell, which failed"), "{}", cells.noted());
    cells.shows("(v.len(), m.to_vec(), n.len())", "(1, [1.0, 1.0, 1.0], 4)");
}

#[test]
fn a_kept_number_was_read_as_the_type_of_a_later_variable_of_its_name() {
    let mut cells = Conversation::start();
    cells.fails("let n = 3_u64; let n: f64 = { \"no\".parse::<i32>()?; 1.0 }; let k = n;");
    cells.fails("n");
    cells.fails("let x = [1_usize, 2, 3]; \"no\".parse::<i32>()?; let x = String::new();");
    cells.fails("x");
    cells.fails("let x = 8_usize; \"no\".parse::<i32>()?; let x = &5_u8;");
    cells.fails("x");
    cells.ok("macro_rules! again { ($v:ident) => { let $v = String::from(\"other\"); } }");
    cells.fails("let y = [1_usize, 2, 3]; \"no\".parse::<i32>()?; again!(y); drop(y);");
    cells.fails("y");
    cells.fails("let s = \"12\"; let s: i32 = s.parse()?; \"no\".parse::<i32>()?; let t = s;");
    cells.shows("s", "12");
    // One that cannot be kept costs no other one.
    cells.fails("let v = vec![1]; let first = v.first(); let k = 9; panic!(\"{first:?}\")");
    cells.shows("k", "9");
}

#[test]
fn what_may_have_been_moved_or_borrows_is_not_read_when_a_cell_fails() {
    let mut cells = Conversation::start();
    cells.fails_with("let v = vec![String::from(\"a\")]; drop(v); panic!(\"first\")", "first");
    cells.fails("v");
    cells.fails_with(
        "let w = vec![1]; let r = &w; let k = 6; if k == 6 { drop(w.clone()); panic!(\"second\") }",
        "second",
    );
    cells.fails("r");
    cells.fails_with("let w = vec![1]; let r = &w; panic!(\"third\")", "third");
    cells.fails("r");
    cells.shows("1 + 1", "2");
}

#[test]
fn arrays_that_a_cell_moves_are_there_again_if_it_fails() {
    let mut cells = Conversation::start();
    cells.ok("let x = gpu![1.0, 2.0, 3.0]; let b = gpu![1.0, 2.0]; let mut m = gpu![1, 2];");
    cells.fails_with("x + b", "add: shapes [3] and [2] do not broadcast");
    cells.shows("(x.len(), b.len())", "(3, 2)");
    cells.fails_with("m = m * 10; panic!(\"no\")", "no");
    cells.shows("m.to_vec()", "[1, 2]");
    cells.ok("let y = x + 1.0;");
    let error = cells.fails("x");
    assert_eq!(error.code.as_deref(), Some("E0425"));
}

#[test]
fn a_moved_variable_is_gone_and_said_to_be() {
    let mut cells = Conversation::start();
    cells.ok("let v = vec![1, 2, 3];");
    cells.ok("std::mem::drop(v);");
    cells.fails_with("v", "cannot find value `v`");
    assert!(cells.rendered().contains("cell 2"), "where it went: {}", cells.rendered());
    cells.ok("let mut v = vec![4];");
    cells.ok("drop(v); v = vec![5];");
    cells.shows("v", "[5]");
}

/// The older one of the name came back without a word.
#[test]
fn a_name_that_is_given_anew_and_not_kept_is_not_the_older_one() {
    let mut cells = Conversation::start();
    cells.ok("let a = gpu![7, -7]; let b = 1;");
    cells.ok("let a = gpu![1, 2]; (a, 0)");
    cells.fails_with("a", "was defined anew in cell 2");
    cells.ok("let s = String::from(\"x\"); let b = &s[..];");
    cells.fails_with("b", "was not kept: it borrows from `s`");
    // What is kept is the newer one, and a cell that fails leaves the older one.
    cells.ok("let c = 1; let d = vec![1];");
    cells.ok("let c = 2; let d = vec![2]; let e = d.clone();");
    cells.shows("(c, d, e)", "(2, [2], [2])");
    cells.ok("let d = vec![3];");
    cells.fails("let d = vec![4]; drop(d); panic!()");
    cells.shows("&d", "[3]");
    // A replay forgets it too.
    cells.run("std::process::abort()");
    cells.shows("&d", "[3]");
    cells.fails("a");
}

#[test]
fn a_variable_moved_into_another_is_found_there() {
    let mut cells = Conversation::start();
    cells.ok("let name = String::from(\"n\");");
    cells.ok("let pair = (name, 2);");
    cells.shows("pair.0", "\"n\"");
    cells.fails("name");
}

#[test]
fn shadowing_replaces_a_variable() {
    let mut cells = Conversation::start();
    cells.ok("let x = 1;");
    cells.ok("let x = \"text\";");
    cells.shows("x", "\"text\"");
    cells.ok("let x = x.len(); let x = x + 1;");
    cells.shows("x", "5");
}

#[test]
fn a_shadowing_counts_from_its_statement_on() {
    let mut cells = Conversation::start();
    cells.ok("let x = 1;");
    cells.fails("let x = { panic!(); 2 }; let y = 3;");
    cells.shows("x", "1");
    cells.fails("let x = 2; panic!();");
    cells.shows("x", "2");
}

#[test]
fn patterns_bind() {
    let mut cells = Conversation::start();
    cells.ok("let (a, mut b) = (1, 2); let [c, .., d] = [3, 4, 5, 6]; let e @ 1..=9 = 7 else { panic!() };");
    cells.ok("struct P { x: i32, y: i32 } let P { x, y: z } = P { x: 10, y: 11 };");
    cells.ok("let Some(f) = Some(8) else { panic!() };");
    cells.ok("b += 100;");
    cells.shows("(a, b, c, d, e, f, x, z)", "(1, 102, 3, 6, 7, 8, 10, 11)");
}

#[test]
fn names_of_any_script_work() {
    let mut cells = Conversation::start();
    cells.ok("let größe = 2; let π = 3.5; let 数 = vec![1]; let r#type = 4;");
    cells.shows("größe as f64 + π", "5.5");
    cells.shows("数.len() as i32 + r#type", "5");
}

#[test]
fn what_borrows_a_variable_stays_in_its_cell() {
    let mut cells = Conversation::start();
    cells.ok("let v = vec![1, 2]; let first = &v[0]; println!(\"{first}\");");
    assert_eq!(cells.stdout(), b"1\n");
    assert!(cells.noted().contains("first"), "{}", cells.noted());
    cells.shows("v", "[1, 2]");
    cells.fails("first");
    cells.ok("let mut count = 0; let mut inc = || count += 1; inc(); inc();");
    cells.shows("count", "2");
}

#[test]
fn what_is_promoted_is_kept() {
    let mut cells = Conversation::start();
    cells.ok("let a = &5; let s = \"text\"; let names = &[\"x\", \"y\"]; let ref r = 7;");
    cells.shows("(a, s, names, r)", "(5, \"text\", [\"x\", \"y\"], 7)");
}

#[test]
fn a_variable_without_a_value_is_not_kept() {
    let mut cells = Conversation::start();
    cells.ok("let a: i32; let b = 1;");
    cells.shows("b", "1");
    cells.ok("let c; c = b + 1;");
    cells.shows("c", "2");
}

#[test]
fn types_are_inferred_within_a_cell() {
    let mut cells = Conversation::start();
    cells.ok("let mut v = Vec::new(); v.push(1_u8);");
    cells.shows("v", "[1]");
    cells.fails("let p = \"5\".parse().unwrap();");
}

#[test]
fn shared_ownership_lives_on() {
    let mut cells = Conversation::start();
    cells.ok("use std::{cell::RefCell, rc::Rc};\nlet r = Rc::new(RefCell::new(String::new()));");
    cells.ok("let r2 = Rc::clone(&r);");
    cells.ok("r2.borrow_mut().push_str(\"f\");");
    cells.ok("drop(r2);");
    cells.shows("r.borrow().as_str()", "\"f\"");
    cells.shows("Rc::strong_count(&r)", "1");
}

#[test]
fn destructors_run_when_a_variable_is_replaced() {
    let mut cells = Conversation::start();
    cells.ok("struct Loud(i32); impl Drop for Loud { fn drop(&mut self) { println!(\"drop {}\", self.0) } }");
    cells.prints("let a = Loud(1);", "");
    cells.prints("let a = Loud(2);", "drop 1\n");
    cells.prints("drop(a);", "drop 2\n");
}

#[test]
fn thread_locals_with_destructors_do_not_hurt() {
    let mut cells = Conversation::start();
    cells.ok("pub struct Foo {} impl Drop for Foo { fn drop(&mut self) { } }\n\
         thread_local! { pub static FOO: Foo = Foo {}; }");
    cells.ok("FOO.with(|_| ())");
    cells.shows("1", "1");
}

#[test]
fn large_values_have_room() {
    let mut cells = Conversation::start();
    cells.ok("let big = [7_u8; 4_000_000]; let list = vec![1_u8; 50_000_000];");
    cells.shows("(big[3_999_999], list.len())", "(7, 50000000)");
}

#[test]
fn many_variables_stay_apart() {
    let mut cells = Conversation::start();
    let lets: String = (0..200).map(|k| format!("let v{k} = {k}; ")).collect();
    cells.ok(&lets);
    cells.shows("v0 + v73 + v199", "272");
    assert_eq!(cells.session().variables().len(), 200);
}

#[test]
fn variables_are_listed_with_types_that_can_be_written() {
    let mut cells = Conversation::start();
    cells.ok("let mut a = zeros::<f32>(3); let m = std::collections::HashMap::<String, Vec<i32>>::new();");
    let variables = cells.session().variables();
    assert_eq!(variables[0].name, "a");
    assert_eq!(variables[0].type_name, "GpuArray<f32>");
    assert!(variables[0].is_mutable && !variables[1].is_mutable);
    let type_name = variables[1].type_name.clone();
    cells.ok(&format!("let n: {type_name} = m;"));
}

#[test]
fn statements_and_an_expression_in_one_cell() {
    let mut cells = Conversation::start();
    cells.shows("let a = 1; let b = { let t = a + 1; t * 2 }; fn f(x: i32) -> i32 { x + 1 } f(b)", "5");
    cells.ok("if b > 3 { println!(\"big\") } else { println!(\"small\") }");
    assert_eq!(cells.stdout(), b"big\n");
    cells.shows("match b { 4 => \"four\", _ => \"other\" }", "\"four\"");
}

#[test]
fn a_tail_that_is_a_place_is_not_moved() {
    let mut cells = Conversation::start();
    cells.ok("struct NoCopy(Vec<i32>); let n = NoCopy(vec![1]);");
    cells.shows("n.0", "[1]");
    cells.shows("n.0", "[1]");
}

#[test]
fn partial_moves_are_moves() {
    let mut cells = Conversation::start();
    cells.ok("let pair = (String::from(\"a\"), String::from(\"b\"));");
    cells.ok("let (left, _) = pair;");
    cells.shows("left", "\"a\"");
}

#[test]
fn functions_live_on_beside_a_structure_for_kernels() {
    let mut cells = Conversation::start();
    cells.ok(
        "kernel_struct! { #[derive(Clone, Copy, Debug)] struct Line { slope: f32, offset: f64, points: u64 } }",
    );
    // Their types name those of the fields: they were not kept.
    cells.ok("let twice = elementwise!(|x: &[f32], y: &mut [f32]| \"y[i] = 2*x[i]\"); let root: fn(f32) -> f32 = f32::sqrt;");
    cells.ok("let mut y = zeros::<f32>(1); twice(&gpu![f32; 3], &mut y);");
    cells.shows("(y[0].item(), root(4.0))", "(6.0, 2.0)");
    cells.shows("Line { slope: 1.0, offset: 2.0, points: 3 }.points", "3");
}

/// The compiler writes types of a closure's signature by their last names alone.
#[test]
fn closures_over_types_that_no_import_names_are_kept() {
    let mut cells = Conversation::start();
    cells.ok("let begun = |late: bool| -> Option<std::time::Duration> { late.then_some(std::time::Duration::ZERO) };");
    cells.ok("let matrix = |n: usize| -> Result<sparse::Csr<f64>> { sparse::eye(n) };");
    cells.shows("(begun(true), matrix(3)?.nnz())", "(Some(0ns), 3)");
}
