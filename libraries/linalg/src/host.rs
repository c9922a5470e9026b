//! Factorisations on the host: the plugin `linalg`, which has faer.

use std::sync::Arc;

use gpurepl_extend::{
    AnyArray, Argument, DType, Elements, Extent, Gpu, Operation, Plugin, Result, error, perform, plugin,
};

/// Calls a function of the plugin with arrays to read, arrays to write and numbers. With the axes of a stack it has
/// one array more: what it says about each matrix.
pub(crate) fn call(
    operation: &'static str,
    function: &'static str,
    from: &[&AnyArray],
    to: &mut [&mut AnyArray],
    numbers: &[i64],
    stack: Option<&[usize]>,
) -> Result<Vec<i64>> {
    // Before the operation, which holds locks: it may be built now.
    let plugin = plugin("linalg")?;
    let from: Vec<AnyArray> = from.iter().map(|array| array.contiguous()).collect::<Result<_>>()?;
    let mut arguments: Vec<Argument> = from.iter().map(Argument::read).collect();
    arguments.extend(to.iter_mut().map(|array| Argument::write(array)));
    let mut info = stack.map(|stack| AnyArray::empty(stack, DType::Int64)).transpose()?;
    arguments.extend(info.as_mut().map(Argument::write));
    let work = OnHost { name: operation, function, plugin, numbers: numbers.to_vec() };
    perform(Arc::new(work), &arguments)?;
    let bytes = info.map(|info| info.to_host()).transpose()?.unwrap_or_default();
    Ok(bytes.as_chunks().0.iter().map(|bytes| i64::from_ne_bytes(*bytes)).collect())
}

struct OnHost {
    name: &'static str,
    function: &'static str,
    plugin: &'static Plugin,
    numbers: Vec<i64>,
}

impl Operation for OnHost {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        self.plugin.call_for(self.name, self.function, arguments, &self.numbers)
    }

    fn on_gpu(&self, _: &dyn Gpu, _: &[Extent]) -> Result<()> {
        Err(error::unsupported(format!("{}: an array of a GPU met the host's half", self.name)))
    }
}
