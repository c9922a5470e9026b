//! Figures whose axes a reader moves: zoom, pan and a read-out, by a script of
//! 21 kB that needs no server. What it shows is the picture that is
//! there; where a kernel listens, the figure is drawn anew with the ends that
//! the axes then have, from the data on the device.

mod json;
mod request;

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use gpurepl_wire::{Control, ControlKind, INTERACTION, MimeBundle, Setting};

use crate::chart::Drawing;
use crate::color::Theme;
use crate::display::{self, interaction};
use crate::draw::{Scene, svg};
use crate::error::Result;
use crate::subplots::Subplots;
use request::Request;

/// What moves the axes.
const SCRIPT: &str = include_str!("script.js");

/// The script, without comments and indentation.
fn script() -> String {
    let lines =
        SCRIPT.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// A figure or several, as they can be drawn again.
#[derive(Clone)]
pub(crate) enum Source {
    Figure(Box<Drawing>),
    Subplots(Subplots),
}

impl Source {
    pub(crate) fn of(drawing: &Drawing) -> Source {
        Source::Figure(Box::new(drawing.clone()))
    }

    /// The picture in a theme, whose axes have other ends.
    fn scene(&self, theme: Option<Theme>, request: &Request) -> Result<Scene> {
        match self {
            Source::Figure(drawing) => {
                let mut drawing = Drawing::clone(drawing);
                drawing.theme = theme.unwrap_or(drawing.theme);
                request.apply(&mut [&mut drawing])?;
                drawing.chart()?.scene()
            }
            Source::Subplots(axes) => Ok(axes.page_with(theme, &|drawings| request.apply(drawings))?.scene),
        }
    }
}

/// A picture for a script, whose root says what it must know.
fn picture(scene: &Scene, name: &str, token: &str) -> String {
    let attributes = format!(
        " data-axes=\"{}\" data-token=\"{}\" style=\"max-width:100%;height:auto;display:block;touch-action:pan-y\"",
        display::escape(&json::windows(&scene.windows)),
        display::escape(token)
    );
    svg::write_movable(scene, &attributes, &format!("{name}-{token}"))
}

/// What a script asks a kernel by is a display of its own behind the figure, which nobody is to see; JupyterLab
/// would say in a notebook that is opened again that it is not there.
const STYLE: &str = "<style>.gpurepl-figure{outline:none}.gpurepl-figure:focus-visible{outline:1px dotted}\
    .jp-OutputArea-child:has(.gpurepl-figure)+.jp-OutputArea-child:has([data-mime-type=\
    \"application/vnd.jupyter.widget-view+json\"]){display:none}</style>";

/// A picture and its script. Where scripts are not allowed, the picture stays.
fn html(scene: &Scene, name: &str, look: &str) -> String {
    let (width, _) = scene.seen;
    format!(
        "{STYLE}<div class=\"gpurepl-figure\" id=\"{name}-{look}\" tabindex=\"0\" \
         style=\"display:inline-block;max-width:100%\">\n{}\
         <div style=\"display:flex;gap:8px;align-items:center;min-height:24px;max-width:{width}px;\
         font:12px sans-serif\"><output style=\"flex:1;white-space:pre;overflow:hidden\"></output>\
         <button type=\"button\" title=\"show all again (double click)\" hidden>reset</button></div></div>\n\
         <script>(function () {{\nconst name = \"{name}\", look = \"{look}\";\n\
         const before = document.currentScript && document.currentScript.previousElementSibling;\n\
         const root = before && before.id === name + \"-\" + look ? before : \
         document.getElementById(name + \"-\" + look);\n{}}})();</script>\n",
        picture(scene, name, look),
        script()
    )
}

/// A name that no other picture of a page has: of this process or of one before it.
fn new_name() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64);
    format!("gpurepl-figure-{since:x}-{:x}", interaction::new_number())
}

/// The picture as part of a page. `dark` is one for dark pages.
fn both(scene: &Scene, dark: Option<&Scene>, name: &str, choice: &str) -> String {
    match dark {
        None => html(scene, name, "own"),
        Some(dark) => format!(
            // Where styles of a page are not heard, the light one alone is shown.
            "<div><style>{choice}</style><span class=\"gpurepl-light\">{}</span>\
             <span class=\"gpurepl-dark\" style=\"display:none\">{}</span></div>",
            html(scene, name, "light"),
            html(dark, name, "dark")
        ),
    }
}

/// A whole page with the picture.
pub(crate) fn page(scene: &Scene, title: &str) -> String {
    let background = scene.background;
    let is_light = u32::from(background.red) + u32::from(background.green) + u32::from(background.blue) > 380;
    let ink = if is_light { "#555555" } else { "#b0b0b0" };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{}</title></head>\n\
         <body style=\"background:#{:02x}{:02x}{:02x};color:{ink}\">\n{}</body>\n</html>\n",
        display::escape(if title.is_empty() { "Figure" } else { title }),
        background.red,
        background.green,
        background.blue,
        html(scene, &new_name(), "own")
    )
}

/// The most pictures that are drawn anew: what they show stays in memory.
const MOST: usize = 10;

/// What can be drawn anew, until too many others came.
type Kept = Rc<RefCell<Option<Source>>>;

thread_local! {
    static RECENT: RefCell<VecDeque<Kept>> = const { RefCell::new(VecDeque::new()) };
}

/// Adds to the forms of a figure that of a page with a script, and what the
/// script asks for other ends of the axes. `choice` are styles that choose
/// between a light and a dark picture.
pub(crate) fn added(
    bundle: MimeBundle,
    (scene, dark): (&Scene, Option<&Scene>),
    source: Source,
    choice: &str,
) -> MimeBundle {
    let name = new_name();
    let kept: Kept = Rc::new(RefCell::new(Some(source)));
    let oldest = RECENT.with_borrow_mut(|recent| {
        recent.push_back(Rc::clone(&kept));
        if recent.len() > MOST { recent.pop_front() } else { None }
    });
    if let Some(oldest) = oldest {
        drop(oldest.take());
    }
    let own_name = name.clone();
    let answer = move |settings: &[Setting]| {
        let Some(Setting::Text(asked)) = settings.first() else { return MimeBundle::default() };
        let source = kept.borrow().clone();
        let Some(source) = source else {
            return MimeBundle::text(
                "more than ten figures were shown since; run the cell again to draw it anew",
            );
        };
        // What was asked for and cannot be is no error of a cell: the picture stays.
        match answer(&source, asked, &own_name) {
            Ok(picture) => MimeBundle::default().with("image/svg+xml", picture),
            Err(error) => MimeBundle::text(error.to_string()),
        }
    };
    let html = both(scene, dark, &name, choice);
    let control = Control { name, kind: ControlKind::View };
    let description = interaction::kept(interaction::new_number(), vec![control], Box::new(answer));
    bundle.with("text/html", html).with(INTERACTION, description.to_text())
}

/// The picture that a script asks for.
fn answer(source: &Source, asked: &str, name: &str) -> Result<String> {
    let request = Request::parse(asked)?;
    let theme = match request.look() {
        "dark" => Some(Theme::Dark),
        "light" => Some(Theme::Light),
        _ => None,
    };
    Ok(picture(&source.scene(theme, &request)?, name, request.token()))
}
