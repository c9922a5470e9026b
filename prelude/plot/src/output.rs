//! Figures shown and saved.

use std::any::Any;
use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gpurepl_wire::MimeBundle;

use super::draw::formula::plain;
use super::draw::{Scene, pdf, pixels, svg};
use super::figure::Figure;
use super::interactive::{self, Source};
use super::settings::choice;
use super::subplots::{self, Subplots};
use super::text;
use crate::chart::Drawing;
use crate::color::Theme;
use crate::display::{self, Render, is_rich};
use crate::error::{OrRaise as _, Problem, Result};

impl Render for Figure {
    /// As text with a chart of dots, as SVG and as PNG.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if the data cannot be read or drawn.
    fn render(&self) -> MimeBundle {
        self.bundle().or_raise()
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn beside(&self, others: &[&dyn Any]) -> Option<MimeBundle> {
        let figures: Option<Vec<&Figure>> = others.iter().map(|other| other.downcast_ref()).collect();
        let figures = figures?;
        let is_dual = figures.first().is_some_and(|figure| figure.drawing().theme == Theme::Auto);
        let bundle = || {
            let page = subplots::beside(&figures, None)?;
            let dark =
                if is_dual { Some(subplots::beside(&figures, Some(Theme::Dark))?.scene) } else { None };
            bundle(&page.scene, page.text, || page.colored, dark, None)
        };
        Some(bundle().or_raise())
    }
}

impl display::Pictured for Figure {}

impl Render for Subplots {
    /// As text with a chart of dots for each of the axes, as SVG and as PNG.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if the data cannot be read or drawn.
    fn render(&self) -> MimeBundle {
        self.bundle().or_raise()
    }
}

impl std::fmt::Debug for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&text::summary(&self.drawing()))
    }
}

impl std::fmt::Debug for Subplots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.summary())
    }
}

/// A picture in every form. For pages that may be dark there is a second one.
fn bundle(
    scene: &Scene,
    text: String,
    colored: impl FnOnce() -> String,
    dark: Option<Scene>,
    source: Option<Source>,
) -> Result<MimeBundle> {
    // A front end may show either: both are as large as the figure.
    let png = pixels::png(scene, 1.0)?;
    let bundle = MimeBundle::text(text)
        .with("image/svg+xml", svg::write(scene))
        .with("image/png", STANDARD.encode(png));
    // For terminals that draw no pictures.
    if !is_rich() {
        return Ok(bundle.with("text/x-ansi", colored()));
    }
    if let Some(source) = source {
        return Ok(interactive::added(bundle, (scene, dark.as_ref()), source, CHOICE));
    }
    Ok(match dark {
        Some(dark) => bundle.with("text/html", in_both_themes(scene, &dark)),
        None => bundle,
    })
}

/// Which of two pictures is shown: JupyterLab and Notebook say at the page's body whether it is
/// light, and VS Code does by a class; other pages are as the system is.
const CHOICE: &str = "\
    .gpurepl-dark{display:none}\
    body[data-jp-theme-light=\"false\"] .gpurepl-dark,body.vscode-dark .gpurepl-dark{display:inline!important}\
    body[data-jp-theme-light=\"false\"] .gpurepl-light,body.vscode-dark .gpurepl-light{display:none!important}\
    @media (prefers-color-scheme:dark){\
    body:not([data-jp-theme-light]):not(.vscode-light) .gpurepl-dark{display:inline!important}\
    body:not([data-jp-theme-light]):not(.vscode-light) .gpurepl-light{display:none!important}}";

/// A picture for light pages and one for dark ones, of which a page shows its own.
fn in_both_themes(light: &Scene, dark: &Scene) -> String {
    let image = |scene: &Scene, class: &str, style: &str| {
        let (width, height) = scene.seen;
        let data = STANDARD.encode(svg::write(scene));
        format!(
            "<img class=\"{class}\" width=\"{width}\" height=\"{height}\" alt=\"a figure\"{style} \
             src=\"data:image/svg+xml;base64,{data}\">"
        )
    };
    // Where styles of a page are not heard, the light one alone is shown.
    let (light, dark) =
        (image(light, "gpurepl-light", ""), image(dark, "gpurepl-dark", " style=\"display:none\""));
    format!("<div><style>{CHOICE}</style>{light}{dark}</div>")
}

impl Figure {
    #[inline(never)]
    fn bundle(&self) -> Result<MimeBundle> {
        let drawing = self.drawing();
        let chart = drawing.chart()?;
        let dark = match drawing.theme {
            Theme::Auto if is_rich() => {
                let dark = Drawing { theme: Theme::Dark, ..drawing.clone() };
                Some(dark.chart()?.scene()?)
            }
            _ => None,
        };
        let is_alone = gpurepl_ground::group::ranks() == 1;
        let is_movable = drawing.is_interactive && drawing.has_window() && is_alone;
        let source = is_movable.then(|| Source::of(&drawing));
        bundle(&chart.scene()?, text::write(&chart), || text::write_colored(&chart), dark, source)
    }

    fn scene(&self) -> Result<Scene> {
        self.drawing().chart()?.scene()
    }

    /// The picture, and what a terminal shows, without and with colours.
    #[inline(never)]
    pub(crate) fn drawn(&self) -> Result<(Scene, String, String)> {
        let drawing = self.drawing();
        let chart = drawing.chart()?;
        Ok((chart.scene()?, text::write(&chart), text::write_colored(&chart)))
    }

    /// The picture as SVG.
    ///
    /// # Errors
    ///
    /// If the data cannot be read or drawn.
    #[inline(never)]
    pub fn to_svg(&self) -> Result<String> {
        Ok(svg::write(&self.scene()?))
    }

    /// The picture as PNG, with [`Figure::pixel_ratio`] times the figure's
    /// pixels each way.
    ///
    /// # Errors
    ///
    /// If the data cannot be read or drawn, or the picture is too large.
    #[inline(never)]
    pub fn to_png(&self) -> Result<Vec<u8>> {
        let ratio = self.drawing().pixel_ratio;
        pixels::png(&self.scene()?, ratio)
    }

    /// Writes the picture to a file, as SVG, PNG or PDF by the end of its name, or
    /// as HTML, in which the axes can be moved as by [`Figure::interactive`].
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let file = std::env::temp_dir().join("gpurepl-figure.png");
    /// plot(&[1, 4, 9, 16]).save(&file)?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the name has another ending, the file cannot be written, or the
    /// data cannot be read or drawn.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let ratio = self.drawing().pixel_ratio;
        let title = self.drawing().title.clone();
        save(path.as_ref(), ratio, &title, &|| self.scene())
    }
}

impl Subplots {
    #[inline(never)]
    fn bundle(&self) -> Result<MimeBundle> {
        let page = self.page()?;
        let dark =
            if self.is_dual() && is_rich() { Some(self.page_in(Some(Theme::Dark))?.scene) } else { None };
        let is_alone = gpurepl_ground::group::ranks() == 1;
        let source = (self.is_interactive() && is_alone).then(|| Source::Subplots(self.clone()));
        bundle(&page.scene, page.text, || page.colored, dark, source)
    }

    /// The picture as SVG.
    ///
    /// # Errors
    ///
    /// If the data cannot be read or drawn.
    #[inline(never)]
    pub fn to_svg(&self) -> Result<String> {
        Ok(svg::write(&self.page()?.scene))
    }

    /// The picture as PNG, with [`Subplots::pixel_ratio`] times its own pixels
    /// each way.
    ///
    /// # Errors
    ///
    /// If the data cannot be read or drawn, or the picture is too large.
    #[inline(never)]
    pub fn to_png(&self) -> Result<Vec<u8>> {
        pixels::png(&self.page()?.scene, self.pixel_ratio_of_files())
    }

    /// Writes the picture to a file, as [`Figure::save`] does.
    ///
    /// # Errors
    ///
    /// As [`Figure::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        save(path.as_ref(), self.pixel_ratio_of_files(), &self.title(), &|| Ok(self.page()?.scene))
    }
}

/// What files hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Svg,
    Png,
    Pdf,
    Gif,
    Html,
}

impl Kind {
    /// How names of such files end.
    fn ending(self) -> &'static str {
        match self {
            Kind::Svg => "svg",
            Kind::Png => "png",
            Kind::Pdf => "pdf",
            Kind::Gif => "gif",
            Kind::Html => "html",
        }
    }
}

#[inline(never)]
fn save(path: &Path, ratio: f64, title: &str, scene: &dyn Fn() -> Result<Scene>) -> Result<()> {
    save_as(path, &[Kind::Svg, Kind::Png, Kind::Pdf, Kind::Html], &|kind| {
        Ok(match kind {
            Kind::Html => interactive::page(&scene()?, &plain(title)).into_bytes(),
            Kind::Png => pixels::png(&noted(scene()?), ratio)?,
            Kind::Pdf => pdf::write(&noted(scene()?)),
            _ => svg::write(&scene()?).into_bytes(),
        })
    })
}

/// A picture whose letters are drawn here, with a note of those that are boxes in it.
fn noted(scene: Scene) -> Scene {
    let missing = scene.letters_without_glyph();
    if !missing.is_empty() {
        let shown: String = missing.chars().take(20).collect();
        gpurepl_ground::streams::notice(format!(
            "the font of PNG and PDF, DejaVu Sans, has no letters for {shown:?}, which are boxes there; save the figure as \
             SVG, which its viewer writes"
        ));
    }
    scene
}

/// Writes a file of the kind that its name says.
pub(crate) fn save_as(path: &Path, kinds: &[Kind], write: &dyn Fn(Kind) -> Result<Vec<u8>>) -> Result<()> {
    let extension = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    let Some(kind) = kinds.iter().find(|kind| Some(kind.ending()) == extension.as_deref()) else {
        let endings: Vec<String> = kinds.iter().map(|kind| format!("`.{}`", kind.ending())).collect();
        let message = format!(
            "the name `{}` does not say what the file is to be; end it with {}",
            path.display(),
            choice(&endings)
        );
        return Err(Problem::Invalid { operation: "save", message }.into());
    };
    let bytes = write(*kind)?;
    std::fs::write(path, bytes).map_err(|error| unwritten(path, &error).into())
}

/// Why a file was not written, and what to do about it.
fn unwritten(path: &Path, error: &io::Error) -> Problem {
    let next = match (error.kind(), path.parent()) {
        (io::ErrorKind::NotFound, Some(folder)) => {
            format!(
                "make the folder first, `std::fs::create_dir_all({folder:?})?`, or name one that is there"
            )
        }
        (io::ErrorKind::IsADirectory, _) => "that is a folder: add the name of a file".to_owned(),
        _ => "name a file that may be written".to_owned(),
    };
    let error = io::Error::new(error.kind(), format!("{error}; {next}"));
    Problem::Io { what: "save: cannot write", path: path.display().to_string(), error }
}

#[cfg(test)]
#[allow(clippy::needless_borrows_for_generic_args, reason = "arrays are lent, as cells lend them")]
mod tests {
    use super::*;
    use gpurepl_device::activity;

    use crate::array::arange;
    use crate::{hist, plot, scatter};

    #[test]
    fn a_picture_for_every_page_has_both_and_shows_the_light_one_first() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let light = plot(&[1, 2]).theme(Theme::Auto);
        let dark = plot(&[1, 2]).theme(Theme::Dark);
        let html = in_both_themes(&light.scene().unwrap(), &dark.scene().unwrap());
        for svg in [light.to_svg().unwrap(), dark.to_svg().unwrap()] {
            assert!(html.contains(&STANDARD.encode(svg)));
        }
        assert_eq!(html.matches("style=\"display:none\"").count(), 1);
        assert_eq!(light.to_svg().unwrap(), plot(&[1, 2]).to_svg().unwrap());
    }

    #[test]
    fn letters_that_the_font_lacks_are_found() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let missing = |title: &str| plot(&[1, 2]).title(title).scene().unwrap().letters_without_glyph();
        assert_eq!(missing("\u{6642}\u{9593} (\u{6642})"), "\u{6642}\u{9593}");
        assert_eq!(missing("Zeit \u{3b1} \u{2264} \u{644}\u{627} \u{200f}\u{5d0}"), "");
    }

    #[test]
    fn ten_million_points_stay_on_the_device() {
        let _alone = gpurepl_ground::interrupt::exclusive::alone();
        let x = arange(0.0f32..1e7);
        let y = &x * 1e-6f32;
        let figures = [plot(&y), plot((&x, &y)), scatter((&y, &x)), hist(&y, 100)];
        // Each array has 40 MB. Other tests of this process may work meanwhile:
        // the least of some runs is the figures' own.
        let run = || {
            let (_, activity) = activity::measured(|| figures.each_ref().map(|figure| figure.render()));
            assert!(activity.launches >= 4, "{activity:?}");
            activity.bytes_from_device + activity.bytes_to_device
        };
        let least = std::iter::repeat_with(run).take(20).find(|moved| *moved < 20_000_000);
        assert!(least.is_some(), "each time 20 MB or more were moved");
    }
}
