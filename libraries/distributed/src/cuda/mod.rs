//! Between GPUs: by NCCL, where it can do it.

mod communicator;
mod execute;
mod library;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::OnceLock;

use gpurepl_extend::group::Collective;
use gpurepl_extend::{AnyArray, Context, DType, DeviceKind, Result};

use crate::description::Description;
use crate::plan::Plan;
use crate::reduce::Reduce;
use execute::Execute;

/// What a rank can do, as it tells the others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Abilities {
    /// Zero for the host, else a number of the GPU's own.
    pub device: u64,
    /// The version of NCCL; zero where there is none.
    pub nccl: u64,
    /// The number of the communicator that it has; zero where there is none.
    pub communicator: u64,
}

/// Which way elements go.
pub(crate) enum Way {
    /// From GPU to GPU.
    Nccl,
    /// Through the host's memory; why, where a user may expect another way.
    Host(Option<String>),
}

/// What this rank can do with arrays of a context.
pub(crate) fn abilities(context: Context) -> Result<Abilities> {
    let device = context.device();
    if device.kind() == DeviceKind::Host {
        return Ok(Abilities::default());
    }
    let mut hasher = DefaultHasher::new();
    // Two machines may have GPUs at the same place.
    machine().hash(&mut hasher);
    device.pci_bus_id()?.hash(&mut hasher);
    let nccl = library::nccl().map_or(0, |nccl| nccl.version);
    Ok(Abilities { device: hasher.finish() | 1, nccl, communicator: communicator::number(context)? })
}

/// The same for all processes of a machine, also for those in containers, and another one after its next start.
fn machine() -> &'static str {
    static MACHINE: OnceLock<String> = OnceLock::new();
    MACHINE.get_or_init(|| std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default())
}

/// Which way elements go, by what all ranks have said: it is the same on all of them.
pub(crate) fn way(ranks: &[Description], plan: &Plan) -> Way {
    if ranks.iter().all(|rank| rank.device == 0) || is_empty(plan) {
        return Way::Host(None);
    }
    if let Some(rank) = ranks.iter().position(|rank| rank.device == 0) {
        return Way::Host(Some(format!("the arrays of rank {rank} lie there")));
    }
    for (rank, one) in ranks.iter().enumerate() {
        if let Some(other) = ranks[..rank].iter().position(|other| other.device == one.device) {
            let why = format!(
                "ranks {other} and {rank} share a GPU, which NCCL does not do; start a worker for each"
            );
            return Way::Host(Some(why));
        }
    }
    if let Some(rank) = ranks.iter().position(|rank| rank.nccl == 0) {
        let why = format!(
            "rank {rank} has not found NCCL (libnccl.so.2); `pip install nvidia-nccl-cu13` installs it"
        );
        return Way::Host(Some(why));
    }
    if let Some(rank) = ranks.iter().position(|rank| rank.nccl != ranks[0].nccl) {
        let why = format!("rank 0 has another version of NCCL than rank {rank}; let all find the same one");
        return Way::Host(Some(why));
    }
    match plan {
        Plan::Combine { op, dtype, .. } | Plan::CombineParts { op, dtype, .. }
            if combination(*op, *dtype).is_none() =>
        {
            Way::Host(Some(format!("NCCL has no {op} of {dtype}")))
        }
        _ => Way::Nccl,
    }
}

fn is_empty(plan: &Plan) -> bool {
    match plan {
        Plan::Join { lengths, .. } | Plan::CombineParts { lengths, .. } => {
            lengths.iter().all(|length| *length == 0)
        }
        Plan::Deal { lengths } => lengths.iter().flatten().all(|length| *length == 0),
        Plan::Combine { bytes, .. } => *bytes == 0,
    }
}

/// How NCCL combines elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Combination {
    /// `ncclRedOp_t`.
    op: i32,
    /// `ncclDataType_t`.
    dtype: i32,
    /// Bytes of what NCCL takes for an element.
    size: usize,
}

const SUM: i32 = 0;
const PROD: i32 = 1;
const MAX: i32 = 2;
const MIN: i32 = 3;

/// `ncclUint8`, as which bytes are moved.
const BYTES: i32 = 1;

/// None where NCCL has nothing for it, or something else: its `min` and `max` of floats pass over NaN.
fn combination(op: Reduce, dtype: DType) -> Option<Combination> {
    use DType::*;
    let number = match dtype {
        Int8 => 0,
        UInt8 | Bool => BYTES,
        Int32 => 2,
        UInt32 => 3,
        Int64 => 4,
        UInt64 => 5,
        Float16 => 6,
        // The parts of complex numbers are summed each.
        Float32 | Complex64 => 7,
        Float64 | Complex128 => 8,
        Int16 | UInt16 => return None,
    };
    let op = match (op, dtype) {
        // Bytes that are 0 or 1.
        (Reduce::Sum | Reduce::Max | Reduce::Or, Bool) => MAX,
        (Reduce::Prod | Reduce::Min | Reduce::And, Bool) => MIN,
        // A mean is divided afterwards.
        (Reduce::Sum | Reduce::Mean, _) => SUM,
        (Reduce::Prod, _) if !dtype.is_complex() => PROD,
        (Reduce::Max, _) if dtype.is_integer() => MAX,
        (Reduce::Min, _) if dtype.is_integer() => MIN,
        _ => return None,
    };
    Some(Combination { op, dtype: number, size: dtype.real().size() })
}

/// Carries a plan out from GPU to GPU. The work is asked for, and not waited for.
pub(crate) fn carry_out(
    name: &'static str,
    mut collective: Collective,
    ranks: &[Description],
    plan: &Plan,
    given: &AnyArray,
    to: Option<AnyArray>,
) -> Result<Option<AnyArray>> {
    let communicator = communicator::common(name, &mut collective, ranks, given)?;
    // From here on every rank asks its GPU for its half, which would wait for ever without another's.
    collective.commit()?;
    let done = Execute::perform(name, communicator, plan, given, to)?;
    collective.finish();
    match (plan, done) {
        (Plan::Combine { op: Reduce::Mean, .. } | Plan::CombineParts { op: Reduce::Mean, .. }, Some(sum)) => {
            let number = AnyArray::from_host((), DType::Float64, &(ranks.len() as f64).to_ne_bytes())?;
            sum.divided(&number.cast(sum.dtype()))?.copied().map(Some)
        }
        (_, done) => Ok(done),
    }
}

#[cfg(test)]
mod tests {
    use gpurepl_extend::group::Function;

    use super::*;

    fn rank(device: u64, nccl: u64) -> Description {
        Description {
            function: Function::AllReduce,
            dtype: DType::Float32,
            op: Some(Reduce::Sum),
            root: None,
            split: 0,
            shape: Some(vec![2]),
            device,
            nccl,
            communicator: 0,
        }
    }

    fn sum(op: Reduce, dtype: DType, bytes: usize) -> Plan {
        Plan::Combine { op, dtype, bytes, only: None }
    }

    #[test]
    fn the_way_is_said_where_it_is_not_what_one_may_expect() {
        let plan = sum(Reduce::Sum, DType::Float32, 8);
        let why = |ranks: &[Description], plan: &Plan| match way(ranks, plan) {
            Way::Nccl => "NCCL".to_owned(),
            Way::Host(why) => why.unwrap_or_default(),
        };
        assert_eq!(why(&[rank(0, 0), rank(0, 0)], &plan), "", "hosts have one way");
        assert_eq!(why(&[rank(3, 22_000), rank(5, 22_000)], &plan), "NCCL");
        assert!(why(&[rank(3, 22_000), rank(0, 0)], &plan).contains("the arrays of rank 1 lie there"));
        assert!(why(&[rank(3, 1), rank(5, 1), rank(3, 1)], &plan).contains("ranks 0 and 2 share a GPU"));
        assert!(why(&[rank(3, 1), rank(5, 0)], &plan).contains("rank 1 has not found NCCL"));
        assert!(why(&[rank(3, 1), rank(5, 2)], &plan).contains("another version of NCCL than rank 1"));
        let gpus = [rank(3, 1), rank(5, 1)];
        assert!(why(&gpus, &sum(Reduce::Prod, DType::Complex64, 8)).contains("no Reduce::Prod of complex64"));
        assert_eq!(why(&gpus, &sum(Reduce::Sum, DType::Float32, 0)), "", "there is nothing to move");
    }

    #[test]
    fn nccl_combines_what_it_does_as_numpy() {
        let of = |op, dtype| combination(op, dtype);
        assert_eq!(of(Reduce::Sum, DType::Complex128), Some(Combination { op: SUM, dtype: 8, size: 8 }));
        assert_eq!(of(Reduce::Mean, DType::Float16), Some(Combination { op: SUM, dtype: 6, size: 2 }));
        assert_eq!(of(Reduce::Or, DType::Bool), Some(Combination { op: MAX, dtype: BYTES, size: 1 }));
        assert_eq!(of(Reduce::Prod, DType::Bool), Some(Combination { op: MIN, dtype: BYTES, size: 1 }));
        assert_eq!(of(Reduce::Min, DType::Int64), Some(Combination { op: MIN, dtype: 4, size: 8 }));
        for (op, dtype) in [
            (Reduce::Max, DType::Float32),
            (Reduce::Min, DType::Complex64),
            (Reduce::Prod, DType::Complex64),
            (Reduce::Sum, DType::Int16),
            (Reduce::Xor, DType::Bool),
            (Reduce::And, DType::Int32),
        ] {
            assert_eq!(of(op, dtype), None, "{op} {dtype}");
        }
    }
}
