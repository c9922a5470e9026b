//! What a kernel that goes wrong costs on a GPU: its process. Each runs in a
//! child, a body in this same binary; on the host device the kernel alone is
//! lost, which `faults` tests.

use std::process::Command;

use gpurepl_prelude::*;

use crate::is_on_host;

const CHILD: &str = "GPUREPL_TEST_LOST";

/// What a child has printed, if there is a GPU to lose.
fn lost(name: &str) -> Option<(String, String)> {
    if is_on_host() {
        crate::ignored::ignored(crate::ignored::NEEDS_GPU);
        return None;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("lost::{name}"), "--ignored", "--nocapture", "--test-threads", "1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{:?}\n{out}\n{err}", output.status);
    Some((out.into_owned(), err.into_owned()))
}

/// Runs a kernel that goes wrong, and what is left of the process.
fn lose(source: &str, code: &str) {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let kernel = SourceModule::new(source).unwrap().get_function("wrong").unwrap();
    let kept = ones::<f32>(1000);
    let stream = Stream::new().unwrap();
    let event = Event::new().unwrap();
    let mut a = ones::<f32>(1000);
    let error = kernel.launch((2, 1), 32, (&mut a, 7)).and_then(|()| synchronize()).unwrap_err();
    println!("{error}");
    assert_eq!(error.kind(), ErrorKind::DeviceLost);
    let known = error.code().expect("the driver's code");
    assert_eq!((known.name, known.is_sticky), (code, true), "{error}");
    let text = error.to_string();
    assert!(text.contains("wrong with grid (2, 1, 1), block (32, 1, 1) and arguments (0x"), "{text}");
    assert!(text.contains(", 7)") && text.contains("cannot be used by this process"), "{text}");
    // Whatever comes later fails in the same class, and nothing crashes or hangs.
    let class = |result: Result<()>| assert_eq!(result.unwrap_err().kind(), ErrorKind::DeviceLost);
    class(kept.try_get().map(drop));
    class(try_to_gpu(&[1, 2, 3]).and_then(|array| array.try_get()).map(drop));
    class(kernel.launch(1, 1, (&mut a, 7)).and_then(|()| synchronize()));
    class(stream.synchronize());
    class(event.record().map(drop));
    class(mem_alloc(1 << 30).map(drop));
    drop((kept, stream, event, a, kernel));
}

macro_rules! losses {
    ($($test:ident $body:ident $code:literal $source:literal;)*) => {$(
        #[test]
        fn $test() {
            let Some((out, err)) = lost(stringify!($body)) else { return };
            assert!(out.contains($code), "{out}");
            // No storm of messages: at most what the driver says of an assertion.
            assert!(err.lines().count() <= 64, "{err}");
            assert!(!err.contains("panicked"), "{err}");
        }

        #[test]
        #[ignore = "a body"]
        fn $body() {
            lose($source, $code);
        }
    )*};
}

losses! {
    an_address_that_is_nobodys illegal_address "CUDA_ERROR_ILLEGAL_ADDRESS"
        "__global__ void wrong(float *a, int k) { a[threadIdx.x + (1ull << 40)] = k; }";
    a_misaligned_address misaligned "CUDA_ERROR_MISALIGNED_ADDRESS"
        "__global__ void wrong(float *a, int k) { *(float *)((char *)a + k) = 1; }";
    a_trap trap "CUDA_ERROR_LAUNCH_FAILED"
        "__global__ void wrong(float *a, int k) { if (threadIdx.x == k) __trap(); }";
    an_assertion assertion "CUDA_ERROR_ASSERT"
        "#include <assert.h>
         __global__ void wrong(float *a, int k) { assert(threadIdx.x != k); }";
}

/// For a run under compute-sanitizer by hand: one element beyond an array, on
/// line 3, which nothing else notices.
#[test]
#[ignore = "goes wrong on purpose"]
fn one_element_beyond() {
    let source =
        "__global__ void beyond(float *a, int n) {\n  int i = threadIdx.x;\n  if (i <= n) a[i] = 1;\n}";
    let beyond = SourceModule::builder(source).lineinfo().compile().unwrap().get_function("beyond").unwrap();
    let mut a = zeros::<f32>(1000);
    beyond.launch(1, 1024, (&mut a, 1000)).unwrap();
    let _ = synchronize();
}
