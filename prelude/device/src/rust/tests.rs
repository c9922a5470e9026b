//! What rustc makes of kernels for GPUs, for every architecture, without a GPU: rustc and LLVM
//! know nothing of barriers, so the PTX is read.

use gpurepl_kernels::ptx::unset;
use gpurepl_kernels::rust::{Form, ITEMS_FILE, RustKernel, RustParameter, finish};

use super::compiler::GpuOptions;
use super::lines::RustLines;
use crate::error::Result;

/// Volta to Blackwell.
const ARCHITECTURES: [u32; 8] = [70, 75, 80, 86, 89, 90, 100, 120];

fn slice() -> RustParameter {
    RustParameter::Slice("f32".to_owned(), 4, 4)
}

fn written() -> RustParameter {
    RustParameter::SliceMut("f32".to_owned(), 4, 4)
}

fn number() -> RustParameter {
    RustParameter::Value("usize".to_owned(), 8, 8)
}

/// An interrupt that another test sets is none of these compilers'.
fn compile_for_gpu(
    kernel: &RustKernel<'_>,
    lines: &RustLines,
    architecture: u32,
    options: GpuOptions,
    finish: &dyn Fn(&str) -> Result<String>,
) -> Result<String> {
    let _undisturbed = crate::interrupt::exclusive::undisturbed();
    super::compiler::compile_for_gpu(kernel, lines, architecture, options, finish)
}

/// The PTX of a kernel `k` for each architecture.
fn of_each(items: &str, parameters: &[RustParameter], check: impl Fn(u32, &str)) {
    let kernel = RustKernel { name: "k", items, function: "crate::k", parameters, form: Form::Kernel };
    for architecture in ARCHITECTURES {
        let complete = |raw: &str| Ok(finish(raw, architecture, None).expect("no function of others").text);
        let ptx =
            compile_for_gpu(&kernel, &RustLines::default(), architecture, GpuOptions::default(), &complete)
                .unwrap_or_else(|error| panic!("sm_{architecture}: {error}"));
        assert!(ptx.contains(&format!(".target sm_{architecture}")), "sm_{architecture}");
        assert!(!ptx.contains(".extern .func"), "sm_{architecture}: {ptx}");
        let unset = unset(&ptx);
        assert!(unset.is_empty(), "sm_{architecture}: {unset:?} in {ptx}");
        check(architecture, &ptx);
    }
}

fn barriers(ptx: &str) -> usize {
    ptx.lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with("bar.sync") || line.starts_with("barrier.sync"))
        .count()
}

fn lines<'p>(ptx: &'p str, start: &'static str) -> impl Iterator<Item = &'p str> {
    ptx.lines().map(str::trim_start).filter(move |line| line.starts_with(start))
}

#[test]
fn a_barrier_is_not_copied_into_the_arms_of_a_branch() {
    let items = "fn meet() { block::sync() }\nfn k(c: usize, y: &mut [f32]) { let t = thread::x(); if t < c { y[0] = 1.0; } meet(); if t < c { y[1] = 2.0; } }";
    of_each(items, &[number(), written()], |architecture, ptx| {
        assert_eq!(barriers(ptx), 1, "sm_{architecture}: {ptx}");
    });
}

#[test]
fn an_element_is_read_again_behind_a_barrier() {
    let items = "fn k(y: &mut [f32], z: &mut [f32]) { let t = thread::x(); if t + 1 < y.len() && t < z.len() { let a = y[t + 1]; block::sync(); y[t] = 7.0; block::sync(); z[t] = a + y[t + 1]; } }";
    of_each(items, &[written(), written()], |architecture, ptx| {
        assert_eq!(barriers(ptx), 2, "sm_{architecture}: {ptx}");
        let reads =
            lines(ptx, "ld.global").filter(|line| line.contains("b32") || line.contains("f32")).count();
        assert_eq!(reads, 2, "sm_{architecture}: {ptx}");
    });
}

#[test]
fn shared_memory_is_read_as_such() {
    let items = "fn k(x: &[f32], y: &mut [f32]) { let part = shared!([f32; 128]); let t = thread::x(); part[t] = x[t]; block::sync(); y[t] = part[127 - t]; }";
    of_each(items, &[slice(), written()], |architecture, ptx| {
        assert!(lines(ptx, "ld.shared").count() >= 1, "sm_{architecture}: {ptx}");
        assert!(lines(ptx, "st.shared").count() >= 1, "sm_{architecture}: {ptx}");
        assert!(ptx.contains(".shared .align 16 .b8 __gr_shared_1_"), "sm_{architecture}: {ptx}");
        // What is only read goes through the cache for that.
        assert_eq!(lines(ptx, "ld.global.nc").count(), 1, "sm_{architecture}: {ptx}");
        assert_eq!(barriers(ptx), 1, "sm_{architecture}: {ptx}");
    });
}

#[test]
fn five_accesses_are_checked_by_two_branches() {
    let items = "fn k(w: usize, x: &[f32], y: &mut [f32]) { let (i, j) = (thread::index(), thread::index_y()); \
        if i > 0 && i < w - 1 && j > 0 && j < w - 1 { let at = j * w + i; y[at] = x[at - 1] + x[at + 1] + x[at - w] + x[at + w]; } }";
    of_each(items, &[number(), slice(), written()], |architecture, ptx| {
        // Some of the loads are on their way before the last two are checked.
        assert_eq!(ptx.matches("bra $gr_which_").count(), 2, "sm_{architecture}: {ptx}");
        // Each has its own panic still.
        let own =
            ptx.split("$gr_which_0:").nth(1).unwrap_or_default().lines().take_while(|line| *line != "}");
        assert_eq!(own.filter(|line| line.contains("bra")).count(), 5, "sm_{architecture}: {ptx}");
    });
}

#[test]
fn a_loop_of_two_conditions_has_one_way_out() {
    let items = "fn k(n: usize, y: &mut [f32]) { let (mut a, mut b, mut c) = (0.0f32, 0.0f32, 0); let v = thread::index() as f32; \
        while c < n && a * a + b * b < 4.0 { (a, b) = (a * a - b * b + v, 2.0 * a * b + v); c += 1; } y[0] = c as f32; }";
    of_each(items, &[number(), written()], |architecture, ptx| {
        let of_kernel = ptx.split(".entry").nth(1).unwrap_or_default();
        let of_loop = of_kernel.split("$L__BB").find(|block| block.contains("and.pred"));
        assert!(of_loop.is_some_and(|block| block.matches("bra").count() == 1), "sm_{architecture}: {ptx}");
    });
}

#[test]
fn the_indices_of_a_range_need_no_check_within_what_it_is_of() {
    let items = "fn k(x: &[f32], y: &mut [f32]) { let mut sum = 0.0; for i in thread::range(x.len()) { sum += x[i]; } y[0] = sum; }";
    of_each(items, &[slice(), written()], |architecture, ptx| {
        let of_kernel = ptx.split(".entry").nth(1).unwrap_or_default();
        // That of `y[0]`.
        assert_eq!(of_kernel.matches("call.uni __gr_bounds").count(), 1, "sm_{architecture}: {ptx}");
        // And more than one load is on its way.
        assert!(lines(of_kernel, "ld.global").count() >= 4, "sm_{architecture}: {ptx}");
    });
}

#[test]
fn a_table_that_is_indexed_at_run_time_is_read_where_it_lies() {
    // Its copy on the stack was once read from an address that was never computed.
    let items = "const TABLE: [u32; 7] = [3, 1, 4, 1, 5, 9, 2];\nfn k(n: usize, y: &mut [f32]) { let mut own = TABLE; own.sort_unstable(); let i = thread::index(); if i < y.len() { y[i] = (own[(i + n) % 7] + TABLE[i % 7]) as f32; } }";
    of_each(items, &[number(), written()], |architecture, ptx| {
        assert!(ptx.contains("ld.local") || ptx.contains("ld.global"), "sm_{architecture}: {ptx}");
    });
}

#[test]
fn a_remainder_of_floats_is_exact_or_refused() {
    let parameters = [written()];
    let of = |items| RustKernel {
        name: "k",
        items,
        function: "crate::k",
        parameters: &parameters,
        form: Form::Kernel,
    };
    let compile = |items| {
        compile_for_gpu(&of(items), &RustLines::default(), 90, GpuOptions::default(), &|raw| {
            Ok(finish(raw, 90, None).expect("no function of others").maths.join(" "))
        })
    };
    let error = compile("fn k(y: &mut [f32]) { y[0] = y[1] % 3.0; }").unwrap_err();
    assert!(error.to_string().contains("`%` of floats is not exact on a GPU"), "{error}");
    assert_eq!(compile("fn k(y: &mut [f32]) { y[0] = y[1].rem_euclid(3.0); }").unwrap(), "fmodf");
    // Of integers it is what it is.
    assert_eq!(compile("fn k(y: &mut [f32]) { y[0] = (y.len() % 3) as f32; }").unwrap(), "");
}

/// A copy of four elements at once has no padding: of bytes, it wrote beyond the array.
#[test]
fn elements_of_every_size_are_mapped_four_at_a_time() {
    for (of, size) in [("u8", 1), ("i16", 2), ("f32", 4), ("u64", 8)] {
        let parameters = [
            RustParameter::Slice("f64".to_owned(), 8, 8),
            RustParameter::SliceMut(of.to_owned(), size, size),
        ];
        let items = format!(
            "pub fn f(v: f64) -> {of} {{ v as {of} }}\nconst _: () = assert!(size_of::<gpu::half::Four{}<{of}>>() == {});",
            size.min(4),
            4 * size
        );
        let kernel = RustKernel {
            name: "k",
            items: &items,
            function: "crate::f",
            parameters: &parameters,
            form: Form::Map(false),
        };
        let complete = |raw: &str| Ok(finish(raw, 90, None).expect("no function of others").text);
        let ptx =
            compile_for_gpu(&kernel, &RustLines::default(), 90, GpuOptions::default(), &complete).unwrap();
        assert!(
            lines(&ptx, "ld.global").any(|line| line.contains(".v2.") || line.contains(".v4.")),
            "{of}: {ptx}"
        );
        assert!(unset(&ptx).is_empty(), "{of}: {ptx}");
    }
}

#[test]
fn what_a_device_does_not_have_is_an_error_about_the_users_line() {
    let items = "fn k(y: &mut [f32]) {\n    let v = vec![1.0f32];\n    y[0] = v[0];\n}";
    let kernel =
        RustKernel { name: "k", items, function: "crate::k", parameters: &[written()], form: Form::Kernel };
    let lines = RustLines {
        texts: vec![("cell 4".to_owned(), format!("\n{items}"))],
        lines: (2..6).map(|line| Some((0, line))).collect(),
    };
    let error =
        compile_for_gpu(&kernel, &lines, 90, GpuOptions::default(), &|raw| Ok(raw.to_owned())).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("cell 4") && text.contains("cannot find macro `vec`"), "{text}");
    assert!(text.contains("a kernel allocates nothing"), "{text}");
}

#[test]
fn what_a_kernel_prints_is_written_without_tables_of_core() {
    let items = "#[derive(Debug)] struct P { x: f32, n: [u8; 2] }\n\
        fn k(x: &[f32], y: &mut [f32]) { let i = thread::index(); \
        println!(\"thread {i}: {:.3} {:?} {:>5x} {:?}\", x[i], y[i], i, P { x: x[0], n: [1, 2] }); \
        assert!(x[i] > 0.0, \"{} is not positive\", x[i]); assert_eq!(i % 2, 0); }";
    of_each(items, &[slice(), written()], |architecture, ptx| {
        assert!(!ptx.contains(".extern .global"), "sm_{architecture}: {ptx}");
        assert!(ptx.contains("__gr_print_bytes") && !ptx.contains("flt2dec"), "sm_{architecture}: {ptx}");
    });
}

/// A kernel, its parameters and what is done with it.
fn of_all_kinds() -> Vec<(&'static str, Vec<RustParameter>, Form)> {
    let half = |is_written: bool| {
        let of = "gpu::f16".to_owned();
        if is_written { RustParameter::SliceMut(of, 2, 2) } else { RustParameter::Slice(of, 2, 2) }
    };
    let complex = |is_written: bool| {
        let of = "gpu::Complex<f32>".to_owned();
        if is_written { RustParameter::SliceMut(of, 8, 4) } else { RustParameter::Slice(of, 8, 4) }
    };
    let matrix = |is_written: bool| {
        let of = "f32".to_owned();
        if is_written { RustParameter::ViewMut(of, 4, 4, 2) } else { RustParameter::View(of, 4, 4, 2) }
    };
    vec![
        (
            "fn k(x: &[f32], y: &mut [f32]) { let part = shared!([f32; 32]); let mut v = 0.0; for i in thread::range(x.len()) { v += x[i]; } \
             let v = warp::reduce(v, |a, b| a + b); if thread::lane() == 0 { part[thread::x() / 32] = v; } block::sync(); \
             if block::any(v > 1.0) && thread::x() == 0 { atomic::add(&mut y[0], part[0]); atomic::max(&mut y[1], v); } }",
            vec![slice(), written()],
            Form::Kernel,
        ),
        (
            "fn k(a: Matrix<f32>, mut b: MatrixMut<f32>) { let (i, j) = (thread::index_y(), thread::index()); \
             if b.contains((i, j)) { b[(i, j)] = a[[j, i]] * 2.0; } }",
            vec![matrix(false), matrix(true)],
            Form::Kernel,
        ),
        (
            "fn k(x: f16) -> f16 { x * x + f16::from_f32(0.5) }",
            vec![half(false), half(true)],
            Form::Map(false),
        ),
        (
            "fn k(a: Complex32, b: Complex32) -> Complex32 { a * b }",
            vec![complex(false), complex(false), complex(true)],
            Form::Scan,
        ),
        ("fn k(a: f32, b: f32) -> f32 { a + b }", vec![slice(), written()], Form::Fold),
        (
            "fn k(a: f32, b: f32) -> f32 { if a > b { a } else { b } }",
            vec![RustParameter::Value("f32".to_owned(), 4, 4), slice(), written()],
            Form::Reduce,
        ),
        (
            "#[derive(Debug, PartialEq)] enum Shape { Dot, Box { w: f32, n: [u8; 2] } }\n\
             fn k(x: &[f32], y: &mut [f32]) { let i = thread::index(); let s = if i > 3 { Shape::Dot } else { Shape::Box { w: x[i], n: [1, 2] } }; \
             println!(\"{i:>5}: {:+.3} {s:?} {:#06x} {}\", x[i], i, 'x'); assert!(x[i] > 0.0, \"{} is not positive\", x[i]); \
             assert_eq!(s, Shape::Dot, \"of {i}\"); let o: Option<u8> = None; y[i] = o.expect(\"nothing\") as f32; }",
            vec![slice(), written()],
            Form::Kernel,
        ),
    ]
}

#[test]
fn ptxas_takes_every_kernel_for_every_architecture() {
    let Some(ptxas) = std::env::var_os("GPUREPL_TEST_PTXAS").filter(|path| !path.is_empty()) else {
        return crate::ignored::missing("ptxas", "GPUREPL_TEST_PTXAS");
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.ptx");
    let options = [
        GpuOptions::default(),
        GpuOptions { polls: true, ..GpuOptions::default() },
        GpuOptions { is_checked: true, polls: true, has_lines: true },
    ];
    for (items, parameters, form) in of_all_kinds() {
        let kernel = RustKernel { name: "k", items, function: "crate::k", parameters: &parameters, form };
        for (architecture, options) in ARCHITECTURES.into_iter().flat_map(|of| options.map(|with| (of, with)))
        {
            let complete =
                |raw: &str| Ok(finish(raw, architecture, None).expect("no function of others").text);
            let ptx = compile_for_gpu(&kernel, &RustLines::default(), architecture, options, &complete)
                .unwrap_or_else(|error| panic!("sm_{architecture}: {error}"));
            assert!(!ptx.contains(".extern .func"), "sm_{architecture}: {ptx}");
            assert!(unset(&ptx).is_empty(), "sm_{architecture}: {ptx}");
            assert_eq!(ptx.contains("__gr_stopped"), options.polls, "sm_{architecture}: {ptx}");
            let names_items = ptx.lines().any(|line| line.contains(".file") && line.contains(ITEMS_FILE));
            assert_eq!(
                names_items && ptx.contains("\t.loc\t"),
                options.has_lines,
                "sm_{architecture}: {ptx}"
            );
            std::fs::write(&path, &ptx).unwrap();
            let output = std::process::Command::new(&ptxas)
                .args(["-lineinfo", &format!("-arch=sm_{architecture}")])
                .arg(&path)
                .arg("-o")
                .arg(folder.path().join("kernel.cubin"))
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "sm_{architecture}: {said}\n{ptx}");
        }
    }
}
