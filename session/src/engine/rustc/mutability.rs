//! Whether a variable's value may change while only `&` of it is used: then a
//! cell that is not replayed may have changed it, though it is not `mut`.
//!
//! A kernel writes through `&a`, and so do `Cell`, `Mutex` and their kind. What
//! is not known counts as one of these.

use std::collections::HashSet;

use syn::visit::Visit;
use syn::{GenericArgument, GenericParam, Item, PathArguments, Type};

use crate::type_names::PRELUDE;

/// What can change a value that is not `mut`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Changes {
    /// Nothing.
    Never,
    /// The device: it holds arrays.
    ByDevice,
    /// Any code.
    Anyhow,
}

/// Types that change with their parts only.
const FIXED: &[&str] = &[
    "bool",
    "char",
    "str",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "f32",
    "f64",
    "f16",
    "Complex",
    "Complex32",
    "Complex64",
    "String",
    "Vec",
    "Option",
    "Result",
    "Box",
    "Rc",
    "Arc",
    "VecDeque",
    "HashMap",
    "HashSet",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "RandomState",
    "BuildHasherDefault",
    "Range",
    "RangeInclusive",
    "Duration",
    "Instant",
    "SystemTime",
    "PathBuf",
    "Path",
    "OsString",
    "OsStr",
    "CString",
    "CStr",
    "Cow",
    "Ordering",
    "PhantomData",
    "Wrapping",
    "Global",
    "Saturating",
    "Reverse",
    "ParseIntError",
    "ParseFloatError",
    "ArrayBase",
    "OwnedRepr",
    "Dim",
    "IxDynImpl",
    // The library's own: modules and what is found in them, and what is asked only.
    "SourceModule",
    "DynamicModule",
    "DynamicSourceModule",
    "LoadedModule",
    "Function",
    "PreparedFunction",
    "TypedKernel",
    "ElementwiseKernel",
    "ReductionKernel",
    "ScanKernel",
    "InclusiveScanKernel",
    "ExclusiveScanKernel",
    "RadixSort",
    "ListOfListsBuilder",
    "Device",
    "Context",
    "Stream",
    "Event",
    "Graph",
    "DType",
];

/// Types whose memory kernels write.
const OF_DEVICE: &[&str] = &[
    "GpuArray",
    "AlignedArray",
    "CudaArray",
    "DeviceAllocation",
    "Managed",
    "MappedPointer",
    "PageLocked",
    "PointerHolder",
    "SurfaceObject",
    "SurfaceReference",
    "TextureObject",
    "TextureReference",
];

/// Crates in which these names are these types.
const CRATES: &[&str] = &["std", "core", "alloc", "num_complex", "half", "ndarray"];

/// What can change a value of a type. `definition` tells the text of a type of
/// the session.
pub(super) fn changes(of: &str, definition: &dyn Fn(&str) -> Option<String>) -> Changes {
    let mut search =
        Search { definition, found: Changes::Never, parameters: HashSet::new(), seen: HashSet::new() };
    match syn::parse_str::<Type>(of) {
        Ok(of) => search.visit_type(&of),
        Err(_) => search.find(Changes::Anyhow),
    }
    search.found
}

struct Search<'a> {
    definition: &'a dyn Fn(&str) -> Option<String>,
    found: Changes,
    /// Of the definition that is looked at: their arguments are looked at
    /// where they are given.
    parameters: HashSet<String>,
    /// Types of the session that have been looked at.
    seen: HashSet<String>,
}

impl Search<'_> {
    fn find(&mut self, found: Changes) {
        self.found = self.found.max(found);
    }

    fn path(&mut self, path: &syn::Path) {
        let Some(last) = path.segments.last() else { return };
        let name = last.ident.to_string();
        if let PathArguments::AngleBracketed(arguments) = &last.arguments {
            for argument in &arguments.args {
                match argument {
                    GenericArgument::Type(of) => self.visit_type(of),
                    GenericArgument::Lifetime(_) | GenericArgument::Const(_) => {}
                    _ => self.find(Changes::Anyhow),
                }
            }
        }
        let first = path.segments.first().map(|segment| segment.ident.to_string());
        let is_own = path.segments.len() == 1 || matches!(first.as_deref(), Some("ctx" | "crate"));
        if is_own && (self.parameters.contains(&name) || self.seen.contains(&name)) {
            return;
        }
        let is_known = path.segments.len() == 1
            || first.is_some_and(|first| CRATES.iter().chain(PRELUDE).any(|own| *own == first));
        match (self.definition)(&name).filter(|_| is_own) {
            Some(text) => self.item(name, &text),
            None if !is_known => self.find(Changes::Anyhow),
            None if FIXED.contains(&name.as_str()) => {}
            None if OF_DEVICE.contains(&name.as_str()) => self.find(Changes::ByDevice),
            None => self.find(Changes::Anyhow),
        }
    }

    /// Looks at the fields of a type of the session.
    fn item(&mut self, name: String, text: &str) {
        self.seen.insert(name);
        let Ok(item) = syn::parse_str::<Item>(text) else { return self.find(Changes::Anyhow) };
        let (generics, types): (_, Vec<&Type>) = match &item {
            Item::Struct(item) => (&item.generics, item.fields.iter().map(|field| &field.ty).collect()),
            Item::Enum(item) => {
                let fields = item.variants.iter().flat_map(|variant| &variant.fields);
                (&item.generics, fields.map(|field| &field.ty).collect())
            }
            Item::Type(item) => (&item.generics, vec![&*item.ty]),
            _ => return self.find(Changes::Anyhow),
        };
        let name_of = |parameter: &GenericParam| match parameter {
            GenericParam::Type(parameter) => Some(parameter.ident.to_string()),
            GenericParam::Const(_) | GenericParam::Lifetime(_) => None,
        };
        let outer =
            std::mem::replace(&mut self.parameters, generics.params.iter().filter_map(name_of).collect());
        types.into_iter().for_each(|of| self.visit_type(of));
        self.parameters = outer;
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_type(&mut self, of: &'ast Type) {
        match of {
            Type::Path(path) if path.qself.is_none() => self.path(&path.path),
            Type::Reference(reference) if reference.mutability.is_none() => self.visit_type(&reference.elem),
            // A length has no type to look at.
            Type::Array(array) => self.visit_type(&array.elem),
            Type::Slice(_) | Type::Tuple(_) | Type::Paren(_) | Type::Group(_) => {
                syn::visit::visit_type(self, of)
            }
            Type::Never(_) | Type::FnPtr(_) => {}
            _ => self.find(Changes::Anyhow),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Changes {
        changes(text, &|name| {
            let text = match name {
                "P" => "struct P { x: f32, next: Option<Box<P>> }",
                "Hidden" => "struct Hidden { count: std::cell::Cell<u32> }",
                "Of" => "enum Of<T> { One(T), None }",
                "Layer" => "struct Layer { weights: Vec<GpuArray<f32>> }",
                _ => return None,
            };
            Some(text.to_owned())
        })
    }

    #[test]
    fn values_of_the_usual_types_do_not_change_behind_a_reference() {
        for text in [
            "i32",
            "std::vec::Vec<std::string::String>",
            "(f64, [u8; 4], &'static str)",
            "std::collections::HashMap<std::string::String, std::option::Option<f32>, std::hash::RandomState>",
            "gpurepl_prelude::SourceModule",
            "P",
            "ctx::Of<i32>",
            "fn(i32) -> i32",
        ] {
            assert_eq!(of(text), Changes::Never, "{text}");
        }
    }

    #[test]
    fn arrays_change_by_the_device_and_cells_anyhow() {
        assert_eq!(of("gpurepl_prelude::GpuArray<f32>"), Changes::ByDevice);
        assert_eq!(of("(i32, Layer)"), Changes::ByDevice);
        for text in [
            "std::cell::RefCell<Vec<i32>>",
            "std::rc::Rc<std::cell::Cell<i32>>",
            "std::boxed::Box<dyn Fn(i32) -> i32>",
            "Hidden",
            "Of<std::sync::atomic::AtomicU32>",
            "&'static mut i32",
            "*const f32",
            "other::P",
            "other::Vec<i32>",
            "std::sync::Arc<std::sync::Mutex<GpuArray<f32>>>",
        ] {
            assert_eq!(of(text), Changes::Anyhow, "{text}");
        }
    }
}
