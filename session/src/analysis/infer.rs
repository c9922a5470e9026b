//! Types of simple expressions, without a compiler: enough for what stands
//! before a dot most of the time. What is not known is not guessed.

use syn::{BinOp, Expr, GenericArgument, Lit, Local, Pat, PathArguments, UnOp};

use super::CandidateKind as Kind;
use super::definitions::{Definition, Known, read};
use super::{signature, standard, table};
use quote::ToTokens as _;

/// The text before the cursor, and what the session knows.
pub(super) struct Scope<'k> {
    pub(super) known: &'k Known,
    before: &'k str,
    /// Items of the cell that is being typed.
    own: Vec<Definition>,
}

/// Expressions within expressions, at most.
const MAX_DEPTH: usize = 24;

impl<'k> Scope<'k> {
    pub(super) fn new(known: &'k Known, before: &'k str) -> Scope<'k> {
        let mut own = Vec::new();
        for text in whole_items(before) {
            read(text, 0, &mut own);
        }
        Scope { known, before, own }
    }

    /// The items that can be named, those of this cell first.
    pub(super) fn items(&self) -> impl Iterator<Item = &Definition> {
        self.own.iter().chain(self.known.items())
    }

    /// The type of an expression's text.
    pub(super) fn type_of(&self, text: &str) -> Option<String> {
        self.of(&syn::parse_str(text).ok()?, 0)
    }

    /// Whether a text is a name that neither the session nor the cell has before the cursor.
    pub(super) fn is_unknown(&self, name: &str) -> bool {
        let is_word = !name.is_empty() && name.chars().all(super::context::is_part);
        let words = self.before.split(|c: char| !super::context::is_part(c));
        is_word
            && words.filter(|word| *word == name).count() < 2
            && !self.items().any(|item| item.name == name)
            && self.known.variable(name).is_none()
    }

    /// The names that `let`, `for` and closures bring before the cursor, the
    /// nearest first.
    pub(super) fn locals(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (at, _) in self.before.rmatch_indices("let ") {
            if self.before[..at].ends_with(super::context::is_part) {
                continue;
            }
            let pattern = self.before[at + 4..].split(['=', ';']).next().unwrap_or_default();
            let words = pattern.split(|c: char| !super::context::is_part(c));
            let is_name = |word: &&str| {
                word.starts_with(|c: char| c.is_lowercase() || c == '_')
                    && !matches!(*word, "mut" | "ref" | "_")
            };
            names.extend(words.filter(is_name).map(str::to_owned));
        }
        for (at, _) in self.before.match_indices("for ") {
            let rest = &self.before[at + 4..];
            if let Some((pattern, _)) = rest.split_once(" in ") {
                let words = pattern.split(|c: char| !super::context::is_part(c));
                names.extend(words.filter(|word| word.starts_with(char::is_lowercase)).map(str::to_owned));
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The type that a `let` before the cursor gives a name.
    fn local(&self, name: &str, depth: usize) -> Option<String> {
        for (at, _) in self.before.rmatch_indices("let ") {
            let rest = &self.before[at..];
            let end = statement_end(rest).unwrap_or(rest.len());
            let statement = format!("{};", rest[..end].trim_end_matches(';'));
            let Ok(syn::Stmt::Local(local)) = syn::parse_str::<syn::Stmt>(&statement) else { continue };
            let Local { pat, init, .. } = local;
            let (pattern, of) = match pat {
                Pat::Type(typed) => (*typed.pat, Some(signature::text(typed.ty.to_token_stream()))),
                other => (other, None),
            };
            let Pat::Ident(pattern) = pattern else { continue };
            if pattern.ident != name {
                continue;
            }
            return match of {
                Some(of) if !of.contains('_') => Some(of),
                _ => self.of(&init?.expr, depth + 1),
            };
        }
        None
    }

    fn of(&self, expression: &Expr, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        let of = |expression: &Expr| self.of(expression, depth + 1);
        match expression {
            Expr::Paren(inner) => of(&inner.expr),
            Expr::Group(inner) => of(&inner.expr),
            Expr::Reference(inner) => of(&inner.expr).map(|inner| format!("&{inner}")),
            Expr::Unary(inner) => match inner.op {
                UnOp::Deref(_) => of(&inner.expr).map(|of| of.trim_start_matches('&').to_owned()),
                _ => of(&inner.expr),
            },
            Expr::Lit(literal) => Some(match &literal.lit {
                Lit::Str(_) => "&str".to_owned(),
                Lit::Float(float) => suffix_or(float.suffix(), "f64"),
                Lit::Int(integer) => suffix_or(integer.suffix(), "i32"),
                Lit::Bool(_) => "bool".to_owned(),
                Lit::Char(_) => "char".to_owned(),
                _ => return None,
            }),
            Expr::Cast(cast) => Some(signature::text(cast.ty.to_token_stream())),
            Expr::Range(_) => Some("std::ops::Range".to_owned()),
            Expr::Array(array) => {
                let element = array.elems.first().and_then(of).unwrap_or_else(|| "_".to_owned());
                Some(format!("[{element}]"))
            }
            Expr::Macro(call) => Some(
                match call.mac.path.segments.last()?.ident.to_string().as_str() {
                    "vec" => "Vec<_>",
                    "format" => "String",
                    "gpu" => "GpuArray<_>",
                    _ => return None,
                }
                .to_owned(),
            ),
            Expr::Struct(literal) => Some(literal.path.segments.last()?.ident.to_string()),
            Expr::Binary(binary) => match binary.op {
                BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) | BinOp::Eq(_) | BinOp::Ne(_) => {
                    Some("bool".to_owned())
                }
                _ => {
                    let (left, right) = (of(&binary.left), of(&binary.right));
                    let array = [&left, &right].into_iter().flatten().find(|of| name(of) == "GpuArray");
                    array.map(|of| of.trim_start_matches('&').to_owned()).or(left)
                }
            },
            Expr::Try(inner) => of(&inner.expr).and_then(|of| argument(&of)),
            Expr::Index(index) => {
                let of = of(&index.expr)?;
                if name(&of) == "GpuArray" { Some(of) } else { argument(&of) }
            }
            Expr::Field(field) => {
                let owner = name(&of(&field.base)?).to_owned();
                let own = field.member.to_token_stream().to_string();
                let text = self.member(&owner, &own)?;
                text.split_once(": ").map(|(_, of)| of.to_owned())
            }
            Expr::Path(path) => {
                if let Some(word) = path.path.get_ident() {
                    let word = word.to_string();
                    let variable = || self.known.variable(&word).map(|variable| variable.type_name.clone());
                    return self.local(&word, depth).or_else(variable);
                }
                let mut segments = path.path.segments.iter().rev();
                let (last, owner) = (segments.next()?, segments.next()?.ident.to_string());
                let is_variant = |item: &&Definition| {
                    item.owner == owner && last.ident == item.name && item.kind == Kind::Variant
                };
                self.items().find(is_variant).map(|_| owner.clone())
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => {
                let receiver = of(&call.receiver)?;
                let method = call.method.to_string();
                let own = name(&receiver).to_owned();
                if matches!(method.as_str(), "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default")
                    && matches!(own.as_str(), "Option" | "Result")
                {
                    return argument(&receiver);
                }
                if matches!(method.as_str(), "clone" | "to_owned") && own != "str" {
                    return Some(receiver.trim_start_matches('&').to_owned());
                }
                let signature = self.member(&own, &method)?;
                result(&signature, Some(&receiver), argument(&receiver).as_deref())
            }
            _ => None,
        }
    }

    fn call(&self, call: &syn::ExprCall) -> Option<String> {
        let Expr::Path(path) = &*call.func else { return None };
        let mut segments = path.path.segments.iter().rev();
        let last = segments.next()?;
        let word = last.ident.to_string();
        let given = match &last.arguments {
            PathArguments::AngleBracketed(list) => list.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(of) => Some(signature::text(of.to_token_stream())),
                _ => None,
            }),
            _ => None,
        };
        match segments.next() {
            None => {
                if word == "Some" {
                    return Some("Option<_>".to_owned());
                }
                let own = self.items().find(|item| item.owner.is_empty() && item.name == word);
                if let Some(own) = own {
                    return if own.kind == Kind::Struct {
                        Some(word)
                    } else {
                        result(&own.signature, None, given.as_deref())
                    };
                }
                let entry = table::named("", &word).find(|entry| entry.kind == Kind::Function)?;
                result(entry.signature, None, given.as_deref())
            }
            Some(owner) => {
                let text = signature::text(owner.to_token_stream()).replace("::<", "<");
                let owner = owner.ident.to_string();
                if let Some(signature) = self.member(&owner, &word) {
                    let is_variant = signature.starts_with(&format!("{owner}::"));
                    return if is_variant {
                        Some(owner)
                    } else {
                        result(&signature, Some(&text), given.as_deref())
                    };
                }
                // The standard library's constructors.
                matches!(word.as_str(), "new" | "from" | "with_capacity" | "default").then_some(text)
            }
        }
    }

    /// The signature of what belongs to a type.
    fn member(&self, owner: &str, name: &str) -> Option<String> {
        let own = self.items().find(|item| item.owner == owner && item.name == name);
        own.map(|item| item.signature.clone())
            .or_else(|| table::named(owner, name).next().map(|entry| entry.signature.to_owned()))
            .or_else(|| {
                let mut methods = standard::methods(owner);
                methods.find(|method| method.name == name).map(|method| method.signature.to_owned())
            })
    }
}

fn suffix_or(suffix: &str, default: &str) -> String {
    if suffix.is_empty() { default.to_owned() } else { suffix.to_owned() }
}

/// The items of a text that are whole and stand at the start of a line.
fn whole_items(text: &str) -> Vec<&str> {
    let words =
        ["fn ", "struct ", "enum ", "trait ", "impl ", "impl<", "const ", "static ", "pub ", "///", "#["];
    let mut items = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let next = rest.find('\n').map_or(text.len(), |length| at + length + 1);
        if words.iter().any(|word| rest.starts_with(word))
            && let Some(end) = item_end(rest)
        {
            items.push(&rest[..end]);
            at += end;
            continue;
        }
        at = next;
    }
    items
}

/// Where an item ends: its last brace, or its semicolon.
fn item_end(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            ';' if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Where a statement ends: its semicolon outside of brackets.
fn statement_end(text: &str) -> Option<usize> {
    let mut depth = 0i32;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ';' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The name of a type without its path and arguments: `Vec`; `[]` of slices
/// and arrays. References and boxes are looked through.
pub(super) fn name(of: &str) -> &str {
    let mut of = of.trim();
    loop {
        if let Some(rest) = of.strip_prefix('&') {
            of = rest.trim_start();
            if of.starts_with('\'') {
                of = of.split_once(' ').map_or(of, |(_, rest)| rest);
            }
            of = of.strip_prefix("mut ").unwrap_or(of);
            continue;
        }
        if of.starts_with('[') {
            return "[]";
        }
        let path = of.split('<').next().unwrap_or(of);
        let last = path.rsplit("::").next().unwrap_or(path).trim();
        if matches!(last, "Box" | "Rc" | "Arc") && of.ends_with('>') {
            of = &of[path.len() + 1..of.len() - 1];
            continue;
        }
        return last;
    }
}

/// The first type argument of a type, or the element of a slice.
pub(super) fn argument(of: &str) -> Option<String> {
    let of = of.trim().trim_start_matches('&').trim_start_matches("mut ");
    let inner = match of.strip_prefix('[') {
        Some(rest) => rest.trim_end_matches(']').split(';').next()?,
        None => of.split_once('<')?.1.strip_suffix('>')?,
    };
    let mut depth = 0;
    for (at, character) in inner.char_indices() {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => return Some(inner[..at].trim().to_owned()),
            _ => {}
        }
    }
    Some(inner.trim().to_owned())
}

/// What a function of a signature returns; `T` is the type argument, if one
/// is known.
fn result(signature: &str, receiver: Option<&str>, argument: Option<&str>) -> Option<String> {
    let signature = signature.split(" where ").next()?;
    let mut depth = 0;
    let bytes = signature.as_bytes();
    let mut at = None;
    for k in 0..bytes.len() {
        match bytes[k] {
            b'(' | b'[' | b'<' => depth += 1,
            b'-' if bytes.get(k + 1) == Some(&b'>') && depth == 0 => at = Some(k + 2),
            b'>' if k > 0 && bytes[k - 1] == b'-' => {}
            b')' | b']' | b'>' => depth -= 1,
            _ => {}
        }
    }
    let returned = signature[at?..].trim();
    let mut of: syn::Type = syn::parse_str(returned).ok()?;
    let receiver = receiver.map(|of| of.trim_start_matches('&').trim_start_matches("mut "));
    let receiver: Option<syn::Type> = receiver.and_then(|of| syn::parse_str(of).ok());
    let argument: Option<syn::Type> = argument.and_then(|of| syn::parse_str(of).ok());
    substitute(&mut of, receiver.as_ref(), argument.as_ref());
    Some(signature::text(of.to_token_stream()))
}

/// Replaces `Self` and `T`.
fn substitute(of: &mut syn::Type, own: Option<&syn::Type>, argument: Option<&syn::Type>) {
    match of {
        syn::Type::Path(path) => {
            let word = path.path.get_ident().map(ToString::to_string);
            match (word.as_deref(), own, argument) {
                (Some("Self"), Some(own), _) => *of = own.clone(),
                (Some("T"), _, Some(argument)) => *of = argument.clone(),
                _ => {
                    for segment in &mut path.path.segments {
                        if let PathArguments::AngleBracketed(list) = &mut segment.arguments {
                            for inner in &mut list.args {
                                if let GenericArgument::Type(inner) = inner {
                                    substitute(inner, own, argument);
                                }
                            }
                        }
                    }
                }
            }
        }
        syn::Type::Reference(reference) => substitute(&mut reference.elem, own, argument),
        syn::Type::Slice(slice) => substitute(&mut slice.elem, own, argument),
        syn::Type::Tuple(tuple) => {
            for inner in &mut tuple.elems {
                substitute(inner, own, argument);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Definitions, Item, Variable};

    fn known() -> Known {
        let variable = |name: &str, of: &str| Variable {
            name: name.to_owned(),
            type_name: of.to_owned(),
            is_mutable: false,
            cell: 1,
        };
        let text = "struct P { x: f32, tags: Vec<String> }";
        let items = vec![
            Item { text: text.to_owned(), cell: 1 },
            Item {
                text: "impl P { fn new() -> Self { todo!() } fn sum(&self) -> f64 { 0.0 } }".to_owned(),
                cell: 1,
            },
        ];
        let variables =
            vec![variable("a", "GpuArray<f32>"), variable("p", "P"), variable("v", "std::vec::Vec<i64>")];
        Known::new(variables, Definitions { items, ..Definitions::default() })
    }

    #[test]
    fn simple_expressions_have_types() {
        let known = known();
        let scope =
            Scope::new(&known, "let b = 2.0 * &a; let q: P = P::new();\nlet m = SourceModule::new(\"\")?;");
        for (text, of) in [
            ("a", "GpuArray<f32>"),
            ("a.to_vec()", "Vec<f32>"),
            ("b", "GpuArray<f32>"),
            ("q.tags", "Vec<String>"),
            ("P::new().sum()", "f64"),
            ("zeros::<f64>(3)", "GpuArray<f64>"),
            ("m", "SourceModule"),
            ("m.get_function(\"f\")?", "Function"),
            ("v[0]", "i64"),
            ("v.iter().rev()", "Rev<Iter<i64>>"),
            ("Vec::<u8>::new()", "Vec<u8>"),
            ("\"a\".to_string()", "String"),
            ("vec![1]", "Vec<_>"),
        ] {
            assert_eq!(scope.type_of(text).as_deref(), Some(of), "{text}");
        }
        assert_eq!(scope.type_of("unknown(1).x"), None);
    }

    #[test]
    fn types_are_known_by_their_last_name() {
        assert_eq!(name("&'static mut std::vec::Vec<std::string::String>"), "Vec");
        assert_eq!(name("Box<[f32; 3]>"), "[]");
        assert_eq!(argument("HashMap<Vec<u8>, (i32, u8)>").as_deref(), Some("Vec<u8>"));
    }
}
