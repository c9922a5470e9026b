"""What the cases of `driver.rs` take in CuPy, and in PyCUDA where it is installed, in the same form:
one line a figure, `WHO CASE SIZE VALUE UNIT`, each a median. Run it beside that benchmark, on the same GPU:

    cargo bench -p gpurepl-tests --bench driver; python3 tests/benches/driver_peers.py
"""

import statistics
import time

import numpy

SOURCE = """extern "C" __global__ void tiny(float *p, int n)
{ int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }"""
LAUNCHES = 10_000
ELEMENTS = 1 << 26


def tell(who, case, size, value, unit):
    print(f"{who:8} {case:28} {size:>12} {value:12.4f} {unit}", flush=True)


def median(runs, warm, act):
    times = []
    for _ in range(warm + runs):
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return statistics.median(times[warm:])


def repeat(count, act, wait):
    def once():
        for _ in range(count):
            act()
        wait()

    return median(11, 1, once) / count


def texts(count):
    return [f"{SOURCE}\n// {time.time_ns()} {k}" for k in range(count)]


def rate(nbytes, seconds):
    return nbytes / seconds / 1e9


def cupy_figures():
    import cupy

    wait = cupy.cuda.Device().synchronize
    x, y = cupy.ones(128, cupy.float32), cupy.ones(128, cupy.float32)
    kernel = cupy.RawModule(code=SOURCE).get_function("tiny")
    n = numpy.int32(128)
    tell("cupy", "launch", 128, repeat(LAUNCHES, lambda: kernel((1,), (128,), (x, n)), wait) * 1e6, "us")
    tell("cupy", "array_add_small", 128, repeat(1000, lambda: x + y, wait) * 1e6, "us")
    tell("cupy", "array_alloc_and_free", 1000, repeat(1000, lambda: cupy.empty(1000, cupy.float32), wait) * 1e6, "us")
    new = iter(texts(6))

    def first_launch():
        cupy.RawModule(code=next(new)).get_function("tiny")((1,), (128,), (x, n))
        wait()

    tell("cupy", "compile_first_launch_new", 1, median(5, 1, first_launch) * 1e3, "ms")
    data = numpy.arange(ELEMENTS, dtype=numpy.float32)
    array = cupy.asarray(data)
    tell("cupy", "htod_pageable", ELEMENTS, rate(data.nbytes, median(7, 2, lambda: (cupy.asarray(data), wait()))), "GB/s")
    tell("cupy", "dtoh_pageable", ELEMENTS, rate(data.nbytes, median(7, 2, array.get)), "GB/s")
    out = numpy.empty_like(data)
    tell("cupy", "dtoh_pageable_touched", ELEMENTS, rate(data.nbytes, median(7, 2, lambda: array.get(out=out))), "GB/s")


def pycuda_figures():
    import pycuda.autoinit  # noqa: F401: makes a context
    import pycuda.driver as driver
    import pycuda.gpuarray as gpuarray
    from pycuda.compiler import SourceModule

    wait = driver.Context.synchronize
    x, y = gpuarray.zeros(128, numpy.float32), gpuarray.zeros(128, numpy.float32)
    kernel = SourceModule(SOURCE, no_extern_c=True).get_function("tiny")
    n = numpy.int32(128)
    tell("pycuda", "launch", 128, repeat(LAUNCHES, lambda: kernel(x, n, block=(128, 1, 1)), wait) * 1e6, "us")
    kernel.prepare("Pi")
    prepared = lambda: kernel.prepared_call((1, 1), (128, 1, 1), x.gpudata, 128)
    tell("pycuda", "prepared_launch", 128, repeat(LAUNCHES, prepared, wait) * 1e6, "us")
    tell("pycuda", "array_add_small", 128, repeat(1000, lambda: x + y, wait) * 1e6, "us")
    new = iter(texts(6))

    def first_launch():
        SourceModule(next(new), no_extern_c=True).get_function("tiny")(x, n, block=(128, 1, 1))
        wait()

    tell("pycuda", "compile_first_launch_new", 1, median(5, 1, first_launch) * 1e3, "ms")
    data = numpy.arange(ELEMENTS, dtype=numpy.float32)
    array = gpuarray.to_gpu(data)
    tell("pycuda", "htod_pageable", ELEMENTS, rate(data.nbytes, median(7, 2, lambda: (gpuarray.to_gpu(data), wait()))), "GB/s")
    tell("pycuda", "dtoh_pageable", ELEMENTS, rate(data.nbytes, median(7, 2, array.get)), "GB/s")


for name, figures in (("CuPy", cupy_figures), ("PyCUDA", pycuda_figures)):
    try:
        figures()
    except ImportError as missing:
        print(f"{name} is not installed: {missing}")
