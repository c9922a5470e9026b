//! Ten thousand launches with faults among them, on the host device: none of
//! them leaves memory, threads, files or mappings behind.

use gpurepl_prelude::*;

use crate::is_on_host;

const SOURCE: &str = r#"
#include <assert.h>
__global__ void good(int *a, long long n) { a[threadIdx.x] += (int)n; }
__global__ void turn(int *a, long long n)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void warp(int *a, long long n) { a[threadIdx.x] = __shfl_xor_sync(0xffffffff, a[threadIdx.x], 1); }
__global__ void outside(int *a, long long n) { a[threadIdx.x + (n << 6)] = 1; }
__global__ void outside_in_step(int *a, long long n) { __syncthreads(); a[threadIdx.x + (n << 6)] = 1; __syncthreads(); }
__global__ void null(int *a, long long n) { *(int *)(n - 1) = 1; }
__global__ void divides(int *a, long long n) { a[threadIdx.x] /= (int)(n - 1); }
__global__ void asserts(int *a, long long n) { __syncthreads(); assert(threadIdx.x < 40 + n); }
__global__ void traps(int *a, long long n) { if (threadIdx.x == n) __trap(); }
__global__ void waits(int *a, long long n) { if (threadIdx.x > n) __syncthreads(); else __syncwarp(); }
__global__ void shared(int *a, long long n) { extern __shared__ int s[]; s[threadIdx.x + n * 64] = 1; __syncthreads(); a[0] = s[0]; }
__device__ int deep(int n, volatile int *a) { return n < 0 ? 0 : deep(n + 1, a) + a[n & 7]; }
__global__ void overflows(int *a, long long n) { a[threadIdx.x] = deep((int)n, a); }
"#;

/// What this process holds: threads, files, mappings, and bytes of memory.
fn held() -> (usize, usize, usize, usize) {
    let count = |folder: &str| std::fs::read_dir(folder).unwrap().count();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap().lines().count();
    let pages: usize = std::fs::read_to_string("/proc/self/statm")
        .unwrap()
        .split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .unwrap();
    (count("/proc/self/task"), count("/proc/self/fd"), maps, pages * 4096)
}

#[test]
fn ten_thousand_launches_leave_nothing_behind() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    // Other tests of this process would be counted.
    if std::env::var_os("GPUREPL_TEST_ALONE").is_none() {
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        alone.args(["--exact", "soak::ten_thousand_launches_leave_nothing_behind", "--nocapture"]);
        let output = alone.env("GPUREPL_TEST_ALONE", "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let module = SourceModule::new(SOURCE).unwrap();
    let good: Vec<Function> =
        ["good", "turn", "warp"].iter().map(|name| module.get_function(name).unwrap()).collect();
    let wrong: Vec<(Function, FaultKind)> = [
        ("outside", FaultKind::OutOfBounds),
        ("outside_in_step", FaultKind::OutOfBounds),
        ("null", FaultKind::NullPointer),
        ("divides", FaultKind::Arithmetic),
        ("asserts", FaultKind::Assertion),
        ("traps", FaultKind::Trap),
        ("waits", FaultKind::Deadlock),
        ("shared", FaultKind::SharedMemory),
        ("overflows", FaultKind::StackOverflow),
    ]
    .map(|(name, kind)| (module.get_function(name).unwrap(), kind))
    .into();
    // SplitMix64 (G. Steele et al., "Fast splittable pseudorandom number
    // generators", OOPSLA 2014).
    let mut state = 2026_u64;
    let mut random = |n: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % n) as usize
    };
    let mut faults = 0;
    let mut round = |random: &mut dyn FnMut(u64) -> usize| {
        let mut a = arange(0..64);
        if random(8) > 0 {
            good[random(3)].launch(1 + random(4), 64, (&mut a, 1)).unwrap();
            return;
        }
        faults += 1;
        let (kernel, kind) = &wrong[random(9)];
        let error = kernel.launch_shared(1 + random(3), 64, 256, (&mut a, 1)).unwrap_err();
        assert_eq!(error.kernel_fault().unwrap().kind, *kind, "{error}");
    };
    (0..1000).for_each(|_| round(&mut random));
    let before = held();
    (0..9000).for_each(|_| round(&mut random));
    let after = held();
    assert!(faults > 1000, "{faults}");
    assert_eq!((after.0, after.1), (before.0, before.1), "threads and files");
    assert!(after.2 <= before.2 + 16, "{} mappings became {}", before.2, after.2);
    assert!(after.3 <= before.3 + (16 << 20), "{} bytes became {}", before.3, after.3);
}
