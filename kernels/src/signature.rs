//! What the kernels of a source take: their `__global__` functions.

use std::collections::HashMap;
use std::ops::Range;

use crate::declaration::{CType, Parameter, parse_definition};
use crate::token::{Token, TokenKind, closing, tokens};
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
    /// A template's parameters: names, and what they are by default.
    pub template_parameters: Vec<(String, Option<String>)>,
    /// What an instance of a template is made with: `float, 256`.
    pub template_arguments: Option<String>,
    /// The namespaces it stands in, joined with `::`; empty for none.
    pub namespace: String,
    /// The name's place in the source, in bytes.
    pub span: Range<usize>,
}

impl Signature {
    /// The name that names it from outside: `scope::name`, `name<float, 256>`.
    pub fn qualified_name(&self) -> String {
        let scope = if self.namespace.is_empty() { String::new() } else { format!("{}::", self.namespace) };
        match &self.template_arguments {
            Some(arguments) => format!("{scope}{}<{arguments}>", self.name),
            None => format!("{scope}{}", self.name),
        }
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
            let space = if parameter.is_pointer() || parameter.name.is_empty() { "" } else { " " };
            let qualifier = if is_const { "const " } else { "" };
            write!(f, "{comma}{qualifier}{}{space}{}", parameter.spelling, parameter.name)?;
        }
        f.write_str(")")
    }
}

/// Finds every kernel that a source defines or declares, in order, each once.
///
/// Types that the source itself renames (`typedef float real;`,
/// `using real = float;`, `#define REAL float`) are followed.
///
/// # Errors
///
/// If a kernel's argument list cannot be read: a reference, or something that
/// is no declaration.
///
/// ```
/// use gpurepl_kernels::signature;
/// let found = signature::find("__global__ void twice(float *a, int n) { a[threadIdx.x] *= n; }")?;
/// assert_eq!(found[0].to_string(), "twice(float *a, int n)");
/// # Ok::<(), gpurepl_kernels::SpecError>(())
/// ```
pub fn find(source: &str) -> Result<Vec<Signature>, SpecError> {
    let all = tokens(source);
    let names = type_names(source, &all);
    let resolve = |spelling: &str| resolve(spelling, &names);
    let mut found: Vec<Signature> = Vec::new();
    let mut scopes: Vec<Option<String>> = Vec::new(); // Per open brace: the namespace it opens.
    let mut k = 0;
    while k < all.len() {
        let token = &all[k];
        if token.is_mark(source, '{') {
            scopes.push(namespace_before(source, &all[..k]));
        } else if token.is_mark(source, '}') {
            scopes.pop();
        } else if token.is_name(source, "__global__")
            && let Some((name, open)) = function_head(source, &all, k)
        {
            if let Some(of) = returns(source, &all[k + 1..name]) {
                let message = format!("the kernel `{}` returns `{of}`", all[name].text(source));
                return Err(SpecError::new(message, source, all[name].span.clone())
                    .help("a kernel must be `void`; let it write its answer into an array"));
            }
            let close = closing(source, &all, open).unwrap_or(all.len() - 1);
            let parameters = parse_definition(source, &all[open + 1..close.max(open + 1)], &resolve)?;
            let template_parameters = template_parameters(source, &all[..k]);
            let signature = Signature {
                name: all[name].text(source).to_owned(),
                parameters,
                is_template: template_parameters.is_some(),
                template_parameters: template_parameters.unwrap_or_default(),
                template_arguments: None,
                namespace: scopes.iter().flatten().cloned().collect::<Vec<_>>().join("::"),
                span: all[name].span.clone(),
            };
            if !found.iter().any(|other| other.qualified_name() == signature.qualified_name()) {
                found.push(signature);
            }
            k = close;
        }
        k += 1;
    }
    Ok(found)
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
            let word = token.text(source);
            if matches!(word, "__launch_bounds__" | "__attribute__" | "__cluster_dims__" | "__maxnreg__") {
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

/// The parameters of the `template <...>` that the tokens before a function
/// end with.
fn template_parameters(source: &str, before: &[Token]) -> Option<Vec<(String, Option<String>)>> {
    let ends = |token: &Token| {
        token.kind == TokenKind::Directive || [';', '}', '{'].iter().any(|mark| token.is_mark(source, *mark))
    };
    let start = before.iter().rposition(ends).map_or(0, |at| at + 1);
    let head = &before[start..];
    let at = head.iter().position(|token| token.is_name(source, "template"))?;
    let mut depth = 0i32;
    let mut parameters: Vec<Vec<&Token>> = vec![Vec::new()];
    for token in &head[at + 1..] {
        let (opens, closes) = (token.is_mark(source, '<'), token.is_mark(source, '>'));
        depth += i32::from(opens) - i32::from(closes);
        if depth == 0 {
            break;
        }
        if depth == 1 && token.is_mark(source, ',') {
            parameters.push(Vec::new());
        } else if !(depth == 1 && opens) {
            parameters.last_mut().expect("there is one").push(token);
        }
    }
    parameters.retain(|parameter| !parameter.is_empty());
    let read = |parameter: &Vec<&Token>| {
        let equals = parameter.iter().position(|token| token.is_mark(source, '='));
        let (declared, default) = parameter.split_at(equals.unwrap_or(parameter.len()));
        let named = declared.iter().rfind(|token| token.kind == TokenKind::Identifier);
        let name = named.map_or(String::new(), |token| token.text(source).to_owned());
        let default = default
            .get(1..)
            .filter(|default| !default.is_empty())
            .map(|default| source[default[0].span.start..default[default.len() - 1].span.end].to_owned());
        (name, default)
    };
    Some(parameters.iter().map(read).collect())
}

/// The signature of a template's instance, such as `reduce<float, 256>` or
/// `scope::reduce<float>`.
///
/// # Errors
///
/// If the expression cannot be read, or no template of a source has the name.
///
/// ```
/// use gpurepl_kernels::signature;
/// let source = "template <class T, int N = 4> __global__ void fill(T *x, T value) {}";
/// let instance = signature::instance(source, &signature::find(source)?, "fill<unsigned int>")?;
/// assert_eq!(instance.to_string(), "fill<unsigned int>(unsigned int *x, unsigned int value)");
/// # Ok::<(), gpurepl_kernels::SpecError>(())
/// ```
pub fn instance(source: &str, signatures: &[Signature], expression: &str) -> Result<Signature, SpecError> {
    let renamed = type_names(source, &tokens(source));
    let whole = 0..expression.len();
    let refuse = |message: String| SpecError::new(message, expression, whole.clone());
    let Some((name, rest)) = expression.split_once('<') else {
        return Err(refuse("this names no instance of a template".to_owned()).help("write `name<float>`"));
    };
    let Some(arguments) = rest.trim_end().strip_suffix('>') else {
        return Err(refuse("this instance of a template has no end".to_owned()).help("write `name<float>`"));
    };
    let name = name.trim().trim_start_matches("::");
    let templates = || signatures.iter().filter(|signature| signature.is_template);
    let found = templates().find(|signature| signature.name == name || signature.qualified_name() == name);
    let Some(template) = found else {
        let known: Vec<&str> = templates().map(|signature| signature.name.as_str()).collect();
        let help =
            if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
        return Err(refuse(format!("the source has no kernel template `{name}`")).help(help));
    };
    let given = split_arguments(arguments);
    let mut meanings = HashMap::new();
    for (k, (parameter, default)) in template.template_parameters.iter().enumerate() {
        let Some(meaning) = given.get(k).cloned().or_else(|| default.clone()) else { continue };
        meanings.insert(parameter.clone(), meaning);
    }
    let mut signature = template.clone();
    signature.is_template = false;
    signature.template_arguments = Some(arguments.trim().to_owned());
    for parameter in &mut signature.parameters {
        let Some(meaning) = meanings.get(&parameter.spelling.replace(['*', ' '], "")) else { continue };
        let dtype = resolve(meaning, &renamed);
        match &mut parameter.ctype {
            CType::Pointer { element, .. } => {
                *element = dtype;
                parameter.spelling = format!("{meaning} *");
            }
            by_value => {
                *by_value = dtype.map_or(CType::Other, CType::Scalar);
                parameter.spelling.clone_from(meaning);
            }
        }
    }
    Ok(signature)
}

/// Splits at the commas that no bracket encloses.
fn split_arguments(text: &str) -> Vec<String> {
    let mut depth = 0i32;
    let parts = text.split(|c: char| {
        depth += i32::from(matches!(c, '<' | '(' | '[')) - i32::from(matches!(c, '>' | ')' | ']'));
        depth == 0 && c == ','
    });
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
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
            tokens.iter().map(|token| token.text(source)).collect::<Vec<_>>().join(" ").replace(" :: ", "::")
        };
        if token.is_name(source, "typedef") {
            if let Some((name, words)) = statement().split_last() {
                names.insert(name.text(source).to_owned(), join(words));
            }
        } else if token.is_name(source, "using") {
            if let [name, equals, words @ ..] = statement()
                && equals.is_mark(source, '=')
            {
                names.insert(name.text(source).to_owned(), join(words));
            }
        } else if token.kind == TokenKind::Directive
            && let Some(rest) =
                token.text(source).trim_start_matches(['#', ' ', '\t']).strip_prefix("define ")
            && let Some((name, meaning)) = rest.trim().split_once(char::is_whitespace)
        {
            names.insert(name.to_owned(), meaning.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    names
}

fn resolve(spelling: &str, names: &HashMap<String, String>) -> Option<DType> {
    let mut spelling = spelling;
    // A chain of names is short; a circular one must end.
    for _ in 0..8 {
        if let Some(dtype) = DType::from_c(spelling) {
            return Some(dtype);
        }
        spelling = names.get(spelling)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> Vec<String> {
        find(source).unwrap().iter().map(Signature::to_string).collect()
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
        let parameters = &find(source).unwrap()[0].parameters;
        let types: Vec<_> = parameters.iter().map(Parameter::dtype).collect();
        assert_eq!(types, [Some(DType::Float32), Some(DType::UInt32), Some(DType::Float32), None]);
    }

    #[test]
    fn a_kernel_returns_nothing() {
        let error = find("__global__ int f(float *a) { return 1; }").unwrap_err();
        assert_eq!(error.message, "the kernel `f` returns `int`");
        assert!(find("void __global__ f(float *a) {} __global__ static void g() {}").is_ok());
    }

    #[test]
    fn circular_names_end() {
        assert_eq!(
            find("#define A B\n#define B A\n__global__ void k(A a) {}").unwrap()[0].parameters[0].dtype(),
            None
        );
    }

    #[test]
    fn templates_and_namespaces_are_known() {
        let source = "namespace a { namespace b { template <class T> __global__ void k(T *x) {} } }\n\
                      __global__ void plain(int *x) {}\n\
                      template __global__ void a::b::k<float>(float *x);";
        let found = find(source).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].qualified_name().as_str(), found[0].is_template), ("a::b::k", true));
        assert_eq!((found[1].qualified_name().as_str(), found[1].is_template), ("plain", false));
    }

    #[test]
    fn an_unfinished_source_is_no_panic() {
        for source in ["__global__", "__global__ void k(", "__global__ void k(float *x", "__global__ void"] {
            let _ = find(source);
        }
    }
}
