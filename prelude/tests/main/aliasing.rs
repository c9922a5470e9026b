//! Views share memory, expressions have the values of the moment in which
//! they were written, and overlapping operands are read before they are
//! written: arbitrary programs, run here and by a model that does one thing
//! after the other.

mod program;

use gpurepl_prelude::*;
use ndarray::{ArrayD, IxDyn};
use proptest::prelude::*;

use program::{Step, program};

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

    /// Whether two elements are the same one in memory: such views are only read.
    fn repeats(&self) -> bool {
        let mut seen = std::collections::HashSet::new();
        !self.places.iter().all(|place| seen.insert(*place))
    }

    /// The model of a view: the places of its elements, from the shape and a function of indices.
    fn seen(&self, shape: &[usize], place: impl Fn(&[usize]) -> Vec<usize>) -> Model {
        let at = |index: IxDyn| self.places[IxDyn(&place(ndarray::Dimension::slice(&index)))];
        Model { memory: self.memory, places: ArrayD::from_shape_fn(IxDyn(shape), at) }
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

/// A view of an array, if it has one of this kind.
fn reached(array: &GpuArray<i32>, model: &Model, kind: u8, k: usize) -> Option<(GpuArray<i32>, Model)> {
    let shape = array.shape().to_vec();
    let last = shape.len().checked_sub(1);
    match (kind, last) {
        (0, _) => {
            let turned =
                model.seen(&shape, |index| index.iter().zip(&shape).map(|(i, n)| n - 1 - i).collect());
            Some((array.flip(), turned))
        }
        (1, Some(1)) => {
            let length = shape[0].min(shape[1]);
            let view =
                if shape[0] == shape[1] { array::einsum("ii->i", (array,)) } else { array.diagonal(0) };
            Some((view, model.seen(&[length], |index| vec![index[0]; 2])))
        }
        (2, Some(last)) if shape.len() < 4 && (1..=shape[last]).contains(&k) => {
            let mut windows = shape.clone();
            windows[last] -= k - 1;
            windows.push(k);
            let place = |index: &[usize]| {
                let (at, within) = (index[last], index[last + 1]);
                index[..last].iter().copied().chain([at + within]).collect()
            };
            Some((array.sliding_window_view_axis(k, last), model.seen(&windows, place)))
        }
        (3, _) if shape.len() < 4 && array.size() <= 16 => {
            let wide: Vec<usize> = [k].into_iter().chain(shape).collect();
            let view = model.seen(&wide, |index| index[1..].to_vec());
            Some((array.broadcast_to(&wide), view))
        }
        (4, Some(last)) if k < shape[last] => {
            let place = |index: &[usize]| index.iter().copied().chain([k]).collect();
            Some((array.iter_axis(-1).nth(k).unwrap(), model.seen(&shape[..last], place)))
        }
        _ => None,
    }
}

/// Runs a program on the device and in the model, and compares.
fn run(steps: &[Step]) -> Result<(), TestCaseError> {
    let mut arrays: Vec<(GpuArray<i32>, Model)> = Vec::new();
    let mut memories = Memories::default();
    let mut elsewhere = Vec::new();
    for step in steps {
        let count = arrays.len();
        if count == 0 && !matches!(step, Step::New { .. }) {
            continue;
        }
        if step.target().is_some_and(|target| arrays[target % count].1.repeats()) {
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
            Step::Reach { of, kind, k } => {
                let (array, model) = &arrays[of % count];
                reached(array, model, *kind, *k)
            }
            Step::Bytes { target, value, whole } => {
                let (target, model) = &mut arrays[target % count];
                if *whole {
                    let mut bits = target.view(u32);
                    bits ^= u32::from(*value) << 24;
                    let values = memories.read(model).mapv(|x| x ^ (i32::from(*value) << 24));
                    memories.write(model, &values);
                } else if target.ndim() > 0 && target.is_c_contiguous() {
                    target.view(u8).slice(s![..., ..; 4]).fill(*value);
                    let values = memories.read(model).mapv(|x| x & !0xff | i32::from(*value));
                    memories.write(model, &values);
                }
                None
            }
            Step::Assign { target, left, right } => {
                let ((a, model_a), (b, model_b)) =
                    (arrays[left % count].clone(), arrays[right % count].clone());
                let (target, model) = &mut arrays[target % count];
                let values = combine(1, &memories.read(&model_a), &memories.read(&model_b));
                let values = values.filter(|values| {
                    broadcast(target.shape(), values.shape()).as_deref() == Some(target.shape())
                });
                if let Some(values) = values {
                    target.assign(&a - &b);
                    memories.write(model, &values);
                }
                None
            }
            Step::Rows { target, axis, value } => {
                let (target, model) = &arrays[target % count];
                if target.ndim() > 0 {
                    let axis = axis % target.ndim();
                    for (k, mut row) in target.iter_axis(axis as isize).enumerate() {
                        row += *value + k as i32;
                    }
                    for k in 0..target.shape()[axis] {
                        let row = model.chosen(axis, &[k]);
                        let values = memories.read(&row).mapv(|x| x.wrapping_add(*value + k as i32));
                        memories.write(&row, &values);
                    }
                }
                None
            }
            Step::Putmask { target, other, limit } => {
                let (other, model_other) = arrays[other % count].clone();
                let (target, model) = &mut arrays[target % count];
                let (old, new) = (memories.read(model), memories.read(&model_other));
                let new: Vec<i32> = new.iter().copied().collect();
                if !new.is_empty() {
                    let mask = target.gt(*limit);
                    target.putmask(&mask, &other);
                    let put = |(k, x): (usize, &i32)| if x > limit { new[k % new.len()] } else { *x };
                    let values = old.iter().enumerate().map(put).collect();
                    memories.write(model, &ArrayD::from_shape_vec(old.raw_dim(), values).unwrap());
                }
                None
            }
            Step::Sort { target } => {
                let (target, model) = &mut arrays[target % count];
                if target.ndim() > 0 {
                    target.sort_axis_in_place(-1);
                    let mut values = memories.read(model).as_standard_layout().to_owned();
                    values.rows_mut().into_iter().for_each(|mut row| row.as_slice_mut().unwrap().sort());
                    memories.write(model, &values);
                }
                None
            }
            Step::Outer { left, right } => {
                let ((a, model_a), (b, model_b)) = (&arrays[left % count], &arrays[right % count]);
                (a.size() * b.size() <= 64).then(|| {
                    let (x, y) = (memories.read(model_a), memories.read(model_b));
                    let values = x.iter().flat_map(|x| y.iter().map(|y| x.wrapping_mul(*y))).collect();
                    let values = ArrayD::from_shape_vec(IxDyn(&[x.len(), y.len()]), values).unwrap();
                    (array::einsum("i,j->ij", (&a.ravel(), &b.ravel())), memories.new_array(values))
                })
            }
            Step::Sums { of, axis } => {
                let (array, model) = &arrays[of % count];
                (array.ndim() > 0).then(|| {
                    let axis = axis % array.ndim();
                    let mut values = memories.read(model);
                    values.accumulate_axis_inplace(ndarray::Axis(axis), |before, x| {
                        *x = x.wrapping_add(*before)
                    });
                    (array.cumsum_axis(axis as isize).astype(i32), memories.new_array(values))
                })
            }
            Step::Median { which } => {
                let (array, model) = &arrays[which % count];
                let mut values: Vec<i32> = memories.read(model).iter().map(|x| x.wrapping_mul(3)).collect();
                if !values.is_empty() {
                    values.sort();
                    let middle = |k: usize| f64::from(values[k]);
                    let half = (middle((values.len() - 1) / 2) + middle(values.len() / 2)) / 2.0;
                    prop_assert_eq!((array * 3).median().item(), half);
                }
                None
            }
            Step::OnStream { target, other } => {
                let (other, model_other) = arrays[other % count].clone();
                let (target, model) = &mut arrays[target % count];
                let old = memories.read(model);
                let sum = combine(0, &old, &memories.read(&model_other));
                if let Some(values) = sum.filter(|values| values.shape() == old.shape()) {
                    let stream = Stream::with_flags(StreamFlags { non_blocking: true }, 0).unwrap();
                    stream.scope(|| *target += &other).unwrap();
                    memories.write(model, &values);
                }
                None
            }
            Step::Elsewhere { of } => {
                let (array, model) = &arrays[of % count];
                let lazy = array * 5;
                let values: Vec<i32> =
                    memories.read(model).iter().map(|x| x.wrapping_mul(5).wrapping_sub(1)).collect();
                elsewhere.push((std::thread::spawn(move || (lazy - 1).to_vec()), values));
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
    for (thread, values) in elsewhere {
        prop_assert_eq!(thread.join().unwrap(), values);
    }
    for (array, model) in &arrays {
        prop_assert_eq!(array.get(), memories.read(model));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(400), ..ProptestConfig::default() })]

    #[test]
    fn programs_run_as_written(steps in program()) {
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
