//! The C side of a plugin.

use std::path::Path;

use gpurepl_ground::error::loader_cause;
use gpurepl_kernels::DType;
use gpurepl_plugin::{ABI_VERSION, ENTRY, Function, RawArray, RawCall, RawText, Table};
use libloading::os::unix::{Library as Loaded, RTLD_LOCAL, RTLD_NOW};

use crate::operation::Elements;

/// A plugin's library, loaded for good.
pub struct Library {
    table: &'static Table,
}

impl Library {
    /// The plugin of this name in a file.
    pub fn open(name: &str, path: &Path) -> Result<Library, String> {
        // SAFETY: the file is a plugin that the session has built, or one that
        // the user names; what its initialisers do is theirs to answer for.
        let library = unsafe { Loaded::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
        let library = library.map_err(|error| loader_cause(&error))?;
        let entry = format!("{ENTRY}{name}");
        // SAFETY: a function of this name has this type, by what a plugin is.
        let found = unsafe { library.get::<extern "C" fn() -> *const Table>(entry.as_str()) };
        let found =
            found.map_err(|_| format!("{} is not this plugin: it exports no `{entry}`", path.display()))?;
        let found = Library::linked(*found);
        // Its functions and its table stay.
        std::mem::forget(library);
        found
    }

    /// A plugin whose code stays as long as the process.
    pub fn linked(entry: extern "C" fn() -> *const Table) -> Result<Library, String> {
        let table = entry();
        if table.is_null() {
            return Err("it has no table".to_owned());
        }
        // SAFETY: the version is the first field of the table in every version
        // of the interface; the rest is not looked at before it is known.
        let version = unsafe { table.cast::<u32>().read() };
        if version != ABI_VERSION {
            return Err(format!("it has version {version} of the interface, this gpurepl has {ABI_VERSION}"));
        }
        // SAFETY: the table is a constant of code that is never unloaded.
        Ok(Library { table: unsafe { &*table } })
    }

    fn functions(&self) -> &'static [Function] {
        if self.table.count == 0 {
            return &[];
        }
        // SAFETY: the table says how many there are; they are constants as well.
        unsafe { std::slice::from_raw_parts(self.table.functions, self.table.count) }
    }

    pub fn names(&self) -> Vec<String> {
        // SAFETY: a function's name has as many bytes as it says.
        let name = |function: &Function| unsafe {
            String::from_utf8_lossy(std::slice::from_raw_parts(function.name, function.name_length))
                .into_owned()
        };
        self.functions().iter().map(name).collect()
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.names().iter().position(|known| known == name)
    }

    /// Calls a function, and returns the bytes that it answers with; an error says whether it
    /// has panicked, and its words.
    pub fn call(
        &self,
        number: usize,
        arguments: &mut [Elements<'_>],
        numbers: &[i64],
        input: &[u8],
    ) -> Result<Vec<u8>, (bool, String)> {
        let arrays: Vec<RawArray> = arguments.iter_mut().map(raw).collect();
        // SAFETY: the arrays are slices that are borrowed until this returns, those to write exclusively.
        unsafe { self.call_with(number, &arrays, numbers, input) }
    }

    /// Products of matrices, as a function of the plugin that takes the elements of both factors and of the
    /// results has them. Returns whether the plugin has done it.
    pub fn multiply(
        &self,
        number: usize,
        dtype: DType,
        factors: [&[u8]; 2],
        results: &mut [u8],
        numbers: &[i64],
    ) -> bool {
        let lengths = [factors[0].len(), factors[1].len(), results.len()].map(|bytes| bytes / dtype.size());
        let data = [factors[0].as_ptr().cast_mut(), factors[1].as_ptr().cast_mut(), results.as_mut_ptr()];
        let dtype_code = code(dtype);
        let array = |index: usize| RawArray {
            data: data[index].cast(),
            bytes: lengths[index] * dtype.size(),
            first: 0,
            dtype: dtype_code,
            writes: u32::from(index == 2),
            rank: 1,
            shape: &raw const lengths[index],
            strides: &raw const ONE,
        };
        // SAFETY: the arrays are the slices given, which are borrowed until this returns, the results
        // exclusively; their lengths and the step live as long.
        unsafe { self.call_with(number, &[array(0), array(1), array(2)], numbers, &[]) }.is_ok()
    }

    /// # Safety
    ///
    /// The arrays are as their fields say until this returns. Nobody else uses the bytes of one to write, and
    /// nobody writes those of the others.
    unsafe fn call_with(
        &self,
        number: usize,
        arrays: &[RawArray],
        numbers: &[i64],
        input: &[u8],
    ) -> Result<Vec<u8>, (bool, String)> {
        let mut call = RawCall {
            arrays: arrays.as_ptr(),
            array_count: arrays.len(),
            numbers: numbers.as_ptr(),
            number_count: numbers.len(),
            input: input.as_ptr(),
            input_length: input.len(),
            outcome: 0,
            text: RawText::NONE,
        };
        // SAFETY: the caller's promise; the lists are alive.
        unsafe { (self.functions()[number].call)(&raw mut call) };
        let bytes = self.take(call.text);
        if call.outcome == 0 {
            return Ok(bytes);
        }
        Err((call.outcome == 2, String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Copies bytes of the plugin's and gives them back.
    fn take(&self, text: RawText) -> Vec<u8> {
        if text.data.is_null() {
            return Vec::new();
        }
        // SAFETY: the plugin has left so many bytes, which it frees.
        unsafe {
            let copy = std::slice::from_raw_parts(text.data, text.length).to_vec();
            (self.table.free)(text);
            copy
        }
    }
}

/// The step of an array whose elements lie together.
static ONE: isize = 1;

/// The number of a type at the border.
fn code(dtype: DType) -> u32 {
    DType::ALL.iter().position(|known| *known == dtype).map_or(u32::MAX, |position| position as u32)
}

fn raw(argument: &mut Elements<'_>) -> RawArray {
    let (first, writes) = (argument.first(), argument.bytes_mut().is_ok());
    let (data, bytes) = match argument.bytes_mut() {
        Ok(bytes) => (bytes.as_mut_ptr(), bytes.len()),
        Err(_) => (argument.bytes().as_ptr().cast_mut(), argument.bytes().len()),
    };
    let extent = argument.extent();
    RawArray {
        data: data.cast(),
        bytes,
        first,
        dtype: code(extent.dtype),
        writes: u32::from(writes),
        rank: extent.shape.len(),
        shape: extent.shape.as_ptr(),
        strides: extent.strides.as_ptr(),
    }
}

#[cfg(test)]
mod tests {
    use gpurepl_kernels::DType;
    use gpurepl_plugin::Element;

    #[test]
    fn both_sides_number_the_types_alike() {
        for (number, dtype) in [
            (<i8 as Element>::DTYPE, DType::Int8),
            (i64::DTYPE, DType::Int64),
            (u8::DTYPE, DType::UInt8),
            (u64::DTYPE, DType::UInt64),
            (f32::DTYPE, DType::Float32),
            (f64::DTYPE, DType::Float64),
            (<[f32; 2]>::DTYPE, DType::Complex64),
            (<[f64; 2]>::DTYPE, DType::Complex128),
        ] {
            assert_eq!(DType::ALL[number as usize], dtype);
        }
    }
}
