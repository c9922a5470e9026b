//! Adding series.

use gpurepl_arrays::series::{IntoSeries, PlotData, PlotNumber};

use super::Figure;
use crate::array::Raw;
use crate::bins::{Bins, BinsOf};
use crate::chart::{Kind, Series, Step};
use crate::error::{OrRaise as _, Result};
use crate::kinds;
use crate::settings::positive;

impl Figure {
    /// Adds a line, as [`plot()`](crate::plot()) draws it.
    #[track_caller]
    pub fn plot(&self, data: impl IntoSeries) -> Figure {
        let points = data.into_series();
        self.add("plot", kinds::lines("plot", points))
    }

    /// Adds a line around a middle, as [`polar()`](crate::polar()) draws it; see
    /// [`Figure::projection`].
    #[track_caller]
    pub fn polar(&self, data: impl IntoSeries) -> Figure {
        let points = data.into_series();
        self.add("polar", kinds::lines("polar", points)).projection("polar")
    }

    /// Adds points, as [`scatter()`](crate::scatter()) draws them.
    #[track_caller]
    pub fn scatter(&self, data: impl IntoSeries) -> Figure {
        let points = data.into_series();
        self.add("scatter", kinds::dots(points))
    }

    /// Adds bars, as [`bar()`](crate::bar()) draws them. Several series of
    /// bars stand side by side; see [`Figure::stacked`] and [`Figure::bottom`].
    #[track_caller]
    pub fn bar(&self, data: impl IntoSeries) -> Figure {
        let points = data.into_series();
        self.add("bar", kinds::bars("bar", points, false))
    }

    /// Adds bars that lie, as [`barh()`](crate::barh()) draws them.
    #[track_caller]
    pub fn barh(&self, data: impl IntoSeries) -> Figure {
        let points = data.into_series();
        self.add("barh", kinds::bars("barh", points, true))
    }

    /// Adds a line in steps, as [`step()`](crate::step()) draws it.
    #[track_caller]
    pub fn step(&self, data: impl IntoSeries) -> Figure {
        let points = data.into_series();
        let lines = kinds::lines("step", points);
        self.add(
            "step",
            lines.map(|lines| {
                lines.into_iter().map(|line| Series { step: Some(Step::Before), ..line }).collect()
            }),
        )
    }

    /// Adds stems, as [`stem()`](crate::stem()) draws them.
    #[track_caller]
    pub fn stem(&self, data: impl IntoSeries) -> Figure {
        let points = data.into_series();
        self.add("stem", kinds::stems(points))
    }

    /// Adds a line with bars of errors, as [`errorbar()`](crate::errorbar())
    /// draws it.
    #[track_caller]
    pub fn errorbar(&self, data: impl IntoSeries, errors: impl PlotData) -> Figure {
        let points = data.into_series();
        let lines = kinds::lines("errorbar", points).and_then(|lines| {
            let errors = errors.plot_data()?;
            lines
                .into_iter()
                .map(|mut line| {
                    line.errors.y = Some(kinds::errors("errorbar", &line.kind, errors.clone())?);
                    Ok(line)
                })
                .collect()
        });
        self.add("errorbar", lines)
    }

    /// Fills what is between two lines, as [`fill_between()`](crate::fill_between())
    /// does.
    #[track_caller]
    pub fn fill_between(&self, x: impl PlotData, y1: impl PlotData, y2: impl PlotData) -> Figure {
        self.fill(x.plot_data(), y1.plot_data(), y2.plot_data())
    }

    #[track_caller]
    fn fill(&self, x: Result<Raw>, y1: Result<Raw>, y2: Result<Raw>) -> Figure {
        let series = (|| kinds::between(x?, y1?, y2?))();
        self.add("fill_between", series)
    }

    /// Fills the last band only where a mask is true, between neighbouring points of which both are.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let x = linspace(0.0, 10.0, 200);
    /// let (first, second) = (x.sin(), x.cos());
    /// fill_between(&x, &first, &second).where_(first.gt(&second)).alpha(0.3).label("more")
    ///     .fill_between(&x, &first, &second).where_(first.le(&second)).alpha(0.3).label("less");
    /// ```
    #[track_caller]
    pub fn where_(&self, mask: impl PlotData) -> Figure {
        self.for_each("where_", mask.plot_data(), |series, mask| {
            if let Kind::Between { low, .. } = &mut series.kind {
                *low = kinds::masked(low, &mask);
            }
        })
    }

    /// Adds a line over a logarithmic `x` axis.
    #[track_caller]
    pub fn semilogx(&self, data: impl IntoSeries) -> Figure {
        self.plot(data).log_x()
    }

    /// Adds a line over a logarithmic `y` axis.
    #[track_caller]
    pub fn semilogy(&self, data: impl IntoSeries) -> Figure {
        self.plot(data).log_y()
    }

    /// Adds a line over two logarithmic axes.
    #[track_caller]
    pub fn loglog(&self, data: impl IntoSeries) -> Figure {
        self.plot(data).log_log()
    }

    /// Adds a histogram, as [`hist()`](crate::hist()) draws it.
    #[track_caller]
    pub fn hist(&self, data: impl PlotData, bins: impl Bins) -> Figure {
        self.histogram(data.plot_data(), bins.bins())
    }

    #[track_caller]
    fn histogram(&self, data: Result<Raw>, bins: Result<BinsOf>) -> Figure {
        self.add("hist", data.and_then(|raw| kinds::histogram(raw, bins?)))
    }

    /// Error bars up and down from the points or the bars of the last series: a
    /// number for each, or one for all; a matrix of two rows gives those down
    /// and those up.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// bar((["a", "b"], [3.0, 5.0])).yerr(&[0.4, 0.9]).capsize(4);
    /// scatter(&[1.0, 4.0, 9.0]).yerr(0.5);
    /// ```
    #[track_caller]
    pub fn yerr(&self, errors: impl PlotData) -> Figure {
        self.for_each("yerr", errors.plot_data(), |series, errors| series.errors.y = Some(errors))
    }

    /// The same to the left and to the right.
    #[track_caller]
    pub fn xerr(&self, errors: impl PlotData) -> Figure {
        self.for_each("xerr", errors.plot_data(), |series, errors| series.errors.x = Some(errors))
    }

    /// Gives the last series data of its own for each point.
    #[track_caller]
    pub(super) fn for_each(
        &self,
        operation: &'static str,
        errors: Result<Raw>,
        set: fn(&mut Series, Raw),
    ) -> Figure {
        let errors = errors.or_raise();
        // Whether the series may have them at all is checked first.
        let figure = self.style(operation, |_| {});
        let mut drawing = self.drawing();
        let last = drawing.last;
        let series = &mut drawing.series[last..];
        let checked = series.iter().map(|series| kinds::errors(operation, &series.kind, errors.clone()));
        let checked: Result<Vec<Raw>> = checked.collect();
        if let Ok(checked) = &checked {
            series.iter_mut().zip(checked).for_each(|(series, errors)| set(series, errors.clone()));
        }
        drop(drawing);
        checked.or_raise();
        figure
    }

    /// The length of the caps of the last series' error bars, in points; none
    /// otherwise.
    #[track_caller]
    pub fn capsize(&self, points: impl PlotNumber) -> Figure {
        let points = positive("capsize", points.plot_number()).or_raise();
        self.style("capsize", |series| series.capsize = points)
    }

    /// Where the bars of the last series begin, instead of at zero: a number
    /// for each, or one for all. Such bars stand in the place of the series
    /// before them.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (men, women) = ([20, 34, 30], [25, 32, 34]);
    /// bar((["a", "b", "c"], &men)).label("men").bar((["a", "b", "c"], &women)).bottom(&men).label("women");
    /// ```
    #[track_caller]
    pub fn bottom(&self, heights: impl PlotData) -> Figure {
        self.for_each("bottom", heights.plot_data(), |series, heights| series.bottom = Some(heights))
    }

    /// Stacks all series of bars instead of placing them side by side: what is
    /// below zero is stacked downwards. Histograms are stacked, too; their bins
    /// are between the ends of all of them.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (a, b) = (randn::<f32>(1000), randn::<f32>(500) + 1.0);
    /// hist(&a, 20).label("first").hist(&b, 20).label("second").stacked();
    /// ```
    pub fn stacked(&self) -> Figure {
        self.set(|drawing| drawing.is_stacked = true)
    }
}
