//! What a generated kernel is, with what each of its calls needs: a call of a small array takes
//! the time of a launch, of which making texts anew would be the larger part.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use gpurepl_kernels::declaration::Parameter;
use gpurepl_kernels::signature::Signature;
use gpurepl_kernels::{ElementwiseSpec, ReductionSpec, Usage};

use super::elements::Body;

/// A description of a kernel.
pub(super) trait Spec: Clone {
    fn name(&self) -> &str;

    fn parameters(&self) -> &[Parameter];

    /// What tells it from others.
    fn key(&self) -> String;

    /// The texts that use the arrays, and what stands before them.
    fn texts(&self) -> (Vec<&str>, &str);
}

macro_rules! specs {
    ($($spec:ty: |$this:ident| $texts:expr;)*) => {$(
        impl Spec for $spec {
            fn name(&self) -> &str {
                &self.name
            }

            fn parameters(&self) -> &[Parameter] {
                &self.parameters
            }

            fn key(&self) -> String {
                Self::key(self)
            }

            fn texts(&self) -> (Vec<&str>, &str) {
                let $this = self;
                ($texts, &self.preamble)
            }
        }
    )*};
}
specs! {
    ElementwiseSpec: |spec| spec.bodies().to_vec();
    ReductionSpec: |spec| vec![&spec.map_expr];
}

/// A spec, and what is known of it once it has been called.
#[derive(Clone, Debug)]
pub(super) struct Described<S> {
    spec: S,
    signature: OnceLock<Signature>,
    key: OnceLock<Arc<str>>,
    usages: OnceLock<Vec<Usage>>,
}

impl<S: Spec> Described<S> {
    pub(super) fn new(spec: S) -> Described<S> {
        Described { spec, signature: OnceLock::new(), key: OnceLock::new(), usages: OnceLock::new() }
    }

    /// The spec, to be changed.
    pub(super) fn edit(&mut self) -> &mut S {
        (self.signature, self.key, self.usages) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        &mut self.spec
    }

    /// How the kernel is called.
    pub(super) fn signature(&self) -> &Signature {
        self.signature.get_or_init(|| Signature::of(self.spec.name(), self.spec.parameters().to_vec()))
    }

    /// What tells it from others.
    pub(super) fn key(&self) -> Arc<str> {
        Arc::clone(self.key.get_or_init(|| self.spec.key().into()))
    }

    /// The kernel as far as its arrays are concerned.
    pub(super) fn body(&self) -> Body<'_> {
        let usages = self.usages.get_or_init(|| {
            let (texts, preamble) = self.spec.texts();
            self.spec.parameters().iter().map(|p| Usage::of(&texts, preamble, &p.name)).collect()
        });
        Body { kernel: self.spec.name(), parameters: self.spec.parameters(), usages }
    }
}

impl<S> Deref for Described<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.spec
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_known() {
        let mut described = Described::new(ElementwiseSpec::new("float *x", "x[i] = 0", "zero").unwrap());
        let before = described.key();
        assert_eq!(described.signature().to_string(), "zero(float *x)");
        assert!(described.body().usages[0].is_assigned);
        "x[i] = 1".clone_into(&mut described.edit().operation);
        assert_ne!(described.key(), before);
        assert_eq!(described.key(), described.clone().key());
    }
}
