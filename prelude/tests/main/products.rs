//! Products of matrices beside NumPy's and beside `ndarray`'s.

use gpurepl_device::operations::{Factor, LibraryWork, MatMul};
use gpurepl_prelude::array::Promote;
use gpurepl_prelude::*;
use proptest::prelude::*;

use crate::raises;
use crate::shaping::{check, written};
use crate::simulated::Simulated;

#[test]
fn products_are_numpys() {
    let a = arange(0..6).astype(f64).reshape((2, 3));
    let b = arange(0..12).astype(f32).reshape((3, 4));
    let s: GpuArray<i32> = arange(0..4).reshape((2, 2)) - 1;
    let (u, t) = (gpu![[200u8, 100], [50, 3]], gpu![[true, false], [true, true]]);
    let v = gpu![1.0, -2.0, 3.0];
    let h = arange(0..6).astype(f16).reshape((3, 2));
    let c = arange(0..24).astype(f64).reshape((2, 3, 4));
    let d = arange(0..24).astype(f64).reshape((2, 1, 4, 3));
    let e = zeros::<f64>((2, 0));
    let four = arange(0..4).astype(f64);
    macro_rules! answers {
        ($($expression:literal => $array:expr;)*) => {
            [$(($expression, vec![written(&$array)])),*]
        };
    }
    let answers = answers! {
        "A @ B" => a.matmul(&b);
        "A @ V" => a.matmul(&v);
        "V @ B" => v.matmul(&b);
        "V @ V" => v.matmul(&v);
        "S @ S" => s.matmul(&s);
        "U @ U" => u.matmul(&u);
        "S @ U" => s.matmul(&u);
        "T @ T" => t.matmul(&t);
        "T @ S" => t.matmul(&s);
        "A @ H" => a.matmul(&h);
        "H.T @ H" => h.t().matmul(&h);
        "B.T @ B" => b.t().matmul(&b);
        "B[:, ::-2].T @ B" => b.slice(s![.., ..; -2]).t().matmul(&b);
        "C @ D" => c.matmul(&d);
        "C @ D[0]" => c.matmul(&d[0]);
        "C @ B.T" => c.matmul(&b.t());
        "C.transpose(0, 2, 1) @ C" => c.swapaxes(1, 2).matmul(&c);
        "V @ C.transpose(0, 1, 2)" => v.matmul(&c);
        "E @ E.T" => e.matmul(&e.t());
        "E.T @ E" => e.t().matmul(&e);
        "np.dot(A, B)" => a.dot(&b);
        "np.dot(C, D)" => c.dot(&d);
        "np.dot(V, C)" => v.dot(&c);
        "np.dot(C, np.arange(4.0))" => c.dot(&four);
        "np.inner(A, A)" => a.inner(&a);
        "np.inner(A, V)" => a.inner(&v);
        "np.inner(C, np.arange(4.0))" => c.inner(&four);
        "np.outer(V, A)" => v.outer(&a);
        "np.outer(T[0], T[1])" => t[0].outer(&t[1]);
        "np.tensordot(A, B, 1)" => a.tensordot(&b, 1);
        "np.tensordot(C, C, 3)" => c.tensordot(&c, 3);
        "np.tensordot(V, V, 0)" => v.tensordot(&v, 0);
        "np.trace(S)" => s.trace();
        "np.trace(C)" => c.trace();
        "np.linalg.matrix_power(S, 0)" => s.matrix_power(0);
        "np.linalg.matrix_power(S, 1)" => s.matrix_power(1);
        "np.linalg.matrix_power(S, 5)" => s.matrix_power(5);
    };
    check(include_str!("numpy/products.txt"), &answers);
}

#[test]
fn shapes_that_do_not_fit_are_named() {
    let kind = ErrorKind::Shape;
    let (a, v) = (zeros::<f32>((2, 3)), zeros::<f32>(2));
    raises(kind, "matmul: shapes [2, 3] and [2, 3] not aligned: 3 (dim 1) != 2 (dim 0)", || {
        drop(a.matmul(&a))
    });
    raises(kind, "dot: shapes [2, 3] and [2] not aligned: 3 (dim 1) != 2 (dim 0)", || drop(a.dot(&v)));
    raises(kind, "inner: shapes [2, 3] and [2] not aligned: 3 (dim 1) != 2 (dim 0)", || drop(a.inner(&v)));
    let text = "matmul: input operand 1 does not have enough dimensions: shapes [2, 3] and []";
    raises(kind, text, || drop(a.matmul(&full((), 1.0f32))));
    let text = "matmul: shapes [2, 3, 4] and [3, 4, 3] do not broadcast before their last two axes";
    raises(kind, text, || drop(zeros::<f32>((2, 3, 4)).matmul(&zeros::<f32>((3, 4, 3)))));
    let text = "tensordot: shape-mismatch for sum: the last 2 axes of [2, 3] and the first 2 of [2]";
    raises(kind, text, || drop(a.tensordot(&v, 2)));
    let text = "matrix_power: last 2 dimensions of the array must be square: shape [2, 3]";
    raises(kind, text, || drop(a.matrix_power(2)));
}

proptest! {
    #[test]
    fn they_are_what_ndarray_computes(
        rows in 0..90_usize, inner in 0..90_usize, columns in 0..90_usize, turned in any::<bool>(), step in 1..3_usize,
    ) {
        let left = rand::<f64>((rows, inner * step)).slice(s![.., ..; step as i64]);
        let right = if turned { rand::<f64>((columns, inner)).t() } else { rand::<f64>((inner, columns)) };
        let of = |a: &GpuArray<f64>| a.get().into_dimensionality::<ndarray::Ix2>().unwrap();
        let expected = of(&left).dot(&of(&right));
        let off = of(&left.matmul(&right)) - &expected;
        prop_assert!(off.iter().all(|x| x.abs() < 1e-12));
        let singles = left.astype(f32).matmul(&right.astype(f32)).astype(f64);
        prop_assert!((of(&singles) - &expected).iter().all(|x| x.abs() < 1e-4));
        let whole = |a: &GpuArray<f64>| (a * 100.0).astype(i64);
        let expected = whole(&left).get().into_dimensionality::<ndarray::Ix2>().unwrap()
            .dot(&whole(&right).get().into_dimensionality::<ndarray::Ix2>().unwrap());
        prop_assert_eq!(whole(&left).matmul(&whole(&right)).get(), expected.into_dyn());
    }
}

const FORMATS: [(&str, &str); 1] = [("gpurepl_matmul", "PPPQQQQqqqqqq")];

/// Multiplies by the CUDA text on the host.
fn simulate<T: Elem + Promote<T, Out = T>>(gpu: &Simulated, left: &GpuArray<T>, right: &GpuArray<T>) {
    let (m, k, n) = (left.shape()[1], left.shape()[2], right.shape()[2]);
    let output = empty::<T>((left.shape()[0], m, n));
    let factor = |a: &GpuArray<T>| {
        let place = a.raw.place().unwrap();
        let [batch, row, column] = [0, 1, 2].map(|axis| place.strides[axis]);
        Factor { buffer: place.buffer, offset: place.offset, batch, row, column }
    };
    let work = MatMul {
        dtype: T::DTYPE,
        batches: left.shape()[0],
        rows: m,
        columns: n,
        inner: k,
        left: factor(left),
        right: factor(right),
        output: output.raw.place().unwrap().buffer,
    };
    work.on_gpu(gpu).unwrap();
    assert_eq!(output.to_vec(), left.matmul(right).to_vec(), "{m} by {k} by {n} of {}", T::DTYPE);
}

/// The text that GPUs compile multiplies on the host's simulator too.
#[test]
fn the_text_for_gpus_multiplies() {
    if !crate::is_on_host() {
        return products_are_numpys();
    }
    let gpu = Simulated::new(&FORMATS);
    // Whole numbers, so that the order of sums does not matter.
    let whole = |shape: (usize, usize, usize), most: i32| {
        let count = shape.0 * shape.1 * shape.2;
        (arange(0..count as i32) * 7919 % most).reshape(shape)
    };
    for (m, k, n) in [(1, 1, 1), (64, 16, 64), (65, 17, 130), (3, 100, 70), (200, 5, 2)] {
        let (a, b) = (whole((2, m, k), 30).astype(f32), whole((2, n, k), 17).astype(f32).swapaxes(1, 2));
        simulate(&gpu, &a, &b);
        simulate(&gpu, &b.swapaxes(1, 2).copy(), &a.swapaxes(1, 2).copy());
    }
    let a = whole((3, 70, 70), 200);
    simulate(&gpu, &a.astype(u8), &a.flip().astype(u8));
    simulate(&gpu, &a, &a.slice(s![.., ..; -1, ..]));
    let imaginary = a.astype(Complex64) * Complex64::new(0.5, -2.0) + Complex64::new(1.0, 0.0);
    simulate(&gpu, &imaginary, &a.astype(Complex64));
}

/// Small whole numbers, whose sums of products are exact in every type.
fn whole(shape: (usize, usize, usize), seed: usize) -> GpuArray<f64> {
    let (batches, rows, columns) = shape;
    let of = |index: usize| ((index * 7 + index / 11 + seed) % 5) as f64 - 2.0;
    to_gpu(&(0..batches * rows * columns).map(of).collect::<Vec<_>>()).reshape(shape)
}

/// What the definition says of the products.
fn expected(a: &GpuArray<f64>, b: &GpuArray<f64>) -> Vec<f64> {
    let (rows, inner, columns) = (a.shape()[1], a.shape()[2], b.shape()[2]);
    let (left, right) = (a.to_vec(), b.to_vec());
    let batches = a.shape()[0].max(b.shape()[0]);
    let at = |batch: usize, array: &GpuArray<f64>| if array.shape()[0] == 1 { 0 } else { batch };
    let mut products = Vec::new();
    for batch in 0..batches {
        for row in 0..rows {
            let mut sums = vec![0.0; columns];
            for k in 0..inner {
                let factor = left[(at(batch, a) * rows + row) * inner + k];
                let others = &right[(at(batch, b) * inner + k) * columns..][..columns];
                sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += factor * other);
            }
            products.extend(sums);
        }
    }
    products
}

/// Sizes from which on a GPU's products are cuBLAS's, of matrices in every
/// layout that it takes, and of one that it does not.
#[test]
fn large_products_are_right_in_every_layout() {
    let shapes = [
        ((1, 200, 150), (1, 150, 130)),
        ((3, 97, 100), (3, 100, 90)),
        ((3, 97, 100), (1, 100, 90)),
        ((1, 2100, 1000), (1, 1000, 1)),
        ((1, 1, 3000), (1, 3000, 800)),
        ((1, 1500, 1), (1, 1, 1500)),
    ];
    macro_rules! check {
        ($($t:ident $($real:ident)?;)*) => {
            for (left, right) in shapes {
                let (a, b) = (whole(left, 1), whole(right, 3));
                let wanted = expected(&a, &b);
                $(
                    let (a, b) = (a.astype($t), b.astype($t));
                    for left in layouts(&a) {
                        for right in layouts(&b) {
                            let product = left.matmul(&right)$(.$real())?.astype(f64).to_vec();
                            assert_eq!(product, wanted, "{} of {:?} and {:?}", stringify!($t), left.shape(), right.shape());
                        }
                    }
                )*
            }
        };
    }
    check!(f16; f32; f64; Complex32 real; Complex64 real;);
}

/// An array of matrices with its rows together, its columns, and neither.
fn layouts<T: Elem>(array: &GpuArray<T>) -> [GpuArray<T>; 3] {
    let turned = array.swapaxes(1, 2).copy();
    let doubled = array.repeat_axis(2, 2);
    [array.clone(), turned.swapaxes(1, 2).to_owned(), doubled.slice(s![.., .., ..; 2]).to_owned()]
}

#[test]
fn dot_products_of_vectors_along_the_last_axis() {
    let (i, one) = (Complex64::new(0.0, 1.0), Complex64::new(1.0, 0.0));
    let a = gpu![[i, one], [one, i]];
    assert_eq!(a.vecdot(&a).to_vec(), [Complex64::new(2.0, 0.0); 2]);
    assert_eq!(a.vecdot(&gpu![one, one]).to_vec(), [one - i, one - i]);
    assert_eq!(gpu![[1, 2], [3, 4]].vecdot(&gpu![[[1, 1]], [[0, 2]]]).to_vec(), [3, 7, 4, 8]);
    assert_eq!(gpu![true, false].vecdot(&gpu![true, true]).to_vec(), [true]);
    assert_eq!(zeros::<f32>((3, 0)).vecdot(&zeros::<f32>(0)).to_vec(), [0.0; 3]);
    crate::raises(
        ErrorKind::Shape,
        "vecdot: the last axes of shapes [2] and [3] are not of one length",
        || {
            drop(gpu![1, 2].vecdot(&gpu![1, 2, 3]));
        },
    );
}
