//! C++ and shared libraries from cells: what is kept, printed and shown.

use gpurepl_session::Outcome;
use gpurepl_tests::{Conversation, is_on_host};

/// The text of the walkthrough on PyCUDA and SWIG, whose functions are templates.
const SUM: &str = r##"let text = r#"
#include <cstddef>
namespace example {
template <typename T> T sum(const T *x, std::size_t n) {
    T total = 0;
    for (std::size_t i = 0; i < n; ++i) total += x[i];
    return total;
}
double sum_float(const float *x, std::size_t n) { double s = 0; while (n--) s += x[n]; return s; }
int only(const double *) { return 1; }
}
"#;"##;

#[test]
fn the_walkthroughs_sum_is_the_same_for_both_types() {
    let mut cells = Conversation::start();
    cells.ok(SUM);
    cells.ok("let module = CppModule::new(text)?; let x = arange(0.0..53735.0);");
    let given = if is_on_host() { "&x" } else { "&x.to_vec()" };
    cells.shows(&format!("module.call::<f64>(\"example::sum\", ({given}, x.len()))?"), "1443698245.0");
    cells.ok("let y = x.astype(f32).to_vec();");
    cells.shows("module.call::<f64>(\"example::sum_float\", (&y, y.len()))?", "1443698245.0");
    cells.fails_with(
        "module.call::<i32>(\"example::only\", (&[1, 2],))?;",
        "example::only: no matching function for (const i32*); candidates:",
    );
    assert!(cells.rendered().contains("int example::only(const double*)"), "{}", cells.rendered());
    // A function is kept in a variable, and in a later cell.
    cells.ok("let sum = module.function(\"example::sum\")?;");
    cells.shows("sum.call::<i64>((&vec![1_i64, 2, 3], 3_usize))?", "6");
    cells.shows("module", "CppModule(module.cpp, 11 lines)");
    if !is_on_host() {
        cells.fails_with("module.call::<f64>(\"example::sum\", (&x, x.len()))?;", ".cuda(true)");
    }
}

#[test]
fn a_mistake_in_the_text_is_shown_on_the_users_line() {
    let mut cells = Conversation::start();
    cells.fails_with(
        "CppModule::new(r#\"\nint f() {\n    return missing;\n}\n\"#)?;",
        "'missing' was not declared",
    );
    let said = cells.rendered();
    assert!(
        said.contains("return missing;")
            && said.contains("module.cpp line 3")
            && said.contains("cell 1:3:12"),
        "{said}"
    );
    // In a template, at the call that has it compiled.
    cells
        .ok("let module = CppModule::new(\"template <class T> T size(T x) {\\n  return x.length();\\n}\")?;");
    cells.fails_with("module.call::<f64>(\"size\", 1.0)?;", "length");
    let said = cells.rendered();
    assert!(said.contains("return x.length();"), "{said}");
    cells.shows(
        "module.call::<i32>(\"sizes\", 1).unwrap_err().to_string().contains(\"did you mean `size`\")",
        "true",
    );
}

#[test]
fn what_cpp_prints_is_in_the_order_of_the_cell() {
    let mut cells = Conversation::start();
    cells.ok(
        "let module = CppModule::new(\"#include <cstdio>\\n#include <iostream>\\nvoid say(int k) { std::cout << \\\"cout \\\" << k << '\\\\n'; std::printf(\\\"printf %d, \\\", k); }\")?;",
    );
    cells.prints(
        "println!(\"one\"); module.call::<()>(\"say\", 1)?; print!(\"two \"); module.call::<()>(\"say\", 2)?; println!(\"three\");",
        "one\ncout 1\nprintf 1, two cout 2\nprintf 2, three\n",
    );
}

#[test]
fn a_segmentation_fault_costs_one_cell() {
    let mut cells = Conversation::start();
    cells.ok("let n = 5; let module = CppModule::new(\"int crash(int *x) { *x = 1; return 0; }\")?;");
    let outcome = cells.run("module.call::<i32>(\"crash\", std::ptr::null_mut::<std::ffi::c_void>())?;");
    assert!(matches!(outcome, Outcome::Lost(_)), "{outcome:?}");
    cells.shows("n + 1", "6");
}

#[test]
fn a_declared_library_is_called_by_later_cells() {
    let mut cells = Conversation::start();
    cells.ok(
        "library! {\n    // SAFETY: `math.h` declares them so.\n    unsafe math: \"libm.so.6\" {\n        fn hypot(x: f64, y: f64) -> f64;\n        fn frexp(x: f64, exponent: &mut i32) -> f64;\n    }\n}",
    );
    cells.shows("math::hypot(3.0, 4.0)?", "5.0");
    cells.ok("let mut exponent = 0; let part = math::frexp(12.0, &mut exponent)?;");
    cells.shows("(part, exponent)", "(0.75, 4)");
    // A function of the user's reaches it, and a declaration can be replaced.
    cells.ok("fn length(x: f64, y: f64) -> Result<f64> { math::hypot(x, y) }");
    cells.shows("length(6.0, 8.0)?", "10.0");
    cells.ok("library! { unsafe text: \"libc.so.6\" { fn strlen(text: &str) -> usize; } }");
    cells.shows("(text::strlen(\"four\")?, math::hypot(0.0, 1.0)?)", "(4, 1.0)");
    cells.ok("library! { unsafe math: \"libm.so.6\" { fn fmax(x: f64, y: f64) -> f64; } }");
    cells.shows("math::fmax(2.0, 3.0)?", "3.0");
    cells.ok("library! { unsafe nothing: \"libnothing_of_this_name.so\" { fn f(); } }");
    cells.fails_with("nothing::f()?;", "the library libnothing_of_this_name.so was not found");
}

#[test]
fn a_shared_library_is_called_by_prototypes() {
    let mut cells = Conversation::start();
    cells.ok("let math = SharedLibrary::open(\"libm.so.6\")?; let cos = unsafe { math.function(\"double cos(double x)\") }?;");
    cells.shows("cos.call::<f64>(0.0)?", "1.0");
    cells.shows("cos", "double cos(double)");
    cells.fails_with(
        "cos.call::<f64>(&zeros::<f32>(3))?;",
        "cos: argument 1 is `double`, given an array of f32",
    );
    cells.fails_with("SharedLibrary::open(\"libnothing_of_this_name.so\")?;", "was not found");
}

#[test]
fn a_pointer_to_an_object_is_kept_in_a_variable() {
    let mut cells = Conversation::start();
    cells.ok("let module = CppModule::new(\"class Counter { int n = 0; public: int next() { return ++n; } };\\nCounter *create() { return new Counter; }\\nint next(Counter *c) { return c->next(); }\")?;");
    cells.ok("let counter = module.call::<*mut std::ffi::c_void>(\"create\", ())?;");
    cells.shows("module.call::<i32>(\"next\", counter)?", "1");
    cells.shows("module.call::<i32>(\"next\", counter)?", "2");
}

#[test]
fn a_long_compilation_is_interrupted() {
    let mut cells = Conversation::start();
    // A template that takes minutes.
    let text = "template <int N> struct F { static constexpr unsigned long value = F<N - 1>::value + F<N - 2>::value; };\\ntemplate <> struct F<0> { static constexpr unsigned long value = 0; };\\ntemplate <> struct F<1> { static constexpr unsigned long value = 1; };\\nconstexpr unsigned long slow(int n) { return n < 2 ? n : slow(n - 1) + slow(n - 2); }\\nstatic_assert(slow(60) > 0);";
    let source = format!(
        "println!(\"begins\"); CppModule::builder(\"{text}\").option(\"-fconstexpr-ops-limit=2000000000000\").option(\"-fconstexpr-loop-limit=2000000000\").compile()?;"
    );
    let (outcome, _) = cells.interrupted(&source, &[std::time::Duration::from_millis(300)]);
    assert_eq!(outcome, Outcome::Interrupted, "{}", cells.rendered());
    cells.shows("1 + 1", "2");
}
