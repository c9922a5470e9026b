//! Large products of matrices on the host, by the plugin of linear algebra where it has been built.
//!
//! It is not built for them: the arrays' own products take at most 1.2 times as long.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use gpurepl_device::operations::set_host_library;
use gpurepl_device::{Gemm, rust};

use super::{LOADED, Plugin};

/// The plugin's name.
const PLUGIN: &str = "linalg";

/// From now on large products on the host are the plugin's, from when on it is there.
pub fn use_plugin_for_products() {
    set_host_library(multiply);
}

fn multiply(gemm: &Gemm, factors: [&[u8]; 2], results: &mut [u8]) -> bool {
    static NUMBER: OnceLock<Option<usize>> = OnceLock::new();
    let Some(plugin) = plugin() else { return false };
    let Some(number) = *NUMBER.get_or_init(|| plugin.library.position("product")) else { return false };
    let factor = |factor: &gpurepl_device::GemmFactor| {
        [usize::from(factor.is_transposed), factor.leading, factor.batch.unsigned_abs()]
    };
    let sizes = [gemm.batches, gemm.rows, gemm.columns, gemm.inner];
    let numbers: Vec<i64> = sizes
        .into_iter()
        .chain(factor(&gemm.left))
        .chain(factor(&gemm.right))
        .map(|size| size as i64)
        .collect();
    plugin.library.multiply(number, gemm.dtype, factors, results, &numbers)
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
