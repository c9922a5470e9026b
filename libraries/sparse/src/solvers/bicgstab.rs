//! Stabilized biconjugate gradients: van der Vorst, Bi-CGSTAB: A Fast and Smoothly Converging Variant of Bi-CG for the
//! Solution of Nonsymmetric Linear Systems (1992).

use gpurepl_extend::{AnyArray, Result};

use super::{Found, Outcome, System, dot, numbers};
use crate::operator::{applied, conditioned};

/// The vectors and numbers of a step, all on the device. A clone is a set of handles: steps write new arrays, so that
/// a run can be taken up again where it was before.
#[derive(Clone)]
struct State {
    x: AnyArray,
    r: AnyArray,
    p: AnyArray,
    rho: AnyArray,
}

pub(crate) fn solve(mut system: System<'_>) -> Result<Found> {
    let mut residuals = vec![system.norm];
    if let Some(outcome) = system.outcome_at_once() {
        return Ok(Found { x: system.x, residuals, outcome, limit: system.limit });
    }
    let r = system.residual.clone();
    let shadow = r.clone();
    let mut state = State { x: system.x.clone(), rho: dot(&shadow, &r)?, p: r.clone(), r };
    loop {
        let before = state.clone();
        let steps = system.check_every.min(system.maxiter + 1 - residuals.len());
        let found = run(&system, &shadow, &mut state, steps)?;
        // The first step that ends the run is the one that counts; those behind it are taken back.
        let end = found.iter().position(|norm| *norm <= system.limit || !norm.is_finite());
        let outcome =
            end.map(|end| if found[end] <= system.limit { Outcome::Converged } else { Outcome::NotFinite });
        let kept = end.map_or(found.len(), |end| end + 1);
        if kept < found.len() {
            state = before.clone();
            run(&system, &shadow, &mut state, kept)?;
        }
        if outcome == Some(Outcome::NotFinite) {
            // The last solution that has numbers.
            state = before;
            run(&system, &shadow, &mut state, kept - 1)?;
        }
        residuals.extend(&found[..kept]);
        let last = residuals.len() - 1;
        let is_interrupted = system.look(last, residuals[last]);
        let outcome = outcome
            .or_else(|| (last >= system.maxiter).then_some(Outcome::MaxIterations))
            .or_else(|| is_interrupted.then_some(Outcome::Interrupted));
        if let Some(outcome) = outcome {
            return Ok(Found { x: state.x, residuals, outcome, limit: system.limit });
        }
    }
}

/// Some steps, and the norms of their residuals.
fn run(system: &System<'_>, shadow: &AnyArray, state: &mut State, steps: usize) -> Result<Vec<f64>> {
    let norms = AnyArray::zeros(steps, gpurepl_extend::DType::Float64)?;
    for step in 0..steps {
        let norm = advance(system, shadow, state)?;
        norms.narrowed(0, step, 1)?.assign(&norm)?;
    }
    Ok(numbers(&norms)?.into_iter().map(f64::sqrt).collect())
}

/// A step; the square of the residual's norm.
fn advance(system: &System<'_>, shadow: &AnyArray, state: &mut State) -> Result<AnyArray> {
    let State { x, r, p, rho } = state;
    let turned = conditioned(system.preconditioner, p)?;
    let v = applied(system.a, &turned)?;
    let alpha = rho.divided(&dot(shadow, &v)?.without_zeros()?)?.contiguous()?;
    let s = r.subtracted(&alpha.times(&v)?)?.contiguous()?;
    let of_s = conditioned(system.preconditioner, &s)?;
    let t = applied(system.a, &of_s)?;
    let omega = dot(&t, &s)?.divided(&dot(&t, &t)?.without_zeros()?)?.contiguous()?;
    *x = x.added(&alpha.times(&turned)?)?.added(&omega.times(&of_s)?)?.contiguous()?;
    *r = s.subtracted(&omega.times(&t)?)?.contiguous()?;
    let next = dot(shadow, r)?;
    let beta =
        next.divided(&rho.without_zeros()?)?.times(&alpha.divided(&omega.without_zeros()?)?)?.contiguous()?;
    *p = r.added(&beta.times(&p.subtracted(&omega.times(&v)?)?)?)?.contiguous()?;
    *rho = next;
    Ok(dot(r, r)?.real_part())
}
