//! Plans of one-dimensional transforms, which are kept.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};

/// A precision.
pub(crate) trait Real: FftNum + Default {
    /// The nearest number.
    fn of(value: f64) -> Self;
    /// The plans of this precision.
    fn plans() -> &'static Mutex<Option<Plans<Self>>>;
}

macro_rules! reals {
    ($($t:ty)*) => {$(
        impl Real for $t {
            fn of(value: f64) -> $t {
                value as $t
            }
            fn plans() -> &'static Mutex<Option<Plans<$t>>> {
                static PLANS: Mutex<Option<Plans<$t>>> = Mutex::new(None);
                &PLANS
            }
        }
    )*};
}
reals!(f32 f64);

/// Plans are forgotten when they are for so many elements together: each has tables of about its length.
const MOST: usize = 1 << 24;

pub(crate) struct Plans<T: Real> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
    lengths: HashSet<(usize, Kind)>,
    elements: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Forward,
    Inverse,
    FromReal,
    ToReal,
}

impl<T: Real> Plans<T> {
    fn new() -> Self {
        let (complex, real) = (FftPlanner::new(), RealFftPlanner::new());
        Plans { complex, real, lengths: HashSet::new(), elements: 0 }
    }

    /// What the planners have, or make. They keep it themselves; here it is counted.
    fn with<P>(length: usize, kind: Kind, plan: impl FnOnce(&mut Plans<T>) -> P) -> P {
        let mut plans = T::plans().lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out, so that a panic while planning leaves none behind that is half made.
        let mut own = plans.take().filter(|own| own.elements < MOST).unwrap_or_else(Plans::new);
        if own.lengths.insert((length, kind)) {
            own.elements = own.elements.saturating_add(length);
        }
        let planned = plan(&mut own);
        *plans = Some(own);
        planned
    }
}

/// A plan of complex numbers to complex numbers.
pub(crate) fn complex<T: Real>(length: usize, direction: FftDirection) -> Arc<dyn Fft<T>> {
    let kind = match direction {
        FftDirection::Forward => Kind::Forward,
        FftDirection::Inverse => Kind::Inverse,
    };
    Plans::with(length, kind, |plans| plans.complex.plan_fft(length, direction))
}

/// A plan of real numbers to complex numbers.
pub(crate) fn from_real<T: Real>(length: usize) -> Arc<dyn RealToComplex<T>> {
    Plans::with(length, Kind::FromReal, |plans| plans.real.plan_fft_forward(length))
}

/// A plan of complex numbers to real numbers.
pub(crate) fn to_real<T: Real>(length: usize) -> Arc<dyn ComplexToReal<T>> {
    Plans::with(length, Kind::ToReal, |plans| plans.real.plan_fft_inverse(length))
}
