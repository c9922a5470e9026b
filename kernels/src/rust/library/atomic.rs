// Changes of one element that other threads change too. Each returns what was there before. Those of
// this module hold for all threads of the device; `block` and `system` have the same for the threads of
// the block, and for all that sees the memory.

use super::half;

/// For whom a change is one step. The host's threads all see the same.
const DEVICE: u8 = 0;
const BLOCK: u8 = 1;
const SYSTEM: u8 = 2;

/// A type of which an element is changed in one step.
pub trait Atomic: Copy + PartialEq {
    #[doc(hidden)]
    unsafe fn add<const SCOPE: u8>(place: *mut Self, by: Self) -> Self;
    #[doc(hidden)]
    unsafe fn min<const SCOPE: u8>(place: *mut Self, with: Self) -> Self;
    #[doc(hidden)]
    unsafe fn max<const SCOPE: u8>(place: *mut Self, with: Self) -> Self;
    #[doc(hidden)]
    unsafe fn exchange<const SCOPE: u8>(place: *mut Self, with: Self) -> Self;
    #[doc(hidden)]
    unsafe fn compare_exchange<const SCOPE: u8>(place: *mut Self, expected: Self, with: Self) -> Self;
    #[doc(hidden)]
    unsafe fn update<const SCOPE: u8>(place: *mut Self, next: impl Fn(Self) -> Self) -> Self;
}

/// One that has bits.
pub trait AtomicInteger: Atomic {
    #[doc(hidden)]
    unsafe fn and<const SCOPE: u8>(place: *mut Self, with: Self) -> Self;
    #[doc(hidden)]
    unsafe fn or<const SCOPE: u8>(place: *mut Self, with: Self) -> Self;
    #[doc(hidden)]
    unsafe fn xor<const SCOPE: u8>(place: *mut Self, with: Self) -> Self;
}

macro_rules! integers {
    ($($t:ident $half:ident;)*) => {$(
        impl Atomic for $t {
            #[inline(always)]
            unsafe fn add<const SCOPE: u8>(place: *mut $t, by: $t) -> $t {
                unsafe { half::$half::add::<SCOPE>(place.cast(), by as _) as $t }
            }
            #[inline(always)]
            unsafe fn min<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                unsafe { half::$half::min::<SCOPE>(place.cast(), with as _) as $t }
            }
            #[inline(always)]
            unsafe fn max<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                unsafe { half::$half::max::<SCOPE>(place.cast(), with as _) as $t }
            }
            #[inline(always)]
            unsafe fn exchange<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                unsafe { half::$half::exchange::<SCOPE>(place.cast(), with as _) as $t }
            }
            #[inline(always)]
            unsafe fn compare_exchange<const SCOPE: u8>(place: *mut $t, expected: $t, with: $t) -> $t {
                unsafe { half::$half::compare_exchange::<SCOPE>(place.cast(), expected as _, with as _) as $t }
            }
            #[inline(always)]
            unsafe fn update<const SCOPE: u8>(place: *mut $t, next: impl Fn($t) -> $t) -> $t {
                let mut old = unsafe { place.read_volatile() };
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
            #[inline(always)]
            unsafe fn and<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                unsafe { half::$half::and::<SCOPE>(place.cast(), with as _) as $t }
            }
            #[inline(always)]
            unsafe fn or<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                unsafe { half::$half::or::<SCOPE>(place.cast(), with as _) as $t }
            }
            #[inline(always)]
            unsafe fn xor<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                unsafe { half::$half::xor::<SCOPE>(place.cast(), with as _) as $t }
            }
        }
    )*};
}
integers! { i32 atomic_i32; u32 atomic_u32; i64 atomic_i64; u64 atomic_u64; isize atomic_i64; usize atomic_u64; }

macro_rules! floats {
    ($($t:ident $bits:ident $add:ident;)*) => {$(
        impl Atomic for $t {
            #[inline(always)]
            unsafe fn add<const SCOPE: u8>(place: *mut $t, by: $t) -> $t {
                unsafe { half::$add::<SCOPE>(place, by) }
            }
            #[inline(always)]
            unsafe fn min<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                unsafe { Self::update::<SCOPE>(place, |old| if with < old { with } else { old }) }
            }
            #[inline(always)]
            unsafe fn max<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                unsafe { Self::update::<SCOPE>(place, |old| if with > old { with } else { old }) }
            }
            #[inline(always)]
            unsafe fn exchange<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                $t::from_bits(unsafe { <$bits as Atomic>::exchange::<SCOPE>(place.cast(), with.to_bits()) })
            }
            #[inline(always)]
            unsafe fn compare_exchange<const SCOPE: u8>(place: *mut $t, expected: $t, with: $t) -> $t {
                unsafe { Self::update::<SCOPE>(place, |old| if old == expected { with } else { old }) }
            }
            #[inline(always)]
            unsafe fn update<const SCOPE: u8>(place: *mut $t, next: impl Fn($t) -> $t) -> $t {
                let next = |bits| next($t::from_bits(bits)).to_bits();
                $t::from_bits(unsafe { <$bits as Atomic>::update::<SCOPE>(place.cast(), next) })
            }
        }
    )*};
}
floats! { f32 u32 add_f32; f64 u64 add_f64; }

macro_rules! functions {
    ($scope:ident) => {
        /// Adds to an element.
        #[inline(always)]
        pub fn add<T: Atomic>(place: &mut T, by: T) -> T {
            // SAFETY: the element is there; so below.
            unsafe { T::add::<$scope>(place, by) }
        }

        /// Takes the smaller of the element and a value.
        #[inline(always)]
        pub fn min<T: Atomic>(place: &mut T, with: T) -> T {
            unsafe { T::min::<$scope>(place, with) }
        }

        /// Takes the greater of the element and a value.
        #[inline(always)]
        pub fn max<T: Atomic>(place: &mut T, with: T) -> T {
            unsafe { T::max::<$scope>(place, with) }
        }

        /// Keeps the bits that both have.
        #[inline(always)]
        pub fn and<T: AtomicInteger>(place: &mut T, with: T) -> T {
            unsafe { T::and::<$scope>(place, with) }
        }

        /// Sets the bits that either has.
        #[inline(always)]
        pub fn or<T: AtomicInteger>(place: &mut T, with: T) -> T {
            unsafe { T::or::<$scope>(place, with) }
        }

        /// Flips the bits that the value has.
        #[inline(always)]
        pub fn xor<T: AtomicInteger>(place: &mut T, with: T) -> T {
            unsafe { T::xor::<$scope>(place, with) }
        }

        /// Puts a value in the place of the element.
        #[inline(always)]
        pub fn exchange<T: Atomic>(place: &mut T, with: T) -> T {
            unsafe { T::exchange::<$scope>(place, with) }
        }

        /// Puts a value in the place of the element if that is as expected.
        #[inline(always)]
        pub fn compare_exchange<T: Atomic>(place: &mut T, expected: T, with: T) -> T {
            unsafe { T::compare_exchange::<$scope>(place, expected, with) }
        }

        /// Puts what a function makes of the element in its place; the function may
        /// be called several times.
        #[inline(always)]
        pub fn update<T: Atomic>(place: &mut T, next: impl Fn(T) -> T) -> T {
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
