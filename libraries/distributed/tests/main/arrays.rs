//! Arrays whose rows lie on several ranks, beside the same arrays whole.

use distributed::{DistArray, Edge};
use gpurepl_prelude::*;

use crate::{folder, on_ranks, told};

/// Numbers of rows: none, fewer than ranks, and what does not divide.
const ROWS: [usize; 5] = [0, 1, 3, 8, 29];

fn table(rows: usize, columns: usize) -> GpuArray<f64> {
    (arange(0..(rows * columns) as i64) * 7919 % 101).astype(f64).reshape((rows, columns))
}

fn same<T: Elem>(a: &DistArray<T>, whole: &GpuArray<T>) {
    let all = a.all_gather().unwrap();
    assert_eq!(a.shape(), whole.shape());
    assert_eq!(all.shape(), whole.shape());
    assert_eq!(all.to_vec(), whole.to_vec());
}

#[test]
fn expressions_are_those_of_the_whole() {
    on_ranks("arrays::expressions_are_those_of_the_whole", &[1, 2, 3, 4], || {
        for rows in ROWS {
            let (a, b) = (table(rows, 3), table(rows, 3) + 0.5);
            let (da, db) = (DistArray::from_whole(&a).unwrap(), DistArray::from_whole(&b).unwrap());
            same(&(&da + &db), &(&a + &b));
            same(&(2.0 * &da - &db / 4.0), &(2.0 * &a - &b / 4.0));
            same(&(1 - &da), &(1 - &a));
            same(&(-(&da * &da) % 7.0), &(-(&a * &a) % 7.0));
            same(&da.map(|rows| rows.sum_axis(1)).unwrap(), &a.sum_axis(1));
            same(&da.zip_map(&db, |a, b| maximum(a, b)).unwrap(), &maximum(&a, &b));
            same(&(da.astype(i32) * 3), &(a.astype(i32) * 3));
            // A row that is repeated has one row of its own on each rank.
            same(&da.map(|rows| rows + gpu![1.0, 2.0, 3.0]).unwrap(), &(&a + gpu![1.0, 2.0, 3.0]));
            same(&DistArray::full((rows, 2), 4_u8).unwrap(), &full((rows, 2), 4_u8));
            same(&DistArray::<i64>::zeros(rows).unwrap(), &zeros(rows));
        }
    });
}

#[test]
fn numbers_of_the_whole() {
    on_ranks("arrays::numbers_of_the_whole", &[1, 2, 4], || {
        for rows in ROWS {
            let a = table(rows, 2) - 50.0;
            let da = DistArray::from_whole(&a).unwrap();
            assert_eq!(da.sum().unwrap(), a.sum().item());
            assert_eq!(da.astype(i32).sum().unwrap(), a.astype(i32).sum().item());
            assert_eq!(da.prod().unwrap() == 0.0, a.prod().item() == 0.0);
            let whole = (&a * 1000.0).astype(i32).ravel();
            let parts = DistArray::from_whole(&whole).unwrap();
            assert_eq!(parts.dot(&parts).unwrap(), whole.dot(&whole).item());
            let bits = DistArray::from_whole(&whole.gt(0)).unwrap();
            assert_eq!(bits.dot(&bits).unwrap(), whole.gt(0).sum().item());
            let v = a.ravel();
            let dv = DistArray::from_whole(&v).unwrap();
            assert_eq!(dv.dot(&dv).unwrap(), v.dot(&v).item());
            assert!((dv.norm().unwrap() - v.norm().item()).abs() < 1e-9);
            if rows == 0 {
                assert!(told(da.min()).contains("zero-size array"));
                assert!(told(da.mean()).contains("zero-size array"));
                assert!(told(da.var()).contains("var: zero-size array"));
                continue;
            }
            assert_eq!((da.min().unwrap(), da.max().unwrap()), (a.min().item(), a.max().item()));
            assert!((da.mean().unwrap() - a.mean().item()).abs() < 1e-12);
            assert_eq!(da.astype(i64).mean().unwrap(), a.astype(i64).mean().item());
            assert!((da.var().unwrap() - a.var().item()).abs() < 1e-9);
            assert!((da.std().unwrap() - a.std().item()).abs() < 1e-9);
            assert!((da.astype(u8).var().unwrap() - a.astype(u8).var().item()).abs() < 1e-9);
            let turned = Complex64::new(0.6, 0.8);
            assert!(((&da * turned).var().unwrap() - a.var().item()).abs() < 1e-9);
        }
        // Half precision has no room for the sum, nor for the square.
        let half = DistArray::full(100_000, f16::from_f32(3.0)).unwrap();
        assert_eq!(half.mean().unwrap().to_f32(), 3.0);
        assert_eq!(half.var().unwrap().to_f32(), 0.0);
        // Far from zero nothing is lost to the mean's square.
        let far = DistArray::from_whole(&(1e9 + gpu![1.0, 2.0, 3.0, 4.0])).unwrap();
        assert_eq!(far.var().unwrap(), 1.25);
        let large = DistArray::full(4, f16::from_f32(300.0)).unwrap();
        assert_eq!(large.norm().unwrap().to_f32(), 600.0);
        let nan = DistArray::from_whole(&gpu![1.0, f64::NAN, 3.0]).unwrap();
        assert!(nan.min().unwrap().is_nan() && nan.sum().unwrap().is_nan());
    });
}

#[test]
fn rows_move_and_stay_in_order() {
    on_ranks("arrays::rows_move_and_stay_in_order", &[1, 2, 3, 4], || {
        for rows in ROWS {
            let a = table(rows, 3);
            // Rank k has k parts of them.
            let total: usize = (1..=ranks()).sum();
            let at = |rank: usize| rows * (0..=rank).sum::<usize>() / total;
            let part = a.slice(s![at(rank()) as i64..at(rank() + 1) as i64]);
            let uneven = DistArray::from_local(&part).unwrap();
            same(&uneven, &a);
            let even = uneven.rebalance().unwrap();
            same(&even, &a);
            assert!(even.rows().len() <= rows.div_ceil(ranks()));
            if at(1) != rows.div_ceil(ranks()) {
                assert!(told(uneven.zip_map(&even, |a, b| a + b)).contains("call `rebalance` on both"));
            }
            same(&uneven.transpose().unwrap(), &a.t().copy());
            same(&even.transpose().unwrap().transpose().unwrap(), &a);
            assert_eq!(uneven.gather(0).unwrap().is_some(), rank() == 0);
            let bits = uneven.map(|rows| rows.gt(50.0)).unwrap();
            same(&bits.transpose().unwrap(), &a.gt(50.0).t().copy());
        }
    });
}

#[test]
fn rows_beside_ones_own_are_those_of_the_neighbours() {
    on_ranks("arrays::rows_beside_ones_own_are_those_of_the_neighbours", &[1, 2, 4], || {
        for rows in [1, 3, 8, 29] {
            let a = table(rows, 2);
            let da = DistArray::from_whole(&a).unwrap();
            let own = da.rows();
            for width in [0, 1, rows.min(2), rows] {
                let at = |place: i64, edge: &Edge<f64>| match edge {
                    Edge::Periodic => Some(place.rem_euclid(rows as i64)),
                    Edge::Nearest => Some(place.clamp(0, rows as i64 - 1)),
                    Edge::Constant(_) => (0..rows as i64).contains(&place).then_some(place),
                };
                let whole = a.to_vec();
                for edge in [Edge::Periodic, Edge::Nearest, Edge::Constant(-1.0)] {
                    let places = own.start as i64 - width as i64..own.end as i64 + width as i64;
                    let expected: Vec<f64> = places
                        .flat_map(|place| match at(place, &edge) {
                            Some(row) => [whole[2 * row as usize], whole[2 * row as usize + 1]],
                            None => [-1.0; 2],
                        })
                        .collect();
                    let wide = da.with_halo(width, edge).unwrap();
                    assert_eq!(wide.shape(), [own.len() + 2 * width, 2]);
                    assert_eq!(wide.to_vec(), expected, "{rows} rows, width {width}, {edge:?}");
                }
            }
        }
        // Heat on a ring, as one array has it.
        let start = table(24, 1).ravel();
        let mut whole = start.copy();
        let mut parts = DistArray::from_whole(&start).unwrap();
        for _ in 0..10 {
            whole = 0.5 * &whole + 0.25 * (whole.roll(1) + whole.roll(-1));
            parts = parts
                .stencil(1, Edge::Periodic, |a| {
                    let n = a.size() as i64;
                    0.5 * a.slice(s![1..n - 1]) + 0.25 * (a.slice(s![..n - 2]) + a.slice(s![2..]))
                })
                .unwrap();
        }
        same(&parts, &whole);
    });
}

#[test]
fn products_are_those_of_the_whole() {
    on_ranks("arrays::products_are_those_of_the_whole", &[1, 2, 3], || {
        for (rows, inner, columns) in [(5, 4, 3), (1, 2, 8), (8, 1, 2), (20, 30, 10), (4, 0, 3), (0, 3, 2)] {
            let (a, b) = (table(rows, inner), table(inner, columns));
            let (da, db) = (DistArray::from_whole(&a).unwrap(), DistArray::from_whole(&b).unwrap());
            same(&da.matmul(&db).unwrap(), &a.matmul(&b));
            let v = table(inner, 1).ravel();
            same(&da.matmul(&DistArray::from_whole(&v).unwrap()).unwrap(), &a.matmul(&v));
            same(&da.map(|rows| rows.matmul(&b)).unwrap(), &a.matmul(&b));
            assert!(told(da.matmul(&DistArray::<f64>::zeros(inner + 1).unwrap())).contains("do not fit"));
        }
    });
}

#[test]
fn vectors_are_sorted_across_ranks() {
    on_ranks("arrays::vectors_are_sorted_across_ranks", &[1, 2, 3, 4], || {
        for count in [0, 1, 3, 100, 5000] {
            let a = (arange(0..count as i64) * 7919 % 1009).astype(f32) - 500.0;
            same(&DistArray::from_whole(&a).unwrap().sort().unwrap(), &a.sort());
            // All of one value, and few values.
            let few = arange(0..count as i64) % 2;
            same(&DistArray::from_whole(&few).unwrap().sort().unwrap(), &few.sort());
        }
        let a = gpu![3.0, f64::NAN, -1.0, f64::INFINITY, 2.0, f64::NAN];
        let sorted = DistArray::from_whole(&a).unwrap().sort().unwrap().all_gather().unwrap().to_vec();
        assert_eq!(sorted[..4], [-1.0, 2.0, 3.0, f64::INFINITY]);
        assert!(sorted[4].is_nan() && sorted[5].is_nan());
        assert!(
            told(DistArray::from_whole(&table(4, 2)).unwrap().sort()).contains("not sorted across ranks")
        );
        // All lie on the last rank.
        let part = arange(0..if rank() + 1 == ranks() { 100 } else { 0 });
        let uneven = DistArray::from_local(&(99 - part)).unwrap();
        same(&uneven.sort().unwrap(), &arange(0..100));
    });
}

#[test]
fn random_numbers_do_not_depend_on_the_number_of_ranks() {
    on_ranks("arrays::random_numbers_do_not_depend_on_the_number_of_ranks", &[1, 2, 3, 4], || {
        fn check<T: RandomNumber>(shape: (usize, usize)) {
            seed(7);
            let parts = [T::parts(shape), T::parts((3, 5))];
            seed(7);
            let whole = [T::whole(shape), T::whole((3, 5))];
            parts.iter().zip(&whole).for_each(|(parts, whole)| same(parts, whole));
        }
        for shape in [(0, 3), (1, 1), (7, 3), (101, 13), (5, 1)] {
            check::<f32>(shape);
            check::<f64>(shape);
            check::<i32>(shape);
            check::<u64>(shape);
            seed(3);
            let parts = DistArray::<f32>::randn(shape).unwrap();
            seed(3);
            same(&parts, &randn::<f32>(shape));
            seed(3);
            let parts = DistArray::<f64>::randn(shape).unwrap();
            seed(3);
            same(&parts, &randn::<f64>(shape));
        }
    });
}

trait RandomNumber: Elem {
    fn parts(shape: (usize, usize)) -> DistArray<Self>;
    fn whole(shape: (usize, usize)) -> GpuArray<Self>;
}

macro_rules! random_numbers {
    ($($t:ident)*) => {$(
        impl RandomNumber for $t {
            fn parts(shape: (usize, usize)) -> DistArray<$t> {
                DistArray::rand(shape).unwrap()
            }

            fn whole(shape: (usize, usize)) -> GpuArray<$t> {
                rand(shape)
            }
        }
    )*};
}
random_numbers!(f32 f64 i32 u64);

#[test]
fn an_array_is_shown_whole() {
    on_ranks("arrays::an_array_is_shown_whole", &[1, 2, 3, 4], || {
        for (rows, columns) in [(0, 2), (2, 3), (7, 300), (900, 2), (2000, 1), (4, 4000)] {
            let a = table(rows, columns);
            let da = DistArray::from_whole(&a).unwrap();
            assert_eq!(format!("{da:?}"), format!("{a:?}"));
            assert_eq!(format!("{da}"), format!("{a}"));
            assert_eq!(format!("{da:.2} {da:+?}"), format!("{a:.2} {a:+?}"));
            let (v, dv) = (a.ravel(), DistArray::from_whole(&a.ravel()).unwrap());
            assert_eq!(format!("{dv:?}"), format!("{v:?}"));
        }
    });
}

#[test]
fn files_have_the_whole() {
    on_ranks("arrays::files_have_the_whole", &[1, 2, 4], || {
        for (number, rows) in ROWS.into_iter().enumerate() {
            let whole = table(rows, 3);
            let a = DistArray::from_whole(&whole).unwrap();
            let path = folder().join(format!("{number}.npy"));
            a.save(&path).unwrap();
            assert_eq!(io::load::<f64>(&path).unwrap().to_vec(), whole.to_vec());
            same(&DistArray::<f64>::load(&path).unwrap(), &whole);
        }
        let a = DistArray::from_local(&full(2 + rank(), rank() as i32)).unwrap();
        let path = folder().join("uneven.npy");
        a.save(&path).unwrap();
        assert_eq!(io::load::<i32>(&path).unwrap().to_vec(), a.all_gather().unwrap().to_vec());
        assert!(told(DistArray::<f64>::load(&path)).contains("int32"));
        // Files that differ by machine.
        let own = folder().join(format!("own-{}.npy", rank()));
        io::save(&own, &arange(0..3 + rank() as i32)).unwrap();
        if ranks() > 1 {
            assert!(told(DistArray::<i32>::load(&own)).contains("has another array than rank 0"));
        }
        let error = told(a.save(folder().join("no such folder").join("a.npy")));
        assert!(error.contains(if rank() == 0 {
            "no such folder"
        } else {
            "rank 0 could not create the file"
        }));
        distributed::barrier().unwrap();
    });
}

#[test]
fn arrays_that_do_not_go_together_are_refused_on_all_ranks() {
    on_ranks("arrays::arrays_that_do_not_go_together_are_refused_on_all_ranks", &[2], || {
        let a = DistArray::<f64>::zeros((4, 2)).unwrap();
        let add = |b: &DistArray<f64>| {
            let sum = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| &a + b));
            sum.err().and_then(|panic| panic.downcast::<Error>().ok()).expect("an error").to_string()
        };
        assert!(add(&DistArray::zeros((5, 2)).unwrap()).contains("different numbers of rows"));
        assert!(add(&DistArray::zeros(4).unwrap()).contains("rows would meet columns"));
        let first = if rank() == 0 { 1 } else { 3 };
        let uneven = DistArray::from_local(&zeros::<f64>((first, 2))).unwrap();
        assert!(
            add(&uneven).contains("the ranks have [2, 2] rows of the first and [1, 3] of the second array")
        );
        let mut b = a.copy().unwrap();
        assert!(told(b.update(|rows| *rows = zeros((1, 1)))).contains("leaves an array of shape [1, 1]"));
        assert_eq!(b.local().shape(), [2, 2]);
        assert!(told(a.map(|rows| rows.slice(s![..1]))).contains("give as many rows back"));
        assert!(
            told(DistArray::from_fn((4, 2), |rows| zeros::<f64>(rows.len()))).contains("its part has [2, 2]")
        );
        assert!(told(DistArray::<f64>::zeros(())).contains("cannot be divided"));
        assert!(
            told(DistArray::from_whole(&zeros::<f64>((2, 2, 2))).unwrap().transpose()).contains("two axes")
        );
        // Ranks that call for arrays of different shapes learn it.
        let other = DistArray::<f64>::zeros((4 + 2 * rank(), 2)).unwrap();
        assert!(told(other.rebalance()).contains("rank 0 has shape [4, 2], rank 1 has [6, 2]"));
        // Widths, and functions, that differ.
        assert!(told(a.with_halo(1 + rank(), Edge::Nearest)).contains("asks for other rows"));
        assert!(told(a.with_halo(5, Edge::Periodic)).contains("more than the 4 rows"));
        let mixed = if rank() == 0 { a.sum() } else { a.max() };
        assert!(told(mixed).contains("sum on rank 0, max on rank 1"));
        // And for such that lie otherwise.
        let mixed = if rank() == 0 { &a } else { &uneven };
        assert!(told(mixed.rebalance()).contains("rank 1 has another array than rank 0"));
    });
}

#[test]
fn a_card_has_the_figures_of_all_ranks() {
    on_ranks("arrays::a_card_has_the_figures_of_all_ranks", &[1, 3], || {
        gpurepl_display::set_rich(true);
        // A rank of three has none of the two rows, and one has the NaN.
        let whole = gpu![f64; [1.5, -2.0, 7.0], [f64::NAN, 4.0, 0.5]];
        let bundle = DistArray::from_whole(&whole).unwrap().render();
        assert_eq!(bundle.get("text/plain"), Some(format!("{whole:?}").as_str()));
        let html = bundle.get("text/html").unwrap();
        for (name, value) in [("min", "-2"), ("max", "7"), ("mean", "2.2"), ("NaN", "1")] {
            let figure =
                format!("<span class=\"gr-dim\">{name}</span> <span class=\"gr-number\">{value}</span>");
            assert!(html.contains(&figure), "{figure} in {html}");
        }
        let place =
            if ranks() == 1 { ">1 rank<" } else { ">3 ranks</span><span class=\"gr-dim\">0 to 1 rows each<" };
        assert!(html.contains(place), "{html}");
        // What is cut says what it is.
        let long = DistArray::<i32>::zeros(3000).unwrap().render();
        let words = if ranks() == 1 { "1 rank" } else { "3 ranks" };
        let first = format!("int32 [3000] 12 KiB {words}\n");
        assert!(long.get("text/plain").unwrap().starts_with(&first), "{long:?}");
    });
}
