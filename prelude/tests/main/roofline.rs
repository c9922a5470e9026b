//! How near kernels come to the speed of memory: what is counted, and that arrays are left as by one call.

use gpurepl_prelude::*;

#[test]
fn bytes_are_those_that_are_read_and_written() {
    let n = 1 << 12;
    let (x, mut y) = (ones::<f32>(n), zeros::<f64>(n));
    let kernel =
        |arguments: &str, operation: &str| ElementwiseKernel::new(arguments, operation, "k").unwrap();
    let found = kernel("const float *x, double *y", "y[i] = x[i]").roofline((&x, &mut y)).unwrap();
    assert_eq!(found.bytes(), 12 << 12);
    assert!(found.to_string().starts_with("k: moves 12 bytes an element, 4096 elements in "), "{found}");
    assert!(found.share() > 0.0 && found.copy_bytes_per_second() > 0.0);
    let table = arange(0.0_f32..4.0);
    let picked = kernel("const int *at, const float *t, double *y", "y[i] += t[at[i]]");
    let found = picked.roofline((&zeros::<i32>(n), &table, &mut y)).unwrap();
    assert_eq!(found.bytes(), 20 << 12);
    // A row goes along with all rows, and is read once.
    let (row, mut whole) = (ones::<f32>(64), zeros::<f32>((64, 64)));
    let found = kernel("const float *r, float *w", "w[i] = r[i]").roofline((&row, &mut whole)).unwrap();
    assert_eq!(found.bytes(), 4 * (64 + 64 * 64));
}

#[test]
fn arrays_are_as_after_one_call() {
    let mut y = ones::<f32>(1000);
    let more = ElementwiseKernel::new("float *y, float *z", "y[i] += 1; z[i] *= 3", "more").unwrap();
    let mut z = vec![2.0_f32; 1000];
    more.roofline((&mut y, InOut(&mut z))).unwrap();
    assert_eq!((y.to_vec(), z), (vec![2.0; 1000], vec![6.0; 1000]));
    let mut calls = 0;
    let found = roofline(y.nbytes(), || {
        calls += 1;
        more.call((&mut y, &mut zeros::<f32>(1000)))
    });
    assert!(found.unwrap().seconds() > 0.0 && calls > 5);
    assert_eq!(y.to_vec(), vec![2.0 + calls as f32; 1000]);
}

#[test]
fn work_that_fails_or_moves_nothing_is_an_error() {
    let error = roofline(8, || empty_like(&gpu![1.0_f32]).reshape(1).try_reshape(2).map(drop)).unwrap_err();
    assert!(error.to_string().contains("reshape"), "{error}");
    assert_eq!(
        roofline::<()>(0, || panic!("work without bytes was done")).unwrap_err().to_string(),
        "roofline: no bytes are read or written, so there is no speed"
    );
    let copy = ElementwiseKernel::new("const float *x, float *y", "y[i] = x[i]", "copy").unwrap();
    let error = copy.roofline((&zeros::<f32>(0), &mut zeros::<f32>(0))).unwrap_err();
    assert!(error.to_string().contains("no array is used by its element `i`"), "{error}");
}
