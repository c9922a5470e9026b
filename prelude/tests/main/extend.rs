//! What a library over the arrays relies on, by a small one: elements moved
//! around within each row.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gpurepl_prelude::extend::{
    AnyArray, Argument, Elements, Extent, Generated, GeneratedLaunch, Gpu, Operation, PerContext,
    ScalarBytes, error, perform,
};
use gpurepl_prelude::*;

/// `to[k] = from[(k + by) % n]`.
struct Roll {
    by: usize,
}

const TEXT: &str = r#"
extern "C" __global__ void roll(const unsigned *from, unsigned *to, unsigned long long n, unsigned long long by) {
    unsigned long long k = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (k < n) to[k] = from[(k + by) % n];
}
"#;

impl Operation for Roll {
    fn name(&self) -> &'static str {
        "roll"
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        let [from, to] = arguments else { unreachable!("two arguments") };
        let (from, to) = (from.slice::<u32>()?, to.slice_mut::<u32>()?);
        to.copy_from_slice(from);
        if !to.is_empty() {
            to.rotate_left(self.by % from.len());
        }
        Ok(())
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let (from, to) = (&arguments[0], &arguments[1]);
        let n: usize = from.shape.iter().product();
        if n == 0 {
            return Ok(());
        }
        let text = Generated::Library { name: "roll", text: TEXT.into() };
        let arguments = [from.address, to.address, n as u64, self.by as u64].map(ScalarBytes::address);
        let grid = (n.div_ceil(256), 1);
        let launch = GeneratedLaunch { text: &text, entry: "roll", grid, block: 256, arguments: &arguments };
        // SAFETY: the arguments are those of the text, and both arrays have `n` elements.
        unsafe { gpu.launch(&launch) }
    }
}

pub fn roll(array: &GpuArray<u32>, by: usize) -> Result<GpuArray<u32>> {
    let from = AnyArray::of(array).contiguous()?;
    let mut to = AnyArray::empty(from.shape(), DType::UInt32)?;
    perform(Arc::new(Roll { by }), &[Argument::read(&from), Argument::write(&mut to)])?;
    to.typed()
}

#[test]
fn an_operation_of_a_library_takes_expressions_and_views() {
    let a = arange(0_u32..6);
    assert_eq!(roll(&(&a * 10), 2).unwrap().to_vec(), [20, 30, 40, 50, 0, 10]);
    assert_eq!(roll(&a.reshape((2, 3)).t(), 1).unwrap().to_vec(), [3, 1, 4, 2, 5, 0]);
    assert_eq!(roll(&a.slice(5..0), 1).unwrap().size(), 0);
    // And its result is an array like any other.
    assert_eq!((roll(&a, 1).unwrap() + 1).sum().item(), 21);
}

#[test]
fn expressions_read_what_was_there_before_a_library_wrote() {
    let (a, source) = (arange(0_u32..4), arange(10_u32..14));
    let doubled = &a * 2;
    let mut to = AnyArray::of(&a);
    perform(Arc::new(Roll { by: 1 }), &[Argument::read(&AnyArray::of(&source)), Argument::write(&mut to)])
        .unwrap();
    assert_eq!(doubled.to_vec(), [0, 2, 4, 6]);
    assert_eq!(a.to_vec(), [11, 12, 13, 10]);
}

#[test]
fn a_library_on_another_stream_waits_for_what_made_its_input() {
    let (first, second) = (Stream::new().unwrap(), Stream::new().unwrap());
    let a = first.scope(|| arange(0_u32..100_000) * 3).unwrap();
    let rolled = second.scope(|| roll(&a, 1)).unwrap().unwrap();
    let rest = first.scope(|| &rolled - &a).unwrap();
    assert_eq!(rest.slice(..99_999).to_vec(), vec![3; 99_999]);
}

#[test]
fn a_graph_repeats_an_operation_of_a_library() {
    let (mut a, out) = (arange(0_u32..4), zeros::<u32>(4));
    let graph = {
        let (from, mut to) = (AnyArray::of(&a), AnyArray::of(&out));
        Graph::capture(move || {
            perform(Arc::new(Roll { by: 1 }), &[Argument::read(&from), Argument::write(&mut to)])
        })
        .unwrap()
    };
    assert_eq!(out.to_vec(), [0; 4], "recorded, and not done");
    graph.launch().unwrap();
    assert_eq!(out.to_vec(), [1, 2, 3, 0]);
    a.set(1, 9);
    graph.launch().unwrap();
    assert_eq!(out.to_vec(), [9, 2, 3, 0]);
}

#[test]
fn a_result_over_an_input_is_refused() {
    let a = arange(0_u32..8);
    let halves = [AnyArray::of(&a.slice(..4)), AnyArray::of(&a.slice(4..))];
    let run = |from: &AnyArray, to: &AnyArray| {
        perform(Arc::new(Roll { by: 1 }), &[Argument::read(from), Argument::write(&mut to.clone())])
    };
    run(&halves[0], &halves[1]).unwrap();
    assert_eq!(a.to_vec(), [0, 1, 2, 3, 1, 2, 3, 0]);
    let error = run(&halves[0], &AnyArray::of(&a.slice(2..6))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    assert!(error.to_string().starts_with("roll: the result would be written over memory"), "{error}");
    let strided = AnyArray::of(&a.slice(Slices::new(&[SliceItem::from(..).by(2)])));
    let error = run(&halves[0], &strided).unwrap_err();
    assert!(error.to_string().starts_with("roll: the array to write is not contiguous"), "{error}");
}

#[test]
fn a_view_from_the_end_has_its_first_element_last() {
    struct Seen;
    impl Operation for Seen {
        fn name(&self) -> &'static str {
            "seen"
        }
        fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
            let view = &arguments[0];
            assert_eq!((view.slice::<u32>()?, view.first()), (&[1, 2, 3, 4, 5][..], 4));
            assert_eq!((&view.extent().shape[..], &view.extent().strides[..]), (&[3][..], &[-2][..]));
            Err(error::device("seen", "as it should be".to_owned()))
        }
        fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
            gpu.stream()?;
            assert_eq!((&arguments[0].shape[..], &arguments[0].strides[..]), (&[3][..], &[-2][..]));
            Err(error::device("seen", "as it should be".to_owned()))
        }
    }
    let a = arange(0_u32..6);
    let view = AnyArray::of(&a.slice(Slices::new(&[SliceItem::from(5..0).by(-2)])));
    let error = perform(Arc::new(Seen), &[Argument::read(&view)]).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Device, "seen: as it should be"));
}

#[test]
fn arrays_without_types_keep_their_elements() {
    let a = AnyArray::from_host((2, 2), DType::Int16, &[1, 0, 2, 0, 3, 0, 255, 255]).unwrap();
    assert_eq!(a.typed::<i16>().unwrap().to_vec(), [1, 2, 3, -1]);
    assert_eq!(a.to_host().unwrap(), [1, 0, 2, 0, 3, 0, 255, 255]);
    assert_eq!(format!("{a:?}"), "AnyArray(int16, [2, 2])");
    let error = a.typed::<f32>().map(drop).unwrap_err();
    assert_eq!(error.to_string(), "typed: an array of int16 is not one of float32; ask for i16");
    let error = AnyArray::from_host(3, DType::Int16, &[0; 5]).unwrap_err();
    assert!(error.to_string().contains("has 6 bytes, 5 are given"), "{error}");
    assert!(AnyArray::from_host((usize::MAX, 2), DType::Int16, &[]).is_err());
}

#[test]
fn a_plan_is_made_once_for_a_context() {
    static PLANS: PerContext<usize, Arc<usize>> = PerContext::new();
    let made = AtomicUsize::new(0);
    let plan = |length: usize| {
        let make = || Ok(Arc::new(made.fetch_add(1, Ordering::Relaxed)));
        *PLANS.get_or_make(Context::current().unwrap(), length, make).unwrap()
    };
    assert_eq!([plan(8), plan(16), plan(8)], [0, 1, 0]);
}

#[test]
fn without_a_session_no_plugin_is_built() {
    let error = extend::plugin("nobodys").map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    let words =
        "the plugin `nobodys` cannot be loaded: no gpurepl session runs this code, and it is not linked";
    assert!(error.to_string().starts_with(words), "{error}");
    let help = "begin with `extend::provide(\"nobodys\", gpurepl_nobodys_host::gpurepl_plugin)?`";
    assert!(error.to_string().contains(help), "{error}");
}

/// A shared library of C; none without a compiler.
fn library(text: &str) -> Option<(tempfile::TempDir, std::path::PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("plugin.c"), folder.path().join("plugin.so"));
    std::fs::write(&source, text).unwrap();
    let status =
        std::process::Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    if !status.is_ok_and(|status| status.success()) {
        crate::ignored::ignored("needs a C compiler");
        return None;
    }
    Some((folder, library))
}

#[test]
fn a_plugin_of_another_version_of_the_interface_is_refused() {
    let text =
        "static const unsigned table[32] = {99}; const void *gpurepl_plugin_old(void) { return table; }";
    let Some((_folder, path)) = library(text) else { return };
    let error = extend::Plugin::open("old", &path).map(drop).unwrap_err();
    let words = "the plugin `old` cannot be loaded: it has version 99 of the interface, this gpurepl has 3";
    assert!(error.to_string().starts_with(words), "{error}");
}

#[test]
fn what_is_not_a_plugin_is_refused() {
    let Some((folder, path)) = library("int nothing;") else { return };
    let error = extend::Plugin::open("none", &path).map(drop).unwrap_err();
    assert!(error.to_string().contains("is not this plugin: it exports no `gpurepl_plugin_none`"), "{error}");
    let error = extend::Plugin::open("none", &folder.path().join("absent.so")).map(drop).unwrap_err();
    assert!(error.to_string().contains("the plugin `none` cannot be loaded"), "{error}");
}

/// A plugin in C, which knows the interface by its layout alone.
#[test]
fn a_plugin_in_c_computes() {
    let text = r#"
        #include <stddef.h>
        #include <stdint.h>
        struct text { char *data; size_t length, capacity; };
        struct array { float *data; size_t bytes, first; uint32_t dtype, writes; size_t rank; const size_t *shape; const ptrdiff_t *strides; };
        struct call { const struct array *arrays; size_t array_count; const int64_t *numbers; size_t number_count; const uint8_t *input; size_t input_length; uint32_t outcome; struct text text; };
        struct function { const char *name; size_t name_length; void (*call)(struct call *); };
        static void twice(struct call *call) {
            const struct array *a = call->arrays;
            if (call->array_count != 2 || a[0].dtype != 10 || !a[1].writes || a[0].shape[0] != 3) {
                call->outcome = 1;
                call->text = (struct text) {"not two arrays", 14, 0};
                return;
            }
            for (size_t k = 0; k < 3; k++) a[1].data[k] = a[0].data[a[0].first + k * a[0].strides[0]] * call->numbers[0];
        }
        static void none(struct text text) { (void)text; }
        static const struct function functions[] = {{"twice", 5, twice}};
        static const struct { uint32_t version; const struct function *functions; size_t count; void (*free)(struct text); }
            table = {3, functions, 1, none};
        const void *gpurepl_plugin_c(void) { return &table; }
    "#;
    if !crate::is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let Some((_folder, path)) = library(text) else { return };
    let plugin: &'static extend::Plugin = Box::leak(Box::new(extend::Plugin::open("c", &path).unwrap()));
    // A view from the end: its first element is the last in memory.
    let from = AnyArray::of(&gpu![1.0f32, 2.0, 3.0].slice(Slices::new(&[SliceItem::from(..).by(-1)])));
    let mut to = AnyArray::empty(3, DType::Float32).unwrap();
    plugin.perform("twice", &[Argument::read(&from), Argument::write(&mut to)], &[2]).unwrap();
    assert_eq!(to.typed::<f32>().unwrap().to_vec(), [6.0, 4.0, 2.0]);
    let error = plugin.perform("twice", &[Argument::read(&from)], &[2]).unwrap_err();
    assert!(error.to_string().ends_with("`twice` of the plugin `c` failed: not two arrays"), "{error}");
}
