"""PyTorch's collectives over NCCL, beside `collectives.rs`: `python collectives_peers.py [RANKS]`, 2 ranks else.

Without a GPU they go over Gloo.
"""

import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

RUNS = 20


def case(name, size, factor, act, device):
    times = []
    for run in range(RUNS + 3):
        if device.type == "cuda":
            torch.cuda.synchronize()
        dist.barrier()
        if device.type == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        act()
        if device.type == "cuda":
            torch.cuda.synchronize()
        if run >= 3:
            times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    middle = times[RUNS // 2]
    if dist.get_rank() == 0:
        print(f"pytorch  {name:16} {size:>12} {middle:12.4f} ms {size * factor / middle / 1e6:10.1f} GB/s", flush=True)


def measure(rank, ranks):
    is_gpu = torch.cuda.is_available()
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29517")
    device = torch.device("cuda", rank) if is_gpu else torch.device("cpu")
    if is_gpu:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if is_gpu else "gloo", rank=rank, world_size=ranks)
    for size in [4, 1 << 20, 1 << 28 if is_gpu else 1 << 24]:
        a = torch.arange(size, device=device).float() % 1000
        a = a.contiguous()
        # A new array of the sum, as gpurepl's: in place would change what the next run adds.
        def all_reduce():
            b = torch.empty_like(a)
            b.copy_(a)
            dist.all_reduce(b)

        def all_reduce_in_place():
            dist.all_reduce(a)

        case("all_reduce", size * 4, 2 * (ranks - 1) / ranks, all_reduce, device)
        case("all_reduce_inplace", size * 4, 2 * (ranks - 1) / ranks, all_reduce_in_place, device)
        a.fill_(1)
        case("broadcast", size * 4, 1, lambda: dist.broadcast(a, 0), device)
        part = torch.empty(size // ranks, device=device)
        if is_gpu:
            case("reduce_scatter", size * 4, (ranks - 1) / ranks, lambda: dist.reduce_scatter_tensor(part, a), device)
        if size < 1 << 28:
            whole = torch.empty(size * ranks, device=device)
            case("all_gather", size * 4 * ranks, (ranks - 1) / ranks, lambda: dist.all_gather_into_tensor(whole, a), device)
        if is_gpu:
            other = torch.empty_like(a)
            case("all_to_all", size * 4, (ranks - 1) / ranks, lambda: dist.all_to_all_single(other, a), device)
    dist.destroy_process_group()


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    mp.spawn(measure, args=(number,), nprocs=number)
