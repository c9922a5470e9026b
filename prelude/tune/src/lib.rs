//! The fastest variant of a kernel, found by trying: an autotuner.
//!
//! ```
//! use gpurepl_prelude::*;
//! let source = "__global__ void scale(float *y, const float *x, int n) {
//!     int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
//!     for (int k = 0; k < EACH; k++) if (first + k < n) y[first + k] = 2 * x[first + k];
//! }";
//! let n = 10_000_usize;
//! let (x, mut y) = (rand::<f32>(n), zeros::<f32>(n));
//! let tuned = tune("scale", source)
//!     .parameter("BLOCK", [64, 128, 256])
//!     .parameter("EACH", [1, 2, 4])
//!     .restrict(|v| v["BLOCK"] * v["EACH"] <= 512)
//!     .block(|v| v["BLOCK"])
//!     .grid(move |v| n.div_ceil(v["BLOCK"] * v["EACH"]))
//!     .run((&mut y, &x, n))?;
//! assert!([1, 2, 4].contains(&tuned.best()["EACH"]));
//! tuned.launch((&mut y, &x, n))?;
//! assert!(array_equal(&y, &(&x * 2.0)));
//! # Ok::<(), Error>(())
//! ```
//!
//! Each variant is compiled with its values as macros, or rendered from a [`Template`](gpurepl_templates::Template), run once and
//! compared with the first one, and timed by the device, on copies of the arguments. The best one is kept on
//! disk, for the kernel's text, the device and the size, and used at once the next time.
#![warn(missing_docs)]

mod agreement;
mod bench;
mod calls;
mod clock;
mod isolated;
mod plan;
mod record;
mod report;
mod space;
mod strategy;
mod task;
mod text;
mod tuner;
mod variant;

pub use calls::{CallTuner, Trial, tune_calls};
#[doc(hidden)]
pub use isolated::serve;
#[doc(hidden)]
pub use record::list;
pub use report::{Attempt, Tuned, Tuning};
pub use space::Configuration;
pub use strategy::TuningStrategy;
pub use text::KernelText;
pub use tuner::{Tuner, tune};
pub use variant::{Failure, FailureKind, Measured, Outcome};
