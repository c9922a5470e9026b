//! Kernels in cells on the host device: what they print, what they do wrong,
//! and how they are stopped. Nothing that a kernel does ends the session or
//! loses a variable.

use std::time::Duration;

use gpurepl_session::Outcome;
use gpurepl_tests::{Conversation, is_on_host};

fn start() -> Conversation {
    let mut cells = Conversation::start();
    cells.ok("let mut before = arange(0..4);");
    cells
}

/// The next launch works, and what there was is there.
fn goes_on(cells: &mut Conversation) {
    cells.ok("let turn = SourceModule::new(\"__global__ void turn(int *a) { __shared__ int s[4]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads(); a[threadIdx.x] = s[3 - threadIdx.x]; }\")?.get_function(\"turn\")?;");
    cells.ok("turn.launch(1, 4, &mut before)?; turn.launch(1, 4, &mut before)?;");
    cells.shows("before.to_vec()", "[0, 1, 2, 3]");
}

#[test]
fn what_kernels_print_comes_in_the_order_of_blocks() {
    let mut cells = start();
    cells.ok("let source = \"__global__ void hello(int n) { printf(\\\"block %d, thread %d of %d\\\\n\\\", blockIdx.x, threadIdx.x, n); }\";");
    cells.ok("let hello = SourceModule::new(source)?.get_function(\"hello\")?;");
    cells.ok("println!(\"first\"); hello.launch(3, 2, 2)?; device().synchronize()?; println!(\"last\");");
    let text = String::from_utf8_lossy(cells.stdout()).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[7]), (8, "first", "last"), "{text}");
    if is_on_host() {
        let expected: Vec<String> =
            (0..6).map(|k| format!("block {}, thread {} of 2", k / 2, k % 2)).collect();
        assert_eq!(lines[1..7], expected);
    }
}

#[test]
fn a_fault_in_a_kernel_keeps_the_variables() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let mut cells = start();
    for (body, words) in [
        ("a[threadIdx.x + 1000] = 1;", "out of bounds"),
        ("*(int *)(long long)n = 1;", "null pointer"),
        ("a[0] = a[1] / n;", "division by zero"),
        ("assert(n == 3);", "assertion `n == 3` failed"),
        ("if (threadIdx.x) __syncthreads(); else __syncwarp();", "wait for each other for ever"),
        ("__shared__ int s[4]; s[threadIdx.x + 4] = n; __syncthreads();", "outside of its array"),
    ] {
        let source = format!("__global__ void wrong(int *a, int n)\n{{\n  {body}\n}}");
        cells.ok(&format!("let wrong = SourceModule::new({source:?})?.get_function(\"wrong\")?;"));
        let error = cells.fails("wrong.launch(1, 4, (&mut before, 0))?;");
        assert!(error.message.contains(words), "{body}: {}", error.message);
        assert!(cells.rendered().contains("kernel.cu line 3"), "{body}: {}", cells.rendered());
        cells.ok("before = arange(0..4);");
        goes_on(&mut cells);
    }
}

#[test]
fn a_kernel_without_an_end_is_interrupted() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let mut cells = start();
    for body in ["for (;;) a[0]++;", "for (;;) __syncthreads();", "while (atomicAdd(a, 0) != -1) { }"] {
        let source = format!("__global__ void forever(int *a) {{ {body} }}");
        cells.ok(&format!("let forever = SourceModule::new({source:?})?.get_function(\"forever\")?;"));
        cells.ok("let mut own = zeros::<i32>(4);");
        let source = "println!(\"started\"); forever.launch(4, 64, &mut own)?;";
        let (outcome, _) = cells.interrupted(source, &[Duration::from_millis(300)]);
        assert!(matches!(outcome, Outcome::Interrupted), "{body}: {outcome:?}");
        goes_on(&mut cells);
    }
}

#[test]
fn a_kernel_has_a_time_limit_if_one_is_set() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let mut cells = Conversation::with_environment(&[("GPUREPL_KERNEL_TIMEOUT", "3")]);
    cells.ok("let mut before = arange(0..4);");
    cells.ok("let forever = SourceModule::new(\"__global__ void forever(int *a) { for (;;) a[0]++; }\")?.get_function(\"forever\")?;");
    cells.fails_with("forever.launch(1, 1, &mut zeros::<i32>(1))?;", "stopped after 3s");
    goes_on(&mut cells);
    cells.ok("device().set_kernel_timeout(None);");
}

#[test]
fn all_accesses_are_checked_if_it_is_asked_for() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let mut cells = Conversation::with_environment(&[("GPUREPL_CHECK", "1")]);
    cells.ok("let mut before = arange(0..4);");
    goes_on(&mut cells);
    // In a fast build nothing guards the memory before an array.
    cells.ok("let early = SourceModule::new(\"__global__ void early(int *a) {\\n  a[(int)threadIdx.x - 1] = 1;\\n}\")?.get_function(\"early\")?;");
    let error = cells.fails("early.launch(1, 4, &mut before)?;");
    assert!(
        error.message.contains("write of 4 bytes out of bounds, 4 bytes before `a`, an array of 16 bytes"),
        "{}",
        error.message
    );
    assert!(
        cells.rendered().contains("kernel.cu line 2, thread [0, 0, 0] of block [0, 0, 0]"),
        "{}",
        cells.rendered()
    );
    cells
        .ok("let shift = ElementwiseKernel::new(\"int *z, const int *x\", \"z[i] = x[i - 1]\", \"shift\")?;");
    cells.fails_with("shift.call((&mut zeros::<i32>(4), &before))?;", "out of bounds");
}

/// The twin of PyCUDA's first example in PyOpenCL runs it elsewhere: here a text runs at two places.
#[test]
fn one_kernels_text_runs_at_two_places() {
    let mut cells = Conversation::start();
    cells.ok("let text = \"__global__ void twice(float *a, int n) \
         { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }\";\n\
         let a = rand::<f32>(50_000).to_vec();\n\
         fn twice(place: places::Place, text: &str, a: &[f32]) -> Result<Vec<f32>> {\n\
             place.run(|| {\n\
                 let mut there = to_gpu(a);\n\
                 let twice = SourceModule::new(text)?.get_function(\"twice\")?;\n\
                 twice.launch(a.len().div_ceil(256), 256, (&mut there, a.len()))?;\n\
                 Ok(there.to_vec())\n\
             })?\n\
         }\n\
         let doubled: Vec<f32> = a.iter().map(|x| 2.0 * x).collect();");
    cells.shows("twice(places::here()?, text, &a)? == doubled", "true");
    cells.shows("twice(places::gpu(0).unwrap_or(places::here()?), text, &a)? == doubled", "true");
}
