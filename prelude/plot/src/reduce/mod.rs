//! Data reduced to what a picture can show, where the data is: a few thousand
//! numbers are copied from the device, however many there are.
//!
//! The kernels are in `kernels.cu`, compiled for an element type when a plot
//! first needs them. Where there is no compiler, the data is copied and
//! reduced by [`host`], which the tests compare the kernels with.

pub(super) mod bins;
pub(super) mod host;
pub(super) mod line;
pub(super) mod plane;
pub(super) mod sorted;
#[cfg(test)]
mod tests;

use gpurepl_kernels::{DType, UnaryOp};

use super::scale::{Limits, Scale};
use crate::array::Elem;
use crate::array::{GpuArray, Node, Raw, to_gpu, zeros};
use crate::device::{self, Context, DeviceKind, PerContext};
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
    /// How many of these are finite: zero and what is below, on a logarithmic
    /// axis.
    pub(super) nonpositive: u64,
    pub(super) order: Order,
}

/// How the finite ones of some numbers follow each other. Those that stand
/// behind a long row of others count as mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Each is at least as great as the one before.
    Ascending,
    /// None is greater than the one before.
    Descending,
    Mixed,
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

/// The extent of all elements. Their order is worth knowing of places only,
/// but costs nothing.
pub(super) fn extent(raw: &Raw, scale: Scale) -> Result<Extent> {
    let count = raw.shape().size();
    if count == 0 {
        return Ok(host::extent(&[], scale));
    }
    or_on_host(
        || {
            with(raw, |raw, device| {
                let answer = to_gpu([u64::MAX, 0, 0, 0, 0, 0]);
                let kernel = device.kernel("extent", raw.dtype(), None)?;
                let (grid, block) = device.shares(count);
                kernel.launch(grid, block, (raw, count, i32::from(scale == Scale::Log), &answer))?;
                let answer = answer.try_get()?;
                Ok(Extent {
                    ends: (answer[0] <= answer[1]).then(|| (from_key(answer[0]), from_key(answer[1]))),
                    without_place: answer[2],
                    nonpositive: answer[5],
                    order: match (answer[3], answer[4]) {
                        (0, _) => Order::Ascending,
                        (_, 0) => Order::Descending,
                        _ => Order::Mixed,
                    },
                })
            })
        },
        || Ok(host::extent(&values(raw)?, scale)),
    )
}

/// How many numbers lie in each bin between two edges, which ascend.
pub(super) fn histogram(raw: &Raw, edges: &[f64]) -> Result<Vec<u64>> {
    let (count, bins) = (raw.shape().size(), edges.len() - 1);
    if count == 0 {
        return Ok(vec![0; bins]);
    }
    or_on_host(
        || {
            with(raw, |raw, device| {
                let (edges, counts) = (to_gpu(edges), zeros::<u64>(bins));
                let kernel = device.kernel("histogram", raw.dtype(), None)?;
                let (grid, block) = device.shares(count);
                kernel.launch(grid, block, (raw, count, &edges, bins as i32, &counts))?;
                u64::download(&counts.raw)
            })
        },
        || Ok(host::histogram(&values(raw)?, edges)),
    )
}

/// Points, and a grid over the axes that they lie in. Without places, element
/// `i` stands at `i`.
#[derive(Clone, Copy)]
pub(super) struct Crowd<'a> {
    pub(super) places: Option<&'a Raw>,
    pub(super) values: &'a Raw,
    pub(super) limits: (&'a Limits, &'a Limits),
    /// Columns and rows.
    pub(super) size: (usize, usize),
}

impl Crowd<'_> {
    fn cells(&self) -> usize {
        self.size.0 * self.size.1
    }

    /// All points, copied.
    fn points(&self) -> Result<impl Iterator<Item = (f64, f64)>> {
        let count = self.values.shape().size();
        let places = match self.places {
            Some(places) => values(places)?,
            None => (0..count).map(|i| i as f64).collect(),
        };
        Ok(places.into_iter().zip(values(self.values)?))
    }

    /// Runs a kernel that finds the cell of each point.
    fn launch<T: Elem>(&self, name: &'static str, cells: &GpuArray<T>) -> Result<()> {
        with(self.values, |raw, device| {
            let x = self.places.map(|places| in_order(&readable(places))).transpose()?;
            let kernel = device.kernel(name, raw.dtype(), x.as_ref().map(Raw::dtype))?;
            let count = raw.shape().size();
            let (grid, block) = device.shares(count);
            let ((across, up), (width, height)) = (self.limits, self.size);
            let arguments = (
                x.as_ref().unwrap_or(raw),
                raw,
                count,
                i32::from(x.is_none()),
                across.map(across.from),
                across.map(across.to),
                across.scale.bend(),
                up.map(up.from),
                up.map(up.to),
                up.scale.bend(),
                width as i32,
                height as i32,
                cells,
            );
            kernel.launch(grid, block, arguments)
        })
    }

    /// How many points lie in each cell, the top row first.
    pub(super) fn density(&self) -> Result<Vec<u32>> {
        if self.values.shape().size() == 0 {
            return Ok(vec![0; self.cells()]);
        }
        or_on_host(
            || {
                with(self.values, |_, _| {
                    let counts = zeros::<u32>(self.cells());
                    self.launch("density", &counts)?;
                    u32::download(&counts.raw)
                })
            },
            || Ok(host::density(self.points()?, self.limits, self.size)),
        )
    }

    /// The mean of a value of each point in each cell, NaN where there is none.
    pub(super) fn means(&self, of: &Raw) -> Result<Vec<f64>> {
        if self.values.shape().size() == 0 {
            return Ok(vec![f64::NAN; self.cells()]);
        }
        let (sums, counts) = or_on_host(
            || {
                with(self.values, |raw, device| {
                    let x = self.places.map(|places| in_order(&readable(places))).transpose()?;
                    let kernel = device.kernel("means", raw.dtype(), x.as_ref().map(Raw::dtype))?;
                    let (grid, block) = device.shares(raw.shape().size());
                    let ((across, up), (width, height)) = (self.limits, self.size);
                    let colors = in_order(&of.cast(DType::Float64))?;
                    let (sums, counts) = (zeros::<f64>(self.cells()), zeros::<u32>(self.cells()));
                    let arguments = (
                        x.as_ref().unwrap_or(raw),
                        raw,
                        raw.shape().size(),
                        i32::from(x.is_none()),
                        across.map(across.from),
                        across.map(across.to),
                        across.scale.bend(),
                        up.map(up.from),
                        up.map(up.to),
                        up.scale.bend(),
                        width as i32,
                        height as i32,
                        &colors,
                        &sums,
                        &counts,
                    );
                    kernel.launch(grid, block, arguments)?;
                    Ok((f64::download(&sums.raw)?, u32::download(&counts.raw)?))
                })
            },
            || Ok(host::sums(self.points()?.zip(values(of)?), self.limits, self.size)),
        )?;
        let mean = |(sum, count): (f64, u32)| if count == 0 { f64::NAN } else { sum / f64::from(count) };
        Ok(sums.into_iter().zip(counts).map(mean).collect())
    }

    /// The first point in each of some cells.
    pub(super) fn members(&self, cells: &[usize]) -> Result<Vec<(f64, f64)>> {
        // Of the others no point is before the first.
        let mut members = vec![0; self.cells()];
        cells.iter().for_each(|cell| members[*cell] = u64::MAX);
        let picked = |members: Vec<u64>| -> Vec<i64> {
            // A cell that a point only just missed this time has none.
            cells.iter().map(|cell| members[*cell]).filter(|i| *i < u64::MAX).map(|i| i as i64).collect()
        };
        or_on_host(
            || {
                with(self.values, |raw, device| {
                    let members = to_gpu(&members);
                    self.launch("members", &members)?;
                    let picked = picked(u64::download(&members.raw)?);
                    let y = device.picked(raw, &picked)?;
                    let x = match self.places {
                        Some(places) => device.picked(&in_order(&readable(places))?, &picked)?,
                        None => picked.iter().map(|index| *index as f64).collect(),
                    };
                    Ok(x.into_iter().zip(y).collect())
                })
            },
            || {
                let mut members = members.clone();
                host::members(self.points()?, self.limits, self.size, &mut members);
                let points: Vec<_> = self.points()?.collect();
                Ok(picked(members).into_iter().map(|index| points[index as usize]).collect())
            },
        )
    }
}

/// Some elements, by their numbers in order.
pub(super) fn picked(raw: &Raw, indices: &[i64]) -> Result<Vec<f64>> {
    or_on_host(
        || with(raw, |raw, device| device.picked(raw, indices)),
        || {
            let all = values(raw)?;
            Ok(indices.iter().map(|index| all[*index as usize]).collect())
        },
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
                f64::download(&means.raw)
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
static COMPILED: PerContext<(&str, DType, Option<DType>), Function> = PerContext::new();

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

    /// Some elements of an array that kernels read.
    fn picked(&self, raw: &Raw, indices: &[i64]) -> Result<Vec<f64>> {
        if indices.is_empty() {
            return Ok(Vec::new());
        }
        let (indices, picked) = (to_gpu(indices), zeros::<f64>(indices.len()));
        let kernel = self.kernel("picked", raw.dtype(), None)?;
        let (grid, block) = self.each(indices.len());
        kernel.launch(grid, block, (raw, &indices, indices.len(), &picked))?;
        f64::download(&picked.raw)
    }

    /// A kernel, compiled once.
    fn kernel(&self, name: &'static str, dtype: DType, places: Option<DType>) -> Result<Function> {
        COMPILED.get_or_make(self.context, (name, dtype, places), || {
            let source =
                source(name).replace("REAL", dtype.c()).replace("PLACE", places.unwrap_or(dtype).c());
            SourceModule::new(&source)?.get_function(&format!("plot_{name}"))
        })
    }
}

/// What kernels share, and one of them.
fn source(name: &str) -> String {
    let mut parts = SOURCE.split("// PART ");
    let shared = parts.next().unwrap_or_default();
    let own = parts.find_map(|part| part.strip_prefix(name)).unwrap_or_default();
    format!("{shared}{own}")
}

/// An array of numbers, for tests.
#[cfg(test)]
pub(super) fn raw_of<T: Elem>(values: &[T]) -> Raw {
    to_gpu(values).raw
}
