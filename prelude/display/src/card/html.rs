//! HTML, written piece by piece: every text is escaped on its way.

/// The look of all cards. Names begin with `gr-` and stand below the card's
/// class, so that nothing else on a page changes.
const STYLE: &str = include_str!("style.css");

/// A card as it is written.
pub(in super::super) struct Page {
    text: String,
}

impl Page {
    /// A card with nothing in it.
    pub(in super::super) fn new() -> Page {
        let mut text = "<div class=\"gpurepl-card\"><style>".to_owned();
        // One line for each rule, without what indents them.
        STYLE.lines().map(str::trim).for_each(|line| text.push_str(line));
        text.push_str("</style>\n");
        Page { text }
    }

    /// Begins an element; no class if that is empty.
    pub(in super::super) fn open(&mut self, tag: &str, class: &str) {
        self.open_with(tag, class, "");
    }

    /// Begins an element with attributes, which are our own.
    pub(in super::super) fn open_with(&mut self, tag: &str, class: &str, attributes: &str) {
        self.text.push('<');
        self.text.push_str(tag);
        if !class.is_empty() {
            self.text.push_str(&format!(" class=\"{class}\""));
        }
        if !attributes.is_empty() {
            self.text.push(' ');
            self.text.push_str(attributes);
        }
        self.text.push('>');
    }

    /// Ends an element.
    pub(in super::super) fn close(&mut self, tag: &str) {
        self.text.push_str(&format!("</{tag}>"));
        if matches!(tag, "div" | "tr" | "table" | "figure") {
            self.text.push('\n');
        }
    }

    /// An element that holds a text.
    pub(in super::super) fn text(&mut self, tag: &str, class: &str, text: &str) {
        self.open(tag, class);
        self.text.push_str(&escape(text));
        self.close(tag);
    }

    /// HTML as it is.
    pub(in super::super) fn raw(&mut self, html: &str) {
        self.text.push_str(html);
    }

    /// A table of names and values.
    pub(in super::super) fn facts<'a>(&mut self, facts: impl IntoIterator<Item = (&'a str, String)>) {
        self.open("table", "gr-facts");
        for (name, value) in facts {
            self.open("tr", "");
            self.text("th", "", name);
            self.text("td", "", &value);
            self.close("tr");
        }
        self.close("table");
    }

    /// A program's text with the numbers of its lines.
    pub(in super::super) fn source<'a>(&mut self, lines: impl IntoIterator<Item = (usize, &'a str)>) {
        self.open("table", "gr-source");
        for (number, line) in lines {
            self.open("tr", "");
            self.text("th", "", &number.to_string());
            self.text("td", "", line);
            self.close("tr");
        }
        self.close("table");
    }

    /// The whole card.
    pub(in super::super) fn finish(mut self) -> String {
        self.text.push_str("</div>");
        self.text
    }
}

/// A text as HTML shows it.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}
