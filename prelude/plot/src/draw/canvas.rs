//! An opaque picture that paths are filled into, anti-aliased by zeno's masks.

use zeno::{Command, Mask, Scratch, Stroke, Style, Transform};

use super::Rect;

/// Columns and rows of pixels.
type Cells = (std::ops::Range<usize>, std::ops::Range<usize>);

/// Red, green and blue, and how much of what was there before they cover.
#[derive(Clone, Copy)]
pub(super) struct Ink {
    pub(super) rgb: [u8; 3],
    /// From 0 to 1.
    pub(super) opacity: f32,
}

pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
    /// What is drawn is seen within it only, in pixels.
    clip: Rect,
    /// How much of each pixel the path at hand covers.
    coverage: Vec<u8>,
    scratch: Scratch,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize, ground: [u8; 3]) -> Canvas {
        let pixels = vec![ground; width * height];
        let mut canvas = Canvas {
            width,
            height,
            pixels,
            clip: Rect::default(),
            coverage: Vec::new(),
            scratch: Scratch::new(),
        };
        canvas.clip_to(None);
        canvas
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// The bytes of all pixels, row by row: red, green, blue.
    pub(super) fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }

    /// From now on only what is within a rectangle is seen.
    pub(super) fn clip_to(&mut self, rect: Option<Rect>) {
        let all = Rect { left: 0.0, top: 0.0, right: self.width as f64, bottom: self.height as f64 };
        self.clip = rect.map_or(all, |rect| Rect {
            left: rect.left.max(all.left),
            top: rect.top.max(all.top),
            right: rect.right.min(all.right),
            bottom: rect.bottom.min(all.bottom),
        });
    }

    /// Fills a path, or its outline where the style is a stroke.
    pub(super) fn fill<'s>(
        &mut self,
        path: &[Command],
        style: impl Into<Style<'s>>,
        transform: Option<Transform>,
        ink: Ink,
    ) {
        let Some((columns, rows)) = self.cover(path, style.into(), transform) else { return };
        let coverage = std::mem::take(&mut self.coverage);
        self.lay(&coverage, (columns, rows), ink);
        self.coverage = coverage;
    }

    /// Fills several paths as if they were one: what two of them cover is filled once.
    pub(super) fn fill_together(&mut self, paths: &[(Vec<Command>, Stroke<'_>)], ink: Ink) {
        let bounds = paths.iter().map(|(path, style)| {
            let bounds = self.scratch.bounds(path, *style, None);
            let (left, top) = (bounds.min.x.into(), bounds.min.y.into());
            Rect { left, top, right: bounds.max.x.into(), bottom: bounds.max.y.into() }
        });
        let both = |a: Rect, b: Rect| Rect {
            left: a.left.min(b.left),
            top: a.top.min(b.top),
            right: a.right.max(b.right),
            bottom: a.bottom.max(b.bottom),
        };
        let Some(all) = bounds.reduce(both) else { return };
        let Some((across, down)) = self.covered(&all) else { return };
        let mut whole = vec![0_u8; across.len() * down.len()];
        for (path, style) in paths {
            let Some((columns, rows)) = self.cover(path, (*style).into(), None) else { continue };
            for (y, line) in rows.zip(self.coverage.chunks_exact(columns.len())) {
                let from = (y - down.start) * across.len() + columns.start - across.start;
                let under = &mut whole[from..][..columns.len()];
                for (below, above) in under.iter_mut().zip(line) {
                    // Where pieces overlap they cover the same part of a pixel; where a line crosses itself, nearly so.
                    *below = (*below).max(*above);
                }
            }
        }
        self.lay(&whole, (across, down), ink);
    }

    /// How much of each pixel a path covers, in the columns and the rows that it touches.
    fn cover(&mut self, path: &[Command], style: Style<'_>, transform: Option<Transform>) -> Option<Cells> {
        let bounds = self.scratch.bounds(path, style, transform);
        let (columns, rows) = self.covered(&Rect {
            left: f64::from(bounds.min.x),
            top: f64::from(bounds.min.y),
            right: f64::from(bounds.max.x),
            bottom: f64::from(bounds.max.y),
        })?;
        self.coverage.clear();
        self.coverage.resize(columns.len() * rows.len(), 0);
        Mask::with_scratch(path, &mut self.scratch)
            .style(style)
            .transform(transform)
            .offset((-(columns.start as f32), -(rows.start as f32)))
            .size(columns.len() as u32, rows.len() as u32)
            .render_into(&mut self.coverage, None);
        Some((columns, rows))
    }

    /// Blends a colour into pixels by how much of each is covered.
    fn lay(&mut self, coverage: &[u8], (columns, rows): Cells, ink: Ink) {
        for (y, line) in rows.zip(coverage.chunks_exact(columns.len())) {
            let within = overlap(y, self.clip.top, self.clip.bottom);
            for (x, covered) in columns.clone().zip(line).filter(|(_, covered)| **covered > 0) {
                let within = within * overlap(x, self.clip.left, self.clip.right);
                self.blend(x, y, ink, within * f32::from(*covered) / 255.0);
            }
        }
    }

    /// Fills a rectangle with what is at each place of it, from 0 to 1 to the
    /// right and downwards.
    pub(super) fn fill_rect(&mut self, rect: &Rect, at: impl Fn(f64, f64) -> Ink) {
        let Some((columns, rows)) = self.covered(rect) else { return };
        let part = |pixel: usize, from: f64, to: f64| (pixel as f64 + 0.5 - from) / (to - from);
        for y in rows {
            let down = part(y, rect.top, rect.bottom);
            let within = overlap(y, rect.top.max(self.clip.top), rect.bottom.min(self.clip.bottom));
            for x in columns.clone() {
                let across = part(x, rect.left, rect.right);
                let within =
                    within * overlap(x, rect.left.max(self.clip.left), rect.right.min(self.clip.right));
                self.blend(x, y, at(across, down), within);
            }
        }
    }

    /// The columns and the rows of pixels that a rectangle touches where it
    /// can be seen; none if there are none.
    fn covered(&self, rect: &Rect) -> Option<Cells> {
        // A number that is not finite becomes the edge, or zero.
        let range = |from: f64, to: f64, least: f64, most: f64| {
            let (from, to) = (from.max(least).floor(), to.min(most).ceil());
            (from < to).then_some(from as usize..to as usize)
        };
        let columns = range(rect.left, rect.right, self.clip.left, self.clip.right)?;
        Some((columns, range(rect.top, rect.bottom, self.clip.top, self.clip.bottom)?))
    }

    fn blend(&mut self, x: usize, y: usize, ink: Ink, coverage: f32) {
        let opacity = ink.opacity * coverage;
        for (below, above) in self.pixels[y * self.width + x].iter_mut().zip(ink.rgb) {
            let (from, to) = (f32::from(*below), f32::from(above));
            *below = (from + (to - from) * opacity).round() as u8;
        }
    }
}

/// How much of a pixel lies between two places.
fn overlap(pixel: usize, from: f64, to: f64) -> f32 {
    let pixel = pixel as f64;
    (to.min(pixel + 1.0) - from.max(pixel)).clamp(0.0, 1.0) as f32
}

#[cfg(test)]
mod tests {
    use zeno::{Fill, PathBuilder as _};

    use super::*;

    const BLACK: Ink = Ink { rgb: [0; 3], opacity: 1.0 };

    fn reds(canvas: &Canvas) -> Vec<u8> {
        canvas.pixels.iter().map(|pixel| pixel[0]).collect()
    }

    fn square(left: f32, top: f32, side: f32) -> Vec<Command> {
        let mut path = Vec::new();
        path.add_rect((left, top), side, side);
        path
    }

    #[test]
    fn a_path_covers_parts_of_pixels() {
        let mut canvas = Canvas::new(3, 2, [255; 3]);
        canvas.fill(&square(0.5, 0.0, 2.0), Fill::NonZero, None, BLACK);
        let reds = reds(&canvas);
        assert!(reds[0].abs_diff(128) < 2 && reds[1] < 2 && reds[2].abs_diff(128) < 2, "{reds:?}");
        assert_eq!(reds[..3], reds[3..]);
    }

    #[test]
    fn nothing_is_drawn_outside_of_the_clip_and_of_the_picture() {
        let mut canvas = Canvas::new(3, 3, [255; 3]);
        canvas.clip_to(Some(Rect { left: 1.0, top: 1.0, right: 2.0, bottom: 9.0 }));
        canvas.fill(&square(-1e6, -1e6, 3e6), Fill::NonZero, None, BLACK);
        assert_eq!(reds(&canvas), [255, 255, 255, 255, 0, 255, 255, 0, 255]);
        canvas.clip_to(None);
        canvas.fill(&square(f32::NAN, 0.0, 1.0), Fill::NonZero, None, BLACK);
        canvas.fill(&[], Fill::NonZero, None, BLACK);
        canvas.fill_rect(&Rect { left: 5.0, top: 5.0, right: 6.0, bottom: 6.0 }, |_, _| BLACK);
        assert_eq!(reds(&canvas), [255, 255, 255, 255, 0, 255, 255, 0, 255]);
    }

    #[test]
    fn a_rectangle_is_filled_place_by_place() {
        let mut canvas = Canvas::new(4, 1, [255; 3]);
        let rect = Rect { left: 0.0, top: 0.0, right: 4.0, bottom: 1.0 };
        canvas.fill_rect(&rect, |x, _| Ink { rgb: [0; 3], opacity: if x < 0.5 { 1.0 } else { 0.2 } });
        assert_eq!(reds(&canvas), [0, 0, 204, 204]);
    }
}
