//! Modules without a source: their kernels, as the image itself describes them.

use std::sync::Arc;

use gpurepl_kernels::DType;
use gpurepl_kernels::globals::path_of_symbol;
use object::{Object as _, ObjectSection as _};

use super::context::Context;
use super::launch::Image;
use super::link::{self, Kind};
use super::module::CudaEntry;
use crate::error::{Problem, Result};
use crate::{Entry, LoadedParameter, Module, left_out_global, symbols};

struct LoadedModule {
    context: Arc<Context>,
    image: Arc<Image>,
    /// The symbols of kernels; none where the image does not tell.
    kernels: Option<Vec<String>>,
    /// The PTX, if the image is PTX: it has the types of arguments.
    ptx: Option<String>,
    variables: Vec<String>,
}

/// Loads machine code, PTX or a fat binary.
pub(super) fn load(context: &Arc<Context>, bytes: &[u8]) -> Result<Box<dyn Module>> {
    let image = link::load(context, bytes)?;
    let kind = link::kind(bytes);
    let ptx = (kind == Some(Kind::Ptx)).then(|| String::from_utf8_lossy(bytes).into_owned());
    let variables = match kind {
        Some(Kind::Cubin | Kind::Ptx) => symbols::variables(bytes).into_iter().map(|v| v.symbol).collect(),
        _ => Vec::new(),
    };
    let kernels = match &ptx {
        Some(text) => Some(entries(text).map(|(name, _)| name.to_owned()).collect()),
        None => kernels_of_cubin(bytes),
    };
    Ok(Box::new(LoadedModule { context: Arc::clone(context), image, kernels, ptx, variables }))
}

impl LoadedModule {
    /// The symbol of a kernel by its symbol or by the name that it had in its
    /// source.
    fn symbol(&self, name: &str) -> Result<String> {
        let Some(kernels) = &self.kernels else { return Ok(name.to_owned()) };
        if kernels.iter().any(|known| known == name) {
            return Ok(name.to_owned());
        }
        let wanted: Vec<&str> = name.split("::").collect();
        let named: Vec<&String> =
            kernels.iter().filter(|symbol| path(symbol).as_deref() == Some(&wanted)).collect();
        let wrong = |message| Problem::Argument { kernel: name.to_owned(), message }.into();
        match named[..] {
            [symbol] => Ok(symbol.clone()),
            [] if kernels.is_empty() => Err(wrong("the module has no kernel".to_owned())),
            [] => {
                let known: Vec<String> = kernels
                    .iter()
                    .map(|symbol| path(symbol).map_or(symbol.clone(), |path| path.join("::")))
                    .collect();
                let message = format!("the module has no kernel of this name; it has {}", known.join(", "));
                Err(wrong(message))
            }
            _ => Err(wrong(format!(
                "several kernels have this name; name one by its symbol: {}",
                kernels.join(", ")
            ))),
        }
    }
}

impl Module for LoadedModule {
    fn function(&self, name: &str) -> Result<Box<dyn Entry>> {
        let kernel = self.image.function(&self.symbol(name)?)?;
        Ok(Box::new(CudaEntry::new(&self.context, name, kernel)?))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        let symbol = symbols::find(&self.variables, name).ok_or_else(|| left_out_global(name))?;
        self.image.global(symbol)
    }

    fn parameters(&self, name: &str) -> Option<Vec<LoadedParameter>> {
        let symbol = self.symbol(name).ok()?;
        entries(self.ptx.as_deref()?).find(|(known, _)| *known == symbol).map(|(_, list)| parameters(list))
    }

    fn variables(&self) -> Vec<String> {
        self.variables.iter().filter_map(|symbol| Some(path_of_symbol(symbol)?.join("::"))).collect()
    }
}

/// The names in a kernel's symbol, before the types of its arguments, by the
/// rules for names of the Itanium C++ ABI. None for an instance of a template,
/// which goes by its symbol.
fn path(symbol: &str) -> Option<Vec<&str>> {
    let Some(mangled) = symbol.strip_prefix("_Z") else { return Some(vec![symbol]) };
    let (mut rest, is_nested) = match mangled.strip_prefix('N') {
        Some(rest) => (rest, true),
        None => (mangled, false),
    };
    let mut path = Vec::new();
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let length: usize = rest[..digits].parse().ok()?;
        path.push(rest[digits..].get(..length)?);
        rest = &rest[digits + length..];
        if !is_nested || rest.starts_with('E') {
            return (!rest.starts_with('I')).then_some(path);
        }
    }
}

/// The kernels of machine code, by the sections that hold them.
fn kernels_of_cubin(image: &[u8]) -> Option<Vec<String>> {
    let file = object::File::parse(image).ok()?;
    // Functions have sections as well, and only kernels have constants for
    // their arguments.
    let names: Vec<String> =
        file.sections().filter_map(|section| section.name().ok().map(str::to_owned)).collect();
    let has_constants = |name: &str| {
        names
            .iter()
            .any(|section| section.strip_prefix(".nv.constant0.").is_some_and(|kernel| kernel == name))
    };
    let kernels = names.iter().filter_map(|section| section.strip_prefix(".text."));
    Some(kernels.filter(|name| has_constants(name)).map(str::to_owned).collect())
}

/// The kernels of PTX with the lists of their arguments.
fn entries(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices(".entry").filter_map(|(at, word)| {
        let rest = text[at + word.len()..].strip_prefix([' ', '\t', '\n'])?.trim_start();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let end = rest.find(|c| !is_part(c))?;
        let (name, rest) = (&rest[..end], rest[end..].trim_start());
        let list = match rest.strip_prefix('(') {
            Some(list) => list.split_once(')')?.0,
            // A kernel without arguments may have no list.
            None => "",
        };
        Some((name, list))
    })
}

/// `.param .u64 .ptr .align 1 k_param_0, .param .align 4 .b8 k_param_1[12]`.
fn parameters(list: &str) -> Vec<LoadedParameter> {
    let declared = list.split(',').filter(|declaration| declaration.contains(".param"));
    let parameter = |declaration: &str| {
        let words = declaration.split_whitespace();
        let mut types = words.filter_map(|word| {
            let bits = word.strip_prefix('.')?.strip_prefix(['u', 's', 'b', 'f'])?.parse::<usize>().ok()?;
            Some((word.starts_with(".f"), bits / 8))
        });
        let (is_float, bytes) = types.next().unwrap_or((false, 0));
        let length = declaration.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        let count = length.and_then(|(length, _)| length.trim().parse::<usize>().ok());
        let dtype = match (is_float, bytes, count) {
            (true, 4, None) => Some(DType::Float32),
            (true, 8, None) => Some(DType::Float64),
            _ => None,
        };
        LoadedParameter { bytes: bytes * count.unwrap_or(1), dtype }
    };
    declared.map(parameter).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The sizes and types of the arguments of the first kernel.
    pub(in crate::cuda) fn arguments(ptx: &str) -> Vec<(usize, Option<DType>)> {
        let (_, list) = entries(ptx).next().unwrap();
        parameters(list).iter().map(|parameter| (parameter.bytes, parameter.dtype)).collect()
    }

    pub(in crate::cuda) fn kernels(cubin: &[u8]) -> Vec<String> {
        kernels_of_cubin(cubin).unwrap()
    }

    #[test]
    fn arguments_of_ptx() {
        let text = ".version 9.0\n.visible .entry _Z5scalePfif(\n\t.param .u64 .ptr .align 1 _Z5scalePfif_param_0,\n\
                    \t.param .u32 _Z5scalePfif_param_1,\n\t.param .f32 _Z5scalePfif_param_2\n)\n{\n}\n\
                    .entry pairs(.param .align 8 .b8 pairs_param_0[24], .param .f64 d) { }\n.visible .entry none()\n{}";
        let found: Vec<_> = entries(text)
            .map(|(name, list)| (name, parameters(list).iter().map(|p| (p.bytes, p.dtype)).collect()))
            .collect();
        assert_eq!(
            found,
            [
                ("_Z5scalePfif", vec![(8, None), (4, None), (4, Some(DType::Float32))]),
                ("pairs", vec![(24, None), (8, Some(DType::Float64))]),
                ("none", Vec::new()),
            ]
        );
    }

    #[test]
    fn a_kernel_is_called_by_the_names_of_its_symbol() {
        assert_eq!(path("twice").unwrap(), ["twice"]);
        assert_eq!(path("_Z5twicePf").unwrap(), ["twice"]);
        assert_eq!(path("_ZN4deep5twiceEPf").unwrap(), ["deep", "twice"]);
        for other in ["_Z5twiceIfEvPT_", "_Z9twi", "_Z", "_ZN"] {
            assert_eq!(path(other), None, "{other}");
        }
    }
}
