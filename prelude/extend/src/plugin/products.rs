//! Large products of matrices on the host, by the plugin of linear algebra where it has been built.
//!
//! It is not built for them: the arrays' own products take at most 1.3 times as long.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use gpurepl_device::operations::{HostFactor, HostProduct, set_host_library};
use gpurepl_device::rust;

use super::{LOADED, Plugin};

/// The plugin's name, and its function's.
const PLUGIN: &str = "linalg";
const FUNCTION: &str = "product";

/// From now on large products on the host are the plugin's, from when on it is there.
pub fn use_plugin_for_products() {
    set_host_library(multiply);
}

fn multiply(product: &HostProduct<'_>, result: &mut [u8]) -> bool {
    /// The plugin, and the number of its function. Once it is found no product is another one's because of a lock.
    static FOUND: OnceLock<(&Plugin, usize)> = OnceLock::new();
    let found = FOUND.get().copied().or_else(|| {
        let plugin = plugin()?;
        let found = (plugin, plugin.library.position(FUNCTION)?);
        Some(*FOUND.get_or_init(|| found))
    });
    let Some((plugin, number)) = found else { return false };
    let layout = |factor: &HostFactor<'_>| [usize::from(factor.is_transposed), factor.leading];
    let [left, right] = [layout(&product.left), layout(&product.right)];
    let numbers = [product.rows, product.columns, product.inner, left[0], left[1], right[0], right[1]];
    let numbers = numbers.map(|number| number as i64);
    plugin.library.multiply(
        number,
        product.dtype,
        [product.left.bytes, product.right.bytes],
        result,
        &numbers,
    )
}

/// The plugin if it is loaded, or lies beside the prelude. It is not waited for while it is being built.
fn plugin() -> Option<&'static Plugin> {
    static IS_REFUSED: AtomicBool = AtomicBool::new(false);
    let mut loaded = LOADED.try_lock().ok()?;
    let loaded = loaded.get_or_insert_default();
    if let Some(plugin) = loaded.get(PLUGIN) {
        return Some(plugin);
    }
    if IS_REFUSED.load(Ordering::Relaxed) {
        return None;
    }
    let file = rust::store_folder()?.join("plugins").join(format!("{PLUGIN}.so"));
    if !file.is_file() {
        return None;
    }
    let Ok(plugin) = Plugin::open(PLUGIN, &file) else {
        IS_REFUSED.store(true, Ordering::Relaxed);
        return None;
    };
    let plugin: &'static Plugin = Box::leak(Box::new(plugin));
    loaded.insert(PLUGIN.to_owned(), plugin);
    Some(plugin)
}
