//! Transforms beside NumPy's, and what they do with arguments that are wrong.

use gpurepl_prelude::*;

mod numpy;

/// Transforms on the host need their plugin, which this program has linked.
fn prepare() {
    extend::provide("fft", gpurepl_fft_host::gpurepl_plugin).unwrap();
}

/// The greatest distance of two arrays' elements, relative to the greatest element of the second.
fn distance(a: &[Complex<f64>], b: &[Complex<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    let largest = b.iter().map(|b| b.norm()).fold(1e-300, f64::max);
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / largest
}

fn signal(n: usize) -> Vec<Complex<f64>> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..n).map(|_| Complex::new(next(), next())).collect()
}

#[test]
fn long_transforms_come_back() {
    prepare();
    for n in [1 << 20, 3 * 5 * 7 * 11 * 13, 99_991, 1_000_000] {
        let values = signal(n);
        let x = to_gpu(&values);
        let there = fft::fft(&x).unwrap();
        assert!(distance(&fft::ifft(&there).unwrap().to_vec(), &values) < 1e-14, "{n}");
        // Parseval's theorem.
        let energy = |a: &GpuArray<Complex<f64>>| a.to_vec().iter().map(|z| z.norm_sqr()).sum::<f64>();
        assert!((energy(&there) / n as f64 / energy(&x) - 1.0).abs() < 1e-13, "{n}");
        // One element, by its definition.
        let k = n / 3;
        let turn = |j: usize| {
            let angle = -2.0 * std::f64::consts::PI * ((j as u128 * k as u128 % n as u128) as f64) / n as f64;
            Complex::from_polar(1.0, angle)
        };
        let expected: Complex<f64> = values.iter().enumerate().map(|(j, x)| x * turn(j)).sum();
        let found = there.slice(k..=k).item();
        assert!((found - expected).norm() < 1e-9, "{n}: {found} {expected}");
        let single =
            to_gpu(&values.iter().map(|z| Complex::new(z.re as f32, z.im as f32)).collect::<Vec<_>>());
        let back = fft::ifft(&fft::fft(&single).unwrap()).unwrap().to_vec();
        let back: Vec<Complex<f64>> =
            back.iter().map(|z| Complex::new(f64::from(z.re), f64::from(z.im))).collect();
        assert!(distance(&back, &values) < 3e-6, "{n}");
    }
}

#[test]
fn real_transforms_come_back_for_even_and_odd_lengths() {
    prepare();
    for n in [1, 2, 3, 4, 5, 1000, 1001, 65_536, 65_537] {
        let x = to_gpu(&signal(n).iter().map(|z| z.re).collect::<Vec<f64>>());
        let spectrum = fft::rfft(&x).unwrap();
        assert_eq!(spectrum.size(), n / 2 + 1);
        let back = fft::options().n(n).irfft(&spectrum).unwrap();
        assert!((back - &x).abs().max().item() < 1e-14, "{n}");
        let whole = fft::fft(&x).unwrap();
        assert!((whole.slice(..n / 2 + 1) - spectrum).abs().max().item() < 1e-11, "{n}");
    }
}

#[test]
fn views_and_expressions_are_transformed() {
    prepare();
    let x = arange(0.0..24.0).reshape((4, 6));
    let reference = fft::fft(&x.t().copy()).unwrap();
    assert!((fft::fft(&x.t()).unwrap() - &reference).abs().max().item() < 1e-12);
    let by_axis = fft::options().axis(0).fft(&x).unwrap();
    assert!((by_axis.t() - &reference).abs().max().item() < 1e-12);
    let reversed = x.flip();
    assert!(
        (fft::fftn(&reversed).unwrap() - fft::fftn(&reversed.copy()).unwrap()).abs().max().item() < 1e-12
    );
    let every_second = x.slice(s![.., ..; 2]);
    let copied = every_second.copy();
    assert!((fft::rfft(&every_second).unwrap() - fft::rfft(&copied).unwrap()).abs().max().item() < 1e-12);
    // What is transformed is not changed.
    let spectrum = fft::rfft2(&x).unwrap();
    let kept = spectrum.copy();
    let back = fft::irfft2(&spectrum).unwrap();
    assert!(array_equal(&spectrum, &kept));
    assert!((back - &x).abs().max().item() < 1e-12);
    let doubled = fft::fft(&(2.0 * &x)).unwrap();
    assert!((doubled - 2.0 * fft::fft(&x).unwrap()).abs().max().item() < 1e-12);
}

#[test]
fn frequencies_and_shifts_are_numpys() {
    assert_eq!(fft::fftfreq(8, 0.1).to_vec(), [0.0, 1.25, 2.5, 3.75, -5.0, -3.75, -2.5, -1.25]);
    assert_eq!(fft::fftfreq(9, 1.0).to_vec()[4..6], [4.0 / 9.0, -4.0 / 9.0]);
    assert_eq!(fft::rfftfreq(9, 1.0).size(), 5);
    for act in [|| fft::fftfreq(0, 1.0), || fft::rfftfreq(0, 1.0)] {
        let raised = std::panic::catch_unwind(act).map(drop).unwrap_err();
        let error = raised.downcast_ref::<Error>().unwrap();
        assert!(
            error.to_string().ends_with("a transform of no elements has no frequencies; give 1 or more"),
            "{error}"
        );
    }
    let x = arange(0..9).reshape((3, 3));
    let shifted = fft::fftshift(&x).unwrap();
    assert_eq!(shifted.to_vec(), [8, 6, 7, 2, 0, 1, 5, 3, 4]);
    assert!(array_equal(fft::ifftshift(&shifted).unwrap(), &x));
    assert_eq!(fft::fftshift_axes(&x, [-1]).unwrap().to_vec(), [2, 0, 1, 5, 3, 4, 8, 6, 7]);
    assert_eq!(fft::ifftshift_axes(&x, [0]).unwrap().to_vec(), [3, 4, 5, 6, 7, 8, 0, 1, 2]);
    let error = fft::fftshift_axes(&x, [2]).map(drop).unwrap_err();
    assert!(error.to_string().contains("axis 2 is out of bounds for array of dimension 2"), "{error}");
    assert_eq!(fft::fftshift(&zeros::<f32>((0, 3))).unwrap().shape(), [0, 3]);
}

#[test]
fn convolutions_are_those_by_definition() {
    prepare();
    let (a, b) = (rand::<f64>(100), rand::<f64>(17));
    let full = fft::fftconvolve(&a, &b, fft::Mode::Full).unwrap();
    assert!((&full - a.convolve(&b)).abs().max().item() < 1e-12);
    assert!(
        (fft::fftconvolve(&a, &b, fft::Mode::Same).unwrap() - a.convolve_same(&b)).abs().max().item() < 1e-12
    );
    assert!(
        (fft::fftconvolve(&a, &b, fft::Mode::Valid).unwrap() - a.convolve_valid(&b)).abs().max().item()
            < 1e-12
    );
    // scipy.signal.fftconvolve
    let image = arange(0.0_f32..12.0).reshape((3, 4));
    let kernel = gpu![[1.0_f32, 2.0], [3.0, 4.0]];
    let same = fft::fftconvolve(&image, &kernel, fft::Mode::Same).unwrap();
    let expected = gpu![[0.0_f32, 1.0, 4.0, 7.0], [4.0, 16.0, 26.0, 36.0], [20.0, 56.0, 66.0, 76.0]];
    assert!((same - expected).abs().max().item() < 1e-4);
    let error = fft::fftconvolve(&image, &a.astype(f32), fft::Mode::Full).map(drop).unwrap_err();
    assert!(error.to_string().starts_with("fftconvolve: shapes [3, 4] and [100]"), "{error}");
    assert!(fft::fftconvolve(&b, &a, fft::Mode::Valid).is_err());
    assert!(fft::fftconvolve(&b, &zeros::<f64>(0), fft::Mode::Full).is_err());
}

#[test]
fn wrong_arguments_are_named() {
    prepare();
    let x = zeros::<f32>((3, 4));
    let words = |result: Result<GpuArray<Complex<f32>>>| result.map(drop).unwrap_err().to_string();
    assert_eq!(
        words(fft::options().axis(2).fft(&x)),
        "fft: axis 2 is out of bounds for array of dimension 2"
    );
    assert_eq!(words(fft::options().axes([0, -2]).fft2(&x)), "fft2: axis -2 is named twice in [0, -2]");
    assert!(words(fft::options().n(0).rfft(&x)).starts_with("rfft: invalid number of data points (0)"));
    assert!(words(fft::options().s([2, 2]).fft(&x)).contains("different lengths: 2 lengths and 1 axes"));
    assert!(words(fft::fft(&zeros::<f32>((3, 0)))).starts_with("fft: invalid number of data points (0)"));
    assert!(words(fft::fft2(&zeros::<f32>(3))).contains("has 1 axes, 2 are to be transformed"));
    assert!(words(fft::rfftn(&full((), 1.0_f32))).starts_with("rfftn: an array without axes"));
    let error = fft::irfft(&zeros::<Complex<f32>>(1)).map(drop).unwrap_err();
    assert!(error.to_string().starts_with("irfft: invalid number of data points (0)"), "{error}");
    assert_eq!(fft::fft(&zeros::<f32>((0, 4))).unwrap().shape(), [0, 4]);
    assert_eq!(fft::rfft(&zeros::<f32>((0, 4))).unwrap().shape(), [0, 3]);
}

#[test]
fn a_graph_kept_no_plan_of_its_transform() {
    // Another thread that makes a plan meanwhile ends the capture on a GPU, and its plan fails.
    const ALONE: &str = "GPUREPL_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        let command = command.args(["--exact", "a_graph_kept_no_plan_of_its_transform"]).env(ALONE, "1");
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{told}");
        return;
    }
    prepare();
    let mut x = to_gpu(&signal(1000));
    let out = zeros::<Complex<f64>>(1000);
    let graph = {
        let (x, mut out) = (x.clone(), out.clone());
        Graph::capture(move || {
            out.assign(&fft::fft(&x)?);
            Ok(())
        })
        .unwrap()
    };
    // Plans of other lengths take its place among those that are kept.
    for n in 2..100 {
        fft::fft(&ones::<f64>(n)).unwrap();
    }
    for start in [3, 5] {
        x.assign(to_gpu(&signal(1000 + start)[start..]));
        graph.launch().unwrap();
        let expected = fft::fft(&x).unwrap().to_vec();
        assert!(distance(&out.to_vec(), &expected) < 1e-15);
    }
}

#[test]
fn one_plan_on_several_streams() {
    prepare();
    let inputs: Vec<GpuArray<Complex<f64>>> = (0..6).map(|k| to_gpu(&signal(10_007 + k)[k..])).collect();
    let wanted: Vec<_> = inputs.iter().map(|x| fft::fft(x).unwrap().to_vec()).collect();
    let streams: Vec<Stream> = inputs.iter().map(|_| Stream::new().unwrap()).collect();
    for _ in 0..5 {
        let found: Vec<_> = streams
            .iter()
            .zip(&inputs)
            .map(|(stream, x)| stream.scope(|| fft::fft(x)).unwrap().unwrap())
            .collect();
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!(distance(&found.to_vec(), wanted) < 1e-15);
        }
    }
}

/// Of no axes, and of axes of one element, too.
#[test]
fn a_transform_that_changes_nothing_was_the_array_itself() {
    prepare();
    let x = gpu![Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)].reshape((2, 1));
    let mut same = fft::options().axes([]).fftn(&x).unwrap();
    let mut column = fft::options().axis(1).fft(&x).unwrap();
    same *= 2.0;
    column *= 2.0;
    assert_eq!(x.to_vec(), [Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)]);
}
