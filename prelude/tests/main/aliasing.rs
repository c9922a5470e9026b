//! Views share memory, expressions have the values of the moment in which
//! they were written, and overlapping operands are read before they are
//! written: arbitrary programs, run here and by a model that does one thing
//! after the other.

use gpurepl_prelude::*;
use ndarray::{ArrayD, IxDyn};
use proptest::prelude::*;

/// One step of a program. Numbers pick arrays and places by their remainder.
#[derive(Clone, Debug)]
enum Step {
    /// A new array of this shape, with elements from `first` on.
    New { shape: Vec<usize>, first: i32 },
    /// A view of a part of an array, by bounds and step for each axis.
    Slice { of: usize, parts: Vec<(i64, i64, i64)> },
    /// The same memory turned around.
    Transpose { of: usize },
    /// A new value out of one or two arrays, not computed at once.
    Expression { left: usize, right: usize, kind: u8 },
    /// An array as a new name for it.
    Alias { of: usize },
    /// `a += b`, `a -= b` or `a *= b`.
    InPlace { target: usize, other: usize, kind: u8 },
    /// `a.fill(n)`.
    Fill { target: usize, value: i32 },
    /// `a.set(s![...], b)`.
    Set { target: usize, other: usize },
    /// A copy with memory of its own.
    Copy { of: usize },
    /// A name is dropped.
    Drop { which: usize },
    /// An array is read, which computes it.
    Read { which: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let any = 0..64_usize;
    let part = (-4..5_i64, -4..5_i64, prop_oneof![Just(1_i64), Just(2), Just(-1), Just(-2)]);
    prop_oneof![
        2 => (prop::collection::vec(0..4_usize, 0..3), -9..10_i32).prop_map(|(shape, first)| Step::New { shape, first }),
        4 => (any.clone(), prop::collection::vec(part, 0..3)).prop_map(|(of, parts)| Step::Slice { of, parts }),
        1 => any.clone().prop_map(|of| Step::Transpose { of }),
        5 => (any.clone(), any.clone(), 0..6_u8).prop_map(|(left, right, kind)| Step::Expression { left, right, kind }),
        1 => any.clone().prop_map(|of| Step::Alias { of }),
        5 => (any.clone(), any.clone(), 0..3_u8).prop_map(|(target, other, kind)| Step::InPlace { target, other, kind }),
        1 => (any.clone(), -9..10_i32).prop_map(|(target, value)| Step::Fill { target, value }),
        3 => (any.clone(), any.clone()).prop_map(|(target, other)| Step::Set { target, other }),
        1 => any.clone().prop_map(|of| Step::Copy { of }),
        2 => any.clone().prop_map(|which| Step::Drop { which }),
        1 => any.prop_map(|which| Step::Read { which }),
    ]
}

/// An array of the model: which memory, and where in it each element lies.
#[derive(Clone)]
struct Model {
    memory: usize,
    places: ArrayD<usize>,
}

/// The model's memories.
#[derive(Default)]
struct Memories(Vec<Vec<i32>>);

impl Memories {
    fn new_array(&mut self, values: ArrayD<i32>) -> Model {
        let places = ArrayD::from_shape_vec(values.raw_dim(), (0..values.len()).collect()).unwrap();
        self.0.push(values.iter().copied().collect());
        Model { memory: self.0.len() - 1, places }
    }

    fn read(&self, model: &Model) -> ArrayD<i32> {
        model.places.mapv(|place| self.0[model.memory][place])
    }

    /// Writes values that were all computed before.
    fn write(&mut self, model: &Model, values: &ArrayD<i32>) {
        let values = values.broadcast(model.places.raw_dim()).unwrap();
        for (place, value) in model.places.iter().zip(values.iter()) {
            self.0[model.memory][*place] = *value;
        }
    }
}

fn binary(kind: u8, a: i32, b: i32) -> i32 {
    match kind % 3 {
        0 => a.wrapping_add(b),
        1 => a.wrapping_sub(b),
        _ => a.wrapping_mul(b),
    }
}

/// The shape of both together, if they broadcast.
fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let length =
        |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |k| shape[k]);
    (0..rank)
        .map(|axis| match (length(a, axis), length(b, axis)) {
            (x, y) if x == y => Some(x),
            (1, x) | (x, 1) => Some(x),
            _ => None,
        })
        .collect()
}

fn combine(kind: u8, a: &ArrayD<i32>, b: &ArrayD<i32>) -> Option<ArrayD<i32>> {
    let shape = IxDyn(&broadcast(a.shape(), b.shape())?);
    let (a, b) = (a.broadcast(shape.clone())?, b.broadcast(shape.clone())?);
    let values = a.iter().zip(b.iter()).map(|(a, b)| binary(kind, *a, *b)).collect();
    Some(ArrayD::from_shape_vec(shape, values).unwrap())
}

/// The places that Python's `start:end:step` takes on an axis.
fn python_range(length: usize, start: i64, end: i64, step: i64) -> Vec<usize> {
    let length = length as i64;
    let from_end = |at: i64| if at < 0 { at + length } else { at };
    let (start, end) = (from_end(start), from_end(end));
    let mut at = if step > 0 { start.clamp(0, length) } else { start.clamp(-1, length - 1) };
    let end = if step > 0 { end.clamp(0, length) } else { end.clamp(-1, length - 1) };
    let mut places = Vec::new();
    while (step > 0 && at < end) || (step < 0 && at > end) {
        places.push(at as usize);
        at += step;
    }
    places
}

/// Runs a program on the device and in the model, and compares.
fn run(steps: &[Step]) -> Result<(), TestCaseError> {
    let mut arrays: Vec<(GpuArray<i32>, Model)> = Vec::new();
    let mut memories = Memories::default();
    for step in steps {
        let count = arrays.len();
        if count == 0 && !matches!(step, Step::New { .. }) {
            continue;
        }
        let made = match step {
            Step::New { shape, first } => {
                let size = shape.iter().product::<usize>() as i32;
                let values = ArrayD::from_shape_vec(IxDyn(shape), (*first..first + size).collect()).unwrap();
                Some((to_gpu(&values), memories.new_array(values)))
            }
            Step::Slice { of, parts } => {
                let (array, model) = &arrays[of % count];
                let parts = &parts[..parts.len().min(array.ndim())];
                let items: Vec<SliceItem> =
                    parts.iter().map(|&(start, end, step)| SliceItem::from(start..end).by(step)).collect();
                let mut places = model.places.clone();
                for (axis, &(start, end, step)) in parts.iter().enumerate() {
                    let taken = python_range(array.shape()[axis], start, end, step);
                    places = places.select(ndarray::Axis(axis), &taken);
                }
                Some((array.slice(Slices::new(&items)), Model { memory: model.memory, places }))
            }
            Step::Transpose { of } => {
                let (array, model) = &arrays[of % count];
                Some((array.t(), Model { memory: model.memory, places: model.places.t().to_owned() }))
            }
            Step::Expression { left, right, kind } => {
                let ((a, model_a), (b, model_b)) = (&arrays[left % count], &arrays[right % count]);
                let (values_a, values_b) = (memories.read(model_a), memories.read(model_b));
                match kind {
                    3 => Some((-a, values_a.mapv(i32::wrapping_neg))),
                    4 => Some((a * 3 + 1, values_a.mapv(|x| x.wrapping_mul(3).wrapping_add(1)))),
                    _ => combine(*kind, &values_a, &values_b).map(|values| {
                        let array = match kind % 3 {
                            0 => a + b,
                            1 => a - b,
                            _ => a * b,
                        };
                        (array, values)
                    }),
                }
                .map(|(array, values)| (array, memories.new_array(values)))
            }
            Step::Alias { of } => Some(arrays[of % count].clone()),
            Step::Copy { of } => {
                let (array, model) = &arrays[of % count];
                Some((array.copy(), memories.new_array(memories.read(model))))
            }
            Step::InPlace { target, other, kind } => {
                let (other, model_other) = arrays[other % count].clone();
                let (target, model) = &mut arrays[target % count];
                let (old, with) = (memories.read(model), memories.read(&model_other));
                let values = combine(*kind, &old, &with).filter(|values| values.shape() == old.shape());
                if let Some(values) = values {
                    match kind % 3 {
                        0 => *target += &other,
                        1 => *target -= &other,
                        _ => *target *= &other,
                    }
                    memories.write(model, &values);
                }
                None
            }
            Step::Fill { target, value } => {
                let (target, model) = &mut arrays[target % count];
                target.fill(*value);
                memories.write(model, &ndarray::arr0(*value).into_dyn());
                None
            }
            Step::Set { target, other } => {
                let (other, model_other) = arrays[other % count].clone();
                let (target, model) = &mut arrays[target % count];
                let fits = broadcast(target.shape(), other.shape()).as_deref() == Some(target.shape());
                if fits {
                    let values = memories.read(&model_other);
                    target.set(s![...], &other);
                    memories.write(model, &values);
                }
                None
            }
            Step::Drop { which } => {
                arrays.swap_remove(which % count);
                None
            }
            Step::Read { which } => {
                let (array, model) = &arrays[which % count];
                prop_assert_eq!(array.get(), memories.read(model));
                None
            }
        };
        arrays.extend(made);
    }
    for (array, model) in &arrays {
        prop_assert_eq!(array.get(), memories.read(model));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn programs_run_as_written(steps in prop::collection::vec(step(), 1..40)) {
        run(&steps)?;
    }
}

#[test]
fn a_slice_moved_over_itself() {
    let mut a = arange(0..8);
    let from = a.slice(..7);
    a.set(1.., &from);
    assert_eq!(a.to_vec(), [0, 0, 1, 2, 3, 4, 5, 6]);
    let mut b = arange(0..6);
    let turned = b.slice(s![..; -1]);
    b += &turned;
    assert_eq!(b.to_vec(), [5; 6]);
}

#[test]
fn an_expression_keeps_the_values_of_its_moment() {
    let mut a = gpu![1_i32, 2, 3];
    let doubled = &a * 2;
    a += 100;
    a.fill(7);
    assert_eq!((doubled.to_vec(), a.to_vec()), (vec![2, 4, 6], vec![7, 7, 7]));
    let b = gpu![1_i32, 2, 3];
    let shifted = &b + &b.slice(0);
    memcpy_htod(&mut b.gpudata(), &[9, 9, 9]).unwrap();
    assert_eq!((shifted.to_vec(), b.to_vec()), (vec![2, 3, 4], vec![9, 9, 9]));
    let mut c = gpu![1.0_f32, 2.0];
    let before = &c * 10;
    let set = ElementwiseKernel::new("float *x", "x[i] = 5", "set_five").unwrap();
    set.call(&mut c).unwrap();
    assert_eq!((before.to_vec(), c.to_vec()), (vec![10.0, 20.0], vec![5.0, 5.0]));
}

#[test]
fn a_long_chain_of_operations() {
    let mut a = zeros::<i64>(3);
    for k in 0..20_000 {
        a = &a + k;
    }
    assert_eq!(a.to_vec(), [199_990_000; 3]);
    let mut b = ones::<f64>(2);
    let mut all = Vec::new();
    for _ in 0..300 {
        b = &b * 1.0 + &b * 0.0;
        all.push(b.clone());
    }
    assert_eq!(b.to_vec(), [1.0; 2]);
    assert_eq!(all[7].to_vec(), [1.0; 2]);
}
