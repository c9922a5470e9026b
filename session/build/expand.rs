//! Expands the prelude's own macros by example, as far as they define items:
//! most methods of arrays come out of one.
//!
//! Only what the prelude uses is understood: `ident`, `ty`, `expr`, `meta`,
//! `literal` and `tt`, and repetitions. What is not understood is left out;
//! a test compares the table with what cells can call.

use std::collections::HashMap;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A macro's arms: what each takes and what it becomes.
pub struct Macro {
    arms: Vec<(Vec<Part>, TokenStream)>,
}

/// A part of a pattern.
enum Part {
    Token(String),
    Group(Delimiter, Vec<Part>),
    Variable(String, String),
    Repeated(Vec<Part>, Option<String>),
}

/// What a variable stands for.
#[derive(Clone, Debug)]
enum Bound {
    One(TokenStream),
    Many(Vec<Bindings>),
}

type Bindings = HashMap<String, Bound>;

/// Reads the body of a `macro_rules!`.
pub fn read(body: TokenStream) -> Macro {
    let groups: Vec<TokenStream> = body
        .into_iter()
        .filter_map(|token| match token {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        })
        .collect();
    let arms = groups.chunks_exact(2).map(|arm| (pattern(arm[0].clone()), arm[1].clone())).collect();
    Macro { arms }
}

impl Macro {
    /// What a call becomes, if an arm takes it.
    pub fn expand(&self, input: TokenStream) -> Option<TokenStream> {
        let tokens: Vec<TokenTree> = input.into_iter().collect();
        self.arms.iter().find_map(|(parts, body)| {
            let mut bindings = Bindings::new();
            let end = matched(parts, &tokens, 0, &mut bindings)?;
            (end == tokens.len()).then(|| written(body.clone(), &bindings))
        })
    }
}

fn pattern(tokens: TokenStream) -> Vec<Part> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut parts = Vec::new();
    let mut k = 0;
    while k < tokens.len() {
        match (&tokens[k], tokens.get(k + 1)) {
            (TokenTree::Punct(sign), Some(TokenTree::Ident(name))) if sign.as_char() == '$' => {
                let fragment = tokens.get(k + 3).map(ToString::to_string).unwrap_or_default();
                parts.push(Part::Variable(name.to_string(), fragment));
                k += 4;
            }
            (TokenTree::Punct(sign), Some(TokenTree::Group(group))) if sign.as_char() == '$' => {
                let (separator, next) = separator(&tokens, k + 2);
                parts.push(Part::Repeated(pattern(group.stream()), separator));
                k = next;
            }
            (TokenTree::Group(group), _) => {
                parts.push(Part::Group(group.delimiter(), pattern(group.stream())));
                k += 1;
            }
            (token, _) => {
                parts.push(Part::Token(token.to_string()));
                k += 1;
            }
        }
    }
    parts
}

/// The separator of a repetition, and where it ends.
fn separator(tokens: &[TokenTree], at: usize) -> (Option<String>, usize) {
    let is_operator = |token: Option<&TokenTree>| {
        token.is_some_and(|token| ["*", "+", "?"].contains(&token.to_string().as_str()))
    };
    if is_operator(tokens.get(at)) {
        return (None, at + 1);
    }
    (tokens.get(at).map(ToString::to_string), at + 2)
}

fn matched(parts: &[Part], tokens: &[TokenTree], mut at: usize, bindings: &mut Bindings) -> Option<usize> {
    for part in parts {
        match part {
            Part::Token(text) => {
                if tokens.get(at)?.to_string() != *text {
                    return None;
                }
                at += 1;
            }
            Part::Group(delimiter, parts) => {
                let TokenTree::Group(group) = tokens.get(at)? else { return None };
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                if group.delimiter() != *delimiter || matched(parts, &inner, 0, bindings)? != inner.len() {
                    return None;
                }
                at += 1;
            }
            Part::Variable(name, fragment) => {
                let end = fragment_end(fragment, tokens, at)?;
                let taken = tokens[at..end].iter().cloned().collect();
                bindings.insert(name.clone(), Bound::One(taken));
                at = end;
            }
            Part::Repeated(parts, separator) => {
                let mut rounds: Vec<Bindings> = Vec::new();
                loop {
                    let mut from = at;
                    if let (Some(separator), false) = (separator, rounds.is_empty()) {
                        if tokens.get(at).map(ToString::to_string).as_ref() != Some(separator) {
                            break;
                        }
                        from += 1;
                    }
                    let mut round = Bindings::new();
                    match matched(parts, tokens, from, &mut round) {
                        Some(end) if end > at => {
                            at = end;
                            rounds.push(round);
                        }
                        _ => break,
                    }
                }
                for name in names(parts) {
                    bindings.insert(name, Bound::Many(rounds.clone()));
                }
            }
        }
    }
    Some(at)
}

fn names(parts: &[Part]) -> Vec<String> {
    parts
        .iter()
        .flat_map(|part| match part {
            Part::Token(_) => Vec::new(),
            Part::Group(_, parts) | Part::Repeated(parts, _) => names(parts),
            Part::Variable(name, _) => vec![name.clone()],
        })
        .collect()
}

/// Where a fragment ends that begins at a token.
fn fragment_end(fragment: &str, tokens: &[TokenTree], at: usize) -> Option<usize> {
    match fragment {
        "ident" => matches!(tokens.get(at)?, TokenTree::Ident(_)).then_some(at + 1),
        "literal" => matches!(tokens.get(at)?, TokenTree::Literal(_)).then_some(at + 1),
        "tt" => tokens.get(at).map(|_| at + 1),
        "ty" | "expr" | "meta" | "path" => {
            let mut end = at;
            let (mut depth, mut was_word) = (0, false);
            while let Some(token) = tokens.get(end) {
                let text = token.to_string();
                match text.as_str() {
                    ";" | "," | "=" if depth == 0 && fragment != "meta" => break,
                    "<" => depth += 1,
                    ">" => depth -= 1,
                    _ => {}
                }
                let is_word = matches!(token, TokenTree::Ident(_) | TokenTree::Group(_));
                if fragment == "ty" && depth == 0 && was_word && is_word {
                    break;
                }
                was_word = is_word;
                end += 1;
            }
            (end > at).then_some(end)
        }
        _ => None,
    }
}

fn written(body: TokenStream, bindings: &Bindings) -> TokenStream {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut out = TokenStream::new();
    let mut k = 0;
    while k < tokens.len() {
        match (&tokens[k], tokens.get(k + 1)) {
            (TokenTree::Punct(sign), Some(TokenTree::Ident(name))) if sign.as_char() == '$' => {
                match bindings.get(&name.to_string()) {
                    Some(Bound::One(tokens)) => out.extend(tokens.clone()),
                    _ => out.extend([TokenTree::Ident(name.clone())]),
                }
                k += 2;
            }
            (TokenTree::Punct(sign), Some(TokenTree::Group(group))) if sign.as_char() == '$' => {
                let (separator, next) = separator(&tokens, k + 2);
                let text = group.stream().to_string();
                let rounds = bindings.iter().find_map(|(name, bound)| match bound {
                    Bound::Many(rounds)
                        if text.contains(&format!("$ {name}")) || text.contains(&format!("${name}")) =>
                    {
                        Some(rounds)
                    }
                    _ => None,
                });
                for (number, round) in rounds.into_iter().flatten().enumerate() {
                    if let (Some(separator), true) = (&separator, number > 0) {
                        out.extend(separator.parse::<TokenStream>().unwrap_or_default());
                    }
                    let mut all = bindings.clone();
                    all.extend(round.clone());
                    out.extend(written(group.stream(), &all));
                }
                k = next;
            }
            (TokenTree::Group(group), _) => {
                let inner = written(group.stream(), bindings);
                let mut new = proc_macro2::Group::new(group.delimiter(), inner);
                new.set_span(group.span());
                out.extend([TokenTree::Group(new)]);
                k += 1;
            }
            (token, _) => {
                out.extend([token.clone()]);
                k += 1;
            }
        }
    }
    out
}
