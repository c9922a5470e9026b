// The subjects of NumPy's "absolute basics for beginners", in its order, with answers that are checked. Of its sections these
// have no cell: help is `?name` at the prompt and Shift-Tab in a notebook, and text files are `std::fs` and `split`, below.

// %% An array from numbers; elements and slices are read between brackets.
let mut a = gpu![1, 2, 3, 4, 5, 6];
assert_eq!(a[0].item(), 1);
set!(a[0] = 10);
assert_eq!(a[..3].to_vec(), [10, 2, 3]);

// %% A slice shares the memory of its array. What NumPy writes through a view is written through the array.
assert!(a[3..].may_share_memory(&a));
set!(a[3] = 40);
assert_eq!(a.to_vec(), [10, 2, 3, 40, 5, 6]);

// %% Nested brackets, and an index for each axis.
let a = gpu![[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]];
assert_eq!(a[s![1, 3]].item(), 8);
assert_eq!((a.ndim(), a.shape().to_vec(), a.size()), (2, vec![3, 4], 12));
assert_eq!(a.size(), a.shape().iter().product());
assert_eq!(a.dtype().to_string(), "int32");

// %% Zeros, ones, ranges.
assert_eq!(zeros::<f64>(2).to_vec(), [0.0; 2]);
assert_eq!(ones::<f64>(2).to_vec(), [1.0; 2]);
assert_eq!(empty::<f64>(2).size(), 2);
assert_eq!(arange(0..4).to_vec(), [0, 1, 2, 3]);
assert_eq!(arange((2..9).by(2)).to_vec(), [2, 4, 6, 8]);
assert_eq!(linspace(0.0, 10.0, 5).to_vec(), [0.0, 2.5, 5.0, 7.5, 10.0]);
assert_eq!(ones::<i64>(2).dtype(), DType::Int64);

// %% Sorting and joining.
let unordered = gpu![2, 1, 5, 3, 7, 4, 6, 8];
assert_eq!(unordered.sort().to_vec(), [1, 2, 3, 4, 5, 6, 7, 8]);
assert_eq!(unordered.argsort().to_vec(), [1, 0, 3, 5, 2, 6, 4, 7]);
assert_eq!(unordered.sort().searchsorted(5).item(), 4);
assert_eq!(unordered.partition(3)[3].item(), 4);
assert_eq!(concatenate((&gpu![1, 2, 3, 4], &gpu![5, 6, 7, 8])).to_vec(), [1, 2, 3, 4, 5, 6, 7, 8]);
let tall = concatenate((&gpu![[1, 2], [3, 4]], &gpu![[5, 6]]));
assert!(array_equal(&tall, &gpu![[1, 2], [3, 4], [5, 6]]));

// %% Shapes.
let example = arange(0..24).reshape((3, 2, 4));
assert_eq!((example.ndim(), example.size(), example.shape().to_vec()), (3, 24, vec![3, 2, 4]));
let six = arange(0..6);
assert!(array_equal(&six.reshape((3, 2)), &gpu![[0, 1], [2, 3], [4, 5]]));
assert_eq!(six.reshape((1, 6)).shape(), [1, 6]);
let columns = six.reshape_order((2, 3), memory::Order::F);
assert!(array_equal(&columns, &gpu![[0, 2, 4], [1, 3, 5]]));

// %% New axes.
let a = gpu![1, 2, 3, 4, 5, 6];
assert_eq!(a[s![NewAxis, ..]].shape(), [1, 6]);
assert_eq!(a[s![.., NewAxis]].shape(), [6, 1]);
assert_eq!(a.expand_dims(1).shape(), [6, 1]);
assert_eq!(a.expand_dims(0).shape(), [1, 6]);

// %% Ends and beginnings.
let data = gpu![1, 2, 3];
assert_eq!(data[1].item(), 2);
assert_eq!((data[0..2].to_vec(), data[1..].to_vec(), data[s![-2..]].to_vec()), (vec![1, 2], vec![2, 3], vec![2, 3]));

// %% Elements that fulfil a condition.
let a = gpu![[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]];
assert_eq!(a[&a.lt(5)].to_vec(), [1, 2, 3, 4]);
let five_up = a.ge(5);
assert_eq!(a[&five_up].to_vec(), [5, 6, 7, 8, 9, 10, 11, 12]);
assert_eq!(a[&(&a % 2).eq(0)].to_vec(), [2, 4, 6, 8, 10, 12]);
assert_eq!(a[&(a.gt(2) & a.lt(11))].to_vec(), [3, 4, 5, 6, 7, 8, 9, 10]);
assert!(array_equal(&(a.gt(5) | a.eq(5)), &five_up));

// %% Where they are.
let places = a.lt(5).nonzero();
assert_eq!((places[0].to_vec(), places[1].to_vec()), (vec![0; 4], vec![0, 1, 2, 3]));
let coordinates: Vec<(i64, i64)> = places[0].to_vec().into_iter().zip(places[1].to_vec()).collect();
assert_eq!(coordinates, [(0, 0), (0, 1), (0, 2), (0, 3)]);
assert_eq!(a[s![&places[0], &places[1]]].to_vec(), [1, 2, 3, 4]);
assert_eq!(a.eq(42).nonzero()[0].size(), 0);

// %% Parts of arrays, stacked and split.
assert_eq!(arange(1..11)[3..8].to_vec(), [4, 5, 6, 7, 8]);
let (a1, a2) = (gpu![[1, 1], [2, 2]], gpu![[3, 3], [4, 4]]);
assert!(array_equal(&vstack((&a1, &a2)), &gpu![[1, 1], [2, 2], [3, 3], [4, 4]]));
assert!(array_equal(&hstack((&a1, &a2)), &gpu![[1, 1, 3, 3], [2, 2, 4, 4]]));
let x = arange(1..25).reshape((2, 12));
let thirds = x.hsplit(3);
assert!(array_equal(&thirds[1], &gpu![[5, 6, 7, 8], [17, 18, 19, 20]]));
let widths: Vec<usize> = x.hsplit([3, 4]).iter().map(|part| part.shape()[1]).collect();
assert_eq!(widths, [3, 1, 8]);

// %% A view writes into its array, a copy does not.
let mut a = gpu![[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]];
let copy = a.copy();
set!(a[0, 0] = 99);
assert_eq!((a[s![0, ..]].to_vec(), copy[s![0, 0]].item()), (vec![99, 2, 3, 4], 1));

// %% Arithmetic.
let (data, one) = (gpu![1, 2], ones::<i32>(2));
assert_eq!((&data + &one).to_vec(), [2, 3]);
assert_eq!((&data - &one).to_vec(), [0, 1]);
assert_eq!((&data * &data).to_vec(), [1, 4]);
assert_eq!((&data / &data).to_vec(), [1.0, 1.0]);
assert_eq!(gpu![1, 2, 3, 4].sum().item(), 10_i64);
let b = gpu![[1, 1], [2, 2]];
assert_eq!((b.sum_axis(0).to_vec(), b.sum_axis(1).to_vec()), (vec![3_i64, 3], vec![2_i64, 4]));

// %% Broadcasting, and shapes that do not fit.
let miles = gpu![1.0, 2.0];
assert_eq!((&miles * 1.6).to_vec(), [1.6, 3.2]);
let refused = std::panic::catch_unwind(|| (arange(0..3) + arange(0..4)).to_vec());
assert!(refused.is_err());

// %% Reductions.
assert_eq!((miles.max().item(), miles.min().item(), miles.sum().item()), (2.0, 1.0, 3.0));
let a = gpu![[0.45, 0.17, 0.34, 0.55], [0.54, 0.05, 0.40, 0.56], [0.12, 0.82, 0.26, 0.57]];
assert!((a.sum().item() - 4.83).abs() < 1e-12);
assert_eq!(a.min().item(), 0.05);
assert_eq!(a.min_axis(0).to_vec(), [0.12, 0.05, 0.26, 0.55]);
assert!((a.mean().item() - 4.83 / 12.0).abs() < 1e-12 && a.std().item() > 0.2 && a.prod().item() > 0.0);

// %% Matrices.
let data = gpu![[1, 2], [3, 4], [5, 6]];
assert_eq!(data[s![0, 1]].item(), 2);
assert!(array_equal(&data[1..3], &gpu![[3, 4], [5, 6]]));
assert_eq!(data[s![0..2, 0]].to_vec(), [1, 3]);
assert_eq!((data.max().item(), data.min().item(), data.sum().item()), (6, 1, 21_i64));
let other = gpu![[1, 2], [5, 3], [4, 6]];
assert_eq!((other.max_axis(0).to_vec(), other.max_axis(1).to_vec()), (vec![5, 6], vec![2, 5, 6]));
assert!(array_equal(&(&data + &gpu![[1, 1]]), &gpu![[2, 3], [4, 5], [6, 7]]));
ones::<f64>((4, 3, 2))

// %% Random numbers.
let rng = default_rng(0);
assert_eq!(rng.random::<f64>((3, 2)).shape(), [3, 2]);
let small = rng.integers(0..5, (2, 4));
assert!(small.ge(0).all().item() && small.lt(5).all().item());

// %% Distinct elements, with their places and how often they occur.
let a = gpu![11, 11, 12, 13, 14, 15, 16, 17, 12, 13, 11, 14, 18, 19, 20];
assert_eq!(a.unique().to_vec(), (11..=20).collect::<Vec<_>>());
assert_eq!(a.unique_index().1.to_vec(), [0, 2, 3, 4, 5, 6, 7, 12, 13, 14]);
assert_eq!(a.unique_counts().1.to_vec(), [3, 2, 2, 2, 1, 1, 1, 1, 1, 1]);

// %% Distinct elements and rows of a matrix.
let table = gpu![[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [1, 2, 3, 4]];
assert_eq!(table.unique().to_vec(), (1..=12).collect::<Vec<_>>());
assert!(array_equal(&table.unique_axis(0), &gpu![[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]));

// %% Transposing.
let arr = arange(0..6).reshape((2, 3));
assert!(array_equal(&arr.t(), &gpu![[0, 3], [1, 4], [2, 5]]));
assert_eq!(data.reshape((2, 3)).to_vec(), [1, 2, 3, 4, 5, 6]);

// %% Reversing: all axes, or one.
assert_eq!(arange(1..9).flip().to_vec(), [8, 7, 6, 5, 4, 3, 2, 1]);
let mut square = gpu![[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]];
assert!(array_equal(&square.flip_axis(0), &gpu![[9, 10, 11, 12], [5, 6, 7, 8], [1, 2, 3, 4]]));
assert!(array_equal(&square.flip_axis(1), &gpu![[4, 3, 2, 1], [8, 7, 6, 5], [12, 11, 10, 9]]));
let turned = square[1].flip().copy();
set!(square[1] = turned);
let turned = square[s![.., 1]].flip().copy();
set!(square[.., 1] = turned);
assert!(array_equal(&square, &gpu![[1, 10, 3, 4], [8, 7, 6, 5], [9, 2, 11, 12]]));

// %% One axis of many: a copy, and a view.
let mut x = gpu![[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]];
let mut flat = x.flatten();
set!(flat[0] = 99);
assert_eq!((flat[0].item(), x[s![0, 0]].item()), (99, 1));

// %% A formula: the mean squared error.
let (predictions, labels) = (ones::<f64>(3), gpu![1.0, 2.0, 3.0]);
let error = (&predictions - &labels).square().sum().item() / 3.0;
assert!((error - 5.0 / 3.0).abs() < 1e-12);

// %% Files: NumPy's own format, and text.
let folder = std::env::temp_dir().join(format!("beginners-{}", std::process::id()));
std::fs::create_dir_all(&folder)?;
let a = gpu![1, 2, 3, 4, 5, 6];
io::save(folder.join("a.npy"), &a)?;
assert_eq!(io::load::<i32>(folder.join("a.npy"))?.to_vec(), a.to_vec());
let text: Vec<String> = a.to_vec().iter().map(i32::to_string).collect();
std::fs::write(folder.join("a.csv"), text.join("\n"))?;
let read: Vec<f64> = std::fs::read_to_string(folder.join("a.csv"))?.lines().map(|line| line.parse()).collect::<Result<_, _>>()?;
assert_eq!(to_gpu(&read).sum().item(), 21.0);
std::fs::remove_dir_all(&folder)?;
