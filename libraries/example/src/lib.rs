//! A plugin to copy from. It has no dependencies; one that is worth being a
//! plugin has heavy ones.
#![warn(missing_docs)]

use gpurepl_plugin::{Call, plugin};

plugin! {
    name = "example";
    "scale" => scale,
    "panic" => panics,
}

/// The second array is the first one, times a whole number.
fn scale(call: &mut Call<'_>) -> Result<(), String> {
    let &[factor] = call.numbers else { return Err("scale takes one number".to_owned()) };
    let [from, to] = &mut call.arrays[..] else { return Err("scale takes two arrays".to_owned()) };
    if from.shape() != to.shape() {
        return Err(format!("scale: shapes {:?} and {:?} differ", from.shape(), to.shape()));
    }
    for (to, from) in to.slice_mut::<f32>()?.iter_mut().zip(from.slice::<f32>()?) {
        *to = from * factor as f32;
    }
    Ok(())
}

/// What a mistake in a plugin comes to.
fn panics(call: &mut Call<'_>) -> Result<(), String> {
    panic!("called with {} arrays", call.arrays.len());
}
