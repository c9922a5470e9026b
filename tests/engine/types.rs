//! Variables of all kinds of types survive into the next cell.

use gpurepl_tests::Conversation;

/// Each case: an expression, and what uses it as `x` in the next cell.
const CASES: &[(&str, &str, &str)] = &[
    ("1..5", "x.len()", "4"),
    ("(0..10).step_by(3)", "x.clone().count()", "4"),
    ("vec![1, 2].into_iter()", "x.len()", "2"),
    ("\"a b\".split(' ')", "x.clone().count()", "2"),
    ("\"ab\".chars().rev()", "x.clone().collect::<String>()", "\"ba\""),
    ("std::iter::repeat(1).take(3)", "x.clone().sum::<i32>()", "3"),
    ("std::collections::HashMap::from([(1, 'a')])", "x[&1]", "'a'"),
    ("Box::new(5) as Box<dyn std::fmt::Debug + Send + Sync>", "format!(\"{x:?}\")", "\"5\""),
    ("Box::new(|s: &str| s.len()) as Box<dyn Fn(&str) -> usize>", "x(\"abc\")", "3"),
    ("(1, (\"a\", [2.5; 2]))", "x.1.1[1]", "2.5"),
    ("[[1, 2], [3, 4]]", "x[1][0]", "3"),
    ("Some(\"5\".parse::<i32>())", "x.is_some()", "true"),
    ("\"x\".parse::<i32>().unwrap_err()", "x.to_string()", "\"invalid digit found in string\""),
    ("ndarray::array![[1.0, 2.0], [3.0, 4.0]]", "x.sum()", "10.0"),
    ("ndarray::Array::<f32, _>::zeros(ndarray::IxDyn(&[2, 3]))", "x.len()", "6"),
    ("&raw const *Box::leak(Box::new(7_u8))", "unsafe { *x }", "7"),
    ("std::ptr::NonNull::<u8>::dangling()", "x.as_ptr() as usize", "1"),
    ("std::marker::PhantomData::<fn(i32) -> u8>", "size_of_val(&x)", "0"),
    ("std::rc::Rc::new(std::cell::RefCell::new(vec![1]))", "x.borrow().len()", "1"),
    ("std::sync::Arc::new(std::sync::Mutex::new(3))", "*x.lock().unwrap()", "3"),
    ("\"text\"", "x.len()", "4"),
    ("b\"bytes\"", "x.len()", "5"),
    ("c\"c\"", "x.to_bytes().len()", "1"),
    ("std::borrow::Cow::Borrowed(\"cow\")", "x.len()", "3"),
    ("Some(std::process::id as fn() -> u32)", "x.unwrap()() > 0", "true"),
    ("std::sync::OnceLock::<i32>::new()", "*x.get_or_init(|| 4)", "4"),
    ("std::sync::mpsc::channel::<i32>()", "{ x.0.send(5).unwrap(); x.1.recv().unwrap() }", "5"),
    ("std::time::Instant::now()", "x.elapsed().as_secs() < 60", "true"),
    ("std::num::NonZeroU32::MIN", "x.get()", "1"),
    ("std::num::Wrapping(255_u8)", "(x + std::num::Wrapping(1)).0", "0"),
    ("std::io::Cursor::new(vec![1, 2])", "x.position()", "0"),
    ("std::any::TypeId::of::<i32>()", "x == std::any::TypeId::of::<i32>()", "true"),
    ("std::ops::ControlFlow::<i32, u8>::Break(1)", "x.is_break()", "true"),
    (
        "Box::new(std::fmt::Error) as Box<dyn std::error::Error + Send + Sync>",
        "x.to_string().len() > 0",
        "true",
    ),
    ("zeros::<f32>((2, 3))", "x.shape().to_vec()", "[2, 3]"),
    ("vec![ones::<i64>(2)]", "x[0].sum().item()", "2"),
    ("f16::from_f32(1.5)", "x.to_f32()", "1.5"),
    ("Complex32::new(1.0, 2.0)", "x.im", "2.0"),
    // No name can be written for these; a box that does the same is kept.
    ("|a: i32| a + 1", "x(2)", "3"),
    ("{ let n = String::from(\"n\"); move |s: &str| format!(\"{n}{s}\") }", "x(\"m\")", "\"nm\""),
    ("[|a: i32| a, |a: i32| a * 2]", "x[1](4)", "8"),
    ("(0..5).map(|i| i * i)", "x.sum::<i32>()", "30"),
    ("vec![3, 4, 5].into_iter().filter(|i| i % 2 == 1)", "x.collect::<Vec<i32>>()", "[3, 5]"),
    // The box can do what they can.
    (
        "(0..5).map(|i| i * i)",
        "(x.len(), x.clone().rev().next(), x.clone().sum::<i32>())",
        "(5, Some(16), 30)",
    ),
    ("(0..5).map(f64::from)", "x.clone().rev().len()", "5"),
    ("std::iter::successors(Some(1), |x| Some(x * 2))", "x.clone().nth(3)", "Some(8)"),
    (
        "{ let own = std::sync::Mutex::new(1); (0..3).map(move |i| i + *own.lock().unwrap()) }",
        "x.rev().len()",
        "3",
    ),
    ("\"a b\".split(char::is_whitespace)", "x.clone().rev().count()", "2"),
    ("i32::abs", "x(-4)", "4"),
    ("str::len", "x(\"four\")", "4"),
    ("Some::<i32>", "x(1)", "Some(1)"),
    ("async { 5 }", "x.await", "5"),
    ("Box::pin(async { \"pinned\" })", "x.await", "\"pinned\""),
];

#[test]
fn values_are_there_in_the_next_cell() {
    let mut cells = Conversation::start();
    for (expression, next, shown) in CASES {
        cells.ok(&format!("let x = {expression};"));
        let kept = cells.session().variables().iter().any(|variable| variable.name == "x");
        assert!(kept, "{expression}: {}", cells.noted());
        cells.shows(next, shown);
    }
}

#[test]
fn values_of_users_types_are_there() {
    let mut cells = Conversation::start();
    cells.ok("struct Borrowed<'a, T: ?Sized>(&'a T);\n\
         struct Defaulted<A, B = u8>(A, std::marker::PhantomData<B>);\n\
         union Bits { f: f32, u: u32 }\n\
         trait Shape<'a, T> { fn get(&self) -> T; }\n\
         impl<'a> Shape<'a, i32> for u8 { fn get(&self) -> i32 { *self as i32 } }\n\
         type Pair<T> = (T, T);\n\
         fn adder(n: i32) -> impl Fn(i32) -> i32 { move |x| x + n }");
    cells.ok("let a = Borrowed(\"text\"); let b: Defaulted<i32> = Defaulted(1, std::marker::PhantomData); let c = Bits { f: 1.0 };");
    cells.ok(
        "let d: Box<dyn Shape<'static, i32>> = Box::new(7_u8); let e: Pair<i32> = (1, 2); let f = adder(10);",
    );
    cells.shows("(a.0.len(), b.0, unsafe { c.u }, d.get(), e.1, f(1))", "(4, 1, 1065353216, 7, 2, 11)");
}

#[test]
fn what_has_no_name_at_all_stays_in_its_cell_with_advice() {
    let mut cells = Conversation::start();
    for source in ["let x = vec![|a: i32| a];", "let x = { struct Local; Local };"] {
        cells.ok(source);
        assert!(cells.noted().contains('x'), "{source}: {}", cells.noted());
        cells.fails("let _ = &x;");
    }
}

#[test]
fn a_type_that_cannot_be_written_is_said_to_be_lost() {
    let mut cells = Conversation::start();
    cells.ok("mod m { mod p { #[derive(Debug)] pub struct Priv(pub u8); } pub use p::Priv; }");
    cells.ok("let x = m::Priv(1);");
    // Its path leads through a private module.
    cells.fails_with("x", "module `p` is private");
}

#[test]
fn a_type_of_elements_may_stand_where_types_do() {
    let mut cells = Conversation::start();
    cells
        .ok("let a = gpu![1i32, 2]; fn halves(a: &GpuArray<i32>) -> GpuArray<f64> { a.astype::<f64>() / 2 }");
    cells.shows("a.astype::<f64>() / 4", "array([0.25, 0.5 ], dtype=float64)");
    // As an item of an earlier cell, in a macro, and beside a text that says so.
    cells.shows("halves(&a)", "array([0.5, 1. ], dtype=float64)");
    cells.prints("println!(\"{} .astype::<f64>()\", a.astype::<f32>().itemsize())", "4 .astype::<f64>()\n");
    cells.fails_with("a.astype::<float>()", "float");
    // A method of the user's own is not touched.
    cells.ok("struct Own; impl Own { fn astype<T: Default>(&self) -> T { T::default() } }");
    cells.shows("Own.astype::<f64>()", "0.0");
}
