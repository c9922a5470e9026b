//! Commands, magics, and reports of a cell's time and memory. These run
//! on any device, except for what only the host reports.

use gpurepl_session::{Outcome, Report};
use gpurepl_tests::Conversation;

/// The report of a cell that succeeds.
fn report(cells: &mut Conversation, source: &str) -> Report {
    match cells.run(source) {
        Outcome::Done(report) => report,
        other => panic!("{source}: {other:?}\n{}", cells.rendered()),
    }
}

/// The text that a command or a cell displays.
fn displayed(cells: &mut Conversation, source: &str) -> String {
    cells.ok(source);
    let text = |bundle: &gpurepl_session::MimeBundle| bundle.get("text/plain").unwrap_or_default().to_owned();
    cells.displays().iter().map(text).collect::<Vec<_>>().join("\n")
}

const TWICE: &str = "let module = SourceModule::new(\"__global__ void twice(float *a, int n) { int i = threadIdx.x; \
                     if (i < n) a[i] *= 2; }\")?; let twice = module.get_function(\"twice\")?;";

#[test]
fn a_cell_reports_what_devices_did() {
    let mut cells = Conversation::start();
    cells.ok(TWICE);
    let first = report(&mut cells, "let mut b = to_gpu(&[1.0f32, 2.0]); twice.launch(1, 32, (&mut b, 2))?;");
    assert_eq!(first.activity.launches, 1);
    assert_eq!((first.activity.bytes_to_device, first.activity.bytes_from_device), (8, 0));
    assert_eq!(first.activity.times, None, "nobody asked for times");
    assert!(first.total >= first.compile + first.run);
    let (before, after) = first.activity.memory.unwrap();
    assert!(after > before);
    let second = report(&mut cells, "b.to_vec();");
    assert_eq!((second.activity.launches, second.activity.bytes_from_device), (0, 8));
    let timed = report(&mut cells, "%time (&b + 1.0).to_vec()");
    assert_eq!(cells.results(), ["[3.0, 5.0]"]);
    assert_eq!(timed.activity.launches, 1);
    assert!(timed.activity.kernel_nanoseconds().unwrap() > 0);
    let copy = report(&mut cells, "let c = b.copy();");
    assert_eq!(copy.activity.bytes_within_device, 8);
    // What fails is over as well: the next cell starts from nothing.
    cells.fails("let d = to_gpu(&[1.0f32; 10]); panic!()");
    assert_eq!(report(&mut cells, "1").activity.bytes_to_device, 0);
}

#[test]
fn time_is_told_of_every_cell_or_of_one() {
    let mut cells = Conversation::start();
    cells.ok("let a = ones::<f32>(1000);");
    assert_eq!(cells.noted(), "");
    cells.ok("%time a.sum().item()");
    assert!(cells.noted().starts_with("total "), "{}", cells.noted());
    assert!(
        cells.noted().contains("kernels ") && cells.noted().contains("bytes from it"),
        "{}",
        cells.noted()
    );
    cells.ok("%%time\nlet b = &a + 1.0;\nb.sum().item()");
    assert!(cells.noted().contains("launch"), "{}", cells.noted());
    cells.shows("b.size()", "1000");
    cells.ok(":time a.size()");
    assert_eq!((cells.results(), cells.notes().len()), (&["1000".to_owned()][..], 1));
    cells.ok(":time on");
    cells.ok("1 + 1");
    assert!(cells.noted().contains("compile"), "{}", cells.noted());
    cells.ok(":time off");
    cells.ok("1 + 1");
    assert_eq!(cells.noted(), "");
    assert!(displayed(&mut cells, ":time").contains("it is off now"));
}

#[test]
fn timeit_runs_code_in_loops() {
    let mut cells = Conversation::start();
    cells.ok("let mut count = 0u64; let a = ones::<f32>(10);");
    let text = displayed(&mut cells, "%timeit -n 5 -r 2 count += 1");
    assert!(text.contains(" per loop (mean ± std. dev. of 2 runs, 5 loops each)\nmin "), "{text}");
    assert!(!text.contains("kernels"), "{text}");
    // Two runs, and one in which kernels are measured.
    cells.shows("count", "15");
    let text = displayed(&mut cells, "%timeit -n 3 &a * 2.0");
    assert!(text.contains("7 runs, 3 loops each") && text.contains(" in 1 launch, "), "{text}");
    assert!(cells.results().is_empty());
    // Setup runs once; what is bound is gone; variables keep their types.
    cells.ok("%%timeit -n 2 -r 1 let step = 100; count = 0;\nlet next = count + step;\ncount = next;");
    cells.shows("count", "400");
    cells.fails_with("next", "cannot find value `next`");
    assert!(displayed(&mut cells, "%timeit -n 2 let b = 1.0; (&a + b).sum().item()").contains("in 1 launch"));
    // What is borrowed from a temporary is a part of the kernel.
    for expression in
        ["(&a + 1.0).sqrt() * &a", "where_(&a.gt(0.5), &a, 0.0)", "cumath::sqrt(&cumath::fabs(&a)) * &a"]
    {
        let text = displayed(&mut cells, &format!("%timeit -n 2 ({expression}).gpudata();"));
        assert!(text.contains("in 1 launch, "), "{expression}: {text}");
    }
    assert!(displayed(&mut cells, "%timeit -n 2 async { 1 }.await").contains("2 loops each"));
}

#[test]
fn what_is_wrong_below_a_magic_is_shown_where_it_stands() {
    let mut cells = Conversation::start();
    cells.ok("let a = ones::<f32>(10); let text = String::from(\"x\");");
    let diagnostic = cells.fails_with("%timeit a.summ()", "%timeit a.summ()");
    assert_eq!(diagnostic.place(), Some((1, 11)));
    let diagnostic = cells.fails("%%time\nlet b = 1;\n  a.summ()");
    assert_eq!(diagnostic.place(), Some((3, 5)));
    let diagnostic = cells.fails_with("%timeit -n 3 panic!(\"no {}\", 1)", "panic: no 1");
    assert_eq!(diagnostic.place(), Some((1, 14)));
    cells.fails_with("%timeit \"x\".parse::<i32>()?;", "ParseIntError");
    // A loop cannot take a variable more than once.
    cells.fails_with("%timeit drop(text)", "text");
    cells.shows("text", "\"x\"");
    cells.fails_with("%tme a", "there is no magic `%tme`; did you mean `%time`?");
    cells.fails_with("%time", "no code to run");
    cells.shows("7 % 4", "3");
    // After code the sign is an operator.
    cells.shows("let time = 4; let m = 7\n%time; m", "3");
}

#[test]
fn a_loop_can_be_interrupted() {
    let mut cells = Conversation::start();
    cells.ok("let mut k = 0u64;");
    let source = "%timeit -n 1000000000 -r 1000 { k += 1; if k == 1 { println!(\"started\") } }";
    let (outcome, _) = cells.interrupted(source, &[std::time::Duration::from_millis(100)]);
    assert_eq!(outcome, Outcome::Interrupted);
    cells.shows("k > 0", "true");
}

#[test]
fn a_profile_names_kernels_and_copies() {
    let mut cells = Conversation::start();
    cells.ok(TWICE);
    cells.ok("let mut b = to_gpu(&[1.0f32, 2.0]);");
    let text =
        displayed(&mut cells, ":profile for _ in 0..3 { twice.launch(1, 32, (&mut b, 2))?; } b.to_vec()");
    let line =
        |name: &str| text.lines().find(|line| line.ends_with(name)).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(line("  twice").split_whitespace().nth(4), Some("3"), "{text}");
    assert!(line("copy from the device").contains("8 bytes"), "{text}");
    assert!(text.contains("the cell ran for"), "{text}");
    assert_eq!(cells.results(), ["[8.0, 16.0]"]);
    assert!(displayed(&mut cells, "%profile 1;").contains("launched no kernel and copied nothing"));
}

#[test]
fn variables_are_described() {
    let mut cells = Conversation::start();
    cells.ok("let a = ones::<f32>((2, 3)); let mut v = vec![1i64, 2]; let s = \"four\".to_string(); let t = (1u8, 2u64);");
    let device = gpurepl_tests::device();
    let text = displayed(&mut cells, ":vars");
    for (name, words) in [
        ("a ", "float32 (2, 3) on "),
        ("v ", "mut Vec<i64>"),
        ("v ", "length 2"),
        ("s ", "length 4"),
        ("t ", "16 bytes"),
    ] {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{text}"));
        assert!(line.contains(words), "{words} is not in\n{text}");
    }
    assert!(text.contains(&device) && text.contains("24 bytes"), "{text}");
    assert_eq!(displayed(&mut cells, ":vars s").lines().count(), 2);
    cells.fails_with(":vars nobody", "there is no variable `nobody`");
    // A type of the user's with a name of the prelude's is not taken for it.
    cells.ok("mod gpu { #[derive(Debug)] pub struct GpuArray<T>(pub T); } let g = gpu::GpuArray(1f32);");
    assert!(displayed(&mut cells, ":vars g").contains("4 bytes"));
    let text = displayed(&mut cells, ":mem");
    assert!(text.contains("used here") && text.contains("  a "), "{text}");
}

#[test]
fn kernels_are_listed_with_their_launches() {
    let mut cells = Conversation::start();
    assert!(displayed(&mut cells, ":kernels").contains("no kernels"));
    cells.ok(TWICE);
    cells.ok("let mut b = ones::<f32>(8); for _ in 0..3 { module.get_function(\"twice\")?.launch(1, 32, (&mut b, 8))?; }");
    cells.ok("let square = ElementwiseKernel::new(\"float *x\", \"x[i] *= x[i]\", \"square\")?; square.call(&mut b)?;");
    let text = displayed(&mut cells, ":kernels");
    let of = |name: &str| text.lines().filter(|line| line.ends_with(name)).collect::<Vec<_>>();
    assert_eq!(of("twice").len(), 1, "{text}");
    assert_eq!(of("twice")[0].split_whitespace().take(2).collect::<Vec<_>>(), ["3", "32"], "{text}");
    assert_eq!(of("square").len(), 1, "{text}");
    let text = displayed(&mut cells, ":device info");
    assert!(text.contains("threads of a block"), "{text}");
}

#[test]
fn some_of_the_session_can_be_forgotten() {
    let mut cells = Conversation::start();
    cells
        .ok("struct P(i32); impl P { fn n(&self) -> i32 { self.0 } } fn f() -> i32 { 1 } static N: i32 = 5;");
    cells.ok("let p = P(3); let a = ones::<f32>(1000); let b = 2;");
    cells.ok(":reset vars a");
    assert_eq!(cells.noted(), "forgotten: a");
    cells.fails_with("a", "forgotten by `:reset`");
    cells.shows("p.n() + b + f() + N", "11");
    cells.fails_with(":reset vars nobody", "there is no variable `nobody`");
    cells.ok(":reset items P");
    assert!(cells.noted().contains("`p` was dropped because its type is gone"), "{}", cells.noted());
    cells.fails("P(3)");
    cells.shows("f() + b + N", "8");
    cells.ok(":reset items");
    cells.fails("f()");
    cells.shows("b", "2");
    cells.ok("static N: i32 = 6;");
    cells.shows("N", "6");
    cells.ok(":reset vars");
    cells.fails("b");
    cells.fails_with(":reset b", "`vars` or `items` is expected, not `b`");
    cells.ok("let kept = 1;");
    cells.ok(":clear");
    cells.shows("kept", "1");
}

#[test]
fn the_environment_of_cells_can_be_changed() {
    let mut cells = Conversation::start();
    cells.ok(":env GPUREPL_TEST_WORDS=two words");
    cells.shows("std::env::var(\"GPUREPL_TEST_WORDS\")", "Ok(\"two words\")");
    assert_eq!(displayed(&mut cells, ":env GPUREPL_TEST_WORDS"), "GPUREPL_TEST_WORDS=two words");
    cells.ok(":reset");
    cells.shows("std::env::var(\"GPUREPL_TEST_WORDS\").is_ok()", "true");
    cells.ok(":env -u GPUREPL_TEST_WORDS");
    cells.shows("std::env::var(\"GPUREPL_TEST_WORDS\").is_ok()", "false");
    cells.fails_with(":env 1=2", "`1` is not a valid name of an environment variable");
    cells.fails_with(":env", "`:env NAME=VALUE`");
}

#[test]
fn commands_say_what_they_expect() {
    let mut cells = Conversation::start();
    for (wrong, words) in [
        (":tmie", "did you mean `:time`?"),
        (":pwd x", "nothing can follow `:pwd`"),
        (":device all", "`:device info`"),
        (":load", "`:load FILE`"),
        (":run", "`:run FILE`"),
        (":load no-such-file.rs", "no-such-file.rs"),
        (":cd no-such-folder", "no-such-folder"),
        (":cd -", "no folder before"),
        (":save", "a file or a folder is expected"),
        (":save work.txt", "`.rs`, `.ipynb` or `/`"),
        (":profile", "`:profile CODE`"),
        (":help xyzzyq", "`:help` lists them"),
    ] {
        cells.fails_with(wrong, words);
    }
}

#[test]
fn cells_are_saved_as_scripts_and_notebooks() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut cells = Conversation::start();
    cells.fails_with(&format!(":save {}", path("none.rs")), "there are no cells to save");
    cells.ok("let a = 20;");
    cells.fails("a.nothing()");
    cells.ok("display(&a); a + 1");
    cells.ok("%time a");
    cells.ok("println!(\"printed\"); let shown = display_handle(&1); shown.update(&2); eprintln!(\"told\");");
    cells.ok(&format!(":save {} 1-4", path("all.rs")));
    let text = std::fs::read_to_string(path("all.rs")).unwrap();
    assert_eq!(text, "// %%\nlet a = 20;\n\n// %%\ndisplay(&a); a + 1\n\n// %%\n%time a\n");
    cells.fails_with(&format!(":save {}", path("all.rs")), "`-f` replaces it");
    cells.ok(&format!(":save {} 1-2 --all -f", path("all.rs")));
    assert!(std::fs::read_to_string(path("all.rs")).unwrap().ends_with("// %%\na.nothing()\n"));
    cells.fails_with(&format!(":save {} 9", path("nine.rs")), "there is no cell 9 yet");
    cells.ok(&format!(":save {} 3", path("one.ipynb")));
    let notebook = std::fs::read_to_string(path("one.ipynb")).unwrap();
    let notebook: serde_json::Value = serde_json::from_str(&notebook).unwrap();
    let outputs = &notebook["cells"][0]["outputs"];
    assert_eq!(outputs[0]["data"]["text/plain"], serde_json::json!(["20"]));
    assert_eq!(outputs[1]["data"]["text/plain"], serde_json::json!(["21"]));
    cells.ok(&format!(":save {} 2 5 --all", path("told.ipynb")));
    let notebook = std::fs::read_to_string(path("told.ipynb")).unwrap();
    let notebook: serde_json::Value = serde_json::from_str(&notebook).unwrap();
    assert_eq!(notebook["cells"][0]["outputs"][0]["ename"], "E0599");
    let outputs = &notebook["cells"][1]["outputs"];
    assert_eq!(outputs[0]["text"], serde_json::json!(["printed\n"]));
    assert_eq!(outputs[1]["data"]["text/plain"], serde_json::json!(["2"]));
    assert_eq!(
        (&outputs[2]["name"], &outputs[2]["text"]),
        (&"stderr".into(), &serde_json::json!(["told\n"]))
    );
    let mut again = Conversation::start();
    cells.ok(&format!(":save {} 1 3 -f", path("all.rs")));
    again.ok(&format!(":run {}", path("all.rs")));
    assert_eq!(again.results(), ["21"]);
    again.fails_with(
        &format!(":run {} 1 2", path("all.rs")),
        "cannot be passed to a script in a running session",
    );
}

#[test]
fn notebooks_are_loaded_as_scripts_are() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, cells: &str| {
        let path = folder.path().join(name).display().to_string();
        std::fs::write(&path, format!("{{\"nbformat\": 4, \"metadata\": {{}}, \"cells\": [{cells}]}}"))
            .unwrap();
        path
    };
    let code = |source: &str| format!("{{\"cell_type\": \"code\", \"source\": {source:?}}}");
    let words = "{\"cell_type\": \"markdown\", \"source\": \"# Not Rust\"}";
    let mut cells = Conversation::start();

    let good = write("good one.ipynb", &[code("let a = 20;"), words.to_owned(), code("a + 1")].join(","));
    cells.ok(&format!(":load {good}"));
    assert_eq!(cells.results(), ["21"]);
    cells.ok(&format!(":run {good}"));
    cells.shows("a", "20");

    let bad = write(
        "bad.ipynb",
        &[code("let b = 1;"), code("let c = 2;\nb.nothing()"), code("let d = 1;")].join(","),
    );
    cells.fails_with(&format!(":load {bad}"), "bad.ipynb ended at its cell 2");
    assert!(cells.rendered().contains("bad.ipynb, cell 2:2"), "{}", cells.rendered());
    cells.shows("b", "1");
    cells.fails("d");

    let shell = write("shell.ipynb", &[code("let e = 1;"), code("%%sh\nls")].join(","));
    cells.fails_with(&format!(":load {shell}"), "for the system's shell");
    std::fs::write(folder.path().join("none.ipynb"), "let a = 1;").unwrap();
    cells.fails_with(&format!(":load {}", folder.path().join("none.ipynb").display()), "is not a notebook");
}

#[test]
fn saved_cells_have_the_values_that_they_asked_for_by_number() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut cells = Conversation::keeping_results();
    cells.shows("10", "10");
    cells.fails("nonsense");
    cells.shows("20", "20");
    cells.shows("Out[3] + 1", "21");
    cells.shows("%time _ * 2", "42");
    cells.shows("(&_ + Out[1], _5)", "(52, 42)");
    cells.fails_with(
        &format!(":save {} 4", path("one.rs")),
        "cell 4 asks for the value of cell 3, which is not saved with it",
    );
    cells.ok(&format!(":save {}", path("all.rs")));
    cells.ok(&format!(":save {}", path("all.ipynb")));
    // Into a session whose cells have other numbers and values.
    let mut others = Conversation::keeping_results();
    for value in ["100", "200", "300"] {
        others.ok(value);
    }
    others.ok(&format!(":load {}", path("all.rs")));
    assert_eq!(others.results(), ["10", "20", "21", "42", "(52, 42)"]);
    // Scripts keep no values.
    for name in ["all.rs", "all.ipynb"] {
        let finished = gpurepl_tests::Finished::of(&mut gpurepl_tests::gpurepl(&[&path(name)]));
        assert_eq!(finished.status, Some(0), "{}", finished.stderr);
        assert_eq!(finished.stdout, "10\n20\n21\n42\n(52, 42)\n");
    }
}

#[test]
fn what_is_no_name_is_not_guessed_at() {
    let mut cells = Conversation::start();
    cells.ok("let s = 1; let t = 2;");
    for (text, words) in [
        ("?", "`?` needs a name"),
        (":", "`:help` lists them"),
        ("?v", "nothing is known about `v`"),
        (":x", "there is no command `:x`"),
    ] {
        cells.fails_with(text, words);
        assert!(!cells.rendered().contains("did you mean"), "{text}: {}", cells.rendered());
    }
    cells.fails_with("%timeit -n abc 1", "`-n` needs a number, not `abc`");
}
