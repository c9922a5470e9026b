//! Sorts on the host: short rows by the standard library's stable sort, a core
//! for each; long ones by a radix sort on all cores, a pass for each byte in
//! which elements differ.
//!
//! In a pass each core counts the digits of its part, and then moves its
//! elements to where they belong. It gathers them in lines first, one for each
//! digit, because 256 places at once are more than a processor's address
//! translation holds (N. Satish et al., "Fast Sort on CPUs and GPUs", 2010).

use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut, zeroed_vec};
use gpurepl_kernels::DType;
use half::f16;
use num_complex::{Complex32, Complex64};

use crate::error::Result;
use crate::host::{ranges, use_large_pages};

/// Sorts each row of `length` elements; see [`Sort`](super::Sort).
pub(super) fn sort(
    dtype: DType,
    length: usize,
    input: &[u8],
    values: Option<&mut [u8]>,
    places: Option<&mut [u8]>,
) -> Result<()> {
    let places = places.map(cast_slice_mut::<u8, i64>);
    macro_rules! sorted {
        ($($dtype:ident $t:ty;)*) => {
            match dtype {
                $(DType::$dtype => rows::<$t>(length, cast_slice(input), values.map(cast_slice_mut), places),)*
            }
        };
    }
    sorted! {
        Bool Truth; Int8 i8; Int16 i16; Int32 i32; Int64 i64; UInt8 u8; UInt16 u16; UInt32 u32; UInt64 u64;
        Float16 f16; Float32 f32; Float64 f64; Complex64 Complex32; Complex128 Complex64;
    }
}

/// Where values belong among sorted elements; see [`Search`](super::Search).
pub(super) fn search(
    dtype: DType,
    sorted: &[u8],
    values: &[u8],
    places: &mut [u8],
    is_behind: bool,
) -> Result<()> {
    let places = cast_slice_mut(places);
    if sorted.is_empty() {
        places.fill(0);
        return Ok(());
    }
    macro_rules! searched {
        ($($dtype:ident $t:ty;)*) => {
            match dtype {
                $(DType::$dtype => places_of::<$t>(cast_slice(sorted), cast_slice(values), places, is_behind),)*
            }
        };
    }
    searched! {
        Bool Truth; Int8 i8; Int16 i16; Int32 i32; Int64 i64; UInt8 u8; UInt16 u16; UInt32 u32; UInt64 u64;
        Float16 f16; Float32 f32; Float64 f64; Complex64 Complex32; Complex128 Complex64;
    }
}

fn places_of<T: Element>(sorted: &[T], values: &[T], places: &mut [i64], is_behind: bool) -> Result<()> {
    let places = Shared::new(places);
    ranges(values.len(), AT_ONCE, |range| {
        // SAFETY: ranges do not overlap.
        let places = unsafe { places.part(range.start, range.len()) };
        for (place, value) in places.iter_mut().zip(&values[range]) {
            let key = value.key();
            let found = if is_behind {
                sorted.partition_point(|x| x.key() <= key)
            } else {
                sorted.partition_point(|x| x.key() < key)
            };
            *place = found as i64;
        }
    })
}

/// A `bool` in memory, where a kernel may have left any bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Truth(u8);

// SAFETY: a byte in a transparent structure.
unsafe impl Zeroable for Truth {}
// SAFETY: as above.
unsafe impl Pod for Truth {}

/// An element, and the unsigned number that has its place in NumPy's order.
trait Element: Pod + Send + Sync {
    type Key: Key;
    fn key(self) -> Self::Key;
}

trait Key: Copy + Ord + Send + Sync {
    /// How many bytes it has, the passes of a sort.
    const BYTES: usize;
    fn byte(self, place: usize) -> usize;
}

macro_rules! keys {
    ($($t:ident)*) => {$(
        impl Key for $t {
            const BYTES: usize = size_of::<$t>();
            fn byte(self, place: usize) -> usize {
                (self >> (8 * place)) as usize & 255
            }
        }
    )*};
}
keys!(u8 u16 u32 u64 u128);

impl Element for Truth {
    type Key = u8;
    fn key(self) -> u8 {
        u8::from(self.0 != 0)
    }
}

macro_rules! unsigned {
    ($($t:ident)*) => {$(
        impl Element for $t {
            type Key = $t;
            fn key(self) -> $t {
                self
            }
        }
    )*};
}
unsigned!(u8 u16 u32 u64);

macro_rules! signed {
    ($($t:ident as $key:ident)*) => {$(
        impl Element for $t {
            type Key = $key;
            fn key(self) -> $key {
                self as $key ^ (1 << ($key::BITS - 1))
            }
        }
    )*};
}
signed!(i8 as u8 i16 as u16 i32 as u32 i64 as u64);

macro_rules! floats {
    ($($t:ident as $key:ident, $complex:ident as $pair:ident;)*) => {$(
        floats!(@real $t as $key);

        impl Element for $complex {
            type Key = $pair;
            /// NumPy's order: numbers, real with an imaginary NaN, NaN with a
            /// real number, two NaNs.
            fn key(self) -> $pair {
                let (re, im) = (self.re.key(), self.im.key());
                let (high, low) = match (re == $key::MAX, im == $key::MAX) {
                    (false, false) => (re, im),
                    (false, true) => ($key::MAX - 2, re),
                    (true, false) => ($key::MAX - 1, im),
                    (true, true) => ($key::MAX, im),
                };
                $pair::from(high) << $key::BITS | $pair::from(low)
            }
        }
    )*};
    (@real $t:ident as $key:ident) => {
        impl Element for $t {
            type Key = $key;
            /// Zeros are equal, and every NaN is the largest.
            fn key(self) -> $key {
                const SIGN: $key = 1 << ($key::BITS - 1);
                let bits = self.to_bits();
                let size = bits & !SIGN;
                if size > $t::INFINITY.to_bits() {
                    $key::MAX
                } else if size == 0 {
                    SIGN
                } else if bits & SIGN == 0 {
                    bits | SIGN
                } else {
                    !bits
                }
            }
        }
    };
}
floats!(@real f16 as u16);
floats! {
    f32 as u32, Complex32 as u64;
    f64 as u64, Complex64 as u128;
}

/// The longest row that one core sorts by itself.
const SHORT: usize = 1 << 13;

/// Elements that a core takes at a time.
const AT_ONCE: usize = 1 << 14;

fn rows<T: Element>(
    length: usize,
    input: &[T],
    mut values: Option<&mut [T]>,
    mut places: Option<&mut [i64]>,
) -> Result<()> {
    if length <= SHORT {
        return short_rows(length, input, values, places);
    }
    for (row, elements) in input.chunks_exact(length).enumerate() {
        let row = row * length..(row + 1) * length;
        let values = values.as_mut().map(|values| &mut values[row.clone()]);
        let places = places.as_mut().map(|places| &mut places[row]);
        match (values, places) {
            (values, Some(places)) if length < 1 << 32 => {
                long_with_places::<T, u32>(elements, values, places)?;
            }
            (values, Some(places)) => long_with_places::<T, u64>(elements, values, places)?,
            (Some(values), None) => long(elements, values)?,
            (None, None) => {}
        }
    }
    Ok(())
}

fn short_rows<T: Element>(
    length: usize,
    input: &[T],
    values: Option<&mut [T]>,
    places: Option<&mut [i64]>,
) -> Result<()> {
    let (values, places) = (values.map(Shared::new), places.map(Shared::new));
    ranges(input.len() / length, AT_ONCE.div_ceil(length), |range| {
        let mut order: Vec<u32> = Vec::with_capacity(length);
        for row in range {
            let start = row * length;
            let elements = &input[start..start + length];
            // SAFETY: each row is one core's.
            let values = values.as_ref().map(|values| unsafe { values.part(start, length) });
            // SAFETY: as above.
            let places = places.as_ref().map(|places| unsafe { places.part(start, length) });
            let Some(places) = places else {
                if let Some(values) = values {
                    values.copy_from_slice(elements);
                    values.sort_by_key(|x| x.key());
                }
                continue;
            };
            order.clear();
            order.extend(0..length as u32);
            order.sort_by_key(|k| elements[*k as usize].key());
            for (place, k) in places.iter_mut().zip(&order) {
                *place = i64::from(*k);
            }
            for (value, k) in values.into_iter().flatten().zip(&order) {
                *value = elements[*k as usize];
            }
        }
    })
}

/// A slice of which several threads write parts of their own.
struct Shared<'a, T> {
    first: *mut T,
    length: usize,
    lent: PhantomData<&'a mut [T]>,
}

// SAFETY: who writes a part promises that it is nobody else's.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    fn new(slice: &'a mut [T]) -> Shared<'a, T> {
        Shared { first: slice.as_mut_ptr(), length: slice.len(), lent: PhantomData }
    }

    /// # Safety
    ///
    /// No other slice that is alive has any of these elements.
    #[expect(clippy::mut_from_ref, reason = "the caller promises what `&mut self` would")]
    unsafe fn part(&self, start: usize, length: usize) -> &mut [T] {
        assert!(start.checked_add(length).is_some_and(|end| end <= self.length));
        // SAFETY: within the slice that is lent, and nobody else's.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(start), length) }
    }
}

/// Memory that is written before it is read.
fn scratch<T: Pod>(length: usize) -> Vec<T> {
    let mut memory = zeroed_vec(length);
    use_large_pages(cast_slice_mut(&mut memory));
    memory
}

/// Sorts a row of many elements.
fn long<T: Element>(from: &[T], to: &mut [T]) -> Result<()> {
    let passes = passes_of(from)?;
    let Some((first, others)) = passes.split_first() else {
        to.copy_from_slice(from);
        return Ok(());
    };
    let mut other = if others.is_empty() { Vec::new() } else { scratch(from.len()) };
    // The last pass writes to `to`.
    let (mut now, mut next) = if others.len() % 2 == 0 { (to, &mut other[..]) } else { (&mut other[..], to) };
    pass(from, now, |x| x.key().byte(*first))?;
    for place in others {
        pass(now, next, |x| x.key().byte(*place))?;
        std::mem::swap(&mut now, &mut next);
    }
    Ok(())
}

/// An element and where it was.
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Placed<T, P> {
    element: T,
    place: P,
}

// SAFETY: two such values without padding.
unsafe impl<T: Zeroable, P: Zeroable> Zeroable for Placed<T, P> {}
// SAFETY: as above; any bits are values of both.
unsafe impl<T: Pod, P: Pod> Pod for Placed<T, P> {}

trait Place: Pod + Send + Sync {
    fn of(place: usize) -> Self;
    fn number(self) -> i64;
}

macro_rules! places {
    ($($t:ident)*) => {$(
        impl Place for $t {
            fn of(place: usize) -> $t {
                place as $t
            }
            fn number(self) -> i64 {
                self as i64
            }
        }
    )*};
}
places!(u32 u64);

fn long_with_places<T: Element, P: Place>(
    from: &[T],
    values: Option<&mut [T]>,
    places: &mut [i64],
) -> Result<()> {
    let count = from.len();
    let passes = passes_of(from)?;
    let (mut now, mut next) = (scratch::<Placed<T, P>>(count), scratch::<Placed<T, P>>(count));
    let pairs = Shared::new(&mut now);
    ranges(count, AT_ONCE, |range| {
        // SAFETY: ranges do not overlap.
        let pairs = unsafe { pairs.part(range.start, range.len()) };
        for ((pair, element), place) in pairs.iter_mut().zip(&from[range.clone()]).zip(range) {
            *pair = Placed { element: *element, place: P::of(place) };
        }
    })?;
    for place in passes {
        pass(&now, &mut next, |pair: &Placed<T, P>| { pair.element }.key().byte(place))?;
        std::mem::swap(&mut now, &mut next);
    }
    let (values, places) = (values.map(Shared::new), Shared::new(places));
    ranges(count, AT_ONCE, |range| {
        let pairs = &now[range.clone()];
        // SAFETY: ranges do not overlap.
        for (place, pair) in unsafe { places.part(range.start, range.len()) }.iter_mut().zip(pairs) {
            *place = { pair.place }.number();
        }
        if let Some(values) = &values {
            // SAFETY: as above.
            for (value, pair) in unsafe { values.part(range.start, range.len()) }.iter_mut().zip(pairs) {
                *value = pair.element;
            }
        }
    })
}

/// How often each digit occurs.
type Counts = [usize; 256];

/// The bytes of keys, from the lowest, in which elements differ.
fn passes_of<T: Element>(elements: &[T]) -> Result<Vec<usize>> {
    let different = std::sync::Mutex::new(vec![false; T::Key::BYTES]);
    let first = elements[0].key();
    ranges(elements.len(), AT_ONCE, |range| {
        let mut own = [false; 16];
        for element in &elements[range] {
            let key = element.key();
            for (place, differs) in own[..T::Key::BYTES].iter_mut().enumerate() {
                *differs |= key.byte(place) != first.byte(place);
            }
        }
        let mut all = different.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.iter_mut().zip(own).for_each(|(all, own)| *all |= own);
    })?;
    let different = different.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok((0..T::Key::BYTES).filter(|place| different[*place]).collect())
}

/// Elements go to where their digit belongs, in the order in which they are.
fn pass<T: Pod + Send + Sync>(from: &[T], to: &mut [T], digit: impl Fn(&T) -> usize + Sync) -> Result<()> {
    let part = from.len().div_ceil(rayon_core::current_num_threads() * 2).max(AT_ONCE);
    let parts = from.len().div_ceil(part);
    let mut starts: Vec<Counts> = vec![[0; 256]; parts];
    let counts = Shared::new(&mut starts);
    ranges(parts, 1, |range| {
        for number in range {
            let mut own = [0; 256];
            for element in &from[number * part..((number + 1) * part).min(from.len())] {
                own[digit(element)] += 1;
            }
            // SAFETY: each part's counts are written once.
            let counts = unsafe { counts.part(number, 1) };
            counts[0] = own;
        }
    })?;
    let mut sum = 0;
    for digit in 0..256 {
        for counts in &mut starts {
            sum += std::mem::replace(&mut counts[digit], sum);
        }
    }
    let to = Shared::new(to);
    ranges(parts, 1, |range| {
        for number in range {
            let elements = &from[number * part..((number + 1) * part).min(from.len())];
            scatter(elements, &starts[number], &to, &digit);
        }
    })
}

/// Moves a part's elements, each digit's to a place of its own.
fn scatter<T: Pod>(elements: &[T], starts: &Counts, to: &Shared<'_, T>, digit: impl Fn(&T) -> usize) {
    let line = (64 / size_of::<T>()).max(2);
    let mut lines: Vec<T> = zeroed_vec(256 * line);
    let mut held = [0_usize; 256];
    let mut next = *starts;
    let mut flush = |digit: usize, held: usize, lines: &[T]| {
        // SAFETY: these places are for this part's elements of the digit alone,
        // as many as were counted.
        unsafe { to.part(next[digit], held) }.copy_from_slice(&lines[digit * line..][..held]);
        next[digit] += held;
    };
    for element in elements {
        let digit = digit(element);
        lines[digit * line + held[digit]] = *element;
        held[digit] += 1;
        if held[digit] == line {
            flush(digit, line, &lines);
            held[digit] = 0;
        }
    }
    for (digit, held) in held.into_iter().enumerate() {
        flush(digit, held, &lines);
    }
}
