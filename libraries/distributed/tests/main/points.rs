//! From one rank to another.

use gpurepl_prelude::distributed::*;
use gpurepl_prelude::*;

use crate::elements::*;
use crate::{on_ranks, told};

#[test]
fn arrays_of_every_type_go_from_rank_to_rank() {
    fn check<T: Number>() {
        for count in [0, 1, 3, 200_003] {
            let next = (rank() + 1) % ranks();
            let before = (rank() + ranks() - 1) % ranks();
            let mine = to_gpu(elements::<T>(rank(), count));
            // Around a ring, in which the first one receives before it sends.
            let got = if rank() == 0 {
                let got = recv::<T>(before).unwrap();
                send(&mine, next).unwrap();
                got
            } else {
                send(&mine, next).unwrap();
                recv::<T>(before).unwrap()
            };
            assert_same(&got.to_vec(), &elements::<T>(before, count));
        }
    }
    on_ranks("points::arrays_of_every_type_go_from_rank_to_rank", &[2, 3, 4], || of_each_type!(check));
}

#[test]
fn the_shape_goes_with_them() {
    on_ranks("points::the_shape_goes_with_them", &[2], || {
        let a: GpuArray<i16> = arange(0..24).reshape((2, 3, 4));
        if rank() == 0 {
            send(&a.slice(s![.., ..;-1, 1..3]), 1).unwrap();
            send(&2.5, 1).unwrap();
            send(&vec![1_u8, 2], 1).unwrap();
            send(&zeros::<f32>((0, 5)), 1).unwrap();
        } else {
            assert!(array_equal(recv::<i16>(0).unwrap(), a.slice(s![.., ..;-1, 1..3])));
            let number = recv::<f64>(0).unwrap();
            assert_eq!((number.shape(), number.item()), (&[][..], 2.5));
            assert_eq!(recv::<u8>(0).unwrap().to_vec(), [1, 2]);
            assert_eq!(recv::<f32>(0).unwrap().shape(), [0, 5]);
        }
    });
}

#[test]
fn others_meet_meanwhile_or_wait_for_it() {
    on_ranks("points::others_meet_meanwhile_or_wait_for_it", &[4], || {
        for turn in 0..50 {
            // The pairs are others each time, and ranks that have none are in the barrier already.
            let (a, b) = (turn % 4, (turn + 1 + turn / 4 % 3) % 4);
            if rank() == a {
                send(&(turn as i32), b).unwrap();
            } else if rank() == b {
                assert_eq!(recv::<i32>(a).unwrap().item(), turn as i32);
            }
            if turn % 3 == 0 {
                barrier().unwrap();
            }
        }
    });
}

#[test]
fn what_is_expected_must_be_what_is_sent() {
    on_ranks("points::what_is_expected_must_be_what_is_sent", &[2], || {
        let text = if rank() == 0 { told(send(&[1.5_f64], 1)) } else { told(recv::<f32>(0)) };
        let function = if rank() == 0 { "send" } else { "recv" };
        assert_eq!(
            text,
            format!(
                "{function}: rank 0 sends float64, rank 1 receives float32; write `recv::<f64>(0)` there"
            )
        );
        // Both know it, and go on.
        assert_eq!(all_gather(&1).unwrap().size(), 2);
    });
}

#[test]
fn no_rank_sends_to_itself_or_to_nobody() {
    on_ranks("points::no_rank_sends_to_itself_or_to_nobody", &[1, 2], || {
        assert!(told(send(&1.0, rank())).contains("which is this rank"));
        assert!(told(recv::<f64>(rank())).contains("which is this rank"));
        let text = told(send(&1.0, 7));
        let expected = match ranks() {
            1 => "send: it goes to rank 7, and there is rank 0 alone; start more with `gpurepl --workers 8`",
            _ => "send: it goes to rank 7, and there are 2 ranks; they are 0 to 1",
        };
        assert_eq!(text, expected);
        barrier().unwrap();
    });
}
