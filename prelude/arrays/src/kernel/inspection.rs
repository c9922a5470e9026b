//! What a compiler has made of a kernel: PTX, and machine code as text.

use super::source_module::{Function, SourceModule};
use crate::device::{Device, DeviceKind, LinkPart, disassembled};
use crate::error::{Problem, Result};

impl Function {
    /// The PTX of the kernel's module: what the GPU's driver makes machine code of.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let twice = SourceModule::new("extern \"C\" __global__ void twice(float *a) { a[threadIdx.x] *= 2; }")?
    ///     .get_function("twice")?;
    /// match twice.ptx() {
    ///     Ok(ptx) => assert!(ptx.contains(".entry twice")),
    ///     // The host device has its own machine code.
    ///     Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported),
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// On the host device, and for a kernel that was loaded as machine code.
    pub fn ptx(&self) -> Result<String> {
        self.refuse_host("ptx")?;
        let module = &self.inner.module;
        if let Some(ptx) = module.module.ptx() {
            return Ok(ptx);
        }
        Ok(String::from_utf8_lossy(&self.compiled_again("ptx")?).into_owned())
    }

    /// The kernel's machine code as text, by NVIDIA's `nvdisasm`.
    ///
    /// # Errors
    ///
    /// As [`Function::ptx`], and if there is no `nvdisasm`: it comes with the CUDA toolkit.
    pub fn sass(&self) -> Result<String> {
        self.refuse_host("sass")?;
        let module = &self.inner.module;
        let cubin = match module.module.ptx() {
            Some(ptx) => {
                let part = LinkPart { data: ptx.into_bytes(), name: format!("{}.ptx", self.name()) };
                module.context.backend().link(&[part])?
            }
            None => self.compiled_again("cubin")?,
        };
        disassembled(&cubin)
    }

    fn refuse_host(&self, what: &str) -> Result<()> {
        let device: Device = self.inner.module.context.device();
        if device.kind() == DeviceKind::Cuda {
            return Ok(());
        }
        let message = format!(
            "{what}: kernels of the host device are machine code of the CPU, and have neither PTX nor SASS\n  = help: \
             choose a GPU, `gpurepl --device cuda:0`; `gpurepl devices` lists them"
        );
        Err(Problem::Unsupported { message }.into())
    }

    fn compiled_again(&self, target: &str) -> Result<Vec<u8>> {
        let module = &self.inner.module;
        if module.source.is_empty() {
            let message = format!("{}: a kernel that was loaded has no source", self.name());
            return Err(Problem::Unsupported { message }.into());
        }
        let builder = SourceModule::builder(&module.source);
        module.options.iter().fold(builder, |builder, option| builder.option(option)).compile_to(target)
    }
}
