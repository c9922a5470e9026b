//! Transforms on the host: the plugin `fft`, which has rustfft and realfft.

use std::sync::Arc;

use gpurepl_extend::{
    AnyArray, Argument, Elements, Extent, Gpu, Operation, Plugin, Result, error, perform, plugin,
};

use crate::transform::Transform;

/// The transform of an array that has the right lengths; it may be a view.
pub(crate) fn transformed(transform: &Transform, x: &AnyArray) -> Result<AnyArray> {
    // Before the operation, which holds locks: it may be built now.
    let plugin = plugin("fft")?;
    let mut to = AnyArray::empty(transform.shape_of_result(x), transform.dtype_of_result(x.dtype()))?;
    if to.size() == 0 {
        return Ok(to);
    }
    let mut numbers = vec![i64::from(transform.is_inverse), transform.factor.to_bits().cast_signed()];
    numbers.extend(transform.axes.iter().map(|axis| *axis as i64));
    let work = OnHost { name: transform.name, plugin, numbers };
    perform(Arc::new(work), &[Argument::read(x), Argument::write(&mut to)])?;
    Ok(to)
}

struct OnHost {
    name: &'static str,
    plugin: &'static Plugin,
    numbers: Vec<i64>,
}

impl Operation for OnHost {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        self.plugin.call_for(self.name, "transform", arguments, &self.numbers)
    }

    fn on_gpu(&self, _: &dyn Gpu, _: &[Extent]) -> Result<()> {
        Err(error::unsupported(format!("{}: an array of a GPU met the host's half", self.name)))
    }
}
