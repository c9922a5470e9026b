//! The type of an expression, which is compiled and not run.
//!
//! The expression is lent to a function whose result has the type's name in
//! it, and the compiler's own text names that ([`mir`]). Nothing is linked, so
//! nothing is evaluated and nothing is moved.

use std::collections::HashSet;

use super::compile::{Compiler, Emit, Run};
use super::finding::{Finding, classify};
use super::generate::Adjustments;
use super::line_map::Map;
use super::plan::Plan;
use super::split::split;
use super::{RustcEngine, mir};
use crate::diagnostic::{Diagnostic, Source};
use crate::engine::Cell;
use crate::type_names::shown_type;

/// The number of the cell that asks: no cell of the user's has it.
const CELL: u64 = 0;

/// What stands before the expression, on the line before its first. The
/// number and the call keep the compiler from making a constant of the value,
/// whose type it would not name.
const HEAD: &str = "{ struct Ty<T: ?Sized>(u8, ::core::marker::PhantomData<T>); \
    #[inline(never)] fn __gr_type<T: ?Sized>(_: &T) -> Ty<T> { Ty(1, ::core::marker::PhantomData) } \
    let __gr_p_value = __gr_type(&(";

/// Compiler runs for one expression, at most.
const MAX_RUNS: usize = 4;

impl RustcEngine {
    /// The type of an expression.
    ///
    /// # Errors
    ///
    /// If it does not compile.
    pub(super) fn expression_type(&mut self, expression: &str) -> Result<String, Box<Diagnostic>> {
        self.interrupter.begin();
        let expression = expression.trim().trim_end_matches(';');
        let own = Source { cell: CELL, name: ":type".to_owned(), text: expression.to_owned(), first_line: 1 };
        if let Err(error) = syn::parse_str::<syn::Expr>(expression) {
            let message = match error.to_string() {
                _ if expression.is_empty() => "`:type` needs an expression".to_owned(),
                message => format!("this is not an expression: {message}"),
            };
            let length = expression.len();
            return Err(Box::new(Diagnostic::error(message).at(own, 0..length)));
        }
        // The user's lines are counted from the second.
        let text = format!("{HEAD}\n{expression}\n)); }}");
        let source = Source { text: text.clone(), first_line: 0, ..own };
        self.sources.insert(CELL, source);
        let cell =
            Cell { id: CELL, source: text, name: ":type".to_owned(), first_line: 0, ..Cell::default() };
        let result = self.compiled_type(&cell);
        self.compiler.clean(CELL);
        self.sources.remove(&CELL);
        result
    }

    fn compiled_type(&mut self, cell: &Cell) -> Result<String, Box<Diagnostic>> {
        let split = split(&cell.source).map_err(|error| Box::new(Diagnostic::error(error.message)))?;
        let plan =
            Plan { state: self.state.clone(), own: HashSet::new(), outdated: Vec::new(), notes: Vec::new() };
        let mut first = None;
        let mut adjustments = Adjustments::default();
        for _ in 0..MAX_RUNS {
            let generated = self.generate(cell, &split, &plan, &adjustments);
            let run = self.compiler.compile(CELL, &generated, Emit::Mir, plan.state.epoch);
            let messages = match run {
                Run::Interrupted => return Err(Box::new(Diagnostic::error("interrupted"))),
                Run::Failed(problem) => return Err(Box::new(Diagnostic::error(problem))),
                Run::Ended { succeeded: true, .. } => {
                    let text = self.compiler.take_mir(CELL);
                    let of = mir::types(&text).remove("value").map(|of| told(&of, &text));
                    return of
                        .ok_or_else(|| Box::new(Diagnostic::error("the compiler does not name its type")));
                }
                Run::Ended { messages, .. } => messages,
            };
            let mut is_adjusted = false;
            let map = Map { generated: &generated, file: &Compiler::file_name(CELL), cell: CELL };
            for message in messages.iter().filter(|message| message.is_error()) {
                if let Finding::Moves { name, .. } | Finding::Borrowed(Some(name)) =
                    classify(&map, message, false)
                {
                    is_adjusted |= adjustments.moved.insert(name, false).is_none();
                }
            }
            if is_adjusted {
                continue;
            }
            let mut words = self.diagnostics(cell, &generated, &plan, &messages, true).into_iter();
            first = first.or_else(|| words.next());
            // An implementation may be found by nothing that is mentioned.
            if adjustments.all_items {
                break;
            }
            adjustments.all_items = true;
        }
        Err(Box::new(first.unwrap_or_else(|| Diagnostic::error("the expression does not compile"))))
    }
}

/// A type as it is told: the compiler has left lifetimes out, and a closure is
/// known by what it takes and returns.
fn told(of: &str, mir: &str) -> String {
    let boxed = if of.starts_with("{closure@") { mir::closure_type(mir, of) } else { None };
    if let Some(inner) =
        boxed.as_deref().and_then(|of| of.strip_prefix("std::boxed::Box<dyn ")?.strip_suffix('>'))
    {
        return format!("impl {}", shown_type(inner));
    }
    if of == "gpurepl_prelude::cell::Never" {
        return "!".to_owned();
    }
    shown_type(of).replace("&'static ", "&").replace("<'static", "<'_")
}
