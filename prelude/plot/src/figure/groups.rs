//! Adding groups of values, and parts of a whole.

use gpurepl_arrays::fields::{Groups, IntoGroups};
use gpurepl_arrays::series::{IntoSeries, PlotData, PlotNumber};

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

    /// Whether the last boxes, violins or bins stand, `vertical`, or lie,
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
            if let Kind::Groups { is_lying, .. } | Kind::Histogram { is_lying, .. } = &mut series.kind {
                *is_lying = lies;
            }
        })
    }

    /// Adds a pie, as [`pie()`](crate::pie()) draws it, without axes around it.
    #[track_caller]
    pub fn pie(&self, data: impl IntoSeries) -> Figure {
        self.one("pie", kinds::pie(data.into_series()))
    }

    /// Writes the share of each part of the last pie into it, in C's letters for
    /// a number: `%1.1f%%` with a digit after the point, `%d%%` without.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// pie(&[1, 2, 5]).autopct("%d%%");
    /// ```
    #[track_caller]
    pub fn autopct(&self, format: &str) -> Figure {
        let shown = settings::digits(format).or_raise();
        self.style("autopct", |series| {
            if let Kind::Pie { digits, .. } = &mut series.kind {
                *digits = Some(shown);
            }
        })
    }

    /// Where the first part of the last pie begins, in degrees from the right to
    /// the left: 90 is above.
    #[track_caller]
    pub fn startangle(&self, degrees: impl PlotNumber) -> Figure {
        let degrees = settings::turn("startangle", degrees.plot_number()).or_raise();
        self.style("startangle", |series| {
            if let Kind::Pie { start, .. } = &mut series.kind {
                *start = degrees;
            }
        })
    }

    /// Moves parts of the last pie outwards, in radiuses: a number for each, or
    /// one for all.
    #[track_caller]
    pub fn explode(&self, distances: impl PlotData) -> Figure {
        self.for_each("explode", distances.plot_data(), |series, distances| {
            if let Kind::Pie { explode, .. } = &mut series.kind {
                *explode = Some(distances);
            }
        })
    }
}
