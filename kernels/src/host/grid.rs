//! How a kernel goes over its grid: whether the threads of several blocks are
//! one row of indices, and whether it walks the grid by strides.
//!
//! A kernel that uses `threadIdx.x` and `blockIdx.x` in no other way than
//! `blockIdx.x*blockDim.x + threadIdx.x` cannot tell its blocks apart along
//! that axis. A row of blocks is then one loop, as long as the processor
//! likes it.
//!
//! A loop `for (int i = that; i < n; i += blockDim.x*gridDim.x)` whose body uses
//! the thread's place in no other way, and keeps nothing from one turn to the
//! next, may be done turn by turn for all threads of some blocks: they go
//! through memory side by side, as a GPU's do. Each thread's turns stay in
//! their order, on one core. The loop becomes two:
//!
//! ```text
//! for (int at = first; at < n; at += step) for (int k = at; k < at + width && k < n; k++) if (const int i = k; true)
//! ```
//!
//! A kernel that ends with `if (i < n) ...`, or goes on after `if (i >= n) return;`,
//! is one turn of such a loop: the comparison becomes the loop's end, which a
//! processor does not have to look at for every thread.
//!
//! A body that changes `i` after all does not compile, and the source is
//! compiled without.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::functions::Informed;
use super::reach::{Reach, Unit, UnitKind};
use super::rewrite::Edit;
use crate::token::{Token, TokenKind, closing, tokens};

/// Functions that show in which order threads run, or where they are.
const ORDERED: [&str; 3] = ["printf", "gpurepl_printed", "surf"];

/// How an entry goes over the blocks of a kernel whose threads do not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Block by block.
    Blocks,
    /// Along rows of blocks.
    Rows,
    /// Turn by turn of a loop by strides.
    Strides,
    /// Along rows of blocks, up to a bound.
    Bounded,
}

impl Walk {
    /// Its number in `shim/entry.hpp`.
    pub(super) fn number(self) -> u8 {
        match self {
            Walk::Blocks => 0,
            Walk::Rows => 1,
            Walk::Strides => 2,
            Walk::Bounded => 3,
        }
    }
}

/// How the kernel of this name may go over its blocks.
pub(super) fn walk(source: &str, reach: &Reach, informed: &Informed<'_>, kernel: &str) -> Walk {
    let mut kernels =
        reach.units().iter().filter(|unit| unit.kind == UnitKind::Kernel && unit.name == kernel);
    let (Some(unit), None) = (kernels.next(), kernels.next()) else { return Walk::Blocks };
    let reached = reach.from(kernel);
    if ORDERED.iter().any(|name| reached.names.contains(name)) {
        return Walk::Blocks;
    }
    if let Some(turns) = turns(source, reach, informed, unit) {
        return turns.walk;
    }
    let asks = |unit: &&&Unit| match unit.kind {
        UnitKind::Kernel => unit.name == kernel,
        UnitKind::Function => informed.contains(&unit.name),
        UnitKind::Macro => true,
        UnitKind::Shared => false,
    };
    let is_along = |unit: &&Unit| match &unit.body {
        Some(body) => is_along_rows(&source[body.clone()]),
        // A macro that mentions a place may put it together in another way.
        None => !unit.names().any(|name| matches!(name, "threadIdx" | "blockIdx")),
    };
    let rows = reached.units.iter().filter(asks).all(is_along);
    if rows { Walk::Rows } else { Walk::Blocks }
}

/// Whether a text uses its place along x as `blockIdx.x*blockDim.x + threadIdx.x` alone.
fn is_along_rows(text: &str) -> bool {
    let all = tokens(text);
    let mut k = 0;
    let mut covered = 0;
    while k < all.len() {
        let name = all[k].text(text);
        let is_index = matches!(name, "threadIdx" | "blockIdx") && all[k].kind == TokenKind::Identifier;
        if let Some(length) =
            global_index(text, &all[k..]).filter(|length| stands_alone(text, &all, k, *length))
        {
            k += length;
            covered = k;
            continue;
        }
        if is_index && k >= covered {
            let axis = all.get(k + 2).map(|axis| axis.text(text));
            let is_other =
                all.get(k + 1).is_some_and(|dot| dot.is_mark(text, '.')) && matches!(axis, Some("y" | "z"));
            if !is_other {
                return false;
            }
        }
        k += 1;
    }
    true
}

/// The number of tokens of the index along x that starts here.
fn global_index(text: &str, all: &[Token]) -> Option<usize> {
    const FORMS: [&str; 10] = [
        "blockIdx . x * blockDim . x + threadIdx . x",
        "blockDim . x * blockIdx . x + threadIdx . x",
        "threadIdx . x + blockIdx . x * blockDim . x",
        "threadIdx . x + blockDim . x * blockIdx . x",
        "( blockIdx . x * blockDim . x ) + threadIdx . x",
        "( blockDim . x * blockIdx . x ) + threadIdx . x",
        "threadIdx . x + ( blockIdx . x * blockDim . x )",
        "threadIdx . x + ( blockDim . x * blockIdx . x )",
        "( int ) blockIdx . x * blockDim . x + threadIdx . x",
        "( size_t ) blockIdx . x * blockDim . x + threadIdx . x",
    ];
    FORMS.iter().find_map(|form| {
        let words = form.split(' ');
        let length = words.clone().count();
        let is_form =
            all.len() >= length && all.iter().zip(words).all(|(token, word)| token.text(text) == word);
        is_form.then_some(length)
    })
}

/// Whether what stands around a sum leaves it a sum.
fn stands_alone(text: &str, all: &[Token], start: usize, length: usize) -> bool {
    let before = start.checked_sub(1).map(|k| all[k].text(text));
    let after = all.get(start + length).map(|token| token.text(text));
    matches!(before, None | Some("=" | "(" | "," | "{" | "[" | "return" | ";" | "+" | "?" | ":"))
        && !matches!(after, Some("*" | "/" | "%" | "."))
}

/// A sum of products: how often each product is in it.
type Sum = BTreeMap<Vec<String>, i64>;

fn product(names: &[&str]) -> Sum {
    BTreeMap::from([(names.iter().map(|name| (*name).to_owned()).collect(), 1)])
}

/// A kernel's turns: how they are done, and the changes for it.
struct Turns {
    walk: Walk,
    edits: Vec<Edit>,
}

/// The changes for kernels that are done turn by turn.
pub(super) fn edits(source: &str, reach: &Reach, informed: &Informed<'_>) -> Vec<Edit> {
    let kernels = reach.units().iter().filter(|unit| unit.kind == UnitKind::Kernel);
    let is_walked =
        |unit: &&Unit| matches!(walk(source, reach, informed, &unit.name), Walk::Strides | Walk::Bounded);
    let walked = kernels.filter(is_walked);
    walked.filter_map(|unit| turns(source, reach, informed, unit)).flat_map(|turns| turns.edits).collect()
}

/// What a kernel has declared before its turns begin.
struct Locals<'a> {
    sums: BTreeMap<String, Sum>,
    /// The declarations: type, name, value.
    declared: Vec<(String, String, String)>,
    /// Declared without a value.
    bare: HashSet<String>,
    /// What functions without arguments return.
    returned: &'a BTreeMap<String, Sum>,
}

impl Locals<'_> {
    fn depends_on_place(&self, name: &str) -> bool {
        self.sums.get(name).is_some_and(is_of_place)
    }
}

/// Whether a sum is another one for another thread along x.
fn is_of_place(sum: &Sum) -> bool {
    sum.keys().flatten().any(|factor| matches!(factor.as_str(), "threadIdx.x" | "blockIdx.x"))
}

/// `blockIdx.x*blockDim.x + threadIdx.x`
fn global() -> Sum {
    let mut global = product(&["threadIdx.x"]);
    global.extend(product(&["blockDim.x", "blockIdx.x"]));
    global
}

/// What functions return that have no arguments and consist of that:
/// `__device__ int index() { return blockIdx.x*blockDim.x + threadIdx.x; }`.
fn returned(source: &str, reach: &Reach, informed: &Informed<'_>) -> BTreeMap<String, Sum> {
    let none = BTreeMap::new();
    let locals =
        Locals { sums: BTreeMap::new(), declared: Vec::new(), bare: HashSet::new(), returned: &none };
    let mut found: BTreeMap<String, Option<Sum>> = BTreeMap::new();
    for unit in reach.units().iter().filter(|unit| informed.contains(&unit.name)) {
        let Some(body) = &unit.body else { continue };
        let text = &source[body.clone()];
        let all = tokens(text);
        let sum = match all.as_slice() {
            [_, first, value @ .., end, _] if first.is_name(text, "return") && end.is_mark(text, ';') => {
                sum(text, value, &locals)
            }
            _ => None,
        };
        // Two of one name are told apart by their arguments.
        found.entry(unit.name.clone()).and_modify(|known| *known = None).or_insert(sum);
    }
    found.into_iter().filter_map(|(name, sum)| Some((name, sum?))).collect()
}

fn turns(source: &str, reach: &Reach, informed: &Informed<'_>, unit: &Unit) -> Option<Turns> {
    let body = unit.body.clone()?;
    let text = &source[body.clone()];
    let all = tokens(text);
    if all.iter().any(|token| token.kind == TokenKind::Directive) {
        return None;
    }
    let head = &source[unit.head.clone()];
    let parameters: HashSet<String> = tokens(head)
        .iter()
        .filter(|token| token.kind == TokenKind::Identifier)
        .map(|token| token.text(head).to_owned())
        .collect();
    let returned = returned(source, reach, informed);
    let locals =
        Locals { sums: BTreeMap::new(), declared: Vec::new(), bare: HashSet::new(), returned: &returned };
    let mut kernel = Kernel {
        text,
        all: &all,
        offset: body.start,
        reach,
        informed,
        locals,
        parameters,
        edits: Vec::new(),
    };
    let start = kernel.read_declarations()?;
    let walk = if all[start].is_name(text, "if") {
        kernel.bounded(start)?;
        Walk::Bounded
    } else {
        kernel.strides(start)?;
        Walk::Strides
    };
    Some(Turns { walk, edits: kernel.edits })
}

/// A kernel's body as it is read.
struct Kernel<'a> {
    text: &'a str,
    all: &'a [Token],
    /// Where the body starts in the source.
    offset: usize,
    reach: &'a Reach,
    informed: &'a Informed<'a>,
    locals: Locals<'a>,
    /// Names in the kernel's head.
    parameters: HashSet<String>,
    edits: Vec<Edit>,
}

impl Kernel<'_> {
    fn is(&self, k: usize, mark: char) -> bool {
        self.all.get(k).is_some_and(|token| token.is_mark(self.text, mark))
    }

    /// Reads declarations of integers up to the first other statement.
    fn read_declarations(&mut self) -> Option<usize> {
        let mut k = 1;
        loop {
            let first = self.all.get(k)?;
            if ["for", "while", "if"].iter().any(|name| first.is_name(self.text, name)) {
                return Some(k);
            }
            let end = k + self.all[k..].iter().position(|token| token.is_mark(self.text, ';'))?;
            // What the body could change behind our back, it cannot.
            if declare(self.text, &self.all[k..end], &mut self.locals)? && !first.is_name(self.text, "const")
            {
                let place = self.offset + first.span.start;
                self.edits.push((place..place, "const ".to_owned()));
            }
            k = end + 1;
        }
    }

    /// Replaces tokens; the number of lines stays.
    fn replace(&mut self, tokens: Range<usize>, with: &str) {
        let start = self.all[tokens.start].span.start;
        let end = self.all[tokens.end - 1].span.end;
        let lines = self.text[start..end].matches('\n').count();
        let lines = lines.saturating_sub(with.matches('\n').count());
        self.edits.push((self.offset + start..self.offset + end, format!("{with}{}", "\n".repeat(lines))));
    }

    fn insert_before(&mut self, k: usize, text: &str) {
        let place = self.offset + self.all[k].span.start;
        self.edits.push((place..place, text.to_owned()));
    }

    /// Whether tokens are the same for all threads along x, whenever they are
    /// looked at: numbers, arguments, and sums of them.
    fn is_uniform(&self, part: &[Token], without: &str) -> bool {
        let text = self.text;
        let is_operator = |token: &Token| {
            ['+', '-', '*', '/', '%', '<', '>', '=', '!', '&', '|', '(', ')', '.']
                .iter()
                .any(|mark| token.is_mark(text, *mark))
        };
        let value = |token: &Token| {
            matches!(token.kind, TokenKind::Identifier | TokenKind::Number) || token.is_mark(text, ')')
        };
        !part.is_empty()
            && part.iter().enumerate().all(|(k, token)| {
                let before = k.checked_sub(1).map(|k| &part[k]);
                let next = part.get(k + 1);
                match token.kind {
                    TokenKind::Number => true,
                    TokenKind::Identifier => {
                        let word = token.text(text);
                        let is_call = next.is_some_and(|next| next.is_mark(text, '('));
                        let is_axis = before.is_some_and(|before| before.is_mark(text, '.'));
                        let is_known = match word {
                            "blockDim" | "gridDim" => true,
                            "threadIdx" | "blockIdx" => {
                                part.get(k + 2).is_some_and(|axis| axis.text(text) != "x")
                            }
                            _ if self.locals.sums.contains_key(word) => !self.locals.depends_on_place(word),
                            _ => is_axis || is_type_word(text, token) || self.parameters.contains(word),
                        };
                        !is_call && is_known && word != without
                    }
                    _ => {
                        // A star before a value reads memory; one `=` writes.
                        let reads = token.is_mark(text, '*') && !before.is_some_and(value);
                        let compares = |other: Option<&Token>| {
                            other.is_some_and(|other| {
                                ['=', '<', '>', '!'].iter().any(|mark| other.is_mark(text, *mark))
                            })
                        };
                        let writes = token.is_mark(text, '=') && !compares(before) && !compares(next);
                        is_operator(token) && !reads && !writes
                    }
                }
            })
    }

    /// Whether tokens are one number that is the same for all threads.
    fn is_bound(&self, part: &[Token], without: &str) -> bool {
        let compares =
            |token: &Token| ['<', '>', '=', '!', '&', '|'].iter().any(|mark| token.is_mark(self.text, *mark));
        self.is_uniform(part, without) && !part.iter().any(compares)
    }

    /// `if (i < n) ...` at the end, `if (i >= n) return;` before the rest.
    fn bounded(&mut self, at: usize) -> Option<()> {
        let (text, all) = (self.text, self.all);
        let close = closing(text, all, at + 1).filter(|_| self.is(at + 1, '('))?;
        let end = all.len() - 1;
        let is_return = |k: usize| all.get(k).is_some_and(|token| token.is_name(text, "return"));
        // Where the threads within the bound go on, and until where.
        let (returns, inner) = if is_return(close + 1) && self.is(close + 2, ';') {
            (true, close + 3..end)
        } else if self.is(close + 1, '{')
            && is_return(close + 2)
            && self.is(close + 3, ';')
            && self.is(close + 4, '}')
        {
            (true, close + 5..end)
        } else {
            let last = self.last_of_statement(close + 1)?;
            (false, close + 1..last + 1)
        };
        if inner.end != end || inner.is_empty() {
            return None;
        }
        let mark = if returns { '|' } else { '&' };
        let mut parts: Vec<&[Token]> = Vec::new();
        let (mut depth, mut from) = (0i32, at + 2);
        for k in at + 2..=close {
            depth += i32::from(self.is(k, '(')) - i32::from(self.is(k, ')'));
            let is_joint = depth == 0 && self.is(k, mark) && self.is(k + 1, mark);
            if is_joint || k == close {
                parts.push(&all[from..k]);
                from = k + 2;
            }
        }
        let bound_of = |part: &&[Token]| self.bound(part, returns);
        let place = parts.iter().position(|part| bound_of(part).is_some())?;
        let (name, bound) = bound_of(&parts[place])?;
        let rest: Vec<String> = parts
            .iter()
            .enumerate()
            .filter(|(k, _)| *k != place)
            .map(|(_, part)| self.is_uniform(part, &name).then(|| format!("({})", text_of(text, part))))
            .collect::<Option<_>>()?;
        let again = self.declared_again(&name)?;
        let hidden: HashSet<String> = again.iter().map(|(name, _)| name.clone()).collect();
        if !self.is_free(&all[inner.clone()], &name, &hidden, false) {
            return None;
        }
        let around = match (rest.is_empty(), returns) {
            (true, _) => String::new(),
            (false, true) => format!("if (!({})) ", rest.join(" || ")),
            (false, false) => format!("if ({}) ", rest.join(" && ")),
        };
        let again: String = again.into_iter().map(|(_, text)| text).collect();
        let header = format!(
            "{around}{{ _Pragma(\"GCC ivdep\") for (auto gpurepl_k = {name}, gpurepl_end = gpurepl_until({name}, gpurepl_width, {bound}); \
             gpurepl_k < gpurepl_end; gpurepl_k++) {{ const auto {name} = gpurepl_k; {again}"
        );
        self.replace(at..inner.start, &header);
        self.insert_before(end, "} } ");
        Some(())
    }

    /// The index and its bound in `i < n` or `n > i`; what is beyond it, if the
    /// comparison is one that leaves.
    fn bound(&self, part: &[Token], returns: bool) -> Option<(String, String)> {
        let text = self.text;
        let (less, greater) = if returns { (">=", "<=") } else { ("<", ">") };
        let split = |operator: &str| {
            let length = operator.len();
            let at = (0..part.len()).find(|k| {
                part.get(*k..*k + length).is_some_and(|marks| {
                    let joined: String = marks.iter().map(|mark| mark.text(text)).collect();
                    joined == operator && marks[length - 1].span.end - marks[0].span.start == length
                })
            })?;
            // `<=`, `<<`
            let next = part.get(at + length)?;
            let longer = ['=', '<', '>'].iter().any(|mark| next.is_mark(text, *mark));
            (!longer).then(|| (&part[..at], &part[at + length..]))
        };
        let is_index = |side: &[Token]| match side {
            [name] => self.locals.sums.get(name.text(text)).is_some_and(|sum| *sum == global()),
            _ => false,
        };
        let found = |(index, bound): (&[Token], &[Token])| {
            let name = index.first()?.text(text).to_owned();
            (is_index(index) && self.is_bound(bound, &name)).then(|| (name, text_of(text, bound)))
        };
        split(less)
            .and_then(found)
            .or_else(|| split(greater).and_then(|(bound, index)| found((index, bound))))
    }

    /// The declarations that follow from an index, to be made for each of its
    /// values; none, if one asks for its place in another way.
    fn declared_again(&self, name: &str) -> Option<Vec<(String, String)>> {
        let mut again = Vec::new();
        for (of, other, value) in &self.locals.declared {
            if other == name || !self.locals.depends_on_place(other) {
                continue;
            }
            let all = tokens(value);
            let is_direct = all.iter().any(|token| {
                let word = token.text(value);
                matches!(word, "threadIdx" | "blockIdx") || self.locals.returned.contains_key(word)
            });
            // The parts of the index itself: nobody may look at them.
            again.push((
                other.clone(),
                if is_direct { None } else { Some(format!("const {of} {other} = {value}; ")) },
            ));
        }
        // What is made of a part that is gone is gone too.
        let gone = |again: &[(String, Option<String>)]| -> Vec<String> {
            again.iter().filter(|(_, text)| text.is_none()).map(|(name, _)| name.clone()).collect()
        };
        loop {
            let missing = gone(&again);
            let mut changed = false;
            for (_, text) in &mut again {
                let mentions = text.as_ref().is_some_and(|text| {
                    tokens(text).iter().any(|token| missing.iter().any(|name| token.is_name(text, name)))
                });
                if mentions {
                    *text = None;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let missing = gone(&again);
        let end = self.all.len();
        let start = self.all.iter().position(|token| token.is_name(self.text, "if"))?;
        let is_used = |name: &String| self.all[start..end].iter().any(|token| token.is_name(self.text, name));
        if missing.iter().any(is_used) {
            return None;
        }
        Some(again.into_iter().filter_map(|(name, text)| Some((name, text?))).collect())
    }

    /// The last token of the statement at a place, if it is a block or simple.
    fn last_of_statement(&self, k: usize) -> Option<usize> {
        if self.is(k, '{') {
            return closing(self.text, self.all, k);
        }
        let first = self.all.get(k)?.text(self.text);
        if matches!(first, "for" | "while" | "if" | "do" | "switch") {
            return None;
        }
        Some(k + self.all[k..].iter().position(|token| token.is_mark(self.text, ';'))?)
    }

    /// `for (int i = first; i < n; i += step) ...`, or the same by `while`.
    fn strides(&mut self, k: usize) -> Option<()> {
        let (text, all) = (self.text, self.all);
        let is_for = all[k].is_name(text, "for");
        let open = k + 1;
        let close = closing(text, all, open).filter(|_| self.is(open, '('))?;
        let parts: Vec<&[Token]> = all[open + 1..close].split(|token| token.is_mark(text, ';')).collect();
        let (start, condition) = match (is_for, parts.as_slice()) {
            (true, [start, condition, _]) => (*start, *condition),
            (false, [condition]) => (&[] as &[Token], *condition),
            _ => return None,
        };
        // The kernel ends where the loop does.
        let braced = self.is(close + 1, '{');
        let last = self.last_of_statement(close + 1)?;
        if last + 2 != all.len() {
            return None;
        }
        let mut inner = close + 1..last + 1;
        let step: &[Token] = if is_for {
            parts[2]
        } else {
            // `while`: the last statement goes on.
            let end = last.checked_sub(1).filter(|end| braced && self.is(*end, ';'))?;
            let ends = |k: &usize| [';', '{', '}'].iter().any(|mark| self.is(*k, *mark));
            let first = (close + 1..end).rev().find(ends)? + 1;
            inner.end = first;
            if all[close + 1..first].iter().any(|token| token.is_name(text, "continue")) {
                return None;
            }
            self.replace(first..end + 1, "");
            &all[first..end]
        };
        let [variable, less, bound @ ..] = condition else { return None };
        if !less.is_mark(text, '<') || variable.kind != TokenKind::Identifier {
            return None;
        }
        let name = variable.text(text);
        // `int i = first`, `i = first`, or declared before.
        let (at, first) = match start.iter().position(|token| token.is_mark(text, '=')) {
            None if start.is_empty() => {
                (format!("auto gpurepl_at_ = {name}"), self.locals.sums.get(name)?.clone())
            }
            None => return None,
            Some(equals) => {
                let words = &start[..equals.checked_sub(1)?];
                let is_declared = words.iter().all(|word| is_type_word(text, word));
                if start[equals - 1].text(text) != name
                    || words.is_empty() != self.locals.bare.contains(name)
                    || !is_declared
                {
                    return None;
                }
                let of = match words {
                    [] => format!("decltype({name})"),
                    words => text_of(text, words),
                };
                let value = &start[equals + 1..];
                (format!("{of} gpurepl_at_ = {}", text_of(text, value)), sum(text, value, &self.locals)?)
            }
        };
        let [target, plus, equals, by @ ..] = step else { return None };
        let is_step = target.text(text) == name && plus.is_mark(text, '+') && equals.is_mark(text, '=');
        if !is_step
            || first != global()
            || sum(text, by, &self.locals)? != product(&["blockDim.x", "gridDim.x"])
        {
            return None;
        }
        if !self.is_bound(bound, name) || !self.is_free(&all[inner], name, &HashSet::new(), true) {
            return None;
        }
        let (bound, by) = (text_of(text, bound), text_of(text, by));
        let header = format!(
            "for ({at}; gpurepl_at_ < {bound}; gpurepl_at_ += {by}) _Pragma(\"GCC ivdep\") \
             for (decltype(gpurepl_at_) gpurepl_k = gpurepl_at_, gpurepl_end = gpurepl_until(gpurepl_at_, gpurepl_width, {bound}); \
             gpurepl_k < gpurepl_end; gpurepl_k++) if (const auto {name} = gpurepl_k; true)"
        );
        self.replace(k..close + 1, &header);
        Some(())
    }

    /// Whether a body uses its place through `name` alone, and keeps nothing
    /// for another turn. `again`: what is declared anew for each.
    fn is_free(&self, body: &[Token], name: &str, again: &HashSet<String>, is_loop: bool) -> bool {
        const LEAVING: [&str; 6] = ["return", "goto", "static", "assert", "__trap", "asm"];
        let text = self.text;
        body.iter().enumerate().all(|(k, token)| {
            if token.kind != TokenKind::Identifier {
                // A lambda, which may refer to anything.
                let is_lambda = token.is_mark(text, '[')
                    && k > 0
                    && ['=', '(', ',', '{', ';'].iter().any(|mark| body[k - 1].is_mark(text, *mark));
                return !is_lambda;
            }
            let word = token.text(text);
            if matches!(word, "threadIdx" | "blockIdx") {
                return body.get(k + 2).is_some_and(|axis| matches!(axis.text(text), "y" | "z"));
            }
            // Which loop a `break` ends, nobody asks.
            let leaves = LEAVING.contains(&word) || (is_loop && word == "break");
            let takes_references =
                || self.reach.units().iter().any(|unit| unit.name == word && unit.takes_references);
            if leaves || self.informed.contains(word) || takes_references() {
                return false;
            }
            let is_member = k > 0 && body[k - 1].is_mark(text, '.');
            if is_member || word == name || again.contains(word) {
                return true;
            }
            if self.locals.bare.contains(word) || self.locals.depends_on_place(word) {
                return false;
            }
            let is_kept = self.parameters.contains(word) || self.locals.sums.contains_key(word);
            !is_kept || !changes(text, body, k)
        })
    }
}

/// Whether the name at a place is changed there, or its address taken.
fn changes(text: &str, body: &[Token], k: usize) -> bool {
    let is = |at: Option<usize>, mark: char| {
        at.and_then(|at| body.get(at)).is_some_and(|token| token.is_mark(text, mark))
    };
    let (one, two) = (k.checked_sub(1), k.checked_sub(2));
    let next = |n: usize, mark: char| is(Some(k + n), mark);
    let assigned = next(1, '=') && !next(2, '=');
    let combined = ['+', '-', '*', '/', '%', '&', '|', '^'].iter().any(|mark| next(1, *mark) && next(2, '='))
        || ['<', '>'].iter().any(|mark| next(1, *mark) && next(2, *mark) && next(3, '='));
    let stepped = ['+', '-']
        .iter()
        .any(|mark| (next(1, *mark) && next(2, *mark)) || (is(one, *mark) && is(two, *mark)));
    assigned || combined || stepped || is(one, '&')
}

/// Notes a declaration; whether it has a value. None, if a statement is no
/// declaration of integers, or one whose value is not a sum of products.
fn declare(text: &str, statement: &[Token], locals: &mut Locals<'_>) -> Option<bool> {
    let words = statement.iter().take_while(|word| is_type_word(text, word)).count();
    if words == 0 {
        return None;
    }
    let mut has_value = None;
    for declarator in split_at_commas(text, &statement[words..]) {
        let (name, rest) = declarator.split_first()?;
        if name.kind != TokenKind::Identifier {
            return None;
        }
        let name = name.text(text).to_owned();
        let is_given = match rest {
            [] => {
                locals.bare.insert(name);
                false
            }
            [equals, value @ ..] if equals.is_mark(text, '=') => {
                let sum = sum(text, value, locals)?;
                let of = text_of(text, &statement[..words]).replace("const ", "");
                locals.declared.push((of, name.clone(), text_of(text, value)));
                locals.sums.insert(name, sum);
                true
            }
            _ => return None,
        };
        if has_value.is_some_and(|known| known != is_given) {
            return None;
        }
        has_value = Some(is_given);
    }
    has_value
}

fn is_type_word(text: &str, token: &Token) -> bool {
    const WORDS: [&str; 14] = [
        "const",
        "int",
        "unsigned",
        "long",
        "signed",
        "auto",
        "size_t",
        "uint",
        "int32_t",
        "uint32_t",
        "int64_t",
        "uint64_t",
        "ptrdiff_t",
        "constexpr",
    ];
    token.kind == TokenKind::Identifier && WORDS.contains(&token.text(text))
}

fn split_at_commas<'a>(text: &str, all: &'a [Token]) -> Vec<&'a [Token]> {
    let mut depth = 0i32;
    all.split(|token| {
        depth += i32::from(token.is_mark(text, '(')) - i32::from(token.is_mark(text, ')'));
        depth == 0 && token.is_mark(text, ',')
    })
    .collect()
}

fn text_of(text: &str, all: &[Token]) -> String {
    all.iter().map(|token| token.text(text)).collect::<Vec<_>>().join(" ").replace(" . ", ".")
}

/// A text as a sum of products; none, if it is something else.
fn sum(text: &str, all: &[Token], locals: &Locals<'_>) -> Option<Sum> {
    let mut reader = Reader { text, all, at: 0, locals };
    let sum = reader.sum()?;
    (reader.at == all.len()).then_some(sum)
}

struct Reader<'a> {
    text: &'a str,
    all: &'a [Token],
    at: usize,
    locals: &'a Locals<'a>,
}

impl Reader<'_> {
    fn take(&mut self, mark: char) -> bool {
        let found = self.all.get(self.at).is_some_and(|token| token.is_mark(self.text, mark));
        self.at += usize::from(found);
        found
    }

    fn sum(&mut self) -> Option<Sum> {
        let mut total = self.product()?;
        loop {
            let sign = if self.take('+') {
                1
            } else if self.take('-') {
                -1
            } else {
                total.retain(|_, times| *times != 0);
                return Some(total);
            };
            for (factors, times) in self.product()? {
                *total.entry(factors).or_default() += sign * times;
            }
        }
    }

    fn product(&mut self) -> Option<Sum> {
        let mut total = self.factor()?;
        while self.take('*') {
            let other = self.factor()?;
            let mut result = Sum::new();
            for (a, m) in &total {
                for (b, n) in &other {
                    let mut factors = [a.as_slice(), b.as_slice()].concat();
                    factors.sort();
                    *result.entry(factors).or_default() += m.checked_mul(*n)?;
                }
            }
            total = result;
        }
        Some(total)
    }

    fn factor(&mut self) -> Option<Sum> {
        if self.take('(') {
            let rest = &self.all[self.at..];
            let words = rest.iter().take_while(|word| is_type_word(self.text, word)).count();
            // A cast between integers.
            if words > 0 && rest.get(words).is_some_and(|close| close.is_mark(self.text, ')')) {
                self.at += words + 1;
                return self.factor();
            }
            let inner = self.sum()?;
            return self.take(')').then_some(inner);
        }
        let token = self.all.get(self.at)?;
        let word = token.text(self.text);
        self.at += 1;
        match token.kind {
            TokenKind::Number => {
                let times = word.trim_end_matches(['u', 'U', 'l', 'L']).parse().ok()?;
                Some(Sum::from([(Vec::new(), times)]))
            }
            TokenKind::Identifier => {
                let is_place = super::reach::INDICES.contains(&word);
                if is_place {
                    let axis = (self.take('.')).then(|| self.all.get(self.at))??.text(self.text);
                    self.at += 1;
                    return Some(product(&[&format!("{word}.{axis}")]));
                }
                if self.take('(') {
                    let result = self.locals.returned.get(word).cloned();
                    return result.filter(|_| self.take(')'));
                }
                let known = self.locals.sums.get(word).cloned();
                (!self.locals.bare.contains(word)).then(|| known.unwrap_or_else(|| product(&[word])))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Request, translate};

    fn walk_of(source: &str) -> Walk {
        let all = tokens(source);
        let reach = Reach::new(source, &all);
        let informed = Informed::new(source, &all, &reach);
        walk(source, &reach, &informed, "k")
    }

    #[test]
    fn rows_are_for_kernels_that_cannot_tell_their_blocks_apart() {
        for (body, expected) in [
            ("int i = blockIdx.x*blockDim.x + threadIdx.x; a[i] = 1;", Walk::Rows),
            (
                "int i = threadIdx.x + (blockDim.x * blockIdx.x), y = blockIdx.y + threadIdx.y; a[i] = y;",
                Walk::Rows,
            ),
            ("a[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = 1;", Walk::Rows),
            ("int i = blockIdx.x*blockDim.x + threadIdx.x; if (threadIdx.x == 0) a[i] = 1;", Walk::Blocks),
            ("int i = 2 * blockIdx.x*blockDim.x + threadIdx.x; a[i] = 1;", Walk::Blocks),
            ("int i = blockIdx.x*blockDim.x + threadIdx.x * 2; a[i] = 1;", Walk::Blocks),
            ("int i = blockIdx.x*16 + threadIdx.x; a[i] = 1;", Walk::Blocks),
            ("f(threadIdx);", Walk::Blocks),
            ("int i = blockIdx.x*blockDim.x + threadIdx.x; printf(\"%d\", i);", Walk::Blocks),
        ] {
            assert_eq!(walk_of(&format!("__global__ void k(int *a) {{ {body} }}")), expected, "{body}");
        }
        let function = "__device__ int index() { return blockIdx.x*blockDim.x + threadIdx.x; }\n";
        assert_eq!(
            walk_of(&format!("{function}__global__ void k(int *a) {{ a[index()] = 1; }}")),
            Walk::Rows
        );
        let lane = "__device__ int lane() { return threadIdx.x % 32; }\n";
        assert_eq!(walk_of(&format!("{lane}__global__ void k(int *a) {{ a[lane()] = 1; }}")), Walk::Blocks);
        let made = "#define LANE threadIdx.x\n__global__ void k(int *a) { a[LANE] = 1; }";
        assert_eq!(walk_of(made), Walk::Blocks);
    }

    #[test]
    fn a_bound_ends_the_row() {
        let head = "__global__ void k(float *y, const float *x, int n, int m) ";
        for body in [
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) y[i] = x[i];",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i >= n) return; int v = x[i]; while (v > 1) v /= 2; y[i] = v;",
            "int c = blockIdx.x*blockDim.x + threadIdx.x, r = blockIdx.y*blockDim.y + threadIdx.y; if (r < m && c < n) { y[r*n + c] = 1; }",
            "int c = blockIdx.x*blockDim.x + threadIdx.x; int r = threadIdx.y; int at = r*n + c; if (c >= n || r >= m) { return; } y[at] = 1;",
            "const int tx = threadIdx.x; int i = blockIdx.x*blockDim.x + tx; if (n > i) y[i] = x[i];",
        ] {
            assert_eq!(walk_of(&format!("{head}{{ {body} }}")), Walk::Bounded, "{body}");
        }
        for body in [
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i <= n) y[i] = x[i];",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; else y[i] = 1;",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; y[0] = 1;",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) { if (x[i] > 0) return; y[i] = 1; }",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) { n = 1; y[i] = n; }",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) { y[threadIdx.x] = 1; }",
            "int t = threadIdx.x; int i = blockIdx.x*blockDim.x + t; if (i < n) { y[t] = 1; }",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < x[0]) { y[i] = 1; }",
            "int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n && x[i] > 0) { y[i] = 1; }",
            "int i = blockIdx.x*blockDim.x + threadIdx.x + 1; if (i < n) { y[i] = 1; }",
        ] {
            assert_ne!(walk_of(&format!("{head}{{ {body} }}")), Walk::Bounded, "{body}");
        }
        let function = "__device__ int index() { return blockIdx.x*blockDim.x + threadIdx.x; }\n";
        let body = "{ int i = index(); if (i < n) y[i] = 1; }";
        assert_eq!(walk_of(&format!("{function}{head}{body}")), Walk::Bounded);
    }

    const HEAD: &str = "__global__ void k(float *y, const float *x, float a, int n) ";

    #[test]
    fn loops_by_strides_are_known_by_their_sums() {
        for body in [
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) y[i] = a*x[i];",
            "int i = threadIdx.x + blockIdx.x * blockDim.x; while (i < n) { y[i] = x[i]; i += gridDim.x * blockDim.x; }",
            "unsigned tid = threadIdx.x; unsigned total = gridDim.x*blockDim.x; unsigned start = blockDim.x*blockIdx.x; unsigned i; \
             for (i = start + tid; i < n; i += total) { if (x[i] < 0) continue; y[i] = a; }",
            "const int t = threadIdx.x, s = blockDim.x * gridDim.x; for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i < n / 2; i += s) \
             { float v = x[i]; for (int j = 0; j < 3; j++) v *= a; y[i] = v; }",
        ] {
            assert_eq!(walk_of(&format!("{HEAD}{{ {body} }}")), Walk::Strides, "{body}");
        }
        let text = translate(&Request::new(&format!("{HEAD}{{ int i = threadIdx.x + blockIdx.x * blockDim.x;\nwhile (i < n) {{\n y[i] = x[i];\n i += gridDim.x\n * blockDim.x;\n}} }}"))).unwrap().text;
        assert!(text.contains("const int i = threadIdx.x"), "{text}");
        assert!(
            text.contains(
                "for (auto gpurepl_at_ = i; gpurepl_at_ < n; gpurepl_at_ += gridDim.x * blockDim.x)"
            ),
            "{text}"
        );
        assert!(text.contains(" y[i] = x[i];\n \n\n} }"), "{text}");
    }

    #[test]
    fn loops_that_keep_something_stay() {
        for body in [
            "float s = 0; for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) s += x[i]; y[0] = s;",
            "int c = 0; for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) { y[i] = c; c++; }",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) { y[i] = a; a *= 2; }",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) { y[i] = a; y++; }",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) { if (x[i] > a) break; y[i] = a; }",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) y[threadIdx.x] += x[i];",
            "int t = threadIdx.x; for (int i = blockIdx.x*blockDim.x + t; i < n; i += blockDim.x*gridDim.x) y[t] += x[i];",
            "for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = a;",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i <= n; i += blockDim.x*gridDim.x) y[i] = a;",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < x[0]; i += blockDim.x*gridDim.x) y[i] = a;",
            "for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) { auto f = [&] { n--; }; f(); }",
        ] {
            assert_ne!(walk_of(&format!("{HEAD}{{ {body} }}")), Walk::Strides, "{body}");
        }
        let function = "__device__ void add(float &s, float v) { s += v; }\n";
        let body = "{ for (int i = blockIdx.x*blockDim.x + threadIdx.x; i < n; i += blockDim.x*gridDim.x) add(a, x[i]); }";
        assert_ne!(walk_of(&format!("{function}{HEAD}{body}")), Walk::Strides);
    }
}
