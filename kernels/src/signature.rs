//! What the kernels of a source take: their `__global__` functions.

mod structures;
mod template;

pub use template::instance;
use template::template_parameters;

use std::collections::HashMap;
use std::ops::Range;

use crate::declaration::{CType, Parameter, from_table, parse_definition, parse_type, types_of};
use crate::preprocessor::{Environment, Preprocessed, preprocess};
use crate::token::{Source, Token, TokenKind, closing};
use crate::{DType, SpecError};

/// A kernel's name and arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name without namespaces.
    pub name: String,
    /// The arguments in order.
    pub parameters: Vec<Parameter>,
    /// Whether it is a template, whose arguments cannot be known from here.
    pub is_template: bool,
    /// A template's parameters.
    pub template_parameters: Vec<TemplateParameter>,
    /// What an instance of a template is made with: `float, 256`.
    pub template_arguments: Option<String>,
    /// The namespaces it stands in, joined with `::`; empty for none.
    pub namespace: String,
    /// Where several kernels have the name: the types that tell this one from
    /// the others, `float *, int`.
    pub overload: Option<String>,
    /// Whether the source has its body, rather than a declaration alone.
    pub is_defined: bool,
    /// The name's place in the source, in bytes.
    pub span: Range<usize>,
}

/// A parameter of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateParameter {
    /// Its name; empty for none.
    pub name: String,
    /// What it is where it is not given.
    pub default: Option<String>,
    /// Whether it stands for any number of arguments: `class... T`.
    pub is_pack: bool,
}

impl Signature {
    /// That of a kernel which is called so and takes these, with a body and nothing else to say.
    pub fn of(name: &str, parameters: Vec<Parameter>) -> Signature {
        Signature {
            name: name.to_owned(),
            parameters,
            is_template: false,
            template_parameters: Vec::new(),
            template_arguments: None,
            namespace: String::new(),
            overload: None,
            is_defined: true,
            span: 0..0,
        }
    }

    /// The name that names it from outside: `scope::name`, `name<float, 256>`,
    /// and `name(float *, int)` where several kernels have the name.
    pub fn qualified_name(&self) -> String {
        match &self.overload {
            Some(types) => format!("{}({types})", self.path()),
            None => self.path(),
        }
    }

    fn path(&self) -> String {
        let scope = if self.namespace.is_empty() { String::new() } else { format!("{}::", self.namespace) };
        match &self.template_arguments {
            Some(arguments) => format!("{scope}{}<{arguments}>", self.name),
            None => format!("{scope}{}", self.name),
        }
    }

    /// The kernel as an expression of CUDA C++, of which a compiler gives the
    /// name in the machine code.
    pub fn expression(&self) -> String {
        match &self.overload {
            Some(types) => format!("(void (*)({types}))::{}", self.path()),
            None => self.path(),
        }
    }

    /// The kernel as an expression of translated C++, where its indices come
    /// first.
    pub(crate) fn host_expression(&self) -> String {
        match &self.overload {
            Some(types) => {
                let comma = if types.is_empty() { "" } else { ", " };
                format!(
                    "static_cast<void (*)(uint3, uint3, dim3, dim3, unsigned int{comma}{types})>(&::{})",
                    self.path()
                )
            }
            None => format!("&::{}", self.path()),
        }
    }

    /// Whether a user means this kernel by a name: with its namespaces or
    /// without, and with the types that tell it from others of its name.
    pub fn is_called(&self, name: &str) -> bool {
        let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let types = self.overload.as_ref().map_or(String::new(), |types| format!("({types})"));
        let name = bare(name.trim_start_matches("::"));
        name == bare(&format!("{}{types}", self.name)) || name == bare(&self.qualified_name())
    }
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.template_arguments {
            Some(arguments) => write!(f, "{}<{arguments}>(", self.name)?,
            None => write!(f, "{}(", self.name)?,
        }
        for (k, parameter) in self.parameters.iter().enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            let is_const = matches!(parameter.ctype, CType::Pointer { is_const: true, .. });
            let dots = if parameter.is_pack { "..." } else { "" };
            let space = if parameter.is_pointer() && parameter.spelling.ends_with('*') && !parameter.is_pack
                || parameter.name.is_empty()
            {
                ""
            } else {
                " "
            };
            let is_said = parameter.spelling.starts_with("const ");
            let qualifier = if is_const && !is_said { "const " } else { "" };
            write!(f, "{comma}{qualifier}{}{dots}{space}{}", parameter.spelling, parameter.name)?;
        }
        f.write_str(")")
    }
}

/// Finds every kernel that a source defines or declares, in order, each once.
///
/// Types that the source itself renames (`typedef float real;`,
/// `using real = float;`) are followed. What a launch checks is better taken
/// from the compiler: see [`mangled`](crate::mangled).
///
/// # Errors
///
/// If a kernel's argument list cannot be read: a reference, or something that
/// is not a declaration.
///
/// ```
/// use gpurepl_kernels::{preprocessor::Environment, signature};
/// let source = "#ifdef DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n
///     __global__ void twice(real *a, int n) { a[threadIdx.x] *= n; }";
/// let found = signature::find(source, &Environment::default())?;
/// assert_eq!(found[0].to_string(), "twice(real *a, int n)");
/// assert_eq!(found[0].parameters[0].dtype(), Some(gpurepl_kernels::DType::Float32));
/// # Ok::<(), gpurepl_kernels::SpecError>(())
/// ```
pub fn find(source: &str, environment: &Environment<'_>) -> Result<Vec<Signature>, SpecError> {
    let done = preprocess(source, environment);
    find_preprocessed(source, &done, &Source::new(&done.text))
}

/// [`find`] in a source that has gone through the preprocessor, and the tokens
/// of what it has become.
///
/// # Errors
///
/// As [`find`].
pub fn find_preprocessed(
    source: &str,
    done: &Preprocessed,
    text: &Source<'_>,
) -> Result<Vec<Signature>, SpecError> {
    let mut found = find_in(text).map_err(|error| done.relate(error, source))?;
    for signature in &mut found {
        signature.span = done.place(signature.span.clone());
    }
    Ok(found)
}

/// Whether a source has a kernel of a name, be it in a branch that is left out.
pub fn mentions(source: &str, name: &str) -> bool {
    find_in(&Source::new(source))
        .is_ok_and(|found| found.iter().any(|kernel| kernel.name == name || kernel.path() == name))
}

/// [`find`] in a text that has gone through the preprocessor.
fn find_in(source: &Source<'_>) -> Result<Vec<Signature>, SpecError> {
    let Source { text: source, tokens: all } = source;
    let names = type_names(source, all);
    let structures = structures::defined(source, all, &names);
    let resolve = |spelling: &str| resolve(spelling, &names, 0);
    let mut found: Vec<(Signature, String)> = Vec::new();
    let mut scopes: Vec<Option<String>> = Vec::new(); // Per open brace: the namespace it opens.
    let mut k = 0;
    while k < all.len() {
        let token = &all[k];
        if token.is_mark(source, '{') {
            scopes.push(namespace_before(source, &all[..k]));
        } else if token.is_mark(source, '}') {
            scopes.pop();
        } else if token.is_name(source, "__global__")
            && let Some((name, open)) = function_head(source, all, k)
        {
            if let Some(of) = returns(source, &all[k + 1..name]) {
                let message = format!("the kernel `{}` returns `{of}`", all[name].text(source));
                return Err(SpecError::new(message, source, all[name].span.clone())
                    .help("a kernel must be `void`; let it write its answer into an array"));
            }
            let close = closing(source, all, open).unwrap_or(all.len() - 1);
            let list = &all[open + 1..close.max(open + 1)];
            let mut parameters = parse_definition(source, list, &resolve)?;
            for parameter in &mut parameters {
                parameter.is_structure =
                    parameter.ctype == CType::Other && structures::includes(&structures, &parameter.spelling);
            }
            let template_parameters = template_parameters(source, &all[..k]);
            let signature = Signature {
                name: all[name].text(source).to_owned(),
                parameters,
                is_template: template_parameters.is_some(),
                template_parameters: template_parameters.unwrap_or_default(),
                template_arguments: None,
                namespace: scopes.iter().flatten().cloned().collect::<Vec<_>>().join("::"),
                overload: None,
                is_defined: is_body(source, &all[close..]),
                span: all[name].span.clone(),
            };
            add(&mut found, signature, types_of(source, list));
            k = close;
        }
        k += 1;
    }
    // Those of one name differ in their types.
    let names: Vec<String> = found.iter().map(|(signature, _)| signature.path()).collect();
    for (signature, types) in &mut found {
        let is_alone = names.iter().filter(|name| **name == signature.path()).count() == 1;
        signature.overload = (!is_alone && !signature.is_template).then(|| types.clone());
    }
    Ok(found.into_iter().map(|(signature, _)| signature).collect())
}

/// Whether a function's body follows its parameters, rather than `;`.
fn is_body(source: &str, rest: &[Token]) -> bool {
    let ends = |token: &&Token| token.is_mark(source, '{') || token.is_mark(source, ';');
    // A text that stops here is one that is still being written.
    rest.iter().find(ends).is_none_or(|token| token.is_mark(source, '{'))
}

/// Adds a kernel, unless it is there already: a declaration and its definition
/// are one, which has the definition's names.
fn add(found: &mut Vec<(Signature, String)>, signature: Signature, types: String) {
    let is_same = |(other, _): &&mut (Signature, String)| {
        let of = |signature: &Signature| -> Vec<(CType, String)> {
            let of = |parameter: &Parameter| {
                let is_known =
                    matches!(parameter.ctype, CType::Scalar(_) | CType::Pointer { element: Some(_), .. });
                (parameter.ctype, if is_known { String::new() } else { parameter.spelling.clone() })
            };
            signature.parameters.iter().map(of).collect()
        };
        other.path() == signature.path()
            && other.is_template == signature.is_template
            && of(other) == of(&signature)
    };
    match found.iter_mut().find(is_same) {
        Some(known) if signature.is_defined && !known.0.is_defined => *known = (signature, types),
        Some(_) => {}
        None => found.push((signature, types)),
    }
}

/// The type that a kernel returns, if it is one of the table's rather than
/// `void`. The tokens are those between `__global__` and the name.
fn returns<'s>(source: &'s str, head: &[Token]) -> Option<&'s str> {
    let last = head.iter().rev().find(|token| token.kind == TokenKind::Identifier)?.text(source);
    (last != "void" && DType::from_c(last).is_some()).then_some(last)
}

/// From `__global__` to the name and its opening parenthesis, over attributes
/// that have parentheses of their own.
pub(crate) fn function_head(source: &str, all: &[Token], global: usize) -> Option<(usize, usize)> {
    let mut k = global + 1;
    while k + 1 < all.len() {
        let token = &all[k];
        if token.is_mark(source, ';') || token.is_mark(source, '{') {
            return None;
        }
        if token.kind == TokenKind::Identifier && all[k + 1].is_mark(source, '(') {
            if is_before_name(source, all, k) {
                k = closing(source, all, k + 1)? + 1;
                continue;
            }
            return Some((k, k + 1));
        }
        // An explicit instance, `f<float>(...)`, is not a definition of `f`.
        if token.is_mark(source, '<') {
            return None;
        }
        k += 1;
    }
    None
}

/// Whether a name with a parenthesis behind it stands before a function's name:
/// an attribute, or a macro for one, `BOUNDS(256, 2) scale(float *a) {`.
pub(crate) fn is_before_name(source: &str, all: &[Token], at: usize) -> bool {
    match all[at].text(source) {
        "__launch_bounds__" | "__attribute__" | "__cluster_dims__" | "__maxnreg__" | "__align__"
        | "alignas" | "decltype" => return true,
        _ => {}
    }
    let Some(close) = closing(source, all, at + 1) else { return false };
    // What may follow the parameters of a function.
    let follows = |token: &Token| {
        matches!(
            token.text(source),
            "const" | "volatile" | "noexcept" | "throw" | "override" | "final" | "requires"
        ) || token.text(source).starts_with("__")
    };
    let mut rest = all[close + 1..].iter().filter(|token| token.kind != TokenKind::Directive);
    let is_name = |token: &Token| token.kind == TokenKind::Identifier;
    rest.next().is_some_and(|first| is_name(first) && !follows(first))
        && rest
            .find(|token| !is_name(token) && !token.is_mark(source, '*'))
            .is_some_and(|token| token.is_mark(source, '('))
}

/// The name in `namespace name {`, if that is what opens this brace.
fn namespace_before(source: &str, before: &[Token]) -> Option<String> {
    let at = before.iter().rposition(|token| token.is_name(source, "namespace"))?;
    let name: String = before[at + 1..].iter().map(|token| token.text(source)).collect();
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
    (plain && !name.is_empty()).then_some(name)
}

/// The type names that a source gives to types of the table.
fn type_names(source: &str, all: &[Token]) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for (k, token) in all.iter().enumerate() {
        let statement = || {
            let end = all[k..].iter().position(|t| t.is_mark(source, ';')).map_or(all.len(), |n| k + n);
            &all[k + 1..end]
        };
        let join = |tokens: &[Token]| {
            tokens.iter().map(|token| token.text(source)).collect::<Vec<_>>().join(" ").replace(" : : ", "::")
        };
        if token.is_name(source, "typedef") {
            if let Some((name, words)) = statement().split_last() {
                names.insert(name.text(source).to_owned(), join(words));
            }
        } else if token.is_name(source, "using")
            && let [name, equals, words @ ..] = statement()
            && equals.is_mark(source, '=')
        {
            names.insert(name.text(source).to_owned(), join(words));
        }
    }
    names
}

fn resolve(spelling: &str, names: &HashMap<String, String>, depth: usize) -> Option<CType> {
    if let Some(known) = from_table(spelling) {
        return Some(known);
    }
    // A chain of names is short; a circular one must end.
    if depth > 8 {
        return None;
    }
    parse_type(names.get(spelling)?, &|spelling| resolve(spelling, names, depth + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> Vec<String> {
        find(source, &Environment::default()).unwrap().iter().map(Signature::to_string).collect()
    }

    fn found(source: &str) -> Vec<Signature> {
        find(source, &Environment::default()).unwrap()
    }

    #[test]
    fn kernels_among_other_things() {
        let source = r#"
            // __global__ void not_this(int a);
            #define NOR "__global__ void this(int)"
            __device__ float helper(float x) { return x; }
            extern "C" __global__ void __launch_bounds__(256, 2) first(const float* __restrict__ x, float *y, int n)
            { if (n) { y[0] = helper(x[0]); } }
            static __global__ void second() {}
            __global__ void second();
            __attribute__((used)) __global__ __attribute__((noinline)) void third(unsigned long n, float3 v);
        "#;
        assert_eq!(
            shown(source),
            ["first(const float *x, float *y, int n)", "second()", "third(unsigned long n, float3 v)"]
        );
    }

    #[test]
    fn renamed_types_are_followed() {
        let source = "typedef float real; using index = unsigned int;\n#define REAL real\n\
                      __global__ void k(REAL *x, index n, real a, other *o) {}";
        let parameters = &found(source)[0].parameters;
        let types: Vec<_> = parameters.iter().map(Parameter::dtype).collect();
        assert_eq!(types, [Some(DType::Float32), Some(DType::UInt32), Some(DType::Float32), None]);
    }

    #[test]
    fn a_kernel_returns_nothing() {
        let error = find("__global__ int f(float *a) { return 1; }", &Environment::default()).unwrap_err();
        assert_eq!(error.message, "the kernel `f` returns `int`");
        assert_eq!(found("void __global__ f(float *a) {} __global__ static void g() {}").len(), 2);
    }

    #[test]
    fn circular_names_end() {
        assert_eq!(
            found("#define A B\n#define B A\n__global__ void k(A a) {}")[0].parameters[0].dtype(),
            None
        );
        assert_eq!(
            found("typedef A B; typedef B A; __global__ void k(A a) {}")[0].parameters[0].dtype(),
            None
        );
    }

    #[test]
    fn templates_and_namespaces_are_known() {
        let source = "namespace a { namespace b { template <class T> __global__ void k(T *x) {} } }\n\
                      __global__ void plain(int *x) {}\n\
                      template __global__ void a::b::k<float>(float *x);";
        let found = found(source);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].qualified_name().as_str(), found[0].is_template), ("a::b::k", true));
        assert_eq!((found[1].qualified_name().as_str(), found[1].is_template), ("plain", false));
    }

    #[test]
    fn an_unfinished_source_is_no_panic() {
        for source in ["__global__", "__global__ void k(", "__global__ void k(float *x", "__global__ void"] {
            let _ = find(source, &Environment::default());
        }
    }

    #[test]
    fn a_branch_that_is_left_out_has_no_kernel() {
        let source = "#if 0\n__global__ void k(float x, int *o) {}\n#else\n__global__ void k(int x, int *o) {}\n#endif";
        let list = found(source);
        assert_eq!(shown(source), ["k(int x, int *o)"]);
        assert_eq!(&source[list[0].span.clone()], "k");
        assert!(list[0].span.start > source.find("#else").unwrap());
        let source = "#ifdef USE_DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n__global__ void k(real *x) {}";
        let mut environment = Environment::default();
        assert_eq!(find(source, &environment).unwrap()[0].parameters[0].dtype(), Some(DType::Float32));
        environment.options(&["-DUSE_DOUBLE".to_owned()]);
        assert_eq!(find(source, &environment).unwrap()[0].parameters[0].dtype(), Some(DType::Float64));
    }

    #[test]
    fn kernels_behind_macros_are_found() {
        let source = "#define KERNEL extern \"C\" __global__ void\n#define MAKE(name, T) KERNEL name(T *x) {}\n\
                      KERNEL k(int *a) {}\nMAKE(f, float)\nMAKE(d, double)";
        assert_eq!(shown(source), ["k(int *a)", "f(float *x)", "d(double *x)"]);
        assert_eq!(&source[found(source)[1].span.clone()], "MAKE(f, float)");
    }

    #[test]
    fn a_type_that_is_a_pointer_is_followed() {
        let source = "typedef float real; typedef real *Ptr; typedef const real *ConstPtr; __global__ void k(Ptr x, ConstPtr y, Ptr *z) {}";
        let pointer = |element, is_const| CType::Pointer { element, is_const };
        let types: Vec<CType> = found(source)[0].parameters.iter().map(|parameter| parameter.ctype).collect();
        let float = Some(DType::Float32);
        assert_eq!(types, [pointer(float, false), pointer(float, true), pointer(None, false)]);
    }

    #[test]
    fn kernels_of_one_name_are_told_apart() {
        let source = "__global__ void k(float *x);\n__global__ void k(float *y, int n = 3) {}\n__global__ void k(float *x) {}\n\
                      __global__ void later(int *);\nnamespace a { __global__ void later(int *x) {} }";
        let list = found(source);
        let names: Vec<String> = list.iter().map(Signature::qualified_name).collect();
        assert_eq!(names, ["k(float *)", "k(float *, int)", "later", "a::later"]);
        assert_eq!(list.iter().map(|s| s.is_defined).collect::<Vec<_>>(), [true, true, false, true]);
        assert_eq!(list[1].expression(), "(void (*)(float *, int))::k");
        assert!(list[1].is_called("k(float*,int)") && !list[1].is_called("k") && list[2].is_called("later"));
        assert_eq!(list[1].parameters[1].default.as_deref(), Some("3"));
    }

    #[test]
    fn packs_have_as_many_arguments_as_are_given() {
        let source = "template <class T, class... A> __global__ void k(T *out, A... values) {}";
        let list = found(source);
        assert_eq!(list[0].to_string(), "k(T *out, A... values)");
        let shown = |expression: &str| instance(&list, expression).unwrap().to_string();
        assert_eq!(
            shown("k<float, int, double>"),
            "k<float, int, double>(float *out, int values[0], double values[1])"
        );
        assert_eq!(shown("k<float>"), "k<float>(float *out)");
    }
}
