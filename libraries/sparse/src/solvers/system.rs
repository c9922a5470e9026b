//! A system without its type, and how a method comes to its end.

use gpurepl_extend::{AnyArray, DType, DeviceKind, ErrorKind, Result, interrupt};

use super::Outcome;
use crate::number::by_type;
use crate::operator::{Apply, applied};

pub(crate) struct Parts<'a> {
    pub(crate) a: &'a dyn Apply,
    pub(crate) preconditioner: Option<&'a dyn Apply>,
    pub(crate) b: AnyArray,
    pub(crate) x0: Option<AnyArray>,
}

pub(crate) struct Limits {
    pub(crate) rtol: f64,
    pub(crate) atol: f64,
    pub(crate) maxiter: usize,
    pub(crate) restart: usize,
    pub(crate) check_every: Option<usize>,
}

type Callback<'a> = Box<dyn FnMut(usize, f64) + 'a>;

/// A method: it makes steps until the residual is as small as was asked, and says why it has ended.
#[derive(Clone, Copy)]
pub(crate) enum Method {
    /// It knows its residual by a recurrence, from which the system's own may have departed.
    Recurrence(fn(&mut System<'_>) -> Result<Outcome>),
    /// It computes the system's residual.
    Residual(fn(&mut System<'_>) -> Result<Outcome>),
}

/// Norms of so many steps are kept on the device at most.
const MOST_BETWEEN_LOOKS: usize = 1 << 14;

/// The system as methods see it: `a x = right`, where `right` is the residual of what is known, times a power of two
/// that brings its norm near 1, so that squares neither overflow nor vanish.
pub(crate) struct System<'a> {
    pub(crate) a: &'a dyn Apply,
    pub(crate) preconditioner: Option<&'a dyn Apply>,
    /// What is found in this run, zeros at first.
    pub(crate) x: AnyArray,
    pub(crate) right: AnyArray,
    /// `right - a x`.
    pub(crate) residual: AnyArray,
    pub(crate) restart: usize,
    pub(crate) check_every: usize,
    /// The user's norms, of the residual before the first step and after each.
    pub(crate) residuals: Vec<f64>,
    pub(crate) limit: f64,
    b: AnyArray,
    /// What earlier runs have found; nothing is zeros.
    known: Option<AnyArray>,
    /// What the user's numbers are times those of methods.
    scale: f64,
    maxiter: usize,
    callback: Option<Callback<'a>>,
}

impl<'a> System<'a> {
    pub(crate) fn new(
        parts: Parts<'a>,
        limits: Limits,
        callback: Option<Callback<'a>>,
    ) -> Result<System<'a>> {
        let Parts { a, preconditioner, b, x0 } = parts;
        let is_on_host = b.context()?.device().kind() == DeviceKind::Host;
        let of_b = norm(&b)?;
        // Of a right side of zeros the solution is known, whatever the guess.
        let known = x0.filter(|_| of_b != 0.0).map(|x0| x0.cast(b.dtype()).copied()).transpose()?;
        let zeros = AnyArray::zeros(b.shape(), b.dtype())?;
        let mut system = System {
            a,
            preconditioner,
            x: zeros.clone(),
            right: b.clone(),
            residual: zeros,
            restart: limits.restart,
            check_every: limits
                .check_every
                .unwrap_or(if is_on_host { 1 } else { 25 })
                .min(MOST_BETWEEN_LOOKS)
                .min(limits.maxiter.max(1)),
            residuals: Vec::new(),
            limit: (limits.rtol * of_b).max(limits.atol),
            b,
            known,
            scale: 1.0,
            maxiter: limits.maxiter,
            callback,
        };
        let norm = system.begin()?;
        system.residuals.push(norm);
        Ok(system)
    }

    /// Begins a run at what is known: the norm of its residual.
    fn begin(&mut self) -> Result<f64> {
        let residual = match &self.known {
            Some(known) => self.b.subtracted(&applied(self.a, known)?)?.contiguous()?,
            None => self.b.clone(),
        };
        let norm = norm(&residual)?;
        // Powers that the type has, and their inverses too.
        let most = if matches!(self.b.dtype(), DType::Float32 | DType::Complex64) { 100.0 } else { 1000.0 };
        let power = if norm.is_normal() { norm.log2().floor().clamp(-most, most) } else { 0.0 };
        self.scale = power.exp2();
        self.right = residual.multiplied((-power).exp2())?.copied()?;
        self.residual = self.right.copied()?;
        Ok(norm)
    }

    /// All that has been found.
    pub(crate) fn solution(&self) -> Result<AnyArray> {
        let found = self.x.multiplied(self.scale)?;
        match &self.known {
            Some(known) => known.added(&found)?.copied(),
            None => found.copied(),
        }
    }

    /// Makes steps until the end.
    pub(crate) fn solve(&mut self, method: Method) -> Result<Outcome> {
        let first = self.residuals[0];
        if !first.is_finite() || !self.limit.is_finite() {
            return Ok(Outcome::NotFinite);
        }
        if first <= self.limit {
            return Ok(Outcome::Converged);
        }
        if self.maxiter == 0 {
            return Ok(Outcome::MaxIterations);
        }
        match self.run(method) {
            // What has been found so far is the answer.
            Err(fault) if is_interrupt(&fault) => {
                interrupt::answer();
                Ok(Outcome::Interrupted)
            }
            ended => ended,
        }
    }

    fn run(&mut self, method: Method) -> Result<Outcome> {
        let act = match method {
            Method::Residual(act) => return act(self),
            Method::Recurrence(act) => act,
        };
        loop {
            let before = self.last();
            let outcome = act(self)?;
            if outcome != Outcome::Converged {
                return Ok(outcome);
            }
            // The recurrence says so; it is the system's own residual that counts. As long as that falls, the rest is
            // a system like the first one.
            let (found, zeros) = (self.solution()?, AnyArray::zeros(self.b.shape(), self.b.dtype())?);
            let earlier = self.known.replace(found);
            self.x = zeros;
            let norm = self.begin()?;
            if norm > before || norm.is_nan() {
                // The run led nowhere.
                self.known = earlier;
                self.set_last(before);
                return Ok(Outcome::Stagnated);
            }
            self.set_last(norm);
            if norm <= self.limit {
                return Ok(Outcome::Converged);
            }
            if norm > before / 2.0 {
                return Ok(Outcome::Stagnated);
            }
            if self.left() == 0 {
                return Ok(Outcome::MaxIterations);
            }
        }
    }

    /// The norm that methods look for.
    pub(crate) fn small(&self) -> f64 {
        self.limit / self.scale
    }

    /// The number of steps so far.
    pub(crate) fn steps(&self) -> usize {
        self.residuals.len() - 1
    }

    /// How many steps may follow.
    pub(crate) fn left(&self) -> usize {
        self.maxiter.saturating_sub(self.steps())
    }

    /// The most steps of all runs.
    pub(crate) fn maxiter(&self) -> usize {
        self.maxiter
    }

    /// The last norm, the user's.
    fn last(&self) -> f64 {
        self.residuals[self.residuals.len() - 1]
    }

    /// The last norm, as methods see it.
    pub(crate) fn last_scaled(&self) -> f64 {
        self.last() / self.scale
    }

    fn set_last(&mut self, norm: f64) {
        let last = self.residuals.len() - 1;
        self.residuals[last] = norm;
    }

    /// Notes the norms of steps.
    pub(crate) fn note(&mut self, norms: &[f64]) {
        self.residuals.extend(norms.iter().map(|norm| norm * self.scale));
    }

    /// Tells the user how far it is.
    pub(crate) fn tell(&mut self) {
        let (steps, norm) = (self.steps(), self.last());
        if let Some(callback) = &mut self.callback {
            callback(steps, norm);
        }
    }
}

pub(crate) fn is_interrupt(fault: &gpurepl_extend::Error) -> bool {
    fault.kind() == ErrorKind::Interrupted
}

/// The type in which sums of squares of many elements are good.
pub(crate) fn wide(dtype: DType) -> DType {
    if dtype.is_complex() { DType::Complex128 } else { DType::Float64 }
}

/// The inner product, the first factor conjugated: an array of no axes.
pub(crate) fn dot(a: &AnyArray, b: &AnyArray) -> Result<AnyArray> {
    a.conjugated().times(b)?.sum()
}

/// The norm on the host, which overflows only if it is no number itself.
pub(crate) fn norm(a: &AnyArray) -> Result<f64> {
    let of = |a: &AnyArray| -> Result<f64> {
        let squares = numbers(&dot(a, a)?.real_part())?;
        Ok(squares.first().copied().unwrap_or(0.0).sqrt())
    };
    let a = a.cast(wide(a.dtype()));
    let plain = of(&a)?;
    // Squares that are neither too large nor too small for a number of 64 bits.
    if plain.is_nan() || (1e-140..1e150).contains(&plain) || a.size() == 0 {
        return Ok(plain);
    }
    let largest = by_type!(a.dtype(), T => AnyArray::of(&a.typed::<T>()?.abs().max()));
    let largest = numbers(&largest)?.first().copied().unwrap_or(0.0);
    if !largest.is_normal() {
        return Ok(largest);
    }
    let power = largest.log2().floor().clamp(-1000.0, 1000.0);
    Ok(of(&a.multiplied((-power).exp2())?)? * power.exp2())
}

/// Real numbers on the host.
pub(crate) fn numbers(a: &AnyArray) -> Result<Vec<f64>> {
    let bytes = a.cast(DType::Float64).to_host()?;
    Ok(bytemuck::pod_collect_to_vec(&bytes))
}
