//! Several axes in one picture.

mod page;

pub(super) use page::beside;

use std::ops::Index;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpurepl_arrays::series::{PlotData, PlotNumber};

use super::color::Theme;
use super::draw::formula::checked;
use super::figure::Figure;
use super::style::defaults;
use super::{reduce, settings};
use crate::error::{Error, OrRaise as _, Problem, Result};
use crate::shape::Length;

/// Several axes in one picture: what [`subplots`] returns. Each is a
/// [`Figure`], found by its row and its column, or by its number in the order
/// of reading.
///
/// ```
/// use gpurepl_prelude::*;
/// let x = linspace(0.0, 6.3, 200);
/// let axes = subplots(2, 2);
/// axes[(0, 0)].plot((&x, &x.sin())).title("sin");
/// axes[(0, 1)].plot((&x, &x.cos())).title("cos");
/// axes[2].hist(&randn::<f32>(10_000), 40);
/// axes[3].imshow(&rand::<f32>((20, 30)));
/// axes.suptitle("Four axes");
/// ```
///
/// Methods change the axes and return them, as those of a [`Figure`] do.
pub struct Subplots(Box<dyn Handle>);

/// A trait object, so that a cell that drops it compiles a call.
trait Handle: Send + Sync {
    fn sheet(&self) -> &Arc<Sheet>;
}

impl Handle for Arc<Sheet> {
    fn sheet(&self) -> &Arc<Sheet> {
        self
    }
}

/// The axes and what is said of all of them.
struct Sheet {
    rows: usize,
    columns: usize,
    cells: Vec<Cell>,
    /// The letters of a mosaic's axes.
    letters: Vec<char>,
    settings: Mutex<Settings>,
}

/// The rows and the columns that axes fill.
#[derive(Clone)]
struct Cell {
    figure: Figure,
    rows: (usize, usize),
    columns: (usize, usize),
}

#[derive(Clone)]
struct Settings {
    title: String,
    share: [Share; 2],
    /// Parts of the width and of the height.
    widths: Vec<f64>,
    heights: Vec<f64>,
    /// In pixels, if it was asked for.
    size: Option<(u32, u32)>,
    pixel_ratio: f64,
    theme: Option<Theme>,
    is_interactive: bool,
}

/// Which axes have the same ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    None,
    /// Those in a column, for `x`, or in a row, for `y`.
    Line,
    All,
}

/// The most rows and columns: each takes 50 pixels.
const MOST: i64 = 100;

/// Axes in rows and columns.
///
/// # Panics
///
/// With an [`Error`](gpurepl_ground::Error), if there are no rows or columns, or more
/// than 100.
#[track_caller]
#[must_use = "its axes take series, and it is shown as a cell's value, or by `display(&..)`"]
pub fn subplots(rows: impl Length, columns: impl Length) -> Subplots {
    in_grid(rows.length(), columns.length()).or_raise()
}

fn in_grid(rows: i64, columns: i64) -> Result<Subplots> {
    for (name, count) in [("rows", rows), ("columns", columns)] {
        if !(1..=MOST).contains(&count) {
            let message = format!("{count} is not a valid number of {name}; give a number from 1 to {MOST}");
            return Err(Problem::Invalid { operation: "subplots", message }.into());
        }
    }
    let (rows, columns) = (rows as usize, columns as usize);
    let cell = |k: usize| Cell {
        figure: Figure::new(),
        rows: (k / columns, k / columns + 1),
        columns: (k % columns, k % columns + 1),
    };
    Ok(Subplots::of(rows, columns, (0..rows * columns).map(cell).collect(), Vec::new()))
}

/// Axes of unequal size, drawn with letters: each letter is one of them and
/// fills the rectangle that it is written in; `.` is left free.
///
/// ```
/// use gpurepl_prelude::*;
/// let axes = subplot_mosaic(["AAB", "CCB"]);
/// axes['A'].plot(&[1, 4, 9]);
/// axes['B'].bar(&[3, 5]);
/// ```
///
/// # Panics
///
/// With an [`Error`](gpurepl_ground::Error), if rows differ in length, or a letter does
/// not fill a rectangle.
#[track_caller]
#[must_use = "its axes take series, and it is shown as a cell's value, or by `display(&..)`"]
pub fn subplot_mosaic<S: AsRef<str>>(rows: impl IntoIterator<Item = S>) -> Subplots {
    let rows: Vec<Vec<char>> = rows
        .into_iter()
        .flat_map(|row| {
            row.as_ref().split([';', '\n']).map(|row| row.trim().chars().collect()).collect::<Vec<_>>()
        })
        .collect();
    mosaic(&rows).or_raise()
}

fn mosaic(rows: &[Vec<char>]) -> Result<Subplots> {
    let rows: Vec<&Vec<char>> = rows.iter().filter(|row| !row.is_empty()).collect();
    let invalid =
        |message: String| -> Error { Problem::Invalid { operation: "subplot_mosaic", message }.into() };
    let columns = rows.first().map_or(0, |row| row.len());
    if columns == 0 || rows.len() > MOST as usize || columns > MOST as usize {
        return Err(invalid(format!(
            "{} rows of {columns} letters are not a mosaic; give from 1 to {MOST} of both: `[\"AAB\", \"CCB\"]`",
            rows.len()
        )));
    }
    if let Some(row) = rows.iter().find(|row| row.len() != columns) {
        return Err(invalid(format!(
            "the rows have {columns} and {} letters; give them the same length",
            row.len()
        )));
    }
    let mut letters: Vec<char> = Vec::new();
    for letter in rows.iter().copied().flatten().filter(|letter| **letter != '.') {
        if !letters.contains(letter) {
            letters.push(*letter);
        }
    }
    let mut cells = Vec::new();
    for letter in &letters {
        let is_in = |row: &&&Vec<char>| row.contains(letter);
        let (top, bottom) =
            (rows.iter().position(|row| is_in(&row)), rows.iter().rposition(|row| is_in(&row)));
        let all = || rows.iter().copied().flatten().enumerate().filter(|(_, found)| *found == letter);
        let places = || all().map(|(k, _)| k % columns);
        let (Some(top), Some(bottom), Some(left), Some(right)) =
            (top, bottom, places().min(), places().max())
        else {
            continue;
        };
        if all().count() != (bottom + 1 - top) * (right + 1 - left) {
            return Err(invalid(format!(
                "`{letter}` does not fill a rectangle; use another letter for a part of it"
            )));
        }
        let figure = Figure::new();
        cells.push(Cell { figure, rows: (top, bottom + 1), columns: (left, right + 1) });
    }
    Ok(Subplots::of(rows.len(), columns, cells, letters))
}

impl Subplots {
    fn of(rows: usize, columns: usize, cells: Vec<Cell>, letters: Vec<char>) -> Subplots {
        let settings = Settings {
            title: String::new(),
            share: [Share::None; 2],
            widths: vec![1.0; columns],
            heights: vec![1.0; rows],
            size: defaults().size,
            pixel_ratio: defaults().pixel_ratio,
            theme: None,
            is_interactive: false,
        };
        Subplots::with(Sheet { rows, columns, cells, letters, settings: Mutex::new(settings) })
    }

    fn with(sheet: Sheet) -> Subplots {
        Subplots(Box::new(Arc::new(sheet)))
    }

    fn sheet(&self) -> &Sheet {
        self.0.sheet()
    }

    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.sheet().settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, change: impl FnOnce(&mut Settings)) -> Subplots {
        change(&mut self.settings());
        Subplots(Box::new(Arc::clone(self.0.sheet())))
    }

    /// The axes in the order of reading.
    pub fn iter(&self) -> impl Iterator<Item = &Figure> {
        self.sheet().cells.iter().map(|cell| &cell.figure)
    }

    /// How many axes there are.
    pub fn len(&self) -> usize {
        self.sheet().cells.len()
    }

    /// Whether there are no axes: of a mosaic of dots.
    pub fn is_empty(&self) -> bool {
        self.sheet().cells.is_empty()
    }

    /// What stands above all axes.
    #[track_caller]
    pub fn suptitle(&self, text: impl AsRef<str>) -> Subplots {
        let text = checked("suptitle", text.as_ref()).or_raise();
        self.set(|settings| settings.title = text)
    }

    /// Gives all axes the same ends of `x`, and shows numbers below the lowest
    /// only.
    pub fn sharex(&self) -> Subplots {
        self.set(|settings| settings.share[0] = Share::All)
    }

    /// Gives all axes the same ends of `y`, and shows numbers beside the first
    /// of each row only.
    pub fn sharey(&self) -> Subplots {
        self.set(|settings| settings.share[1] = Share::All)
    }

    /// The same for the axes of each column.
    pub fn sharex_col(&self) -> Subplots {
        self.set(|settings| settings.share[0] = Share::Line)
    }

    /// The same for the axes of each row.
    pub fn sharey_row(&self) -> Subplots {
        self.set(|settings| settings.share[1] = Share::Line)
    }

    /// How wide the columns are, compared with each other.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let axes = subplots(1, 2);
    /// axes.width_ratios([3, 1]);
    /// ```
    #[track_caller]
    pub fn width_ratios(&self, parts: impl PlotData) -> Subplots {
        let parts = parts.plot_data().and_then(|raw| reduce::values(&raw));
        let parts = parts.and_then(|parts| ratios("width_ratios", parts, self.sheet().columns)).or_raise();
        self.set(|settings| settings.widths = parts)
    }

    /// How high the rows are, compared with each other.
    #[track_caller]
    pub fn height_ratios(&self, parts: impl PlotData) -> Subplots {
        let parts = parts.plot_data().and_then(|raw| reduce::values(&raw));
        let parts = parts.and_then(|parts| ratios("height_ratios", parts, self.sheet().rows)).or_raise();
        self.set(|settings| settings.heights = parts)
    }

    /// The size of all axes together in pixels; otherwise up to 960, and as
    /// much as the axes need.
    #[track_caller]
    pub fn size(&self, width: impl Length, height: impl Length) -> Subplots {
        let size = settings::size(width.length(), height.length()).or_raise();
        self.set(|settings| settings.size = Some(size))
    }

    /// How many pixels a saved PNG has for each of the picture's own, as
    /// [`Figure::pixel_ratio`].
    #[track_caller]
    pub fn pixel_ratio(&self, ratio: impl PlotNumber) -> Subplots {
        let ratio = ratio.plot_number();
        let ratio = settings::pixel_ratio(ratio).or_raise();
        self.set(|settings| settings.pixel_ratio = ratio)
    }

    /// Lets readers of a notebook move the axes, as [`Figure::interactive`] does;
    /// those that are shared move together.
    pub fn interactive(&self) -> Subplots {
        self.set(|settings| settings.is_interactive = true)
    }

    /// The look of all axes.
    pub fn theme(&self, theme: Theme) -> Subplots {
        self.set(|settings| settings.theme = Some(theme))
    }
}

impl Clone for Subplots {
    /// Other axes with the same series and settings.
    fn clone(&self) -> Subplots {
        let Sheet { rows, columns, cells, letters, .. } = self.sheet();
        let settings = Mutex::new(self.settings().clone());
        let (cells, letters) = (cells.clone(), letters.clone());
        Subplots::with(Sheet { rows: *rows, columns: *columns, cells, letters, settings })
    }
}

fn ratios(operation: &'static str, parts: Vec<f64>, count: usize) -> Result<Vec<f64>> {
    let is_usual = |part: &f64| *part > 0.0 && part.is_finite();
    let message = if parts.len() != count {
        format!("there are {} numbers and {count} to be told apart; give one for each", parts.len())
    } else if let Some(part) = parts.iter().find(|part| !is_usual(part)) {
        format!("{part} is not a part of a length; give numbers above 0")
    } else {
        return Ok(parts);
    };
    Err(Problem::Invalid { operation, message }.into())
}

impl Index<(usize, usize)> for Subplots {
    type Output = Figure;

    /// The axes in a row and a column, both counted from 0.
    #[track_caller]
    fn index(&self, (row, column): (usize, usize)) -> &Figure {
        let is_there = |cell: &&Cell| {
            (cell.rows.0..cell.rows.1).contains(&row) && (cell.columns.0..cell.columns.1).contains(&column)
        };
        match self.sheet().cells.iter().find(is_there) {
            Some(cell) => &cell.figure,
            None => no_axes(&format!("({row}, {column})"), self.sheet()),
        }
    }
}

impl Index<usize> for Subplots {
    type Output = Figure;

    /// The axes of a number, in the order of reading, counted from 0.
    #[track_caller]
    fn index(&self, number: usize) -> &Figure {
        match self.sheet().cells.get(number) {
            Some(cell) => &cell.figure,
            None => no_axes(&number.to_string(), self.sheet()),
        }
    }
}

impl Index<char> for Subplots {
    type Output = Figure;

    /// The axes of a letter of a mosaic.
    #[track_caller]
    fn index(&self, letter: char) -> &Figure {
        match self.sheet().letters.iter().position(|known| *known == letter) {
            Some(place) => &self.sheet().cells[place].figure,
            None => no_axes(&format!("{letter:?}"), self.sheet()),
        }
    }
}

impl Index<&str> for Subplots {
    type Output = Figure;

    /// The same.
    #[track_caller]
    fn index(&self, letter: &str) -> &Figure {
        let mut letters = letter.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => &self[letter],
            _ => no_axes(&format!("{letter:?}"), self.sheet()),
        }
    }
}

#[track_caller]
#[cold]
fn no_axes(index: &str, sheet: &Sheet) -> ! {
    let known = match sheet.letters.as_slice() {
        [] => format!("{} rows and {} columns, counted from 0", sheet.rows, sheet.columns),
        letters => letters.iter().map(|letter| format!("{letter:?}")).collect::<Vec<_>>().join(", "),
    };
    let message = format!("no axes at {index}; there are {known}");
    Error::from(Problem::Invalid { operation: "subplots", message }).raise()
}
