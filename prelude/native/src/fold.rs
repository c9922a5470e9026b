//! Many elements combined to one.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::arithmetic::{Binary, Fold, LANES, binary, fold, identity};

/// Folds blocks, each in lanes side by side and then pairwise: far less is
/// rounded than by adding one by one.
pub struct Folder {
    combine: Fold,
    pair: Binary,
    identity: [u8; 16],
    size: usize,
}

impl Folder {
    /// The fold of a reduction over elements of a type.
    pub fn new(op: ReduceOp, dtype: DType) -> Folder {
        // Logical or arithmetic: for booleans they are the same loops.
        let combining = match (op.combining(), dtype) {
            (BinaryOp::Add, DType::Bool) => BinaryOp::Or,
            (BinaryOp::Multiply, DType::Bool) => BinaryOp::And,
            (combining, _) => combining,
        };
        let pair = binary(combining, dtype);
        Folder { combine: fold(combining, dtype), pair, identity: identity(op, dtype), size: dtype.size() }
    }

    /// Combines elements, of which there may be none.
    pub fn fold(&self, elements: &[u8]) -> [u8; 16] {
        if elements.len() < self.size {
            return self.identity;
        }
        let mut value = [0; 16];
        (self.combine)(&mut value, elements);
        value
    }

    /// Combines elements side by side: `out[k]` is `a[k]` with `b[k]`.
    pub fn pair(&self, out: &mut [u8], a: &[u8], b: &[u8]) {
        (self.pair)(out, a, b);
    }

    /// Combines values that `fold` has returned, of which there may be many:
    /// as a tree too.
    pub fn fold_values(&self, values: &[[u8; 16]]) -> [u8; 16] {
        if values.len() > LANES {
            let parts: Vec<[u8; 16]> = values.chunks(LANES).map(|part| self.fold_values(part)).collect();
            return self.fold_values(&parts);
        }
        let mut elements: Vec<u128> = vec![0; (values.len() * self.size).div_ceil(16)];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut elements);
        for (place, value) in bytes.chunks_exact_mut(self.size).zip(values) {
            place.copy_from_slice(&value[..self.size]);
        }
        let bytes: &[u8] = bytemuck::cast_slice(&elements);
        self.fold(&bytes[..values.len() * self.size])
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
