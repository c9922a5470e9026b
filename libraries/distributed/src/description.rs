//! What a rank says of its call, and whether the calls of all ranks go together.

use gpurepl_extend::group::{Function, POST, Post};
use gpurepl_extend::{DType, Error, MAX_RANK, Result, error};

use crate::reduce::Reduce;

/// A rank's call, as the others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Description {
    pub function: Function,
    pub dtype: DType,
    pub op: Option<Reduce>,
    /// The rank that has or gets the result; of `send` and `recv`, the other one.
    pub root: Option<usize>,
    /// None where nothing is given.
    pub shape: Option<Vec<usize>>,
    /// Of a distributed array, a number that stands for who has which rows and which are sent; zero for others.
    pub split: u64,
    /// Zero for the host, else a number of the GPU's own.
    pub device: u64,
    /// What this rank can do with NCCL: see `cuda`.
    pub nccl: u64,
    /// The communicator that it has already.
    pub communicator: u64,
}

const SHAPE: usize = 8;
const NO_SHAPE: u64 = u64::MAX;
const SPLIT: usize = SHAPE + MAX_RANK;
const _: () = assert!(SPLIT < POST);

impl Description {
    pub(crate) fn post(&self) -> Post {
        let mut post = [0; POST];
        post[0] = self.function.number();
        post[1] = DType::ALL.iter().position(|dtype| *dtype == self.dtype).unwrap_or(0) as u64;
        post[2] = self.op.map_or(0, Reduce::number);
        post[3] = self.root.map_or(0, |root| root as u64 + 1);
        post[4] = self.device;
        post[5] = self.nccl;
        post[6] = self.communicator;
        post[7] = self.shape.as_ref().map_or(NO_SHAPE, |shape| shape.len() as u64);
        for (k, length) in self.shape.iter().flatten().enumerate() {
            post[SHAPE + k] = *length as u64;
        }
        post[SPLIT] = self.split;
        post
    }

    /// None if these words are nothing that [`Description::post`] writes.
    fn of_post(post: &Post) -> Option<Description> {
        let shape = match post[7] {
            NO_SHAPE => None,
            rank => {
                let rank = usize::try_from(rank).ok().filter(|rank| *rank <= MAX_RANK)?;
                Some(post[SHAPE..SHAPE + rank].iter().map(|length| *length as usize).collect())
            }
        };
        Some(Description {
            function: Function::of_number(post[0])?,
            dtype: *DType::ALL.get(post[1] as usize)?,
            op: Reduce::of_number(post[2]),
            root: (post[3] as usize).checked_sub(1),
            shape,
            split: post[SPLIT],
            device: post[4],
            nccl: post[5],
            communicator: post[6],
        })
    }

    /// What the ranks have posted.
    pub(crate) fn of_posts(operation: &'static str, posts: &[Post]) -> Result<Vec<Description>> {
        posts.iter().map(|post| Description::of_post(post).ok_or_else(|| unreadable(operation))).collect()
    }

    pub(crate) fn lengths(&self) -> &[usize] {
        self.shape.as_deref().unwrap_or(&[])
    }
}

fn unreadable(operation: &'static str) -> Error {
    let message = "another rank runs another version of gpurepl; start all of them with one".to_owned();
    error::ranks(operation, message)
}

/// What shapes have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shapes {
    /// Anything.
    Any,
    /// All are equal.
    Equal,
    /// All but the first axis; those without axes count as one element.
    Rest,
}

/// Makes sure that the calls of all ranks go together. It is the same on all ranks.
pub(crate) fn agree(operation: &'static str, ranks: &[Description], shapes: Shapes) -> Result<()> {
    let functions: Vec<Function> = ranks.iter().map(|rank| rank.function).collect();
    if functions.iter().any(|function| *function != functions[0]) {
        let groups = grouped(&functions, |function| function.name().to_owned());
        let message = format!("the ranks call different functions: {groups}; call the same one on all ranks");
        return Err(error::ranks(operation, message));
    }
    if let Some((rank, other)) = differing(ranks, |rank| rank.dtype) {
        let message = format!(
            "rank 0 has {}, rank {rank} has {}; pass arrays of one type on all ranks: `a.astype(f64)`",
            ranks[0].dtype, other.dtype
        );
        return Err(error::dtype(operation, message));
    }
    if let Some((rank, other)) = differing(ranks, |rank| rank.op) {
        let text = |op: Option<Reduce>| op.map_or_else(|| "none".to_owned(), |op| op.to_string());
        let (one, other) = (text(ranks[0].op), text(other.op));
        let message = format!("rank 0 has {one}, rank {rank} has {other}; pass the same one on all ranks");
        return Err(error::ranks(operation, message));
    }
    if let Some((rank, other)) = differing(ranks, |rank| rank.root) {
        let text = |root: Option<usize>| root.map_or_else(|| "none".to_owned(), |root| root.to_string());
        let (one, other) = (text(ranks[0].root), text(other.root));
        let message = format!(
            "the root is {one} on rank 0, and {other} on rank {rank}; pass the same one on all ranks"
        );
        return Err(error::ranks(operation, message));
    }
    let rest = |rank: &Description| -> Vec<usize> {
        match shapes {
            Shapes::Any => Vec::new(),
            Shapes::Equal => rank.lengths().to_vec(),
            Shapes::Rest => rank.lengths().iter().skip(1).copied().collect(),
        }
    };
    if let Some((rank, other)) =
        differing(ranks, |rank| (rest(rank), shapes == Shapes::Equal && rank.shape.is_none()))
            .or_else(|| differing(ranks, |rank| shapes == Shapes::Rest && rank.lengths().len() > 1))
    {
        let what =
            if shapes == Shapes::Equal { "of one shape" } else { "that differ in their first axis alone" };
        let message = format!(
            "rank 0 has shape {:?}, rank {rank} has {:?}; pass arrays {what} on all ranks",
            ranks[0].lengths(),
            other.lengths()
        );
        return Err(error::shape(operation, message));
    }
    if let Some((rank, _)) = differing(ranks, |rank| rank.split) {
        let message = format!(
            "rank {rank} has another array than rank 0, or asks for other rows of it; call it alike on all ranks"
        );
        return Err(error::ranks(operation, message));
    }
    Ok(())
}

/// The first rank that differs from rank 0.
fn differing<K: PartialEq>(
    ranks: &[Description],
    key: impl Fn(&Description) -> K,
) -> Option<(usize, &Description)> {
    let first = key(&ranks[0]);
    ranks.iter().enumerate().find(|(_, rank)| key(rank) != first)
}

/// "all_reduce on ranks 0, 1, barrier on rank 2".
fn grouped<T: PartialEq + Copy>(values: &[T], text: impl Fn(T) -> String) -> String {
    let mut groups: Vec<(T, Vec<String>)> = Vec::new();
    for (rank, value) in values.iter().enumerate() {
        match groups.iter_mut().find(|(known, _)| known == value) {
            Some((_, ranks)) => ranks.push(rank.to_string()),
            None => groups.push((*value, vec![rank.to_string()])),
        }
    }
    let one = |(value, ranks): &(T, Vec<String>)| {
        format!("{} on rank{} {}", text(*value), if ranks.len() == 1 { "" } else { "s" }, ranks.join(", "))
    };
    groups.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: Function, shape: &[usize]) -> Description {
        Description {
            function,
            dtype: DType::Float32,
            op: None,
            root: None,
            shape: Some(shape.to_vec()),
            split: 0,
            device: 0,
            nccl: 0,
            communicator: 0,
        }
    }

    #[test]
    fn a_description_comes_back() {
        let full = Description {
            op: Some(Reduce::Xor),
            root: Some(3),
            dtype: DType::Complex128,
            split: 6,
            device: 7,
            nccl: 8,
            communicator: 9,
            ..call(Function::Recv, &[1, 2, 3, 4, 5, 6, 7, 8])
        };
        let without = Description { shape: None, root: Some(0), ..call(Function::Scatter, &[]) };
        for description in [full, without, call(Function::Barrier, &[])] {
            assert_eq!(Description::of_post(&description.post()), Some(description));
        }
        assert!(Description::of_post(&[99; POST]).is_none());
    }

    #[test]
    fn differences_name_both_sides() {
        let reduce = |shape: &[usize]| call(Function::AllReduce, shape);
        let told =
            |ranks: &[Description], shapes| agree("all_reduce", ranks, shapes).unwrap_err().to_string();
        let ranks = [reduce(&[2]), reduce(&[2]), call(Function::Barrier, &[])];
        assert_eq!(
            told(&ranks, Shapes::Equal),
            "all_reduce: the ranks call different functions: all_reduce on ranks 0, 1, barrier on rank 2; call the same \
             one on all ranks"
        );
        let ranks = [reduce(&[2]), Description { dtype: DType::Int8, ..reduce(&[2]) }];
        assert!(told(&ranks, Shapes::Equal).contains("rank 0 has float32, rank 1 has int8"));
        let ranks = [reduce(&[2]), reduce(&[2]), Description { op: Some(Reduce::Max), ..reduce(&[2]) }];
        assert!(told(&ranks, Shapes::Equal).contains("rank 0 has none, rank 2 has Reduce::Max"));
        let ranks =
            [Description { root: Some(0), ..reduce(&[2]) }, Description { root: Some(1), ..reduce(&[2]) }];
        assert!(told(&ranks, Shapes::Equal).contains("the root is 0 on rank 0, and 1 on rank 1"));
        let ranks = [reduce(&[2, 3]), reduce(&[3, 2])];
        assert!(told(&ranks, Shapes::Equal).contains("rank 0 has shape [2, 3], rank 1 has [3, 2]"));
        assert!(told(&ranks, Shapes::Rest).contains("differ in their first axis alone"));
    }

    #[test]
    fn the_first_axis_may_differ_where_arrays_are_joined() {
        let gather = |shape: &[usize]| call(Function::Gather, shape);
        for (one, other, is_well) in [
            (&[2, 3][..], &[5, 3][..], true),
            (&[2, 3], &[0, 3], true),
            (&[2], &[], true),
            (&[2, 3], &[2], false),
            (&[2, 0], &[2], false),
            (&[2, 3], &[], false),
        ] {
            assert_eq!(
                agree("gather", &[gather(one), gather(other)], Shapes::Rest).is_ok(),
                is_well,
                "{one:?} {other:?}"
            );
            assert!(agree("gather", &[gather(one), gather(other)], Shapes::Any).is_ok());
        }
    }
}
