//! Ranks that wait for as long as they may.

use std::time::Duration;

use gpurepl_prelude::distributed::*;
use gpurepl_prelude::extend::interrupt;
use gpurepl_prelude::*;

use crate::{next_order, on_ranks, tell, told, wait_for};

#[test]
fn who_has_not_come_is_named_when_the_time_is_over() {
    on_ranks("waits::who_has_not_come_is_named_when_the_time_is_over", &[2, 3], || {
        assert_eq!(timeout(), Duration::from_secs(600));
        let last = ranks() - 1;
        if rank() == last {
            // It comes when the others have certainly gone.
            (0..last).for_each(|rank| wait_for(&format!("gone-{rank}")));
            let text = told(barrier());
            assert!(text.contains("given up waiting in barrier"), "{text}");
        } else {
            set_timeout(Duration::from_millis(30));
            let error = barrier().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Ranks);
            let text = error.to_string();
            // Another one's time may be over first, and it may not have come either.
            let is_own = text.starts_with("barrier: rank")
                && text.contains(&format!("{last} ha"))
                && text.contains("not come within 30ms; call it on all ranks");
            assert!(is_own || text.contains("given up waiting in barrier"), "{text}");
            assert!(told(barrier()).contains("in barrier before"));
            tell(&format!("gone-{}", rank()));
        }
        next_order();
        set_timeout(Duration::from_secs(600));
        barrier().unwrap();
    });
}

#[test]
fn who_sends_does_not_wait_for_ever() {
    on_ranks("waits::who_sends_does_not_wait_for_ever", &[2], || {
        if rank() == 0 {
            set_timeout(Duration::ZERO);
            let text = told(send(&1.0, 1));
            assert!(text.starts_with("send: rank 1 has not come within 0ns"), "{text}");
            tell("gone");
        } else {
            wait_for("gone");
            let text = told(recv::<f64>(0));
            assert!(text.contains("rank 0 has given up waiting in send"), "{text}");
        }
    });
}

#[test]
fn an_interrupt_ends_a_wait() {
    on_ranks("waits::an_interrupt_ends_a_wait", &[2, 3], || {
        if rank() == 0 {
            let interrupts = std::thread::spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                interrupt::set();
            });
            assert_eq!(barrier().unwrap_err().kind(), ErrorKind::Interrupted);
            interrupts.join().unwrap();
            interrupt::clear();
            tell("interrupted");
        } else {
            wait_for("interrupted");
            // An interrupt is for all ranks: where it has come to one first, the others end with it.
            let kind = all_reduce(&1.0, Reduce::Sum).unwrap_err().kind();
            assert!(matches!(kind, ErrorKind::Interrupted | ErrorKind::Ranks), "{kind:?}");
        }
        next_order();
        assert_eq!(all_reduce(&1, Reduce::Sum).unwrap(), ranks() as i32);
    });
}

#[test]
fn an_interrupt_before_a_call_ends_it_at_once() {
    on_ranks("waits::an_interrupt_before_a_call_ends_it_at_once", &[2], || {
        interrupt::set();
        assert_eq!(barrier().unwrap_err().kind(), ErrorKind::Interrupted);
        interrupt::clear();
        barrier().unwrap();
    });
}
