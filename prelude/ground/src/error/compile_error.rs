//! What a compiler said about a kernel, on the user's own lines.

use std::fmt;

use gpurepl_kernels::host::Change;
use gpurepl_wire::{CompileFailure, CompileMessage};

/// A kernel that does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// The name of what was compiled: `kernel`, or that of an elementwise
    /// kernel.
    pub what: String,
    /// The user's texts by the names that the compiler knows them by: one for
    /// a source module, several for a reduction.
    pub texts: Vec<(String, String)>,
    /// What the compiler said about them.
    pub messages: Vec<Message>,
    /// Everything that the compiler said, as it said it.
    pub log: String,
    /// What to do about it, where that is known: who has a header, say.
    pub help: Option<String>,
}

/// One message of a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// What it says.
    pub text: String,
    /// Which of the user's texts it is about: a place in
    /// [`CompileError::texts`].
    pub source: usize,
    /// The line of that text, counted from one.
    pub line: usize,
    /// The column in bytes, counted from one; zero if it is not known.
    pub column: usize,
    /// If the text is a template: the number of the line that it was made into, and that line.
    pub generated: Option<(usize, String)>,
}

/// How bad a compiler's message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    fn from_word(word: &str) -> Option<Severity> {
        match word {
            "error" | "fatal error" | "catastrophic error" | "internal error" => Some(Severity::Error),
            "warning" => Some(Severity::Warning),
            "note" | "remark" => Some(Severity::Note),
            _ => None,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Messages beyond this are left out of the text: the first ones matter.
const SHOWN: usize = 5;

impl CompileError {
    /// Reads the log of g++ or clang: `name:line:column: error: text`.
    #[doc(hidden)]
    pub fn from_gcc(what: &str, texts: &[(&str, &str)], log: &str) -> CompileError {
        let read = |line: &str| {
            let (beyond, source, rest) = after_name(texts, line, ':')?;
            let (number, rest) = rest.split_once(':')?;
            let line = number.parse().ok()?;
            let (column, rest) = match rest.split_once(':') {
                Some((column, after)) if column.parse::<usize>().is_ok() => (column.parse().ok()?, after),
                _ => (0, rest),
            };
            let (word, text) = rest.trim_start().split_once(':')?;
            let severity = Severity::from_word(word.trim())?;
            let message = Message::new(severity, text.trim(), source, line, column);
            Some(if beyond { message.at_the_end_of(texts[source].1) } else { message })
        };
        let mut messages: Vec<Message> = Vec::new();
        // A mistake that the user makes with one of gpurepl's macros or templates is
        // reported where that is defined; a line before or after it says where
        // it is used.
        let (mut elsewhere, mut used): (Option<String>, Option<Message>) = (None, None);
        for line in log.lines() {
            let is_use =
                ["in expansion of macro", "expanded from macro", "in instantiation of", "required from here"]
                    .iter()
                    .any(|words| line.contains(words));
            match read(line).or_else(|| read(&line.replacen(":  ", ": note: ", 1)).filter(|_| is_use)) {
                Some(mut message) if is_use => match elsewhere.take() {
                    Some(text) => {
                        (message.severity, message.text) = (Severity::Error, text);
                        messages.push(message);
                    }
                    None => used = Some(message),
                },
                Some(message) => {
                    if message.severity == Severity::Error {
                        (elsewhere, used) = (None, None);
                    }
                    messages.push(message);
                }
                None => {
                    let Some((_, text)) = line.split_once(": error: ") else { continue };
                    match used.take() {
                        Some(mut message) => {
                            (message.severity, message.text) = (Severity::Error, text.trim().to_owned());
                            messages.push(message);
                        }
                        None => elsewhere = Some(text.trim().to_owned()),
                    }
                }
            }
        }
        CompileError::new(what, texts, messages, log)
    }

    /// Reads the log of NVRTC: `name(line): error: text`, then the line of
    /// the source and a caret under the place.
    #[doc(hidden)]
    pub fn from_nvrtc(what: &str, texts: &[(&str, &str)], log: &str) -> CompileError {
        let lines: Vec<&str> = log.lines().collect();
        let read = |(k, text): (usize, &&str)| {
            let (beyond, source, rest) = after_name(texts, text, '(')?;
            let (number, rest) = rest.split_once("):")?;
            let (word, text) = rest.trim_start().split_once(':')?;
            // Numbered messages read `error #20: ...`.
            let severity = Severity::from_word(word.split('#').next()?.trim())?;
            let line: usize = number.parse().ok()?;
            // The source line is printed with two spaces in front.
            let shown = texts[source].1.lines().nth(line.checked_sub(1)?);
            let caret = lines[k + 1..].iter().take(3).find(|line| line.trim() == "^");
            let indent =
                lines.get(k + 1).zip(shown).and_then(|(printed, shown)| printed.find(shown.trim_end()));
            let column = match (caret.and_then(|caret| caret.find('^')), indent) {
                (Some(caret), Some(indent)) if caret >= indent => caret - indent + 1,
                _ => 0,
            };
            let message = Message::new(severity, text.trim(), source, line, column);
            Some(if beyond { message.at_the_end_of(texts[source].1) } else { message })
        };
        let messages = lines.iter().enumerate().filter_map(read).collect();
        CompileError::new(what, texts, messages, log)
    }

    /// Moves columns back by what changes have moved them.
    #[doc(hidden)]
    pub fn with_columns(mut self, changes: &[Change]) -> CompileError {
        for message in self.messages.iter_mut().filter(|message| message.column > 0) {
            let mut moved = 0;
            for change in changes.iter().filter(|change| change.line == message.line) {
                // What stands within a change is as good as at its end.
                let start = change.column as isize + moved;
                let at = message.column as isize - 1;
                if at < start {
                    break;
                }
                moved += change.moved.min(at - start);
            }
            message.column = usize::try_from(message.column as isize - moved).unwrap_or(0).max(1);
        }
        self
    }

    /// The messages about a source module's text at their places in the template that it was made
    /// of. `place` finds the line and column there, both from one, of those in the text.
    #[doc(hidden)]
    pub fn in_template(
        mut self,
        name: &str,
        template: &str,
        place: &dyn Fn(usize, usize) -> Option<(usize, usize)>,
    ) -> CompileError {
        let Some((shown, generated)) = self.texts.first_mut() else { return self };
        for message in self.messages.iter_mut().filter(|message| message.source == 0) {
            let Some(line) = generated.lines().nth(message.line.saturating_sub(1)) else { continue };
            message.generated = Some((message.line, line.to_owned()));
            let first = line.len() - line.trim_start().len() + 1;
            let column = if message.column == 0 { first } else { message.column };
            // What the template has nothing of: its first line stands for it.
            (message.line, message.column) = place(message.line, column).unwrap_or((1, 0));
        }
        (*shown, *generated) = (name.to_owned(), template.to_owned());
        // A loop of the template's repeats one mistake.
        let mut said = std::collections::HashSet::new();
        self.messages.retain(|message| {
            said.insert((message.source, message.line, message.column, message.text.clone()))
        });
        self
    }

    /// Those of a source's kernels, by their qualified names, that the compiler
    /// did not find or could not tell apart, where it has no complaint about
    /// the source itself.
    #[doc(hidden)]
    pub fn left_out(&self, kernels: &[String]) -> Vec<String> {
        if self.messages.iter().any(|message| message.severity == Severity::Error) {
            return Vec::new();
        }
        let errors = || self.log.lines().filter(|line| line.contains("error"));
        // NVRTC writes the name as it was asked for, g++ the first part of it
        // that is not there.
        let mentions = |line: &str, kernel: &str| {
            // One that has types in its name is asked for by a cast.
            if let Some((name, types)) = kernel.split_once('(') {
                let bare: String = line.chars().filter(|c| !c.is_whitespace()).collect();
                let cast = format!("(void(*)({types})::{name}");
                return bare.contains(&cast.replace(char::is_whitespace, ""));
            }
            let (first, last) = (kernel.split("::").next(), kernel.rsplit("::").next());
            [first, last].into_iter().flatten().any(|name| has_word(line, name))
        };
        let is_named = |kernel: &&String| errors().any(|line| mentions(line, kernel));
        kernels.iter().filter(is_named).cloned().collect()
    }

    /// What a session shows in the cell that holds the text.
    #[doc(hidden)]
    pub fn to_wire(&self) -> CompileFailure {
        let messages = self.messages.iter().filter(|message| message.severity != Severity::Warning);
        let messages = messages.map(|message| CompileMessage {
            is_error: message.severity == Severity::Error,
            text: message.text.clone(),
            source: message.source,
            line: message.line,
            column: message.column,
            generated: message.generated(),
        });
        CompileFailure { what: self.what.clone(), texts: self.texts.clone(), messages: messages.collect() }
    }

    fn new(what: &str, texts: &[(&str, &str)], mut messages: Vec<Message>, log: &str) -> CompileError {
        // What lies beyond a text is about code that was added to it.
        messages.retain(|message| (1..=texts[message.source].1.lines().count()).contains(&message.line));
        // A text that stands twice in what is compiled is wrong once.
        let mut said = std::collections::HashSet::new();
        messages.retain(|message| {
            said.insert((message.source, message.line, message.column, message.text.clone()))
        });
        CompileError {
            what: what.to_owned(),
            texts: texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect(),
            messages,
            log: log.trim_end().to_owned(),
            help: super::missing_header::help(log),
        }
    }
}

/// Whether a name stands in a line, not as a part of a longer one.
fn has_word(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part))
}

/// The text that a line of a log is about, by the name that it starts with,
/// whether the place lies beyond that text, and the rest of the line.
fn after_name<'a>(texts: &[(&str, &str)], line: &'a str, mark: char) -> Option<(bool, usize, &'a str)> {
    let (beyond, line) = match line.strip_prefix(gpurepl_kernels::AFTER) {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let rest = |name: &str| line.strip_prefix(name)?.strip_prefix(mark);
    texts.iter().enumerate().find_map(|(k, (name, _))| rest(name).map(|rest| (beyond, k, rest)))
}

impl Message {
    fn new(severity: Severity, text: &str, source: usize, line: usize, column: usize) -> Message {
        Message { severity, text: text.to_owned(), source, line, column, generated: None }
    }

    /// The line that a template was made into, in words.
    fn generated(&self) -> Option<String> {
        let (number, line) = self.generated.as_ref()?;
        Some(format!("line {number} of the generated text: `{}`", line.trim()))
    }

    /// The same message, where the text stops: `a +` lacks something there,
    /// and a compiler notices at the next thing that it reads.
    fn at_the_end_of(self, text: &str) -> Message {
        let text = text.trim_end();
        let last = text.lines().last().unwrap_or_default();
        Message { line: text.lines().count().max(1), column: last.len() + 1, ..self }
    }
}

impl fmt::Display for CompileError {
    /// Each error with the line of the user's text and the place marked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)?;
        match &self.help {
            Some(help) => write!(f, "\n  = help: {help}"),
            None => Ok(()),
        }
    }
}

impl CompileError {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not compile", self.what)?;
        let errors: Vec<&Message> =
            self.messages.iter().filter(|m| m.severity != Severity::Warning).collect();
        if errors.is_empty() {
            return write!(f, ":\n{}", self.log);
        }
        for message in errors.iter().take(SHOWN) {
            write!(f, "\n{}: {}", message.severity.word(), message.text)?;
            let (name, text) = &self.texts[message.source];
            let Some(line) = text.lines().nth(message.line - 1) else { continue };
            let number = message.line.to_string();
            let margin = " ".repeat(number.len());
            write!(f, "\n{margin}--> {name} line {number}")?;
            write!(f, "\n{margin} |\n{number} | {line}\n{margin} |")?;
            if message.column > 0 {
                // Tabs before the place are kept, so that it stands under it.
                let before = line.char_indices().take_while(|(at, _)| *at < message.column - 1);
                let before: String = before.map(|(_, sign)| if sign == '\t' { '\t' } else { ' ' }).collect();
                write!(f, " {before}^")?;
            }
            if let Some(generated) = message.generated() {
                write!(f, "\n{margin} = note: {generated}")?;
            }
        }
        if errors.len() > SHOWN {
            write!(f, "\n... and {} more", errors.len() - SHOWN)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn gcc_is_read() {
        let source = "__global__ void k(float *a) {\n  a[0] = foo;\n}";
        let log = "kernel.cu: In function 'void k(uint3, uint3, dim3, dim3, float*)':\n\
                   kernel.cu:2:10: error: 'foo' was not declared in this scope\n\
                   kernel.cu:9:1: error: beyond the text\n";
        let error = CompileError::from_gcc("kernel", &[("kernel.cu", source)], log);
        expect![[r#"
            kernel does not compile
            error: 'foo' was not declared in this scope
             --> kernel.cu line 2
              |
            2 |   a[0] = foo;
              |          ^"#]]
        .assert_eq(&error.to_string());
    }

    #[test]
    fn a_text_that_stands_twice_is_wrong_once() {
        let log = "map_expr:1:8: error: 'limit' was not declared in this scope\n".repeat(2);
        let error = CompileError::from_gcc("total", &[("map_expr", "x[i] + limit")], &log);
        assert_eq!(error.messages.len(), 1, "{error}");
    }

    #[test]
    fn a_mistake_in_a_macro_of_ours_is_shown_where_it_is_used() {
        let source = "__global__ void k() {\n  __syncwarp(\"all\");\n}";
        let log = "kernel.cpp:700:1: error: invalid conversion\nkernel.cu:2:3: note: in expansion of macro '__syncwarp'\n";
        let error = CompileError::from_gcc("kernel", &[("kernel.cu", source)], log);
        let message = &error.messages[0];
        assert_eq!(
            (message.severity, message.line, message.text.as_str()),
            (Severity::Error, 2, "invalid conversion")
        );
    }

    #[test]
    fn a_mistake_with_a_template_of_ours_is_shown_where_it_is_used() {
        let source = "__global__ void k() {\n  grid.sync();\n}";
        let gcc = "groups.h: In instantiation of 'void sync()':\nkernel.cu:2:12:   required from here\n\
                   groups.h:9:3: error: static assertion failed: not here\n";
        let clang = "groups.h:9:3: error: static_assert failed: not here\n\
                     kernel.cu:2:8: note: in instantiation of function template specialization 'sync' requested here\n";
        for log in [gcc, clang] {
            let error = CompileError::from_gcc("kernel", &[("kernel.cu", source)], log);
            let message = &error.messages[0];
            assert_eq!((message.severity, message.line), (Severity::Error, 2), "{error}");
            assert!(message.text.contains("not here"), "{error}");
        }
    }

    #[test]
    fn nvrtc_is_read() {
        let source = "__global__ void k(float *a) {\n\ta[0] = foo;\n}";
        let log = "kernel.cu(2): error: identifier \"foo\" is undefined\n  \ta[0] = foo;\n  \t       ^\n\n1 error detected in the compilation of \"kernel.cu\".\n";
        let error = CompileError::from_nvrtc("kernel", &[("kernel.cu", source)], log);
        assert_eq!(error.messages.len(), 1);
        assert_eq!((error.messages[0].line, error.messages[0].column), (2, 9));
        assert!(error.to_string().ends_with("2 | \ta[0] = foo;\n  | \t       ^"), "{error}");
    }

    /// As NVRTC 13 writes it: its caret stands under bytes, not characters.
    #[test]
    fn nvrtcs_columns_are_bytes_behind_wide_characters() {
        let source = "__global__ void f(float *a) {\n\t/* größe */ float b = 1; a[0] = fehlt;\n  a[1] = \"ß語\" + fehlt2;\n}";
        let log = "kernel.cu(2): error: identifier \"fehlt\" is undefined\n  \t/* größe */ float b = 1; a[0] = fehlt;\n  \t                                  ^\n\n\
                   kernel.cu(3): error: identifier \"fehlt2\" is undefined\n    a[1] = \"ß語\" + fehlt2;\n                     ^\n\n\
                   kernel.cu(2): warning #177-D: variable \"b\" was declared but never referenced\n  \t/* größe */ float b = 1; a[0] = fehlt;\n  \t                    ^\n\n\
                   Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n2 errors detected in the compilation of \"kernel.cu\".\n";
        let error = CompileError::from_nvrtc("kernel", &[("kernel.cu", source)], log);
        let passed = error.to_wire();
        assert_eq!(error.messages.len(), 3);
        assert_eq!(passed.messages.len(), 2, "warnings are not passed on");
        for (message, word) in passed.messages.iter().zip(["fehlt;", "fehlt2"]) {
            let line = source.lines().nth(message.line - 1).unwrap();
            assert!(line[message.column - 1..].starts_with(word), "{message:?}");
            assert!(message.is_error && message.text.ends_with("is undefined"));
        }
        assert!(
            error.to_string().contains(
                "2 | \t/* größe */ float b = 1; a[0] = fehlt;\n  | \t                                ^\n"
            ),
            "{error}"
        );
    }

    #[test]
    fn columns_are_those_of_the_users_text() {
        let source = "__global__ void f(int *a) { a[0] = x; }";
        let column = source.find('x').unwrap();
        let open = source.find('(').unwrap() + 1;
        let changes = [Change { line: 1, column: open, moved: 80 }];
        let at = |column: usize| {
            let log = format!("kernel.cu:1:{}: error: 'x' was not declared\n", column + 1);
            let error = CompileError::from_gcc("kernel", &[("kernel.cu", source)], &log);
            error.with_columns(&changes).messages[0].column - 1
        };
        assert_eq!(at(column + 80), column);
        assert_eq!((at(3), at(open + 40)), (3, open));
    }

    #[test]
    fn a_text_that_stops_too_early_is_marked_at_its_end() {
        let texts = [("neutral", "0"), ("reduce_expr", "a +\n")];
        for error in [
            CompileError::from_gcc(
                "dot",
                &texts,
                "after reduce_expr:1:1: error: expected primary-expression\n",
            ),
            CompileError::from_nvrtc("dot", &texts, "after reduce_expr(1): error: expected an expression\n"),
        ] {
            assert!(error.to_string().ends_with("--> reduce_expr line 1\n  |\n1 | a +\n  |    ^"), "{error}");
        }
    }

    #[test]
    fn a_log_without_places_is_shown_whole() {
        let error = CompileError::from_gcc("kernel", &[("kernel.cu", "x")], "cc1plus: out of memory\n");
        assert_eq!(error.to_string(), "kernel does not compile:\ncc1plus: out of memory");
    }
}
