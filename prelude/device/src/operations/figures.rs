//! The figures of elements, for displays: those of each part of an array, and
//! how the host adds elements.

use bytemuck::{Pod, Zeroable};
use gpurepl_kernels::{Cells, DType, FIGURES_BYTES, Wide};
use half::f16;
use num_complex::{Complex32, Complex64};

/// The figures of a part, as `gpurepl_figures` lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
#[doc(hidden)]
pub struct Figures {
    /// The bits of the least element that is a number.
    least: u64,
    most: u64,
    /// The bits of the sum of what is finite.
    sum: u64,
    pub nan: u64,
    pub infinite: u64,
}

const _: () = assert!(size_of::<Figures>() == FIGURES_BYTES);

impl Figures {
    /// Those of no elements.
    pub fn none(wide: Wide) -> Figures {
        let (least, most) = match wide {
            Wide::Float => (f64::INFINITY.to_bits(), f64::NEG_INFINITY.to_bits()),
            Wide::Signed => (i64::MAX as u64, i64::MIN as u64),
            Wide::Unsigned => (u64::MAX, 0),
        };
        Figures { least, most, sum: 0f64.to_bits(), nan: 0, infinite: 0 }
    }

    pub fn sum(&self) -> f64 {
        f64::from_bits(self.sum)
    }

    /// The least and the greatest as integers, for types of integers.
    pub fn integers(&self, wide: Wide) -> (i128, i128) {
        match wide {
            Wide::Signed => ((self.least as i64).into(), (self.most as i64).into()),
            _ => (self.least.into(), self.most.into()),
        }
    }

    /// The least and the greatest as floats.
    pub fn ends(&self, wide: Wide) -> (f64, f64) {
        match wide {
            Wide::Float => (f64::from_bits(self.least), f64::from_bits(self.most)),
            _ => {
                let (least, most) = self.integers(wide);
                (least as f64, most as f64)
            }
        }
    }

    /// Adds those of other elements.
    pub fn add(&mut self, other: &Figures, wide: Wide) {
        match wide {
            Wide::Float => {
                let ((least, most), (low, high)) = (self.ends(wide), other.ends(wide));
                (self.least, self.most) = (least.min(low).to_bits(), most.max(high).to_bits());
            }
            Wide::Signed => {
                self.least = (self.least as i64).min(other.least as i64) as u64;
                self.most = (self.most as i64).max(other.most as i64) as u64;
            }
            Wide::Unsigned => {
                (self.least, self.most) = (self.least.min(other.least), self.most.max(other.most));
            }
        }
        self.sum = (self.sum() + other.sum()).to_bits();
        self.nan += other.nan;
        self.infinite += other.infinite;
    }

    /// Adds elements, which are aligned as their type is.
    pub(crate) fn add_elements(&mut self, dtype: DType, bytes: &[u8]) {
        let own = match dtype {
            DType::Bool => unsigned(bytes.iter().map(|byte| u64::from(*byte != 0))),
            DType::UInt8 => unsigned(bytes.iter().map(|byte| u64::from(*byte))),
            DType::UInt16 => unsigned(read::<u16>(bytes).map(u64::from)),
            DType::UInt32 => unsigned(read::<u32>(bytes).map(u64::from)),
            DType::UInt64 => unsigned(read::<u64>(bytes)),
            DType::Int8 => signed(read::<i8>(bytes).map(i64::from)),
            DType::Int16 => signed(read::<i16>(bytes).map(i64::from)),
            DType::Int32 => signed(read::<i32>(bytes).map(i64::from)),
            DType::Int64 => signed(read::<i64>(bytes)),
            DType::Float16 => floats(read::<f16>(bytes).map(f16::to_f64)),
            DType::Float32 => floats(read::<f32>(bytes).map(f64::from)),
            DType::Float64 => floats(read::<f64>(bytes)),
            DType::Complex64 => {
                floats(read::<Complex32>(bytes).map(|value| f64::from(value.re).hypot(value.im.into())))
            }
            DType::Complex128 => floats(read::<Complex64>(bytes).map(|value| value.re.hypot(value.im))),
        };
        self.add(&own, Wide::of(dtype));
    }
}

fn read<T: Pod>(bytes: &[u8]) -> impl Iterator<Item = T> {
    bytemuck::cast_slice::<u8, T>(bytes).iter().copied()
}

fn unsigned(values: impl Iterator<Item = u64>) -> Figures {
    let (mut least, mut most, mut sum) = (u64::MAX, 0, 0.0);
    for value in values {
        (least, most) = (least.min(value), most.max(value));
        sum += value as f64;
    }
    Figures { least, most, sum: f64::to_bits(sum), nan: 0, infinite: 0 }
}

fn signed(values: impl Iterator<Item = i64>) -> Figures {
    let (mut least, mut most, mut sum) = (i64::MAX, i64::MIN, 0.0);
    for value in values {
        (least, most) = (least.min(value), most.max(value));
        sum += value as f64;
    }
    Figures { least: least as u64, most: most as u64, sum: f64::to_bits(sum), nan: 0, infinite: 0 }
}

fn floats(values: impl Iterator<Item = f64>) -> Figures {
    let (mut least, mut most, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    let (mut nan, mut infinite) = (0, 0);
    for value in values {
        // Comparisons with NaN are false.
        least = if value < least { value } else { least };
        most = if value > most { value } else { most };
        sum += if value.is_finite() { value } else { 0.0 };
        nan += u64::from(value.is_nan());
        infinite += u64::from(value.is_infinite());
    }
    Figures { least: least.to_bits(), most: most.to_bits(), sum: f64::to_bits(sum), nan, infinite }
}

/// Adds elements from place `start` on to the cells that they lie in.
/// `figures` has those of each cell.
pub fn add_to_cells(figures: &mut [Figures], cells: &Cells, dtype: DType, start: usize, bytes: &[u8]) {
    let size = dtype.size();
    let (mut place, end) = (start, start + bytes.len() / size);
    while place < end {
        let (row, column) = (place / cells.columns, place % cells.columns);
        let (down, across) = (
            Cells::range_of(cells.rows, cells.down, row),
            Cells::range_of(cells.columns, cells.across, column),
        );
        let stretch = Cells::start(cells.columns, cells.across, across + 1) - column;
        let next = end.min(place + stretch);
        let part = &bytes[(place - start) * size..(next - start) * size];
        figures[down * cells.across + across].add_elements(dtype, part);
        place = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_added_to_their_cells() {
        let elements: Vec<f32> = (0..35).map(|k| if k == 12 { f32::NAN } else { k as f32 }).collect();
        let cells = Cells::new((5, 7), (2, 3));
        let mut figures = vec![Figures::none(Wide::Float); cells.count()];
        // In pieces that end anywhere.
        for start in (0..35).step_by(4) {
            let part = bytemuck::cast_slice(&elements[start..35.min(start + 4)]);
            add_to_cells(&mut figures, &cells, DType::Float32, start, part);
        }
        let rows = [0..2, 2..5];
        let columns = [0..2, 2..4, 4..7];
        for (k, figure) in figures.iter().enumerate() {
            let mut expected = Figures::none(Wide::Float);
            for row in rows[k / 3].clone() {
                for column in columns[k % 3].clone() {
                    expected.add(&floats([f64::from(elements[row * 7 + column])].into_iter()), Wide::Float);
                }
            }
            assert_eq!(*figure, expected, "cell {k}");
        }
        let nans: u64 = figures.iter().map(|figure| figure.nan).sum();
        assert_eq!(nans, 1);
    }

    #[test]
    fn integers_are_exact_and_infinities_are_counted() {
        let mut figures = Figures::none(Wide::Unsigned);
        figures.add_elements(DType::UInt64, bytemuck::cast_slice(&[u64::MAX, u64::MAX - 1]));
        assert_eq!(figures.integers(Wide::Unsigned), (i128::from(u64::MAX) - 1, i128::from(u64::MAX)));
        let mut figures = Figures::none(Wide::Signed);
        figures.add_elements(DType::Int64, bytemuck::cast_slice(&[i64::MIN, i64::MAX]));
        assert_eq!(figures.integers(Wide::Signed), (i64::MIN.into(), i64::MAX.into()));
        let mut figures = Figures::none(Wide::Float);
        figures.add_elements(DType::Float64, bytemuck::cast_slice(&[f64::NEG_INFINITY, 2.0, f64::NAN, 4.0]));
        assert_eq!(figures.ends(Wide::Float), (f64::NEG_INFINITY, 4.0));
        assert_eq!((figures.sum(), figures.nan, figures.infinite), (6.0, 1, 1));
    }
}
