//! Whether a text is a whole cell, and how far its next line is indented.

use gpurepl_session::{Completeness, command, completeness};
use jupyter_protocol::IsCompleteReply;
use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

/// The answer to `is_complete_request`.
pub fn reply(code: &str) -> IsCompleteReply {
    if command::is_command(code) || code.trim_start().starts_with('!') {
        return IsCompleteReply::complete();
    }
    match completeness(code) {
        Completeness::Complete => IsCompleteReply::complete(),
        Completeness::Invalid => IsCompleteReply::invalid(),
        Completeness::Incomplete => IsCompleteReply::incomplete(indentation(code)),
    }
}

/// The spaces of a level.
const STEP: &str = "    ";

/// The spaces before a line that follows a text: a level more than the line
/// with the innermost bracket that is open.
fn indentation(code: &str) -> String {
    let (mut open, mut at) = (Vec::new(), 0);
    for token in tokenize(code, FrontmatterAllowed::No) {
        match token.kind {
            TokenKind::OpenParen | TokenKind::OpenBrace | TokenKind::OpenBracket => open.push(at),
            TokenKind::CloseParen | TokenKind::CloseBrace | TokenKind::CloseBracket => drop(open.pop()),
            // Its lines are its author's.
            kind if does_not_end(kind) => {
                return leading_spaces(code.lines().next_back().unwrap_or_default()).to_owned();
            }
            _ => {}
        }
        at += token.len as usize;
    }
    match open.last() {
        Some(at) => {
            let line = code[..*at].rfind('\n').map_or(0, |newline| newline + 1);
            format!("{}{STEP}", leading_spaces(&code[line..]))
        }
        None if code.trim_end().ends_with('=') => STEP.to_owned(),
        None => String::new(),
    }
}

/// Whether a text or a comment is still open.
fn does_not_end(kind: TokenKind) -> bool {
    use LiteralKind::{ByteStr, CStr, RawByteStr, RawCStr, RawStr, Str};
    match kind {
        TokenKind::BlockComment { terminated, .. } => !terminated,
        TokenKind::Literal { kind, .. } => match kind {
            Str { terminated } | ByteStr { terminated } | CStr { terminated } => !terminated,
            RawStr { n_hashes } | RawByteStr { n_hashes } | RawCStr { n_hashes } => n_hashes.is_none(),
            _ => false,
        },
        _ => false,
    }
}

fn leading_spaces(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use jupyter_protocol::IsCompleteReplyStatus;

    #[test]
    fn texts_are_whole_or_go_on() {
        for (code, status, indent) in [
            ("let a = 1;", IsCompleteReplyStatus::Complete, ""),
            (":help", IsCompleteReplyStatus::Complete, ""),
            ("zeros?", IsCompleteReplyStatus::Complete, ""),
            ("!ls (", IsCompleteReplyStatus::Complete, ""),
            ("let a = 1)", IsCompleteReplyStatus::Invalid, ""),
            ("fn f() {", IsCompleteReplyStatus::Incomplete, "    "),
            ("fn f() {\n    if x {\n", IsCompleteReplyStatus::Incomplete, "        "),
            ("foo(|x| {", IsCompleteReplyStatus::Incomplete, "    "),
            ("let a =", IsCompleteReplyStatus::Incomplete, "    "),
            ("#[derive(Debug)]", IsCompleteReplyStatus::Incomplete, ""),
            ("let s = r#\"\n  __global__ {", IsCompleteReplyStatus::Incomplete, "  "),
            ("let m = SourceModule::new(\"", IsCompleteReplyStatus::Incomplete, ""),
            ("f(1", IsCompleteReplyStatus::Incomplete, "    "),
            ("f(\"a\"", IsCompleteReplyStatus::Incomplete, "    "),
            ("(1, /* two", IsCompleteReplyStatus::Incomplete, ""),
        ] {
            let reply = reply(code);
            assert_eq!((reply.status, reply.indent.as_str()), (status, indent), "{code}");
        }
    }
}
