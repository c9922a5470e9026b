//! What a compiler for CUDA defines, and what kernels do with it.

use gpurepl_prelude::*;

/// NVIDIA's sample of reductions has a sum of a warp for each architecture. On
/// the host device no architecture was defined, so the older one was compiled,
/// and it counts on what a GPU leaves in lanes that do not take part.
#[test]
fn a_reduction_for_an_architecture_was_four_times_the_sum() {
    let source = "
        template <class T> __device__ __forceinline__ T sum_of_warp(unsigned int mask, T mine)
        {
            for (int offset = warpSize / 2; offset > 0; offset /= 2) mine += __shfl_down_sync(mask, mine, offset);
            return mine;
        }
        #if __CUDA_ARCH__ >= 800
        template <> __device__ __forceinline__ int sum_of_warp<int>(unsigned int mask, int mine)
        {
            return __reduce_add_sync(mask, mine);
        }
        #endif
        template <class T, unsigned int size> __global__ void reduce(const T *in, T *out, unsigned int n)
        {
            extern __shared__ int memory[];
            T *sums = (T *)memory;
            unsigned int thread = threadIdx.x;
            T mine = 0;
            for (unsigned int i = blockIdx.x * size + thread; i < n; i += size * gridDim.x) mine += in[i];
            mine = sum_of_warp<T>(0xffffffff, mine);
            if (thread % warpSize == 0) sums[thread / warpSize] = mine;
            __syncthreads();
            const unsigned int warps = size / warpSize;
            const unsigned int mask = __ballot_sync(0xffffffff, thread < warps);
            if (thread < warps) mine = sum_of_warp<T>(mask, sums[thread]);
            if (thread == 0) out[blockIdx.x] = mine;
        }";
    let reduce = SourceModule::new(source).unwrap().get_function("reduce<int, 256>").unwrap();
    let (input, mut out) = (arange::<i32>(0..10_000), zeros::<i32>(4));
    reduce.launch_shared(4, 256, 32, (&input, &mut out, 10_000)).unwrap();
    assert_eq!(out.to_vec().iter().sum::<i32>(), 49_995_000);
}

/// What NVRTC defines; see docs/host-device.md.
#[test]
fn macros_of_the_compiler() {
    let source = "
        #ifndef __CUDACC__
        #error
        #endif
        #if !defined(__CUDACC_RTC__) || defined(__NVCC__) || !defined(__CUDA_ARCH_LIST__)
        #error
        #endif
        __global__ void k(int *out)
        {
            out[0] = __CUDA_ARCH__;
            out[1] = __CUDACC_VER_MAJOR__;
            out[2] = __CUDACC_VER_MINOR__ * 0 + CUDART_VERSION / 1000;
        #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
            out[3] = 1;
        #endif
        }";
    let k = SourceModule::new(source).unwrap().get_function("k").unwrap();
    let mut out = zeros::<i32>(4);
    k.launch(1, 1, &mut out).unwrap();
    let out = out.to_vec();
    assert_eq!(out[1], out[2]);
    if crate::is_on_host() {
        assert_eq!(out, [800, 13, 13, 1]);
    }
}

/// Functions of the architectures since 7.0.
#[test]
fn what_kernels_use_since_volta() {
    let source = "
        #include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        namespace cg = cooperative_groups;
        #if __CUDA_ARCH__ >= 700
        __global__ void k(const int *in, int *out)
        {
            __nanosleep(1);
            int x = __ldcs(in + threadIdx.x) + __ldg(in + threadIdx.x);
            unsigned int mask = __activemask();
            auto warp = cg::tiled_partition<32>(cg::this_thread_block());
            int all = cg::reduce(warp, x, cg::plus<int>());
            unsigned int same = __match_any_sync(mask, x & 1);
            atomicAdd_block(out, x);
            atomicMax_system(out + 1, x);
            if (threadIdx.x == 0) {
                out[2] = all;
                out[3] = __popc(same);
                out[4] = __reduce_max_sync(1, x);
                __stwt(out + 5, (int)__vadd4(1, 2));
            }
        }
        #endif";
    let k = SourceModule::new(source).unwrap().get_function("k").unwrap();
    let (input, mut out) = (arange::<i32>(0..32), zeros::<i32>(6));
    k.launch(1, 32, (&input, &mut out)).unwrap();
    assert_eq!(out.to_vec(), [992, 62, 992, 32, 0, 3]);
}
