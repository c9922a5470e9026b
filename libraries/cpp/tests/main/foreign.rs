//! Headers, files and libraries of others; what is kept on disk.

use std::process::Command;

use super::*;

/// A program that a test runs again by itself, with other variables of the environment.
fn child(test: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    said
}

#[test]
fn a_folder_of_headers_and_a_library_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("include")).unwrap();
    std::fs::create_dir(at("lib")).unwrap();
    std::fs::write(at("include/example.hpp"), "#pragma once\nnamespace example { int calls(); template <class T> T inc(T x) { calls(); return x + 1; } }\n").unwrap();
    std::fs::write(
        at("example.cpp"),
        "#include \"example.hpp\"\nint example::calls() { static int n; return ++n; }\n",
    )
    .unwrap();
    let status = Command::new("g++")
        .args(["-shared", "-fPIC", "-o"])
        .arg(at("lib/libexample.so"))
        .arg(at("example.cpp"))
        .arg("-I")
        .arg(at("include"))
        .status()
        .unwrap();
    assert!(status.success());
    let text = "#include <example.hpp>\nint calls() { return example::calls(); }\n";
    let module = CppModule::builder(text)
        .include_dir(at("include"))
        .library_dir(at("lib"))
        .link("example")
        .compile()
        .unwrap();
    assert_eq!(module.call::<i32>("calls", ()).unwrap(), 1);
    // A template of the header, which calls the library.
    assert_eq!(module.call::<f64>("example::inc", 1.5).unwrap(), 2.5);
    assert_eq!(module.call::<i32>("example::calls", ()).unwrap(), 3);
    // Without the library a function is missing, and without its folder the library.
    let found = words(CppModule::builder(text).include_dir(at("include")).compile());
    assert!(
        found.contains("undefined reference to `example::calls()`") && found.contains(".link("),
        "{found}"
    );
    let found = words(CppModule::builder(text).include_dir(at("include")).link("example").compile());
    assert!(found.contains(".library_dir(folder)"), "{found}");
    // The library's source instead.
    let whole =
        CppModule::builder(text).include_dir(at("include")).file(at("example.cpp")).compile().unwrap();
    assert_eq!(whole.call::<i32>("calls", ()).unwrap(), 1);
    assert_eq!(whole.call::<i32>("example::inc", 1).unwrap(), 2);
    assert_eq!(whole.call::<i32>("calls", ()).unwrap(), 3);
    assert!(words(CppModule::builder(text).file(at("nowhere.cpp")).compile()).contains("nowhere.cpp"));
}

#[test]
fn a_file_finds_what_lies_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("part.hpp"), "#define VALUE 41\n").unwrap();
    let path = folder.path().join("whole.cpp");
    std::fs::write(&path, "#include \"part.hpp\"\nint value() { return VALUE + 1; }\n").unwrap();
    assert_eq!(CppModule::from_file(&path).unwrap().call::<i32>("value", ()).unwrap(), 42);
    // What a header has is a part of the text.
    std::fs::write(folder.path().join("part.hpp"), "#define VALUE 5\n").unwrap();
    assert_eq!(CppModule::from_file(&path).unwrap().call::<i32>("value", ()).unwrap(), 6);
    std::fs::write(&path, "int value() {\n    return nothing;\n}\n").unwrap();
    assert!(words(CppModule::from_file(&path)).contains("whole.cpp line 2"));
    assert!(words(CppModule::from_file(folder.path().join("none.cpp"))).starts_with("read the C++ module"));
}

#[test]
fn options_reach_the_compiler() {
    let module = CppModule::builder(
        "#ifndef N\n#error no N\n#endif\nint n() { return N; }\nlong version() { return __cplusplus; }",
    )
    .option("-DN=12")
    .option("-std=c++20")
    .compile()
    .unwrap();
    assert_eq!(module.call::<i32>("n", ()).unwrap(), 12);
    assert!(module.call::<i64>("version", ()).unwrap() > 201_703);
    assert!(words(CppModule::builder("").option("-fno-such-option").compile()).contains("-fno-such-option"));
}

#[test]
fn classes_with_expression_templates_work() {
    let module = module(
        "#include <cstddef>
         #include <vector>
         template <class E> struct Expr { const E &self() const { return static_cast<const E &>(*this); } };
         template <class A, class B> struct Sum : Expr<Sum<A, B>> {
             const A &a; const B &b;
             Sum(const A &a, const B &b) : a(a), b(b) {}
             auto operator[](std::size_t i) const { return a[i] + b[i]; }
             std::size_t size() const { return a.size(); }
         };
         template <class T> struct Map : Expr<Map<T>> {
             const T *x; std::size_t n;
             Map(const T *x, std::size_t n) : x(x), n(n) {}
             T operator[](std::size_t i) const { return x[i]; }
             std::size_t size() const { return n; }
         };
         template <class A, class B> Sum<A, B> operator+(const Expr<A> &a, const Expr<B> &b) { return {a.self(), b.self()}; }
         template <class T> T total(const T *x, const T *y, std::size_t n) {
             Map<T> a(x, n), b(y, n);
             auto sum = a + b;
             T s = 0;
             for (std::size_t i = 0; i < sum.size(); ++i) s += sum[i];
             return s;
         }",
    );
    assert_eq!(module.call::<f64>("total", (&[1.0, 2.0], &[3.0, 4.0], 2_usize)).unwrap(), 10.0);
    assert_eq!(module.call::<i32>("total", (&[1, 2], &[3, 4], 2_usize)).unwrap(), 10);
}

#[test]
fn what_was_compiled_is_kept_on_disk() {
    let cache = tempfile::tempdir().unwrap();
    let folder = cache.path().to_str().unwrap();
    child("foreign::calls_once", &[("GPUREPL_CACHE_DIR", folder), ("EXPECTED_VALUE", "1")]);
    let files = || {
        std::fs::read_dir(cache.path().join("kernels"))
            .unwrap()
            .flatten()
            .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
            .count()
    };
    let kept = files();
    assert_eq!(kept, 2, "a module, and a call");
    // Nothing is compiled: a compiler that always fails has another key, so it must not be asked for.
    child("foreign::calls_once", &[("GPUREPL_CACHE_DIR", folder), ("EXPECTED_VALUE", "1")]);
    assert_eq!(files(), kept);
    // Another text is another module.
    child("foreign::calls_once", &[("GPUREPL_CACHE_DIR", folder), ("EXPECTED_VALUE", "2")]);
    assert_eq!(files(), 2 * kept);
}

#[test]
#[ignore = "run by another test"]
fn calls_once() {
    let value = std::env::var("EXPECTED_VALUE").unwrap();
    let module = CppModule::new(&format!("int value() {{ return {value}; }}")).unwrap();
    assert_eq!(module.call::<i32>("value", ()).unwrap().to_string(), value);
}

#[test]
fn a_missing_compiler_is_named() {
    child("foreign::has_no_compiler", &[("CXX", "/nonexistent/c++"), ("GPUREPL_CACHE_DIR", "")]);
}

#[test]
#[ignore = "run by another test"]
fn has_no_compiler() {
    let error = CppModule::new("int f();").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    let found = error.to_string();
    assert!(
        found.starts_with("the C++ compiler that CXX names was not found: `/nonexistent/c++`"),
        "{found}"
    );
}

#[test]
fn what_is_printed_is_written_out() {
    let said = child("foreign::prints", &[]);
    let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("{text} in {said}"));
    assert!(
        at("before") < at("by printf") && at("by printf") < at("by cout") && at("by cout") < at("after"),
        "{said}"
    );
}

#[test]
#[ignore = "run by another test"]
fn prints() {
    use std::io::Write as _;
    let module = CppModule::new(
        "#include <cstdio>\n#include <iostream>\nvoid say() { std::ios::sync_with_stdio(false); std::printf(\"by printf\"); std::fflush(stdout); std::cout << \" by cout\"; }",
    )
    .unwrap();
    // Not by `print!`, which the test harness may gather.
    std::io::stdout().write_all(b"before ").unwrap();
    module.call::<()>("say", ()).unwrap();
    std::io::stdout().write_all(b" after\n").unwrap();
}

#[test]
fn one_text_for_device_memory_works_on_either_device() {
    let text = "
#ifdef __CUDACC__
__global__ void scale_kernel(float *x, int n, float by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= by; }
void scale(float *x, int n, float by) { scale_kernel<<<(n + 255) / 256, 256>>>(x, n, by); }
template <class T> __global__ void add_kernel(T *x, int n, T by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += by; }
template <class T> void add(T *x, int n, T by) { add_kernel<<<(n + 255) / 256, 256>>>(x, n, by); }
#else
void scale(float *x, int n, float by) { for (int i = 0; i < n; ++i) x[i] *= by; }
template <class T> void add(T *x, int n, T by) { for (int i = 0; i < n; ++i) x[i] += by; }
#endif
";
    let module = match CppModule::builder(text).cuda(true).compile() {
        Err(error) if error.kind() == ErrorKind::Missing => return ignored::ignored("needs nvcc"),
        module => module.unwrap(),
    };
    let mut x = arange(0.0_f32..1000.0);
    let before = &x + 1.0;
    module.call::<()>("scale", (&mut x, 1000, 2.0_f32)).unwrap();
    module.call::<()>("add", (&mut x, 1000, 1.0_f32)).unwrap();
    assert!(array_equal(&x, arange(0.0_f32..1000.0) * 2.0 + 1.0));
    assert!(array_equal(&before, arange(1.0_f32..1001.0)));
    let mut whole = zeros::<i32>(1000);
    module.call::<()>("add", (&mut whole, 1000, 3)).unwrap();
    assert_eq!(whole.sum().item(), 3000);
}
