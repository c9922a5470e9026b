//! QR decompositions.

use faer::MatMut;
use gpurepl_plugin::Array;

use crate::arguments::{Routine, fill, matrices, read};
use crate::batches::{each, pieces, pieces_mut};
use crate::householder::{form, reduce};
use crate::scalar::Scalar;

/// `qr`: Q with orthonormal columns, and R upper triangular, whose diagonal is
/// real. The shape of Q says how many columns it has: as many as R has rows.
/// With its number 1, R alone.
pub struct Qr;

impl Routine for Qr {
    const NAME: &'static str = "qr";

    const NUMBERS: usize = 1;

    fn arrays(numbers: &[i64]) -> &'static [&'static str] {
        if numbers[0] != 0 { &["a", "r"] } else { &["a", "q", "r"] }
    }

    fn run<T: Scalar>(arrays: &mut [Array<'_>], _: &[i64]) -> Result<(), String> {
        let (a, q, r) = match arrays {
            [a, r] => (a, None, r),
            [a, q, r] => (a, Some(q), r),
            _ => return Err("qr takes two or three arrays".to_owned()),
        };
        let shape = matrices("a", a)?;
        let (rows, columns, count) = (shape.rows, shape.columns, shape.count);
        let height = matrices("r", r)?.rows;
        let (least, most) = (rows.min(columns), rows);
        if height != least && height != most {
            let wanted = if least == most { format!("{most}") } else { format!("{least} or {most}") };
            let (r, a) = (r.shape(), a.shape());
            return Err(format!(
                "`r` of shape {r:?} does not fit `a` of shape {a:?}: it is to have {wanted} rows"
            ));
        }
        shape.fit("r", r, &[height, columns])?;
        let has_q = q.is_some();
        let q = match q {
            Some(q) => {
                shape.fit("q", q, &[rows, height])?;
                fill::<T>("q", q)?
            }
            None => &mut [],
        };
        let (a, r) = (read::<T>("a", a)?, fill::<T>("r", r)?);
        if q.is_empty() && r.is_empty() {
            return Ok(());
        }
        let outputs = pieces_mut(q, count).zip(pieces_mut(r, count));
        each(pieces(a, count).zip(outputs), rows.max(columns), |(a, (q, r)), par| {
            let mut work = a.to_vec();
            let blocks = reduce(MatMut::from_row_major_slice_mut(&mut work, rows, columns), par);
            r.copy_from_slice(&work[..height * columns]);
            if has_q {
                form(&blocks, MatMut::from_row_major_slice_mut(q, rows, height), par);
            }
            Ok(())
        })
    }
}
