//! Arrays are shown as NumPy shows them: `numpy/displays.txt`, which
//! `numpy/displays.py` writes.

use gpurepl_prelude::*;

fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

/// The array of a NumPy expression, shown.
fn shown(expression: &str) -> String {
    macro_rules! arrays {
        ($($text:literal => $array:expr;)*) => {
            match expression {
                $($text => format!("{:?}", $array),)*
                other => panic!("no array for `{other}`"),
            }
        };
    }
    arrays! {
        "np.arange(3, dtype='i4')" => arange(0..3);
        "np.arange(3)" => arange(0_i64..3);
        "np.array([], dtype='f4')" => zeros::<f32>(0);
        "np.zeros((0, 3))" => zeros::<f64>((0, 3));
        "np.zeros((2, 0, 3), dtype='i1')" => zeros::<i8>((2, 0, 3));
        "np.array(2.5)" => full((), 2.5);
        "np.array(7, dtype='u1')" => full((), 7_u8);
        "np.array([True, False])" => gpu![true, false];
        "np.array([1.5, -2.25, 1000.0])" => gpu![1.5, -2.25, 1000.0];
        "np.array([1.0, 2.0, 3.0])" => gpu![1.0, 2.0, 3.0];
        "np.array([0.1, 0.2, 0.1 + 0.2])" => gpu![0.1, 0.2, 0.1 + 0.2];
        "np.array([0.1, 1/3], dtype='f4')" => gpu![0.1, 1.0 / 3.0].astype(f32);
        "np.array([1e-10, 1.0])" => gpu![1e-10, 1.0];
        "np.array([1e10, 1.0])" => gpu![1e10, 1.0];
        "np.array([1e16, 1.0])" => gpu![1e16, 1.0];
        "np.array([1e-5, 1e5])" => gpu![1e-5, 1e5];
        "np.array([0.001953125, 12.5])" => gpu![0.001953125, 12.5];
        "np.array([0.00001953125])" => gpu![0.00001953125];
        "np.array([np.nan, 1.0, np.inf, -np.inf])" => gpu![f64::NAN, 1.0, f64::INFINITY, f64::NEG_INFINITY];
        "np.array([np.nan])" => gpu![f64::NAN];
        "np.array([-0.0, 0.0])" => gpu![-0.0, 0.0];
        "np.array([1e300, 1e-300])" => gpu![1e300, 1e-300];
        "np.array([1e-38, 3.4028235e38], dtype='f4')" => gpu![1e-38_f32, f32::MAX];
        "np.array([1.0, 0.5, 65504.0], dtype='f2')" => gpu![1.0, 0.5, 65504.0].astype(f16);
        "np.array([1+2j, -0.5-1.25j])" => gpu![c(1.0, 2.0), c(-0.5, -1.25)];
        "np.array([1+2j, np.nan*1j], dtype='c8')" =>
            gpu![Complex32::new(1.0, 2.0), Complex32::new(f32::NAN, f32::NAN)];
        "np.array([1e10+1j, 1e-10j])" => gpu![c(1e10, 1.0), c(0.0, 1e-10)];
        "np.arange(12).reshape(3, 4)" => arange(0_i64..12).reshape((3, 4));
        "np.arange(24, dtype='i2').reshape(2, 3, 4)" => arange(0_i16..24).reshape((2, 3, 4));
        "np.array([-128, 127], dtype='i1')" => gpu![-128_i8, 127];
        "np.array([18446744073709551615, 0], dtype='u8')" => gpu![u64::MAX, 0];
        "np.arange(1000)" => arange(0_i64..1000);
        "np.arange(1001)" => arange(0_i64..1001);
        "np.arange(1001) / 8" => arange(0_i64..1001) / 8;
        "np.arange(10000).reshape(100, 100)" => arange(0_i64..10_000).reshape((100, 100));
        "np.ones((30, 40), dtype='f4')" => ones::<f32>((30, 40));
        "np.zeros((50, 2, 50), dtype='u1')" => zeros::<u8>((50, 2, 50));
        "np.arange(30) * 1000003" => arange(0_i64..30) * 1_000_003;
        "np.linspace(0, 1, 7)" => linspace(0.0, 1.0, 7);
        "np.linspace(0, 1, 30, dtype='f4')" => linspace(0.0_f64, 1.0, 30).astype(f32);
        "np.array([123456.789, 0.5])" => gpu![123456.789, 0.5];
        "np.array([123456789.125, 0.5])" => gpu![123456789.125, 0.5];
        "np.array([99999999.5, 100000000.0])" => gpu![99999999.5, 100000000.0];
        "np.array([0.0001, 0.1])" => gpu![0.0001, 0.1];
        "np.array([0.00001, 0.1])" => gpu![0.00001, 0.1];
        "np.arange(20, dtype='c8').reshape(4, 5) * (1+0.5j)" =>
            arange(0..20).reshape((4, 5)).astype(f32) * Complex32::new(1.0, 0.5);
        "np.arange(5) > 2" => arange(0..5).gt(2);
        "np.zeros((1, 1, 1, 1))" => zeros::<f64>((1, 1, 1, 1));
        "np.arange(2500, dtype='f8').reshape(50, 50) / 3" => arange(0..2500).reshape((50, 50)).astype(f64) / 3;
    }
}

#[test]
fn arrays_look_as_numpy_shows_them() {
    let mut count = 0;
    for block in include_str!("numpy/displays.txt").split(">>> ").skip(1) {
        let (expression, expected) = block.split_once('\n').unwrap();
        assert_eq!(shown(expression), expected.trim_end(), "{expression}");
        count += 1;
    }
    assert!(count > 45);
}

#[test]
fn what_is_printed_is_what_numpy_prints() {
    assert_eq!(arange(0..3).to_string(), "[0 1 2]");
    assert_eq!(gpu![[1.0, 2.5], [3.0, 4.0]].to_string(), "[[1.  2.5]\n [3.  4. ]]");
    assert_eq!(format!("{:.2}", gpu![5.0_f64, 0.0, 100.0] / 3), "[ 1.67  0.00 33.33]");
    assert_eq!(format!("{:.1}", gpu![c(1.25, -2.0)]), "[1.2-2.0j]");
    // One number alone is that number.
    assert_eq!((gpu![5.0_f64] / 3).sum().to_string(), (5.0_f64 / 3.0).to_string());
    assert_eq!(format!("{} {:.3}", full((), 0.1_f32), full((), 2.0_f64)), "0.1 2.000");
    assert_eq!(format!("{} {}", full((), 7_i64), full((), true)), "7 True");
}
