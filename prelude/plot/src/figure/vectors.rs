//! Adding vectors over a plane.

use gpurepl_arrays::series::PlotNumber;

use super::Figure;
use crate::chart::Kind;
use crate::error::{OrRaise as _, Problem};
use crate::settings::positive_number;
use crate::vectors::{self, IntoVectors};

/// What lines of a field may be close to each other, compared with a usual
/// distance.
const MOST_DENSITY: f64 = 10.0;

impl Figure {
    /// Adds arrows, as [`quiver()`](crate::quiver()) draws them.
    #[track_caller]
    pub fn quiver(&self, data: impl IntoVectors) -> Figure {
        self.one("quiver", data.into_vectors().and_then(vectors::arrows))
    }

    /// Adds lines along vectors, as [`streamplot()`](crate::streamplot()) draws
    /// them.
    #[track_caller]
    pub fn streamplot(&self, data: impl IntoVectors) -> Figure {
        self.one("streamplot", data.into_vectors().and_then(vectors::streams))
    }

    /// How long a vector is that would be as long as the axes are wide, for the
    /// arrows added last: the smaller it is, the longer they are. Otherwise
    /// it is chosen so that arrows rarely cover each other.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// quiver((&[0, 1], &[0, 0], &[1.0, 0.0], &[0.0, 2.0])).scale(5);
    /// ```
    #[track_caller]
    pub fn scale(&self, length: impl PlotNumber) -> Figure {
        let length = positive_number("scale", length.plot_number()).or_raise();
        self.style("scale", |series| {
            if let Kind::Arrows { scale, .. } = &mut series.kind {
                *scale = Some(length);
            }
        })
    }

    /// How close the lines of the last `streamplot` are: 1 otherwise, and at most
    /// 10.
    #[track_caller]
    pub fn line_density(&self, times: impl PlotNumber) -> Figure {
        let times = positive_number("line_density", times.plot_number()).or_raise();
        if times > MOST_DENSITY {
            let message = format!("{times} is too dense; give a number up to {MOST_DENSITY}");
            Err(Problem::Invalid { operation: "line_density", message }.into()).or_raise()
        }
        self.style("line_density", |series| {
            if let Kind::Streams { density, .. } = &mut series.kind {
                *density = times;
            }
        })
    }
}
