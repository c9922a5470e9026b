//! Kernels that end with `if (i < n) ...`, or continue after `if (i >= n) return;`:
//! one turn of a loop by strides, whose end is the bound.

use std::collections::HashSet;

use super::kernel::Kernel;
use super::sums::{global, text_of};
use crate::token::{Token, closing, tokens};

impl Kernel<'_> {
    /// `if (i < n) ...` at the end, `if (i >= n) return;` before the rest.
    pub(super) fn bounded(&mut self, at: usize) -> Option<()> {
        let (text, all) = (self.text, self.all);
        let close = closing(text, all, at + 1).filter(|_| self.is(at + 1, '('))?;
        let end = all.len() - 1;
        let is_return = |k: usize| all.get(k).is_some_and(|token| token.is_name(text, "return"));
        // Where the threads within the bound continue, and until where.
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
    pub(super) fn bound(&self, part: &[Token], returns: bool) -> Option<(String, String)> {
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
    pub(super) fn declared_again(&self, name: &str) -> Option<Vec<(String, String)>> {
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
}

#[cfg(test)]
mod tests {
    use crate::host::{Request, translate};

    /// `row > = m` did not compile, and the whole source was built without.
    #[test]
    fn comparisons_of_two_characters_were_torn_apart() {
        let source = "__global__ void k(float *y, int n, int m) {\n\
            int c = blockIdx.x*blockDim.x + threadIdx.x, r = blockIdx.y*blockDim.y + threadIdx.y;\n\
            if (r >= m || c >= n) return;\n  y[r*n + c] = 1;\n}";
        let text = translate(&Request::new(source)).unwrap().text;
        assert!(text.contains("if (!((r >= m))) {") && text.contains("gpurepl_until(c,"), "{text}");
    }
}
