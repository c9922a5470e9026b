//! What the driver's work costs here, beside raw calls of the driver in the
//! same run: `cargo bench -p gpurepl-tests --bench driver [CASE]`.
//!
//! One line a figure, `gpurepl CASE SIZE VALUE UNIT`, every one a median, so
//! that other programs that print the same can be laid beside it:
//! `driver_peers.py` does so for CuPy and PyCUDA. On the host device the same cases run,
//! without the raw ones.

use std::time::Instant;

use gpurepl_prelude::*;

fn out(who: &str, case: &str, size: usize, value: f64, unit: &str) {
    println!("{who:8} {case:28} {size:>12} {value:12.4} {unit}");
}

/// The median of seconds that something takes.
fn median(runs: usize, warm: usize, mut act: impl FnMut()) -> f64 {
    (0..warm).for_each(|_| act());
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            act();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

const TINY: &str = "__global__ void tiny(float *p, int n)
    { int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }";

/// Calls of the driver without anything around them.
mod raw {
    use cudarc::driver::sys;
    use std::ffi::c_void;

    /// Launches `count` times and waits; the kernel is `tiny` of this text.
    pub struct Tiny {
        function: sys::CUfunction,
        memory: u64,
    }

    impl Tiny {
        pub fn new(cubin: &[u8]) -> Tiny {
            let (mut module, mut function, mut memory) = (std::ptr::null_mut(), std::ptr::null_mut(), 0);
            // SAFETY: the context is current on this thread (the caller has
            // used the device); the image is a whole cubin with this kernel.
            unsafe {
                assert_eq!(sys::cuModuleLoadData(&mut module, cubin.as_ptr().cast()) as u32, 0);
                assert_eq!(sys::cuModuleGetFunction(&mut function, module, c"tiny".as_ptr()) as u32, 0);
                assert_eq!(sys::cuMemAlloc_v2(&mut memory, 512) as u32, 0);
                sys::cuMemsetD8_v2(memory, 0, 512);
            }
            Tiny { function, memory }
        }

        pub fn launch(&self, count: usize) {
            let (mut memory, mut n) = (self.memory, 128_i32);
            let mut arguments = [(&raw mut memory).cast::<c_void>(), (&raw mut n).cast::<c_void>()];
            for _ in 0..count {
                // SAFETY: the arguments are the kernel's own, the memory has
                // 128 floats.
                let result = unsafe {
                    sys::cuLaunchKernel(
                        self.function,
                        1,
                        1,
                        1,
                        128,
                        1,
                        1,
                        0,
                        std::ptr::null_mut(),
                        arguments.as_mut_ptr(),
                        std::ptr::null_mut(),
                    )
                };
                assert_eq!(result as u32, 0);
            }
        }
    }

    /// Copies `bytes` between pinned memory and the GPU, both ways: seconds.
    pub fn pinned(bytes: usize) -> (f64, f64) {
        let (mut host, mut memory) = (std::ptr::null_mut(), 0);
        // SAFETY: the context is current; both pieces have as many bytes.
        unsafe {
            assert_eq!(sys::cuMemHostAlloc(&mut host, bytes, 0) as u32, 0);
            assert_eq!(sys::cuMemAlloc_v2(&mut memory, bytes) as u32, 0);
            let up = super::median(7, 2, || assert_eq!(sys::cuMemcpyHtoD_v2(memory, host, bytes) as u32, 0));
            let down =
                super::median(7, 2, || assert_eq!(sys::cuMemcpyDtoH_v2(host, memory, bytes) as u32, 0));
            sys::cuMemFree_v2(memory);
            sys::cuMemFreeHost(host);
            (up, down)
        }
    }
}

fn launches() -> Result<()> {
    const COUNT: usize = 10_000;
    let function =
        SourceModule::new(&TINY.replace("__global__", "extern \"C\" __global__"))?.get_function("tiny")?;
    let mut x = ones::<f32>(128);
    let prepared = function.prepare("Pi")?;
    let memory = x.gpudata();
    let raw =
        if device().kind() == DeviceKind::Cuda { Some(raw::Tiny::new(&compile_cubin()?)) } else { None };
    // In turns: the clock of a GPU moves.
    let mut times = [const { Vec::new() }; 5];
    for _ in 0..11 {
        let mut measure = |slot: usize, act: &mut dyn FnMut()| {
            synchronize().expect("an idle device");
            let start = Instant::now();
            act();
            synchronize().expect("a device that works");
            times[slot].push(start.elapsed().as_secs_f64() / COUNT as f64 * 1e6);
        };
        if let Some(raw) = &raw {
            measure(0, &mut || raw.launch(COUNT));
        }
        measure(1, &mut || {
            for _ in 0..COUNT {
                prepared.prepared_call(1, 128, (&memory, 128)).expect("a launch");
            }
        });
        measure(2, &mut || {
            for _ in 0..COUNT {
                prepared.prepared_call(1, 128, (&mut x, 128)).expect("a launch");
            }
        });
        measure(3, &mut || {
            for _ in 0..COUNT {
                function.launch(1, 128, (&mut x, 128)).expect("a launch");
            }
        });
        let y = ones::<f32>(128);
        measure(4, &mut || {
            for _ in 0..COUNT / 10 {
                let z = &x + &y;
                z.gpudata();
            }
        });
    }
    let names =
        ["raw_cuLaunchKernel", "prepared_memory", "prepared_array", "checked_launch", "array_add_small"];
    for (name, mut times) in names.into_iter().zip(times) {
        times.sort_by(f64::total_cmp);
        if let Some(median) = times.get(times.len() / 2) {
            let median = if name == "array_add_small" { median * 10.0 } else { *median };
            let who = if name.starts_with("raw") { "limit" } else { "gpurepl" };
            out(who, name, 128, median, "us");
        }
    }
    Ok(())
}

fn compile_cubin() -> Result<Vec<u8>> {
    compile(&TINY.replace("__global__", "extern \"C\" __global__"), "cubin")
}

fn graphs() -> Result<()> {
    let prepared = SourceModule::new(TINY)?.get_function("tiny")?.prepare("Pi")?;
    let x = ones::<f32>(128);
    let memory = x.gpudata();
    let graph =
        Graph::capture(|| (0..1000).try_for_each(|_| prepared.prepared_call(1, 128, (&memory, 128))))?;
    let time = median(11, 2, || {
        graph.launch().expect("a launch");
        synchronize().expect("a device that works");
    });
    out("gpurepl", "graph_of_1000_launches", 128, time / 1000.0 * 1e6, "us");
    Ok(())
}

fn memory() -> Result<()> {
    for bytes in [4000, 1 << 20, 16 << 20, 256 << 20] {
        let time = median(11, 2, || {
            for _ in 0..1000 {
                drop(mem_alloc(bytes).expect("memory"));
            }
        });
        out("gpurepl", "alloc_and_free", bytes, time / 1000.0 * 1e6, "us");
    }
    let time = median(11, 2, || {
        for _ in 0..1000 {
            drop(empty::<f32>(1000));
        }
    });
    out("gpurepl", "array_alloc_and_free", 1000, time / 1000.0 * 1e6, "us");
    Ok(())
}

fn compiling() -> Result<()> {
    let mut x = ones::<f32>(128);
    let seed = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
    let mut first_launch = |text: &str| {
        let module = SourceModule::new(text).expect("a kernel that compiles");
        module.get_function("tiny").and_then(|tiny| tiny.launch(1, 128, (&mut x, 128))).expect("a launch");
        synchronize().expect("a device that works");
    };
    let texts: Vec<String> = (0..21).map(|k| format!("{TINY}\n// {seed} {k}")).collect();
    let mut next = texts.iter();
    let time = median(20, 1, || first_launch(next.next().expect("a new text")));
    out("gpurepl", "compile_first_launch_new", 1, time * 1e3, "ms");
    let mut next = texts.iter();
    let time = median(20, 1, || first_launch(next.next().expect("a text")));
    out("gpurepl", "compile_first_launch_cached", 1, time * 1e3, "ms");
    Ok(())
}

fn copies() -> Result<()> {
    let n = 1 << 26;
    let data: Vec<f32> = (0..n).map(|k| k as f32).collect();
    let bytes = (4 * n) as f64;
    let rate = |time: f64| bytes / time / 1e9;
    let time = median(7, 2, || {
        drop(to_gpu(&data));
        synchronize().expect("a device that works");
    });
    out("gpurepl", "htod_pageable", n, rate(time), "GB/s");
    let array = to_gpu(&data);
    let time = median(7, 2, || drop(array.to_vec()));
    out("gpurepl", "dtoh_pageable", n, rate(time), "GB/s");
    let mut there = vec![0.0f32; n];
    let memory = array.gpudata();
    let time = median(7, 2, || memcpy_dtoh(&mut there, &memory).expect("a copy"));
    assert_eq!(there, data);
    out("gpurepl", "dtoh_pageable_touched", n, rate(time), "GB/s");
    if device().kind() == DeviceKind::Cuda {
        let mut pinned = pagelocked_zeros::<f32>(n)?;
        let mut memory = memory;
        let time = median(7, 2, || memcpy_htod(&mut memory, &pinned).expect("a copy"));
        out("gpurepl", "htod_pinned", n, rate(time), "GB/s");
        let time = median(7, 2, || memcpy_dtoh(&mut pinned, &memory).expect("a copy"));
        out("gpurepl", "dtoh_pinned", n, rate(time), "GB/s");
        let (up, down) = raw::pinned(4 * n);
        out("limit", "htod_pinned", n, rate(up), "GB/s");
        out("limit", "dtoh_pinned", n, rate(down), "GB/s");
    }
    Ok(())
}

/// A part of the benchmark.
type Case = fn() -> Result<()>;

fn main() -> Result<()> {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    out("gpurepl", "device", 0, 0.0, device().name());
    let cases: [(&str, Case); 5] = [
        ("launches", launches),
        ("graphs", graphs),
        ("memory", memory),
        ("compiling", compiling),
        ("copies", copies),
    ];
    for (name, case) in cases {
        if wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted.as_str())) {
            case()?;
        }
    }
    Ok(())
}
