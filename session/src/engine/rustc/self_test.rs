//! Making sure, once for a store, that types can be read from what this
//! compiler prints.

use std::collections::BTreeMap;

use super::compile::{Emit, Run};
use super::generate::{self, Adjustments, Input};
use super::split::split;
use super::{RustcEngine, mir};
use crate::store::StoreError;

impl RustcEngine {
    /// Makes sure, once for a store, that types can be read from what this
    /// compiler prints.
    pub(super) fn self_test(&self) -> Result<(), StoreError> {
        const PASSED: &str = "self-test";
        if self.compiler.prelude().has_note(PASSED) {
            return Ok(());
        }
        let source =
            "let a = vec![1, 2]; let b = zeros::<f32>(3); let c = std::sync::Arc::new((1u8, \"x\"));";
        let expected = [
            ("a", "std::vec::Vec<i32>"),
            ("b", "gpurepl_prelude::GpuArray<f32>"),
            ("c", "std::sync::Arc<(u8, &'static str)>"),
        ];
        let failed = |problem: String| Err(StoreError::SelfTest(problem));
        let Ok(split) = split(source) else { return failed("its own test does not parse".to_owned()) };
        let generated = generate::generate(&Input {
            cell: 0,
            split: &split,
            items: Vec::new(),
            leaves: Vec::new(),
            variables: BTreeMap::new(),
            adjustments: &Adjustments::default(),
            timeit: None,
        });
        let run = self.compiler.compile(0, &generated.text, Emit::ObjectAndMir, 0);
        let types = mir::types(&self.compiler.take_mir(0));
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
        self.compiler.prelude().note(PASSED);
        Ok(())
    }
}
