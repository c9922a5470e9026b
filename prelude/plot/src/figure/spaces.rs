//! Adding what stands in space, and what is said of its axes.

use gpurepl_arrays::fields::IntoField;
use gpurepl_arrays::series::{IntoTicks, PlotNumber};

use super::Figure;
use crate::chart::Angles;
use crate::draw::formula::checked;
use crate::error::OrRaise as _;
use crate::settings::{self, apart};
use crate::spaces::{self, IntoSpace};

impl Figure {
    /// Adds a line in space, as [`plot3d()`](crate::plot3d()) draws it. A figure of three
    /// axes has series of three axes alone.
    #[track_caller]
    pub fn plot3d(&self, data: impl IntoSpace) -> Figure {
        self.add("plot3d", spaces::points("plot3d", data.into_space(), true))
    }

    /// Adds points in space, as [`scatter3d()`](crate::scatter3d()) draws them.
    #[track_caller]
    pub fn scatter3d(&self, data: impl IntoSpace) -> Figure {
        self.add("scatter3d", spaces::points("scatter3d", data.into_space(), false))
    }

    /// Adds a surface, as [`surface()`](crate::surface()) draws it.
    #[track_caller]
    pub fn surface(&self, data: impl IntoField) -> Figure {
        self.one("surface", spaces::sheet("surface", data.into_field(), false))
    }

    /// Adds the lines of a surface, as [`wireframe()`](crate::wireframe()) draws them.
    #[track_caller]
    pub fn wireframe(&self, data: impl IntoField) -> Figure {
        self.one("wireframe", spaces::sheet("wireframe", data.into_field(), true))
    }

    /// From where a figure of three axes is seen: so many degrees above the plane of `x` and
    /// `y`, and so many degrees around it, from the end of `x` towards the end of `y`.
    /// Otherwise they are 30 and -60. From 90 degrees above, with an azimuth of -90, `x` runs to
    /// the right and `y` upwards, as in the plane.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// surface(&rand::<f32>((20, 20))).view_init(60, 30);
    /// ```
    #[track_caller]
    pub fn view_init(&self, elevation: impl PlotNumber, azimuth: impl PlotNumber) -> Figure {
        let (elevation, azimuth) = (elevation.plot_number(), azimuth.plot_number());
        let (elevation, azimuth) = settings::view(elevation, azimuth).or_raise();
        self.set(|drawing| drawing.angles = Angles { elevation, azimuth })
    }

    /// What the axis of heights is, in a figure of three axes. Formulas as in
    /// [`Figure::title`].
    #[track_caller]
    pub fn zlabel(&self, text: impl AsRef<str>) -> Figure {
        let text = checked("zlabel", text.as_ref()).or_raise();
        self.set(|drawing| drawing.z.label = text)
    }

    /// The ends of the axis of heights.
    #[track_caller]
    pub fn zlim(&self, from: impl PlotNumber, to: impl PlotNumber) -> Figure {
        let (from, to) = (from.plot_number(), to.plot_number());
        let limits = apart("zlim", from, to).or_raise();
        self.set(|drawing| drawing.z.limits = Some(limits))
    }

    /// Where the ticks of the axis of heights stand, and what they say, as of
    /// [`Figure::xticks`].
    #[track_caller]
    pub fn zticks(&self, ticks: impl IntoTicks) -> Figure {
        let ticks = settings::ticks("zticks", ticks.into_ticks()).or_raise();
        self.set(|drawing| drawing.z.ticks = Some(ticks))
    }
}
