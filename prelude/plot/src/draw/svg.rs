//! A scene as SVG, by plotters' backend. What that cannot say, dashes, round
//! corners, clipping and pictures, stands around what it writes.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plotters::backend::{DrawingBackend as _, SVGBackend};

use super::{Mark, Part, Point, Rect, Scene, Shape, Text, UNITS, draw, unit};

/// The document.
pub(crate) fn write(scene: &Scene) -> String {
    document(scene, "", None)
}

/// The same for a script that moves the axes: what it needs to know of marks
/// stands around them, the root has some attributes more, and names of parts
/// begin with one that no other picture of a page has.
pub(crate) fn write_movable(scene: &Scene, attributes: &str, name: &str) -> String {
    document(scene, attributes, Some(name))
}

fn document(scene: &Scene, attributes: &str, movable: Option<&str>) -> String {
    let (width, height) = scene.size;
    let mut text = format!(
        "<svg{attributes} width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" xmlns=\"http://www.w3.org/2000/svg\" \
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
            name(rect, movable)
        );
    }
    let all = Rect { left: 0.0, top: 0.0, right: width.into(), bottom: height.into() };
    let ground = Mark::new(Shape::Areas(vec![all.corners()]), scene.background);
    let mut part = Part::Rest;
    for mark in std::iter::once(&ground).chain(&scene.marks) {
        if movable.is_some() && mark.part != part {
            text.push_str(if part == Part::Rest { "" } else { "</g>\n" });
            part = mark.part;
            let (name, window) = match part {
                Part::Rest => ("", 0),
                Part::Data(window) => ("data", window),
                Part::Grid(window) => ("grid", window),
                Part::Ticks(window) => ("ticks", window),
            };
            if part != Part::Rest {
                let _ = writeln!(text, "<g data-part=\"{name}\" data-window=\"{window}\">");
            }
        }
        match (movable, mark.part, &mark.shape) {
            // A disc says itself where it is.
            (Some(_), Part::Data(_), shape) if !matches!(shape, Shape::Discs { .. }) => {
                add_anchored(&mut text, mark, scene.size, movable);
            }
            _ => add(&mut text, mark, scene.size, movable),
        }
    }
    text.push_str(if part == Part::Rest { "</svg>\n" } else { "</g>\n</svg>\n" });
    text
}

/// A mark in pieces that keep their size, each with its place.
fn add_anchored(text: &mut String, mark: &Mark, size: (u32, u32), movable: Option<&str>) {
    let count = mark.anchors.len();
    if count == 0 {
        return add(text, mark, size, movable);
    }
    let pieces: Vec<Shape> = match &mark.shape {
        Shape::Areas(paths) => in_turn(paths, count).into_iter().map(Shape::Areas).collect(),
        Shape::Strokes { paths, width, dashes } => {
            let piece = |paths| Shape::Strokes { paths, width: *width, dashes: dashes.clone() };
            in_turn(paths, count).into_iter().map(piece).collect()
        }
        _ => Vec::new(),
    };
    // What they are cut at does not move with them.
    let clip = mark.within.as_ref().map(|rect| format!(" clip-path=\"url(#{})\"", name(rect, movable)));
    let _ = writeln!(text, "<g{}>", clip.unwrap_or_default());
    let wrap = |at: Point, text: &mut String, draw: &dyn Fn(&mut String)| {
        let _ = writeln!(text, "<g data-at=\"{} {}\">", unit(at.0), unit(at.1));
        draw(text);
        text.push_str("</g>\n");
    };
    match &mark.shape {
        _ if !pieces.is_empty() => {
            for (shape, at) in pieces.into_iter().zip(&mark.anchors) {
                let piece = Mark::new(shape, mark.color);
                wrap(*at, text, &|text| add(text, &piece, size, movable));
            }
        }
        // Letters have no clip of their own.
        _ => wrap(mark.anchors[0], text, &|text| add(text, mark, size, movable)),
    }
    text.push_str("</g>\n");
}

/// The paths of each of so many marks: all their first ones stand before all
/// their second ones.
fn in_turn(paths: &[Vec<Point>], count: usize) -> Vec<Vec<Vec<Point>>> {
    (0..count).map(|k| paths.iter().skip(k).step_by(count).cloned().collect()).collect()
}

fn add(text: &mut String, mark: &Mark, size: (u32, u32), movable: Option<&str>) {
    let mut attributes = String::new();
    if let Some(rect) = &mark.within {
        let _ = write!(attributes, " clip-path=\"url(#{})\"", name(rect, movable));
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
fn name(rect: &Rect, movable: Option<&str>) -> String {
    let (left, top, width, height) = corner_and_size(rect);
    let before = movable.map_or(String::new(), |name| format!("{name}-"));
    format!("{before}within-{left}-{top}-{width}-{height}")
}
