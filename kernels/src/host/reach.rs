//! What a kernel uses, directly or through the functions and macros it calls.
//!
//! Names are all that is looked at: a function that mentions a name is taken
//! to use whatever has that name. That can find too much, which costs speed
//! and never an answer.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::rewrite::directive_name;
use crate::signature::is_before_name;
use crate::token::{Token, TokenKind, closing, tokens};

/// Names that need the threads of a block to meet, or memory that they share.
const NEEDS_THREADS: &[&str] = &[
    "__shared__",
    "__syncthreads",
    "__syncthreads_count",
    "__syncthreads_and",
    "__syncthreads_or",
    "__syncwarp",
    "__activemask",
    "__shfl_sync",
    "__shfl_up_sync",
    "__shfl_down_sync",
    "__shfl_xor_sync",
    "__any_sync",
    "__all_sync",
    "__ballot_sync",
    "__match_any_sync",
    "__match_all_sync",
    "__reduce_add_sync",
    "__reduce_min_sync",
    "__reduce_max_sync",
    "__reduce_and_sync",
    "__reduce_or_sync",
    "__reduce_xor_sync",
    "__cvta_generic_to_shared",
    "__cvta_shared_to_generic",
    "__isShared",
    "__isGlobal",
    "this_thread_block",
    "coalesced_threads",
    "this_grid",
];

/// Where groups of threads come from, whatever their namespace is called.
const GROUPS: [&str; 3] = ["this_thread_block", "coalesced_threads", "this_grid"];

/// Whether a token names one of them, or may within a macro.
pub(super) fn needs_threads(token: &str) -> bool {
    match token.starts_with('#') {
        true => NEEDS_THREADS.iter().any(|name| token.contains(name)),
        false => NEEDS_THREADS.contains(&token),
    }
}

/// The names of a thread's place.
pub(super) const INDICES: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];

/// A function, a macro or shared memory at file scope, and the names in it.
pub(super) struct Unit {
    /// Empty for what a call does not name: an operator, what stands outside of
    /// functions.
    pub(super) name: String,
    pub(super) kind: UnitKind,
    /// The body's braces and all between them; none for what has no body.
    pub(super) body: Option<Range<usize>>,
    /// From the start of the declaration to the body.
    pub(super) head: Range<usize>,
    names: HashSet<String>,
    /// Of a macro: whether it has braces, so that it may be a function.
    pub(super) has_body: bool,
    /// Of a function: whether it has arguments by reference.
    pub(super) takes_references: bool,
}

impl Unit {
    /// The names that it mentions.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnitKind {
    Kernel,
    Function,
    Macro,
    Shared,
}

/// How a kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// Its threads do not wait for each other: a loop over them.
    Loop {
        /// Whether a function that it calls wants to know its thread.
        kept: bool,
    },
    /// Its threads meet: each has a stack of its own.
    Threads {
        /// Whether they rely on a warp's threads going in step, as code from
        /// before `__syncwarp` does.
        lockstep: bool,
    },
}

/// The functions and macros of a source, and what they mention.
pub(super) struct Reach {
    units: Vec<Unit>,
    /// Whether a macro puts names together.
    pastes: bool,
    by_name: HashMap<String, Vec<usize>>,
}

impl Reach {
    pub(super) fn new(source: &str, all: &[Token]) -> Reach {
        let units = units(source, all);
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (k, unit) in units.iter().enumerate() {
            by_name.entry(unit.name.clone()).or_default().push(k);
        }
        let pastes = all.iter().any(|t| t.kind == TokenKind::Directive && t.text(source).contains("##"));
        Reach { units, pastes, by_name }
    }

    /// Whether a kernel may wait for its grid.
    pub(super) fn meets_grid(&self, kernel: &str) -> bool {
        let reached = self.from(kernel);
        ["this_grid", "grid_group"].iter().any(|name| reached.names.contains(name))
    }

    pub(super) fn units(&self) -> &[Unit] {
        &self.units
    }

    /// What a unit mentions itself or by macros: what stands in its body once
    /// the preprocessor has run.
    pub(super) fn expanded<'a>(&'a self, unit: &'a Unit) -> HashSet<&'a str> {
        let mut names: HashSet<&str> = unit.names.iter().map(String::as_str).collect();
        let mut next: Vec<&str> = names.iter().copied().collect();
        while let Some(name) = next.pop() {
            let macros = self.named(name).filter(|unit| unit.kind == UnitKind::Macro);
            for inner in macros.flat_map(|unit| &unit.names) {
                if names.insert(inner) {
                    next.push(inner);
                }
            }
        }
        names
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &Unit> {
        self.by_name.get(name).into_iter().flatten().map(|k| &self.units[*k])
    }

    /// The units that a name leads to, itself among them, and the names that
    /// they mention. What no call names is reached from everywhere: operators,
    /// and what stands outside of functions.
    pub(super) fn from(&self, name: &str) -> Reached<'_> {
        let mut reached = Reached { units: Vec::new(), names: HashSet::new() };
        let mut seen = vec![false; self.units.len()];
        let start = self.by_name.get(name).into_iter().flatten();
        let mut next: Vec<usize> = start.chain(self.by_name.get("").into_iter().flatten()).copied().collect();
        // A kernel that is not found stands within something that seems to be
        // larger than it is: `#if` and `#else` that each open a brace.
        // Names that the preprocessor puts together cannot be followed at all.
        if self.pastes || !next.iter().any(|k| self.units[*k].kind == UnitKind::Kernel) {
            next = (0..self.units.len())
                .filter(|k| self.units[*k].kind != UnitKind::Kernel)
                .chain(next)
                .collect();
        }
        while let Some(k) = next.pop() {
            if std::mem::replace(&mut seen[k], true) {
                continue;
            }
            reached.units.push(&self.units[k]);
            for name in &self.units[k].names {
                reached.names.insert(name);
                next.extend(self.by_name.get(name).into_iter().flatten());
            }
        }
        reached
    }

    /// How the kernel of this name runs. `asks`: whether a function asks for its
    /// thread and does not get it.
    pub(super) fn execution(&self, kernel: &str, asks: bool) -> Execution {
        let reached = self.from(kernel);
        if NEEDS_THREADS.iter().any(|name| reached.names.contains(name)) {
            let shares = reached.names.contains("__shared__");
            let waits = reached.names.contains("__syncwarp")
                || GROUPS.iter().any(|name| reached.names.contains(name));
            let lockstep = shares && !waits && reached.names.contains("volatile");
            return Execution::Threads { lockstep };
        }
        Execution::Loop { kept: asks && self.asks() }
    }

    /// Whether anything outside of kernels, where the names are arguments, asks
    /// for its thread. Who calls it is not looked at: by a table of functions,
    /// a constructor or a name that the preprocessor puts together, any kernel
    /// may.
    fn asks(&self) -> bool {
        self.units.iter().any(|unit| {
            let names = match unit.kind {
                UnitKind::Function => self.expanded(unit),
                // A macro in a kernel means the kernel's arguments; one with a
                // body of its own is a function.
                UnitKind::Macro if unit.has_body => self.expanded(unit),
                _ => return false,
            };
            INDICES.iter().chain(&["assert", "__trap"]).any(|name| names.contains(name))
        })
    }
}

/// What a kernel leads to.
pub(super) struct Reached<'a> {
    pub(super) units: Vec<&'a Unit>,
    pub(super) names: HashSet<&'a str>,
}

/// Finds functions, by their bodies, macros, and shared memory at file scope.
fn units(source: &str, all: &[Token]) -> Vec<Unit> {
    let mut units = Vec::new();
    // What stands outside of functions: tables of functions, bases of classes,
    // initial values of members. Who calls them is not in their names.
    let mut loose: Vec<usize> = Vec::new();
    let mut k = 0;
    while k < all.len() {
        let token = &all[k];
        if token.kind == TokenKind::Identifier {
            loose.push(k);
        } else if token.is_mark(source, ';') && is_prototype(source, &all[head_start(source, &all[..k])..k]) {
            let head = head_start(source, &all[..k]);
            loose.retain(|place| *place < head);
        }
        if token.kind == TokenKind::Directive {
            units.extend(macro_unit(token.text(source)));
        } else if token.is_name(source, "__shared__") {
            units.extend(shared_units(source, &all[k + 1..]));
            loose.pop();
            let end = all[k..].iter().position(|token| token.is_mark(source, ';'));
            k = end.map_or(all.len(), |end| k + end);
        } else if token.is_mark(source, '{')
            && let Some(name) = function_before(source, &all[..k])
        {
            let close = closing(source, all, k).unwrap_or(all.len() - 1);
            let head = head_start(source, &all[..name]);
            loose.retain(|place| *place < head);
            let is_kernel = all[head..name].iter().any(|t| t.is_name(source, "__global__"));
            let is_named = all[name].kind == TokenKind::Identifier && !all[name].is_name(source, "operator");
            let body = &all[k..=close];
            // What stands before a constructor's body calls functions as well.
            let mut names = identifiers(source, body);
            names.extend(identifiers(source, &all[name + 1..k]));
            units.push(Unit {
                name: if is_named { all[name].text(source).to_owned() } else { String::new() },
                kind: if is_kernel { UnitKind::Kernel } else { UnitKind::Function },
                body: Some(token.span.start..all[close].span.end),
                head: all[head].span.start..token.span.start,
                names,
                has_body: true,
                takes_references: all[head..k].iter().any(|token| token.is_mark(source, '&')),
            });
            // Directives within the body still define macros.
            let inner = body.iter().filter(|t| t.kind == TokenKind::Directive);
            units.extend(inner.filter_map(|t| macro_unit(t.text(source))));
            k = close;
        }
        k += 1;
    }
    let names = loose.into_iter().map(|place| all[place].text(source).to_owned()).collect();
    let (name, kind) = (String::new(), UnitKind::Function);
    units.push(Unit { name, kind, body: None, head: 0..0, names, has_body: false, takes_references: false });
    units
}

/// `__device__ float f(float);`: the definition says what it does.
fn is_prototype(source: &str, statement: &[Token]) -> bool {
    let has = |mark: char| statement.iter().any(|token| token.is_mark(source, mark));
    let is_marked = ["__device__", "__global__", "__host__"]
        .iter()
        .any(|name| statement.iter().any(|token| token.is_name(source, name)));
    is_marked && has('(') && !has('=')
}

fn identifiers(source: &str, part: &[Token]) -> HashSet<String> {
    let named = part.iter().filter(|token| token.kind == TokenKind::Identifier);
    named.map(|token| token.text(source).to_owned()).collect()
}

fn macro_unit(directive: &str) -> Option<Unit> {
    let text = directive.trim_start_matches(['#', ' ', '\t']).strip_prefix("define")?;
    let inner = tokens(text);
    let name = inner.first()?.text(text).to_owned();
    let names = identifiers(text, &inner[1..]);
    let has_body = text.contains('{');
    Some(Unit {
        name,
        kind: UnitKind::Macro,
        body: None,
        head: 0..0,
        names,
        has_body,
        // It changes what it names.
        takes_references: true,
    })
}

/// The variables of a declaration after its `__shared__`, outside of functions:
/// who mentions one shares memory.
fn shared_units(source: &str, rest: &[Token]) -> Vec<Unit> {
    let end = rest.iter().position(|token| token.is_mark(source, ';')).unwrap_or(rest.len());
    let is_name = |pair: &&[Token]| {
        let ends = ['[', ',', '=', ';'].iter().any(|mark| pair[1].is_mark(source, *mark));
        pair[0].kind == TokenKind::Identifier && ends
    };
    let names = identifiers(source, &rest[..end]);
    let declared = rest[..rest.len().min(end + 1)].windows(2).filter(is_name);
    let unit = |pair: &[Token]| {
        let mut names = names.clone();
        names.insert("__shared__".to_owned());
        Unit {
            name: pair[0].text(source).to_owned(),
            kind: UnitKind::Shared,
            body: None,
            head: pair[0].span.clone(),
            names,
            has_body: false,
            takes_references: false,
        }
    };
    declared.map(unit).collect()
}

/// The name in `name(...) {`, or `name(...) const {`, or `name(...) -> type {`,
/// or a constructor with initialisers; `operator`, or the `]` of a lambda at
/// file scope; none for a structure, a namespace or a block.
fn function_before(source: &str, before: &[Token]) -> Option<usize> {
    let start = after_template(source, before, head_start(source, before));
    // A macro may stand before it, without a semicolon: `MAKE(foo) __device__ ...`.
    let is_qualifier = |token: &Token| {
        ["__device__", "__global__", "__host__"].iter().any(|name| token.is_name(source, name))
    };
    let qualifier = before[start..].iter().rposition(is_qualifier).map(|place| start + place);
    let mut k = qualifier.map_or(start, |place| place + 1);
    let head = start;
    while k < before.len() {
        let token = &before[k];
        if token.is_name(source, "namespace") {
            return None;
        }
        if token.is_name(source, "operator") {
            return before[k..].iter().any(|token| token.is_mark(source, '(')).then_some(k);
        }
        if token.is_mark(source, '=') {
            let is_lambda = before.get(k + 1).is_some_and(|next| next.is_mark(source, '['));
            return if is_lambda {
                (k..before.len()).find(|k| before[*k].is_mark(source, ']'))
            } else {
                None
            };
        }
        if token.is_mark(source, '(') && k > head {
            match before[k - 1].text(source) {
                "if" | "for" | "while" | "switch" | "catch" => return None,
                _ if is_before_name(source, before, k - 1) => k = closing(source, before, k)?,
                _ => return Some(k - 1),
            }
        }
        k += 1;
    }
    None
}

/// Past `template <...>`, if that is what stands here.
fn after_template(source: &str, before: &[Token], start: usize) -> usize {
    let mut k = start;
    while before.get(k).is_some_and(|token| token.is_name(source, "template")) {
        let mut depth = 0i32;
        k += 1;
        while k < before.len() {
            depth += i32::from(before[k].is_mark(source, '<')) - i32::from(before[k].is_mark(source, '>'));
            k += 1;
            if depth <= 0 {
                break;
            }
        }
    }
    k
}

/// Where the declaration that ends with these tokens starts. Conditions may
/// stand within it, among the parameters of a function say.
fn head_start(source: &str, before: &[Token]) -> usize {
    let mut start = before.len();
    let mut depth = 0i32;
    for (k, token) in before.iter().enumerate().rev() {
        if token.kind == TokenKind::Directive {
            if depth == 0 && !is_condition(token.text(source)) {
                break;
            }
            continue;
        }
        if [';', '{', '}'].iter().any(|mark| token.is_mark(source, *mark)) {
            break;
        }
        depth += i32::from(token.is_mark(source, ')')) - i32::from(token.is_mark(source, '('));
        start = k;
    }
    start
}

/// Whether a directive is one of `#if`, or what stands for a branch that is
/// left out.
fn is_condition(directive: &str) -> bool {
    matches!(
        directive_name(directive),
        "if" | "ifdef" | "ifndef" | "elif" | "elifdef" | "elifndef" | "else" | "endif" | "error"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn execution(source: &str, kernel: &str) -> Execution {
        Reach::new(source, &tokens(source)).execution(kernel, true)
    }

    const THREADS: Execution = Execution::Threads { lockstep: false };
    const LOOP: Execution = Execution::Loop { kept: false };

    #[test]
    fn a_barrier_behind_two_calls_and_a_macro_is_found() {
        let source = "#define WAIT() \\\n  __syncwarp()\n\
                      struct Tree { __device__ int a() const { WAIT(); return 1; } };\n\
                      __device__ int b(Tree t) { return t.a(); }\n\
                      __global__ void far(Tree t) { b(t); }\n__global__ void near(int *x) { *x = 1; }";
        assert_eq!(execution(source, "far"), THREADS);
        assert_eq!(execution(source, "near"), LOOP);
    }

    #[test]
    fn conditions_and_macros_in_a_head_hide_no_barrier() {
        let body = "{ __shared__ int s[8]; __syncthreads(); a[0] = s[0]; }";
        for head in [
            "__global__ void k(int *a,\n#ifndef FIXED\nint n,\n#endif\nint m)",
            "__global__ void\n#ifdef BOUNDED\n__launch_bounds__(64)\n#endif\nk(int *a)",
            "template <class T>\n#if 1\n__global__\n#endif\nvoid k(T *a)",
            "#define BOUNDS(threads, blocks)\n__global__ void BOUNDS(64, 2) k(int *a)",
            "#define BOUNDS(threads)\n__global__ BOUNDS(64) void k(int *a)",
            "__global__ void k(int *a) noexcept(true)",
        ] {
            let source = format!("__device__ int f() {{ return 1; }}\n{head} {body}");
            assert_eq!(execution(&source, "k"), THREADS, "{head}");
            let all = tokens(&source);
            let reach = Reach::new(&source, &all);
            let units: Vec<&Unit> = reach.units().iter().filter(|unit| unit.name == "k").collect();
            assert!(matches!(units[..], [unit] if unit.kind == UnitKind::Kernel), "{head}");
        }
    }

    #[test]
    fn operators_are_reached_from_everywhere() {
        let source = "struct S { int x; __device__ S operator+(S b) { __syncthreads(); return *this; } };\n\
                      __global__ void k(S *s) { s[0] = s[0] + s[1]; }";
        assert_eq!(execution(source, "k"), THREADS);
        let source = "struct V { int x; __device__ V() : x(threadIdx.x) {} __device__ int operator()(int) const { return x; } };\n\
                      __global__ void k(int *x) { V v; *x = v(1); }";
        assert_eq!(execution(source, "k"), Execution::Loop { kept: true });
    }

    #[test]
    fn what_no_call_names_is_reached_from_everywhere() {
        let kept = Execution::Loop { kept: true };
        let f = "__device__ int f() { return threadIdx.x; }\n";
        let kernel = "__global__ void k(int *a) { a[threadIdx.x] = table[0](); }";
        assert_eq!(
            execution(&format!("{f}typedef int (*fn)();\n__device__ fn table[] = {{f}};\n{kernel}"), "k"),
            kept
        );
        let base = "struct Base { int i; __device__ Base() { i = threadIdx.x; } };\nstruct Derived : Base {};\n\
                    __global__ void k(int *a) { Derived d; a[threadIdx.x] = d.i; }";
        assert_eq!(execution(base, "k"), kept);
        let member =
            "struct S { int i = threadIdx.x; };\n__global__ void k(int *a) { S s; a[threadIdx.x] = s.i; }";
        assert_eq!(execution(member, "k"), kept);
        let braces = "#ifdef D\n__device__ double g(int i) {\n#else\n__device__ float g(int i) {\n#endif\n return threadIdx.x; }\n\
                      __global__ void k(int *a) { a[threadIdx.x] = g(1); }";
        assert_eq!(execution(braces, "k"), kept);
        let renamed = "typedef volatile int vint;\n__global__ void k(int *a) { __shared__ int s[64]; vint *v = s; v[0] = 1; }";
        assert_eq!(execution(renamed, "k"), Execution::Threads { lockstep: true });
    }

    #[test]
    fn shared_memory_at_file_scope_is_found_where_it_is_used() {
        let source = "extern __shared__ float s[];\n__shared__ int a[2], n;\n\
                      __global__ void sum(float *x) { s[0] = x[0]; }\n\
                      __global__ void count(float *x) { n = 1; }\n\
                      __global__ void plain(float *x) { x[0] = 1; }";
        assert_eq!(["sum", "count", "plain"].map(|name| execution(source, name)), [THREADS, THREADS, LOOP]);
    }

    #[test]
    fn code_from_before_syncwarp_goes_in_step() {
        let kernel = |inner: &str| {
            format!(
                "__global__ void k(float *x) {{ __shared__ float s[64]; volatile float *v = s; {inner} }}"
            )
        };
        assert_eq!(execution(&kernel("v[0] += v[1];"), "k"), Execution::Threads { lockstep: true });
        assert_eq!(execution(&kernel("v[0] += v[1]; __syncwarp();"), "k"), THREADS);
    }

    #[test]
    fn indices_are_kept_for_functions_that_use_them() {
        let kernel = "__global__ void k(int *a) { a[f()] = 1; }";
        let of = |source: &str| execution(&format!("{source}\n{kernel}"), "k");
        assert_eq!(of("__device__ int f() { return 1; }"), LOOP);
        let made = "#define MAKE(name) __device__ int name() { return threadIdx.x; }\nMAKE(f)";
        assert_eq!(of(made), Execution::Loop { kept: true });
        assert_eq!(of("__device__ int f() { return threadIdx.x; }"), Execution::Loop { kept: true });
        assert_eq!(
            of("#define T threadIdx\n__device__ int f() { return T.x; }"),
            Execution::Loop { kept: true }
        );
        // A macro without a semicolon before a kernel is not part of it.
        let after = "#define MAKE(name) __device__ int name() { return 1; }\nMAKE(f)\n\
                     __global__ void k(int *a) { __shared__ int s[8]; __syncthreads(); }";
        assert_eq!(execution(after, "k"), THREADS);
        // In the kernel itself a macro means the kernel's own arguments.
        assert_eq!(of("#define f() threadIdx.x"), LOOP);
    }
}
