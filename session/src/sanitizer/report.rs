//! The text that compute-sanitizer leaves, taken apart.
//!
//! Lines begin with `=========`. One space after it a record begins; lines
//! that belong to it are set further in, and an empty one ends it:
//!
//! ```text
//! ========= Invalid __global__ write of size 4 bytes
//! =========     at scale(float *, int)+0x50 in kernel.cu:3
//! =========     by thread (32,0,0) in block (0,0,0)
//! =========     Address 0x7f6510c00190 is out of bounds
//! =========     and is 1 bytes after the nearest allocation at 0x7f6510c00000 of size 400 bytes
//! =========
//! ========= ERROR SUMMARY: 1 error
//! ```

use std::fmt;

/// What compute-sanitizer has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Errors and warnings, those of one kind on one line together.
    pub findings: Vec<Finding>,
    /// How many errors there are by the tool's own count; it may show fewer.
    pub errors: u64,
    /// How many warnings there are.
    pub warnings: u64,
    /// What the tool says about itself: that it lost the process, say.
    pub remarks: Vec<String>,
    /// Whether every run has ended with a count: else something is missing.
    pub is_complete: bool,
    /// Whether the process has used a GPU, as far as the tool has seen.
    pub has_used_cuda: bool,
    /// Whether anything has been read.
    has_begun: bool,
}

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether it is an error rather than a warning.
    pub is_error: bool,
    /// What it is, in the tool's words: `Invalid __global__ write of size 4 bytes`.
    pub message: String,
    /// More about it, of its first occurrence.
    pub details: Vec<String>,
    /// Where it happened: the place itself first, then what raced with it, or
    /// what called it.
    pub accesses: Vec<Access>,
    /// The first thread and its block, as the tool writes them: `(32,0,0)`.
    pub thread: Option<(String, String)>,
    /// How often it was reported.
    pub count: u64,
}

/// A place that takes part in an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// What happened there: `write access`; may be nothing.
    pub what: String,
    /// The place.
    pub place: Place,
}

/// A place in a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The function, with the types of its arguments.
    pub function: String,
    /// The file and the line, if the kernel was compiled with lines.
    pub line: Option<(String, usize)>,
}

impl Place {
    /// Reads `scale(float *, int)+0x50 in kernel.cu:3`, also without a line,
    /// and the older `0x50 in kernel.cu:3:scale(float *, int)`.
    fn parse(text: &str) -> Place {
        let text = text.trim();
        if text.starts_with("0x") {
            let Some((_, rest)) = text.split_once(" in ") else { return Place::default() };
            let mut parts = rest.splitn(3, ':');
            if let (Some(file), Some(line), Some(function)) = (parts.next(), parts.next(), parts.next())
                && let Ok(line) = line.parse()
            {
                return Place { function: function.to_owned(), line: Some((file.to_owned(), line)) };
            }
            return file_and_line(rest).map_or_else(
                || Place { function: rest.to_owned(), line: None },
                |line| Place { function: String::new(), line: Some(line) },
            );
        }
        let (function, line) = match text.rsplit_once(" in ") {
            Some((function, place)) => (function, file_and_line(place)),
            None => (text, None),
        };
        // An offset into the machine code says nothing to the reader.
        let offset = function.rfind("+0x").or_else(|| function.rfind(":0x"));
        let function = &function[..offset.unwrap_or(function.len())];
        // A function that the compiler has split off says so in brackets.
        let function = match function.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            Some((_, function)) => function,
            None => function,
        };
        Place { function: function.to_owned(), line }
    }

    /// The function's name alone: neither its result, namespaces, template
    /// arguments nor the types of its arguments.
    pub fn name(&self) -> &str {
        let end = self.function.find(['<', '(']).unwrap_or(self.function.len());
        let name = self.function[..end].trim();
        let name = name.rsplit([' ', '*', '&']).next().unwrap_or(name);
        name.rsplit("::").next().unwrap_or(name)
    }
}

/// `kernel.cu:3`.
fn file_and_line(text: &str) -> Option<(String, usize)> {
    let (file, line) = text.trim().rsplit_once(':')?;
    Some((file.to_owned(), line.parse().ok()?))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.line {
            Some((file, line)) if self.function.is_empty() => write!(f, "{file} line {line}"),
            Some((file, line)) => write!(f, "{file} line {line}, in {}", self.function),
            None if self.function.is_empty() => f.write_str("somewhere"),
            None => write!(f, "in {}, of which no lines are known", self.function),
        }
    }
}

impl Finding {
    /// Who did it, in words.
    pub(super) fn who(&self) -> Option<String> {
        let more = match self.count {
            0 | 1 => String::new(),
            count => format!(", and {} more like it", count - 1),
        };
        match &self.thread {
            Some((thread, block)) => Some(format!("thread {thread} of block {block}{more}")),
            None => (self.count > 1).then(|| format!("{} times", self.count)),
        }
    }

    fn is_like(&self, other: &Finding) -> bool {
        self.is_error == other.is_error
            && self.message == other.message
            && self.accesses == other.accesses
            // Without a place there is only the words to go by.
            && (!self.accesses.is_empty() || self.details == other.details)
    }
}

impl Report {
    /// Reads the report of one process, and adds it to what was read before.
    pub(super) fn read(&mut self, text: &str) {
        let (mut is_complete, mut has_used_cuda) = (false, true);
        let mut lines =
            text.lines().filter_map(|line| line.trim_start().strip_prefix("=========")).peekable();
        while let Some(line) = lines.next() {
            let head = line.trim();
            let mut body = Vec::new();
            while let Some(next) = lines.next_if(|next| next.starts_with("  ")) {
                body.push(next.trim());
            }
            if head.is_empty() || head == "COMPUTE-SANITIZER" {
                continue;
            }
            if let Some(counts) = head.strip_prefix("ERROR SUMMARY: ") {
                is_complete = true;
                // How many were not shown comes on a line of its own.
                if !counts.contains("not printed") {
                    self.errors += number(counts);
                }
            } else if let Some(counts) = head.strip_prefix("RACECHECK SUMMARY: ") {
                is_complete = true;
                if let Some((_, counts)) = counts.split_once('(') {
                    let mut counts = counts.split(", ").map(number);
                    self.errors += counts.next().unwrap_or(0);
                    self.warnings += counts.next().unwrap_or(0);
                }
            } else if head.contains("terminated before first instrumented") {
                has_used_cuda = false;
            } else if head.starts_with("LEAK SUMMARY") || head == "Target application returned an error" {
                // Counted among the errors; told by the session itself.
            } else {
                self.record(head, &body);
            }
        }
        // Nothing is counted where there was nothing to look at.
        let is_complete = is_complete || !has_used_cuda;
        self.is_complete = is_complete && (self.is_complete || !self.has_begun);
        self.has_used_cuda |= has_used_cuda;
        self.has_begun = true;
        if !has_used_cuda {
            // It ended without the tool having looked at it: no news.
            self.remarks.retain(|remark| !remark.starts_with("Error: process didn't terminate"));
        }
    }

    fn record(&mut self, head: &str, body: &[&str]) {
        let (level, words) = match head.split_once(": ") {
            Some((level @ ("Error" | "ERROR"), words)) => (Some(level), words),
            Some((level @ ("Warning" | "WARNING" | "WARN" | "Info" | "INFO"), words)) => (Some(level), words),
            _ => (None, head),
        };
        let is_error = level.is_none_or(|level| level.eq_ignore_ascii_case("error"));
        let mut finding = Finding {
            is_error,
            message: words.trim_end_matches([':', '.', ' ']).to_owned(),
            details: Vec::new(),
            accesses: Vec::new(),
            thread: None,
            count: 1,
        };
        if let Some((message, rest)) = split_access(words, "Race reported between ") {
            finding.message = message;
            finding.race(rest);
        } else if let Some((message, place)) = words.rsplit_once(" at ").filter(|_| words.contains("+0x")) {
            // `Barrier called by threads starting at (0,0,0) ... at k()+0x2b0 in kernel.cu:36`
            finding.message = message.to_owned();
            finding.accesses.push(Access { what: String::new(), place: Place::parse(place) });
        }
        let mut is_in_host_frames = false;
        for line in body {
            if line.starts_with("Saved host backtrace") {
                is_in_host_frames = true;
            } else if !is_in_host_frames {
                finding.line(line);
            }
        }
        finding.details.retain(|detail| !detail.is_empty());
        // What the tool says about itself has neither place nor thread.
        let is_about_kernels = !finding.accesses.is_empty()
            || finding.thread.is_some()
            || ["Invalid", "Leaked", "Uninitialized", "Unused", "Malloc/Free", "Program hit", "Barrier"]
                .iter()
                .any(|word| finding.message.starts_with(word));
        if !is_about_kernels {
            if !head.starts_with("Tracking kernels launched by child processes") {
                self.remarks.push(head.to_owned());
            }
            return;
        }
        match self.findings.iter_mut().find(|known| known.is_like(&finding)) {
            Some(known) => known.count += 1,
            None => self.findings.push(finding),
        }
    }
}

impl Finding {
    /// A line of a record after its first.
    fn line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("by thread ")
            && let Some((thread, block)) = rest.split_once(" in block ")
        {
            self.thread = Some((thread.to_owned(), block.to_owned()));
        } else if let Some(place) = line.strip_prefix("at ") {
            self.accesses.push(Access { what: String::new(), place: Place::parse(place) });
        } else if let Some(place) = line.strip_prefix("Device Frame:") {
            let what = if self.accesses.is_empty() { "" } else { "called from here" };
            self.accesses.push(Access { what: what.to_owned(), place: Place::parse(place) });
        } else if let Some(rest) = line.strip_prefix("and ").filter(|rest| rest.contains(" access at ")) {
            self.race(rest);
        } else if let Some((thread, place)) = line.split_once(") at ").filter(|(thread, _)| is_actor(thread))
        {
            let what = format!("{})", thread.to_lowercase());
            self.accesses.push(Access { what, place: Place::parse(place) });
        } else if line.starts_with("Address ") || line.starts_with("Access ") {
            // The address itself differs from run to run.
            if let Some((_, what)) = line.split_once(" is ") {
                self.details.push(what.to_owned());
            }
        } else if let Some(rest) = line.strip_prefix("and is ") {
            let rest = without_address(rest).replacen("1 bytes ", "1 byte ", 1);
            match self.details.last_mut() {
                Some(last) => *last = format!("{last}, {rest}"),
                None => self.details.push(rest),
            }
        } else if !line.starts_with("Current Value") && !line.starts_with("Sync mask of thread") {
            self.details.push(without_address(line));
        }
    }

    /// `Write access at k()+0x90 in kernel.cu:5 and Read access at ... [508 hazards]`.
    fn race(&mut self, text: &str) {
        for part in text.split(" and ") {
            let Some((what, place)) = part.split_once(" access at ") else { continue };
            let (place, hazards) = match place.rsplit_once(" [") {
                Some((place, hazards)) => (place, Some(hazards.trim_end_matches(']'))),
                None => (place, None),
            };
            let mut what = format!("{} access", what.to_lowercase());
            if let Some(hazards) = hazards {
                what = format!("{what}, {hazards}");
            }
            self.accesses.push(Access { what, place: Place::parse(place) });
        }
    }
}

/// What a record says and the accesses that it says it of.
fn split_access<'t>(text: &'t str, words: &str) -> Option<(String, &'t str)> {
    let at = text.find(words)? + words.len();
    let message = text[..at].trim().trim_end_matches(" between");
    Some((message.to_owned(), &text[at..]))
}

/// `Write Thread (0,0,0`.
fn is_actor(text: &str) -> bool {
    text.starts_with("Write Thread (") || text.starts_with("Read Thread (")
}

/// `... at 0x7f6510c00000 of size 400 bytes` without the address.
fn without_address(text: &str) -> String {
    match text.split_once(" at 0x") {
        Some((before, after)) => {
            let after = after.trim_start_matches(|sign: char| sign.is_ascii_hexdigit());
            format!("{before}{after}")
        }
        None => text.to_owned(),
    }
}

/// The number that a text begins with; thousands may be set apart by commas.
fn number(text: &str) -> u64 {
    let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != ',').unwrap_or(text.len());
    text[..end].replace(',', "").parse().unwrap_or(0)
}
