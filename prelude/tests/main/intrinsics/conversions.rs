//! Conversions between integers and floating numbers, and their bits.

use super::{Random, check, rows, same, same_f32, same_f64};

/// A whole number for a floating one, as a GPU converts it: the nearest that
/// the type has, and for a NaN what the PTX ISA says of `cvt`.
macro_rules! to_integers {
    ($float:ident, $c:literal, $short:literal: $($int:ident, $int_c:literal, $name:literal, $not_a_number:expr;)*) => {
        #[test]
        fn $float() {
            let two = |power: i32| $float::from(2_u8).powi(power);
            let values = [
                0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-30, -1e-30, two(31) - 128.0, two(31), -two(31), -two(31) - 256.0,
                two(32) - 256.0, two(32), two(63), -two(63), two(63) * 1.25, two(63).next_down(), two(64),
                two(64).next_down(), 1e30, -1e30, $float::INFINITY, $float::NEG_INFINITY, $float::NAN, $float::MAX,
                $float::MIN_POSITIVE, $float::from_bits(1), (0.5 as $float).next_down(),
            ];
            let mut random = Random(4);
            let rows = rows(&values, || {
                let power = random.between(-4.0, 66.0);
                (2.0_f64.powf(power) * if random.next() % 2 == 0 { 1.0 } else { -1.0 }) as $float
            });
            $({
                fn converted(x: $float, round: fn($float) -> $float) -> $int {
                    if x.is_nan() { $not_a_number } else { round(x) as $int }
                }
                check::<$float, $int>(
                    ($c, $int_c),
                    &rows,
                    &[
                        (concat!("__", $short, "2", $name, "_rn(x)"), |x, _, _| converted(x, $float::round_ties_even)),
                        (concat!("__", $short, "2", $name, "_rz(x)"), |x, _, _| converted(x, $float::trunc)),
                        (concat!("__", $short, "2", $name, "_ru(x)"), |x, _, _| converted(x, $float::ceil)),
                        (concat!("__", $short, "2", $name, "_rd(x)"), |x, _, _| converted(x, $float::floor)),
                    ],
                    same,
                );
            })*
        }
    };
}

to_integers! {
    f32, "float", "float":
        i32, "int", "int", 0;
        u32, "unsigned int", "uint", 0;
        i64, "long long", "ll", i64::MIN;
        u64, "unsigned long long", "ull", 1 << 63;
}

to_integers! {
    f64, "double", "double":
        i32, "int", "int", i32::MIN;
        u32, "unsigned int", "uint", 1 << 31;
        i64, "long long", "ll", i64::MIN;
        u64, "unsigned long long", "ull", 1 << 63;
}

/// The neighbour of the nearest float that lies on the wanted side.
macro_rules! directed {
    ($($name:ident, $float:ident;)*) => {$(
        fn $name(exact: i128, is_wanted: fn(i128, i128) -> bool, next: fn($float) -> $float) -> $float {
            let near = exact as $float;
            if is_wanted(near as i128, exact) { near } else { next(near) }
        }
    )*};
}

directed! { directed_f32, f32; directed_f64, f64; }

fn down(a: i128, b: i128) -> bool {
    a <= b
}

fn up(a: i128, b: i128) -> bool {
    a >= b
}

fn inwards(a: i128, b: i128) -> bool {
    a.abs() <= b.abs()
}

fn inner_f32(x: f32) -> f32 {
    if x > 0.0 { x.next_down() } else { x.next_up() }
}

fn inner_f64(x: f64) -> f64 {
    if x > 0.0 { x.next_down() } else { x.next_up() }
}

#[test]
fn from_integers() {
    let values = [
        0,
        1,
        -1,
        i64::MIN,
        i64::MAX,
        0xff_ffff,
        0x1ff_ffff,
        -0x1ff_ffff,
        0x7fff_ffff,
        1 << 62,
        (1 << 53) + 1,
    ];
    let mut random = Random(5);
    let rows = rows(&values, || random.next().cast_signed() >> (random.next() % 64));
    check::<i64, f32>(
        ("long long", "float"),
        &rows,
        &[
            ("__ll2float_rn(x)", |x, _, _| x as f32),
            ("__ll2float_rz(x)", |x, _, _| directed_f32(x.into(), inwards, inner_f32)),
            ("__ll2float_ru(x)", |x, _, _| directed_f32(x.into(), up, f32::next_up)),
            ("__ll2float_rd(x)", |x, _, _| directed_f32(x.into(), down, f32::next_down)),
            ("__ull2float_rn(x)", |x, _, _| x.cast_unsigned() as f32),
            ("__ull2float_rz(x)", |x, _, _| directed_f32(x.cast_unsigned().into(), inwards, inner_f32)),
            ("__ull2float_ru(x)", |x, _, _| directed_f32(x.cast_unsigned().into(), up, f32::next_up)),
            ("__ull2float_rd(x)", |x, _, _| directed_f32(x.cast_unsigned().into(), down, f32::next_down)),
            ("__int2float_rn((int)x)", |x, _, _| x as i32 as f32),
            ("__int2float_rz((int)x)", |x, _, _| directed_f32((x as i32).into(), inwards, inner_f32)),
            ("__int2float_ru((int)x)", |x, _, _| directed_f32((x as i32).into(), up, f32::next_up)),
            ("__int2float_rd((int)x)", |x, _, _| directed_f32((x as i32).into(), down, f32::next_down)),
            ("__uint2float_rn((unsigned int)x)", |x, _, _| x as u32 as f32),
            ("__uint2float_rz((unsigned int)x)", |x, _, _| {
                directed_f32((x as u32).into(), inwards, inner_f32)
            }),
            ("__uint2float_ru((unsigned int)x)", |x, _, _| directed_f32((x as u32).into(), up, f32::next_up)),
            ("__uint2float_rd((unsigned int)x)", |x, _, _| {
                directed_f32((x as u32).into(), down, f32::next_down)
            }),
        ],
        same_f32,
    );
    check::<i64, f64>(
        ("long long", "double"),
        &rows,
        &[
            ("__ll2double_rn(x)", |x, _, _| x as f64),
            ("__ll2double_rz(x)", |x, _, _| directed_f64(x.into(), inwards, inner_f64)),
            ("__ll2double_ru(x)", |x, _, _| directed_f64(x.into(), up, f64::next_up)),
            ("__ll2double_rd(x)", |x, _, _| directed_f64(x.into(), down, f64::next_down)),
            ("__ull2double_rn(x)", |x, _, _| x.cast_unsigned() as f64),
            ("__ull2double_rz(x)", |x, _, _| directed_f64(x.cast_unsigned().into(), inwards, inner_f64)),
            ("__ull2double_ru(x)", |x, _, _| directed_f64(x.cast_unsigned().into(), up, f64::next_up)),
            ("__ull2double_rd(x)", |x, _, _| directed_f64(x.cast_unsigned().into(), down, f64::next_down)),
            ("__int2double_rn((int)x)", |x, _, _| (x as i32).into()),
            ("__uint2double_rn((unsigned int)x)", |x, _, _| (x as u32).into()),
            ("__longlong_as_double(x)", |x, _, _| f64::from_bits(x.cast_unsigned())),
            ("__hiloint2double((int)y, (int)x)", |x, y, _| {
                f64::from_bits(u64::from(y as u32) << 32 | u64::from(x as u32))
            }),
        ],
        same_f64,
    );
}

#[test]
fn bits_of_numbers() {
    let values = [0.0, -0.0, 1.0, -1.5, f64::INFINITY, 5e-324, f64::MAX, 1e-310, 3.3];
    let mut random = Random(6);
    let rows = rows(&values, || random.between(-1e5, 1e5));
    check::<f64, i64>(
        ("double", "long long"),
        &rows,
        &[
            ("__double_as_longlong(x)", |x, _, _| x.to_bits().cast_signed()),
            ("__double2hiint(x)", |x, _, _| ((x.to_bits() >> 32) as i32).into()),
            ("__double2loint(x)", |x, _, _| (x.to_bits() as i32).into()),
            ("__float_as_int((float)x)", |x, _, _| (x as f32).to_bits().cast_signed().into()),
            ("__float_as_uint((float)x)", |x, _, _| (x as f32).to_bits().into()),
            ("__int_as_float(__float_as_int((float)x)) == (float)x", |_, _, _| 1),
            ("__uint_as_float(__float_as_uint((float)x)) == (float)x", |_, _, _| 1),
            ("__double2float_rn(x) == (float)x", |_, _, _| 1),
        ],
        same,
    );
}
