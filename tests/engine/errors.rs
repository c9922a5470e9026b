//! What is said about cells that do not compile.

use gpurepl_tests::Conversation;

#[test]
fn errors_stand_on_the_users_lines() {
    let mut cells = Conversation::start();
    let error = cells.fails("let a = 1;\nlet b: i32 = \"text\";\nb");
    assert_eq!(error.code.as_deref(), Some("E0308"));
    assert_eq!(error.place(), Some((2, 14)));
    let rendered = cells.rendered();
    assert!(rendered.contains("let b: i32 = \"text\";"), "{rendered}");
    assert!(!rendered.contains("__gr") && !rendered.contains("ctx"), "{rendered}");
}

#[test]
fn places_count_characters() {
    let mut cells = Conversation::start();
    assert_eq!(cells.fails("let größe = \"ä\"; größe + 1").place(), Some((1, 24)));
}

#[test]
fn errors_within_macros_stand_where_the_macro_is_called() {
    let mut cells = Conversation::start();
    let error = cells.fails("let s = 5; println!(\"{} {}\", s, missing);");
    assert_eq!(error.place(), Some((1, 33)), "{}", cells.rendered());
    cells.fails("println!(\"{}\");");
}

#[test]
fn syntax_errors_have_places() {
    let mut cells = Conversation::start();
    let error = cells.fails("let a = 1;\nlet b = );");
    assert_eq!(error.place().map(|place| place.0), Some(2), "{}", cells.rendered());
    cells.fails("fn f( {");
    cells.fails("let 1a = 2;");
    cells.fails("\"open");
    cells.fails("/* open");
    cells.fails("#");
    cells.fails("\u{0}");
    cells.shows("1", "1");
}

#[test]
fn several_errors_are_all_told() {
    let mut cells = Conversation::start();
    cells.fails("let a = missing1;\nlet b = missing2;");
    let rendered = cells.rendered();
    assert!(rendered.contains("missing1") && rendered.contains("missing2"), "{rendered}");
}

#[test]
fn an_error_in_an_older_item_names_its_cell() {
    let mut cells = Conversation::start();
    cells.ok("fn generic<T: std::fmt::Display>(t: T) -> String { t.to_string() }");
    cells.fails_with("generic(vec![1])", "cell 1:1");
}

#[test]
fn helps_of_the_compiler_are_kept() {
    let mut cells = Conversation::start();
    cells.ok("let number = 5;");
    cells.fails_with("numbr", "number");
    cells.fails_with("let x: Option<i32> = 5;", "wrapping the expression in `Some`");
}

#[test]
fn lints_that_deny_are_errors() {
    let mut cells = Conversation::start();
    cells.fails_with("let a = 255_u8 + 1;", "overflow");
    cells.fails_with("let v = [1, 2]; v[7]", "out of bounds");
}

#[test]
fn warnings_about_names_are_not_told() {
    let mut cells = Conversation::start();
    cells.ok("let Unused = 1; fn NotSnake() {}");
    assert_eq!(cells.rendered(), "");
}

#[test]
fn scalars_of_another_type_get_a_hint() {
    let mut cells = Conversation::start();
    cells.ok("let a = zeros::<f32>(3);");
    cells.fails_with("a + 1.0; a", "borrow");
    cells.fails("let z: f32 = a.sum();");
}

#[test]
fn one_failing_cell_changes_nothing() {
    let mut cells = Conversation::start();
    cells.ok("let mut v = vec![1];");
    cells.fails("v.push(2); v.push(\"three\");");
    cells.shows("v", "[1]");
}

#[test]
fn habits_from_numpy_are_answered() {
    let mut cells = Conversation::start();
    cells.ok("let mut a = arange(0..4);");
    for (source, advice) in [
        ("a[0] = 1;", "`set!(a[0] = 1);`"),
        ("a ** 2", "a.pow(2)"),
        ("a[(1, 2)]", "a[s![1, 2]]"),
        ("a.shape", "called with parentheses"),
        ("a.T", "`a.t()`"),
        ("zeros::<f32>(3, 4)", "a shape of several axes is a tuple"),
        ("arange(0, 10, 2)", "arange((0..10).by(2))"),
        ("linspace(0, 1, 5)", "linspace(0.0, 1.0, 5)"),
        ("ones((3, 4))", "ones::<f32>"),
        ("let x: GpuArray<f32> = zeros::<f32>(2).get();", "to_gpu(&array)"),
        ("&a + ndarray::array![1]", "`to_gpu(&host)`"),
        ("fn k(x: f32) {} k(5)", "k(5.0)"),
    ] {
        cells.fails(source);
        let rendered = cells.rendered();
        assert!(rendered.contains(advice), "{source}: {rendered}");
        assert!(!rendered.contains("remove the extra"), "{source}: {rendered}");
    }
}

#[test]
fn habits_from_pycuda_are_answered() {
    let mut cells = Conversation::start();
    cells.ok("let st = Stream::new()?; let e = Event::new()?; let g = Graph::capture(|| Ok(()))?;");
    for (source, advice, meant) in [
        ("e.record(&st)?", "`e.record_on(&st)?`", "e.record_on(&st)?.synchronize()?;"),
        ("g.launch(&st)?", "`st.scope(|| g.launch())??`", "st.scope(|| g.launch())??;"),
        ("Device(0)", "`Device::new(0)?`", "Device::new(0)?;"),
        ("let e2 = Event();", "`Event::new()?`", "Event::new()?;"),
        ("SourceModule(\"\")", "`SourceModule::new(..)?`", "SourceModule::new(\"\")?;"),
        ("Context::synchronize()", "`synchronize()?`", "synchronize()?;"),
        (
            "DeviceAttribute::MAX_THREADS_PER_BLOCK",
            "`DeviceAttribute::MaxThreadsPerBlock`",
            "DeviceAttribute::MaxThreadsPerBlock;",
        ),
        ("CacheConfig::PREFER_L1", "`CacheConfig::PreferL1`", "CacheConfig::PreferL1;"),
        ("drv.Device(0)", "without `drv`", "Device::new(0)?;"),
        ("cuda::Device::new(0)", "without `cuda`", "Device::new(0)?;"),
        ("use pycuda::driver;", "without `pycuda`", "Device::new(0)?;"),
    ] {
        cells.fails(source);
        let rendered = cells.rendered();
        assert!(rendered.contains(advice), "{source}: {rendered}");
        for guess in ["remove the extra", "Device::of", "similar name", "missing a crate", "provide the"] {
            assert!(!rendered.contains(guess), "{source}: {rendered}");
        }
        // What is advised compiles and runs.
        cells.ok(meant);
    }
}

#[test]
fn a_variable_with_the_name_of_a_macro_is_spoken_of_as_one() {
    let mut cells = Conversation::start();
    for (source, name) in [("s.synchronize()?;", "s"), ("let x = &set;", "set"), ("launch + 1", "launch")] {
        let error = cells.fails(source);
        assert_eq!(error.code.as_deref(), Some("E0425"), "{source}");
        let rendered = cells.rendered();
        let (said, macros) =
            (format!("cannot find value `{name}` in this scope"), rendered.contains("macro"));
        assert!(rendered.contains(&said) && !macros, "{source}: {rendered}");
    }
    cells.ok("let s = Stream::new()?;");
    cells.fails_with("fn f() { s.synchronize(); }", "a function cannot see the variables of cells");
    cells.ok("drop(s);");
    cells.fails_with("s.synchronize()?;", "`s` was moved in cell");
    assert!(cells.rendered().contains("cannot find value `s`"), "{}", cells.rendered());
    // A macro that is called without its sign is still one.
    cells.fails_with("gpu(1)", "macro");
}

#[test]
fn a_moved_array_says_how_to_lend_it() {
    let mut cells = Conversation::start();
    cells.ok("let s = zeros::<f32>(2);");
    cells.ok("s + 1");
    cells.fails("s");
    assert!(cells.rendered().contains("`s` was moved in cell 2"), "{}", cells.rendered());
    assert!(cells.rendered().contains("`&s + 1`"), "{}", cells.rendered());
}

#[test]
fn brackets_that_do_not_match_are_pointed_at() {
    let mut cells = Conversation::start();
    cells.fails_with("fn f( {", "this `{` is not closed");
    cells.fails_with("let x = 1);", "this `)` closes nothing");
    cells.fails_with("let s = \"abc;", "this text does not end");
}

#[test]
fn an_expression_that_never_ends_is_no_error_of_its_own() {
    let mut cells = Conversation::start();
    cells.fails_with("{ println!(\"x\"); panic!(\"after\") }", "panic: after");
    assert_eq!(String::from_utf8_lossy(cells.stdout()), "x\n");
    cells.fails_with("if true { panic!(\"b\") } else { panic!(\"c\") }", "panic: b");
    cells.fails_with("match 3 { _ => panic!(\"e\") }", "panic: e");
    cells.fails_with("let kept = 1; { let x = 4; unreachable!(\"{x}\") }", "4");
    cells.shows("1 + 1", "2");
}

#[test]
fn a_panic_within_a_crate_names_the_cells_line() {
    let mut cells = Conversation::start();
    cells.ok("let a = zeros::<f32>(3);\nfn third(v: &ndarray::ArrayD<f32>) -> f32 {\n    v[7]\n}");
    let diagnostic = cells.fails_with("let n = 1;\nlet x = a.get()[7] + n as f32;", "index out of bounds");
    assert_eq!(diagnostic.place(), Some((2, 9)), "{}", cells.rendered());
    assert_eq!(diagnostic.labels[0].range, 19..29, "{}", cells.rendered());
    let rendered = cells.rendered();
    assert!(rendered.contains("at ndarray-") && !rendered.contains("registry"), "{rendered}");
    // Within a function of an earlier cell, too.
    cells.fails_with("third(&a.get())", "index out of bounds");
    assert!(cells.rendered().contains("cell 1:3:5"), "{}", cells.rendered());
    cells.shows("a.get().len()", "3");
}

#[test]
fn types_are_printed_short() {
    let mut cells = Conversation::start();
    cells.ok("let o = Some(String::new()); let m = std::collections::HashMap::from([(1, vec![1.5])]);");
    cells.ok(":vars");
    let shown =
        cells.displays().iter().filter_map(|bundle| bundle.get("text/plain")).collect::<Vec<_>>().join("\n");
    assert!(shown.contains("Option<String>") && shown.contains("HashMap<i32, Vec<f64>>"), "{shown}");
    assert!(!shown.contains("std::"), "{shown}");
    cells.fails_with("let x: i32 = o;", "expected `i32`, found `Option<String>`");
}

#[test]
fn nothing_is_said_of_generated_code_or_of_rustcs_own_files() {
    let mut cells = Conversation::start();
    cells.ok("let v = vec![1, 2, 3];");
    let maps = ".map(|x| x + 1).filter(|x| *x > 0)".repeat(12);
    for source in [
        "__gg::put(1);",
        "cel::guard();",
        "crate_s::x();",
        "Shwn(1)",
        "gpurepl_shw(1)",
        "v.gpurepl_sho()",
        "v.lst()",
        "__slic!(1)",
        "use gpurepl_prelud::zeros;",
        &format!("let it: i32 = v.iter().copied(){maps};"),
        &format!("let it = v.iter().copied(){maps}; it + 1"),
    ] {
        cells.fails(source);
        let rendered = cells.rendered();
        let internals =
            ["__gr", "__slice", "Shown", "ShowDebug", "KernelArgs", "gpurepl_show", "long-type", "--verbose"];
        for internal in internals {
            assert!(!rendered.contains(internal), "{source}: {rendered}");
        }
    }
}

#[test]
fn an_open_type_is_told_where_the_variable_is_bound() {
    let mut cells = Conversation::start();
    let diagnostic =
        cells.fails_with("let n = 1;\nlet s: Vec<_> = { vec![] };", "type annotations needed for `Vec<_>`");
    assert_eq!(diagnostic.labels.first().map(|label| label.range.clone()), Some(15..16), "{diagnostic:?}");
    assert!(diagnostic.helps.iter().any(|help| help.contains("let s: ")), "{diagnostic:?}");
}
