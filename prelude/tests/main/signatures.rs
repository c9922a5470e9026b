//! What kernels take, as the preprocessor and the compiler have it.

use gpurepl_prelude::*;

/// Compiles a source with options.
fn compiled(source: &str, options: &[&str]) -> SourceModule {
    SourceModule::with_options(source, options).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn refusal(result: Result<()>) -> String {
    result.unwrap_err().to_string()
}

/// The text had two signatures, and the first was taken: the bits of an
/// integer were read as a float.
#[test]
fn an_integer_was_taken_for_the_float_of_a_signature_that_is_left_out() {
    let source = "
        #if 0
        __global__ void k(float *out, float x)
        #else
        __global__ void k(float *out, int x)
        #endif
        { out[0] = x; }";
    let k = compiled(source, &[]).get_function("k").unwrap();
    let mut out = zeros::<f32>(1);
    k.launch(1, 1, (&mut out, 3)).unwrap();
    assert_eq!(out.to_vec(), [3.0]);
    assert!(refusal(k.launch(1, 1, (&mut out, 3.5))).contains("which cannot hold 3.5"));
}

/// `-DUSE_DOUBLE` changed the kernel and not what was checked: it refused
/// doubles, took floats, and wrote doubles over them.
#[test]
fn floats_were_passed_for_doubles_that_an_option_asks_for() {
    let source = "
        #ifdef USE_DOUBLE
        typedef double real;
        #else
        typedef float real;
        #endif
        __global__ void twice(real *x) { x[threadIdx.x] *= 2; }";
    let double = compiled(source, &["-DUSE_DOUBLE"]).get_function("twice").unwrap();
    let mut x = arange(0.0..4.0);
    double.launch(1, 4, &mut x).unwrap();
    assert_eq!(x.to_vec(), [0.0, 2.0, 4.0, 6.0]);
    let mut narrow = ones::<f32>(4);
    assert_eq!(
        refusal(double.launch(1, 4, &mut narrow)),
        "twice: argument 1 `x` is `real *`, which takes an array of float64, not of float32"
    );
    let single = compiled(source, &[]).get_function("twice").unwrap();
    single.launch(1, 4, &mut narrow).unwrap();
    assert_eq!(narrow.to_vec(), [2.0; 4]);
    assert!(refusal(single.launch(1, 4, &mut x)).contains("not of float64"));
    for options in
        [&["-D", "USE_DOUBLE"][..], &["--define-macro=USE_DOUBLE=1"], &["-DUSE_DOUBLE", "-lineinfo"]]
    {
        compiled(source, options).get_function("twice").unwrap().launch(1, 4, &mut x).unwrap();
    }
}

/// Types that only the compiler knows.
#[test]
fn types_are_the_compilers() {
    let source = "
        template <bool wide> struct Choose { typedef float type; };
        template <> struct Choose<true> { typedef double type; };
        template <class T> using Array = T *;
        enum { N = sizeof(double) };
        __global__ void k(Choose<N == 8>::type *out, Array<const Choose<false>::type> in, decltype(N + 0) n, const Choose<true>::type by)
        { out[n] = in[n] * by; }";
    let k = compiled(source, &[]).get_function("k").unwrap();
    let (mut out, input) = (zeros::<f64>(3), ones::<f32>(3));
    k.launch(1, 1, (&mut out, &input, 2, 0.1)).unwrap();
    assert_eq!(out.to_vec(), [0.0, 0.0, 0.1]);
    assert!(refusal(k.launch(1, 1, (&mut zeros::<f32>(3), &input, 2, 0.1))).contains("an array of float64"));
    assert!(refusal(k.launch(1, 1, (&mut out, &ones::<f64>(3), 2, 0.1))).contains("an array of float32"));
    assert!(refusal(k.launch(1, 1, (&mut out, &input, 2.5, 0.1))).contains("cannot hold 2.5"));
}

/// Conditions that are known to the compiler alone.
#[test]
fn conditions_that_only_the_compiler_knows() {
    let source = "
        #if __has_include(<gpurepl_there_is_no_such_file.h>)
        #define COUNT float
        #else
        #define COUNT int
        #endif
        #if defined(__SIZEOF_LONG_LONG__) || defined(__EDG__)
        __global__ void k(int *out, COUNT n) { out[0] = n; }
        #else
        __global__ void k(float *out, COUNT n) { out[0] = -n; }
        #endif";
    let k = compiled(source, &[]).get_function("k").unwrap();
    let mut out = zeros::<i32>(1);
    k.launch(1, 1, (&mut out, 3)).unwrap();
    assert_eq!(out.to_vec(), [3]);
}

#[test]
fn a_header_of_the_users_says_what_a_kernel_takes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("real.h"),
        "#pragma once\n#include \"inner.h\"\ntypedef REAL real;\n#define KERNEL extern \"C\" __global__ void\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("inner.h"), "#define REAL double\n#define LONG\n").unwrap();
    let source = "
        #include \"real.h\"
        #ifdef LONG
        KERNEL k(real *x, long long n)
        #else
        KERNEL k(real *x, float n)
        #endif
        { x[0] += n; }";
    let module = SourceModule::builder(source).include_dir(folder.path()).compile().unwrap();
    let mut x = ones::<f64>(1);
    module.get_function("k").unwrap().launch(1, 1, (&mut x, 1_i64 << 40)).unwrap();
    assert_eq!(x.to_vec(), [1.0 + (1_i64 << 40) as f64]);
}

#[test]
fn kernels_behind_macros() {
    let source = "
        #define KERNEL extern \"C\" __global__ void
        #define N 4
        #define SHARED(T, name, n) __shared__ T name[n]
        #define MAKE(name, T, op) \\
            __global__ void name(T *x, T by) \\
            { \\
                SHARED(T, all, N); \\
                all[N - 1 - threadIdx.x] = x[threadIdx.x] op by; \\
                __syncthreads(); \\
                x[threadIdx.x] = all[threadIdx.x]; \\
            }
        KERNEL twice(int *x) { x[threadIdx.x] *= 2; }
        MAKE(turn_up, float, +)
        MAKE(turn_over, double, *)";
    let module = compiled(source, &[]);
    let mut x = arange::<i32>(0..4);
    module.get_function("twice").unwrap().launch(1, 4, &mut x).unwrap();
    assert_eq!(x.to_vec(), [0, 2, 4, 6]);
    let mut f = arange::<f32>(0.0..4.0);
    module.get_function("turn_up").unwrap().launch(1, 4, (&mut f, 1)).unwrap();
    assert_eq!(f.to_vec(), [4.0, 3.0, 2.0, 1.0]);
    let mut d = arange::<f64>(0.0..4.0);
    module.get_function("turn_over").unwrap().launch(1, 4, (&mut d, 0.5)).unwrap();
    assert_eq!(d.to_vec(), [1.5, 1.0, 0.5, 0.0]);
}

#[test]
fn a_mistake_behind_a_macro_is_at_the_users_line() {
    let source = "#define KERNEL extern \"C\" __global__ void\n\n#if 0\nnothing here\n\n#endif\nKERNEL k(int *x) { x[0] = missing; }";
    let error = SourceModule::new(source).unwrap_err().to_string();
    let line = "7 | KERNEL k(int *x) { x[0] = missing; }";
    let at = error.find(line).unwrap_or_else(|| panic!("{error}"));
    let caret = error[at + line.len()..].lines().nth(1).unwrap();
    assert_eq!(caret.find('^').unwrap() - 4, line.find("missing").unwrap() - 4, "{error}");
}

#[test]
fn parameters_in_every_form() {
    let source = "
        typedef float real;
        typedef real *Ptr;
        typedef const real *ConstPtr;
        __global__ void k(double (*o)[2], Ptr p, ConstPtr q, [[maybe_unused]] int unused, int m[][2],
                          float *const __restrict__ r, unsigned n = 2)
        { o[1][0] = n; p[0] = q[0] + 1; m[1][1] = 5; r[0] = 7; }";
    let k = compiled(source, &[]).get_function("k").unwrap();
    let (mut o, mut p, q, mut m, mut r) =
        (zeros::<f64>((2, 2)), zeros::<f32>(1), ones::<f32>(1), zeros::<i32>((2, 2)), zeros::<f32>(1));
    k.launch(1, 1, (&mut o, &mut p, &q, 1, &mut m, &mut r, 9)).unwrap();
    assert_eq!((o.to_vec(), p.to_vec()), (vec![0.0, 0.0, 9.0, 0.0], vec![2.0]));
    assert_eq!((m.to_vec(), r.to_vec()), (vec![0, 0, 0, 5], vec![7.0]));
    // What has a number by default may be left out.
    k.launch(1, 1, (&mut o, &mut p, &q, 1, &mut m, &mut r)).unwrap();
    assert_eq!(o.to_vec()[2], 2.0);
    assert!(
        refusal(k.launch(1, 1, (&mut o, &mut p, &q, 1, &mut m)))
            .starts_with("k: 5 arguments given, but it takes 7")
    );
    assert!(
        refusal(k.launch(1, 1, (&mut zeros::<f32>(4), &mut p, &q, 1, &mut m, &mut r)))
            .contains("an array of float64")
    );
    assert!(
        refusal(k.launch(1, 1, (&mut o, &mut zeros::<f64>(1), &q, 1, &mut m, &mut r)))
            .contains("an array of float32")
    );
    let source = "__device__ const int three = 3; __global__ void k(int *o, int n = 2 * three) { *o = n; }";
    let k = compiled(source, &[]).get_function("k").unwrap();
    assert!(
        refusal(k.launch(1, 1, &mut zeros::<i32>(1)))
            .contains("a default is taken over where it is a number")
    );
}

#[test]
fn packs_of_parameters() {
    let source = "
        __device__ double sum() { return 0; }
        template <class T, class... Rest> __device__ double sum(T first, Rest... rest) { return first + sum(rest...); }
        template <class... T> __global__ void add(double *out, T... values) { out[0] = sum(values...); }";
    let module = compiled(source, &[]);
    let mut out = zeros::<f64>(1);
    module
        .get_function("add<int, float, long long>")
        .unwrap()
        .launch(1, 1, (&mut out, 1, 0.5, 1_i64 << 40))
        .unwrap();
    assert_eq!(out.to_vec(), [1.5 + (1_i64 << 40) as f64]);
    module.get_function("add<>").unwrap().launch(1, 1, &mut out).unwrap();
    assert_eq!(out.to_vec(), [0.0]);
}

#[test]
fn instances_have_the_types_of_their_arguments() {
    let source = "
        template <class T> struct Pair { T a, b; };
        template <class T, class U = Pair<T>> __global__ void k(T *out, const U *pairs, typename Pair<T *>::type *, int) {}
        typedef double real;
        template <class T, int n> __global__ void scale(const T *in, T (*out)[n], T by)
        { out[0][threadIdx.x] = in[threadIdx.x] * by; }";
    let scale = compiled(source, &[]).get_function("scale<real, 3>").unwrap();
    let (input, mut out) = (arange(0.0..3.0), zeros::<f64>(3));
    scale.launch(1, 3, (&input, &mut out, 0.1)).unwrap();
    assert_eq!(out.to_vec(), [0.0, 0.1, 0.2]);
    assert!(refusal(scale.launch(1, 3, (&ones::<f32>(3), &mut out, 0.1))).contains("an array of float64"));
}

#[test]
fn kernels_of_one_name() {
    let source = "
        __global__ void fill(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
        __global__ void fill(double *x, int n = 2) { if (threadIdx.x < n) x[threadIdx.x] = 0.5; }";
    let module = compiled(source, &[]);
    let error = module.get_function("fill").unwrap_err().to_string();
    assert_eq!(
        error,
        "fill: the source has several kernels of this name; name one with its types: `fill(int *, int)`, \
         `fill(double *, int)`"
    );
    let mut x = zeros::<i32>(3);
    module.get_function("fill(int *, int)").unwrap().launch(1, 3, (&mut x, 3)).unwrap();
    let mut y = zeros::<f64>(3);
    module.get_function("fill(double*,int)").unwrap().launch(1, 3, &mut y).unwrap();
    assert_eq!((x.to_vec(), y.to_vec()), (vec![1; 3], vec![0.5, 0.5, 0.0]));
}

#[test]
fn a_kernel_that_is_declared_and_not_defined() {
    let source = "__global__ void later(float *x, int);\n__global__ void now(int *x);\n__global__ void now(int *y) { *y = 1; }";
    let module = compiled(source, &[]);
    assert_eq!(
        module.get_function("later").unwrap_err().to_string(),
        "later: the source declares this kernel, but does not define it: `later(float *x, int);`"
    );
    let mut x = zeros::<i32>(1);
    module.get_function("now").unwrap().launch(1, 1, &mut x).unwrap();
    assert_eq!(x.to_vec(), [1]);
}

#[test]
fn text_for_a_pointer_to_char() {
    let source = "
        __global__ void count(const char *text, int n, int *vowels)
        {
            char c = text[threadIdx.x];
            if (c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u') atomicAdd(vowels, 1);
        }
        __global__ void upper(char *text) { text[threadIdx.x] -= 32; }
        __global__ void bytes(const signed char *x) {}";
    let module = compiled(source, &[]);
    let mut vowels = zeros::<i32>(1);
    let text = b"a word or two";
    module.get_function("count").unwrap().launch(1, text.len(), (In(text), text.len(), &mut vowels)).unwrap();
    assert_eq!(vowels.to_vec(), [4]);
    module.get_function("count").unwrap().launch(1, 2, (In(&b"AB"[..]), 2, &mut vowels)).unwrap();
    let mut text = b"word".to_vec();
    module.get_function("upper").unwrap().launch(1, 4, InOut(&mut text)).unwrap();
    assert_eq!(text, b"WORD");
    let signed = [1_i8, 2];
    module.get_function("count").unwrap().launch(1, 2, (In(&signed), 2, &mut vowels)).unwrap();
    let array = gpu![97_u8, 98];
    let prepared = module.get_function("count").unwrap().prepare("").unwrap();
    prepared.prepared_call(1, 2, (&array, 2, &mut vowels)).unwrap();
    assert_eq!(vowels.to_vec(), [5]);
    let error = refusal(module.get_function("bytes").unwrap().launch(1, 1, In(b"AB")));
    assert!(error.contains("takes an array of int8, not of uint8"), "{error}");
}

#[test]
fn a_variable_behind_a_macro() {
    let source = "
        #define CONSTANT __constant__
        #if 0
        __device__ float weights[8];
        #endif
        CONSTANT float weights[2];
        __global__ void weigh(float *x) { x[threadIdx.x] *= weights[threadIdx.x]; }";
    let module = compiled(source, &[]);
    let mut weights = module.get_global("weights").unwrap();
    memcpy_htod(&mut weights, &[2.0_f32, 3.0]).unwrap();
    let mut x = ones::<f32>(2);
    module.get_function("weigh").unwrap().launch(1, 2, &mut x).unwrap();
    assert_eq!(x.to_vec(), [2.0, 3.0]);
}
