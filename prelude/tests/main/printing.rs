//! Arrays with printing options, beside NumPy's texts: `numpy/printing.txt`, which
//! `numpy/printing.py` writes. The options are the process's: one test changes
//! them, and the others give theirs to one array.

use array::{FloatMode, PrintOptions, Sign};
use gpurepl_prelude::*;

fn changed(options: PrintOptions, name: &str, value: &str) -> PrintOptions {
    match name {
        "precision" => options.precision(value.parse().unwrap()),
        "suppress" => options.suppress(value == "True"),
        "floatmode" => options.floatmode(match value {
            "fixed" => FloatMode::Fixed,
            "unique" => FloatMode::Unique,
            "maxprec" => FloatMode::MaxPrec,
            "maxprec_equal" => FloatMode::MaxPrecEqual,
            _ => panic!("{value}"),
        }),
        "sign" => options.sign(match value {
            "+" => Sign::Plus,
            " " => Sign::Space,
            "-" => Sign::Minus,
            _ => panic!("{value}"),
        }),
        "nanstr" => options.nanstr(value),
        "infstr" => options.infstr(value),
        "linewidth" => options.linewidth(value.parse().unwrap()),
        "threshold" => options.threshold(value.parse().unwrap()),
        "edgeitems" => options.edgeitems(value.parse().unwrap()),
        _ => panic!("{name}"),
    }
}

/// The text of an array of complex numbers, which are converted to its type.
fn written(kind: &str, dtype: &str, shape: &[usize], options: &str, numbers: &[Complex64]) -> String {
    let change = |mut all: PrintOptions| {
        for (name, value) in options.split(';').filter_map(|option| option.split_once('=')) {
            all = changed(all, name, value);
        }
        all
    };
    fn text<T: Elem>(
        kind: &str,
        a: GpuArray<T>,
        change: impl FnOnce(PrintOptions) -> PrintOptions,
    ) -> String {
        if kind == "repr" { a.array_repr(change) } else { a.array2string(change) }
    }
    let whole = to_gpu(numbers).reshape(shape);
    let reals = to_gpu(numbers.iter().map(|number| number.re).collect::<Vec<_>>()).reshape(shape);
    match dtype {
        "f2" => text(kind, reals.astype(f16), change),
        "f4" => text(kind, reals.astype(f32), change),
        "f8" => text(kind, reals, change),
        "c8" => text(kind, whole.astype(Complex32), change),
        "c16" => text(kind, whole, change),
        "i1" => text(kind, reals.astype(i8), change),
        "i8" => text(kind, reals.astype(i64), change),
        "u1" => text(kind, reals.astype(u8), change),
        "?" => text(kind, reals.astype(bool), change),
        _ => panic!("{dtype}"),
    }
}

fn number(text: &str) -> Complex64 {
    let (re, im) = text.split_once(',').unwrap_or((text, "0"));
    Complex64::new(re.parse().unwrap(), im.parse().unwrap())
}

#[test]
fn options_write_what_numpy_writes() {
    let (mut count, mut wrong) = (0, Vec::new());
    for block in include_str!("numpy/printing.txt").split(">>> ").skip(1) {
        let (line, expected) = block.split_once('\n').unwrap();
        let expected = expected.strip_suffix("\n\n").or(expected.strip_suffix('\n')).unwrap();
        let [kind, dtype, shape, options, elements] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let shape: Vec<usize> =
            shape.split(',').filter(|part| !part.is_empty()).map(|part| part.parse().unwrap()).collect();
        let numbers: Vec<Complex64> = match elements.strip_prefix('/') {
            Some(by) => {
                let by: f64 = by.parse().unwrap();
                (0..shape.iter().product()).map(|k| Complex64::new(k as f64 / by, 0.0)).collect()
            }
            None => elements.split_whitespace().map(number).collect(),
        };
        let shown = written(kind, dtype, &shape, options, &numbers);
        if shown != expected {
            wrong.push(format!("{line}\nNumPy {expected:?}\nhere  {shown:?}\n"));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 300);
}
