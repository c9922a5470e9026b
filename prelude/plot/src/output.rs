//! Figures shown and saved.

use std::any::Any;
use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gpurepl_wire::MimeBundle;

use super::draw::{Scene, pixels, svg};
use super::figure::Figure;
use super::subplots::{self, Page, Subplots};
use super::text;
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
        Some(subplots::beside(&figures?).and_then(|page| page.bundle()).or_raise())
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
        self.page().and_then(|page| page.bundle()).or_raise()
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

/// A picture in every form.
fn bundle(scene: &Scene, text: String, colored: impl FnOnce() -> String) -> Result<MimeBundle> {
    // A front end may show either: both are as large as the figure.
    let png = pixels::png(scene, 1.0)?;
    let bundle = MimeBundle::text(text)
        .with("image/svg+xml", svg::write(scene))
        .with("image/png", STANDARD.encode(png));
    // For terminals that draw no pictures.
    Ok(if is_rich() { bundle } else { bundle.with("text/x-ansi", colored()) })
}

impl Page {
    fn bundle(self) -> Result<MimeBundle> {
        bundle(&self.scene, self.text, || self.colored)
    }
}

impl Figure {
    #[inline(never)]
    fn bundle(&self) -> Result<MimeBundle> {
        let drawing = self.drawing();
        let chart = drawing.chart()?;
        bundle(&chart.scene()?, text::write(&chart), || text::write_colored(&chart))
    }

    fn scene(&self) -> Result<Scene> {
        self.drawing().chart()?.scene()
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

    /// Writes the picture to a file, as SVG or PNG by the end of its name.
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
        save(path.as_ref(), ratio, &|| self.scene())
    }
}

impl Subplots {
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
        save(path.as_ref(), self.pixel_ratio_of_files(), &|| Ok(self.page()?.scene))
    }
}

#[inline(never)]
fn save(path: &Path, ratio: f64, scene: &dyn Fn() -> Result<Scene>) -> Result<()> {
    let extension = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    let bytes = match extension.as_deref() {
        Some("svg") => svg::write(&scene()?).into_bytes(),
        Some("png") => pixels::png(&scene()?, ratio)?,
        _ => {
            let message =
                format!("`{}` is neither SVG nor PNG; end the name with `.svg` or `.png`", path.display());
            return Err(Problem::Invalid { operation: "save", message }.into());
        }
    };
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
mod tests {
    use super::*;
    use gpurepl_device::activity;

    use crate::array::arange;
    use crate::{hist, plot, scatter};

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
