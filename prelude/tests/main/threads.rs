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

/// Has another thread use a lazy expression while what it reads is written.
/// Both begin at the same time, as near as threads can.
fn used_while_written<R: Send>(
    use_it: impl Fn(GpuArray<f64>) -> R + Send + Sync,
    check: impl Fn(R),
    write: impl Fn(&mut GpuArray<f64>),
) {
    const COUNT: usize = 50_000;
    for round in 0..300 {
        let mut x = ones::<f64>(COUNT);
        let e = &x * 2;
        let begin = std::sync::Barrier::new(2);
        let result = std::thread::scope(|scope| {
            let used = scope.spawn(|| {
                begin.wait();
                use_it(e)
            });
            begin.wait();
            // A little later each time.
            (0..round * 20).for_each(|_| std::hint::spin_loop());
            write(&mut x);
            used.join().unwrap()
        });
        check(result);
    }
}

#[test]
fn a_sum_in_another_thread_reads_what_was_there_before() {
    used_while_written(|e| e.sum().item(), |sum| assert_eq!(sum, 100_000.0), |x| *x += 1);
}

#[test]
fn expressions_in_another_thread_read_what_was_there_before() {
    used_while_written(
        |e| (e + 1).to_vec(),
        |values| assert!(values.iter().all(|value| *value == 3.0)),
        |x| *x += 1,
    );
    used_while_written(|e| ((e + 1) * 2).sum().item(), |sum| assert_eq!(sum, 300_000.0), |x| x.fill(0));
}

#[test]
fn operations_in_place_in_another_thread_read_what_was_there_before() {
    let add = |e: GpuArray<f64>| {
        let mut z = ones::<f64>(e.size());
        z += e;
        z.to_vec()
    };
    used_while_written(add, |z| assert!(z.iter().all(|value| *value == 3.0)), |x| x.set(1.., 5));
    let copy = |e: GpuArray<f64>| {
        let mut z = zeros::<f64>(e.size());
        z.set(.., e);
        z.copy().to_vec()
    };
    used_while_written(copy, |z| assert!(z.iter().all(|value| *value == 2.0)), |x| *x *= 3);
}

#[test]
fn kernels_and_copies_wait_for_what_other_threads_read() {
    let kernel = ElementwiseKernel::new("double *x", "x[i] = 7", "sevens").unwrap();
    used_while_written(
        |e| (e + 1).sum().item(),
        |sum| assert_eq!(sum, 150_000.0),
        |x| kernel.call((&mut *x,)).unwrap(),
    );
}

#[test]
fn threads_that_write_what_others_read_do_not_wait_for_each_other() {
    // Each array is read by expressions over all, and written by a thread.
    let arrays: Vec<GpuArray<i64>> = (0..4).map(|_| zeros::<i64>(1000)).collect();
    std::thread::scope(|scope| {
        for (own, array) in arrays.iter().enumerate() {
            let (arrays, mut array) = (&arrays, array.clone());
            scope.spawn(move || {
                for _ in 0..200 {
                    let sum = &arrays[0] + &arrays[1] + &arrays[2] + &arrays[3];
                    array += 1;
                    let before = &arrays[own] * 1;
                    assert!(sum.max().item() >= 0);
                    array += &before - &before;
                }
            });
        }
    });
    for array in &arrays {
        assert_eq!(array.to_vec(), [200; 1000]);
    }
}
