// Changes of one element that other threads change too. Each returns what was there before. Those of
// this module hold for all threads of the device; `block` and `system` have the same for the threads of
// the block, and for all that sees the memory.

use super::half;

/// For whom a change is one step. The host's threads all see the same.
const DEVICE: u8 = 0;
const BLOCK: u8 = 1;
const SYSTEM: u8 = 2;

macro_rules! declarations {
    ($($name:ident)*) => {$(
        #[doc(hidden)]
        unsafe fn $name<const SCOPE: u8>(place: *mut Self, with: Self) -> Self;
    )*};
}

/// A type of which an element is changed in one step. The place is that of an element.
pub trait Atomic: Copy + PartialEq {
    declarations! { add min max exchange }
    #[doc(hidden)]
    unsafe fn compare_exchange<const SCOPE: u8>(place: *mut Self, expected: Self, with: Self) -> Self;
    #[doc(hidden)]
    unsafe fn update<const SCOPE: u8>(place: *mut Self, next: impl Fn(Self) -> Self) -> Self;
}

/// One that has bits.
pub trait AtomicInteger: Atomic {
    declarations! { and or xor }
}

/// Changes as the device's half has them, for a type of the same size.
macro_rules! of_half {
    ($t:ident $half:ident: $($name:ident)*) => {$(
        #[inline(always)]
        unsafe fn $name<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
            // SAFETY: the caller's place is an element, and the half's type has its size and alignment.
            unsafe { half::$half::$name::<SCOPE>(place.cast(), with as _) as $t }
        }
    )*};
}

macro_rules! integers {
    ($($t:ident $half:ident;)*) => {$(
        impl Atomic for $t {
            of_half! { $t $half: add min max exchange }
            #[inline(always)]
            unsafe fn compare_exchange<const SCOPE: u8>(place: *mut $t, expected: $t, with: $t) -> $t {
                // SAFETY: as in `of_half`.
                unsafe { half::$half::compare_exchange::<SCOPE>(place.cast(), expected as _, with as _) as $t }
            }
            #[inline(always)]
            unsafe fn update<const SCOPE: u8>(place: *mut $t, next: impl Fn($t) -> $t) -> $t {
                // SAFETY: as in `of_half`; so below.
                let mut old = unsafe { half::$half::load(place.cast()) as $t };
                loop {
                    let now = unsafe { Self::compare_exchange::<SCOPE>(place, old, next(old)) };
                    if now == old {
                        return old;
                    }
                    old = now;
                }
            }
        }

        impl AtomicInteger for $t {
            of_half! { $t $half: and or xor }
        }
    )*};
}
integers! { i32 atomic_i32; u32 atomic_u32; i64 atomic_i64; u64 atomic_u64; isize atomic_i64; usize atomic_u64; }

macro_rules! floats {
    ($($t:ident $bits:ident $add:ident;)*) => {$(
        impl Atomic for $t {
            #[inline(always)]
            unsafe fn add<const SCOPE: u8>(place: *mut $t, by: $t) -> $t {
                // SAFETY: the caller's place is an element; so below.
                unsafe { half::$add::<SCOPE>(place, by) }
            }
            #[inline(always)]
            unsafe fn min<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                // SAFETY: as for `add`.
                unsafe { Self::update::<SCOPE>(place, |old| if with < old { with } else { old }) }
            }
            #[inline(always)]
            unsafe fn max<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                // SAFETY: as for `add`.
                unsafe { Self::update::<SCOPE>(place, |old| if with > old { with } else { old }) }
            }
            #[inline(always)]
            unsafe fn exchange<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                // SAFETY: as for `add`, and the integer has the size and the alignment of the element.
                $t::from_bits(unsafe { <$bits as Atomic>::exchange::<SCOPE>(place.cast(), with.to_bits()) })
            }
            #[inline(always)]
            unsafe fn compare_exchange<const SCOPE: u8>(place: *mut $t, expected: $t, with: $t) -> $t {
                // SAFETY: as for `add`.
                unsafe { Self::update::<SCOPE>(place, |old| if old == expected { with } else { old }) }
            }
            #[inline(always)]
            unsafe fn update<const SCOPE: u8>(place: *mut $t, next: impl Fn($t) -> $t) -> $t {
                let next = |bits| next($t::from_bits(bits)).to_bits();
                // SAFETY: as for `exchange`.
                $t::from_bits(unsafe { <$bits as Atomic>::update::<SCOPE>(place.cast(), next) })
            }
        }
    )*};
}
floats! { f32 u32 add_f32; f64 u64 add_f64; }

macro_rules! changes {
    ($scope:ident $of:ident: $($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<T: $of>(place: &mut T, with: T) -> T {
            // SAFETY: the element is there.
            unsafe { T::$name::<$scope>(place, with) }
        }
    )*};
}

macro_rules! functions {
    ($scope:ident) => {
        changes! { $scope Atomic:
            /// Adds to an element.
            add
            /// Takes the smaller of the element and a value.
            min
            /// Takes the greater of the element and a value.
            max
            /// Puts a value in the place of the element.
            exchange
        }
        changes! { $scope AtomicInteger:
            /// Keeps the bits that both have.
            and
            /// Sets the bits that either has.
            or
            /// Flips the bits that the value has.
            xor
        }

        /// Puts a value in the place of the element if that is as expected.
        #[inline(always)]
        pub fn compare_exchange<T: Atomic>(place: &mut T, expected: T, with: T) -> T {
            // SAFETY: the element is there.
            unsafe { T::compare_exchange::<$scope>(place, expected, with) }
        }

        /// Puts what a function makes of the element in its place; the function may
        /// be called several times.
        #[inline(always)]
        pub fn update<T: Atomic>(place: &mut T, next: impl Fn(T) -> T) -> T {
            // SAFETY: the element is there.
            unsafe { T::update::<$scope>(place, next) }
        }
    };
}
functions! { DEVICE }

/// One step for the threads of the block.
pub mod block {
    use super::{Atomic, AtomicInteger, BLOCK};
    functions! { BLOCK }
}

/// One step for the host and other devices as well.
pub mod system {
    use super::{Atomic, AtomicInteger, SYSTEM};
    functions! { SYSTEM }
}
