//! Transforms along an axis that is not the last one.
//!
//! The array is a stack of slabs, each a matrix whose columns are transformed. Columns that lie beside each
//! other are copied together to a tile, where each is contiguous: so memory is read and written in whole
//! cache lines.

use std::marker::PhantomData;

use rustfft::num_complex::Complex;

use crate::cores;
use crate::line::Line;
use crate::transpose::transpose_raw;

/// Bytes of the two tiles of a thread: half of a second cache.
const TILES: usize = 1 << 19;
/// Bytes of a cache line.
const CACHE_LINE: usize = 64;

/// Transforms the columns of slabs.
pub(crate) fn transform<L: Line>(line: &L, from: &[L::In], to: &mut [L::Out], width: usize) {
    let (before, after) = line.lengths();
    let slabs = to.len() / (after * width);
    assert_eq!((from.len(), to.len()), (slabs * before * width, slabs * after * width));
    let (from, to) = (Slabs::of(from, before, width), Slabs::of_mut(to, after, width));
    // SAFETY: they have so many slabs, and nobody else writes to a slice that is borrowed.
    unsafe { pass(line, &from, &to, slabs) }
}

/// Transforms the columns of slabs where they are.
pub(crate) fn transform_in_place<L: Line<In = E, Out = E>, E: Copy>(line: &L, slabs: &mut [E], width: usize) {
    let (before, after) = line.lengths();
    let count = slabs.len() / (before * width);
    assert_eq!((before, slabs.len()), (after, count * before * width));
    let slabs = Slabs::of_mut(slabs, before, width);
    // SAFETY: as above; `pass` allows for both being the same.
    unsafe { pass(line, &slabs, &slabs, count) }
}

/// Matrices of `rows` times `width` elements, one after another, for several threads at once.
struct Slabs<'a, T> {
    elements: *mut T,
    rows: usize,
    width: usize,
    borrowed: PhantomData<&'a mut [T]>,
}

// SAFETY: elements are read and written by unsafe functions alone, whose callers keep threads apart.
unsafe impl<T: Send + Sync> Sync for Slabs<'_, T> {}

impl<'a, T: Copy> Slabs<'a, T> {
    /// To read alone.
    fn of(elements: &'a [T], rows: usize, width: usize) -> Self {
        Slabs { elements: elements.as_ptr().cast_mut(), rows, width, borrowed: PhantomData }
    }

    fn of_mut(elements: &'a mut [T], rows: usize, width: usize) -> Self {
        Slabs { elements: elements.as_mut_ptr(), rows, width, borrowed: PhantomData }
    }

    /// The first element of a column.
    ///
    /// # Safety
    ///
    /// The slab and the column exist.
    unsafe fn column(&self, slab: usize, column: usize) -> *mut T {
        // SAFETY: the caller's promise.
        unsafe { self.elements.add(slab * self.rows * self.width + column) }
    }

    /// Copies columns to the tile, each to a line of it; lines begin `pitch` elements apart.
    ///
    /// # Safety
    ///
    /// The slab exists, `column + count` is at most the width, and nobody writes to these columns meanwhile.
    unsafe fn load(&self, slab: usize, column: usize, count: usize, tile: &mut [T], pitch: usize) {
        assert!(pitch >= self.rows && tile.len() >= count * pitch);
        // SAFETY: the columns are there by the caller's promise, and the lines by the check. A tile is
        // borrowed, so it is no part of the slabs.
        unsafe {
            let from = self.column(slab, column);
            transpose_raw(from, self.width, tile.as_mut_ptr(), pitch, [self.rows, count]);
        }
    }

    /// Copies lines of the tile to columns.
    ///
    /// # Safety
    ///
    /// The slabs have been made to write, this one exists, `column + count` is at most the width, and nobody
    /// else reads or writes these columns meanwhile.
    unsafe fn store(&self, slab: usize, column: usize, count: usize, tile: &[T], pitch: usize) {
        assert!(pitch >= self.rows && tile.len() >= count * pitch);
        // SAFETY: as above.
        unsafe {
            let to = self.column(slab, column);
            transpose_raw(tile.as_ptr(), pitch, to, self.width, [count, self.rows]);
        }
    }
}

/// The distance of lines in a tile. Columns whose addresses differ by a power of two would share a few sets
/// of the cache, and put each other out of it.
fn pitch<T>(length: usize) -> usize {
    let is_crowded = (length * size_of::<T>()).is_multiple_of(8 * CACHE_LINE);
    if is_crowded { length + CACHE_LINE / size_of::<T>() } else { length }
}

/// # Safety
///
/// Both have `count` slabs, of the lengths of the line. Nobody else uses what is written, nor writes what is
/// read. Both may be the same.
unsafe fn pass<L: Line>(line: &L, from: &Slabs<'_, L::In>, to: &Slabs<'_, L::Out>, count: usize) {
    let (before, after) = line.lengths();
    let (pitch_in, pitch_out) = (pitch::<L::In>(before), pitch::<L::Out>(after));
    let bytes = pitch_in * size_of::<L::In>() + pitch_out * size_of::<L::Out>();
    let least = CACHE_LINE / size_of::<L::In>().max(size_of::<L::Out>());
    // A tile has one block of neighbouring columns, or all columns of some slabs.
    let most = (TILES / bytes).clamp(least, 64);
    let width = from.width;
    // Some tasks for each thread, but none that parts cache lines.
    let most = (count * width).div_ceil(4 * cores::threads()).next_multiple_of(least).min(most);
    let block = most.min(width);
    let (blocks, group) = (width.div_ceil(block), (most / width).clamp(1, count));
    let lines = block * group;
    let new = || {
        let tiles = (vec![L::In::default(); lines * pitch_in], vec![L::Out::default(); lines * pitch_out]);
        (tiles, vec![Complex::default(); line.scratch()])
    };
    let elements = count * width * before.max(after);
    cores::each(count.div_ceil(group) * blocks, elements, new, |((tile_in, tile_out), scratch), task| {
        let (first, column) = (task / blocks * group, task % blocks * block);
        let (slabs, columns) = (group.min(count - first), block.min(width - column));
        for slab in 0..slabs {
            let tile = &mut tile_in[slab * columns * pitch_in..];
            // SAFETY: slab and columns exist, as their numbers are below the counts. Each pair of a slab and
            // a column belongs to one task, which alone writes it, and that after it has been read.
            unsafe { from.load(first + slab, column, columns, tile, pitch_in) };
        }
        let lines = slabs * columns;
        if (pitch_in, pitch_out) == (before, after) {
            line.apply(&mut tile_in[..lines * before], &mut tile_out[..lines * after], scratch);
        } else {
            let tiles = tile_in.chunks_mut(pitch_in).zip(tile_out.chunks_mut(pitch_out)).take(lines);
            tiles.for_each(|(from, to)| line.apply(&mut from[..before], &mut to[..after], scratch));
        }
        for slab in 0..slabs {
            let tile = &tile_out[slab * columns * pitch_out..];
            // SAFETY: as above.
            unsafe { to.store(first + slab, column, columns, tile, pitch_out) };
        }
    });
}
