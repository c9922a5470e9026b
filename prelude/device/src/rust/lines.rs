//! Where the lines of a kernel's text come from.

use gpurepl_kernels::rust::ITEMS_FILE;

use crate::error::{CompileError, KernelFault};

/// The user's texts that a kernel's items were put together from, and the line
/// of them that each of its lines is.
#[derive(Clone, Debug, Default)]
pub struct RustLines {
    /// Names and texts: `cell 3`. A text has the lines that are known.
    pub texts: Vec<(String, String)>,
    /// For each line of the items the text and its line, from one.
    pub lines: Vec<Option<(usize, usize)>>,
}

impl RustLines {
    fn of(&self, line: usize) -> Option<(usize, usize)> {
        *self.lines.get(line.checked_sub(1)?)?
    }

    /// Puts a fault at the user's own line.
    pub(crate) fn place(&self, fault: &mut KernelFault, line: Option<usize>) {
        (fault.line, fault.source_line) = (None, None);
        if let Some((text, line)) = line.and_then(|line| self.of(line)) {
            let (name, source) = &self.texts[text];
            fault.line = Some(line);
            fault.source_name.clone_from(name);
            fault.source_line = source.lines().nth(line - 1).map(str::to_owned);
        }
    }

    /// Where a line of the items is in the user's own texts, in words.
    pub(crate) fn words(&self, line: usize) -> Option<String> {
        let (text, line) = self.of(line)?;
        Some(format!("{} line {line}", self.texts[text].0))
    }

    /// A compiler's short messages as an error about the user's texts.
    pub(crate) fn error(&self, what: &str, items: &str, log: &str) -> CompileError {
        // `kernel.rs:1:5: error[E0433]: ..`: the code is for looking up.
        let plain = |line: &str| match (line.find(": error[E"), line.find("]: ")) {
            (Some(at), Some(end)) if at < end => format!("{}: error: {}", &line[..at], &line[end + 3..]),
            _ => line.to_owned(),
        };
        let log: String = log.lines().map(|line| plain(line) + "\n").collect();
        let mut error = CompileError::from_gcc(what, &[(ITEMS_FILE, items)], &log);
        if error.messages.iter().all(|message| self.of(message.line).is_some()) {
            for message in &mut error.messages {
                if let Some((text, line)) = self.of(message.line) {
                    (message.source, message.line) = (text, line);
                }
            }
            error.texts.clone_from(&self.texts);
        }
        error.help = Some(help(&log).to_owned());
        error
    }
}

/// What to do about what a device does not have.
fn help(log: &str) -> &'static str {
    let has = |word: &str| log.contains(word);
    if ["`Vec`", "`String`", "`Box`", "`vec`", "`format`", "`HashMap`", "`Rc`", "`Arc`"].into_iter().any(has)
    {
        "a kernel allocates nothing: use an array `[T; N]`, `shared!([T; N])`, or another parameter"
    } else if has("std") && (has("unresolved import") || has("could not find")) {
        "kernels have `core` and not `std`: no files, threads or collections"
    } else if has("cannot find value") {
        "a static that changes is the host's alone: pass an array, `&[AtomicU32]` for one that all threads change, or write `const`"
    } else {
        "kernels have `core`, the items of your cells, and `thread`, `block`, `grid`, `warp`, `atomic`, `fast` and `shared!`"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_about_the_users_lines() {
        let lines = RustLines {
            texts: vec![("cell 3".to_owned(), "\n\nfn k() { Vec::new(); }".to_owned())],
            lines: vec![Some((0, 3))],
        };
        let log = "kernel.rs:1:10: error[E0433]: failed to resolve: use of undeclared type `Vec`\nerror: aborting due to 1 previous error\n";
        let error = lines.error("k", "fn k() { Vec::new(); }", log);
        assert_eq!(error.texts[0].0, "cell 3");
        assert_eq!((error.messages[0].line, error.messages[0].column), (3, 10));
        assert_eq!(error.messages[0].text, "failed to resolve: use of undeclared type `Vec`");
        assert!(error.help.unwrap().contains("allocates nothing"));
    }
}
