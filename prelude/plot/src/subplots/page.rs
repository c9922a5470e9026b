//! Several figures in one picture: where each is, and what they share.

use super::{Cell, Settings, Share, Sheet, Subplots};
use crate::chart::{Axis, Chart, Drawing, Prepared, Span, extent, title_room, write_title};
use crate::color::{Palette, Theme};
use crate::draw::formula::plain;
use crate::draw::{Rect, Scene, Shape};
use crate::error::{Problem, Result};
use crate::figure::Figure;
use crate::scale::{Limits, Scale};
use crate::text;

/// A picture of several figures, and what is said of it in a terminal.
pub(crate) struct Page {
    pub(crate) scene: Scene,
    pub(crate) text: String,
    pub(crate) colored: String,
}

/// The width and the height that axes have together, where no size was asked
/// for.
const ROOM: f64 = 960.0;
/// A figure's own, which axes do not exceed each.
const SIZE: (f64, f64) = (640.0, 480.0);
/// The most figures beside each other.
const MOST_BESIDE: usize = 3;

/// How much of a cell is around its axes on each side, in pixels.
#[derive(Clone, Copy, Default)]
struct Margins {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Subplots {
    /// What the text of a picture begins with.
    pub(crate) fn summary(&self) -> String {
        let Sheet { rows, columns, .. } = *self.sheet();
        let settings = self.settings();
        let (width, height) = size(&settings, rows, columns);
        let title = match &*settings.title {
            "" => String::new(),
            title => format!(", \"{}\"", plain(title).replace('\n', " ")),
        };
        format!("Subplots: {rows} x {columns}, {width}x{height}{title}")
    }

    pub(crate) fn pixel_ratio_of_files(&self) -> f64 {
        self.settings().pixel_ratio
    }

    pub(crate) fn page(&self) -> Result<Page> {
        self.page_in(None)
    }

    /// Whether readers may move the axes.
    pub(crate) fn is_interactive(&self) -> bool {
        let any = self.sheet().cells.iter().any(|cell| cell.figure.drawing().is_interactive);
        any || self.settings().is_interactive
    }

    pub(crate) fn title(&self) -> String {
        self.settings().title.clone()
    }

    /// Whether the picture is for light and for dark pages.
    pub(crate) fn is_dual(&self) -> bool {
        let first = self.sheet().cells.first().map(|cell| cell.figure.drawing().theme);
        self.settings().theme.or(first) == Some(Theme::Auto)
    }

    /// The same in a theme, whichever was asked for.
    pub(crate) fn page_in(&self, theme: Option<Theme>) -> Result<Page> {
        self.page_with(theme, &|_| Ok(()))
    }

    /// The same after a change of copies of all figures.
    pub(crate) fn page_with(
        &self,
        theme: Option<Theme>,
        change: &dyn Fn(&mut [&mut Drawing]) -> Result<()>,
    ) -> Result<Page> {
        let sheet = self.sheet();
        let mut settings = self.settings().clone();
        settings.theme = theme.or(settings.theme);
        let size = size(&settings, sheet.rows, sheet.columns);
        let first = sheet.cells.first().map(|cell| cell.figure.drawing().theme);
        let theme = settings.theme.or(first).unwrap_or_default();
        let palette = Palette::of(theme);
        let scale = sheet.cells.first().map_or(1.0, |cell| cell.figure.drawing().text_scale);
        let seen = size;
        let size = extent(size, scale);
        let mut scene = Scene::new(size, seen, palette.background);
        let top = if settings.title.is_empty() { 0.0 } else { title_room(&settings.title) };
        let columns = shares(&settings.widths, 0.0, f64::from(size.0));
        let rows = shares(&settings.heights, top, f64::from(size.1));
        let places: Vec<Rect> = sheet
            .cells
            .iter()
            .map(|cell| Rect {
                left: columns[cell.columns.0],
                right: columns[cell.columns.1],
                top: rows[cell.rows.0],
                bottom: rows[cell.rows.1],
            })
            .collect();
        let mut drawings = drawings(&sheet.cells, &places, &settings);
        change(&mut drawings.iter_mut().collect::<Vec<_>>())?;
        if settings.share != [Share::None; 2] && drawings.iter().any(Drawing::is_solid) {
            let message = "three axes have ends of their own; leave out `.sharex()` and `.sharey()`, and give each its \
                           `.xlim(..)`"
                .to_owned();
            return Err(Problem::Invalid { operation: "subplots", message }.into());
        }
        let prepared = drawings.iter().map(Drawing::prepare).collect::<Result<Vec<_>>>()?;
        let limits = shared_limits(&sheet.cells, &prepared, &settings);
        let margins = aligned(&sheet.cells, &prepared, &limits);
        let places = evened(&sheet.cells, &settings, (&columns, &rows), &margins).unwrap_or(places);
        // What stands below the axes, and a box in space, go by the size of the cell.
        let mut moved = self::drawings(&sheet.cells, &places, &settings);
        change(&mut moved.iter_mut().collect::<Vec<_>>())?;
        let prepared = prepared.into_iter().zip(&moved).map(|(prepared, drawing)| prepared.of(drawing));
        let mut texts = (vec![self.summary()], vec![self.summary()]);
        let shared = [0, 1].map(|which| groups(&sheet.cells, settings.share[which], which));
        let all = prepared.zip(limits).zip(margins).zip(&places).enumerate();
        for (k, (((prepared, limits), margins), place)) in all {
            let (width, height) = (place.width(), place.height());
            let rect = Rect {
                left: margins.left,
                top: margins.top,
                right: (width - margins.right).max(margins.left + 10.0),
                bottom: (height - margins.bottom).max(margins.top + 10.0),
            };
            let chart = prepared.chart(limits, Some(rect))?;
            let before = scene.windows.len();
            add(&chart, place, theme, &mut scene)?;
            // Those within others and those beside them have ends of their own.
            if let Some(window) = scene.windows.get_mut(before) {
                window.x.group = group(&shared[0], k);
                window.y.group = group(&shared[1], k);
            }
            let name = name(sheet, k);
            texts.0.push(format!("{name} {}", text::write(&chart)));
            texts.1.push(format!("{name} {}", text::write_colored(&chart)));
        }
        if !settings.title.is_empty() {
            write_title(&settings.title, top, &mut scene, palette.ink);
        }
        Ok(Page { scene, text: texts.0.join("\n"), colored: texts.1.join("\n") })
    }
}

/// Figures beside each other, each in its own size.
pub(crate) fn beside(figures: &[&Figure], theme: Option<Theme>) -> Result<Page> {
    // Copies: a figure may be there twice, and lends its drawing once.
    let mut drawings: Vec<Drawing> = figures.iter().map(|figure| figure.drawing().clone()).collect();
    drawings.iter_mut().for_each(|drawing| drawing.theme = theme.unwrap_or(drawing.theme));
    let theme = drawings.first().map_or(Theme::Light, |drawing| drawing.theme);
    let scale = drawings.first().map_or(1.0, |drawing| drawing.text_scale);
    drawings.iter_mut().for_each(|drawing| drawing.text_scale = scale);
    let background = Palette::of(theme).background;
    let mut scene = Scene::new((0, 0), (0, 0), background);
    let (mut text, mut colored) = (Vec::new(), Vec::new());
    let mut top = 0;
    for row in drawings.chunks(MOST_BESIDE) {
        let mut left = 0;
        for drawing in row {
            let chart = drawing.chart()?;
            let size = drawing.extent();
            let place = Rect {
                left: left.into(),
                top: top.into(),
                right: (left + size.0).into(),
                bottom: (top + size.1).into(),
            };
            add(&chart, &place, theme, &mut scene)?;
            text.push(text::write(&chart));
            colored.push(text::write_colored(&chart));
            left += size.0;
        }
        top += row.iter().map(|drawing| drawing.extent().1).max().unwrap_or(0);
        scene.size = (scene.size.0.max(left), top);
        let seen = |length: u32| (f64::from(length) * scale).round() as u32;
        scene.seen = (seen(scene.size.0), seen(scene.size.1));
    }
    Ok(Page { scene, text: text.join("\n\n"), colored: colored.join("\n\n") })
}

/// Draws a chart at its place in the whole.
fn add(chart: &Chart<'_>, place: &Rect, theme: Theme, scene: &mut Scene) -> Result<()> {
    if chart.drawing.theme != theme {
        scene.add(Shape::Areas(vec![place.corners()]), chart.palette.background);
    }
    scene.append(chart.scene()?, (place.left, place.top));
    Ok(())
}

fn size(settings: &Settings, rows: usize, columns: usize) -> (u32, u32) {
    settings.size.unwrap_or_else(|| {
        let width = SIZE.0.min(ROOM / columns as f64).max(120.0);
        let height = (width * SIZE.1 / SIZE.0).min(ROOM / rows as f64).max(100.0);
        ((width * columns as f64).round() as u32, (height * rows as f64).round() as u32)
    })
}

/// The number of the group that axes are in.
fn group(groups: &[Vec<usize>], k: usize) -> Option<usize> {
    groups.iter().position(|group| group.contains(&k))
}

/// Where the parts of a length begin, and where the last ends, on whole pixels.
fn shares(parts: &[f64], from: f64, to: f64) -> Vec<f64> {
    let total: f64 = parts.iter().sum();
    let mut sum = 0.0;
    let mut places = vec![from.round()];
    for part in parts {
        sum += part;
        places.push((from + (to - from) * sum / total).round());
    }
    places
}

fn name(sheet: &Sheet, k: usize) -> String {
    match sheet.letters.get(k) {
        Some(letter) => format!("[{letter}]"),
        None => format!("[{}, {}]", sheet.cells[k].rows.0, sheet.cells[k].columns.0),
    }
}

/// Whether two ranges have a part in common.
fn meet(one: (usize, usize), other: (usize, usize)) -> bool {
    one.0 < other.1 && other.0 < one.1
}

/// Copies of all figures, as large as their cells, with what they share.
fn drawings(cells: &[Cell], places: &[Rect], settings: &Settings) -> Vec<Drawing> {
    let mut drawings: Vec<Drawing> = cells
        .iter()
        .zip(places)
        .map(|(cell, place)| {
            let drawing = cell.figure.drawing().clone();
            let size = (place.width().max(1.0) as u32, place.height().max(1.0) as u32);
            // The whole is scaled, and its parts are as large as their places.
            Drawing { size, text_scale: 1.0, theme: settings.theme.unwrap_or(drawing.theme), ..drawing }
        })
        .collect();
    let axes: [fn(&mut Drawing) -> &mut Axis; 2] = [|drawing| &mut drawing.x, |drawing| &mut drawing.y];
    for (which, axis) in axes.into_iter().enumerate() {
        for group in groups(cells, settings.share[which], which) {
            let bent =
                group.iter().map(|k| axis(&mut drawings[*k]).scale).find(|scale| *scale != Scale::Linear);
            let limits = group.iter().find_map(|k| axis(&mut drawings[*k]).limits);
            for k in group {
                let is_inner = cells.iter().any(|other| match which {
                    0 => meet(other.columns, cells[k].columns) && other.rows.0 >= cells[k].rows.1,
                    _ => meet(other.rows, cells[k].rows) && other.columns.1 <= cells[k].columns.0,
                });
                let axis = axis(&mut drawings[k]);
                axis.is_inner = is_inner;
                axis.limits = axis.limits.or(limits);
                axis.scale = bent.unwrap_or(axis.scale);
            }
        }
    }
    drawings
}

/// The numbers of axes that have the same ends; none where they share nothing.
fn groups(cells: &[Cell], share: Share, which: usize) -> Vec<Vec<usize>> {
    let line = |cell: &Cell| if which == 0 { cell.columns.0 } else { cell.rows.0 };
    match share {
        Share::None => Vec::new(),
        Share::All => vec![(0..cells.len()).collect()],
        Share::Line => {
            let last = cells.iter().map(line).max().unwrap_or(0);
            let of_line = |number| (0..cells.len()).filter(|k| line(&cells[*k]) == number).collect();
            (0..=last).map(of_line).collect()
        }
    }
}

/// The ends of all axes; those that are shared show the data of all.
fn shared_limits(cells: &[Cell], prepared: &[Prepared<'_>], settings: &Settings) -> Vec<(Limits, Limits)> {
    let mut spans: Vec<(Span, Span)> =
        prepared.iter().map(|prepared| (prepared.x.clone(), prepared.y.clone())).collect();
    for group in groups(cells, settings.share[0], 0) {
        let all = group.iter().fold(Span::default(), |all, k| all.with(&spans[*k].0));
        group.iter().for_each(|k| spans[*k].0 = all.clone());
    }
    for group in groups(cells, settings.share[1], 1) {
        let all = group.iter().fold(Span::default(), |all, k| all.with(&spans[*k].1));
        group.iter().for_each(|k| spans[*k].1 = all.clone());
    }
    let limits = |(prepared, (x, y)): (&Prepared<'_>, (Span, Span))| {
        (x.limits(&prepared.drawing.x), y.limits(&prepared.drawing.y))
    };
    prepared.iter().zip(spans).map(limits).collect()
}

/// Cells moved so that axes, and not cells, are as wide and as high as was asked for: what stands
/// beside some of them makes none of them smaller, as in Matplotlib. None where there is no room.
fn evened(
    cells: &[Cell],
    settings: &Settings,
    (columns, rows): (&[f64], &[f64]),
    margins: &[Margins],
) -> Option<Vec<Rect>> {
    let part = |cell: &Cell, is_row: bool| if is_row { cell.rows } else { cell.columns };
    let lines = |is_row: bool, parts: &[f64]| {
        let before = |margins: &Margins| if is_row { margins.top } else { margins.left };
        let after = |margins: &Margins| if is_row { margins.bottom } else { margins.right };
        let all = if is_row { rows } else { columns };
        let (from, to) = (all[0], all[all.len() - 1]);
        let widest = |line: usize, margin: &dyn Fn(&Margins) -> f64, is_first: bool| {
            let is_here = |cell: &Cell| match is_first {
                true => part(cell, is_row).0 == line,
                false => part(cell, is_row).1 == line + 1,
            };
            let here = cells.iter().zip(margins).filter(|(cell, _)| is_here(cell));
            here.map(|(_, margins)| margin(margins)).fold(0.0, f64::max)
        };
        let around: Vec<(f64, f64)> =
            (0..parts.len()).map(|line| (widest(line, &before, true), widest(line, &after, false))).collect();
        let taken: f64 = around.iter().map(|(before, after)| before + after).sum();
        let free = (to - from - taken) / parts.iter().sum::<f64>();
        let mut at = from;
        let mut borders = vec![from];
        for (part, (before, after)) in parts.iter().zip(&around) {
            at += before + part * free + after;
            borders.push(at.round());
        }
        (free > 0.0).then_some(borders)
    };
    let (across, down) = (lines(false, &settings.widths)?, lines(true, &settings.heights)?);
    let moved = |cell: &Cell| Rect {
        left: across[cell.columns.0],
        right: across[cell.columns.1],
        top: down[cell.rows.0],
        bottom: down[cell.rows.1],
    };
    Some(cells.iter().map(moved).collect())
}

/// The margins of all cells: those that begin or end at the same line have the
/// same, so that their axes do, too.
fn aligned(cells: &[Cell], prepared: &[Prepared<'_>], limits: &[(Limits, Limits)]) -> Vec<Margins> {
    let own: Vec<Margins> = prepared
        .iter()
        .zip(limits)
        .map(|(prepared, limits)| {
            let rect = prepared.tight_rect(limits);
            let (width, height) =
                (f64::from(prepared.drawing.extent().0), f64::from(prepared.drawing.extent().1));
            Margins {
                left: rect.left,
                top: rect.top,
                right: width - rect.right,
                bottom: height - rect.bottom,
            }
        })
        .collect();
    let widest = |margin: fn(&Margins) -> f64, is_beside: &dyn Fn(&Cell) -> bool| {
        let beside = cells.iter().zip(&own).filter(|(cell, _)| is_beside(cell));
        beside.map(|(_, margins)| margin(margins)).fold(0.0, f64::max)
    };
    let margins = |cell: &Cell| Margins {
        left: widest(|margins| margins.left, &|other| other.columns.0 == cell.columns.0),
        right: widest(|margins| margins.right, &|other| other.columns.1 == cell.columns.1),
        top: widest(|margins| margins.top, &|other| other.rows.0 == cell.rows.0),
        bottom: widest(|margins| margins.bottom, &|other| other.rows.1 == cell.rows.1),
    };
    cells.iter().map(margins).collect()
}
