//! What cells are called by their numbers.

/// What runs beside the cells has numbers above this one.
pub(crate) const ASIDES: u64 = 1 << 32;

/// What a cell is called by its number, if it has one.
pub(crate) fn cell_name(number: u64) -> String {
    if number > ASIDES { "a cell without a number".to_owned() } else { format!("cell {number}") }
}
