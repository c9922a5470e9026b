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
    /// `a.set(&indices, b)`: numbers pick places along the first axis.
    SetAt { target: usize, other: usize, places: Vec<usize> },
    /// `a.set(&mask, n)`, or with as many values as the mask has; the mask is a
    /// comparison with a number.
    SetWhere { target: usize, limit: i32, value: Option<i32> },
    /// `a.put(&b, n)`: an array as indices, which are brought within bounds.
    Put { target: usize, indices: usize, values: usize },
    /// `a.take_axis(&indices, axis)`.
    Take { of: usize, axis: usize, places: Vec<usize> },
    /// `&a[&indices]`, lent and used at once.
    Lent { of: usize, places: Vec<usize> },
    /// `a.slice(&mask)`.
    Masked { of: usize, limit: i32 },
    /// `where_(&a.gt(n), &a, &b)`, not computed at once.
    Where { left: usize, right: usize, limit: i32 },
    /// A copy with memory of its own.
    Copy { of: usize },
    /// A name is dropped.
    Drop { which: usize },
    /// An array is read, which computes it.
    Read { which: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let any = 0..64_usize;
    let places = prop::collection::vec(0..12_usize, 0..5);
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
        2 => (any.clone(), any.clone(), places.clone()).prop_map(|(target, other, places)| Step::SetAt { target, other, places }),
        2 => (any.clone(), -9..10_i32, prop::option::of(-9..10_i32)).prop_map(|(target, limit, value)| Step::SetWhere { target, limit, value }),
        2 => (any.clone(), any.clone(), any.clone()).prop_map(|(target, indices, values)| Step::Put { target, indices, values }),
        1 => (any.clone(), 0..3_usize, places.clone()).prop_map(|(of, axis, places)| Step::Take { of, axis, places }),
        1 => (any.clone(), places).prop_map(|(of, places)| Step::Lent { of, places }),
        1 => (any.clone(), -9..10_i32).prop_map(|(of, limit)| Step::Masked { of, limit }),
        1 => (any.clone(), any.clone(), -9..10_i32).prop_map(|(left, right, limit)| Step::Where { left, right, limit }),
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

impl Model {
    /// The elements at places along an axis.
    fn chosen(&self, axis: usize, places: &[usize]) -> Model {
        if self.places.ndim() == 0 {
            return self.clone();
        }
        Model { memory: self.memory, places: self.places.select(ndarray::Axis(axis), places) }
    }
}

/// Numbers as places on an axis; none of an empty one.
fn within(numbers: &[usize], shape: &[usize], axis: usize) -> Vec<usize> {
    let length = shape.get(axis).copied().unwrap_or(0);
    numbers.iter().filter_map(|number| number.checked_rem(length)).collect()
}

/// Every second place counted from the end.
fn from_end(places: &[usize], length: usize) -> Vec<i64> {
    let signed = |(k, place): (usize, &usize)| *place as i64 - if k % 2 == 1 { length as i64 } else { 0 };
    places.iter().enumerate().map(signed).collect()
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
            Step::SetAt { target, other, places } => {
                let (other, model_other) = arrays[other % count].clone();
                let (target, model) = &mut arrays[target % count];
                let places = within(places, target.shape(), 0);
                let chosen = model.chosen(0, &places);
                if !target.shape().is_empty()
                    && broadcast(chosen.places.shape(), other.shape()).as_deref()
                        == Some(chosen.places.shape())
                {
                    let values = memories.read(&model_other);
                    target.set(from_end(&places, target.len()), &other);
                    memories.write(&chosen, &values);
                }
                None
            }
            Step::SetWhere { target, limit, value } => {
                let (target, model) = &mut arrays[target % count];
                let old = memories.read(model);
                let found: Vec<i32> = old.iter().copied().filter(|x| x > limit).collect();
                let new: Vec<i32> = found.iter().map(|x| value.unwrap_or_else(|| x.wrapping_neg())).collect();
                let mask = target.gt(*limit);
                match value {
                    Some(value) => target.set(&mask, *value),
                    None => {
                        let negated = -target.slice(&mask);
                        target.set(&mask, negated);
                    }
                }
                let mut new = new.into_iter();
                // Not by `mapv`, which visits elements as they lie in memory.
                let values = old.iter().map(|x| if x > limit { new.next().unwrap() } else { *x }).collect();
                let values = ArrayD::from_shape_vec(old.raw_dim(), values).unwrap();
                memories.write(model, &values);
                None
            }
            Step::Put { target, indices, values } => {
                let (indices, model_indices) = arrays[indices % count].clone();
                let (values, model_values) = arrays[values % count].clone();
                let (target, model) = &mut arrays[target % count];
                let size = target.size() as i32;
                if size > 0 {
                    let places = memories.read(&model_indices).mapv(|x| x.rem_euclid(size));
                    let new: Vec<i32> = memories.read(&model_values).iter().copied().collect();
                    let mut all: Vec<i32> = memories.read(model).iter().copied().collect();
                    if !new.is_empty() {
                        places
                            .iter()
                            .enumerate()
                            .for_each(|(k, place)| all[*place as usize] = new[k % new.len()]);
                    }
                    target.put(&(&indices % size), &values);
                    let all = ArrayD::from_shape_vec(model.places.raw_dim(), all).unwrap();
                    memories.write(model, &all);
                }
                None
            }
            Step::Take { of, axis, places } => {
                let (array, model) = &arrays[of % count];
                (axis % 3 < array.ndim()).then(|| {
                    let axis = axis % 3;
                    let places = within(places, array.shape(), axis);
                    let indices = from_end(&places, array.shape()[axis]);
                    let values = memories.read(&model.chosen(axis, &places));
                    (array.take_axis(&indices, axis as isize), memories.new_array(values))
                })
            }
            Step::Lent { of, places } => {
                let (array, model) = &arrays[of % count];
                (array.ndim() > 0).then(|| {
                    let places = within(places, array.shape(), 0);
                    let values = memories.read(&model.chosen(0, &places)).mapv(|x| x.wrapping_sub(1));
                    (&array[&places] - 1, memories.new_array(values))
                })
            }
            Step::Masked { of, limit } => {
                let (array, model) = &arrays[of % count];
                let values: Vec<i32> = memories.read(model).iter().copied().filter(|x| x > limit).collect();
                Some((array.slice(array.gt(*limit)), memories.new_array(ndarray::arr1(&values).into_dyn())))
            }
            Step::Where { left, right, limit } => {
                let ((a, model_a), (b, model_b)) = (&arrays[left % count], &arrays[right % count]);
                let (values_a, values_b) = (memories.read(model_a), memories.read(model_b));
                let shape = broadcast(a.shape(), b.shape());
                shape.map(|shape| {
                    let (x, y) = (values_a.broadcast(IxDyn(&shape)), values_b.broadcast(IxDyn(&shape)));
                    let (x, y) = (x.unwrap(), y.unwrap());
                    let values = x.iter().zip(&y).map(|(x, y)| if x > limit { *x } else { *y }).collect();
                    let values = ArrayD::from_shape_vec(IxDyn(&shape), values).unwrap();
                    (where_(&a.gt(*limit), a, b), memories.new_array(values))
                })
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
