//! Where the letters and the lines of a formula stand. The proportions are Matplotlib's
//! (`lib/matplotlib/_mathtext.py`: `FontConstantsBase`, `subsuper`, `_genfrac`, `sqrt`), for its
//! own font, DejaVu Sans.

use super::tree::{Class, Node};
use crate::draw::{Face, Point, font};

/// The size of scripts beside what they belong to.
const SCRIPT: f64 = 0.7;
/// Nothing is smaller than this part of the text around it.
const SMALLEST: f64 = 0.5;
/// The height of an `x`.
const X_HEIGHT: f64 = 0.547;
/// How far a raised script's baseline is above the other one, in heights of an `x`.
const RAISED: f64 = 0.7;
/// How far a lowered one's is below it, alone and beside a raised one.
const LOWERED: f64 = 0.3;
const LOWERED_OF_TWO: f64 = 0.5;
/// How far scripts of what is tall are from its upper and its lower edge.
const FROM_EDGE: f64 = 0.4;
/// The room on both sides of an operation, and after a comma.
const AROUND: f64 = 0.2;
/// The thickness of lines.
const LINE: f64 = 0.0625;
/// The middle of an equals sign above the baseline: the line of a fraction is there.
const AXIS: f64 = 0.313;
/// How much larger a sum or an integral is than a letter.
const LARGE: f64 = 1.4;

/// Letters in one row.
pub(in crate::draw) struct Run {
    pub(in crate::draw) text: String,
    /// Where their baseline begins, downwards from that of the text.
    pub(in crate::draw) at: Point,
    pub(in crate::draw) size: f64,
    pub(in crate::draw) face: Face,
}

/// Letters and lines around the beginning of a baseline, in pixels.
#[derive(Default)]
pub(in crate::draw) struct Laid {
    pub(in crate::draw) runs: Vec<Run>,
    /// Lines through points, and their widths.
    pub(in crate::draw) lines: Vec<(Vec<Point>, f64)>,
    pub(in crate::draw) width: f64,
    /// How far the ink reaches above the baseline, and below it.
    pub(in crate::draw) above: f64,
    pub(in crate::draw) below: f64,
}

impl Laid {
    /// Words outside of a formula.
    pub(in crate::draw) fn words(text: &str, size: f64) -> Laid {
        // Viewers of SVG leave out blanks that a text begins with.
        let trimmed = text.trim_start_matches(' ');
        let before = font::advance(&text[..text.len() - trimmed.len()], size);
        let mut laid = Laid { width: before, ..Laid::default() };
        laid.append(Laid::letters(trimmed, size, Face::Upright));
        laid
    }

    fn letters(text: &str, size: f64, face: Face) -> Laid {
        let (below, above) = font::ink(text, size);
        let run = Run { text: text.to_owned(), at: (0.0, 0.0), size, face };
        Laid { runs: vec![run], lines: Vec::new(), width: font::advance(text, size), above, below }
    }

    /// Puts something behind this.
    pub(in crate::draw) fn append(&mut self, other: Laid) {
        let width = self.width + other.width;
        let is_first = self.runs.is_empty() && self.lines.is_empty();
        let (above, below) = (other.above, other.below);
        self.put(other, (self.width, 0.0));
        if is_first {
            (self.above, self.below) = (above, below);
        }
        self.width = width;
    }

    /// Puts something at a place, which may be beyond the width.
    fn put(&mut self, other: Laid, (x, y): Point) {
        self.above = self.above.max(other.above - y);
        self.below = self.below.max(other.below + y);
        self.runs.extend(other.runs.into_iter().map(|run| Run { at: (run.at.0 + x, run.at.1 + y), ..run }));
        let moved = |(points, width): (Vec<Point>, f64)| {
            (points.into_iter().map(|point| (point.0 + x, point.1 + y)).collect(), width)
        };
        self.lines.extend(other.lines.into_iter().map(moved));
    }

    fn space(&mut self, width: f64) {
        self.width += width;
    }
}

/// A formula in a font of so many pixels.
pub(super) fn of(node: &Node, size: f64) -> Laid {
    Size { size, least: size * SMALLEST }.of(node)
}

#[derive(Clone, Copy)]
struct Size {
    size: f64,
    least: f64,
}

impl Size {
    fn smaller(self) -> Size {
        Size { size: (self.size * SCRIPT).max(self.least), ..self }
    }

    fn of(self, node: &Node) -> Laid {
        match node {
            Node::Symbol { text, class: Class::Large, face } => self.large(text, *face),
            Node::Symbol { text, face, .. } => Laid::letters(text, self.size, *face),
            Node::Row(nodes) => self.row(nodes),
            Node::Fraction { above, below, has_line, is_large } => {
                let parts = if *is_large { self } else { self.smaller() };
                self.fraction((parts.of(above), parts.of(below)), *has_line)
            }
            Node::Root { of, index } => self.root(of, index.as_deref()),
            Node::Scripts { base, below, above, is_stacked: true } => {
                self.stacked(base, below.as_deref(), above.as_deref())
            }
            Node::Scripts { base, below, above, is_stacked: false } => {
                self.scripts(base, below.as_deref(), above.as_deref())
            }
            Node::Fenced { open, of, close } => self.fenced(*open, of, *close),
            Node::Space(width) => Laid { width: width * self.size, ..Laid::default() },
            Node::Negated(of) => self.negated(of),
        }
    }

    fn row(self, nodes: &[Node]) -> Laid {
        let mut laid = Laid::default();
        // What an operation follows: without an operand before it, it is a sign.
        let mut before = None;
        for (number, node) in nodes.iter().enumerate() {
            let class = class(node);
            let is_sign = matches!(
                before,
                None | Some(
                    Class::Binary | Class::Relation | Class::Open | Class::Punctuation | Class::Function
                )
            );
            let next = nodes.get(number + 1).map(self::class);
            let (left, right) = match class {
                Class::Binary if is_sign => (0.0, 0.0),
                Class::Binary | Class::Relation => (AROUND, AROUND),
                Class::Punctuation if next.is_some() => (0.0, AROUND),
                // Between `sin` and `x`, and not between it and a bracket.
                Class::Function if next.is_some_and(|next| next != Class::Open) => (thin(before), AROUND),
                Class::Function => (thin(before), 0.0),
                Class::Large => (thin(before), AROUND / 2.0),
                _ => (0.0, 0.0),
            };
            if !matches!(node, Node::Space(_)) {
                before = Some(class);
            }
            laid.space(left * self.size);
            laid.append(self.of(node));
            laid.space(right * self.size);
        }
        laid
    }

    /// A sum, larger than letters, whose middle is that of an equals sign.
    fn large(self, text: &str, face: Face) -> Laid {
        let laid = Laid::letters(text, self.size * LARGE, face);
        let middle = (laid.above - laid.below) / 2.0;
        self.moved(laid, middle - AXIS * self.size)
    }

    fn moved(self, laid: Laid, down: f64) -> Laid {
        let mut moved =
            Laid { width: laid.width, above: laid.above - down, below: laid.below + down, ..Laid::default() };
        moved.put(laid, (0.0, down));
        moved
    }

    fn scripts(self, base: &Node, below: Option<&Node>, above: Option<&Node>) -> Laid {
        let mut laid = self.of(base);
        let x_height = X_HEIGHT * self.size;
        let is_tall = !matches!(base, Node::Symbol { class: Class::Ordinary | Class::Close, .. });
        // Room for the slant of the letter before.
        let slant = if matches!(base, Node::Symbol { face: Face::Italic, .. }) {
            0.06 * self.size
        } else {
            0.03 * self.size
        };
        let (up, mut down) = match is_tall {
            true => (
                (laid.above - FROM_EDGE * x_height).max(RAISED * x_height),
                (laid.below + FROM_EDGE * x_height).max(LOWERED * x_height),
            ),
            false => (RAISED * x_height, LOWERED * x_height),
        };
        let width = laid.width;
        let mut widest: f64 = 0.0;
        let mut lowest_above = f64::NEG_INFINITY;
        if let Some(above) = above.filter(|above| is_primes(above)) {
            // Primes are raised and small by themselves.
            let primes = self.of(above);
            widest = slant + 0.04 * self.size + primes.width;
            laid.put(primes, (width + slant + 0.04 * self.size, 0.0));
            down = down.max(LOWERED_OF_TWO * x_height);
        } else if let Some(above) = above {
            let script = self.smaller().of(above);
            widest = widest.max(slant + script.width);
            // It stays above the middle of an `x`.
            let up = up.max(script.below + x_height / 4.0);
            lowest_above = script.below - up;
            laid.put(script, (width + slant, -up));
            down = down.max(LOWERED_OF_TWO * x_height);
        }
        if let Some(below) = below {
            let script = self.smaller().of(below);
            widest = widest.max(script.width);
            // They do not touch.
            let down =
                down.max(script.above - 0.8 * x_height).max(lowest_above + script.above + 0.08 * self.size);
            laid.put(script, (width, down));
        }
        laid.width = width + widest + 0.05 * self.size;
        laid
    }

    /// Above and below: the limits of a sum, and accents.
    fn stacked(self, base: &Node, below: Option<&Node>, above: Option<&Node>) -> Laid {
        let of = self.of(base);
        let is_large = matches!(base, Node::Symbol { class: Class::Large | Class::Function, .. });
        let line = |node: &Node| matches!(node, Node::Symbol { text, .. } if matches!(&**text, "‾" | "¯" | "_" | "ˉ"));
        let arrow = |node: &Node| matches!(node, Node::Symbol { text, .. } if text == "→");
        let script = |node: &Node| {
            if is_large || arrow(node) || !is_accent(node) { self.smaller().of(node) } else { self.of(node) }
        };
        let gap = if is_large { 0.12 } else { 0.06 } * self.size;
        let wide = |node: Option<&Node>| node.filter(|node| !line(node)).map(script);
        let (under, over) = (wide(below), wide(above));
        let width_of = |laid: &Option<Laid>| laid.as_ref().map_or(0.0, |laid| laid.width);
        // An accent does not move what stands beside its letter.
        let width = if is_large { of.width.max(width_of(&under)).max(width_of(&over)) } else { of.width };
        let mut laid = Laid { width, above: of.above, below: of.below, ..Laid::default() };
        let (top, bottom, from) = (of.above, of.below, (width - of.width) / 2.0);
        let slant = if matches!(base, Node::Symbol { face: Face::Italic, .. } | Node::Row(_)) && !is_large {
            0.07 * self.size
        } else {
            0.0
        };
        let base_width = of.width;
        laid.put(of, (from, 0.0));
        if let Some(over) = over {
            let (x, y) = (slant + (width - over.width) / 2.0, -(top + gap + over.below));
            laid.put(over, (x, y));
        }
        if let Some(under) = under {
            let (x, y) = ((width - under.width) / 2.0, bottom + gap + under.above);
            laid.put(under, (x, y));
        }
        let thickness = LINE * self.size;
        if above.is_some_and(line) {
            let y = -(top + 2.0 * thickness);
            laid.lines.push((vec![(from + slant / 2.0, y), (from + base_width + slant / 2.0, y)], thickness));
            laid.above = laid.above.max(top + 2.5 * thickness);
        }
        if below.is_some_and(line) {
            let y = bottom.max(0.0) + 2.0 * thickness;
            laid.lines.push((vec![(from, y), (from + base_width, y)], thickness));
            laid.below = laid.below.max(y + thickness / 2.0);
        }
        laid
    }

    fn fraction(self, (above, below): (Laid, Laid), has_line: bool) -> Laid {
        let thickness = LINE * self.size;
        let edge = 0.1 * self.size;
        let wide = above.width.max(below.width);
        let mut laid = Laid { width: wide + 2.0 * edge, ..Laid::default() };
        let axis = -AXIS * self.size;
        let gap = 2.0 * thickness;
        let middle = |width: f64| edge + (wide - width) / 2.0;
        let (x, y) = (middle(above.width), axis - thickness / 2.0 - gap - above.below.max(0.0));
        laid.put(above, (x, y));
        let (x, y) = (middle(below.width), axis + thickness / 2.0 + gap + below.above);
        laid.put(below, (x, y));
        if has_line {
            laid.lines.push((vec![(edge * 0.6, axis), (edge * 1.4 + wide, axis)], thickness));
        }
        laid
    }

    fn root(self, of: &Node, index: Option<&Node>) -> Laid {
        let of = self.of(of);
        let thickness = LINE * self.size;
        let top = of.above.max(X_HEIGHT * self.size) + 2.5 * thickness;
        let bottom = of.below.max(0.0) + thickness / 2.0;
        let mut laid = Laid::default();
        let mut left = 0.0;
        if let Some(index) = index {
            let index = Size { size: (self.size * SCRIPT * SCRIPT).max(self.least), ..self }.of(index);
            left = (index.width - 0.12 * self.size).max(0.0);
            laid.put(index, (0.0, -(0.45 * (top + bottom) - bottom).max(0.3 * self.size)));
        }
        let unit = 0.1 * self.size;
        let height = top + bottom;
        let points = vec![
            (left + 0.4 * unit, bottom - 0.42 * height),
            (left + 1.4 * unit, bottom - 0.5 * height),
            (left + 3.2 * unit, bottom),
            (left + 5.2 * unit, -top),
            (left + 6.2 * unit + of.width, -top),
        ];
        let width = left + 6.4 * unit + of.width;
        laid.put(of, (left + 5.8 * unit, 0.0));
        laid.lines.push((points, thickness));
        laid.above = laid.above.max(top + thickness / 2.0);
        laid.below = laid.below.max(bottom);
        laid.width = width;
        laid
    }

    /// Brackets as high as what they stand around.
    fn fenced(self, open: Option<char>, of: &Node, close: Option<char>) -> Laid {
        let of = self.of(of);
        // A bracket reaches from 0.76 above the baseline to 0.13 below it.
        let (reach, middle) = (0.445, 0.315);
        let axis = AXIS * self.size;
        let needed = (of.above - axis).max(of.below + axis).max(reach * self.size);
        let factor = (needed / (reach * self.size)).min(4.0);
        let bracket = |c: char| {
            let laid = Laid::letters(&c.to_string(), self.size * factor, Face::Upright);
            self.moved(laid, middle * self.size * factor - axis)
        };
        let mut laid = Laid::default();
        laid.extend_with(open.map(bracket));
        laid.append(of);
        laid.extend_with(close.map(bracket));
        laid
    }

    fn negated(self, of: &Node) -> Laid {
        let mut laid = self.of(of);
        let (axis, half) = (AXIS * self.size, 0.32 * self.size);
        let middle = laid.width / 2.0;
        let (from, to) = ((middle - 0.4 * half, -axis + half), (middle + 0.4 * half, -axis - half));
        laid.lines.push((vec![from, to], LINE * self.size));
        laid
    }
}

impl Laid {
    fn extend_with(&mut self, other: Option<Laid>) {
        if let Some(other) = other {
            self.append(other);
        }
    }
}

/// Whether a script is nothing but primes.
fn is_primes(node: &Node) -> bool {
    match node {
        Node::Symbol { text, .. } => text.chars().all(|c| matches!(c, '′' | '″' | '‴')),
        Node::Row(nodes) => !nodes.is_empty() && nodes.iter().all(is_primes),
        _ => false,
    }
}

/// Whether what stands above a letter is a mark on it.
fn is_accent(node: &Node) -> bool {
    const MARKS: &str = "^ˆ~˜‾¯ˉ˙.¨´`ˇ˘˚→←↔_";
    match node {
        Node::Symbol { text, .. } => text.chars().count() == 1 && text.chars().all(|c| MARKS.contains(c)),
        Node::Row(nodes) => nodes.len() == 1 && is_accent(&nodes[0]),
        _ => false,
    }
}

fn thin(before: Option<Class>) -> f64 {
    if matches!(before, None | Some(Class::Binary | Class::Relation | Class::Open)) {
        0.0
    } else {
        AROUND / 2.0
    }
}

/// What a part counts as beside its neighbours.
fn class(node: &Node) -> Class {
    match node {
        Node::Symbol { class, .. } => *class,
        Node::Scripts { base, .. } => match class(base) {
            // `\vec{v}` is a letter, a sum with limits is one.
            Class::Binary => Class::Ordinary,
            class => class,
        },
        Node::Negated(of) => class(of),
        // In braces operations and commas are letters: `1{,}000`.
        Node::Row(nodes) if nodes.len() == 1 => match class(&nodes[0]) {
            Class::Binary | Class::Relation | Class::Punctuation => Class::Ordinary,
            class => class,
        },
        _ => Class::Ordinary,
    }
}
