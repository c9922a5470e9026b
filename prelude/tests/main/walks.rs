//! The ways in which a generated kernel walks through elements. Its text runs
//! as a user's kernel, so also on the host.

use gpurepl_kernels::{BinaryOp, DType, FUSED_BLOCK, Instruction, Operand, Program, View, Walk};
use gpurepl_prelude::*;

/// `s0*x + y + i`, where `x` is strided, `y` contiguous and `i` the element's number.
fn program(output: View) -> Program {
    let step = |operand| Instruction { dtype: DType::Float32, operand };
    Program {
        inputs: vec![(DType::Float32, View::Strided), (DType::Float32, View::Contiguous)],
        scalars: vec![DType::Float32],
        instructions: vec![
            step(Operand::Scalar(0)),
            step(Operand::Input(0)),
            step(Operand::Binary(BinaryOp::Multiply, 0, 1)),
            step(Operand::Input(1)),
            step(Operand::Binary(BinaryOp::Add, 2, 3)),
            step(Operand::Index),
            step(Operand::Binary(BinaryOp::Add, 4, 5)),
        ],
        output,
        rank: 3,
        reports_overflow: false,
    }
}

/// Runs the kernel over elements of this shape, where `x` has these strides, and
/// checks each result.
fn check(walk: Walk, output: View, lengths: [usize; 3], strides: [i64; 3]) {
    let program = program(output);
    let count: usize = lengths.iter().product();
    let places = |axis: usize, at: usize| at / lengths[axis + 1..].iter().product::<usize>() % lengths[axis];
    let place = |at: usize, strides: [i64; 3]| -> usize {
        (0..3).map(|axis| places(axis, at) as i64 * strides[axis]).sum::<i64>() as usize
    };
    let reach = place(count - 1, strides) + 1;
    let x: Vec<f32> = (0..reach).map(|k| (k % 1009) as f32).collect();
    let y: Vec<f32> = (0..count).map(|k| (k % 31) as f32).collect();
    // The axes of a strided result are exchanged.
    let out = [lengths[2] as i64, (lengths[2] * lengths[0]) as i64, 1];
    let blocks = match walk {
        Walk::Elements => count.div_ceil(program.tile()),
        Walk::Rows => lengths[0] * lengths[1] * lengths[2].div_ceil(program.tile()),
        Walk::Squares { axis, side, .. } => {
            lengths[1 - axis] * lengths[axis].div_ceil(side) * lengths[2].div_ceil(side)
        }
    };
    let text = program.to_cuda(walk);
    let function = SourceModule::new(&text).unwrap().get_function("gpurepl_fused").unwrap();
    let (x_gpu, y_gpu, mut to) = (to_gpu(&x), to_gpu(&y), zeros::<f32>(count));
    let [a, b, c] = lengths.map(|length| length as u64);
    let [s0, s1, s2] = strides;
    if output == View::Strided {
        let arguments =
            (&x_gpu, &y_gpu, 2.0_f32, &mut to, count as u64, a, b, c, s0, s1, s2, out[0], out[1], out[2]);
        function.launch(blocks, FUSED_BLOCK, arguments).unwrap();
    } else {
        let arguments = (&x_gpu, &y_gpu, 2.0_f32, &mut to, count as u64, a, b, c, s0, s1, s2);
        function.launch(blocks, FUSED_BLOCK, arguments).unwrap();
    }
    let to = to.to_vec();
    for at in 0..count {
        let expected = 2.0 * x[place(at, strides)] + y[at] + at as f32;
        let result = to[if output == View::Strided { place(at, out) } else { at }];
        assert_eq!(result, expected, "element {at} of {lengths:?}, {walk:?}, {output:?}");
    }
}

#[test]
fn every_walk_computes_every_element_once() {
    for output in [View::Contiguous, View::Strided] {
        for lengths in [[2, 3, 1030], [5, 1, 257], [1, 70, 65], [3, 33, 100]] {
            let [a, b, c] = lengths.map(|length| length as i64);
            check(Walk::Elements, output, lengths, [b * c, c, 1]);
            check(Walk::Rows, output, lengths, [b * c * 2, c * 2, 2]);
            check(Walk::Rows, output, lengths, [0, c, 1]);
            for side in [32, 64] {
                let squares = |axis| Walk::Squares { axis, through: 1, side };
                check(squares(1), output, lengths, [b * c, 1, b]);
                check(squares(0), output, lengths, [1, a * c, a]);
            }
        }
    }
}

#[test]
fn arrays_that_lie_across_are_added_right() {
    let a = arange(0..150 * 170).astype(f32).reshape((150, 170));
    let b = arange(0..150 * 170).astype(f64).reshape((170, 150));
    let sum = &a + b.t();
    let both = (a.t() + &b).t().copy();
    let expected = a.get().mapv(f64::from) + b.get().t();
    assert_eq!(sum.get(), expected);
    assert_eq!(both.get(), expected);
    let square = arange(0..100 * 100).reshape((100, 100));
    let mut doubled = square.copy();
    doubled += square.t();
    let square = square.get();
    assert_eq!(doubled.get(), &square + &square.t());
}

/// Text of every kind of element, in every walk.
#[test]
fn transposed_arrays_of_every_type_are_copied() {
    fn check<T: Elem + PartialEq + std::fmt::Debug>(a: GpuArray<T>) {
        let (there, back) = (a.t().copy(), a.t().copy().t().copy());
        assert_eq!(a.get(), back.get());
        assert_eq!(there.shape(), [a.shape()[1], a.shape()[0]]);
        assert_eq!(there.get()[[3, 30]], a.get()[[30, 3]]);
    }
    let a = || -> GpuArray<i32> { arange(0..70 * 90).reshape((70, 90)) % 120 };
    check(a().astype(bool));
    check(a().astype(i8));
    check(a().astype(f16));
    check(a().astype(u32));
    check(a().astype(f64));
    check(a().astype(Complex32));
    check(a().astype(Complex64));
}

/// The elements of one array as they are.
fn elements_of(dtype: DType) -> Program {
    Program {
        inputs: vec![(dtype, View::Contiguous)],
        scalars: Vec::new(),
        instructions: vec![Instruction { dtype, operand: Operand::Input(0) }],
        output: View::Contiguous,
        rank: 1,
        reports_overflow: false,
    }
}

/// Running results of an axis of `length` elements that lie `inner` apart are those of a loop.
#[track_caller]
fn check_running<T: Elem>(
    found: &GpuArray<T>,
    mut expected: Vec<T>,
    (length, inner): (usize, usize),
    combine: fn(T, T) -> T,
    what: &str,
) {
    for at in 0..expected.len() {
        if at / inner % length > 0 {
            expected[at] = combine(expected[at - inner], expected[at]);
        }
    }
    let found = found.to_vec();
    let wrong = (0..found.len()).find(|at| found[*at] != expected[*at]);
    assert_eq!(wrong.map(|at| (at, found[at], expected[at])), None, "{what} of {}", T::DTYPE);
}

/// The kernel of running results of long rows, as one block goes round by round.
#[test]
fn a_block_that_is_resident_goes_round_by_round() {
    use gpurepl_kernels::{RESIDENT_SLOT, ReduceOp, ResidentTile};
    fn check<T: Elem>(op: ReduceOp, make: fn(usize) -> T, combine: fn(T, T) -> T) {
        let program = elements_of(T::DTYPE);
        let module = SourceModule::new(&program.to_cuda_resident_scan(op)).unwrap();
        let kernel = module.get_function("gpurepl_scan_resident").unwrap();
        let tile = ResidentTile::of(size_of::<T>());
        for (outer, length, offset) in [
            (1, 3 * tile.size() + 17, 0),
            (2, tile.size(), 0),
            (3, tile.size() + 5, 0),
            (2, 2 * tile.size(), 1),
        ] {
            let a: Vec<T> = (0..outer * length + offset).map(make).collect();
            let a_gpu = to_gpu(&a);
            let a_gpu = a_gpu.slice(s![offset..]);
            let mut to = zeros::<T>(outer * length);
            let mut slots = zeros::<u64>(RESIDENT_SLOT * size_of::<T>().div_ceil(4) / 8);
            let [o, l] = [outer, length].map(|number| number as u64);
            kernel.launch(1, tile.threads, (&a_gpu, &mut slots, &mut to, o, l)).unwrap();
            let what = format!("{} of {outer}, {length}, {offset}", op.name());
            check_running(&to, a[offset..].to_vec(), (length, 1), combine, &what);
        }
    }
    check::<f32>(ReduceOp::Sum, |k| (k % 7) as f32, |a, b| a + b);
    check::<i64>(ReduceOp::Sum, |k| (k % 1009) as i64 - 400, |a, b| a + b);
    check::<Complex64>(ReduceOp::Sum, |k| Complex64::new((k % 5) as f64, (k % 3) as f64), |a, b| a + b);
    check::<f64>(ReduceOp::Minimum, |k| 1.5 - (k % 9000) as f64, f64::min);
}

/// The kernels of running sums, products and extremes, in parts and in one, over
/// rows and columns.
#[test]
fn the_generated_running_results_are_those_of_a_loop() {
    use gpurepl_kernels::{ReduceOp, SCAN_BLOCK, scan_tile};
    fn check<T: Elem>(op: ReduceOp, make: fn(usize) -> T, combine: fn(T, T) -> T) {
        let program = elements_of(T::DTYPE);
        // The host's own text has a `gpurepl_shared` as well.
        let module =
            SourceModule::new(&program.to_cuda_scan(op).replace("gpurepl_shared", "shared_values")).unwrap();
        let function = |name: &str| module.get_function(name).unwrap();
        let tile = scan_tile(T::DTYPE);
        for (outer, length, inner, part) in [
            (1, 3 * tile + 17, 1, tile),
            (2, tile - 1, 1, 2 * tile),
            (3, 5 * tile, 1, 2 * tile),
            (2, 100, 70, 30),
        ] {
            let parts = length.div_ceil(part);
            let a: Vec<T> = (0..outer * length * inner).map(make).collect();
            let (a_gpu, mut to) = (to_gpu(&a), zeros::<T>(a.len()));
            let mut sums = zeros::<T>(parts * outer * inner);
            let [o, l, i, p] = [outer, length, inner, part].map(|number| number as u64);
            let (of_parts, scan, grid) = if inner == 1 {
                ("gpurepl_scan_sums", "gpurepl_scan_rows", (parts, outer))
            } else {
                (
                    "gpurepl_scan_column_sums",
                    "gpurepl_scan_columns",
                    ((outer * inner).div_ceil(SCAN_BLOCK), parts),
                )
            };
            function(of_parts).launch(grid, SCAN_BLOCK, (&a_gpu, &mut sums, o, l, i, p)).unwrap();
            function("gpurepl_scan_parts").launch(2, 64, (&mut sums, o * i, parts as u64)).unwrap();
            function(scan).launch(grid, SCAN_BLOCK, (&a_gpu, &sums, &mut to, o, l, i, p)).unwrap();
            let what = format!("{} of {outer}, {length}, {inner}", op.name());
            check_running(&to, a, (length, inner), combine, &what);
        }
    }
    check::<f32>(ReduceOp::Sum, |k| (k % 7) as f32, |a, b| a + b);
    check::<i64>(ReduceOp::Sum, |k| (k % 1009) as i64 - 400, |a, b| a + b);
    check::<Complex64>(ReduceOp::Sum, |k| Complex64::new((k % 5) as f64, (k % 3) as f64), |a, b| a + b);
    check::<u64>(ReduceOp::Product, |k| k as u64 % 5 + 1, u64::wrapping_mul);
    check::<Complex32>(ReduceOp::Product, |_| Complex32::new(0.0, 1.0), |a, b| a * b);
    check::<i8>(ReduceOp::Maximum, |k| (k % 100) as i8 - 120, i8::max);
    check::<u16>(ReduceOp::Minimum, |k| 40_000 - (k % 30_000) as u16, u16::min);
    check::<f64>(ReduceOp::Minimum, |k| 1.5 - (k % 9000) as f64, f64::min);
    check::<bool>(ReduceOp::Maximum, |k| k % 500 == 499, |a, b| a | b);
}
