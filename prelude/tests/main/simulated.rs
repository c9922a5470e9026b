//! A GPU for operations that the host simulates: the CUDA texts of the library's
//! own operations, run without a GPU.

use std::collections::HashMap;
use std::sync::Mutex;

use gpurepl_device::{Gemm, GeneratedLaunch, Gpu};
use gpurepl_prelude::*;

/// Compiles each kernel by the host's compiler, and runs it as a user's.
pub struct Simulated {
    /// The formats of the kernels' arguments, as `struct` of Python has them.
    formats: &'static [(&'static str, &'static str)],
    kernels: Mutex<HashMap<String, PreparedFunction>>,
}

impl Simulated {
    pub fn new(formats: &'static [(&'static str, &'static str)]) -> Simulated {
        Simulated { formats, kernels: Mutex::default() }
    }
}

impl Gpu for Simulated {
    /// Few, so that loops over blocks go round several times.
    fn multiprocessors(&self) -> usize {
        2
    }

    fn stream(&self) -> Result<u64> {
        Ok(0)
    }

    /// It has the library's own kernels alone.
    unsafe fn multiply(&self, _: &Gemm) -> Result<bool> {
        Ok(false)
    }

    /// Its blocks run one after the other.
    unsafe fn launch_resident(&self, _: &GeneratedLaunch<'_>) -> Result<bool> {
        Ok(false)
    }

    unsafe fn launch(&self, launch: &GeneratedLaunch<'_>) -> Result<()> {
        let key = format!("{:?} {}", launch.text, launch.entry);
        let mut kernels = self.kernels.lock().unwrap();
        if !kernels.contains_key(&key) {
            let format = self.formats.iter().find(|(entry, _)| *entry == launch.entry).unwrap().1;
            let module = SourceModule::new(&launch.text.to_cuda())?;
            kernels.insert(key.clone(), module.get_function(launch.entry)?.prepare(format)?);
        }
        let words: Vec<u64> = launch
            .arguments
            .iter()
            .map(|argument| {
                let mut word = [0; 8];
                word[..argument.bytes().len()].copy_from_slice(argument.bytes());
                u64::from_ne_bytes(word)
            })
            .collect();
        let (kernel, grid, block) = (&kernels[&key], (launch.grid.0, launch.grid.1), launch.block);
        match words[..] {
            [a, b] => kernel.prepared_call(grid, block, (a, b)),
            [a, b, c, d] => kernel.prepared_call(grid, block, (a, b, c, d)),
            [a, b, c, d, e] => kernel.prepared_call(grid, block, (a, b, c, d, e)),
            [a, b, c, d, e, f] => kernel.prepared_call(grid, block, (a, b, c, d, e, f)),
            [a, b, c, d, e, f, g] => kernel.prepared_call(grid, block, (a, b, c, d, e, f, g)),
            [a, b, c, d, e, f, g, h, i] => kernel.prepared_call(grid, block, (a, b, c, d, e, f, g, h, i)),
            [a, b, c, d, e, f, g, h, i, j] => {
                kernel.prepared_call(grid, block, (a, b, c, d, e, f, g, h, i, j))
            }
            [a, b, c, d, e, f, g, h, i, j, k] => {
                kernel.prepared_call(grid, block, (a, b, c, d, e, f, g, h, i, j, k))
            }
            [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] => {
                kernel.prepared_call(grid, block, (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o))
            }
            [a, b, c, d, e, f, g, ref steps @ ..] if steps.len() == 6 => {
                let [h, i, j, k, l, m] = [0, 1, 2, 3, 4, 5].map(|at| steps[at] as i64);
                kernel.prepared_call(grid, block, (a, b, c, d, e, f, g, h, i, j, k, l, m))
            }
            _ => panic!("{} arguments", words.len()),
        }
    }
}
