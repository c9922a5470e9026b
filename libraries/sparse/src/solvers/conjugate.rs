//! Conjugate gradients: Hestenes and Stiefel, Methods of Conjugate Gradients for Solving Linear Systems (1952).
//!
//! All numbers of the iteration stay on the device, in `state`: a kernel of vectors finds its own in it, and the last
//! of its blocks writes the next. Once the residual is small the kernels do nothing, so the host looks now and then
//! and finds the solution of that step.

use std::sync::Arc;

use gpurepl_extend::{
    AnyArray, Argument, DType, DeviceKind, Elements, Extent, Gpu, Operation, Result, interrupt, perform,
};

use super::system::{is_interrupt, wide};
use super::{Outcome, System, dot, numbers};
use crate::cores::{self, PART};
use crate::kernels::{BLOCK, MOST_BLOCKS, blocks, launch};
use crate::number::{Arithmetic, by_type};
use crate::operator::{Apply, conditioned};

/// The numbers in `state`, as the kernels know them.
const RHO: usize = 0;
const ALPHA: usize = 1;
const BETA: usize = 2;
const STATUS: usize = 3;
const STEPS: usize = 4;
const LIMIT: usize = 5;
const MOST: usize = 6;
/// Here the norms of the last steps begin, in a ring.
const KEPT: usize = 8;

/// What `STATUS` says.
const RUNS: f64 = 0.0;
const CONVERGED: f64 = 1.0;
const NOT_POSITIVE: f64 = 2.0;
const NOT_FINITE: f64 = 3.0;
const REACHED_MOST: f64 = 4.0;

pub(crate) fn solve(system: &mut System<'_>) -> Result<Outcome> {
    let diagonal = system.preconditioner.and_then(|preconditioner| preconditioner.diagonal());
    let general = system.preconditioner.filter(|_| diagonal.is_none());
    let z = match &diagonal {
        Some(diagonal) => diagonal.times(&system.residual)?.contiguous()?,
        None => conditioned(general, &system.residual)?,
    };
    let wide = |a: &AnyArray| a.cast(wide(a.dtype()));
    let rho = numbers(&dot(&wide(&system.residual), &wide(&z))?.real_part())?[0];
    if rho.is_nan() || rho <= 0.0 {
        return Ok(if rho.is_nan() { Outcome::NotFinite } else { Outcome::NotPositiveDefinite });
    }
    let ring = 4 * system.check_every;
    let mut state = vec![0.0; KEPT + ring];
    state[RHO] = rho;
    state[STEPS] = system.steps() as f64;
    (state[LIMIT], state[MOST]) = (system.small(), system.maxiter() as f64);
    let mut work = Vectors {
        p: z.copied()?,
        q: AnyArray::empty(z.shape(), z.dtype())?,
        state: AnyArray::from_host(state.len(), DType::Float64, bytemuck::cast_slice(&state))?,
        partial: AnyArray::empty(2 * MOST_BLOCKS, DType::Float64)?,
        ticket: AnyArray::zeros(1, DType::UInt32)?,
        diagonal,
        ring,
    };
    match work.run(system, general) {
        Err(fault) if is_interrupt(&fault) => {
            // The steps that were asked for are part of the solution.
            interrupt::answer();
            work.look(system, &work.state)?;
            Ok(Outcome::Interrupted)
        }
        ended => ended,
    }
}

struct Vectors {
    p: AnyArray,
    q: AnyArray,
    state: AnyArray,
    partial: AnyArray,
    ticket: AnyArray,
    diagonal: Option<AnyArray>,
    ring: usize,
}

impl Vectors {
    fn run(&mut self, system: &mut System<'_>, general: Option<&dyn Apply>) -> Result<Outcome> {
        let is_on_host = system.x.context()?.device().kind() == DeviceKind::Host;
        // On a GPU the host asks for steps before it has seen how the last ones ended.
        let mut waiting: Option<AnyArray> = None;
        loop {
            for _ in 0..system.check_every {
                self.step(system, general)?;
            }
            let now = self.state.copied()?;
            let seen = if is_on_host { Some(now) } else { waiting.replace(now) };
            let Some(seen) = seen else { continue };
            let status = self.look(system, &seen)?;
            system.tell();
            if let Some(outcome) = status {
                return Ok(outcome);
            }
            interrupt::check()?;
        }
    }

    fn step(&mut self, system: &mut System<'_>, general: Option<&dyn Apply>) -> Result<()> {
        system.a.into(&self.p, &mut self.q)?;
        self.curvature()?;
        self.advance(system, general.is_none())?;
        let z = if general.is_some() {
            let z = conditioned(general, &system.residual)?;
            self.condition(&system.residual, &z)?;
            z
        } else {
            system.residual.clone()
        };
        self.turn(&z)
    }

    /// Notes the steps that a state tells of; why it has ended, if it has.
    fn look(&self, system: &mut System<'_>, state: &AnyArray) -> Result<Option<Outcome>> {
        let state = numbers(state)?;
        let steps = state[STEPS] as usize;
        let norms: Vec<f64> =
            (system.steps() + 1..=steps).map(|step| state[KEPT + step % self.ring]).collect();
        system.note(&norms);
        Ok(match state[STATUS] {
            CONVERGED => Some(Outcome::Converged),
            NOT_POSITIVE => Some(Outcome::NotPositiveDefinite),
            NOT_FINITE => Some(Outcome::NotFinite),
            REACHED_MOST => Some(Outcome::MaxIterations),
            _ => None,
        })
    }

    fn curvature(&mut self) -> Result<()> {
        let arguments = vec![Argument::read(&self.p), Argument::read(&self.q)];
        self.perform(Kind::Curvature, arguments)
    }

    fn advance(&mut self, system: &mut System<'_>, finds_direction: bool) -> Result<()> {
        let mut arguments = vec![
            Argument::write(&mut system.x),
            Argument::read(&self.p),
            Argument::write(&mut system.residual),
            Argument::read(&self.q),
        ];
        arguments.extend(self.diagonal.as_ref().map(Argument::read));
        self.perform(Kind::Advance { finds_direction }, arguments)
    }

    fn condition(&mut self, residual: &AnyArray, z: &AnyArray) -> Result<()> {
        self.perform(Kind::Condition, vec![Argument::read(residual), Argument::read(z)])
    }

    fn turn(&mut self, z: &AnyArray) -> Result<()> {
        let mut arguments = vec![Argument::write(&mut self.p), Argument::read(z)];
        arguments.extend(self.diagonal.as_ref().map(Argument::read));
        arguments.push(Argument::read(&self.state));
        perform(
            Arc::new(Step { kind: Kind::Turn, has_diagonal: self.diagonal.is_some(), ring: self.ring }),
            &arguments,
        )
    }

    fn perform(&mut self, kind: Kind, mut arguments: Vec<Argument>) -> Result<()> {
        let has_diagonal = self.diagonal.is_some() && matches!(kind, Kind::Advance { .. });
        arguments.push(Argument::write(&mut self.state));
        arguments.push(Argument::write(&mut self.partial));
        arguments.push(Argument::write(&mut self.ticket));
        perform(Arc::new(Step { kind, has_diagonal, ring: self.ring }), &arguments)
    }
}

/// A kernel of vectors: which, and what it is given besides arrays.
struct Step {
    kind: Kind,
    has_diagonal: bool,
    ring: usize,
}

#[derive(Clone, Copy)]
enum Kind {
    Curvature,
    Advance { finds_direction: bool },
    Condition,
    Turn,
}

impl Operation for Step {
    fn name(&self) -> &'static str {
        "cg"
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        let dtype = arguments[0].extent().dtype;
        by_type!(dtype, T => self.host::<T>(arguments))
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let n = arguments[0].shape[0] as u64;
        let mut all: Vec<u64> = arguments.iter().map(|argument| argument.address).collect();
        let entry = match self.kind {
            Kind::Curvature => "gpurepl_sparse_curvature",
            Kind::Advance { .. } => "gpurepl_sparse_advance",
            Kind::Condition => "gpurepl_sparse_conditioned",
            Kind::Turn => "gpurepl_sparse_turn",
        };
        // No diagonal is an address of zero.
        match self.kind {
            Kind::Advance { .. } if !self.has_diagonal => all.insert(4, 0),
            Kind::Turn if !self.has_diagonal => all.insert(2, 0),
            _ => {}
        }
        all.push(n);
        if let Kind::Advance { finds_direction } = self.kind {
            all.extend([u64::from(finds_direction), self.ring as u64]);
        }
        // SAFETY: all vectors have `n` elements: `Solver::solve` has checked those of the user, the others are made like
        // them. `partial` has two numbers for each of at most `MOST_BLOCKS` blocks, and `state` the ring's.
        unsafe { launch(gpu, arguments[0].dtype, entry, (blocks(n as usize), BLOCK), &all) }
    }
}

impl Step {
    /// The same on the host.
    fn host<T: Arithmetic + gpurepl_extend::Elem>(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        match (self.kind, arguments) {
            (Kind::Curvature, [p, q, state, ..]) => {
                let state = state.slice_mut::<f64>()?;
                if state[STATUS] == RUNS {
                    let value = inner(p.slice::<T>()?, q.slice::<T>()?);
                    state[ALPHA] = state[RHO] / value;
                    check_positive(state, value);
                }
            }
            (Kind::Condition, [r, z, state, ..]) => {
                let state = state.slice_mut::<f64>()?;
                if state[STATUS] == RUNS {
                    let value = inner(r.slice::<T>()?, z.slice::<T>()?);
                    next_direction(state, value);
                    check_positive(state, value);
                }
            }
            (Kind::Advance { finds_direction }, [x, p, r, q, rest @ ..]) => {
                let (diagonal, rest) =
                    if self.has_diagonal { rest.split_at_mut(1) } else { rest.split_at_mut(0) };
                let diagonal = diagonal.first().map(|diagonal| diagonal.slice::<T>()).transpose()?;
                let state = rest[0].slice_mut::<f64>()?;
                if state[STATUS] == RUNS {
                    let vectors =
                        (x.slice_mut::<T>()?, p.slice::<T>()?, r.slice_mut::<T>()?, q.slice::<T>()?);
                    let [norm, rho] = advance(vectors, diagonal, state[ALPHA]);
                    self.note(state, norm.sqrt());
                    if finds_direction {
                        next_direction(state, if self.has_diagonal { rho } else { norm });
                    }
                }
            }
            (Kind::Turn, [p, z, rest @ ..]) => {
                let diagonal = if self.has_diagonal { Some(rest[0].slice::<T>()?) } else { None };
                let state = rest[rest.len() - 1].slice::<f64>()?;
                if state[STATUS] == RUNS {
                    turn(p.slice_mut::<T>()?, z.slice::<T>()?, diagonal, state[BETA]);
                }
            }
            _ => unreachable!("the arguments of the kernel"),
        }
        Ok(())
    }

    fn note(&self, state: &mut [f64], norm: f64) {
        let step = state[STEPS] as usize + 1;
        state[STEPS] = step as f64;
        state[KEPT + step % self.ring] = norm;
        if norm.is_nan() {
            state[STATUS] = NOT_FINITE;
        } else if norm <= state[LIMIT] {
            state[STATUS] = CONVERGED;
        } else if step as f64 >= state[MOST] {
            state[STATUS] = REACHED_MOST;
        }
    }
}

fn next_direction(state: &mut [f64], rho: f64) {
    state[BETA] = rho / state[RHO];
    state[RHO] = rho;
}

fn check_positive(state: &mut [f64], value: f64) {
    if value.is_nan() {
        state[STATUS] = NOT_FINITE;
    } else if value <= 0.0 {
        state[STATUS] = NOT_POSITIVE;
    }
}

/// The real part of `conj(a) * b`.
fn product<T: Arithmetic>(a: T, b: T) -> f64 {
    a.real() * b.real() + a.imaginary() * b.imaginary()
}

fn inner<T: Arithmetic>(a: &[T], b: &[T]) -> f64 {
    let pieces = a.chunks(PART).zip(b.chunks(PART)).collect();
    cores::sums(pieces, |(a, b): (&[T], &[T])| [summed(a.iter().zip(b).map(|(a, b)| product(*a, *b))), 0.0])
        [0]
}

/// Eight sums at a time, since each waits for the one before.
fn summed(mut values: impl Iterator<Item = f64>) -> f64 {
    let mut sums = [0.0; 8];
    'all: loop {
        for sum in &mut sums {
            let Some(value) = values.next() else { break 'all };
            *sum += value;
        }
    }
    sums.iter().sum()
}

type Advanced<'a, T> = (&'a mut [T], &'a [T], &'a mut [T], &'a [T]);

fn advance<T: Arithmetic>((x, p, r, q): Advanced<'_, T>, diagonal: Option<&[T]>, alpha: f64) -> [f64; 2] {
    let mut diagonals = diagonal.map(|diagonal| diagonal.chunks(PART));
    let vectors = x.chunks_mut(PART).zip(p.chunks(PART)).zip(r.chunks_mut(PART)).zip(q.chunks(PART));
    let pieces =
        vectors.map(|(((x, p), r), q)| (x, p, r, q, diagonals.as_mut().and_then(Iterator::next))).collect();
    type Piece<'a, T> = (&'a mut [T], &'a [T], &'a mut [T], &'a [T], Option<&'a [T]>);
    cores::sums(pieces, |(x, p, r, q, diagonal): Piece<'_, T>| {
        for (x, p) in x.iter_mut().zip(p) {
            *x += p.scaled(alpha);
        }
        for (r, q) in r.iter_mut().zip(q) {
            *r -= q.scaled(alpha);
        }
        let norm = summed(r.iter().map(|r| product(*r, *r)));
        let rho = diagonal
            .map_or(0.0, |diagonal| summed(r.iter().zip(diagonal).map(|(r, d)| product(*r, *d * *r))));
        [norm, rho]
    })
}

fn turn<T: Arithmetic>(p: &mut [T], z: &[T], diagonal: Option<&[T]>, beta: f64) {
    let mut diagonals = diagonal.map(|diagonal| diagonal.chunks(PART));
    let pieces = p
        .chunks_mut(PART)
        .zip(z.chunks(PART))
        .map(|(p, z)| (p, z, diagonals.as_mut().and_then(Iterator::next)))
        .collect();
    type Piece<'a, T> = (&'a mut [T], &'a [T], Option<&'a [T]>);
    cores::sums(pieces, |(p, z, diagonal): Piece<'_, T>| {
        match diagonal {
            Some(diagonal) => {
                for ((p, z), d) in p.iter_mut().zip(z).zip(diagonal) {
                    *p = *d * *z + p.scaled(beta);
                }
            }
            None => {
                for (p, z) in p.iter_mut().zip(z) {
                    *p = *z + p.scaled(beta);
                }
            }
        }
        [0.0; 2]
    });
}
