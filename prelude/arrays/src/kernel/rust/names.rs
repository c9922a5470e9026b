//! What a kernel names, for the compiler and the editor: the functions
//! themselves are the device's (`kernels/src/rust/library`). Outside of a launch
//! there is no thread, and they panic.

macro_rules! within_kernels {
    ($($(#[$doc:meta])* $name:ident ( $($argument:ident : $t:ty),* ) -> $result:ty;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        ///
        /// Outside of a kernel.
        #[track_caller]
        pub fn $name($($argument: $t),*) -> $result {
            $(let _ = $argument;)*
            super::outside(concat!(module_path!(), "::", stringify!($name)))
        }
    )*};
}

#[track_caller]
#[cold]
fn outside(what: &str) -> ! {
    let what = what.rsplit("::").take(2).collect::<Vec<_>>();
    panic!(
        "{}::{}() is known within a kernel; launch one: `name.launch(grid, block, (..))`",
        what[1], what[0]
    )
}

/// Memory that the threads of a block share: what `shared!` stands for.
///
/// # Panics
///
/// Outside of a kernel.
#[doc(hidden)]
#[track_caller]
pub fn shared<T>() -> &'static mut T {
    outside("kernel::shared!")
}

/// Dynamic shared memory: what `shared!([T])` stands for.
///
/// # Panics
///
/// Outside of a kernel.
#[doc(hidden)]
#[track_caller]
pub fn dynamic_shared<T: Copy>() -> &'static mut [T] {
    outside("kernel::shared!")
}

/// Where a thread is in its block, and in the grid.
pub mod thread {
    within_kernels! {
        /// The thread's index in its block, along x: CUDA's `threadIdx.x`.
        x() -> usize;
        /// The thread's index in its block, along y.
        y() -> usize;
        /// The thread's index in its block, along z.
        z() -> usize;
        /// The thread's index in the grid, along x: CUDA's
        /// `blockIdx.x * blockDim.x + threadIdx.x`.
        index() -> usize;
        /// The thread's index in the grid, along y.
        index_y() -> usize;
        /// The thread's index in the grid, along z.
        index_z() -> usize;
        /// The thread's number in its block, along all axes.
        number() -> usize;
        /// The thread's number in its warp, 0 to 31.
        lane() -> usize;
        /// The indices below `count` that this thread takes when the whole grid
        /// shares them, along x: a loop by strides of the grid.
        range(count: usize) -> Range;
    }

    /// What [`range`] gives: indices, from either end.
    #[derive(Clone, Debug)]
    pub struct Range(std::iter::StepBy<std::ops::Range<usize>>);

    impl Iterator for Range {
        type Item = usize;

        fn next(&mut self) -> Option<usize> {
            self.0.next()
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            self.0.size_hint()
        }
    }

    impl DoubleEndedIterator for Range {
        fn next_back(&mut self) -> Option<usize> {
            self.0.next_back()
        }
    }

    impl ExactSizeIterator for Range {}
    impl std::iter::FusedIterator for Range {}
}

/// The thread's block: where it is, its size, and how its threads meet.
pub mod block {
    within_kernels! {
        /// The block's index in the grid, along x: CUDA's `blockIdx.x`.
        x() -> usize;
        /// The block's index in the grid, along y.
        y() -> usize;
        /// The block's index in the grid, along z.
        z() -> usize;
        /// The threads of a block, along x: CUDA's `blockDim.x`.
        width() -> usize;
        /// The threads of a block, along y.
        height() -> usize;
        /// The threads of a block, along z.
        depth() -> usize;
        /// All threads of a block.
        threads() -> usize;
        /// Waits for all threads of the block, and what they have written is seen
        /// then: CUDA's `__syncthreads()`. All of them must call it.
        sync() -> ();
        /// Waits as `sync` does, and counts the threads for which this holds.
        count(predicate: bool) -> usize;
        /// Waits as `sync` does; whether this holds for all threads.
        all(predicate: bool) -> bool;
        /// Waits as `sync` does; whether this holds for any thread.
        any(predicate: bool) -> bool;
    }
}

/// All blocks of a launch.
pub mod grid {
    within_kernels! {
        /// The blocks of the grid, along x: CUDA's `gridDim.x`.
        width() -> usize;
        /// The blocks of the grid, along y.
        height() -> usize;
        /// The blocks of the grid, along z.
        depth() -> usize;
        /// The threads of the grid, along x.
        threads() -> usize;
    }
}

/// The 32 threads that a GPU runs together. All of a warp's threads call these
/// together.
pub mod warp {
    within_kernels! {
        /// Whether this holds in any lane.
        any(predicate: bool) -> bool;
        /// Whether this holds in all lanes.
        all(predicate: bool) -> bool;
        /// The lanes in which this holds, a bit for each.
        ballot(predicate: bool) -> u32;
        /// Waits for the other lanes; what they have written is seen then.
        sync() -> ();
    }

    macro_rules! exchanges {
        ($($(#[$doc:meta])* $name:ident($argument:ident);)*) => {$(
            $(#[$doc])*
            ///
            /// # Panics
            ///
            /// Outside of a kernel.
            #[track_caller]
            pub fn $name<T: Copy>(of: T, $argument: usize) -> T {
                let _ = (of, $argument);
                super::outside(concat!(module_path!(), "::", stringify!($name)))
            }
        )*};
    }
    exchanges! {
        /// The value of another lane: CUDA's `__shfl_sync`. Values have at most
        /// eight bytes.
        shuffle(lane);
        /// The value of the lane `by` below this one; the own value where there is none.
        shuffle_up(by);
        /// The value of the lane `by` above this one; the own value where there is none.
        shuffle_down(by);
        /// The value of the lane whose number is this one's xor `mask`.
        shuffle_xor(mask);
    }

    /// The lanes that have the same value, a bit for each: CUDA's `__match_any_sync`. Values have at
    /// most eight bytes, and are compared by their bits.
    ///
    /// # Panics
    ///
    /// Outside of a kernel.
    #[track_caller]
    pub fn match_any<T: Copy>(value: T) -> u32 {
        let _ = value;
        super::outside(concat!(module_path!(), "::match_any"))
    }

    /// Whether all lanes have the same value.
    ///
    /// # Panics
    ///
    /// Outside of a kernel.
    #[track_caller]
    pub fn match_all<T: Copy>(value: T) -> bool {
        let _ = value;
        super::outside(concat!(module_path!(), "::match_all"))
    }

    /// All lanes' values made into one by a function that may take them in any
    /// order; every lane has the result. The warp is full.
    ///
    /// # Panics
    ///
    /// Outside of a kernel.
    #[track_caller]
    pub fn reduce<T: Copy>(of: T, combine: impl Fn(T, T) -> T) -> T {
        let _ = (of, combine);
        super::outside(concat!(module_path!(), "::reduce"))
    }
}

/// Changes of one element that other threads change too, each in one step, in any order.
/// They return what was there before. They work outside of kernels as well.
///
/// Those of this module hold for the threads of the device. [`atomic::block`](atomic::block) has the same for elements that the threads of
/// one block change alone, [`atomic::system`](atomic::system) for elements that the host or other devices change while the kernel runs.
pub mod atomic {
    macro_rules! functions {
        () => {
            /// Adds to an element.
            pub fn add<T: Copy + std::ops::Add<Output = T>>(place: &mut T, by: T) -> T {
                update(place, |old| old + by)
            }

            /// Takes the smaller of the element and a value.
            pub fn min<T: Copy + PartialOrd>(place: &mut T, with: T) -> T {
                update(place, |old| if with < old { with } else { old })
            }

            /// Takes the greater of the element and a value.
            pub fn max<T: Copy + PartialOrd>(place: &mut T, with: T) -> T {
                update(place, |old| if with > old { with } else { old })
            }

            /// Keeps the bits that both the element and a value have: of integers.
            pub fn and<T: Copy + std::ops::BitAnd<Output = T>>(place: &mut T, with: T) -> T {
                update(place, |old| old & with)
            }

            /// Sets the bits that a value has: of integers.
            pub fn or<T: Copy + std::ops::BitOr<Output = T>>(place: &mut T, with: T) -> T {
                update(place, |old| old | with)
            }

            /// Flips the bits that a value has: of integers.
            pub fn xor<T: Copy + std::ops::BitXor<Output = T>>(place: &mut T, with: T) -> T {
                update(place, |old| old ^ with)
            }

            /// Puts a value in the place of the element.
            pub fn exchange<T: Copy>(place: &mut T, with: T) -> T {
                update(place, |_| with)
            }

            /// Puts a value in the place of the element if that is as expected.
            pub fn compare_exchange<T: Copy + PartialEq>(place: &mut T, expected: T, with: T) -> T {
                update(place, |old| if old == expected { with } else { old })
            }

            /// Puts what a function makes of the element in its place; within a kernel the function may
            /// be called several times.
            pub fn update<T: Copy>(place: &mut T, next: impl Fn(T) -> T) -> T {
                let old = *place;
                *place = next(old);
                old
            }
        };
    }
    functions! {}

    /// Changes in one step for the threads of the block alone.
    pub mod block {
        functions! {}
    }

    /// Changes in one step for the host and other devices as well.
    pub mod system {
        functions! {}
    }
}

/// Functions of `f32` that a GPU computes by one instruction or two, with fewer exact digits than the methods
/// of the same names: CUDA's `__sinf`, `__expf` and their like.
///
/// `sin`, `cos` and `tan` are good near 0 alone: up to pi the error of a sine is 2^-21, and it grows with the angle.
/// On the host device, and outside of kernels, they are as exact as the methods. Errors: the CUDA C++ Programming Guide,
/// "Intrinsic Functions".
///
/// ```
/// use gpurepl_prelude::fast;
/// assert_eq!(fast::divide(1.0, 4.0), 0.25);
/// ```
pub mod fast {
    macro_rules! functions {
        ($($(#[$doc:meta])* $name:ident($x:ident $(, $other:ident)?) = $of:expr;)*) => {$(
            $(#[$doc])*
            pub fn $name($x: f32 $(, $other: f32)?) -> f32 {
                $of
            }
        )*};
    }
    functions! {
        /// The sine: `__sinf`.
        sin(x) = x.sin();
        /// The cosine: `__cosf`.
        cos(x) = x.cos();
        /// The tangent: `__tanf`.
        tan(x) = x.tan();
        /// e to the power `x`: `__expf`.
        exp(x) = x.exp();
        /// 2 to the power `x`: `exp2f` in CUDA's fast mode.
        exp2(x) = x.exp2();
        /// The natural logarithm: `__logf`.
        ln(x) = x.ln();
        /// The logarithm to base 2: `__log2f`.
        log2(x) = x.log2();
        /// The logarithm to base 10: `__log10f`.
        log10(x) = x.log10();
        /// `x` to a power: `__powf`. `x` is not negative.
        powf(x, exponent) = x.powf(exponent);
        /// A quotient: `__fdividef`, which is 0 where `by` is above 2^126.
        divide(x, by) = x / by;
        /// The square root.
        sqrt(x) = x.sqrt();
        /// One over the square root: `rsqrtf`.
        rsqrt(x) = 1.0 / x.sqrt();
        /// One over `x`.
        recip(x) = 1.0 / x;
    }
}
