//! Other ends of axes, as a script asks for them.

use crate::chart::Drawing;
use crate::error::{Problem, Result};
use crate::scale::Scale;

/// The axes that are to have other ends, and a token by which the script knows
/// the answer.
#[derive(Debug, PartialEq)]
pub(super) struct Request {
    token: String,
    ends: Vec<Ends>,
}

/// The ends of two axes, by the number of their window in the picture.
#[derive(Debug, PartialEq)]
struct Ends {
    window: usize,
    x: (f64, f64),
    y: (f64, f64),
}

impl Request {
    /// Reads `token;window from to from to;window ..`.
    pub(super) fn parse(text: &str) -> Result<Request> {
        let mut parts = text.split(';');
        let token = parts.next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if token.is_empty() || !token.chars().all(is_plain) {
            return Err(wrong());
        }
        let ends = parts.map(|part| ends(part).ok_or_else(wrong)).collect::<Result<_>>()?;
        Ok(Request { token: token.to_owned(), ends })
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// For which pages the picture is.
    pub(super) fn look(&self) -> &str {
        self.token.split('-').next().unwrap_or_default()
    }

    /// Gives the axes of drawings the ends; windows are counted through all of
    /// them.
    pub(super) fn apply(&self, drawings: &mut [&mut Drawing]) -> Result<()> {
        let mut number = 0;
        let mut problem = None;
        for drawing in drawings {
            drawing.each_window(&mut |x, y| {
                if let Some(ends) = self.ends.iter().find(|ends| ends.window == number) {
                    for (axis, (from, to)) in [(x, ends.x), (y, ends.y)] {
                        if axis.scale == Scale::Log && (from <= 0.0 || to <= 0.0) {
                            problem = Some((from, to));
                        }
                        axis.limits = Some((from, to));
                    }
                }
                number += 1;
            });
        }
        match problem {
            None => Ok(()),
            Some((from, to)) => {
                let message = format!("a logarithmic axis cannot run from {from} to {to}");
                Err(Problem::Invalid { operation: "interactive", message }.into())
            }
        }
    }
}

fn ends(text: &str) -> Option<Ends> {
    let mut words = text.split(' ');
    let window = words.next()?.parse().ok()?;
    let mut number = || words.next()?.parse::<f64>().ok().filter(|number| number.is_finite());
    let (x, y) = ((number()?, number()?), (number()?, number()?));
    let is_apart = |(from, to): (f64, f64)| from != to && (to - from).is_finite();
    (words.next().is_none() && is_apart(x) && is_apart(y)).then_some(Ends { window, x, y })
}

fn wrong() -> crate::error::Error {
    let message = "these are not ends of axes".to_owned();
    Problem::Invalid { operation: "interactive", message }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_axes_are_read() {
        let read = Request::parse("dark-3;0 -1.5 2 1e-3 4;2 1 0 0 1").unwrap();
        assert_eq!((read.token(), read.look()), ("dark-3", "dark"));
        assert_eq!(read.ends[0], Ends { window: 0, x: (-1.5, 2.0), y: (0.001, 4.0) });
        assert_eq!(read.ends[1], Ends { window: 2, x: (1.0, 0.0), y: (0.0, 1.0) });
        assert!(Request::parse("own-1").unwrap().ends.is_empty());
    }

    #[test]
    fn what_are_no_ends_of_axes_is_refused() {
        for text in [
            "",
            ";0 0 1 0 1",
            "a\"b;0 0 1 0 1",
            "a;0 0 1 0",
            "a;0 0 1 0 1 2",
            "a;0 1 1 0 1",
            "a;0 0 inf 0 1",
            "a;x",
        ] {
            assert!(Request::parse(text).is_err(), "{text}");
        }
    }
}
