//! What is said of the axes, and of the whole figure.

use gpurepl_arrays::series::{IntoTicks, PlotNumber};

use super::Figure;
use crate::chart::Place;
use crate::color::Theme;
use crate::draw::formula::checked;
use crate::error::OrRaise as _;
use crate::scale::Scale;
use crate::settings::{self, apart, size};
use crate::shape::Length;

impl Figure {
    /// What stands above the axes. Between dollar signs stand formulas, as in
    /// LaTeX and in Matplotlib; `\$` is a dollar sign.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// plot(&[1, 4, 9]).title(r"$\frac{1}{2} \alpha x^2$").xlabel(r"$x_i$ ($\mathrm{m\,s^{-1}}$)");
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if a formula cannot be read.
    #[track_caller]
    pub fn title(&self, text: impl AsRef<str>) -> Figure {
        let text = checked("title", text.as_ref()).or_raise();
        self.set(|drawing| drawing.title = text)
    }

    /// What the horizontal axis is. Formulas as in [`Figure::title`].
    #[track_caller]
    pub fn xlabel(&self, text: impl AsRef<str>) -> Figure {
        let text = checked("xlabel", text.as_ref()).or_raise();
        self.set(|drawing| drawing.x.label = text)
    }

    /// What the vertical axis is. Formulas as in [`Figure::title`].
    #[track_caller]
    pub fn ylabel(&self, text: impl AsRef<str>) -> Figure {
        let text = checked("ylabel", text.as_ref()).or_raise();
        self.set(|drawing| drawing.y.label = text)
    }

    /// Shows the legend, also of series without names, which are numbered
    /// then. A figure whose series have names shows it anyway.
    pub fn legend(&self) -> Figure {
        self.set(|drawing| drawing.has_legend = true)
    }

    /// Shows the legend at a place: `upper right`, `upper left`, `lower left`,
    /// `lower right`, `center left`, `center right`, `lower center`, `upper
    /// center`, `center`, or beside the axes, `outside`, and below them,
    /// `below`. `best`, where it hides least, is the default.
    #[track_caller]
    pub fn legend_at(&self, place: &str) -> Figure {
        let place = Place::parse(place).or_raise();
        self.set(|drawing| (drawing.has_legend, drawing.legend_place) = (true, place))
    }

    /// Shows lines at the ticks.
    pub fn grid(&self) -> Figure {
        self.set(|drawing| drawing.has_grid = true)
    }

    /// Shows lines at the ticks of one axis, `x` or `y`, or of `both`.
    #[track_caller]
    pub fn grid_axis(&self, text: &str) -> Figure {
        let of = settings::grid_of(text).or_raise();
        self.set(|drawing| (drawing.has_grid, drawing.grid_of) = (true, of))
    }

    /// Whether the frame, the ticks and what stands at them are shown: `off` leaves the series and
    /// the title alone, `on` shows them as usual.
    #[track_caller]
    pub fn axis(&self, text: &str) -> Figure {
        let shown = settings::axis(text).or_raise();
        self.set(|drawing| drawing.has_axes = shown)
    }

    /// Shows the legend in so many columns.
    #[track_caller]
    pub fn legend_columns(&self, columns: impl Length) -> Figure {
        let columns = settings::columns(columns.length()).or_raise();
        self.set(|drawing| (drawing.has_legend, drawing.legend_columns) = (true, columns))
    }

    /// What stands above the names in the legend. Formulas as in [`Figure::title`].
    #[track_caller]
    pub fn legend_title(&self, text: impl AsRef<str>) -> Figure {
        let text = checked("legend_title", text.as_ref()).or_raise();
        self.set(|drawing| (drawing.has_legend, drawing.legend_title) = (true, text))
    }

    /// Makes the horizontal axis logarithmic. What is zero or below has no
    /// place there.
    pub fn log_x(&self) -> Figure {
        self.set(|drawing| drawing.x.scale = Scale::Log)
    }

    /// Makes the vertical axis logarithmic.
    pub fn log_y(&self) -> Figure {
        self.set(|drawing| drawing.y.scale = Scale::Log)
    }

    /// Makes the horizontal axis logarithmic both ways from zero, and linear up to a distance from it:
    /// Matplotlib's `symlog` with a `linthresh`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::error::Error), if the distance is not finite and above 0.
    #[track_caller]
    pub fn symlog_x(&self, near: impl PlotNumber) -> Figure {
        let scale = settings::symlog("symlog_x", near.plot_number()).or_raise();
        self.set(|drawing| drawing.x.scale = scale)
    }

    /// Makes the vertical axis logarithmic both ways from zero, as [`Figure::symlog_x`].
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let x = linspace(-50.0, 50.0, 1001);
    /// plot((&x, &(&x * &x * &x))).symlog_y(1.0).grid();
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Figure::symlog_x`].
    #[track_caller]
    pub fn symlog_y(&self, near: impl PlotNumber) -> Figure {
        let scale = settings::symlog("symlog_y", near.plot_number()).or_raise();
        self.set(|drawing| drawing.y.scale = scale)
    }

    /// Makes both axes logarithmic.
    pub fn log_log(&self) -> Figure {
        self.log_x().log_y()
    }

    /// The ends of the horizontal axis. The first may be the larger one: then
    /// numbers run to the left.
    #[track_caller]
    pub fn xlim(&self, from: impl PlotNumber, to: impl PlotNumber) -> Figure {
        let (from, to) = (from.plot_number(), to.plot_number());
        let limits = apart("xlim", from, to).or_raise();
        self.set(|drawing| drawing.x.limits = Some(limits))
    }

    /// The ends of the vertical axis.
    #[track_caller]
    pub fn ylim(&self, from: impl PlotNumber, to: impl PlotNumber) -> Figure {
        let (from, to) = (from.plot_number(), to.plot_number());
        let limits = apart("ylim", from, to).or_raise();
        self.set(|drawing| drawing.y.limits = Some(limits))
    }

    /// Where the ticks of the horizontal axis stand, and what they say: places,
    /// or places and names. No places are no ticks.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let x = linspace(0.0, 6.3, 100);
    /// plot((&x, &x.sin())).xticks((&[0.0, 3.14, 6.28], ["0", "π", "2π"])).yticks(&[-1, 0, 1]);
    /// ```
    #[track_caller]
    pub fn xticks(&self, ticks: impl IntoTicks) -> Figure {
        let ticks = settings::ticks("xticks", ticks.into_ticks()).or_raise();
        self.set(|drawing| drawing.x.ticks = Some(ticks))
    }

    /// The same of the vertical axis.
    #[track_caller]
    pub fn yticks(&self, ticks: impl IntoTicks) -> Figure {
        let ticks = settings::ticks("yticks", ticks.into_ticks()).or_raise();
        self.set(|drawing| drawing.y.ticks = Some(ticks))
    }

    /// Turns what stands at the horizontal axis' ticks by so many degrees, to
    /// the left: 90 reads upwards.
    #[track_caller]
    pub fn xtick_rotation(&self, degrees: impl PlotNumber) -> Figure {
        let degrees = degrees.plot_number();
        let degrees = settings::angle("xtick_rotation", degrees).or_raise();
        self.set(|drawing| drawing.x.rotation = degrees)
    }

    /// Takes the places along the horizontal axis for times: seconds since 1970, in UTC, as
    /// Unix clocks count them. Ticks stand at years, months, days or times of the day then.
    /// Of a `SystemTime` they are `time.duration_since(UNIX_EPOCH)?.as_secs_f64()`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let noon = 1_800_000_000.0_f64;
    /// let seconds = linspace(noon, noon + 86_400.0, 100);
    /// plot((&seconds, &((&seconds - noon) / 3600.0).sin())).xaxis_date().xlabel("UTC");
    /// ```
    pub fn xaxis_date(&self) -> Figure {
        self.set(|drawing| drawing.x.is_date = true)
    }

    /// Takes the places along the vertical axis for times, as [`Figure::xaxis_date`].
    pub fn yaxis_date(&self) -> Figure {
        self.set(|drawing| drawing.y.is_date = true)
    }

    /// How wide a step of `x` is: `equal`, as wide as one of `y` is high, or
    /// `auto`, as it fits. Axes with an image are `equal` otherwise.
    #[track_caller]
    pub fn aspect(&self, text: &str) -> Figure {
        let aspect = settings::aspect(text).or_raise();
        self.set(|drawing| drawing.aspect = aspect)
    }

    /// How axes stand: `polar`, around a middle, where `x` is an angle in radians
    /// from the right to the left and `y` the distance from the middle, or
    /// `rectilinear`. Polar axes show [`plot`](crate::plot()),
    /// [`scatter`](crate::scatter()), [`bar`](crate::bar()) and
    /// [`fill_between`](crate::fill_between()); [`Figure::ylim`] and
    /// [`Figure::yticks`] are about distances, [`Figure::xticks`] about angles.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let theta = linspace(0.0, 6.28, 300);
    /// fill_between(&theta, 0.0, &(theta.cos() + 1.0)).alpha(0.3).projection("polar").ylim(0, 2);
    /// ```
    #[track_caller]
    pub fn projection(&self, text: &str) -> Figure {
        let is_polar = settings::projection(text).or_raise();
        self.set(|drawing| drawing.is_polar = is_polar)
    }

    /// Where the angle zero of polar axes is: `E`, to the right, as it is otherwise, `N`, above, and so on, `NE`, `NW`,
    /// `W`, `SW`, `S`, `SE`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (hours, visitors) = (linspace(0.0, 5.5, 12), [3, 1, 1, 2, 6, 9, 12, 14, 11, 8, 7, 4]);
    /// bar((&hours, &visitors)).width(0.5).projection("polar").theta_zero_location("N").theta_direction(-1);
    /// ```
    #[track_caller]
    pub fn theta_zero_location(&self, text: &str) -> Figure {
        let zero = settings::zero_location(text).or_raise();
        self.set(|drawing| drawing.turn.zero = zero)
    }

    /// Which way the angles of polar axes run: 1 against the clock, as they do otherwise, -1 with it.
    #[track_caller]
    pub fn theta_direction(&self, direction: impl PlotNumber) -> Figure {
        let is_clockwise = settings::is_clockwise(direction.plot_number()).or_raise();
        self.set(|drawing| drawing.turn.is_clockwise = is_clockwise)
    }

    /// The size in pixels, 640 by 480 otherwise. Text keeps its size.
    #[track_caller]
    pub fn size(&self, width: impl Length, height: impl Length) -> Figure {
        let size = size(width.length(), height.length()).or_raise();
        self.set(|drawing| drawing.size = size)
    }

    /// How many pixels a saved PNG has for each of the figure's own, 2
    /// otherwise: crisp on dense screens.
    #[track_caller]
    pub fn pixel_ratio(&self, ratio: impl PlotNumber) -> Figure {
        let ratio = ratio.plot_number();
        let ratio = settings::pixel_ratio(ratio).or_raise();
        self.set(|drawing| drawing.pixel_ratio = ratio)
    }

    /// Lets readers of a notebook move the axes: a drag over a part enlarges it,
    /// with Shift it moves the axes, and a double click shows all again; so do the
    /// wheel with Ctrl, and the keys `+`, `-`, `0` and the arrows. Below the picture
    /// stands where the pointer is. It needs no server, and works in exported pages
    /// and in files that end with `.html`. In a notebook with ipywidgets whose
    /// kernel runs, the figure is drawn anew for the part that is shown, with the
    /// points that it has there and as its arrays then are; the last ten figures
    /// that were shown are. In a session of several workers the picture does not move.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let x = linspace(0.0, 100.0, 1_000_000);
    /// plot((&x, &(&x * &x).sin())).interactive();
    /// ```
    pub fn interactive(&self) -> Figure {
        self.set(|drawing| drawing.is_interactive = true)
    }

    /// The look: [`Theme::Light`], [`Theme::Dark`], or [`Theme::Auto`], which is that of the notebook.
    pub fn theme(&self, theme: Theme) -> Figure {
        self.set(|drawing| drawing.theme = theme)
    }
}
