//! The variables of a compiled module, by its table of symbols.

use gpurepl_kernels::globals::path_of_symbol;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SectionKind, SymbolKind};

/// A variable of a compiled module.
pub(crate) struct Variable {
    pub(crate) symbol: String,
    /// From where the module is loaded.
    pub(crate) offset: u64,
    pub(crate) bytes: usize,
    /// Whether it lies where the process may write.
    pub(crate) is_writable: bool,
}

/// The variables of a shared object, of a GPU's machine code, or of PTX.
pub(crate) fn variables(image: &[u8]) -> Vec<Variable> {
    let Ok(object) = object::File::parse(image) else {
        let symbols = symbols_of_ptx(&String::from_utf8_lossy(image));
        let variable = |symbol| Variable { symbol, offset: 0, bytes: 0, is_writable: true };
        return symbols.into_iter().map(variable).collect();
    };
    let data = object.symbols().filter(|symbol| symbol.kind() == SymbolKind::Data && symbol.is_definition());
    let variable = |symbol: object::Symbol<'_, '_>| {
        let section = object.section_by_index(symbol.section_index()?).ok()?;
        Some(Variable {
            symbol: symbol.name().ok()?.to_owned(),
            offset: symbol.address(),
            bytes: usize::try_from(symbol.size()).ok()?,
            is_writable: matches!(section.kind(), SectionKind::Data | SectionKind::UninitializedData),
        })
    };
    data.filter_map(variable).collect()
}

/// The symbol of the variable with this qualified name.
pub(crate) fn find<'a>(symbols: &'a [String], name: &str) -> Option<&'a str> {
    symbols.iter().find(|symbol| is_called(symbol, name)).map(String::as_str)
}

/// Whether a symbol is the variable of this qualified name.
pub(crate) fn is_called(symbol: &str, name: &str) -> bool {
    path_of_symbol(symbol).is_some_and(|path| path.join("::") == name)
}

/// The names that PTX declares: `.global .align 4 .b8 c[16];`.
fn symbols_of_ptx(text: &str) -> Vec<String> {
    let declared = text.lines().filter_map(|line| {
        let line = line.trim_start().trim_start_matches(".visible ");
        if !line.starts_with(".global ") && !line.starts_with(".const ") {
            return None;
        }
        let end = line.find(['[', '=', ';']).unwrap_or(line.len());
        line[..end].split_whitespace().next_back().map(str::to_owned)
    });
    declared.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_ptx() {
        let text = ".version 9.5\n.const .align 4 .b8 c[16];\n.global .align 4 .u32 counter = 3;\n\
                    .visible .global .attribute(.managed) .align 4 .u32 _ZN1n1mE;\n\tld.const.f32 %f1, [c];\n";
        assert_eq!(symbols_of_ptx(text), ["c", "counter", "_ZN1n1mE"]);
        let names: Vec<String> = variables(text.as_bytes()).into_iter().map(|v| v.symbol).collect();
        assert_eq!(find(&names, "n::m"), Some("_ZN1n1mE"));
        assert_eq!(find(&names, "m"), None);
    }
}
