//! Transforms on a GPU: by cuFFT where it is installed, else by kernels of our own.
//!
//! Either transforms the last axes of an array in C order. Other axes are moved there and back.

mod cufft;
mod kernels;

use gpurepl_extend::{AnyArray, Result};

use crate::transform::{Kind, Transform};

/// cuFFT transforms up to three axes at once.
const AT_ONCE: usize = 3;

/// The transform of an array that has the right lengths.
pub(crate) fn transformed(transform: &Transform, x: AnyArray) -> Result<AnyArray> {
    let library = cufft::library();
    let pass = |x: &AnyArray, kind: Kind, lengths: &[usize]| match library {
        Ok(library) => library.transformed(transform.name, x, kind, transform.is_inverse, lengths),
        Err(missing) => kernels::transformed(transform.name, missing, x, kind, transform.is_inverse, lengths),
    };
    let shape = transform.shape_of_result(&x);
    if shape.contains(&0) {
        return AnyArray::empty(shape, transform.dtype_of_result(x.dtype()));
    }
    let passes = passes(transform);
    let mut x = x;
    for (kind, axes) in passes {
        let order = order(x.shape().len(), &axes);
        let lengths: Vec<usize> = axes.iter().map(|axis| transform.length_of(*axis)).collect();
        let moved = x.permuted(&order)?;
        // cuFFT overwrites the input of a transform to real numbers.
        let moved = if kind == Kind::ToReal { moved.copied()? } else { moved.contiguous()? };
        let done = pass(&moved, kind, &lengths)?;
        x = done.permuted(&inverse(&order))?;
    }
    if transform.factor == 1.0 { Ok(x) } else { x.multiplied(transform.factor) }
}

/// Groups of axes that are transformed at once.
fn passes(transform: &Transform) -> Vec<(Kind, Vec<usize>)> {
    let (last, rest) = transform.axes.split_last().expect("a transform of some axes");
    let mut rest = rest.to_vec();
    // Their order does not matter, and in this one they may be where they should be.
    rest.sort_unstable();
    let groups = |axes: &[usize]| -> Vec<(Kind, Vec<usize>)> {
        axes.rchunks(AT_ONCE).map(|group| (Kind::Complex, group.to_vec())).collect()
    };
    if transform.kind == Kind::Complex {
        rest.push(*last);
        rest.sort_unstable();
        return groups(&rest);
    }
    let with_last = rest.len().min(AT_ONCE - 1);
    let (others, group) = rest.split_at(rest.len() - with_last);
    let mut group = group.to_vec();
    group.push(*last);
    let real = (transform.kind, group);
    match transform.kind {
        Kind::FromReal => std::iter::once(real).chain(groups(others)).collect(),
        _ => groups(others).into_iter().chain([real]).collect(),
    }
}

/// The axes in an order that ends with these.
fn order(rank: usize, last: &[usize]) -> Vec<usize> {
    (0..rank).filter(|axis| !last.contains(axis)).chain(last.iter().copied()).collect()
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; order.len()];
    for (to, from) in order.iter().enumerate() {
        inverse[*from] = to;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(kind: Kind, axes: &[usize]) -> Vec<(Kind, Vec<usize>)> {
        let lengths = vec![4; axes.len()];
        passes(&Transform { name: "fft", kind, is_inverse: false, axes: axes.to_vec(), lengths, factor: 1.0 })
    }

    #[test]
    fn three_axes_are_transformed_at_once() {
        use Kind::*;
        assert_eq!(planned(Complex, &[2, 0]), [(Complex, vec![0, 2])]);
        assert_eq!(planned(Complex, &[0, 1, 2, 3]), [(Complex, vec![1, 2, 3]), (Complex, vec![0])]);
        assert_eq!(planned(FromReal, &[3, 2, 1, 0]), [(FromReal, vec![2, 3, 0]), (Complex, vec![1])]);
        assert_eq!(planned(ToReal, &[0, 1, 2, 3]), [(Complex, vec![0]), (ToReal, vec![1, 2, 3])]);
    }

    #[test]
    fn axes_are_moved_and_moved_back() {
        let order = order(4, &[0, 2]);
        assert_eq!(order, [1, 3, 0, 2]);
        assert_eq!(inverse(&order), [2, 0, 3, 1]);
    }
}
