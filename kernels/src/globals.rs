//! The variables that a source has in the device's memory: those marked
//! `__device__`, `__constant__` or `__managed__`, and references to textures
//! and surfaces.
//!
//! A finder over tokens: what it takes for a variable and is none (one that
//! the preprocessor removes, say) does no harm, because a variable is looked
//! up in the compiled object, by [`path_of_symbol`], when it is asked for.

use std::ops::Range;

use crate::token::{Source, Token, TokenKind, closing};

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalKind {
    /// `__device__`.
    Device,
    /// `__constant__`.
    Constant,
    /// `__managed__`.
    Managed,
    /// `texture<...>`, a reference to a texture.
    Texture,
    /// `surface<...>`, a reference to a surface.
    Surface,
}

/// A variable of a source, outside of functions and classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// The name without namespaces.
    pub name: String,
    /// The namespaces it stands in, joined with `::`; empty for none. One
    /// without a name is left out, as its contents are named without it.
    pub namespace: String,
    /// Where it lives.
    pub kind: GlobalKind,
    /// The word that makes it one, such as `__constant__`, in bytes of the
    /// source: the first of its declaration.
    pub qualifier: Range<usize>,
}

impl Global {
    /// The name that names it from outside: `scope::name`.
    pub fn qualified_name(&self) -> String {
        if self.namespace.is_empty() {
            self.name.clone()
        } else {
            format!("{}::{}", self.namespace, self.name)
        }
    }

    /// Whether it goes by this name, with its namespaces or without.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.qualified_name() == name
    }

    /// Whether a symbol of a compiled object is this variable.
    pub fn is_symbol(&self, symbol: &str) -> bool {
        path_of_symbol(symbol).is_some_and(|path| path.join("::") == self.qualified_name())
    }
}

/// Finds the variables of a source, in order, each once.
///
/// ```
/// use gpurepl_kernels::{globals, token::Source};
/// let source = Source::new("__constant__ float weights[4], bias = 1;\nnamespace a { texture<int> t; }");
/// let found = globals::find(&source);
/// let names: Vec<String> = found.iter().map(globals::Global::qualified_name).collect();
/// assert_eq!(names, ["weights", "bias", "a::t"]);
/// ```
pub fn find(source: &Source<'_>) -> Vec<Global> {
    let Source { text: source, tokens: all } = source;
    let mut finder = Finder { source, all, scopes: Vec::new(), found: Vec::new() };
    let mut k = 0;
    while let Some(token) = all.get(k) {
        if token.is_mark(source, '}') {
            finder.scopes.pop();
            k += 1;
        } else if token.kind == TokenKind::Directive || token.is_mark(source, ';') {
            k += 1;
        } else if let Some((name, inside)) = finder.scope(k) {
            finder.scopes.push(name);
            k = inside;
        } else {
            k = finder.declaration(k);
        }
    }
    finder.found
}

/// Whether a source mentions the types of texture and surface references,
/// which no compiler has any more.
pub fn has_references(source: &Source<'_>) -> bool {
    let Source { text: source, tokens: all } = source;
    let is_type = |token: &Token| token.is_name(source, "texture") || token.is_name(source, "surface");
    let mut pairs = all.windows(2);
    let declares = pairs.any(|pair| is_type(&pair[0]) && pair[1].is_mark(source, '<'));
    let mut macros = all.iter().filter(|token| token.kind == TokenKind::Directive);
    declares
        || macros.any(|token| ["texture<", "surface<"].iter().any(|word| token.text(source).contains(word)))
}

/// The names that a symbol of a compiled object is made of, from the outermost
/// namespace to the variable; none for what is no variable's.
///
/// Symbols follow the Itanium C++ ABI. Compilers mark what belongs to one
/// source alone with `L` (g++) or a namespace of its own (NVRTC), and name the
/// namespace without a name; all of that is left out.
///
/// ```
/// use gpurepl_kernels::globals::path_of_symbol;
/// assert_eq!(path_of_symbol("x").unwrap(), ["x"]);
/// assert_eq!(path_of_symbol("_ZN2nsL1xE").unwrap(), ["ns", "x"]);
/// assert_eq!(path_of_symbol("_ZN12_GLOBAL__N_11xE").unwrap(), ["x"]);
/// assert!(path_of_symbol("_Z5twicePf").is_none());
/// ```
pub fn path_of_symbol(symbol: &str) -> Option<Vec<&str>> {
    let Some(mangled) = symbol.strip_prefix("_Z") else { return Some(vec![symbol]) };
    let (mut rest, is_nested) = match mangled.strip_prefix('N') {
        Some(rest) => (rest, true),
        None => (mangled, false),
    };
    let mut path = Vec::new();
    loop {
        rest = rest.strip_prefix('L').unwrap_or(rest);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length: usize = rest[..digits].parse().ok()?;
        let name = rest.get(digits..digits + length)?;
        rest = &rest[digits + length..];
        if !name.starts_with("_GLOBAL__N_") && !name.starts_with("_INTERNAL_") {
            path.push(name);
        }
        match rest {
            "" if !is_nested => return Some(path),
            "E" if is_nested => return Some(path),
            _ if is_nested => {}
            _ => return None, // The types of a function's arguments.
        }
    }
}

/// Words with parentheses that are part of a declaration's head.
const WITH_PARENTHESES: [&str; 6] =
    ["__align__", "alignas", "__attribute__", "decltype", "__launch_bounds__", "__declspec"];

/// Declarations that are no variable's.
const NO_VARIABLE: [&str; 6] = ["typedef", "using", "template", "friend", "static_assert", "__shared__"];

struct Finder<'a> {
    source: &'a str,
    all: &'a [Token],
    /// For each open brace the namespace that it opens; empty for none.
    scopes: Vec<String>,
    found: Vec<Global>,
}

impl Finder<'_> {
    fn is_mark(&self, k: usize, mark: char) -> bool {
        self.all.get(k).is_some_and(|token| token.is_mark(self.source, mark))
    }

    fn text(&self, k: usize) -> &str {
        self.all[k].text(self.source)
    }

    /// The namespace that opens here, and where its contents start. A block
    /// of `extern "C"` is one without a name.
    fn scope(&self, start: usize) -> Option<(String, usize)> {
        let is_name = |k: usize, name: &str| self.all.get(k).is_some_and(|t| t.is_name(self.source, name));
        let k = start + usize::from(is_name(start, "inline"));
        if is_name(k, "extern") && self.all.get(k + 1)?.kind == TokenKind::String && self.is_mark(k + 2, '{')
        {
            return Some((String::new(), k + 3));
        }
        if !is_name(k, "namespace") {
            return None;
        }
        let open = (k + 1..self.all.len()).find(|&at| self.is_mark(at, '{') || self.is_mark(at, ';'))?;
        let name: String = (k + 1..open).map(|at| self.text(at)).collect();
        // `namespace a = b;` is another name of one.
        (self.is_mark(open, '{') && !name.contains('=')).then_some((name, open + 1))
    }

    /// Reads the declaration that starts here; answers where the next may.
    fn declaration(&mut self, start: usize) -> usize {
        let mut kind: Option<(GlobalKind, Range<usize>)> = None;
        let (mut is_variable, mut is_function, mut has_class_body) = (true, false, false);
        // The declarator's name, once it has been read for sure or as far as is known.
        let mut name: Option<usize> = None;
        let mut names = Vec::new();
        let mut k = start;
        while k < self.all.len() {
            let token = &self.all[k];
            if token.kind == TokenKind::Identifier {
                let word = self.text(k);
                if let Some(found) = kind_of(word, self.is_mark(k + 1, '<')) {
                    kind = Some(stronger(kind, found, token.span.clone()));
                } else if matches!(word, "struct" | "class" | "union" | "enum") {
                    has_class_body = true;
                } else if NO_VARIABLE.contains(&word) {
                    is_variable = false;
                }
                if WITH_PARENTHESES.contains(&word) && self.is_mark(k + 1, '(') {
                    k = self.after(k + 1);
                    continue;
                }
                name = Some(k);
                if self.is_mark(k + 1, '<') {
                    name = None;
                    k = self.after_angles(k + 1);
                    continue;
                }
            } else if token.is_mark(self.source, '(') {
                let is_pointer = self.is_mark(k + 1, '*') || self.is_mark(k + 1, '&');
                if is_pointer && !is_function {
                    // A pointer to a function or an array: `float (*f)(float)`.
                    name = (k + 1..self.after(k)).find(|&at| self.all[at].kind == TokenKind::Identifier);
                    k = self.after(k);
                    if self.is_mark(k, '(') {
                        k = self.after(k);
                    }
                    continue;
                }
                // An initialiser, or the arguments of a function.
                is_function |= !matches!(
                    self.all.get(k + 1).map(|token| token.kind),
                    Some(TokenKind::Number | TokenKind::String | TokenKind::Character)
                ) && !self.is_mark(k + 1, '-');
                k = self.after(k);
                continue;
            } else if token.is_mark(self.source, '[') {
                k = self.after(k);
                continue;
            } else if token.is_mark(self.source, '{') {
                if is_function {
                    return self.after(k);
                }
                if has_class_body {
                    (has_class_body, name) = (false, None);
                }
                k = self.after(k);
                continue;
            } else if token.is_mark(self.source, '=') {
                k = self.after_initialiser(k);
                continue;
            } else if token.is_mark(self.source, ',') || token.is_mark(self.source, ';') {
                names.extend(name.take());
                if token.is_mark(self.source, ';') {
                    k += 1;
                    break;
                }
            } else if token.is_mark(self.source, '}') {
                break; // Of the scope: the text is not finished.
            }
            k += 1;
        }
        if let Some((kind, qualifier)) = kind.filter(|_| is_variable && !is_function) {
            for name in names {
                self.add(name, kind, &qualifier);
            }
        }
        k.max(start + 1)
    }

    fn add(&mut self, name: usize, kind: GlobalKind, qualifier: &Range<usize>) {
        let namespace =
            self.scopes.iter().filter(|scope| !scope.is_empty()).cloned().collect::<Vec<_>>().join("::");
        let global =
            Global { name: self.text(name).to_owned(), namespace, kind, qualifier: qualifier.clone() };
        if !self.found.iter().any(|other| other.qualified_name() == global.qualified_name()) {
            self.found.push(global);
        }
    }

    /// Behind the bracket that closes the one here.
    fn after(&self, open: usize) -> usize {
        closing(self.source, self.all, open).map_or(self.all.len(), |close| close + 1)
    }

    /// Behind the `>` that closes the `<` here; arguments of templates hold
    /// no comparisons as a rule.
    fn after_angles(&self, open: usize) -> usize {
        let mut depth = 0;
        let mut k = open;
        while k < self.all.len() {
            if self.is_mark(k, '<') {
                depth += 1;
            } else if self.is_mark(k, '>') {
                depth -= 1;
                if depth == 0 {
                    return k + 1;
                }
            } else if self.is_mark(k, '(') {
                k = self.after(k);
                continue;
            } else if self.is_mark(k, ';') || self.is_mark(k, '{') {
                return open + 1; // It was a comparison.
            }
            k += 1;
        }
        open + 1
    }

    /// The comma or semicolon that ends an initialiser.
    fn after_initialiser(&self, equals: usize) -> usize {
        let mut k = equals + 1;
        while k < self.all.len() && ![',', ';', '}'].iter().any(|mark| self.is_mark(k, *mark)) {
            let opens = ['(', '[', '{'].iter().any(|mark| self.is_mark(k, *mark));
            k = if opens { self.after(k) } else { k + 1 };
        }
        k
    }
}

fn kind_of(word: &str, has_angle: bool) -> Option<GlobalKind> {
    match word {
        "__device__" => Some(GlobalKind::Device),
        "__constant__" => Some(GlobalKind::Constant),
        "__managed__" => Some(GlobalKind::Managed),
        "texture" if has_angle => Some(GlobalKind::Texture),
        "surface" if has_angle => Some(GlobalKind::Surface),
        _ => None,
    }
}

/// `__device__ __constant__` is constant; the first word marks the place.
fn stronger(
    before: Option<(GlobalKind, Range<usize>)>,
    found: GlobalKind,
    place: Range<usize>,
) -> (GlobalKind, Range<usize>) {
    match before {
        Some((kind, first)) => (if found == GlobalKind::Device { kind } else { found }, first),
        None => (found, place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(source: &str) -> Vec<String> {
        find(&Source::new(source)).iter().map(Global::qualified_name).collect()
    }

    #[test]
    fn variables_are_told_from_functions() {
        let source = r#"
            #define A __device__ int not_this;
            __constant__ float weights[4];  // __device__ int nor_this;
            static __device__ const int table[2][2] = {{1, 2}, {3, 4}}, *pointer = 0, last;
            __device__ float helper(float x) { __constant__ int inner; return x; }
            __device__ float declared(float x);
            __device__ __forceinline__ float2 pair() { return make_float2(1, 2); }
            __device__ Pair<float, Pair<int, 2>> nested{1, 2};
            __device__ __align__(16) float aligned = f(1, 2);
            __device__ float (*chosen)(float) = helper;
            __device__ float3 made(1);
            extern "C" { __device__ int plain; __global__ void k(int *a) { a[0] = plain; } }
            struct S { __device__ int member(); int x; };
            __device__ struct T { int a; } structured;
            template <class T> __device__ T generic = T(3);
            __managed__ int managed;
            texture<float, 2, cudaReadModeElementType> tex;
            static surface<void, cudaSurfaceType2D> surf;
            __global__ void use(texture<float> *t, float *a) { a[0] = tex2D(tex, 1, 2); }
            int host_only;
        "#;
        assert_eq!(
            names(source),
            [
                "weights",
                "table",
                "pointer",
                "last",
                "nested",
                "aligned",
                "chosen",
                "made",
                "plain",
                "structured",
                "managed",
                "tex",
                "surf"
            ]
        );
    }

    #[test]
    fn where_they_stand_and_live() {
        let source = "namespace a::b { namespace { __device__ __constant__ int x; } }\n__device__ int y;";
        let found = find(&Source::new(source));
        assert_eq!((found[0].qualified_name().as_str(), found[0].kind), ("a::b::x", GlobalKind::Constant));
        assert_eq!(&source[found[0].qualifier.clone()], "__device__");
        assert_eq!((found[1].qualified_name().as_str(), found[1].kind), ("y", GlobalKind::Device));
        assert!(found[0].is_called("x") && found[0].is_called("a::b::x") && !found[0].is_called("b::x"));
    }

    #[test]
    fn symbols_of_both_compilers() {
        let source = "namespace ns { static __device__ int x; }";
        let x = &find(&Source::new(source))[0];
        for symbol in ["_ZN2ns1xE", "_ZN2nsL1xE", "_ZN2ns12_GLOBAL__N_11xE", "_ZN11_INTERNAL_a2ns1xE"] {
            assert!(x.is_symbol(symbol), "{symbol}");
        }
        for symbol in ["x", "_ZL1x", "_ZN2ns2xyE", "_ZN2ns1xEv", "_ZN2ns1x", "_Z", "_Z99x", "_ZN2ns9xE"] {
            assert!(!x.is_symbol(symbol), "{symbol}");
        }
    }

    proptest! {
        /// Whatever the text, the finder ends, and what it finds is in it.
        #[test]
        fn any_text_is_read_to_its_end(
            parts in prop::collection::vec(prop::sample::select(vec![
                "__device__ ", "__constant__ ", "int ", "x", "(", ")", "{", "}", "<", ">", "=", ",", ";", "[",
                "]", "*", "namespace a ", "extern \"C\" ", "struct S ", "texture", "1", "#if 0\n", "\n", "é",
            ]), 0..24)
        ) {
            let source = parts.concat();
            for global in find(&Source::new(&source)) {
                prop_assert!(source.contains(&global.name) && source.get(global.qualifier).is_some());
            }
        }
    }
}
