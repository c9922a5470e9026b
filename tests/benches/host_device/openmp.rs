//! Kernels as people write them beside the same loops in C++ with OpenMP,
//! compiled by the same compiler: `-O3 -march=native -fopenmp`.

use std::process::Command;

use gpurepl_prelude::*;

use crate::{N, best, row};

/// `openmp.cpp`, compiled and loaded.
struct Loops {
    library: libloading::Library,
}

/// What every function of `openmp.cpp` takes.
type Loop = unsafe extern "C" fn(*mut f32, *const f32, *const f32, i32, i32);

impl Loops {
    fn compile() -> Loops {
        let folder = tempfile::tempdir().unwrap();
        let (source, library) = (folder.path().join("openmp.cpp"), folder.path().join("openmp.so"));
        std::fs::write(&source, include_str!("openmp.cpp")).unwrap();
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
        let mut command = Command::new(compiler);
        command
            .args(["-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", "-o"])
            .args([&library, &source]);
        assert!(command.status().unwrap().success());
        // SAFETY: the library's initialisers are OpenMP's own.
        Loops { library: unsafe { libloading::Library::new(&library) }.unwrap() }
    }

    /// Runs a loop over vectors of at least `N` elements.
    fn run(&self, name: &str, [z, x, y]: [&mut Vec<f32>; 3], n: usize, m: usize) {
        assert!(z.len() >= N && x.len() >= N && y.len() >= N);
        // SAFETY: all functions have this type, and touch `N` elements at most
        // of each vector.
        unsafe {
            let function = self.library.get::<Loop>(name.as_bytes()).unwrap();
            function(z.as_mut_ptr(), x.as_ptr(), y.as_ptr(), n as i32, m as i32);
        }
    }
}

/// A kernel, its launch, the loop beside it, and what both are told.
struct Pair {
    what: &'static str,
    kernel: &'static str,
    name: &'static str,
    grid: (usize, usize),
    block: (usize, usize),
    kernel_sizes: (usize, usize),
    loop_sizes: (usize, usize),
}

const fn line(what: &'static str, kernel: &'static str, name: &'static str, sizes: (usize, usize)) -> Pair {
    let (grid, block) = ((sizes.0.div_ceil(256), 1), (256, 1));
    Pair { what, kernel, name, grid, block, kernel_sizes: sizes, loop_sizes: sizes }
}

const fn plane(what: &'static str, kernel: &'static str, name: &'static str, sizes: (usize, usize)) -> Pair {
    let (grid, block) = ((sizes.0.div_ceil(16), sizes.1.div_ceil(16)), (16, 16));
    Pair { what, kernel, name, grid, block, kernel_sizes: sizes, loop_sizes: sizes }
}

const SIDES: (usize, usize) = (4000, N / 4000);

const PAIRS: [Pair; 11] = [
    line("an element a thread", "plain", "plain", (N, 0)),
    Pair { grid: (64, 1), ..line("a grid-stride loop", "stride", "plain", (N, 0)) },
    Pair {
        grid: (64, 1),
        loop_sizes: (N, 64 * 256),
        ..line("a grid-stride loop that adds up, 64 blocks", "totals", "totals", (N, 0))
    },
    Pair {
        grid: (1024, 1),
        loop_sizes: (N, 1024 * 256),
        ..line("the same, 1024 blocks", "totals", "totals", (N, 0))
    },
    Pair { loop_sizes: (SIDES.0 * SIDES.1, 0), ..plane("blocks of 16 x 16", "plane", "plain", SIDES) },
    line("the index by a `__device__` function", "function", "plain", (N, 0)),
    line("softmax of 10 000 rows of 1000", "softmax", "softmax", (10_000, 1000)),
    plane("naive matrix multiplication of 512", "multiply", "multiply", (512, 512)),
    plane("naive transposition", "transpose", "transpose", SIDES),
    line("integers: 32 rounds of xorshift", "integers", "integers", (N, 32)),
    line("float atomics on 1024 numbers", "atomics", "atomics", (N, 1024)),
];

pub(crate) fn beside_openmp() {
    let loops = Loops::compile();
    let module = SourceModule::new(include_str!("kernels.cu")).unwrap();
    let (mut x, mut y): (Vec<f32>, Vec<f32>) =
        ((0..N).map(|k| (k % 1000) as f32 / 1000.0).collect(), vec![2.5; N]);
    let (x_gpu, y_gpu) = (to_gpu(&x), to_gpu(&y));
    let mut z = vec![0.0; N];
    let (mut z_gpu, mut whole) = (zeros::<f32>(N), zeros::<u32>(N));
    for pair in PAIRS {
        let kernel = module.get_function(pair.kernel).unwrap();
        let (n, m) = (pair.kernel_sizes.0 as i32, pair.kernel_sizes.1 as i32);
        let mut here = || match pair.kernel {
            "integers" => kernel.launch(pair.grid, pair.block, (&mut whole, &x_gpu, &y_gpu, n, m)).unwrap(),
            _ => kernel.launch(pair.grid, pair.block, (&mut z_gpu, &x_gpu, &y_gpu, n, m)).unwrap(),
        };
        let mut beside =
            || loops.run(pair.name, [&mut z, &mut x, &mut y], pair.loop_sizes.0, pair.loop_sizes.1);
        let [here, beside] = best(15, [&mut here, &mut beside]);
        row(pair.what, here, Some(("OpenMP", beside)));
    }
}
