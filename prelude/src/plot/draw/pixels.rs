//! A scene as pixels: a backend for plotters over tiny-skia, with everything
//! anti-aliased.

use std::convert::Infallible;

use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use png::{BitDepth, ColorType, Compression, Encoder, PixelDimensions, Unit};
use tiny_skia::{
    FillRule, FilterQuality, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, PixmapPaint, Stroke,
    StrokeDash, Transform,
};

use super::picture::Picture;
use super::{Mark, Rect, SVG_FONT_FACTOR, Scene, Shape, UNITS, draw, font};
use crate::error::{Problem, Result};

/// The most pixels of a picture: 64 million, a quarter of a GiB.
const MOST: u64 = 1 << 26;

/// The scene as PNG, with so many pixels for each of its own.
pub(in crate::plot) fn png(scene: &Scene, ratio: f64) -> Result<Vec<u8>> {
    let map = render(scene, ratio)?;
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, map.width(), map.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    // Viewers that ask are told how large it is meant to be: 96 to an inch.
    let per_metre = (ratio * 96.0 / 0.0254).round() as u32;
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: per_metre, yppu: per_metre, unit: Unit::Meter }));
    // The ground is opaque, so every pixel is.
    let pixels: Vec<u8> =
        map.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels));
    written.map_err(|error| Problem::Invalid { operation: "to_png", message: error.to_string() })?;
    Ok(bytes)
}

fn render(scene: &Scene, ratio: f64) -> Result<Pixmap> {
    let (width, height) = scene.size;
    let pixels = |length: u32| (f64::from(length) * ratio).round().max(1.0);
    let too_large = || Problem::Invalid {
        operation: "to_png",
        message: format!(
            "a picture of {}x{} pixels is too large; ask for a smaller `.size(..)` or `.pixel_ratio(..)`, or \
             save it as SVG",
            pixels(width),
            pixels(height)
        ),
    };
    if pixels(width) * pixels(height) > MOST as f64 {
        return Err(too_large().into());
    }
    let map = Pixmap::new(pixels(width) as u32, pixels(height) as u32);
    let mut map = map.ok_or_else(too_large)?;
    let ground = scene.background;
    map.fill(tiny_skia::Color::from_rgba8(ground.red, ground.green, ground.blue, 255));
    let mut backend = Pixels { map, scale: (ratio / UNITS) as f32, mask: None, dashes: Vec::new() };
    let mut within = None;
    for mark in &scene.marks {
        if mark.within != within {
            within = mark.within;
            backend.mask = within.and_then(|rect| backend.mask_of(&rect));
        }
        backend.dashes = match &mark.shape {
            Shape::Strokes { dashes, .. } => dashes.iter().map(|dash| (dash * ratio) as f32).collect(),
            _ => Vec::new(),
        };
        backend.mark(mark);
    }
    Ok(backend.map)
}

struct Pixels {
    map: Pixmap,
    /// Pixels for each unit.
    scale: f32,
    mask: Option<Mask>,
    dashes: Vec<f32>,
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

    fn mask_of(&self, rect: &Rect) -> Option<Mask> {
        let mut mask = Mask::new(self.map.width(), self.map.height())?;
        let scale = self.scale * UNITS as f32;
        let (left, top) = (rect.left as f32 * scale, rect.top as f32 * scale);
        let (right, bottom) = (rect.right as f32 * scale, rect.bottom as f32 * scale);
        let rect = tiny_skia::Rect::from_ltrb(left, top, right, bottom)?;
        mask.fill_path(&PathBuilder::from_rect(rect), FillRule::Winding, true, Transform::identity());
        Some(mask)
    }

    fn at(&self, (x, y): BackendCoord) -> (f32, f32) {
        (x as f32 * self.scale, y as f32 * self.scale)
    }

    fn path(&self, points: impl IntoIterator<Item = BackendCoord>, is_closed: bool) -> Option<Path> {
        let mut path = PathBuilder::new();
        for point in points {
            let (x, y) = self.at(point);
            if path.is_empty() { path.move_to(x, y) } else { path.line_to(x, y) }
        }
        if is_closed && !path.is_empty() {
            path.close();
        }
        path.finish()
    }

    fn fill(&mut self, path: Option<Path>, color: BackendColor, transform: Transform) {
        if let Some(path) = path {
            self.map.fill_path(&path, &paint(color), FillRule::Winding, transform, self.mask.as_ref());
        }
    }

    fn stroke(&mut self, path: Option<Path>, color: BackendColor, width: u32) {
        let Some(path) = path else { return };
        let stroke = Stroke {
            width: width as f32 * self.scale,
            line_cap: if self.dashes.is_empty() { LineCap::Square } else { LineCap::Butt },
            line_join: LineJoin::Round,
            dash: StrokeDash::new(self.dashes.clone(), 0.0),
            ..Stroke::default()
        };
        let transform = Transform::identity();
        self.map.stroke_path(&path, &paint(color), &stroke, transform, self.mask.as_ref());
    }

    fn picture(&mut self, picture: &Picture, over: &Rect) {
        let Some(mut map) = Pixmap::new(picture.width as u32, picture.height as u32) else { return };
        let colors: Vec<_> = picture
            .colors
            .iter()
            .map(|color| {
                let opacity = (color.opacity * 255.0).round() as u8;
                tiny_skia::ColorU8::from_rgba(color.red, color.green, color.blue, opacity).premultiply()
            })
            .collect();
        for (pixel, number) in map.pixels_mut().iter_mut().zip(&picture.pixels) {
            if let Some(color) = colors.get(usize::from(*number)) {
                *pixel = *color;
            }
        }
        let scale = self.scale * UNITS as f32;
        let across = over.width() as f32 * scale / picture.width as f32;
        let down = over.height() as f32 * scale / picture.height as f32;
        let transform =
            Transform::from_row(across, 0.0, 0.0, down, over.left as f32 * scale, over.top as f32 * scale);
        let paint = PixmapPaint { quality: FilterQuality::Nearest, ..PixmapPaint::default() };
        self.map.draw_pixmap(0, 0, map.as_ref(), &paint, transform, self.mask.as_ref());
    }
}

fn paint(color: BackendColor) -> Paint<'static> {
    let mut paint = Paint::default();
    let opacity = (color.alpha.clamp(0.0, 1.0) * 255.0).round() as u8;
    paint.set_color_rgba8(color.rgb.0, color.rgb.1, color.rgb.2, opacity);
    paint
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Pixels {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let units = |pixels: u32| (pixels as f32 / self.scale).round() as u32;
        (units(self.map.width()), units(self.map.height()))
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        let path = self.path([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)], true);
        self.fill(path, color, Transform::identity());
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        let path = self.path([from, to], false);
        self.stroke(path, style.color(), style.stroke_width());
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
            true => self.fill(path, style.color(), Transform::identity()),
            false => self.stroke(path, style.color(), style.stroke_width()),
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let path = self.path(path, false);
        self.stroke(path, style.color(), style.stroke_width());
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
        let path = PathBuilder::from_circle(x, y, radius as f32 * self.scale);
        match fill {
            true => self.fill(path, style.color(), Transform::identity()),
            false => self.stroke(path, style.color(), style.stroke_width()),
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let path = self.path(path, true);
        self.fill(path, style.color(), Transform::identity());
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let size = style.size() / SVG_FONT_FACTOR * f64::from(self.scale);
        let width = font::width(text, size) as f32;
        let before = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => width / 2.0,
            HPos::Right => width,
        };
        let (x, y) = self.at(at);
        let angle = if matches!(style.transform(), FontTransform::Rotate270) { -90.0 } else { 0.0 };
        let transform = Transform::from_translate(-before, 0.0).post_rotate(angle).post_translate(x, y);
        self.fill(font::outline(text, size), style.color(), transform);
        Ok(())
    }
}
