//! The C preprocessor, as far as finding and translating kernels needs it.
//!
//! Which kernels a text has, and what they take, depends on `#if` and on
//! macros. Lines keep their numbers here, so that whatever reads the result
//! speaks of the user's own lines, and [`Preprocessed::place`] leads back.
//!
//! A condition may be beyond this module: it asks for a header of the
//! system's, or for a macro that only the compiler knows. Then all branches
//! stay. In a text for the host a macro that is defined nowhere counts as
//! undefined; should the compiler know one of that name, it comes to an
//! `#error` in the branch that was taken out ([`WRONG_BRANCH`]), and never to
//! another answer. NVRTC reads the user's own text, so there a name that is
//! reserved for compilers is left open.
//!
//! Macros are expanded by Prosser's algorithm, with sets of names that are
//! hidden from further expansion (X3J11/86-196).

mod condition;
mod environment;
mod expansion;
mod macros;
mod preprocessed;

use std::collections::{HashMap, HashSet};

use crate::token::{Token, TokenKind, tokens};
use expansion::Piece;
use macros::{Macro, Macros, Meaning};
use preprocessed::Output;

pub use environment::{Environment, HOST_ARCHITECTURE, Headers};
pub use preprocessed::{Change, Preprocessed};

/// What stands in place of a branch that is left out: a compiler that comes to
/// it knows a macro that this module does not.
pub const WRONG_BRANCH: &str = "gpurepl_wrong_branch";

/// What a text is once the preprocessor has run: without directives, comments
/// aside, and with macros expanded.
///
/// ```
/// use gpurepl_kernels::preprocessor::{Environment, preprocess};
/// let source = "#if 0\nfloat\n#else\nint\n#endif\nx;";
/// assert_eq!(preprocess(source, &Environment::default()).text, "\n\n\nint\n\nx;");
/// ```
pub fn preprocess(source: &str, environment: &Environment<'_>) -> Preprocessed {
    Preprocessor::new(environment, Mode::All).run(source)
}

/// A text for the translation to host C++, which still goes through a
/// preprocessor: branches that are left out are gone, and macros that declare
/// kernels, functions or variables of a device are expanded.
pub(crate) fn prepare(source: &str, environment: &Environment<'_>) -> Preprocessed {
    Preprocessor::new(environment, Mode::Declarations).run(source)
}

/// What is expanded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    All,
    Declarations,
    /// Nothing is: a header is read for its macros.
    Header,
}

/// Macros with these words are part of a declaration.
const DECLARATIVE: [&str; 8] =
    ["__global__", "__shared__", "__device__", "__constant__", "__managed__", "asm", "__asm__", "__asm"];

/// Whether the compiler comes to a part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Branch {
    Taken,
    LeftOut,
    Unknown,
}

/// An `#if` that is open.
struct Open {
    around: Branch,
    now: Branch,
    /// Whether an earlier branch is taken, or may be.
    earlier: Branch,
}

/// How many headers are read at most, and how often one is: it may include
/// itself.
const MOST_FILES: (usize, usize) = (500, 8);

struct Preprocessor<'a> {
    environment: &'a Environment<'a>,
    mode: Mode,
    macros: Macros,
    /// How often a header was read.
    files: HashMap<String, usize>,
    once: HashSet<String>,
}

impl<'a> Preprocessor<'a> {
    fn new(environment: &'a Environment<'a>, mode: Mode) -> Preprocessor<'a> {
        let mut macros = Macros::default();
        macros.is_open = environment.is_open;
        let mut this = Preprocessor {
            environment,
            mode: Mode::Header,
            macros,
            files: HashMap::new(),
            once: HashSet::new(),
        };
        this.run(&environment.prologue);
        this.mode = mode;
        this
    }

    fn run(&mut self, source: &str) -> Preprocessed {
        let all = tokens(source);
        let mut out = Output::new(source);
        let mut open: Vec<Open> = Vec::new();
        // How many are open where a branch is left out.
        let mut left_out = 0;
        let (mut counted, mut line) = (0, 1);
        let mut k = 0;
        while let Some(token) = all.get(k) {
            line += source[counted..token.span.start].matches('\n').count();
            counted = token.span.start;
            self.macros.line = line;
            let is_out = open.last().is_some_and(|open| open.now == Branch::LeftOut);
            if token.kind == TokenKind::Directive {
                let depth = open.len();
                if !is_out {
                    out.copy(token.span.start);
                }
                let next = all.get(k + 1).map_or("", |next| next.text(source));
                let is_condition = self.directive(source, token, next, &mut open);
                // A condition within what is left out is left out too.
                let is_end = is_out && is_condition && depth == left_out && open.len() <= depth;
                if is_end {
                    out.leave_out(token.span.start, self.mode == Mode::Declarations);
                }
                if is_end || !is_out {
                    left_out = open.len();
                    if self.mode == Mode::All {
                        out.blank(token.span.end);
                    } else {
                        out.copy(token.span.end);
                    }
                }
                out.set_open(open.last().is_some_and(|open| open.now == Branch::Unknown));
            } else if !is_out
                && self.mode != Mode::Header
                && let Some((pieces, end)) = self.expanded(source, &all, k)
            {
                out.copy(token.span.start);
                let end_of_use = all[end - 1].span.end;
                let apart = |before: Option<char>, after: Option<char>| {
                    let is_sign = |c: char| "+-<>&|=*/:.#".contains(c);
                    let is_word = |c: char| c.is_alphanumeric() || c == '_';
                    let is_joined = |(a, b)| is_sign(a) && is_sign(b) || is_word(a) && is_word(b);
                    if before.zip(after).is_some_and(is_joined) { " " } else { "" }
                };
                let made = expansion::text(&pieces);
                let before = apart(out.result.text.chars().next_back(), made.chars().next());
                let after = apart(made.chars().next_back(), source[end_of_use..].chars().next());
                out.replace(end_of_use, &format!("{before}{made}{after}"));
                k = end;
                continue;
            }
            k += 1;
        }
        if open.last().is_some_and(|open| open.now == Branch::LeftOut) {
            out.leave_out(source.len(), false);
        } else {
            out.copy(source.len());
        }
        out.result
    }

    /// What the macro at a token becomes, with the tokens that it takes.
    fn expanded(&mut self, source: &str, all: &[Token], k: usize) -> Option<(Vec<Piece>, usize)> {
        let token = &all[k];
        if token.kind != TokenKind::Identifier {
            return None;
        }
        let name = token.text(source);
        let Meaning::Defined(found) = self.macros.meaning(name) else { return None };
        if self.mode == Mode::Declarations && !self.is_declarative(&found, &mut HashSet::new()) {
            return None;
        }
        let mut next = k + 1;
        let mut more = || {
            let (pieces, end) = expansion::group(source, all, next)?;
            next = end;
            Some(pieces)
        };
        let start = vec![Piece::of(source, token, false)];
        let pieces = self.macros.expand(start, &mut more)?;
        // A function's name without its arguments stays.
        let is_same = next == k + 1 && pieces.len() == 1 && pieces[0].text == name;
        (!is_same).then_some((pieces, next))
    }

    fn is_declarative(&self, of: &Macro, seen: &mut HashSet<String>) -> bool {
        of.body.iter().filter(|piece| piece.kind == TokenKind::Identifier).any(|piece| {
            DECLARATIVE.contains(&piece.text.as_str())
                || seen.insert(piece.text.clone())
                    && matches!(self.macros.meaning(&piece.text), Meaning::Defined(inner) if self.is_declarative(&inner, seen))
        })
    }

    /// Follows a directive. Whether it opens, changes or closes an `#if`.
    fn directive(&mut self, source: &str, token: &Token, next: &str, open: &mut Vec<Open>) -> bool {
        let text = macros::spliced(&token.text(source)[1..]);
        let text = text.trim_start();
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let now = open.last().map_or(Branch::Taken, |open| open.now);
        match name {
            "if" | "ifdef" | "ifndef" => {
                // Who defines a name where it is not, `#ifndef N`, knows it for
                // their own.
                let defined =
                    next.trim_start_matches(['#', ' ', '\t']).strip_prefix("define").unwrap_or_default();
                let is_own = name == "ifndef" && defined.split_whitespace().next() == Some(rest.trim());
                let value = match self.condition(name, rest) {
                    _ if now == Branch::LeftOut => Some(false),
                    None if is_own => Some(true),
                    value => value,
                };
                let is = branch(value, now);
                let earlier = match value {
                    Some(true) => Branch::Taken,
                    Some(false) => Branch::LeftOut,
                    None => Branch::Unknown,
                };
                open.push(Open { around: now, now: is, earlier });
                true
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let Some(last) = open.last() else { return false };
                let (around, earlier) = (last.around, last.earlier);
                let value = match (around, earlier, name) {
                    (Branch::LeftOut, ..) | (_, Branch::Taken, _) => Some(false),
                    (_, _, "else") => Some(true),
                    (_, _, "elif") => self.condition("if", rest),
                    (_, _, "elifdef") => self.condition("ifdef", rest),
                    _ => self.condition("ifndef", rest),
                };
                let reached = if earlier == Branch::Unknown { Branch::Unknown } else { around };
                let last = open.last_mut().expect("it is open");
                last.now = branch(value, if around == Branch::LeftOut { around } else { reached });
                last.earlier = match (value, earlier) {
                    (Some(true), _) | (_, Branch::Taken) => Branch::Taken,
                    (None, _) | (_, Branch::Unknown) => Branch::Unknown,
                    _ => Branch::LeftOut,
                };
                true
            }
            "endif" => open.pop().is_some(),
            _ if now == Branch::LeftOut => false,
            "define" => {
                self.macros.define(rest, now == Branch::Unknown);
                false
            }
            "undef" => {
                self.macros.undefine(rest.trim(), now == Branch::Unknown);
                false
            }
            "include" if now == Branch::Taken => {
                self.include(rest);
                false
            }
            _ => false,
        }
    }

    fn condition(&mut self, name: &str, rest: &str) -> Option<bool> {
        let first = || macros::pieces(rest).first().map(|piece| piece.text.clone());
        match name {
            "ifdef" => self.macros.is_defined(&first()?),
            "ifndef" => self.macros.is_defined(&first()?).map(|defined| !defined),
            _ => condition::evaluate(rest, &mut self.macros),
        }
    }

    /// Reads a header for its macros.
    fn include(&mut self, rest: &str) {
        let rest = rest.trim();
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let Some((name, _)) = quoted.or_else(|| rest.strip_prefix('<').and_then(|rest| rest.split_once('>')))
        else {
            return;
        };
        let times = self.files.get(name).copied().unwrap_or(0);
        if self.files.len() >= MOST_FILES.0 || times >= MOST_FILES.1 || self.once.contains(name) {
            return;
        }
        let Some(text) = (self.environment.headers)(name, quoted.is_some()) else { return };
        if text.contains("#pragma once") {
            self.once.insert(name.to_owned());
        }
        let mode = std::mem::replace(&mut self.mode, Mode::Header);
        self.files.insert(name.to_owned(), times + 1);
        self.run(&text);
        self.mode = mode;
    }
}

fn branch(value: Option<bool>, around: Branch) -> Branch {
    match (value, around) {
        (_, Branch::LeftOut) | (Some(false), _) => Branch::LeftOut,
        (Some(true), around) => around,
        (None, _) => Branch::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(source: &str) -> String {
        preprocess(source, &Environment::default()).text
    }

    /// Without white space at the ends of lines, and without empty lines.
    fn lines(text: &str) -> String {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn branches_are_chosen() {
        for (source, left) in [
            ("#if 0\na\n#else\nb\n#endif\nc", "b\nc"),
            ("#ifdef X\na\n#elif defined(Y) || 1\nb\n#else\nc\n#endif", "b"),
            ("#define X 3\n#if X > 2 && X < 4 && !defined Y\na\n#endif", "a"),
            ("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c"),
            ("#if 1\n#else\n#if 1\na\n#endif\n#endif\nb", "b"),
            ("#ifndef G\n#define G\na\n#endif\n#ifndef G\nb\n#endif", "a"),
            ("#if __has_include(<x>)\na\n#else\nb\n#endif", "a\nb"),
            ("#if __has_include(<x>) && 0\na\n#else\nb\n#endif", "b"),
            ("#if __has_include(<x>)\n#define A 1\n#endif\n#ifdef A\na\n#else\nb\n#endif", "a\nb"),
            ("#if 1\na", "a"),
            ("#if 0\na", ""),
            ("#endif\n#else\na", "a"),
            ("#define F(x) x\n#if F(1) + 1 == 2\na\n#endif", "a"),
            ("#if 'a' == 97 && 0x10u == 16 && 1'000 == 1000 && (-1 < 0u) == 0\na\n#endif", "a"),
            ("#if (2 ? 3 : 4) == 3 && 7 / 2 == 3 && 1 << 3 == 8 && ~0 == -1\na\n#endif", "a"),
            ("#if 1 / 0\na\n#endif", "a"),
        ] {
            assert_eq!(lines(&all(source)), left, "{source}");
            assert_eq!(all(source).matches('\n').count(), source.matches('\n').count(), "{source}");
        }
    }

    #[test]
    fn macros_are_expanded() {
        for (source, left) in [
            ("#define N 4\nint a[N], N2;", "int a[4], N2;"),
            ("#define ADD(a, b) ((a)+(b))\nx = ADD(ADD(1, 2), f(3, 4));", "x = ((((1)+(2)))+(f(3, 4)));"),
            ("#define CAT(a, b) a##b\n#define X CAT(lo, ng) y\nX;", "long y;"),
            ("#define S(x) #x\n#define T(x) S(x)\n#define N 1\nS(N \"q\") T(N)", "\"N \\\"q\\\"\" \"1\""),
            ("#define P(f, ...) p(f, __VA_ARGS__)\nP(1, 2, 3)", "p(1, 2, 3)"),
            ("#define P(f, ...) p(f, ##__VA_ARGS__)\nP(1)", "p(1)"),
            ("#define P(f, ...) p(f __VA_OPT__(,) __VA_ARGS__)\nP(1); P(1, 2)", "p(1); p(1 , 2)"),
            ("#define A B\n#define B A\nA B", "A B"),
            ("#define f(x) f(x + 1)\nf(f(1))", "f(f(1 + 1) + 1)"),
            ("#define F(x) x\nF + F (1)", "F + 1"),
            ("#define MAKE F\n#define F(x) void x()\nMAKE(k) {}", "void k() {}"),
            ("#define NEG(x) -x\ny = -NEG(-1);", "y = - - -1;"),
            ("#define LONG 1 + \\\n 2\nLONG", "1 + 2"),
            ("#define K(n) a\\\nb n\nK(1)", "ab 1"),
            ("#define E() e\nE()", "e"),
            ("#define N 1\n#undef N\nN", "N"),
            ("#define N 1 /* one */\n\"N\" 'N' N /* N */", "\"N\" 'N' 1 /* N */"),
            ("#define CAT2(a, b) a##b\n#define CAT(a, b) CAT2(a, b)\n\nCAT(x, __LINE__)", "x4"),
        ] {
            assert_eq!(lines(&all(source)), left, "{source}");
        }
    }

    #[test]
    fn a_macro_that_grows_without_end_stays_as_it_is() {
        let mut source = "#define A0 x x\n".to_owned();
        for k in 1..64 {
            source.push_str(&format!("#define A{k} A{0} A{0}\n", k - 1));
        }
        source.push_str("A63");
        assert_eq!(lines(&all(&source)), "A63");
        assert_eq!(lines(&all("#define F(x) F(\nF(1")), "F(1");
    }

    #[test]
    fn for_the_translation_only_declarations_are_expanded() {
        let source = "#define KERNEL extern \"C\" __global__ void\n#define N 4\n#if N > 5\nint a;\n\n#else\nint b;\n#endif\n\
                      KERNEL k(int *x) { x[N] = 1; }";
        let text = prepare(source, &Environment::default()).text;
        assert_eq!(
            text,
            "#define KERNEL extern \"C\" __global__ void\n#define N 4\n#if N > 5\n#error gpurepl_wrong_branch\n\n#else\nint b;\n#endif\n\
             extern \"C\" __global__ void k(int *x) { x[N] = 1; }"
        );
        let plain = "#define N 4\nint a[N];";
        assert!(!prepare(plain, &Environment::default()).is_changed);
    }

    #[test]
    fn places_lead_back_to_the_source() {
        let source = "#define K __global__ void\n#if 0\nint gone;\n#endif\nK name(K2 a);\nint é, last;";
        let done = preprocess(source, &Environment::default());
        for word in ["name", "K2", "last"] {
            let (at, from) = (done.text.find(word).unwrap(), source.find(word).unwrap());
            assert_eq!(done.place(at..at + word.len()), from..from + word.len(), "{word}");
        }
        let global = done.text.find("__global__").unwrap();
        assert_eq!(&source[done.place(global..global + 10)], "K");
        let changes = done.changes(source);
        let last = changes.last().unwrap();
        assert_eq!((last.line, last.column, last.moved), (5, 1, "__global__ void".len() as isize - 1));
    }

    #[test]
    fn what_a_compiler_may_define_is_left_open() {
        let with = |source: &str| lines(&preprocess(source, &Environment::cuda(80)).text);
        for (source, left) in [
            ("#if __CUDA_ARCH__ >= 700\na\n#else\nb\n#endif", "a"),
            ("#if __CUDACC_VER_MAJOR__ >= 12\na\n#else\nb\n#endif", "a\nb"),
            ("#ifdef __NVCC__\na\n#else\nb\n#endif", "b"),
            ("#ifdef MINE\na\n#else\nb\n#endif", "b"),
            ("#ifndef __MINE_H__\n#define __MINE_H__\n#define A a\n#endif\nA", "a"),
        ] {
            assert_eq!(with(source), left, "{source}");
        }
        let host = |source: &str| lines(&preprocess(source, &Environment::host()).text);
        assert_eq!(host("#if __CUDACC_VER_MAJOR__ >= 12 && defined(__CUDACC__)\na\n#endif"), "a");
    }

    #[test]
    fn headers_are_read_for_their_macros() {
        let headers = |name: &str, is_quoted: bool| match (name, is_quoted) {
            ("real.h", true) => Some(
                "#pragma once\n#ifdef DOUBLE\n#define REAL double\n#else\n#define REAL float\n#endif\n"
                    .into(),
            ),
            ("self.h", _) => Some("#include \"self.h\"\n#include \"self.h\"\n".to_owned()),
            _ => None,
        };
        let mut environment = Environment::default().with_headers(&headers);
        environment.options(&["-DDOUBLE".to_owned()]);
        let source = "#include \"self.h\"\n#include \"real.h\"\n#include <gone.h>\nREAL x;";
        assert_eq!(lines(&preprocess(source, &environment).text), "double x;");
        environment.options(&["-UDOUBLE".to_owned()]);
        assert_eq!(lines(&preprocess(source, &environment).text), "float x;");
    }
}
