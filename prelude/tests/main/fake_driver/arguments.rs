//! The bytes of arguments that the driver gets.

use gpurepl_prelude::*;

use super::{fake, give_back, has_nvrtc, in_child};

#[test]
fn numbers_of_every_type_have_their_kernels_sizes_and_bytes() {
    if !has_nvrtc() {
        return;
    }
    let Some(outcome) = fake(&[], "arguments::numbers") else { return };
    let launches = outcome.is_clean().calls("cuLaunchKernel");
    assert_eq!(launches.len(), 2, "{}", outcome.shown());
    assert_eq!(launches[0].words()[1..15].join(" "), "all grid 2 3 4 block 5 6 7 shared 64 stream 0 args");
    let expected: [&[u8]; 14] = [
        &[1],
        &(-5_i8).to_ne_bytes(),
        &(-300_i16).to_ne_bytes(),
        &(-70_000_i32).to_ne_bytes(),
        &(-123_456_789_012_i64).to_ne_bytes(),
        &[200],
        &60_000_u16.to_ne_bytes(),
        &4_000_000_000_u32.to_ne_bytes(),
        &(1_u64 << 60).to_ne_bytes(),
        &f16::from_f32(1.5).to_bits().to_ne_bytes(),
        &1.25_f32.to_ne_bytes(),
        &0.1_f64.to_ne_bytes(),
        &[1.0_f32.to_ne_bytes(), (-2.0_f32).to_ne_bytes()].concat(),
        &[1.0_f64.to_ne_bytes(), (-2.0_f64).to_ne_bytes()].concat(),
    ];
    assert_eq!(launches[0].arguments(), expected);
    // What is given as another type is the kernel's when it gets there.
    let expected: [&[u8]; 5] = [
        &3.0_f64.to_ne_bytes(),
        &0.1_f32.to_ne_bytes(),
        &7_u8.to_ne_bytes(),
        &9_u64.to_ne_bytes(),
        &(-9_i64).to_ne_bytes(),
    ];
    assert_eq!(launches[1].arguments(), expected);
}

/// The text had two signatures, and the first was taken.
#[test]
fn arguments_have_the_types_of_the_branch_that_is_compiled() {
    if !has_nvrtc() {
        return;
    }
    let Some(outcome) = fake(&[], "arguments::branches") else { return };
    let launches = outcome.is_clean().calls("cuLaunchKernel");
    let is_ours = |name: &str| ["k", "scale", "version"].contains(&name) || name.starts_with("pack");
    let ours = launches.iter().filter(|launch| is_ours(launch.words()[1]));
    let scalars: Vec<Vec<u8>> = ours.map(|launch| launch.arguments().last().unwrap().to_vec()).collect();
    let expected = [
        3_i32.to_ne_bytes().to_vec(),
        0.1_f64.to_ne_bytes().to_vec(),
        0.1_f32.to_ne_bytes().to_vec(),
        2_i32.to_ne_bytes().to_vec(),
        5_i64.to_ne_bytes().to_vec(),
    ];
    assert_eq!(scalars, expected, "{}", outcome.shown());
}

#[test]
#[ignore = "a body"]
fn branches() {
    if !in_child() {
        return;
    }
    let source = "
        #ifdef USE_DOUBLE
        typedef double real;
        #else
        typedef float real;
        #endif
        #define KERNEL extern \"C\" __global__ void
        #if 0
        KERNEL k(float x) {}
        #else
        KERNEL k(int x) {}
        #endif
        KERNEL scale(real *a, real by) {}
        #if __CUDACC_VER_MAJOR__ < 9
        __global__ void version(float x) {}
        #else
        __global__ void version(int x = 2) {}
        #endif
        template <class... T> __global__ void pack(T... values) {}";
    let module = SourceModule::new(source).unwrap();
    module.get_function("k").unwrap().launch(1, 1, 3).unwrap();
    let double =
        SourceModule::with_options(source, &["-DUSE_DOUBLE"]).unwrap().get_function("scale").unwrap();
    double.launch(1, 1, (&mut zeros::<f64>(1), 0.1)).unwrap();
    let refused = double.launch(1, 1, (&mut zeros::<f32>(1), 0.1)).unwrap_err().to_string();
    assert!(refused.contains("takes an array of float64, not of float32"), "{refused}");
    module.get_function("scale").unwrap().launch(1, 1, (&mut zeros::<f32>(1), 0.1)).unwrap();
    module.get_function("version").unwrap().launch(1, 1, ()).unwrap();
    module.get_function("pack<char, long long>").unwrap().launch(1, 1, (b'a', 5)).unwrap();
    give_back();
}

#[test]
#[ignore = "a body"]
fn numbers() {
    if !in_child() {
        return;
    }
    let source = r#"
        #include <cuda_fp16.h>
        #include <pycuda-complex.hpp>
        __global__ void all(bool a, signed char b, short c, int d, long long e, unsigned char f, unsigned short g,
                            unsigned int h, unsigned long long i, half j, float k, double l,
                            pycuda::complex<float> m, pycuda::complex<double> n) {}
        __global__ void converted(double a, float b, unsigned char c, size_t d, ptrdiff_t e) {}
    "#;
    let module = SourceModule::new(source).unwrap();
    let all = module.get_function("all").unwrap();
    let numbers = (
        true,
        -5_i8,
        -300_i16,
        -70_000,
        -123_456_789_012_i64,
        200_u8,
        60_000_u16,
        4_000_000_000_u32,
        1_u64 << 60,
        f16::from_f32(1.5),
        1.25_f32,
        0.1,
        Complex32::new(1.0, -2.0),
        Complex64::new(1.0, -2.0),
    );
    all.launch_shared((2, 3, 4), (5, 6, 7), 64, numbers).unwrap();
    let converted = module.get_function("converted").unwrap();
    converted.launch(1, 1, (3, 0.1, 7, 9_usize, -9_isize)).unwrap();
}

#[test]
fn arrays_are_addresses_and_views_lie_within() {
    if !has_nvrtc() {
        return;
    }
    let Some(outcome) = fake(&[], "arguments::arrays") else { return };
    let launches = outcome.is_clean().calls("cuLaunchKernel");
    let address = |launch: usize, argument: usize| {
        u64::from_ne_bytes(launches[launch].arguments()[argument].clone().try_into().unwrap())
    };
    let a = address(0, 0);
    assert!(outcome.calls("cuMemAllocAsync").iter().any(|call| call.after("->") == format!("0x{a:x}")));
    // a[2..], and device memory itself.
    assert_eq!((address(1, 0), address(2, 0)), (a + 2 * 4, a));
    // An array of no elements has no memory.
    assert_eq!(address(3, 0), 0);
    assert_eq!(launches[0].arguments()[1], 4_i32.to_ne_bytes());
    assert_eq!(launches[4].text, "cuLaunchKernel nothing grid 1 1 1 block 1 1 1 shared 0 stream 0 args none");
    assert_eq!(launches.len(), 5);
    assert_eq!(outcome.left("allocations"), 0, "{}", outcome.shown());
}

#[test]
#[ignore = "a body"]
fn arrays() {
    if !in_child() {
        return;
    }
    let module = SourceModule::new(
        "__global__ void twice(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] *= 2; }\n\
         __global__ void nothing() {}",
    )
    .unwrap();
    let twice = module.get_function("twice").unwrap();
    let mut a = to_gpu(&[1.0_f32, 2.0, 3.0, 4.0]);
    twice.launch(1, 4, (&mut a, 4)).unwrap();
    assert_eq!(a.to_vec(), [2.0, 4.0, 6.0, 8.0]);
    twice.launch(1, 4, (&a[2..], 2)).unwrap();
    assert_eq!(a.to_vec(), [2.0, 4.0, 12.0, 16.0]);
    twice.launch(1, 4, (a.gpudata(), 1)).unwrap();
    assert_eq!(a.to_vec(), [4.0, 4.0, 12.0, 16.0]);
    twice.launch(1, 4, (&mut empty::<f32>(0), 0)).unwrap();
    module.get_function("nothing").unwrap().launch(1, 1, ()).unwrap();
    drop(a);
    give_back();
}

#[test]
fn the_hosts_data_goes_there_and_back() {
    if !has_nvrtc() {
        return;
    }
    let Some(outcome) = fake(&[], "arguments::host_data") else { return };
    let launches = outcome.is_clean().calls("cuLaunchKernel");
    let copied = |function| outcome.calls(function).len();
    // In and InOut go there, InOut and Out come back.
    assert_eq!(
        (copied("cuMemcpyHtoDAsync_v2"), copied("cuMemcpyDtoHAsync_v2")),
        (2, 2),
        "{}",
        outcome.shown()
    );
    let given: Vec<u64> = launches[0]
        .arguments()
        .iter()
        .filter_map(|bytes| bytes.as_slice().try_into().ok().map(u64::from_ne_bytes))
        .collect();
    assert_eq!(given.len(), 3);
    for address in given {
        let shown = format!("0x{address:x}");
        assert!(outcome.calls("cuMemFreeAsync").iter().any(|call| call.words()[1] == shown), "{shown}");
    }
    assert_eq!(outcome.left("allocations"), 0);
}

#[test]
#[ignore = "a body"]
fn host_data() {
    if !in_child() {
        return;
    }
    let source = "__global__ void fill(float *out, float value, int n, const float *a, float *b) {}";
    let fill = SourceModule::new(source).unwrap().get_function("fill").unwrap();
    let a = vec![1.0_f32, 2.0, 3.0];
    let (mut b, mut out) = (ndarray::array![4.0_f32, 5.0], [0.0_f32; 3]);
    fill.launch(1, 3, (Out(&mut out), 6.5, 3, In(&a), InOut(&mut b))).unwrap();
    assert_eq!((out, b.to_vec()), ([6.5; 3], vec![4.0, 5.0]));
    give_back();
}

#[test]
fn what_does_not_fit_is_never_launched() {
    if !has_nvrtc() {
        return;
    }
    let Some(outcome) = fake(&[], "arguments::misfits") else { return };
    let launches = outcome.is_clean().calls("cuLaunchKernel");
    // An enumeration is a number; a structure as large as one is none. See the body.
    assert_eq!(launches.len(), 1, "{}", outcome.shown());
    assert_eq!(launches[0].arguments(), [7_u64.to_ne_bytes()]);
}

#[test]
#[ignore = "a body"]
fn misfits() {
    if !in_child() {
        return;
    }
    let source = "struct None {}; struct Wide { int a[5]; }; struct Word { long long a; };\n\
                  enum Level : long long { LOW };\n__global__ void level(Level a) {}\n\
                  __global__ void none(None a) {}\n__global__ void wide(Wide a) {}\n\
                  __global__ void word(Word a) {}\n__global__ void bounded(int *a) {}\n\
                  __global__ void __launch_bounds__(128) small() {}";
    let module = SourceModule::new(source).unwrap();
    for name in ["none", "wide", "word"] {
        let error = module.get_function(name).unwrap().launch(1, 1, 7_u64).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument, "{error}");
    }
    module.get_function("level").unwrap().launch(1, 1, 7_u64).unwrap();
    let bounded = module.get_function("bounded").unwrap();
    let mut a = to_gpu(&[1, 2]);
    for (grid, block) in [((0, 1, 1), 1), ((1, 65_536, 1), 1), ((1, 1, 1), 1025)] {
        let error = bounded.launch(grid, block, &mut a).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Launch, "{error}");
    }
    let error = module.get_function("small").unwrap().launch(1, 129, ()).unwrap_err();
    assert!(error.to_string().contains("allows 128"), "{error}");
    assert_eq!(bounded.launch(1, 1, 5).unwrap_err().kind(), ErrorKind::Argument);
}
