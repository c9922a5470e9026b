//! Points that are computed from their neighbours.

use super::*;

#[test]
fn a_line_with_a_halo() {
    let module = module(include_str!("stencil_line.cu"));
    let mut random = SplitMix64::new(51);
    for n in [1000_usize, 128, 2, 130, 1] {
        let x = random.vec_i32(n, -1000, 1000);
        let at = |i: isize| usize::try_from(i).ok().and_then(|i| x.get(i)).copied().unwrap_or(0);
        let expected: Vec<i32> = (0..n as isize)
            .map(|i| {
                let pair = |distance| at(i - distance) + at(i + distance);
                20 * at(i) + 15 * pair(1) + 6 * pair(2) + pair(3)
            })
            .collect();
        let mut found = vec![0; n];
        let stencil = module.get_function("stencil").unwrap();
        stencil.launch(n.div_ceil(128), 128, (In(&x), Out(&mut found), n)).unwrap();
        assert_eq!(found, expected, "{n}");

        let mut found = vec![0; n];
        let by_shuffles = module.get_function("stencil_by_shuffles").unwrap();
        let warps = n.div_ceil(26);
        by_shuffles.launch(warps.div_ceil(3), 3 * 32, (In(&x), Out(&mut found), n)).unwrap();
        assert_eq!(found, expected, "{n} by shuffles");
    }
}

#[test]
fn heat_in_two_arrays_that_take_turns() {
    let heat_step = module(include_str!("heat.cu")).get_function("heat_step").unwrap();
    let (width, height, steps, rate) = (45, 30, 12, 0.2_f32);
    let start: Vec<f32> = SplitMix64::new(52).vec_f32(width * height).iter().map(|x| 100.0 * x).collect();
    let mut now = to_gpu(&start);
    let mut next = empty_like(&now);
    let mut expected: Vec<f64> = start.iter().copied().map(f64::from).collect();
    for _ in 0..steps {
        let grid = (width.div_ceil(16), height.div_ceil(8));
        heat_step.launch(grid, (16, 8), (&now, &mut next, width, height, rate)).unwrap();
        std::mem::swap(&mut now, &mut next);
        let before = expected.clone();
        for y in 1..height - 1 {
            for x in 1..width - 1 {
                let i = y * width + x;
                let around = before[i - 1] + before[i + 1] + before[i - width] + before[i + width];
                expected[i] = before[i] + f64::from(rate) * (around - 4.0 * before[i]);
            }
        }
    }
    // A step rounds values up to 800, times the rate, a few times, and values up
    // to 100; it makes no error larger, as it takes means.
    all_close(&now.to_vec(), &expected, f64::from(steps) * 8.0 * 100.0 * UNIT_F32);
}

#[test]
fn relaxation_in_place_by_colours() {
    let relax = module(include_str!("heat.cu")).get_function("relax").unwrap();
    let (width, height, factor) = (37_usize, 21_usize, 1.5);
    let mut expected = SplitMix64::new(53).vec_f64(width * height);
    let mut plate = to_gpu(&expected);
    let (columns, rows) = (width.div_ceil(16), height.div_ceil(8));
    for _ in 0..30 {
        let mut changes = zeros::<f64>((rows, columns));
        let mut change = 0.0_f64;
        for colour in 0..2 {
            let arguments = (&mut plate, width, height, colour, factor, &mut changes);
            relax.launch((columns, rows), (16, 8), arguments).unwrap();
            for y in 1..height - 1 {
                for x in (1..width - 1).filter(|x| (x + y) % 2 == colour) {
                    let i = y * width + x;
                    let around =
                        expected[i - 1] + expected[i + 1] + expected[i - width] + expected[i + width];
                    let own = factor * (0.25 * around - expected[i]);
                    expected[i] += own;
                    change = change.max(own.abs());
                }
            }
        }
        // 60 times a few roundings of values below 10, which wear off in time.
        let error = 60.0 * 10.0 * 10.0 * UNIT_F64;
        close(changes.max().item(), change, error);
        all_close(&plate.to_vec(), &expected, error);
    }
}

#[test]
fn neighbours_in_space() {
    let module = module(include_str!("stencil_space.cu"));
    let [laplace, by_layers] =
        ["laplace", "laplace_by_layers"].map(|name| module.get_function(name).unwrap());
    let mut random = SplitMix64::new(54);
    for (nx, ny, nz) in [(21, 19, 11), (16, 8, 3), (40, 3, 5), (5, 5, 1)] {
        let (row, layer) = (nx, nx * ny);
        let start = random.vec_f32(layer * nz);
        let mut expected = vec![9.0; layer * nz];
        for z in 1..nz - 1 {
            for y in 1..ny - 1 {
                for x in 1..nx - 1 {
                    let i = z * layer + y * row + x;
                    let neighbours = [i - 1, i + 1, i - row, i + row, i - layer, i + layer];
                    let sum: f64 = neighbours.iter().map(|i| f64::from(start[*i])).sum();
                    expected[i] = sum - 6.0 * f64::from(start[i]);
                }
            }
        }
        // Seven operations with numbers up to 12.
        let error = 7.0 * 12.0 * UNIT_F32;
        let mut found = vec![9.0_f32; layer * nz];
        let grid = (nx.div_ceil(8), ny.div_ceil(4), nz.div_ceil(2));
        laplace.launch(grid, (8, 4, 2), (In(&start), InOut(&mut found), nx, ny, nz)).unwrap();
        all_close(&found, &expected, error);
        let mut found = full((nz, ny, nx), 9.0_f32);
        let grid = (nx.div_ceil(16), ny.div_ceil(8));
        by_layers.launch(grid, (16, 8), (In(&start), &mut found, nx, ny, nz)).unwrap();
        all_close(&found.to_vec(), &expected, error);
    }
}

#[test]
fn waves_from_three_arrays() {
    let wave_step = module(include_str!("wave_equation.cu")).get_function("wave_step").unwrap();
    let (width, height, steps, courant) = (33_usize, 25_usize, 20, 0.45);
    let start = |i: usize| {
        let (column, row) = (i % width, i / width);
        let is_rim = column == 0 || column == width - 1 || row == 0 || row == height - 1;
        let (x, y) = (column as f64 - 12.0, row as f64 - 10.0);
        if is_rim { 0.0 } else { (-(x * x + y * y) / 8.0).exp() }
    };
    let mut expected: [Vec<f64>; 2] = std::array::from_fn(|_| (0..width * height).map(start).collect());
    let mut before = to_gpu(&expected[0]);
    let mut now = before.copy();
    for _ in 0..steps {
        let mut next = empty::<f64>(width * height);
        let grid = (width.div_ceil(8), height.div_ceil(8));
        let arguments = (&before, &now, &mut next, width, height, courant);
        wave_step.launch_shared(grid, (8, 8), 8 * 8 * 8, arguments).unwrap();
        before = std::mem::replace(&mut now, next);

        let [before, now] = &expected;
        let mut next = vec![0.0; width * height];
        for y in 1..height - 1 {
            for x in 1..width - 1 {
                let i = y * width + x;
                let around = now[i - 1] + now[i + 1] + now[i - width] + now[i + width];
                next[i] = 2.0 * now[i] - before[i] + courant * (around - 4.0 * now[i]);
            }
        }
        let [_, now] = expected;
        expected = [now, next];
    }
    // Each step rounds ten times numbers up to 8, and an error grows with the
    // steps that follow.
    let error = f64::from(steps * steps) * 10.0 * 8.0 * UNIT_F64;
    all_close(&now.to_vec(), &expected[1], error);
    assert!(expected[1].iter().any(|x| x.abs() > 0.05), "the wave is still there");
}

#[test]
fn a_filter_in_constant_memory() {
    let module = module(include_str!("separable.cu"));
    let kernel = |name| module.get_function(name).unwrap();
    let mut random = SplitMix64::new(55);
    let mut constant = module.get_global("filter").unwrap();
    assert_eq!(constant.len(), 9 * 4);
    let (width, height) = (75, 41);
    let image = random.vec_f32(width * height);
    // Another filter at each turn: the kernels read what is there now.
    for _ in 0..2 {
        let filter = random.vec_f32(9);
        memcpy_htod(&mut constant, &filter).unwrap();
        let (mut rows, mut found) = (empty::<f32>((height, width)), empty::<f32>((height, width)));
        let grid = (width.div_ceil(32), height.div_ceil(4));
        kernel("convolve_rows").launch(grid, (32, 4), (In(&image), &mut rows, width, height)).unwrap();
        let grid = (width.div_ceil(4), height.div_ceil(32));
        kernel("convolve_columns").launch(grid, (4, 32), (&rows, &mut found, width, height)).unwrap();

        let along = |image: &[f64], step: (usize, usize)| -> Vec<f64> {
            let at = |x: usize, y: usize, k: usize| {
                let (x, y) = (x + k * step.0, y + k * step.1);
                let (x, y) = (x.checked_sub(4 * step.0)?, y.checked_sub(4 * step.1)?);
                (x < width && y < height).then(|| image[y * width + x])
            };
            let sum = |i: usize| -> f64 {
                let term = |k: usize| f64::from(filter[8 - k]) * at(i % width, i / width, k).unwrap_or(0.0);
                (0..9).map(term).sum()
            };
            (0..width * height).map(sum).collect()
        };
        let wide: Vec<f64> = image.iter().copied().map(f64::from).collect();
        let expected = along(&along(&wide, (1, 0)), (0, 1));
        // Nine products and sums, twice; a sum is at most that of the filter.
        let weight: f64 = filter.iter().map(|x| f64::from(x.abs())).sum();
        all_close(&found.to_vec(), &expected, 2.0 * 9.0 * 1.01 * UNIT_F32 * weight * weight);
    }
}

#[test]
fn life_on_a_torus() {
    let generation = module(include_str!("life.cu")).get_function("generation").unwrap();
    let mut random = SplitMix64::new(56);
    for (width, height) in [(50_usize, 37_usize), (16, 32), (3, 5)] {
        let mut expected: Vec<u8> = (0..width * height).map(|_| u8::from(random.below(3) == 0)).collect();
        let mut now = to_gpu(&expected);
        let mut next = zeros_like(&now);
        for _ in 0..10 {
            let grid = (width.div_ceil(16), height.div_ceil(16));
            generation.launch(grid, (16, 16), (&now, &mut next, width, height)).unwrap();
            std::mem::swap(&mut now, &mut next);
            let alive = |x: usize, y: usize| expected[y % height * width + x % width];
            expected = (0..width * height)
                .map(|i| {
                    // One torus further, so that nothing is below zero.
                    let (x, y) = (i % width + width, i / width + height);
                    let rows = (y - 1..=y + 1).flat_map(|y| (x - 1..=x + 1).map(move |x| (x, y)));
                    let around: u8 = rows.map(|(x, y)| alive(x, y)).sum::<u8>() - alive(x, y);
                    u8::from(around == 3 || (around == 2 && alive(x, y) == 1))
                })
                .collect();
            assert_eq!(now.to_vec(), expected, "{width} x {height}");
        }
    }
}

#[test]
fn gradients_of_an_image() {
    let sobel = module(include_str!("edges.cu")).get_function("sobel").unwrap();
    let mut random = SplitMix64::new(57);
    for (width, height) in [(45_usize, 35_usize), (16, 16), (1, 20)] {
        // Soft enough that not all of it is the largest edge there is.
        let image: Vec<u8> = (0..width * height)
            .map(|i| (3 * (i % width) + i / width) as u8 + random.below(40) as u8)
            .collect();
        let mut edges = vec![0_u8; image.len()];
        let mut angles = vec![0.0_f32; image.len()];
        let arguments = (In(&image), Out(&mut edges), Out(&mut angles), width, height);
        sobel.launch((width.div_ceil(16), height.div_ceil(16)), (16, 16), arguments).unwrap();
        let at = |i: usize, dx: usize, dy: usize| {
            let x = (i % width + dx).saturating_sub(1).min(width - 1);
            let y = (i / width + dy).saturating_sub(1).min(height - 1);
            i32::from(image[y * width + x])
        };
        for i in 0..image.len() {
            let across =
                at(i, 2, 0) + 2 * at(i, 2, 1) + at(i, 2, 2) - at(i, 0, 0) - 2 * at(i, 0, 1) - at(i, 0, 2);
            let down =
                at(i, 0, 2) + 2 * at(i, 1, 2) + at(i, 2, 2) - at(i, 0, 0) - 2 * at(i, 1, 0) - at(i, 2, 0);
            assert_eq!(i32::from(edges[i]), (across.abs() + down.abs()).min(255), "{i}");
            // Three units in the last place of an angle up to pi.
            close(angles[i], f64::from(down).atan2(f64::from(across)), 3.0 * 4.0 * UNIT_F32);
        }
    }
}
