// The subjects of NumPy's quickstart, in its order, with answers that are checked.

// %% An array has axes, a shape, a type and elements.
let a = arange(0..15).reshape((3, 5));
assert_eq!(a.shape(), [3, 5]);
assert_eq!((a.ndim(), a.size(), a.itemsize()), (2, 15, 4));
assert_eq!(a.dtype().to_string(), "int32");
assert_eq!(gpu![6_i64, 7, 8].dtype().to_string(), "int64");
a

// %% Creation: the type is that of the numbers, or the one in front.
assert_eq!(gpu![1.2, 3.5, 5.1].dtype(), DType::Float64);
assert_eq!(gpu![[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]].shape(), [2, 3]);
let c = gpu![[1, 2], [3, 4]].astype(Complex64);
assert_eq!(c[s![1, 0]].item(), Complex64::new(3.0, 0.0));
assert_eq!(zeros::<f64>((3, 4)).sum().item(), 0.0);
assert_eq!(ones::<i16>((2, 3, 4)).sum().item(), 24);
assert_eq!(empty::<f64>((2, 3)).shape(), [2, 3]);

// %% Ranges.
assert_eq!(arange((10..30).by(5)).to_vec(), [10, 15, 20, 25]);
assert!(allclose(&arange((0.0..2.0).by(0.3)), &gpu![0.0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8]));
assert_eq!(linspace(0.0, 2.0, 9).to_vec(), [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0]);
let x = linspace(0.0, 2.0 * std::f64::consts::PI, 100);
assert!(allclose(&(&x.sin().pow(2) + &x.cos().pow(2)), &ones::<f64>(100)));

// %% Printing.
assert_eq!(arange(0..6).to_string(), "[0 1 2 3 4 5]");
assert_eq!(arange(0..4).reshape((2, 2)).to_string(), "[[0 1]\n [2 3]]");
println!("{}", arange(0..24).reshape((2, 3, 4)));
println!("{}", arange(0..10_000).reshape((100, 100)));

// %% Arithmetic is element by element.
let a = gpu![20, 30, 40, 50];
let b = arange(0..4);
assert_eq!((&a - &b).to_vec(), [20, 29, 38, 47]);
assert_eq!(b.pow(2).to_vec(), [0, 1, 4, 9]);
assert!(allclose(&(10 * a.sin()), &gpu![9.12945251, -9.88031624, 7.4511316, -2.62374854]));
assert_eq!(a.lt(35).to_vec(), [true, true, false, false]);

// %% `*` is no product of matrices; `matmul` and `dot` are.
let (p, q) = (gpu![[1, 1], [0, 1]], gpu![[2, 0], [3, 4]]);
assert!(array_equal(&(&p * &q), &gpu![[2, 0], [0, 4]]));
assert!(array_equal(&p.matmul(&q), &gpu![[5, 4], [3, 4]]));
assert!(array_equal(&p.dot(&q), &gpu![[5, 4], [3, 4]]));

// %% In place, an array keeps its type.
let mut a = ones::<i32>((2, 3));
let mut b = default_rng(1).random::<f64>((2, 3));
a *= 3;
b += &a;
assert!(array_equal(&a, &full((2, 3), 3)));
assert!(b.ge(3).all().item() && b.lt(4).all().item());

// %% Types promote to the more precise one.
let c = ones::<i32>(3) + linspace(0.0, std::f64::consts::PI, 3);
assert_eq!(c.dtype(), DType::Float64);
let d = &c * Complex64::I;
assert_eq!(d.dtype().to_string(), "complex128");
assert!(array_equal(&d.imag(), &c));

// %% Reductions, of all elements and along an axis.
let b = arange(0..12).reshape((3, 4));
assert_eq!((b.sum().item(), b.min().item(), b.max().item()), (66_i64, 0, 11));
assert_eq!(b.sum_axis(0).to_vec(), [12_i64, 15, 18, 21]);
assert_eq!(b.min_axis(1).to_vec(), [0, 4, 8]);
assert!(array_equal(&b.cumsum_axis(1), &gpu![[0_i64, 1, 3, 6], [4, 9, 15, 22], [8, 17, 27, 38]]));

// %% Functions of elements.
let b = arange(0..3);
assert!(allclose(&b.exp(), &gpu![1.0, 2.71828183, 7.3890561]));
assert!(allclose(&b.sqrt(), &gpu![0.0, 1.0, 1.41421356]));
assert_eq!((b + gpu![2.0, -1.0, 4.0]).to_vec(), [2.0, 0.0, 6.0]);

// %% Indexing and slicing one axis.
let mut a = arange(0..10).pow(3);
assert_eq!(a[2].item(), 8);
assert_eq!(a[2..5].to_vec(), [8, 27, 64]);
set!(a[..6; 2] = 1000);
assert_eq!(a.to_vec(), [1000, 1, 1000, 27, 1000, 125, 216, 343, 512, 729]);
assert_eq!(a[s![..; -1]].to_vec(), [729, 512, 343, 216, 125, 1000, 27, 1000, 1, 1000]);
for x in a.to_vec() {
    assert!(f64::from(x).cbrt() < 10.1);
}

// %% Several axes.
let b = GpuArray::from_fn((5, 4), |at| 10 * at[0] as i64 + at[1] as i64);
assert_eq!(b[s![2, 3]].item(), 23);
assert_eq!(b[s![0..5, 1]].to_vec(), [1, 11, 21, 31, 41]);
assert_eq!(b[s![.., 1]].to_vec(), [1, 11, 21, 31, 41]);
assert!(array_equal(&b[s![1..3, ..]], &gpu![[10, 11, 12, 13], [20, 21, 22, 23]]));
assert_eq!(b[-1].to_vec(), [40, 41, 42, 43]);
let c = gpu![[[0, 1, 2], [10, 12, 13]], [[100, 101, 102], [110, 112, 113]]];
assert!(array_equal(&c[s![1, ...]], &gpu![[100, 101, 102], [110, 112, 113]]));
assert!(array_equal(&c[s![..., 2]], &gpu![[2, 13], [102, 113]]));

// %% The parts along the first axis, one after the other.
let mut sums = Vec::new();
for k in 0..b.len() {
    sums.push(b[k].sum().item());
}
assert_eq!(sums, [6, 46, 86, 126, 166]);

// %% Shapes.
let a = (10 * default_rng(2).random::<f64>((3, 4))).floor();
assert_eq!(a.ravel().shape(), [12]);
assert_eq!(a.reshape((6, 2)).shape(), [6, 2]);
assert_eq!(a.t().shape(), [4, 3]);
assert_eq!(a.reshape((3, -1)).shape(), [3, 4]);
assert_eq!(a.resize((2, 6)).shape(), [2, 6]);

// %% Stacking.
let (a, b) = (gpu![[9, 7], [5, 2]], gpu![[1, 9], [5, 1]]);
assert!(array_equal(&vstack((&a, &b)), &gpu![[9, 7], [5, 2], [1, 9], [5, 1]]));
assert!(array_equal(&hstack((&a, &b)), &gpu![[9, 7, 1, 9], [5, 2, 5, 1]]));
let (a, b) = (gpu![4.0, 2.0], gpu![3.0, 8.0]);
assert!(array_equal(&column_stack((&a, &b)), &gpu![[4.0, 3.0], [2.0, 8.0]]));
assert_eq!(hstack((&a, &b)).to_vec(), [4.0, 2.0, 3.0, 8.0]);
assert_eq!(a[s![.., NewAxis]].shape(), [2, 1]);
assert_eq!(concatenate((&arange(1..4), &gpu![0, 4])).to_vec(), [1, 2, 3, 0, 4]);

// %% Splitting.
let a = arange(0..24).reshape((2, 12));
let shapes: Vec<_> = a.hsplit([3, 4]).iter().map(|part| part.shape().to_vec()).collect();
assert_eq!(shapes, [[2, 3], [2, 1], [2, 8]]);
assert_eq!(a.hsplit(3).len(), 3);

// %% Names, views and copies.
let mut a = arange(0..12).reshape((3, 4));
let mut c = a.reshape((2, 6));
set!(c[0, 4] = 1234);
assert_eq!(a[s![1, 0]].item(), 1234);
let mut s = a.slice(s![.., 1..3]);
s.fill(10);
assert!(array_equal(&a, &gpu![[0, 10, 10, 3], [1234, 10, 10, 7], [8, 10, 10, 11]]));
let mut d = a.copy();
set!(d[0, 0] = 9999);
assert_eq!(a[s![0, 0]].item(), 0);

// %% Arrays of indices.
let a = arange(0..12).pow(2);
assert_eq!(a[&gpu![1, 1, 3, 8, 5]].to_vec(), [1, 1, 9, 64, 25]);
assert!(array_equal(&a[&gpu![[3, 4], [9, 7]]], &gpu![[9, 16], [81, 49]]));
let palette = gpu![[0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]];
let image = gpu![[0, 1, 2, 0], [0, 3, 4, 0]];
assert_eq!(palette[&image].shape(), [2, 4, 3]);
assert_eq!(palette[&image][s![1, 1]].to_vec(), [0, 0, 255]);
let a = arange(0..12).reshape((3, 4));
let (i, j) = (gpu![[0, 1], [1, 2]], gpu![[2, 1], [3, 3]]);
assert!(array_equal(&a[s![&i, &j]], &gpu![[2, 5], [7, 11]]));
assert!(array_equal(&a[s![&i, 2]], &gpu![[2, 6], [6, 10]]));
assert_eq!(a[s![.., &j]].shape(), [3, 2, 2]);

// %% The times at which series have their maxima.
let time = linspace(20.0, 145.0, 5);
let data = arange(0..20).sin().reshape((5, 4));
let places = data.argmax_axis(0);
assert_eq!(places.to_vec(), [2, 0, 3, 1]);
assert_eq!(time[&places].to_vec(), [82.5, 20.0, 113.75, 51.25]);
assert!(array_equal(&data[s![&places, &arange(0..4)]], &data.max_axis(0)));

// %% Assignment to places.
let mut a = arange(0..5);
set!(a[&[1, 3, 4]] = 0);
assert_eq!(a.to_vec(), [0, 0, 2, 0, 0]);
let mut a = arange(0..5);
set!(a[&[0, 0, 2]] = gpu![1, 2, 3]);
assert_eq!(a.to_vec(), [2, 1, 3, 3, 4]);

// %% Masks.
let mut a = arange(0..12).reshape((3, 4));
let b = a.gt(4);
assert_eq!(a[&b].to_vec(), [5, 6, 7, 8, 9, 10, 11]);
set!(a[&b] = 0);
assert!(array_equal(&a, &gpu![[0, 1, 2, 3], [4, 0, 0, 0], [0, 0, 0, 0]]));
let a = arange(0..12).reshape((3, 4));
let (b1, b2) = (gpu![false, true, true], gpu![true, false, true, false]);
assert!(array_equal(&a[&b1], &gpu![[4, 5, 6, 7], [8, 9, 10, 11]]));
assert!(array_equal(&a[s![.., &b2]], &gpu![[0, 2], [4, 6], [8, 10]]));
assert_eq!(a[s![&b1, &b2]].to_vec(), [4, 10]);

// %% The Mandelbrot set.
let (h, w, limit) = (40, 40, 20);
let (re, im) = meshgrid((&linspace(-2.5, 1.5, 4 * h + 1), &linspace(-1.5, 1.5, 3 * w + 1)));
let c = re + im * Complex64::I;
let mut z = zeros_like(&c);
let mut time = full(z.shape(), limit);
for i in 0..limit {
    z = &z * &z + &c;
    let diverges = z.abs().gt(2);
    set!(time[&(&diverges & time.eq(limit))] = i);
    set!(z[&diverges] = Complex64::new(2.0, 0.0));
}
assert_eq!(time.shape(), [121, 161]);
assert_eq!((time[s![60, 100]].item(), time[s![0, 0]].item()), (20, 0));

// %% `ix_` takes each of one with each of the others.
let (a, b, c) = (gpu![2, 3, 4, 5], gpu![8, 5, 4], gpu![5, 4, 6, 8, 3]);
let (ax, bx, cx) = (a.reshape((4, 1, 1)), b.reshape((1, 3, 1)), c.reshape((1, 1, 5)));
let result = ax + bx * cx;
assert_eq!(result.shape(), [4, 3, 5]);
assert_eq!(result[s![3, 2, 4]].item(), 17);
let table = arange(0..12).reshape((3, 4));
assert!(array_equal(&table[array::ix_((&gpu![0, 2], &gpu![1, 3]))], &gpu![[1, 3], [9, 11]]));

// %% A length of -1 follows from the others; rows become a matrix; histograms.
assert_eq!(arange(0..30).reshape((2, -1, 3)).shape(), [2, 5, 3]);
let (x, y) = (arange((0..10).by(2)), arange(0..5));
assert!(array_equal(&vstack((&x, &y)), &gpu![[0, 2, 4, 6, 8], [0, 1, 2, 3, 4]]));
let v = default_rng(1).normal(2.0, 0.5, 10_000);
let (counts, edges) = v.histogram(50);
assert_eq!((counts.sum().item(), edges.len()), (10_000, 51));
assert!((v.mean().item() - 2.0).abs() < 0.03);
