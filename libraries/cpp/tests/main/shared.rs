//! Functions of libraries that are compiled already.

use std::path::PathBuf;
use std::process::Command;

use super::*;

const EXAMPLE: &str = "
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
double sum_double(const double *values, size_t size) { double s = 0; while (size--) s += values[size]; return s; }
void scale(float *values, size_t size, float factor) { while (size--) values[size] *= factor; }
int add(int a, int b) { return a + b; }
unsigned char byte(unsigned char b) { return b; }
bool is_odd(long n) { return n % 2; }
const char *name(int k) { return k ? \"example\" : NULL; }
size_t length(const char *text) { size_t n = 0; while (text[n]) ++n; return n; }
int *counter(void) { static int n; ++n; return &n; }
int count(const int *counter) { return *counter; }
double *first(double *x) { return x; }
void say(const char *text) { printf(\"%s\", text); }
";

/// A library that is compiled for a test, in a folder of its own.
fn example() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("example.c"), folder.path().join("libexample.so"));
    std::fs::write(&source, EXAMPLE).unwrap();
    let status =
        Command::new("g++").args(["-x", "c", "-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(status.unwrap().success());
    (folder, library)
}

#[test]
fn functions_of_the_mathematical_library_are_called() {
    let math = SharedLibrary::open("libm.so.6").unwrap();
    // SAFETY: `math.h` declares them so.
    let (cos, frexp) = unsafe {
        (math.function("double cos(double x)"), math.function("double frexp(double x, int *exponent);"))
    };
    let (cos, frexp) = (cos.unwrap(), frexp.unwrap());
    assert_eq!(cos.call::<f64>((0.0,)).unwrap(), 1.0);
    assert_eq!(cos.call::<f64>(0).unwrap(), 1.0);
    assert_eq!(cos.call::<f64>(0.5_f32).unwrap(), 0.5_f64.cos());
    let mut exponent = 0_i32;
    assert_eq!(frexp.call::<f64>((12.0, &mut exponent)).unwrap(), 0.75);
    assert_eq!(exponent, 4);
    assert_eq!(format!("{cos:?} {math:?}"), "double cos(double) SharedLibrary(libm.so.6)");
    assert!(math.has("sin") && !math.has("no_such"));
}

#[test]
fn a_prototype_is_checked_at_the_call() {
    let math = SharedLibrary::open("libm.so.6").unwrap();
    // SAFETY: `math.h` declares it so.
    let cos = unsafe { math.function("double cos(double x)") }.unwrap();
    let x = ones::<f32>(3);
    let found = words(cos.call::<f64>(&x));
    assert!(found.starts_with("cos: argument 1 is `double`, given an array of f32"), "{found}");
    assert!(
        words(cos.call::<f64>((1.0, 2.0)))
            .starts_with("cos: the prototype has 1 arguments, 2 are given: `double cos(double)`")
    );
    assert!(words(cos.call::<f64>("one")).starts_with("cos: argument 1 is `double`, given a text"));
    assert!(words(cos.call::<f64>(true)).starts_with("cos: argument 1 is `double`, given bool"));
    assert!(
        words(cos.call::<f32>(1.0))
            .starts_with("cos: the function returns `double`, which cannot be asked for as f32")
    );
    assert!(words(cos.call::<String>(1.0)).contains("ask for f64"));
    cos.call::<()>(1.0).unwrap();
    // SAFETY: refused before anything is called.
    let missing = unsafe { math.function("double cosine(double x)") };
    assert!(words(missing).starts_with("cosine: libm.so.6 has no function of this name"));
}

#[test]
fn a_library_of_the_users_takes_arrays_texts_and_numbers() {
    let (_folder, path) = example();
    let library = SharedLibrary::open(&path).unwrap();
    let function = |prototype: &str| {
        // SAFETY: each prototype is that of `EXAMPLE`.
        unsafe { library.function(prototype) }.unwrap()
    };
    let sum = function("double sum_double(const double *values, size_t size)");
    assert_eq!(sum.call::<f64>((&[1.0, 2.0, 3.5], 3)).unwrap(), 6.5);
    assert!(
        words(sum.call::<f64>((&[1.0], -1))).starts_with(
            "sum_double: argument 2 is a number of i32 that the function's `size_t` cannot hold"
        )
    );
    assert!(
        words(sum.call::<f64>((&[1.0_f32], 1)))
            .contains("argument 1 is `const double *`, given a slice of f32")
    );
    let scale = function("void scale(float *values, size_t size, float factor)");
    let mut values = vec![1.0_f32, 2.0];
    scale.call::<()>((&mut values, 2, 2.5)).unwrap();
    assert_eq!(values, [2.5, 5.0]);
    let found = words(scale.call::<()>((&values, 2, 2.5)));
    assert!(
        found.contains("argument 1 is `float *`, given a slice of f32, to be read")
            && found.contains("&mut x"),
        "{found}"
    );
    let add = function("int add(int, int)");
    assert_eq!((add.call::<i32>((1, 2_u8)).unwrap(), add.call::<i64>((1, 2)).unwrap()), (3, 3));
    assert!(words(add.call::<i32>((1, 2.0))).contains("argument 2 is `int`, given f64"));
    assert!(words(add.call::<u32>((1, 2))).contains("cannot be asked for as u32"));
    let byte = function("unsigned char byte(unsigned char)");
    assert_eq!(byte.call::<u8>(200).unwrap(), 200);
    assert_eq!(byte.call::<i64>(200).unwrap(), 200);
    assert!(byte.call::<u8>(256).is_err());
    assert!(function("bool is_odd(long n)").call::<bool>(3).unwrap());
    let name = function("const char *name(int k)");
    assert_eq!(name.call::<String>(1).unwrap(), "example");
    assert!(words(name.call::<String>(0)).contains("null pointer"));
    assert_eq!(function("size_t length(const char *text)").call::<usize>("größe").unwrap(), 7);
    let counter = function("void *counter(void)");
    let kept = counter.call::<*mut std::ffi::c_void>(()).unwrap();
    assert_eq!(function("int count(const void *counter)").call::<i32>(kept).unwrap(), 1);
    if is_on_host() {
        let mut x = arange(0.0..4.0);
        assert_eq!(sum.call::<f64>((&x, x.len())).unwrap(), 6.0);
        assert!(words(sum.call::<f64>((&x.reshape((2, 2)).t(), 4))).contains("is a view of shape [2, 2]"));
        let first = function("double *first(double *x)");
        assert_ne!(first.call::<usize>(&mut x).unwrap(), 0);
    }
}

#[test]
fn a_library_that_is_not_there_is_named() {
    let found = SharedLibrary::open("libnothing_of_this_name.so").unwrap_err();
    assert_eq!(found.kind(), ErrorKind::Missing);
    assert!(
        found
            .to_string()
            .starts_with("the library libnothing_of_this_name.so was not found\n  = help: give its path"),
        "{found}"
    );
    let found = words(SharedLibrary::open("./nowhere/libx.so"));
    assert!(found.starts_with("the library ./nowhere/libx.so does not exist"), "{found}");
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("libtext.so");
    std::fs::write(&text, "no library").unwrap();
    assert!(words(SharedLibrary::open(&text)).contains("cannot be loaded"));
}

library! {
    // SAFETY: `math.h` declares them so.
    unsafe math: "libm.so.6" {
        fn cos(x: f64) -> f64;
        /// A number as a fraction and a power of two.
        fn frexp(x: f64, exponent: &mut i32) -> f64;
        fn no_such_function(x: f64) -> f64;
    }
}

library! {
    // SAFETY: `string.h` and `stdlib.h` declare them so.
    unsafe c: "libc.so.6" {
        fn strlen(text: &str) -> usize;
        fn memcpy(to: &mut GpuArray<f32>, from: &GpuArray<f32>, bytes: usize) -> *mut f32;
        fn swab(from: &[u8], to: &mut [u8], count: isize);
        fn labs(n: i64) -> i64;
        fn abs(n: i32) -> i32;
    }
}

library! {
    // SAFETY: nothing of it is called.
    unsafe nothing: "libnothing_of_this_name.so" {
        fn f();
    }
}

#[test]
fn declared_functions_are_functions_of_rust() {
    assert_eq!(math::cos(0.0).unwrap(), 1.0);
    let mut exponent = 0;
    assert_eq!((math::frexp(12.0, &mut exponent).unwrap(), exponent), (0.75, 4));
    assert!(words(math::no_such_function(1.0)).starts_with("no_such_function: libm.so.6 has no function"));
    assert!(words(nothing::f()).starts_with("the library libnothing_of_this_name.so was not found"));
    assert_eq!(c::strlen("größe").unwrap(), 7);
    assert!(words(c::strlen("a\0b")).starts_with("strlen: argument 1: the text has a zero byte"));
    assert_eq!((c::labs(-3).unwrap(), c::abs(-4).unwrap()), (3, 4));
    let mut swapped = [0_u8; 4];
    c::swab(&[1, 2, 3, 4], &mut swapped, 4).unwrap();
    assert_eq!(swapped, [2, 1, 4, 3]);
    let x = arange(0.0_f32..4.0);
    let mut y = zeros::<f32>(4);
    if is_on_host() {
        c::memcpy(&mut y, &(&x + 1.0), 16).unwrap();
        assert_eq!(y.to_vec(), [1.0, 2.0, 3.0, 4.0]);
        let found = words(c::memcpy(&mut y, &x.reshape((2, 2)).t(), 16));
        assert!(found.starts_with("memcpy: argument 2 is a view of shape [2, 2]"), "{found}");
        let found = words(Graph::capture(|| c::abs(1).map(drop)));
        assert!(found.contains("a graph is being captured"), "{found}");
    } else {
        let found = words(c::memcpy(&mut y, &x, 16));
        assert!(found.starts_with("memcpy: argument 1 is an array on "), "{found}");
    }
}
