//! Arrays from nothing, from numbers and from the host's data.

use gpurepl_prelude::*;
use ndarray::{array, s as ndarray_slice};

use crate::raises;

#[test]
fn filled_arrays() {
    assert_eq!(zeros::<f32>(3).to_vec(), [0.0; 3]);
    assert_eq!(ones::<u8>((2, 2)).to_vec(), [1; 4]);
    assert_eq!(full((1, 3), Complex32::new(1.0, -1.0)).to_vec(), [Complex32::new(1.0, -1.0); 3]);
    assert_eq!(full(2, true).to_vec(), [true, true]);
    assert_eq!(zeros::<f64>(()).shape(), [0_usize; 0]);
    assert_eq!(ones::<f64>(()).item(), 1.0);
    assert_eq!(empty::<i64>((0, 5)).shape(), [0, 5]);
    let like = full_like(&zeros::<f16>((2, 1)), f16::from_f32(0.5));
    assert_eq!((like.shape(), like.dtype()), (&[2, 1][..], DType::Float16));
    assert_eq!(ones_like(&like).to_vec(), [f16::from_f32(1.0); 2]);
}

#[test]
fn ranges() {
    assert_eq!(arange(0..5).to_vec(), [0, 1, 2, 3, 4]);
    assert_eq!(arange((0..10).by(3)).to_vec(), [0, 3, 6, 9]);
    assert_eq!(arange((5..0).by(-2)).to_vec(), [5, 3, 1]);
    assert_eq!(arange(3..3).len(), 0);
    assert_eq!(arange((0.0..1.0).by(0.25)).to_vec(), [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(arange(250_u8..255).to_vec(), [250, 251, 252, 253, 254]);
    assert_eq!(arange(i64::MAX - 2..i64::MAX).to_vec(), [i64::MAX - 2, i64::MAX - 1]);
    assert_eq!(linspace(0.0, 1.0, 5).to_vec(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(linspace(2.0_f32, 2.0, 1).to_vec(), [2.0]);
    // The end is left out in single precision as well.
    assert_eq!(arange((0.0_f32..1.0).by(0.01)).len(), 100);
    assert_eq!(arange((-10.0_f32..10.0).by(0.01)).len(), 2000);
    assert_eq!(linspace(0.0_f32, 1.0, 7)[5].item(), (5.0_f64 / 6.0) as f32);
    // Large enough for rounding to show, were it summed up.
    let a = linspace(0.0_f64, 1.0, 1_000_001);
    assert_eq!(a[-1].item(), 1.0);
    assert_eq!(a[500_000].item(), 0.5);
}

#[test]
fn the_hosts_data_goes_there_and_back() {
    let host = array![[1.5_f32, -2.0, 3.25], [0.0, f32::INFINITY, -0.0]];
    assert_eq!(to_gpu(&host).get(), host.clone().into_dyn());
    // In any order of memory.
    let turned = host.t();
    assert_eq!(to_gpu(turned).get(), turned.to_owned().into_dyn());
    let stepped = host.slice(ndarray_slice![.., ..;2]);
    assert_eq!(to_gpu(stepped).get(), stepped.to_owned().into_dyn());
    assert_eq!(to_gpu(&[1_i8, -1][..]).to_vec(), [1, -1]);
    assert_eq!(to_gpu(vec![true, false]).to_vec(), [true, false]);
    assert_eq!(to_gpu([[1, 2], [3, 4]]).get(), array![[1, 2], [3, 4]].into_dyn());
    assert_eq!(to_gpu(Vec::<f64>::new()).to_vec(), [0.0; 0]);
    let big: Vec<u64> = (0..300_000).map(|k| k * k).collect();
    assert_eq!(to_gpu(&big).to_vec(), big);
}

#[test]
fn impossible_shapes_and_values() {
    raises(ErrorKind::Shape, "item: an array of shape [3] has 3 elements, not one", || {
        zeros::<f32>(3).item();
    });
    let error = crate::raised(|| drop(zeros::<f64>((usize::MAX, 2))));
    assert!(matches!(error.kind(), ErrorKind::Shape | ErrorKind::OutOfMemory), "{error}");
    let error = crate::raised(|| drop(zeros::<f64>(1_usize << 52)));
    assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
    assert!(error.to_string().contains("requested"), "{error}");
    let error = crate::raised(|| drop(arange((0..5).by(0))));
    assert_eq!(error.kind(), ErrorKind::Value, "{error}");
    // After all this, the device works.
    assert_eq!(ones::<f32>(4).sum().item(), 4.0);
}

#[test]
fn a_conversion_to_the_same_type_is_a_copy() {
    let a = gpu![1.0_f64, 2.0];
    let mut b = a.astype(f64);
    b += 1.0;
    assert_eq!((a.to_vec(), b.to_vec()), (vec![1.0, 2.0], vec![2.0, 3.0]));
    let mut c = a.copy();
    c.fill(0);
    assert_eq!(a.to_vec(), [1.0, 2.0]);
}

#[test]
fn shapes_that_together_have_too_many_elements() {
    let axis = |k: usize| {
        let mut shape = [1; 4];
        shape[k] = 65_536;
        ones::<u8>(shape)
    };
    let error = crate::raised(|| drop((axis(0) + axis(1) + axis(2) + axis(3)).sum()));
    assert_eq!(error.kind(), ErrorKind::Shape, "{error}");
    assert!(error.to_string().contains("too many elements together"), "{error}");
}
