//! Pictures: fractals, filters, colours, rays and clusters.

use super::*;

fn picture(seed: u64, n: usize) -> Vec<u8> {
    let mut random = SplitMix64::new(seed);
    (0..n).map(|_| random.below(256) as u8).collect()
}

#[test]
fn the_set_of_mandelbrot() {
    let kernel = module(include_str!("fractals.cu")).get_function("mandelbrot").unwrap();
    let (width, height, left, top, pixel, limit) = (90_usize, 70_usize, -2.2, 1.1, 0.0325, 100);
    let mut found = vec![0_u8; width * height];
    let grid = (width.div_ceil(16), height.div_ceil(16));
    kernel.launch(grid, (16, 16), (Out(&mut found), width, height, left, top, pixel, limit)).unwrap();
    let steps = |cx: f64, cy: f64| {
        let (mut x, mut y) = (0.0, 0.0);
        for k in 0..limit {
            let (xx, yy) = (x * x, y * y);
            if xx + yy > 4.0 {
                return k as u8;
            }
            y = 2.0 * x * y + cy;
            x = xx - yy + cx;
        }
        limit as u8
    };
    // Every operation is rounded by itself, here and there.
    let expected: Vec<u8> = (0..width * height)
        .map(|k| steps(left + (k % width) as f64 * pixel, top - (k / width) as f64 * pixel))
        .collect();
    assert!(found == expected);
}

#[test]
fn a_set_of_julia() {
    let kernel = module(include_str!("fractals.cu")).get_function("julia").unwrap();
    let (c, limit) = (Complex64::new(-0.8, 0.156), 40_u32);
    let mut random = SplitMix64::new(41);
    let z: Vec<Complex64> = (0..3000).map(|_| 1.5 * Complex64::new(random.f64(), random.f64())).collect();
    let mut found = zeros::<u32>(z.len());
    kernel.launch(z.len().div_ceil(128), 128, (In(&z), &mut found, z.len(), c, limit)).unwrap();
    // Rounding decides only where a point comes closer to the circle than what
    // may be wrong by then.
    let mut undecided = 0;
    for (found, start) in found.to_vec().into_iter().zip(&z) {
        let (mut at, mut wrong, mut k, mut decided) = (*start, 0.0, 0, true);
        while decided && k < limit {
            let size = at.norm();
            decided = (size * size - 4.0).abs() > 4.0 * size * wrong + 8.0 * UNIT_F64 * size * size;
            if size > 2.0 {
                break;
            }
            wrong = (2.0 * size + wrong) * wrong + 8.0 * UNIT_F64 * (size * size + c.norm());
            at = at * at + c;
            k += 1;
        }
        undecided += u32::from(!decided);
        assert!(!decided || found == k, "{start}: {found}, not {k}");
    }
    assert!(undecided < 30, "{undecided}");
}

#[test]
fn roots_of_one() {
    let kernel = module(include_str!("fractals.cu")).get_function("newton").unwrap();
    let mut random = SplitMix64::new(42);
    let roots: Vec<Complex64> =
        (0..500).map(|k| Complex64::cis(2.0 * std::f64::consts::PI * f64::from(k % 3) / 3.0)).collect();
    let mut z: Vec<Complex32> = roots
        .iter()
        .map(|root| root + 0.2 * Complex64::new(random.f64(), random.f64()))
        .map(|z| Complex32::new(z.re as f32, z.im as f32))
        .collect();
    let n = z.len();
    kernel.launch(n.div_ceil(64), 64, (InOut(&mut z), n, 7)).unwrap();
    for (z, root) in z.iter().zip(roots) {
        close(z.re, root.re, 1e-6);
        close(z.im, root.im, 1e-6);
    }
}

#[test]
fn a_mean_over_squares() {
    let module = module(include_str!("filters.cu"));
    let (width, height) = (150_usize, 41_usize);
    let image = picture(43, width * height);
    let (mut sums, mut found) = (zeros::<u16>((height, width)), vec![0_u8; width * height]);
    let rows = module.get_function("sum_rows").unwrap();
    rows.launch((width.div_ceil(64), height), 64, (In(&image), &mut sums, width)).unwrap();
    let columns = module.get_function("mean_columns").unwrap();
    columns.launch(width.div_ceil(32), 32, (&sums, Out(&mut found), width, height)).unwrap();
    let at = |x: i32, y: i32| {
        let (x, y) = (x.clamp(0, width as i32 - 1), y.clamp(0, height as i32 - 1));
        u32::from(image[y as usize * width + x as usize])
    };
    for (k, found) in found.into_iter().enumerate() {
        let (x, y) = ((k % width) as i32, (k / width) as i32);
        let sum: u32 = (0..81).map(|k| at(x + k % 9 - 4, y + k / 9 - 4)).sum();
        assert_eq!(u32::from(found), (sum + 40) / 81, "{x} {y}");
    }
}

#[test]
fn medians_erosion_and_dilation() {
    let module = module(include_str!("filters.cu"));
    let (width, height) = (61_usize, 47_usize);
    let image = picture(44, width * height);
    let array = to_gpu(&image);
    let run = |name: &str| {
        let mut out = vec![0_u8; width * height];
        let grid = (width.div_ceil(16), height.div_ceil(8));
        let arguments = (&array, Out(&mut out), width, height);
        module.get_function(name).unwrap().launch(grid, (16, 8), arguments).unwrap();
        out
    };
    let (medians, eroded, dilated) = (run("median"), run("erode"), run("dilate"));
    for k in 0..width * height {
        let (x, y) = ((k % width) as i32, (k / width) as i32);
        let at = |dx: i32, dy: i32| {
            let (x, y) = ((x + dx).clamp(0, width as i32 - 1), (y + dy).clamp(0, height as i32 - 1));
            image[y as usize * width + x as usize]
        };
        let mut window: Vec<u8> = (0..9).map(|k| at(k % 3 - 1, k / 3 - 1)).collect();
        window.sort_unstable();
        let cross = [at(0, 0), at(-1, 0), at(1, 0), at(0, -1), at(0, 1)];
        let expected = (window[4], *cross.iter().min().unwrap(), *cross.iter().max().unwrap());
        assert_eq!((medians[k], eroded[k], dilated[k]), expected, "{x} {y}");
    }
}

#[test]
fn colours_and_shades() {
    let module = module(include_str!("colours.cu"));
    let n = 1013_usize;
    let colours = to_gpu(&picture(45, 3 * n));
    let pixels = colours.to_vec();
    let (mut grey, mut other) = (vec![0_u8; n], zeros::<u8>((n, 4)));
    let blocks = n.div_ceil(128);
    module.get_function("to_grey").unwrap().launch(blocks, 128, (&colours, Out(&mut grey), n)).unwrap();
    module.get_function("to_bgra").unwrap().launch(blocks, 128, (&colours, &mut other, n)).unwrap();
    let weighted = |p: &[u8]| 77 * u32::from(p[0]) + 150 * u32::from(p[1]) + 29 * u32::from(p[2]);
    let expected: Vec<u8> = pixels.chunks(3).map(|p| ((weighted(p) + 128) >> 8) as u8).collect();
    assert_eq!(grey, expected);
    let expected: Vec<u8> = pixels.chunks(3).flat_map(|p| [p[2], p[1], p[0], 255]).collect();
    assert_eq!(other.to_vec(), expected);
}

#[test]
fn an_equalised_histogram() {
    let kernel = module(include_str!("colours.cu")).get_function("equalise").unwrap();
    let dull: Vec<u8> = picture(46, 5001).iter().map(|shade| 90 + shade / 5).collect();
    for image in [dull, vec![33; 300]] {
        let n = image.len();
        let mut found = vec![0_u8; n];
        kernel.launch(1, 256, (In(&image), Out(&mut found), n)).unwrap();
        let up_to = |shade: u8| image.iter().filter(|other| **other <= shade).count();
        let below = up_to(*image.iter().min().unwrap());
        let shades: Vec<u8> = (0..=255)
            .map(|shade| match n - below {
                0 => shade,
                above => ((up_to(shade).max(below) - below) * 255 / above) as u8,
            })
            .collect();
        let expected: Vec<u8> = image.iter().map(|shade| shades[usize::from(*shade)]).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn black_and_white() {
    let module = module(include_str!("colours.cu"));
    let (width, height) = (75_usize, 50_usize);
    let image = picture(47, width * height);
    let (mut dithered, mut diffused) = (vec![false; width * height], zeros::<bool>((height, width)));
    let grid = (width.div_ceil(32), height.div_ceil(4));
    let arguments = (In(&image), Out(&mut dithered), width, height);
    module.get_function("dither").unwrap().launch(grid, (32, 4), arguments).unwrap();
    let arguments = (In(&image), &mut diffused, width, height);
    module.get_function("diffuse").unwrap().launch(height.div_ceil(32), 32, arguments).unwrap();
    let bayer = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
    let expected: Vec<bool> =
        (0..width * height).map(|k| image[k] > 16 * bayer[k / width % 4][k % width % 4] + 8).collect();
    assert_eq!(dithered, expected);
    let mut expected = Vec::new();
    for row in image.chunks(width) {
        let mut error = 0;
        for shade in row {
            let wanted = i32::from(*shade) + error;
            expected.push(wanted >= 128);
            error = wanted - if wanted >= 128 { 255 } else { 0 };
        }
    }
    assert_eq!(diffused.to_vec(), expected);
}

#[test]
fn a_picture_in_another_size() {
    let kernel = module(include_str!("resize.cu")).get_function("resize").unwrap();
    let (width, height) = (40_usize, 25_usize);
    let image = SplitMix64::new(48).vec_f32(width * height);
    for (new_width, new_height) in [(67_usize, 51_usize), (23, 19), (40, 25)] {
        let mut found = vec![0.0_f32; new_width * new_height];
        let grid = (new_width.div_ceil(16), new_height.div_ceil(8));
        let arguments = (In(&image), width, height, Out(&mut found), new_width, new_height);
        kernel.launch(grid, (16, 8), arguments).unwrap();
        let along = |k: usize, n: usize, new: usize| {
            let place = ((k as f64 + 0.5) * n as f64 / new as f64 - 0.5).clamp(0.0, n as f64 - 1.0);
            (place as usize, (place as usize + 1).min(n - 1), place.fract())
        };
        let mut expected = Vec::new();
        for y in 0..new_height {
            let (top, bottom, b) = along(y, height, new_height);
            for x in 0..new_width {
                let (left, right, a) = along(x, width, new_width);
                let at = |x: usize, y: usize| f64::from(image[y * width + x]);
                let above = (1.0 - a) * at(left, top) + a * at(right, top);
                let below = (1.0 - a) * at(left, bottom) + a * at(right, bottom);
                expected.push((1.0 - b) * above + b * below);
            }
        }
        // A place is off by three roundings of a number up to 40, on two axes,
        // where neighbours differ by up to two.
        all_close(&found, &expected, 2.0 * 2.0 * 3.0 * 40.0 * UNIT_F32 + 8.0 * UNIT_F32);
    }
}

#[test]
fn sums_over_rectangles() {
    let module = module(include_str!("resize.cu"));
    let (width, height) = (100_usize, 30_usize);
    let image = picture(49, width * height);
    let mut sums = zeros::<u32>((height, width));
    module
        .get_function("integrate_rows")
        .unwrap()
        .launch(height, 128, (In(&image), &mut sums, width))
        .unwrap();
    let columns = module.get_function("integrate_columns").unwrap();
    columns.launch(width.div_ceil(64), 64, (&mut sums, width, height)).unwrap();
    let mut expected = vec![0_u32; width * height];
    for y in 0..height {
        let mut row = 0;
        for x in 0..width {
            row += u32::from(image[y * width + x]);
            expected[y * width + x] = row + if y > 0 { expected[(y - 1) * width + x] } else { 0 };
        }
    }
    assert_eq!(sums.to_vec(), expected);
}

#[test]
fn spheres_in_the_light() {
    let kernel = module(include_str!("rays.cu")).get_function("render").unwrap();
    let (width, height) = (64_usize, 45_usize);
    let mut random = SplitMix64::new(50);
    let spheres: Vec<[f32; 5]> = (0..6)
        .map(|_| {
            [random.f32(), random.f32(), random.f32(), 0.5 + 0.2 * random.f32(), 0.6 + 0.4 * random.f32()]
        })
        .collect();
    let mut found = vec![0.0_f32; width * height];
    let grid = (width.div_ceil(8), height.div_ceil(8));
    let arguments = (In(spheres.as_flattened()), spheres.len(), Out(&mut found), width, height);
    kernel.launch(grid, (8, 8), arguments).unwrap();

    // Pixels on an outline, or where two spheres meet, may go either way.
    let mut undecided = 0;
    for (k, found) in found.into_iter().enumerate() {
        let x = ((k % width) as f64 + 0.5) / width as f64 * 2.0 - 1.0;
        let y = 1.0 - ((k / width) as f64 + 0.5) / height as f64 * 2.0;
        let (mut nearest, mut second, mut light, mut on_outline) = (f64::MAX, f64::MAX, 0.0, false);
        for sphere in &spheres {
            let [cx, cy, cz, radius, brightness] = sphere.map(f64::from);
            let square = radius * radius - (cx - x).powi(2) - (cy - y).powi(2);
            on_outline |= square.abs() < 1e-3;
            let distance = cz + 4.0 - square.max(0.0).sqrt();
            if square <= 0.0 || distance >= nearest {
                second = if square > 0.0 { second.min(distance) } else { second };
                continue;
            }
            (nearest, second) = (distance, nearest);
            let normal = [(x - cx) / radius, (y - cy) / radius, (distance - 4.0 - cz) / radius];
            light = brightness * ((-normal[0] + 2.0 * normal[1] - 2.0 * normal[2]) / 3.0).max(0.1);
        }
        if on_outline || (second < f64::MAX && second - nearest < 1e-3) {
            undecided += 1;
        } else {
            // A square is off by ten roundings of 25, and its root is above 0.03.
            close(found, light, 10.0 * 25.0 * UNIT_F32 / 0.03);
        }
    }
    assert!(undecided < width * height / 50, "{undecided}");
}

#[test]
fn clusters_of_points() {
    let module = module(include_str!("clusters.cu"));
    let (n, k) = (1500_usize, 11_usize);
    let points = SplitMix64::new(51).vec_i32(2 * n, 0, 10_000);
    let mut expected: Vec<[i32; 2]> = points[..2 * k].chunks(2).map(|point| [point[0], point[1]]).collect();
    let (points_gpu, mut centres) = (to_gpu(&points), to_gpu(expected.as_flattened()));
    for _ in 0..3 {
        let mut nearest = vec![0_i32; n];
        let (mut counts, mut sums) = (zeros::<i32>(k), zeros::<u64>(2 * k));
        let arguments = (&points_gpu, n, &centres, k, Out(&mut nearest), &mut counts, &mut sums);
        module.get_function("assign").unwrap().launch(n.div_ceil(128), 128, arguments).unwrap();
        module
            .get_function("move_centres")
            .unwrap()
            .launch(1, 32, (&mut centres, k, &counts, &sums))
            .unwrap();

        let mut totals = vec![[0_i64; 3]; k];
        for (point, nearest) in points.chunks(2).zip(nearest) {
            let square = |c: &[i32; 2]| i64::from(c[0] - point[0]).pow(2) + i64::from(c[1] - point[1]).pow(2);
            let best = (0..k).min_by_key(|c| square(&expected[*c])).unwrap();
            assert_eq!(nearest as usize, best);
            totals[best][0] += 1;
            totals[best][1] += i64::from(point[0]);
            totals[best][2] += i64::from(point[1]);
        }
        assert_eq!(counts.to_vec(), totals.iter().map(|total| total[0] as i32).collect::<Vec<i32>>());
        for (centre, [count, x, y]) in expected.iter_mut().zip(totals) {
            if count > 0 {
                *centre = [(x / count) as i32, (y / count) as i32];
            }
        }
        assert_eq!(centres.to_vec(), expected.as_flattened());
    }
}

#[test]
fn sums_above_and_to_the_left() {
    let module = module(include_str!("summed_area.cu"));
    let (width, height) = (640_usize, 37_usize);
    let image = picture(78, width * height);
    let words: Vec<u32> = image.chunks(4).map(|four| u32::from_le_bytes(four.try_into().unwrap())).collect();
    let mut found = zeros::<u32>((height, width));
    let rows = module.get_function("rows").unwrap();
    // A block has a warp for each row: 37 is a prime.
    rows.launch(height, 32, (&to_gpu(&words), &mut found, width / 16)).unwrap();
    module.get_function("columns").unwrap().launch(width / 32, (32, 8), (&mut found, width, height)).unwrap();
    let mut expected = vec![0_u32; width * height];
    for y in 0..height {
        let mut row = 0;
        for x in 0..width {
            row += u32::from(image[y * width + x]);
            let above = if y > 0 { expected[(y - 1) * width + x] } else { 0 };
            expected[y * width + x] = above + row;
        }
    }
    assert_eq!(found.to_vec(), expected);
}

#[test]
fn filters_from_a_table_of_functions() {
    let source = include_str!("neighbours.cu");
    let fixed = SourceModule::builder(source).option("-DPITCH=20").compile().unwrap();
    let (width, height, scale) = (75_usize, 50_usize, 0.5_f32);
    let image = picture(79, width * height);
    let at = |x: usize, y: usize, across: i32, down: i32| {
        let clamped = |at: usize, by: i32, end: usize| (at as i32 + by).clamp(0, end as i32 - 1) as usize;
        i32::from(image[clamped(y, down, height) * width + clamped(x, across, width)])
    };
    let around = |k: i32| (k % 3 - 1, k / 3 - 1);
    for filter in 0..2 {
        let expected: Vec<u8> = (0..width * height)
            .map(|place| {
                let (x, y) = (place % width, place / width);
                // One, two, one: as far from the corner as the other way goes.
                let sum = |weight: fn(i32, i32) -> i32| -> i32 {
                    (0..9).map(around).map(|(i, j)| weight(i, j) * at(x, y, i, j)).sum()
                };
                let value = match filter {
                    0 => {
                        let edges = sum(|i, j| i * (2 - j.abs())).abs() + sum(|i, j| j * (2 - i.abs())).abs();
                        (scale * edges as f32).min(255.0)
                    }
                    _ => scale * sum(|_, _| 1) as f32 / 9.0,
                };
                value as u8
            })
            .collect();
        let (grid, block) = ((width.div_ceil(16), height.div_ceil(16)), (16, 16));
        let mut found = zeros::<u8>((height, width));
        let kernel = fixed.get_function("around").unwrap();
        let arguments = (&to_gpu(&image), &mut found, width, height, filter, scale);
        kernel.launch_shared(grid, block, 18 * 20, arguments).unwrap();
        assert_eq!(found.to_vec(), expected, "filter {filter}");
        let mut found = zeros::<u8>((height, width));
        let kernel = module(source).get_function("around").unwrap();
        let arguments = (&to_gpu(&image), &mut found, 18, width, height, filter, scale);
        kernel.launch_shared(grid, block, 18 * 18, arguments).unwrap();
        assert_eq!(found.to_vec(), expected, "filter {filter}");
    }
}
