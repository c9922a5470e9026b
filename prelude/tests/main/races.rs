//! Races that `GPUREPL_CHECK=1` finds on the host device, and programs without
//! one in which it finds none.

use gpurepl_prelude::*;

use crate::is_on_host;

fn checked(source: &str, name: &str) -> Function {
    SourceModule::builder(source).check(true).compile().unwrap().get_function(name).unwrap()
}

/// What is said about a launch of one block or several.
#[track_caller]
fn race(source: &str, grid: usize, block: usize) -> KernelFault {
    let name = source.split("void ").nth(1).and_then(|rest| rest.split('(').next()).unwrap();
    let error = checked(source, name).launch(grid, block, &mut arange(0..1024_i32)).unwrap_err();
    let fault = error.kernel_fault().unwrap().clone();
    assert_eq!(fault.kind, FaultKind::Race, "{fault}");
    fault
}

macro_rules! on_host {
    () => {
        if !is_on_host() {
            return;
        }
    };
}

#[test]
fn a_missing_barrier_went_unnoticed() {
    on_host!();
    let source = "__global__ void turn(int *a)\n{\n  __shared__ int s[64];\n  s[threadIdx.x] = a[threadIdx.x];\n  \
                  a[threadIdx.x] = s[63 - threadIdx.x];\n}";
    let fault = race(source, 1, 64);
    // The last thread comes first.
    assert_eq!(fault.line, Some(4), "{fault}");
    assert!(fault.message.contains("has read, line 5"), "{fault}");
    assert!(fault.message.contains("the block's shared memory"), "{fault}");
    // With the barrier there is none, and the answer is the same.
    let mended = source.replace("  a[thr", "  __syncthreads();\n  a[thr");
    let mut a = arange(0..64);
    checked(&mended, "turn").launch(1, 64, &mut a).unwrap();
    assert_eq!(a.to_vec(), (0..64).rev().collect::<Vec<i32>>());
}

#[test]
fn a_second_barrier_is_missing_in_a_loop() {
    on_host!();
    let source = "__global__ void shift(int *a)\n{\n  __shared__ int s[64];\n  int v = a[threadIdx.x];\n  for (int k = 0; k < 3; k++) {\n    \
                  s[threadIdx.x] = v;\n    __syncthreads();\n    v = s[(threadIdx.x + 1) % 64];\n  }\n  a[threadIdx.x] = v;\n}";
    let fault = race(source, 1, 64);
    assert!(fault.message.contains("what thread") && matches!(fault.line, Some(6 | 8)), "{fault}");
    let mended = source.replace("% 64];\n  }", "% 64];\n    __syncthreads();\n  }");
    checked(&mended, "shift").launch(1, 64, &mut arange(0..64_i32)).unwrap();
}

#[test]
fn a_sum_without_atomics_is_a_race_between_threads_and_blocks() {
    on_host!();
    let source = "__global__ void total(int *a) {\n  a[0] += a[blockIdx.x*blockDim.x + threadIdx.x];\n}";
    let fault = race(source, 1, 32);
    assert_eq!(fault.line, Some(2), "{fault}");
    assert!(fault.message.contains("in `a`, an array of 4096 bytes, 0 bytes from its start"), "{fault}");
    let fault = race(source, 32, 1);
    assert!(fault.message.contains("of block ["), "{fault}");
    assert!(fault.help.contains("blocks do not wait for each other"), "{fault}");
}

#[test]
fn a_warp_needs_syncwarp_between_its_steps() {
    on_host!();
    let source = "__global__ void warp(int *a)\n{\n  __shared__ int s[32];\n  int t = threadIdx.x;\n  s[t] = a[t];\n  __syncwarp();\n  \
                  int v = s[t ^ 1];\n  s[t] = v + 1;\n  __syncwarp();\n  a[t] = s[t];\n}";
    let fault = race(source, 1, 32);
    assert!(fault.message.contains("has read") || fault.message.contains("has written"), "{fault}");
    let mended = source.replace("int v = s[t ^ 1];", "int v = s[t ^ 1];\n  __syncwarp();");
    checked(&mended, "warp").launch(1, 32, &mut arange(0..32_i32)).unwrap();
}

#[test]
fn programs_without_a_race_have_none() {
    on_host!();
    for (name, source) in [
        // A flag that many threads raise.
        ("flag", "__global__ void flag(int *a) { if (threadIdx.x % 3 == 0) a[1000] = 7; }"),
        // Sums by atomics, of bytes beside each other, and by shuffles.
        (
            "sums",
            "__global__ void sums(int *a) {\n  __shared__ unsigned char c[128];\n  c[threadIdx.x] = threadIdx.x;\n  __syncthreads();\n  \
             int v = c[127 - threadIdx.x];\n  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);\n  \
             if (threadIdx.x % 32 == 0) atomicAdd(a + 1000, v);\n}",
        ),
        // A tree of sums.
        (
            "tree",
            "__global__ void tree(int *a) {\n  extern __shared__ int unused[];\n  __shared__ int s[128];\n  int t = threadIdx.x;\n  s[t] = a[t];\n  \
             __syncthreads();\n  for (int d = 64; d > 0; d /= 2) {\n    if (t < d) s[t] += s[t + d];\n    __syncthreads();\n  }\n  if (t == 0) a[blockIdx.x + 900] = s[0];\n}",
        ),
        // The last block adds what the others have left.
        (
            "last",
            "__device__ unsigned int count;\n__global__ void last(int *a) {\n  __shared__ bool is_last;\n  if (threadIdx.x == 0) {\n    a[900 + blockIdx.x] = blockIdx.x;\n    \
             __threadfence();\n    is_last = atomicInc(&count, gridDim.x) == gridDim.x - 1;\n  }\n  __syncthreads();\n  \
             if (is_last && threadIdx.x == 0) for (int k = 0; k < gridDim.x; k++) a[800] += a[900 + k];\n}",
        ),
        // A lock.
        (
            "lock",
            "__device__ int taken;\n__global__ void lock(int *a) {\n  for (bool done = false; !done;) {\n    if (atomicCAS(&taken, 0, 1) == 0) {\n      \
             a[1000] += 1;\n      __threadfence();\n      atomicExch(&taken, 0);\n      done = true;\n    }\n  }\n}",
        ),
    ] {
        let mut a = arange(0..1024_i32);
        checked(source, name)
            .launch_shared(4, 128, 64, &mut a)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn a_misaligned_vector_passed_in_a_checked_build() {
    on_host!();
    let source = "__global__ void load(float *a, int by)\n{\n  float4 v = *(float4 *)(a + by);\n  a[0] = v.x + v.w;\n}";
    let kernel = checked(source, "load");
    let mut a = ones::<f32>(64);
    kernel.launch(1, 1, (&mut a, 4)).unwrap();
    let error = kernel.launch(1, 1, (&mut a, 1)).unwrap_err();
    let fault = error.kernel_fault().unwrap();
    assert_eq!(
        (fault.kind, fault.line, fault.thread),
        (FaultKind::Misaligned, Some(3), Some([0; 3])),
        "{fault}"
    );
    assert!(fault.message.contains("is not a multiple of 16"), "{fault}");
}

#[test]
fn freed_memory_is_nobodys_in_a_checked_build() {
    on_host!();
    let kernel = checked(
        "__global__ void read(int *a, unsigned long long gone) { a[0] = ((const int *)gone)[1]; }",
        "read",
    );
    let mut a = zeros::<i32>(4);
    let address = {
        let gone = arange(0..1000_i32);
        gone.gpudata().address()
    };
    let error = kernel.launch(1, 1, (&mut a, address)).unwrap_err();
    assert_eq!(error.kernel_fault().unwrap().kind, FaultKind::OutOfBounds, "{error}");
}
