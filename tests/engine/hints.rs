//! Advice about arrays: the eight kinds of messages that rustc cannot word.

use gpurepl_session::Outcome;
use gpurepl_tests::Conversation;

/// What someone types who comes from NumPy, the code of rustc's error, and the
/// advice. What is advised stands behind, and compiles and runs.
const TABLE: &[(&str, &str, &str, &str)] = &[
    // A number before an array that is not of the two types that can be there.
    ("let x = s * &a;", "E0277", "put the array first: `&a * s`", "let x = &a * s;"),
    ("let x = n + &a;", "E0277", "put the array first: `&a + n`", "let x = &a + n;"),
    ("let x = s % &a;", "E0277", "write the number as `f64`: `s as f64 % &a`", "let x = s as f64 % &a;"),
    // Operators whose results Rust has chosen.
    ("&a > &b", "E0369", "comparisons of arrays are methods: `a.gt(&b)`", "a.gt(&b)"),
    ("a < 2.0", "E0369", "comparisons of arrays are methods: `a.lt(2.0)`", "a.lt(2.0)"),
    ("a == b", "E0369", "whole arrays by `array_equal(&a, &b)`", "array_equal(&a, &b)"),
    // Operators that take what they are given.
    ("let x = a + 1.0; a", "E0382", "`let x = &a + 1.0` borrows it", "let x = &a + 1.0; a"),
    // One answer where there is one for each element.
    (
        "if a.gt(&b) { 1 } else { 2 }",
        "E0308",
        "`a.gt(&b).any().item()`",
        "if a.gt(&b).any().item() { 1 } else { 2 }",
    ),
    // Arrays without axes.
    ("let x: f32 = a.sum();", "E0308", "`.item()` reads the only element", "let x: f32 = a.sum().item();"),
    // Arrays of other elements.
    ("let x: GpuArray<f32> = d.clone();", "E0308", "`.astype(f32)`", "let x: GpuArray<f32> = d.astype(f32);"),
    (
        "fn f(x: &GpuArray<f32>) {} f(&d);",
        "E0308",
        "`.astype(f32)`",
        "fn f(x: &GpuArray<f32>) {} f(&d.astype(f32));",
    ),
    // Elements and rows that the array lends.
    ("let x = a[1];", "E0507", "`a[1].item()`", "let x = a[1].item();"),
    ("let x = a[1];", "E0507", "`a.slice(1)`", "let x = a.slice(1);"),
    // An array that is read where it is written.
    ("z += &z;", "E0502", "`z += z.clone()`", "z += z.clone();"),
];

#[test]
fn each_of_the_eight_kinds_of_errors_about_arrays_has_advice_that_works() {
    let mut cells = Conversation::start();
    let given = "let a = to_gpu(&[1.0f32, 2.0, 3.0]); let b = to_gpu(&[3.0f32, 2.0, 1.0]); let d = to_gpu(&[1.0f64, \
                 2.0, 3.0]); let mut z = zeros::<f32>(3); let (s, n) = (2.0f32, 3usize);";
    let mut wrong = Vec::new();
    for (source, code, advice, meant) in TABLE {
        cells.ok(given);
        let answered = match cells.run(source) {
            Outcome::Failed(error) => {
                error.code.as_deref() == Some(*code) && error.helps.iter().any(|help| help.contains(advice))
            }
            _ => false,
        };
        if !answered {
            wrong.push(format!("{source}: {code}, {advice}\n{}", cells.rendered()));
        }
        if !cells.run(meant).is_done() {
            wrong.push(format!("{meant}, which is advised\n{}", cells.rendered()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn advice_of_ours_stands_without_lists_of_what_implements_a_trait() {
    let mut cells = Conversation::start();
    cells.ok("let a = to_gpu(&[1.0f32, 2.0]);");
    cells.fails("let x = 2.0f32 * &a;");
    let rendered = cells.rendered();
    assert!(rendered.contains("put the array first"), "{rendered}");
    assert!(!rendered.contains("implement trait") && !rendered.contains("is not implemented"), "{rendered}");
    cells.fails("cumath::sqrt(1.0)");
    let rendered = cells.rendered();
    assert!(rendered.contains("an array is expected, not `{float}`"), "{rendered}");
    cells.ok("cumath::sqrt(2.0 * &a); cumath::sqrt(&a);");
}

#[test]
fn a_suggestion_of_several_parts_is_shown_as_the_line_that_it_makes() {
    let mut cells = Conversation::start();
    cells.ok("let a = to_gpu(&[1.0f32, 2.0]);");
    cells.ok("fn total(a: &GpuArray<f32>) -> f32 { a.sum().item() }");
    cells.fails("total(2.0 * &a)");
    let rendered = cells.rendered();
    assert!(rendered.contains("consider borrowing here: `total(&(2.0 * &a))`"), "{rendered}");
    cells.ok("total(&(2.0 * &a))");
}
