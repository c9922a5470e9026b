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
        let site: *const u64;
        // A record of each place, which the loader completes by an offset: size, alignment,
        // line, column, offset.
        // SAFETY: the instruction gives the record's address.
        #[cfg(target_arch = "x86_64")]
        #[allow(unused_unsafe)]
        unsafe {
            core::arch::asm!(".pushsection gpurepl_sites,\"aw\",@progbits", "77: .quad {1}, {2}, {3}, {4}, 0", ".popsection", "lea {0}, [rip + 77b]",
                out(reg) site, const size_of::<$t>(), const align_of::<$t>(), const line!(), const column!(), options(pure, nomem, nostack, preserves_flags));
        }
        // SAFETY: the same.
        #[cfg(target_arch = "aarch64")]
        #[allow(unused_unsafe)]
        unsafe {
            core::arch::asm!(".pushsection gpurepl_sites,\"aw\",@progbits", "77: .quad {1}, {2}, {3}, {4}, 0", ".popsection", "adrp {0}, 77b", "add {0}, {0}, :lo12:77b",
                out(reg) site, const size_of::<$t>(), const align_of::<$t>(), const line!(), const column!(), options(pure, nomem, nostack, preserves_flags));
        }
        // SAFETY: the loader has put an offset there within the block's memory, else as above.
        #[allow(unused_unsafe)]
        unsafe { &mut *$crate::gpu::half::shared::<$t>(site.add(4).read_volatile() as usize) }
    }};
}

#[allow(unused_macros)]
macro_rules! print {
    ($($argument:tt)*) => {{
        use core::fmt::Write as _;
        let mut text = $crate::gpu::Text::new();
        let _ = write!(text, $($argument)*);
        $crate::gpu::half::print(text.as_str());
    }};
}

#[allow(unused_macros)]
macro_rules! println {
    ($($argument:tt)*) => {{
        use core::fmt::Write as _;
        let mut text = $crate::gpu::Text::new();
        let _ = writeln!(text, $($argument)*);
        $crate::gpu::half::print(text.as_str());
    }};
}
core::arch::global_asm!(".pushsection gpurepl_sites,\"aw\",@progbits", ".quad 0, 0, 0, 0, 0", ".popsection");

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
