//! Where ticks stand and what they say.
//!
//! The algorithms are Matplotlib's, so that the same data has the same ticks
//! (`lib/matplotlib/ticker.py`: `MaxNLocator`, `ScalarFormatter`, `LogLocator`;
//! `transforms.nonsingular`).

/// How an axis maps numbers to places.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Scale {
    #[default]
    Linear,
    Log,
    /// Logarithmic both ways from zero, and linear up to so far from it.
    Symlog(f64),
}

/// How long the linear part of such an axis is on each side, in powers of ten: Matplotlib's, with a `linscale` of 1
/// (`lib/matplotlib/scale.py`, `SymmetricalLogTransform`).
const LINEAR: f64 = 1.0 / 0.9;

impl Scale {
    /// A number as it is spaced along an axis.
    pub(super) fn map(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Log => value.log10(),
            Scale::Symlog(near) if value.abs() <= near => value * LINEAR,
            Scale::Symlog(near) => (near * (LINEAR + (value.abs() / near).log10())).copysign(value),
        }
    }

    /// The number that is spaced so.
    pub(super) fn inverse(self, mapped: f64) -> f64 {
        match self {
            Scale::Linear => mapped,
            Scale::Log => 10f64.powf(mapped),
            Scale::Symlog(near) if mapped.abs() <= near * LINEAR => mapped / LINEAR,
            Scale::Symlog(near) => (near * 10f64.powf(mapped.abs() / near - LINEAR)).copysign(mapped),
        }
    }

    /// The same for kernels: 0 of a linear scale, below it of a logarithmic one, else how far it is linear.
    pub(super) fn bend(self) -> f64 {
        match self {
            Scale::Linear => 0.0,
            Scale::Log => -1.0,
            Scale::Symlog(near) => near,
        }
    }
}

/// The ends of an axis; the first may be the larger one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) scale: Scale,
}

/// The ticks of an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ticks {
    pub(super) major: Vec<(f64, Label)>,
    pub(super) minor: Vec<f64>,
    /// What stands at the end of the axis: `1e6`, `+1e3`.
    pub(super) offset: String,
}

/// The text of a tick.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Label {
    Text(String),
    /// So many times ten to the power of a number.
    Power {
        times: i32,
        exponent: i32,
    },
}

impl Limits {
    /// Where a number is on the axis, from 0 to 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        let (from, to) = (self.map(self.from), self.map(self.to));
        (self.map(value) - from) / (to - from)
    }

    /// A number as it is spaced along the axis.
    pub(super) fn map(&self, value: f64) -> f64 {
        self.scale.map(value)
    }

    /// The number at a place of the axis.
    pub(super) fn at(&self, place: f64) -> f64 {
        let (from, to) = (self.map(self.from), self.map(self.to));
        self.scale.inverse(from + (to - from) * place)
    }

    pub(super) fn low(&self) -> f64 {
        self.from.min(self.to)
    }

    pub(super) fn high(&self) -> f64 {
        self.from.max(self.to)
    }

    /// Limits around data, with a margin that is a part of the axis. Data of
    /// one value has room around it, and no data has the limits 0 to 1.
    pub(super) fn around(data: Option<(f64, f64)>, scale: Scale, margin: f64) -> Limits {
        let Some((low, high)) = data else {
            return match scale {
                Scale::Linear | Scale::Symlog(_) => Limits { from: 0.0, to: 1.0, scale },
                Scale::Log => Limits { from: 0.1, to: 10.0, scale },
            };
        };
        match scale {
            Scale::Linear => {
                let (low, high) = nonsingular(low, high);
                // Half of each: the whole may be more than a number can hold.
                let added = (high / 2.0 - low / 2.0) * 2.0 * margin;
                let (from, to) = (low - added, high + added);
                if (to - from).is_finite() && from.is_finite() && to.is_finite() {
                    Limits { from, to, scale }
                } else if (high - low).is_finite() {
                    Limits { from: low, to: high, scale }
                } else {
                    Limits { from: low.max(f64::MIN / 4.0), to: high.min(f64::MAX / 4.0), scale }
                }
            }
            Scale::Log => {
                let (low, high) = (low.log10(), high.log10());
                let is_one = high - low <= TINY * low.abs().max(high.abs()).max(1.0);
                let (low, high) = if is_one { (low - 1.0, high + 1.0) } else { (low, high) };
                let added = (high - low) * margin;
                let power = |exponent: f64| 10f64.powf(exponent.clamp(-323.0, 308.0));
                Limits { from: power(low - added), to: power(high + added), scale }
            }
            Scale::Symlog(_) => {
                let (low, high) = nonsingular(low, high);
                let (low, high) = (scale.map(low), scale.map(high));
                let added = (high - low) * margin;
                let end = |mapped: f64| scale.inverse(mapped).clamp(f64::MIN, f64::MAX);
                Limits { from: end(low - added), to: end(high + added), scale }
            }
        }
    }

    /// Ticks for an axis with room for so many labels.
    pub(super) fn ticks(&self, room: usize) -> Ticks {
        match self.scale {
            Scale::Linear => linear(self.low(), self.high(), room),
            Scale::Log => logarithmic(self.low(), self.high(), room),
            Scale::Symlog(near) => both_ways(self.low(), self.high(), near, room),
        }
    }
}

/// Ten to the power of a number, also where its inverse is more than a number
/// can hold.
fn ten_to(exponent: i32) -> f64 {
    if exponent < -300 { 10f64.powf(exponent.into()) } else { 10f64.powi(exponent) }
}

/// Numbers that differ by a smaller part of them are one number: `tiny` of
/// Matplotlib's `transforms.nonsingular`, a few times what rounding makes.
const TINY: f64 = 1e-15;

fn nonsingular(low: f64, high: f64) -> (f64, f64) {
    let largest = low.abs().max(high.abs());
    if largest < 1e6 / f64::MAX {
        return (-0.05, 0.05);
    }
    if high - low <= largest * TINY {
        return ((low - 0.05 * largest).max(f64::MIN), (high + 0.05 * largest).min(f64::MAX));
    }
    (low, high)
}

const STEPS: [f64; 5] = [1.0, 2.0, 2.5, 5.0, 10.0];

const LEVEL_STEPS: [f64; 10] = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];

/// The numbers that ticks stand at, which include one beyond each end, and
/// their distance.
fn positions(low: f64, high: f64, room: usize, steps: &[f64]) -> (Vec<f64>, f64) {
    let room = room.max(1) as f64;
    let (range, mean) = (high - low, low / 2.0 + high / 2.0);
    if !(range > 0.0 && range.is_finite()) {
        return (vec![low], 0.0);
    }
    let offset =
        if mean.abs() / range < 100.0 { 0.0 } else { 10f64.powf(mean.abs().log10().floor()).copysign(mean) };
    let scale = 10f64.powf((range / room).log10().floor());
    let (low, high) = (low - offset, high - offset);
    let raw = (high - low) / room;
    let steps: Vec<f64> = steps[..steps.len() - 1]
        .iter()
        .map(|step| 0.1 * step)
        .chain(steps.iter().copied())
        .chain([10.0 * steps[1]])
        .map(|step| step * scale)
        .collect();
    let first = steps.iter().position(|step| *step >= raw).unwrap_or(steps.len() - 1);
    for step in steps[..=first].iter().rev() {
        let start = (low / step).floor() * step;
        let (from, to) = ((low - start) / step, (high - start) / step);
        // A tick that misses the end by rounding alone belongs to it.
        let near = 1e-10_f64.max(offset.abs() / step * 1e-12).min(0.4999);
        let from = if (from - from.ceil()).abs() < near { from.ceil() } else { from.floor() };
        let to = if (to - to.floor()).abs() < near { to.floor() } else { to.ceil() };
        // A step of the least numbers there are may be rounded to nothing.
        let count = to - from;
        if count.is_nan() || count > 1000.0 {
            continue;
        }
        let ticks: Vec<f64> = (from as i64..=to as i64).map(|k| k as f64 * step + start).collect();
        if ticks.iter().filter(|tick| (low..=high).contains(*tick)).count() >= 2 {
            return (ticks.into_iter().map(|tick| tick + offset).collect(), *step);
        }
    }
    (vec![low + offset, high + offset], high - low)
}

/// Levels for contours: about so many numbers, the first and the last one
/// just beyond the range.
pub(super) fn levels(low: f64, high: f64, count: usize) -> Vec<f64> {
    let (mut levels, _) = positions(low, high, count + 1, &LEVEL_STEPS);
    let first = levels.iter().rposition(|level| *level <= low).unwrap_or(0);
    levels.drain(..first);
    let end = levels.iter().position(|level| *level >= high).map_or(levels.len(), |last| last + 1);
    levels.truncate(end);
    levels
}

fn linear(low: f64, high: f64, room: usize) -> Ticks {
    let slack = (high - low) * 1e-10;
    let inside = |tick: &f64| *tick >= low - slack && *tick <= high + slack;
    let (all, step) = positions(low, high, room, &STEPS);
    let mut ticks: Vec<f64> = all.into_iter().filter(inside).collect();
    // Of numbers next to each other several ticks may be rounded to one.
    ticks.dedup();
    let offset = common_offset(&ticks);
    let range = high - low;
    let largest = ticks.iter().fold(0.0f64, |largest, tick| largest.max(tick.abs()));
    let magnitude = match (offset != 0.0, largest) {
        (true, _) => range.log10().floor(),
        (false, 0.0) => 0.0,
        (false, largest) => largest.log10().floor(),
    };
    let exponent = if magnitude <= -5.0 || magnitude >= 6.0 { magnitude as i32 } else { 0 };
    let unit = ten_to(exponent);
    // The rounding of a large number is none of what is left without it.
    let whole = |rest: f64| match (rest / step).round() * step {
        near if offset != 0.0 && (near - rest).abs() < 0.1 * step => near,
        _ => rest,
    };
    let scaled: Vec<f64> = ticks.iter().map(|tick| whole(tick - offset) / unit).collect();
    let digits = digits(&scaled, range / unit);
    let text = |value: f64| minus(&format!("{value:.digits$}"));
    let mut at_end = String::new();
    if exponent != 0 {
        at_end += &minus(&format!("1e{exponent}"));
    }
    if offset != 0.0 {
        let sign = if offset > 0.0 { "+" } else { "" };
        at_end += &minus(&format!("{sign}{}", short(offset)));
    }
    Ticks {
        major: ticks.iter().zip(&scaled).map(|(at, shown)| (*at, Label::Text(text(*shown)))).collect(),
        minor: Vec::new(),
        offset: at_end,
    }
}

/// Digits after the point that tell ticks from each other.
fn digits(ticks: &[f64], range: f64) -> usize {
    let low = ticks.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ticks.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = if ticks.len() > 1 { high - low } else { range };
    if !(range > 0.0 && range.is_finite()) {
        return 0;
    }
    let magnitude = range.log10().floor();
    let near = 1e-3 * 10f64.powf(magnitude);
    let mut digits = (3.0 - magnitude).clamp(0.0, 15.0) as usize;
    while digits > 0 {
        let unit = ten_to(digits as i32 - 1);
        if ticks.iter().any(|tick| ((tick * unit).round() / unit - tick).abs() >= near) {
            break;
        }
        digits -= 1;
    }
    digits
}

/// A number that all ticks have so many digits of that it is better written
/// once; zero for none.
fn common_offset(ticks: &[f64]) -> f64 {
    let (Some(first), Some(last)) = (ticks.first(), ticks.last()) else { return 0.0 };
    if ticks.len() < 2 || (*first <= 0.0 && *last >= 0.0) {
        return 0.0;
    }
    let (small, large) = (first.abs().min(last.abs()), first.abs().max(last.abs()));
    let top = large.log10().ceil() as i32;
    let differs = |exponent: i32, by: f64| {
        let unit = ten_to(exponent);
        (large / unit).floor() - (small / unit).floor() >= by
    };
    let from = |by: f64| (top - 40..=top).rev().find(|exponent| differs(*exponent, by)).map(|k| k + 1);
    let Some(mut magnitude) = from(1.0) else { return 0.0 };
    if (large - small) / ten_to(magnitude) <= 1e-2 {
        let Some(found) = from(2.0) else { return 0.0 };
        magnitude = found;
    }
    let unit = ten_to(magnitude);
    let times = (large / unit).floor();
    if times >= 1e3 { (times * unit).copysign(*first) } else { 0.0 }
}

/// `1e5`, `1.2345e7`, `1234.5`.
fn short(value: f64) -> String {
    let (plain, scientific) = (format!("{value}"), format!("{value:e}"));
    if scientific.len() < plain.len() { scientific } else { plain }
}

/// With the sign that typesetters use.
pub(super) fn minus(text: &str) -> String {
    // "-0.0" is not a number to show.
    if text.starts_with('-') && text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.')) {
        return text[1..].to_owned();
    }
    text.replace('-', "\u{2212}")
}

fn logarithmic(low: f64, high: f64, room: usize) -> Ticks {
    let (from, to) = (low.log10(), high.log10());
    if !(from.is_finite() && to.is_finite() && to > from) {
        return Ticks::default();
    }
    // A power that misses the end by rounding alone belongs to it.
    let (first, last) = ((from - 1e-9).ceil(), (to + 1e-9).floor());
    if last - first < 1.0 {
        return within_a_decade(low, high, room);
    }
    let decades = to - from;
    let step = (decades / room.max(2) as f64).ceil().max(1.0) as i32;
    let first = first as i32;
    let first = first.div_euclid(step) * step + if first.rem_euclid(step) == 0 { 0 } else { step };
    let major = (first..).step_by(step as usize).take_while(|k| f64::from(*k) <= to + 1e-9);
    let major = major.map(|k| (ten_to(k), Label::Power { times: 1, exponent: k })).collect();
    Ticks { major, minor: if step == 1 { minor(low, high) } else { Vec::new() }, offset: String::new() }
}

/// The ticks where no more than one power of ten is seen: multiples of powers
/// have labels as well, `LogFormatter`'s `minor_thresholds`. Over more than 0.4
/// of a decade those of about equal distances have them, below all.
fn within_a_decade(low: f64, high: f64, room: usize) -> Ticks {
    let has_label = |times: i32| match high.log10() - low.log10() > 0.4 {
        true => matches!(times, 1 | 2 | 3 | 4 | 6),
        false => true,
    };
    let all = multiples(low, high, 1);
    // Where even multiples are too far apart, as `LogLocator` does.
    if all.len() < 2 {
        let mut ticks = linear(low, high, room);
        ticks.minor = minor(low, high);
        ticks.major.retain(|(at, _)| *at > 0.0);
        return ticks;
    }
    let (labelled, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, times, _)| has_label(*times));
    let label = |(at, times, exponent)| (at, Label::Power { times, exponent });
    Ticks {
        major: labelled.into_iter().map(label).collect(),
        minor: others.into_iter().map(|(at, ..)| at).collect(),
        offset: String::new(),
    }
}

/// Powers of ten on both sides of zero, and zero, where they are seen: `SymmetricalLogLocator`. Where the linear part
/// is all that is seen, the ticks are those of a linear axis.
fn both_ways(low: f64, high: f64, near: f64, room: usize) -> Ticks {
    if -near <= low && high <= near {
        return linear(low, high, room);
    }
    let exponents =
        |from: f64, to: f64| (from.log10().floor() as i32, (to * (1.0 + 1e-12)).log10().floor() as i32);
    let below = (low < -near).then(|| exponents(near.max(-high), -low));
    let above = (high > near).then(|| exponents(near.max(low), high));
    let has_zero = low <= 0.0 && high >= 0.0;
    let count = |ends: Option<(i32, i32)>| ends.map_or(0, |(first, last)| (last - first + 1).max(0) as usize);
    let total = count(below) + count(above) + usize::from(has_zero);
    let step = total.div_ceil(room.max(3)).max(1);
    let mut major = Vec::new();
    let inside = |at: &f64| (low..=high).contains(at) && at.abs() >= near * (1.0 - 1e-12);
    for (ends, times) in [(below, -1), (above, 1)] {
        let Some((first, last)) = ends else { continue };
        let powers =
            (first..=last).step_by(step).map(|exponent| (f64::from(times) * ten_to(exponent), exponent));
        major.extend(
            powers.filter(|(at, _)| inside(at)).map(|(at, exponent)| (at, Label::Power { times, exponent })),
        );
    }
    if has_zero {
        major.push((0.0, Label::Text("0".to_owned())));
    }
    major.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ticks { major, ..Ticks::default() }
}

fn minor(low: f64, high: f64) -> Vec<f64> {
    multiples(low, high, 2).into_iter().map(|(at, ..)| at).collect()
}

/// The multiples of powers of ten between two numbers, beginning with so many
/// times a power: each with how many times which exponent it is.
fn multiples(low: f64, high: f64, first: i32) -> Vec<(f64, i32, i32)> {
    let (from, to) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    (from..=to)
        .flat_map(|exponent| (first..10).map(move |k| (f64::from(k) * ten_to(exponent), k, exponent)))
        .filter(|(at, ..)| (low * (1.0 - 1e-12)..=high * (1.0 + 1e-12)).contains(at))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(from: f64, to: f64, scale: Scale) -> String {
        let ticks = Limits { from, to, scale }.ticks(9);
        let texts: Vec<String> = ticks
            .major
            .iter()
            .map(|(_, label)| match label {
                Label::Text(text) => text.clone(),
                Label::Power { times: 1, exponent } => format!("10^{exponent}"),
                Label::Power { times: -1, exponent } => format!("-10^{exponent}"),
                Label::Power { times, exponent } => format!("{times}x10^{exponent}"),
            })
            .collect();
        format!("{} {}", texts.join(" "), ticks.offset).trim().to_owned()
    }

    /// The texts are those that Matplotlib 3.11 writes for such axes.
    #[test]
    fn ticks_are_matplotlibs() {
        for (from, to, texts) in [
            (-0.5, 10.5, "0 2 4 6 8 10"),
            (-1.1, 1.1, "−1.00 −0.75 −0.50 −0.25 0.00 0.25 0.50 0.75 1.00"),
            (0.0, 1.05, "0.0 0.2 0.4 0.6 0.8 1.0"),
            (-5e5, 1.05e7, "0.0 0.2 0.4 0.6 0.8 1.0 1e7"),
            (0.0, 3.1e-6, "0.0 0.5 1.0 1.5 2.0 2.5 3.0 1e−6"),
            (1e6, 1e6 + 1.0, "0.0 0.2 0.4 0.6 0.8 1.0 +1e6"),
            (-49.95, 1048.95, "0 200 400 600 800 1000"),
        ] {
            assert_eq!(shown(from, to, Scale::Linear), texts, "{from} to {to}");
        }
        for (from, to, texts) in [
            (1.0593, 95.72, "2x10^0 3x10^0 4x10^0 6x10^0 10^1 2x10^1 3x10^1 4x10^1 6x10^1"),
            (25.458, 942.73, "3x10^1 4x10^1 6x10^1 10^2 2x10^2 3x10^2 4x10^2 6x10^2"),
            (1.4489, 3.1058, "2x10^0 3x10^0"),
            (41.0, 89.0, "5x10^1 6x10^1 7x10^1 8x10^1"),
            (0.89125, 11.2202, "10^0 10^1"),
            (1.4622, 2.5647, "1.6 1.8 2.0 2.2 2.4"),
        ] {
            assert_eq!(shown(from, to, Scale::Log), texts, "{from} to {to}");
        }
        assert_eq!(shown(0.5, 2e4, Scale::Log), "10^0 10^1 10^2 10^3 10^4");
        assert_eq!(shown(1e-30, 1e30, Scale::Log), "10^-28 10^-21 10^-14 10^-7 10^0 10^7 10^14 10^21 10^28");
    }

    /// The places are those of `matplotlib.scale.SymmetricalLogTransform(10, 2, 1)`.
    #[test]
    fn an_axis_is_logarithmic_both_ways_from_zero() {
        let scale = Scale::Symlog(2.0);
        for (value, mapped) in
            [(0.0, 0.0), (1.0, 1.111111), (-2.0, -2.222222), (20.0, 4.222222), (-200.0, -6.222222)]
        {
            assert!((scale.map(value) - mapped).abs() < 1e-6, "{value}: {}", scale.map(value));
            assert!((scale.inverse(scale.map(value)) - value).abs() < 1e-9, "{value}");
        }
        let shown = |from: f64, to: f64, near: f64| shown(from, to, Scale::Symlog(near));
        assert_eq!(shown(-150.0, 1200.0, 1.0), "-10^2 -10^1 -10^0 0 10^0 10^1 10^2 10^3");
        assert_eq!(shown(0.0, 1000.0, 10.0), "0 10^1 10^2 10^3");
        assert_eq!(shown(-1.0, 1.0, 1.0), "−1.00 −0.75 −0.50 −0.25 0.00 0.25 0.50 0.75 1.00");
        assert_eq!(shown(-1e30, 1e30, 1.0).split(' ').count(), 11);
        let limits = Limits::around(Some((-100.0, 100.0)), Scale::Symlog(1.0), 0.05);
        assert!(
            (limits.from + limits.to).abs() < 1e-9 && (limits.place(0.0) - 0.5).abs() < 1e-12,
            "{limits:?}"
        );
    }

    #[test]
    fn numbers_that_are_close_were_one_number() {
        for (low, high, texts) in [
            (1e15, 1e15 + 10.0, "0 2 4 6 8 10 +1e15"),
            (1e9, 1e9 + 1e-5, "0.0 0.2 0.4 0.6 0.8 1.0 1e−5+1e9"),
            (1.7e18, 1.7e18 + 1e5, "0 20000 40000 60000 80000 100000 +1.7e18"),
        ] {
            let limits = Limits::around(Some((low, high)), Scale::Linear, 0.05);
            assert!(limits.place(low) < 0.1 && limits.place(high) > 0.9, "{low} to {high}: {limits:?}");
            assert_eq!(shown(limits.from, limits.to, Scale::Linear), texts, "{low} to {high}");
        }
        let limits = Limits::around(Some((1e9, 1e9 + 1e-3)), Scale::Log, 0.05);
        assert!(limits.place(1e9) < 0.1 && limits.place(1e9 + 1e-3) > 0.9, "{limits:?}");
        // Differences by rounding do not count.
        let limits = Limits::around(Some((1.0, 1.0 + 2.0 * f64::EPSILON)), Scale::Linear, 0.0);
        assert!((limits.from - 0.95).abs() < 1e-9 && (limits.to - 1.05).abs() < 1e-9, "{limits:?}");
    }

    #[test]
    fn no_range_of_numbers_hangs_or_has_thousands_of_ticks() {
        let ends =
            [0.0, 1e-320, 1e-300, 1.0, 1.0 + f64::EPSILON, 1.0 + 8.0 * f64::EPSILON, 1e16, 1e300, f64::MAX];
        for low in ends.iter().flat_map(|end| [*end, -*end]) {
            for high in ends.iter().flat_map(|end| [*end, -*end]).filter(|high| *high >= low) {
                let limits = Limits::around(Some((low, high)), Scale::Linear, 0.05);
                assert!(limits.from < limits.to, "{low} {high}");
                assert!(limits.ticks(9).major.len() < 20, "{low} {high}");
                if low > 0.0 {
                    let limits = Limits::around(Some((low, high)), Scale::Log, 0.05);
                    assert!(limits.from < limits.to && limits.ticks(9).major.len() < 30, "{low} {high}");
                }
            }
        }
    }
}
