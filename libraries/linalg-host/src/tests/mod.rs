//! Calls of the plugin as the other side makes them, and what the answers come to.

mod cholesky;
mod conventions;
mod eig;
mod linear;
mod orthogonal;
mod product;
mod refused;
mod tensor;

use gpurepl_plugin::{RawArray, RawCall, RawText};
use num_complex::Complex;

use Kind::*;
use tensor::{Kind, Number, Tensor};

/// Calls a function of the plugin: inputs, then outputs of these types and shapes.
pub fn call(
    name: &str,
    inputs: &[&Tensor],
    outputs: &[(Kind, Vec<usize>)],
    numbers: &[i64],
) -> Result<Vec<Tensor>, String> {
    let mut answers: Vec<Tensor> =
        outputs.iter().map(|(kind, shape)| Tensor::new(*kind, shape, |_| (-7.0).into())).collect();
    let all: Vec<&Tensor> = inputs.iter().copied().chain(&answers).collect();
    let mut memories: Vec<_> = all.iter().map(|tensor| tensor.pack()).collect();
    let strides: Vec<Vec<isize>> = all
        .iter()
        .map(|tensor| {
            (1..=tensor.shape.len())
                .map(|axis| tensor.shape[axis..].iter().product::<usize>() as isize)
                .collect()
        })
        .collect();
    let arrays: Vec<RawArray> = (all.iter().zip(&mut memories).zip(&strides).enumerate())
        .map(|(index, ((tensor, memory), strides))| RawArray {
            data: memory.as_mut_ptr().cast(),
            bytes: tensor.values.len() * tensor.kind.size(),
            first: 0,
            dtype: tensor.kind.code(),
            writes: u32::from(index >= inputs.len()),
            rank: tensor.shape.len(),
            shape: tensor.shape.as_ptr(),
            strides: strides.as_ptr(),
        })
        .collect();
    let mut raw = RawCall {
        arrays: arrays.as_ptr(),
        array_count: arrays.len(),
        numbers: numbers.as_ptr(),
        number_count: numbers.len(),
        input: std::ptr::null(),
        input_length: 0,
        outcome: 9,
        text: RawText::NONE,
    };
    // SAFETY: the table is a constant of the plugin, as are its functions and
    // their names. The call's arrays and numbers live until it has returned,
    // and each array has memory of its own.
    let text = unsafe {
        let table = &*crate::gpurepl_plugin();
        let functions = std::slice::from_raw_parts(table.functions, table.count);
        let is_it = |function: &&gpurepl_plugin::Function| {
            std::slice::from_raw_parts(function.name, function.name_length) == name.as_bytes()
        };
        (functions.iter().find(is_it).unwrap().call)(&mut raw);
        let text = match raw.text.data.is_null() {
            true => String::new(),
            false => String::from_utf8_lossy(std::slice::from_raw_parts(raw.text.data, raw.text.length))
                .into_owned(),
        };
        (table.free)(raw.text);
        text
    };
    // The plugin keeps panics silent, for its caller has their texts; a test's are to be seen.
    drop(std::panic::take_hook());
    let count = inputs.len();
    for (answer, memory) in answers.iter_mut().zip(&memories[count..]) {
        answer.unpack(memory);
    }
    match raw.outcome {
        0 => Ok(answers),
        1 => Err(text),
        outcome => panic!("outcome {outcome}: {text}"),
    }
}

/// Checks that a number is at most so many times what rounding makes of numbers of this size.
#[track_caller]
pub fn close(what: &str, kind: Kind, distance: f64, order: usize, size: f64) {
    let allowed = 30.0 * kind.eps() * (order + 1) as f64 * size;
    assert!(distance <= allowed, "{what} of {kind:?}, order {order}: {distance:e} > {allowed:e}");
}

/// That every `info` is 0.
#[track_caller]
pub fn succeeded(info: &Tensor) {
    assert!(info.values.iter().all(|&value| value == 0.0.into()), "{:?}", info.values);
}

/// Calls `test` for all types, and some shapes of matrices.
pub fn for_shapes(shapes: &[(usize, usize)], test: impl Fn(Kind, Vec<usize>, u64)) {
    for kind in Kind::ALL {
        for (seed, &(rows, columns)) in (1..).zip(shapes) {
            test(kind, vec![rows, columns], seed);
            test(kind, vec![2, 3, rows, columns], seed + 100);
            test(kind, vec![0, 3, rows, columns], seed);
        }
    }
}

/// Orders of square matrices.
pub const SQUARE: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (5, 5), (37, 37), (130, 130)];

/// Wide and tall ones besides.
pub const ANY: [(usize, usize); 14] = [
    (0, 0),
    (0, 3),
    (3, 0),
    (1, 1),
    (2, 2),
    (1, 4),
    (4, 1),
    (5, 3),
    (3, 5),
    (37, 20),
    (20, 37),
    (130, 37),
    (37, 130),
    (130, 130),
];
