//! Particles, fields and chance.

use super::*;

/// The accelerations of bodies, and for each a bound of what was added up.
fn accelerations(bodies: &[[f64; 4]]) -> Vec<([f64; 3], f64)> {
    let softening = f64::from(1e-2_f32);
    let pull = |at: &[f64; 4]| {
        let (mut sum, mut total) = ([0.0; 3], 0.0);
        for of in bodies {
            let d = [of[0] - at[0], of[1] - at[1], of[2] - at[2]];
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening;
            let scale = of[3] / (square * square.sqrt());
            for axis in 0..3 {
                sum[axis] += d[axis] * scale;
                total += (d[axis] * scale).abs();
            }
        }
        (sum, total)
    };
    bodies.iter().map(pull).collect()
}

#[test]
fn bodies_that_attract_each_other() {
    let module = module(include_str!("bodies.cu"));
    let forces = module.get_function("accelerations").unwrap();
    let step = module.get_function("kick_and_drift").unwrap();
    let n = 300;
    let mut random = SplitMix64::new(11);
    let mut start = random.vec_f32(4 * n);
    start.chunks_mut(4).for_each(|body| body[3] = (1.5 + body[3]) / n as f32);
    let blocks = n.div_ceil(128);

    let mut reference: Vec<[f64; 4]> =
        start.chunks(4).map(|body| std::array::from_fn(|axis| f64::from(body[axis]))).collect();
    let (mut bodies, mut found) = (to_gpu(&start), zeros::<f32>((n, 3)));
    forces.launch(blocks, 128, (&bodies, &mut found, n)).unwrap();
    for (found, (expected, total)) in found.to_vec().chunks(3).zip(accelerations(&reference)) {
        // n terms are added, of about ten operations each.
        all_close(found, &expected, (n as f64 + 10.0) * UNIT_F32 * total);
    }

    let mut velocities = zeros::<f32>((n, 3));
    let mut reference_velocities = vec![[0.0; 3]; n];
    let dt = 0.015625;
    for _ in 0..4 {
        for drift in [true, false] {
            forces.launch(blocks, 128, (&bodies, &mut found, n)).unwrap();
            step.launch(n.div_ceil(96), 96, (&mut bodies, &mut velocities, &found, n, dt, drift)).unwrap();
            let now = accelerations(&reference);
            for (k, (acceleration, _)) in now.iter().enumerate() {
                for axis in 0..3 {
                    reference_velocities[k][axis] += 0.5 * dt * acceleration[axis];
                    if drift {
                        reference[k][axis] += dt * reference_velocities[k][axis];
                    }
                }
            }
        }
    }
    // An acceleration is off by 1e-4 at most, and counts for a sixteenth of a
    // unit of time.
    all_close(&bodies.to_vec(), reference.as_flattened(), 1e-5);
    all_close(&velocities.to_vec(), reference_velocities.as_flattened(), 1e-5);
}

#[test]
fn a_fluid_on_a_lattice() {
    let kernel = module(include_str!("lattice.cu")).get_function("stream_and_collide").unwrap();
    let (width, height, omega) = (37_usize, 23_usize, 1.25);
    let sites = width * height;
    let (cx, cy) = ([0, 1, 0, -1, 0, 1, -1, -1, 1], [0, 0, 1, 0, -1, 1, 1, -1, -1]);
    let weight: [f64; 9] = std::array::from_fn(|k| match k {
        0 => 4.0 / 9.0,
        1..5 => 1.0 / 9.0,
        _ => 1.0 / 36.0,
    });
    let mut random = SplitMix64::new(12);
    let start: Vec<f32> =
        (0..9 * sites).map(|k| weight[k / sites] as f32 * (1.0 + 0.1 * random.f32())).collect();

    let (mut from, mut to) = (to_gpu(&start), zeros::<f32>(9 * sites));
    let mut f: Vec<f64> = start.iter().map(|x| f64::from(*x)).collect();
    for _ in 0..6 {
        let grid = (width.div_ceil(16), height.div_ceil(8));
        kernel.launch(grid, (16, 8), (&from, &mut to, width, height, omega)).unwrap();
        std::mem::swap(&mut from, &mut to);
        let mut next = vec![0.0; 9 * sites];
        for site in 0..sites {
            let (x, y) = ((site % width) as i32, (site / width) as i32);
            let arrived: [f64; 9] = std::array::from_fn(|k| {
                let (x, y) = ((x - cx[k]).rem_euclid(width as i32), (y - cy[k]).rem_euclid(height as i32));
                f[k * sites + y as usize * width + x as usize]
            });
            let density: f64 = arrived.iter().sum();
            let along =
                |c: &[i32; 9]| arrived.iter().zip(c).map(|(f, c)| f * f64::from(*c)).sum::<f64>() / density;
            let (ux, uy) = (along(&cx), along(&cy));
            for k in 0..9 {
                let along = 3.0 * (f64::from(cx[k]) * ux + f64::from(cy[k]) * uy);
                let square = 1.5 * (ux * ux + uy * uy);
                let equilibrium = weight[k] * density * (1.0 + along + 0.5 * along * along - square);
                next[k * sites + site] = arrived[k] + omega * (equilibrium - arrived[k]);
            }
        }
        f = next;
    }
    // Populations are below 0.5; a step has about forty operations.
    all_close(&from.to_vec(), &f, 6.0 * 40.0 * UNIT_F32);
    let mass: f64 = start.iter().map(|x| f64::from(*x)).sum();
    close(from.to_vec().iter().map(|x| f64::from(*x)).sum::<f64>(), mass, 1e-5 * mass);
}

fn mixed(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

#[test]
fn spins_on_a_checkerboard() {
    let sweep = module(include_str!("ising.cu")).get_function("sweep").unwrap();
    let (width, height, seed) = (58_usize, 34_usize, 77_u32);
    let mut random = SplitMix64::new(13);
    let mut expected: Vec<i8> =
        (0..width * height).map(|_| if random.below(2) == 0 { -1 } else { 1 }).collect();
    let chance =
        |energy: f64| if energy <= 0.0 { u32::MAX } else { ((-0.44 * energy).exp() * 4.29e9) as u32 };
    let accepted: [u32; 5] = std::array::from_fn(|k| chance(4.0 * (k as f64 - 2.0)));
    let mut spins = to_gpu(&expected);
    for number in 0..6_u32 {
        for colour in 0..2 {
            let grid = (width.div_ceil(2 * 16), height.div_ceil(8));
            let arguments = (&mut spins, In(&accepted), width, height, colour, number, seed);
            sweep.launch(grid, (16, 8), arguments).unwrap();
            for y in 0..height {
                for x in (0..width).filter(|x| (x + y) % 2 == colour) {
                    let at = |x: usize, y: usize| expected[y % height * width + x % width];
                    let neighbours =
                        at(x + 1, y) + at(x + width - 1, y) + at(x, y + 1) + at(x, y + height - 1);
                    let site = y * width + x;
                    let cost = expected[site] * neighbours / 2 + 2;
                    let number = mixed(mixed(mixed(seed).wrapping_add(number)).wrapping_add(site as u32));
                    if number < accepted[cost as usize] {
                        expected[site] = -expected[site];
                    }
                }
            }
        }
    }
    assert_eq!(spins.to_vec(), expected);
}

fn xorshift(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

#[test]
fn points_in_a_circle() {
    let kernel = module(include_str!("chance.cu")).get_function("points_inside").unwrap();
    let (threads, points, seed) = (1000_u32, 50, 4_000_000_007_u32);
    let mut inside = zeros::<u64>(1);
    kernel.launch(threads.div_ceil(96), 96, (&mut inside, threads, points, seed)).unwrap();
    let mut expected = 0;
    for i in 0..threads {
        let mut state = seed.wrapping_add(2_654_435_761_u32.wrapping_mul(i + 1));
        for _ in 0..points {
            let (x, y) = (u64::from(xorshift(&mut state) >> 1), u64::from(xorshift(&mut state) >> 1));
            expected += u64::from(x * x + y * y < 1 << 62);
        }
    }
    assert_eq!(inside.item(), expected);
    // Five standard deviations of a mean of 50 000 points.
    close(4.0 * expected as f64 / 50_000.0, std::f64::consts::PI, 0.037);
}

#[test]
fn walks_between_two_walls() {
    let kernel = module(include_str!("chance.cu")).get_function("walks").unwrap();
    let (places, walkers, steps, seed) = (21, 700_u32, 120, 99_u32);
    let mut ends = vec![0_u32; places];
    kernel.launch(walkers.div_ceil(64), 64, (InOut(&mut ends), places, walkers, steps, seed)).unwrap();
    let mut expected = vec![0_u32; places];
    for i in 0..walkers {
        let mut state = seed ^ 747_796_405_u32.wrapping_mul(i).wrapping_add(1);
        let mut place = places as i32 / 2;
        for _ in 0..steps {
            place += if xorshift(&mut state) & 0x8000 != 0 { 1 } else { -1 };
            if place < 0 {
                place = 1;
            } else if place >= places as i32 {
                place = places as i32 - 2;
            }
        }
        expected[place as usize] += 1;
    }
    assert_eq!(ends, expected);
}

#[test]
fn waves_between_conducting_walls() {
    let module = module(include_str!("waves.cu"));
    let magnetic = module.get_function("magnetic").unwrap();
    let electric = module.get_function("electric").unwrap();
    let (width, height, courant) = (50_usize, 37_usize, 0.5);
    let field = || zeros::<f32>((height, width));
    let (mut e, mut hx, mut hy) = (field(), field(), field());
    let mut reference = [vec![0.0; width * height], vec![0.0; width * height], vec![0.0; width * height]];
    let grid = (width.div_ceil(16), height.div_ceil(16));
    for step in 0..14 {
        let source = f64::from((0.4 * f64::from(step)).sin() as f32);
        magnetic.launch(grid, (16, 16), (&e, &mut hx, &mut hy, width, height, courant)).unwrap();
        electric.launch(grid, (16, 16), (&mut e, &hx, &hy, width, height, courant, source)).unwrap();
        let [e, hx, hy] = &mut reference;
        for y in 0..height {
            for x in 0..width {
                let at = y * width + x;
                if y + 1 < height {
                    hx[at] -= courant * (e[at + width] - e[at]);
                }
                if x + 1 < width {
                    hy[at] += courant * (e[at + 1] - e[at]);
                }
            }
        }
        for y in 1..height - 1 {
            for x in 1..width - 1 {
                let at = y * width + x;
                e[at] += courant * (hy[at] - hy[at - 1] - hx[at] + hx[at - width]);
            }
        }
        e[height / 2 * width + width / 3] += source;
    }
    // The scheme is stable: errors add up. Fields are below two.
    let [expected, ..] = reference;
    let found: Vec<f32> = e.to_vec();
    all_close(&found, &expected, 14.0 * 2.0 * 10.0 * UNIT_F32);
}

#[test]
fn substances_that_react_and_spread() {
    let react = module(include_str!("reaction.cu")).get_function("react").unwrap();
    let (width, height, feed, kill) = (45_usize, 35_usize, 0.0367, 0.0649);
    let mut random = SplitMix64::new(14);
    let start: Vec<f32> = (0..width * height)
        .flat_map(|_| [0.75 + 0.25 * random.f32(), 0.125 + 0.125 * random.f32()])
        .collect();
    let mut expected: Vec<f64> = start.iter().map(|x| f64::from(*x)).collect();
    let (mut from, mut to) = (to_gpu(&start), empty::<f32>(2 * width * height));
    for _ in 0..8 {
        let grid = (width.div_ceil(16), height.div_ceil(16));
        react.launch(grid, (16, 16), (&from, &mut to, width, height, feed, kill)).unwrap();
        std::mem::swap(&mut from, &mut to);
        let before = expected.clone();
        for y in 0..height {
            for x in 0..width {
                let at =
                    |x: usize, y: usize, part: usize| before[2 * (y % height * width + x % width) + part];
                let spread = |part| {
                    at(x + 1, y, part)
                        + at(x + width - 1, y, part)
                        + at(x, y + 1, part)
                        + at(x, y + height - 1, part)
                        - 4.0 * at(x, y, part)
                };
                let (u, v) = (at(x, y, 0), at(x, y, 1));
                expected[2 * (y * width + x)] = u + 0.16 * spread(0) - u * v * v + feed * (1.0 - u);
                expected[2 * (y * width + x) + 1] = v + 0.08 * spread(1) + u * v * v - (feed + kill) * v;
            }
        }
    }
    // About twenty operations a step; what is wrong grows by less than
    // 1 + 2uv + v^2 < 1.6 in each.
    all_close(&from.to_vec(), &expected, 20.0 * UNIT_F32 * 1.6_f64.powi(8) * 2.0);
}

#[test]
fn particles_in_cells() {
    let module = module(include_str!("cells.cu"));
    let get = |name| module.get_function(name).unwrap();
    let (n, cells) = (500_usize, 7_usize);
    let places: Vec<f32> = SplitMix64::new(15).vec_f32(2 * n).iter().map(|x| 0.5 * x + 0.5).collect();
    let array = to_gpu(&places);
    let (mut counts, mut order) = (zeros::<i32>(cells * cells), empty::<i32>(n));
    let (mut starts, mut next) = (empty::<i32>(cells * cells + 1), empty::<i32>(cells * cells));
    let mut found = vec![0.0_f32; 2 * n];
    get("count").launch(n.div_ceil(128), 128, (&array, n, &mut counts, cells)).unwrap();
    get("find_starts")
        .launch_shared(1, 20, 20 * 4, (&counts, &mut starts, &mut next, cells * cells))
        .unwrap();
    get("fill").launch(n.div_ceil(64), 64, (&array, n, &mut next, &mut order, cells)).unwrap();
    get("forces").launch(n.div_ceil(64), 64, (&array, &starts, &order, Out(&mut found), n, cells)).unwrap();

    let cell = |k: usize| {
        let along = |x: f32| ((x * cells as f32) as usize).min(cells - 1);
        along(places[2 * k + 1]) * cells + along(places[2 * k])
    };
    let (order, starts) = (order.to_vec(), starts.to_vec());
    for (of, range) in starts.windows(2).enumerate() {
        let mut within = order[range[0] as usize..range[1] as usize].to_vec();
        within.sort_unstable();
        assert_eq!(within, (0..n as i32).filter(|k| cell(*k as usize) == of).collect::<Vec<i32>>());
    }

    let mut expected = vec![0.0; 2 * n];
    for i in 0..n {
        for k in (0..n).filter(|k| *k != i) {
            let d: [f64; 2] = std::array::from_fn(|axis| {
                let d = f64::from(places[2 * i + axis]) - f64::from(places[2 * k + axis]);
                d - d.round_ties_even()
            });
            let distance = d[0].hypot(d[1]) * cells as f64;
            if distance < 1.0 {
                expected[2 * i] += (1.0 - distance) * d[0];
                expected[2 * i + 1] += (1.0 - distance) * d[1];
            }
        }
    }
    // Some forty neighbours, whose terms are off by 1e-7 each.
    all_close(&found, &expected, 1e-5);
}

#[test]
fn lorenz_systems() {
    let integrate = module(include_str!("lorenz.cu")).get_function("integrate").unwrap();
    let (n, steps, dt) = (77_usize, 100, 0.01);
    let mut random = SplitMix64::new(16);
    let rho: Vec<f64> = (0..n).map(|k| 24.0 + 0.1 * k as f64).collect();
    let start: Vec<[f64; 3]> =
        (0..n).map(|_| [8.0 + random.f64(), 8.0 + random.f64(), 27.0 + random.f64()]).collect();
    let [mut x, mut y, mut z]: [Vec<f64>; 3] =
        std::array::from_fn(|axis| start.iter().map(|state| state[axis]).collect());
    let arguments = (InOut(&mut x), InOut(&mut y), InOut(&mut z), In(&rho), n, steps, dt);
    integrate.launch(2, 32, arguments).unwrap();
    for k in 0..n {
        let slope = |[x, y, z]: [f64; 3]| [10.0 * (y - x), x * (rho[k] - z) - y, x * y - 8.0 / 3.0 * z];
        let along = |s: [f64; 3], t: f64, d: [f64; 3]| std::array::from_fn(|axis| s[axis] + t * d[axis]);
        let mut s = start[k];
        for _ in 0..steps {
            let a = slope(s);
            let b = slope(along(s, 0.5 * dt, a));
            let c = slope(along(s, 0.5 * dt, b));
            let d = slope(along(s, dt, c));
            let sum: [f64; 3] = std::array::from_fn(|axis| a[axis] + 2.0 * b[axis] + 2.0 * c[axis] + d[axis]);
            s = along(s, dt / 6.0, sum);
        }
        // States are near 30, and neighbours part by less than exp(12) in a
        // unit of time, the rate at the origin.
        all_close(&[x[k], y[k], z[k]], &s, 100.0 * 30.0 * UNIT_F64 * 12.0_f64.exp());
    }
}

/// The normal distribution, by a series of positive terms (Marsaglia, 2004).
fn normal(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for k in 1..200 {
        term *= x * x / f64::from(2 * k + 1);
        sum += term;
    }
    0.5 + sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// The prices of a call and a put by the formula of Black and Scholes.
fn black_scholes(s: f64, x: f64, t: f64, rate: f64, volatility: f64) -> (f64, f64) {
    let width = volatility * t.sqrt();
    let d1 = ((s / x).ln() + (rate + 0.5 * volatility * volatility) * t) / width;
    let (d2, discounted) = (d1 - width, x * (-rate * t).exp());
    let call = s * normal(d1) - discounted * normal(d2);
    (call, call - s + discounted)
}

#[test]
fn options_by_the_formula() {
    let module = module(include_str!("options.cu"));
    let n = 250;
    let mut random = SplitMix64::new(17);
    let mut between = |low: f32, high: f32| -> Vec<f32> {
        (0..n).map(|_| low + (high - low) * (0.5 + 0.5 * random.f32())).collect()
    };
    let (price, strike, years) = (between(20.0, 100.0), between(20.0, 100.0), between(0.25, 4.0));
    let (mut call, mut put) = (vec![0.0_f32; n], empty::<f32>(n));
    let arguments = (Out(&mut call), &mut put, In(&price), &to_gpu(&strike), In(&years), 0.0625, 0.25_f32, n);
    module.get_function("black_scholes").unwrap().launch(n.div_ceil(96), 96, arguments).unwrap();
    let put = put.to_vec();
    for k in 0..n {
        let wide = |x: &[f32]| f64::from(x[k]);
        let expected = black_scholes(wide(&price), wide(&strike), wide(&years), 0.0625, 0.25);
        // The polynomial is off by 7.5e-8, and prices by a few units in 100.
        close(call[k], expected.0, 2e-4);
        close(put[k], expected.1, 2e-4);
    }

    let price: Vec<f64> = (0..n).map(|k| 60.0 + 0.3 * k as f64).collect();
    let mut call = zeros::<f64>(n);
    let kernel = module.get_function("black_scholes_precise").unwrap();
    kernel.launch(n.div_ceil(128), 128, (&mut call, In(&price), 100.0, 2.0, 0.03, 0.3, n)).unwrap();
    for (call, price) in call.to_vec().into_iter().zip(price) {
        close(call, black_scholes(price, 100.0, 2.0, 0.03, 0.3).0, 1e-11);
    }
}

#[test]
fn american_options_by_a_tree() {
    let kernel = module(include_str!("options.cu")).get_function("american_put").unwrap();
    let (levels, strike, years, rate, volatility) = (50_usize, 100.0, 1.0, 0.05, 0.3);
    let price: Vec<f64> = (0..13).map(|k| 70.0 + 5.0 * f64::from(k)).collect();
    let mut found = vec![0.0_f64; price.len()];
    let arguments = (Out(&mut found), In(&price), strike, years, rate, volatility, levels);
    kernel.launch_shared(price.len(), 64, (levels + 1) * 8, arguments).unwrap();
    for (found, s) in found.into_iter().zip(price) {
        let dt = years / levels as f64;
        let (up, growth) = (f64::exp(volatility * dt.sqrt()), f64::exp(rate * dt));
        let chance = (growth - 1.0 / up) / (up - 1.0 / up);
        let now = |k: usize, level: usize| strike - s * up.powi(2 * k as i32 - level as i32);
        let mut value: Vec<f64> = (0..=levels).map(|k| now(k, levels).max(0.0)).collect();
        for level in (0..levels).rev() {
            for k in 0..=level {
                let kept = (chance * value[k + 1] + (1.0 - chance) * value[k]) / growth;
                value[k] = kept.max(now(k, level));
            }
        }
        // Prices up to 100 and powers of a few units, averaged 50 times.
        close(found, value[0], 1e-10);
    }
}
