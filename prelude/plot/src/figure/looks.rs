//! How bars, bins, groups, steps and texts look.

use gpurepl_arrays::series::PlotNumber;

use super::Figure;
use crate::chart::{GroupLooks, Kind, Series};
use crate::error::{OrRaise as _, Problem, Result};
use crate::figure::paint;
use crate::settings::{self, positive_number};

impl Figure {
    /// The colour of the edges of the last bars, bins, parts of a pie or points of a scatter, which
    /// [`Figure::linewidth`] makes wider; they have none otherwise.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// hist(&rng(1).normal(0.0, 1.0, 500), 20).color("lightgray").edgecolor("black");
    /// ```
    #[track_caller]
    pub fn edgecolor(&self, text: &str) -> Figure {
        let paint = paint(text).or_raise();
        self.style("edgecolor", |series| series.edge = Some(paint))
    }

    /// The colours of the last bars or parts of a pie, by turns.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// bar((["a", "b", "c"], [3, 5, 4])).each_color(["tab:blue", "tab:blue", "tab:red"]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if one is not a colour, or there is none.
    #[track_caller]
    pub fn each_color<S: AsRef<str>>(&self, colors: impl IntoIterator<Item = S>) -> Figure {
        let paints: Result<Vec<_>> = colors.into_iter().map(|color| paint(color.as_ref())).collect();
        let paints = paints.or_raise();
        if paints.is_empty() {
            let message =
                "there are no colours; give a list of some: `[\"tab:blue\", \"tab:red\"]`".to_owned();
            Err(Problem::Invalid { operation: "each_color", message }.into()).or_raise()
        }
        self.style("each_color", |series| series.each.clone_from(&paints))
    }

    /// How wide the last bars are, in the numbers of the axis that they stand on, or boxes
    /// and violins, in distances from one to the next; or how wide the ring is that the last pie
    /// is drawn as, in radiuses.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// bar((&[0, 1, 2], &[3, 5, 4])).width(1.0).edgecolor("white");
    /// pie((["a", "b"], [3, 5])).width(0.4);
    /// ```
    #[track_caller]
    pub fn width(&self, width: impl PlotNumber) -> Figure {
        let width = positive_number("width", width.plot_number()).or_raise();
        self.style("width", |series| match &mut series.kind {
            Kind::Pie { ring, .. } => *ring = Some(width),
            Kind::Groups { looks, .. } => looks.width = Some(width),
            _ => series.thickness = Some(width),
        })
    }

    /// Writes at the end of each of the last bars how long it is. The font has the size of
    /// [`Figure::fontsize`].
    #[track_caller]
    pub fn bar_label(&self) -> Figure {
        self.style("bar_label", |series| series.has_numbers = true)
    }

    /// How the last histogram is drawn: `bar`, as an area, or `step`, as a line around it.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let draw = rng(1);
    /// hist(&draw.normal(0.0, 1.0, 500), 20).histtype("step").hist(&draw.normal(1.0, 1.0, 500), 20).histtype("step");
    /// ```
    #[track_caller]
    pub fn histtype(&self, text: &str) -> Figure {
        let outline = settings::outline(text).or_raise();
        self.style("histtype", |series| {
            if let Kind::Histogram { is_outline, .. } = &mut series.kind {
                *is_outline = outline;
            }
        })
    }

    /// Counts in each bin of the last histogram what is in those before it as well; with
    /// [`Figure::density`] the last bin has 1.
    #[track_caller]
    pub fn cumulative(&self) -> Figure {
        self.style("cumulative", |series| {
            if let Kind::Histogram { is_cumulative, .. } = &mut series.kind {
                *is_cumulative = true;
            }
        })
    }

    /// Where the last line in steps goes up or down: `pre`, at the place before a value, `post`,
    /// at its own, or `mid`, between them.
    #[track_caller]
    pub fn step_where(&self, text: &str) -> Figure {
        let step = settings::step(text).or_raise();
        self.style("step_where", |series| series.step = Some(step))
    }

    /// How far the whiskers of the last boxes may reach, in distances of the quartiles; 1.5
    /// otherwise.
    #[track_caller]
    pub fn whis(&self, distances: impl PlotNumber) -> Figure {
        let distances = distances.plot_number();
        if !(distances >= 0.0 && distances.is_finite()) {
            let message =
                format!("{distances} is not a length of whiskers; give a finite number of at least 0");
            Err(Problem::Invalid { operation: "whis", message }.into()).or_raise()
        }
        self.groups_look("whis", |looks| looks.reach = distances)
    }

    #[track_caller]
    fn groups_look(&self, operation: &'static str, change: impl Fn(&mut GroupLooks)) -> Figure {
        self.style(operation, |series| {
            if let Kind::Groups { looks, .. } = &mut series.kind {
                change(looks);
            }
        })
    }

    /// Whether the last boxes have rings for what lies beyond their whiskers. They have otherwise.
    #[track_caller]
    pub fn showfliers(&self, shown: bool) -> Figure {
        self.groups_look("showfliers", |looks| looks.has_outliers = shown)
    }

    /// Whether the last boxes are narrow at their medians: as high as notches are, medians may differ from each other
    /// by chance (McGill, Tukey and Larsen, Variations of Box Plots, 1978). Of `n` values they reach 1.57 distances of
    /// the quartiles, divided by the root of `n`, up and down.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// boxplot(&randn::<f32>((100, 3))).notch(true);
    /// ```
    #[track_caller]
    pub fn notch(&self, shown: bool) -> Figure {
        self.groups_look("notch", |looks| looks.has_notches = shown)
    }

    /// Whether the last boxes or violins show means: triangles, or lines.
    #[track_caller]
    pub fn showmeans(&self, shown: bool) -> Figure {
        self.groups_look("showmeans", |looks| looks.has_means = shown)
    }

    /// Whether the last boxes or violins show medians, as boxes do otherwise.
    #[track_caller]
    pub fn showmedians(&self, shown: bool) -> Figure {
        self.groups_look("showmedians", |looks| looks.has_medians = shown)
    }

    /// Whether a bar beside the axes says what the colours of the last series stand for.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// imshow(&rand::<f32>((8, 8))).colorbar(false).axis("off");
    /// ```
    #[track_caller]
    pub fn colorbar(&self, shown: bool) -> Figure {
        self.style("colorbar", |series| series.has_bar = Some(shown))
    }

    /// What the last series lies over: those of smaller numbers, whatever was added first. Images
    /// have 0 otherwise, bars, points and areas 1, lines 2, and texts 3.
    #[track_caller]
    pub fn zorder(&self, order: impl PlotNumber) -> Figure {
        let order = order.plot_number();
        if !order.is_finite() {
            let message = format!("{order} is not a place in an order; give a finite number");
            Err(Problem::Invalid { operation: "zorder", message }.into()).or_raise()
        }
        self.style("zorder", |series: &mut Series| series.order = Some(order))
    }

    /// What of the last text is at its place, up and down: `baseline`, `top`, `center` or
    /// `bottom`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// imshow(&[[1, 2], [3, 4]]).text(0, 1, "3").align("center").valign("center").color("white");
    /// ```
    #[track_caller]
    pub fn valign(&self, text: &str) -> Figure {
        let level = settings::level(text).or_raise();
        self.style("valign", |series| series.level = level)
    }

    /// How far the last text is turned to the left, in degrees. The upright rectangle around it stands at its place.
    #[track_caller]
    pub fn rotation(&self, degrees: impl PlotNumber) -> Figure {
        let degrees = settings::turn("rotation", degrees.plot_number()).or_raise();
        self.style("rotation", |series| series.angle = degrees)
    }
}
