//! Integers of a kernel as sums of products: `blockIdx.x*blockDim.x + threadIdx.x`,
//! whatever they are called and in which order they stand.

use std::collections::{BTreeMap, HashSet};

use crate::host::reach;
use crate::token::{Token, TokenKind};

/// A sum of products: how often each product is in it.
pub(super) type Sum = BTreeMap<Vec<String>, i64>;

pub(super) fn product(names: &[&str]) -> Sum {
    BTreeMap::from([(names.iter().map(|name| (*name).to_owned()).collect(), 1)])
}

/// What a kernel has declared before its turns begin.
pub(super) struct Locals<'a> {
    pub(super) sums: BTreeMap<String, Sum>,
    /// The declarations: type, name, value.
    pub(super) declared: Vec<(String, String, String)>,
    /// Declared without a value.
    pub(super) bare: HashSet<String>,
    /// What functions without arguments return.
    pub(super) returned: &'a BTreeMap<String, Sum>,
}

impl Locals<'_> {
    pub(super) fn depends_on_place(&self, name: &str) -> bool {
        self.sums.get(name).is_some_and(is_of_place)
    }
}

/// Whether a sum is another one for another thread along x.
pub(super) fn is_of_place(sum: &Sum) -> bool {
    sum.keys().flatten().any(|factor| matches!(factor.as_str(), "threadIdx.x" | "blockIdx.x"))
}

/// `blockIdx.x*blockDim.x + threadIdx.x`
pub(super) fn global() -> Sum {
    let mut global = product(&["threadIdx.x"]);
    global.extend(product(&["blockDim.x", "blockIdx.x"]));
    global
}

/// Notes a declaration; whether it has a value. None, if a statement is no
/// declaration of integers, or one whose value is not a sum of products.
pub(super) fn declare(text: &str, statement: &[Token], locals: &mut Locals<'_>) -> Option<bool> {
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

pub(super) fn is_type_word(text: &str, token: &Token) -> bool {
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

pub(super) fn split_at_commas<'a>(text: &str, all: &'a [Token]) -> Vec<&'a [Token]> {
    let mut depth = 0i32;
    all.split(|token| {
        depth += i32::from(token.is_mark(text, '(')) - i32::from(token.is_mark(text, ')'));
        depth == 0 && token.is_mark(text, ',')
    })
    .collect()
}

/// The text of tokens. What touches stays together: `>=` is two of them.
pub(super) fn text_of(text: &str, all: &[Token]) -> String {
    let mut result = String::new();
    for (k, token) in all.iter().enumerate() {
        if k > 0 && all[k - 1].span.end != token.span.start {
            result.push(' ');
        }
        result.push_str(token.text(text));
    }
    result
}

/// A text as a sum of products; none, if it is something else.
pub(super) fn sum(text: &str, all: &[Token], locals: &Locals<'_>) -> Option<Sum> {
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
                let is_place = reach::INDICES.contains(&word);
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
