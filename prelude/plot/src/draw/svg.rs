//! A scene as SVG, by plotters' backend. What that cannot say, dashes, round
//! corners, clipping and pictures, stands around what it writes.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plotters::backend::{DrawingBackend as _, SVGBackend};

use super::{Mark, Rect, Scene, Shape, Text, UNITS, draw, unit};

/// The document.
pub(crate) fn write(scene: &Scene) -> String {
    let (width, height) = scene.size;
    let mut text = format!(
        "<svg width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" xmlns=\"http://www.w3.org/2000/svg\" \
         xmlns:xlink=\"http://www.w3.org/1999/xlink\" stroke-linejoin=\"round\" \
         stroke-linecap=\"square\">\n",
        scene.seen.0,
        scene.seen.1,
        f64::from(width) * UNITS,
        f64::from(height) * UNITS,
    );
    let mut clips: Vec<Rect> = Vec::new();
    for rect in scene.marks.iter().filter_map(|mark| mark.within) {
        if !clips.contains(&rect) {
            clips.push(rect);
        }
    }
    for rect in &clips {
        let (x, y, width, height) = corner_and_size(rect);
        let _ = writeln!(
            text,
            "<clipPath id=\"{}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/></clipPath>",
            name(rect)
        );
    }
    let all = Rect { left: 0.0, top: 0.0, right: width.into(), bottom: height.into() };
    let ground = Mark { shape: Shape::Areas(vec![all.corners()]), color: scene.background, within: None };
    for mark in std::iter::once(&ground).chain(&scene.marks) {
        add(&mut text, mark, scene.size);
    }
    text.push_str("</svg>\n");
    text
}

fn add(text: &mut String, mark: &Mark, size: (u32, u32)) {
    let mut attributes = String::new();
    if let Some(rect) = &mark.within {
        let _ = write!(attributes, " clip-path=\"url(#{})\"", name(rect));
    }
    if let Shape::Strokes { dashes, .. } = &mark.shape
        && !dashes.is_empty()
    {
        let lengths: Vec<String> = dashes.iter().map(|length| unit(*length).to_string()).collect();
        let _ = write!(attributes, " stroke-linecap=\"butt\" stroke-dasharray=\"{}\"", lengths.join(" "));
    }
    if let Shape::Text(Text { angle, at, .. }, _) = &mark.shape
        && ![0.0, 90.0].contains(angle)
    {
        let (x, y) = (unit(at.0), unit(at.1));
        let _ = write!(attributes, " transform=\"rotate({} {x} {y})\"", -angle);
    }
    if !attributes.is_empty() {
        let _ = writeln!(text, "<g{attributes}>");
    }
    match &mark.shape {
        Shape::Picture { picture, over } => {
            let (x, y, width, height) = corner_and_size(over);
            let data = STANDARD.encode(picture.png());
            let _ = writeln!(
                text,
                "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
                 style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,{data}\"/>"
            );
        }
        _ => text.push_str(&by_plotters(mark, size)),
    }
    if !attributes.is_empty() {
        text.push_str("</g>\n");
    }
}

/// What plotters writes for a mark, without the document around it.
fn by_plotters(mark: &Mark, size: (u32, u32)) -> String {
    let mut text = String::new();
    let mut backend = SVGBackend::with_string(&mut text, size);
    // It writes to a string, which cannot fail.
    let _ = draw(&mut backend, mark).and_then(|()| backend.present());
    drop(backend);
    let inner = text.split_once('\n').map_or("", |(_, inner)| inner);
    let inner = inner.strip_suffix("</svg>\n").unwrap_or(inner);
    // Baselines are placed here; `ex` is another length in every font. And a
    // line end within a text element is a blank.
    let inner = inner.replace(" dy=\"-0.5ex\"", "").replace(" opacity=\"1\"", "");
    inner
        .replace("\n</text>", "</text>")
        .replace("\">\n", if matches!(mark.shape, Shape::Text(..)) { "\">" } else { "\">\n" })
}

fn corner_and_size(rect: &Rect) -> (i32, i32, i32, i32) {
    let (left, top) = (unit(rect.left), unit(rect.top));
    (left, top, unit(rect.right) - left, unit(rect.bottom) - top)
}

/// Rectangles are named by where they are: several pictures in one page may
/// share a name, if they mean the same by it.
fn name(rect: &Rect) -> String {
    let (left, top, width, height) = corner_and_size(rect);
    format!("within-{left}-{top}-{width}-{height}")
}
