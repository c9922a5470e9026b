//! Conjugate gradients over all ranks.

use gpurepl_extend::arrays::{to_gpu, untyped, where_};
use gpurepl_extend::group::Function;
use gpurepl_extend::{AnyArray, BinaryOp, DType, DeviceKind, GpuArray, Result, error, interrupt};
use gpurepl_sparse::{Field, Outcome};

use crate::array::{DistArray, check_like};
use crate::call::{self, Call};
use crate::reduce::Reduce;
use crate::solve::{DistOperator, DistSolution, DistSolver};

/// After how many steps the host looks at the residual, if a rank has a GPU: each look is a wait.
const LOOK: i64 = 25;

/// The preconditioned method (Y. Saad, "Iterative Methods for Sparse Linear Systems", 2003, algorithm 9.1). The options
/// have been checked.
pub(crate) fn solve<T: Field>(
    options: DistSolver<'_, T>,
    a: &dyn DistOperator<T>,
    b: &DistArray<T>,
) -> Result<DistSolution<T>> {
    let vector = |local: &AnyArray| -> Result<DistArray<T>> {
        Ok(DistArray::of_parts(local.typed()?, b.split().clone()))
    };
    let apply = |what: &str, operator: &dyn DistOperator<T>, x: &AnyArray| -> Result<AnyArray> {
        let x = vector(x)?;
        let y = operator.apply(&x)?;
        check_like("cg", x.split(), y.split())?;
        if y.shape() != x.shape() {
            let message =
                format!("the {what} makes shape {:?} of {:?}; it must keep it", y.shape(), x.shape());
            return Err(error::shape("cg", message));
        }
        Ok(AnyArray::of(y.local()))
    };
    let dot = |x: &AnyArray, y: &AnyArray| all_dot(b.split().call(Function::Cg), x, y);
    let number = |x: &GpuArray<f64>| x.reshape(()).try_item();
    let look = agree(&options, b)?;
    let maxiter = options.maxiter.unwrap_or(b.size().saturating_mul(10));
    // By a power of two, so that squares neither vanish nor overflow.
    let scale = scale(b)?;
    let mut r = AnyArray::of(b.local()).multiplied(scale)?.contiguous()?;
    let mut x = AnyArray::zeros(b.local().shape(), T::DTYPE)?;
    let mut squares = dot(&r, &r)?;
    let whole = number(&squares)?.sqrt();
    // The solution for zeros is zeros, whatever the first guess is.
    if let Some(x0) = options.x0.filter(|_| whole != 0.0) {
        x = AnyArray::of(x0.local()).multiplied(scale)?.contiguous()?;
        r = plus(&r, &to_gpu(&[-1.0]), &apply("operator", a, &x)?)?;
        squares = dot(&r, &r)?;
    }
    let precondition = |r: &AnyArray| match options.preconditioner {
        Some(preconditioner) => apply("preconditioner", preconditioner, r),
        None => Ok(r.clone()),
    };
    // What the step goes by: the squares themselves, where there is no preconditioner.
    let product = |r: &AnyArray, z: &AnyArray, squares: &GpuArray<f64>| match options.preconditioner {
        Some(_) => dot(r, z),
        None => Ok(squares.clone()),
    };
    let start = number(&squares)?.sqrt();
    let limit = (options.rtol * whole).max(options.atol * scale);
    let mut callback = options.callback;
    let mut residuals = Vec::new();
    let mut tell = |steps: usize, residual: f64| {
        residuals.push(residual / scale);
        if let Some(callback) = &mut callback {
            callback(steps, residual / scale);
        }
    };
    tell(0, start);
    let mut outcome = match start {
        _ if !start.is_finite() => Outcome::NotFinite,
        _ if start <= limit => Outcome::Converged,
        _ => Outcome::MaxIterations,
    };
    let (mut iterations, mut has_bent) = (0, to_gpu(&[false]));
    let mut along: Option<(AnyArray, GpuArray<f64>)> = None;
    // All that decides is a number that all ranks have, so that all of them leave in the same step.
    while outcome == Outcome::MaxIterations && iterations < maxiter {
        let z = precondition(&r)?;
        let rz = product(&r, &z, &squares)?;
        let p = match &along {
            None => z,
            Some((p, before)) => plus(&z, &where_(before.gt(0.0), &rz / before, 0.0), p)?,
        };
        let q = apply("operator", a, &p)?;
        let curvature = dot(&p, &q)?;
        // The host looks later: a step after the limit is reached, or along a direction that does not bend upwards,
        // leaves everything as it is.
        let goes_on = squares.gt(limit * limit);
        has_bent |= (curvature.le(0.0) | rz.le(0.0)) & &goes_on;
        let alpha = where_(goes_on & curvature.gt(0.0), &rz / &curvature, 0.0);
        x = plus(&x, &alpha, &p)?;
        r = plus(&r, &-alpha, &q)?;
        squares = dot(&r, &r)?;
        along = Some((p, rz));
        iterations += 1;
        if iterations % look == 0 || iterations == maxiter {
            let residual = number(&squares)?;
            tell(iterations, residual.sqrt());
            outcome = match () {
                () if residual <= limit * limit => Outcome::Converged,
                () if has_bent.reshape(()).try_item()? => Outcome::NotPositiveDefinite,
                () if !residual.is_finite() => Outcome::NotFinite,
                () => Outcome::MaxIterations,
            };
            interrupt::check()?;
        }
    }
    let x = vector(&x.multiplied(1.0 / scale)?.contiguous()?)?;
    Ok(DistSolution { x, iterations, residuals, outcome, limit: limit / scale })
}

/// Makes sure that all ranks give the same options, and says after how many steps the host looks at the residual: the
/// same on all of them, whatever their devices are.
fn agree<T: Field>(options: &DistSolver<'_, T>, b: &DistArray<T>) -> Result<usize> {
    let steps = |steps: usize| i64::try_from(steps).unwrap_or(i64::MAX);
    let is_host = AnyArray::of(b.local()).context()?.device().kind() == DeviceKind::Host;
    let own = [
        options.check_every.map_or(if is_host { 1 } else { LOOK }, steps),
        options.check_every.map_or(0, steps),
        options.maxiter.map_or(-1, steps),
        options.rtol.to_bits().cast_signed(),
        options.atol.to_bits().cast_signed(),
        options.x0.is_some().into(),
        options.preconditioner.is_some().into(),
    ];
    let own = AnyArray::given(&own)?.reshaped(&[1, own.len()])?;
    let all = call::all_gather_for(b.split().call(Function::Cg), &own)?.typed::<i64>()?.to_vec();
    let ranks: Vec<&[i64]> = all.chunks_exact(own.size()).collect();
    // What differs would have them leave in different steps, or take one's numbers for another's.
    if let Some(other) = ranks.iter().position(|rank| rank[1..] != ranks[0][1..]) {
        let message = format!(
            "rank {other} gives other options than rank 0; give all ranks the same limits, and a first guess and a \
             preconditioner to all or to none"
        );
        return Err(error::ranks("cg", message));
    }
    Ok(ranks.iter().map(|rank| rank[0]).max().unwrap_or(1) as usize)
}

/// A power of two that brings the largest element of all ranks near one; one if that is zero or not finite.
fn scale<T: Field>(b: &DistArray<T>) -> Result<f64> {
    let largest = match b.local().size() {
        0 => AnyArray::zeros(1, DType::Float64)?,
        _ => AnyArray::of(&b.local().abs().max()).cast(DType::Float64).reshaped(&[1])?,
    };
    // NCCL would pass over NaN.
    let largest =
        call::all_gather_for(b.split().call(Function::Cg), &largest)?.typed::<f64>()?.max().try_item()?;
    if largest == 0.0 || !largest.is_finite() {
        return Ok(1.0);
    }
    // Both it and its inverse are numbers of the type.
    let most = if matches!(T::DTYPE, DType::Float32 | DType::Complex64) { 120.0 } else { 1000.0 };
    Ok((-largest.log2().round()).clamp(-most, most).exp2())
}

/// The real part of the sum of the products of all ranks' elements, on all ranks, in an array of one element.
fn all_dot(call: Call, a: &AnyArray, b: &AnyArray) -> Result<GpuArray<f64>> {
    // In double precision: squares of small or large numbers of single precision have no room in it.
    let wide = if a.dtype().is_complex() { DType::Complex128 } else { DType::Float64 };
    let sum = if a.size() == 0 {
        AnyArray::zeros(1, DType::Float64)?
    } else {
        let products =
            untyped::binary(BinaryOp::Multiply, a.cast(wide).conjugated().raw(), b.cast(wide).raw())?;
        AnyArray::of_raw(untyped::sum(&products)?).real_part().cast(DType::Float64).reshaped(&[1])?
    };
    call::all_reduce_for(call, &sum, Reduce::Sum)?.typed()
}

/// `a + factor * b`, evaluated.
fn plus(a: &AnyArray, factor: &GpuArray<f64>, b: &AnyArray) -> Result<AnyArray> {
    let factor = AnyArray::of(factor).cast(a.dtype());
    let product = untyped::binary(BinaryOp::Multiply, factor.raw(), b.raw())?;
    AnyArray::of_raw(untyped::binary(BinaryOp::Add, a.raw(), &product)?).contiguous()
}
