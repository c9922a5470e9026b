//! What the compiler of a device says about a kernel, in the cell that holds
//! the kernel's text. What it says differs from device to device; where it
//! points does not.

use gpurepl_session::Diagnostic;
use gpurepl_tests::Conversation;

/// What the first place of a diagnostic is called, its text, and its line and
/// column there.
fn place(error: &Diagnostic) -> (&str, &str, Option<(usize, usize)>) {
    let label = error.labels.iter().find(|label| label.is_primary).unwrap();
    let source = error.sources.iter().find(|source| source.cell == label.cell).unwrap();
    (&source.name, &source.text[label.range.clone()], error.place())
}

#[test]
fn the_place_is_in_the_cell_that_holds_the_text() {
    let mut cells = Conversation::start();
    // The same line in another kernel.
    cells.ok(
        "const OTHER: &str = \"\\n__global__ void g(float *a) {\\n\\t/* größe */ a[0] = fehlt;\\n}\\n\";",
    );
    cells.ok(
        "// Größe\nconst SOURCE: &str = r#\"\n__global__ void f(float *a) {\n\t/* größe */ a[0] = fehlt;\n}\n\"#;",
    );
    let error = cells.fails("let ä = 1;\nlet module = SourceModule::new(SOURCE)?;");
    assert_eq!(place(&error), ("cell 2", "fehlt", Some((4, 21))), "{}", cells.rendered());
    let rendered = cells.rendered();
    for words in ["kernel does not compile: ", "fehlt", "kernel.cu line 3", "cell 3:2:14", "compiled here"] {
        assert!(rendered.contains(words), "`{words}` is not in\n{rendered}");
    }
    assert!(!rendered.contains("--> kernel.cu"), "{rendered}");
}

#[test]
fn strings_with_escapes_and_continuations_are_followed() {
    let mut cells = Conversation::start();
    let error = cells.fails(
        "let f = SourceModule::new(\"__global__ void f(int *a) {\\n  a[0] = 1; \\\n     \\\"é\\\"; \\n  \\x61[1] = nothing;\\n}\")?;",
    );
    assert_eq!(place(&error), ("cell 1", "nothing", Some((2, 27))), "{}", cells.rendered());
    assert!(cells.rendered().contains("kernel.cu line 3"), "{}", cells.rendered());
    // In a variable of an earlier cell, and behind a magic.
    cells.ok("let source = \"__global__ void f(int *a)\n{\n  a[0] = none;\n}\";");
    let error = cells.fails("%%time\nSourceModule::new(source)?;");
    assert_eq!(place(&error), ("cell 2", "none", Some((3, 10))), "{}", cells.rendered());
    let error =
        cells.fails("%%time\nlet g = \"é\"; SourceModule::new(\"__device__ int f() { return none; }\")?;");
    assert_eq!(place(&error), ("cell 4", "none", Some((2, 61))), "{}", cells.rendered());
}

#[test]
fn a_panic_and_an_error_in_a_box_know_the_place_too() {
    let mut cells = Conversation::start();
    let error = cells.fails("SourceModule::new(\"__global__ void f() { none; }\").unwrap();");
    assert_eq!(place(&error), ("cell 1", "none", Some((1, 42))), "{}", cells.rendered());
    assert!(error.message.starts_with("panic: called `Result::unwrap()`"), "{}", error.message);
    cells.ok(
        "fn make() -> Result<SourceModule, Box<dyn std::error::Error>> {\n    Ok(SourceModule::new(\"__global__ void f() { none; }\")?)\n}",
    );
    let error = cells.fails("let module = make()?;");
    assert_eq!(place(&error), ("cell 2", "none", Some((2, 49))), "{}", cells.rendered());
}

#[test]
fn operations_are_found_like_kernels() {
    let mut cells = Conversation::start();
    cells.ok("let one = ElementwiseKernel::new(\"float *x, float a\", \"x[i] = a*x[i] + ;\", \"one\")?;\nlet two = ElementwiseKernel::new(\"float *x\", \"x[i] = none\", \"two\")?;");
    cells.ok("let mut x = zeros::<f32>(2);");
    let error = cells.fails("one.call((&mut x, 1))?;");
    let (cell, text, at) = place(&error);
    assert_eq!((cell, text, at), ("cell 1", ";", Some((1, 72))), "{}", cells.rendered());
    let error = cells.fails("two.call(&mut x)?;");
    assert_eq!(place(&error), ("cell 1", "none", Some((2, 54))), "{}", cells.rendered());
    assert!(
        cells.rendered().contains("two does not compile") && cells.rendered().contains("operation line 1")
    );
    let error = cells.fails("let three = elementwise!(|x: &mut [f32]| \"x[i] = nada\");\nthree(&mut x);");
    assert_eq!(place(&error), ("cell 5", "nada", Some((1, 50))), "{}", cells.rendered());
}

#[test]
fn a_text_of_no_cell_is_shown_by_itself() {
    let mut cells = Conversation::start();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.cu");
    std::fs::write(&path, "__global__ void f() { none; }").unwrap();
    let twice = "let a = \"__global__ void f() { none; }\"; let b = \"__global__ void f() { none; }\"; SourceModule::new(a)?;";
    for source in [
        "SourceModule::new(&[\"__global__ void f() {\", \" none; }\"].concat())?;".to_owned(),
        format!("SourceModule::new(include_str!({path:?}))?;"),
        // Which of the two is not known.
        twice.to_owned(),
    ] {
        let error = cells.fails(&source);
        assert!(error.message.contains("--> kernel.cu line 1"), "{source}: {}", error.message);
        assert_eq!(error.place().map(|(line, _)| line), Some(1), "{}", cells.rendered());
    }
}
