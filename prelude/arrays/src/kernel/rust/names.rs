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
        range(count: usize) -> std::iter::StepBy<std::ops::Range<usize>>;
    }
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
pub mod atomic {
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
}
