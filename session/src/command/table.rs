//! Tables of text.

/// Rows under a head, in columns.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    /// How many columns, from the left, are numbers and stand to the right.
    numbers: usize,
}

impl Table {
    pub(super) fn new(head: &[&str], numbers: usize) -> Table {
        Table { rows: vec![head.iter().map(|text| (*text).to_owned()).collect()], numbers }
    }

    pub(super) fn row(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// The table without a line end after its last row.
    pub(super) fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                if column < self.numbers { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}
