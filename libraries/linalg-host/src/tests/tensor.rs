//! Arrays of tests, and products of them to compare with.

use bytemuck::{cast_slice, cast_slice_mut};
use num_complex::Complex;

pub type Number = Complex<f64>;

/// The types of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    F32,
    F64,
    C32,
    C64,
    I64,
}
use Kind::*;

impl Kind {
    /// Those that matrices have.
    pub const ALL: [Kind; 4] = [F32, F64, C32, C64];

    pub fn is_complex(self) -> bool {
        matches!(self, C32 | C64)
    }

    /// The distance from one to the next number.
    pub fn eps(self) -> f64 {
        if matches!(self, F32 | C32) { f32::EPSILON.into() } else { f64::EPSILON }
    }

    /// Of the real parts.
    pub fn real(self) -> Kind {
        if matches!(self, F32 | C32) { F32 } else { F64 }
    }

    pub fn complex(self) -> Kind {
        if matches!(self, F32 | C32) { C32 } else { C64 }
    }

    pub fn code(self) -> u32 {
        [10, 11, 12, 13, 4][self as usize]
    }

    pub fn size(self) -> usize {
        [4, 8, 8, 16, 8][self as usize]
    }
}

/// An array, whose elements are kept as what holds all types.
#[derive(Clone, Debug)]
pub struct Tensor {
    pub kind: Kind,
    pub shape: Vec<usize>,
    pub values: Vec<Number>,
}

impl Tensor {
    pub fn new(kind: Kind, shape: &[usize], value: impl FnMut(usize) -> Number) -> Tensor {
        let count: usize = shape.iter().product();
        Tensor { kind, shape: shape.to_vec(), values: (0..count).map(value).collect() }
    }

    /// Of real numbers.
    pub fn real(kind: Kind, shape: &[usize], values: &[f64]) -> Tensor {
        assert_eq!(values.len(), shape.iter().product());
        Tensor::new(kind, shape, |index| values[index].into())
    }

    /// The same numbers for each seed, from -1 to 1.
    pub fn random(kind: Kind, shape: &[usize], seed: u64) -> Tensor {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move || {
            // Marsaglia's xorshift.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            f64::from((state >> 40) as u32) / f64::from(1 << 23) - 1.0
        };
        Tensor::new(kind, shape, |_| Complex::new(next(), if kind.is_complex() { next() } else { 0.0 }))
    }

    pub fn rows(&self) -> usize {
        self.shape[self.shape.len() - 2]
    }

    pub fn columns(&self) -> usize {
        self.shape[self.shape.len() - 1]
    }

    /// The shape without the last two axes, and then these.
    pub fn batch(&self, axes: &[usize]) -> Vec<usize> {
        [&self.shape[..self.shape.len() - 2], axes].concat()
    }

    fn count(&self) -> usize {
        self.batch(&[]).iter().product()
    }

    /// A matrix for each matrix, whose elements depend on it and their place.
    pub fn matrices(
        &self,
        rows: usize,
        columns: usize,
        value: impl Fn(&dyn Fn(usize, usize) -> Number, usize, usize) -> Number,
    ) -> Tensor {
        let size = rows * columns;
        Tensor::new(self.kind, &self.batch(&[rows, columns]), |index| {
            let own = &self.values[index / size * self.rows() * self.columns()..];
            let at = |row: usize, column: usize| own[row * self.columns() + column];
            value(&at, index % size / columns, index % columns)
        })
    }

    pub fn adjoint(&self) -> Tensor {
        self.matrices(self.columns(), self.rows(), |at, row, column| at(column, row).conj())
    }

    /// The matrices of a part of their rows and columns.
    pub fn part(&self, rows: usize, columns: usize) -> Tensor {
        self.matrices(rows, columns, |at, row, column| at(row, column))
    }

    pub fn identity(&self, order: usize) -> Tensor {
        self.matrices(order, order, |_, row, column| f64::from(u8::from(row == column)).into())
    }

    pub fn times(&self, other: &Tensor) -> Tensor {
        let (rows, inner, columns) = (self.rows(), self.columns(), other.columns());
        let mut to = Tensor::new(self.kind, &self.batch(&[rows, columns]), |_| 0.0.into());
        for matrix in 0..self.count() {
            for row in 0..rows {
                let own = &mut to.values[(matrix * rows + row) * columns..][..columns];
                for step in 0..inner {
                    let factor = self.values[(matrix * rows + row) * inner + step];
                    let others = &other.values[(matrix * inner + step) * columns..][..columns];
                    own.iter_mut().zip(others).for_each(|(sum, &other)| *sum += factor * other);
                }
            }
        }
        to
    }

    /// A with its columns multiplied by numbers.
    pub fn scaled(&self, factors: &Tensor) -> Tensor {
        let (rows, columns) = (self.rows(), self.columns());
        let factor = |index: usize| factors.values[index / (rows * columns) * columns + index % columns];
        Tensor::new(self.kind, &self.shape, |index| self.values[index] * factor(index))
    }

    pub fn largest(&self) -> f64 {
        self.values.iter().map(|value| value.norm()).fold(0.0, f64::max)
    }

    /// The largest difference; not a number, if there is one.
    pub fn distance(&self, other: &Tensor) -> f64 {
        assert_eq!(self.shape, other.shape);
        let differences = self.values.iter().zip(&other.values).map(|(one, other)| (one - other).norm());
        differences
            .fold(0.0, |largest, other| if other > largest || other.is_nan() { other } else { largest })
    }

    /// Its bytes.
    pub fn pack(&self) -> Vec<[f64; 2]> {
        let mut memory = vec![[0.0; 2]; (self.values.len() * self.kind.size()).div_ceil(16)];
        let parts = self.values.iter().flat_map(|value| [value.re, value.im]);
        let step = if self.kind.is_complex() { 1 } else { 2 };
        let parts = parts.step_by(step);
        match self.kind {
            F32 | C32 => {
                cast_slice_mut(&mut memory).iter_mut().zip(parts).for_each(|(to, from)| *to = from as f32)
            }
            F64 | C64 => cast_slice_mut(&mut memory).iter_mut().zip(parts).for_each(|(to, from)| *to = from),
            I64 => cast_slice_mut(&mut memory).iter_mut().zip(parts).for_each(|(to, from)| *to = from as i64),
        }
        memory
    }

    /// Takes the numbers from bytes.
    pub fn unpack(&mut self, memory: &[[f64; 2]]) {
        for (index, value) in self.values.iter_mut().enumerate() {
            *value = match self.kind {
                F32 => f64::from(cast_slice::<_, f32>(memory)[index]).into(),
                F64 => cast_slice::<_, f64>(memory)[index].into(),
                I64 => (cast_slice::<_, i64>(memory)[index] as f64).into(),
                C64 => Complex::new(memory[index][0], memory[index][1]),
                C32 => {
                    let [re, im] = cast_slice::<_, [f32; 2]>(memory)[index];
                    Complex::new(re.into(), im.into())
                }
            };
        }
    }
}
