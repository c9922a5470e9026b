//! A call, seen from inside a plugin.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use crate::table::{RawArray, RawCall, RawText};

/// What a function of a plugin is called with.
pub struct Call<'a> {
    /// The arrays.
    pub arrays: Vec<Array<'a>>,
    /// Whole numbers besides.
    pub numbers: &'a [i64],
    /// Bytes besides: a text, say.
    pub input: &'a [u8],
    /// What the function answers with, besides what it writes to arrays.
    pub output: Vec<u8>,
}

/// An array of the host.
pub struct Array<'a>(&'a RawArray);

mod sealed {
    pub trait Sealed {}
}

/// A type of elements. Complex numbers are pairs of real and imaginary part.
pub trait Element: sealed::Sealed + Copy + 'static {
    /// [`RawArray::dtype`].
    const DTYPE: u32;
}

macro_rules! elements {
    ($($t:ty = $code:literal)*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: u32 = $code;
        }
    )*};
}
elements!(i8 = 1 i16 = 2 i32 = 3 i64 = 4 u8 = 5 u16 = 6 u32 = 7 u64 = 8 f32 = 10 f64 = 11 [f32; 2] = 12 [f64; 2] = 13);

impl Array<'_> {
    /// The lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        // SAFETY: see `run`.
        unsafe { list(self.0.shape, self.0.rank) }
    }

    /// The steps along the axes, in elements.
    pub fn strides(&self) -> &[isize] {
        // SAFETY: see `run`.
        unsafe { list(self.0.strides, self.0.rank) }
    }

    /// The first element's index in the slices.
    pub fn first(&self) -> usize {
        self.0.first
    }

    /// The elements from the lowest to the highest: of a contiguous array,
    /// its elements.
    ///
    /// # Errors
    ///
    /// If they have another type.
    pub fn slice<T: Element>(&self) -> Result<&[T], String> {
        self.check::<T>()?;
        // SAFETY: see `run`; every bit pattern is one of these types.
        Ok(unsafe { list(self.0.data.cast(), self.0.bytes / size_of::<T>()) })
    }

    /// The elements, to write.
    ///
    /// # Errors
    ///
    /// If they have another type, or the array is one to read.
    pub fn slice_mut<T: Element>(&mut self) -> Result<&mut [T], String> {
        self.check::<T>()?;
        if self.0.writes == 0 {
            return Err("an array to read cannot be written".to_owned());
        }
        let count = self.0.bytes / size_of::<T>();
        if count == 0 {
            return Ok(&mut []);
        }
        // SAFETY: see `run`: nobody else has the bytes of an array to write.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.0.data.cast(), count) })
    }

    fn check<T: Element>(&self) -> Result<(), String> {
        let is_aligned = self.0.bytes == 0 || self.0.data.cast::<T>().is_aligned();
        if self.0.dtype == T::DTYPE && is_aligned {
            return Ok(());
        }
        Err(format!("the elements are not {}", std::any::type_name::<T>()))
    }
}

/// # Safety
///
/// There are `count` values at the pointer, which nobody writes meanwhile.
unsafe fn list<'a, T>(first: *const T, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(first, count) } }
}

/// Calls a function of this plugin, and leaves what has come of it. Nothing
/// unwinds from here.
///
/// # Safety
///
/// The call and all that it points to are alive and as their fields say until
/// this returns. Nobody else uses the bytes of an array to write, and nobody
/// writes those of the others.
pub unsafe fn run(raw: *mut RawCall, function: fn(&mut Call<'_>) -> Result<(), String>) {
    static QUIET: Once = Once::new();
    // A plugin has a standard library of its own, so this is not the hook of cells; in a program that
    // has linked it, it is, and other panics are that program's affair. Threads without a name are
    // those of rayon's pool, which hands a panic on to the thread that called.
    QUIET.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let is_named = std::thread::current().name().is_some();
            if IS_INSIDE.get() || (!is_named && CALLS.load(Ordering::Relaxed) > 0) {
                *PLACE.lock().unwrap_or_else(PoisonError::into_inner) =
                    panic.location().map(ToString::to_string);
            } else {
                others(panic);
            }
        }))
    });
    // SAFETY: the caller's promise.
    let raw = unsafe { &mut *raw };
    let act = || {
        // SAFETY: the caller's promise.
        let (arrays, numbers, input) = unsafe {
            (
                list(raw.arrays, raw.array_count),
                list(raw.numbers, raw.number_count),
                list(raw.input, raw.input_length),
            )
        };
        let arrays = arrays.iter().map(Array).collect();
        let mut call = Call { arrays, numbers, input, output: Vec::new() };
        function(&mut call).map(|()| call.output)
    };
    CALLS.fetch_add(1, Ordering::Relaxed);
    let was_inside = IS_INSIDE.replace(true);
    let done = catch_unwind(AssertUnwindSafe(act));
    IS_INSIDE.set(was_inside);
    CALLS.fetch_sub(1, Ordering::Relaxed);
    let (outcome, text) = match done {
        Ok(Ok(output)) if output.is_empty() => (0, RawText::NONE),
        Ok(Ok(output)) => (0, RawText::new(output)),
        Ok(Err(text)) => (1, RawText::new(text.into_bytes())),
        Err(payload) => (2, RawText::new(words(payload).into_bytes())),
    };
    (raw.outcome, raw.text) = (outcome, text);
}

/// How many functions of this plugin are being called.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Where it has panicked last.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

thread_local! {
    /// Whether this thread is in a function of a plugin.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

fn words(payload: Box<dyn Any + Send>) -> String {
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a value that is not a text".to_owned(),
    };
    // Its destructor may panic as well.
    std::mem::forget(payload);
    match PLACE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(place) => format!("{message} (at {place})"),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the other side does with a call that takes nothing.
    fn outcome(function: fn(&mut Call<'_>) -> Result<(), String>) -> (u32, String) {
        let mut raw = RawCall {
            arrays: std::ptr::null(),
            array_count: 0,
            numbers: std::ptr::null(),
            number_count: 0,
            input: std::ptr::null(),
            input_length: 0,
            outcome: 0,
            text: RawText::NONE,
        };
        // SAFETY: the call has no arrays, numbers or bytes; it is alive until this returns.
        unsafe { run(&raw mut raw, function) };
        let text = match raw.text.length {
            0 => String::new(),
            // SAFETY: the function has left so many bytes, which are kept until the end of the test.
            length => unsafe {
                String::from_utf8_lossy(std::slice::from_raw_parts(raw.text.data, length)).into_owned()
            },
        };
        (raw.outcome, text)
    }

    /// As rayon does it: the thread that called goes on with the panic.
    fn panics_elsewhere(_: &mut Call<'_>) -> Result<(), String> {
        let worker = std::thread::spawn(|| panic!("beside the thread that called"));
        std::panic::resume_unwind(worker.join().unwrap_err())
    }

    #[test]
    fn a_panic_on_a_thread_of_a_pool_lost_its_place() {
        let (how, text) = outcome(panics_elsewhere);
        assert_eq!(how, 2);
        assert!(text.starts_with("beside the thread that called (at "), "{text}");
        assert!(text.contains("call.rs:"), "{text}");
        assert_eq!(outcome(|_| Err("no".to_owned())), (1, "no".to_owned()));
        assert_eq!(outcome(|_| Ok(())), (0, String::new()));
    }
}
