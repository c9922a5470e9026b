//! The analyser as a session talks to it: frames in, frames out, over a
//! project without the prelude.

use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use gpurepl_wire::analysis::{Answer, Ask, Candidate, CandidateKind, Project, Reply, Request, Text};
use gpurepl_wire::{receive, send};

struct Analyser {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    next: u64,
    _folder: tempfile::TempDir,
}

const BEFORE: &str =
    "struct Wave { height: f32, tags: Vec<String> }\nfn __gr_cell() {\nlet wave: Wave = todo!();\n";

impl Analyser {
    fn start() -> Analyser {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_gpurepl-analyser"))
            .arg("analyse")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let project = Project { folder: folder.path().to_owned(), prelude: None, dependencies: Vec::new() };
        let mut analyser = Analyser { child, input, output, next: 0, _folder: folder };
        let answer = analyser.ask(Ask::Open(project));
        assert!(matches!(answer, Answer::Ready { .. }), "{answer:?}");
        analyser
    }

    fn ask(&mut self, ask: Ask) -> Answer {
        let id = self.next;
        self.next += 1;
        send(self.input.as_mut().unwrap(), &Request { id, ask }).unwrap();
        let reply: Reply = receive(&mut self.output).unwrap().expect("it answers");
        assert_eq!(reply.id, id);
        reply.answer
    }

    fn complete(&mut self, source: &str) -> (u32, Vec<Candidate>) {
        let at = u32::try_from(source.len()).unwrap();
        let text = Text { before: BEFORE.to_owned(), source: source.to_owned(), at };
        match self.ask(Ask::Complete(text)) {
            Answer::Completions { start, items } => (start, items),
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[test]
fn cells_are_completed_and_explained_whatever_is_typed() {
    let mut analyser = Analyser::start();
    let (start, items) = analyser.complete("let ä = 1;\nwave.he");
    assert_eq!(start, 17);
    let expected =
        Candidate { replacement: "height".to_owned(), kind: CandidateKind::Field, detail: "f32".to_owned() };
    assert_eq!(items, [expected]);
    let has = |items: &[Candidate], name: &str| items.iter().any(|item| item.replacement == name);
    assert!(has(&analyser.complete("wave.tags.").1, "retain"));
    assert!(has(&analyser.complete("wave.tags.iter().map(|tag| tag.len()).").1, "sum"));
    assert!(has(&analyser.complete("std::collections::Hash").1, "HashMap"));
    // Names of the code around the cell do not count.
    assert!(!has(&analyser.complete("__gr").1, "__gr_cell"));

    let text = Text { before: BEFORE.to_owned(), source: "wave.tags.len()".to_owned(), at: 13 };
    let Answer::Hover(Some(text)) = analyser.ask(Ask::Hover(text)) else { panic!("no hover") };
    assert!(text.contains("pub const fn len(&self) -> usize"), "{text}");

    // Whatever is typed, the next question is answered.
    for source in
        ["", "}", "}}}} fn", "((((", "wave.\u{0}", "let x: = ;", "r#\"", "macro_rules! a { ($) => }", "'"]
    {
        for at in [0, source.len() / 2, source.len()] {
            let text = Text { before: BEFORE.to_owned(), source: source.to_owned(), at: at as u32 };
            let _ = analyser.ask(Ask::Complete(text.clone()));
            let _ = analyser.ask(Ask::Hover(text));
        }
    }
    assert!(has(&analyser.complete("wave.hei").1, "height"));

    // It ends with its input.
    analyser.input = None;
    assert!(analyser.child.wait().unwrap().success());
}

#[test]
fn a_wrong_command_line_says_what_is_right() {
    let output = Command::new(env!("CARGO_BIN_EXE_gpurepl-analyser")).arg("compile").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("gpurepl-analyser analyse"));
}
