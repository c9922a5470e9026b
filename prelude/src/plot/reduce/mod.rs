//! Data reduced to what a picture can show, where the data is: a few thousand
//! numbers are copied from the device, however many there are.
//!
//! The kernels are in `kernels.cu`, compiled for an element type when a plot
//! first needs them. Where there is no compiler, the data is copied and
//! reduced by [`host`], which the tests compare the kernels with.

pub(super) mod host;

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use gpurepl_kernels::{DType, UnaryOp};

use super::scale::{Limits, Scale};
use crate::array::{GpuArray, Node, Raw, full, to_gpu, zeros};
use crate::device::{self, Context, DeviceKind};
use crate::elem::Elem;
use crate::error::{ErrorKind, Result};
use crate::kernel::{Function, SourceModule};

/// What is known of numbers on an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    /// The least and the greatest, of those that have a place on the axis.
    pub(super) ends: Option<(f64, f64)>,
    /// How many have none: NaN, infinities, and on logarithmic axes zero and
    /// what is below.
    pub(super) without_place: u64,
    /// Whether each is at least as great as the one before.
    pub(super) is_ascending: bool,
}

/// The columns of pixels that a line is drawn in.
pub(super) enum Columns<'a> {
    /// Element `i` stands at `i`.
    Counted { from: f64, to: f64, scale: Scale },
    /// Elements stand at these places, which ascend.
    At { places: &'a Raw, limits: Limits },
}

/// Element types that kernels read as they are; others are converted first.
fn readable(raw: &Raw) -> Raw {
    match raw.dtype() {
        DType::Bool => raw.cast(DType::UInt8),
        DType::Float16 => raw.cast(DType::Float32),
        _ => raw.clone(),
    }
}

/// The real and the imaginary part.
pub(super) fn parts(raw: &Raw) -> (Raw, Raw) {
    let part = |op| Raw::unary(op, raw, raw.dtype(), raw.dtype().real());
    (part(UnaryOp::Real), part(UnaryOp::Imag))
}

/// The absolute value of complex numbers.
pub(super) fn magnitude(raw: &Raw) -> Raw {
    Raw::unary(UnaryOp::Absolute, raw, raw.dtype(), raw.dtype().real())
}

/// All elements, as double-precision numbers.
pub(super) fn values(raw: &Raw) -> Result<Vec<f64>> {
    f64::download(&raw.cast(DType::Float64))
}

/// The extent of all elements. Whether they ascend is worth knowing of places
/// only, but costs nothing.
pub(super) fn extent(raw: &Raw, scale: Scale) -> Result<Extent> {
    let count = raw.shape().size();
    if count == 0 {
        return Ok(host::extent(&[], scale));
    }
    or_on_host(
        || {
            with(raw, |raw, device| {
                let answer = to_gpu([u64::MAX, 0, 0, 0]);
                let kernel = device.kernel("extent", raw.dtype(), None)?;
                let (grid, block) = device.shares(count);
                kernel.launch(grid, block, (raw, count, i32::from(scale == Scale::Log), &answer))?;
                let answer = answer.try_get()?;
                Ok(Extent {
                    ends: (answer[0] <= answer[1]).then(|| (from_key(answer[0]), from_key(answer[1]))),
                    without_place: answer[2],
                    is_ascending: answer[3] == 0,
                })
            })
        },
        || Ok(host::extent(&values(raw)?, scale)),
    )
}

/// What is drawn in a column of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Column {
    /// No element stands there.
    Empty,
    /// Elements do, but none of them has a place on the other axis.
    Gap,
    /// The least and the greatest number.
    Ends(f64, f64),
}

/// The least and the greatest number in each of `count` columns.
pub(super) fn columns(raw: &Raw, columns: &Columns<'_>, count: usize, scale: Scale) -> Result<Vec<Column>> {
    let on_host = || {
        let edges = match columns {
            Columns::Counted { from, to, scale } => {
                counted_edges(*from, *to, *scale, count, raw.shape().size())
            }
            Columns::At { places, limits } => host::edges(&values(places)?, limits, count),
        };
        Ok(host::columns(&values(raw)?, &edges, scale))
    };
    or_on_host(
        || {
            with(raw, |raw, device| {
                let edges: GpuArray<i64> = match columns {
                    Columns::Counted { from, to, scale } => {
                        to_gpu(&counted_edges(*from, *to, *scale, count, raw.shape().size()))
                    }
                    Columns::At { places, limits } => with(places, |places, device| {
                        let edges = zeros::<i64>(count + 1);
                        let kernel = device.kernel("edges", places.dtype(), None)?;
                        let (from, to) = (limits.map(limits.low()), limits.map(limits.high()));
                        let is_log = i32::from(limits.scale == Scale::Log);
                        let (grid, block) = device.each(count + 1);
                        let arguments =
                            (places, places.shape().size(), from, to, is_log, count as i32, &edges);
                        kernel.launch(grid, block, arguments)?;
                        Ok(edges)
                    })?,
                };
                let (low, high) = (full(count, u64::MAX), zeros::<u64>(count));
                let kernel = device.kernel("columns", raw.dtype(), None)?;
                let (grid, block) = match device.is_host {
                    true => ((count, 1), 1),
                    // Some half a million threads keep a GPU busy.
                    false => ((count, (1usize << 11).div_ceil(count)), 256),
                };
                kernel.launch(grid, block, (raw, &edges, i32::from(scale == Scale::Log), &low, &high))?;
                let (low, high, edges) = (low.to_vec(), high.to_vec(), edges.to_vec());
                let ends = |column: usize| match (low[column], high[column]) {
                    (low, high) if low <= high => Column::Ends(from_key(low), from_key(high)),
                    _ if edges[column] < edges[column + 1] => Column::Gap,
                    _ => Column::Empty,
                };
                Ok((0..count).map(ends).collect())
            })
        },
        on_host,
    )
}

/// The first element of each column, where element `i` stands at `i`; and the
/// end of the last one.
pub(super) fn counted_edges(from: f64, to: f64, scale: Scale, columns: usize, count: usize) -> Vec<i64> {
    let limits = Limits { from, to, scale };
    let mut edges: Vec<i64> = (0..=columns)
        .map(|edge| limits.at(edge as f64 / columns as f64).ceil().clamp(0.0, count as f64) as i64)
        .collect();
    if let Some(last) = edges.last_mut() {
        *last = (to.floor() + 1.0).clamp(0.0, count as f64) as i64;
    }
    edges
}

/// How many numbers lie in each of `bins` bins between two numbers.
pub(super) fn histogram(raw: &Raw, from: f64, to: f64, bins: usize) -> Result<Vec<u64>> {
    let count = raw.shape().size();
    if count == 0 {
        return Ok(vec![0; bins]);
    }
    or_on_host(
        || {
            with(raw, |raw, device| {
                let counts = zeros::<u64>(bins);
                let kernel = device.kernel("histogram", raw.dtype(), None)?;
                let (grid, block) = device.shares(count);
                kernel.launch(grid, block, (raw, count, from, to, bins as i32, &counts))?;
                Ok(counts.to_vec())
            })
        },
        || Ok(host::histogram(&values(raw)?, from, to, bins)),
    )
}

/// How many points lie in each cell of a grid over the axes, the top row
/// first. Without places, element `i` stands at `i`.
pub(super) fn density(
    places: Option<&Raw>,
    raw: &Raw,
    (across, up): (&Limits, &Limits),
    (width, height): (usize, usize),
) -> Result<Vec<u32>> {
    let count = raw.shape().size();
    if count == 0 {
        return Ok(vec![0; width * height]);
    }
    let on_host = || {
        let places = match places {
            Some(places) => values(places)?,
            None => (0..count).map(|i| i as f64).collect(),
        };
        Ok(host::density(&places, &values(raw)?, (across, up), (width, height)))
    };
    or_on_host(
        || {
            with(raw, |raw, device| {
                let x = places.map(|places| in_order(&readable(places))).transpose()?;
                let kernel = device.kernel("density", raw.dtype(), x.as_ref().map(Raw::dtype))?;
                let counts = zeros::<u32>(width * height);
                let (grid, block) = device.shares(count);
                let is_log = |limits: &Limits| i32::from(limits.scale == Scale::Log);
                let arguments = (
                    x.as_ref().unwrap_or(raw),
                    raw,
                    count,
                    i32::from(x.is_none()),
                    across.map(across.from),
                    across.map(across.to),
                    is_log(across),
                    up.map(up.from),
                    up.map(up.to),
                    is_log(up),
                    width as i32,
                    height as i32,
                    &counts,
                );
                kernel.launch(grid, block, arguments)?;
                Ok(counts.to_vec())
            })
        },
        on_host,
    )
}

/// The means of the blocks of a matrix, `height` rows of `width`, over what
/// is finite; NaN where nothing is.
pub(super) fn blocks(raw: &Raw, (height, width): (usize, usize)) -> Result<Vec<f64>> {
    let (rows, columns) = (raw.shape().lengths()[0], raw.shape().lengths()[1]);
    if (rows, columns) == (height, width) {
        return values(raw);
    }
    or_on_host(
        || {
            with(raw, |raw, device| {
                let means = zeros::<f64>((height, width));
                let kernel = device.kernel("blocks", raw.dtype(), None)?;
                let (across, block) = device.each(width);
                let arguments = (raw, rows, columns, height as i32, width as i32, &means);
                kernel.launch((across, height), block, arguments)?;
                Ok(means.to_vec())
            })
        },
        || Ok(host::blocks(&values(raw)?, (rows, columns), (height, width))),
    )
}

/// Where there is no compiler for kernels, the host does the work.
fn or_on_host<R>(on_device: impl FnOnce() -> Result<R>, on_host: impl FnOnce() -> Result<R>) -> Result<R> {
    match on_device() {
        Err(error) if error.kind() == ErrorKind::Missing => on_host(),
        answer => answer,
    }
}

/// Does something with an array's elements, in order and of a type that
/// kernels read, where they are.
fn with<R>(raw: &Raw, act: impl FnOnce(&Raw, &Site) -> Result<R>) -> Result<R> {
    let context = match raw.context() {
        Some(context) => context,
        None => device::current()?,
    };
    context.scope(|| {
        let raw = in_order(&readable(raw))?;
        let site = Site { context, is_host: context.device().kind() == DeviceKind::Host };
        act(&raw, &site)
    })?
}

fn in_order(raw: &Raw) -> Result<Raw> {
    Ok(Raw::new(Node::ready(raw.shape(), raw.dtype(), raw.contiguous()?)))
}

/// Undoes `plot_key` of the kernels.
fn from_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

/// Where kernels run.
struct Site {
    context: Context,
    is_host: bool,
}

/// Kernels by context, name and element types.
type Compiled = Mutex<HashMap<(u32, &'static str, DType, Option<DType>), Function>>;

static COMPILED: LazyLock<Compiled> = LazyLock::new(Compiled::default);

const SOURCE: &str = include_str!("kernels.cu");

impl Site {
    /// Blocks and threads for so many elements, of which each thread takes
    /// many.
    fn shares(&self, count: usize) -> (usize, usize) {
        if self.is_host {
            // A share is some fraction of a millisecond.
            (count.div_ceil(1 << 16).clamp(1, 4096), 1)
        } else {
            (count.div_ceil(256 * 16).clamp(1, 2048), 256)
        }
    }

    /// Blocks and threads for a thread each.
    fn each(&self, count: usize) -> (usize, usize) {
        let threads = if self.is_host { 1 } else { 128 };
        (count.div_ceil(threads), threads)
    }

    /// A kernel, compiled once.
    fn kernel(&self, name: &'static str, dtype: DType, places: Option<DType>) -> Result<Function> {
        let compiled = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self.context.id(), name, dtype, places);
        if let Some(kernel) = compiled().get(&key) {
            return Ok(kernel.clone());
        }
        // Compiled without the lock: another kernel need not wait for this one.
        let source = source(name).replace("REAL", dtype.c()).replace("PLACE", places.unwrap_or(dtype).c());
        let kernel = SourceModule::new(&source)?.get_function(&format!("plot_{name}"))?;
        Ok(compiled().entry(key).or_insert(kernel).clone())
    }
}

/// What kernels share, and one of them.
fn source(name: &str) -> String {
    let mut parts = SOURCE.split("// PART ");
    let shared = parts.next().unwrap_or_default();
    let own = parts.find_map(|part| part.strip_prefix(name)).unwrap_or_default();
    format!("{shared}{own}")
}

/// Lets go of the kernels of a context that is going.
pub(crate) fn forget_context(context: u32) {
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let gone: Vec<_> = compiled.extract_if(|(id, ..), _| *id == context).collect();
    drop(compiled);
    drop(gone);
}

/// An array of numbers, for tests.
#[cfg(test)]
pub(super) fn raw_of<T: Elem>(values: &[T]) -> Raw {
    to_gpu(values).raw
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers() -> impl Strategy<Value = Vec<f64>> {
        let number = prop_oneof![
            20 => -1e3..1e3f64,
            1 => Just(f64::NAN),
            1 => Just(f64::INFINITY),
            1 => Just(f64::NEG_INFINITY),
            1 => Just(0.0),
        ];
        proptest::collection::vec(number, 1..3000)
    }

    fn scales() -> impl Strategy<Value = Scale> {
        prop_oneof![Just(Scale::Linear), Just(Scale::Log)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn extents_are_those_of_the_host(values in numbers(), scale in scales(), sorts: bool) {
            let mut values = values;
            if sorts {
                values.sort_by(f64::total_cmp);
            }
            prop_assert_eq!(extent(&raw_of(&values), scale).unwrap(), host::extent(&values, scale));
        }

        #[test]
        fn columns_are_those_of_the_host(values in numbers(), scale in scales(), count in 1usize..300) {
            let last = values.len() as f64 - 1.0;
            let found = columns(&raw_of(&values), &Columns::Counted { from: 0.0, to: last, scale: Scale::Linear }, count, scale);
            let edges = counted_edges(0.0, last, Scale::Linear, count, values.len());
            prop_assert_eq!(edges.last().copied(), Some(values.len() as i64));
            prop_assert_eq!(found.unwrap(), host::columns(&values, &edges, scale));
        }

        #[test]
        fn columns_at_places_are_those_of_the_host(
            places in proptest::collection::vec(-50.0..50.0f64, 1..2000),
            from in -60.0..0.0f64,
            width in 0.1..100.0f64,
            count in 1usize..200,
        ) {
            let mut places = places;
            places.sort_by(f64::total_cmp);
            let heights: Vec<f64> = places.iter().map(|x| x.sin()).collect();
            let limits = Limits { from, to: from + width, scale: Scale::Linear };
            let raw = raw_of(&places);
            let found = columns(&raw_of(&heights), &Columns::At { places: &raw, limits }, count, Scale::Linear);
            let edges = host::edges(&places, &limits, count);
            prop_assert_eq!(found.unwrap(), host::columns(&heights, &edges, Scale::Linear));
        }

        #[test]
        fn bins_are_those_of_the_host(values in numbers(), bins in 1usize..5000) {
            let found = histogram(&raw_of(&values), -700.0, 500.0, bins).unwrap();
            prop_assert_eq!(found, host::histogram(&values, -700.0, 500.0, bins));
        }

        #[test]
        fn cells_are_those_of_the_host(values in numbers(), scale in scales()) {
            let across = Limits { from: 1.0, to: values.len() as f64 / 2.0 + 2.0, scale };
            let up = Limits { from: -500.0, to: 900.0, scale: Scale::Linear };
            let found = density(None, &raw_of(&values), (&across, &up), (37, 21)).unwrap();
            let places: Vec<f64> = (0..values.len()).map(|i| i as f64).collect();
            let wanted = host::density(&places, &values, (&across, &up), (37, 21));
            // A logarithm may be rounded another way, and on a GPU a product
            // and a sum are one rounding: a point may fall into the next cell,
            // or just beyond the last one.
            let is_exact = scale == Scale::Linear && crate::device().kind() == DeviceKind::Host;
            let count = |cells: &[u32]| cells.iter().sum::<u32>();
            if is_exact {
                prop_assert_eq!(found, wanted);
            } else {
                prop_assert!(count(&found).abs_diff(count(&wanted)) <= 1, "{} and {}", count(&found), count(&wanted));
            }
        }

        #[test]
        fn means_are_those_of_the_host(rows in 1usize..60, columns in 1usize..60, height in 1usize..40, width in 1usize..40) {
            let _undisturbed = crate::interrupt::undisturbed();
            let values: Vec<f64> = (0..rows * columns).map(|k| if k % 7 == 3 { f64::NAN } else { (k * k % 101) as f64 }).collect();
            let raw = raw_of(&values).try_reshape(crate::shape::IntoShape::into_dims((rows, columns))).unwrap();
            let (height, width) = (height.min(rows), width.min(columns));
            let found = blocks(&raw, (height, width)).unwrap();
            let wanted = host::blocks(&values, (rows, columns), (height, width));
            for (found, wanted) in found.iter().zip(&wanted) {
                prop_assert!(found == wanted || (found.is_nan() && wanted.is_nan()) || (found - wanted).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn every_element_type_has_an_extent() {
        let _undisturbed = crate::interrupt::undisturbed();
        fn check<T: Elem>(low: T, high: T, ends: (f64, f64)) {
            let found = extent(&raw_of(&[high, low]), Scale::Linear).unwrap();
            assert_eq!((found.ends, found.is_ascending), (Some(ends), false), "{}", T::DTYPE);
        }
        check(false, true, (0.0, 1.0));
        check(-3i8, 100, (-3.0, 100.0));
        check(-3i64, 1 << 60, (-3.0, (1u64 << 60) as f64));
        check(0u64, u64::MAX, (0.0, u64::MAX as f64));
        check(half::f16::from_f32(-0.5), half::f16::from_f32(2.0), (-0.5, 2.0));
        check(-1e-30f32, 1e30, (f64::from(-1e-30f32), f64::from(1e30f32)));
    }

    #[test]
    fn a_view_is_reduced_as_it_is_seen() {
        let _undisturbed = crate::interrupt::undisturbed();
        let a = to_gpu(&(0..1000).map(f64::from).collect::<Vec<_>>());
        let every_tenth = a.reshape((100, 10)).t();
        let row = every_tenth.slice(3);
        assert_eq!(extent(&row.raw, Scale::Linear).unwrap().ends, Some((3.0, 993.0)));
    }
}
