//! `thread_local!` in cells.
//!
//! The macro makes constants around statics of its own, which would be new
//! ones in each cell. As statics that hold the keys they are kept as all
//! statics are:
//!
//! ```text
//! thread_local! { static T: Cell<i32> = Cell::new(1); }
//! static T: ::std::thread::LocalKey<Cell<i32>> =
//!     { ::std::thread_local! { static KEY: Cell<i32> = Cell::new(1) } KEY };
//! ```

use std::ops::Range;

use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Ident, Macro, Token, Type, Visibility};

/// One declaration within the macro.
struct Declaration {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    of: Type,
    value: Expr,
}

impl Parse for Declaration {
    fn parse(input: ParseStream<'_>) -> syn::Result<Declaration> {
        let (attributes, visibility) = (input.call(Attribute::parse_outer)?, input.parse()?);
        input.parse::<Token![static]>()?;
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let of = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Declaration { attributes, visibility, name, of, value: input.parse()? })
    }
}

/// The statics that take a macro call's place: the text of each, and where
/// its declaration starts in the source. None if the call is none that the
/// standard library would take; the compiler says what is wrong then.
pub(super) fn statics(source: &str, call: &Macro) -> Option<Vec<(String, usize)>> {
    if call.path.segments.last().is_none_or(|segment| segment.ident != "thread_local") {
        return None;
    }
    let declarations =
        Punctuated::<Declaration, Token![;]>::parse_terminated.parse2(call.tokens.clone()).ok()?;
    Some(declarations.iter().map(|declaration| as_static(source, declaration)).collect())
}

fn as_static(source: &str, declaration: &Declaration) -> (String, usize) {
    let text = |range: Range<usize>| &source[range];
    let Declaration { attributes, visibility, name, of, value } = declaration;
    let visible = match visibility {
        Visibility::Inherited => "",
        shown => text(shown.span().byte_range()),
    };
    // A type is written twice; lines count once.
    let one_line = text(of.span().byte_range()).replace('\n', " ");
    let (of, value) = (text(of.span().byte_range()), text(value.span().byte_range()));
    let attributes: String =
        attributes.iter().map(|attribute| format!("{} ", text(attribute.span().byte_range()))).collect();
    let start = match visibility {
        Visibility::Inherited => name.span(),
        shown => shown.span(),
    };
    let statement = format!(
        "{attributes}{visible} static {name}: ::std::thread::LocalKey<{of}> = \
         {{ ::std::thread_local! {{ static KEY: {one_line} = {value} }} KEY }};"
    );
    (statement, start.byte_range().start)
}
