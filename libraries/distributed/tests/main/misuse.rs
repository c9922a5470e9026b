//! Calls that do not go together.

use gpurepl_prelude::distributed::scatter;
use gpurepl_prelude::distributed::*;
use gpurepl_prelude::extend::group;
use gpurepl_prelude::*;

use crate::{next_order, on_ranks, told};

#[test]
fn differences_are_errors_on_all_ranks_and_all_go_on() {
    on_ranks("misuse::differences_are_errors_on_all_ranks_and_all_go_on", &[2, 3], || {
        let last = ranks() - 1;
        let is_last = rank() == last;
        let a = ones::<f32>((2, 3));
        let error = all_reduce(&if is_last { a.t() } else { a.clone() }, Reduce::Sum).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Shape);
        let expected =
            format!("all_reduce: rank 0 has shape [2, 3], rank {last} has [3, 2]; pass arrays of one shape");
        assert!(error.to_string().starts_with(&expected), "{error}");
        let error = if is_last { all_gather(&a).map(drop) } else { all_gather(&a.astype(f64)).map(drop) };
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DType);
        assert!(
            error.to_string().contains(&format!("rank 0 has float64, rank {last} has float32")),
            "{error}"
        );
        let text = told(all_reduce(&a, if is_last { Reduce::Max } else { Reduce::Sum }));
        assert!(text.contains(&format!("rank 0 has Reduce::Sum, rank {last} has Reduce::Max")), "{text}");
        let text = told(broadcast(&a, if is_last { 1 } else { 0 }));
        assert!(text.contains(&format!("the root is 0 on rank 0, and 1 on rank {last}")), "{text}");
        let error = if is_last { barrier() } else { all_reduce(&a, Reduce::Sum).map(drop) };
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Ranks);
        let text = error.to_string();
        let others = if last == 1 { "rank 0" } else { "ranks 0, 1" };
        assert!(text.contains(&format!("all_reduce on {others}, barrier on rank {last}")), "{text}");
        let text = told(gather(&if is_last { a.clone() } else { ones(3) }, 0));
        assert!(text.contains(&format!("rank 0 has shape [3], rank {last} has [2, 3]")), "{text}");
        let text = told(scatter(None::<&GpuArray<f32>>, last));
        assert!(text.contains(&format!("rank {last}, the root, passes no array")), "{text}");
        assert_eq!(told(scatter(Some(&to_gpu(1.0)), 0)), told(scatter(Some(&to_gpu(1.0)), 0)));
        // None of these is in the way of what comes next.
        assert_eq!(all_reduce(&1_i32, Reduce::Sum).unwrap(), ranks() as i32);
    });
}

#[test]
fn what_a_rank_sees_alone_is_said_before_others_wait() {
    on_ranks("misuse::what_a_rank_sees_alone_is_said_before_others_wait", &[1, 2], || {
        let a = arange::<i32>(0..4);
        assert_eq!(all_reduce(&a, Reduce::Mean).unwrap_err().kind(), ErrorKind::DType);
        assert_eq!(all_reduce(&1.5, Reduce::Xor).unwrap_err().kind(), ErrorKind::DType);
        assert!(told(broadcast(&a, 9)).starts_with("broadcast: the root is 9, and there "));
        assert!(told(reduce(&a, Reduce::Sum, 9)).starts_with("reduce: the root is 9"));
        assert_eq!(all_to_all(&3).unwrap_err().kind(), ErrorKind::Shape);
        assert!(
            told(reduce_scatter(&3, Reduce::Sum)).contains("without axes cannot be divided among the ranks")
        );
        assert!(told(scatter(None::<&GpuArray<i32>>, 0)).contains("passes no array"));
        assert_eq!(all_gather(&a).unwrap().size(), 4 * ranks());
    });
}

#[test]
fn a_rank_that_ends_its_order_is_not_waited_for() {
    on_ranks("misuse::a_rank_that_ends_its_order_is_not_waited_for", &[2, 4], || {
        for order in 0..3 {
            if rank() < 2.min(ranks() - 1) {
                let error = all_reduce(&1.0, Reduce::Sum).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Ranks);
                let others = if ranks() == 2 { "rank 1 has" } else { "ranks 2, 3 have" };
                let expected =
                    format!("all_reduce: {others} ended this cell without it; call it on all ranks");
                assert_eq!(error.to_string(), expected, "{order}");
                let again = told(barrier());
                assert!(again.contains("this rank has waited in vain in all_reduce before"), "{again}");
            }
            next_order();
            assert_eq!(all_reduce(&1, Reduce::Sum).unwrap(), ranks() as i32);
        }
    });
}

#[test]
fn a_send_that_nobody_receives_ends() {
    on_ranks("misuse::a_send_that_nobody_receives_ends", &[2, 3], || {
        if rank() == 0 {
            let text = told(send(&1.0, 1));
            assert!(
                text.contains("rank 1 has ended this cell") && text.contains("`recv` from rank 0"),
                "{text}"
            );
        }
        next_order();
        if rank() == 1 {
            let text = told(recv::<f64>(0));
            assert!(
                text.contains("rank 0 has ended this cell") && text.contains("`send` to rank 1"),
                "{text}"
            );
        }
        next_order();
        // The others wait for rank 0, which waits for rank 1.
        let text = if rank() == 0 { told(send(&1.0, 1)) } else { told(barrier()) };
        assert!(text.contains("send to rank 1 on rank 0") && text.contains("barrier on rank"), "{text}");
        next_order();
        barrier().unwrap();
    });
}

#[test]
fn ranks_that_all_send_at_once_are_told() {
    on_ranks("misuse::ranks_that_all_send_at_once_are_told", &[2, 3, 4], || {
        let error = send(&1.0, (rank() + 1) % ranks()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Ranks);
        let text = error.to_string();
        for from in 0..ranks() {
            let to = (from + 1) % ranks();
            assert!(text.contains(&format!("send to rank {to} on rank {from}")), "{text}");
        }
        next_order();
        let before = (rank() + ranks() - 1) % ranks();
        let text = told(recv::<i8>(before));
        assert!(text.contains(&format!("recv from rank {before} on rank {}", rank())), "{text}");
        next_order();
        barrier().unwrap();
    });
}

#[test]
fn another_thread_has_no_place_in_the_order_of_calls() {
    on_ranks("misuse::another_thread_has_no_place_in_the_order_of_calls", &[2], || {
        let text = std::thread::spawn(|| told(barrier())).join().unwrap();
        assert!(text.contains("another thread than the one that runs the cell"), "{text}");
        barrier().unwrap();
    });
}

#[test]
fn a_copy_of_the_process_is_no_rank() {
    on_ranks("misuse::a_copy_of_the_process_is_no_rank", &[2], || {
        barrier().unwrap();
        // SAFETY: the copy calls what returns before it waits for anything, and ends at once.
        let copy = unsafe { libc::fork() };
        if copy == 0 {
            let is_refused = group::Collective::meet(group::Function::Barrier, &[0; group::POST], false)
                .is_err_and(|error| error.to_string().contains("a copy of a rank's process"));
            // SAFETY: ends the copy.
            unsafe { libc::_exit(if is_refused { 0 } else { 1 }) };
        }
        let mut status = 1;
        // SAFETY: waits for the copy, and writes one number.
        unsafe { libc::waitpid(copy, &raw mut status, 0) };
        assert_eq!(status, 0);
        barrier().unwrap();
    });
}

#[test]
fn a_graph_records_none_of_it() {
    on_ranks("misuse::a_graph_records_none_of_it", &[1, 2], || {
        let a = ones::<f32>(3);
        let graph = Graph::capture(|| {
            assert!(told(all_reduce(&a, Reduce::Sum)).contains("a graph is being captured"));
            assert!(told(barrier()).contains("a graph is being captured"));
            assert!(told(recv::<f32>(1)).contains("a graph is being captured"));
            Ok(())
        });
        drop(graph);
        assert_eq!(all_reduce(&a, Reduce::Sum).unwrap().to_vec(), [ranks() as f32; 3]);
    });
}
