//! Plugins: shared libraries with the host half of an operation, built when
//! they are first wanted.

mod foreign;
mod products;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_device::Gpu;
use gpurepl_ground::streams::plugins;
use gpurepl_ground::{Error, Result};

use crate::array::Extent;
use crate::error;
use crate::operation::{Argument, Elements, Operation, perform};
use foreign::Library;
use gpurepl_plugin::Table;
pub use products::use_plugin_for_products;

/// A loaded plugin.
pub struct Plugin {
    name: String,
    library: Library,
}

/// Those that are loaded, which is for good.
static LOADED: Mutex<Option<HashMap<String, &'static Plugin>>> = Mutex::new(None);

/// A plugin by its name, built now if it has not been, while the session shows
/// how far that is. Later calls return the same one.
///
/// # Errors
///
/// If there is no such plugin, it cannot be built, the user interrupts its
/// build, or no cell is running.
pub fn plugin(name: &str) -> Result<&'static Plugin> {
    // Held meanwhile: two threads that want one plugin ask once.
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let loaded = loaded.get_or_insert_default();
    if let Some(plugin) = loaded.get(name) {
        return Ok(plugin);
    }
    let plugin: &'static Plugin = Box::leak(Box::new(Plugin::open(name, &plugins::find(name)?)?));
    loaded.insert(name.to_owned(), plugin);
    Ok(plugin)
}

/// Says where a plugin is that a program has linked, by its exported function: a program of its own
/// has no session that would build one. A project of `:save` begins with it. A plugin that is known
/// already stays.
///
/// # Errors
///
/// If it has another version of the interface.
///
/// ```
/// # use gpurepl_prelude::extend;
/// use gpurepl_plugin::{Call, plugin};
///
/// fn backwards(call: &mut Call<'_>) -> Result<(), String> {
///     call.output = call.input.iter().rev().copied().collect();
///     Ok(())
/// }
///
/// plugin! { name = "words"; "backwards" => backwards }
///
/// extend::provide("words", gpurepl_plugin)?;
/// assert_eq!(extend::plugin("words")?.ask("backwards", b"stop")?, b"pots");
/// # Ok::<(), gpurepl_prelude::Error>(())
/// ```
pub fn provide(name: &str, entry: extern "C" fn() -> *const Table) -> Result<()> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let loaded = loaded.get_or_insert_default();
    if !loaded.contains_key(name) {
        let library = Library::linked(entry).map_err(|why| unloadable(name, &why))?;
        loaded.insert(name.to_owned(), Box::leak(Box::new(Plugin { name: name.to_owned(), library })));
        use_plugin_for_products();
    }
    Ok(())
}

fn unloadable(name: &str, why: &str) -> Error {
    let what = format!("the plugin `{name}` cannot be loaded: {why}");
    error::missing(what, "run `gpurepl store clean --all`, and the cell again to build it".to_owned())
}

impl Plugin {
    /// Loads a plugin from a file, for one that was not built by gpurepl.
    ///
    /// # Errors
    ///
    /// If it cannot be loaded, is not the plugin of this name, or has another
    /// version of the interface.
    pub fn open(name: &str, path: &Path) -> Result<Plugin> {
        let library = Library::open(name, path).map_err(|why| unloadable(name, &why))?;
        Ok(Plugin { name: name.to_owned(), library })
    }

    /// Calls a function with the arguments of [`Operation::on_host`] and whole
    /// numbers.
    ///
    /// # Errors
    ///
    /// If there is no such function, or as the function says; a panic in it is
    /// an error too.
    pub fn call(&self, function: &str, arguments: &mut [Elements<'_>], numbers: &[i64]) -> Result<()> {
        self.call_by_name(function, arguments, numbers, &[]).map(drop)
    }

    /// [`Plugin::call`] for an operation of the user's: what the function says is an error of that
    /// operation, which is all that the user has called.
    ///
    /// # Errors
    ///
    /// As [`Plugin::call`].
    pub fn call_for(
        &self,
        operation: &'static str,
        function: &str,
        arguments: &mut [Elements<'_>],
        numbers: &[i64],
    ) -> Result<()> {
        let number = self.number_of(function)?;
        let done = self.library.call(number, arguments, numbers, &[]).map(drop);
        done.map_err(|(is_panic, text)| match is_panic {
            false => error::invalid(operation, text),
            true => self.failure(function, is_panic, &text),
        })
    }

    /// Calls a function with bytes, a text say, and returns those that it answers with. No
    /// device takes part, so it may be called on any.
    ///
    /// # Errors
    ///
    /// As [`Plugin::call`].
    pub fn ask(&self, function: &str, input: &[u8]) -> Result<Vec<u8>> {
        self.call_by_name(function, &mut [], &[], input)
    }

    fn call_by_name(
        &self,
        function: &str,
        arguments: &mut [Elements<'_>],
        numbers: &[i64],
        input: &[u8],
    ) -> Result<Vec<u8>> {
        let number = self.number_of(function)?;
        let done = self.library.call(number, arguments, numbers, input);
        done.map_err(|(is_panic, text)| self.failure(function, is_panic, &text))
    }

    fn number_of(&self, function: &str) -> Result<usize> {
        self.library.position(function).ok_or_else(|| {
            let names = self.library.names().join(", ");
            let message = format!("the plugin `{}` has no function `{function}`; it has {names}", self.name);
            error::invalid("plugin", message)
        })
    }

    fn failure(&self, function: &str, is_panic: bool, text: &str) -> Error {
        let how = if is_panic { "panicked" } else { "failed" };
        error::invalid("plugin", format!("`{function}` of the plugin `{}` {how}: {text}", self.name))
    }

    /// Calls a function as an operation of its own, see [`perform`].
    ///
    /// # Errors
    ///
    /// As [`Plugin::call`] and [`perform`]; on a GPU always, since a plugin
    /// computes on the host.
    pub fn perform(&'static self, function: &str, arguments: &[Argument], numbers: &[i64]) -> Result<()> {
        let (function, numbers) = (function.to_owned(), numbers.to_vec());
        perform(Arc::new(OnHost { plugin: self, function, numbers }), arguments)
    }
}

/// A function of a plugin as an operation.
struct OnHost {
    plugin: &'static Plugin,
    function: String,
    numbers: Vec<i64>,
}

impl Operation for OnHost {
    fn name(&self) -> &'static str {
        "a function of a plugin"
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        self.plugin.call(&self.function, arguments, &self.numbers)
    }

    fn on_gpu(&self, _: &dyn Gpu, _: &[Extent]) -> Result<()> {
        Err(error::unsupported(format!(
            "`{}` of the plugin `{}` computes on the host; use arrays of the host device: `GPUREPL_DEVICE=host`",
            self.function, self.plugin.name
        )))
    }
}
