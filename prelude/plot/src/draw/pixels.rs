//! A scene as pixels: a backend for plotters over zeno, with everything
//! anti-aliased.

use std::convert::Infallible;

use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};
use png::{BitDepth, ColorType, Compression, Encoder, PixelDimensions, Unit};
use zeno::{Angle, Cap, Command, Fill, Join, PathBuilder as _, Stroke, Transform};

use super::canvas::{Canvas, Ink};
use super::picture::Picture;
use super::{Mark, Rect, SVG_FONT_FACTOR, Scene, Shape, UNITS, draw, font};
use crate::error::{Problem, Result};

/// The most pixels of a picture: 64 million, a quarter of a GiB.
const MOST: u64 = 1 << 26;

/// The segments of a piece of a long line.
const PIECE: usize = 64;

/// How much wider the strokes of bold letters are, as a part of the font's size.
pub(super) const BOLD: f64 = 0.045;

/// The scene as PNG, with so many pixels for each of its own.
pub(crate) fn png(scene: &Scene, ratio: f64) -> Result<Vec<u8>> {
    let canvas = render(scene, ratio)?;
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, canvas.width() as u32, canvas.height() as u32);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    // The intended size, for viewers that read it: 96 to an inch.
    let per_metre = (ratio * 96.0 / 0.0254).round() as u32;
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: per_metre, yppu: per_metre, unit: Unit::Meter }));
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(canvas.bytes()));
    written.map_err(|error| Problem::Invalid { operation: "to_png", message: error.to_string() })?;
    Ok(bytes)
}

/// The pixels of a scene, row by row: red, green, blue.
pub(crate) fn rgb(scene: &Scene) -> Result<Vec<u8>> {
    Ok(render(scene, 1.0)?.bytes().to_vec())
}

fn render(scene: &Scene, ratio: f64) -> Result<Canvas> {
    let (width, height) = scene.seen;
    let pixels = |length: u32| (f64::from(length) * ratio).round().max(1.0);
    if pixels(width) * pixels(height) > MOST as f64 {
        let message = format!(
            "a picture of {}x{} pixels is too large; ask for a smaller `.size(..)` or `.pixel_ratio(..)`, or \
             save it as SVG",
            pixels(width),
            pixels(height)
        );
        return Err(Problem::Invalid { operation: "to_png", message }.into());
    }
    let ground = scene.background;
    let ground = [ground.red, ground.green, ground.blue];
    let canvas = Canvas::new(pixels(width) as usize, pixels(height) as usize, ground);
    let ratio = ratio * f64::from(width) / f64::from(scene.size.0.max(1));
    let mut backend = Pixels { canvas, scale: (ratio / UNITS) as f32, dashes: Vec::new(), angle: 0.0 };
    let mut within = None;
    for mark in &scene.marks {
        gpurepl_ground::check_interrupt();
        if mark.within != within {
            within = mark.within;
            let seen = within.map(|rect| backend.in_pixels(&rect));
            backend.canvas.clip_to(seen);
        }
        backend.dashes = match &mark.shape {
            Shape::Strokes { dashes, .. } => dashes.iter().map(|dash| (dash * ratio) as f32).collect(),
            _ => Vec::new(),
        };
        backend.angle = match &mark.shape {
            Shape::Text(text, _) => text.angle as f32,
            _ => 0.0,
        };
        backend.mark(mark);
    }
    Ok(backend.canvas)
}

struct Pixels {
    canvas: Canvas,
    /// Pixels for each unit.
    scale: f32,
    dashes: Vec<f32>,
    /// Of a text, in degrees to the left.
    angle: f32,
}

impl Pixels {
    fn mark(&mut self, mark: &Mark) {
        match &mark.shape {
            Shape::Picture { picture, over } => self.picture(picture, over),
            _ => match draw(self, mark) {
                Ok(()) => {}
                Err(DrawingErrorKind::DrawingError(never)) => match never {},
                Err(DrawingErrorKind::FontError(_)) => {}
            },
        }
    }

    fn in_pixels(&self, rect: &Rect) -> Rect {
        let scale = f64::from(self.scale) * UNITS;
        Rect {
            left: rect.left * scale,
            top: rect.top * scale,
            right: rect.right * scale,
            bottom: rect.bottom * scale,
        }
    }

    fn at(&self, (x, y): BackendCoord) -> (f32, f32) {
        (x as f32 * self.scale, y as f32 * self.scale)
    }

    fn path(&self, points: impl IntoIterator<Item = BackendCoord>, is_closed: bool) -> Vec<Command> {
        let mut path: Vec<Command> = Vec::new();
        for point in points {
            let at = self.at(point);
            if path.is_empty() {
                path.move_to(at)
            } else {
                path.line_to(at)
            };
        }
        if is_closed && !path.is_empty() {
            path.close();
        }
        path
    }

    fn fill(&mut self, path: &[Command], color: BackendColor) {
        self.canvas.fill(path, Fill::NonZero, None, ink(color));
    }

    fn stroke(&mut self, path: &[Command], color: BackendColor, width: u32) {
        let cap = if self.dashes.is_empty() { Cap::Square } else { Cap::Butt };
        let mut stroke = Stroke::new(width as f32 * self.scale);
        stroke.cap(cap).join(Join::Round).dash(&self.dashes, 0.0);
        if self.dashes.is_empty() && path.len() > 2 * PIECE {
            self.canvas.fill_together(&pieces(path, stroke), ink(color));
        } else {
            self.canvas.fill(path, stroke, None, ink(color));
        }
    }

    fn picture(&mut self, picture: &Picture, over: &Rect) {
        let over = self.in_pixels(over);
        let place = |part: f64, length: usize| ((part * length as f64) as usize).min(length - 1);
        if picture.is_empty() {
            return;
        }
        self.canvas.fill_rect(&over, |across, down| {
            let at = place(down, picture.height) * picture.width + place(across, picture.width);
            picture.color(at).map_or(Ink { rgb: [0; 3], opacity: 0.0 }, |color| Ink {
                rgb: [color.red, color.green, color.blue],
                opacity: color.opacity as f32,
            })
        });
    }
}

/// A long line as pieces that overlap by a segment, so that each corner is within one of them: the time that zeno
/// takes for a row of pixels grows with the square of how often a path crosses it.
fn pieces<'p>(path: &[Command], stroke: Stroke<'p>) -> Vec<(Vec<Command>, Stroke<'p>)> {
    let last = path.len() - 1;
    let starts = (0..last).step_by(PIECE);
    let piece = |start: usize| {
        let end = (start + PIECE + 1).min(last);
        let mut commands = path[start..=end].to_vec();
        if let Some(Command::LineTo(at)) = commands.first().copied() {
            commands[0] = Command::MoveTo(at);
        }
        let cap = |is_end: bool| if is_end { Cap::Square } else { Cap::Butt };
        let mut stroke = stroke;
        stroke.caps(cap(start == 0), cap(end == last));
        (commands, stroke)
    };
    starts.map(piece).collect()
}

fn ink(color: BackendColor) -> Ink {
    Ink { rgb: [color.rgb.0, color.rgb.1, color.rgb.2], opacity: color.alpha.clamp(0.0, 1.0) as f32 }
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Pixels {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let units = |pixels: usize| (pixels as f32 / self.scale).round() as u32;
        (units(self.canvas.width()), units(self.canvas.height()))
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        let path = self.path([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)], true);
        self.fill(&path, color);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        let path = self.path([from, to], false);
        self.stroke(&path, style.color(), style.stroke_width());
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let path = self.path([from, (to.0, from.1), to, (from.0, to.1)], true);
        match fill {
            true => self.fill(&path, style.color()),
            false => self.stroke(&path, style.color(), style.stroke_width()),
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let path = self.path(path, false);
        self.stroke(&path, style.color(), style.stroke_width());
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let (x, y) = self.at(center);
        let mut path = Vec::new();
        path.add_circle((x, y), radius as f32 * self.scale);
        match fill {
            true => self.fill(&path, style.color()),
            false => self.stroke(&path, style.color(), style.stroke_width()),
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let path = self.path(path, true);
        self.fill(&path, style.color());
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let size = style.size() / SVG_FONT_FACTOR * f64::from(self.scale);
        let width = font::advance(text, size) as f32;
        let before = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => width / 2.0,
            HPos::Right => width,
        };
        let (x, y) = self.at(at);
        let turned = Transform::rotation(Angle::from_degrees(-self.angle));
        // Where the text begins. zeno's `then_rotate` turns what was moved before the
        // other way round.
        let transform = Some(turned.then_translate(x - before * turned.xx, y - before * turned.xy));
        let outline = font::outline(text, size, matches!(style.style(), FontStyle::Italic));
        self.canvas.fill(&outline, Fill::NonZero, transform, ink(style.color()));
        if matches!(style.style(), FontStyle::Bold) {
            let heavier = Stroke::new((BOLD * size) as f32);
            self.canvas.fill(&outline, heavier, transform, ink(style.color()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;

    #[test]
    fn a_long_line_took_the_square_of_its_length_and_looks_as_it_did() {
        let wave = |k: u32| (10.0 + f64::from(k) * 0.3, 60.0 + 50.0 * (f64::from(k) * 0.07).sin());
        let path: Vec<(f64, f64)> = (0..600).map(wave).collect();
        // What is dashed is drawn in one piece; this dash is longer than the line.
        let drawn = |dashes: Vec<f64>| {
            let shape = Shape::Strokes { paths: vec![path.clone()], width: 2.0, dashes };
            let color = Color::hex(0).with_opacity(0.5);
            let mark = Mark::new(shape, color);
            let size = (200, 120);
            rgb(&Scene { marks: vec![mark], ..Scene::new(size, size, Color::hex(0xffffff)) }).unwrap()
        };
        let (pieces, whole) = (drawn(Vec::new()), drawn(vec![1e5]));
        // Beside its ends, which are square here and end at once there.
        let differ = |k: &usize| pieces[*k].abs_diff(whole[*k]) > 3 && (15..185).contains(&(*k / 3 % 200));
        let differing = (0..whole.len()).filter(differ).count();
        assert!(whole.iter().any(|part| *part < 140) && differing < 30, "{differing}");
    }
}
