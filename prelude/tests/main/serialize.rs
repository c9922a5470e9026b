//! Arrays in serde's formats: text, and bytes.

use gpurepl_prelude::*;

#[track_caller]
fn comes_back<T: Elem>(array: &GpuArray<T>) {
    let text = serde_json::to_string(array).unwrap();
    let back: GpuArray<T> = serde_json::from_str(&text).unwrap();
    assert_eq!(back.shape(), array.shape(), "{text}");
    assert_eq!(format!("{back:?}"), format!("{array:?}"), "{text}");
    for bytes in [rmp_serde::to_vec(array).unwrap(), rmp_serde::to_vec_named(array).unwrap()] {
        let back: GpuArray<T> = rmp_serde::from_slice(&bytes).unwrap();
        assert_eq!((back.shape(), format!("{back:?}")), (array.shape(), format!("{array:?}")));
    }
}

#[test]
fn arrays_of_every_type_come_back() {
    let a = arange(0_i32..24).reshape((2, 3, 4)) - 9;
    comes_back(&a.gt(0));
    comes_back(&a.astype(i8));
    comes_back(&a.astype(i16));
    comes_back(&a);
    comes_back(&(a.astype(i64) * i64::MAX));
    comes_back(&a.astype(u8));
    comes_back(&a.astype(u16));
    comes_back(&a.astype(u32));
    comes_back(&(a.astype(u64) + u64::MAX));
    comes_back(&(a.astype(f16) / f16::from_f32(3.0)));
    comes_back(&(a.astype(f32) / 3.0_f32));
    comes_back(&(a.astype(f64) / 3.0));
    comes_back(&(a.astype(f32) * Complex32::new(1.0, 2.0)));
    comes_back(&(a.astype(f64) * Complex64::new(0.1, 2.0)));
}

#[test]
fn views_empty_arrays_and_arrays_without_axes_come_back() {
    let a = arange(0..12).reshape((3, 4));
    comes_back(&a.t());
    comes_back(&(&a * 2 + 1));
    comes_back(&a.sum());
    comes_back(&zeros::<f32>((0, 3)));
    comes_back(&zeros::<bool>(0));
    comes_back(&gpu![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0]);
    comes_back(&gpu![Complex32::new(f32::NAN, f32::INFINITY)]);
}

#[test]
fn the_text_has_the_type_the_shape_and_the_elements() {
    let a = gpu![[1.5_f32, 0.1], [f32::NAN, -2.0]];
    let text = serde_json::to_string(&a).unwrap();
    assert_eq!(text, r#"{"dtype":"float32","shape":[2,2],"data":[1.5,0.1,"nan",-2.0]}"#);
    let text = r#"{"shape": [2], "data": [[1, 2.5], 3], "more": {}, "dtype": "complex128"}"#;
    let read: GpuArray<Complex64> = serde_json::from_str(text).unwrap();
    assert_eq!(read.to_vec(), [Complex64::new(1.0, 2.5), Complex64::new(3.0, 0.0)]);
}

#[test]
fn what_does_not_fit_says_why() {
    #[track_caller]
    fn refused<T: Elem>(text: &str, words: &str) {
        let error = serde_json::from_str::<GpuArray<T>>(text).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let a = r#"{"dtype":"float64","shape":[2],"data":[1,2]}"#;
    refused::<f32>(a, "an array of float64, not float32; ask for `GpuArray<f64>`");
    refused::<f64>(&a.replace("[2]", "[3]"), "an array of shape [3] has 3 elements, not 2");
    refused::<f64>(&a.replace("[2]", "[9223372036854775807, 4]"), "deserialize: ");
    refused::<f64>(&a.replace("[1,2]", "[1,null]"), "a number, true, false");
    refused::<f64>(&a.replace("[1,2]", "[1,[1,2]]"), "is not an element of an array of float64");
    refused::<f64>(r#"{"dtype":"float64","data":[1]}"#, "missing field `shape`");
    refused::<f64>(r#"{"shape":[1],"data":[1]}"#, "missing field `dtype`");
    refused::<f64>("3", "a map of `dtype`, `shape` and `data`, an array of float64");
    refused::<u8>(
        r#"{"dtype":"uint8","shape":[1],"data":[300]}"#,
        "300 is not an element of an array of uint8",
    );
    refused::<i32>(
        r#"{"dtype":"int32","shape":[1],"data":[1.5]}"#,
        "1.5 is not an element of an array of int32",
    );
    refused::<f32>(r#"{"dtype":"bfloat16","shape":[1],"data":[1]}"#, "an array of bfloat16, not float32");
    let bytes = rmp_serde::to_vec(&("float32", [2], [0_u8, 0, 0])).unwrap();
    let error = rmp_serde::from_slice::<GpuArray<f32>>(&bytes).unwrap_err().to_string();
    assert!(error.contains("has 2 elements"), "{error}");
}
