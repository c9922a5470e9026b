//! The functions that several ranks call together.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// Waits for all.
    Barrier,
    /// Elements of all ranks, combined, on all of them.
    AllReduce,
    /// The same on one rank.
    Reduce,
    /// One rank's array, on all of them.
    Broadcast,
    /// One rank's array in parts, one for each rank.
    Scatter,
    /// The arrays of all ranks, joined on one of them.
    Gather,
    /// The same on all of them.
    AllGather,
    /// Elements of all ranks, combined, in parts, one for each rank.
    ReduceScatter,
    /// A part of each rank's array for each rank.
    AllToAll,
    /// To one rank.
    Send,
    /// From one rank.
    Recv,
    /// A distributed array of parts that the ranks have.
    FromLocal,
    /// A distributed array, its rows divided anew.
    Rebalance,
    /// A distributed matrix, its columns as rows.
    Transpose,
    /// Rows of a distributed array that lie beside a rank's own.
    Halo,
    /// A distributed array in order.
    Sort,
    /// Elements of a distributed vector that a rank's rows of a matrix need; blocks of a distributed matrix.
    MatMul,
    /// Rows of a distributed matrix that each rank makes.
    FromFn,
    /// Numbers of all elements of a distributed array.
    Sum,
    /// Their product.
    Prod,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// Their mean.
    Mean,
    /// The square root of the sum of their squares.
    Norm,
    /// The sum of products of two arrays' elements.
    Dot,
    /// A distributed array as text.
    Print,
    /// A distributed array in a file.
    Save,
    /// A distributed array from a file.
    Load,
    /// A step of conjugate gradients.
    Cg,
    /// The variance of all elements of a distributed array.
    Var,
}

const ALL: [(Function, &str); 30] = [
    (Function::Barrier, "barrier"),
    (Function::AllReduce, "all_reduce"),
    (Function::Reduce, "reduce"),
    (Function::Broadcast, "broadcast"),
    (Function::Scatter, "scatter"),
    (Function::Gather, "gather"),
    (Function::AllGather, "all_gather"),
    (Function::ReduceScatter, "reduce_scatter"),
    (Function::AllToAll, "all_to_all"),
    (Function::Send, "send"),
    (Function::Recv, "recv"),
    (Function::FromLocal, "from_local"),
    (Function::Rebalance, "rebalance"),
    (Function::Transpose, "transpose"),
    (Function::Halo, "with_halo"),
    (Function::Sort, "sort"),
    (Function::MatMul, "matmul"),
    (Function::FromFn, "from_fn"),
    (Function::Sum, "sum"),
    (Function::Prod, "prod"),
    (Function::Min, "min"),
    (Function::Max, "max"),
    (Function::Mean, "mean"),
    (Function::Norm, "norm"),
    (Function::Dot, "dot"),
    (Function::Print, "print"),
    (Function::Save, "save"),
    (Function::Load, "load"),
    (Function::Cg, "cg"),
    (Function::Var, "var"),
];

impl Function {
    /// Its name in cells.
    pub fn name(self) -> &'static str {
        ALL[self as usize].1
    }

    /// Its number, in posts.
    pub fn number(self) -> u64 {
        self as u64
    }

    /// The function of a number.
    pub fn of_number(number: u64) -> Option<Function> {
        ALL.get(usize::try_from(number).ok()?).map(|(function, _)| *function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_table() {
        for (k, (function, name)) in ALL.into_iter().enumerate() {
            assert_eq!((function.number(), function.name()), (k as u64, name));
            assert_eq!(Function::of_number(k as u64), Some(function));
        }
        assert_eq!(Function::of_number(99), None);
    }
}
