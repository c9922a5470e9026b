//! Distributed arrays in NumPy's files.

use std::path::Path;

use gpurepl_extend::group::{self, Function};
use gpurepl_extend::{AnyArray, Elem, Result, error};

use super::{DistArray, Split};
use crate::call;
use crate::plan::row;
use crate::point::{recv, send};

/// Bytes that go from rank to rank at once.
const PIECE: usize = 64 << 20;

impl<T: Elem> DistArray<T> {
    /// Writes the whole to a `.npy` file on rank 0's machine, as [`numpy.save`] does. No rank has to have room for
    /// more than its own rows.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("a.npy");
    /// let a = DistArray::from_whole(&arange::<i32>(0..6).reshape((3, 2)))?;
    /// a.save(&path)?;
    /// assert_eq!(io::load::<i32>(&path)?.shape(), [3, 2]);
    /// let b = DistArray::<i32>::load(&path)?;
    /// assert_eq!(b.sum()?, 15);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// [`numpy.save`]: https://numpy.org/doc/stable/reference/generated/numpy.save.html
    ///
    /// # Errors
    ///
    /// If rank 0 cannot write the file; if a rank does not call it.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let step = (PIECE / row(self.shape(), T::DTYPE).max(1)).max(1);
        // Nothing is written over before all have come.
        self.agree(1)?;
        let file =
            (group::rank() == 0).then(|| gpurepl_npy::create_npy::<T>(path, self.shape()[1..].to_vec()));
        // The others learn whether it is there before they send it anything.
        let is_open = self.agree(u8::from(!matches!(file, Some(Err(_)))))?;
        let mut file = file.transpose()?;
        if !is_open {
            let message = "rank 0 could not create the file; see the error there".to_owned();
            return Err(error::ranks("save", message));
        }
        for rank in 0..group::ranks() {
            for start in self.rows_of(rank).step_by(step) {
                let rows = start..self.rows_of(rank).end.min(start + step);
                if rank == group::rank() {
                    let own = AnyArray::of(self.local());
                    let piece = own.narrowed(0, rows.start - self.rows().start, rows.len())?.typed::<T>()?;
                    match &mut file {
                        Some(file) => file.append(&piece)?,
                        None => send(&piece, 0)?,
                    }
                } else if let Some(file) = &mut file {
                    file.append(&recv::<T>(rank)?)?;
                }
            }
        }
        // The file is whole when any rank goes on.
        self.agree(1)?;
        Ok(())
    }

    /// What rank 0 says, once all ranks have come.
    fn agree(&self, say: u8) -> Result<bool> {
        let said = call::all_gather_for(self.split().call(Function::Save), &AnyArray::given(&[say])?)?;
        Ok(said.typed::<u8>()?.to_vec()[0] == 1)
    }

    /// The array of a `.npy` file in equal parts, of which each rank reads its own. Each machine has to have the file.
    ///
    /// # Errors
    ///
    /// If a rank cannot read it, or its elements are of another type; if they find files of different shapes.
    pub fn load(path: impl AsRef<Path>) -> Result<DistArray<T>> {
        let file = gpurepl_npy::open_npy::<T>(path)?;
        let split = Split::even(file.shape());
        let local = file.read(split.own())?;
        // Those of other machines may be other files.
        call::rows_of_all_for(&split.call(Function::Load), &AnyArray::of(&local))?;
        Ok(DistArray { local, split })
    }
}
