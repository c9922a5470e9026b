//! Arrays and kernels from several threads at once.

use gpurepl_prelude::*;

#[test]
fn threads_share_arrays() {
    let shared = arange(0_i64..10_000);
    let kernel = ElementwiseKernel::new("long long *x, long long k", "x[i] += k", "shift").unwrap();
    std::thread::scope(|scope| {
        for k in 0..8_i64 {
            let (shared, kernel) = (&shared, &kernel);
            scope.spawn(move || {
                for _ in 0..20 {
                    let mut own = shared * 2 + k;
                    kernel.call((&mut own, k)).unwrap();
                    assert_eq!(own.sum().item(), 2 * 49_995_000 + 10_000 * 2 * k);
                }
            });
        }
    });
}

#[test]
fn a_pending_expression_is_read_by_many() {
    let a = &arange(0_i32..1000) * 2 + 1;
    let expected: Vec<i32> = (0..1000).map(|k| 2 * k + 1).collect();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(a.to_vec(), expected));
        }
    });
}

#[test]
fn one_array_written_by_turns() {
    let total = std::sync::Mutex::new(zeros::<i32>(100));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    *total.lock().unwrap() += 1;
                }
            });
        }
    });
    assert_eq!(total.into_inner().unwrap().to_vec(), [200; 100]);
}
