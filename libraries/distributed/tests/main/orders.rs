//! What an order leaves behind.

use gpurepl_prelude::distributed::*;
use gpurepl_prelude::extend::group::{Collective, Function, POST, Post, Unit};
use gpurepl_prelude::*;

use crate::{next_order, on_ranks, told};

#[test]
fn many_orders_follow_each_other() {
    on_ranks("orders::many_orders_follow_each_other", &[3], || {
        for order in 0..40_u64 {
            let sum = all_reduce(&to_gpu(vec![order + rank() as u64; 10]), Reduce::Sum).unwrap();
            assert_eq!(sum.to_vec(), [3 * order + 3; 10]);
            if order % 4 == 1 {
                next_order();
            }
        }
    });
}

fn post(function: Function) -> Post {
    let mut post = [0; POST];
    post[0] = function.number();
    post
}

#[test]
fn a_rank_that_fails_in_the_middle_fails_for_all_and_the_next_order_is_clean() {
    let name = "orders::a_rank_that_fails_in_the_middle_fails_for_all_and_the_next_order_is_clean";
    on_ranks(name, &[2, 3], || {
        let post = post(Function::AllGather);
        for failing in 0..ranks() {
            let mut collective = Collective::meet(Function::AllGather, &post, true).unwrap();
            collective.write(Unit::First, None, &[7; 64]);
            collective.step().unwrap();
            if rank() == failing {
                // It could not do its part.
                drop(collective);
            } else {
                let error = collective.step().unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Ranks);
                assert!(error.to_string().contains("failed in all_gather"), "{error}");
            }
            assert!(told(barrier()).contains("in all_gather before"));
            next_order();
            let all = all_gather(&[rank() as u8; 9]).unwrap();
            assert_eq!(all.to_vec(), (0..ranks()).flat_map(|rank| [rank as u8; 9]).collect::<Vec<_>>());
        }
    });
}

#[test]
fn a_step_that_all_rely_on_is_taken_by_all() {
    on_ranks("orders::a_step_that_all_rely_on_is_taken_by_all", &[3], || {
        let mut collective = Collective::meet(Function::Barrier, &post(Function::Barrier), false).unwrap();
        collective.commit().unwrap();
        collective.finish();
        next_order();
        let mut collective = Collective::meet(Function::Barrier, &post(Function::Barrier), false).unwrap();
        if rank() == 1 {
            drop(collective);
        } else {
            assert!(told(collective.commit()).contains("failed in barrier"));
        }
        next_order();
        barrier().unwrap();
    });
}
