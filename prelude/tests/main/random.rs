//! Random numbers: the same for a seed on every device, and random.

use std::sync::Mutex;

use gpurepl_prelude::*;

/// The seed is the process's, and these tests set it.
static SEED: Mutex<()> = Mutex::new(());

#[test]
fn known_numbers() {
    let _guard = SEED.lock();
    seed(42);
    let words = rand::<u32>(6).to_vec();
    seed(42);
    assert_eq!(rand::<u32>(6).to_vec(), words);
    // Written down on the host; every device gives the same.
    assert_eq!(words, KNOWN);
    // Floats come from the same words.
    seed(42);
    let floats: Vec<f32> = KNOWN.iter().map(|word| (word >> 8) as f32 / 16_777_216.0).collect();
    assert_eq!(rand::<f32>(6).to_vec(), floats);
    assert_ne!(rand::<f32>(6).to_vec(), floats);
}

const KNOWN: [u32; 6] = [43_202_409, 542_238_995, 996_716_600, 3_056_353_436, 553_619_769, 4_258_405_780];

#[test]
fn a_number_does_not_depend_on_how_many_there_are() {
    let _guard = SEED.lock();
    seed(7);
    let many = randn::<f64>(100_003).to_vec();
    seed(7);
    let few = randn::<f64>((3, 5)).to_vec();
    for (few, many) in few.iter().zip(&many) {
        assert!((few - many).abs() <= 1e-12 * many.abs(), "{few} {many}");
    }
}

#[test]
fn moments() {
    let n = 1_000_000;
    let _guard = SEED.lock();
    seed(1);
    for (mean, variance, a) in [
        (0.5, 1.0 / 12.0, rand::<f64>(n)),
        (0.0, 1.0, randn::<f64>(n)),
        (0.0, 1.0, randn::<f32>(n).astype(f64)),
    ] {
        let m = a.mean().item();
        let centred = &a - m;
        let v = (&centred * &centred).mean().item();
        // Six standard errors of a mean and of a variance at most.
        assert!((m - mean).abs() < 6.0 * (variance / n as f64).sqrt(), "{m}");
        assert!((v - variance).abs() < 6.0 * variance * (2.0 / n as f64).sqrt(), "{v}");
        // Neighbours have nothing to do with each other.
        let correlation = (centred.slice(1..) * centred.slice(..-1)).mean().item() / v;
        assert!(correlation.abs() < 6.0 / (n as f64).sqrt(), "{correlation}");
    }
    let bits = rand::<u64>(n);
    let ones: u64 = bits.to_vec().iter().map(|word| u64::from(word.count_ones())).sum();
    assert!((ones as f64 / n as f64 - 32.0).abs() < 0.03, "{ones}");
    let unit = rand::<f32>(n);
    assert!(unit.min().item() >= 0.0 && unit.max().item() < 1.0);
}
