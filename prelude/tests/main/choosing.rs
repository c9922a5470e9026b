//! Elements that arrays of indices and masks choose are those that NumPy
//! chooses: the table that `numpy/choosing.py` writes.

#![allow(
    clippy::needless_borrows_for_generic_args,
    reason = "indices are given as users give them, by reference too"
)]

mod text;

use gpurepl_prelude::*;
use ndarray::{ArrayD, Axis, IxDyn};
use proptest::prelude::*;

use crate::shaping::{check, written};
use crate::{raised, raises};

/// The array of a Python expression, and the expression in Rust.
macro_rules! reads {
    ($($expression:literal => $array:expr;)*) => {
        [$(($expression, Lines::lines(&$array))),*]
    };
}

/// What an expression gives: an array, or several.
trait Lines {
    fn lines(&self) -> Vec<String>;
}

impl<T: Elem> Lines for GpuArray<T> {
    fn lines(&self) -> Vec<String> {
        vec![written(self)]
    }
}

impl<T: Elem> Lines for Vec<GpuArray<T>> {
    fn lines(&self) -> Vec<String> {
        self.iter().map(written).collect()
    }
}

fn pair((rows, columns): (GpuArray<i64>, GpuArray<i64>)) -> Vec<GpuArray<i64>> {
    vec![rows, columns]
}

#[test]
fn chosen_elements_are_numpys() {
    let a = arange(0..24_i32).reshape((2, 3, 4));
    let m = arange(0..6_i32).reshape((2, 3));
    let s = arange(0..25_i32).reshape((5, 5));
    let v = arange(0..5_i32) * 10;
    let e = zeros::<i32>((0, 3));
    let o = full((), 7_i32);
    let f = gpu![0.0, -0.0, f64::NAN, 1.5];
    let i = gpu![i64; [0, -1], [2, 2]];
    let (r, c) = (gpu![1, 0, 1], gpu![i8; 2, 0, -1]);
    let b = gpu![true, false, true];
    let nothing = || Vec::<usize>::new();
    let third = (arange(0..12_i32).reshape((3, 4)) % 5).eq(0);
    let even = (arange(0..6_i32).reshape((3, 2)) % 2).eq(0);
    let mut answers = Vec::from(reads! {
        "V.take([3, 0, -1])" => v.take(&[3, 0, -1]);
        "V.take(I)" => v.take(&i);
        "M.take([5, -6])" => m.take(&[5_i8, -6]);
        "M.T.take([0, 1, 2])" => m.t().take(vec![0_usize, 1, 2]);
        "V.take(np.zeros((0, 2), \"int64\"))" => v.take(&zeros::<i64>((0, 2)));
        "V.take(np.array(2))" => v.take(&full((), 2_u8));
        "O.take([0, 0])" => o.take(&[0_u64, 0]);
        "M.take([2, 0, 0], axis=1)" => m.take_axis(&[2, 0, 0], 1);
        "M.take([1], axis=0)" => m.take_axis(&[1], 0);
        "M.take(1, axis=0)" => m.take_axis(&full((), 1), 0);
        "A.take(I, axis=1)" => a.take_axis(&i, 1);
        "A.take([3, -4], axis=-1)" => a.take_axis([3, -4], -1);
        "A[:, ::-1, ::2].take([0, -1], axis=1)" => a.slice(s![.., ..; -1, ..; 2]).take_axis(&[0, -1], 1);
        "E.take([2, 0], axis=1)" => e.take_axis(&[2, 0], 1);
        "V[[3, 0]]" => v[[3, 0]];
        "V[I]" => v[&i];
        "S[I]" => s[&i];
        "S[::2, ::-1][[2, 0]]" => s[s![..; 2, ..; -1]][&vec![2, 0]];
        "A[[1, 0, 1]]" => a[&[1_u16, 0, 1][..]];
        "A[np.zeros(0, \"int64\")]" => a[nothing()];
        "E[np.zeros(0, \"int64\")]" => e[nothing()];
        "S[:, [4, 0]]" => s[s![.., &[4, 0]]];
        "S[[0, 4], [1, 3]]" => s[s![&[0, 4], &[1, 3]]];
        "S[[0, 4], 2]" => s[s![&[0, 4], 2]];
        "S[2, [0, 4]]" => s[s![2, &[0, 4]]];
        "S[1:3, [0, -1]]" => s[s![1..3, &[0, -1]]];
        "S[np.array([[0], [3]]), [1, 2]]" => s[s![&gpu![[0], [3]], &[1, 2]]];
        "S[np.ix_([0, 3], [1, 2, 4])]" => s[array::ix_((&[0, 3], &[1, 2, 4]))];
        "S[::-2, ::-1][np.ix_([0, -1], [1, 2])]" => s[s![..; -2, ..; -1]][array::ix_((&[0, -1], &[1, 2]))];
        "A[:, [0, 2], [1, 3]]" => a[s![.., &[0, 2], &[1, 3]]];
        "A[[0, 1], :, [1, 3]]" => a[s![&[0, 1], .., &[1, 3]]];
        "A[0, :, [1, 3]]" => a[s![0, .., &[1, 3]]];
        "A[[0, 1], 1:, [1, 3]]" => a[s![&[0, 1], 1.., &[1, 3]]];
        "A[[0, 1], None, [1, 2]]" => a[s![&[0, 1], NewAxis, &[1, 2]]];
        "A[None, [0, 1], [1, 2]]" => a[s![NewAxis, &[0, 1], &[1, 2]]];
        "A[..., [3, 0]]" => a[s![..., &[3, 0]]];
        "A[..., I]" => a[s![..., &i]];
        "A[R, C]" => a[s![&r, &c]];
        "A[:, C[:, None], R]" => a[s![.., &c.expand_dims(1), &r]];
        "V[V > 15]" => v[&v.gt(15)];
        "V[V > 99]" => v[&v.gt(99)];
        "S[S % 3 == 0]" => s[&(&s % 3).eq(0)];
        "S.T[S % 3 == 0]" => s.t()[&(&s % 3).eq(0)];
        "A[A % 5 == 1]" => a[&(&a % 5).eq(1)];
        "A[:, B]" => a[s![.., &b]];
        "A[B[:2]]" => a[&b.slice(..2)];
        "A[:, B, 1]" => a[s![.., &b, 1]];
        "A[:, B, [0, 3]]" => a[s![.., &[true, false, true], &[0, 3]]];
        "A[M % 2 == 1]" => a[&(&m % 2).eq(1)];
        "A[M % 2 == 1, 1:3]" => a[s![&(&m % 2).eq(1), 1..3]];
        "A[:, :, ::2][M % 2 == 0]" => a[s![.., .., ..; 2]][&(&m % 2).eq(0)];
        "A[:, (np.arange(12).reshape(3, 4) % 5) == 0]" => a[s![.., &third]];
        "A[:, ::-1, ::2][:, (np.arange(6).reshape(3, 2) % 2) == 0]" => a[s![.., ..; -1, ..; 2]][s![.., &even]];
        "O[O > 3]" => o[&o.gt(3)];
        "O[O > 9]" => o[&o.gt(9)];
        "E[E > 0]" => e[&e.gt(0)];
        "E[np.zeros(0, bool)]" => e[&zeros::<bool>(0)];
        "F[F != 0]" => f[&f.ne(0)];
        "V.compress([True, False, True])" => v.compress(&[true, false, true]);
        "M.compress([False, True, True, False, False, True])" => m.compress([false, true, true, false, false, true]);
        "M.compress([False, True], axis=0)" => m.compress_axis(&[false, true], 0);
        "M.compress([True, False, True], axis=1)" => m.compress_axis(&b, 1);
        "M.compress([True], axis=-1)" => m.compress_axis(vec![true], -1);
        "np.extract(M % 2 == 0, M)" => m.extract(&(&m % 2).eq(0));
        "np.extract([True, False, True], M)" => m.extract(&b);
        "np.flatnonzero(M % 2)" => (&m % 2).flatnonzero();
        "np.flatnonzero(F)" => f.flatnonzero();
        "np.flatnonzero(E)" => e.flatnonzero();
        "np.argwhere(M % 2)" => (&m % 2).argwhere();
        "np.argwhere(A % 7 == 3)" => (&a % 7).eq(3).argwhere();
        "np.argwhere(E)" => e.argwhere();
        "M.nonzero()" => m.nonzero();
        "A.nonzero()" => a.nonzero();
        "F.nonzero()" => f.nonzero();
        "E.nonzero()" => e.nonzero();
        "(S.T % 4 == 1).nonzero()" => (s.t() % 4).eq(1).nonzero();
        "np.take_along_axis(M, np.array([[2, 0], [-1, 1]]), axis=1)" => m.take_along_axis(gpu![[2, 0], [-1, 1]], 1);
        "np.take_along_axis(M.T, np.array([[1, 0]]), axis=0)" => m.t().take_along_axis(gpu![[1, 0]], 0);
        "np.take_along_axis(A, np.array([[[3, -1]]]), axis=-1)" => a.take_along_axis(to_gpu(&[[[3, -1]]]), -1);
        "np.take_along_axis(A, np.array([[[1]], [[0]]]), axis=1)" => a.take_along_axis(to_gpu(&[[[1]], [[0]]]), 1);
        "np.where(M > 2, M, -M)" => where_(&m.gt(2), &m, -&m);
        "np.where(M > 2, np.int32(0), M)" => where_(&m.gt(2), 0, &m);
        "np.where(M > 2, M, 1.5)" => where_(&m.gt(2), &m, &gpu![1.5]);
        "np.where(B, M, V[:1])" => where_(&b, &m, &v[..1]);
        "np.select([M < 2, M > 3], [M, M * 10], 42)" => array::select((&m.lt(2), &m.gt(3)), (&m, &(&m * 10)), 42);
        "np.select([M < 4, M < 2, B], [1.5 * M, M, -M], 0)" =>
            array::select((&m.lt(4), &m.lt(2), &b), (&(1.5 * &m), &m, &-&m), 0);
        "np.choose([[0, 1, 0], [1, 2, 1]], (M, M * 10, np.int32(7)))" =>
            array::choose(gpu![[0, 1, 0], [1, 2, 1]], (&m, &(&m * 10), &full((), 7_i32)));
        "np.choose([1, 0, 1], (M, -M))" => array::choose(&[1, 0, 1], (&m, &-&m));
        "np.unravel_index([22, 41, 37], (7, 6))" => array::unravel_index(&[22, 41, 37], (7, 6));
        "np.unravel_index(np.array([[3], [0]]), (2, 1, 2))" => array::unravel_index(gpu![[3], [0]], (2, 1, 2));
        "np.ravel_multi_index(([3, 6, 6], [4, 5, 1]), (7, 6))" =>
            array::ravel_multi_index((&[3, 6, 6], &[4_u8, 5, 1]), (7, 6));
        "np.ravel_multi_index((np.array([[0], [1]]), [1, 2]), (2, 3))" =>
            array::ravel_multi_index((gpu![[0], [1]], [1, 2]), (2, 3));
        "np.diag_indices(3)" => pair(array::diag_indices(3));
        "np.tril_indices(3)" => pair(array::tril_indices((3, 3), 0));
        "np.tril_indices(2, 1, 4)" => pair(array::tril_indices((2, 4), 1));
        "np.tril_indices(3, -1)" => pair(array::tril_indices((3, 3), -1));
        "np.triu_indices(3)" => pair(array::triu_indices((3, 3), 0));
        "np.triu_indices(4, -1, 2)" => pair(array::triu_indices((4, 2), -1));
        "np.triu_indices(2, 5)" => pair(array::triu_indices((2, 2), 5));
    });
    let after = |array: &GpuArray<i32>, write: &dyn Fn(&mut GpuArray<i32>)| {
        let mut copy = array.copy();
        write(&mut copy);
        vec![written(&copy)]
    };
    answers.extend([
        ("V: X[[0, 3]] = 7", after(&v, &|x| x.set([0, 3], 7))),
        ("V: X[[0, 3]] = [8, 9]", after(&v, &|x| x.set(&[0, 3], gpu![8, 9]))),
        (
            "V: X[[0, 3, 0, 3, 0]] = [1, 2, 3, 4, 5]",
            after(&v, &|x| set!(x[&[0, 3, 0, 3, 0]] = gpu![1, 2, 3, 4, 5])),
        ),
        ("S: X[[4, 0]] = [[1], [2]]", after(&s, &|x| x.set(&gpu![4, 0], gpu![[1], [2]]))),
        ("S: X[:, [4, 0]] = [-1, -2]", after(&s, &|x| set!(x[.., &[4, 0]] = gpu![-1, -2]))),
        ("S: X[:, [1, 1, 1]] = [-1, -2, -3]", after(&s, &|x| set!(x[.., &[1, 1, 1]] = gpu![-1, -2, -3]))),
        ("S: X[[0, 4], [1, 3]] = [-1, -2]", after(&s, &|x| set!(x[&[0, 4], &[1, 3]] = gpu![-1, -2]))),
        (
            "S: X[np.ix_([0, 3], [1, 2])] = [[-1, -2], [-3, -4]]",
            after(&s, &|x| x.set(array::ix_((&[0, 3], &[1, 2])), gpu![[-1, -2], [-3, -4]])),
        ),
        (
            "S: X[::2, ::-1][[0, 2, 0]] = np.arange(15).reshape(3, 5)",
            after(&s, &|x| x.slice(s![..; 2, ..; -1]).set(&[0, 2, 0], arange(0..15).reshape((3, 5)))),
        ),
        ("A: X[:, [0, 2], [1, 3]] = [-1, -2]", after(&a, &|x| set!(x[.., &[0, 2], &[1, 3]] = gpu![-1, -2]))),
        (
            "A: X[[0, 1], :, [1, 3]] = [-1, -2, -3]",
            after(&a, &|x| set!(x[&[0, 1], .., &[1, 3]] = gpu![-1, -2, -3])),
        ),
        (
            "A: X[I - 1] = np.arange(48).reshape(2, 2, 3, 4)",
            after(&a, &|x| x.set(&(&i - 1), arange(0..48).reshape((2, 2, 3, 4)))),
        ),
        ("V: X[X > 15] = 0", after(&v, &|x| x.set(&x.gt(15), 0))),
        ("V: X[X > 15] = [1, 2, 3]", after(&v, &|x| set!(x[&x.gt(15)] = gpu![1, 2, 3]))),
        (
            "S: X[X % 2 == 0] = -X[X % 2 == 0]",
            after(&s, &|x| {
                let even = (&*x % 2).eq(0);
                let negated = -&x[&even];
                x.set(&even, negated);
            }),
        ),
        ("S.T: X[X % 2 == 0] = 5", after(&s.t(), &|x| x.set(&(&*x % 2).eq(0), 5))),
        ("A: X[:, B] = [[1], [2]]", after(&a, &|x| set!(x[.., &b] = gpu![[1], [2]]))),
        ("A: X[M % 2 == 1] = [1, 2, 3, 4]", after(&a, &|x| x.set(&(&m % 2).eq(1), gpu![1, 2, 3, 4]))),
        ("A: X[M % 2 == 1, 1:3] = -1", after(&a, &|x| set!(x[&(&m % 2).eq(1), 1..3] = -1))),
        (
            "A: X[:, ::-1, ::2][:, (np.arange(6).reshape(3, 2) % 2) == 0] = [-1, -2, -3]",
            after(&a, &|x| x.slice(s![.., ..; -1, ..; 2]).set(s![.., &even], gpu![-1, -2, -3])),
        ),
        ("O: X[X > 3] = 1", after(&o, &|x| x.set(&x.gt(3), 1))),
        ("E: X[X > 3] = 1", after(&e, &|x| x.set(&x.gt(3), 1))),
        ("V: X.put([0, -1, 0], [1, 2, 3])", after(&v, &|x| x.put(&[0, -1, 0], gpu![1, 2, 3]))),
        ("S: X.put([[7, -1], [3, 4]], [1, 2])", after(&s, &|x| x.put(gpu![[7, -1], [3, 4]], gpu![1, 2]))),
        ("S: X.T.put([1, 2], -1)", after(&s, &|x| x.t().put([1, 2], -1))),
        ("V: X.put([0, 1], [])", after(&v, &|x| x.put([0, 1], zeros::<i32>(0)))),
        ("V: X.put([1, 2], [5, 6, 7, 8])", after(&v, &|x| x.put([1, 2], gpu![5, 6, 7, 8]))),
        ("S: np.place(X, S % 3 == 1, [1, 2, 3])", after(&s, &|x| x.place((&s % 3).eq(1), gpu![1, 2, 3]))),
        (
            "S: np.place(X.T, S % 3 == 1, [1, 2, 3])",
            after(&s, &|x| x.t().place((&s % 3).eq(1), gpu![1, 2, 3])),
        ),
        ("V: np.place(X, V > 99, [])", after(&v, &|x| x.place(v.gt(99), zeros::<i32>(0)))),
        ("V: np.putmask(X, V > 15, [1, 2, 3])", after(&v, &|x| x.putmask(v.gt(15), gpu![1, 2, 3]))),
        ("S: np.putmask(X, S % 3 == 1, -S)", after(&s, &|x| x.putmask((&s % 3).eq(1), -&s))),
        (
            "S: np.putmask(X[::2, ::-1], S[:3] % 2 == 1, [-1, -2])",
            after(&s, &|x| x.slice(s![..; 2, ..; -1]).putmask((&s[..3] % 2).eq(1), gpu![-1, -2])),
        ),
        ("V: np.putmask(X, V > 15, 3)", after(&v, &|x| x.putmask(v.gt(15), 3))),
        ("S: np.fill_diagonal(X, 7)", after(&s, &|x| x.fill_diagonal(7))),
        (
            "S: np.fill_diagonal(X[:, 1:3], [1, 2, 3])",
            after(&s, &|x| x.slice(s![.., 1..3]).fill_diagonal(gpu![1, 2, 3])),
        ),
        ("M: np.fill_diagonal(X, [1, 2, 3])", after(&m, &|x| x.fill_diagonal(gpu![1, 2, 3]))),
        (
            "A: np.fill_diagonal(X[:, :2, ::2], [8, 9])",
            after(&a, &|x| x.slice(s![.., ..2, ..; 2]).fill_diagonal(gpu![8, 9])),
        ),
        (
            "M: np.put_along_axis(X, np.array([[2], [-3]]), -1, axis=1)",
            after(&m, &|x| x.put_along_axis(gpu![[2], [-3]], -1, 1)),
        ),
        (
            "M: np.put_along_axis(X, np.array([[1, 0, 1], [1, 1, 0]]), [[1, 2, 3], [4, 5, 6]], axis=0)",
            after(&m, &|x| x.put_along_axis(gpu![[1, 0, 1], [1, 1, 0]], gpu![[1, 2, 3], [4, 5, 6]], 0)),
        ),
        (
            "A: np.put_along_axis(X, np.array([[[1, 1, 0]]]), np.arange(18).reshape(2, 3, 3), axis=2)",
            after(&a, &|x| x.put_along_axis(to_gpu(&[[[1, 1, 0]]]), arange(0..18).reshape((2, 3, 3)), 2)),
        ),
        ("V: X[np.zeros(0, \"int64\")] = 1", after(&v, &|x| x.set(nothing(), 1))),
    ]);
    check(include_str!("numpy/choosing.txt"), &answers);
}

#[test]
fn an_index_out_of_bounds_is_named() {
    let a = arange(0..6_i32).reshape((2, 3));
    let named = |text: &str, act: &dyn Fn()| {
        let act = || {
            act();
            synchronize().unwrap_or_else(|error| std::panic::panic_any(error));
        };
        raises(ErrorKind::Index, text, act);
    };
    named("take: index 6 is out of bounds for size 6 (element 1 of the indices)", &|| {
        a.take(&[0, 6, 9]);
    });
    named("take: index -7 is out of bounds for size 6 (element 0 of the indices)", &|| {
        a.take(&gpu![-7_i8]);
    });
    named("take_axis: index 2 is out of bounds for axis 0 with size 2 (element 3 of the indices)", &|| {
        a.take_axis(&gpu![[0, 1], [-2, 2]], 0);
    });
    named("indexing: index -4 is out of bounds for axis 1 with size 3 (element 2 of the indices)", &|| {
        a.slice(s![.., &[0, 1, -4]]);
    });
    named(
        "indexing: index 18446744073709551615 is out of bounds for axis 0 with size 2 (element 0 of the indices)",
        &|| {
            a.slice(&[u64::MAX]);
        },
    );
    named("indexing: index 3 is out of bounds for axis 1 with size 3 (element 1 of the indices)", &|| {
        a.slice(s![&[0, 1], &[2, 3]]);
    });
    named("set: index 2 is out of bounds for axis 0 with size 2 (element 0 of the indices)", &|| {
        a.clone().set(&[2], 9);
    });
    named("indexing: index 0 is out of bounds for axis 0 with size 0 (element 0 of the indices)", &|| {
        zeros::<i32>((0, 3)).slice(&[0]);
    });
    named(
        "take_along_axis: index 3 is out of bounds for axis 1 with size 3 (element 1 of the indices)",
        &|| {
            a.take_along_axis(&gpu![[0], [3]], 1);
        },
    );
    named("put: index -7 is out of bounds for size 6 (element 0 of the indices)", &|| {
        a.clone().put(&[-7], 1);
    });
    named("choose: index 2 is out of bounds for size 2 (element 1 of the indices)", &|| {
        array::choose(&[0, 2], (&a[s![.., 0]], &a[s![.., 1]]));
    });
    named("unravel_index: index 6 is out of bounds for array with size 6", &|| {
        array::unravel_index(&[0, 6], (2, 3));
    });
    named("unravel_index: index -1 is out of bounds for array with size 6", &|| {
        array::unravel_index(&[-1, 2], (2, 3));
    });
    named(
        "ravel_multi_index: invalid entry in coordinates array: 3 is not a place on axis 1 with size 3",
        &|| {
            array::ravel_multi_index((&[0], &[3]), (2, 3));
        },
    );
    // Nothing was written by the statement that failed.
    assert_eq!(a.to_vec(), [0, 1, 2, 3, 4, 5]);
    assert!(raised(|| drop(a.take(&[6]).to_vec())).to_string().contains("-6 to -1 from the end"));
}

#[test]
fn masks_and_indices_that_do_not_fit_are_refused() {
    let mut a = arange(0..6).reshape((2, 3));
    let kind = ErrorKind::Index;
    raises(
        kind,
        "boolean index did not match indexed array along axis 1; size of axis is 3 but size of corresponding boolean \
         axis is 2",
        || drop(a.slice(&zeros::<bool>((2, 2)))),
    );
    raises(
        kind,
        "boolean index did not match indexed array along axis 0; size of axis is 2 but size of corresponding boolean \
         axis is 3",
        || drop(a.slice(&[true; 3])),
    );
    raises(kind, "too many indices for an array of shape [2, 3]", || {
        drop(a.slice(&zeros::<bool>((2, 3, 1))));
    });
    raises(
        kind,
        "shape mismatch: indexing arrays could not be broadcast together with shapes [2] [3]",
        || drop(a.slice(s![&[0, 1], &[0, 1, 2]])),
    );
    raises(ErrorKind::Shape, "compress: condition must be a 1-d array, and has shape [2, 3]", || {
        drop(a.compress(&a.gt(0)));
    });
    raises(ErrorKind::Shape, "ix_: cross index must be 1 dimensional, and has shape [1, 2]", || {
        drop(array::ix_((&gpu![[1, 2]], &[0])));
    });
    raises(
        ErrorKind::Shape,
        "set: boolean array indexing assignment cannot assign 2 input values to the 3 output values where the mask is \
         true",
        || a.set(&a.gt(2), gpu![1, 2]),
    );
    raises(ErrorKind::Shape, "set: shapes [2, 3] and [2, 2] do not broadcast", || {
        a.set(&[0, 1], gpu![[1, 2], [3, 4]]);
    });
    raises(ErrorKind::Value, "1.5 does not fit in int32", || a.set(&[0], 1.5));
    raises(ErrorKind::Shape, "place: cannot insert from an empty array", || {
        a.place(a.gt(0), zeros::<i32>(0));
    });
    raises(
        ErrorKind::Shape,
        "putmask: mask and data must be the same size, and shapes [2] and [2, 3] are not",
        || a.putmask([true, false], 1),
    );
    raises(ErrorKind::Shape, "fill_diagonal: array must be at least 2-d, and the shape is [3]", || {
        a.slice(0).fill_diagonal(1);
    });
    raises(
        kind,
        "`indices` and `arr` must have the same number of dimensions: shapes [1] and [2, 3]",
        || drop(a.take_along_axis(&[0], 0)),
    );
    raises(
        ErrorKind::Shape,
        "select: list of cases must be same length as list of conditions, and one at least: 1 and 2",
        || drop(array::select((&a.gt(0), &a.gt(1)), &[&a], 0)),
    );
    assert_eq!(a.to_vec(), [0, 1, 2, 3, 4, 5]);
    let mut repeated = gpu![1, 2].broadcast_to((2, 2));
    let text = "set: assignment destination is read-only: a view of shape [2, 2] that repeats elements";
    raises(ErrorKind::Value, text, || repeated.set(&[0], 1));
}

#[test]
fn every_type_is_chosen_from() {
    fn chosen<T: Elem + PartialEq>(a: &GpuArray<T>) {
        let all = a.to_vec();
        let (last, first) = (all[2], all[0]);
        assert_eq!(a[&[2, 0]].to_vec(), [last, first]);
        assert_eq!(a[&[false, true, true]].to_vec(), &all[1..]);
        let mut b = a.copy();
        b.set(&[0, 1, 0], a);
        assert_eq!(b.to_vec(), [all[2], all[1], all[2]]);
        b.set(&[true, false, false], &a[..1]);
        assert_eq!(b.to_vec(), all);
    }
    let a = gpu![0, 1, 3];
    chosen(&a.astype(bool));
    chosen(&a.astype(i8));
    chosen(&a.astype(i16));
    chosen(&a.astype(i32));
    chosen(&a.astype(i64));
    chosen(&a.astype(u8));
    chosen(&a.astype(u16));
    chosen(&a.astype(u32));
    chosen(&a.astype(u64));
    chosen(&a.astype(f16));
    chosen(&a.astype(f32));
    chosen(&a.astype(f64));
    chosen(&(a.astype(f32) * Complex32::new(1.0, -2.0)));
    chosen(&(a.astype(f64) * Complex64::new(1.0, -2.0)));
}

#[test]
fn what_is_chosen_is_a_copy_of_its_moment() {
    let mut a = arange(0..5_i32);
    let mut indices = gpu![4, 0];
    let (b, c) = (a.slice(&indices), a.slice(&a.gt(2)));
    a += 100;
    indices.fill(0);
    assert_eq!((b.to_vec(), c.to_vec()), (vec![4, 0], vec![3, 4]));
    // Expressions over what is written have read it before.
    let before = &a * 2;
    a.set(&[0, 1], 7);
    assert_eq!((before.to_vec()[..2].to_vec(), a.to_vec()[..2].to_vec()), (vec![200, 202], vec![7, 7]));
    // Indices and values may lie in the memory that is written.
    let mut x = gpu![3, 2, 1, 0];
    let (own, turned) = (x.clone(), x.slice(s![..; -1]));
    x.set(&own, &turned);
    assert_eq!(x.to_vec(), [3, 2, 1, 0]);
    x.set(&own, gpu![10, 11, 12, 13]);
    assert_eq!(x.to_vec(), [13, 12, 11, 10]);
}

#[test]
fn large_masks_are_divided_into_parts() {
    for count in [4095_usize, 4096, 4097, 100_000, 5_000_001] {
        let a = arange(0..count as i64);
        let third = (&a % 3).eq(1);
        let expected: Vec<i64> = (0..count as i64).filter(|k| k % 3 == 1).collect();
        assert_eq!(third.flatnonzero().to_vec(), expected);
        assert_eq!(a[&third].to_vec(), expected);
        // A mask that does not begin where its memory does.
        assert_eq!(third.slice(1..).flatnonzero().size(), expected.len());
    }
}

#[test]
fn a_large_mask_with_nothing_in_a_part_failed_on_the_host() {
    let mut mask = zeros::<bool>(20_000);
    assert_eq!(mask.flatnonzero().size(), 0);
    mask.set(&[5_000, 19_999], true);
    assert_eq!(mask.flatnonzero().to_vec(), [5_000, 19_999]);
    assert_eq!(arange(0..20_000_i32)[&mask].to_vec(), [5_000, 19_999]);
}

/// The element of a host array at places on some axes.
fn taken(array: &ArrayD<i32>, axis: usize, indices: &[usize]) -> ArrayD<i32> {
    array.select(Axis(axis), indices)
}

proptest! {
    #[test]
    fn taking_and_writing_along_an_axis_is_what_ndarray_does(
        lengths in prop::collection::vec(1..5_usize, 1..4),
        axis in 0..3_usize,
        picks in prop::collection::vec((0..100_usize, any::<bool>()), 0..6),
        turned in any::<bool>(),
    ) {
        let axis = axis % lengths.len();
        let size = lengths.iter().product::<usize>() as i32;
        let mut host = ArrayD::from_shape_vec(IxDyn(&lengths), (0..size).collect()).unwrap();
        let device = to_gpu(&host);
        let mut device = if turned { device.t() } else { device };
        if turned {
            host = host.reversed_axes();
        }
        let length = host.shape()[axis];
        let places: Vec<usize> = picks.iter().map(|(pick, _)| pick % length).collect();
        let indices: Vec<i64> = picks.iter().zip(&places)
            .map(|((_, from_end), place)| *place as i64 - if *from_end { length as i64 } else { 0 }).collect();
        let chosen = device.take_axis(&indices, axis as isize);
        let expected = taken(&host, axis, &places);
        prop_assert_eq!(chosen.get(), expected.clone());
        let values = -expected - 1;
        let mut items = vec![SliceItem::from(..); axis];
        items.push(SliceItem::from(&indices));
        device.set(Slices::new(&items), to_gpu(&values));
        for (k, place) in places.iter().enumerate() {
            host.index_axis_mut(Axis(axis), *place).assign(&values.index_axis(Axis(axis), k));
        }
        prop_assert_eq!(device.get(), host);
    }

    #[test]
    fn masks_choose_what_filters_do(bits in prop::collection::vec(prop::bool::weighted(0.3), 0..5000), first in 0..40_usize) {
        let first = first.min(bits.len());
        let mask = to_gpu(&bits).slice(first..);
        let values = arange(0..bits.len() as i32);
        let expected: Vec<i32> = (first..bits.len()).filter(|k| bits[*k]).map(|k| k as i32).collect();
        prop_assert_eq!(values.slice(first..).slice(&mask).to_vec(), expected.clone());
        let zeroed = values.copy();
        zeroed.slice(first..).set(&mask, -to_gpu(&expected));
        let negated: Vec<i32> = (0..bits.len()).map(|k| if k >= first && bits[k] { -(k as i32) } else { k as i32 }).collect();
        prop_assert_eq!(zeroed.to_vec(), negated);
    }
}

#[test]
fn one_number_is_an_index_too() {
    let mut a = gpu![[10, 20, 30], [40, 50, 60]];
    assert_eq!((a.take(-1).item(), a.take(2_usize).shape()), (60, &[][..]));
    assert_eq!(a.take_axis(1, 1).to_vec(), [20, 50]);
    let places = array::unravel_index(22, (7, 6));
    assert_eq!((places[0].item(), places[1].item()), (3, 4));
    a.put(-2, 7);
    assert_eq!(a.to_vec(), [10, 20, 30, 40, 7, 60]);
    let text = "take: index 9 is out of bounds for size 6 (element 0 of the indices)";
    crate::raises(ErrorKind::Index, text, || drop(a.take(9).to_vec()));
}
