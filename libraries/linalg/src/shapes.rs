//! Shapes of stacks of matrices.

use gpurepl_extend::{AnyArray, Result, error};

/// The rows and columns of the matrices of a stack, and how many there are along each other axis.
pub(crate) fn matrices<'a>(operation: &'static str, a: &'a AnyArray) -> Result<(&'a [usize], usize, usize)> {
    match a.shape() {
        [batch @ .., rows, columns] => Ok((batch, *rows, *columns)),
        // NumPy's words.
        shape => {
            let message = format!(
                "{}-dimensional array given. Array must be at least two-dimensional: give a matrix, or a stack of them",
                shape.len()
            );
            Err(error::shape(operation, message))
        }
    }
}

/// [`matrices`] that have as many rows as columns.
pub(crate) fn square<'a>(operation: &'static str, a: &'a AnyArray) -> Result<(&'a [usize], usize)> {
    match matrices(operation, a)? {
        (batch, rows, columns) if rows == columns => Ok((batch, rows)),
        // NumPy's words.
        (_, rows, columns) => {
            let message = format!(
                "Last 2 dimensions of the array must be square; they are {rows} and {columns}: `linalg::lstsq`, `pinv`, `qr` and `svd` take any"
            );
            Err(error::shape(operation, message))
        }
    }
}

/// Two stacks of matrices with the same number of matrices along each axis: those that have one, or lack
/// the axis, are repeated.
pub(crate) fn broadcast(operation: &'static str, a: &AnyArray, b: &AnyArray) -> Result<(AnyArray, AnyArray)> {
    let ((of_a, m, n), (of_b, p, q)) = (matrices(operation, a)?, matrices(operation, b)?);
    if of_a == of_b {
        return Ok((a.clone(), b.clone()));
    }
    let stack = common_stack(operation, a.shape(), b.shape())?;
    Ok((a.broadcast_to(&with(&stack, &[m, n]))?, b.broadcast_to(&with(&stack, &[p, q]))?))
}

/// How many matrices two stacks of these shapes have together, along each axis.
pub(crate) fn common_stack(operation: &'static str, a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    let stack = |shape: &'_ [usize]| shape[..shape.len().saturating_sub(2)].to_vec();
    let (of_a, of_b) = (stack(a), stack(b));
    let rank = of_a.len().max(of_b.len());
    let common = (0..rank).map(|k| {
        let length = |of: &[usize]| (k + of.len()).checked_sub(rank).map_or(1, |place| of[place]);
        match (length(&of_a), length(&of_b)) {
            (a, b) if a == b => Ok(a),
            (1, other) | (other, 1) => Ok(other),
            _ => {
                let message = format!(
                    "shapes {a:?} and {b:?}: stacks of {of_a:?} and {of_b:?} matrices do not broadcast; their axes \
                     must be of one length, or of length 1"
                );
                Err(error::shape(operation, message))
            }
        }
    });
    common.collect()
}

/// A shape with other last axes.
pub(crate) fn with(batch: &[usize], last: &[usize]) -> Vec<usize> {
    [batch, last].concat()
}

/// Which matrix of a stack something is about; nothing where there is one.
pub(crate) fn which(batch: &[usize], number: usize) -> String {
    if batch.is_empty() {
        return String::new();
    }
    let mut rest = number;
    let mut place: Vec<usize> = batch
        .iter()
        .rev()
        .map(|length| {
            let at = rest % length;
            rest /= length;
            at
        })
        .collect();
    place.reverse();
    format!("matrix {place:?} of the stack: ")
}

#[cfg(test)]
mod tests {
    use super::which;

    #[test]
    fn a_matrix_of_a_stack_is_named() {
        assert_eq!(which(&[], 0), "");
        assert_eq!(which(&[2, 3], 4), "matrix [1, 1] of the stack: ");
    }
}
