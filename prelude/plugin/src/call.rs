//! A call, seen from inside a plugin.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

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
    // has linked it, it is, and other panics are that program's affair.
    QUIET.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| match IS_INSIDE.get() {
            true => PLACE.set(panic.location().map(ToString::to_string)),
            false => others(panic),
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
    IS_INSIDE.set(true);
    let done = catch_unwind(AssertUnwindSafe(act));
    IS_INSIDE.set(false);
    let (outcome, text) = match done {
        Ok(Ok(output)) if output.is_empty() => (0, RawText::NONE),
        Ok(Ok(output)) => (0, RawText::new(output)),
        Ok(Err(text)) => (1, RawText::new(text.into_bytes())),
        Err(payload) => (2, RawText::new(words(payload).into_bytes())),
    };
    (raw.outcome, raw.text) = (outcome, text);
}

thread_local! {
    /// Where this thread has panicked last.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
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
    match PLACE.take() {
        Some(place) => format!("{message} (at {place})"),
        None => message,
    }
}
