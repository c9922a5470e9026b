//! Arrays whose elements do not lie in C order, as arguments of elementwise kernels and
//! reductions: views, and arrays that are repeated along an axis.
//!
//! The user's text has `x[i]` in any case. Where `x` is such an array it names an object with
//! an `operator[]` that finds an element by its number, so that nothing is copied before the
//! kernel and what it writes lands in the view. Only arrays that the text subscripts can be
//! one: see [`Usage::is_subscripted`].

use std::fmt::Write as _;

use crate::declaration::{Parameter, parse_list};
use crate::token::{Token, TokenKind, closing, tokens};

/// How the arrays among a kernel's parameters lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layouts {
    axes: Vec<Option<usize>>,
    is_narrow: bool,
    /// For each parameter whether its subscripts are compared with its length.
    guarded: Vec<bool>,
}

impl Layouts {
    /// For each parameter the number of axes that it is walked along, at least one; none for
    /// what is no array or lies in order. `is_narrow` says whether numbers of elements fit into
    /// an `int`, whose division takes a GPU a fraction of the time.
    pub fn new(axes: Vec<Option<usize>>, is_narrow: bool) -> Layouts {
        Layouts { axes, is_narrow, guarded: Vec::new() }
    }

    /// The same with arrays whose subscripts are compared with their lengths: see
    /// [`Guards`](crate::Guards).
    #[must_use]
    pub fn guarded(self, guarded: Vec<bool>) -> Layouts {
        Layouts { guarded, ..self }
    }

    fn is_guarded(&self, number: usize) -> bool {
        self.guarded.get(number).is_some_and(|is_guarded| *is_guarded)
    }

    /// Whether the name of a parameter is that of an object.
    fn is_object(&self, number: usize) -> bool {
        self.axes_of(number).is_some() || self.is_guarded(number)
    }

    /// The axes of a parameter that is walked by strides.
    fn axes_of(&self, number: usize) -> Option<usize> {
        self.axes.get(number).copied().flatten()
    }

    /// The numbers that are passed behind a kernel's own arguments: for each array walked by
    /// strides the lengths of its axes but the first, and the strides of all, in elements; then
    /// how many elements each of those has that are guarded.
    pub(crate) fn numbers(&self, parameters: &[Parameter]) -> Vec<Parameter> {
        let mut text = String::new();
        for (number, parameter) in parameters.iter().enumerate() {
            let Some(axes) = self.axes_of(number) else { continue };
            let name = &parameter.name;
            for axis in 1..axes {
                let _ = write!(text, "long long gpurepl_length{axis}_of_{name}, ");
            }
            for axis in 0..axes {
                let _ = write!(text, "long long gpurepl_stride{axis}_of_{name}, ");
            }
        }
        for (number, parameter) in parameters.iter().enumerate() {
            if self.is_guarded(number) {
                let _ = write!(text, "long long gpurepl_size_of_{}, ", parameter.name);
            }
        }
        match text.strip_suffix(", ") {
            Some(text) => parse_list(text).expect("numbers with names of their own"),
            None => Vec::new(),
        }
    }

    /// The parameters as the generated kernel names them: an array that is walked by strides, or
    /// guarded, leaves its name to the object.
    pub(crate) fn passed(&self, parameters: &[Parameter]) -> Vec<Parameter> {
        let mut passed = parameters.to_vec();
        for (number, parameter) in passed.iter_mut().enumerate() {
            if self.is_object(number) {
                parameter.name = format!("gpurepl_array_{}", parameter.name);
            }
        }
        passed
    }

    /// Declares the objects, within the kernel.
    pub(crate) fn objects(&self, parameters: &[Parameter]) -> String {
        let mut text = String::new();
        let index = if self.is_narrow { "int" } else { "long long" };
        for (number, parameter) in parameters.iter().enumerate() {
            let name = &parameter.name;
            let element = parameter.element_type();
            let guard = |of_type: &str, of: &str| {
                format!(
                    "  const gpurepl_guarded<{element}, {of_type}> {name} = {{{of}, gpurepl_size_of_{name}, \"{name}\", &i}};\n  (void){name};\n"
                )
            };
            let Some(axes) = self.axes_of(number) else {
                if self.is_guarded(number) {
                    text += &guard(&format!("{element} *"), &format!("gpurepl_array_{name}"));
                }
                continue;
            };
            let list = |first: &str, what: &str, from: usize| {
                let numbers = (from..axes).map(|axis| format!("gpurepl_{what}{axis}_of_{name}"));
                let cast = if what == "length" { format!("({index})") } else { String::new() };
                let all: Vec<String> = numbers.map(|number| format!("{cast}{number}")).collect();
                format!("{{{first}{}}}", all.join(", "))
            };
            let strided = format!("gpurepl_strided<{element}, {index}, {axes}>");
            let object =
                if self.is_guarded(number) { format!("gpurepl_walk_of_{name}") } else { name.clone() };
            let _ = writeln!(
                text,
                "  const {strided} {object} = {{gpurepl_array_{name}, {}, {}}};\n  (void){object};",
                list(if axes > 1 { "0, " } else { "0" }, "length", 1),
                list("", "stride", 0),
            );
            if self.is_guarded(number) {
                // By reference: a copy of its padding would be one of what has no value.
                text += &guard(&format!("const {strided} &"), &object);
            }
        }
        text
    }

    /// Defines the type of the objects, before the kernel. `qualifier` stands before its function.
    pub(crate) fn definition(&self, qualifier: &str) -> String {
        if self.axes.iter().all(Option::is_none) {
            return String::new();
        }
        format!(
            "template <class gpurepl_T, class gpurepl_I, int gpurepl_R> struct gpurepl_strided {{\n  \
               gpurepl_T *gpurepl_first;\n  \
               gpurepl_I gpurepl_lengths[gpurepl_R];\n  \
               long long gpurepl_strides[gpurepl_R];\n  \
               {qualifier}gpurepl_T &operator[](long long gpurepl_place) const {{\n    \
                 gpurepl_I gpurepl_rest = (gpurepl_I)gpurepl_place;\n    \
                 long long gpurepl_at = 0;\n    \
                 for (int gpurepl_axis = gpurepl_R - 1; gpurepl_axis > 0; gpurepl_axis--) {{\n      \
                   const gpurepl_I gpurepl_next = gpurepl_rest / gpurepl_lengths[gpurepl_axis];\n      \
                   gpurepl_at += (long long)(gpurepl_rest - gpurepl_next * gpurepl_lengths[gpurepl_axis]) * gpurepl_strides[gpurepl_axis];\n      \
                   gpurepl_rest = gpurepl_next;\n    \
                 }}\n    \
                 return gpurepl_first[gpurepl_at + (long long)gpurepl_rest * gpurepl_strides[0]];\n  \
               }}\n\
             }};\n"
        )
    }

    /// What tells it from others.
    pub(crate) fn key(&self) -> String {
        let mut key = String::new();
        for axes in &self.axes {
            let _ = write!(key, "{},", axes.unwrap_or(0));
        }
        if self.is_narrow && !key.is_empty() {
            key.push('n');
        }
        for is_guarded in &self.guarded {
            key.push(if *is_guarded { 'g' } else { '-' });
        }
        key
    }
}

/// How texts use an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// What is read and written of it.
    pub elements: Elements,
    /// Whether every use is a subscript whose element is used by value, so that the array
    /// need not be a pointer.
    pub is_subscripted: bool,
    /// Whether every use is a subscript: as for `is_subscripted`, or one whose address goes to an
    /// atomic function or a load, `atomicAdd(&x[i], 1)`.
    pub is_indexed: bool,
    /// Whether elements are read, as far as a use is no plain assignment.
    pub is_read: bool,
    /// Whether elements are assigned: `x[i] = 0`, `x[i]++`.
    pub is_assigned: bool,
    /// Whether elements may be written: what is assigned, whatever is done with a pointer, and
    /// an element that gets another name.
    pub may_be_written: bool,
    /// How many elements subscripts by numbers need: 3 for `x[2]`.
    pub numbered: usize,
}

/// Which elements of an array texts use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Those of the element `i`, or any: `x[i]`, `x[i + 1]`, `x[j]`, `f(x)`.
    Own,
    /// Those that elements of other arrays name: `table[index[i]]`.
    Named,
    /// Those of certain numbers, `x[0]`, or none.
    Numbered,
}

impl Usage {
    /// How these texts use what is called so, if this stands before them: a macro may use it, and a
    /// function may take a reference.
    ///
    /// ```
    /// use gpurepl_kernels::{Elements, Usage};
    /// let usage = |text| Usage::of(&[text], "", "x");
    /// assert_eq!(usage("y[i] = x[i - 1]").elements, Elements::Own);
    /// assert_eq!(usage("y[i] = x[index[i]]").elements, Elements::Named);
    /// assert_eq!(usage("y[i] = x[0]").elements, Elements::Numbered);
    /// assert!(usage("y[i] = x[i]").is_subscripted && !usage("f(x, i)").is_subscripted);
    /// ```
    pub fn of(texts: &[&str], preamble: &str, name: &str) -> Usage {
        let mut usage = Usage {
            elements: Elements::Numbered,
            is_subscripted: true,
            is_indexed: true,
            is_read: false,
            is_assigned: false,
            may_be_written: false,
            numbered: 0,
        };
        let has_references = tokens(preamble).iter().any(|token| token.is_mark(preamble, '&'));
        for text in texts.iter().chain([&preamble]) {
            let all = tokens(text);
            for (at, token) in all.iter().enumerate() {
                if token.kind == TokenKind::Directive && has_word(token.text(text), name) {
                    usage.add_pointer();
                }
                // The preamble's functions have variables of their own.
                let is_text = !std::ptr::eq(*text, preamble);
                if is_text && token.is_name(text, name) && !is_member(text, &all, at) {
                    Place { text, all: &all }.add_use(&mut usage, at, has_references);
                }
            }
        }
        usage
    }

    /// Adds a use as a pointer, with which anything may be done.
    fn add_pointer(&mut self) {
        (self.elements, self.is_subscripted, self.is_indexed) = (Elements::Own, false, false);
        (self.is_read, self.may_be_written) = (true, true);
    }
}

/// Whether a text has `name[i]`.
pub fn has_element(text: &str, name: &str) -> bool {
    tokens(text).windows(4).any(|four| {
        four[0].is_name(text, name)
            && four[1].is_mark(text, '[')
            && four[2].is_name(text, "i")
            && four[3].is_mark(text, ']')
    })
}

/// Whether a text has a word.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|other| other == word)
}

/// Whether a name is that of a member: `p.x`, `p->x`.
fn is_member(text: &str, all: &[Token], at: usize) -> bool {
    let is_before = |back: usize, mark| at >= back && all[at - back].is_mark(text, mark);
    is_before(1, '.') || (is_before(1, '>') && is_before(2, '-'))
}

/// How an element is assigned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Assignment {
    /// `x[i] = 0`.
    Plain,
    /// `x[i] += 1`, `x[i]++`, for which it is read.
    Changed,
}

/// A text in which an array is looked for.
#[derive(Clone, Copy)]
struct Place<'t> {
    text: &'t str,
    all: &'t [Token],
}

impl Place<'_> {
    fn mark(&self, at: Option<usize>, mark: char) -> bool {
        at.and_then(|at| self.all.get(at)).is_some_and(|token| token.is_mark(self.text, mark))
    }

    fn is_word(&self, at: Option<usize>) -> bool {
        at.and_then(|at| self.all.get(at)).is_some_and(|token| token.kind == TokenKind::Identifier)
    }

    /// Adds the use at a token.
    fn add_use(&self, usage: &mut Usage, at: usize, has_references: bool) {
        let close = self.mark(Some(at + 1), '[').then(|| closing(self.text, self.all, at + 1)).flatten();
        let Some(close) = close else { return usage.add_pointer() };
        let (first, last) = self.parenthesized(at, close);
        if self.is_address_taken(first) {
            (usage.is_subscripted, usage.may_be_written) = (false, true);
            usage.is_indexed &= self.is_for_one_access(first);
        }
        let assignment = self.assignment(first, last);
        usage.is_assigned |= assignment.is_some();
        usage.is_read |= assignment != Some(Assignment::Plain) || self.mark(Some(last + 1), '.');
        let is_renamed = self.is_renamed(first) || (has_references && self.is_argument(first, last));
        usage.may_be_written |= usage.is_assigned || is_renamed;
        let within = &self.all[at + 2..close];
        if let [only] = within
            && only.kind == TokenKind::Number
        {
            let digits = only.text(self.text).trim_end_matches(['u', 'U', 'l', 'L']);
            let number = digits.parse().unwrap_or(0_usize);
            usage.numbered = usage.numbered.max(number.saturating_add(1));
        } else if usage.elements != Elements::Own {
            let is_named =
                !self.names_element(within) && within.iter().any(|token| token.is_mark(self.text, '['));
            usage.elements = if is_named { Elements::Named } else { Elements::Own };
        }
    }

    /// The first and the last token of a subscript with the parentheses around it alone.
    fn parenthesized(&self, at: usize, close: usize) -> (usize, usize) {
        let (mut first, mut last) = (at, close);
        while self.mark(first.checked_sub(1), '(')
            && self.mark(Some(last + 1), ')')
            && !self.is_word(first.checked_sub(2))
        {
            (first, last) = (first - 1, last + 1);
        }
        (first, last)
    }

    /// Whether the address of a subscript is taken: `&x[i]`, but not `a & x[i]` and `a && x[i]`.
    fn is_address_taken(&self, first: usize) -> bool {
        let before = |back: usize| first.checked_sub(back);
        if !self.mark(before(1), '&') || self.mark(before(2), '&') {
            return false;
        }
        let Some(left) = before(2).map(|left| &self.all[left]) else { return true };
        let is_cast = left.is_mark(self.text, ')') && self.mark(before(3), '*');
        let is_operand = matches!(left.kind, TokenKind::Identifier | TokenKind::Number)
            || left.is_mark(self.text, ')')
            || left.is_mark(self.text, ']');
        is_cast || !is_operand || left.is_name(self.text, "return")
    }

    /// Whether an address is for one access: the first argument of an atomic function, a load or a store.
    fn is_for_one_access(&self, first: usize) -> bool {
        let function =
            first.checked_sub(3).filter(|at| self.is_word(Some(*at))).map(|at| self.all[at].text(self.text));
        let is_known = |name: &str| ["atomic", "__ld", "__st"].iter().any(|start| name.starts_with(start));
        self.mark(first.checked_sub(2), '(') && function.is_some_and(is_known)
    }

    /// How an element is written where it stands: an assignment of any kind follows, or `++`
    /// and `--` are beside it.
    fn assignment(&self, first: usize, last: usize) -> Option<Assignment> {
        let before = |steps: usize| first.checked_sub(steps);
        let after = |steps: usize| Some(last + steps);
        // `x[i].re = 0` writes a part of it.
        let mut end = last + 1;
        while self.mark(Some(end), '.') || self.mark(Some(end), '[') {
            end = match self.mark(Some(end), '[') {
                true => closing(self.text, self.all, end).map_or(self.all.len(), |close| close + 1),
                false => end + 2,
            };
        }
        let is = |steps: usize, mark| self.mark(Some(end + steps), mark);
        let is_plain = is(0, '=') && !is(1, '=');
        let is_shift = ['<', '>'].into_iter().any(|sign| is(0, sign) && is(1, sign)) && is(2, '=');
        let is_compound = "+-*/%&|^".chars().any(|sign| is(0, sign)) && is(1, '=') && !is(2, '=');
        let is_counted = self.is_twice(after(1), after(2)) || self.is_twice(before(2), before(1));
        match is_plain {
            true => Some(Assignment::Plain),
            false => (is_shift || is_compound || is_counted).then_some(Assignment::Changed),
        }
    }

    /// Whether two tokens are `++` or `--`.
    fn is_twice(&self, first: Option<usize>, second: Option<usize>) -> bool {
        let is_one = first.zip(second).is_some_and(|(first, second)| {
            self.all.get(second).is_some_and(|second| second.span.start == self.all[first].span.end)
        });
        is_one && ['+', '-'].into_iter().any(|sign| self.mark(first, sign) && self.mark(second, sign))
    }

    /// Whether an element gets another name: `float &y = x[i]`, `float &y(x[i])`, `float &y{x[i]}`.
    fn is_renamed(&self, first: usize) -> bool {
        let before = |back: usize| first.checked_sub(back);
        self.is_word(before(2))
            && self.mark(before(3), '&')
            && ['=', '(', '{'].into_iter().any(|mark| self.mark(before(1), mark))
    }

    /// Whether an element is an argument of a function by itself.
    fn is_argument(&self, first: usize, last: usize) -> bool {
        let opens = self.mark(first.checked_sub(1), '(') && self.is_word(first.checked_sub(2));
        let follows = self.mark(first.checked_sub(1), ',');
        (opens || follows) && (self.mark(Some(last + 1), ',') || self.mark(Some(last + 1), ')'))
    }

    /// Whether a subscript has `i` itself, rather than within a subscript of another array.
    fn names_element(&self, within: &[Token]) -> bool {
        let mut depth = 0;
        within.iter().any(|token| {
            if token.is_mark(self.text, '[') {
                depth += 1;
            } else if token.is_mark(self.text, ']') {
                depth -= 1;
            }
            depth == 0 && token.is_name(self.text, "i")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(text: &str) -> (Elements, bool) {
        let usage = Usage::of(&[text], "", "x");
        (usage.elements, usage.is_subscripted)
    }

    #[test]
    fn an_array_is_used_by_element_by_name_or_by_number() {
        assert_eq!(usage("z[i] = x[(i + 1) % n]"), (Elements::Own, true));
        assert_eq!(usage("z[i] = x[0] + x[1]"), (Elements::Numbered, true));
        assert_eq!(usage("z[i] = 0"), (Elements::Numbered, true));
        assert_eq!(usage("z[i] = x[k[i]]"), (Elements::Named, true));
        assert_eq!(usage("z[i] = x[k[i]] + x[i]"), (Elements::Own, true));
        assert_eq!(usage("z[i] = x[0] + x[i]"), (Elements::Own, true));
        assert_eq!(usage("int j = n - 1 - i; z[i] = x[j]"), (Elements::Own, true));
        assert_eq!(usage("z[i] = p.x + q->x"), (Elements::Numbered, true));
        assert_eq!(usage("z[i] = x[i"), (Elements::Own, false));
        assert_eq!(Usage::of(&["z[i] = x[0] + x[7u]"], "", "x").numbered, 8);
    }

    #[test]
    fn addresses_for_one_access_are_subscripts() {
        let is_indexed = |text: &str| Usage::of(&[text], "", "x").is_indexed;
        assert!(
            is_indexed("atomicAdd(&x[k[i]], 1)")
                && is_indexed("y[i] = __ldg(&x[i])")
                && is_indexed("x[i] = 0")
        );
        for text in ["float *p = &x[i]", "for (p = y; p < &x[n]; p++) {}", "f(&x[i])", "x + 1", "g(x)"] {
            assert!(!is_indexed(text), "{text}");
        }
    }

    #[test]
    fn what_is_read_is_seen() {
        let is_read = |text: &str| Usage::of(&[text], "", "x").is_read;
        for text in ["x[i] = 0", "x[i] = y[i]", "z[i] = 0", "(x[i]) = 2"] {
            assert!(!is_read(text), "{text}");
        }
        for text in [
            "x[i] += 1",
            "x[i]++",
            "x[i] = x[i] + 1",
            "z[i] = x[i]",
            "f(x)",
            "atomicAdd(&x[i], 1)",
            "x[i].re = 0",
        ] {
            assert!(is_read(text), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_seen() {
        let written = |text: &str| {
            let usage = Usage::of(&[text], "__device__ void f(float &x, float y);", "x");
            (usage.is_assigned, usage.may_be_written)
        };
        for text in [
            "x[i] = 0",
            "x[i] += 1",
            "x[i] <<= 1",
            "x[i]++",
            "--x[i]",
            "x[i].re = 0",
            "z[i] = x[i] = 2",
            "x[i][0] = 1",
            "(x[i])++",
            "((x[i])) = 3",
        ] {
            assert_eq!(written(text), (true, true), "{text}");
        }
        for text in [
            "float &y = x[i]; y = 1",
            "float &y(x[i]); y = 1",
            "float &y{x[i]}; y = 1",
            "g(x)",
            "f(x[i], 2)",
            "f(z[i], x[i])",
            "atomicAdd(&(x[i]), 1)",
        ] {
            assert_eq!(written(text), (false, true), "{text}");
        }
        for text in [
            "z[i] = x[i]",
            "if (x[i] == 0) z[i] = 1",
            "z[i] = x[i] <= 1",
            "z[i] = a[i] - -x[i]",
            "z[i] = x[i] >> 1",
            "z[i] = x[i].re",
            "z[i] += x[i] * 2",
            "z[i] = x[i] != y[i]",
            "z[i] = +x[i]",
            "z[i] = (x[i])",
        ] {
            assert_eq!(written(text), (false, false), "{text}");
        }
        assert!(
            !Usage::of(&["z[i] = f(x[i])"], "__device__ float f(float x) { return x; }", "x").may_be_written
        );
    }

    #[test]
    fn an_address_makes_it_a_pointer() {
        assert_eq!(usage("z[i] = *(float4 *)&x[i]"), (Elements::Own, false));
        assert_eq!(usage("atomicAdd(&x[k[i]], 1)"), (Elements::Named, false));
        assert_eq!(usage("z[i] = f(x)"), (Elements::Own, false));
        assert_eq!(usage("z[i] = *x"), (Elements::Own, false));
        assert_eq!(usage("z[i] = a[i] & x[i]"), (Elements::Own, true));
        assert_eq!(usage("z[i] = a[i] && x[i]"), (Elements::Own, true));
        assert_eq!(usage("z[i] = (a + b) & x[i]"), (Elements::Own, true));
    }

    #[test]
    fn a_macro_may_do_anything() {
        let usage = |preamble: &str| {
            let usage = Usage::of(&["z[i] = AT(i)"], preamble, "x");
            (usage.elements, usage.is_subscripted)
        };
        assert_eq!(usage("#define AT(k) x[k]"), (Elements::Own, false));
        assert_eq!(usage("#define AT(k) exp(k)"), (Elements::Numbered, true));
        assert_eq!(usage("__device__ int AT(int x) { return x; }"), (Elements::Numbered, true));
    }
}
