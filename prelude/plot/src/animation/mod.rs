//! Figures one after the other: a player in notebooks, and files that move.

mod files;
mod palette;
mod player;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gpurepl_arrays::series::PlotNumber;
use gpurepl_wire::MimeBundle;

use crate::display::{Progress, Render, is_rich};
use crate::draw::{Scene, pixels, svg};
use crate::error::{OrRaise as _, Problem, Result};
use crate::figure::Figure;
use crate::output::{Kind, save_as};
use crate::subplots::Subplots;

/// The most frames of an animation.
const MOST_FRAMES: usize = 2000;

/// Work that takes longer than this shows how far it is.
const MOMENT: Duration = Duration::from_millis(500);

/// Pictures for each second, if not said otherwise.
const USUAL_RATE: f64 = 20.0;

/// Something that can be a frame of an animation: a [`Figure`] or [`Subplots`], or a reference to
/// one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a picture that can be a frame",
    note = "return a figure or subplots from the function: `animate(0..60, |k| plot(&a).title(format!(\"{{k}}\")))`"
)]
pub trait IntoFrame {
    #[doc(hidden)]
    fn into_frame(self) -> Result<Frame>;
}

/// A picture as it was when it became a frame.
#[doc(hidden)]
pub struct Frame {
    scene: Scene,
    text: String,
    colored: String,
}

impl IntoFrame for &Figure {
    fn into_frame(self) -> Result<Frame> {
        let (scene, text, colored) = self.drawn()?;
        Ok(Frame { scene, text, colored })
    }
}

impl IntoFrame for Figure {
    fn into_frame(self) -> Result<Frame> {
        (&self).into_frame()
    }
}

impl IntoFrame for &Subplots {
    fn into_frame(self) -> Result<Frame> {
        let page = self.page()?;
        Ok(Frame { scene: page.scene, text: page.text, colored: page.colored })
    }
}

impl IntoFrame for Subplots {
    fn into_frame(self) -> Result<Frame> {
        (&self).into_frame()
    }
}

/// Pictures one after the other, which [`animate`] makes. As the value of a cell it is shown in
/// a player; [`Animation::save`] writes a file. Methods that set something change the animation
/// and return it, as those of a [`Figure`] do.
pub struct Animation {
    frames: Arc<[Scene]>,
    /// Of the first frame, as terminals show it, without and with colours.
    texts: Arc<[String; 2]>,
    pace: Arc<Mutex<Pace>>,
}

/// How pictures follow each other.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Pictures for each second.
    rate: f64,
    /// Whether the first follows the last.
    is_endless: bool,
}

/// Makes a picture for each item of a list, and shows them one after the other. The function is
/// called for all of them at once, and each picture is drawn then: what it shows may change
/// before the next call. Ends of axes that should not move are given, by [`Figure::ylim`] and
/// others like it. Pictures have the figure's own pixels, whatever its `pixel_ratio`, and
/// [`Theme::Auto`](crate::Theme::Auto) is light in them.
///
/// ```
/// use gpurepl_prelude::*;
/// let x = linspace(0.0_f64, 6.3, 200);
/// let wave = animate(0..20, |k| plot((&x, &(&x - k as f64 * 0.314).sin())).ylim(-1.1, 1.1));
/// wave.fps(10).save(std::env::temp_dir().join("gpurepl-wave.gif"))?;
/// # Ok::<(), Error>(())
/// ```
///
/// # Panics
///
/// With an [`Error`](gpurepl_ground::Error), if a picture cannot be drawn, if there are no
/// items or more than 2000 of them, or if the pictures do not have the same size.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&animation)`"]
pub fn animate<I: IntoIterator, F: IntoFrame>(items: I, mut figure: impl FnMut(I::Item) -> F) -> Animation {
    let mut items = items.into_iter();
    let total = match items.size_hint() {
        (least, Some(most)) if least == most => Some(least),
        _ => None,
    };
    let mut next = || items.next().map(|item| figure(item).into_frame());
    collected(total, &mut next).or_raise()
}

/// A bar that says how far it is, of work that takes longer than a moment.
struct Bar {
    total: Option<usize>,
    begun: Instant,
    shown: Option<Progress>,
}

impl Bar {
    /// So many frames are done.
    fn at(&mut self, done: u64) {
        if let Some(bar) = &self.shown {
            bar.inc(1);
        } else if self.begun.elapsed() > MOMENT {
            let bar = self.total.map_or_else(Progress::unbounded, Progress::new).message("drawing frames");
            bar.inc(done);
            self.shown = Some(bar);
        }
    }
}

#[inline(never)]
fn collected(total: Option<usize>, next: &mut dyn FnMut() -> Option<Result<Frame>>) -> Result<Animation> {
    let refused = |message: String| Err(Problem::Invalid { operation: "animate", message }.into());
    let too_many = || {
        refused(format!("there are more than {MOST_FRAMES} frames; show some of them, `(0..n).step_by(10)`"))
    };
    if total.is_some_and(|total| total > MOST_FRAMES) {
        return too_many();
    }
    let mut frames: Vec<Scene> = Vec::new();
    let mut texts: Option<[String; 2]> = None;
    let mut bar = Bar { total, begun: Instant::now(), shown: None };
    while let Some(frame) = next() {
        bar.at(frames.len() as u64 + 1);
        let Frame { scene, text, colored } = frame?;
        let this = scene.seen;
        if let Some(first) = frames.first().map(|first| first.seen).filter(|first| *first != this) {
            return refused(format!(
                "the first frame has {}x{} pixels and frame {} has {}x{}; give all one `.size(..)`",
                first.0,
                first.1,
                frames.len(),
                this.0,
                this.1
            ));
        }
        if frames.len() == MOST_FRAMES {
            return too_many();
        }
        texts.get_or_insert([text, colored]);
        frames.push(scene);
    }
    if let Some(bar) = &bar.shown {
        bar.finish();
    }
    match texts {
        Some(texts) => {
            let pace = Arc::new(Mutex::new(Pace { rate: USUAL_RATE, is_endless: true }));
            Ok(Animation { frames: frames.into(), texts: Arc::new(texts), pace })
        }
        None => refused("there are no frames; give items, such as `0..60`".to_owned()),
    }
}

impl Animation {
    /// How many pictures are shown in a second, 20 otherwise.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if the number is not from 0.1 to 100.
    #[track_caller]
    pub fn fps(&self, rate: impl PlotNumber) -> Animation {
        let rate = checked_rate(rate.plot_number()).or_raise();
        self.set(|pace| pace.rate = rate)
    }

    /// Ends with the last picture instead of beginning again.
    pub fn once(&self) -> Animation {
        self.set(|pace| pace.is_endless = false)
    }

    fn set(&self, change: impl FnOnce(&mut Pace)) -> Animation {
        change(&mut self.pace.lock().unwrap_or_else(PoisonError::into_inner));
        let Animation { frames, texts, pace } = self;
        Animation { frames: Arc::clone(frames), texts: Arc::clone(texts), pace: Arc::clone(pace) }
    }

    fn pace(&self) -> Pace {
        *self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many pictures there are.
    #[allow(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Writes a file: a GIF, a PNG that moves, or a page with the player, as its name ends with
    /// `.gif`, `.png` or `.html`. A GIF shows at most 50 pictures in a second.
    ///
    /// # Errors
    ///
    /// If the name has another ending, the pictures are too large, or the file cannot be
    /// written.
    #[inline(never)]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        save_as(path.as_ref(), &[Kind::Gif, Kind::Png, Kind::Html], &|kind| match kind {
            Kind::Gif => files::gif(self),
            Kind::Html => Ok(player::page(self)?.into_bytes()),
            _ => files::png(self),
        })
    }

    /// The player, as HTML that can stand in a page.
    ///
    /// # Errors
    ///
    /// If the pictures are too large.
    #[inline(never)]
    pub fn to_html(&self) -> Result<String> {
        player::html(self)
    }

    fn summary(&self) -> String {
        let (width, height) = self.frames[0].seen;
        let seconds = self.frames.len() as f64 / self.pace().rate;
        let frames = if self.frames.len() == 1 { "frame" } else { "frames" };
        format!("Animation: {} {frames}, {seconds:.1} s, {width}x{height}", self.frames.len())
    }
}

fn checked_rate(rate: f64) -> Result<f64> {
    if (0.1..=100.0).contains(&rate) {
        return Ok(rate);
    }
    let message = format!("{rate} pictures a second cannot be shown; give a number from 0.1 to 100");
    Err(Problem::Invalid { operation: "fps", message }.into())
}

impl std::fmt::Debug for Animation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.summary())
    }
}

impl Render for Animation {
    /// As text with the first picture, as a page with a player, and the first picture as PNG.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_ground::Error), if the pictures are too large.
    fn render(&self) -> MimeBundle {
        let first = |rest: &str| format!("{}\n{rest}", self.summary());
        // Terminals that draw pictures take the PNG as well.
        let still = pixels::png(&self.frames[0], 1.0).or_raise();
        let bundle = MimeBundle::text(first(&self.texts[0])).with("image/png", STANDARD.encode(still));
        match is_rich() {
            true => bundle.with("text/html", player::html(self).or_raise()),
            false => bundle.with("text/x-ansi", first(&self.texts[1])),
        }
    }
}

/// The largest SVG of a frame that is taken without a look at its PNG, in bytes.
const SMALL: usize = 1 << 15;

/// The pictures as `data:` addresses. As SVG, which is crisp on every screen, unless that is much
/// larger.
fn addresses(animation: &Animation) -> Result<Vec<String>> {
    let address = |scene: &Scene| {
        gpurepl_ground::check_interrupt();
        let drawn = svg::write(scene);
        if drawn.len() > SMALL {
            let png = pixels::png(scene, 1.0)?;
            if drawn.len() > 2 * png.len() {
                return Ok(format!("data:image/png;base64,{}", STANDARD.encode(png)));
            }
        }
        Ok(format!("data:image/svg+xml;base64,{}", STANDARD.encode(drawn)))
    };
    animation.frames.iter().map(address).collect()
}

#[cfg(test)]
#[allow(clippy::needless_borrows_for_generic_args, reason = "arrays are lent, as cells lend them")]
mod tests {
    use super::*;
    use crate::{plot, subplots};

    fn message(make: impl FnOnce() -> Animation + std::panic::UnwindSafe) -> String {
        let raised = std::panic::catch_unwind(make).map(|_| ()).unwrap_err();
        raised.downcast_ref::<crate::error::Error>().unwrap().to_string()
    }

    #[test]
    fn a_setting_took_the_animation_away() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let animation = growing();
        let _ = animation.fps(3).once();
        assert_eq!(format!("{animation:?}"), "Animation: 3 frames, 1.0 s, 120x90");
        assert!(!animation.pace().is_endless);
    }

    fn growing() -> Animation {
        animate(1..=3, |k| plot(&[0, k]).ylim(0, 3).size(120, 90))
    }

    #[test]
    fn frames_show_what_there_was_when_they_were_made() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let mut values = crate::array::to_gpu([0.0, 1.0]);
        let figure = plot(&values).ylim(0, 10).size(120, 90);
        let animation = animate(0..3, |_| {
            values += 2.0;
            figure.clone()
        });
        let pictures: Vec<String> = animation.frames.iter().map(svg::write).collect();
        assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2]);
    }

    #[test]
    fn a_gif_has_the_frames_their_time_and_their_colours() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let bytes = files::gif(&growing().fps(10)).unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes.as_slice()).unwrap();
        assert_eq!((decoder.width(), decoder.height()), (120, 90));
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            assert_eq!(frame.delay, 10);
            frames.push(frame.buffer.to_vec());
        }
        assert_eq!(frames.len(), 3);
        assert_eq!(&frames[0][..4], [255; 4]);
        // The line's own blue, or one that nobody can tell from it.
        let is_blue =
            |pixel: &[u8]| pixel.iter().zip([31, 119, 180]).all(|(found, wanted)| found.abs_diff(wanted) < 8);
        assert!(frames.iter().all(|frame| frame.chunks(4).any(is_blue)));
        assert!(frames[0] != frames[1] && frames[1] != frames[2]);
    }

    #[test]
    fn a_png_moves() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let bytes = files::png(&growing().fps(4).once()).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let control = *reader.info().animation_control().unwrap();
        assert_eq!((control.num_frames, control.num_plays), (3, 1));
        let mut frames = Vec::new();
        for _ in 0..3 {
            let mut frame = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut frame).unwrap();
            let control = reader.info().frame_control().unwrap();
            assert_eq!(f64::from(control.delay_num) / f64::from(control.delay_den), 0.25);
            frames.push(frame);
        }
        assert!(frames[0] != frames[1] && frames[1] != frames[2]);
    }

    #[test]
    fn a_player_has_all_frames_and_each_has_its_own_buttons() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let (first, second) = (growing().to_html().unwrap(), growing().to_html().unwrap());
        assert_eq!(first.matches("data:image/").count(), 4);
        assert_ne!(first, second);
        for part in ["<img", "type=\"range\"", "aria-label", "max=\"2\""] {
            assert!(first.contains(part), "{part}");
        }
    }

    #[test]
    fn what_is_no_animation_says_why() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        assert!(message(|| animate(0..0, |_| plot(&[1]))).contains("no frames"));
        let text = message(|| animate(0..2, |k| plot(&[1]).size(100 + k, 100)));
        assert!(
            text.contains("100x100") && text.contains("101x100") && text.contains("`.size(..)`"),
            "{text}"
        );
        assert!(message(|| growing().fps(0)).contains("0.1 to 100"));
        let named = growing().save("wave.mp4").unwrap_err().to_string();
        assert!(named.contains("`.gif`") && named.contains("`.html`"), "{named}");
    }

    #[test]
    fn a_terminal_that_draws_pictures_had_none_of_an_animation() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let bundle = growing().render();
        assert!(bundle.get("image/png").is_some_and(|png| png.len() > 100));
        assert!(bundle.get("text/plain").unwrap().starts_with("Animation: 3 frames"));
    }

    #[test]
    fn subplots_move_as_well() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let animation = animate([1.0, 2.0], |k| {
            let axes = subplots(1, 2);
            axes[0].plot(&[0.0, k]);
            axes
        });
        assert_eq!(format!("{animation:?}"), "Animation: 2 frames, 0.1 s, 960x360");
    }
}
