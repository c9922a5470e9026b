//! A scene as PDF: a page as large as the figure, at 100 pixels to the inch. Letters are drawn by
//! their outlines, so that they look as in every other form; what they say lies over
//! them unseen, for those who search and copy.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{LineCapStyle, LineJoinStyle, TextRenderingMode};
use pdf_writer::{Content, Filter, Finish as _, Name, Pdf, Rect as Page, Ref, Str};
use zeno::{Command, PathBuilder as _};

use super::picture::Picture;
use super::pixels::BOLD;
use super::{Align, Face, Mark, Rect, Scene, Shape, Text, font};
use crate::color::Color;

/// Pixels for a point, of which an inch has 72, at 100 pixels to the inch.
const POINT: f64 = 100.0 / 72.0;

/// The font of what is not seen, of the fourteen that need not be carried along.
const UNSEEN: Name<'static> = Name(b"F0");

/// The document.
pub(crate) fn write(scene: &Scene) -> Vec<u8> {
    let mut numbers = 1..;
    let mut next = || Ref::new(numbers.next().unwrap_or(i32::MAX));
    let (catalog, tree, page_id, content_id, font_id) = (next(), next(), next(), next(), next());
    let (width, height) = (f64::from(scene.seen.0) / POINT, f64::from(scene.seen.1) / POINT);
    let mut sheet = Sheet { content: Content::new(), opacities: Vec::new(), pictures: Vec::new() };
    // From pixels, downwards, to points, upwards.
    let scale = width / f64::from(scene.size.0.max(1));
    sheet.content.transform([scale as f32, 0.0, 0.0, -scale as f32, 0.0, height as f32]);
    sheet.content.set_line_join(LineJoinStyle::RoundJoin);
    let all = Rect { left: 0.0, top: 0.0, right: f64::from(scene.size.0), bottom: f64::from(scene.size.1) };
    sheet.add(&Mark::new(Shape::Areas(vec![all.corners()]), scene.background));
    scene.marks.iter().for_each(|mark| sheet.add(mark));

    let Sheet { content, opacities, pictures } = sheet;
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(tree);
    pdf.pages(tree).kids([page_id]).count(1);
    let mut page = pdf.page(page_id);
    page.media_box(Page::new(0.0, 0.0, width as f32, height as f32)).parent(tree).contents(content_id);
    let mut resources = page.resources();
    resources.fonts().pair(UNSEEN, font_id);
    let states: Vec<(Ref, u8)> = opacities.iter().map(|opacity| (next(), *opacity)).collect();
    let mut listed = resources.ext_g_states();
    for (id, opacity) in &states {
        listed.pair(Name(state_name(*opacity).as_bytes()), *id);
    }
    listed.finish();
    let images: Vec<(Ref, Ref)> = pictures.iter().map(|_| (next(), next())).collect();
    let mut listed = resources.x_objects();
    for (number, (id, _)) in images.iter().enumerate() {
        listed.pair(Name(picture_name(number).as_bytes()), *id);
    }
    listed.finish();
    resources.finish();
    page.finish();
    pdf.type1_font(font_id).base_font(Name(b"Helvetica")).encoding_predefined(Name(b"WinAnsiEncoding"));
    for (id, opacity) in states {
        let part = f32::from(opacity) / 255.0;
        pdf.ext_graphics(id).stroking_alpha(part).non_stroking_alpha(part);
    }
    for ((id, mask), picture) in images.into_iter().zip(&pictures) {
        image(&mut pdf, (id, mask), picture);
    }
    pdf.stream(content_id, &packed(content.finish().as_slice())).filter(Filter::FlateDecode);
    pdf.finish()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Memory takes all that is written.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

fn state_name(opacity: u8) -> String {
    format!("A{opacity}")
}

fn picture_name(number: usize) -> String {
    format!("P{number}")
}

/// A picture, and how opaque it is.
fn image(pdf: &mut Pdf, (id, mask): (Ref, Ref), picture: &Pixels) {
    let (width, height) = (picture.width as i32, picture.height as i32);
    let colors = packed(&picture.colors);
    let mut image = pdf.image_xobject(id, &colors);
    image.width(width).height(height).bits_per_component(8).filter(Filter::FlateDecode);
    image.color_space().device_rgb();
    image.s_mask(mask);
    image.finish();
    let opacities = packed(&picture.opacities);
    let mut image = pdf.image_xobject(mask, &opacities);
    image.width(width).height(height).bits_per_component(8).filter(Filter::FlateDecode);
    image.color_space().device_gray();
}

/// The pixels of a picture.
struct Pixels {
    width: usize,
    height: usize,
    colors: Vec<u8>,
    opacities: Vec<u8>,
}

/// A page that is drawn, and what it needs.
struct Sheet {
    content: Content,
    /// The opacities that there are, of 255.
    opacities: Vec<u8>,
    pictures: Vec<Pixels>,
}

impl Sheet {
    fn add(&mut self, mark: &Mark) {
        self.content.save_state();
        if let Some(rect) = mark.within {
            let [left, top, width, height] = [rect.left, rect.top, rect.width(), rect.height()];
            self.content.rect(left as f32, top as f32, width as f32, height as f32).clip_nonzero().end_path();
        }
        // A picture has its opacity in its own pixels.
        if !matches!(mark.shape, Shape::Picture { .. }) {
            self.ink(mark.color);
        }
        match &mark.shape {
            Shape::Strokes { paths, width, dashes } => {
                let cap =
                    if dashes.is_empty() { LineCapStyle::ProjectingSquareCap } else { LineCapStyle::ButtCap };
                self.content.set_line_width(*width as f32).set_line_cap(cap);
                self.content.set_dash_pattern(dashes.iter().map(|dash| *dash as f32), 0.0);
                for path in paths.iter().filter(|path| path.len() > 1) {
                    self.path(path, false);
                    self.content.stroke();
                }
            }
            Shape::Areas(paths) => {
                for path in paths.iter().filter(|path| path.len() > 2) {
                    self.path(path, true);
                    self.content.fill_nonzero();
                }
            }
            Shape::Discs { centers, radius } => {
                for (x, y) in centers {
                    let mut path: Vec<Command> = Vec::new();
                    path.add_circle((*x as f32, *y as f32), *radius as f32);
                    self.outline(&path);
                    self.content.fill_nonzero();
                }
            }
            Shape::Text(text, face) => self.text(text, *face),
            Shape::Picture { picture, over } => self.picture(picture, over),
        }
        self.content.restore_state();
    }

    fn ink(&mut self, color: Color) {
        let [red, green, blue] = [color.red, color.green, color.blue].map(|part| f32::from(part) / 255.0);
        self.content.set_fill_rgb(red, green, blue).set_stroke_rgb(red, green, blue);
        let opacity = (color.opacity.clamp(0.0, 1.0) * 255.0).round() as u8;
        if opacity < u8::MAX {
            if !self.opacities.contains(&opacity) {
                self.opacities.push(opacity);
            }
            self.content.set_parameters(Name(state_name(opacity).as_bytes()));
        }
    }

    fn path(&mut self, points: &[(f64, f64)], is_closed: bool) {
        // Far outside of the page there is nothing to be seen, and numbers have no infinities there.
        let within = |at: f64| if at.is_nan() { 0.0 } else { at.clamp(-1e5, 1e5) as f32 };
        for (number, (x, y)) in points.iter().enumerate() {
            let (x, y) = (within(*x), within(*y));
            if number == 0 {
                self.content.move_to(x, y);
            } else {
                self.content.line_to(x, y);
            }
        }
        if is_closed {
            self.content.close_path();
        }
    }

    fn outline(&mut self, path: &[Command]) {
        let mut at = (0.0f32, 0.0f32);
        for command in path {
            match command {
                Command::MoveTo(to) => {
                    self.content.move_to(to.x, to.y);
                    at = (to.x, to.y);
                }
                Command::LineTo(to) => {
                    self.content.line_to(to.x, to.y);
                    at = (to.x, to.y);
                }
                Command::CurveTo(a, b, to) => {
                    self.content.cubic_to(a.x, a.y, b.x, b.y, to.x, to.y);
                    at = (to.x, to.y);
                }
                Command::QuadTo(a, to) => {
                    // A curve of the second degree as one of the third.
                    let third = |from: f32, a: f32| from + (a - from) * 2.0 / 3.0;
                    let (first, last) =
                        ((third(at.0, a.x), third(at.1, a.y)), (third(to.x, a.x), third(to.y, a.y)));
                    self.content.cubic_to(first.0, first.1, last.0, last.1, to.x, to.y);
                    at = (to.x, to.y);
                }
                Command::Close => {
                    self.content.close_path();
                }
            }
        }
    }

    fn text(&mut self, text: &Text, face: Face) {
        let width = font::advance(&text.text, text.size);
        let before = match text.align {
            Align::Left => 0.0,
            Align::Center => width / 2.0,
            Align::Right => width,
        };
        let (sin, cos) = text.angle.to_radians().sin_cos();
        let (x, y) = (text.at.0 - before * cos, text.at.1 + before * sin);
        self.content.transform([cos, -sin, sin, cos, x, y].map(|part| part as f32));
        let outline = font::outline(&text.text, text.size, face == Face::Italic);
        self.outline(&outline);
        self.content.fill_nonzero();
        if face == Face::Bold {
            self.content.set_line_width((BOLD * text.size) as f32).set_line_cap(LineCapStyle::ButtCap);
            self.outline(&outline);
            self.content.stroke();
        }
        let letters = encoded(&text.text);
        if letters.is_empty() {
            return;
        }
        // As wide as what is seen: Helvetica's letters are about half as wide as high.
        let usual = letters.len() as f64 * 0.52 * text.size;
        self.content.begin_text();
        self.content.set_font(UNSEEN, text.size as f32);
        self.content.set_text_rendering_mode(TextRenderingMode::Invisible);
        self.content.set_horizontal_scaling((100.0 * width / usual.max(1e-9)) as f32);
        self.content.set_text_matrix([1.0, 0.0, 0.0, -1.0, 0.0, 0.0]);
        self.content.show(Str(&letters));
        self.content.end_text();
    }

    fn picture(&mut self, picture: &Picture, over: &Rect) {
        if picture.is_empty() {
            return;
        }
        let count = picture.width * picture.height;
        let pixels = (0..count).map(|at| picture.color(at));
        let mut kept = Pixels {
            width: picture.width,
            height: picture.height,
            colors: Vec::with_capacity(3 * count),
            opacities: Vec::with_capacity(count),
        };
        for color in pixels {
            let (rgb, opacity) = color.map_or(([0; 3], 0.0), |c| ([c.red, c.green, c.blue], c.opacity));
            kept.colors.extend(rgb);
            kept.opacities.push((opacity.clamp(0.0, 1.0) * 255.0).round() as u8);
        }
        // A picture's own `y` runs upwards.
        let (width, height) = (over.width() as f32, over.height() as f32);
        self.content.transform([width, 0.0, 0.0, -height, over.left as f32, over.bottom as f32]);
        self.content.x_object(Name(picture_name(self.pictures.len()).as_bytes()));
        self.pictures.push(kept);
    }
}

/// Letters that the unseen font has, in its encoding: those of Latin-1, and a hyphen for the sign of
/// numbers below zero.
fn encoded(text: &str) -> Vec<u8> {
    let of_letter = |c: char| match c {
        ' '..='~' | '\u{a0}'..='\u{ff}' => u8::try_from(u32::from(c)).ok(),
        '\u{2212}' => Some(b'-'),
        _ => None,
    };
    text.chars().filter_map(of_letter).collect()
}

#[cfg(test)]
#[allow(clippy::needless_borrows_for_generic_args, reason = "arrays are lent, as cells lend them")]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::{Figure, imshow, plot};

    fn pdf(figure: &Figure) -> Vec<u8> {
        write(&figure.drawn().unwrap().0)
    }

    /// The streams of a document, unpacked.
    fn streams(pdf: &[u8]) -> Vec<Vec<u8>> {
        let mut streams = Vec::new();
        let mut from = 0;
        let find = |what: &[u8], from: usize| {
            pdf[from..].windows(what.len()).position(|bytes| bytes == what).map(|at| at + from)
        };
        while let Some(start) = find(b"\nstream\n", from) {
            let end = find(b"\nendstream", start).unwrap();
            let mut stream = Vec::new();
            flate2::read::ZlibDecoder::new(&pdf[start + 8..end]).read_to_end(&mut stream).unwrap();
            streams.push(stream);
            from = end;
        }
        streams
    }

    #[test]
    fn a_page_has_the_size_of_the_figure_and_its_words() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let bytes = pdf(&plot(&[1, -4]).title("Größe (m)").size(500, 400));
        assert!(bytes.starts_with(b"%PDF-1.") && bytes.ends_with(b"%%EOF"));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(text.contains("/MediaBox [0 0 360 288]"), "{text}");
        let content = String::from_utf8(streams(&bytes).pop().unwrap()).unwrap();
        // In the encoding of the font, by numbers where it is not ASCII.
        assert!(content.contains("<4772F6DF6520286D29> Tj") && content.contains("(-4) Tj"), "{content}");
    }

    #[test]
    fn what_is_seen_through_and_pictures_are_there_once() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let figure = imshow(&[[0.0, f64::NAN], [1.0, 2.0]]).plot(&[0.5, 1.0]).alpha(0.4);
        let bytes = pdf(&figure);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(text.contains("/CA 0.4") && text.contains("/ca 0.4"), "{text}");
        // The matrix, and the bar beside it.
        assert_eq!(text.matches("/SMask").count(), 2, "{text}");
        let content = String::from_utf8(streams(&bytes).pop().unwrap()).unwrap();
        assert!(content.contains("/P0 Do") && content.contains("/P1 Do") && content.contains("/A102 gs"));
    }
}
