//! Markdown in a terminal: paragraphs as wide as a page, headings in bold, code and formulas as they are.

use anstyle::Style;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr as _;

use crate::terminal::Terminal;

/// The widest line of text that is read with ease.
const WIDEST: usize = 88;

/// Shows a text, after an empty line.
pub fn show(markdown: &str, terminal: &mut Terminal) {
    let columns = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
    let text = rendered(markdown, columns.clamp(20, WIDEST), terminal.has_colours());
    terminal.text("\n");
    terminal.line(&text, Style::new());
}

/// The text, in lines of so many columns.
pub fn rendered(markdown: &str, width: usize, has_colours: bool) -> String {
    let mut page = Page { width, has_colours, ..Page::default() };
    let options = Options::ENABLE_TABLES | Options::ENABLE_MATH;
    Parser::new_ext(markdown, options).for_each(|event| page.take(event));
    page.out.trim_end().to_owned()
}

#[derive(Default)]
struct Page {
    out: String,
    width: usize,
    has_colours: bool,
    /// The words of the paragraph so far.
    paragraph: String,
    /// The lists that are open: the next number of each that has numbers.
    lists: Vec<Option<u64>>,
    /// What stands before the first line of the paragraph.
    bullet: String,
    is_code: bool,
    cells: usize,
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::Heading { .. }) => self.style(Style::new().bold()),
            Event::End(TagEnd::Heading(_)) => {
                self.end_style(Style::new().bold());
                self.flush();
                self.gap();
            }
            Event::End(TagEnd::Paragraph) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
            }
            Event::Start(Tag::List(first)) => {
                self.flush();
                self.lists.push(first);
            }
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.gap();
                }
            }
            Event::Start(Tag::Item) => {
                self.bullet = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
            }
            Event::End(TagEnd::Item) => self.flush(),
            Event::Start(Tag::CodeBlock(_)) => {
                self.flush();
                self.is_code = true;
            }
            Event::End(TagEnd::CodeBlock) => {
                self.is_code = false;
                self.gap();
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => self.cells = 0,
            Event::Start(Tag::TableCell) => {
                if self.cells > 0 {
                    self.paragraph.push_str(" | ");
                }
                self.cells += 1;
            }
            Event::End(TagEnd::TableHead | TagEnd::TableRow) => self.flush(),
            Event::End(TagEnd::Table) => self.gap(),
            Event::Text(text) if self.is_code => {
                for line in text.lines() {
                    self.out.push_str("    ");
                    self.out.push_str(line);
                    self.out.push('\n');
                }
            }
            Event::Start(Tag::Strong) => self.style(Style::new().bold()),
            Event::End(TagEnd::Strong) => self.end_style(Style::new().bold()),
            Event::Start(Tag::Emphasis) => self.style(Style::new().italic()),
            Event::End(TagEnd::Emphasis) => self.end_style(Style::new().italic()),
            Event::Text(text) => self.paragraph.push_str(&text),
            Event::Code(text) => {
                self.paragraph.push('`');
                self.paragraph.push_str(&text);
                self.paragraph.push('`');
            }
            Event::InlineMath(text) => self.paragraph.push_str(&format!("${text}$")),
            Event::DisplayMath(text) => {
                self.flush();
                self.out.push_str(&format!("    {}\n", text.trim().replace('\n', " ")));
            }
            Event::SoftBreak | Event::HardBreak => self.paragraph.push(' '),
            Event::Rule => self.gap(),
            _ => {}
        }
    }

    fn style(&mut self, style: Style) {
        if self.has_colours {
            self.paragraph.push_str(&style.render().to_string());
        }
    }

    fn end_style(&mut self, style: Style) {
        if self.has_colours {
            self.paragraph.push_str(&style.render_reset().to_string());
        }
    }

    /// An empty line, unless there is one.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Writes the paragraph in lines.
    fn flush(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        if paragraph.trim().is_empty() {
            return;
        }
        let depth = "  ".repeat(self.lists.len().saturating_sub(1));
        let first = format!("{depth}{}", std::mem::take(&mut self.bullet));
        let rest = " ".repeat(if self.lists.is_empty() { 0 } else { depth.len() + 2 });
        let mut line = first.clone();
        let mut is_empty = true;
        for word in paragraph.split_whitespace() {
            if !is_empty && width(&line) + 1 + width(word) > self.width {
                self.out.push_str(line.trim_end());
                self.out.push('\n');
                line.clone_from(&rest);
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

/// The columns of a text without its colours.
fn width(text: &str) -> usize {
    console::strip_ansi_codes(text).width()
}
