//! What stands beside the axes: which colour is which value.

use super::axes::{
    LINE, MINOR_LINE, MINOR_TICK, PAD, TICK, around, box_around, by_height, crisp, label_width, write,
};
use super::{Chart, ColorBar, FONT, POINT, heights};
use crate::draw::font::{self, CAPITAL};
use crate::draw::picture::Picture;
use crate::draw::{Align, Rect, Scene, Shape, Text};
use crate::scale::{Label, Limits, Scale, Ticks};

/// Between the axes and a bar, and between bars, as a part of the axes' width.
pub(super) const GAP: f64 = 0.05;

impl ColorBar {
    /// Those that stand beside it.
    pub(super) fn others(&self) -> impl Iterator<Item = &ColorBar> {
        std::iter::successors(self.next.as_deref(), |bar| bar.next.as_deref())
    }
}

/// How wide a bar beside axes so high is, with what is written at it.
pub(super) fn extent(bar: &ColorBar, height: f64) -> f64 {
    let label = match bar.label.is_empty() {
        true => 0.0,
        false => 4.0 * POINT + FONT * 1.2 + font::drop(&bar.label, FONT),
    };
    let widest = ticks(bar, height).major.iter().map(|(_, label)| label_width(label)).fold(0.0, f64::max);
    height / 20.0 + TICK + PAD + widest + label
}

/// The ticks of a bar of colours: at the levels between its areas, as many as
/// there is room for.
fn ticks(bar: &ColorBar, height: f64) -> Ticks {
    let limits = Limits { from: bar.range.0, to: bar.range.1, scale: bar.norm };
    if bar.bands.is_empty() || bar.norm == Scale::Log {
        return by_height(&limits, height);
    }
    let room = ((height / (FONT * 2.0)) as usize).clamp(2, 12);
    let step = bar.bands.len().div_ceil(room).max(1);
    // The level that is nearest to zero is among those with a number, as of Matplotlib's `FixedLocator`.
    let least = (0..bar.bands.len()).min_by(|a, b| bar.bands[*a].abs().total_cmp(&bar.bands[*b].abs()));
    let first = least.unwrap_or(0) % step;
    let named = bar.bands.iter().copied().zip(heights::names(&bar.bands)).skip(first).step_by(step);
    Ticks { major: named.map(|(at, name)| (at, Label::Text(name))).collect(), ..Ticks::default() }
}

/// The bars beside the axes.
pub(super) fn draw(chart: &Chart<'_>, bar: &ColorBar, scene: &mut Scene) {
    let all = f64::from(chart.drawing.extent().0) * 0.775;
    let mut left = chart.rect.right + GAP * all + around(chart.drawing) + chart.beside;
    for bar in std::iter::once(bar).chain(bar.others()) {
        one(chart, bar, left.round() + 0.5, scene);
        left += extent(bar, chart.rect.height()) + GAP * chart.rect.width();
    }
}

/// The bar that says which colour is which value.
fn one(chart: &Chart<'_>, bar: &ColorBar, left: f64, scene: &mut Scene) {
    let ColorBar { range, norm, bands, colormap, opacity, label: name, .. } = bar;
    let ink = chart.palette.ink;
    let (top, bottom) = (chart.rect.top, chart.rect.bottom);
    let width = ((bottom - top) / 20.0).clamp(8.0, 20.0).round();
    let rect = Rect { left, top, right: left + width, bottom };
    let limits = Limits { from: range.0, to: range.1, scale: *norm };
    let share = |k: i32| {
        let share = 1.0 - f64::from(k) / 255.0;
        let value = limits.at(share);
        // The colour of an area is that of the middle between its levels.
        let band = bands.windows(2).find(|pair| pair[0] <= value && value <= pair[1]);
        band.map_or(share, |pair| limits.place(pair[0] / 2.0 + pair[1] / 2.0))
    };
    let color = |k: i32| {
        let color = colormap.at(share(k));
        color.with_opacity(color.opacity * opacity)
    };
    let colors = (0..256).map(color).collect();
    let picture = Picture::numbered(1, 256, (0..=255).collect(), colors);
    scene.add(Shape::Picture { picture, over: rect }, ink);
    box_around(&rect, ink, scene);
    let ticks = ticks(bar, rect.height());
    for (at, label) in &ticks.major {
        let y = crisp(bottom - limits.place(*at) * rect.height());
        scene.line(&[(rect.right, y), (rect.right + TICK, y)], LINE, ink);
        write(label, (rect.right + TICK + PAD, y + FONT * CAPITAL / 2.0), Align::Left, ink, scene);
    }
    for at in &ticks.minor {
        let y = crisp(bottom - limits.place(*at) * rect.height());
        scene.line(&[(rect.right, y), (rect.right + MINOR_TICK, y)], MINOR_LINE, ink);
    }
    if !name.is_empty() {
        let widest = ticks.major.iter().map(|(_, label)| label_width(label)).fold(0.0, f64::max);
        let x = rect.right + TICK + PAD + widest + 4.0 * POINT + FONT;
        let at = (x, (rect.top + rect.bottom) / 2.0);
        let text = name.clone();
        scene.write(Text { text, at, size: FONT, align: Align::Center, angle: 90.0 }, ink);
    }
    if !ticks.offset.is_empty() {
        scene.text(&*ticks.offset, (left, top - 3.0 * POINT), FONT, Align::Left, ink);
    }
}
