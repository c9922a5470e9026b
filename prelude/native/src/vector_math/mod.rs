//! Elementary functions that a compiler turns into vectors: no branches, no
//! tables, no calls.
//!
//! Every CPU computes the same bits, so there is no fused multiplication. The
//! tests compare with the C library; the bounds that the files state were
//! measured against quadruple precision.

pub(crate) mod arc;
pub(crate) mod double;
pub(crate) mod single;
