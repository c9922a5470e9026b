//! Adding groups of values.

use gpurepl_arrays::fields::{Groups, IntoGroups};

use super::Figure;
use crate::chart::{Kind, Series};
use crate::error::{OrRaise as _, Result};
use crate::{kinds, settings};

/// The width of the lines of boxes, in points: Matplotlib's
/// `boxplot.boxprops.linewidth`.
const LINE: f64 = 1.0;

impl Figure {
    /// Adds boxes, as [`boxplot()`](crate::boxplot()) draws them. Groups without
    /// names stand beside those before them.
    #[track_caller]
    pub fn boxplot(&self, data: impl IntoGroups) -> Figure {
        self.groups("boxplot", data.into_groups())
    }

    /// Adds violins, as [`violinplot()`](crate::violinplot()) draws them.
    #[track_caller]
    pub fn violinplot(&self, data: impl IntoGroups) -> Figure {
        self.groups("violinplot", data.into_groups())
    }

    #[track_caller]
    fn groups(&self, operation: &'static str, groups: Result<Groups>) -> Figure {
        let kind = groups.and_then(|groups| kinds::groups(operation, groups));
        let series = kind.map(|kind| match operation {
            "boxplot" => Series { width: LINE, ..Series::new(kind, "") },
            _ => Series::new(kind, ""),
        });
        self.add(operation, series.map(|series| vec![series]))
    }

    /// Whether the last boxes or violins stand, `vertical`, or lie,
    /// `horizontal`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// boxplot((["a", "b"], [&randn::<f32>(50), &randn::<f32>(50)])).orientation("horizontal");
    /// ```
    #[track_caller]
    pub fn orientation(&self, text: &str) -> Figure {
        let lies = settings::orientation(text).or_raise();
        self.style("orientation", |series| {
            if let Kind::Groups { is_lying, .. } = &mut series.kind {
                *is_lying = lies;
            }
        })
    }
}
