//! What the parts of an expression are: numbers of two types do not mix, and some expressions mean
//! something else than they do in Python.

use syn::{BinOp, Expr, Lit, UnOp};

use super::super::place::{Kind, Scope};
use super::super::types::is_number;

/// What an expression is to operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// The type, `{integer}` and `{float}` of literals.
    Number(String),
    Array,
    Text,
    Other,
    /// It does not compile, or means something else than in Python.
    Wrong,
}

pub(super) fn class(scope: &Scope<'_>, expression: &Expr) -> Class {
    let of = |inner: &Expr| class(scope, inner);
    let is_wrong = |inner: &Expr| of(inner) == Class::Wrong;
    match expression {
        Expr::Lit(literal) => of_literal(&literal.lit),
        Expr::Path(path) => {
            path.path.get_ident().map_or(Class::Other, |name| of_name(scope, &name.to_string()))
        }
        Expr::Paren(inner) => of(&inner.expr),
        Expr::Reference(inner) => of(&inner.expr),
        Expr::Unary(unary) => match (of(&unary.expr), unary.op) {
            (Class::Wrong, _) | (Class::Text, _) => Class::Wrong,
            (Class::Number(_) | Class::Other, UnOp::Not(_)) => Class::Other,
            (class, _) => class,
        },
        Expr::Binary(binary) => between(of(&binary.left), binary.op, of(&binary.right)),
        Expr::Cast(cast) if is_wrong(&cast.expr) => Class::Wrong,
        Expr::Cast(cast) => match &*cast.ty {
            syn::Type::Path(path) => {
                path.path.get_ident().map_or(Class::Other, |name| Class::Number(name.to_string()))
            }
            _ => Class::Other,
        },
        Expr::Call(call) if call.args.iter().any(is_wrong) => Class::Wrong,
        Expr::Call(_) => Class::Other,
        Expr::MethodCall(call) => of_method(scope, call),
        Expr::Index(index) => of_index(scope, index),
        Expr::Tuple(tuple) if tuple.elems.iter().any(is_wrong) => Class::Wrong,
        Expr::Array(array) if array.elems.iter().any(is_wrong) => Class::Wrong,
        // `f(a=1)`; fields of arrays are methods here.
        Expr::Assign(_) => Class::Wrong,
        Expr::Field(field) if matches!(of(&field.base), Class::Array | Class::Wrong) => Class::Wrong,
        Expr::Block(_) | Expr::Infer(_) => Class::Wrong,
        _ => Class::Other,
    }
}

fn of_literal(literal: &Lit) -> Class {
    let number = |suffix: &str, open: &str| {
        Class::Number(if suffix.is_empty() { open.to_owned() } else { suffix.to_owned() })
    };
    match literal {
        Lit::Int(literal) => number(literal.suffix(), "{integer}"),
        Lit::Float(literal) => number(literal.suffix(), "{float}"),
        Lit::Str(_) => Class::Text,
        _ => Class::Other,
    }
}

fn of_name(scope: &Scope<'_>, name: &str) -> Class {
    match (scope.kind(name), scope.number(name)) {
        (_, Some(of)) if of != "bool" => Class::Number(of),
        (Kind::Array, _) => Class::Array,
        (Kind::Text, _) => Class::Text,
        _ => Class::Other,
    }
}

fn of_method(scope: &Scope<'_>, call: &syn::ExprMethodCall) -> Class {
    let on = class(scope, &call.receiver);
    if on == Class::Wrong || call.args.iter().any(|argument| class(scope, argument) == Class::Wrong) {
        return Class::Wrong;
    }
    // The type of a literal is open, and methods want to know it.
    if matches!(&on, Class::Number(of) if of.starts_with('{')) {
        return Class::Wrong;
    }
    let name = call.method.to_string();
    let is_float = |of: &str| of.starts_with('f');
    match (name.as_str(), on) {
        ("pow", Class::Number(of)) if is_float(&of) => Class::Wrong,
        ("powi" | "powf", Class::Number(of)) if !is_float(&of) => Class::Wrong,
        // `v.iter().sum::<i32>()`
        ("sum", Class::Other) => match call.turbofish.as_ref().and_then(|of| of.args.first()) {
            Some(syn::GenericArgument::Type(syn::Type::Path(path))) => {
                path.path.get_ident().map_or(Class::Other, |of| Class::Number(of.to_string()))
            }
            _ => Class::Other,
        },
        ("len" | "ndim" | "size", _) => Class::Number("usize".to_owned()),
        ("item", Class::Array) => element(scope, &call.receiver).map_or(Class::Other, Class::Number),
        ("shape" | "to_vec", Class::Array) => Class::Other,
        (_, on @ (Class::Number(_) | Class::Array)) => on,
        _ => Class::Other,
    }
}

/// The type of an array's elements, however it is reduced.
fn element(scope: &Scope<'_>, array: &Expr) -> Option<String> {
    match array {
        Expr::Path(path) => scope.element(&path.path.get_ident()?.to_string()),
        Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "sum" | "max" | "min" | "prod" | "ptp" | "dot" => element(scope, &call.receiver),
            _ => None,
        },
        _ => None,
    }
}

fn of_index(scope: &Scope<'_>, index: &syn::ExprIndex) -> Class {
    let (on, at) = (class(scope, &index.expr), class(scope, &index.index));
    let is_negative = matches!(&*index.index, Expr::Unary(_));
    let is_other = matches!(&at, Class::Number(of) if of != "usize" && !of.starts_with("{i"));
    match on {
        Class::Array if at != Class::Wrong => Class::Array,
        Class::Text | Class::Wrong | Class::Array | Class::Number(_) => Class::Wrong,
        // From the end, or with another type than Rust has there.
        _ if is_negative || is_other || at == Class::Wrong => Class::Wrong,
        _ => match &*index.expr {
            Expr::Path(path) => path
                .path
                .get_ident()
                .and_then(|name| scope.element(&name.to_string()))
                .filter(|of| is_number(of))
                .map_or(Class::Other, Class::Number),
            _ => Class::Other,
        },
    }
}

fn between(left: Class, sign: BinOp, right: Class) -> Class {
    let is_comparison = matches!(
        sign,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    );
    let is_logical = matches!(sign, BinOp::And(_) | BinOp::Or(_));
    match (left, right) {
        (Class::Wrong, _) | (_, Class::Wrong) => Class::Wrong,
        _ if is_logical => Class::Other,
        (Class::Number(left), Class::Number(right)) => {
            let is_float = |of: &str| of.trim_start_matches('{').starts_with('f');
            let is_open = |of: &str| of.starts_with('{');
            let of = match (is_open(&left), is_open(&right)) {
                _ if left == right => left,
                (false, true) if is_float(&left) == is_float(&right) => left,
                (true, false) if is_float(&left) == is_float(&right) => right,
                _ => return Class::Wrong,
            };
            match sign {
                // Python divides to fractions, and takes remainders of another sign.
                BinOp::Div(_) if !is_float(&of) => Class::Wrong,
                _ if is_comparison => Class::Other,
                _ => Class::Number(of),
            }
        }
        // Arrays are compared by methods, texts joined by `format!`.
        (Class::Array, _) | (_, Class::Array) if is_comparison => Class::Wrong,
        (Class::Array, Class::Text) | (Class::Text, Class::Array) => Class::Wrong,
        (Class::Array, _) | (_, Class::Array) => Class::Array,
        (Class::Text, _) | (_, Class::Text) if !is_comparison => Class::Wrong,
        (Class::Text, Class::Number(_)) | (Class::Number(_), Class::Text) => Class::Wrong,
        _ => Class::Other,
    }
}

/// The type of a number that an expression in Rust has; of literals the one that they fall back to.
pub(super) fn number_of(scope: &Scope<'_>, code: &str) -> Option<String> {
    match class(scope, &syn::parse_str::<Expr>(code).ok()?) {
        Class::Number(of) => Some(match of.as_str() {
            "{integer}" => "i32".to_owned(),
            "{float}" => "f64".to_owned(),
            _ => of,
        }),
        _ => None,
    }
}
