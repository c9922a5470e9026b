// Exercises of the kind that people learn NumPy by, each with its answer checked. The numbers are those
// of the collection "100 NumPy exercises".

// %% 3, 4, 6 to 8: vectors.
assert_eq!(zeros::<f64>(10).sum().item(), 0.0);
assert_eq!(zeros::<f64>((10, 10)).nbytes(), 800);
let mut z = zeros::<f64>(10);
set!(z[4] = 1);
assert_eq!(z.to_vec(), [0., 0., 0., 0., 1., 0., 0., 0., 0., 0.]);
let z = arange(10..50);
assert_eq!((z.len(), z[0].item(), z[-1].item()), (40, 10, 49));
assert_eq!(arange(0..50)[s![..; -1]][0].item(), 49);

// %% 9 to 11: matrices and places.
assert!(array_equal(&arange(0..9).reshape((3, 3)), &gpu![[0, 1, 2], [3, 4, 5], [6, 7, 8]]));
assert_eq!(gpu![1, 2, 0, 0, 4, 0].flatnonzero().to_vec(), [0, 1, 4]);
assert!(array_equal(&eye::<i32>(3), &gpu![[1, 0, 0], [0, 1, 0], [0, 0, 1]]));

// %% 12 to 14: random numbers, and their figures.
assert_eq!(rand::<f64>((3, 3, 3)).shape(), [3, 3, 3]);
let z = default_rng(13).random::<f64>((10, 10));
assert!(z.min().item() >= 0.0 && z.max().item() < 1.0);
let mean = default_rng(14).random::<f64>(30).mean().item();
assert!(mean > 0.2 && mean < 0.8);

// %% 15, 16: borders.
let mut z = ones::<i32>((10, 10));
set!(z[1..-1, 1..-1] = 0);
assert_eq!(z.sum().item(), 36);
let z = ones::<i32>((5, 5)).pad(1, 0);
assert_eq!((z.shape(), z.sum().item(), z[0].sum().item()), ([7, 7].as_slice(), 25, 0));

// %% 17: NaN.
let nan = gpu![f64::NAN];
assert!((0.0 * &nan).isnan().all().item());
assert!(!nan.eq(&nan).any().item());
assert!(!gpu![f64::INFINITY].gt(&nan).any().item());
assert!(!gpu![0.3].eq(3.0 * gpu![0.1]).any().item());

// %% 18, 19, 21: diagonals and chessboards.
let z = (1 + arange(0..4)).diag(-1);
assert_eq!((z.shape(), z[s![4, 3]].item(), z.sum().item()), ([5, 5].as_slice(), 4, 10_i64));
let mut z = zeros::<i32>((8, 8));
set!(z[1..; 2, ..; 2] = 1);
set!(z[..; 2, 1..; 2] = 1);
assert!(array_equal(&z, &gpu![[0, 1], [1, 0]].tile((4, 4))));

// %% 20: the 100th element of an array of shape (6, 7, 8).
let place = array::unravel_index(&gpu![99], (6, 7, 8));
assert_eq!(place.iter().map(|axis| axis[0].item()).collect::<Vec<_>>(), [1, 5, 3]);

// %% 22: normalized.
let z = default_rng(22).random::<f64>((5, 5));
let z = (&z - z.mean()) / z.std();
assert!(z.mean().item().abs() < 1e-12 && (z.std().item() - 1.0).abs() < 1e-12);

// %% 24, 25: a product of matrices, and a change of some elements.
assert!(array_equal(&ones::<f64>((5, 3)).matmul(&ones::<f64>((3, 2))), &full((5, 2), 3.0)));
let mut z = arange(0..11);
let inside = z.gt(3) & z.lt(8);
set!(z[&inside] = -&z[&inside]);
assert_eq!(z.to_vec(), [0, 1, 2, 3, -4, -5, -6, -7, 8, 9, 10]);

// %% 29, 30: away from zero; what two arrays share.
let z = gpu![-1.5, 0.2, 2.0, -0.1];
assert_eq!(z.abs().ceil().copysign(&z).to_vec(), [-2.0, 1.0, 2.0, -1.0]);
assert_eq!(gpu![3, 1, 2, 3].intersect1d(&gpu![3, 4, 1]).to_vec(), [1, 3]);

// %% 35: (a + b) * (-a / 2) in place.
let (mut a, mut b) = (full(3, 1.0), full(3, 2.0));
b += &a;
a /= -2.0;
a *= &b;
assert_eq!(a.to_vec(), [-1.5; 3]);

// %% 36: whole parts, in four ways.
let z = default_rng(36).uniform(0.0, 10.0, 10);
let whole = z.floor();
assert!(array_equal(&(&z - &z % 1.0), &whole) && array_equal(&z.trunc(), &whole));
assert!(array_equal(&z.astype(i64).astype(f64), &whole) && array_equal(&z.floor_div(1.0), &whole));

// %% 37 to 39: rows, iterators, open ranges.
let z = zeros::<i32>((5, 5)) + arange(0..5);
assert_eq!(z[3].to_vec(), [0, 1, 2, 3, 4]);
assert_eq!((0..10).map(f64::from).collect::<GpuArray<_>>().sum().item(), 45.0);
let z = linspace(0.0, 1.0, 12)[1..-1].copy();
assert_eq!(z.len(), 10);
assert!(z.gt(0).all().item() && z.lt(1).all().item());

// %% 40, 42: sorted; equal.
let z = default_rng(40).random::<f64>(10).sort();
assert!(z.diff().ge(0).all().item());
let (a, b) = (gpu![1.0, 2.0], gpu![1.0, 2.0 + 1e-12]);
assert!(allclose(&a, &b) && !array_equal(&a, &b));

// %% 44, 45: polar coordinates; the largest becomes 0.
let z = default_rng(44).random::<f64>((10, 2));
let (x, y) = (z.slice(s![.., 0]), z.slice(s![.., 1]));
let (r, t) = ((x.pow(2) + y.pow(2)).sqrt(), y.arctan2(&x));
assert!(allclose(&(&r * t.cos()), &x) && allclose(&(&r * t.sin()), &y));
let mut z = gpu![0.3, 0.9, 0.1];
let largest = z.argmax().item();
set!(z[largest] = 0);
assert_eq!(z.to_vec(), [0.3, 0.0, 0.1]);

// %% 46, 47: a grid, and a Cauchy matrix.
let (x, y) = meshgrid((&linspace(0.0, 1.0, 5), &linspace(0.0, 1.0, 5)));
assert_eq!((x[s![2, 1]].item(), y[s![2, 1]].item()), (0.25, 0.5));
let x = arange(0..8);
let y = &x + 0.5;
let c = 1.0 / (x.expand_dims(1) - &y);
assert_eq!((c.shape(), c[s![1, 0]].item()), ([8, 8].as_slice(), 2.0));

// %% 48: the limits of types are Rust's.
assert_eq!((i8::MIN, i64::MAX, f32::EPSILON), (-128, 9223372036854775807, 1.1920929e-7));

// %% 50, 61: the nearest value.
let z = arange(0..100);
let nearest = (&z - 41.6).abs().argmin().item();
assert_eq!(z[nearest].item(), 42);

// %% 52: distances of points.
let z = default_rng(52).random::<f64>((10, 2));
let d = (z.expand_dims(0) - z.expand_dims(1)).pow(2).sum_axis(2).sqrt();
assert_eq!(d.shape(), [10, 10]);
assert!(d.diagonal(0).eq(0).all().item() && allclose(&d, &d.t()));

// %% 55, 56: places and values; a hill.
let z = arange(0..9).reshape((3, 3));
for (place, value) in ndarray::indices((3, 3)).into_iter().zip(z.to_vec()) {
    assert_eq!(3 * place.0 + place.1, value as usize);
}
let x = linspace(-1.0, 1.0, 11);
let g = (-(x.expand_dims(1).pow(2) + x.pow(2)) / 2.0).exp();
assert_eq!((g.max().item(), g.argmax().item()), (1.0, 60));

// %% 57: three elements at random places.
let mut z = zeros::<i32>((10, 10));
let places = default_rng(57).choice_without_replacement(100, 3);
z.put(&places, 1);
assert_eq!(z.sum().item(), 3);

// %% 58 to 60: rows without their mean, sorted by a column; columns of zeros.
let x = default_rng(58).random::<f64>((5, 10));
let y = &x - x.mean_axis(1).expand_dims(1);
assert!(y.mean_axis(1).abs().lt(1e-12).all().item());
let z = gpu![[3, 9, 1], [4, 2, 6], [7, 5, 0]];
assert!(array_equal(&z[&z[s![.., 1]].argsort()], &gpu![[4, 2, 6], [7, 5, 0], [3, 9, 1]]));
let z = gpu![[0, 1, 0], [2, 0, 0]];
assert!((!z.any_axis(0)).any().item());

// %% 62: a row and a column.
assert!(array_equal(&(arange(0..3).reshape((3, 1)) + arange(0..3)), &gpu![[0, 1, 2], [1, 2, 3], [2, 3, 4]]));

// %% 64, 65, 68: sums over groups.
let places = gpu![1, 3, 9, 3, 4, 1];
let z = ones::<i64>(10) + places.bincount_minlength(10);
assert_eq!(z.to_vec(), [1, 3, 1, 3, 2, 1, 1, 1, 1, 2]);
let f = places.bincount_weights(&gpu![1, 2, 3, 4, 5, 6]);
assert_eq!(f.to_vec(), [0., 7., 0., 6., 5., 0., 0., 0., 0., 3.]);
let (d, s) = (gpu![1.0, 2.0, 3.0, 5.0], gpu![0, 1, 0, 1]);
assert_eq!((s.bincount_weights(&d) / s.bincount()).to_vec(), [2.0, 3.5]);

// %% 66: different colours.
let image = gpu![[[0_u8, 0, 1], [1, 0, 0]], [[0, 0, 1], [1, 1, 1]]].astype(i32);
let colours = &image[s![..., 0]] * 65536 + &image[s![..., 1]] * 256 + &image[s![..., 2]];
assert_eq!(colours.unique().len(), 3);

// %% 67, 69: sums over two axes; the diagonal of a product.
let a = default_rng(67).integers(0..10, (3, 4, 3, 4));
assert!(array_equal(&a.sum_axis((-2, -1)), &a.reshape((3, 4, -1)).sum_axis(-1)));
let mut rng = default_rng(69);
let (a, b) = (rng.random::<f64>((5, 5)), rng.random::<f64>((5, 5)));
assert!(allclose(&a.matmul(&b).diag(0), &(&a * b.t()).sum_axis(1)));

// %% 70 to 72: zeros between, another axis, two rows that change places.
let mut z = zeros::<i32>(17);
set!(z[..; 4] = gpu![1, 2, 3, 4, 5]);
assert_eq!((z[4].item(), z[5].item(), z[16].item()), (2, 0, 5));
let a = ones::<f64>((5, 5, 3)) * full((5, 5), 2.0).expand_dims(2);
assert_eq!((a.shape(), a.sum().item()), ([5, 5, 3].as_slice(), 150.0));
let mut a = arange(0..25).reshape((5, 5));
let swapped = a[&[1, 0]].copy();
set!(a[..2] = &swapped);
assert_eq!((a[s![0, 0]].item(), a[s![1, 0]].item()), (5, 0));

// %% 73: the sides of triangles.
let faces = gpu![[0, 1, 2], [2, 1, 3]];
let sides = faces.repeat_axis(2, 1).roll_axis(-1, 1).reshape((-1, 2)).sort_axis(1);
let names = (&sides[s![.., 0]] * 4 + &sides[s![.., 1]]).unique();
assert!(array_equal(&column_stack((&names.floor_div(4), &(&names % 4))), &gpu![[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]));

// %% 74, 75: from counts to values; moving averages.
let counts = gpu![1, 1, 2, 3, 4, 4, 6].bincount();
let values = arange(0..counts.len() as i64).repeat(counts.to_vec());
assert_eq!(values.to_vec(), [1, 1, 2, 3, 4, 4, 6]);
let sums = arange(0..20).pad([(1, 0)], 0).cumsum();
let means = (&sums[3..] - &sums[..-3]) / 3;
assert!(allclose(&means, &arange(1..19)));

// %% 76, 81: windows.
let z = arange(1..15);
let windows = z[&(arange(0..11).expand_dims(1) + arange(0..4))].copy();
assert_eq!((windows.shape(), windows[10].to_vec()), ([11, 4].as_slice(), vec![11, 12, 13, 14]));

// %% 77: in place.
let mut z = gpu![true, false];
z = !z;
assert_eq!(z.to_vec(), [false, true]);
let mut z = gpu![1.0, -2.0];
z *= -1;
assert_eq!(z.to_vec(), [-1.0, 2.0]);

// %% 78, 79: distances of points from lines.
let (p0, p1) = (gpu![[0.0, 0.0], [0.0, 1.0]], gpu![[1.0, 0.0], [1.0, 1.0]]);
let p = gpu![[0.5, 3.0], [7.0, -1.0], [0.0, 0.0]];
let t = &p1 - &p0;
let from = p.expand_dims(1) - &p0;
let along = (&from * &t).sum_axis(2) / t.pow(2).sum_axis(1);
let d = (&from - along.expand_dims(2) * &t).pow(2).sum_axis(2).sqrt();
assert!(allclose(&d, &gpu![[3.0, 2.0], [1.0, 2.0], [0.0, 1.0]]));

// %% 83: the most frequent value.
assert_eq!(gpu![3, 1, 3, 2, 1, 3].bincount().argmax().item(), 3);

// %% 86, 87: sums of products; sums of blocks.
let (m, v) = (ones::<f64>((10, 20, 20)), ones::<f64>((10, 20, 1)));
let s = m.matmul(&v).sum_axis(0);
assert_eq!((s.shape(), s[0].to_vec()), ([20, 1].as_slice(), vec![200.0]));
let z = arange(0..256).reshape((16, 16));
let s = z.reshape((4, 4, 4, 4)).sum_axis((1, 3));
assert_eq!((s.shape(), s[s![0, 0]].item()), ([4, 4].as_slice(), 408_i64));

// %% 88: the game of life; a glider is one place further after four steps.
let mut z = zeros::<i32>((10, 10));
for (row, column) in [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)] {
    set!(z[row, column] = 1);
}
let start = z.copy();
for _ in 0..4 {
    let around = z.pad(1, 0);
    let mut n = -&z;
    for i in 0..3 {
        for j in 0..3 {
            n += &around[s![i..i + 10, j..j + 10]];
        }
    }
    z = (n.eq(3) | (n.eq(2) & z.eq(1))).astype(i32);
}
assert!(array_equal(&z, &start.roll_axis((1, 1), (0, 1))));

// %% 89, 90: the largest; each with each.
let z = default_rng(89).permutation(10_000);
assert_eq!(z.sort()[-5..].to_vec(), [9995, 9996, 9997, 9998, 9999]);
let (x, y, w) = array::meshgrid_ij((&gpu![1, 2, 3], &gpu![4, 5], &gpu![6, 7]));
let all = stack_axis((&x.ravel(), &y.ravel(), &w.ravel()), 1);
assert_eq!((all.shape(), all[5].to_vec()), ([12, 3].as_slice(), vec![2, 4, 7]));

// %% 92: cubes.
let x = default_rng(92).random::<f64>(1000);
assert!(allclose(&x.pow(3), &(&x * &x * &x)));

// %% 93, 94: rows that share elements; rows that are not all the same.
let (a, b) = (gpu![[0, 1, 2], [3, 4, 4], [1, 3, 0]], gpu![[0, 2], [1, 3]]);
let shared = a.reshape((3, 3, 1, 1)).eq(&b).any_axis((1, 3)).all_axis(1);
assert_eq!(shared.flatnonzero().to_vec(), [0, 2]);
let z = gpu![[2, 2, 2], [2, 2, 3]];
assert!(array_equal(&z[&z.max_axis(1).ne(z.min_axis(1))], &gpu![[2, 2, 3]]));

// %% 95: bits.
let i = gpu![0, 1, 2, 3, 15, 128];
let bits = ((i.expand_dims(1) >> arange(0..8).flip()) & 1);
assert_eq!(bits[4].to_vec(), [0, 0, 0, 0, 1, 1, 1, 1]);

// %% 98: a spiral in equal steps.
let phi = arange((0.0..31.4).by(0.1));
let (x, y) = (&phi * phi.cos(), &phi * phi.sin());
let r = (x.diff().pow(2) + y.diff().pow(2)).sqrt().pad([(1, 0)], 0).cumsum();
let steps = linspace(0.0, r.max().item(), 200);
let (x, y) = (steps.interp(&r, &x), steps.interp(&r, &y));
let lengths = (x.diff().pow(2) + y.diff().pow(2)).sqrt();
assert!(lengths.std().item() < 0.05 * lengths.mean().item());

// %% 99, 100: draws from a multinomial distribution; the bootstrap.
let x = gpu![[1.0, 0.0, 3.0, 8.0], [2.0, 0.0, 1.0, 1.0], [1.5, 2.5, 1.0, 0.0]];
let whole = (&x % 1.0).eq(0).all_axis(-1) & x.sum_axis(-1).eq(4);
assert!(array_equal(&x[&whole], &gpu![[2.0, 0.0, 1.0, 1.0]]));
let mut rng = default_rng(100);
let x = rng.standard_normal::<f64>(100);
let means = x[&rng.integers(0..100, (1000, 100))].mean_axis(1).sort();
let (low, high) = (means[25].item(), means[975].item());
assert!(low < x.mean().item() && x.mean().item() < high && high - low < 0.6);
