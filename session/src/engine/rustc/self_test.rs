//! Making sure, once for a store, that types can be read from what this
//! compiler prints.

use std::collections::BTreeMap;

use super::compile::{Emit, Run};
use super::generate::{self, Adjustments, Input};
use super::items::{self, KeptItem, Parsed};
use super::split::split;
use super::{RustcEngine, mir, symbols};
use crate::store::StoreError;

/// What types are read from: those of most variables, so that their paths are
/// learned before the first cell. `nothing` has any type.
const CELL: &str = "
fn nothing<T>() -> T { loop {} }
let a = vec![1, 2];
let b = zeros::<f32>(3);
let c = std::sync::Arc::new((1u8, \"x\"));
let d: (Option<std::rc::Rc<std::cell::RefCell<String>>>, Result<Box<i8>, Error>) = nothing();
let e: (std::collections::HashMap<u8, u8>, std::collections::HashSet<u8>) = nothing();
let f: (std::collections::BTreeMap<u8, u8>, std::collections::BTreeSet<u8>) = nothing();
let g: (std::collections::VecDeque<u8>, std::time::Instant, std::time::Duration) = nothing();
let h: (std::ops::Range<i32>, std::ops::RangeInclusive<i32>, std::cell::Cell<u8>) = nothing();
let i: (std::sync::Mutex<u8>, std::sync::RwLock<u8>, std::path::PathBuf, std::fs::File) = nothing();
let j: (std::thread::JoinHandle<u8>, std::sync::mpsc::Sender<u8>, std::sync::mpsc::Receiver<u8>) = nothing();
let k: (std::borrow::Cow<'static, str>, std::num::NonZero<u8>, std::num::Wrapping<u8>) = nothing();
let l: (SourceModule, Function, Stream, Event, Device, Context, Graph, DType, f16) = nothing();
let m: (ElementwiseKernel, ReductionKernel<f32>, DeviceAllocation, PageLocked<f32>, Managed<f32>) = nothing();
let n: (Complex32, Complex64, ndarray::Array1<f32>, ndarray::Array2<f32>, ndarray::ArrayD<f32>) = nothing();
let o: (TextureObject, CudaArray, PreparedFunction, MemoryPool, LoadedModule) = nothing();
let p: (std::vec::IntoIter<u8>, std::str::Chars<'static>, std::io::Error, std::num::ParseIntError) = nothing();
let q: (std::sync::atomic::AtomicU32, std::sync::atomic::AtomicU64, std::sync::OnceLock<u8>) = nothing();
";

impl RustcEngine {
    /// Makes sure, once for a store, that types can be read from what this
    /// compiler prints, and learns the paths of the usual ones.
    pub(super) fn self_test(&mut self) -> Result<(), StoreError> {
        const PASSED: &str = "self-test";
        if self.compiler.prelude().has_note(PASSED) {
            return Ok(());
        }
        let expected = [
            ("a", "std::vec::Vec<i32>"),
            ("b", "gpurepl_prelude::GpuArray<f32>"),
            ("c", "std::sync::Arc<(u8, &'static str)>"),
        ];
        let failed = |problem: String| Err(StoreError::SelfTest(problem));
        let Ok(split) = split(CELL) else { return failed("its own test does not parse".to_owned()) };
        let items = split.items.iter().map(|item| items::read(&split.source, item, 0));
        let items: Vec<KeptItem> = items
            .flat_map(|parsed| match parsed {
                Parsed::Items(items) => items,
                Parsed::Use(_) => Vec::new(),
            })
            .collect();
        let generated = generate::generate(&Input {
            cell: 0,
            split: &split,
            items: items.iter().enumerate().collect(),
            leaves: Vec::new(),
            variables: BTreeMap::new(),
            adjustments: &Adjustments::default(),
            device_items: None,
            closures: BTreeMap::new(),
            timeit: None,
        });
        let run = self.compiler.compile(0, &generated, Emit::ObjectAndMir, 0);
        let types = mir::types(&self.compiler.take_mir(0));
        let names: Vec<&str> = split.bindings.iter().map(|binding| binding.name.as_str()).collect();
        let symbols = symbols::symbols(&self.compiler.object(0), &names);
        self.compiler.clean(0);
        match run {
            Run::Ended { succeeded: true, .. } => {}
            Run::Ended { messages, .. } => {
                let text: Vec<String> = messages.into_iter().map(|message| message.message).collect();
                return failed(text.join("; "));
            }
            Run::Interrupted => return failed("interrupted".to_owned()),
            Run::Failed(problem) => return failed(problem),
        }
        for (name, of) in expected {
            if types.get(name).map(String::as_str) != Some(of) {
                let version = self.compiler.toolchain().version().unwrap_or_default();
                return failed(format!(
                    "{version} names the type of `{name}` {:?} instead of {of:?}",
                    types.get(name)
                ));
            }
        }
        // Without symbols that can be read every type comes from the text,
        // which is slower and just as good.
        self.type_paths.learn(&symbols, &types, self.compiler.prelude());
        self.compiler.prelude().note(PASSED);
        Ok(())
    }
}
