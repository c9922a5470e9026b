//! Calls in the order of the streams: for `CppModule`, `SharedLibrary` and `library!` alike.

use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_extend::{
    AnyArray, Argument, Context, DeviceKind, Elements, Extent, Gpu, Operation, Result, compilers, error,
    perform,
};

/// An array that a call passes.
pub(crate) struct Passed {
    pub(crate) array: AnyArray,
    pub(crate) is_written: bool,
    /// Of which argument, from one.
    pub(crate) number: usize,
}

/// Refuses an array that a function could not use. `otherwise` says how a GPU's memory is passed.
pub(crate) fn check(
    function: &str,
    passed: &Passed,
    takes_device_memory: bool,
    otherwise: &str,
) -> Result<()> {
    let Passed { array, is_written, number } = passed;
    let device = array.context()?.device();
    if device.kind() != DeviceKind::Host && !takes_device_memory {
        let message = format!(
            "argument {number} is an array on {}, whose memory C++ on the CPU cannot read\n  = help: pass its elements, \
             `&x.to_vec()`, or {otherwise}",
            device.name()
        );
        return Err(error::argument(function, message));
    }
    if !array.is_contiguous()? {
        let next = match is_written {
            true => "write to a copy, `let mut y = x.copy()`, and assign it: `x.assign(&y)`",
            false => "pass `&x.ascontiguousarray()`, or `&x.copy()`",
        };
        let message = format!(
            "argument {number} is a view of shape {:?} whose elements do not lie one behind the other\n  = help: {next}",
            array.shape()
        );
        return Err(error::argument(function, message));
    }
    Ok(())
}

/// Does a call with the addresses of its arrays, once what makes them is done; where it takes device memory, all work
/// of the context is done before it and after it. Callers have refused it while a graph is captured.
pub(crate) fn ordered(
    name: &'static str,
    arrays: &mut [Passed],
    takes_device_memory: bool,
    call: &mut dyn FnMut(&[usize]),
) -> Result<()> {
    compilers::write_out();
    if arrays.is_empty() && !takes_device_memory {
        call(&[]);
        return Ok(());
    }
    // SAFETY: only the lifetime changes. The work holds it for as long as `perform` runs, which calls it on this thread
    // before it returns, as no graph is captured; it is not called afterwards.
    let call: *mut (dyn FnMut(&[usize]) + 'static) =
        unsafe { std::mem::transmute(std::ptr::from_mut::<dyn FnMut(&[usize]) + '_>(call)) };
    let work = Work { name, call: Mutex::new(Some(Pointer(call))) };
    let arguments: Vec<Argument> = arrays
        .iter_mut()
        .map(
            |Passed { array, is_written, .. }| {
                if *is_written { Argument::write(array) } else { Argument::read(array) }
            },
        )
        .collect();
    perform(Arc::new(work), &arguments)
}

struct Pointer(*mut dyn FnMut(&[usize]));

// SAFETY: it is used on the thread that has made it: see `ordered`.
unsafe impl Send for Pointer {}

struct Work {
    name: &'static str,
    /// Taken when it is called, so that it is called once.
    call: Mutex<Option<Pointer>>,
}

impl Work {
    fn run(&self, addresses: &[usize]) {
        let call = self.call.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Pointer(call)) = call {
            // SAFETY: `ordered` lends it for as long as the work is done, on this thread.
            unsafe { (*call)(addresses) };
        }
    }
}

impl Operation for Work {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        let addresses: Vec<usize> = arguments
            .iter_mut()
            .map(|elements| match elements.bytes_mut() {
                Ok(bytes) => bytes.as_mut_ptr() as usize,
                Err(_) => elements.bytes().as_ptr() as usize,
            })
            .collect();
        self.run(&addresses);
        Ok(())
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        // The arrays' own context, which need not be the cell's.
        let context = arguments.first().map_or_else(Context::current, |extent| Ok(extent.context))?;
        context.synchronize()?;
        // Makes the context current in the driver, which a run-time library of the function's then uses.
        gpu.stream()?;
        let addresses: Vec<usize> = arguments.iter().map(|extent| extent.address as usize).collect();
        self.run(&addresses);
        // Whatever streams the function has used.
        context.synchronize()
    }
}
