//! Products of matrices: the work, on a GPU and on the host.

use std::cell::Cell;
use std::sync::Arc;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use gpurepl_kernels::{DType, Generated, MATMUL_BLOCK, MATMUL_TILE};
use num_complex::{Complex32, Complex64};

use super::host_products;
use super::library::{HostSpan, LibraryOperation, LibraryWork, Span};
use super::{BLOCKS_PER_MULTIPROCESSOR, MOST_IN_Y, numbers};
use crate::error::Result;
use crate::host::ranges;
use crate::scalar::{Scalar, ScalarBytes};
use crate::{Buffer, Gemm, GemmFactor, GeneratedLaunch, Gpu, capture_id};

/// Matrices of a product, which may lie in any steps.
#[derive(Clone)]
pub struct Factor {
    /// Where they lie.
    pub buffer: Arc<Buffer>,
    /// The first element of the first one.
    pub offset: usize,
    /// From one matrix to the next; zero if all are the same.
    pub batch: isize,
    /// From a row to the next.
    pub row: isize,
    /// From a column to the next.
    pub column: isize,
}

/// Fewer products of elements than these are left to the kernel here: the first
/// call of NVIDIA's library loads it, which takes longer.
const LEAST_FOR_LIBRARY: usize = 1 << 21;

thread_local! {
    static TF32: Cell<bool> = const { Cell::new(false) };
}

/// Whether a GPU may round the factors of products of `f32` to the 11 bits of
/// TF32, which its tensor cores take: from now on, on this thread. False at first.
pub fn allow_tf32(is_allowed: bool) {
    TF32.set(is_allowed);
}

/// What [`allow_tf32`] was last told on this thread.
pub fn is_tf32_allowed() -> bool {
    TF32.get()
}

/// Products of `rows` by `inner` with `inner` by `columns` elements. There is
/// at least one element in each result, and none of the lengths is zero.
pub struct MatMul {
    /// The type of all; not boolean, and of half precision only where a
    /// [library takes it](MatMul::is_for_library).
    pub dtype: DType,
    /// How many products there are.
    pub batches: usize,
    /// Of the left factors and the results.
    pub rows: usize,
    /// Of the right factors and the results.
    pub columns: usize,
    /// What is summed over.
    pub inner: usize,
    /// The left factors.
    pub left: Factor,
    /// The right factors.
    pub right: Factor,
    /// The products go to the start of it, in C order.
    pub output: Arc<Buffer>,
}

impl Factor {
    /// The elements from the lowest to the highest, and the first's number
    /// among them.
    fn extent(&self, batches: usize, rows: usize, columns: usize) -> (usize, usize, usize) {
        let (mut low, mut high) = (0, 0);
        for (count, step) in [(batches, self.batch), (rows, self.row), (columns, self.column)] {
            let last = (count - 1) as isize * step;
            low += last.min(0);
            high += last.max(0);
        }
        let start = self.offset as isize + low;
        assert!(start >= 0, "internal error: outside of a buffer");
        (start as usize, (high - low) as usize + 1, -low as usize)
    }
}

impl Factor {
    /// The factor in column-major order, of the lengths and steps of its rows and
    /// columns; none if neither lies together.
    fn for_library(&self, dtype: DType, down: (usize, isize), across: (usize, isize)) -> Option<GemmFactor> {
        // The step of an axis of one element says nothing.
        let leading = |(length, step): (usize, isize), (others, over): (usize, isize)| {
            let is_together = length == 1 || step == 1;
            let is_apart = others == 1 || usize::try_from(over).is_ok_and(|over| over >= length);
            (is_together && is_apart).then_some(if others == 1 { length } else { over as usize })
        };
        let (is_transposed, leading) = match (leading(down, across), leading(across, down)) {
            (Some(leading), _) => (false, leading),
            (None, Some(leading)) => (true, leading),
            (None, None) => return None,
        };
        let address = self.buffer.address() + (self.offset * dtype.size()) as u64;
        (self.batch >= 0).then_some(GemmFactor { address, is_transposed, leading, batch: self.batch })
    }
}

impl MatMul {
    fn extents(&self) -> [(usize, usize, usize); 2] {
        [
            self.left.extent(self.batches, self.rows, self.inner),
            self.right.extent(self.batches, self.inner, self.columns),
        ]
    }

    /// Whether NVIDIA's library would be asked for these products, where it is
    /// installed.
    pub fn is_for_library(&self) -> bool {
        self.gemm().is_some()
    }

    /// The products for NVIDIA's library: they are large, of floats, and of
    /// matrices whose rows or columns lie together. It takes matrices in
    /// column-major order, in which ours are transposed, and so is the product:
    /// the right factor is its left one.
    fn gemm(&self) -> Option<Gemm> {
        let products = [self.batches, self.rows, self.columns, self.inner];
        let products = products.iter().fold(1usize, |product, length| product.saturating_mul(*length));
        // A graph would record the memory that the library takes at its first call.
        let is_wanted = products >= LEAST_FOR_LIBRARY && capture_id() == 0;
        if !is_wanted || !(self.dtype.is_float() || self.dtype.is_complex()) {
            return None;
        }
        let (left, right) = (&self.right, &self.left);
        Some(Gemm {
            dtype: self.dtype,
            batches: self.batches,
            rows: self.columns,
            columns: self.rows,
            inner: self.inner,
            left: left.for_library(self.dtype, (self.columns, left.column), (self.inner, left.row))?,
            right: right.for_library(self.dtype, (self.inner, right.column), (self.rows, right.row))?,
            output: self.output.address(),
            is_tf32: is_tf32_allowed() && matches!(self.dtype, DType::Float32 | DType::Complex64),
        })
    }

    /// The operation.
    ///
    /// # Errors
    ///
    /// If the result lies in the memory of a factor.
    pub fn operation(self) -> Result<LibraryOperation> {
        let size = self.dtype.size();
        let [left, right] = self.extents();
        let read = |factor: &Factor, (start, count, _): (usize, usize, usize)| Span {
            buffer: Arc::clone(&factor.buffer),
            start: start * size,
            bytes: count * size,
            writes: false,
        };
        let results = self.batches * self.rows * self.columns;
        let output = Span { buffer: Arc::clone(&self.output), start: 0, bytes: results * size, writes: true };
        let spans = vec![read(&self.left, left), read(&self.right, right), output];
        LibraryOperation::new(Arc::new(self), spans)
    }
}

impl LibraryWork for MatMul {
    fn name(&self) -> &'static str {
        "a product of matrices"
    }

    fn on_host(&self, memory: &mut [HostSpan<'_>]) -> Result<()> {
        let [HostSpan::Read(left), HostSpan::Read(right), HostSpan::Write(output)] = memory else {
            unreachable!("the spans of `operation`")
        };
        let lengths = [self.rows, self.columns, self.inner];
        if host_products::multiply(lengths, || self.gemm(), [right, left], output)? {
            return Ok(());
        }
        match self.dtype {
            DType::Float32 => self.multiply::<f32>(left, right, output),
            DType::Float64 => self.multiply::<f64>(left, right, output),
            DType::Complex64 => self.multiply::<Complex32>(left, right, output),
            DType::Complex128 => self.multiply::<Complex64>(left, right, output),
            // Wrapped products and sums have the same bits with a sign and without.
            DType::Int8 | DType::UInt8 => self.multiply::<u8>(left, right, output),
            DType::Int16 | DType::UInt16 => self.multiply::<u16>(left, right, output),
            DType::Int32 | DType::UInt32 => self.multiply::<u32>(left, right, output),
            DType::Int64 | DType::UInt64 => self.multiply::<u64>(left, right, output),
            DType::Bool | DType::Float16 => unreachable!("internal error: products of {}", self.dtype),
        }
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        if let Some(gemm) = self.gemm() {
            // SAFETY: `LibraryOperation` has made sure that the elements lie
            // within their buffers, and the result's in no other span.
            if unsafe { gpu.multiply(&gemm)? } {
                return Ok(());
            }
        }
        let text = Generated::MatMul(self.dtype);
        let size = self.dtype.size();
        let first = |factor: &Factor| factor.buffer.address() + (factor.offset * size) as u64;
        let addresses = [first(&self.left), first(&self.right), self.output.address()];
        let mut arguments = addresses.map(ScalarBytes::address).to_vec();
        arguments.extend(numbers([self.rows, self.columns, self.inner, self.batches]));
        for factor in [&self.left, &self.right] {
            arguments.extend(
                [factor.batch, factor.row, factor.column]
                    .map(|step| Scalar::Int(step as i64).to_bytes(DType::Int64).expect("an i64 is an i64")),
            );
        }
        let tiles = self.rows.div_ceil(MATMUL_TILE) * self.columns.div_ceil(MATMUL_TILE);
        let most = gpu.multiprocessors() * BLOCKS_PER_MULTIPROCESSOR;
        let launch = GeneratedLaunch {
            text: &text,
            entry: "gpurepl_matmul",
            grid: (tiles.clamp(1, most), self.batches.min(MOST_IN_Y)),
            block: MATMUL_BLOCK,
            arguments: &arguments,
        };
        // SAFETY: these are the arguments of `matmul.hpp`, in its order;
        // `LibraryOperation` has made sure that the elements lie within their
        // buffers.
        unsafe { gpu.launch(&launch) }
    }
}

/// An element of a product on the host.
trait Element: Pod + Send + Sync {
    /// Writes a product of matrices in C order: `sizes` are rows, inner length
    /// and columns. Factors are slices with the number of their first element
    /// and the steps of rows and columns.
    fn product(sizes: [usize; 3], left: At<'_, Self>, right: At<'_, Self>, output: &mut [Self]);
}

/// A matrix within a slice.
#[derive(Clone, Copy)]
struct At<'a, T> {
    elements: &'a [T],
    first: usize,
    row: isize,
    column: isize,
}

impl<T> At<'_, T> {
    /// The first element, for code that does not check bounds.
    fn pointer(&self, rows: usize, columns: usize) -> *const T {
        let corner = |row: bool, column: bool| {
            let rows = if row { (rows - 1) as isize * self.row } else { 0 };
            let columns = if column { (columns - 1) as isize * self.column } else { 0 };
            self.first as isize + rows + columns
        };
        for (row, column) in [(false, false), (false, true), (true, false), (true, true)] {
            let at = corner(row, column);
            assert!(at >= 0 && (at as usize) < self.elements.len(), "internal error: outside of a matrix");
        }
        self.elements[self.first..].as_ptr()
    }
}

macro_rules! multiplied {
    ($($t:ident $function:ident ($one:expr, $zero:expr) $(as $part:ty)?;)*) => {$(
        impl Element for $t {
            fn product([rows, inner, columns]: [usize; 3], left: At<'_, $t>, right: At<'_, $t>, output: &mut [$t]) {
                assert_eq!(output.len(), rows * columns);
                let (a, b) = (left.pointer(rows, inner), right.pointer(inner, columns));
                // SAFETY: `pointer` has made sure that the corners of both
                // factors, and so all of their elements, lie within their
                // slices; the result is as large as is said, and of the same
                // layout: a complex number is an array of its parts.
                unsafe {
                    matrixmultiply::$function(
                        $(multiplied!(@option $part),)?
                        $(multiplied!(@option $part),)?
                        rows, inner, columns, $one,
                        a.cast(), left.row, left.column,
                        b.cast(), right.row, right.column,
                        $zero, output.as_mut_ptr().cast(), columns as isize, 1,
                    );
                }
            }
        }
    )*};
    (@option $part:ty) => { matrixmultiply::CGemmOption::Standard };
}
multiplied! {
    f32 sgemm (1.0, 0.0);
    f64 dgemm (1.0, 0.0);
    Complex32 cgemm ([1.0, 0.0], [0.0, 0.0]) as f32;
    Complex64 zgemm ([1.0, 0.0], [0.0, 0.0]) as f64;
}

macro_rules! wrapping {
    ($($t:ident)*) => {$(
        impl Element for $t {
            fn product([rows, inner, columns]: [usize; 3], left: At<'_, $t>, right: At<'_, $t>, output: &mut [$t]) {
                let at = |matrix: &At<'_, $t>, row: usize, column: usize| {
                    (matrix.first as isize + row as isize * matrix.row + column as isize * matrix.column) as usize
                };
                for (row, results) in output.chunks_exact_mut(columns).enumerate().take(rows) {
                    results.fill(0);
                    for k in 0..inner {
                        let factor = left.elements[at(&left, row, k)];
                        if right.column == 1 {
                            let others = &right.elements[at(&right, k, 0)..][..columns];
                            for (result, other) in results.iter_mut().zip(others) {
                                *result = result.wrapping_add(factor.wrapping_mul(*other));
                            }
                        } else {
                            for (column, result) in results.iter_mut().enumerate() {
                                let other = right.elements[at(&right, k, column)];
                                *result = result.wrapping_add(factor.wrapping_mul(other));
                            }
                        }
                    }
                }
            }
        }
    )*};
}
wrapping!(u8 u16 u32 u64);

/// Rows of a result that a core takes at a time, at least: each packs the whole
/// right factor.
const ROWS: usize = 64;

impl MatMul {
    fn multiply<T: Element>(&self, left: &[u8], right: &[u8], output: &mut [u8]) -> Result<()> {
        let (left, right, output) = (cast_slice::<u8, T>(left), cast_slice(right), cast_slice_mut(output));
        let [(.., left_first), (.., right_first)] = self.extents();
        let cores = rayon_core::current_num_threads();
        let wanted = (cores * 2).div_ceil(self.batches);
        let part = self.rows.div_ceil(wanted).max(ROWS).min(self.rows);
        let parts = self.rows.div_ceil(part);
        let output = std::sync::Mutex::new(Pieces { left: output });
        let pieces: Vec<_> = (0..self.batches * parts)
            .map(|piece| {
                let first = piece % parts * part;
                let rows = part.min(self.rows - first);
                let taken = output.lock().expect("nobody else has it").take(rows * self.columns);
                (piece / parts, first, std::sync::Mutex::new(taken))
            })
            .collect();
        ranges(pieces.len(), 1, |range| {
            for (batch, first, results) in &pieces[range] {
                let results = &mut **results.lock().expect("each piece is one core's");
                let rows = results.len() / self.columns;
                let first_of = |factor: &Factor, lowest: usize, row: usize| {
                    (lowest as isize + *batch as isize * factor.batch + row as isize * factor.row) as usize
                };
                let of = |elements, factor: &Factor, first| At {
                    elements,
                    first,
                    row: factor.row,
                    column: factor.column,
                };
                T::product(
                    [rows, self.inner, self.columns],
                    of(left, &self.left, first_of(&self.left, left_first, *first)),
                    of(right, &self.right, first_of(&self.right, right_first, 0)),
                    results,
                );
            }
        })
    }
}

/// A slice that is handed out in pieces.
struct Pieces<'a, T> {
    left: &'a mut [T],
}

impl<'a, T> Pieces<'a, T> {
    fn take(&mut self, count: usize) -> &'a mut [T] {
        let (first, left) = std::mem::take(&mut self.left).split_at_mut(count);
        self.left = left;
        first
    }
}
