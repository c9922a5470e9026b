//! Completion and documentation, by our own tables and by the analyser.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use gpurepl_session::analysis::{AnalyserState, Analysis, Level};
use gpurepl_tests::{Conversation, checkout};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How long the analyser may take until it is warm, on a machine that does
/// much else.
const PATIENCE: Duration = Duration::from_secs(900);

fn names(analysis: &Analysis, source: &str) -> Vec<String> {
    analysis.complete_at_once(source, source.len()).items.into_iter().map(|item| item.replacement).collect()
}

fn explained(analysis: &Analysis, source: &str) -> String {
    let bundle = analysis.documentation(source, Level::Documentation).unwrap_or_else(|miss| panic!("{miss}"));
    bundle.get("text/plain").unwrap_or_default().to_owned()
}

#[test]
fn what_cells_have_made_completes_at_once() {
    let mut cells = Conversation::start();
    cells.ok("/// A wave.\nstruct Wave { height: f32 }\nimpl Wave { fn energy(&self) -> f32 { 1.0 } }");
    cells.ok("let weights = zeros::<f32>(3); let wave = Wave { height: 2.0 };");
    cells.ok("use std::collections::BTreeMap;");
    let analysis = cells.session().analysis();
    assert_eq!(names(&analysis, "2.0 * &wei"), ["weights"]);
    assert_eq!(names(&analysis, "wave."), ["height", "energy"]);
    assert_eq!(names(&analysis, "BTre"), ["BTreeMap"]);
    assert!(names(&analysis, "weights.").contains(&"reshape".to_owned()));
    assert_eq!(explained(&analysis, "Wave").lines().last(), Some("A wave."));
    // What a cell that fails defines is not there; what is reset is gone.
    cells.fails("let weird: u8 = \"\";");
    assert_eq!(names(&analysis, "wei"), ["weights"]);
    cells.ok(":reset");
    assert_eq!(names(&analysis, "weig"), Vec::<String>::new());
}

#[test]
fn types_are_named_and_nothing_is_evaluated() {
    let mut cells = Conversation::start();
    cells.ok("let v = vec![1u8, 2]; let mut count = 0; struct P<T> { x: T }");
    for (expression, of) in [
        ("v.iter().map(|x| x + 1).collect::<Vec<_>>()", "Vec<u8>"),
        ("&v[..]", "&[u8]"),
        ("v", "Vec<u8>"),
        ("zeros::<f64>(3) + 1", "GpuArray<f64>"),
        ("P { x: 1.5f32 }", "P<f32>"),
        ("{ count += 1; panic!(\"evaluated\"); count }", "i32"),
        ("\"a\"", "&str"),
        ("v.iter()", "slice::Iter<'_, u8>"),
        ("|x: u8| x + 1", "impl Fn(u8) -> u8"),
    ] {
        cells.ok(&format!(":type {expression}"));
        assert_eq!(cells.displays()[0].get("text/plain"), Some(of), "{expression}");
    }
    cells.shows("count", "0");
    cells.shows("v", "[1, 2]");
    cells.fails_with(":type unknown + 1", "unknown");
    cells.fails_with(":type let a = 1", "expression");
    cells.fails_with(":type", "needs an expression");
}

#[test]
fn names_are_explained_by_commands_and_by_questions() {
    let mut cells = Conversation::start();
    cells.ok("/// Twice as much.\nfn twice(x: f32) -> f32 { x + x }");
    cells.ok("let result: Result<u8, String> = Ok(7);");
    let mut shown = |source: &str| {
        cells.ok(source);
        cells.displays()[0].get("text/plain").unwrap_or_default().to_owned()
    };
    for question in [":doc twice", "?twice", "twice?"] {
        let text = shown(question);
        assert!(text.contains("fn twice(x: f32) -> f32") && text.contains("Twice as much."), "{text}");
        assert!(!text.contains("x + x"), "{text}");
    }
    assert!(shown("??twice").contains("x + x"));
    assert!(shown("zeros??").contains("pub fn zeros"));
    assert!(shown("?GpuArray::reshape").contains("pub fn reshape"));
    assert!(cells.displays()[0].get("text/markdown").is_some());
    // What is Rust stays Rust.
    cells.shows("result?", "7");
    cells.fails_with(":doc zerros", "zeros");
    cells.fails_with("?twise", "twice");
}

#[test]
fn methods_of_the_standard_library_that_are_offered_exist() {
    let mut cells = Conversation::start();
    cells.ok("let list = vec![1]; let text = String::new(); let maybe = Some(1); let float = 1.0f64;");
    cells.ok("let tried: Result<u8, String> = Ok(1); let number = 1u32; let iterator = vec![1].into_iter();");
    cells.ok("let map = std::collections::HashMap::<u8, u8>::new();");
    let analysis = cells.session().analysis();
    for variable in ["list", "text", "maybe", "float", "tried", "number", "iterator", "map"] {
        let methods = names(&analysis, &format!("{variable}."));
        assert!(!methods.is_empty(), "{variable}");
        // The compiler says of each that it is a method, and no field.
        for five in methods.chunks(5) {
            let fields: Vec<String> = five.iter().map(|name| format!("{variable}.{name};")).collect();
            cells.fails(&fields.join("\n"));
            let rendered = cells.rendered();
            // Some, as `len`, have the name of a private field as well.
            let known = rendered.matches("E0615").count() + rendered.matches("E0616").count();
            assert_eq!(known, five.len(), "{rendered}");
        }
    }
}

/// The analyser's program, built if need be: what `GPUREPL_ANALYSER` names
/// where cargo is not at hand.
pub fn analyser() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        if let Some(named) = std::env::var_os("GPUREPL_ANALYSER").filter(|named| !named.is_empty()) {
            return named.into();
        }
        // Beside the tests where the whole workspace was built: cargo would
        // build it again, because it unites features of what it builds at once.
        let own = std::env::current_exe().unwrap_or_default();
        let beside = own.ancestors().nth(2).map(|folder| folder.join("gpurepl-analyser"));
        if let Some(beside) = beside.filter(|path| path.is_file()) {
            return beside;
        }
        let manifest = checkout().join("Cargo.toml");
        let build = escargot::CargoBuild::new().manifest_path(manifest).package("gpurepl-analyser");
        build.bin("gpurepl-analyser").run().expect("gpurepl-analyser does not build").path().to_owned()
    })
}

fn warm(analysis: &Analysis) {
    let start = Instant::now();
    loop {
        analysis.start();
        match analysis.analyser() {
            AnalyserState::Ready => return,
            state => assert!(start.elapsed() < PATIENCE, "{state:?}"),
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Asks until the analyser has answered: on a busy machine it may take longer
/// than completion waits.
fn analysed(analysis: &Analysis, source: &str) -> Vec<String> {
    let start = Instant::now();
    loop {
        let completions = analysis.complete(source, source.len());
        if completions.is_from_analyser {
            return completions.items.into_iter().map(|item| item.replacement).collect();
        }
        assert!(start.elapsed() < PATIENCE, "{source}: {:?}", analysis.analyser());
    }
}

/// One session for all that needs the analyser: it takes its time to start.
#[test]
fn the_analyser_knows_types_answers_while_a_cell_runs_and_is_started_again() {
    let mut cells = Conversation::start();
    cells.ok("struct Wave { tags: Vec<String> }\nlet wave = Wave { tags: vec![] }; let a = zeros::<f32>(3);");
    let analysis = cells.session().analysis().with_program(analyser());
    warm(&analysis);
    assert!(analysed(&analysis, "a.").contains(&"reshape".to_owned()));
    // What our own tables do not know.
    assert!(analysed(&analysis, "wave.tags.iter().map(|tag| tag.len()).").contains(&"max_by_key".to_owned()));
    assert!(analysed(&analysis, "std::collections::").contains(&"BTreeMap".to_owned()));
    let found = analysis.inspect("wave.tags.rotate_left(1)", 12, Level::Documentation);
    let text = found.expect("it is documented");
    assert!(text.get("text/plain").is_some_and(|text| text.contains("rotate_left")), "{text:?}");

    // While a cell runs.
    let interrupter = cells.interrupter();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| cells.run("loop { check_interrupt(); }"));
        std::thread::sleep(Duration::from_millis(500));
        assert!(analysed(&analysis, "wave.ta").contains(&"tags".to_owned()));
        assert!(!running.is_finished());
        interrupter.interrupt();
        running.join().expect("the cell ends");
    });

    // One that is killed is started again, and meanwhile our tables answer.
    let process = analysis.analyser_process().expect("it runs");
    kill(Pid::from_raw(i32::try_from(process).unwrap()), Signal::SIGKILL).unwrap();
    let start = Instant::now();
    while !matches!(analysis.analyser(), AnalyserState::Failed(_)) {
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(10));
    }
    let AnalyserState::Failed(reason) = analysis.analyser() else { unreachable!() };
    assert!(reason.contains("signal"), "{reason}");
    let completions = analysis.complete("wave.", 5);
    assert!(!completions.is_from_analyser && completions.items[0].replacement == "tags");
    warm(&analysis);
    assert_ne!(analysis.analyser_process(), Some(process));
    assert!(analysed(&analysis, "wave.ta").contains(&"tags".to_owned()));
}
