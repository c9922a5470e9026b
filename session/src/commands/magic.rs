//! Magics: lines at the very start of a cell that say how it is run.
//!
//! ```text
//! %%timeit -n 100        about the whole cell below; several may follow each other
//! let b = &a * 2.0;
//! b.sum().item()
//!
//! %time a.sum()          before code on the same line; that is the cell
//! ```
//!
//! No Rust starts with `%`, and nowhere else is one searched, so that the
//! operator `%` is never touched. Before the rest is compiled each magic is
//! overwritten with as many spaces, so that lines and columns stay.
//!
//! A new magic is a line in [`MAGICS`] and a field of [`Manner`].

use std::ops::Range;

use super::COMMANDS;
use crate::ranks::Selection;

/// How a cell is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// What is reported about its time afterwards.
    pub telling: Telling,
    /// It is run in loops, and that is timed.
    pub timeit: Option<Timeit>,
    /// It is not run again after a worker is lost.
    pub is_once: bool,
    /// How much its code is optimised, from 0 to 3; as the session's is, if
    /// none.
    pub optimisation: Option<u8>,
    /// It is a front end's question: its value is not kept for later cells.
    pub is_aside: bool,
    /// The ranks that run it, of several workers; all if none.
    pub ranks: Option<Selection>,
}

impl Manner {
    /// Whether kernels and copies are measured.
    pub fn is_timed(&self) -> bool {
        self.telling != Telling::Nothing
    }
}

/// What is reported about a cell's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Telling {
    /// What the session reports about every cell.
    #[default]
    Nothing,
    /// A line: `%time`.
    Line,
    /// A table of kernels and copies: `%profile`.
    Table,
}

/// How a cell is run in loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeit {
    /// Loops of a run; zero for as many as it takes.
    pub loops: u64,
    /// How many runs.
    pub runs: u64,
    /// Where the code that runs once, before the loops, ends in the cell's
    /// text, in bytes.
    pub setup_end: usize,
}

/// A magic that there is.
pub struct Magic {
    /// Its name, without the `%`.
    pub name: &'static str,
    /// What follows the name.
    pub arguments: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    /// Reads the options after the name, notes what they ask for, and returns
    /// how many bytes of the line they are: code follows.
    apply: fn(&Line<'_>, &mut Manner) -> Result<usize, String>,
}

/// Every magic, in the order of the help.
pub const MAGICS: &[Magic] = &[
    Magic { name: "time", arguments: "CODE", help: "runs a cell and shows where the time went", apply: time },
    Magic {
        name: "timeit",
        arguments: "[-n LOOPS] [-r RUNS] CODE",
        help: "runs a cell in loops and shows how long one takes",
        apply: timeit,
    },
    Magic {
        name: "profile",
        arguments: "CODE",
        help: "runs a cell and shows how long each kernel and copy took",
        apply: profile,
    },
    Magic {
        name: "opt",
        arguments: "0|1|2|3",
        help: "optimises a cell's own loops, as `rustc -C opt-level` does",
        apply: optimise,
    },
    Magic {
        name: "rank",
        arguments: "RANKS",
        help: "runs a cell on some of the workers: `%%rank 0`, `%%rank 1..3`",
        apply: rank,
    },
    Magic {
        name: "noreplay",
        arguments: "",
        help: "marks a cell that is not to be run again after a worker is lost",
        apply: noreplay,
    },
];

/// Commands that take code are magics under another sign: `:time CODE`.
const AS_COMMANDS: &[&str] = &["time", "timeit", "profile"];

/// A magic where it stands, whether or not there is one of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Where its sign starts.
    start: usize,
    name: Range<usize>,
    /// Where its line ends, without the end of the line.
    pub(crate) line_end: usize,
    /// `%%`: about the cell below. What follows the name is not the cell.
    pub(crate) is_cell: bool,
}

/// What stands after a magic's name on its line.
struct Line<'s> {
    text: &'s str,
    is_cell: bool,
    /// Where the line ends in the cell's text.
    end: usize,
}

/// A cell's text taken for Rust, and how it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The text with its magics overwritten with spaces.
    pub text: String,
    /// How the cell is run.
    pub manner: Manner,
}

/// Something is wrong with a magic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MagicError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes.
    pub range: Range<usize>,
}

/// Reads the magics of a cell; none if it has none.
///
/// ```
/// use gpurepl_session::magic;
/// let read = magic::read("%time 7 % 4")?.expect("a magic");
/// assert_eq!(read.text, "      7 % 4");
/// assert_eq!(magic::read("7 % 4")?, None);
/// # Ok::<(), magic::MagicError>(())
/// ```
///
/// # Errors
///
/// If there is no magic of a name, or its options are wrong.
pub fn read(source: &str) -> Result<Option<Read>, MagicError> {
    let found = find(source);
    if found.is_empty() {
        return Ok(None);
    }
    let mut text = source.to_owned();
    let mut manner = Manner::default();
    for magic in &found {
        let name = &source[magic.name.clone()];
        let range = magic.start..magic.name.end;
        let Some(known) = MAGICS.iter().find(|known| known.name == name) else {
            return Err(MagicError { message: unknown(&source[range.clone()], name), range });
        };
        let line = Line {
            text: &source[magic.name.end..magic.line_end],
            is_cell: magic.is_cell,
            end: magic.line_end,
        };
        let options = (known.apply)(&line, &mut manner).map_err(|message| MagicError {
            message: format!("{message}: `%{} {}`", known.name, known.arguments),
            range: magic.start..magic.line_end,
        })?;
        let end = magic.name.end + options;
        text.replace_range(magic.start..end, &" ".repeat(end - magic.start));
    }
    if text.trim().is_empty() {
        let last = &found[found.len() - 1];
        let name = &source[last.name.clone()];
        let message = format!("`%{name}` has no code to run: `%{name} CODE`, or the code below `%%{name}`");
        return Err(MagicError { message, range: last.start..last.name.end });
    }
    Ok(Some(Read { text, manner }))
}

/// Whether a magic of cells has this name.
pub(crate) fn is_magic(name: &str) -> bool {
    MAGICS.iter().any(|known| known.name == name)
}

/// Whether a command is code with a magic: `:time CODE`.
pub(crate) fn is_in_command(source: &str) -> bool {
    as_command(source).is_some()
}

/// Whether a line that follows a whole cell begins another one with a magic,
/// rather than going on with the operator `%`.
///
/// ```
/// use gpurepl_session::magic::begins;
/// assert!(begins("%time f()") && begins("%%time"));
/// assert!(!begins("% time") && !begins("%b + 1"));
/// ```
pub fn begins(line: &str) -> bool {
    let found = find(line);
    found.first().is_some_and(|magic| {
        let name = &line[magic.name.clone()];
        magic.is_cell || MAGICS.iter().any(|known| known.name == name)
    })
}

/// The magics at the start of a text, by their looks alone.
pub(crate) fn find(source: &str) -> Vec<Found> {
    if let Some(found) = as_command(source) {
        return vec![found];
    }
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let rest = &source[at..];
        let start = at + rest.len() - rest.trim_start().len();
        let signs = source[start..].bytes().take_while(|byte| *byte == b'%').count();
        let Some(magic) = (1..=2).contains(&signs).then(|| named(source, start, signs)).flatten() else {
            return found;
        };
        at = magic.line_end;
        // What follows the name of the other kind is the cell.
        let is_last = !magic.is_cell;
        found.push(magic);
        if is_last {
            return found;
        }
    }
}

/// The magic whose sign starts here, if a name follows it.
fn named(source: &str, start: usize, signs: usize) -> Option<Found> {
    let rest = &source[start + signs..];
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, after) = rest.split_at(length);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    if !after.is_empty() && !after.starts_with(char::is_whitespace) {
        return None;
    }
    let name = start + signs..start + signs + length;
    let line_end = source[name.end..].find('\n').map_or(source.len(), |at| name.end + at);
    Some(Found { start, name, line_end, is_cell: signs == 2 })
}

fn as_command(source: &str) -> Option<Found> {
    let start = source.len() - source.trim_start().len();
    let found = source[start..].starts_with(':').then(|| named(source, start, 1)).flatten()?;
    let code = source[found.name.end..].trim();
    let is_code = !matches!(code, "" | "on" | "off");
    (AS_COMMANDS.contains(&&source[found.name.clone()]) && is_code).then_some(found)
}

/// Magics of IPython's that have another name here, or are not needed.
const IPYTHON: &[(&str, &str)] = &[
    ("who", "`:vars` lists the variables"),
    ("whos", "`:vars` lists the variables"),
    ("who_ls", "`:vars` lists the variables"),
    ("matplotlib", "nothing is needed: `plot(&x)` is shown as a cell's value"),
    ("pylab", "nothing is needed: `plot(&x)` is shown as a cell's value"),
    ("load_ext", "nothing is needed: `:dep name` adds a crate"),
    ("pip", "`:dep name` adds a crate"),
    ("conda", "`:dep name` adds a crate"),
    ("run", "`:run file.rs` runs a script"),
    ("reset", "`:reset` forgets all variables"),
    ("history", "`:history` lists the cells"),
    ("pinfo", "`?name` shows documentation"),
    ("env", "`:env` shows and sets variables of the environment"),
    ("lsmagic", "`:help magics` lists those there are"),
    ("magic", "`:help magics` lists those there are"),
    ("quickref", "`:help` lists the commands"),
    ("precision", "`array::set_printoptions(|o| o.precision(3))` says how arrays are printed"),
    (
        "config",
        "`style().font_size(13)` says how figures look, `array::set_printoptions(|o| o.precision(3))` how arrays do",
    ),
    ("autoreload", "nothing is needed: a cell that is run again replaces what it defines"),
    ("writefile", "`std::fs::write(\"a.txt\", \"text\")?` writes a file, and `:save work.rs` the cells"),
    ("capture", "a value that ends with `;` is not shown"),
    ("prun", "`%profile` shows how long kernels and copies took"),
    ("memit", "`:mem` shows how much of the device's memory is used"),
    ("ls", "`!ls` runs a command of the system"),
    ("sx", "`!COMMAND` runs a command of the system"),
    ("system", "`!COMMAND` runs a command of the system"),
    ("bash", "`%%sh` in a notebook, or `std::process::Command`, runs a command of the system"),
];

fn unknown(written: &str, name: &str) -> String {
    if let Some((_, help)) = IPYTHON.iter().find(|(known, _)| *known == name) {
        return format!("there is no magic `{written}`; {help}");
    }
    if let Some(command) = COMMANDS.iter().find(|command| command.name == name) {
        return format!("there is no magic `{written}`; `:{name}` {}", command.help);
    }
    let distance = |magic: &&Magic| strsim::damerau_levenshtein(magic.name, name);
    let signs = &written[..written.len() - name.len()];
    let limit = (name.chars().count() / 3).min(2);
    match MAGICS.iter().min_by_key(distance).filter(|magic| distance(magic) <= limit) {
        Some(near) => format!("there is no magic `{written}`; did you mean `{signs}{}`?", near.name),
        None => {
            let names: Vec<String> = MAGICS.iter().map(|magic| format!("%{}", magic.name)).collect();
            format!("there is no magic `{written}`; there are {}", names.join(", "))
        }
    }
}

/// Nothing but code follows: of `%%` it has to be on the lines below.
fn code_only(line: &Line<'_>, name: &str) -> Result<usize, String> {
    if line.is_cell && !line.text.trim().is_empty() {
        return Err(format!(
            "nothing can follow `%%{name}` on its line; the code is below, or after `%{name}`"
        ));
    }
    Ok(0)
}

fn time(line: &Line<'_>, manner: &mut Manner) -> Result<usize, String> {
    manner.telling = Telling::Line;
    code_only(line, "time")
}

fn profile(line: &Line<'_>, manner: &mut Manner) -> Result<usize, String> {
    manner.telling = Telling::Table;
    code_only(line, "profile")
}

fn noreplay(line: &Line<'_>, manner: &mut Manner) -> Result<usize, String> {
    manner.is_once = true;
    code_only(line, "noreplay")
}

fn rank(line: &Line<'_>, manner: &mut Manner) -> Result<usize, String> {
    let start = line.text.len() - line.text.trim_start().len();
    let rest = &line.text[start..];
    // Above a cell the whole line names ranks; before code they are one word.
    let length = if line.is_cell {
        rest.trim_end().len()
    } else {
        rest.find(char::is_whitespace).unwrap_or(rest.len())
    };
    if length == 0 {
        return Err("ranks are expected".to_owned());
    }
    manner.ranks = Some(Selection::parse(&rest[..length])?);
    Ok(start + length)
}

fn optimise(line: &Line<'_>, manner: &mut Manner) -> Result<usize, String> {
    let start = line.text.len() - line.text.trim_start().len();
    let length = line.text[start..].find(char::is_whitespace).unwrap_or(line.text.len() - start);
    let level = optimisation(&line.text[start..start + length])?;
    if line.is_cell && !line.text[start + length..].trim().is_empty() {
        return Err("the code is below `%%opt`, or after `%opt` and the number".to_owned());
    }
    manner.optimisation = Some(level);
    Ok(start + length)
}

/// A level of optimisation: 0 to 3.
pub(crate) fn optimisation(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(level @ 0..=3) => Ok(level),
        _ => Err(format!("a level of optimisation is 0, 1, 2 or 3, not `{text}`")),
    }
}

/// Runs of `%timeit`, as IPython has them.
const RUNS: u64 = 7;

fn timeit(line: &Line<'_>, manner: &mut Manner) -> Result<usize, String> {
    let mut timeit = Timeit { loops: 0, runs: RUNS, setup_end: 0 };
    let mut rest = line.text;
    loop {
        let option = rest.trim_start();
        let (target, after) = match option.get(..2) {
            Some("-n") => (&mut timeit.loops, &option[2..]),
            Some("-r") => (&mut timeit.runs, &option[2..]),
            _ => break,
        };
        let number = after.trim_start();
        let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let word: String = number.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // After `-n` in Rust comes an operator, if anything.
        if digits == 0 && !word.is_empty() && after.starts_with(char::is_whitespace) && word != "as" {
            return Err(format!("`{}` needs a number, not `{word}`", &option[..2]));
        }
        // `-n` may also be a number of the user's with its sign changed.
        if digits == 0 && !after.trim().is_empty() {
            break;
        }
        *target = match number[..digits].parse() {
            Ok(value) if value > 0 => value,
            _ => return Err(format!("`{}` needs a number from 1 on", &option[..2])),
        };
        rest = &number[digits..];
    }
    if line.is_cell && !rest.trim().is_empty() {
        timeit.setup_end = line.end;
    }
    manner.timeit = Some(timeit);
    Ok(line.text.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(source: &str) -> String {
        read(source).unwrap().unwrap().text
    }

    fn message(source: &str) -> String {
        read(source).unwrap_err().message
    }

    #[test]
    fn a_magic_leaves_the_code_in_its_place() {
        assert_eq!(text("%time a.sum()"), "      a.sum()");
        assert_eq!(text("\n  %%time\n  a.sum()"), "\n        \n  a.sum()");
        assert_eq!(text("%timeit -n 10 -r3 a % b"), "                  a % b");
        assert_eq!(text("%timeit -n * 2"), "        -n * 2");
        assert_eq!(text("%%timeit let x = 1;\nx + 1"), "         let x = 1;\nx + 1");
        assert_eq!(text(":time a"), "      a");
    }

    #[test]
    fn options_are_numbers() {
        let timeit = |source: &str| read(source).unwrap().unwrap().manner.timeit.unwrap();
        assert_eq!(timeit("%timeit 1"), Timeit { loops: 0, runs: 7, setup_end: 0 });
        assert_eq!(timeit("%timeit -r 2 -n5 1"), Timeit { loops: 5, runs: 2, setup_end: 0 });
        assert_eq!(timeit("%%timeit -n 1 f();\n1").setup_end, 18);
        assert!(message("%timeit -n 0 1").contains("`-n` needs a number from 1 on"));
        assert!(message("%timeit -r").contains("`-r` needs a number"));
        assert!(message("%timeit -n abc 1").contains("`-n` needs a number, not `abc`"));
        assert_eq!(text("%timeit -n as f64"), "        -n as f64");
    }

    #[test]
    fn magics_stand_below_each_other() {
        let read = read("%%time\n%%timeit -n 2\n1").unwrap().unwrap();
        assert_eq!(read.manner.telling, Telling::Line);
        assert_eq!(read.manner.timeit.unwrap().loops, 2);
        assert_eq!(read.text.trim(), "1");
    }

    #[test]
    fn magics_of_ipython_have_their_commands_here() {
        assert_eq!(message("%who"), "there is no magic `%who`; `:vars` lists the variables");
        assert_eq!(message("%pip install x"), "there is no magic `%pip`; `:dep name` adds a crate");
        assert_eq!(message("%cd"), "there is no magic `%cd`; `:cd` changes the current folder");
        for (text, help) in [
            ("%debug", "`:debug` runs this session's cells"),
            ("%save f 1", "`:save`"),
            ("%lsmagic", "`:help magics`"),
            ("%precision 3", "`array::set_printoptions(|o| o.precision(3))`"),
            ("%config InlineBackend.figure_format = \"retina\"", "`style().font_size(13)`"),
            ("%%writefile f.py\nx", "`std::fs::write("),
        ] {
            assert!(message(text).contains(help), "{text}");
        }
        for (_, help) in IPYTHON {
            for command in help.split('`').filter_map(|word| word.strip_prefix(':')) {
                let name = command.split(' ').next().unwrap();
                assert!(COMMANDS.iter().any(|known| known.name == name), "{help}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_the_nearest_name() {
        assert_eq!(message("%tme 1"), "there is no magic `%tme`; did you mean `%time`?");
        assert_eq!(message("%%timit\n1"), "there is no magic `%%timit`; did you mean `%%timeit`?");
        assert!(message("%cython -a").contains("there are %time, %timeit"));
        assert!(message("%matplotlib inline").contains("nothing is needed"));
        assert!(message("%time").contains("no code"));
        assert!(message("%%time 1\n2").contains("nothing can follow `%%time`"));
        assert_eq!(read("  %tme 1").unwrap_err().range, 2..6);
    }

    proptest! {
        /// A text that does not start with a sign is no magic's, whatever
        /// stands in it.
        #[test]
        fn text_that_is_no_magic_is_not_touched(start in "[^%:\\s]", rest in "(.|\n)*") {
            prop_assert_eq!(read(&format!("{start}{rest}")), Ok(None));
            prop_assert_eq!(read(&format!("\n  {start}{rest}\n%time 1")), Ok(None));
        }

        /// Signs that no name follows are left to Rust.
        #[test]
        fn signs_without_a_name_are_not_touched(
            signs in "%{1,4}", after in "( |=|[0-9]|\\(|\\{|\n)", rest in "[^%]*",
        ) {
            prop_assert_eq!(read(&format!("{signs}{after}{rest}")).map(|read| read.is_none()), Ok(true));
        }

        /// Whatever is read is as long as it was, and line ends stay.
        #[test]
        fn lines_and_columns_stay(
            magic in "(%time|%%time|%timeit|%%timeit -n 3|%profile)", code in "( |\n)[a-z%+ \n]*",
        ) {
            let source = format!("{magic}{code}");
            if let Ok(Some(read)) = read(&source) {
                prop_assert_eq!(read.text.len(), source.len());
                for (ours, own) in read.text.bytes().zip(source.bytes()) {
                    prop_assert!(ours == own || (ours == b' ' && own != b'\n'));
                }
                prop_assert!(read.text.ends_with(code.trim_start_matches([' ', '\n'])) || code.contains('%'));
            }
        }
    }
}
