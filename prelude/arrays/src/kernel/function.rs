//! What is known about a compiled kernel, how much of it fits a device, and
//! launches whose blocks meet.

use super::argument::{ArgumentList, KernelArgs};
use super::launch::IntoDim3;
use super::source_module::Function;
use super::submit::launch;
use crate::device::{Attribute, CacheConfig};
use crate::error::{Problem, Result};

impl Function {
    /// The most threads that a block of this kernel can have.
    pub fn max_threads_per_block(&self) -> usize {
        self.inner.entry.max_threads_per_block() as usize
    }

    /// The registers that each thread uses; 0 on the host device, which
    /// does not count them.
    ///
    /// # Errors
    ///
    /// If the device does not answer, as after a fault.
    pub fn num_regs(&self) -> Result<usize> {
        self.number(Attribute::NumRegs)
    }

    /// The bytes of shared memory that the kernel's own variables take in a
    /// block, without what a launch adds.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let source = "__global__ void k(float *a) { __shared__ float s[64]; s[threadIdx.x] = a[0];
    ///               __syncthreads(); a[threadIdx.x] = s[63 - threadIdx.x]; }";
    /// assert_eq!(SourceModule::new(source)?.get_function("k")?.shared_size_bytes()?, 256);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Function::num_regs`].
    pub fn shared_size_bytes(&self) -> Result<usize> {
        self.number(Attribute::SharedSizeBytes)
    }

    /// The bytes that each thread keeps in memory because they do not fit its
    /// registers; 0 on the host device, where they lie on a stack.
    ///
    /// # Errors
    ///
    /// As [`Function::num_regs`].
    pub fn local_size_bytes(&self) -> Result<usize> {
        self.number(Attribute::LocalSizeBytes)
    }

    /// The bytes of constant memory that the module's variables take; 0 on the
    /// host device, whose memory is all of one kind.
    ///
    /// # Errors
    ///
    /// As [`Function::num_regs`].
    pub fn const_size_bytes(&self) -> Result<usize> {
        self.number(Attribute::ConstSizeBytes)
    }

    /// The architecture that the machine code is for, 90 for 9.0; 0 on the
    /// host device.
    ///
    /// # Errors
    ///
    /// As [`Function::num_regs`].
    pub fn binary_version(&self) -> Result<usize> {
        self.number(Attribute::BinaryVersion)
    }

    /// The architecture that its PTX was made for, 90 for 9.0; 0 on the host
    /// device.
    ///
    /// # Errors
    ///
    /// As [`Function::num_regs`].
    pub fn ptx_version(&self) -> Result<usize> {
        self.number(Attribute::PtxVersion)
    }

    /// The most dynamic shared memory that launches are allowed to use so far, in
    /// bytes. A launch that uses more than the device's default raises it; on the
    /// host device launches may use all that there is.
    ///
    /// # Errors
    ///
    /// As [`Function::num_regs`].
    pub fn max_dynamic_shared_size_bytes(&self) -> Result<usize> {
        self.number(Attribute::MaxDynamicSharedSizeBytes)
    }

    /// Allows launches so much dynamic shared memory: what
    /// [`Function::max_active_blocks_per_multiprocessor`] needs to know before
    /// the first launch. A launch needs no such call.
    ///
    /// # Errors
    ///
    /// If a block of this kernel cannot have so much.
    pub fn set_max_dynamic_shared_size_bytes(&self, bytes: usize) -> Result<()> {
        self.inner.entry.allow_shared_memory(self.name(), bytes)?;
        let value = i32::try_from(bytes).unwrap_or(i32::MAX);
        self.inner.entry.set_attribute(Attribute::MaxDynamicSharedSizeBytes, value)
    }

    /// How much of a multiprocessor's memory should be shared memory, in
    /// per cent; nothing for what the driver likes. It is a wish, which the
    /// host device has no use for.
    ///
    /// # Errors
    ///
    /// If it is more than 100 per cent.
    pub fn set_preferred_shared_memory_carveout(&self, percentage: Option<u32>) -> Result<()> {
        let value =
            percentage.map_or(Some(-1), |value| i32::try_from(value).ok().filter(|value| *value <= 100));
        let value = value.ok_or_else(|| Problem::Argument {
            kernel: self.name().to_owned(),
            message: "a share of memory is at most 100 per cent".to_owned(),
        })?;
        self.inner.entry.set_attribute(Attribute::PreferredSharedMemoryCarveout, value)
    }

    /// Whether a multiprocessor's memory should be shared memory or cache,
    /// where there is a choice. It is a wish, which the host device has no use
    /// for.
    ///
    /// # Errors
    ///
    /// As [`Function::num_regs`].
    pub fn set_cache_config(&self, config: CacheConfig) -> Result<()> {
        self.inner.entry.set_cache_config(config)
    }

    /// How many blocks of `block` threads, with so much dynamic shared memory
    /// in bytes, run on one multiprocessor at once. On the host device a core
    /// runs one block at a time; 0 means that such a block cannot run at all.
    ///
    /// # Errors
    ///
    /// As [`Function::num_regs`].
    pub fn max_active_blocks_per_multiprocessor(&self, block: usize, dynamic_shared: usize) -> Result<usize> {
        if block == 0 {
            let message = "a block has at least 1 thread".to_owned();
            return Err(Problem::Launch { kernel: self.name().to_owned(), message }.into());
        }
        let threads = u32::try_from(block).unwrap_or(u32::MAX);
        if u64::from(threads) > self.inner.entry.max_threads_per_block()
            || self.inner.entry.allow_shared_memory(self.name(), dynamic_shared).is_err()
        {
            return Ok(0);
        }
        self.inner.entry.max_active_blocks_per_multiprocessor(threads, dynamic_shared)
    }

    /// A size of block that keeps the device busy, and how many such blocks it
    /// takes at least: `(grid, block)`, with so much dynamic shared memory in
    /// bytes. On the host device the grid has a block for each core, and the
    /// size of a block, which does not matter there, is one that suits most GPUs.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let source = "__global__ void twice(float *a, int n)
    ///               { for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += gridDim.x*blockDim.x) a[i] *= 2; }";
    /// let twice = SourceModule::new(source)?.get_function("twice")?;
    /// let (grid, block) = twice.suggested_block_size(0)?;
    /// let mut a = ones::<f32>(100_000);
    /// twice.launch(grid, block, (&mut a, 100_000))?;
    /// assert_eq!(a.sum().item(), 200_000.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a block cannot have so much shared memory.
    pub fn suggested_block_size(&self, dynamic_shared: usize) -> Result<(usize, usize)> {
        self.inner.entry.allow_shared_memory(self.name(), dynamic_shared)?;
        self.inner.entry.suggested_block_size(dynamic_shared)
    }

    /// [`Function::launch`] with all blocks at once, so that a kernel can wait
    /// for the whole grid: `cooperative_groups::this_grid().sync()`.
    ///
    /// On the host device each block of a kernel that waits for its grid has a
    /// thread of the system, and 512 can run at once. Others run as by
    /// [`Function::launch`].
    ///
    /// # Errors
    ///
    /// As [`Function::launch`], or if the device cannot run so many blocks of
    /// this kernel at once: see
    /// [`Function::max_active_blocks_per_multiprocessor`].
    pub fn launch_cooperative<'a>(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        arguments: impl KernelArgs<'a>,
    ) -> Result<()> {
        self.launch_cooperative_shared(grid, block, 0, arguments)
    }

    /// [`Function::launch_cooperative`] with dynamic shared memory, in bytes
    /// for each block.
    ///
    /// # Errors
    ///
    /// As [`Function::launch_cooperative`] and [`Function::launch_shared`].
    pub fn launch_cooperative_shared<'a>(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        shared_memory: usize,
        arguments: impl KernelArgs<'a>,
    ) -> Result<()> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        launch(&self.inner, grid.into_dim3(), block.into_dim3(), shared_memory, list, true)
    }

    fn number(&self, attribute: Attribute) -> Result<usize> {
        Ok(usize::try_from(self.inner.entry.attribute(attribute)?).unwrap_or(0))
    }
}
