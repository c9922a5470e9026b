//! How the last series looks.

use gpurepl_arrays::series::{PlotData, PlotNumber};

use super::Figure;
use crate::chart::{Dash, Kind, Paint, Series};
use crate::color::{Color, cycle_index};
use crate::colormap::Colormap;
use crate::draw::formula::checked;
use crate::error::{OrRaise as _, Problem, Result};
use crate::format::Format;
use crate::marker::Marker;
use crate::scale::Scale;
use crate::settings::{self, apart, ascending, positive};

impl Figure {
    /// Names the last series in the legend, which a figure with names has.
    #[track_caller]
    pub fn label(&self, text: impl AsRef<str>) -> Figure {
        let text = checked("label", text.as_ref()).or_raise();
        self.style("label", |series| series.label = Some(text.clone()))
    }

    /// The colour of the last series: `red`, `tab:blue`, `#1f77b4`, a grey
    /// such as `0.5`, or `C0` to `C9` for those that series have by turns.
    #[track_caller]
    pub fn color(&self, text: &str) -> Figure {
        let paint = paint(text).or_raise();
        self.style("color", |series| series.paint = Some(paint))
    }

    /// The mark at each point of the last series: `o`, `.`, `,` (one pixel), `s`,
    /// the triangles `^`, `v`, `<` and `>`, `D`, `d`, `p`, `h`, `*`, `+`, `P`, `x`,
    /// `X`, `|` or `_`.
    #[track_caller]
    pub fn marker(&self, text: &str) -> Figure {
        let marker = Marker::parse(text).or_raise();
        self.style("marker", |series| series.marker = Some(marker))
    }

    /// The size of marks, in points (a 72nd of an inch); 6 otherwise.
    #[track_caller]
    pub fn markersize(&self, points: impl PlotNumber) -> Figure {
        let points = points.plot_number();
        let points = positive("markersize", points).or_raise();
        self.style("markersize", |series| series.marker_size = points)
    }

    /// Draws the last series with dashes.
    #[track_caller]
    pub fn dashed(&self) -> Figure {
        self.style("dashed", |series| series.dash = Dash::Dashed)
    }

    /// Draws the last series with dots.
    #[track_caller]
    pub fn dotted(&self) -> Figure {
        self.style("dotted", |series| series.dash = Dash::Dotted)
    }

    /// How the line of the last series is drawn: `-`, `--`, `:`, `-.`, or
    /// `none` for marks without a line.
    #[track_caller]
    pub fn linestyle(&self, text: &str) -> Figure {
        let dash = Dash::parse(text).or_raise();
        self.style("linestyle", |series| match dash {
            Some(dash) => (series.dash, series.has_line) = (dash, true),
            None => series.has_line = false,
        })
    }

    /// How the last series is drawn in Matplotlib's letters for a colour, a mark
    /// and a line, any of which may be left out: `r--`, `ko`, `C2^:`. Without a
    /// line there are marks alone.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// plot(&[1, 4, 9, 16]).format("ro");
    /// plot((&[1, 4, 9, 16], "g--"));
    /// ```
    #[track_caller]
    pub fn format(&self, text: &str) -> Figure {
        let format = Format::parse(text).or_raise();
        self.style("format", |series| format.apply(series))
    }

    /// The width of the last series' line, in points; 1.5 otherwise.
    #[track_caller]
    pub fn linewidth(&self, points: impl PlotNumber) -> Figure {
        let points = points.plot_number();
        let points = positive("linewidth", points).or_raise();
        self.style("linewidth", |series| series.width = points)
    }

    /// How opaque the last series is, from 0 to 1.
    #[track_caller]
    pub fn alpha(&self, opacity: impl PlotNumber) -> Figure {
        let opacity = opacity.plot_number();
        if !(0.0..=1.0).contains(&opacity) {
            let message = format!("{opacity} is not a valid opacity; give a number from 0 to 1");
            Err(Problem::Invalid { operation: "alpha", message }.into()).or_raise()
        }
        self.style("alpha", |series| series.opacity = opacity)
    }

    /// The colours that values of the last series have: `viridis`, `plasma`,
    /// `inferno`, `magma`, `cividis`, `turbo`, `gray`, `Blues`, `coolwarm`,
    /// `RdBu`, `Spectral` and others, lists such as `tab10`, with `_r` the other way round.
    #[track_caller]
    pub fn colormap(&self, name: &str) -> Figure {
        let colormap = Colormap::parse(name).or_raise();
        self.style("colormap", |series| series.colormap = colormap)
    }

    /// The values that the ends of the colours stand for, in the last series;
    /// otherwise the least and the greatest.
    #[track_caller]
    pub fn clim(&self, low: impl PlotNumber, high: impl PlotNumber) -> Figure {
        let (low, high) = (low.plot_number(), high.plot_number());
        let range = ascending("clim", low, high).or_raise();
        self.style("clim", |series| series.range = Some(range))
    }

    /// Spaces the colours of the last series by the logarithms of their values.
    /// What is zero or below has none.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// imshow(&[[1.0, 10.0], [100.0, 1000.0]]).log_norm();
    /// ```
    #[track_caller]
    pub fn log_norm(&self) -> Figure {
        self.style("log_norm", |series| series.norm = Scale::Log)
    }

    /// What is between the elements of the last image: `nearest`, each fills a
    /// rectangle, or `bilinear`, colours flow.
    #[track_caller]
    pub fn interpolation(&self, text: &str) -> Figure {
        let interpolation = settings::interpolation(text).or_raise();
        self.style("interpolation", |series| series.interpolation = interpolation)
    }

    /// Writes on the lines of the last contours how high they are; see
    /// [`Figure::fontsize`].
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// contour(&rand::<f32>((20, 30))).levels([0.4, 0.6]).clabel().fontsize(8);
    /// ```
    #[track_caller]
    pub fn clabel(&self) -> Figure {
        self.style("clabel", |series| series.has_heights = true)
    }

    /// Where the bins of the last histogram begin and end; otherwise at the
    /// least and the greatest value. What lies outside is not counted.
    #[track_caller]
    pub fn bin_range(&self, low: impl PlotNumber, high: impl PlotNumber) -> Figure {
        let (low, high) = (low.plot_number(), high.plot_number());
        let range = ascending("bin_range", low, high).or_raise();
        self.style("bin_range", |series| series.range = Some(range))
    }

    /// The heights of the last contours' lines, `[0.1, 0.5]`, or about how many there are, `12`; otherwise about seven.
    #[track_caller]
    pub fn levels(&self, heights: impl PlotData) -> Figure {
        let given = heights.plot_data().and_then(|raw| settings::levels(&raw)).or_raise();
        self.style("levels", |series: &mut Series| {
            if let Kind::Contour { levels, .. } = &mut series.kind {
                levels.clone_from(&given);
            }
        })
    }

    /// The colours of the last scatter's points: a value for each, which the
    /// colormap shows and a bar beside the axes explains. Of more than 5000
    /// points the mean of those in each place is shown. Of arrows and of lines along vectors, a value for each vector.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (x, y) = (rand::<f32>(100), rand::<f32>(100));
    /// scatter((&x, &y)).colors(&(&x + &y)).sizes(&(&x * 200.0_f32)).colormap("plasma").colorbar_label("x + y");
    /// ```
    #[track_caller]
    pub fn colors(&self, values: impl PlotData) -> Figure {
        self.for_each("colors", values.plot_data(), |series, values| series.values = Some(values))
    }

    /// The areas of the last scatter's marks, in points squared: one for each,
    /// or one for all; 36 otherwise. For at most 5000 points.
    #[track_caller]
    pub fn sizes(&self, areas: impl PlotData) -> Figure {
        self.for_each("sizes", areas.plot_data(), |series, areas| series.sizes = Some(areas))
    }

    /// What the bar of colours beside the axes stands for.
    #[track_caller]
    pub fn colorbar_label(&self, text: impl AsRef<str>) -> Figure {
        let text = checked("colorbar_label", text.as_ref()).or_raise();
        self.style("colorbar_label", |series| series.bar_label.clone_from(&text))
    }

    /// Where the last matrix ends, in the numbers of the axes: on the left, on
    /// the right, below and above.
    #[track_caller]
    pub fn extent(
        &self,
        left: impl PlotNumber,
        right: impl PlotNumber,
        below: impl PlotNumber,
        above: impl PlotNumber,
    ) -> Figure {
        let (left, right) = apart("extent", left.plot_number(), right.plot_number()).or_raise();
        let (below, above) = apart("extent", below.plot_number(), above.plot_number()).or_raise();
        self.style("extent", |series| series.extent = Some([left, right, below, above]))
    }

    /// Where the first row of the last image is: `upper` or `lower`.
    #[track_caller]
    pub fn origin(&self, text: &str) -> Figure {
        let is_upwards = settings::origin(text).or_raise();
        self.style("origin", |series| series.is_upwards = is_upwards)
    }

    /// Scales the last histogram so that its area is one.
    #[track_caller]
    pub fn density(&self) -> Figure {
        self.style("density", |series| series.is_density = true)
    }

    /// The size of the last text's font, in points; 10 otherwise.
    #[track_caller]
    pub fn fontsize(&self, points: impl PlotNumber) -> Figure {
        let points = points.plot_number();
        let points = positive("fontsize", points).or_raise();
        self.style("fontsize", |series| series.font = points)
    }

    /// Which end of the last text stands at its place: `left`, `center` or
    /// `right`.
    #[track_caller]
    pub fn align(&self, text: &str) -> Figure {
        let align = settings::align(text).or_raise();
        self.style("align", |series| series.align = align)
    }
}

/// The colour that a text names.
pub(crate) fn paint(text: &str) -> Result<Paint> {
    Ok(match cycle_index(text) {
        Some(index) => Paint::Cycle(index),
        None => Paint::Fixed(Color::parse(text)?),
    })
}
