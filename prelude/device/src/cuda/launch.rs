//! Loaded machine code and launches of its kernels.

use std::ffi::{CString, c_void};
use std::sync::Arc;

use cudarc::driver::sys::{self, CUfunction, CUfunction_attribute, CUmodule, CUresult};

use super::context::Context;
use super::library;
use crate::error::{Problem, Result};
use crate::{Order, keep_for_capture};

/// Machine code in the GPU's memory, unloaded with its last kernel.
pub(super) struct Image {
    pub(super) raw: CUmodule,
    pub(super) context: Arc<Context>,
    /// Who uses the variable that a grid's barrier counts in.
    pub(super) barrier: Order,
}

// SAFETY: the driver's functions may be called from any thread with the
// context bound; a module is not changed after it has been loaded.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    pub(super) fn load(context: &Arc<Context>, image: &[u8]) -> Result<Arc<Image>> {
        context.bind()?;
        // PTX is a text, which must end with a zero.
        let mut image = image.to_vec();
        image.push(0);
        let mut raw: CUmodule = std::ptr::null_mut();
        // SAFETY: the image was made by NVRTC and ends with a zero; the
        // driver copies it.
        let result = unsafe { sys::cuModuleLoadData(&raw mut raw, image.as_ptr().cast()) };
        context.check(result, "loading a kernel")?;
        Ok(Image::of(context, raw))
    }

    /// A module that has been loaded, which is unloaded once.
    pub(super) fn of(context: &Arc<Context>, raw: CUmodule) -> Arc<Image> {
        context.add_ward();
        Arc::new(Image { raw, context: Arc::clone(context), barrier: Order::default() })
    }

    pub(super) fn function(self: &Arc<Image>, name: &str) -> Result<Kernel> {
        self.context.bind()?;
        let c_name = CString::new(name).map_err(|_| Problem::Device {
            operation: "loading a kernel".to_owned(),
            message: format!("`{name}` is no name"),
        })?;
        let mut raw: CUfunction = std::ptr::null_mut();
        // SAFETY: the module is loaded; the name ends with a zero.
        let result = unsafe { sys::cuModuleGetFunction(&raw mut raw, self.raw, c_name.as_ptr()) };
        self.context.check(result, "loading a kernel")?;
        Ok(Kernel { raw, image: Arc::clone(self) })
    }

    /// The address and the size of a variable.
    pub(super) fn global(&self, symbol: &str) -> Result<(u64, usize)> {
        self.context.bind()?;
        let operation = "looking for a variable";
        let c_name = CString::new(symbol).map_err(|_| Problem::Device {
            operation: operation.to_owned(),
            message: format!("`{symbol}` is no name"),
        })?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded; the name ends with a zero, and the
        // pointers are to valid integers.
        let result =
            unsafe { sys::cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, self.raw, c_name.as_ptr()) };
        self.context.check(result, operation)?;
        Ok((address, bytes))
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // After an error that cannot be recovered from there is nothing to unload.
        if self.context.bind().is_ok() {
            // SAFETY: the module was loaded by `load`, and no kernel of it is
            // left, since each holds this image. The driver waits for work
            // that is under way.
            let _ = unsafe { sys::cuModuleUnload(self.raw) };
        }
        self.context.remove_ward();
    }
}

/// A kernel of an image.
#[derive(Clone)]
pub(super) struct Kernel {
    pub(super) raw: CUfunction,
    pub(super) image: Arc<Image>,
}

// SAFETY: as for `Image`, which it holds.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Kernel {
    /// Launches the kernel on the current stream.
    ///
    /// # Safety
    ///
    /// The arguments are the kernel's own in number and sizes; memory that
    /// they point at and the kernel uses is alive until work that is asked
    /// for after this call.
    pub(super) unsafe fn launch(
        &self,
        grid: [u32; 3],
        block: [u32; 3],
        shared_memory: u32,
        pointers: &mut [*mut c_void],
    ) -> Result<()> {
        let context = &self.image.context;
        context.bind_for_launch()?;
        keep_for_capture(&self.image);
        // SAFETY: the driver copies each argument, of the size that the
        // kernel says, before it returns; the caller promises the rest.
        let mut launch = || unsafe {
            sys::cuLaunchKernel(
                self.raw,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                shared_memory,
                context.stream(),
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        let mut result = launch();
        if result != CUresult::CUDA_SUCCESS && context.is_elsewhere(result) {
            result = launch();
        }
        context.check_launch(result)
    }

    /// The most threads that a block of this kernel can have.
    pub(super) fn max_threads(&self) -> Option<u64> {
        self.image.context.bind().ok()?;
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        let mut value = 0;
        // SAFETY: the function is loaded; the pointer is to a valid integer.
        let result = unsafe { sys::cuFuncGetAttribute(&raw mut value, attribute, self.raw) };
        (result == sys::CUresult::CUDA_SUCCESS).then(|| u64::try_from(value).unwrap_or(0))
    }

    /// The sizes of the arguments in bytes; drivers since CUDA 12.4 say.
    pub(super) fn argument_sizes(&self) -> Option<Vec<usize>> {
        if !library::driver_has("cuFuncGetParamInfo") || self.image.context.bind().is_err() {
            return None;
        }
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut size) = (0usize, 0usize);
            // SAFETY: the function is loaded; the pointers are to valid
            // integers. Past the last argument the driver answers an error.
            let result =
                unsafe { sys::cuFuncGetParamInfo(self.raw, sizes.len(), &raw mut offset, &raw mut size) };
            match result {
                sys::CUresult::CUDA_SUCCESS => sizes.push(size),
                sys::CUresult::CUDA_ERROR_INVALID_VALUE => return Some(sizes),
                // The device is lost, say; the launch will report it.
                _ => return None,
            }
        }
    }
}
