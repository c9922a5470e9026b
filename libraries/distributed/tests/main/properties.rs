//! What holds for arrays of any shape: all ranks think of the same ones.

use gpurepl_prelude::distributed::scatter;
use gpurepl_prelude::distributed::*;
use gpurepl_prelude::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::on_ranks;

fn cases() -> impl Strategy<Value = (Vec<usize>, usize, u64)> {
    (prop::collection::vec(0..7_usize, 1..4), 0..4_usize, any::<u64>())
}

#[test]
fn what_is_divided_and_joined_is_what_it_was() {
    on_ranks("properties::what_is_divided_and_joined_is_what_it_was", &[1, 3, 4], || {
        // Without a file of failures, which the ranks would share.
        let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
        let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let checked = TestRunner::new_with_rng(config, random).run(&cases(), |(shape, root, number)| {
            let root = root % ranks();
            let rows = shape[0];
            let whole = default_rng(number).random::<f64>(&shape);
            let part = scatter(Some(&whole), root).unwrap();
            prop_assert!(array_equal(all_gather(&part).unwrap(), &whole));
            let back = gather(&part, root).unwrap();
            prop_assert_eq!(back.is_some(), rank() == root);
            prop_assert!(back.is_none_or(|back| array_equal(&back, &whole)));
            // Twice to all and back, where all parts have one length.
            let square = default_rng(number ^ rank() as u64).random::<f64>((ranks() * rows, 2));
            let there = all_to_all(&square).unwrap();
            prop_assert!(array_equal(all_to_all(&there).unwrap(), &square));
            // The parts of a sum are the sum's parts.
            let parts = all_gather(&reduce_scatter(&square, Reduce::Sum).unwrap()).unwrap();
            prop_assert!(array_equal(&parts, all_reduce(&square, Reduce::Sum).unwrap()));
            prop_assert!(array_equal(broadcast(&whole, root).unwrap(), &whole));
            Ok(())
        });
        checked.unwrap();
    });
}
