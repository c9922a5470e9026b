//! The text for GPUs, run on the host, chooses what the host itself does.

use gpurepl_device::operations::{
    Claims, Gather, Indexed, Indexing, Mask, PlaceStarts, Places, Scatter, starts_bytes,
};
use gpurepl_device::{Operation as _, Strided};
use gpurepl_ground::shape::Shape;
use gpurepl_prelude::*;

use crate::simulated::Simulated;

/// Arguments of the kernels that read and write along one axis, and of those for
/// masks.
const FORMATS: [(&str, &str); 6] = [
    ("gpurepl_gather", "PPPQqQQPQqq"),
    ("gpurepl_scatter", "PPPQqQQPqPQqqqq"),
    ("gpurepl_claim", "PPQqQQQqq"),
    ("gpurepl_place_counts", "PQQP"),
    ("gpurepl_place_starts", "PQ"),
    ("gpurepl_places", "PQQPPP"),
];

/// What the text for GPUs chooses and writes, run on the host, is what the host
/// itself does.
fn simulate<T: Elem>(gpu: &Simulated, values: &GpuArray<T>, mask: &GpuArray<bool>, indices: &GpuArray<i32>) {
    let (count, wanted) = (values.size(), indices.size());
    let [own, mask_place, list] = [&values.raw, &mask.raw, &indices.raw].map(|raw| raw.contiguous().unwrap());
    let starts = zeros::<u8>(starts_bytes(count));
    let (starts_place, in_memory) = (starts.raw.place().unwrap(), Mask { buffer: &mask_place.buffer, count });
    PlaceStarts { mask: in_memory, starts: &starts_place.buffer }.on_gpu(gpu).unwrap();
    let expected = mask.flatnonzero();
    let total = starts.to_vec();
    assert_eq!(total[total.len() - 8..], (expected.size() as u64).to_ne_bytes());
    let (places, chosen) = (empty::<i64>(expected.size()), empty::<T>(expected.size()));
    for (output, values) in [(&places.raw, None), (&chosen.raw, Some((&*own.buffer, own.offset, T::DTYPE)))] {
        let output = output.place().unwrap();
        let (starts, found) = (&*starts_place.buffer, expected.size());
        Places { mask: in_memory, starts, found, values, output: &output.buffer }.on_gpu(gpu).unwrap();
    }
    assert_eq!(places.to_vec(), expected.to_vec());
    assert_eq!(T::as_bytes(&chosen.to_vec()), T::as_bytes(&values[mask].to_vec()));

    let shape = Shape::new(&[wanted]);
    let strides = |step| shape.strides().map(|stride| stride * step);
    let indexed = |array| Indexed {
        shape,
        array: Strided { buffer: array, offset: 0, strides: strides(0) },
        dtype: T::DTYPE,
        step: 1,
        length: count,
        indices: (&*list.buffer, list.offset, wanted),
        index: DType::Int32,
        places: strides(1),
        indexing: Indexing::new("take", None),
    };
    let taken = empty::<T>(wanted);
    let output = taken.raw.place().unwrap();
    Gather { indexed: indexed(&own.buffer), output: &output.buffer }.on_gpu(gpu).unwrap();
    assert_eq!(T::as_bytes(&taken.to_vec()), T::as_bytes(&values.take(indices).to_vec()));
    // The last of several values stays.
    let turned = taken.flip().copy();
    let (mut written, by_text) = (zeros_like(values), zeros_like(values));
    written.set(indices, &turned);
    let (to, from) = (by_text.raw.place().unwrap(), turned.raw.place().unwrap());
    let claims = Some(Claims { strides: strides(0), step: 1, count });
    let values = Strided { buffer: &from.buffer, offset: from.offset, strides: strides(1) };
    Scatter { indexed: indexed(&to.buffer), values, claims }.on_gpu(gpu).unwrap();
    assert_eq!(T::as_bytes(&by_text.to_vec()), T::as_bytes(&written.to_vec()));
}

#[test]
fn the_text_for_gpus_chooses() {
    if !crate::is_on_host() {
        return super::large_masks_are_divided_into_parts();
    }
    let gpu = Simulated::new(&FORMATS);
    for count in [1_i32, 300, 4097, 30_000] {
        let a = (arange(0..count) * 31) % 1009;
        let (mask, indices) = (a.gt(700), &a % count.min(50) - count.min(20));
        simulate(&gpu, &a, &mask, &indices);
    }
    let a = (arange(0..5000_i32) * 31) % 251;
    let (mask, indices) = ((&a % 3).eq(1), &a - 100);
    simulate(&gpu, &a.astype(u8), &mask, &indices);
    simulate(&gpu, &a.astype(f16), &mask, &indices);
    simulate(&gpu, &a.astype(f64), &mask, &indices);
    simulate(&gpu, &(a.astype(f64) * Complex64::new(0.0, 1.0)), &mask, &indices);
}
