//! Kernels whose functions no plain call names, and other ways to write CUDA C
//! that a translation by names could get wrong. Each is what it once did wrong
//! on the host device, and runs on both.

use gpurepl_prelude::*;

use crate::is_on_host;

/// What the kernel `k` leaves in eight integers.
#[track_caller]
fn run(source: &str) -> Vec<i32> {
    run_block(source, 8, 8)
}

#[track_caller]
fn run_block(source: &str, n: usize, threads: usize) -> Vec<i32> {
    let k = SourceModule::new(source).unwrap_or_else(|error| panic!("{error}")).get_function("k").unwrap();
    let mut o = zeros::<i32>(n);
    k.launch(1, threads, &mut o).unwrap_or_else(|error| panic!("{error}"));
    o.to_vec()
}

const PLACES: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

#[test]
fn functions_that_no_call_names_know_their_thread() {
    for source in [
        "#define MAKE(name) __device__ int name() { return threadIdx.x; }\nMAKE(f)\n\
         __global__ void k(int *o) { o[threadIdx.x] = f(); }",
        "#define CALL(x) get_##x()\n__device__ int get_place() { return threadIdx.x; }\n\
         __global__ void k(int *o) { o[threadIdx.x] = CALL(place); }",
        "typedef int (*fn)();\n__device__ int f() { return threadIdx.x; }\n__device__ int g() { return threadIdx.x; }\n\
         __device__ fn table[] = {f, g};\n__global__ void k(int *o) { o[threadIdx.x] = table[threadIdx.x & 1](); }",
        "struct Place { int i = threadIdx.x; };\n__global__ void k(int *o) { Place p; o[threadIdx.x] = p.i; }",
        "struct Place { int i; __device__ Place() { i = threadIdx.x; } };\nstruct Derived : Place {};\n\
         typedef Derived Renamed;\n__global__ void k(int *o) { Renamed p; o[threadIdx.x] = p.i; }",
        "struct V { int x, y; __device__ V() : x{0}, y{1} { x = threadIdx.x; } };\n\
         __global__ void k(int *o) { V v; o[threadIdx.x] = v.x; }",
        "__device__ int f(int3 a = {0, 2, 3}) { return threadIdx.x + a.x; }\n\
         __global__ void k(int *o) { o[threadIdx.x] = f(); }",
        "__device__ int place(dim3 threadIdx) { return threadIdx.x; }\n\
         __global__ void k(int *o) { o[threadIdx.x] = place(dim3(threadIdx.x)); }",
    ] {
        assert_eq!(run(source), PLACES, "{source}");
    }
}

#[test]
fn a_function_as_an_argument_of_a_template_knows_its_thread() {
    let source = "__device__ int place() { return threadIdx.x; }\n\
                  template <int (*F)()> __global__ void t(int *o) { o[threadIdx.x] = F(); }";
    let t = SourceModule::new(source).unwrap().get_function("t<place>").unwrap();
    let mut o = zeros::<i32>(8);
    t.launch(1, 8, &mut o).unwrap();
    assert_eq!(o.to_vec(), PLACES);
}

#[test]
fn shared_memory_of_functions_in_a_table_lies_apart() {
    let source = "typedef int *(*fn)();\n\
        __device__ int *first() { __shared__ int p[8]; return p; }\n\
        __device__ int *second() { __shared__ int p[8]; return p; }\n\
        __device__ fn table[] = {first, second};\n\
        __global__ void k(int *o) { __shared__ int mine[8]; mine[threadIdx.x] = 1000;\n\
          int *a = table[0](), *b = table[1](); a[threadIdx.x] = threadIdx.x; b[threadIdx.x] = 10 * threadIdx.x;\n\
          __syncthreads(); o[threadIdx.x] = mine[threadIdx.x] + a[7 - threadIdx.x] + b[7 - threadIdx.x]; }";
    assert_eq!(run(source), [1077, 1066, 1055, 1044, 1033, 1022, 1011, 1000]);
}

/// A type was taken for a number.
#[test]
fn shared_memory_is_aligned_as_a_type_is() {
    let source = "__global__ void k(int *o) {\n\
                  char pad; (void)pad; __shared__ char before[3];\n\
                  alignas(float4) __shared__ char room[33];\n  alignas(8) alignas(64) __shared__ unsigned char other[3], last;\n\
                  before[0] = room[0] = (char)(other[0] = last = 0);\n\
                  o[threadIdx.x] = ((size_t)room % 16 == 0) + 2*((size_t)other % 64 == 0) + 4*((size_t)&last % 64 == 0); }";
    assert_eq!(run(source), [7; 8]);
}

#[test]
fn lambdas_share_shared_memory() {
    let source = "__global__ void k(int *o) { __shared__ int s[8], c; if (threadIdx.x == 0) c = 0; s[threadIdx.x] = -1;\n\
        __syncthreads(); auto get = [=](int i) { return s[i]; }; auto add = [=]() { atomicAdd(&c, 1); };\n\
        s[threadIdx.x] = threadIdx.x; add(); __syncthreads(); o[threadIdx.x] = get(7 - threadIdx.x) + c; }";
    assert_eq!(run(source), [15, 14, 13, 12, 11, 10, 9, 8]);
}

#[test]
fn a_kernel_after_a_macro_without_a_semicolon() {
    let source = "#define MAKE(name, c) __device__ int name() { return c; }\nMAKE(f, 1)\n\
        __global__ void k(int *o) { __shared__ int s[8]; s[threadIdx.x] = threadIdx.x; __syncthreads();\n\
          o[threadIdx.x] = s[7 - threadIdx.x] + f(); }";
    assert_eq!(run(source), [8, 7, 6, 5, 4, 3, 2, 1]);
}

#[test]
fn commas_and_words_where_macros_are() {
    let source = "template <int A, int B> __device__ bool f(int x) { return x % A == B % 2; }\n\
        #define TEXT \"uses __shared__ and __global__\"\n\
        __global__ void k(int *o) { o[threadIdx.x] = __ballot_sync(0xff, f<2, 1>(threadIdx.x)); }";
    assert_eq!(run(source), [0xaa; 8]);
}

#[test]
fn a_thread_that_polls_by_an_addition_is_answered() {
    let source = "__global__ void k(int *o) { __shared__ int s; if (threadIdx.x == 0) s = 0; __syncthreads();\n\
        if (threadIdx.x == 0) { while (atomicAdd(&s, 0) == 0) { } o[0] = 1; } else if (threadIdx.x == 32) atomicAdd(&s, 1); }";
    assert_eq!(run_block(source, 1, 64), [1]);
}

#[test]
fn kernels_of_one_name_in_two_namespaces() {
    let source = "namespace a { __global__ void k(int *o) { o[0] = 1; } }\n\
                  namespace b { __global__ void k(int *o) { o[0] = 2; } }";
    let module = SourceModule::new(source).unwrap();
    for (name, value) in [("a::k", 1), ("b::k", 2)] {
        let mut o = zeros::<i32>(1);
        module.get_function(name).unwrap().launch(1, 1, &mut o).unwrap();
        assert_eq!(o.item(), value, "{name}");
    }
}

#[test]
fn an_instance_with_a_renamed_type_converts_its_arguments() {
    let source = "typedef float real;\ntemplate <class T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value; }";
    let fill = SourceModule::new(source).unwrap().get_function("fill<real>").unwrap();
    let mut x = zeros::<f32>(2);
    fill.launch(1, 2, (&mut x, 5)).unwrap();
    assert_eq!(x.to_vec(), [5.0, 5.0]);
}

#[test]
fn a_reduction_whose_expression_faults() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let divide = ReductionKernel::<i32>::new("1", "a / b", "x[i] * 0", "const int *x", "divide").unwrap();
    let error = divide.call(&arange(0..100_000)).map(|answer| answer.item()).unwrap_err();
    // A compiler that sees the zero ends the kernel there.
    let kind = error.kernel_fault().map(|fault| fault.kind);
    assert!(matches!(kind, Some(FaultKind::Arithmetic | FaultKind::Trap)), "{error}");
    assert_eq!(run("__global__ void k(int *o) { o[threadIdx.x] = threadIdx.x; }"), PLACES);
}

#[test]
fn a_stack_that_overflows_at_a_barrier() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let source = "__device__ int deep(int n, volatile int *a) { __syncwarp(); return n < 0 ? 0 : deep(n + 1, a) + a[n & 7]; }\n\
                  __global__ void k(int *o) { o[threadIdx.x] = deep(1, o); }";
    let k = SourceModule::new(source).unwrap().get_function("k").unwrap();
    for _ in 0..3 {
        let error = k.launch(1, 32, &mut zeros::<i32>(32)).unwrap_err();
        assert_eq!(error.kernel_fault().unwrap().kind, FaultKind::StackOverflow, "{error}");
        let turn = "__global__ void k(int *o) { o[threadIdx.x] = __shfl_xor_sync(0xff, threadIdx.x, 7); }";
        assert_eq!(run(turn), [7, 6, 5, 4, 3, 2, 1, 0]);
    }
}

#[test]
fn warps_in_step_in_a_checked_build() {
    let source = "__global__ void k(int *o) { __shared__ int s[64]; s[threadIdx.x] = 1; __syncthreads();\n\
        if (threadIdx.x < 32) { volatile int *v = s; v[threadIdx.x] += v[threadIdx.x + 32]; }\n\
        __syncthreads(); o[threadIdx.x % 32] = s[threadIdx.x % 32]; }";
    if std::env::var("CXX").is_ok_and(|compiler| compiler.contains("clang")) {
        return crate::ignored::ignored("needs g++");
    }
    let module = SourceModule::builder(source).check(true).compile().unwrap();
    let mut o = zeros::<i32>(32);
    module.get_function("k").unwrap().launch(1, 64, &mut o).unwrap();
    assert_eq!(o.to_vec(), [2; 32]);
}

#[test]
fn heads_with_conditions_and_macros_hid_kernels() {
    let body = "{ s[threadIdx.x] = threadIdx.x; __syncthreads(); o[threadIdx.x] = 7 - s[7 - threadIdx.x]; }";
    let heads = [
        "#ifdef FIXED\n#define n 8\n#endif\n__global__ void k(int *o\n#ifndef FIXED\n, int n = 0\n#endif\n)",
        "__global__ void\n#ifndef UNBOUNDED\n__launch_bounds__(64)\n#endif\nk(int *o)",
        "#define BOUNDS(threads, blocks)\n__global__ void\nBOUNDS (64, 2)\nk(int *o)",
        "#define BOUNDS(threads) __launch_bounds__(threads)\n__global__ BOUNDS(64) void k(int *o)",
        "#define BOUNDS(threads) __launch_bounds__(threads)\n__global__ void __attribute__((used)) BOUNDS(64) k(int *o)",
    ];
    for head in &heads[1..] {
        assert_eq!(run(&format!("__shared__ int s[8];\n{head}\n{body}")), PLACES, "{head}");
    }
    let source = format!("extern __shared__ int s[];\n{}\n{body}", heads[0]);
    let k = SourceModule::new(&source).unwrap_or_else(|error| panic!("{error}")).get_function("k").unwrap();
    let mut o = zeros::<i32>(8);
    k.launch_shared(1, 8, 32, (&mut o, 0)).unwrap();
    assert_eq!(o.to_vec(), PLACES);
}

#[test]
fn objects_in_memory_that_is_there() {
    let source = "struct Counter { int *places; int n; __device__ Counter(int *p, int n) : places(p), n(n) {}\n\
                  __device__ int &at(int i) { return places[i % n]; } };\n\
                  __global__ void k(int *o) {\n\
                  __shared__ unsigned char __align__(8) room[sizeof(Counter)]; __shared__ int places[8];\n\
                  __shared__ Counter *counter;\n\
                  if (threadIdx.x == 0) counter = new (room) Counter(places, 8);\n\
                  __syncthreads(); counter->at(threadIdx.x + 1) = threadIdx.x + 1;\n\
                  __syncthreads(); o[threadIdx.x] = counter->at(threadIdx.x) & 7; }";
    assert_eq!(run(source), PLACES);
}

#[test]
fn inline_ptx_that_no_kernel_reaches() {
    let source = "#ifndef LANES_H\n#define LANES_H\n\
                  __device__ unsigned lane() { unsigned x; asm volatile (\"mov.u32 %0, %%envreg1;\"\n : \"=r\"(x)); return x; }\n\
                  #endif\n__global__ void k(int *o) { o[threadIdx.x] = threadIdx.x; }";
    assert_eq!(run(source), PLACES);
    if is_on_host() {
        let error =
            SourceModule::new(&source.replace("= threadIdx.x;", "= lane();")).unwrap_err().to_string();
        assert!(error.contains("the host device has no register `%envreg1`"), "{error}");
    }
}

#[test]
fn a_function_without_a_definition_is_named() {
    let source = "namespace fresnel { __device__ double sine(double x); }\n\
                  __global__ void k(double *x) { x[0] = fresnel::sine(x[0]); }";
    let error =
        SourceModule::new(source).and_then(|module| module.get_function("k")).unwrap_err().to_string();
    if is_on_host() {
        assert!(error.contains("`fresnel::sine` is declared and not defined"), "{error}");
        assert!(error.contains("put its definition into this source"), "{error}");
    }
}

#[test]
fn a_sum_over_the_first_lanes_of_a_warp() {
    let source = "__device__ int sum(unsigned mask, int x) {\n\
                  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(mask, x, offset);\n\
                  return x; }\n\
                  __global__ void k(int *o) { __shared__ int parts[4];\n\
                  int x = sum(0xffffffff, threadIdx.x);\n\
                  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;\n\
                  __syncthreads();\n\
                  unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 4);\n\
                  if (threadIdx.x < 4) { x = sum(mask, parts[threadIdx.x]); if (threadIdx.x == 0) o[0] = x; } }";
    assert_eq!(run_block(source, 1, 128), [128 * 127 / 2]);
}

#[test]
fn new_and_delete_in_a_kernel_were_undefined_symbols() {
    let source = "struct Base { __device__ virtual ~Base() {} __device__ virtual int get() const = 0; };\n\
                  struct Wide : Base { double4_16a room; int x; __device__ Wide(int x) : x(x) {}\n\
                  __device__ int get() const override { return x + (int)((size_t)this % 16); } };\n\
                  __global__ void k(int *o) {\n\
                  Base *made = new Wide(threadIdx.x); int *room = new int[threadIdx.x + 1]();\n\
                  o[threadIdx.x] = made->get() + room[threadIdx.x]; delete made; delete[] room; }";
    assert_eq!(run(source), PLACES);
}

#[test]
fn allocated_memory_was_out_of_bounds_in_a_checked_build() {
    let source = "__device__ int *kept;\n\
                  __global__ void make(int n) { kept = (int *)malloc(n * sizeof(int)); for (int i = 0; i < n; i++) kept[i] = i; }\n\
                  __global__ void use(int *o) { int *own = new int[3]; own[2] = kept[threadIdx.x]; o[threadIdx.x] = own[2];\n\
                  delete[] own; __syncthreads(); if (threadIdx.x == 0) free(kept); }\n\
                  __global__ void beyond(int *o) { kept = (int *)malloc(8 * sizeof(int)); kept[threadIdx.x + 1] = 1; }\n\
                  __global__ void after(int *o) { kept = (int *)malloc(4); free(kept); kept[0] = 1; }\n\
                  __global__ void twice(int *o) { kept = (int *)malloc(4); free(kept); free(kept); }";
    let builder = || SourceModule::builder(source);
    // What one module has made another one may use, checked or not.
    for is_checked in [false, true] {
        let module = builder().check(is_checked).compile().unwrap_or_else(|error| panic!("{error}"));
        let mut o = zeros::<i32>(8);
        module.get_function("make").unwrap().launch(1, 1, 8).unwrap();
        module.get_function("use").unwrap().launch(1, 8, &mut o).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(o.to_vec(), PLACES);
    }
    if is_on_host() {
        let module = builder().check(true).compile().unwrap();
        for (name, message) in [("beyond", "write of 4 bytes out of bounds"), ("after", "write of 4 bytes")] {
            let mut o = zeros::<i32>(8);
            let error = module.get_function(name).unwrap().launch(1, 8, &mut o).unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
        }
        let twice = builder().compile().unwrap().get_function("twice").unwrap();
        let error = twice.launch(1, 8, &mut zeros::<i32>(8)).unwrap_err();
        assert!(error.to_string().contains("was freed before"), "{error}");
    }
}
