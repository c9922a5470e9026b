//! What is missing, wrong or too much: one clear error, and the session goes
//! on with what it had.

use gpurepl_tests::{Conversation, is_on_host};

/// The session still has what it had before the trouble.
#[track_caller]
fn goes_on(cells: &mut Conversation) {
    cells.shows("before.to_vec()", "[1.0, 2.0, 3.0]");
    cells.shows("(&before * 2).sum().item()", "12.0");
}

fn start() -> Conversation {
    let mut cells = Conversation::start();
    cells.ok("let before = to_gpu(&[1.0_f32, 2.0, 3.0]);");
    cells
}

#[test]
fn no_compiler_for_kernels() {
    let empty = tempfile::tempdir().unwrap();
    let path = empty.path().to_str().unwrap();
    for (environment, advice) in [
        (
            [("CXX", "no-such-compiler"), ("GPUREPL_DEVICE", "host"), ("LANG", "C")],
            "set CXX to a compiler that is installed",
        ),
        ([("PATH", path), ("CXX", ""), ("GPUREPL_DEVICE", "host")], "install g++"),
    ] {
        let mut cells = Conversation::with_environment(&environment);
        cells.ok("let before = to_gpu(&[1.0_f32, 2.0, 3.0]);");
        cells.fails_with("SourceModule::new(\"__global__ void f() {}\")?;", advice);
        cells.fails_with(
            "ElementwiseKernel::new(\"float *x\", \"x[i] = 1\", \"ones\")?.call(&mut zeros::<f32>(2))?;",
            advice,
        );
        goes_on(&mut cells);
    }
}

#[test]
fn no_gpu() {
    let environment = [("GPUREPL_DEVICE", "cuda"), ("CUDA_VISIBLE_DEVICES", "")];
    let mut cells = Conversation::with_environment(&environment);
    cells.ok("let n = 3;");
    cells.fails_with("let a = zeros::<f32>(n);", "GPUREPL_DEVICE");
    assert!(cells.rendered().contains("cell 2:1:9"), "{}", cells.rendered());
    cells.shows("n", "3");
    let environment = [("GPUREPL_DEVICE", ""), ("CUDA_DEVICE", ""), ("CUDA_VISIBLE_DEVICES", "")];
    let mut cells = Conversation::with_environment(&environment);
    cells.shows("zeros::<i32>(2).to_vec()", "[0, 0]");
    cells.shows("device().id()", "\"host\"");
}

#[test]
fn a_device_that_cannot_be_named() {
    let mut cells = Conversation::with_environment(&[("GPUREPL_DEVICE", "opencl")]);
    cells.fails_with("zeros::<f32>(1)", "GPUREPL_DEVICE does not name a device: `opencl`");
    let mut cells = Conversation::with_environment(&[("GPUREPL_DEVICE", ""), ("CUDA_DEVICE", "first")]);
    cells.fails_with("zeros::<f32>(1)", "a number such as `0`");
}

#[test]
fn a_kernel_that_does_not_compile() {
    let mut cells = start();
    cells.fails_with(
        "let source = r#\"\n__global__ void f(float *a)\n{\n    a[0] = missing;\n}\n\"#;\nSourceModule::new(source)?;",
        "kernel.cu line 4",
    );
    let rendered = cells.rendered();
    assert!(rendered.contains("4 |     a[0] = missing;"), "{rendered}");
    assert!(rendered.contains("cell 2:4:12"), "{rendered}");
    assert!(rendered.contains("7 | SourceModule::new(source)?;"), "{rendered}");
    cells.fails_with("SourceModule::new(\"__global__ void f(int *a) { a[0] = 1 }\")?;", "kernel.cu line 1");
    goes_on(&mut cells);
}

#[test]
fn an_operation_that_does_not_compile() {
    let mut cells = start();
    cells.ok("let k = ElementwiseKernel::new(\"float *x\", \"x[i] = nonsense(i)\", \"bad\")?;");
    cells.fails_with("k.call(&mut zeros::<f32>(2))?;", "operation line 1");
    cells
        .fails_with("ElementwiseKernel::new(\"flaot *x\", \"x[i] = 1\", \"bad\")?;", "did you mean `float`?");
    cells.fails_with(
        "ReductionKernel::<f32>::new(\"0\", \"a+\", \"x[i]\", \"const float *x\", \"bad\")?.call(&before)?.item()",
        "reduce_expr line 1",
    );
    goes_on(&mut cells);
}

#[test]
fn wrong_arguments() {
    let mut cells = start();
    cells.ok("let f = SourceModule::new(\"__global__ void f(float *a, int n) { a[threadIdx.x] = n; }\")?.get_function(\"f\")?;");
    cells.ok("let mut a = zeros::<f32>(4); let mut d = zeros::<f64>(4);");
    cells.fails_with(
        "f.launch(1, 4, (&mut d, 1))?;",
        "argument 1 `a` is `float *`, which takes an array of float32, not of float64",
    );
    cells.fails_with("f.launch(1, 4, (&mut a,))?;", "1 argument given, but it takes 2: f(float *a, int n)");
    cells.fails_with("f.launch(1, 4, (&mut a, 1.5))?;", "argument 2 `n`");
    cells.fails_with("f.launch(1, 4, (1, &mut a))?;", "takes an array, not a number");
    cells.fails_with("f.launch(1, 4, (&mut a, \"text\"))?;", "cannot be passed to a kernel");
    cells.ok("f.launch(1, 4, (&mut a, 7))?;");
    cells.shows("a.to_vec()", "[7.0, 7.0, 7.0, 7.0]");
    goes_on(&mut cells);
}

#[test]
fn launches_beyond_the_limits() {
    let mut cells = start();
    cells.ok("let f = SourceModule::new(\"__global__ void f(float *a) { a[threadIdx.x] = 1; }\")?.get_function(\"f\")?; let mut a = zeros::<f32>(4096);");
    cells.fails_with("f.launch(1, 2048, (&mut a,))?;", "f: block.x is 2048 threads; this device allows 1024");
    cells.fails_with("f.launch(1, (64, 64), (&mut a,))?;", "a block of 64x64x1 has 4096 threads");
    cells.fails_with("f.launch(0, 32, (&mut a,))?;", "grid.x is 0");
    cells.fails_with("f.launch((1, 70_000), 32, (&mut a,))?;", "grid.y is 70000 blocks");
    cells.fails_with("f.launch(1, -1, (&mut a,))?;", "block.x is -1");
    goes_on(&mut cells);
}

#[test]
fn more_memory_than_there_is() {
    let mut cells = start();
    for source in [
        "let big = zeros::<f64>(1_usize << 46);",
        "mem_alloc(1_usize << 50)?",
        "zeros::<f64>((1 << 30, 1 << 30))",
        "ones::<i8>(usize::MAX)",
    ] {
        let message = cells.fails(source).message;
        assert!(message.contains("memory") || message.contains("elements"), "{source}: {message}");
    }
    cells.fails_with("let big = mem_alloc(1_usize << 50)?;", "requested");
    goes_on(&mut cells);
}

#[test]
fn shapes_that_do_not_fit() {
    let mut cells = start();
    cells.fails_with("&before + &zeros::<f32>(4)", "add: shapes [3] and [4] do not broadcast");
    cells.fails_with("before.reshape([2, 2])", "[2, 2]");
    cells.fails_with("before.slice(7)", "7");
    cells.fails_with("before.dot(&zeros::<f32>(9))", "dot: shapes [3] and [9] differ");
    cells.fails_with("zeros::<f32>(0).max()", "max");
    goes_on(&mut cells);
}

#[test]
fn a_panicking_cell() {
    let mut cells = start();
    cells.ok("let mut a = zeros::<f32>(3);");
    cells.fails_with("a += 1; panic!(\"midway\"); a += 100;", "panic: midway");
    cells.shows("a.to_vec()", "[1.0, 1.0, 1.0]");
    goes_on(&mut cells);
}

#[test]
fn half_a_line_and_a_byte_that_is_no_text() {
    let mut cells = start();
    cells.ok("use std::io::Write as _; print!(\"half\"); std::io::stdout().flush()?;");
    assert_eq!(cells.stdout(), b"half");
    cells.ok("std::io::stdout().write_all(b\"\\xfe\\n\")?;");
    assert_eq!(cells.stdout(), b"\xfe\n");
    goes_on(&mut cells);
}

#[test]
fn kernels_that_the_host_cannot_run_say_so() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let mut cells = start();
    cells.ok("let source = \"__global__ void f(int *a) { asm(\\\"wgmma.fence.sync.aligned;\\\"); }\";");
    cells.fails_with(
        "SourceModule::new(source)?.get_function(\"f\")?",
        "the host device does not run `wgmma.fence.sync.aligned`",
    );
    goes_on(&mut cells);
}

#[test]
fn sessions_side_by_side_do_not_meet() {
    let sessions: Vec<_> = (0..3)
        .map(|k| {
            std::thread::spawn(move || {
                let mut cells = Conversation::start();
                cells.ok(&format!("let a = arange(0..{});", k + 2));
                for _ in 0..3 {
                    cells.ok("let a = &a + 1;");
                }
                cells.shows("a.to_vec()", &format!("{:?}", (3..k + 5).collect::<Vec<i32>>()));
            })
        })
        .collect();
    sessions.into_iter().for_each(|session| session.join().unwrap());
}

/// What a GPU reports of a kernel that does what it must not: the device is
/// lost for the process, and the session goes on in another one.
#[test]
fn a_kernel_that_breaks_the_gpu_is_one_error() {
    if is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_GPU);
    }
    for (body, words) in [
        ("a[1ll << 40] = 1;", "CUDA_ERROR_ILLEGAL_ADDRESS"),
        ("assert(a[0] == 123);", "CUDA_ERROR_ASSERT"),
        ("asm(\"trap;\");", "CUDA_ERROR_"),
    ] {
        let mut cells = start();
        cells.ok(&format!("let source = {:?};", format!("__global__ void f(int *a) {{ {body} }}")));
        cells.ok("let f = SourceModule::new(source)?.get_function(\"f\")?; let mut a = zeros::<i32>(4);");
        let outcome = cells.run("f.launch(1, 1, &mut a)?;");
        assert!(matches!(outcome, gpurepl_session::Outcome::Lost(_)), "{body}: {outcome:?}");
        let rendered = cells.rendered();
        assert!(
            rendered.contains(words) && rendered.contains("after launching f with grid (1, 1, 1)"),
            "{rendered}"
        );
        goes_on(&mut cells);
        cells.shows("(ones::<f32>(3) * 2).sum().item()", "6.0");
    }
}
