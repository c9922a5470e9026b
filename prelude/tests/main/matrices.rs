//! Matrices made of vectors, parts of matrices and grids are what NumPy gives:
//! the table that `numpy/shaping.py` writes.

use gpurepl_prelude::*;

use crate::raises;
use crate::shaping::{answers, check};

#[test]
fn matrices_are_numpys() {
    let a = arange(0..24).reshape((2, 3, 4));
    let m = arange(0..6).reshape((2, 3));
    let s = arange(0..25).reshape((5, 5));
    let v = arange(0..5);
    let e = zeros::<i32>((0, 3));
    let answers = answers! {
        "np.eye(3)" => eye::<f64>(3);
        "np.eye(2, 3, dtype=\"int8\")" => eye::<i8>((2, 3));
        "np.eye(3, k=1)" => array::eye_k::<f64>(3, 1);
        "np.eye(3, 2, k=-2)" => array::eye_k::<f64>((3, 2), -2);
        "np.eye(2, k=5)" => array::eye_k::<f64>(2, 5);
        "np.eye(0)" => eye::<f64>(0);
        "np.eye(2, dtype=\"bool\")" => eye::<bool>(2);
        "np.identity(2)" => array::identity::<f64>(2);
        "np.tri(3)" => array::tri::<f64>(3, 0);
        "np.tri(3, 4, 1, dtype=\"int32\")" => array::tri::<i32>((3, 4), 1);
        "np.tri(3, 2, -1, dtype=\"int32\")" => array::tri::<i32>((3, 2), -1);
        "np.tri(2, 3, 9, dtype=\"int32\")" => array::tri::<i32>((2, 3), 9);
        "np.tri(2, 3, -9, dtype=\"int32\")" => array::tri::<i32>((2, 3), -9);
        "np.tril(M)" => m.tril(0);
        "np.tril(S, 1)" => s.tril(1);
        "np.tril(S, -2)" => s.tril(-2);
        "np.tril(A, 1)" => a.tril(1);
        "np.tril(V)" => v.tril(0);
        "np.tril(M.T)" => m.t().tril(0);
        "np.triu(M)" => m.triu(0);
        "np.triu(S, 1)" => s.triu(1);
        "np.triu(S, -2)" => s.triu(-2);
        "np.triu(A, -1)" => a.triu(-1);
        "np.triu(E)" => e.triu(0);
        "np.diag(V)" => v.diag(0);
        "np.diag(V, 2)" => v.diag(2);
        "np.diag(V[:2], -1)" => v.slice(..2).diag(-1);
        "np.diag(S, 1)" => s.diag(1);
        "np.diag(M, -1)" => m.diag(-1);
        "np.diagflat(M)" => m.diagflat(0);
        "np.diagflat(M[:, :1], 1)" => m.slice(s![.., ..1]).diagflat(1);
        "np.vander(V)" => v.vander(5);
        "np.vander(V, 3)" => v.vander(3);
        "np.vander(V, 3, increasing=True)" => v.vander_increasing(3);
        "np.vander(V.astype(\"float32\"), 2)" => v.astype(f32).vander(2);
        "np.vander(V, 0)" => v.vander(0);
        "np.outer(V[:2], V)" => v.slice(..2).outer(&v);
        "np.outer(M, V[:2].astype(\"float32\"))" => m.outer(&v.slice(..2).astype(f32));
        "np.kron(V[1:3], V)" => v.slice(1..3).kron(&v);
        "np.kron(M, M[:, :2])" => m.kron(&m.slice(s![.., ..2]));
        "np.kron(V, M)" => v.kron(&m);
        "np.kron(A, V[:2])" => a.kron(&v.slice(..2));
        "np.indices((2, 3))" => array::indices((2, 3));
        "np.indices((3,))" => array::indices(3);
        "np.indices((0, 2))" => array::indices((0, 2));
        "np.mgrid[0:3, 5:7]" => array::mgrid((0_i64..3, 5_i64..7));
        "np.mgrid[0:1:0.5, 0:2:1.0]" => array::mgrid(((0.0..1.0).by(0.5), 0.0..2.0));
        "np.linspace(0, 1, 4, endpoint=False)" => array::linspace_open(0.0, 1.0, 4);
        "np.linspace(3, 1, 5, endpoint=False)" => array::linspace_open(3.0, 1.0, 5);
        "np.linspace(0, 1, 0, endpoint=False)" => array::linspace_open(0.0, 1.0, 0);
        "np.linspace(2, 4, 1)" => linspace(2.0, 4.0, 1);
        "np.logspace(0, 4, 3, base=2)" => array::logspace_base(0.0, 4.0, 3, 2.0);
        "np.geomspace(5, 5, 1)" => array::geomspace(5.0, 5.0, 1);
    };
    check(include_str!("numpy/matrices.txt"), &answers);
}

#[test]
fn grids_are_numpys() {
    let v = arange(0..5);
    let (x, y, z) = (v.slice(..3), v.slice(3..), gpu![7]);
    let list = |arrays: (GpuArray<i32>, GpuArray<i32>)| vec![arrays.0, arrays.1];
    let answers = answers! { lists:
        "np.meshgrid(V[:3], V[3:])" => list(meshgrid((&x, &y)));
        "np.meshgrid(V[:3], V[3:], indexing=\"ij\")" => list(array::meshgrid_ij((&x, &y)));
        "np.meshgrid(V[:3], V[3:], sparse=True)" => list(array::meshgrid_sparse((&x, &y)));
        "np.meshgrid(V[:3], V[3:], sparse=True, indexing=\"ij\")" => list(array::meshgrid_ij_sparse((&x, &y)));
        "np.meshgrid(V[:3], V[3:], np.array([7], \"int32\"))" => meshgrid(&[&x, &y, &z]);
        "np.meshgrid(V[:3])" => meshgrid(&[&x]);
        "np.ogrid[0:2, 0:3]" => array::ogrid((0_i64..2, 0_i64..3));
    };
    check(include_str!("numpy/grids.txt"), &answers);
}

#[test]
fn a_grid_is_a_copy() {
    let mut x = gpu![1, 2];
    let (first, _) = meshgrid((&x, &gpu![0.5]));
    x.fill(0);
    assert_eq!(first.to_vec(), [1, 2]);
}

#[test]
fn a_diagonal_of_a_matrix_is_a_view() {
    let m = zeros::<i32>((2, 2));
    m.diag(0).fill(3);
    assert_eq!(m.to_vec(), [3, 0, 0, 3]);
}

#[test]
fn geometric_sequences_are_near_numpys() {
    let check = |ours: GpuArray<f64>, numpys: &[f64]| assert!(allclose(&ours, &to_gpu(numpys)), "{ours}");
    check(array::logspace(2.0, 3.0, 4), &[100.0, 215.443469003188, 464.158883361278, 1000.0]);
    check(array::geomspace(1.0, 1000.0, 4), &[1.0, 10.0, 100.0, 1000.0]);
    check(array::geomspace(-1000.0, -1.0, 4), &[-1000.0, -100.0, -10.0, -1.0]);
    check(array::geomspace(1.0, 256.0, 9), &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0]);
    assert_eq!(array::geomspace(1.0_f32, 1000.0, 4).slice(-1).item(), 1000.0);
    assert_eq!(array::logspace(0.0, 1.0, 0).size(), 0);
    // NumPy's, with `endpoint=False`.
    check(
        array::logspace_open(2.0, 3.0, 4),
        &[100.0, 177.82794100389228, 316.22776601683796, 562.3413251903491],
    );
    check(array::geomspace_open(1.0, 1000.0, 3), &[1.0, 10.0, 100.0]);
    check(array::geomspace_open(-8.0, -1.0, 3), &[-8.0, -4.0, -2.0]);
    let (numbers, step) = array::linspace_step(2.0_f32, 3.0, 5);
    assert_eq!((numbers.to_vec(), step), (vec![2.0, 2.25, 2.5, 2.75, 3.0], 0.25));
    assert!(array::linspace_step(2.0, 3.0, 1).1.is_nan());
}

#[test]
fn functions_and_iterators_make_arrays() {
    let a = GpuArray::from_fn((2, 0, 3), |_| 1.0);
    assert_eq!((a.shape(), a.size()), ([2, 0, 3].as_slice(), 0));
    let b = GpuArray::from_fn((), |at| at.len() as i64);
    assert_eq!((b.ndim(), b.item()), (0, 0));
    let c = GpuArray::from_fn([2, 2, 2], |at| (at[0] * 100 + at[1] * 10 + at[2]) as u16);
    assert_eq!(c.to_vec(), [0, 1, 10, 11, 100, 101, 110, 111]);
    let d: GpuArray<bool> = [1, 2, 3].iter().map(|k| k % 2 == 0).collect();
    assert_eq!(d.to_vec(), [false, true, false]);
}

#[test]
fn any_type_has_a_matrix() {
    let v = gpu![Complex64::new(1.0, 2.0)];
    assert_eq!(v.diag(1).imag().to_vec(), [0.0, 2.0, 0.0, 0.0]);
    assert_eq!(eye::<f16>(2).astype(f32).to_vec(), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(gpu![[true, true], [true, true]].triu(1).to_vec(), [false, true, false, false]);
    assert_eq!(gpu![[1_u64, 2], [3, 4]].tril(-1).to_vec(), [0, 0, 3, 0]);
    // As far from the diagonal as can be.
    assert_eq!(gpu![[1, 2], [3, 4]].triu(isize::MIN).to_vec(), [1, 2, 3, 4]);
    assert_eq!(gpu![[1, 2], [3, 4]].tril(isize::MIN).to_vec(), [0, 0, 0, 0]);
    assert_eq!(gpu![[1, 2], [3, 4]].tril(isize::MAX).to_vec(), [1, 2, 3, 4]);
}

#[test]
fn wrong_matrices_are_named() {
    let kind = ErrorKind::Shape;
    raises(kind, "eye: a matrix has one length or two, and 3 are named", || {
        eye::<f32>((1, 2, 3));
    });
    raises(kind, "eye: an axis cannot have length -1", || {
        eye::<f32>(-1);
    });
    raises(kind, "diag: input must be 1- or 2-d, and has shape [1, 1, 1]", || {
        zeros::<f32>((1, 1, 1)).diag(0);
    });
    raises(kind, "tril: the array has one axis at least, and this one has none", || {
        full((), 1).tril(0);
    });
    raises(kind, "vander: x must be a one-dimensional array or sequence, and has shape [2, 2]", || {
        zeros::<f32>((2, 2)).vander(2);
    });
    raises(kind, "kron: arrays have at most 4 axes here: [1, 1, 1, 1, 1] and [1]", || {
        zeros::<f32>([1; 5]).kron(&zeros::<f32>(1));
    });
    raises(ErrorKind::Value, "geomspace: geometric sequence cannot include zero: 0.0 to 1.0", || {
        array::geomspace(0.0, 1.0, 3);
    });
}
