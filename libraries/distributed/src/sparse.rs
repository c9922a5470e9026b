//! Sparse matrices whose rows lie on several ranks.

use std::ops::Range;

use gpurepl_extend::arrays::{concatenate, to_gpu};
use gpurepl_extend::group::{Function, rank, ranks};
use gpurepl_extend::{AnyArray, GpuArray, Result, error};
use gpurepl_sparse::{Csr, Field};

use crate::array::{DistArray, Split, check_like};
use crate::call;

/// A sparse matrix whose rows lie on several ranks. The elements of a vector that a rank's rows need, and other ranks
/// have, are found once; each product has them sent.
///
/// ```
/// use gpurepl_prelude::*;
/// use distributed::{DistArray, DistCsr};
/// // Twice the element behind; each rank makes its rows.
/// let n = 100;
/// let a = DistCsr::from_fn([n, n], |rows| {
///     let row = arange(0..rows.len() as i64);
///     let column = (&row + rows.start as i64 + 1) % n as i64;
///     sparse::Csr::from_triplets([rows.len(), n], &row, &column, &full(rows.len(), 2.0))
/// })?;
/// let ones = DistArray::<f64>::full(n, 1.0)?;
/// assert_eq!(a.matmul(&ones)?.sum()?, 200.0);
/// # Ok::<(), Error>(())
/// ```
pub struct DistCsr<T: Field> {
    /// This rank's rows. Columns that are this rank's come first, then those of others.
    local: Csr<T>,
    rows: Split,
    columns: Split,
    /// This rank's elements that others need, in the order of ranks.
    sent: GpuArray<i64>,
    /// How many go from where to where.
    counts: Vec<Vec<usize>>,
}

impl<T: Field> DistCsr<T> {
    /// A matrix of this shape, its rows in equal parts, of which each rank makes its own: `make` is given their
    /// numbers, and its result has all columns.
    ///
    /// # Errors
    ///
    /// What `make` says, or if it makes another shape: the other ranks are told which one has failed. As
    /// [`all_gather`](crate::all_gather).
    pub fn from_fn(
        shape: [usize; 2],
        make: impl FnOnce(Range<usize>) -> Result<Csr<T>>,
    ) -> Result<DistCsr<T>> {
        let (rows, columns) = (Split::even(&shape[..1]), Split::even(&shape[1..]));
        let made = make(rows.own()).and_then(|made| placed(made, &rows, &columns));
        // All of them learn whether all of them can go on.
        let length = made.as_ref().map_or(-1, |(_, ghosts)| ghosts.len() as i64);
        let gather = |a: &AnyArray| call::all_gather_for(rows.call(Function::FromFn), a);
        let lengths = gather(&AnyArray::given(&[length])?)?.typed::<i64>()?.to_vec();
        let (local, ghosts) = made?;
        if let Some(failed) = lengths.iter().position(|length| *length < 0) {
            return Err(error::ranks("from_fn", format!("rank {failed} has failed to make its rows")));
        }
        let own = columns.own();
        let all = gather(&AnyArray::given(&ghosts)?)?.typed::<u32>()?.to_vec();
        let mut counts = vec![vec![0; ranks()]; ranks()];
        let (mut sent, mut rest) = (Vec::new(), &all[..]);
        for (to, length) in lengths.iter().enumerate() {
            let (needed, others) = rest.split_at(*length as usize);
            rest = others;
            for column in needed {
                let from = columns.owner(*column as usize);
                counts[from][to] += 1;
                if from == rank() {
                    sent.push((*column as usize - own.start) as i64);
                }
            }
        }
        Ok(DistCsr { local, rows, columns, sent: to_gpu(&sent), counts })
    }

    /// The rows of a matrix that all ranks have, each of which keeps its own.
    ///
    /// # Errors
    ///
    /// As [`DistCsr::from_fn`].
    pub fn from_whole(a: &Csr<T>) -> Result<DistCsr<T>> {
        DistCsr::from_fn(a.shape(), |rows| Ok(a.rows(rows)))
    }

    /// The shape of the whole.
    pub fn shape(&self) -> [usize; 2] {
        [self.rows.shape()[0], self.columns.shape()[0]]
    }

    /// The numbers of this rank's rows.
    pub fn rows(&self) -> Range<usize> {
        self.rows.own()
    }

    /// Elements that this rank needs from others for each product.
    pub fn received(&self) -> usize {
        self.counts.iter().map(|counts| counts[rank()]).sum()
    }

    /// The product with a vector, whose rows lie in equal parts.
    ///
    /// # Errors
    ///
    /// As [`all_to_all`](crate::all_to_all); if the vector does not fit.
    pub fn matmul(&self, x: &DistArray<T>) -> Result<DistArray<T>> {
        if x.shape() != &self.columns.shape()[..1] {
            let message = format!("shapes {:?} and {:?} do not fit", self.shape(), x.shape());
            return Err(error::shape("matmul", message));
        }
        check_like("matmul", &self.columns, x.split())?;
        let all = if ranks() == 1 {
            x.local().clone()
        } else {
            let sent = AnyArray::of(&x.local().take(&self.sent));
            let received = call::deal(Function::MatMul, &sent, &self.columns.rows(), &self.counts)?;
            concatenate(&[x.local(), &received.typed::<T>()?][..])
        };
        Ok(DistArray::of_parts(self.local.matmul(&all), self.rows.clone()))
    }
}

/// A rank's rows with its own columns first and then those of others, and which the latter are.
fn placed<T: Field>(local: Csr<T>, rows: &Split, columns: &Split) -> Result<(Csr<T>, Vec<u32>)> {
    let wanted = [rows.own().len(), columns.shape()[0]];
    if local.shape() != wanted {
        let message = format!(
            "rank {} makes a matrix of shape {:?}, and its part has {wanted:?}; make its rows with all columns",
            rank(),
            local.shape()
        );
        return Err(error::shape("from_fn", message));
    }
    let own = columns.own();
    let indices = local.indices().to_vec();
    let is_own = |column: &u32| own.contains(&(*column as usize));
    let mut ghosts: Vec<u32> = indices.iter().copied().filter(|column| !is_own(column)).collect();
    ghosts.sort_unstable();
    ghosts.dedup();
    let place = |column: &u32| match ghosts.binary_search(column) {
        Ok(ghost) => (own.len() + ghost) as u32,
        Err(_) => *column - own.start as u32,
    };
    let indices: Vec<u32> = indices.iter().map(place).collect();
    let shape = [wanted[0], own.len() + ghosts.len()];
    Ok((Csr::new(shape, local.data(), &indices, local.indptr())?, ghosts))
}

impl<T: Field> std::fmt::Debug for DistCsr<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DistCsr(shape {:?}, {}, rows {:?} here)", self.shape(), T::DTYPE, self.rows())
    }
}
