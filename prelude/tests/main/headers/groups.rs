//! `cooperative_groups.h`: blocks, tiles of them and lanes as they come.

use gpurepl_prelude::*;

use super::kernel;
use crate::is_on_host;

#[test]
fn a_group_of_any_kind_is_summed_in_shared_memory() {
    let source = r#"
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __device__ int sum(cg::thread_group group, int *room, int value)
        {
            int rank = group.thread_rank();
            for (int half = group.size() / 2; half > 0; half /= 2) {
                room[rank] = value;
                group.sync();
                if (rank < half) value += room[rank + half];
                group.sync();
            }
            return value;
        }
        __global__ void k(const int *a, int *blocks, int *tiles)
        {
            extern __shared__ int room[];
            cg::thread_block block = cg::this_thread_block();
            int rank = block.thread_rank(), i = block.group_index().x * block.size() + rank;
            int total = sum(block, room, a[i]);
            if (rank == 0) blocks[blockIdx.x] = total;
            cg::sync(block);
            cg::thread_group tile = cg::tiled_partition(block, 8), part = cg::tiled_partition(tile, 4);
            total = sum(part, room + rank / 4 * 4, a[i]);
            if (part.thread_rank() == 0) tiles[i / 4] = total;
        }
    "#;
    let a: Vec<i32> = (0..3 * 128).map(|k| k * k % 1001).collect();
    let (mut blocks, mut tiles) = (vec![0; 3], vec![0; 3 * 32]);
    kernel(source).launch_shared(3, (16, 8), 128 * 4, (In(&a), Out(&mut blocks), Out(&mut tiles))).unwrap();
    assert_eq!(blocks, a.chunks(128).map(|part| part.iter().sum()).collect::<Vec<i32>>());
    assert_eq!(tiles, a.chunks(4).map(|part| part.iter().sum()).collect::<Vec<i32>>());
}

#[test]
fn tiles_of_each_size() {
    let source = r#"
        #include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        #include <cooperative_groups/scan.h>
        namespace cg = cooperative_groups;
        __global__ void k(const int *a, int *out)
        {
            auto block = cg::this_thread_block();
            cg::thread_block_tile<SIZE> tile = cg::tiled_partition<SIZE>(block);
            int i = block.thread_rank(), n = block.num_threads(), v = a[i];
            int down = v;
            for (int step = tile.size() / 2; step > 0; step /= 2) down += tile.shfl_down(down, step);
            out[i] = tile.shfl(down, 0);
            out[n + i] = cg::reduce(tile, v, cg::plus<int>());
            out[2 * n + i] = (int)cg::reduce(tile, (double)v, cg::greater<double>());
            out[3 * n + i] = cg::reduce(tile, (long long)v, cg::less<long long>());
            out[4 * n + i] = cg::inclusive_scan(tile, v);
            out[5 * n + i] = cg::exclusive_scan(tile, v, cg::plus<int>());
            out[6 * n + i] = cg::reduce(tile, (unsigned int)v, cg::bit_xor<unsigned int>());
            out[7 * n + i] = tile.any(v > 990) | tile.all(v < 900) << 1 | (__popc(tile.ballot(v % 2)) << 2);
            out[8 * n + i] = tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.meta_group_size();
            out[9 * n + i] = tile.shfl_up(v, 1) - tile.shfl_xor(v, SIZE / 2);
            out[10 * n + i] = __popc(tile.match_any(v % 3));
            int same;
            tile.match_all(v < 2000, same);
            out[11 * n + i] = same;
            tile.sync();
        }
    "#;
    let a: Vec<i32> = (0..64).map(|k| (k * k * 7 + 13 * k) % 1001).collect();
    for size in [1, 2, 4, 8, 16, 32] {
        let mut out = vec![0; 12 * 64];
        let kernel = kernel(&source.replace("SIZE", &size.to_string()));
        kernel.launch(1, 64, (In(&a), Out(&mut out))).unwrap();
        for i in 0..64 {
            let (tile, rank) = (&a[i / size * size..][..size], i % size);
            let sum: i32 = tile.iter().sum();
            let flags = i32::from(tile.iter().any(|v| *v > 990))
                | i32::from(tile.iter().all(|v| *v < 900)) << 1
                | (tile.iter().filter(|v| *v % 2 == 1).count() as i32) << 2;
            let expected = [
                sum,
                sum,
                *tile.iter().max().unwrap(),
                *tile.iter().min().unwrap(),
                tile[..=rank].iter().sum(),
                tile[..rank].iter().sum(),
                tile.iter().fold(0, |all, v| all ^ v),
                flags,
                (rank + 100 * (i / size) + 10_000 * (64 / size)) as i32,
                tile[rank.saturating_sub(1)] - tile[rank ^ (size / 2)],
                tile.iter().filter(|v| *v % 3 == a[i] % 3).count() as i32,
                1,
            ];
            let found: Vec<i32> = (0..12).map(|k| out[k * 64 + i]).collect();
            assert_eq!(found, expected, "thread {i}, tiles of {size}");
        }
    }
}

/// `block_tile_memory` and tiles of more than a warp did not compile.
#[test]
fn tiles_of_several_warps_were_refused() {
    let source = r#"
        #include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        #include <cooperative_groups/scan.h>
        namespace cg = cooperative_groups;
        __global__ void k(const int *a, long long *out)
        {
            __shared__ long long room[512];
        #ifdef BRINGS_MEMORY
            __shared__ cg::block_tile_memory<512> memory;
            auto block = cg::this_thread_block(memory);
        #else
            auto block = cg::this_thread_block();
        #endif
            auto tile = cg::tiled_partition<SIZE>(block);
            int i = block.thread_rank(), n = block.num_threads(), rank = tile.thread_rank();
            long long v = a[i];
            out[i] = cg::reduce(tile, v, cg::plus<long long>());
            out[n + i] = cg::reduce(tile, (int)v, cg::less<int>());
            out[2 * n + i] = cg::inclusive_scan(tile, v);
            out[3 * n + i] = cg::exclusive_scan(tile, (int)v, cg::plus<int>());
            out[4 * n + i] = tile.any(v > 990) | tile.all(v < 900) << 1;
            out[5 * n + i] = rank + 1000 * tile.meta_group_rank() + 100000 * tile.meta_group_size();
            out[6 * n + i] = tile.shfl(v, SIZE - 3);
            // Tiles go their own ways; their threads see what the others have written.
            long long sum = 0;
            for (int turn = 0; turn <= tile.meta_group_rank(); turn++) {
                room[i] = v + turn;
                tile.sync();
                sum += room[i - rank + (rank + 33) % SIZE];
                tile.sync();
            }
            out[7 * n + i] = sum;
            out[8 * n + i] = cg::reduce(cg::tiled_partition<16>(tile), v, cg::plus<long long>());
        }
    "#;
    let a: Vec<i32> = (0..512).map(|k| (k * k * 7 + 13 * k) % 1001).collect();
    for (size, option, is_checked) in [
        (64, "-DA", false),
        (64, "-DBRINGS_MEMORY", true),
        (128, "-DBRINGS_MEMORY", false),
        (512, "-DA", true),
    ] {
        let mut out = vec![0_i64; 9 * 512];
        let source = source.replace("SIZE", &size.to_string());
        let module = SourceModule::builder(&source).option(option).check(is_checked).compile().unwrap();
        module.get_function("k").unwrap().launch(1, (32, 16), (In(&a), Out(&mut out))).unwrap();
        for i in 0..512 {
            let (tile, rank) = (&a[i / size * size..][..size], i % size);
            let flags =
                i32::from(tile.iter().any(|v| *v > 990)) | i32::from(tile.iter().all(|v| *v < 900)) << 1;
            let turns = (i / size) as i32;
            let expected = [
                tile.iter().sum(),
                *tile.iter().min().unwrap(),
                tile[..=rank].iter().sum(),
                tile[..rank].iter().sum(),
                flags,
                (rank + 1000 * (i / size) + 100_000 * (512 / size)) as i32,
                tile[size - 3],
                tile[(rank + 33) % size] * (turns + 1) + turns * (turns + 1) / 2,
                a[i / 16 * 16..][..16].iter().sum(),
            ];
            let found: Vec<i64> = (0..9).map(|k| out[k * 512 + i]).collect();
            assert_eq!(found, expected.map(i64::from), "thread {i}, tiles of {size}, {option}");
        }
    }
}

/// M. Harris and K. Perelygin, "Cooperative groups", 2017: one atomic
/// addition for all lanes that happen to be there.
#[test]
fn lanes_that_happen_to_be_there_count_together() {
    let source = r#"
        #include <cooperative_groups.h>
        using namespace cooperative_groups;
        __device__ int increment(int *counter)
        {
            coalesced_group active = coalesced_threads();
            int first = 0;
            if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
            return active.shfl(first, 0) + active.thread_rank();
        }
        __global__ void k(const int *a, int *kept, int *counter, int n)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n && a[i] % 3 != 0) kept[increment(counter)] = a[i];
        }
    "#;
    let a: Vec<i32> = (0..1000).map(|k| k * 37 % 1009).collect();
    let (mut kept, mut counter) = (vec![-1; 1000], [0]);
    kernel(source).launch(8, 128, (In(&a), InOut(&mut kept), InOut(&mut counter), 1000)).unwrap();
    let mut expected: Vec<i32> = a.into_iter().filter(|v| v % 3 != 0).collect();
    assert_eq!(counter, [expected.len() as i32]);
    kept.truncate(expected.len());
    kept.sort_unstable();
    expected.sort_unstable();
    assert_eq!(kept, expected);
}

#[test]
fn lanes_with_a_label_in_common() {
    let source = r#"
        #include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        #include <cooperative_groups/scan.h>
        namespace cg = cooperative_groups;
        __global__ void k(const int *a, int *out)
        {
            cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
            int i = threadIdx.x, v = a[i];
            cg::coalesced_group same = cg::labeled_partition(warp, v % 5), odd = cg::binary_partition(warp, v % 2 == 1);
            out[i] = cg::reduce(same, v, cg::plus<int>());
            out[32 + i] = same.size() + 100 * same.thread_rank();
            out[64 + i] = cg::inclusive_scan(odd, (float)v, cg::plus<float>());
            out[96 + i] = odd.shfl_down(v, 1) + odd.shfl_up(v, 1) + 10000 * odd.any(v > 90);
            out[128 + i] = cg::reduce(odd, v, cg::greater<int>()) + (int)(odd.ballot(v > 50) & 1);
        }
    "#;
    let a: Vec<i32> = (0..32).map(|k| (k * k * 3 + k) % 101).collect();
    let mut out = vec![0; 160];
    kernel(source).launch(1, 32, (In(&a), Out(&mut out))).unwrap();
    for i in 0..32 {
        let group = |is_in: &dyn Fn(i32) -> bool| {
            let lanes: Vec<usize> = (0..32).filter(|k| is_in(a[*k])).collect();
            let rank = lanes.iter().position(|k| *k == i).unwrap();
            (lanes.iter().map(|k| a[*k]).collect::<Vec<i32>>(), rank)
        };
        let (same, rank) = group(&|v| v % 5 == a[i] % 5);
        let (odd, place) = group(&|v| v % 2 == a[i] % 2);
        let neighbours = odd[(place + 1).min(odd.len() - 1)] + odd[place.saturating_sub(1)];
        let expected = [
            same.iter().sum(),
            (same.len() + 100 * rank) as i32,
            odd[..=place].iter().sum(),
            neighbours + 10_000 * i32::from(odd.iter().any(|v| *v > 90)),
            odd.iter().max().unwrap() + i32::from(odd[0] > 50),
        ];
        let found: Vec<i32> = (0..5).map(|k| out[32 * k + i]).collect();
        assert_eq!(found, expected, "lane {i}");
    }
}

#[test]
fn structures_travel_between_lanes() {
    let source = r#"
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        struct Particle { double mass; float place[3]; char kind; };
        __global__ void k(double *out)
        {
            auto tile = cg::tiled_partition<16>(cg::this_thread_block());
            int i = threadIdx.x;
            Particle mine = {i * 0.5, {i * 1.0f, i * 2.0f, i * 3.0f}, (char)('a' + i)};
            Particle other = tile.shfl(mine, 15 - tile.thread_rank());
            char next = tile.shfl_down(mine.kind, 1);
            out[i] = other.mass + other.place[2] + (other.kind - 'a') + (next - 'a');
        }
    "#;
    let mut out = [0.0_f64; 16];
    kernel(source).launch(1, 16, Out(&mut out)).unwrap();
    let expected: Vec<f64> = (0..16).map(|i| 4.5 * f64::from(15 - i) + f64::from((i + 1).min(15))).collect();
    assert_eq!(out.to_vec(), expected);
}

#[test]
fn copies_that_a_block_waits_for() {
    let source = r#"
        #include <cooperative_groups.h>
        #include <cooperative_groups/memcpy_async.h>
        namespace cg = cooperative_groups;
        __global__ void k(const short *a, short *out, int n)
        {
            __shared__ short room[1000];
            auto block = cg::this_thread_block();
            cg::memcpy_async(block, room, a, sizeof(short) * n);
            cg::wait(block);
            for (int i = block.thread_rank(); i < n; i += block.size()) out[i] = room[n - 1 - i];
        }
    "#;
    let kernel = kernel(source);
    for n in [1, 7, 64, 999, 1000] {
        let a: Vec<i16> = (0..n).map(|k| k * 3 - 500).collect();
        let mut out = vec![0_i16; a.len()];
        kernel.launch(1, 96, (In(&a), Out(&mut out), i32::from(n))).unwrap();
        assert_eq!(out, a.iter().rev().copied().collect::<Vec<i16>>());
    }
}

#[test]
fn ranks_in_the_whole_grid() {
    let source = r#"
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(int *out, int n)
        {
            cg::grid_group grid = cg::this_grid();
            for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) atomicAdd(&out[i], 1);
        }
    "#;
    let mut out = vec![0; 1000];
    kernel(source).launch((3, 2), (4, 4, 2), (InOut(&mut out), 1000)).unwrap();
    assert_eq!(out, vec![1; 1000]);
}

/// On a GPU both end the context.
#[test]
fn blocks_that_would_wait_for_ever() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let source = "#include <cooperative_groups.h>\n\
                  __global__ void k(int *a) { if (blockIdx.x < a[0]) cooperative_groups::this_grid().sync(); }";
    let kernel = kernel(source);
    let mut first = [1];
    kernel.launch_cooperative(4, 32, InOut(&mut [4])).unwrap();
    let error = kernel.launch_cooperative(4, 32, InOut(&mut first)).unwrap_err();
    assert!(
        error.to_string().contains("a block waits for its grid, of which another block has ended"),
        "{error}"
    );
    assert_eq!(error.kernel_fault().map(|fault| fault.kind), Some(FaultKind::Deadlock));
    let error = kernel.launch(4, 32, InOut(&mut first)).unwrap_err();
    assert!(error.to_string().contains("`launch_cooperative` starts them so"), "{error}");
    assert!(error.to_string().contains("launch it by `launch_cooperative"), "{error}");
    kernel.launch_cooperative(4, 32, InOut(&mut [0])).unwrap();
    // A fault of one block is told, and not that the others waited for it.
    let source = "#include <cooperative_groups.h>\n\
                  __global__ void k(int *a, long long none) { if (blockIdx.x == 3) *(int *)none = 1; cooperative_groups::this_grid().sync(); }";
    let error = self::kernel(source).launch_cooperative(4, 32, (InOut(&mut [0]), 0_i64)).unwrap_err();
    assert_eq!(error.kernel_fault().map(|fault| fault.kind), Some(FaultKind::NullPointer), "{error}");
}

#[test]
fn a_barrier_by_hand_for_blocks_that_run_together() {
    let source = "__global__ void k(unsigned *c) { if (threadIdx.x == 0) { atomicAdd(c, 1); \
                  while (*(volatile unsigned *)c < gridDim.x) {} atomicAdd(c + 1, 1); } }";
    let mut counts = [0_u32; 2];
    kernel(source).launch_cooperative(16, 32, InOut(&mut counts)).unwrap();
    assert_eq!(counts, [16; 2]);
}

#[test]
fn a_grid_that_meets_orders_what_its_blocks_do() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let launch = |between: &str| {
        let source = format!(
            "#include <cooperative_groups.h>\n\
             __global__ void k(int *a, int *b) {{ auto grid = cooperative_groups::this_grid();\n\
             int i = grid.thread_rank(), n = grid.size(); a[i] = i;\n{between}\nb[i] = a[n - 1 - i]; }}"
        );
        let module = SourceModule::builder(&source).check(true).compile().unwrap();
        let (mut a, mut b) = (zeros::<i32>(96), zeros::<i32>(96));
        let outcome = module.get_function("k").unwrap().launch_cooperative(3, 32, (&mut a, &mut b));
        outcome.map(|()| b.to_vec())
    };
    assert_eq!(launch("grid.sync();").unwrap(), (0..96).rev().collect::<Vec<i32>>());
    let token =
        "auto token = grid.barrier_arrive(); grid.barrier_wait(static_cast<decltype(token) &&>(token));";
    assert_eq!(launch(token).unwrap(), (0..96).rev().collect::<Vec<i32>>());
    assert!(launch("").unwrap_err().to_string().contains("race"));
}
