//! Axes: how much room they have, and their frame, ticks and labels.

use super::load::Loaded;
use super::{
    Axis, Beyond, Chart, ColorBar, Drawing, FONT, Names, POINT, TwinOf, color_bar, legend, notes, polar,
};
use crate::color::Color;
use crate::dates;
use crate::draw::font::{self, CAPITAL};
use crate::draw::{Align, Part, Point, Rect, Scene, Text, TickLook};
use crate::scale::{Label, Limits, Scale, Ticks, minus};

pub(super) const TICK: f64 = 3.5 * POINT;
pub(super) const MINOR_TICK: f64 = 2.0 * POINT;
/// Between ticks and their labels.
pub(super) const PAD: f64 = 3.5 * POINT;
pub(super) const LINE: f64 = 0.8 * POINT;
pub(super) const MINOR_LINE: f64 = 0.6 * POINT;
const TITLE: f64 = 12.0 * POINT;
/// The size of an exponent, as a part of its base's.
const EXPONENT: f64 = 0.7;
/// What must stay free at the edges of the figure.
const EDGE: f64 = 4.0;

/// How ticks are drawn.
pub(crate) const TICK_LOOK: TickLook = TickLook { font: FONT, length: TICK, pad: PAD, width: LINE };

/// The ticks of both axes.
#[derive(Default)]
pub(super) struct BothTicks {
    x: Ticks,
    y: Ticks,
}

pub(super) fn ticks(drawing: &Drawing, rect: &Rect, x: &Limits, y: &Limits, names: &Names) -> BothTicks {
    BothTicks {
        x: horizontal(&drawing.x, x, rect.width(), &names.x),
        y: vertical(&drawing.y, y, rect.height(), &names.y),
    }
}

fn vertical(axis: &Axis, limits: &Limits, height: f64, names: &[String]) -> Ticks {
    let chosen = || {
        if !names.is_empty() {
            return named(names, limits, height, FONT * 1.2);
        }
        if axis.is_date {
            return dates::ticks(limits, ((height / (FONT * 2.0)) as usize).clamp(2, 9));
        }
        by_height(limits, height)
    };
    of_axis(axis, limits, chosen)
}

/// Ticks with numbers on an upright axis.
pub(super) fn by_height(limits: &Limits, height: f64) -> Ticks {
    let ticks = limits.ticks(((height / (FONT * 2.0)) as usize).clamp(1, 9));
    apart(ticks, limits, height, |_| FONT * 1.2)
}

fn horizontal(axis: &Axis, limits: &Limits, width: f64, names: &[String]) -> Ticks {
    let across = |label: &Label| turned(label_width(label), axis.rotation).0;
    let chosen = || {
        if !names.is_empty() {
            let widest = names.iter().map(|name| turned(font::width(name, FONT), axis.rotation).0);
            return named(names, limits, width, widest.fold(FONT, f64::max) + FONT * 0.5);
        }
        if axis.is_date {
            // As many dates as there is room for, with a little between them.
            let taken = turned(font::width("2026-12-31", FONT), axis.rotation).0 + FONT;
            return dates::ticks(limits, ((width / taken) as usize).clamp(2, 9));
        }
        let ticks = limits.ticks(((width / (FONT * 3.0)) as usize).clamp(1, 9));
        apart(ticks, limits, width, |label| across(label) + FONT * 0.6)
    };
    of_axis(axis, limits, chosen)
}

/// The width and the height of a line of text of some width that is turned.
fn turned(width: f64, degrees: f64) -> (f64, f64) {
    if degrees == 0.0 {
        return (width, FONT);
    }
    let (sin, cos) = degrees.to_radians().sin_cos();
    (width * cos.abs() + FONT * sin.abs(), width * sin.abs() + FONT * cos.abs())
}

/// As many names as there is room for, each of which takes some.
fn named(names: &[String], limits: &Limits, length: f64, taken: f64) -> Ticks {
    let each = length / (limits.high() - limits.low()).max(1.0);
    let step = (taken / each).ceil().max(1.0) as usize;
    // What has no name has no tick: numbers of groups begin at 1.
    let major = names.iter().enumerate().step_by(step).filter(|(_, name)| !name.is_empty());
    let major = major.map(|(place, name)| (place as f64, Label::Text(name.clone())));
    let is_shown = |(place, _): &(f64, Label)| limits.low() <= *place && *place <= limits.high();
    Ticks { major: major.filter(is_shown).collect(), ..Ticks::default() }
}

/// The ticks that were asked for, else those that are chosen; without what
/// stands at them, where another figure's axis says it.
pub(super) fn of_axis(axis: &Axis, limits: &Limits, chosen: impl FnOnce() -> Ticks) -> Ticks {
    let mut ticks = match &axis.ticks {
        None => chosen(),
        Some(given) => {
            let is_shown = |at: f64| {
                let place = limits.place(at);
                // As much outside as rounding makes of an end.
                (-1e-9..=1.0 + 1e-9).contains(&place)
            };
            let given = given.iter().filter(|tick| is_shown(tick.at));
            let digits = given.clone().map(|tick| digits(&number(tick.at, limits))).max().unwrap_or(0);
            let label = |at: f64, name: &Option<String>| match name {
                Some(name) => Label::Text(name.clone()),
                None if axis.is_date => {
                    Label::Text(dates::written(at, limits).unwrap_or_else(|| number(at, limits)))
                }
                None if limits.scale == Scale::Linear => Label::Text(padded(number(at, limits), digits)),
                None => Label::Text(number(at, limits)),
            };
            let major = given.map(|tick| (tick.at, label(tick.at, &tick.name))).collect();
            Ticks { major, ..Ticks::default() }
        }
    };
    if axis.is_inner {
        ticks.major.iter_mut().for_each(|(_, label)| *label = Label::Text(String::new()));
        ticks.offset.clear();
    }
    ticks
}

/// A number at a tick that was asked for, in no more digits than the axis can
/// tell apart.
fn number(at: f64, limits: &Limits) -> String {
    let length = match limits.scale {
        Scale::Linear => limits.high() - limits.low(),
        Scale::Log | Scale::Symlog(_) => at.abs(),
    };
    if at != 0.0 && !(1e-4..1e7).contains(&at.abs()) {
        return minus(&format!("{:e}", format!("{at:.3e}").parse().unwrap_or(at)));
    }
    let digits = (3.0 - length.abs().log10().floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{at:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    minus(if text == "-0" { "0" } else { text })
}

/// How many digits stand after the point of a number.
fn digits(number: &str) -> usize {
    number.split_once('.').filter(|(_, rest)| !rest.contains('e')).map_or(0, |(_, rest)| rest.len())
}

/// A number with so many digits after its point, as those beside it have.
fn padded(number: String, wanted: usize) -> String {
    if number.contains('e') || wanted == 0 {
        return number;
    }
    let found = digits(&number);
    let point = if found == 0 { "." } else { "" };
    format!("{number}{point}{:0<rest$}", "", rest = wanted - found)
}

/// Ticks of a logarithmic axis whose labels do not touch: powers of ten keep
/// theirs, and the others where there is room. Those of linear axes are chosen
/// for the room there is.
fn apart(ticks: Ticks, limits: &Limits, length: f64, taken: impl Fn(&Label) -> f64) -> Ticks {
    if limits.scale == Scale::Linear {
        return ticks;
    }
    let Ticks { major, mut minor, offset } = ticks;
    let is_power = |label: &Label| !matches!(label, Label::Power { times, .. } if times.abs() != 1);
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
fn base(times: i32) -> String {
    match times {
        1 => "10".to_owned(),
        -1 => minus("-10"),
        // Thin blanks, as in Matplotlib's formulas.
        _ => format!("{times}\u{2009}\u{d7}\u{2009}10"),
    }
}

pub(super) fn label_width(label: &Label) -> f64 {
    match label {
        Label::Text(text) => font::width(text, FONT),
        Label::Power { times, exponent } => {
            font::width(&base(*times), FONT) + font::width(&minus(&exponent.to_string()), FONT * EXPONENT)
        }
    }
}

/// How far what stands at the ticks of the horizontal axis reaches below a
/// line of text.
fn labels_drop(axis: &Axis, ticks: &Ticks, names: &[String]) -> f64 {
    let drop = names.iter().map(|name| font::drop(name, FONT)).fold(0.0, f64::max);
    let turned = |(_, label): &(f64, Label)| turned(label_width(label), axis.rotation).1 - FONT;
    drop + if axis.rotation == 0.0 { 0.0 } else { ticks.major.iter().map(turned).fold(0.0, f64::max) }
}

/// How high a title is with the room around it.
pub(crate) fn title_room(text: &str) -> f64 {
    TITLE * 1.4 + 6.0 * POINT + title_drop(text)
}

/// How far the last line of a title is below its first.
pub(super) fn title_drop(text: &str) -> f64 {
    font::drop(text, TITLE)
}

/// The least room around axes, in parts of the figure's width and height.
pub(super) struct Least {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// Matplotlib's `figure.subplot.left` and its like.
pub(super) const ALONE: Least = Least { left: 0.125, right: 0.1, top: 0.12, bottom: 0.11 };

/// What keeps axes in one picture apart.
pub(super) const AMONG_OTHERS: Least = Least { left: 0.03, right: 0.04, top: 0.05, bottom: 0.03 };

/// Where the axes are: in Matplotlib's place, but with room for every label.
pub(super) fn rect(
    drawing: &Drawing,
    (x, y, beyond): (&Limits, &Limits, &Beyond),
    loaded: &Loaded,
    bar: Option<&ColorBar>,
    least: &Least,
) -> Rect {
    let (width, height) = (f64::from(drawing.extent().0), f64::from(drawing.extent().1));
    let names = &loaded.names;
    let widest = |ticks: &Ticks| ticks.major.iter().map(|(_, label)| label_width(label)).fold(0.0, f64::max);
    let y_ticks = vertical(&drawing.y, y, height * 0.77, &names.y);
    let mut left = TICK + PAD + widest(&y_ticks) + EDGE;
    if !drawing.y.label.is_empty() {
        left += 4.0 * POINT + FONT * 1.2 + font::drop(&drawing.y.label, FONT);
    }
    let x_ticks = horizontal(&drawing.x, x, 0.775 * width, &names.x);
    let mut bottom = TICK + PAD + FONT + EDGE + labels_drop(&drawing.x, &x_ticks, &names.x);
    if !drawing.x.label.is_empty() {
        bottom += 4.0 * POINT + FONT * 1.2 + font::drop(&drawing.x.label, FONT);
    }
    let below = notes::room(&loaded.notes, drawing.extent());
    if below > 0.0 && !x_ticks.offset.is_empty() {
        bottom = bottom.max(TICK + PAD + 2.0 * FONT + EDGE);
    }
    let (beside_legend, below_legend) = legend::room(drawing);
    bottom += below + below_legend;
    let mut top = FONT * 0.6 + EDGE;
    if !y_ticks.offset.is_empty() {
        top = top.max(FONT * 1.3 + EDGE);
    }
    if !drawing.title.is_empty() {
        let over = if y_ticks.offset.is_empty() { 0.0 } else { FONT * 0.8 };
        top = top.max(over + title_room(&drawing.title));
    }
    if let Some((axis, _)) = &beyond.top {
        top += above(axis);
    }
    top += around(drawing);
    bottom = bottom.max(around(drawing) + EDGE + below + below_legend);
    let mut rect = Rect {
        left: left.max(least.left * width).min(0.6 * width),
        top: top.max(least.top * height).min(0.4 * height),
        right: ((1.0 - least.right) * width).min(width - beside_legend - 1.5 * around(drawing)),
        bottom: height - bottom.max(least.bottom * height).min(0.6 * height),
    };
    let on_the_right = right_room(beyond, rect.height());
    if on_the_right > 0.0 {
        rect.right = rect.right.min(width - on_the_right - beside_legend);
    }
    rect.right = rect.right.max(rect.left + 0.2 * width);
    rect.bottom = rect.bottom.max(rect.top + 0.2 * height);
    let x_ticks = horizontal(&drawing.x, x, rect.width(), &names.x);
    if let Some((at, label)) = x_ticks.major.last() {
        // Turned to the left, a label ends at its tick.
        let beyond = if drawing.x.rotation > 0.0 { FONT / 2.0 } else { label_width(label) / 2.0 };
        let over = rect.left + rect.width() * x.place(*at) + beyond + EDGE - width;
        rect.right -= over.max(0.0);
    }
    if let Some(bar) = bar {
        let all = rect.right - rect.left;
        let needed = color_bar::extent(bar, rect.height()) + EDGE + around(drawing);
        let others = bar.others().map(|bar| color_bar::extent(bar, rect.height()) + color_bar::GAP * all);
        let beside = (0.15 * all + 0.1 * width).max(needed) + others.sum::<f64>();
        rect.right =
            (width - beside - 0.05 * all - on_the_right - beside_legend).max(rect.left + 0.2 * width);
    }
    rect
}

/// How much room the ticks and the label of a twin take on the right of axes so high.
pub(super) fn right_room(beyond: &Beyond, height: f64) -> f64 {
    let Some((axis, limits)) = &beyond.right else { return 0.0 };
    let ticks = vertical(axis, limits, height, &[]);
    let widest = ticks.major.iter().map(|(_, label)| label_width(label)).fold(0.0, f64::max);
    let label =
        if axis.label.is_empty() { 0.0 } else { 4.0 * POINT + FONT * 1.2 + font::drop(&axis.label, FONT) };
    TICK + PAD + widest + EDGE + label
}

/// The part of a rectangle that axes fill, whose sides may be in a proportion.
pub(super) fn fitted(drawing: &Drawing, mut rect: Rect, x: &Limits, y: &Limits) -> Rect {
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
    let (of_x, of_y) = chart.drawing.grid_of;
    for (at, _) in ticks.x.major.iter().filter(|_| of_x) {
        let x = crisp(rect.left + chart.x.place(*at) * rect.width());
        scene.line(&[(x, rect.top), (x, rect.bottom)], LINE, chart.palette.grid);
    }
    for (at, _) in ticks.y.major.iter().filter(|_| of_y) {
        let y = crisp(rect.bottom - chart.y.place(*at) * rect.height());
        scene.line(&[(rect.left, y), (rect.right, y)], LINE, chart.palette.grid);
    }
}

pub(super) fn crisp(at: f64) -> f64 {
    at.floor() + 0.5
}

/// The frame, the ticks and all that is written around them.
pub(super) fn frame(chart: &Chart<'_>, ticks: &BothTicks, scene: &mut Scene) {
    let (rect, ink, drawing) = (&chart.rect, chart.palette.ink, chart.drawing);
    match drawing.twin_of {
        Some(TwinOf::X) => return right_side(chart, ticks, scene),
        Some(TwinOf::Y) => return top_side(chart, ticks, scene),
        None => {}
    }
    let part = std::mem::take(&mut scene.part);
    if drawing.has_frame() && drawing.has_axes {
        box_around(rect, ink, scene);
    }
    scene.part = part;
    for (at, label) in &ticks.x.major {
        let x = crisp(rect.left + chart.x.place(*at) * rect.width());
        scene.line(&[(x, rect.bottom), (x, rect.bottom + TICK)], LINE, ink);
        let top = rect.bottom + TICK + PAD;
        match drawing.x.rotation {
            0.0 => write(label, (x, top + FONT * CAPITAL), Align::Center, ink, scene),
            degrees => write_turned(label, (x, top), degrees, ink, scene),
        }
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
    scene.part = Part::Rest;
    let middle = (rect.left + rect.right) / 2.0;
    if !drawing.title.is_empty() {
        let over = if ticks.y.offset.is_empty() { 0.0 } else { FONT * 0.8 };
        let twin = drawing.twins[TwinOf::Y as usize].as_ref();
        let over = over + twin.map_or(0.0, |twin| above(&twin.lock().x)) + around(drawing);
        title(&drawing.title, (middle, rect.top - 6.0 * POINT - over), scene, ink);
    }
    if !drawing.x.label.is_empty() && drawing.has_axes {
        let y = rect.bottom
            + (TICK + PAD + FONT).max(around(drawing))
            + labels_drop(&drawing.x, &ticks.x, &chart.names.x)
            + 4.0 * POINT
            + FONT * 0.76;
        scene.text(&*drawing.x.label, (middle, y), FONT, Align::Center, ink);
    }
    if !drawing.y.label.is_empty() && drawing.has_axes {
        let drop = font::drop(&drawing.y.label, FONT);
        let x = rect.left - TICK - PAD - widest.max(around(drawing)) - 4.0 * POINT - FONT * 0.24 - drop;
        let at = (x, (rect.top + rect.bottom) / 2.0);
        let text = drawing.y.label.clone();
        scene.write(Text { text, at, size: FONT, align: Align::Center, angle: 90.0 }, ink);
    }
}

/// The ticks of a twin, and what is written beside them.
fn right_side(chart: &Chart<'_>, ticks: &BothTicks, scene: &mut Scene) {
    let (rect, ink, drawing) = (&chart.rect, chart.palette.ink, chart.drawing);
    let mut widest = 0.0f64;
    for (at, label) in &ticks.y.major {
        let y = crisp(rect.bottom - chart.y.place(*at) * rect.height());
        scene.line(&[(rect.right, y), (rect.right + TICK, y)], LINE, ink);
        write(label, (rect.right + TICK + PAD, y + FONT * CAPITAL / 2.0), Align::Left, ink, scene);
        widest = widest.max(label_width(label));
    }
    for at in &ticks.y.minor {
        let y = crisp(rect.bottom - chart.y.place(*at) * rect.height());
        scene.line(&[(rect.right, y), (rect.right + MINOR_TICK, y)], MINOR_LINE, ink);
    }
    if !ticks.y.offset.is_empty() {
        scene.text(&*ticks.y.offset, (rect.right, rect.top - 3.0 * POINT), FONT, Align::Right, ink);
    }
    scene.part = Part::Rest;
    if !drawing.y.label.is_empty() {
        let x = rect.right + TICK + PAD + widest + 4.0 * POINT + FONT * 0.96;
        let at = (x, (rect.top + rect.bottom) / 2.0);
        let text = drawing.y.label.clone();
        scene.write(Text { text, at, size: FONT, align: Align::Center, angle: 90.0 }, ink);
    }
}

/// How much room what stands around a circle takes.
pub(super) fn around(drawing: &Drawing) -> f64 {
    if drawing.is_polar { polar::ROOM } else { 0.0 }
}

/// How high what stands above the axes is: a twin's ticks, and its label.
fn above(axis: &Axis) -> f64 {
    let label =
        if axis.label.is_empty() { 0.0 } else { 4.0 * POINT + FONT * 1.2 + font::drop(&axis.label, FONT) };
    TICK + PAD + FONT + label
}

/// The ticks of a twin over the same `y`, and what is written above them.
fn top_side(chart: &Chart<'_>, ticks: &BothTicks, scene: &mut Scene) {
    let (rect, ink, drawing) = (&chart.rect, chart.palette.ink, chart.drawing);
    let baseline = rect.top - TICK - PAD;
    for (at, label) in &ticks.x.major {
        let x = crisp(rect.left + chart.x.place(*at) * rect.width());
        scene.line(&[(x, rect.top - TICK), (x, rect.top)], LINE, ink);
        write(label, (x, baseline), Align::Center, ink, scene);
    }
    for at in &ticks.x.minor {
        let x = crisp(rect.left + chart.x.place(*at) * rect.width());
        scene.line(&[(x, rect.top - MINOR_TICK), (x, rect.top)], MINOR_LINE, ink);
    }
    if !ticks.x.offset.is_empty() {
        let at = (rect.right, baseline - FONT * 1.2);
        scene.text(&*ticks.x.offset, at, FONT, Align::Right, ink);
    }
    scene.part = Part::Rest;
    if !drawing.x.label.is_empty() {
        let drop = font::drop(&drawing.x.label, FONT);
        let at = ((rect.left + rect.right) / 2.0, baseline - FONT - 4.0 * POINT - drop);
        scene.text(&*drawing.x.label, at, FONT, Align::Center, ink);
    }
}

/// The title of a figure, as large as there is room for, whose last line
/// stands at a place.
pub(super) fn title(text: &str, at: Point, scene: &mut Scene, ink: Color) {
    let room = 2.0 * at.0.min(f64::from(scene.size.0) - at.0) - 2.0 * EDGE;
    let size = TITLE * (room / font::width(text, TITLE).max(1.0)).clamp(0.5, 1.0);
    scene.text(text, (at.0, at.1 - font::drop(text, size)), size, Align::Center, ink);
}

/// Writes the title of several axes above them, within so many pixels.
pub(crate) fn write_title(text: &str, room: f64, scene: &mut Scene, ink: Color) {
    title(text, (f64::from(scene.size.0) / 2.0, room - 6.0 * POINT), scene, ink);
}

pub(super) fn box_around(rect: &Rect, ink: Color, scene: &mut Scene) {
    let mut corners = rect.corners();
    corners.extend([corners[0], corners[1]]);
    scene.line(&corners, LINE, ink);
}

/// Writes a label; a power of ten with a raised exponent.
pub(super) fn write(label: &Label, (x, y): Point, align: Align, ink: Color, scene: &mut Scene) {
    match label {
        Label::Text(text) if text.is_empty() => {}
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

/// Writes a label below a tick, turned: the end that is up is at the tick.
fn write_turned(label: &Label, (x, top): Point, degrees: f64, ink: Color, scene: &mut Scene) {
    let text = match label {
        Label::Text(text) => text.clone(),
        Label::Power { times, exponent } => format!("{}^{}", base(*times), minus(&exponent.to_string())),
    };
    let (sin, cos) = degrees.to_radians().sin_cos();
    // The middle of its end is below the tick, and nothing of it above.
    let height = CAPITAL * FONT;
    let align = if degrees > 0.0 { Align::Right } else { Align::Left };
    let at = (x + height / 2.0 * sin, top + height * cos);
    scene.write(Text { text, at, size: FONT, align, angle: degrees }, ink);
}
