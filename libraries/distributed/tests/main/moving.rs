//! Elements from ranks to ranks.

use gpurepl_prelude::distributed::scatter;
use gpurepl_prelude::distributed::*;
use gpurepl_prelude::*;

use crate::elements::*;
use crate::on_ranks;

/// A matrix of a rank, whose rows may be as many as it likes.
fn matrix<T: Number>(rank: usize, rows: usize, columns: usize) -> GpuArray<T> {
    to_gpu(elements::<T>(rank, rows * columns)).reshape((rows, columns))
}

#[track_caller]
fn assert_equal<T: Number>(a: &GpuArray<T>, b: &GpuArray<T>) {
    assert_eq!(a.shape(), b.shape());
    assert_same(&a.to_vec(), &b.to_vec());
}

#[test]
fn one_ranks_array_comes_to_all() {
    fn check<T: Number>() {
        for root in 0..ranks() {
            for (rows, columns) in [(0, 3), (1, 1), (3, 5), (700, 501)] {
                let mine = if rank() == root { matrix::<T>(root, rows, columns) } else { empty(rank()) };
                assert_equal(&broadcast(&mine, root).unwrap(), &matrix(root, rows, columns));
            }
        }
    }
    on_ranks("moving::one_ranks_array_comes_to_all", &[1, 2, 3], || of_each_type!(check));
}

#[test]
fn numbers_come_to_all() {
    on_ranks("moving::numbers_come_to_all", &[1, 4], || {
        let last = ranks() - 1;
        assert_eq!(broadcast(&(rank() as u8), last).unwrap(), last as u8);
        assert_eq!(broadcast(&Complex32::new(rank() as f32, 2.0), 0).unwrap(), Complex32::new(0.0, 2.0));
        assert_eq!(broadcast(&to_gpu(rank() as f64), last).unwrap().item(), last as f64);
    });
}

#[test]
fn parts_go_to_their_ranks_and_come_back() {
    fn check<T: Number>() {
        for root in 0..ranks() {
            for rows in [0, 1, 2, 7, 1001] {
                let whole = matrix::<T>(root, rows, 37);
                let part = scatter(if rank() == root { Some(&whole) } else { None }, root).unwrap();
                assert_equal(&part, &whole.array_split(ranks())[rank()]);
                // What others pass is not looked at.
                let other = matrix::<T>(rank(), if rank() == root { rows } else { 3 }, 37);
                assert_equal(&scatter(Some(&other), root).unwrap(), &part);
                let back = gather(&part, root).unwrap();
                assert_eq!(back.is_some(), rank() == root);
                if let Some(back) = back {
                    assert_equal(&back, &whole);
                }
                assert_equal(&all_gather(&part).unwrap(), &whole);
            }
        }
    }
    on_ranks("moving::parts_go_to_their_ranks_and_come_back", &[1, 2, 3, 4], || of_each_type!(check));
}

#[test]
fn arrays_of_different_lengths_are_joined() {
    fn check<T: Number>() {
        let of = |rank: usize| matrix::<T>(rank, rank * 5000, 7);
        let mut expected = of(0);
        for rank in 1..ranks() {
            expected = concatenate([&expected, &of(rank)]);
        }
        assert_equal(&all_gather(&of(rank())).unwrap(), &expected);
    }
    on_ranks("moving::arrays_of_different_lengths_are_joined", &[1, 2, 4], || of_each_type!(check));
}

#[test]
fn numbers_are_joined_as_one_element_each() {
    on_ranks("moving::numbers_are_joined_as_one_element_each", &[1, 3], || {
        let expected: Vec<f32> = (0..ranks()).map(|rank| rank as f32).collect();
        assert_eq!(all_gather(&(rank() as f32)).unwrap().to_vec(), expected);
        assert_eq!(all_gather(&to_gpu(rank() as f32)).unwrap().to_vec(), expected);
        let mixed = if rank() == 0 { to_gpu([7, 8, 9]) } else { to_gpu(rank() as i32) };
        let all = all_gather(&mixed).unwrap().to_vec();
        assert_eq!((&all[..3], all.len()), (&[7, 8, 9][..], ranks() + 2));
        // Data of the host, too.
        assert_eq!(
            gather(&[rank() as i64; 2], 0).unwrap().map(|all| all.size()),
            (rank() == 0).then(|| 2 * ranks())
        );
    });
}

#[test]
fn each_rank_has_a_part_for_each() {
    fn check<T: Number>() {
        for rows in [0, 1, 4, 9, 3001] {
            // Ranks may have more or fewer rows.
            let of = |from: usize| matrix::<T>(from, rows + from, 11);
            let got = all_to_all(&of(rank())).unwrap();
            let parts: Vec<GpuArray<T>> =
                (0..ranks()).map(|from| of(from).array_split(ranks())[rank()].copy()).collect();
            let expected: Vec<T> = parts.iter().flat_map(|part| part.to_vec()).collect();
            assert_eq!(got.shape(), [expected.len() / 11, 11]);
            assert_same(&got.to_vec(), &expected);
        }
    }
    on_ranks("moving::each_rank_has_a_part_for_each", &[1, 2, 3, 4], || of_each_type!(check));
}

#[test]
fn views_and_expressions_are_moved() {
    on_ranks("moving::views_and_expressions_are_moved", &[2], || {
        let a: GpuArray<i32> = arange(0..12).reshape((3, 4));
        assert_equal(&broadcast(&a.t(), 1).unwrap(), &a.t().copy());
        assert_equal(
            &all_gather(&a.slice(s![..;-1, 1..3])).unwrap().slice(s![..3]),
            &a.slice(s![..;-1, 1..3]),
        );
        assert_equal(
            &all_to_all(&(&a.t() * 2)).unwrap().slice(s![..2]).copy(),
            &(&a.t() * 2).array_split(2)[rank()].copy(),
        );
        assert_equal(&scatter(Some(&(&a + 1)), 0).unwrap(), &(&a + 1).array_split(2)[rank()].copy());
    });
}
