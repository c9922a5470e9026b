//! What is wrong is named, with both sides.

use super::*;

const SUM: &str = "#include <cstddef>
namespace example {
double sum(const double *x, std::size_t n) {
    return n ? x[0] + sum(x + 1, n - 1) : 0;
}
float sum(const float *x, std::size_t n) {
    return n ? x[0] + sum(x + 1, n - 1) : 0;
}
}
using example::sum;
int add(int a, int b) { return a + b; }
float half(float x) { return x / 2; }
double real(double x) { return x; }
";

#[test]
fn types_that_a_function_does_not_take_are_an_error_with_candidates() {
    let module = module(SUM);
    let found = words(module.call::<f64>("sum", (&[1, 2], 2_usize)));
    assert!(found.starts_with("sum: no matching function for (const i32*, usize); candidates:\n"), "{found}");
    assert!(found.contains("\n    double example::sum(const double*, std::size_t)"), "{found}");
    assert!(found.contains("\n    float example::sum(const float*, std::size_t)"), "{found}");
    assert!(found.contains("astype") && !found.contains("gpurepl_"), "{found}");
    let found = words(module.call::<i32>("add", (1,)));
    assert!(
        found.starts_with("add: no matching function for (i32); candidates:\n    int add(int, int)"),
        "{found}"
    );
    let found = words(module.call::<i32>("add", (1, 2, 3)));
    assert!(
        found
            .starts_with("add: no matching function for (i32, i32, i32); candidates:\n    int add(int, int)"),
        "{found}"
    );
    let found = words(module.call::<i32>("add", ("one", 2)));
    assert!(
        found.starts_with("add: no matching function for (&str, i32); candidates:\n    int add(int, int)"),
        "{found}"
    );
    let mut x = [1.0];
    assert_eq!(module.call::<f64>("sum", (&mut x, 1_usize)).unwrap(), 1.0);
    let found = module.call::<f64>("sum", (&[1, 2], 2_usize)).unwrap_err();
    assert_eq!(found.kind(), ErrorKind::Argument);
}

#[test]
fn a_written_array_is_needed_where_it_is_written() {
    let module = module("void zero(double *x, int n) { while (n--) x[n] = 0; }");
    let found = words(module.call::<()>("zero", (&[1.0], 1)));
    assert!(
        found.starts_with(
            "zero: no matching function for (const f64*, i32); candidates:\n    void zero(double*, int)"
        ),
        "{found}"
    );
    assert!(found.contains("&mut x"), "{found}");
}

#[test]
fn a_function_that_is_missing_is_named_with_its_neighbours() {
    let module = module(SUM);
    let found = words(module.call::<f64>("sun", (&[1.0], 1_usize)));
    assert!(
        found.starts_with("sun: the C++ module has no function of this name\n  = help: did you mean `sum`?"),
        "{found}"
    );
    let found = words(module.call::<f64>("other::sum", (&[1.0], 1_usize)));
    assert!(found.starts_with("other::sum: the C++ module has no such function: a namespace"), "{found}");
    let found = words(module.call::<f64>("example::sums", (&[1.0], 1_usize)));
    assert!(found.contains("did you mean `example::sum`?"), "{found}");
    let found = words(module.call::<f64>("frobnicate", ()));
    assert!(found.contains("the text has `sum`, `add`, `half`, `real`"), "{found}");
}

#[test]
fn a_result_is_not_narrowed() {
    let module = module(SUM);
    let found = words(module.call::<i32>("real", 1.0));
    assert!(found.starts_with("real: the function returns `double`, which cannot be asked for as i32\n  = help: ask for f64: `call::<f64>(\"real\", ..)`"), "{found}");
    let found = words(module.call::<f32>("real", 1.0));
    assert!(found.contains("returns `double`, which cannot be asked for as f32"), "{found}");
    let found = words(module.call::<u32>("add", (1, 2)));
    assert!(found.contains("returns `int`, which cannot be asked for as u32"), "{found}");
    let found = words(module.call::<String>("add", (1, 2)));
    assert!(found.contains("returns `int`, which cannot be asked for as String"), "{found}");
    let found = words(CppModule::new("void none() {}").unwrap().call::<f64>("none", ()));
    assert!(
        found.starts_with("none: the function returns `void`") && found.contains("ask for nothing"),
        "{found}"
    );
    let found =
        words(CppModule::new("struct A {};\nA make() { return {}; }").unwrap().call::<f64>("make", ()));
    assert!(found.contains("returns `A`") && found.contains("make a number"), "{found}");
}

#[test]
fn a_number_that_a_parameter_cannot_hold_is_an_error() {
    let module = module(
        "int same(int n) { return n; }
         unsigned char byte(unsigned char n) { return n; }
         std::size_t size(std::size_t n) { return n; }
         float real(float x) { return x; }
         double wide(double x) { return x; }"
            .replacen("int", "#include <cstddef>\nint", 1)
            .as_str(),
    );
    assert_eq!(module.call::<i32>("same", 5_usize).unwrap(), 5);
    let found = words(module.call::<i32>("same", 1_usize << 40));
    assert_eq!(found, "same: argument 1 is a number that the function's `int` cannot hold");
    assert!(module.call::<i32>("same", u32::MAX).is_err());
    assert_eq!(module.call::<u8>("byte", 255).unwrap(), 255);
    assert!(module.call::<u8>("byte", 256).is_err() && module.call::<u8>("byte", -1).is_err());
    assert_eq!(module.call::<usize>("size", 3).unwrap(), 3);
    assert!(words(module.call::<usize>("size", -3)).contains("cannot hold"));
    let found = words(module.call::<i32>("same", 2.5));
    assert!(
        found.starts_with(
            "same: argument 1 is f64, and the function takes `int`, which would drop its fraction"
        ),
        "{found}"
    );
    // Rounded, as in C++.
    assert_eq!(module.call::<f32>("real", 0.1).unwrap(), 0.1_f32);
    assert_eq!(module.call::<f64>("wide", 3).unwrap(), 3.0);
    assert_eq!(module.call::<f32>("real", 1 << 24).unwrap(), 16_777_216.0);
    assert!(module.call::<f32>("real", (1 << 24) + 1).is_err());
}

#[test]
fn mistakes_in_the_text_are_on_its_lines() {
    let error = CppModule::new("int f() {\n    return missing;\n}\n").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Compile);
    let found = error.to_string();
    assert!(found.starts_with("C++ module does not compile"), "{found}");
    assert!(found.contains("module.cpp line 2") && found.contains("return missing;"), "{found}");
    let error = CppModule::new("#include <no_such_header.hpp>\n").unwrap_err().to_string();
    assert!(error.contains(".include_dir(folder)"), "{error}");
    // A template's mistake comes with the call that has it compiled.
    let module = module("template <class T> T size(T x) {\n    return x.size();\n}\n");
    let found = words(module.call::<f64>("size", 1.0));
    assert!(found.contains("module.cpp line 2"), "{found}");
    let found = words(CppModule::new("int g();\nint f() {\n    return g();\n}\n"));
    assert!(
        found.contains("undefined reference to `g()`")
            && found.contains("line 3")
            && found.contains(".link("),
        "{found}"
    );
}

#[test]
fn exceptions_become_errors() {
    let module = module(
        "#include <stdexcept>
         #include <vector>
         struct Problem : std::exception { const char *what() const noexcept override { return \"of a kind\"; } };
         void fail(int how) {
             switch (how) {
             case 0: throw std::runtime_error(\"no luck\");
             case 1: throw Problem();
             case 2: throw \"a text\";
             case 3: throw 42;
             case 4: std::vector<int>(3).at(7);
             }
         }
         template <class T> T reject(T x) { throw std::invalid_argument(\"not this\"); return x; }",
    );
    let fail = |how: i32| words(module.call::<()>("fail", how));
    assert_eq!(fail(0), "fail: the C++ code threw std::runtime_error: no luck");
    assert_eq!(fail(1), "fail: the C++ code threw Problem: of a kind");
    assert_eq!(fail(2), "fail: the C++ code threw an exception: a text");
    assert_eq!(fail(3), "fail: the C++ code threw something that is no std::exception");
    assert!(fail(4).starts_with("fail: the C++ code threw std::out_of_range: vector"), "{}", fail(4));
    module.call::<()>("fail", 5).unwrap();
    assert_eq!(
        words(module.call::<f64>("reject", 1.0)),
        "reject: the C++ code threw std::invalid_argument: not this"
    );
    let error = module.call::<()>("fail", 0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Launch);
}

#[test]
fn views_are_refused_by_name() {
    if !is_on_host() {
        return ignored::ignored(ignored::NEEDS_HOST);
    }
    let module = module("double first(const double *x) { return x[0]; } void zero(double *x) { x[0] = 0; }");
    let x = arange(0.0..12.0).reshape((3, 4));
    let found = words(module.call::<f64>("first", &x.t()));
    assert!(
        found.starts_with("first: argument 1 is a view of shape [4, 3]")
            && found.contains("&x.ascontiguousarray()"),
        "{found}"
    );
    assert_eq!(module.call::<f64>("first", &x.t().ascontiguousarray()).unwrap(), 0.0);
    assert_eq!(module.call::<f64>("first", &x.slice(1)).unwrap(), 4.0);
    let mut column = x.slice(s![.., 1]);
    let found = words(module.call::<()>("zero", &mut column));
    assert!(found.contains("x.assign(&y)"), "{found}");
}

#[test]
fn a_call_is_not_recorded_in_a_graph() {
    let module = module("double first(const double *x) { return x[0]; }");
    let x = [1.0];
    let found = words(Graph::capture(|| module.call::<f64>("first", &x).map(drop)));
    assert!(found.contains("a graph is being captured"), "{found}");
    assert_eq!(module.call::<f64>("first", &x).unwrap(), 1.0);
}

#[test]
fn arrays_on_a_gpu_need_a_module_for_them() {
    if is_on_host() {
        return ignored::ignored(ignored::NEEDS_GPU);
    }
    let module = module("double first(const double *x) { return x[0]; }");
    let found = words(module.call::<f64>("first", &ones::<f64>(3)));
    assert!(
        found.starts_with("first: argument 1 is an array on ") && found.contains(".cuda(true)"),
        "{found}"
    );
}
