//! What is installed, what is missing, and how to get it.

use gpurepl_session::{
    Deaf, Diagnostic, Linker, Options, Outcome, Session, Sink, Toolchain, analysis, store,
};

use crate::Status;
use crate::terminal::Terminal;

/// What a check found.
enum Finding {
    Fine(String),
    /// Optional.
    Missing(String),
    /// Cells cannot be evaluated, or not on this device.
    Broken(String),
}

/// Checks everything that a session needs, by using it.
pub fn run(device: Option<String>, terminal: &mut Terminal) -> Status {
    let toolchain = match Toolchain::find() {
        Ok(toolchain) => toolchain,
        Err(error) => {
            report("Rust", &Finding::Broken(error.to_string()), terminal);
            return Status::Failed;
        }
    };
    let version = toolchain.version().unwrap_or_else(|| "of unknown version".to_owned());
    report("Rust", &Finding::Fine(format!("{version}\n{}", toolchain.sysroot.display())), terminal);
    let linker = match &toolchain.linker {
        Linker::Ld(path) | Linker::RustLld(path) => path.display().to_string(),
    };
    report("linker", &Finding::Fine(linker), terminal);
    let sources = if toolchain.has_sources() {
        Finding::Fine("installed".to_owned())
    } else {
        Finding::Missing("not installed: kernels in Rust do not run on a GPU, and errors in the standard library show no source\nhelp: rustup component add rust-src".to_owned())
    };
    report("rust-src", &sources, terminal);

    let analyser = match analysis::find_analyser() {
        Ok((program, version)) => Finding::Fine(format!("{version}\n{}", program.display())),
        Err(problem) => {
            Finding::Missing(format!("completion knows only the prelude and your own names\nhelp: {problem}"))
        }
    };
    report("analyser", &analyser, terminal);

    let was_compiled = store::find(&toolchain).is_some();
    let mut session = match start(device.clone(), terminal) {
        Ok(session) => session,
        Err(problem) => {
            report("prelude", &Finding::Broken(problem), terminal);
            return Status::Failed;
        }
    };
    let folder = store::root().map(|root| root.display().to_string()).unwrap_or_default();
    let when = if was_compiled { "compiled" } else { "compiled just now" };
    report("prelude", &Finding::Fine(format!("{when}, in {folder}")), terminal);

    let devices = match session.devices(&mut Deaf) {
        Ok(devices) => devices,
        Err(problem) => {
            report("worker", &Finding::Broken(problem), terminal);
            return Status::Failed;
        }
    };
    drop(session);
    let mut works = false;
    for reported in &devices {
        // The requested device has to work; others may be missing.
        let is_wanted = device.as_ref().is_some_and(|device| reported.id.starts_with(device.as_str()));
        let finding = match &reported.problem {
            Some(problem) if is_wanted || reported.id == "default" => Finding::Broken(problem.clone()),
            Some(problem) => Finding::Missing(problem.clone()),
            None => {
                let finding = check(&reported.id);
                works |= matches!(finding, Finding::Fine(_)) && (device.is_none() || is_wanted);
                match finding {
                    Finding::Fine(text) => {
                        Finding::Fine(format!("{} ({})\n{text}", reported.name, reported.detail))
                    }
                    other => other,
                }
            }
        };
        report(&reported.id, &finding, terminal);
    }
    if works { Status::Succeeded } else { Status::Failed }
}

fn start(device: Option<String>, sink: &mut dyn Sink) -> Result<Session, String> {
    let options = Options { device, ..Options::default() };
    Session::start(options, sink).map_err(|error| error.to_string())
}

/// Computes with arrays, then with a kernel, on a device.
fn check(device: &str) -> Finding {
    let mut session = match start(Some(device.to_owned()), &mut Deaf) {
        Ok(session) => session,
        Err(problem) => return Finding::Broken(problem),
    };
    let arrays = "let a = arange(0..1000); assert_eq!((&a * 2).sum().item(), 999_000);";
    if let Outcome::Failed(problem) = session.run(arrays, &mut Deaf) {
        return Finding::Broken(format!("arrays do not work: {}", words(&problem)));
    }
    let kernel = "\
        let module = SourceModule::new(\"__global__ void twice(int *x) { x[threadIdx.x] *= 2; }\")?;\n\
        let mut x = to_gpu(&[1, 2, 3]);\n\
        module.get_function(\"twice\")?.launch(1, 3, (&mut x,))?;\n\
        assert_eq!(x.to_vec(), [2, 4, 6]);";
    match session.run(kernel, &mut Deaf) {
        Outcome::Failed(problem) => {
            Finding::Missing(format!("arrays work, custom kernels do not: {}", words(&problem)))
        }
        Outcome::Done(_) => Finding::Fine("arrays and kernels work".to_owned()),
        Outcome::Interrupted => Finding::Broken("interrupted".to_owned()),
        Outcome::Lost(loss) => Finding::Broken(format!("the worker has ended: {}", loss.cause)),
    }
}

/// A diagnostic without its place, which is in no text of the user's.
fn words(problem: &Diagnostic) -> String {
    let helps = problem.helps.iter().map(|help| format!("\nhelp: {help}"));
    std::iter::once(problem.message.clone()).chain(helps).collect()
}

fn report(name: &str, finding: &Finding, terminal: &mut Terminal) {
    let (mark, text) = match finding {
        Finding::Fine(text) => ("ok", text),
        Finding::Missing(text) => ("missing", text),
        Finding::Broken(text) => ("broken", text),
    };
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    terminal.line(&format!("{mark:<8} {name:<9} {first}"), anstyle::Style::new());
    for line in lines {
        let line = line.trim_start().trim_start_matches("= ");
        let style = terminal.theme().aside;
        terminal.line(&format!("{:<18} {line}", ""), style);
    }
}
