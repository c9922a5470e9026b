//! Sorts on the host: short rows by one core each, long ones by all cores.
//!
//! Of a long row two passes of a radix sort look at the highest 16 bits in which
//! elements differ. What is equal in them then lies side by side, in runs that
//! fit in a cache, and a core sorts a run by itself: only the two passes go
//! through memory. A run that is long again is sorted like a row.
//!
//! In a pass each core counts the digits of its part, and then moves its
//! elements to where they belong. It gathers them in lines first, one for each
//! digit, because 256 places at once are more than a processor's address
//! translation holds (N. Satish et al., "Fast Sort on CPUs and GPUs", 2010).

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut, zeroed_vec};
use gpurepl_kernels::DType;
use half::f16;
use num_complex::{Complex32, Complex64};

use super::shared::Shared;
use super::sort_keys::{Element, Key as _, Truth};
use crate::error::Result;
use crate::host::ranges;

/// The bytes of memory that [`sort`] works with beside the results.
pub(super) fn bytes_between(dtype: DType, length: usize, has_places: bool) -> usize {
    match has_places {
        _ if length <= SHORT => 0,
        false => length * dtype.size(),
        true => 2 * length * (dtype.size() + if length < 1 << 32 { 4 } else { 8 }),
    }
}

/// Sorts each row of `length` elements; see [`Sort`](super::Sort). `between` is
/// memory of [`bytes_between`] bytes.
pub(super) fn sort(
    dtype: DType,
    length: usize,
    input: &[u8],
    values: Option<&mut [u8]>,
    places: Option<&mut [u8]>,
    between: &mut [u8],
) -> Result<()> {
    let places = places.map(cast_slice_mut::<u8, i64>);
    macro_rules! sorted {
        ($($dtype:ident $t:ty;)*) => {
            match dtype {
                $(DType::$dtype => rows::<$t>(length, cast_slice(input), values.map(cast_slice_mut), places, between),)*
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

/// The longest row that one core sorts by itself.
const SHORT: usize = 1 << 13;

/// Elements that a core takes at a time.
const AT_ONCE: usize = 1 << 14;

fn rows<T: Element>(
    length: usize,
    input: &[T],
    mut values: Option<&mut [T]>,
    mut places: Option<&mut [i64]>,
    between: &mut [u8],
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
                long_with_places::<T, u32>(elements, values, places, between)?;
            }
            (values, Some(places)) => long_with_places::<T, u64>(elements, values, places, between)?,
            (Some(values), None) => long(elements, values, cast_slice_mut(between))?,
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
        let mut scratch: Vec<T> = Vec::new();
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
                    sort_in_cache(values, &mut scratch, differences(values));
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

/// Sorts a row of many elements, with other memory of the same length.
fn long<T: Element>(from: &[T], to: &mut [T], other: &mut [T]) -> Result<()> {
    let different = differences_of_all(from)?;
    if different == T::Key::ZERO {
        to.copy_from_slice(from);
        return Ok(());
    }
    let shift = different.width().saturating_sub(16);
    if different.width() <= 8 {
        return pass_by_key(from, to, 0);
    }
    pass_by_key(from, other, shift)?;
    pass_by_key(other, to, shift + 8)?;
    if shift > 0 { runs(to, other, shift) } else { Ok(()) }
}

/// Elements of a run that one core sorts by itself.
const RUN: usize = 1 << 15;

/// Sorts what is equal in the 16 bits from bit `shift` on, and lies side by side.
fn runs<T: Element>(elements: &mut [T], other: &mut [T], shift: u32) -> Result<()> {
    let count = elements.len();
    let is_next = |a: &T, b: &T| {
        let (a, b) = (a.key(), b.key());
        a.digit(shift) != b.digit(shift) || a.digit(shift + 8) != b.digit(shift + 8)
    };
    // A core has the runs that start in its part.
    let starts: Vec<usize> = (0..=count.div_ceil(AT_ONCE))
        .map(|part| match (part * AT_ONCE).min(count) {
            0 => 0,
            at => at + elements[at..].partition_point(|x| !is_next(&elements[at - 1], x)),
        })
        .collect();
    let long: Mutex<Vec<Range<usize>>> = Mutex::default();
    let shared = Shared::new(elements);
    ranges(starts.len() - 1, 1, |parts| {
        let mut scratch = Vec::new();
        for part in parts {
            let (first, end) = (starts[part], starts[part + 1]);
            // SAFETY: starts increase, so that parts do not overlap.
            let mut rest = unsafe { shared.part(first, end - first) };
            while let Some(first) = rest.first().copied() {
                let length = rest.iter().position(|x| is_next(&first, x)).unwrap_or(rest.len());
                let start = end - rest.len();
                let run;
                (run, rest) = rest.split_at_mut(length);
                if length > RUN {
                    long.lock().unwrap_or_else(PoisonError::into_inner).push(start..start + length);
                } else {
                    sort_in_cache(run, &mut scratch, differences(run));
                }
            }
        }
    })?;
    for run in long.into_inner().unwrap_or_else(PoisonError::into_inner) {
        again(&mut elements[run.clone()], &mut other[run])?;
    }
    Ok(())
}

/// Sorts a long run, with other memory of the same length.
fn again<T: Element>(elements: &mut [T], other: &mut [T]) -> Result<()> {
    let different = differences_of_all(elements)?;
    if different == T::Key::ZERO {
        return Ok(());
    }
    let shift = different.width().saturating_sub(16);
    pass_by_key(elements, other, shift)?;
    if different.width() <= 8 {
        elements.copy_from_slice(other);
        return Ok(());
    }
    pass_by_key(other, elements, shift + 8)?;
    if shift > 0 { runs(elements, other, shift) } else { Ok(()) }
}

/// The bits in which keys differ.
fn differences<T: Element>(elements: &[T]) -> T::Key {
    let Some(first) = elements.first() else { return T::Key::ZERO };
    let first = first.key();
    elements.iter().fold(T::Key::ZERO, |all, x| all | (x.key() ^ first))
}

/// As `differences`, by all cores.
fn differences_of_all<T: Element>(elements: &[T]) -> Result<T::Key> {
    let all = Mutex::new(T::Key::ZERO);
    let first = elements[0].key();
    ranges(elements.len(), AT_ONCE, |range| {
        let own = elements[range].iter().fold(T::Key::ZERO, |own, x| own | (x.key() ^ first));
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        *all = *all | own;
    })?;
    Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Sorts elements that fit in a cache, whose keys differ in these bits: few by
/// the standard library's stable sort, more by a pass for each digit.
fn sort_in_cache<T: Element>(elements: &mut [T], scratch: &mut Vec<T>, different: T::Key) {
    if different == T::Key::ZERO {
        return;
    }
    let digits = (different.low_zeros()..different.width()).step_by(8);
    let digits = digits.filter(|shift| different.digit(*shift) != 0);
    // A pass has 256 counts to add up, as much work as 64 elements are.
    if elements.len() < 64 * digits.clone().count() {
        return elements.sort_by_key(|x| x.key());
    }
    if scratch.len() < elements.len() {
        scratch.resize(elements.len(), T::zeroed());
    }
    let (mut now, mut next) = (elements, &mut scratch[..]);
    next = &mut next[..now.len()];
    let mut is_in_scratch = false;
    for shift in digits {
        let mut places = [0_u32; 256];
        for x in &*now {
            places[x.key().digit(shift)] += 1;
        }
        let mut sum = 0;
        for place in &mut places {
            sum += std::mem::replace(place, sum);
        }
        for x in &*now {
            let place = &mut places[x.key().digit(shift)];
            next[*place as usize] = *x;
            *place += 1;
        }
        std::mem::swap(&mut now, &mut next);
        is_in_scratch = !is_in_scratch;
    }
    if is_in_scratch {
        next.copy_from_slice(now);
    }
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
    between: &mut [u8],
) -> Result<()> {
    let count = from.len();
    let different = differences_of_all(from)?;
    let digits = (different.low_zeros().min(different.width())..different.width()).step_by(8);
    let (mut now, mut next) = cast_slice_mut::<u8, Placed<T, P>>(between).split_at_mut(count);
    let pairs = Shared::new(now);
    ranges(count, AT_ONCE, |range| {
        // SAFETY: ranges do not overlap.
        let pairs = unsafe { pairs.part(range.start, range.len()) };
        for ((pair, element), place) in pairs.iter_mut().zip(&from[range.clone()]).zip(range) {
            *pair = Placed { element: *element, place: P::of(place) };
        }
    })?;
    for shift in digits.filter(|shift| different.digit(*shift) != 0) {
        pass(now, next, |pair: &Placed<T, P>| { pair.element }.key().digit(shift))?;
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

/// A pass by a digit of the elements' keys: one for each type, since each closure would be another one.
fn pass_by_key<T: Element>(from: &[T], to: &mut [T], shift: u32) -> Result<()> {
    pass(from, to, |x| x.key().digit(shift))
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
    // Elements of a line: a power of two, at which lines of `to` begin too.
    let line =
        const { if size_of::<T>() > 32 { 2 } else { 64_usize.div_ceil(size_of::<T>()).next_power_of_two() } };
    let mut lines: Vec<T> = zeroed_vec(256 * line);
    let mut next = *starts;
    for element in elements {
        let digit = digit(element) & 255;
        let place = next[digit];
        let held = place % line;
        lines[digit * line + held] = *element;
        next[digit] = place + 1;
        if held == line - 1 {
            let first = place - held;
            // The first line of a digit may begin within a line of `to`.
            let missing = starts[digit].saturating_sub(first);
            let whole = &lines[digit * line..(digit + 1) * line];
            if missing == 0 {
                // SAFETY: these places are for this part's elements of the digit
                // alone, as many as were counted.
                unsafe { to.part(first, line) }.copy_from_slice(whole);
            } else {
                // SAFETY: as above.
                unsafe { to.part(first + missing, line - missing) }.copy_from_slice(&whole[missing..]);
            }
        }
    }
    for (digit, end) in next.into_iter().enumerate() {
        let first = (end - end % line).max(starts[digit]);
        let held = &lines[digit * line..][first % line..][..end - first];
        // SAFETY: as above.
        unsafe { to.part(first, end - first) }.copy_from_slice(held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sorts a row both ways, and compares with the standard library's stable sort.
    fn check<T: Element>(elements: &[T]) {
        let mut order: Vec<usize> = (0..elements.len()).collect();
        order.sort_by_key(|k| elements[*k].key());
        let expected: Vec<T> = order.iter().map(|k| elements[*k]).collect();
        let bytes = |values: &[T]| cast_slice::<T, u8>(values).to_vec();
        let (mut values, mut other) = (vec![T::zeroed(); elements.len()], vec![T::zeroed(); elements.len()]);
        long(elements, &mut values, &mut other).unwrap();
        assert!(bytes(&values) == bytes(&expected));
        let mut places = vec![0; elements.len()];
        let mut between = vec![0; 2 * elements.len() * (size_of::<T>() + 4)];
        long_with_places::<T, u32>(elements, Some(&mut values), &mut places, &mut between).unwrap();
        assert!(bytes(&values) == bytes(&expected));
        assert!(places.iter().zip(&order).all(|(a, b)| *a == *b as i64));
    }

    #[test]
    fn long_rows_however_their_bits_are_spread() {
        let _undisturbed = crate::interrupt::exclusive::undisturbed();
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) ^ state << 31
        };
        for count in [1, 255, 20_000, 150_000] {
            let bits: Vec<u64> = (0..count).map(|_| random()).collect();
            check(&bits);
            check(&bits.iter().map(|x| *x as u8).collect::<Vec<_>>());
            check(&bits.iter().map(|x| *x as i16).collect::<Vec<_>>());
            // Long runs of equal high bits, twice over; few low ones; all equal.
            check(&bits.iter().map(|x| if x % 9 == 0 { *x } else { x & 0xff_ffff }).collect::<Vec<_>>());
            check(&bits.iter().map(|x| (x & 3) << 60 | (x & 0x700)).collect::<Vec<_>>());
            check(&vec![7_i32; count]);
            check(&bits.iter().map(|x| f32::from_bits(*x as u32)).collect::<Vec<_>>());
            let few = [0.0, -0.0, f64::NAN, -f64::NAN, 1.0, f64::INFINITY, -1.0, 5e-324];
            check(&bits.iter().map(|x| few[*x as usize % 8]).collect::<Vec<_>>());
            check(&bits.iter().map(|x| *x as f64 / u64::MAX as f64).collect::<Vec<_>>());
            check(&bits.iter().map(|x| Complex64::new(few[*x as usize % 8], *x as f64)).collect::<Vec<_>>());
        }
    }
}
