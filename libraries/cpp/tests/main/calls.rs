//! What functions take and return.

use super::*;

const SUM: &str = "
#include <cstddef>
namespace example {
template <typename T> T sum(const T *x, std::size_t n) {
    T total = 0;
    for (std::size_t i = 0; i < n; ++i) total += x[i];
    return total;
}
}
using example::sum;
";

#[test]
fn one_template_sums_elements_of_any_type() {
    let module = module(SUM);
    let n = 53_735_usize;
    let x: Vec<f64> = (0..n).map(|k| k as f64).collect();
    assert_eq!(module.call::<f64>("sum", (&x, n)).unwrap(), 1_443_698_245.0);
    let ints: Vec<i64> = (0..n as i64).collect();
    assert_eq!(module.call::<i64>("sum", (&ints[..], n)).unwrap(), 1_443_698_245);
    assert_eq!(module.call::<f64>("example::sum<double>", (&x, n)).unwrap(), 1_443_698_245.0);
    assert_eq!(
        module.call::<Complex64>("sum", (&[Complex64::new(1.0, 2.0); 3], 3_usize)).unwrap(),
        Complex64::new(3.0, 6.0)
    );
    assert_eq!(module.call::<f32>("sum", (&[0.5_f32; 4], 4_usize)).unwrap(), 2.0);
    if !is_on_host() {
        return;
    }
    let on_device = arange(0..n as i64).astype(f64);
    assert_eq!(module.call::<f64>("sum", (&on_device, on_device.len())).unwrap(), 1_443_698_245.0);
    assert_eq!(module.call::<f64>("sum", (&(&on_device * 2.0), n)).unwrap(), 2.0 * 1_443_698_245.0);
}

#[test]
fn every_element_type_is_passed_and_returned() {
    let module = module(
        "#include <complex>
         template <class T> T twice(T x) { return x + x; }
         template <class T> T first(const T *x) { return x[0]; }
         template <class T> void set(T *x, T value) { x[0] = value; }
         bool both(bool a, bool b) { return a && b; }
         template <class T> void flip(T *x, T) { x[0] = !x[0]; }",
    );
    macro_rules! check {
        ($($t:ty: $one:expr, $two:expr;)*) => {$(
            assert_eq!(module.call::<$t>("twice", ($one,)).unwrap(), $two);
            assert_eq!(module.call::<$t>("first", (&[$two, $one],)).unwrap(), $two);
            let mut x = [$one];
            module.call::<()>("set", (&mut x, $two)).unwrap();
            assert_eq!(x, [$two]);
            let mut alone = $one;
            module.call::<()>("set", (&mut alone, $two)).unwrap();
            assert_eq!(alone, $two);
        )*};
    }
    check! {
        i32: 3_i32, 6_i32;
        u32: 5_u32, 10_u32;
        i64: -(1_i64 << 40), -(1_i64 << 41);
        u64: 1_u64 << 40, 1_u64 << 41;
        f32: 0.25_f32, 0.5_f32;
        f64: 0.25, 0.5;
        Complex32: Complex32::new(1.0, -1.0), Complex32::new(2.0, -2.0);
        Complex64: Complex64::new(1.0, -1.0), Complex64::new(2.0, -2.0);
    }
    assert_eq!(module.call::<i8>("first", (&[3_i8],)).unwrap(), 3);
    assert_eq!(module.call::<u8>("first", (&[200_u8],)).unwrap(), 200);
    assert_eq!(module.call::<u16>("first", (&vec![40_000_u16],)).unwrap(), 40_000);
    assert!(module.call::<bool>("both", (true, true)).unwrap());
    assert!(!module.call::<bool>("both", (true, false)).unwrap());
    assert!(module.call::<bool>("first", (&[true, false],)).unwrap());
    // What `T + T` gives is an `int`.
    assert_eq!(module.call::<i32>("twice", (5_i32,)).unwrap(), 10);
    assert_eq!(module.call::<usize>("twice", (5_usize,)).unwrap(), 10);
    assert_eq!(module.call::<isize>("twice", (-5_isize,)).unwrap(), -10);
}

#[test]
fn half_precision_is_passed() {
    let module = module("template <class T> T first(const T *x) { return x[0]; }");
    let x = [f16::from_f32(1.5)];
    assert_eq!(module.call::<f16>("first", (&x,)).unwrap(), x[0]);
}

#[test]
fn arrays_are_written_in_place() {
    let module = module(
        "#include <algorithm>
         #include <numeric>
         template <class T> void sort(T *x, int n) { std::sort(x, x + n); }
         template <class T> void axpy(T a, const T *x, T *y, std::size_t n) { for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i]; }
         double total(const double *x, unsigned n) { return std::accumulate(x, x + n, 0.0); }",
    );
    let mut x = vec![3.0, 1.0, 2.0];
    module.call::<()>("sort", (&mut x, 3)).unwrap();
    assert_eq!(x, [1.0, 2.0, 3.0]);
    assert_eq!(module.call::<f64>("total", (&x, x.len())).unwrap(), 6.0);
    if !is_on_host() {
        return;
    }
    let x = arange(0.0_f32..5.0);
    let mut y = ones::<f32>(5);
    // A lazy expression that reads `y` is computed before it is written.
    let before = &y + 1.0;
    module.call::<()>("axpy", (2.0_f32, &x, &mut y, x.len())).unwrap();
    assert_eq!(y.to_vec(), [1.0, 3.0, 5.0, 7.0, 9.0]);
    assert_eq!(before.to_vec(), [2.0; 5]);
    let mut ints = gpu![3, 1, 2];
    module.call::<()>("sort", (&mut ints, 3)).unwrap();
    assert_eq!(ints.to_vec(), [1, 2, 3]);
    let mut empty = zeros::<f64>(0);
    module.call::<()>("sort", (&mut empty, 0)).unwrap();
    // A row of a matrix is written where it lies.
    let whole = zeros::<f32>((2, 3));
    let mut row = whole.slice(1);
    module.call::<()>("axpy", (1.0_f32, &ones::<f32>(3), &mut row, 3_usize)).unwrap();
    assert_eq!(row.to_vec(), [1.0; 3]);
}

#[test]
fn overloads_and_default_arguments_are_the_compilers() {
    let module = module(
        "int kind(int) { return 1; }
         int kind(double) { return 2; }
         int kind(const char *) { return 3; }
         int kind(const float *, int n = 7) { return 40 + n; }
         struct Twice { template <class T> T operator()(T x) const { return x + x; } };
         const Twice twice{};
         int operator+(Twice, int);
         auto lambda = [](double x) { return x * 0.5; };",
    );
    assert_eq!(module.call::<i32>("kind", (5,)).unwrap(), 1);
    assert_eq!(module.call::<i32>("kind", (5.0,)).unwrap(), 2);
    assert_eq!(module.call::<i32>("kind", ("five",)).unwrap(), 3);
    assert_eq!(module.call::<i32>("kind", (&[5.0_f32],)).unwrap(), 47);
    assert_eq!(module.call::<i32>("kind", (&[5.0_f32], 2)).unwrap(), 42);
    assert_eq!(module.call::<f64>("twice", 1.5).unwrap(), 3.0);
    assert_eq!(module.call::<f64>("lambda", 3.0).unwrap(), 1.5);
    assert_eq!(
        module.call::<f64>("std::max<double>", (1.0, 2.0)).map_err(|error| error.to_string()),
        Ok(2.0)
    );
}

#[test]
fn texts_go_both_ways() {
    let module = module(
        "#include <string>
         #include <cstring>
         std::string greet(const std::string &name) { return \"hello, \" + name; }
         std::size_t length(const char *text) { return std::strlen(text); }
         const char *nothing() { return nullptr; }
         const char *constant() { return \"gr\\xc3\\xbc\\xc3\\x9f\"; }",
    );
    assert_eq!(module.call::<String>("greet", ("world",)).unwrap(), "hello, world");
    assert_eq!(module.call::<String>("greet", (&String::from("x"),)).unwrap(), "hello, x");
    assert_eq!(module.call::<usize>("length", "größe").unwrap(), 7);
    assert_eq!(module.call::<usize>("length", (c"abc",)).unwrap(), 3);
    assert_eq!(module.call::<String>("constant", ()).unwrap(), "grüß");
    let found = words(module.call::<String>("nothing", ()));
    assert!(found.starts_with("nothing: the function returned a null pointer"), "{found}");
    let found = words(module.call::<usize>("length", "a\0b"));
    assert!(found.starts_with("length: argument 1: &str: the text has a zero byte at 1"), "{found}");
}

#[test]
fn an_object_is_kept_behind_a_pointer() {
    let module = module(
        "#include <vector>
         class Counter {
             std::vector<int> seen;
         public:
             void add(int value) { seen.push_back(value); }
             int count() const { return static_cast<int>(seen.size()); }
         };
         Counter *create() { return new Counter; }
         void add(Counter *counter, int value) { counter->add(value); }
         int count(const Counter *counter) { return counter->count(); }
         void destroy(Counter *counter) { delete counter; }",
    );
    let counter = module.call::<*mut std::ffi::c_void>("create", ()).unwrap();
    for k in 0..5 {
        module.call::<()>("add", (counter, k)).unwrap();
    }
    assert_eq!(module.call::<i32>("count", counter.cast_const()).unwrap(), 5);
    assert_eq!(module.call::<i32>("count", counter).unwrap(), 5);
    module.call::<()>("destroy", counter).unwrap();
    let address = module.call::<usize>("create", ()).unwrap();
    module.call::<()>("destroy", address as *mut std::ffi::c_void).unwrap();
}

#[test]
fn structures_have_the_layout_of_c() {
    kernel_struct! {
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct Particle { kind: u8, place: [f64; 2], mass: f32 }
    }
    let text = "struct Particle { unsigned char kind; double place[2]; float mass; };
                double moment(Particle p) { return p.mass * p.place[1] + p.kind; }";
    let one = Particle { kind: 1, place: [0.0, 3.0], mass: 2.0 };
    assert_eq!(module(text).call::<f64>("moment", (Struct(one),)).unwrap(), 7.0);
    let other = module("struct Particle { float mass; }; float mass(Particle p) { return p.mass; }");
    let found = words(other.call::<f32>("mass", (Struct(one),)));
    assert!(found.contains("another layout than in Rust"), "{found}");
}

#[test]
fn memory_of_the_host_that_a_device_uses_is_passed() {
    let module = module(
        "template <class T> T sum(const T *x, int n) { T s = 0; while (n--) s += x[n]; return s; }\n\
                         template <class T> void fill(T *x, int n, T value) { while (n--) x[n] = value; }",
    );
    let mut locked = pagelocked_zeros::<f32>(4).unwrap();
    module.call::<()>("fill", (&mut locked, 4, 2.5_f32)).unwrap();
    assert_eq!(module.call::<f32>("sum", (&locked, 4)).unwrap(), 10.0);
    let mut managed = managed_zeros::<f64>(3).unwrap();
    module.call::<()>("fill", (&mut managed, 3, 1.5)).unwrap();
    assert_eq!(module.call::<f64>("sum", (&managed, 3)).unwrap(), 4.5);
    let registered = register_host_memory(vec![1_i32, 2, 3]).unwrap();
    assert_eq!(module.call::<i32>("sum", (&registered, 3)).unwrap(), 6);
    let mut aligned = aligned_empty::<f32>(2, 64).unwrap();
    module.call::<()>("fill", (&mut aligned, 2, 1.0_f32)).unwrap();
    assert_eq!(module.call::<f32>("sum", (&aligned, 2)).unwrap(), 2.0);
}

#[test]
fn twelve_arguments_are_passed() {
    let module = module(
        "int all(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l) { return a+2*b+3*c+4*d+5*e+6*f+7*g+8*h+9*i+10*j+11*k+12*l; }",
    );
    assert_eq!(module.call::<i32>("all", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)).unwrap(), 650);
}

#[test]
fn a_function_is_kept_and_called_again() {
    let module = module(SUM);
    let sum = module.function("sum").unwrap();
    assert_eq!(sum.call::<f64>((&[1.0, 2.0], 2_usize)).unwrap(), 3.0);
    assert_eq!(sum.call::<i32>((&[1, 2, 3], 3_usize)).unwrap(), 6);
    assert_eq!(sum.name(), "sum");
    assert_eq!(format!("{sum:?}"), "CppFunction(sum of module.cpp)");
    assert!(words(module.function("sum(x)")).contains("is not the name of a function"));
}

#[test]
fn results_that_are_wider_are_converted() {
    let module = module(
        "enum Colour : short { red = 3 };
         short small() { return -3; }
         unsigned char byte() { return 200; }
         float real() { return 0.5f; }
         const double &reference() { static double x = 2.5; return x; }
         Colour colour() { return red; }
         int number() { return 7; }",
    );
    assert_eq!(module.call::<i64>("small", ()).unwrap(), -3);
    assert_eq!(module.call::<u32>("byte", ()).unwrap(), 200);
    assert_eq!(module.call::<f64>("real", ()).unwrap(), 0.5);
    assert_eq!(module.call::<f64>("reference", ()).unwrap(), 2.5);
    assert_eq!(module.call::<i32>("colour", ()).unwrap(), 3);
    assert_eq!(module.call::<f64>("number", ()).unwrap(), 7.0);
    module.call::<()>("number", ()).unwrap();
}
