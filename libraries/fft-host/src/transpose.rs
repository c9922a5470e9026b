//! Transposition of matrices.

/// Elements of a side of the squares that are transposed at once: at least a cache line in each direction.
const SIDE: usize = 8;

/// Transposes a matrix whose rows begin `pitch` elements apart; rows of the result follow one another. The
/// matrix has as many rows as the result has columns.
pub(crate) fn transpose<T: Copy>(from: &[T], pitch: usize, to: &mut [T], rows: usize) {
    let columns = to.len() / rows;
    let last = (rows - 1).checked_mul(pitch);
    assert!(to.len() == rows * columns && last.is_some_and(|last| last + columns <= from.len()));
    // SAFETY: the last row of the one lies within the slice by the first check, and the other is the whole
    // slice. They do not overlap, as one is borrowed to write.
    unsafe { transpose_raw(from.as_ptr(), pitch, to.as_mut_ptr(), rows, [rows, columns]) }
}

/// `to[column * to_pitch + row] = from[row * from_pitch + column]`
///
/// # Safety
///
/// For the rows and columns below those of the shape, these are elements to read and to write. Nobody else
/// writes the first ones or uses the second ones meanwhile. They do not overlap.
pub(crate) unsafe fn transpose_raw<T: Copy>(
    from: *const T,
    from_pitch: usize,
    to: *mut T,
    to_pitch: usize,
    [rows, columns]: [usize; 2],
) {
    let square = |row: usize, column: usize| {
        // SAFETY: the first element of a square that begins within the shape.
        let (from, to) = unsafe { (from.add(row * from_pitch + column), to.add(column * to_pitch + row)) };
        let (height, width) = (SIDE.min(rows - row), SIDE.min(columns - column));
        // SAFETY: elements within the shape, by these two.
        let copy = |row: usize, column: usize| unsafe {
            *to.add(column * to_pitch + row) = *from.add(row * from_pitch + column)
        };
        if (height, width) == (SIDE, SIDE) {
            // The same with constants, which is unrolled.
            (0..SIDE).for_each(|column| (0..SIDE).for_each(|row| copy(row, column)));
        } else {
            (0..width).for_each(|column| (0..height).for_each(|row| copy(row, column)));
        }
    };
    // Squares along the shorter side first: what lies beside them is then still in the cache.
    if rows >= columns {
        (0..rows)
            .step_by(SIDE)
            .for_each(|row| (0..columns).step_by(SIDE).for_each(|column| square(row, column)));
    } else {
        (0..columns)
            .step_by(SIDE)
            .for_each(|column| (0..rows).step_by(SIDE).for_each(|row| square(row, column)));
    }
}
