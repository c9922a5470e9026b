//! Large products of matrices on the host are those of the plugin `linalg`: here one that tells what it is asked for
//! by what it answers.

use gpurepl_plugin::{Call, plugin};
use gpurepl_prelude::*;

/// Answers with the numbers of rows, columns and what is summed over, and refuses sums over 7.
fn product(call: &mut Call<'_>) -> Result<(), String> {
    let &[rows, columns, inner, ..] = call.numbers else { return Err("numbers are missing".to_owned()) };
    if inner % 7 == 0 {
        return Err("not this one".to_owned());
    }
    let [_, _, to] = &mut call.arrays[..] else { return Err("three arrays are wanted".to_owned()) };
    let answer = (rows * 1_000_000 + columns * 1000 + inner) as f32;
    to.slice_mut::<f32>()?.fill(answer);
    Ok(())
}

plugin! { name = "linalg"; "product" => product }

#[test]
fn large_products_are_the_plugins_and_others_are_not() {
    extend::provide("linalg", gpurepl_plugin).unwrap();
    let is_plugins = device().kind() == DeviceKind::Host;
    let product = |rows: usize, inner: usize, columns: usize| {
        ones::<f32>((rows, inner)).matmul(ones::<f32>((inner, columns))).max().item()
    };
    // In column-major order rows are columns.
    let of = |rows: usize, inner: usize, columns: usize| {
        if is_plugins { (columns * 1_000_000 + rows * 1000 + inner) as f32 } else { inner as f32 }
    };
    assert_eq!(product(256, 256, 256), of(256, 256, 256));
    assert_eq!(product(200, 300, 400), of(200, 300, 400));
    // Fewer than 2^24 products, and one that the plugin refuses.
    assert_eq!(product(200, 200, 200), 200.0);
    assert_eq!(product(256, 259, 256), 259.0);
    // Steps in both directions are nothing for a library, and neither are whole numbers.
    let steps = ones::<f32>((512, 512)).slice(s![..; 2, ..; 2]);
    assert_eq!(steps.matmul(&steps).max().item(), 256.0);
    assert_eq!(ones::<i32>((256, 256)).matmul(ones::<i32>((256, 256))).max().item(), 256);
    // A stack of products, of one factor.
    let stack = ones::<f32>((3, 256, 256)).matmul(ones::<f32>((256, 300)));
    assert_eq!(stack.min().item(), of(256, 256, 300));
    assert_eq!(stack.shape(), [3, 256, 300]);
}
