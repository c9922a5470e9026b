//! Pictures in a terminal, and nothing of them anywhere else.

use gpurepl_session::Options;
use gpurepl_tests::{Conversation, Screen};

/// A cell whose value has a picture of two rows: red above green.
const PICTURE: &str = "struct Plot; impl Render for Plot { fn render(&self) -> MimeBundle { \
     MimeBundle::text(\"braille\").with(\"image/png\", \"iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAGUlEQVR42mP4z8BAEmIY1UATDaPBNCg0AAARef8BV3j1rQAAAABJRU5ErkJggg==\") } }";

fn pty(environment: &[(&str, &str)], arguments: &[&str]) -> (tempfile::TempDir, Screen) {
    let home = tempfile::tempdir().unwrap();
    let mut screen = Screen::start(home.path(), arguments, environment);
    screen.prompt(1);
    screen.types(&format!("{PICTURE}\r"));
    screen.prompt(2);
    (home, screen)
}

#[test]
fn a_picture_takes_the_place_of_its_text() {
    let (_home, mut screen) = pty(&[("COLORTERM", "truecolor")], &["--pictures", "blocks"]);
    screen.types("Plot\r");
    screen.prompt(3);
    let text = screen.text();
    let shown = text.split("Out[2]:").nth(1).unwrap_or_default();
    assert!(shown.contains('▀') && !shown.contains("braille"), "{text}");
    let cell = screen.cell_of("▀");
    assert_eq!(
        (cell.fgcolor(), cell.bgcolor()),
        (vt100::Color::Rgb(255, 0, 0), vt100::Color::Rgb(0, 255, 0))
    );
    // What was typed ahead is there, and colours have ended.
    screen.types("display(&Plot); 41 + 1\r");
    screen.sees("Out[3]: 42");
    assert_eq!(screen.leave(), 0);
}

#[test]
fn who_wants_no_pictures_sees_the_text() {
    for (environment, arguments) in [
        (("NO_COLOR", "1"), &["--pictures", "kitty"][..]),
        (("TERM", "xterm-kitty"), &["--pictures", "text"]),
    ] {
        let (_home, mut screen) = pty(&[environment], arguments);
        screen.types("Plot\r");
        screen.sees("Out[2]: braille");
        assert_eq!(screen.leave(), 0);
    }
}

#[test]
fn a_pipe_gets_no_escape_codes() {
    for how in ["kitty", "iterm", "sixel", "blocks"] {
        let code = format!("{PICTURE}\nPlot");
        let output = std::process::Command::new(gpurepl_tests::program())
            .args(["--pictures", how, "-e", &code])
            .env("GPUREPL_DEVICE", gpurepl_tests::device())
            .env("TERM", "xterm-kitty")
            .env("CLICOLOR_FORCE", "1")
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "braille\n", "{how}: {output:?}");
    }
}

#[test]
fn rows_are_tables_where_html_is_shown() {
    let mut cells = Conversation::with_options(Options { is_rich: true, ..Options::default() });
    cells.ok("#[derive(Debug)] struct Body { name: &'static str, mass: f64 }");
    cells.shows("vec![Body { name: \"Earth\", mass: 5.97 }]", "[Body { name: \"Earth\", mass: 5.97 }]");
    let html = cells.rich_results()[0].get("text/html").unwrap();
    assert!(html.contains(">Earth</td>") && html.contains(">mass</th>"), "{html}");
    cells.shows("vec![1, 2]", "[1, 2]");
    assert_eq!(cells.rich_results()[0].get("text/html"), None);
    cells.fails_with(
        "columns([(\"x\", &gpu![1.0]), (\"y\", &gpu![1.0, 2.0])])",
        "columns: `y` has 2 elements, and `x` has 1",
    );
    cells.fails_with(
        "describe(&zeros::<f32>(0))",
        "describe: an array of shape [0] has no elements to describe",
    );
}

#[test]
fn a_sparse_matrix_is_a_table_of_its_elements() {
    let mut cells = Conversation::with_options(Options { is_rich: true, ..Options::default() });
    cells.ok("let places: Vec<u32> = (0..100).collect(); let values: Vec<f64> = (0..100).map(f64::from).collect();");
    cells.ok("let matrix = sparse::Csr::from_triplets([100, 100], &places, &places, &values)?; matrix");
    let bundle = &cells.rich_results()[0];
    let text = "Csr(float64, shape [100, 100], 100 stored elements)";
    assert!(bundle.get("text/plain").unwrap().starts_with(text));
    let html = bundle.get("text/html").unwrap();
    assert!(html.contains(text) && html.contains("100 rows") && html.contains("99.0"), "{html}");
    assert!(html.matches("<tr").count() < 15, "{html}");
}

#[test]
fn a_front_end_that_shows_html_gets_cards() {
    let mut cells = Conversation::with_options(Options { is_rich: true, ..Options::default() });
    cells.ok(
        "let a = arange(0..6).reshape([2, 3]); display(&a); display(&Ok::<_, Error>(a.clone())); (a, 1.5)",
    );
    let html: Vec<&str> = cells.displays().iter().filter_map(|bundle| bundle.get("text/html")).collect();
    assert!(html.len() >= 2, "{html:?}");
    assert!(html[0].contains("<b>int32</b>") && html[0].contains("[2, 3]"), "{}", html[0]);
    assert!(html[1].contains("Ok"), "{}", html[1]);
    cells.ok("let bad = Err::<GpuArray<f32>, _>(\"<no>\"); display(&bad); display(&device()); display(&memory_pool()?);");
    let texts: Vec<&str> = cells.displays().iter().filter_map(|bundle| bundle.get("text/plain")).collect();
    assert_eq!(texts[0], "Err(\"<no>\")");
    assert!(cells.displays()[1].get("text/html").unwrap().contains("memory"));
    assert!(cells.displays()[2].get("text/html").unwrap().contains("in use"));
}

#[test]
fn a_terminal_pays_for_no_card() {
    let mut cells = Conversation::start();
    cells.ok("display(&arange(0..2000).reshape([40, 50]));");
    let bundle = &cells.displays()[0];
    assert_eq!(bundle.0.keys().collect::<Vec<_>>(), ["text/plain"]);
    let text = bundle.get("text/plain").unwrap();
    assert!(text.starts_with("int32 [40, 50] 7.8 KiB ") && text.contains("\narray([["), "{text}");
}

#[test]
fn kernels_show_their_lines() {
    let mut cells = Conversation::start();
    cells.ok("let module = SourceModule::new(\"\n__global__ void twice(float *a) {\n    a[threadIdx.x] *= 2;\n}\n\")?;");
    cells.ok("let twice = module.get_function(\"twice\")?;");
    cells.ok("twice");
    let text = cells.results()[0].clone();
    assert!(text.starts_with("twice(float *a) on "), "{text}");
    assert!(text.contains("\nthreads per block: at most 1024\n"), "{text}");
    assert!(
        text.ends_with("\n2 | __global__ void twice(float *a) {\n3 |     a[threadIdx.x] *= 2;\n4 | }"),
        "{text}"
    );
    cells.ok("module");
    assert!(cells.results()[0].starts_with("SourceModule with 1 kernel on "), "{:?}", cells.results());
}

/// The figures of a card: names and values, without what is around them.
fn figures(html: &str) -> String {
    let line = html.split("gr-figures\">").nth(1).unwrap_or_else(|| panic!("no figures in {html}"));
    let line = line.split("</div>").next().unwrap_or_default();
    let mut text = String::new();
    let mut is_tag = false;
    for character in line.chars() {
        match character {
            '<' => is_tag = true,
            '>' => is_tag = false,
            _ if !is_tag => text.push(character),
            _ => {}
        }
    }
    text
}

#[test]
fn figures_come_from_one_pass_over_any_array() {
    let mut cells = Conversation::with_options(Options { is_rich: true, ..Options::default() });
    let cases = [
        ("arange(0..1200).reshape([30, 40])", "min 0max 1199mean 599.5"),
        ("arange(0..1200).reshape([30, 40]).t()", "min 0max 1199mean 599.5"),
        ("arange(0..1_000_000).astype(f64) / 4", "min 0max 250000mean 125000NaN 0"),
        ("arange(0_i64..2_000_003).reshape((1, -1))", "min 0max 2000002mean 1000001"),
        ("arange(0..300_000).reshape([100_000, 3]).astype(f32)", "min 0max 299999mean 150000NaN 0"),
        ("arange(0..24).reshape([2, 3, 4]).astype(u8)", "min 0max 23mean 11.5"),
        ("arange(0..10).gt(6)", "true 3 of 10 (30 %)"),
        ("gpu![3.0, f64::NAN, -1.0, f64::INFINITY]", "min -1max infmean 1NaN 1inf 1"),
        ("gpu![Complex64::new(3.0, 4.0), Complex64::new(0.0, 1.0)]", "min |z| 1max |z| 5mean |z| 3NaN 0"),
        ("gpu![1.5, 2.5].astype(f16)", "min 1.5max 2.5mean 2NaN 0"),
        ("full((5, 7), f32::NAN)", "NaN 35"),
        (
            "ndarray::Array2::from_shape_fn((30, 40), |(i, j)| (40 * i + j) as f32).reversed_axes()",
            "min 0max 1199mean 599.5NaN 0",
        ),
    ];
    for (array, expected) in cases {
        cells.ok(&format!("display(&({array}));"));
        let html = cells.displays()[0].get("text/html").unwrap_or_else(|| panic!("no card of {array}"));
        assert_eq!(figures(html), expected, "{array}");
        assert!(html.len() < 40_000, "{array}: {} bytes", html.len());
    }
    cells.ok("display(&arange(0..1200).reshape([30, 40]).t());");
    assert!(cells.displays()[0].get("text/html").unwrap().contains("strides [4, 160]"));
    assert!(cells.displays()[0].get("image/svg+xml").unwrap().starts_with("<svg "));
}
