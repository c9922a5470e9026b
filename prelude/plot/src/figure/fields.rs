//! Adding what lies over a plane: matrices, fields, points that are counted.

use gpurepl_arrays::fields::{Field, IntoField};
use gpurepl_arrays::series::{IntoSeries, PlotData};

use super::Figure;
use crate::chart::{Kind, Series};
use crate::error::Result;
use crate::planes;
use crate::shape::Length;

impl Figure {
    /// Adds a picture of a matrix or of colours, as [`imshow()`](crate::imshow())
    /// draws it.
    #[track_caller]
    pub fn imshow(&self, data: impl PlotData) -> Figure {
        self.one("imshow", data.plot_data().and_then(planes::image))
    }

    /// Adds lines of equal height, as [`contour()`](crate::contour()) draws
    /// them.
    #[track_caller]
    pub fn contour(&self, data: impl IntoField) -> Figure {
        self.contours("contour", data.into_field(), false)
    }

    /// Adds areas between heights, as [`contourf()`](crate::contourf()) draws
    /// them.
    #[track_caller]
    pub fn contourf(&self, data: impl IntoField) -> Figure {
        self.contours("contourf", data.into_field(), true)
    }

    #[track_caller]
    fn contours(&self, operation: &'static str, field: Result<Field>, is_filled: bool) -> Figure {
        let kind = field.and_then(|field| planes::contour(operation, field, is_filled));
        self.one(operation, kind)
    }

    /// Adds cells in colours, as [`pcolormesh()`](crate::pcolormesh()) draws
    /// them.
    #[track_caller]
    pub fn pcolormesh(&self, data: impl IntoField) -> Figure {
        self.one("pcolormesh", data.into_field().and_then(planes::mesh))
    }

    /// Adds how many points lie in rectangles, as [`hist2d()`](crate::hist2d())
    /// shows it.
    #[track_caller]
    pub fn hist2d(&self, data: impl IntoSeries, bins: impl Length) -> Figure {
        self.one("hist2d", planes::counts(data.into_series(), bins.length()))
    }

    /// Adds how many points lie in hexagons, as [`hexbin()`](crate::hexbin())
    /// shows it.
    #[track_caller]
    pub fn hexbin(&self, data: impl IntoSeries, columns: impl Length) -> Figure {
        self.one("hexbin", planes::hexagons(data.into_series(), columns.length()))
    }

    /// Adds a series of a kind.
    #[track_caller]
    pub(super) fn one(&self, operation: &'static str, kind: Result<Kind>) -> Figure {
        self.add(operation, kind.map(|kind| vec![Series::new(kind, "")]))
    }
}
