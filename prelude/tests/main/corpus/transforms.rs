//! Transforms of signals and pictures.

use std::f64::consts::PI;

use super::*;

#[test]
fn cosines_of_squares_of_pixels() {
    let module = module(include_str!("cosine.cu"));
    let (width, height) = (64_usize, 40_usize);
    let image = ndarray::Array2::from_shape_vec((height, width), SplitMix64::new(71).vec_f32(width * height));
    let image = image.unwrap();
    let cosine = |k: usize, x: usize| {
        let scale = if k == 0 { 0.125_f64.sqrt() } else { 0.5 };
        scale * (PI * k as f64 * (2 * x + 1) as f64 / 16.0).cos()
    };
    let table: Vec<f32> = (0..64).map(|at| cosine(at / 8, at % 8) as f32).collect();
    memcpy_htod(&mut module.get_global("cosines").unwrap(), &table).unwrap();
    let array = np_to_array(&image, Order::C, ArrayFlags::NONE).unwrap();
    let texture = TextureObject::new(&array, TextureDescriptor::default()).unwrap();
    let mut found = zeros::<f32>((height, width));
    let transform = module.get_function("transform").unwrap();
    transform.launch((width / 8, height / 8), (8, 8), (&mut found, width, &texture)).unwrap();
    let expected: Vec<f64> = (0..width * height)
        .map(|at| {
            let (row, column) = (at / width, at % width);
            let (top, left) = (row / 8 * 8, column / 8 * 8);
            let term = |k: usize| {
                let (y, x) = (k / 8, k % 8);
                f64::from(image[(top + y, left + x)]) * cosine(row % 8, y) * cosine(column % 8, x)
            };
            (0..64).map(term).sum()
        })
        .collect();
    // Two sums of eight products, whose factors are rounded as well; the sums
    // of the absolute values are below eight.
    all_close(&found.to_vec(), &expected, 8.0 * 2.0 * 10.0 * UNIT_F32);
}

#[test]
fn wavelets_of_haar() {
    let analyse = module(include_str!("haar.cu")).get_function("analyse").unwrap();
    for (signals, length, threads) in [(3_usize, 1024_usize, 512), (1, 64, 32), (2, 2, 1)] {
        let x = SplitMix64::new(72).vec_f32(signals * length);
        let mut found = zeros::<f32>(signals * length);
        let bytes = 4 * (length + length / 32);
        analyse.launch_shared(signals, threads, bytes, (&to_gpu(&x), &mut found, length)).unwrap();
        let expected: Vec<f64> = x
            .chunks(length)
            .flat_map(|signal| {
                let mut out: Vec<f64> = signal.iter().map(|x| f64::from(*x)).collect();
                let mut half = length / 2;
                while half > 0 {
                    let pairs: Vec<[f64; 2]> =
                        out[..2 * half].chunks(2).map(|pair| [pair[0], pair[1]]).collect();
                    for (k, [left, right]) in pairs.into_iter().enumerate() {
                        out[k] = (left + right) * 0.5_f64.sqrt();
                        out[half + k] = (left - right) * 0.5_f64.sqrt();
                    }
                    half /= 2;
                }
                out
            })
            .collect();
        // Ten levels of three operations. The transform keeps lengths: no
        // number is above sqrt(1024).
        all_close(&found.to_vec(), &expected, 10.0 * 3.0 * 32.0 * UNIT_F32);
    }
}

#[test]
fn walsh_functions() {
    let module = module(include_str!("walsh.cu"));
    let (step, rest) = (module.get_function("step").unwrap(), module.get_function("rest").unwrap());
    let (n, piece) = (4096_usize, 256_usize);
    let x = SplitMix64::new(73).vec_f32(n);
    let mut found = to_gpu(&x);
    let mut stride = n / 4;
    while 4 * stride > piece {
        step.launch(n / 4 / 128, 128, (&mut found, stride)).unwrap();
        stride /= 4;
    }
    rest.launch_shared(n / piece, piece / 4, 4 * piece, &mut found).unwrap();
    let expected: Vec<f64> = (0..n)
        .map(|k| {
            let sign = |at: usize| if (at & k).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
            x.iter().enumerate().map(|(at, x)| sign(at) * f64::from(*x)).sum()
        })
        .collect();
    // Twelve additions on the way of each number, of sums up to n.
    all_close(&found.to_vec(), &expected, 12.0 * n as f64 * UNIT_F32);
}
