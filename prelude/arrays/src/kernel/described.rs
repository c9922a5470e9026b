//! What a generated kernel is, with what each of its calls needs: a call of a small array takes
//! the time of a launch, of which making texts anew would be the larger part.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use gpurepl_kernels::declaration::Parameter;
use gpurepl_kernels::signature::Signature;
use gpurepl_kernels::{ElementwiseSpec, ReductionSpec};

/// A description of a kernel.
pub(super) trait Spec: Clone {
    fn name(&self) -> &str;

    fn parameters(&self) -> &[Parameter];

    /// What tells it from others.
    fn key(&self) -> String;
}

macro_rules! specs {
    ($($spec:ty)*) => {$(
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
        }
    )*};
}
specs! {
    ElementwiseSpec
    ReductionSpec
}

/// A spec, and what is known of it once it has been called.
#[derive(Clone, Debug)]
pub(super) struct Described<S> {
    spec: S,
    signature: OnceLock<Signature>,
    key: OnceLock<Arc<str>>,
}

impl<S: Spec> Described<S> {
    pub(super) fn new(spec: S) -> Described<S> {
        Described { spec, signature: OnceLock::new(), key: OnceLock::new() }
    }

    /// The spec, to be changed.
    pub(super) fn edit(&mut self) -> &mut S {
        (self.signature, self.key) = (OnceLock::new(), OnceLock::new());
        &mut self.spec
    }

    /// How the kernel is called.
    pub(super) fn signature(&self) -> &Signature {
        self.signature.get_or_init(|| signature(self.spec.name(), self.spec.parameters()))
    }

    /// What tells it from others.
    pub(super) fn key(&self) -> Arc<str> {
        Arc::clone(self.key.get_or_init(|| self.spec.key().into()))
    }
}

impl<S> Deref for Described<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.spec
    }
}

/// The signature of a generated kernel.
pub(super) fn signature(name: &str, parameters: &[Parameter]) -> Signature {
    Signature {
        name: name.to_owned(),
        parameters: parameters.to_vec(),
        is_template: false,
        template_parameters: Vec::new(),
        template_arguments: None,
        namespace: String::new(),
        overload: None,
        is_defined: true,
        span: 0..0,
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
        "x[i] = 1".clone_into(&mut described.edit().operation);
        assert_ne!(described.key(), before);
        assert_eq!(described.key(), described.clone().key());
    }
}
