//! Axes: how much room they have, and their frame, ticks and labels.

use super::load::Loaded;
use super::{Chart, Drawing, FONT, POINT, notes};
use crate::color::Color;
use crate::colormap::Colormap;
use crate::draw::font::{self, CAPITAL};
use crate::draw::picture::Picture;
use crate::draw::{Align, Point, Rect, Scene, Shape, Text};
use crate::scale::{Label, Limits, Scale, Ticks};

const TICK: f64 = 3.5 * POINT;
const MINOR_TICK: f64 = 2.0 * POINT;
/// Between ticks and their labels.
const PAD: f64 = 3.5 * POINT;
const LINE: f64 = 0.8 * POINT;
const MINOR_LINE: f64 = 0.6 * POINT;
const TITLE: f64 = 12.0 * POINT;
/// The size of an exponent, as a part of its base's.
const EXPONENT: f64 = 0.7;
/// What must stay free at the edges of the figure.
const EDGE: f64 = 4.0;

/// The ticks of both axes.
pub(super) struct BothTicks {
    x: Ticks,
    y: Ticks,
}

pub(super) fn ticks(rect: &Rect, x: &Limits, y: &Limits, names: &[String]) -> BothTicks {
    BothTicks { x: horizontal(x, rect.width(), names), y: vertical(y, rect.height()) }
}

fn vertical(limits: &Limits, height: f64) -> Ticks {
    let ticks = limits.ticks(((height / (FONT * 2.0)) as usize).clamp(1, 9));
    apart(ticks, limits, height, |_| FONT * 1.2)
}

fn horizontal(limits: &Limits, width: f64, names: &[String]) -> Ticks {
    if names.is_empty() {
        let ticks = limits.ticks(((width / (FONT * 3.0)) as usize).clamp(1, 9));
        return apart(ticks, limits, width, |label| label_width(label) + FONT * 0.6);
    }
    // As many names as there is room for.
    let widest = names.iter().map(|name| font::width(name, FONT)).fold(FONT, f64::max);
    let each = width / (limits.high() - limits.low()).max(1.0);
    let step = ((widest + FONT * 0.5) / each).ceil().max(1.0) as usize;
    let major = names.iter().enumerate().step_by(step);
    let major = major.map(|(place, name)| (place as f64, Label::Text(name.clone())));
    let is_shown = |(place, _): &(f64, Label)| limits.low() <= *place && *place <= limits.high();
    Ticks { major: major.filter(is_shown).collect(), ..Ticks::default() }
}

/// Ticks of a logarithmic axis whose labels do not touch: powers of ten keep
/// theirs, and the others where there is room. Those of linear axes are chosen
/// for the room there is.
fn apart(ticks: Ticks, limits: &Limits, length: f64, taken: impl Fn(&Label) -> f64) -> Ticks {
    if limits.scale == Scale::Linear {
        return ticks;
    }
    let Ticks { major, mut minor, offset } = ticks;
    let is_power = |label: &Label| matches!(label, Label::Power { times: 1, .. });
    let (powers, others): (Vec<_>, Vec<_>) = major.into_iter().partition(|(_, label)| is_power(label));
    let mut kept = powers;
    for (at, label) in others {
        let has_room = kept.iter().all(|(other, beside)| {
            let distance = (limits.place(*other) - limits.place(at)).abs() * length;
            distance >= (taken(&label) + taken(beside)) / 2.0
        });
        if has_room { kept.push((at, label)) } else { minor.push(at) }
    }
    kept.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ticks { major: kept, minor, offset }
}

/// The part of a power's label before its exponent.
fn base(times: u32) -> String {
    // Thin blanks, as in Matplotlib's formulas.
    if times == 1 { "10".to_owned() } else { format!("{times}\u{2009}\u{d7}\u{2009}10") }
}

fn label_width(label: &Label) -> f64 {
    match label {
        Label::Text(text) => font::width(text, FONT),
        Label::Power { times, exponent } => {
            font::width(&base(*times), FONT) + font::width(&exponent.to_string(), FONT * EXPONENT)
        }
    }
}

/// How far the labels of the horizontal axis reach below their first line.
fn names_drop(names: &[String]) -> f64 {
    names.iter().map(|name| font::drop(name, FONT)).fold(0.0, f64::max)
}

/// The same for a title.
pub(super) fn title_drop(text: &str) -> f64 {
    font::drop(text, TITLE)
}

/// Where the axes are: in Matplotlib's place, but with room for every label.
pub(super) fn rect(
    drawing: &Drawing,
    x: &Limits,
    y: &Limits,
    loaded: &Loaded,
    bar: Option<&((f64, f64), Colormap)>,
) -> Rect {
    let (width, height) = (f64::from(drawing.size.0), f64::from(drawing.size.1));
    let widest = |ticks: &Ticks| ticks.major.iter().map(|(_, label)| label_width(label)).fold(0.0, f64::max);
    let y_ticks = vertical(y, height * 0.77);
    let mut left = TICK + PAD + widest(&y_ticks) + EDGE;
    if !drawing.y.label.is_empty() {
        left += 4.0 * POINT + FONT * 1.2 + font::drop(&drawing.y.label, FONT);
    }
    let mut bottom = TICK + PAD + FONT + EDGE + names_drop(&loaded.names);
    if !drawing.x.label.is_empty() {
        bottom += 4.0 * POINT + FONT * 1.2 + font::drop(&drawing.x.label, FONT);
    }
    let below = notes::room(&loaded.notes, drawing.size);
    if below > 0.0 && !horizontal(x, 0.775 * width, &loaded.names).offset.is_empty() {
        bottom = bottom.max(TICK + PAD + 2.0 * FONT + EDGE);
    }
    bottom += below;
    let mut top = FONT * 0.6 + EDGE;
    if !y_ticks.offset.is_empty() {
        top = top.max(FONT * 1.3 + EDGE);
    }
    if !drawing.title.is_empty() {
        top = top.max(
            if y_ticks.offset.is_empty() { 0.0 } else { FONT * 0.8 }
                + TITLE * 1.4
                + 6.0 * POINT
                + title_drop(&drawing.title),
        );
    }
    let mut rect = Rect {
        left: left.max(0.125 * width).min(0.6 * width),
        top: top.max(0.12 * height).min(0.4 * height),
        right: 0.9 * width,
        bottom: height - bottom.max(0.11 * height).min(0.4 * height),
    };
    let x_ticks = horizontal(x, rect.width(), &loaded.names);
    if let Some((at, label)) = x_ticks.major.last() {
        let over = rect.left + rect.width() * x.place(*at) + label_width(label) / 2.0 + EDGE - width;
        rect.right -= over.max(0.0);
    }
    if let Some((range, _)) = bar {
        let ticks = vertical(&Limits { from: range.0, to: range.1, scale: Scale::Linear }, rect.height());
        let needed = rect.height() / 20.0 + TICK + PAD + widest(&ticks) + EDGE;
        let all = rect.right - rect.left;
        let beside = (0.15 * all + 0.1 * width).max(needed);
        rect.right = (width - beside - 0.05 * all).max(rect.left + 0.2 * width);
    }
    if let Some(aspect) = drawing.aspect(x, y) {
        let (across, down) = (rect.width(), rect.height());
        if across / down > aspect {
            let spare = across - down * aspect;
            rect.left += spare / 2.0;
            rect.right -= spare / 2.0;
        } else {
            let spare = down - across / aspect;
            rect.top += spare / 2.0;
            rect.bottom -= spare / 2.0;
        }
    }
    // On whole pixels, so that the frame is crisp.
    Rect {
        left: rect.left.round() + 0.5,
        top: rect.top.round() + 0.5,
        right: rect.right.round() + 0.5,
        bottom: rect.bottom.round() + 0.5,
    }
}

pub(super) fn grid(chart: &Chart<'_>, ticks: &BothTicks, scene: &mut Scene) {
    let rect = &chart.rect;
    for (at, _) in &ticks.x.major {
        let x = crisp(rect.left + chart.x.place(*at) * rect.width());
        scene.line(&[(x, rect.top), (x, rect.bottom)], LINE, chart.palette.grid);
    }
    for (at, _) in &ticks.y.major {
        let y = crisp(rect.bottom - chart.y.place(*at) * rect.height());
        scene.line(&[(rect.left, y), (rect.right, y)], LINE, chart.palette.grid);
    }
}

fn crisp(at: f64) -> f64 {
    at.floor() + 0.5
}

/// The frame, the ticks and all that is written around them.
pub(super) fn frame(chart: &Chart<'_>, ticks: &BothTicks, scene: &mut Scene) {
    let (rect, ink, drawing) = (&chart.rect, chart.palette.ink, chart.drawing);
    box_around(rect, ink, scene);
    for (at, label) in &ticks.x.major {
        let x = crisp(rect.left + chart.x.place(*at) * rect.width());
        scene.line(&[(x, rect.bottom), (x, rect.bottom + TICK)], LINE, ink);
        write(label, (x, rect.bottom + TICK + PAD + FONT * CAPITAL), Align::Center, ink, scene);
    }
    for at in &ticks.x.minor {
        let x = crisp(rect.left + chart.x.place(*at) * rect.width());
        scene.line(&[(x, rect.bottom), (x, rect.bottom + MINOR_TICK)], MINOR_LINE, ink);
    }
    let mut widest = 0.0f64;
    for (at, label) in &ticks.y.major {
        let y = crisp(rect.bottom - chart.y.place(*at) * rect.height());
        scene.line(&[(rect.left - TICK, y), (rect.left, y)], LINE, ink);
        write(label, (rect.left - TICK - PAD, y + FONT * CAPITAL / 2.0), Align::Right, ink, scene);
        widest = widest.max(label_width(label));
    }
    for at in &ticks.y.minor {
        let y = crisp(rect.bottom - chart.y.place(*at) * rect.height());
        scene.line(&[(rect.left - MINOR_TICK, y), (rect.left, y)], MINOR_LINE, ink);
    }
    if !ticks.x.offset.is_empty() {
        let at = (rect.right, rect.bottom + TICK + PAD + FONT * 2.0);
        scene.text(&*ticks.x.offset, at, FONT, Align::Right, ink);
    }
    if !ticks.y.offset.is_empty() {
        scene.text(&*ticks.y.offset, (rect.left, rect.top - 3.0 * POINT), FONT, Align::Left, ink);
    }
    let middle = (rect.left + rect.right) / 2.0;
    if !drawing.title.is_empty() {
        let over = if ticks.y.offset.is_empty() { 0.0 } else { FONT * 0.8 };
        title(&drawing.title, (middle, rect.top - 6.0 * POINT - over), scene, ink);
    }
    if !drawing.x.label.is_empty() {
        let y = rect.bottom + TICK + PAD + FONT + names_drop(&chart.names) + 4.0 * POINT + FONT * 0.76;
        scene.text(&*drawing.x.label, (middle, y), FONT, Align::Center, ink);
    }
    if !drawing.y.label.is_empty() {
        let drop = font::drop(&drawing.y.label, FONT);
        let x = rect.left - TICK - PAD - widest - 4.0 * POINT - FONT * 0.24 - drop;
        let at = (x, (rect.top + rect.bottom) / 2.0);
        let text = drawing.y.label.clone();
        scene.write(Text { text, at, size: FONT, align: Align::Center, is_upright: true }, ink);
    }
}

/// The title of a figure, as large as there is room for, whose last line
/// stands at a place.
pub(super) fn title(text: &str, at: Point, scene: &mut Scene, ink: Color) {
    let room = 2.0 * at.0.min(f64::from(scene.size.0) - at.0) - 2.0 * EDGE;
    let size = TITLE * (room / font::width(text, TITLE).max(1.0)).clamp(0.5, 1.0);
    scene.text(text, (at.0, at.1 - font::drop(text, size)), size, Align::Center, ink);
}

fn box_around(rect: &Rect, ink: Color, scene: &mut Scene) {
    let mut corners = rect.corners();
    corners.extend([corners[0], corners[1]]);
    scene.line(&corners, LINE, ink);
}

/// Writes a label; a power of ten with a raised exponent.
pub(super) fn write(label: &Label, (x, y): Point, align: Align, ink: Color, scene: &mut Scene) {
    match label {
        Label::Text(text) => scene.text(&**text, (x, y), FONT, align, ink),
        Label::Power { times, exponent } => {
            let exponent = crate::scale::minus(&exponent.to_string());
            let base = base(*times);
            let before = font::width(&base, FONT);
            let all = before + font::width(&exponent, FONT * EXPONENT);
            let left = match align {
                Align::Left => x,
                Align::Center => x - all / 2.0,
                Align::Right => x - all,
            };
            scene.text(base, (left, y), FONT, Align::Left, ink);
            scene.text(exponent, (left + before, y - FONT * 0.38), FONT * EXPONENT, Align::Left, ink);
        }
    }
}

/// The bar that says which colour is which value.
pub(super) fn color_bar(chart: &Chart<'_>, range: (f64, f64), colormap: &Colormap, scene: &mut Scene) {
    let ink = chart.palette.ink;
    let all = f64::from(chart.drawing.size.0) * 0.775;
    let left = (chart.rect.right + 0.05 * all).round() + 0.5;
    let (top, bottom) = (chart.rect.top, chart.rect.bottom);
    let width = ((bottom - top) / 20.0).clamp(8.0, 20.0).round();
    let rect = Rect { left, top, right: left + width, bottom };
    let colors = (0..256).map(|k| colormap.at(1.0 - f64::from(k) / 255.0)).collect();
    let picture = Picture { width: 1, height: 256, pixels: (0..=255).collect(), colors };
    scene.add(Shape::Picture { picture, over: rect }, ink);
    box_around(&rect, ink, scene);
    let limits = Limits { from: range.0, to: range.1, scale: Scale::Linear };
    let ticks = vertical(&limits, rect.height());
    for (at, label) in &ticks.major {
        let y = crisp(bottom - limits.place(*at) * rect.height());
        scene.line(&[(rect.right, y), (rect.right + TICK, y)], LINE, ink);
        write(label, (rect.right + TICK + PAD, y + FONT * CAPITAL / 2.0), Align::Left, ink, scene);
    }
    if !ticks.offset.is_empty() {
        scene.text(&*ticks.offset, (left, top - 3.0 * POINT), FONT, Align::Left, ink);
    }
}
