//! Many elements combined to one, pairwise.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::arithmetic::{Binary, binary, identity};

/// Folds blocks: the back half is combined with the front half until one
/// element is left. Pairwise sums round far less than adding one by one.
pub(super) struct Folder {
    combine: Binary,
    identity: [u8; 16],
    size: usize,
    /// Two of them take turns; `u128` is as aligned as any element.
    scratch: [Vec<u128>; 2],
}

impl Folder {
    pub(super) fn new(op: ReduceOp, dtype: DType) -> Folder {
        // Logical or arithmetic: for booleans they are the same loops.
        let combining = match (op.combining(), dtype) {
            (BinaryOp::Add, DType::Bool) => BinaryOp::Or,
            (BinaryOp::Multiply, DType::Bool) => BinaryOp::And,
            (combining, _) => combining,
        };
        Folder {
            combine: binary(combining, dtype),
            identity: identity(op, dtype),
            size: dtype.size(),
            scratch: [Vec::new(), Vec::new()],
        }
    }

    /// Combines elements, of which there may be none.
    pub(super) fn fold(&mut self, elements: &[u8]) -> [u8; 16] {
        let size = self.size;
        let mut count = elements.len() / size;
        let mut value = [0; 16];
        match count {
            0 => return self.identity,
            1 => {
                value[..size].copy_from_slice(elements);
                return value;
            }
            _ => {}
        }
        let room = (count.div_ceil(2) * size).div_ceil(16);
        for scratch in &mut self.scratch {
            scratch.resize(scratch.len().max(room), 0);
        }
        let [first, second] = &mut self.scratch;
        let (mut to, mut from): (&mut [u8], &mut [u8]) =
            (bytemuck::cast_slice_mut(first), bytemuck::cast_slice_mut(second));
        // The first halving reads the elements where they are.
        halve(self.combine, to, elements, count, size);
        count = count.div_ceil(2);
        while count > 1 {
            std::mem::swap(&mut to, &mut from);
            halve(self.combine, to, from, count, size);
            count = count.div_ceil(2);
        }
        value[..size].copy_from_slice(&to[..size]);
        value
    }

    /// Combines values that `fold` has returned.
    pub(super) fn fold_values(&mut self, values: &[[u8; 16]]) -> [u8; 16] {
        let mut elements: Vec<u128> = vec![0; (values.len() * self.size).div_ceil(16)];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut elements);
        for (place, value) in bytes.chunks_exact_mut(self.size).zip(values) {
            place.copy_from_slice(&value[..self.size]);
        }
        let bytes: &[u8] = bytemuck::cast_slice(&elements);
        self.fold(&bytes[..values.len() * self.size])
    }
}

/// Combines the halves of `count` elements; the middle one of an odd number
/// is kept as it is.
fn halve(combine: Binary, to: &mut [u8], from: &[u8], count: usize, size: usize) {
    let half = count / 2;
    let kept = count - half;
    combine(&mut to[..half * size], &from[..half * size], &from[kept * size..count * size]);
    if kept > half {
        to[half * size..kept * size].copy_from_slice(&from[half * size..kept * size]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_elements() {
        for count in 0..40i64 {
            let elements: Vec<i64> = (1..=count).collect();
            let value = Folder::new(ReduceOp::Sum, DType::Int64).fold(bytemuck::cast_slice(&elements));
            assert_eq!(i64::from_ne_bytes(value[..8].try_into().unwrap()), count * (count + 1) / 2);
        }
    }

    #[test]
    fn a_nan_is_the_maximum() {
        let elements = [1.0f32, f32::NAN, 3.0, 2.0];
        for start in 0..3 {
            let part = &elements[start.min(1)..];
            let value = Folder::new(ReduceOp::Maximum, DType::Float32).fold(bytemuck::cast_slice(part));
            assert!(f32::from_ne_bytes(value[..4].try_into().unwrap()).is_nan());
        }
    }
}
