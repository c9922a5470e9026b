//! Tables: of the rows that a value's `Debug` text lists, of arrays of one length, and of
//! figures.

use std::fmt::{self, Debug, Write as _};

use gpurepl_wire::MimeBundle;

use super::Render;
use super::card::html::Page;
use super::debug_rows::Rows;
use crate::array::{Elem, GpuArray, RealElem};
use crate::error::{Error, Problem};

/// Rows and columns of texts, of which the middle ones may be left out: what [`table`],
/// [`columns`] and [`describe`] return. It is a table in a notebook, and text elsewhere.
#[derive(Clone)]
pub struct Table {
    pub(super) columns: Vec<Column>,
    /// What stands before each row.
    pub(super) index: Vec<String>,
    /// The row before which others are left out.
    pub(super) gap: Option<usize>,
    /// How many rows there are in all; none if nobody has counted to the end.
    pub(super) rows: Option<usize>,
}

#[derive(Clone)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) cells: Vec<String>,
}

/// More rows than this are shown by their first and last ones.
pub(super) const MOST_ROWS: usize = 60;

/// That many of each.
pub(super) const AT_EACH_END: usize = 5;

/// Text of a value that is read for a table nobody has asked for.
const MOST_BYTES: usize = 1 << 20;

/// A table of a value whose elements are structures, tuples or lists of one length, or of a
/// map: a row for each, and a column for each field.
///
/// ```
/// use gpurepl_prelude::*;
/// #[derive(Debug)]
/// struct Body { name: &'static str, mass: f64 }
/// let bodies = vec![Body { name: "Earth", mass: 5.97 }, Body { name: "Mars", mass: 0.642 }];
/// assert_eq!(table(&bodies).to_string(), "   name    mass\n0  Earth   5.97\n1  Mars   0.642\n");
/// ```
#[must_use = "it is shown as a cell's value, or by `display(&..)`"]
pub fn table<T: Debug + ?Sized>(value: &T) -> Table {
    of_debug(&value)
}

fn of_debug(value: &dyn Debug) -> Table {
    let mut rows = Rows::of(usize::MAX);
    let _ = write!(rows, "{value:?}");
    rows.table().unwrap_or_else(|| Table {
        columns: vec![Column { name: "value".to_owned(), cells: vec![super::tiers::debug_text(value)] }],
        index: vec![String::new()],
        gap: None,
        rows: Some(1),
    })
}

/// The table of a value that is shown, if it is one.
pub(super) fn found(value: &dyn Debug) -> Option<String> {
    let mut rows = Rows::of(MOST_BYTES);
    let is_whole = write!(rows, "{value:?}").is_ok();
    let mut table = rows.table()?;
    if !is_whole {
        table.cut();
    }
    Some(table.to_html())
}

/// Vectors of one length, with names: `("x", &x)`.
pub trait Columns {
    #[doc(hidden)]
    #[track_caller]
    fn columns(&self) -> Vec<(String, Cells)>;
}

/// The length of a vector, and its first and last elements.
#[doc(hidden)]
pub type Cells = (usize, Vec<String>);

/// The elements that a table shows of a vector.
#[track_caller]
fn cells<T: Elem>(array: &GpuArray<T>) -> Cells {
    let flat = array.ravel();
    let length = flat.len();
    let text = |part: GpuArray<T>| part.to_vec().into_iter().map(|x| format!("{x:?}")).collect::<Vec<_>>();
    if length <= MOST_ROWS {
        return (length, text(flat));
    }
    let end = |range: std::ops::Range<usize>| {
        let items: [crate::array::SliceItem<'_>; 1] = [range.into()];
        text(flat.slice(crate::array::Slices::new(&items)))
    };
    let mut all = end(0..AT_EACH_END);
    all.extend(end(length - AT_EACH_END..length));
    (length, all)
}

impl<T: Elem, const N: usize> Columns for [(&str, &GpuArray<T>); N] {
    fn columns(&self) -> Vec<(String, Cells)> {
        self.iter().map(|(name, array)| ((*name).to_owned(), cells(array))).collect()
    }
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<$($name: Elem),+> Columns for ($((&str, &GpuArray<$name>),)+) {
            fn columns(&self) -> Vec<(String, Cells)> {
                vec![$((self.$place.0.to_owned(), cells(self.$place.1))),+]
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 8, tuples);

/// A table of vectors of one length, each a column under its name: pandas' `DataFrame` to look
/// at.
///
/// ```
/// use gpurepl_prelude::*;
/// let (n, x) = (arange(0..3), gpu![0.5, 0.25, 2.0]);
/// assert_eq!(columns((("n", &n), ("x", &x))).to_string(), "   n     x\n0  0   0.5\n1  1  0.25\n2  2   2.0\n");
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the lengths differ, or the device reports an error.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&..)`"]
pub fn columns<C: Columns>(arrays: C) -> Table {
    of_columns(arrays.columns())
}

#[track_caller]
fn of_columns(all: Vec<(String, Cells)>) -> Table {
    let rows = all.first().map_or(0, |(_, (length, _))| *length);
    if let Some((name, (length, _))) = all.iter().find(|(_, (length, _))| *length != rows) {
        let message = format!("`{name}` has {length} elements, and `{}` has {rows}", all[0].0);
        Error::from(Problem::Shape { operation: "columns", message }).raise()
    }
    let gap = (rows > MOST_ROWS).then_some(AT_EACH_END);
    let shown = all.first().map_or(0, |(_, (_, cells))| cells.len());
    let place = |row: usize| if gap.is_some_and(|gap| row >= gap) { rows - shown + row } else { row };
    Table {
        index: (0..shown).map(|row| place(row).to_string()).collect(),
        columns: all.into_iter().map(|(name, (_, cells))| Column { name, cells }).collect(),
        gap,
        rows: Some(rows),
    }
}

/// What the numbers of an array are like: how many there are that are not NaN, their mean,
/// standard deviation (of a sample, as pandas has it), least and greatest number and
/// quartiles. Of a matrix there is a column for each column.
///
/// ```
/// use gpurepl_prelude::*;
/// let text = describe(&gpu![1.0, 2.0, 3.0, f64::NAN]).to_string();
/// assert!(text.starts_with("              0\ncount         3\nmean   2.000000\nstd    1.000000\n"));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the array has no elements, or the device reports an
/// error.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&..)`"]
pub fn describe<T: RealElem>(array: &GpuArray<T>) -> Table {
    described(array.astype(crate::array::types::f64))
}

#[track_caller]
fn described(array: GpuArray<f64>) -> Table {
    if array.is_empty() {
        let message = format!("an array of shape {:?} has no elements to describe", array.shape());
        Error::from(Problem::Shape { operation: "describe", message }).raise()
    }
    let array = match array.ndim() {
        1 => array.expand_dims(1),
        2 => array,
        _ => array.ravel().expand_dims(1),
    };
    let count = (!array.isnan()).sum_axis(0).to_vec();
    let mut figures = vec![
        ("mean", array.nanmean_axis(0).to_vec()),
        ("std", array.nanstd_axis_ddof(0, 1).to_vec()),
        ("min", array.nanmin_axis(0).to_vec()),
    ];
    for (name, share) in [("25%", 0.25), ("50%", 0.5), ("75%", 0.75)] {
        figures.push((name, array.nanquantile_axis(share, 0).to_vec()));
    }
    figures.push(("max", array.nanmax_axis(0).to_vec()));
    let column = |number: usize| {
        let mut cells = vec![count[number].to_string()];
        // What has few digits before or after its point is written as pandas writes it.
        let sizes = figures.iter().map(|(_, of_columns)| of_columns[number].abs());
        let sizes = sizes.filter(|size| size.is_finite() && *size > 0.0);
        let (least, largest) = sizes.fold((f64::INFINITY, 0.0), |(least, largest): (f64, f64), size| {
            (least.min(size), largest.max(size))
        });
        let is_plain = largest == 0.0 || ((1e-3..1e9).contains(&largest) && least >= 1e-6);
        let text = |x: f64| if is_plain { format!("{x:.6}") } else { format!("{x:.6e}") };
        cells.extend(figures.iter().map(|(_, of_columns)| text(of_columns[number])));
        Column { name: number.to_string(), cells }
    };
    let mut index = vec!["count".to_owned()];
    index.extend(figures.iter().map(|(name, _)| (*name).to_owned()));
    Table { columns: (0..count.len()).map(column).collect(), index, gap: None, rows: None }
}

impl Column {
    fn is_number(&self) -> bool {
        let is_number =
            |text: &String| text.parse::<f64>().is_ok() || matches!(text.as_str(), "None" | "...");
        self.cells.iter().all(is_number)
    }
}

impl Table {
    /// Leaves out the last rows, which were the last ones that were read.
    fn cut(&mut self) {
        self.rows = None;
        if let Some(gap) = self.gap {
            self.index.truncate(gap);
            self.columns.iter_mut().for_each(|column| column.cells.truncate(gap));
        }
    }

    /// A table of texts, by the columns' names.
    #[doc(hidden)]
    pub fn of_texts(columns: Vec<(String, Vec<String>)>) -> Table {
        let rows = columns.first().map_or(0, |(_, cells)| cells.len());
        Table {
            columns: columns.into_iter().map(|(name, cells)| Column { name, cells }).collect(),
            index: (0..rows).map(|row| row.to_string()).collect(),
            gap: None,
            rows: Some(rows),
        }
    }

    /// The same of so many rows, of which the texts are the first and the last ones, as many of
    /// either.
    #[doc(hidden)]
    pub fn of_ends(columns: Vec<(String, Vec<String>)>, rows: usize) -> Table {
        let table = Table::of_texts(columns);
        let shown = table.index.len();
        if shown >= rows {
            return table;
        }
        let gap = shown / 2;
        let index = (0..shown).map(|row| if row < gap { row } else { rows - shown + row }.to_string());
        Table { index: index.collect(), gap: Some(gap), rows: Some(rows), ..table }
    }

    /// As a notebook shows it.
    #[doc(hidden)]
    pub fn to_html(&self) -> String {
        let mut page = Page::new();
        page.open("div", "gr-body");
        page.open("table", "");
        if let (Some(rows), true) = (self.rows, self.gap.is_some()) {
            page.text("caption", "", &format!("{rows} rows"));
        } else if self.rows.is_none() && self.gap.is_some() {
            page.text("caption", "", "the first rows");
        }
        let left = |column: &Column| if column.is_number() { "" } else { "style=\"text-align:left\"" };
        page.open("thead", "");
        page.open("tr", "");
        page.text("th", "", "");
        for column in &self.columns {
            page.open_with("th", "", left(column));
            page.raw(&super::card::html::escape(&column.name));
            page.close("th");
        }
        page.close("tr");
        page.close("thead");
        page.open("tbody", "");
        for row in 0..=self.index.len() {
            if self.gap == Some(row) {
                page.open("tr", "");
                page.text("th", "", "⋮");
                self.columns.iter().for_each(|_| page.text("td", "gr-gap", "⋮"));
                page.close("tr");
            }
            let Some(name) = self.index.get(row) else { break };
            page.open("tr", "");
            page.text("th", "", name);
            for column in &self.columns {
                page.open_with("td", "", left(column));
                page.raw(&super::card::html::escape(&column.cells[row]));
                page.close("td");
            }
            page.close("tr");
        }
        page.close("tbody");
        page.close("table");
        page.close("div");
        page.finish()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |texts: &mut dyn Iterator<Item = &str>| texts.map(|text| text.chars().count()).max();
        let first = width(&mut self.index.iter().map(String::as_str)).unwrap_or(0);
        let widths: Vec<(usize, bool)> = self
            .columns
            .iter()
            .map(|column| {
                let cells = column.cells.iter().map(String::as_str);
                let dots = if self.gap.is_some() { "..." } else { "" };
                let widest = width(&mut cells.chain([column.name.as_str(), dots])).unwrap_or(0);
                (widest, column.is_number())
            })
            .collect();
        let row = |f: &mut fmt::Formatter<'_>, name: &str, cells: &mut dyn Iterator<Item = &str>| {
            let mut line = format!("{name:<first$}");
            for (text, (width, is_number)) in cells.zip(&widths) {
                let _ = match is_number {
                    true => write!(line, "  {text:>width$}"),
                    false => write!(line, "  {text:<width$}"),
                };
            }
            writeln!(f, "{}", line.trim_end())
        };
        row(f, "", &mut self.columns.iter().map(|column| column.name.as_str()))?;
        for (number, name) in self.index.iter().enumerate() {
            if self.gap == Some(number) {
                row(f, "..", &mut self.columns.iter().map(|_| "..."))?;
            }
            row(f, name, &mut self.columns.iter().map(|column| column.cells[number].as_str()))?;
        }
        match (self.rows, self.gap) {
            (Some(rows), Some(_)) => writeln!(f, "{rows} rows"),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Render for Table {
    fn render(&self) -> MimeBundle {
        MimeBundle::text(self.to_string().trim_end().to_owned()).with("text/html", self.to_html())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, Clone)]
    #[allow(dead_code, reason = "its text is what is read")]
    struct Body {
        name: String,
        at: (f64, f64),
        moons: Option<u8>,
    }

    #[derive(Debug)]
    #[allow(dead_code, reason = "its text is what is read")]
    enum Degrees {
        Celsius { v: f64 },
        Fahrenheit { v: f64 },
    }

    struct Written(&'static str);

    impl Debug for Written {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    #[test]
    fn apostrophes_and_what_is_left_out_by_others() {
        let names = table(&Written("[(O'Brien, 1), (Smith, 2), (D'Arcy, 'c')]"));
        assert_eq!(names.to_string(), "   0        1\n0  O'Brien  1\n1  Smith    2\n2  D'Arcy   'c'\n");
        let matrix = table(&ndarray::Array2::<i32>::zeros((1000, 2)));
        assert!(matrix.to_string().contains("4    0    0\n   ...  ...\n     0    0\n"), "{matrix}");
    }

    #[test]
    fn structures_are_rows() {
        let body = |name: &str, moons| Body { name: name.to_owned(), at: (0.5, -1.0), moons };
        let bodies = vec![body("Earth, \"ours\"", Some(1)), body("{Venus}", None)];
        let table = table(&bodies);
        assert_eq!(
            table.to_string(),
            "   name           at           moons\n0  Earth, \"ours\"  (0.5, -1.0)  Some(1)\n1  {Venus}        (0.5, -1.0)  None\n"
        );
        assert!(found(&bodies).is_some_and(|html| html.contains("Earth, &quot;ours&quot;")));
    }

    #[test]
    fn tuples_maps_and_matrices_are_rows() {
        assert_eq!(table(&[(1, "a"), (20, "b")]).to_string(), "    0  1\n0   1  a\n1  20  b\n");
        let map = BTreeMap::from([("x", 1.5), ("y", 20.25)]);
        assert_eq!(table(&map).to_string(), "   value\nx    1.5\ny  20.25\n");
        let map = BTreeMap::from([("x", (1, 2)), ("y", (3, 4))]);
        assert_eq!(table(&map).to_string(), "   0  1\nx  1  2\ny  3  4\n");
        assert_eq!(table(&vec![vec![1, 2], vec![3, 4]]).to_string(), "   0  1\n0  1  2\n1  3  4\n");
        let matrix = ndarray::arr2(&[[1.0, 2.5], [3.0, 4.0]]);
        assert_eq!(table(&matrix).to_string(), "     0    1\n0  1.0  2.5\n1  3.0  4.0\n");
        assert!(found(&matrix).is_some());
    }

    #[test]
    fn the_middle_of_many_rows_is_left_out() {
        let rows: Vec<(usize, usize)> = (0..100).map(|k| (k, k * k)).collect();
        let text = table(&rows).to_string();
        assert!(text.contains("\n4     4    16\n..  ...   ...\n95   95  9025\n"), "{text}");
        assert!(text.ends_with("99   99  9801\n100 rows\n"), "{text}");
        let rows: Vec<(usize, usize)> = (0..62).map(|k| (k, k)).collect();
        let text = table(&rows).to_string();
        assert!(text.contains("..  ...  ...\n57   57   57\n"), "{text}");
        assert!(text.ends_with("61   61   61\n62 rows\n"), "{text}");
        let many: Vec<(u32, f64)> = (0..1_000_000).map(|k| (k, f64::from(k))).collect();
        assert!(found(&many).is_some_and(|html| html.contains("the first rows") && !html.contains(">5<")));
    }

    #[test]
    fn what_somebody_writes_with_commas_was_columns() {
        for text in ["[(Point 1, 2, 3), (Point 1, 2, 4)]", "[Point 1, 2]", "[P { at: 1, 2, size: 3 }]"] {
            assert!(found(&Written(text)).is_none(), "{text}");
        }
        let table = table(&Written("[(Some(1.5), Body { x: 1, y: 2 }, [1, 2], \"a b\")]"));
        assert_eq!(table.columns.len(), 4, "{table}");
    }

    #[test]
    fn small_numbers_beside_large_ones_were_zeros() {
        let text = describe(&crate::array::to_gpu(&[1e-7, 2e-7, 1.0])).to_string();
        assert!(text.contains("min    1.000000e-7\n") && text.contains("max     1.000000e0\n"), "{text}");
    }

    #[test]
    fn what_is_no_table_is_none() {
        for text in [
            format!("{:?}", found(&vec![1, 2, 3])),
            format!("{:?}", found(&"[(1, 2), (3, 4)]")),
            format!("{:?}", found(&Some(3))),
            format!("{:?}", found(&vec![vec![1], vec![2, 3]])),
            format!("{:?}", found(&vec![Some(1), None])),
            format!("{:?}", found(&((1, 2), (3, 4)))),
            format!("{:?}", found(&Vec::<(i32, i32)>::new())),
            format!("{:?}", found(&vec!["a'b", "c"])),
            format!("{:?}", found(&vec![Degrees::Celsius { v: 1.0 }, Degrees::Fahrenheit { v: 50.0 }])),
        ] {
            assert_eq!(text, "None");
        }
        assert_eq!(table(&7).to_string(), "  value\n      7\n");
    }
}
