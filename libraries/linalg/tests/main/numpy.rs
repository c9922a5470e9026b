//! Every function beside NumPy's answers: `../numpy_cases.py` has made them.

use gpurepl_prelude::*;

use crate::prepare;

/// The generator's `values`.
fn values(count: usize, start: u64) -> Vec<f64> {
    let mut state = start;
    (0..count)
        .map(|_| {
            state = (state * 1_103_515_245 + 12_345) % (1 << 31);
            ((state >> 16) % 257) as f64 / 128.0 - 1.0
        })
        .collect()
}

/// An array of complex numbers, whatever it was of.
struct Answer {
    shape: Vec<usize>,
    values: Vec<Complex<f64>>,
}

trait Widen {
    fn widen(self) -> Answer;
}

macro_rules! widen {
    ($($t:ty, $x:ident => $value:expr;)*) => {$(
        impl Widen for GpuArray<$t> {
            fn widen(self) -> Answer {
                let values = self.to_vec().into_iter().map(|$x| $value).collect();
                Answer { shape: self.shape().to_vec(), values }
            }
        }
    )*};
}
widen! {
    f32, x => Complex::new(f64::from(x), 0.0);
    f64, x => Complex::new(x, 0.0);
    i64, x => Complex::new(x as f64, 0.0);
    Complex<f32>, x => Complex::new(f64::from(x.re), f64::from(x.im));
    Complex<f64>, x => x;
}

/// Eigenvalues have no order of their own.
fn sorted(answer: Answer) -> Answer {
    let n = answer.shape.last().copied().unwrap_or(1);
    let mut values = answer.values;
    for row in values.chunks_mut(n) {
        // Parts that are the same but for rounding are in the order of the others.
        let rounded = |x: f64| (x * 1e4).round();
        row.sort_by(|a, b| {
            (rounded(a.re), a.im).partial_cmp(&(rounded(b.re), b.im)).expect("finite eigenvalues")
        });
    }
    Answer { values, ..answer }
}

/// Whether the function is one of stacks of matrices of one type.
macro_rules! answer {
    ($function:expr, $a:expr, $b:expr, $t:ty) => {{
        let (a, b) = ($a, $b);
        let adjoint = a.swapaxes(-1, -2).conj();
        let n = a.shape()[a.ndim() - 1];
        match $function {
            "inv" => linalg::inv(&a).unwrap().widen(),
            "det" => linalg::det(&a).unwrap().widen(),
            "slogdet" => {
                let (sign, log) = linalg::slogdet(&a).unwrap();
                let (sign, log) = (sign.widen(), log.widen());
                if <$t>::DTYPE.is_complex() {
                    let values = sign.values.into_iter().chain(log.values).collect();
                    Answer { shape: [&[2], &log.shape[..]].concat(), values }
                } else {
                    let both =
                        sign.values.iter().zip(&log.values).map(|(sign, log)| Complex::new(sign.re, log.re));
                    Answer { values: both.collect(), shape: sign.shape }
                }
            }
            "cholesky" => {
                let positive = adjoint.matmul(&a) + eye::<$t>(n) * n as f32;
                linalg::cholesky(&positive).unwrap().widen()
            }
            "eigvalsh" => linalg::eigvalsh(&(&a + adjoint)).unwrap().widen(),
            "eigh" => {
                let hermitian = &a + adjoint;
                let (values, vectors) = linalg::eigh(&hermitian).unwrap();
                let rest = hermitian.matmul(&vectors) - &vectors * values.expand_dims(-2);
                assert!(rest.abs().max().item() < 1e-5, "eigh: {:?}", rest.abs().max());
                values.widen()
            }
            "eigvals" => sorted(linalg::eigvals(&a).unwrap().widen()),
            "expm" => linalg::expm(&a).unwrap().widen(),
            "matrix_power" => linalg::matrix_power(&a, -3).unwrap().widen(),
            "svdvals" => linalg::svdvals(&a).unwrap().widen(),
            "pinv" => linalg::pinv(&a).unwrap().widen(),
            "matrix_rank" => linalg::matrix_rank(&a).unwrap().widen(),
            "cond" => linalg::cond(&a).unwrap().widen(),
            "qr" => {
                let (q, r) = linalg::qr(&a).unwrap();
                let rest = q.matmul(&r) - &a;
                assert!(rest.abs().max().item() < 1e-5);
                let alone = linalg::qr_r(&a).unwrap();
                assert!((alone - &r).abs().max().item() < 1e-5);
                r.widen()
            }
            "norm_1" => linalg::matrix_norm(&a, 1).unwrap().widen(),
            "norm_2" => linalg::matrix_norm(&a, 2).unwrap().widen(),
            "norm_-2" => linalg::matrix_norm(&a, -2).unwrap().widen(),
            "norm_inf" => linalg::matrix_norm(&a, f64::INFINITY).unwrap().widen(),
            "norm_fro" => linalg::matrix_norm(&a, linalg::Order::Fro).unwrap().widen(),
            "norm_nuc" => linalg::matrix_norm(&a, linalg::Order::Nuc).unwrap().widen(),
            "solve" => linalg::solve(&a, &b).unwrap().widen(),
            "lstsq" => linalg::lstsq(&a, &b).unwrap().x.widen(),
            vector => {
                let order: f64 =
                    vector.strip_prefix("vector_").unwrap_or_else(|| panic!("{vector}")).parse().unwrap();
                linalg::vector_norm(&a, order, 1).unwrap().widen()
            }
        }
    }};
}

/// What integers and `f16` are computed as.
macro_rules! answer_of_real {
    ($function:expr, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        match $function {
            "inv" => linalg::inv(&a).unwrap().widen(),
            "det" => linalg::det(&a).unwrap().widen(),
            "svdvals" => linalg::svdvals(&a).unwrap().widen(),
            "eigvalsh" => linalg::eigvalsh(&(&a + a.swapaxes(-1, -2))).unwrap().widen(),
            "solve" => linalg::solve(&a, &b).unwrap().widen(),
            "lstsq" => linalg::lstsq(&a, &b).unwrap().x.widen(),
            function => panic!("{function}"),
        }
    }};
}

fn answer(function: &str, dtype: &str, shape: &[usize], of_b: &[usize]) -> Answer {
    let real = |shape: &[usize], start| to_gpu(&values(shape.iter().product(), start)).reshape(shape);
    let complex = |shape: &[usize], start: u64| {
        let count = shape.iter().product();
        let parts = values(count, start).into_iter().zip(values(count, start + 1000));
        to_gpu(&parts.map(|(re, im)| Complex::new(re, im)).collect::<Vec<_>>()).reshape(shape)
    };
    let (a, b) = (real(shape, 1), real(of_b, 77));
    match dtype {
        "float32" => answer!(function, a.astype(f32), b.astype(f32), f32),
        "float64" => answer!(function, a, b, f64),
        "complex64" => {
            answer!(
                function,
                complex(shape, 1).astype(Complex32),
                complex(of_b, 77).astype(Complex32),
                Complex<f32>
            )
        }
        "complex128" => answer!(function, complex(shape, 1), complex(of_b, 77), Complex<f64>),
        "int32" => answer_of_real!(function, (128.0 * a).astype(i32), (128.0 * b).astype(i32)),
        "int64" => answer_of_real!(function, (128.0 * a).astype(i64), (128.0 * b).astype(i64)),
        "float16" => answer_of_real!(function, a.astype(f16), b.astype(f16)),
        dtype => panic!("{dtype}"),
    }
}

#[test]
fn functions_give_numpys_answers() {
    prepare();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.npz");
    std::fs::write(&path, include_bytes!("answers.npz")).unwrap();
    let file = io::load_npz(&path).unwrap();
    let mut seen = 0;
    for line in include_str!("cases.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [number, function, dtype, shape, of_b] = words[..] else { panic!("{line}") };
        let list = |text: &str| -> Vec<usize> {
            text.split(',').filter(|word| *word != "-").map(|word| word.parse().unwrap()).collect()
        };
        let found = answer(function, dtype, &list(shape), &list(of_b));
        let expected = file.get_any(&format!("case{number}")).unwrap();
        let expected = match expected.dtype() {
            DType::Float32 => expected.typed::<f32>().unwrap().widen(),
            DType::Float64 => expected.typed::<f64>().unwrap().widen(),
            DType::Int64 => expected.typed::<i64>().unwrap().widen(),
            DType::Complex64 => expected.typed::<Complex<f32>>().unwrap().widen(),
            _ => expected.typed::<Complex<f64>>().unwrap().widen(),
        };
        let expected = if function == "eigvals" { sorted(expected) } else { expected };
        assert_eq!(found.shape, expected.shape, "{line}");
        let is_single = matches!(dtype, "float32" | "complex64" | "float16");
        // What depends on the inverse of a matrix is as precise as its condition allows.
        let limit = if is_single { 2e-4 } else { 1e-11 };
        let largest = expected.values.iter().map(|x| x.norm()).fold(1e-300, f64::max);
        for (found, expected) in found.values.iter().zip(&expected.values) {
            let distance = (found - expected).norm() / largest;
            assert!(distance < limit, "{line}: {found} and {expected}: {distance:e}");
        }
        seen += 1;
    }
    assert!(seen > 400, "{seen}");
}
