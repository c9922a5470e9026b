//! Lines, bands, texts and axes within the axes.

use gpurepl_arrays::series::{PlotData, PlotNumber};

use super::Figure;
use crate::array::Raw;
use crate::chart::{Drawing, Guide, Inset, Kind, Series, Shared, TwinOf};
use crate::draw::Point;
use crate::draw::formula::checked;
use crate::error::{OrRaise as _, Problem, Result};
use crate::kinds;
use crate::settings::apart;

impl Figure {
    /// Adds a horizontal line at `y` across the axes. It may be named, coloured
    /// and dashed as a series.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// plot(&[1, 3, 2]).axhline(2.5).color("red").dashed().label("limit").axvspan(0.5, 1).alpha(0.2);
    /// ```
    #[track_caller]
    pub fn axhline(&self, y: impl PlotNumber) -> Figure {
        self.guide("axhline", finite("axhline", y.plot_number()).map(Guide::Across))
    }

    /// Adds a vertical line at `x`.
    #[track_caller]
    pub fn axvline(&self, x: impl PlotNumber) -> Figure {
        self.guide("axvline", finite("axvline", x.plot_number()).map(Guide::Upright))
    }

    /// Adds horizontal lines at places of `y` from `xmin` to `xmax`: numbers for each, or one for all.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (from, to) = ([1.0, 4.0, 2.5], [3.0, 6.0, 7.0]);
    /// Figure::new().hlines(&[1, 2, 3], &from, &to).linewidth(6).yticks((&[1, 2, 3], ["plan", "build", "test"]));
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::error::Error), if the numbers are not as many, or more than 800.
    #[track_caller]
    pub fn hlines(&self, y: impl PlotData, xmin: impl PlotData, xmax: impl PlotData) -> Figure {
        self.strokes("hlines", [y.plot_data(), xmin.plot_data(), xmax.plot_data()])
    }

    /// Adds vertical lines at places of `x` from `ymin` to `ymax`, as [`Figure::hlines`].
    #[track_caller]
    pub fn vlines(&self, x: impl PlotData, ymin: impl PlotData, ymax: impl PlotData) -> Figure {
        self.strokes("vlines", [x.plot_data(), ymin.plot_data(), ymax.plot_data()])
    }

    #[track_caller]
    fn strokes(&self, operation: &'static str, [at, from, to]: [Result<Raw>; 3]) -> Figure {
        let series = (|| kinds::strokes(operation, &at?, &from?, &to?))();
        self.add(operation, series)
    }

    /// Adds a band across the axes, between two places of `y`.
    #[track_caller]
    pub fn axhspan(&self, from: impl PlotNumber, to: impl PlotNumber) -> Figure {
        let ends = apart("axhspan", from.plot_number(), to.plot_number());
        self.guide("axhspan", ends.map(|(from, to)| Guide::BandAcross(from, to)))
    }

    /// Adds a band between two places of `x`.
    #[track_caller]
    pub fn axvspan(&self, from: impl PlotNumber, to: impl PlotNumber) -> Figure {
        let ends = apart("axvspan", from.plot_number(), to.plot_number());
        self.guide("axvspan", ends.map(|(from, to)| Guide::BandUpright(from, to)))
    }

    /// Writes a text at a place of the axes, where its baseline begins; see
    /// [`Figure::align`] and [`Figure::fontsize`].
    #[track_caller]
    pub fn text(&self, x: impl PlotNumber, y: impl PlotNumber, text: impl AsRef<str>) -> Figure {
        let at = place("text", (x, y));
        self.guide("text", at.and_then(|at| Ok(Guide::Text { at, text: checked("text", text.as_ref())? })))
    }

    /// Writes a text at a place, with an arrow from it to a point.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// plot(&[1, 4, 2, 3]).annotate("the highest", (1, 4), (2, 3.8));
    /// ```
    #[track_caller]
    pub fn annotate<X: PlotNumber, Y: PlotNumber, U: PlotNumber, V: PlotNumber>(
        &self,
        text: &str,
        point: (X, Y),
        text_at: (U, V),
    ) -> Figure {
        let (to, at) = (place("annotate", point), place("annotate", text_at));
        self.guide("annotate", (|| Ok(Guide::Arrow { to: to?, at: at?, text: checked("annotate", text)? }))())
    }

    #[track_caller]
    fn guide(&self, operation: &'static str, guide: Result<Guide>) -> Figure {
        self.add(operation, guide.map(|guide| vec![Series::new(Kind::Guide(guide), "")]))
    }

    /// Adds axes within the axes, and returns them: a figure of their own, to
    /// be plotted to. Where they begin from the left and from below, and how
    /// wide and high they are, is given in parts of the outer axes.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let x = linspace(0.0, 10.0, 500);
    /// let y = x.sin();
    /// let figure = plot((&x, &y));
    /// figure.inset(0.6, 0.65, 0.35, 0.3).plot((&x, &y)).xlim(1.4, 1.8).ylim(0.97, 1.01);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if the axes have no width or height,
    /// or lie outside of the outer ones.
    #[track_caller]
    pub fn inset(
        &self,
        left: impl PlotNumber,
        bottom: impl PlotNumber,
        width: impl PlotNumber,
        height: impl PlotNumber,
    ) -> Figure {
        let bounds = [left.plot_number(), bottom.plot_number(), width.plot_number(), height.plot_number()];
        self.add_inset(bounds).or_raise()
    }

    /// Returns a second figure over the same `x`, whose vertical axis is on the
    /// right. It has series and a `ylabel` of its own; asked for again, it is the
    /// same one.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let figure = plot(&[1, 4, 9]).ylabel("m").label("way");
    /// figure.twinx().plot(&[0.1, 0.3, 0.2]).ylabel("m/s").label("speed").legend_at("lower right");
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if this is such a second figure.
    #[track_caller]
    pub fn twinx(&self) -> Figure {
        self.twin("twinx", TwinOf::X).or_raise()
    }

    /// Returns a second figure over the same `y`, whose horizontal axis is above.
    /// It has series and an `xlabel` of its own; asked for again, it is the same
    /// one.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let figure = plot((&[0, 50, 100], &[1, 3, 2])).xlabel("°C");
    /// figure.twiny().plot((&[32, 122, 212], &[1, 3, 2])).xlabel("°F");
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Figure::twinx`].
    #[track_caller]
    pub fn twiny(&self) -> Figure {
        self.twin("twiny", TwinOf::Y).or_raise()
    }

    fn twin(&self, operation: &'static str, of: TwinOf) -> Result<Figure> {
        let mut drawing = self.drawing();
        if drawing.is_second {
            let message = format!(
                "this figure is the second one over axes that it shares, and has no twin of its own; call \
                 `.{operation}()` on the first one"
            );
            return Err(Problem::Invalid { operation, message }.into());
        }
        let second = || Shared::new(Drawing { is_second: true, has_grid: false, ..Drawing::default() });
        let twin = drawing.twins[of as usize].get_or_insert_with(second);
        Ok(Figure(Box::new(twin.again())))
    }

    fn add_inset(&self, bounds: [f64; 4]) -> Result<Figure> {
        let [left, bottom, width, height] = bounds;
        let is_within = |from: f64, length: f64| from >= 0.0 && length > 0.0 && from + length <= 1.0 + 1e-9;
        if !is_within(left, width) || !is_within(bottom, height) {
            let message = format!(
                "axes from ({left}, {bottom}) of width {width} and height {height} are not within the outer ones; all \
                 are parts of these, from 0 to 1"
            );
            return Err(Problem::Invalid { operation: "inset", message }.into());
        }
        let inner = Shared::new(Drawing::default());
        self.drawing().insets.push(Inset { bounds, drawing: inner.again() });
        Ok(Figure(Box::new(inner)))
    }
}

fn finite(operation: &'static str, at: f64) -> Result<f64> {
    if at.is_finite() {
        return Ok(at);
    }
    let message = format!("{at} is not a place on an axis; give a finite number");
    Err(Problem::Invalid { operation, message }.into())
}

fn place(operation: &'static str, (x, y): (impl PlotNumber, impl PlotNumber)) -> Result<Point> {
    Ok((finite(operation, x.plot_number())?, finite(operation, y.plot_number())?))
}
