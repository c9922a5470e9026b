//! Atomic operations of every type and scope.

use gpurepl_prelude::*;

const TYPES: [&str; 4] = ["int", "unsigned int", "unsigned long long", "long long"];
const SCOPES: [&str; 3] = ["", "_block", "_system"];

/// A kernel with every operation that CUDA has for a type.
fn kernel(name: &str, c: &str, scope: &str) -> String {
    let (is_narrow, has_sums) = (c.contains("int"), c != "long long");
    let argument = if is_narrow { "int" } else { "long long" };
    let mut text = format!(
        "__global__ void {name}({argument} *answers)\n{{\n  {c} *a = ({c} *)answers;\n  int i = threadIdx.x;\n  \
         atomicMin{scope}(a + 2, ({c})(500 - i)); atomicMax{scope}(a + 3, ({c})i);\n  \
         atomicAnd{scope}(a + 4, ~(({c})1 << i % 20)); atomicOr{scope}(a + 5, ({c})1 << i % 20);\n  \
         atomicXor{scope}(a + 6, ({c})i);\n"
    );
    if has_sums {
        text.push_str(&format!(
            "  atomicAdd{scope}(a, ({c})i); atomicExch{scope}(a + 7, ({c})(i + 1));\n  {c} old = a[8], seen;\n  \
             do {{ seen = old; old = atomicCAS{scope}(a + 8, seen, ({c})(seen + 2)); }} while (old != seen);\n"
        ));
    }
    if is_narrow {
        text.push_str(&format!("  atomicSub{scope}(a + 1, ({c})1);\n"));
    }
    text + "}\n"
}

/// What many threads leave in one place does not depend on their order.
#[test]
fn of_integers() {
    let mut source = String::new();
    for (k, c) in TYPES.iter().enumerate() {
        for (l, scope) in SCOPES.iter().enumerate() {
            source.push_str(&kernel(&format!("f{k}{l}"), c, scope));
        }
    }
    let module = SourceModule::new(&source).unwrap();
    for (k, c) in TYPES.iter().enumerate() {
        for (l, scope) in SCOPES.iter().enumerate() {
            let f = module.get_function(&format!("f{k}{l}")).unwrap();
            let start = [0_i64, 1000, 1000, 0, 0xff_ffff, 0, 0, -1, 0];
            let answers: Vec<i64> = if c.contains("int") {
                let mut a = to_gpu(start.map(|x| x as i32));
                f.launch(1, 256, &mut a).unwrap();
                a.to_vec().into_iter().map(i64::from).collect()
            } else {
                let mut a = to_gpu(start);
                f.launch(1, 256, &mut a).unwrap();
                a.to_vec()
            };
            let mut expected = [255 * 128, 1000, 245, 255, 0xf0_0000, 0xf_ffff, 0, answers[7], 512];
            if c.contains("int") {
                expected[1] -= 256;
            }
            if *c == "long long" {
                (expected[0], expected[7], expected[8]) = (0, -1, 0);
            } else {
                assert!((1..=256).contains(&answers[7]), "{c}{scope}: {answers:?}");
            }
            assert_eq!(answers, expected, "{c}{scope}");
        }
    }
}

#[test]
fn counters_that_wrap() {
    let source = r#"
        __global__ void f(unsigned int *a, unsigned int *seen)
        {
            unsigned int i = threadIdx.x;
            seen[i] = atomicInc(a, 9);
            atomicDec(a + 1, 6);
            atomicInc_block(a + 2, 1000);
            atomicDec_system(a + 3, 1000);
            __threadfence(); __threadfence_block(); __threadfence_system();
        }
    "#;
    let f = SourceModule::new(source).unwrap().get_function("f").unwrap();
    let (mut a, mut seen) = (to_gpu([0_u32, 100, 5, 5]), zeros::<u32>(100));
    f.launch(1, 100, (&mut a, &mut seen)).unwrap();
    // 100 is above the limit, so the first step leads to it; then there are 99.
    assert_eq!(a.to_vec(), [0, 6 - 99 % 7, 105, 5 + 1001 - 100]);
    let mut seen = seen.to_vec();
    seen.sort_unstable();
    assert_eq!(seen, (0..100).map(|k| k / 10).collect::<Vec<u32>>());
}

#[test]
fn of_floating_numbers() {
    let source = r#"
        __global__ void f(float *a, double *b, unsigned short *c)
        {
            atomicAdd(a, 0.5f); atomicAdd_block(a + 1, 2.0f); atomicAdd_system(a + 2, -1.0f);
            atomicAdd(b, 0.5); atomicAdd_block(b + 1, 2.0); atomicAdd_system(b + 2, -1.0);
            atomicExch(a + 3, 7.0f);
            unsigned short old = *c, seen;
            do { seen = old; old = atomicCAS(c, seen, (unsigned short)(seen + 3)); } while (old != seen);
        }
    "#;
    let f = SourceModule::new(source).unwrap().get_function("f").unwrap();
    let (mut a, mut b, mut c) = (zeros::<f32>(4), zeros::<f64>(3), zeros::<u16>(2));
    f.launch(4, 64, (&mut a, &mut b, &mut c)).unwrap();
    assert_eq!(a.to_vec(), [128.0, 512.0, -256.0, 7.0]);
    assert_eq!(b.to_vec(), [128.0, 512.0, -256.0]);
    assert_eq!(c.to_vec(), [768, 0]);
}

/// Additions of vectors came with compute capability 9.0.
#[test]
fn of_vectors() {
    let source = r#"
        __global__ void f(float *a)
        {
        #if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
            atomicAdd((float2 *)a, make_float2(1, 2));
            atomicAdd((float4 *)(a + 4), make_float4(1, 2, 3, 4));
        #else
            a[0] = -1;
        #endif
        }
    "#;
    let f = SourceModule::new(source).unwrap().get_function("f").unwrap();
    let mut a = zeros::<f32>(8);
    f.launch(2, 32, &mut a).unwrap();
    let answers = a.to_vec();
    assert!(
        answers[0] == -1.0 || answers == [64.0, 128.0, 0.0, 0.0, 64.0, 128.0, 192.0, 256.0],
        "{answers:?}"
    );
}

/// Kernels for old GPUs bring what those lacked.
#[test]
fn a_kernels_own_atomic_goes_first() {
    let source = r#"
        __device__ float atomicMax(float *p, float v)
        {
            int *place = (int *)p;
            int old = *place, seen;
            do {
                seen = old;
                old = atomicCAS(place, seen, __float_as_int(fmaxf(v, __int_as_float(seen))));
            } while (old != seen);
            return __int_as_float(old);
        }
        #if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 600
        __device__ double atomicAdd(double *p, double v) { double old = *p; *p += v; return old; }
        #endif
        __global__ void f(float *a, double *b)
        {
            atomicMax(a, (float)threadIdx.x);
            if (threadIdx.x == 0) atomicAdd(b, 1.5);
        }
    "#;
    let f = SourceModule::new(source).unwrap().get_function("f").unwrap();
    let (mut a, mut b) = (zeros::<f32>(1), zeros::<f64>(1));
    f.launch(1, 64, (&mut a, &mut b)).unwrap();
    assert_eq!((a.item(), b.item()), (63.0, 1.5));
}
