//! Variables of a module, read and written from outside.

use gpurepl_prelude::*;

/// What a variable holds.
fn read<const N: usize>(module: &SourceModule, name: &str) -> [i32; N] {
    let mut values = [0; N];
    memcpy_dtoh(&mut values, &module.get_global(name).unwrap()).unwrap();
    values
}

const SOURCE: &str = r#"
    __constant__ int weights[4];
    __device__ int counter = 3, other;
    static __device__ int table[2] = {1, 2};
    static __constant__ int shift = 5;
    namespace deep { __device__ int x = 7; namespace { __device__ int hidden; } static __device__ int own = 8; }
    extern "C" { __device__ int plain = 9; }
    #if 0
    __device__ int removed;
    #endif
    __device__ int helper(int x) { return x + shift; }
    __global__ void f(int *a)
    {
        int i = threadIdx.x;
        if (i < 4) a[i] = weights[i];
        if (i == 4) a[i] = table[0] + 100 * table[1];
        if (i == 5) a[i] = helper(0);
        if (i == 6) a[i] = deep::x + 100 * deep::hidden + 10000 * deep::own;
        if (i == 7) { a[i] = counter + plain; counter = counter + 1; other = 12; }
    }
"#;

#[test]
fn constants_are_written_before_a_launch_and_results_read_after() {
    let module = SourceModule::new(SOURCE).unwrap();
    let f = module.get_function("f").unwrap();
    let mut weights = module.get_global("weights").unwrap();
    assert_eq!(weights.len(), 16);
    memcpy_htod(&mut weights, &[10, 20, 30, 40]).unwrap();
    let mut a = zeros::<i32>(8);
    f.launch(1, 8, &mut a).unwrap();
    assert_eq!(a.to_vec(), [10, 20, 30, 40, 201, 5, 80_007, 12]);
    assert_eq!(read(&module, "counter"), [4]);
    assert_eq!(read(&module, "other"), [12]);
    // Variables keep what they hold from launch to launch.
    f.launch(1, 8, &mut a).unwrap();
    assert_eq!(read(&module, "counter"), [5]);
}

#[test]
fn what_nothing_in_the_source_writes_can_be_written_as_well() {
    let module = SourceModule::new(SOURCE).unwrap();
    for (name, value) in [("shift", 50), ("deep::x", 1), ("hidden", 2), ("deep::own", 3), ("plain", 90)] {
        memcpy_htod(&mut module.get_global(name).unwrap(), &[value]).unwrap();
    }
    memcpy_htod(&mut module.get_global("table").unwrap(), &[8, 9]).unwrap();
    let mut a = zeros::<i32>(8);
    module.get_function("f").unwrap().launch(1, 8, &mut a).unwrap();
    assert_eq!(a.to_vec()[4..], [908, 50, 30_201, 93]);
    // Another module of the same source has variables of its own.
    let another = SourceModule::new(SOURCE).unwrap();
    assert_eq!(read(&another, "table"), [1, 2]);
}

#[test]
fn a_variable_outlives_the_handle_of_its_module() {
    let mut table = SourceModule::new(SOURCE).unwrap().get_global("table").unwrap();
    memcpy_htod(&mut table, &[3]).unwrap();
    let mut values = [0; 2];
    memcpy_dtoh(&mut values, &table).unwrap();
    assert_eq!(values, [3, 2]);
    assert!(memcpy_htod(&mut table, &[1, 2, 3]).is_err());
}

#[test]
fn a_variable_is_memory_like_any_other() {
    let source = "__device__ float state[4];\n\
                  __global__ void scale(float *a) { a[threadIdx.x] *= 2; }";
    let module = SourceModule::new(source).unwrap();
    let mut state = module.get_global("state").unwrap();
    memcpy_dtod(&mut state, &gpu![f32; 1, 2, 3, 4].gpudata()).unwrap();
    module.get_function("scale").unwrap().launch(1, 4, &mut state).unwrap();
    let mut copy = mem_alloc(16).unwrap();
    memcpy_dtod(&mut copy, &state).unwrap();
    let mut values = [0.0_f32; 4];
    memcpy_dtoh(&mut values, &copy).unwrap();
    assert_eq!(values, [2.0, 4.0, 6.0, 8.0]);
}

#[test]
fn variables_that_are_not_there() {
    let module = SourceModule::new("__constant__ float a[2]; namespace n { __device__ int b; }").unwrap();
    let error = module.get_global("c").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert_eq!(
        error.to_string(),
        "c: the source has no variable marked `__device__`, `__constant__` or `__managed__` of this name; it has a, n::b"
    );
    let none = SourceModule::new("__global__ void f(int *a) {}").unwrap();
    assert_eq!(
        none.get_global("a").unwrap_err().to_string(),
        "a: the source has no variable marked `__device__`, `__constant__` or `__managed__`"
    );
    let removed = SourceModule::new(SOURCE).unwrap().get_global("removed").unwrap_err();
    assert_eq!(
        removed.to_string(),
        "removed: the preprocessor or the compiler removes this variable; check `#if` around it, and that a kernel uses it"
    );
}

#[test]
fn constants_of_the_compiler() {
    let source = "__constant__ const int a[2] = {1, 2};\n__global__ void f(int *x) { x[0] = a[1]; }";
    let module = SourceModule::new(source).unwrap();
    let mut x = [0];
    module.get_function("f").unwrap().launch(1, 1, Out(&mut x)).unwrap();
    assert_eq!(x, [2]);
    if crate::is_on_host() {
        let error = module.get_global("a").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("leave `const` out"), "{error}");
    } else {
        assert_eq!(read(&module, "a"), [1, 2]);
    }
}
