//! Inverse functions of angles in double precision, for vectors: fdlibm's
//! `asin`, `acos` and `atan` with choices in place of branches. At most 1 unit
//! of the last place off.

#![expect(clippy::excessive_precision, reason = "constants with the digits that fdlibm prints")]

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const PI_2_LOW: f64 = 6.123_233_995_736_766_035_87e-17;

/// `asin(x) = x + x R(x^2)` up to a half.
#[inline(always)]
fn ratio(z: f64) -> f64 {
    let p = z
        * (1.666_666_666_666_666_574_15e-1
            + z * (-3.255_658_186_224_009_154_05e-1
                + z * (2.012_125_321_348_629_258_81e-1
                    + z * (-4.005_553_450_067_941_140_27e-2
                        + z * (7.915_349_942_898_145_321_76e-4 + z * 3.479_331_075_960_211_675_70e-5)))));
    let q = 1.0
        + z * (-2.403_394_911_734_414_218_78
            + z * (2.020_945_760_233_505_694_71
                + z * (-6.882_839_716_054_532_930_30e-1 + z * 7.703_815_055_590_193_527_91e-2)));
    p / q
}

/// The root of `z` in two parts: the upper half of its digits and the rest.
#[inline(always)]
fn root_in_parts(z: f64, root: f64) -> (f64, f64) {
    let high = f64::from_bits(root.to_bits() & 0xffff_ffff_0000_0000);
    let low = (z - high * high) / (root + high);
    (high, if z == 0.0 { 0.0 } else { low })
}

#[inline(always)]
pub(crate) fn asin(x: f64) -> f64 {
    let a = x.abs();
    let is_small = a < 0.5;
    let z = if is_small { a * a } else { 0.5 * (1.0 - a) };
    let r = ratio(z);
    let root = z.sqrt();
    let (high, low) = root_in_parts(z, root);
    let p = 2.0 * root * r - (PI_2_LOW - 2.0 * low);
    let large = FRAC_PI_4 - (p - (FRAC_PI_4 - 2.0 * high));
    (if is_small { a + a * r } else { large }).copysign(x)
}

#[inline(always)]
pub(crate) fn acos(x: f64) -> f64 {
    let a = x.abs();
    let is_small = a < 0.5;
    let z = if is_small { a * a } else { 0.5 * (1.0 - a) };
    let r = ratio(z);
    let root = z.sqrt();
    let (high, low) = root_in_parts(z, root);
    let small = FRAC_PI_2 - (x - (PI_2_LOW - x * r));
    let positive = 2.0 * (high + (r * root + low));
    let negative = PI - 2.0 * (root + (r * root - PI_2_LOW));
    let large = if x < 0.0 { negative } else { positive };
    if is_small { small } else { large }
}

#[inline(always)]
pub(crate) fn atan(x: f64) -> f64 {
    let a = x.abs();
    // The angle is that of a point nearby, in two parts, and a small one.
    let (is_first, is_second) = (a < 7.0 / 16.0, a < 11.0 / 16.0);
    let (is_third, is_fourth) = (a < 19.0 / 16.0, a < 39.0 / 16.0);
    #[inline(always)]
    fn choose(is: [bool; 4], values: [f64; 5]) -> f64 {
        let value = if is[3] { values[3] } else { values[4] };
        let value = if is[2] { values[2] } else { value };
        let value = if is[1] { values[1] } else { value };
        if is[0] { values[0] } else { value }
    }
    let is = [is_first, is_second, is_third, is_fourth];
    let above = choose(is, [a, 2.0 * a - 1.0, a - 1.0, a - 1.5, -1.0]);
    let below = choose(is, [1.0, 2.0 + a, a + 1.0, 1.0 + 1.5 * a, a]);
    let high = choose(
        is,
        [0.0, 4.636_476_090_008_060_935_15e-1, FRAC_PI_4, 9.827_937_232_473_290_540_82e-1, FRAC_PI_2],
    );
    let low = choose(
        is,
        [
            0.0,
            2.269_877_745_296_168_709_24e-17,
            3.061_616_997_868_383_017_93e-17,
            1.390_331_103_123_099_845_16e-17,
            PI_2_LOW,
        ],
    );
    let t = above / below;
    let z = t * t;
    let w = z * z;
    let odd = z
        * (3.333_333_333_333_293_180_27e-1
            + w * (1.428_571_427_250_346_637_11e-1
                + w * (9.090_887_133_436_506_561_96e-2
                    + w * (6.661_073_137_387_531_206_69e-2
                        + w * (4.976_877_994_615_932_360_17e-2 + w * 1.628_582_011_536_578_236_23e-2)))));
    let even = w
        * (-1.999_999_999_987_648_324_76e-1
            + w * (-1.111_111_040_546_235_578_80e-1
                + w * (-7.691_876_205_044_829_994_95e-2
                    + w * (-5.833_570_133_790_573_486_45e-2 + w * -3.653_157_274_421_691_552_70e-2))));
    (high - ((t * (odd + even) - low) - t)).copysign(x)
}
