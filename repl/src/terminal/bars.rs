//! Progress bars of cells: below everything else on a terminal, a line at
//! their begin and at their end elsewhere.

use super::screen::{Size, up};

/// By this form a bundle is the progress of something.
pub const MIME: &str = "application/vnd.gpurepl.progress+json";

/// The bars that are not at their end.
#[derive(Debug, Default)]
pub struct Bars {
    bars: Vec<(u64, String)>,
    /// How many are on the screen, in the rows above the cursor.
    drawn: usize,
}

impl Bars {
    /// Notes the state of a bar, new or not.
    pub fn set(&mut self, id: u64, text: &str) {
        match self.bars.iter_mut().find(|(own, _)| *own == id) {
            Some((_, own)) => text.clone_into(own),
            None => self.bars.push((id, text.to_owned())),
        }
    }

    /// Whether a bar is among them.
    pub fn has(&self, id: u64) -> bool {
        self.bars.iter().any(|(own, _)| *own == id)
    }

    /// Lets a bar go.
    pub fn remove(&mut self, id: u64) {
        self.bars.retain(|(own, _)| *own != id);
    }

    /// Lets all bars go, and returns what they say.
    pub fn take(&mut self) -> Vec<String> {
        self.bars.drain(..).map(|(_, text)| text).collect()
    }

    /// What takes the bars from the screen; nothing if they are not there.
    pub fn erase(&mut self) -> String {
        match std::mem::take(&mut self.drawn) {
            0 => String::new(),
            drawn => up(drawn),
        }
    }

    /// What draws the bars, each on a row of its own, with the cursor at the
    /// start of a line.
    pub fn draw(&mut self, (rows, columns): Size) -> String {
        let width = usize::from(columns).saturating_sub(1);
        // The outer ones, if there is no room for all.
        let room = usize::from(rows).saturating_sub(2);
        let lines: Vec<_> =
            self.bars.iter().take(room).map(|(_, text)| console::truncate_str(text, width, "…")).collect();
        self.drawn = lines.len();
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_drawn_below_each_other_and_erased_together() {
        let mut bars = Bars::default();
        assert_eq!(bars.erase(), "");
        bars.set(1, "outer 1/2");
        bars.set(2, "inner 1/1000");
        bars.set(1, "outer 2/2");
        assert_eq!(bars.draw((24, 11)), "outer 2/2\ninner 1/1…\n");
        assert_eq!(bars.erase(), "\x1b[2A\r\x1b[J");
        assert_eq!(bars.erase(), "");
        bars.remove(1);
        assert!(bars.has(2) && !bars.has(1));
        assert_eq!(bars.draw((2, 80)), "");
        assert_eq!(bars.take(), ["inner 1/1000"]);
    }
}
