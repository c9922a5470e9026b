//! Lifetimes in the types of variables.
//!
//! The compiler's own text of a type has its lifetimes erased: `fn(&'static
//! str)` and `for<'a> fn(&'a str)` differ in the names of bound lifetimes
//! only. What has no name there was free, and so `'static`: a variable
//! borrows nothing. Written without it, `fn(&str)` would be another type, one
//! that takes any text.

use std::ops::Range;

use syn::spanned::Spanned as _;
use syn::visit::Visit;

/// The same type with its free lifetimes written out, and with a name of its
/// own for each bound one: the compiler's text uses one name at several
/// levels, which a program must not.
pub(super) fn written_out(of: &str) -> String {
    if !of.contains(['&', '\'']) && !of.contains("dyn ") {
        return of.to_owned();
    }
    let Ok(parsed) = syn::parse_str::<syn::Type>(of) else { return of.to_owned() };
    let mut lifetimes = Lifetimes { edits: Vec::new(), bound: Vec::new(), count: 0 };
    lifetimes.visit_type(&parsed);
    let mut edits = lifetimes.edits;
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = of.to_owned();
    for (range, replacement) in edits {
        text.replace_range(range, &replacement);
    }
    text
}

struct Lifetimes {
    edits: Vec<(Range<usize>, String)>,
    /// Bound lifetimes that are in scope, and what each is called now.
    bound: Vec<(String, String)>,
    count: usize,
}

impl Lifetimes {
    fn within(&mut self, binder: Option<&syn::BoundLifetimes>, visit: impl FnOnce(&mut Lifetimes)) {
        let outside = self.bound.len();
        for parameter in binder.iter().flat_map(|binder| &binder.lifetimes) {
            if let syn::GenericParam::Lifetime(parameter) = parameter {
                let old = parameter.lifetime.ident.to_string();
                // The first of a name keeps it.
                let is_used = self.bound.iter().any(|(_, new)| *new == old);
                self.count += 1;
                let new = if is_used { format!("{old}{}", self.count) } else { old.clone() };
                self.bound.push((old, new));
                self.rename(&parameter.lifetime);
            }
        }
        visit(self);
        self.bound.truncate(outside);
    }

    fn rename(&mut self, lifetime: &syn::Lifetime) {
        let name = lifetime.ident.to_string();
        let new = match self.bound.iter().rev().find(|(old, _)| *old == name) {
            Some((_, new)) => new.clone(),
            None if name == "_" => "static".to_owned(),
            None => return,
        };
        if new != name {
            self.edits.push((lifetime.span().byte_range(), format!("'{new}")));
        }
    }
}

impl<'ast> Visit<'ast> for Lifetimes {
    fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
        if reference.lifetime.is_none() {
            let end = reference.and_token.span().byte_range().end;
            self.edits.push((end..end, "'static ".to_owned()));
        }
        syn::visit::visit_type_reference(self, reference);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
        self.rename(lifetime);
    }

    fn visit_type_fn_ptr(&mut self, function: &'ast syn::TypeFnPtr) {
        self.within(function.lifetimes.as_ref(), |inner| {
            function.inputs.iter().for_each(|input| inner.visit_type(&input.ty));
            inner.visit_return_type(&function.output);
        });
    }

    fn visit_trait_bound(&mut self, bound: &'ast syn::TraitBound) {
        self.within(bound.lifetimes.as_ref(), |inner| inner.visit_path(&bound.path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_lifetimes_are_static() {
        for (of, expected) in [
            ("i32", "i32"),
            ("&str", "&'static str"),
            ("fn(&str) -> &mut u8", "fn(&'static str) -> &'static mut u8"),
            ("for<'a> fn(&'a str) -> &'a str", "for<'a> fn(&'a str) -> &'a str"),
            ("std::borrow::Cow<'_, str>", "std::borrow::Cow<'static, str>"),
            ("Vec<(&str, [&u8; 2])>", "Vec<(&'static str, [&'static u8; 2])>"),
            ("Box<dyn for<'a> Fn(&'a i32, &str)>", "Box<dyn for<'a> Fn(&'a i32, &'static str)>"),
        ] {
            assert_eq!(written_out(of), expected);
        }
    }

    #[test]
    fn bound_lifetimes_have_names_of_their_own() {
        assert_eq!(
            written_out("Box<dyn for<'a> Fn(&'a (dyn for<'a> Fn(&'a str) + 'a))>"),
            "Box<dyn for<'a> Fn(&'a (dyn for<'a2> Fn(&'a2 str) + 'a))>"
        );
    }

    #[test]
    fn what_is_no_type_stays() {
        assert_eq!(written_out("{closure@a.rs:1:1: 1:3} &"), "{closure@a.rs:1:1: 1:3} &");
    }
}
