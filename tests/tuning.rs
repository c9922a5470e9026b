//! Tuners in sessions: variants in a process of their own, that crash, hang and are interrupted.

use std::time::Duration;

use gpurepl_session::MimeBundle;
use gpurepl_tests::{Conversation, is_on_host};

/// What a command has shown.
fn said(cells: &Conversation) -> String {
    let text = |shown: &MimeBundle| shown.get("text/plain").unwrap_or_default().to_owned();
    cells.displays().iter().map(text).collect::<Vec<_>>().join("\n")
}

/// What no earlier run has stored a choice for.
fn fresh() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    format!("// {} {now}", std::process::id())
}

#[test]
fn a_variant_that_crashes_or_hangs_costs_the_session_nothing() {
    let mut cells = Conversation::start();
    // On a GPU an access nowhere costs the process its context. The host's is caught, but nothing can be done about one
    // that ends the process.
    let crash = if is_on_host() { "_Exit(3);" } else { "*(int *)8 = 1;" };
    let declared = if is_on_host() { "extern \\\"C\\\" void _Exit(int);" } else { "" };
    cells.ok(&format!(
        "let text = \"{declared} __global__ void f(int *y, int n) {{ {}\n\
         #if HOW == 1\n {crash}\n#endif\n#if HOW == 2\n while (((volatile int *)y)[0] < 1000000) {{ }}\n#endif\n\
         for (int k = threadIdx.x; k < n; k += blockDim.x) y[k] = k; }}\";",
        fresh()
    ));
    cells.ok("let kept = arange(0..1000); let mut y = zeros::<i32>(1000);");
    let worker = cells.worker();
    cells.ok("let tuned = tune(\"f\", text).parameter(\"HOW\", [0, 1, 2, 3]).block(|_| 64).variant_seconds(25.0).seconds(1e6).run((&mut y, 1000))?;");
    assert_eq!(cells.worker(), worker, "{}", cells.rendered());
    cells.shows("tuned.attempts().len()", "4");
    let failures =
        if is_on_host() { "[(TakesTooLong, 1), (Crashes, 1)]" } else { "[(Fails, 1), (TakesTooLong, 1)]" };
    cells.shows("tuned.failures()", failures);
    cells.shows("[0, 3].contains(&tuned.best()[\"HOW\"])", "true");
    cells.ok("tuned.launch((&mut y, 1000))?;");
    cells.shows("array_equal(&y, &kept)", "true");
}

#[test]
fn what_variants_print_stays_among_them() {
    let mut cells = Conversation::start();
    cells.ok(&format!("let text = \"__global__ void f(int *y) {{ printf(\\\"noise\\\\n\\\"); *y = N > 0; }} {}\"; let mut y = zeros::<i32>(1);", fresh()));
    cells.ok("let tuned = tune(\"f\", text).parameter(\"N\", [1, 2, 3]).run(&mut y)?;");
    assert_eq!(cells.stdout(), b"");
    cells.ok("tuned.launch(&mut y)?;");
    assert_eq!(cells.stdout(), b"noise\n");
}

#[test]
fn an_interrupt_ends_a_search_and_keeps_the_best_so_far() {
    let mut cells = Conversation::start();
    cells.ok(&format!(
        "let text = \"__global__ void f(int *y) {{ *y = N >= 0; }} {}\"; let mut y = zeros::<i32>(1);",
        fresh()
    ));
    // Sixteen blocks are looked at for the name of what is kept; the third variant begins after two have been tried.
    let cell = "let tried = std::rc::Rc::new(std::cell::Cell::new(0)); let count = tried.clone();\n\
                let tuned = tune(\"f\", text).parameter(\"N\", 0..1_000_000).seconds(1e6)\
                .block(move |_| { count.set(count.get() + 1); if count.get() == 19 { println!(\"begun\"); } 1 }).run(&mut y)?;\n\
                tuned.launch(&mut y)?; let after = 42;";
    let (outcome, _) = cells.interrupted(cell, &[Duration::ZERO]);
    assert!(outcome.is_done(), "{outcome:?}");
    cells.shows(
        "(after, y.item(), tuned.is_interrupted(), tuned.attempts().len() >= 2)",
        "(42, 1, true, true)",
    );
}

#[test]
fn choices_are_listed_used_by_another_session_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let environment = [("GPUREPL_CACHE_DIR", folder.path().to_str().unwrap())];
    let start = || {
        let mut cells = Conversation::with_environment(&environment);
        cells.ok("let mut y = zeros::<i32>(10);");
        cells.ok("let tuner = || tune(\"fill\", \"__global__ void fill(int *y) { y[threadIdx.x] = threadIdx.x / BLOCK; }\")\
                  .parameter(\"BLOCK\", [10, 20]).block(|_| 10);");
        cells
    };
    let mut cells = start();
    cells.run(":tuned");
    assert!(said(&cells).contains("no kernel has been tuned"), "{}", said(&cells));
    cells.shows("tuner().run(&mut y)?.is_stored()", "false");
    let mut others = start();
    others.shows("tuner().run(&mut y)?.is_stored()", "true");
    others.run(":tuned");
    let listed = said(&others);
    assert!(listed.contains("fill") && listed.contains("BLOCK = ") && listed.contains("speedup"), "{listed}");
    // What is damaged is as good as none.
    for file in std::fs::read_dir(folder.path().join("tuned")).unwrap() {
        std::fs::write(file.unwrap().path(), b"nonsense").unwrap();
    }
    others.shows("tuner().run(&mut y)?.is_stored()", "false");
    others.run(":tuned clear");
    assert!(said(&others).contains("1 tuned kernel forgotten"), "{}", said(&others));
    others.shows("tuner().run(&mut y)?.is_stored()", "false");
}

#[test]
fn templates_are_tuned_and_what_does_not_render_is_left_out() {
    let mut cells = Conversation::start();
    cells.ok(&format!(
        "let text = Template::new(\"__global__ void f({{{{ type }}}} *y) {{ {{% for k in range(each) %}}y[threadIdx.x + {{{{ k }}}} * blockDim.x] = 3; {{% endfor %}} }} {}\");",
        fresh()
    ));
    cells.ok("let mut y = zeros::<f32>(64);");
    cells.ok("let tuned = tune(\"f\", &text).parameter(\"type\", [\"float\", \"flout\"]).parameter(\"each\", [1, 2, 4]).block(|v| 64 / v[\"each\"]).run(&mut y)?;");
    cells.shows("tuned.failures()", "[(DoesNotCompile, 3)]");
    cells.ok("tuned.launch(&mut y)?;");
    cells.shows("y.sum().item()", "192.0");
    cells.ok("let each = tuned.best()[\"each\"];");
    cells.shows("tuned.module().source().matches(\"= 3\").count() == each", "true");
    cells.fails_with(
        "tune(\"f\", &text).parameter(\"type\", [\"float\"]).run(&mut y)?;",
        "`each` is not defined",
    );
    assert!(
        cells.rendered().contains("none of 1 variants works: 1 does not compile"),
        "{}",
        cells.rendered()
    );
}

#[test]
fn kernels_in_rust_are_tuned_by_their_constants() {
    let mut cells = Conversation::start();
    cells.ok("#[kernel] fn scale<const EACH: usize>(x: &[f32], y: &mut [f32]) {\
              let first = thread::index() * EACH; for k in first..(first + EACH).min(y.len()) { y[k] = 2.0 * x[k]; } }");
    cells.ok("let x = rand::<f32>(5000); let mut y = zeros_like(&x);");
    cells.ok(
        "let best = tune_calls(\"scale\", |v| {\
         let (block, grid) = (v[\"block\"], x.len().div_ceil(v[\"block\"] * v[\"each\"]));\
         v.reset(&mut y)?;\
         match v[\"each\"] { 1 => scale::<1>.launch(grid, block, (&x, &mut y))?, 2 => scale::<2>.launch(grid, block, (&x, &mut y))?,\
         _ => scale::<4>.launch(1, 1, (&x, &mut y))? } v.check(&y) })\
         .parameter(\"block\", [64, 128]).parameter(\"each\", [1, 2, 4]).seconds(1e6).run()?;",
    );
    // The launch of four each reaches four elements, and finds nothing of what others have left.
    cells.shows("best.attempts().len()", "6");
    cells.shows("best.failures()", "[(IsWrong, 2)]");
}

#[test]
fn what_no_variant_can_be_tried_without_ends_the_search() {
    let mut cells = Conversation::start();
    cells.ok(&format!(
        "let text = \"__global__ void f(int *y) {{ *y = N; }} {}\"; let mut y = zeros::<i32>(1);",
        fresh()
    ));
    let tuner = "tune(\"f\", text).parameter(\"N\", [1, 2])";
    cells.fails_with(&format!("{tuner}.expect(\"z\", &y).run(&mut y)?;"), "the kernel writes no array `z`");
    let said = cells.rendered();
    assert!(
        said.contains("tune: `f`: ") && !said.contains("tune: tune:") && !said.contains("isolated"),
        "{said}"
    );
    assert!(
        cells.rendered().contains("name one of its parameters that are not `const`: `y`"),
        "{}",
        cells.rendered()
    );
    cells.fails_with(
        &format!("{tuner}.expect(\"y\", &gpu![1.0]).run(&mut y)?;"),
        "`y` is an array of int32 and shape [1]",
    );
    cells.ok(&format!("let tuned = {tuner}.ignore(\"y\").seconds(1e6).run(&mut y)?;"));
    cells.shows("tuned.failures().len()", "0");
}
