"""What the cases of `libraries.rs` take in CuPy and PyTorch on a GPU, and without one in NumPy and SciPy, in the same
form: one line a figure, `WHO CASE SIZE VALUE UNIT`, each a median. Run it beside that benchmark, on the same machine:

    cargo bench -p gpurepl-tests --bench libraries; python3 tests/benches/libraries_peers.py

On a GPU work is timed between two events around it, elsewhere by the clock. PyTorch's functions write a result of
their own, as gpurepl's do.
"""

import statistics
import time

import numpy


def tell(who, case, size, value, unit):
    print(f"{who:8} {case:28} {size:>12} {value:12.4f} {unit}", flush=True)


class Peer:
    """A library, and how its work is timed."""

    def __init__(self, who, once):
        self.who, self.once = who, once

    def case(self, name, size, act, work=None, runs=7):
        try:
            for _ in range(2):
                act()
            took = statistics.median(self.once(act) for _ in range(runs))
        except Exception as error:  # One that lacks memory or a function must not end the others.
            print(f"# {self.who} {name}: {str(error).splitlines()[0][:120]}", flush=True)
            return
        value, unit = (took, "ms") if work is None else (work / took / 1e9, "TFLOP/s")
        tell(self.who, name, size, value, unit)


def clock(act):
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1e3


def work(n, batches=1):
    return 2 * batches * n**3


def dense(peer, random, linalg, n, solved, factored, transpose, eye):
    """Products and factorisations; `random(shape, type)` makes a matrix."""
    for name in ("float32", "float16", "float64"):
        x = random((n, n), name)
        peer.case(f"matmul {name}", n, lambda: x @ x, work(n))
    x = random((4096, 64, 64), "float32")
    peer.case("matmul batched 4096x64", 64, lambda: x @ x, work(64, 4096), runs=11)
    a, b = random((solved, solved), "float64"), random((solved,), "float64")
    peer.case("solve f64", solved, lambda: linalg.solve(a, b), runs=5)
    a = random((factored, factored), "float64")
    definite = a @ transpose(a) + factored * eye(factored)
    peer.case("svd f64", factored, lambda: linalg.svd(a), runs=5)
    peer.case("eigh f64", factored, lambda: linalg.eigh(definite), runs=5)
    peer.case("cholesky f64", factored, lambda: linalg.cholesky(definite))
    peer.case("qr f64", factored, lambda: linalg.qr(a))


def transforms(peer, random, fft, n, side):
    real = random((n,), "float32")
    complex_numbers = real + 0j * real
    peer.case("fft c64", n, lambda: fft.fft(complex_numbers), runs=11)
    peer.case("rfft f32", n, lambda: fft.rfft(real), runs=11)
    square = random((side, side), "float32")
    square = square + 0j * square
    peer.case("fft2 c64", side, lambda: fft.fft2(square), runs=5)


def sparse(peer, diags, cg, ones, b, steps, side=1000):
    n = side * side
    one = ones(n)
    a = diags([4 * one, -one[1:], -one[1:], -one[side:], -one[side:]], [0, 1, -1, side, -side])
    rows = a.tocsr()
    right = b(n)
    peer.case("SpMV 2-D Poisson f64", rows.nnz, lambda: rows @ right, runs=21)
    peer.case("100 SpMV f64", rows.nnz, lambda: [rows @ right for _ in range(100)][-1], runs=21)
    peer.case(f"CG {steps} steps f64", n, lambda: cg(rows, right, maxiter=steps), runs=3)


def cupy_cases():
    import cupy
    import cupyx.scipy.sparse as matrices
    import cupyx.scipy.sparse.linalg as solvers

    def once(act):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        act()
        end.record()
        end.synchronize()
        return cupy.cuda.get_elapsed_time(start, end)

    peer = Peer("cupy", once)
    random = lambda shape, name: cupy.random.rand(*shape).astype(name)
    dense(peer, random, cupy.linalg, 8192, 4096, 1024, lambda a: a.T, cupy.eye)
    transforms(peer, random, cupy.fft, 1 << 24, 8192)
    cg = lambda a, b, maxiter: solvers.cg(a, b, rtol=0.0, maxiter=maxiter)
    sparse(peer, matrices.diags, cg, cupy.ones, lambda n: cupy.random.rand(n), 1000)


def torch_cases():
    import torch

    def once(act):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        act()
        end.record()
        end.synchronize()
        return start.elapsed_time(end)

    peer = Peer("torch", once)
    random = lambda shape, name: torch.rand(shape, device="cuda", dtype=torch.float64).to(getattr(torch, name))
    torch.backends.cuda.matmul.allow_tf32 = True
    x = random((8192, 8192), "float32")
    peer.case("matmul tf32", 8192, lambda: x @ x, work(8192))
    torch.backends.cuda.matmul.allow_tf32 = False
    eye = lambda n: torch.eye(n, device="cuda", dtype=torch.float64)
    dense(peer, random, torch.linalg, 8192, 4096, 1024, lambda a: a.T, eye)
    transforms(peer, random, torch.fft, 1 << 24, 8192)


def numpy_cases():
    peer = Peer("numpy", clock)
    random = lambda shape, name: numpy.random.rand(*shape).astype(name)
    dense(peer, random, numpy.linalg, 1024, 1000, 1024, lambda a: a.T, numpy.eye)
    try:
        import scipy.fft
        import scipy.sparse
        import scipy.sparse.linalg
    except ImportError as error:
        print(f"# scipy: {error}")
        return
    peer.who = "scipy"
    transforms(peer, random, scipy.fft, 1 << 20, 1024)
    cg = lambda a, b, maxiter: scipy.sparse.linalg.cg(a, b, rtol=0.0, maxiter=maxiter)
    sparse(peer, scipy.sparse.diags, cg, numpy.ones, numpy.random.rand, 100)


if __name__ == "__main__":
    found = False
    for cases in (cupy_cases, torch_cases):
        try:
            cases()
            found = True
        except ImportError as error:
            print(f"# {error}")
    if not found:
        numpy_cases()
