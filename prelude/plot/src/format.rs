//! Matplotlib's letters for how a line is drawn: `r--`, `ko`, `C2^:`
//! (`lib/matplotlib/axes/_base.py`, `_process_plot_format`).

use super::chart::{Dash, Paint, Series};
use super::figure::paint;
use super::marker::Marker;
use crate::error::{Error, Problem, Result};

/// A colour, a mark and a line, each if it was named.
#[derive(Clone, Copy, Default)]
pub(super) struct Format {
    paint: Option<Paint>,
    marker: Option<Marker>,
    dash: Option<Dash>,
}

/// The longer ones first, since they begin like the others.
const LINES: [(&str, Dash); 4] =
    [("--", Dash::Dashed), ("-.", Dash::Mixed), ("-", Dash::Solid), (":", Dash::Dotted)];

impl Format {
    pub(super) fn parse(text: &str) -> Result<Format> {
        let mut format = Format::default();
        // A colour alone may be any that colours have.
        if text.len() > 1
            && let Ok(paint) = paint(text)
        {
            return Ok(Format { paint: Some(paint), ..format });
        }
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let line = LINES.iter().find(|(sign, _)| rest.starts_with(sign));
            let (part, taken) = match line {
                Some((sign, dash)) => (format.dash.replace(*dash).is_some(), sign.len()),
                None if letter == 'C' && rest[1..].starts_with(|digit: char| digit.is_ascii_digit()) => {
                    (format.paint.replace(paint(&rest[..2])?).is_some(), 2)
                }
                None => {
                    let sign = &rest[..letter.len_utf8()];
                    let is_again = match (Marker::parse(sign), paint(sign)) {
                        (Ok(marker), _) => format.marker.replace(marker).is_some(),
                        (_, Ok(paint)) if letter.is_ascii_alphabetic() => {
                            format.paint.replace(paint).is_some()
                        }
                        _ => return Err(unknown(text, &format!("`{sign}` is none of them"))),
                    };
                    (is_again, sign.len())
                }
            };
            if part {
                return Err(unknown(text, "one of them is there twice"));
            }
            rest = &rest[taken..];
        }
        Ok(format)
    }

    /// Whether nothing was named.
    pub(super) fn is_empty(&self) -> bool {
        self.paint.is_none() && self.marker.is_none() && self.dash.is_none()
    }

    /// Marks without a line, where only a mark was named.
    pub(super) fn apply(&self, series: &mut Series) {
        if self.paint.is_some() {
            series.paint = self.paint;
        }
        if self.marker.is_some() {
            series.marker = self.marker;
        }
        match self.dash {
            Some(dash) => (series.dash, series.has_line) = (dash, true),
            None => series.has_line = self.marker.is_none(),
        }
    }
}

fn unknown(text: &str, why: &str) -> Error {
    let marks = Marker::letters();
    let message = format!(
        "`{text}` is not a format: {why}; write a colour (`r`, `k`, `C1`), a mark ({marks}) and a line (`-`, `--`, `:`, \
         `-.`), such as `r--` or `ko`"
    );
    Problem::Invalid { operation: "format", message }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_a_colour_a_mark_and_a_line() {
        let parts = |text: &str| {
            let format = Format::parse(text).unwrap();
            (format.paint.is_some(), format.marker, format.dash)
        };
        assert_eq!(parts("r--"), (true, None, Some(Dash::Dashed)));
        assert_eq!(parts("ko"), (true, Some(Marker::Disc), None));
        assert_eq!(parts("C2^:"), (true, Some(Marker::Up), Some(Dash::Dotted)));
        assert_eq!(parts("-.xb"), (true, Some(Marker::Cross), Some(Dash::Mixed)));
        assert_eq!(parts("tab:red"), (true, None, None));
        assert_eq!(parts("-"), (false, None, Some(Dash::Solid)));
        assert_eq!(parts("r<--"), (true, Some(Marker::Left), Some(Dash::Dashed)));
        assert_eq!(parts("_k:"), (true, Some(Marker::Level), Some(Dash::Dotted)));
        assert_eq!(parts(".-"), (false, Some(Marker::Dot), Some(Dash::Solid)));
        assert_eq!(parts("-.."), (false, Some(Marker::Dot), Some(Dash::Mixed)));
        assert_eq!(parts("g|"), (true, Some(Marker::Upright), None));
        assert_eq!(parts("gP"), (true, Some(Marker::FilledPlus), None));
        assert_eq!(parts(""), (false, None, None));
        for (text, why) in
            [("rg", "twice"), ("q-", "`q` is none"), ("--:", "twice"), ("5", "none"), ("é", "`é`")]
        {
            let error = Format::parse(text).err().unwrap().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
