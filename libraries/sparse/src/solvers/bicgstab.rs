//! Stabilized biconjugate gradients: van der Vorst, Bi-CGSTAB: A Fast and Smoothly Converging Variant of Bi-CG for the
//! Solution of Nonsymmetric Linear Systems (1992).

use gpurepl_extend::{AnyArray, Result, interrupt};

use super::{Outcome, System, dot, numbers};
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

pub(crate) fn solve(system: &mut System<'_>) -> Result<Outcome> {
    let r = system.residual.clone();
    let shadow = r.clone();
    let mut state = State { x: system.x.clone(), rho: dot(&shadow, &r)?, p: r.clone(), r };
    loop {
        let before = state.clone();
        let steps = system.check_every.min(system.left());
        let found = run(system, &shadow, &mut state, steps)?;
        // The first step that ends the run is the one that counts, or the last one with numbers; those behind it are
        // taken back.
        let small = system.small();
        let end = found.iter().position(|norm| *norm <= small || !norm.is_finite());
        let is_small = end.is_some_and(|end| found[end] <= small);
        let kept = end.map_or(found.len(), |end| end + usize::from(is_small));
        if kept < found.len() {
            state = before;
            run(system, &shadow, &mut state, kept)?;
        }
        system.x = state.x.clone();
        system.note(&found[..kept]);
        system.tell();
        if end.is_some() {
            return Ok(if is_small { Outcome::Converged } else { Outcome::NotFinite });
        }
        if system.left() == 0 {
            return Ok(Outcome::MaxIterations);
        }
        interrupt::check()?;
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
