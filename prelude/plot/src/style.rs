//! How figures look that are made from now on, as Matplotlib's `rcParams` say there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpurepl_arrays::series::PlotNumber;

use crate::color::{Color, Palette, Theme, cycle_index};
use crate::error::{OrRaise as _, Problem, Result};
use crate::settings;
use crate::shape::Length;

/// What a figure is made with.
#[derive(Clone)]
pub(crate) struct Defaults {
    pub(crate) theme: Theme,
    pub(crate) is_interactive: bool,
    /// In pixels, if it was asked for.
    pub(crate) size: Option<(u32, u32)>,
    pub(crate) pixel_ratio: f64,
    /// How much larger letters and lines are than usual.
    pub(crate) text_scale: f64,
    pub(crate) has_grid: bool,
    /// The colours that series have by turns, if not the theme's.
    pub(crate) cycle: Option<Arc<[Color]>>,
}

const USUAL: Defaults = Defaults {
    theme: Theme::Light,
    is_interactive: false,
    size: None,
    pixel_ratio: 2.0,
    text_scale: 1.0,
    has_grid: false,
    cycle: None,
};

static DEFAULTS: Mutex<Defaults> = Mutex::new(USUAL);

fn lock() -> MutexGuard<'static, Defaults> {
    DEFAULTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What figures are made with now.
pub(crate) fn defaults() -> Defaults {
    lock().clone()
}

/// The size of letters at the axes, in points, where nothing else is said.
const FONT: f64 = 10.0;
/// The most colours of a cycle.
const MOST_COLORS: usize = 100;

/// How figures look that are made from now on. Its methods change that at once.
///
/// ```
/// use gpurepl_prelude::*;
/// style().theme(Theme::Dark).font_size(14).grid();
/// let dark = plot(&[1, 4, 9, 16]);
/// style().reset();
/// # assert!(dark.to_svg()?.contains("#16181D"));
/// # assert!(plot(&[1, 4, 9, 16]).to_svg()?.contains("#FFFFFF"));
/// # Ok::<(), Error>(())
/// ```
#[must_use = "its methods change the style; alone it changes nothing"]
pub fn style() -> Style {
    Style(())
}

/// See [`style`].
#[derive(Clone, Copy)]
pub struct Style(());

impl std::fmt::Debug for Style {
    /// What figures are made with now.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Defaults { theme, is_interactive, size, pixel_ratio, text_scale, has_grid, cycle } = defaults();
        f.debug_struct("Style")
            .field("theme", &theme)
            .field("interactive", &is_interactive)
            .field("size", &size.unwrap_or((640, 480)))
            .field("font_size", &(text_scale * FONT))
            .field("grid", &has_grid)
            .field("pixel_ratio", &pixel_ratio)
            .field("colors", &cycle.map_or(10, |cycle| cycle.len()))
            .finish()
    }
}

#[expect(clippy::return_self_not_must_use, reason = "each method has changed the style")]
impl Style {
    /// The look: [`Theme::Light`], [`Theme::Dark`], or [`Theme::Auto`], which is that of the notebook.
    pub fn theme(self, theme: Theme) -> Style {
        lock().theme = theme;
        self
    }

    /// The size in pixels; 640 by 480 otherwise.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if a side is not from 50 to 20000 pixels.
    #[track_caller]
    pub fn size(self, width: impl Length, height: impl Length) -> Style {
        let size = settings::size(width.length(), height.length()).or_raise();
        lock().size = Some(size);
        self
    }

    /// The size of letters at the axes in points; 10 otherwise. All other texts, lines
    /// and marks grow with it, as by seaborn's `set_context`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if it is not from 4 to 40 points.
    #[track_caller]
    pub fn font_size(self, points: impl PlotNumber) -> Style {
        let scale = text_scale(points.plot_number()).or_raise();
        lock().text_scale = scale;
        self
    }

    /// The colours that series have by turns, as [`Figure::color`](crate::Figure::color) names them.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// style().cycle(["black", "#d62728", "tab:blue"]);
    /// # style().reset();
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if one is not a colour, or there is none.
    #[track_caller]
    pub fn cycle<S: AsRef<str>>(self, colors: impl IntoIterator<Item = S>) -> Style {
        let colors: Result<Vec<Color>> =
            colors.into_iter().take(MOST_COLORS + 1).map(|color| color_of(color.as_ref())).collect();
        let cycle = colors.and_then(cycle).or_raise();
        lock().cycle = Some(cycle);
        self
    }

    /// Lets readers of a notebook move the axes, as by
    /// [`Figure::interactive`](crate::Figure::interactive).
    pub fn interactive(self) -> Style {
        lock().is_interactive = true;
        self
    }

    /// Shows lines at the ticks.
    pub fn grid(self) -> Style {
        lock().has_grid = true;
        self
    }

    /// How many pixels a saved PNG has for each of the figure's own; 2 otherwise.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if it is not from 0.1 to 20.
    #[track_caller]
    pub fn pixel_ratio(self, ratio: impl PlotNumber) -> Style {
        let ratio = settings::pixel_ratio(ratio.plot_number()).or_raise();
        lock().pixel_ratio = ratio;
        self
    }

    /// The usual look again.
    pub fn reset(self) -> Style {
        *lock() = USUAL;
        self
    }
}

/// A colour, also one of the theme's by its place, `C3`.
fn color_of(text: &str) -> Result<Color> {
    match cycle_index(text) {
        Some(place) => Ok(Palette::of(defaults().theme).turn(place)),
        None => Color::parse(text),
    }
}

fn text_scale(points: f64) -> Result<f64> {
    if (4.0..=40.0).contains(&points) {
        return Ok(points / FONT);
    }
    let message = format!("{points} points is not a size of letters at axes; give a number from 4 to 40");
    Err(Problem::Invalid { operation: "font_size", message }.into())
}

fn cycle(colors: Vec<Color>) -> Result<Arc<[Color]>> {
    if (1..=MOST_COLORS).contains(&colors.len()) {
        return Ok(colors.into());
    }
    let message = format!("{} colours are not a cycle; give from 1 to {MOST_COLORS}", colors.len());
    Err(Problem::Invalid { operation: "cycle", message }.into())
}
