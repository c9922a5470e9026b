//! Every kind of transform beside NumPy's answers: `../numpy_cases.py` has made them.

use gpurepl_prelude::*;

use crate::prepare;

/// The elements of an input, as `values` of the generator makes them.
fn value(k: usize) -> Complex<f64> {
    let (real, imaginary) = ((k as i64 * 37 + 11) % 101 - 50, (k as i64 * 53 + 7) % 97 - 48);
    Complex::new(real as f64 / 16.0, imaginary as f64 / 16.0)
}

struct Case<'a> {
    number: &'a str,
    function: &'a str,
    dtype: &'a str,
    shape: Vec<usize>,
    options: fft::Options,
}

fn list<T: std::str::FromStr>(text: &str) -> Option<Vec<T>> {
    (text != "-").then(|| text.split(',').map(|word| word.parse().ok().unwrap()).collect())
}

fn case(line: &str) -> Case<'_> {
    let words: Vec<&str> = line.split(' ').collect();
    let [number, function, dtype, shape, axes, lengths, norm] = words[..] else { panic!("{line}") };
    let mut options = fft::options();
    if let Some(axes) = list::<isize>(axes) {
        options = options.axes(axes);
    }
    if let Some(lengths) = list::<usize>(lengths) {
        options = options.s(lengths);
    }
    options = match norm {
        "-" => options,
        "backward" => options.norm(fft::Norm::Backward),
        "ortho" => options.norm(fft::Norm::Ortho),
        "forward" => options.norm(fft::Norm::Forward),
        _ => panic!("{line}"),
    };
    Case { number, function, dtype, shape: list(shape).unwrap(), options }
}

/// The answer as complex numbers of 128 bits, and its shape.
type Answer = (Vec<usize>, Vec<Complex<f64>>, DType);

fn widened<T: Elem + Into<f64>>(a: GpuArray<T>) -> Answer {
    let values = a.to_vec().into_iter().map(|x| Complex::new(x.into(), 0.0)).collect();
    (a.shape().to_vec(), values, a.dtype())
}

fn widened_complex<T: Copy + Into<f64>>(a: GpuArray<Complex<T>>) -> Answer
where
    Complex<T>: Elem,
{
    let values = a.to_vec().into_iter().map(|z| Complex::new(z.re.into(), z.im.into())).collect();
    (a.shape().to_vec(), values, a.dtype())
}

macro_rules! transforms {
    ($case:expr, $x:expr, $widen_complex:ident, $widen_real:ident; $($real:ident)?) => {{
        let (case, x) = ($case, $x);
        let options = &case.options;
        match case.function {
            "fft" => $widen_complex(options.fft(x).unwrap()),
            "ifft" => $widen_complex(options.ifft(x).unwrap()),
            "fft2" => $widen_complex(options.fft2(x).unwrap()),
            "ifft2" => $widen_complex(options.ifft2(x).unwrap()),
            "fftn" => $widen_complex(options.fftn(x).unwrap()),
            "ifftn" => $widen_complex(options.ifftn(x).unwrap()),
            "irfft" => $widen_real(options.irfft(x).unwrap()),
            "irfft2" => $widen_real(options.irfft2(x).unwrap()),
            "irfftn" => $widen_real(options.irfftn(x).unwrap()),
            "hfft" => $widen_real(options.hfft(x).unwrap()),
            $(
            "rfft" => $real(options.rfft(x).unwrap()),
            "ihfft" => $real(options.ihfft(x).unwrap()),
            "rfft2" => $real(options.rfft2(x).unwrap()),
            "rfftn" => $real(options.rfftn(x).unwrap()),
            )?
            _ => panic!("{}", case.function),
        }
    }};
}

fn answer(case: &Case<'_>) -> Answer {
    let values: Vec<Complex<f64>> = (0..case.shape.iter().product()).map(value).collect();
    let reals: Vec<f64> = values.iter().map(|z| z.re).collect();
    let x = to_gpu(&reals).reshape(&case.shape[..]);
    let z = to_gpu(&values).reshape(&case.shape[..]);
    match case.dtype {
        "float32" => transforms!(case, &x.astype(f32), widened_complex, widened; widened_complex),
        "float64" => transforms!(case, &x, widened_complex, widened; widened_complex),
        "float16" => transforms!(case, &x.astype(f16), widened_complex, widened; widened_complex),
        "int32" => transforms!(case, &(16.0 * &x).astype(i32), widened_complex, widened; widened_complex),
        "bool" => transforms!(case, &x.gt(0.0), widened_complex, widened; widened_complex),
        "complex64" => transforms!(case, &z.astype(Complex32), widened_complex, widened;),
        "complex128" => transforms!(case, &z, widened_complex, widened;),
        dtype => panic!("{dtype}"),
    }
}

#[test]
fn transforms_give_numpys_answers() {
    prepare();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.npz");
    std::fs::write(&path, include_bytes!("answers.npz")).unwrap();
    let file = io::load_npz(&path).unwrap();
    let cases = include_str!("cases.txt");
    let mut seen = 0;
    for line in cases.lines() {
        let case = case(line);
        let (shape, found, dtype) = answer(&case);
        let expected = file.get_any(&format!("case{}", case.number)).unwrap();
        // NumPy 2 computes float32 in its own precision, as we do; of float16 it does, too.
        assert_eq!((&shape[..], dtype), (expected.shape(), expected.dtype()), "{line}");
        let values: Vec<Complex<f64>> = match expected.dtype() {
            DType::Float32 => widened(expected.typed::<f32>().unwrap()).1,
            DType::Float64 => widened(expected.typed::<f64>().unwrap()).1,
            DType::Complex64 => widened_complex(expected.typed::<Complex<f32>>().unwrap()).1,
            _ => widened_complex(expected.typed::<Complex<f64>>().unwrap()).1,
        };
        let limit = if matches!(dtype, DType::Float32 | DType::Complex64) { 1e-6 } else { 3e-15 };
        let distance = crate::distance(&found, &values);
        assert!(distance < limit, "{line}: {distance:e}\n{found:?}\n{values:?}");
        seen += 1;
    }
    assert!(seen > 300, "{seen}");
}
