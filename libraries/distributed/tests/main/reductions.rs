//! Elements of all ranks combined.

use gpurepl_prelude::distributed::*;
use gpurepl_prelude::*;

use crate::elements::*;
use crate::on_ranks;

/// None, one, some, and more than go through the shared memory at once.
const COUNTS: [usize; 6] = [0, 1, 5, 1000, 70_001, 300_000];

fn ops(dtype: DType) -> Vec<Reduce> {
    let mut ops = vec![Reduce::Sum, Reduce::Prod, Reduce::Min, Reduce::Max];
    if dtype.is_integer() || dtype == DType::Bool {
        ops.extend([Reduce::And, Reduce::Or, Reduce::Xor]);
    }
    ops
}

#[test]
fn all_ranks_get_the_same_in_every_type() {
    fn check<T: Number>() {
        for op in ops(T::DTYPE) {
            let counts = if op == Reduce::Sum { &COUNTS[..] } else { &COUNTS[..4] };
            for count in counts {
                let mine = to_gpu(elements::<T>(rank(), *count));
                let all = all_reduce(&mine, op).unwrap();
                assert_eq!(all.size(), *count);
                assert_combined(op, &all.to_vec());
                assert_same(&mine.to_vec(), &elements::<T>(rank(), *count));
            }
        }
    }
    on_ranks("reductions::all_ranks_get_the_same_in_every_type", &[1, 2, 3, 4], || of_each_type!(check));
}

#[test]
fn one_rank_gets_it() {
    fn check<T: Number>() {
        for root in 0..ranks() {
            for count in [0, 7, 70_001] {
                let got = reduce(&to_gpu(elements::<T>(rank(), count)), Reduce::Max, root).unwrap();
                assert_eq!(got.is_some(), rank() == root);
                if let Some(got) = got {
                    assert_same(&got.to_vec(), &combined::<T>(Reduce::Max, count));
                }
            }
        }
    }
    on_ranks("reductions::one_rank_gets_it", &[1, 2, 3], || of_each_type!(check));
}

#[test]
fn each_rank_gets_a_part_of_it() {
    fn check<T: Number>() {
        for (rows, columns) in [(0, 3), (1, 1), (2, 5), (7, 3), (4, 0), (1001, 130)] {
            let mine = to_gpu(elements::<T>(rank(), rows * columns)).reshape((rows, columns));
            let part = reduce_scatter(&mine, Reduce::Sum).unwrap();
            let expected = &mine.array_split(ranks())[rank()];
            assert_eq!(part.shape(), expected.shape());
            assert_combined(Reduce::Sum, &all_gather(&part).unwrap().to_vec());
        }
    }
    on_ranks("reductions::each_rank_gets_a_part_of_it", &[1, 2, 3, 4], || of_each_type!(check));
}

#[test]
fn the_mean_is_the_sum_divided() {
    on_ranks("reductions::the_mean_is_the_sum_divided", &[1, 2, 3], || {
        let mine = to_gpu(elements::<f64>(rank(), 100));
        let mean = all_reduce(&mine, Reduce::Mean).unwrap();
        let expected: Vec<f64> =
            combined::<f64>(Reduce::Sum, 100).iter().map(|x| x / ranks() as f64).collect();
        let is_on_host = device().kind() == DeviceKind::Host;
        // NCCL adds in an order of its own.
        let tolerance = if is_on_host { 0.0 } else { 1e-13 };
        for (mean, expected) in mean.to_vec().into_iter().zip(expected) {
            let is_same = mean.is_same(expected) || (mean - expected).abs() <= tolerance;
            assert!(is_same, "{mean} and {expected}");
        }
        let halves = all_reduce(&f16::from_f32(rank() as f32), Reduce::Mean).unwrap();
        assert_eq!(halves, f16::from_f32((ranks() as f32 - 1.0) / 2.0));
        let mean: Complex64 = all_reduce(&Complex64::new(rank() as f64, 1.0), Reduce::Mean).unwrap();
        assert_eq!(mean, Complex64::new((ranks() as f64 - 1.0) / 2.0, 1.0));
    });
}

#[test]
fn views_and_expressions_are_taken() {
    on_ranks("reductions::views_and_expressions_are_taken", &[1, 3], || {
        let factor = ranks() as f64;
        let a = arange(0.0..24.0).reshape((4, 6));
        for view in [a.t(), a.slice(s![1..4, ..;2]), a.slice(s![..;-1, 3]), 2.0 * &a + 1.0] {
            let all = all_reduce(&view, Reduce::Sum).unwrap();
            assert_eq!(all.shape(), view.shape());
            assert!(array_equal(&all, &(factor * &view)));
        }
        let repeated = a.slice(s![.., 0]).reshape((4, 1)).broadcast_to((4, 3));
        assert!(array_equal(all_reduce(&repeated, Reduce::Sum).unwrap(), factor * &repeated));
    });
}

#[test]
fn numbers_and_arrays_without_axes_stay_what_they_are() {
    on_ranks("reductions::numbers_and_arrays_without_axes_stay_what_they_are", &[1, 2, 4], || {
        let total: i64 = all_reduce(&(rank() as i64 + 1), Reduce::Sum).unwrap();
        assert_eq!(total, (1..=ranks() as i64).sum::<i64>());
        assert!(all_reduce(&(rank() == 0), Reduce::Or).unwrap());
        assert_eq!(
            reduce(&2.5, Reduce::Prod, 0).unwrap(),
            (rank() == 0).then(|| 2.5_f64.powi(ranks() as i32))
        );
        let none = all_reduce(&to_gpu(3_i32), Reduce::Min).unwrap();
        assert_eq!((none.shape(), none.item()), (&[][..], 3));
        let long: GpuArray<u8> = ones((1, 1, 1, 1, 1, 1, 1, 3));
        assert_eq!(all_reduce(&long, Reduce::Sum).unwrap().shape(), long.shape());
    });
}

#[test]
fn all_ranks_have_the_same_bits() {
    on_ranks("reductions::all_ranks_have_the_same_bits", &[2, 3, 4], || {
        seed(rank() as u64);
        let sum = all_reduce(&randn::<f32>(50_000), Reduce::Sum).unwrap();
        let first = broadcast(&sum, 0).unwrap();
        let is_same = array_equal(&sum, &first);
        assert!(all_reduce(&is_same, Reduce::And).unwrap() && is_same);
    });
}
