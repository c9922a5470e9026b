/// Memory that the threads of a block share.
#[allow(unused_macros)]
macro_rules! shared {
    // That of the launch.
    ([$t:ty]) => {{
        // SAFETY: a block's memory; that its threads meet before they read what others wrote is the kernel's promise.
        #[allow(unused_unsafe)]
        unsafe { $crate::gpu::dynamic_shared::<$t>() }
    }};
    ($t:ty) => {{
        let place: *mut $t;
        // The name is made of the place in the text, the size and the alignment travel in a
        // remark; the array is added to the PTX.
        // SAFETY: an array of this size and alignment, else as above.
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
macro_rules! print {
    ($($argument:tt)*) => {{
        use core::fmt::Write as _;
        let mut text = $crate::gpu::Text::new();
        let _ = write!(text, $($argument)*);
        $crate::gpu::half::print(&text);
    }};
}

#[allow(unused_macros)]
macro_rules! println {
    ($($argument:tt)*) => {{
        use core::fmt::Write as _;
        let mut text = $crate::gpu::Text::new();
        let _ = writeln!(text, $($argument)*);
        $crate::gpu::half::print(&text);
    }};
}

// The messages of `core`'s own are left out where they have arguments: see `core_library.rs`.
#[allow(unused_macros)]
macro_rules! panic {
    () => { core::panic!() };
    ($($argument:tt)+) => {
        match core::format_args!($($argument)+) {
            message => match message.as_str() {
                Some(text) => $crate::gpu::half::panic_text(text, core::panic::Location::caller()),
                None => $crate::gpu::half::panic_with(message, core::panic::Location::caller()),
            },
        }
    };
}

#[allow(unused_macros)]
macro_rules! assert {
    ($condition:expr $(,)?) => { core::assert!($condition) };
    ($condition:expr, $($argument:tt)+) => {
        if !$condition { panic!($($argument)+) }
    };
}

#[allow(unused_macros)]
macro_rules! assert_eq {
    ($left:expr, $right:expr $(,)?) => {
        match (&$left, &$right) {
            (left, right) => if !(*left == *right) {
                panic!("assertion `left == right` failed\n  left: {:?}\n right: {:?}", left, right)
            },
        }
    };
    ($left:expr, $right:expr, $($argument:tt)+) => {
        match (&$left, &$right) {
            (left, right) => if !(*left == *right) {
                panic!("assertion `left == right` failed: {}\n  left: {:?}\n right: {:?}", core::format_args!($($argument)+), left, right)
            },
        }
    };
}

#[allow(unused_macros)]
macro_rules! assert_ne {
    ($left:expr, $right:expr $(,)?) => {
        match (&$left, &$right) {
            (left, right) => if *left == *right {
                panic!("assertion `left != right` failed\n  left: {:?}\n right: {:?}", left, right)
            },
        }
    };
    ($left:expr, $right:expr, $($argument:tt)+) => {
        match (&$left, &$right) {
            (left, right) => if *left == *right {
                panic!("assertion `left != right` failed: {}\n  left: {:?}\n right: {:?}", core::format_args!($($argument)+), left, right)
            },
        }
    };
}
