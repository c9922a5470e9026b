//! What a fetch returns, against the formulas of the CUDA C++ Programming
//! Guide's appendix "Texture Fetching", written down plainly.

use gpurepl_prelude::ndarray::Dimension as _;
use gpurepl_prelude::*;

use super::kernel;

const MODES: [AddressMode; 4] =
    [AddressMode::Clamp, AddressMode::Border, AddressMode::Wrap, AddressMode::Mirror];

/// The element behind an index, if any.
fn resolve(i: i64, n: i64, mode: AddressMode) -> Option<i64> {
    match mode {
        AddressMode::Clamp => Some(i.clamp(0, n - 1)),
        AddressMode::Border => (0..n).contains(&i).then_some(i),
        AddressMode::Wrap => Some(i.rem_euclid(n)),
        AddressMode::Mirror => {
            let i = i.rem_euclid(2 * n);
            Some(if i < n { i } else { 2 * n - 1 - i })
        }
    }
}

/// What a texture of floats reads at a place in elements, over any axes.
fn expected(
    lengths: &[i64],
    at: &[f64],
    modes: [AddressMode; 3],
    filter: FilterMode,
    element: &dyn Fn(&[i64]) -> f64,
) -> f64 {
    let read = |index: &[i64]| {
        let resolved: Option<Vec<i64>> =
            index.iter().zip(lengths).zip(modes).map(|((i, n), mode)| resolve(*i, *n, mode)).collect();
        resolved.map_or(0.0, |index| element(&index))
    };
    if filter == FilterMode::Point {
        return read(&at.iter().map(|x| x.floor() as i64).collect::<Vec<_>>());
    }
    // Weights have eight bits of fraction.
    let fixed: Vec<i64> = at.iter().map(|x| ((x - 0.5) * 256.0 + 0.5).floor() as i64).collect();
    (0..1 << at.len()).fold(0.0, |sum, corner| {
        let mut weight = 1.0;
        let index: Vec<i64> = fixed
            .iter()
            .enumerate()
            .map(|(axis, fixed)| {
                let (first, part) = (fixed >> 8, (fixed & 255) as f64 / 256.0);
                let next = i64::from(corner >> axis & 1);
                weight *= if next == 1 { part } else { 1.0 - part };
                first + next
            })
            .collect();
        sum + weight * read(&index)
    })
}

fn value(index: &[i64]) -> f64 {
    (index[0] * 7 + index.get(1).unwrap_or(&0) * 31 + index.get(2).unwrap_or(&0) * 100) as f64 % 53.0 - 20.0
}

/// Reads at many places and compares, for every way to read.
fn compare(lengths: &[usize], name: &str) {
    let axes = lengths.len();
    let source = format!(
        "__global__ void f(cudaTextureObject_t t, const float *at, float *a)
         {{ int i = threadIdx.x; a[i] = {name}<float>(t, {}); }}",
        ["at[i]", "at[i + 64]", "at[i + 128]"][..axes].join(", ")
    );
    let f = kernel(&source, "f");
    let signed: Vec<i64> = lengths.iter().map(|n| *n as i64).collect();
    let shape: Vec<usize> = lengths.iter().rev().copied().collect();
    let data = ndarray::ArrayD::from_shape_fn(shape, |index| {
        let index: Vec<i64> = index.slice().iter().rev().map(|i| *i as i64).collect();
        value(&index) as f32
    });
    let array = np_to_array(&data, Order::C, ArrayFlags::NONE).unwrap();
    for filter_mode in [FilterMode::Point, FilterMode::Linear] {
        for mode in MODES {
            for normalized_coordinates in [false, true] {
                let address_mode = [mode, mode, AddressMode::Clamp];
                let texture = TextureObject::new(
                    &array,
                    TextureDescriptor {
                        address_mode,
                        filter_mode,
                        normalized_coordinates,
                        ..Default::default()
                    },
                )
                .unwrap();
                // Places that floats and 1/256 hold exactly, some outside.
                let places: Vec<Vec<f64>> = (0..64)
                    .map(|k| {
                        (0..axes)
                            .map(|axis| f64::from((k * (5 + 3 * axis as i32)) % 97 - 30) * 0.1875 + 0.03125)
                            .collect()
                    })
                    .collect();
                let mut at = vec![0.0_f32; 192];
                for (k, place) in places.iter().enumerate() {
                    for (axis, x) in place.iter().enumerate() {
                        let scale = if normalized_coordinates { signed[axis] as f64 } else { 1.0 };
                        at[k + 64 * axis] = (x / scale) as f32;
                    }
                }
                let mut a = vec![0.0_f32; 64];
                f.launch(1, 64, (&texture, In(&at), Out(&mut a))).unwrap();
                // Without normalized coordinates there is nothing to wrap.
                let mut modes = address_mode;
                if !normalized_coordinates {
                    modes = modes.map(|mode| match mode {
                        AddressMode::Wrap | AddressMode::Mirror => AddressMode::Clamp,
                        mode => mode,
                    });
                }
                for (place, a) in places.iter().zip(&a) {
                    let wanted = expected(&signed, place, modes, filter_mode, &value);
                    // A GPU weighs corners beyond the edge less exactly: by 1/256.
                    let tolerance = if mode == AddressMode::Clamp { 2e-3 } else { 0.15 };
                    assert!(
                        (wanted - f64::from(*a)).abs() < tolerance,
                        "{name} {filter_mode:?} {mode:?} {normalized_coordinates} at {place:?}: {a}, not {wanted}"
                    );
                }
            }
        }
    }
}

#[test]
fn one_axis_in_every_way() {
    // Lengths whose parts are floats: the places are hit exactly.
    compare(&[16], "tex1D");
}

#[test]
fn two_axes_in_every_way() {
    compare(&[8, 4], "tex2D");
}

#[test]
fn three_axes_in_every_way() {
    compare(&[8, 4, 2], "tex3D");
}

/// An array's elements, fetched one by one.
macro_rules! elements_of {
    ($($test:ident $rust:ty, $c:literal;)*) => {$(
        #[test]
        fn $test() {
            let source = concat!(
                "__global__ void f(cudaTextureObject_t t, ", $c, " *a)
                 { int i = threadIdx.x; a[i] = tex2D<", $c, ">(t, i % 4, i / 4); }"
            );
            let values: Vec<$rust> = [0, 1, 2, 3, 50, 100, 125, 126].map(|x| (x as f32) as $rust).to_vec();
            let mut values = values;
            (values[6], values[7]) = (<$rust>::MIN, <$rust>::MAX);
            let matrix = ndarray::Array2::from_shape_vec((2, 4), values.clone()).unwrap();
            let array = matrix_to_array(&matrix, Order::C).unwrap();
            let texture = TextureObject::new(&array, TextureDescriptor::default()).unwrap();
            let mut a = vec![<$rust>::default(); 8];
            kernel(source, "f").launch(1, 8, (&texture, Out(&mut a))).unwrap();
            assert_eq!(a, values);
        }
    )*};
}
elements_of! {
    signed_bytes i8, "signed char";
    bytes u8, "unsigned char";
    shorts i16, "short";
    unsigned_shorts u16, "unsigned short";
    integers i32, "int";
    unsigned_integers u32, "unsigned int";
    floats f32, "float";
}

#[test]
fn halves_are_read_as_floats() {
    let values = [0.0, -1.5, 65504.0, 5.96e-8, 1.0 / 3.0, f32::INFINITY].map(f16::from_f32);
    let array = np_to_array(&ndarray::arr1(&values), Order::C, ArrayFlags::NONE).unwrap();
    let texture = TextureObject::new(&array, TextureDescriptor::default()).unwrap();
    let source = "__global__ void f(cudaTextureObject_t t, float *a) { a[threadIdx.x] = tex1D<float>(t, threadIdx.x); }";
    let mut a = [0.0_f32; 6];
    kernel(source, "f").launch(1, 6, (&texture, Out(&mut a))).unwrap();
    assert_eq!(a, values.map(f32::from));
}

#[test]
fn vectors_come_through_a_pointer_as_well() {
    let source = "__global__ void f(cudaTextureObject_t t, float *a)
                  { float4 v; tex2D(&v, t, 1.0f, 2.0f); float2 w = tex2D<float2>(t, 0, 0);
                    a[0] = v.x; a[1] = v.y; a[2] = v.z; a[3] = v.w; a[4] = w.y; }";
    let data = ndarray::Array3::from_shape_fn((3, 2, 4), |(y, x, c)| (100 * y + 10 * x + c) as f32);
    let array = make_multichannel_2d_array(&data, Order::C).unwrap();
    assert_eq!((array.descriptor().num_channels, array.descriptor().width), (4, 2));
    let texture = TextureObject::new(&array, TextureDescriptor::default()).unwrap();
    let mut a = [0.0_f32; 5];
    kernel(source, "f").launch(1, 1, (&texture, Out(&mut a))).unwrap();
    assert_eq!(a, [210.0, 211.0, 212.0, 213.0, 1.0]);
}

#[test]
fn integers_as_normalized_floats() {
    let source = "__global__ void f(cudaTextureObject_t t, float *a) { a[threadIdx.x] = tex1D<float>(t, threadIdx.x); }";
    let f = kernel(source, "f");
    let read = |array: &CudaArray| {
        let descriptor = TextureDescriptor { read_mode: ReadMode::NormalizedFloat, ..Default::default() };
        let mut a = [0.0_f32; 4];
        f.launch(1, 4, (&TextureObject::new(array, descriptor).unwrap(), Out(&mut a))).unwrap();
        a
    };
    let close = |a: [f32; 4], wanted: [f32; 4]| {
        assert!(a.iter().zip(wanted).all(|(a, wanted)| (a - wanted).abs() < 1e-6), "{a:?}, not {wanted:?}");
    };
    let of = ArrayFlags::NONE;
    let array = np_to_array(&ndarray::arr1(&[0_u8, 1, 128, 255]), Order::C, of).unwrap();
    close(read(&array), [0.0, 1.0 / 255.0, 128.0 / 255.0, 1.0]);
    let array = np_to_array(&ndarray::arr1(&[-128_i8, -127, 64, 127]), Order::C, of).unwrap();
    close(read(&array), [-1.0, -1.0, 64.0 / 127.0, 1.0]);
    let array = np_to_array(&ndarray::arr1(&[0_u16, 1, 32768, 65535]), Order::C, of).unwrap();
    close(read(&array), [0.0, 1.0 / 65535.0, 32768.0 / 65535.0, 1.0]);
    let array = np_to_array(&ndarray::arr1(&[-32768_i16, -32767, 1, 32767]), Order::C, of).unwrap();
    close(read(&array), [-1.0, -1.0, 1.0 / 32767.0, 1.0]);
}

#[test]
fn layers_are_chosen_by_number_and_not_filtered() {
    let source = "__global__ void f(cudaTextureObject_t t, float *a)
                  { int layer = (int)threadIdx.x - 1; a[threadIdx.x] = tex2DLayered<float>(t, 1, 0.5f, layer); }";
    let data = ndarray::Array3::from_shape_fn((3, 2, 2), |(l, y, x)| (100 * l + 10 * y + x) as f32);
    let array = np_to_array(&data, Order::C, ArrayFlags::LAYERED).unwrap();
    let linear = TextureDescriptor { filter_mode: FilterMode::Linear, ..Default::default() };
    let mut a = [0.0_f32; 5];
    kernel(source, "f").launch(1, 5, (&TextureObject::new(&array, linear).unwrap(), Out(&mut a))).unwrap();
    // One below the first is the last: a GPU takes it for a large number.
    assert_eq!(a, [200.5, 0.5, 100.5, 200.5, 200.5]);

    let source = "__global__ void g(cudaTextureObject_t t, int *a)
                  { a[threadIdx.x] = tex1DLayered<int>(t, threadIdx.x % 3, threadIdx.x / 3); }";
    let descriptor = ArrayDescriptor {
        width: 3,
        height: 0,
        depth: 2,
        format: ArrayFormat::SignedInt32,
        num_channels: 1,
        flags: ArrayFlags::LAYERED,
    };
    let mut array = CudaArray::new(&descriptor).unwrap();
    array.copy_from(&[1, 2, 3, 4, 5, 6]).unwrap();
    let texture = TextureObject::new(&array, TextureDescriptor::default()).unwrap();
    let mut a = [0; 6];
    kernel(source, "g").launch(1, 6, (&texture, Out(&mut a))).unwrap();
    assert_eq!(a, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn the_border_has_a_colour() {
    let source = "__global__ void f(cudaTextureObject_t t, float *a) { a[threadIdx.x] = tex1D<float>(t, (int)threadIdx.x - 1); }";
    let array = np_to_array(&ndarray::arr1(&[1.0_f32, 2.0]), Order::C, ArrayFlags::NONE).unwrap();
    let descriptor = TextureDescriptor {
        address_mode: [AddressMode::Border; 3],
        border_color: [7.0, 0.0, 0.0, 0.0],
        ..Default::default()
    };
    let mut a = [0.0_f32; 4];
    kernel(source, "f")
        .launch(1, 4, (&TextureObject::new(&array, descriptor).unwrap(), Out(&mut a)))
        .unwrap();
    assert_eq!(a, [7.0, 1.0, 2.0, 7.0]);
}

#[test]
fn what_cannot_be_an_array_or_a_texture() {
    let of = |width, height, depth, num_channels, flags| {
        let format = ArrayFormat::Float;
        CudaArray::new(&ArrayDescriptor { width, height, depth, format, num_channels, flags })
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(of(4, 4, 0, 3, ArrayFlags::NONE), "CudaArray: 3 channels; an element has 1, 2 or 4");
    assert_eq!(of(4, 4, 0, 1, ArrayFlags::LAYERED), "CudaArray: layers need a depth, which is their number");
    assert!(of(0, 0, 0, 1, ArrayFlags::NONE).contains("at least"));
    assert!(of(200_000, 4, 0, 1, ArrayFlags::NONE).contains("131072"));
    let error = np_to_array(&ndarray::arr1(&[1_i64]), Order::C, ArrayFlags::NONE).unwrap_err();
    assert_eq!(error.to_string(), "CudaArray: an array for textures cannot hold int64");
    let four = ndarray::Array4::<f32>::zeros((1, 1, 1, 1));
    assert_eq!(np_to_array(&four, Order::C, ArrayFlags::NONE).unwrap_err().kind(), ErrorKind::Shape);

    let integers = np_to_array(&ndarray::arr1(&[1_i32]), Order::C, ArrayFlags::NONE).unwrap();
    let linear = TextureDescriptor { filter_mode: FilterMode::Linear, ..Default::default() };
    let error = TextureObject::new(&integers, linear).unwrap_err();
    assert!(error.to_string().contains("int32 cannot be filtered"), "{error}");
    let normalized = TextureDescriptor { read_mode: ReadMode::NormalizedFloat, ..Default::default() };
    let error = TextureObject::new(&integers, normalized).unwrap_err();
    assert!(error.to_string().contains("normalized"), "{error}");
    assert!(SurfaceObject::new(&integers).unwrap_err().to_string().contains("SURFACE_LDST"));
    let mut bytes = integers.clone();
    assert_eq!(bytes.copy_from(&[1, 2]).unwrap_err().kind(), ErrorKind::Value);
}

#[test]
fn objects_are_told_from_each_other_and_from_arrays() {
    let source = "__global__ void f(cudaTextureObject_t t, cudaSurfaceObject_t s, float *a) {}";
    let f = kernel(source, "f");
    let array = np_to_array(&ndarray::arr1(&[1.0_f32]), Order::C, ArrayFlags::SURFACE_LDST).unwrap();
    let texture = TextureObject::new(&array, TextureDescriptor::default()).unwrap();
    let surface = SurfaceObject::new(&array).unwrap();
    let mut a = zeros::<f32>(1);
    f.launch(1, 1, (&texture, &surface, &mut a)).unwrap();
    assert_eq!(
        f.launch(1, 1, (&surface, &surface, &mut a)).unwrap_err().to_string(),
        "f: argument 1 `t` is `cudaTextureObject_t`, not `cudaSurfaceObject_t`"
    );
    assert_eq!(
        f.launch(1, 1, (&texture, &surface, &texture)).unwrap_err().to_string(),
        "f: argument 3 `a` is `float *`, which takes an array, not `cudaTextureObject_t`"
    );
    assert_eq!(f.launch(1, 1, (&a, &surface, &a)).unwrap_err().kind(), ErrorKind::Argument);
}
