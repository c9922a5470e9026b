//! Figures, put together a call at a time.

mod annotations;
mod axes;
mod fields;
mod groups;
mod looks;
mod series;
mod spaces;
mod style;
mod vectors;

use std::sync::MutexGuard;

pub(super) use style::paint;

use super::chart::{Drawing, Series, Shared};
use super::settings::applies;
use crate::error::{OrRaise as _, Problem, Result};

/// A picture of data: series, and how they are shown.
///
/// Methods change the figure and return it, so that calls can be chained or
/// stand by themselves, `figure.title("Roots");`. Those that style a series,
/// such as [`Figure::label`] and [`Figure::color`], mean the one that was added
/// last. They panic with an [`Error`](gpurepl_ground::Error) on what cannot be: an
/// unknown colour, limits the wrong way round.
///
/// ```
/// use gpurepl_prelude::*;
/// let x = linspace(0.1, 10.0, 200);
/// let figure = plot((&x, &x.sqrt())).label("sqrt");
/// figure.scatter((&[1.0, 4.0, 9.0], &[1.0, 2.0, 3.0])).color("tab:red").label("squares");
/// figure.title("Roots").xlabel("x").grid();
/// ```
///
/// What a method returns is the same figure, as with Matplotlib's; a clone is
/// another one.
pub struct Figure(Box<dyn Sheet>);

/// A trait object, so that a cell that drops a figure compiles a call.
trait Sheet: Send + Sync {
    fn drawing(&self) -> MutexGuard<'_, Drawing>;

    /// Another handle to the same drawing.
    fn again(&self) -> Box<dyn Sheet>;
}

impl Sheet for Shared {
    fn drawing(&self) -> MutexGuard<'_, Drawing> {
        self.lock()
    }

    fn again(&self) -> Box<dyn Sheet> {
        Box::new(Shared::again(self))
    }
}

impl Default for Figure {
    fn default() -> Figure {
        Figure::new()
    }
}

impl Clone for Figure {
    /// Another figure with the same series and settings. Changes to one are not
    /// changes to the other.
    #[inline(never)]
    fn clone(&self) -> Figure {
        let drawing = self.drawing().clone();
        Figure::of(Drawing { is_second: false, ..drawing })
    }
}

impl Figure {
    /// A figure without series.
    #[inline(never)]
    pub fn new() -> Figure {
        Figure::of(Drawing::default())
    }

    pub(super) fn of(drawing: Drawing) -> Figure {
        Figure(Box::new(Shared::new(drawing)))
    }

    pub(super) fn drawing(&self) -> MutexGuard<'_, Drawing> {
        self.0.drawing()
    }

    fn set(&self, change: impl FnOnce(&mut Drawing)) -> Figure {
        change(&mut self.drawing());
        Figure(self.0.again())
    }

    /// Changes the series that were added last, if all of them can have the
    /// setting.
    #[track_caller]
    fn style(&self, operation: &'static str, change: impl Fn(&mut Series)) -> Figure {
        let mut drawing = self.drawing();
        let last = drawing.last;
        let series = &mut drawing.series[last..];
        let allowed = match series {
            [] => Err(nothing_to_style(operation)),
            _ => series.iter().try_for_each(|series| applies(operation, series)),
        };
        if allowed.is_ok() {
            series.iter_mut().for_each(change);
        }
        drop(drawing);
        allowed.or_raise();
        Figure(self.0.again())
    }

    #[track_caller]
    fn add(&self, operation: &'static str, series: Result<Vec<Series>>) -> Figure {
        let added = series.and_then(|series| {
            let mut drawing = self.drawing();
            let is_solid = |series: &Series| series.kind.is_solid();
            if drawing.series.iter().chain(&series).any(is_solid)
                && !drawing.series.iter().chain(&series).all(is_solid)
            {
                return Err(mixed(operation));
            }
            drawing.last = drawing.series.len();
            drawing.series.extend(series);
            Ok(())
        });
        added.or_raise();
        Figure(self.0.again())
    }
}

fn nothing_to_style(operation: &'static str) -> crate::error::Error {
    let message = "the figure has no series yet; add one first: `Figure::new().plot(&y)`".to_owned();
    Problem::Invalid { operation, message }.into()
}

fn mixed(operation: &'static str) -> crate::error::Error {
    let message = "a figure has two axes or three; `plot3d`, `scatter3d`, `surface` and `wireframe` share one with each \
                   other, and no other kind with them: make a figure for each"
        .to_owned();
    Problem::Invalid { operation, message }.into()
}
