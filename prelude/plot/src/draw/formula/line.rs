//! A formula in one line, where letters cannot be raised or lowered but by those that Unicode has.

use super::tree::{Class, Node};

pub(super) fn write(node: &Node) -> String {
    let mut text = String::new();
    add(node, &mut text);
    text.trim().to_owned()
}

fn add(node: &Node, text: &mut String) {
    match node {
        Node::Symbol { text: symbol, class, .. } => match class {
            Class::Ordinary | Class::Open | Class::Close | Class::Large => text.push_str(symbol),
            Class::Punctuation => {
                text.push_str(symbol);
                text.push(' ');
            }
            Class::Function => {
                if text.ends_with(char::is_alphanumeric) {
                    text.push(' ');
                }
                text.push_str(symbol);
                text.push(' ');
            }
            Class::Binary if is_sign(text) => text.push_str(symbol),
            Class::Binary | Class::Relation => {
                if !text.ends_with(' ') && !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(symbol);
                text.push(' ');
            }
        },
        // In braces operations and commas are letters.
        Node::Row(nodes) => match &nodes[..] {
            [
                Node::Symbol {
                    text: symbol,
                    class: Class::Punctuation | Class::Binary | Class::Relation,
                    ..
                },
            ] => {
                text.push_str(symbol);
            }
            nodes => nodes.iter().for_each(|node| add(node, text)),
        },
        Node::Fraction { above, below, has_line, .. } => {
            let sign = if *has_line { '/' } else { ' ' };
            text.push_str(&format!("{}{sign}{}", operand(above), operand(below)));
        }
        Node::Root { of, index } => {
            let index = index.as_ref().map(|index| write(index));
            text.push_str(
                &index.map_or_else(String::new, |index| raised(&index).unwrap_or_else(|| grouped(&index))),
            );
            text.push_str(&format!("√{}", operand(of)));
        }
        Node::Scripts { base, below, above, is_stacked } => {
            let is_large = matches!(**base, Node::Symbol { class: Class::Large, .. });
            if *is_stacked
                && let (Some(above), None) = (above, below)
                && let Node::Symbol { text: accent, .. } = &**above
                && let Some(accent) = combining(accent)
            {
                let base = write(base);
                // A mark on a mark would be on the letter before it.
                let is_mark = |c: char| matches!(c, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}');
                for c in base.chars() {
                    text.push(c);
                    if !is_mark(c) {
                        text.push(accent);
                    }
                }
                return;
            }
            add(base, text);
            let below = below.as_ref().map(|below| write(below));
            let above = above.as_ref().map(|above| write(above));
            if let Some(below) = below {
                text.push_str(&lowered(&below).unwrap_or_else(|| format!("_{}", grouped(&below))));
            }
            if let Some(above) = above {
                text.push_str(&raised(&above).unwrap_or_else(|| format!("^{}", grouped(&above))));
            }
            if is_large {
                text.push(' ');
            }
        }
        Node::Fenced { open, of, close } => {
            text.extend(open);
            text.push_str(&write(of));
            text.extend(close);
        }
        Node::Space(width) if *width > 0.0 && !text.ends_with(' ') => text.push(' '),
        Node::Space(_) => {}
        Node::Negated(of) => {
            add(of, text);
            let end = text.trim_end().len();
            text.insert(end, '\u{338}');
        }
    }
}

/// Whether a minus that follows is a sign rather than an operation.
fn is_sign(before: &str) -> bool {
    before
        .trim_end()
        .chars()
        .last()
        .is_none_or(|c| !c.is_alphanumeric() && !matches!(c, ')' | ']' | '}' | '!' | '′'))
}

fn operand(node: &Node) -> String {
    grouped(&write(node))
}

/// In brackets, if it is more than one letter, number, root or group.
fn grouped(text: &str) -> String {
    let inner = text.trim_start_matches('√');
    let is_one = inner.chars().count() <= 1
        || inner.chars().all(|c| c.is_ascii_digit() || c == '.')
        || (inner.starts_with('(') && inner.ends_with(')') && inner.matches('(').count() == 1);
    if is_one { text.to_owned() } else { format!("({text})") }
}

fn each(text: &str, of: impl Fn(char) -> Option<char>) -> Option<String> {
    text.chars().filter(|c| *c != ' ').map(of).collect()
}

fn raised(text: &str) -> Option<String> {
    each(text, |c| {
        Some(match c {
            '0' => '⁰',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '4'..='9' => char::from_u32(0x2070 + c.to_digit(10)?)?,
            '+' => '⁺',
            '-' | '−' => '⁻',
            '(' => '⁽',
            ')' => '⁾',
            'n' => 'ⁿ',
            'i' => 'ⁱ',
            '∘' | '°' => '°',
            '′' => '′',
            _ => return None,
        })
    })
}

fn lowered(text: &str) -> Option<String> {
    each(text, |c| {
        Some(match c {
            '0'..='9' => char::from_u32(0x2080 + c.to_digit(10)?)?,
            '+' => '₊',
            '-' | '−' => '₋',
            _ => return None,
        })
    })
}

/// The mark that Unicode puts on the letter before it.
fn combining(accent: &str) -> Option<char> {
    Some(match accent {
        "^" | "ˆ" => '\u{302}',
        "~" | "˜" => '\u{303}',
        "‾" | "¯" | "ˉ" => '\u{304}',
        "˙" | "." => '\u{307}',
        "¨" => '\u{308}',
        "→" | "⃗" => '\u{20d7}',
        "´" => '\u{301}',
        "`" => '\u{300}',
        "ˇ" => '\u{30c}',
        "˘" => '\u{306}',
        _ => return None,
    })
}
