/// Memory that the threads of a block share.
#[allow(unused_macros)]
macro_rules! shared {
    ($t:ty) => {{
        let place: *mut $t;
        // The name is made of the place in the text, the size and the alignment travel in a
        // remark; the array is added to the PTX.
        #[allow(unused_unsafe)]
        unsafe {
            core::arch::asm!(concat!("cvta.shared.u64 {0}, __gr_shared_", line!(), "_", column!(), "_{1}; // __gr_shared_", line!(), "_", column!(), "_{1} {1} {2}"),
                out(reg64) place, const size_of::<$t>(), const align_of::<$t>(), options(pure, nomem, nostack, preserves_flags));
            $crate::gpu::half::assume_shared(place.cast());
            &mut *place
        }
    }};
}

/// A structure that has the layout of C, as it has on the other side of a launch.
#[allow(unused_macros)]
macro_rules! kernel_struct {
    (impl $($rest:tt)*) => {};
    ($($(#[$attribute:meta])* $visible:vis struct $name:ident { $($fields:tt)* })+) => {$(
        #[repr(C)]
        $(#[$attribute])*
        $visible struct $name { $($fields)* }
    )+};
}

#[allow(unused_macros)]
macro_rules! println {
    ($($argument:tt)*) => {
        compile_error!("a GPU's kernels in Rust do not print yet: write to an array, or run it on the host device (`--device host`)")
    };
}

#[allow(unused_macros)]
macro_rules! print {
    ($($argument:tt)*) => { println!($($argument)*) };
}
