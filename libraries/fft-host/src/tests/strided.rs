//! Inputs whose elements do not lie one after another.

use super::kinds::halved;
use super::*;

/// An array in a larger one: its shape, its strides, and its first element's place.
type Layout = (&'static [usize], &'static [isize], usize);

const LAYOUTS: &[Layout] = &[
    (&[6, 10], &[-10, 1], 50),
    (&[6, 10], &[10, -1], 9),
    (&[6, 10], &[-1, -6], 59),
    (&[6, 10], &[1, 6], 0),
    (&[6, 10], &[1, -6], 54),
    (&[6, 10], &[0, 3], 2),
    (&[6, 10], &[1, 0], 0),
    (&[6, 10], &[0, 0], 4),
    (&[6, 10], &[40, 2], 3),
    (&[3, 4, 5], &[1, 3, 12], 0),
    (&[3, 4, 5], &[5, 15, 1], 0),
    (&[3, 4, 5], &[-1, 15, 3], 2),
    (&[3, 1, 5], &[5, 77, 1], 0),
    (&[1], &[-9], 3),
    // With many tasks, by squares and by their edges.
    (&[130, 131], &[1, 130], 0),
    (&[130, 131], &[1, 140], 7),
    (&[130, 131], &[-1, -130], 17029),
    (&[130, 131], &[2, 260], 0),
    (&[26, 5, 131], &[1, 26, 130], 0),
];

#[test]
fn strides_may_be_any() {
    for &(shape, strides, first) in LAYOUTS {
        let reach = |(length, stride): (&usize, &isize)| (*length as isize - 1) * stride.max(&0);
        let count = first + shape.iter().zip(strides).map(reach).sum::<isize>() as usize + 1;
        let held = noise(count, 3);
        for axes in [vec![0], vec![shape.len() - 1], (0..shape.len()).collect::<Vec<_>>()] {
            let mut known = axes.clone();
            known.dedup();
            for dtype in [C32, C128, F32] {
                let own = Host {
                    first,
                    shape: shape.to_vec(),
                    strides: strides.to_vec(),
                    ..Host::of(dtype, &[count], &held)
                };
                let (values, last) = (own.values(), axes[axes.len() - 1]);
                let all = by_definition(&values, shape, &axes, -1.0);
                let (expected, to) =
                    if dtype == F32 { halved(&all, shape, last) } else { (all, shape.to_vec()) };
                let mut arrays = [own, Host::zeros(dtype.max(C32), &to)];
                call(&mut arrays, &numbers(false, 1.0, &known)).unwrap();
                let far = distance(&arrays[1].values(), &expected);
                assert!(
                    far <= tolerance(dtype, values.len()),
                    "{shape:?} {strides:?} {axes:?} {dtype}: {far:e}"
                );
            }
        }
    }
}

#[test]
fn complex_to_real_reads_strides_too() {
    let (shape, half) = ([12, 9], [12, 5]);
    let values: Vec<C64> = noise(108, 4).iter().map(|value| value.re.into()).collect();
    let (spectrum, _) = halved(&by_definition(&values, &shape, &[0, 1], -1.0), &shape, 1);
    // Transposed, and every other element.
    let mut held = vec![C64::default(); 120];
    spectrum.iter().enumerate().for_each(|(index, value)| held[2 * (index / 5 + index % 5 * 12)] = *value);
    let input = Host { shape: half.to_vec(), strides: vec![2, 24], ..Host::of(C128, &[120], &held) };
    let mut arrays = [input, Host::zeros(F64, &shape)];
    call(&mut arrays, &numbers(true, 1.0 / 108.0, &[0, 1])).unwrap();
    assert!(distance(&arrays[1].values(), &values) < 1e-14);
}
