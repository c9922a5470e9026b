//! What a formula is made of.

use pulldown_latex::event::{
    Content, DelimiterType, Dimension, DimensionUnit, Event, Font, Grouping, ScriptPosition, ScriptType,
    StateChange, Style, Visual,
};
use pulldown_latex::{Parser, ParserError, Storage};

use crate::draw::Face;

/// A longer formula is none that a figure has room for.
const LONGEST: usize = 2000;
const ROWS: &str = "it has rows and columns, which have no place in a line";
/// The most groups, fractions and accents within each other.
const DEEPEST: usize = 40;

/// What has no place in a line of text: letters by number, on which the parser panics where something
/// else follows than it expects (0.8.0; so it does on environments), and macros, which could go on for
/// ever.
const REFUSED: [&str; 9] =
    ["char", "def", "edef", "gdef", "xdef", "let", "newcommand", "renewcommand", "providecommand"];

/// Commands of Matplotlib's that the parser does not know.
const ALIASES: [(&str, &str); 22] = [
    ("AA", "Å"),
    ("AE", "Æ"),
    ("O", "Ø"),
    ("ae", "æ"),
    ("o", "ø"),
    ("oe", "œ"),
    ("OE", "Œ"),
    ("ss", "ß"),
    ("l", "ł"),
    ("L", "Ł"),
    ("sterling", "£"),
    ("perthousand", "‰"),
    ("lambdabar", "ƛ"),
    ("triangleeq", "≜"),
    ("slash", "/"),
    ("thinspace", "\\,"),
    ("mathscr", "\\mathcal"),
    ("scr", "\\mathcal"),
    ("mathdefault", "\\mathrm"),
    ("frak", "\\mathfrak"),
    ("bb", "\\mathbb"),
    ("bfit", "\\mathbf"),
];

/// What a letter or a sign is, which decides about the room around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Ordinary,
    Binary,
    Relation,
    Open,
    Close,
    Punctuation,
    /// A sum or an integral.
    Large,
    /// `sin`.
    Function,
}

#[derive(Debug)]
pub(super) enum Node {
    Symbol {
        text: String,
        class: Class,
        face: Face,
    },
    Row(Vec<Node>),
    Fraction {
        above: Box<Node>,
        below: Box<Node>,
        has_line: bool,
        /// Its parts are as large as what stands around it: `\dfrac`.
        is_large: bool,
    },
    Root {
        of: Box<Node>,
        index: Option<Box<Node>>,
    },
    Scripts {
        base: Box<Node>,
        below: Option<Box<Node>>,
        above: Option<Box<Node>>,
        /// They stand above and below the base rather than after it.
        is_stacked: bool,
    },
    Fenced {
        open: Option<char>,
        of: Box<Node>,
        close: Option<char>,
    },
    /// In parts of the font's size.
    Space(f64),
    Negated(Box<Node>),
}

/// Reads a formula. The error says what is wrong with it.
pub(super) fn read(formula: &str) -> Result<Node, String> {
    if formula.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let depth = formula.chars().scan(0_usize, |depth, c| {
        match c {
            '{' => *depth += 1,
            '}' => *depth = depth.saturating_sub(1),
            _ => {}
        }
        Some(*depth)
    });
    if depth.max().unwrap_or(0) > DEEPEST {
        return Err(format!("more than {DEEPEST} groups are within each other"));
    }
    if commands(formula).any(|command| command == "begin") {
        return Err(ROWS.to_owned());
    }
    if let Some(refused) = commands(formula).find(|command| REFUSED.contains(command)) {
        return Err(format!("`\\{refused}` has no place in a figure's text"));
    }
    // Matplotlib's own name for what is not slanted; and the parser expects ASCII's blanks.
    let formula = formula.replace("\\mathregular", "\\mathrm");
    let formula = ALIASES.iter().fold(formula, |formula, (from, to)| with_command(&formula, from, to));
    let formula: String = formula.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let formula = with_grouped_indices(&formula);
    let storage = Storage::new();
    let unknown = |problem: String| match unknown_command(&formula) {
        Some(command) if is_unknown(&problem) => format!("`\\{command}` is not known"),
        _ => problem,
    };
    let mut reader =
        Reader { events: Parser::new(&formula, &storage), font: None, depth: 0, is_display: false };
    reader.row().map_err(unknown)
}

/// A formula in which one command stands for another.
fn with_command(formula: &str, from: &str, to: &str) -> String {
    let mut text = String::new();
    let mut rest = formula;
    let command = format!("\\{from}");
    while let Some(at) = rest.find(&command) {
        let (before, after) = (&rest[..at], &rest[at + command.len()..]);
        let is_longer = after.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_line_end = before.ends_with('\\');
        text.push_str(before);
        text.push_str(if is_longer || is_line_end { &command } else { to });
        rest = after;
    }
    text + rest
}

/// The index of a root as a group, `\sqrt[{n+1}]`: the parser passes it on without its ends.
fn with_grouped_indices(formula: &str) -> String {
    let mut text = String::new();
    let mut rest = formula;
    while let Some(at) = rest.find("\\sqrt[") {
        let (before, index) = rest.split_at(at + "\\sqrt[".len());
        text.push_str(before);
        match index.find(']') {
            Some(end) => {
                text.push_str(&format!("{{{}}}", &index[..end]));
                rest = &index[end..];
            }
            None => rest = index,
        }
    }
    text + rest
}

/// The names of commands, `frac` of `\frac`.
fn commands(formula: &str) -> impl Iterator<Item = &str> {
    let name = |rest: &'_ str| rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    formula.split('\\').skip(1).map(move |rest| &rest[..name(rest)]).filter(|name| !name.is_empty())
}

/// The first command that the parser does not know.
fn unknown_command(formula: &str) -> Option<&str> {
    commands(formula).find(|command| {
        let storage = Storage::new();
        let alone = format!("\\{command}{{a}}{{b}}");
        Parser::new(&alone, &storage).any(|event| event.is_err_and(|error| is_unknown(&words(&error))))
    })
}

fn is_unknown(problem: &str) -> bool {
    problem.starts_with("unknown")
}

struct Reader<'a> {
    events: Parser<'a>,
    font: Option<Font>,
    /// How many operands are being read.
    depth: usize,
    /// Whether the next fraction is a large one.
    is_display: bool,
}

impl<'a> Reader<'a> {
    /// All that stands before the end of a group.
    fn row(&mut self) -> Result<Node, String> {
        let font = self.font;
        let mut nodes = Vec::new();
        while let Some(event) = self.next()? {
            if event == Event::End {
                break;
            }
            nodes.extend(self.node(event)?);
        }
        self.font = font;
        Ok(Node::Row(nodes))
    }

    fn next(&mut self) -> Result<Option<Event<'a>>, String> {
        self.events.next().transpose().map_err(|error| words(&error))
    }

    /// The next thing, which the one before it is about.
    fn operand(&mut self) -> Result<Box<Node>, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("more than {DEEPEST} parts are within each other"));
        }
        let operand = self.next_operand();
        self.depth -= 1;
        operand
    }

    fn next_operand(&mut self) -> Result<Box<Node>, String> {
        loop {
            let Some(event) = self.next()? else { return Err("something is missing at its end".to_owned()) };
            if event == Event::End {
                return Err("something is missing before a `}`".to_owned());
            }
            if let Some(node) = self.node(event)? {
                return Ok(Box::new(node));
            }
        }
    }

    fn node(&mut self, event: Event<'a>) -> Result<Option<Node>, String> {
        Ok(Some(match event {
            Event::Content(content) => self.symbol(content),
            Event::Begin(Grouping::Normal) => self.row()?,
            Event::Begin(Grouping::LeftRight(open, close)) => {
                Node::Fenced { open, of: Box::new(self.row()?), close }
            }
            Event::Begin(_) | Event::EnvironmentFlow(_) => return Err(ROWS.to_owned()),
            Event::Visual(Visual::Fraction(thickness)) => {
                let is_large = std::mem::take(&mut self.is_display);
                let above = self.operand()?;
                let has_line = thickness.is_none_or(|thickness| thickness.value > 0.0);
                Node::Fraction { above, below: self.operand()?, has_line, is_large }
            }
            Event::Visual(Visual::SquareRoot) => Node::Root { of: self.operand()?, index: None },
            Event::Visual(Visual::Root) => {
                let of = self.operand()?;
                Node::Root { of, index: Some(self.operand()?) }
            }
            Event::Visual(Visual::Negation) => Node::Negated(self.operand()?),
            Event::Script { ty, position } => {
                let base = self.operand()?;
                let below = (ty != ScriptType::Superscript).then(|| self.operand()).transpose()?;
                let above = (ty != ScriptType::Subscript).then(|| self.operand()).transpose()?;
                // Limits of sums, as in Matplotlib, also within a line.
                Node::Scripts { base, below, above, is_stacked: position != ScriptPosition::Right }
            }
            Event::Space { width, .. } => Node::Space(width.map_or(0.0, |width| ems(&width))),
            Event::StateChange(StateChange::Font(font)) => {
                self.font = font;
                return Ok(None);
            }
            Event::StateChange(StateChange::Color(_)) => {
                return Err("a colour is set for the whole text, by a setting of the figure".to_owned());
            }
            Event::StateChange(StateChange::Style(style)) => {
                self.is_display = style == Style::Display;
                return Ok(None);
            }
            Event::End => return Ok(None),
        }))
    }

    fn symbol(&self, content: Content<'_>) -> Node {
        let (text, class) = match content {
            // `\ ` comes as HTML has it.
            Content::Text("&nbsp;") => return Node::Space(0.3),
            Content::Text(text) => {
                let text = ["$", "{", "}", "%", "&", "_", "#"]
                    .iter()
                    .fold(text.to_owned(), |text, sign| text.replace(&format!("\\{sign}"), sign));
                return Node::Symbol { text, class: Class::Ordinary, face: Face::Upright };
            }
            Content::Function(name) => {
                return Node::Symbol { text: name.to_owned(), class: Class::Function, face: Face::Upright };
            }
            Content::Number(number) => (number.to_owned(), Class::Ordinary),
            Content::Ordinary { content, .. } => (content.to_string(), Class::Ordinary),
            Content::LargeOp { content, .. } => (content.to_string(), Class::Large),
            // A division has no room around it, as in Matplotlib.
            Content::BinaryOp { content: '/', .. } => ("/".to_owned(), Class::Ordinary),
            Content::BinaryOp { content, .. } => (content.to_string(), Class::Binary),
            Content::Relation { content, .. } => {
                let mut bytes = [0; 8];
                let text = String::from_utf8_lossy(content.encode_utf8_to_buf(&mut bytes)).into_owned();
                (text, Class::Relation)
            }
            Content::Delimiter { content, ty, .. } => {
                let class = match ty {
                    DelimiterType::Open => Class::Open,
                    DelimiterType::Close => Class::Close,
                    DelimiterType::Fence => Class::Ordinary,
                };
                (content.to_string(), class)
            }
            Content::Punctuation(content) => (content.to_string(), Class::Punctuation),
        };
        let is_slanted = text
            .chars()
            .all(|c| c.is_ascii_alphabetic() || matches!(c, 'α'..='ω' | 'µ' | 'ϑ' | 'ϕ' | 'ϵ' | 'ϱ' | 'ϖ'));
        let (text, face) = match self.font {
            None if is_slanted => (text, Face::Italic),
            Some(Font::Italic | Font::SansSerifItalic | Font::Script | Font::Fraktur) => (text, Face::Italic),
            Some(Font::DoubleStruck | Font::DoubleStruckItalic) => {
                (text.chars().map(double_struck).collect(), Face::Upright)
            }
            Some(
                Font::Bold
                | Font::BoldItalic
                | Font::BoldSymbol
                | Font::BoldScript
                | Font::BoldFraktur
                | Font::BoldSansSerif
                | Font::SansSerifBoldItalic,
            ) => (text, Face::Bold),
            None | Some(Font::UpRight | Font::SansSerif | Font::Monospace) => (text, Face::Upright),
        };
        Node::Symbol { text, class, face }
    }
}

/// A letter of a number set. Unicode had some of them before it had all.
fn double_struck(c: char) -> char {
    match c {
        'C' => 'ℂ',
        'H' => 'ℍ',
        'N' => 'ℕ',
        'P' => 'ℙ',
        'Q' => 'ℚ',
        'R' => 'ℝ',
        'Z' => 'ℤ',
        'A'..='Z' => char::from_u32(0x1d538 + (c as u32 - 'A' as u32)).unwrap_or(c),
        'a'..='z' => char::from_u32(0x1d552 + (c as u32 - 'a' as u32)).unwrap_or(c),
        _ => c,
    }
}

/// A length in parts of the font's size, which is taken to be of ten points where it matters.
fn ems(length: &Dimension) -> f64 {
    let unit = match length.unit {
        DimensionUnit::Em => 1.0,
        DimensionUnit::Ex => 0.55,
        DimensionUnit::Mu => 1.0 / 18.0,
        DimensionUnit::Pt | DimensionUnit::Bp => 0.1,
        DimensionUnit::Pc | DimensionUnit::Cc => 1.2,
        DimensionUnit::In => 7.2,
        DimensionUnit::Cm => 2.8,
        DimensionUnit::Mm => 0.28,
        DimensionUnit::Dd => 0.107,
        DimensionUnit::Sp => 0.0,
    };
    (f64::from(length.value) * unit).clamp(-5.0, 20.0)
}

/// What the parser says is wrong, without the frame that it draws around it.
fn words(error: &ParserError) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("parsing error: ").trim_end_matches(':').to_owned()
}
