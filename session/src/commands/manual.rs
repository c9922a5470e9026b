//! What there is to say of each command beyond its line in the table: its
//! subject, what its arguments are, how it is used.

use std::fmt::Write as _;

use super::{COMMANDS, Command, find, unknown};
use crate::commands::magic::MAGICS;

/// What a command is about; the help lists them so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Variables, items, and what cells have left.
    Session,
    /// Where time goes.
    Time,
    /// Devices, memory, kernels.
    Device,
    /// Files, folders, the environment.
    Files,
    /// The shell itself.
    Shell,
}

/// What an argument of a command is, so that a front end can complete it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A path.
    File,
    /// The path of a folder.
    Folder,
    /// The name of a variable.
    Variable,
    /// The name of an item.
    Item,
    /// The name of a command.
    Command,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of an environment variable.
    Environment,
    /// Numbers of cells: `3` or `3-5`.
    Cells,
    /// Rust.
    Code,
}

/// A page of the manual.
pub struct Page {
    /// The command's name.
    pub command: &'static str,
    /// What it is about.
    pub subject: Subject,
    /// What each argument may be; the last one's may be repeated.
    pub takes: &'static [&'static [Argument]],
    /// More about it; may be nothing.
    pub details: &'static str,
    /// Uses of it, and what each does.
    pub examples: &'static [(&'static str, &'static str)],
}

const ON_OFF: Argument = Argument::Word(&["on", "off"]);

/// The pages. A command without one is listed all the same.
pub const PAGES: &[Page] = &[
    Page {
        command: "help",
        subject: Subject::Shell,
        takes: &[&[Argument::Command]],
        details: "",
        examples: &[(":help timeit", "explains a command or a magic")],
    },
    Page {
        command: "vars",
        subject: Subject::Session,
        takes: &[&[Argument::Variable]],
        details: "For an array, shows the element type, the shape, the device and the size in bytes; for a \
                  list or a string, its length; for anything else, the size of the value itself.",
        examples: &[(":vars", "lists all"), (":vars a b", "lists two of them")],
    },
    Page { command: "items", subject: Subject::Session, takes: &[], details: "", examples: &[] },
    Page {
        command: "reset",
        subject: Subject::Session,
        takes: &[&[Argument::Word(&["vars", "items"])], &[Argument::Variable, Argument::Item]],
        details: "Without arguments, all variables and items are dropped and the worker is restarted, which \
                  frees the device's memory. Variables whose types depend on a dropped item are dropped \
                  too.",
        examples: &[
            (":reset", "forgets everything"),
            (":reset vars", "forgets all variables"),
            (":reset vars a b", "forgets two variables, and frees their memory"),
            (":reset items f", "forgets a function"),
        ],
    },
    Page {
        command: "mem",
        subject: Subject::Device,
        takes: &[],
        details: "Arrays that share memory, such as views and clones, are counted once. Memory held by the \
                  pool is free for the next array; `memory_pool()?.free_held()?` releases it.",
        examples: &[],
    },
    Page {
        command: "device",
        subject: Subject::Device,
        takes: &[&[Argument::Word(&["list", "info"])]],
        details: "A session keeps its device: it is chosen when the session starts, by `gpurepl --device \
                  cuda:1` or by GPUREPL_DEVICE.",
        examples: &[(":device", "lists the devices"), (":device info", "describes the one in use")],
    },
    Page {
        command: "workers",
        subject: Subject::Session,
        takes: &[&[Argument::Word(&["1", "2", "4"])]],
        details: "Each cell is compiled once and runs on all workers. Worker k, the one of rank k, has the GPU \
                  `cuda:k`, or a share of the processor's cores. `rank()` and `ranks()` tell a cell where it is, \
                  and functions of `distributed` combine the workers' arrays. A change of the number starts new \
                  workers and replays the cells so far.",
        examples: &[
            (":workers", "lists the workers and their devices"),
            (":workers 4", "has four workers run each cell"),
            ("%%rank 0", "on the first line of a cell: only rank 0 runs it"),
        ],
    },
    Page {
        command: "rank",
        subject: Subject::Session,
        takes: &[&[Argument::Word(&["0", "1", ".."])]],
        details: "A value that differs between workers is shown for the first of them if it is long.",
        examples: &[(":rank 2", "shows rank 2's value"), (":rank 1..3", "shows those of ranks 1 and 2")],
    },
    Page {
        command: "kernels",
        subject: Subject::Device,
        takes: &[],
        details: "Occupancy is the share of a multiprocessor's threads that is busy with blocks of the size \
                  of the last launch. A kernel that was found in the cache was not compiled. Kernels \
                  generated for array expressions are not listed; `:profile` shows those.",
        examples: &[],
    },
    Page {
        command: "cache",
        subject: Subject::Device,
        takes: &[&[Argument::Word(&["info", "clear"])]],
        details: "",
        examples: &[(":cache clear", "removes all compiled kernels")],
    },
    Page {
        command: "tuned",
        subject: Subject::Device,
        takes: &[&[Argument::Word(&["list", "clear"])]],
        details: "`tune(..)` keeps the best variant of a kernel on disk, for its text, the device and the size of its \
                  arrays. The next time it is used at once.",
        examples: &[(":tuned clear", "forgets them, so that kernels are tuned anew")],
    },
    Page {
        command: "time",
        subject: Subject::Time,
        takes: &[&[ON_OFF, Argument::Code]],
        details: "Kernels and copies are measured while it is on: on a GPU by events around each of them, \
                  which take a few microseconds. `%time CODE` does it for one cell, `%%time` for the cell \
                  below.",
        examples: &[
            (":time on", "a line after each cell from now on"),
            (":time a.sum().item()", "runs one cell and shows its time"),
        ],
    },
    Page {
        command: "timeit",
        subject: Subject::Time,
        takes: &[&[Argument::Code]],
        details: "The same as `%timeit`: the cell is compiled once, as a loop. By default there are as many \
                  loops as take 0.2 s, and 7 runs. The device is idle at both ends of a run, and \
                  expressions are computed in the loop that writes them. Variables that the code changes \
                  stay changed; variables that it binds are dropped. Code on the line of `%%timeit` runs \
                  once, before the loops.",
        examples: &[
            ("%timeit a.sum().item()", "times an expression"),
            ("%timeit -n 100 -r 3 f(&a)", "3 runs of 100 loops"),
            ("%%timeit", "times the cell below"),
        ],
    },
    Page {
        command: "profile",
        subject: Subject::Time,
        takes: &[&[Argument::Code]],
        details: "Shows a line for each kernel and each kind of copy: the number, the total time, and the \
                  share of all measured time. On a GPU the time is the GPU's own, by events.",
        examples: &[(":profile (&a * 2.0).sum().item()", "shows which kernels ran, and how long")],
    },
    Page {
        command: "load",
        subject: Subject::Files,
        takes: &[&[Argument::File]],
        details: "The cells run in this session, so their variables and items stay. The first cell that \
                  fails ends the run. Of a notebook, whose name ends with `.ipynb`, the code cells are run.",
        examples: &[
            (":load demo.rs", "runs the cells of demo.rs"),
            (":load demo.ipynb", "runs the code cells of a notebook"),
        ],
    },
    Page {
        command: "run",
        subject: Subject::Files,
        takes: &[&[Argument::File]],
        details: "The same as `:load`: the script runs in this session and leaves its variables here. The \
                  process that runs cells receives its arguments when it starts, so the script sees those \
                  of the session; `gpurepl FILE ARGUMENTS` runs it with others, in a session of its own.",
        examples: &[(":run demo.rs", "runs demo.rs")],
    },
    Page {
        command: "save",
        subject: Subject::Files,
        takes: &[&[Argument::File, Argument::Word(&["--all", "-f"])], &[Argument::Cells]],
        details: "The name decides the format. `NAME.rs` is a script that `gpurepl NAME.rs` runs, with a \
                  `// %%` line before each cell. `NAME.ipynb` is a Jupyter notebook with the output of the \
                  cells. `NAME/` is a cargo project that contains the parts of gpurepl that it needs: \
                  `cargo run` there does what the cells did. Cells that failed are left out, in scripts and \
                  notebooks unless `--all` is given. An existing file is replaced only with `-f`.",
        examples: &[
            (":save work.rs", "saves all cells as a script"),
            (":save work.ipynb 3-7 9", "saves some as a notebook"),
            (":save work/", "saves a project that `cargo run` runs"),
        ],
    },
    Page {
        command: "cd",
        subject: Subject::Files,
        takes: &[&[Argument::Folder]],
        details: "For this program and for cells. Without a folder, goes to your home; `-` is the previous \
                  folder.",
        examples: &[(":cd data", "goes to data"), (":cd -", "goes back")],
    },
    Page { command: "pwd", subject: Subject::Files, takes: &[], details: "", examples: &[] },
    Page {
        command: "env",
        subject: Subject::Files,
        takes: &[&[Argument::Environment]],
        details: "For cells, also after their process is restarted. Settings that are read once, when a \
                  device or the cache is first used, do not change.",
        examples: &[
            (":env RUST_LOG=debug", "sets a variable"),
            (":env RUST_LOG=", "sets it to nothing"),
            (":env RUST_LOG", "shows its value"),
            (":env -u RUST_LOG", "removes it"),
        ],
    },
    Page {
        command: "clear",
        subject: Subject::Shell,
        takes: &[],
        details: "Variables and items stay: `:reset` forgets them.",
        examples: &[],
    },
    Page {
        command: "type",
        subject: Subject::Session,
        takes: &[&[Argument::Code]],
        details: "The expression is compiled and not run: nothing is printed, moved or changed.",
        examples: &[(":type a.shape()", "names the type of a call")],
    },
    Page {
        command: "doc",
        subject: Subject::Session,
        takes: &[&[Argument::Code]],
        details: "`?name` and `name?` do the same; `??name` shows the source as well.",
        examples: &[(":doc zeros", "explains a function"), ("?a.reshape", "explains a method")],
    },
    Page {
        command: "dep",
        subject: Subject::Session,
        takes: &[&[Argument::Code]],
        details: "The text after the name is written as in a manifest's `[dependencies]`. The crate is \
                  built once and kept for later sessions, also for those without a network. Cells name it \
                  as a crate: `regex::Regex::new(..)`. Several `:dep` lines may stand at the top of a cell.",
        examples: &[
            (":dep", "lists the crates"),
            (":dep regex", "adds the newest version"),
            (":dep serde = { version = \"1\", features = [\"derive\"] }", "adds a version with features"),
        ],
    },
    Page {
        command: "opt",
        subject: Subject::Session,
        takes: &[&[Argument::Word(&["0", "1", "2", "3"])]],
        details: "Cells are compiled quickly and not optimised; the library that they call always is. A \
                  cell with long loops of its own runs faster with `%%opt 3` as its first line, which \
                  applies to that cell only.",
        examples: &[(":opt", "shows the level"), (":opt 3", "optimises all cells from now on")],
    },
    Page {
        command: "replay",
        subject: Subject::Session,
        takes: &[&[Argument::Word(&["on", "ask", "off", "now"])]],
        details: "When the process that runs cells is lost, a new one runs the successful cells again, from \
                  their compiled objects and without output. A cell that begins with `%%noreplay` is left \
                  out.",
        examples: &[(":replay", "shows what a replay would do"), (":replay ask", "asks each time")],
    },
    Page {
        command: "debug",
        subject: Subject::Shell,
        takes: &[&[Argument::Code]],
        details: "The debugger is cuda-gdb on a GPU, gdb or lldb on the host device. It runs the cells that have \
                  succeeded in a process of its own; this session stays as it is. `break KERNEL` and `run` at its \
                  prompt; `quit` comes back.",
        examples: &[(":debug twice.launch(1, 32, &mut a)?", "runs the cells so far, then this one")],
    },
    Page {
        command: "edit",
        subject: Subject::Shell,
        takes: &[&[Argument::Cells, Argument::File]],
        details: "The editor is named by VISUAL or EDITOR. Ctrl-X Ctrl-E opens the text at the prompt.",
        examples: &[
            (":edit", "opens a new cell"),
            (":edit 3", "opens cell 3"),
            (":edit a.rs", "opens a file"),
        ],
    },
    Page {
        command: "history",
        subject: Subject::Shell,
        takes: &[&[Argument::Word(&["-g"])]],
        details: "",
        examples: &[
            (":history 5", "lists the last five cells"),
            (":history -g sum", "searches all sessions"),
        ],
    },
    Page { command: "quit", subject: Subject::Shell, takes: &[], details: "", examples: &[] },
];

/// The page of a command.
pub fn page(command: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.command == command)
}

/// What the argument of this number may be, from zero; nothing if none is
/// expected. The command may be named by an alias.
///
/// ```
/// use gpurepl_session::command::{Argument, takes};
/// assert_eq!(takes("load", 0), [Argument::File]);
/// assert!(takes("load", 1).is_empty());
/// ```
pub fn takes(command: &str, number: usize) -> &'static [Argument] {
    let page = find(command).and_then(|command| page(command.name));
    let takes = page.map_or::<&[_], _>(&[], |page| page.takes);
    let is_repeated = takes.last().is_some_and(|last| {
        let repeats = [Argument::Variable, Argument::Item, Argument::Cells];
        last.iter().any(|argument| repeats.contains(argument))
    });
    match takes.get(number) {
        Some(argument) => argument,
        None if is_repeated => takes.last().copied().unwrap_or(&[]),
        None => &[],
    }
}

/// The text of `:help`, or of `:help NAME`.
///
/// # Errors
///
/// If there is no command and no magic of the name.
pub(crate) fn help(name: &str) -> Result<String, String> {
    let bare = name.trim_start_matches([':', '%']);
    match find(bare) {
        _ if name.is_empty() => Ok(overview()),
        Some(command) => Ok(explained(command)),
        None => Err(unknown(bare)),
    }
}

fn overview() -> String {
    let mut text = String::from(
        "A cell is Rust: items, statements, and a last expression that is shown.\n\
         Arrays, kernels and the device are there already: zeros, to_gpu, SourceModule, ...\n\
         What a cell reads from standard input is asked at the prompt.\n",
    );
    let subject = |command: &Command| page(command.name).map(|page| page.subject);
    let subjects = [
        (Some(Subject::Session), "What cells have left"),
        (Some(Subject::Time), "Time"),
        (Some(Subject::Device), "Device, memory, kernels"),
        (Some(Subject::Files), "Files and the environment"),
        (Some(Subject::Shell), "The shell"),
        (None, "More"),
    ];
    for (about, title) in subjects {
        let commands: Vec<&Command> = COMMANDS.iter().filter(|command| subject(command) == about).collect();
        if !commands.is_empty() {
            let _ = write!(text, "\n{title}\n");
        }
        for command in commands {
            line(&mut text, ":", command.name, command.arguments, command.help);
        }
    }
    text.push_str("\nAt the start of a cell\n");
    for magic in MAGICS {
        line(&mut text, "%", magic.name, magic.arguments, magic.help);
    }
    text.push_str("  %%NAME on a line of its own is about the cell below it\n");
    text.push_str(
        "\n`:help NAME` says more, with examples; `:help TOPIC` shows what the documentation says of it.",
    );
    text
}

/// A line of the overview; what is long has its help on the line below.
fn line(text: &mut String, sign: &str, name: &str, arguments: &str, help: &str) {
    const WIDTH: usize = 26;
    let usage = format!("{sign}{name} {arguments}");
    let usage = usage.trim_end();
    if usage.chars().count() > WIDTH {
        let _ = writeln!(text, "  {usage}\n  {:<WIDTH$} {help}", "");
    } else {
        let _ = writeln!(text, "  {usage:<WIDTH$} {help}");
    }
}

fn explained(command: &Command) -> String {
    let mut text = format!(":{} {}", command.name, command.arguments).trim_end().to_owned();
    let _ = write!(text, "\n  {}", command.help);
    if !command.aliases.is_empty() {
        let _ = write!(text, "\n  also: :{}", command.aliases.join(", :"));
    }
    let Some(page) = page(command.name) else { return text };
    if !page.details.is_empty() {
        text.push('\n');
        for line in wrapped(page.details) {
            let _ = write!(text, "\n  {line}");
        }
    }
    if !page.examples.is_empty() {
        let width = page.examples.iter().map(|(example, _)| example.chars().count()).max().unwrap_or(0);
        text.push('\n');
        for (example, does) in page.examples {
            let _ = write!(text, "\n  {example:<width$}  {does}");
        }
    }
    text
}

/// A text in lines of at most 76 characters.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= 76);
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_about_a_command_and_every_argument_has_a_kind() {
        for page in PAGES {
            let command = COMMANDS.iter().find(|command| command.name == page.command);
            let command = command.unwrap_or_else(|| panic!("there is no command {}", page.command));
            assert_eq!(command.arguments.is_empty(), page.takes.is_empty(), "{}", page.command);
        }
    }

    /// After a change of the texts: `UPDATE_EXPECT=1 cargo test`.
    #[test]
    fn pages_read_as_they_did() {
        let pages = ["timeit", "save", "reset", "env"].map(|name| help(name).unwrap());
        expect_test::expect_file!["golden/help.txt"].assert_eq(&format!("{}\n", pages.join("\n\n")));
        let overview = help("").unwrap();
        for title in ["What cells have left", "Time", "Device, memory, kernels", "At the start of a cell"] {
            assert!(overview.contains(&format!("\n\n{title}\n")), "{overview}");
        }
        assert!(overview.lines().all(|line| line.chars().count() <= 100), "{overview}");
    }

    #[test]
    fn arguments_have_kinds() {
        assert_eq!(takes("time", 0), [ON_OFF, Argument::Code]);
        assert_eq!(takes("save", 4), [Argument::Cells]);
        assert_eq!(takes("devices", 0), [Argument::Word(&["list", "info"])]);
        assert!(takes("quit", 0).is_empty() && takes("no_such", 0).is_empty());
    }
}
