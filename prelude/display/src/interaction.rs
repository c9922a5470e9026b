//! Sliders, check boxes and lists under which a value is computed anew whenever one is moved, as
//! ipywidgets' `interact`.
//!
//! The function stays here, in the process that runs cells. A front end that has controls asks the
//! session, which orders the function to be [`called`]; any other shows the first value.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

use gpurepl_wire::{Control, ControlKind, INTERACTION, Interaction as Description, MimeBundle, Setting};

use super::{Render, frames, is_rich};
use crate::error::{OrRaise as _, Problem, Result};

/// What is called with the settings of its controls, and returns what is shown.
pub type Function = Box<dyn FnMut(&[Setting]) -> MimeBundle>;

/// One that is dropped at its end, if it is let go while it is called.
type Kept = Rc<RefCell<Function>>;

thread_local! {
    /// The functions that can be called, all by the thread that runs cells.
    static FUNCTIONS: RefCell<BTreeMap<u64, Kept>> = const { RefCell::new(BTreeMap::new()) };
    /// Those that are kept whatever comes after them.
    static PINNED: RefCell<BTreeMap<u64, Kept>> = const { RefCell::new(BTreeMap::new()) };
}

/// The most functions that are kept; the oldest go first.
const MOST: usize = 100;
/// The steps of a slider for fractions, if nothing else is said.
const STEPS: f64 = 100.0;

/// Shows what a function returns, with a control for each of its arguments: in a notebook with
/// ipywidgets it is called again whenever one is moved. Anywhere else the first value is shown.
///
/// | control | argument |
/// |---|---|
/// | `0.0..1.0`, `0..=10` | a number, by a slider that begins in the middle |
/// | `slider(0.0, 1.0).step(0.1).value(0.5)` | a number, by a slider of that kind |
/// | `true`, `false` | a truth value, by a check box |
/// | `["sin", "cos"]`, `vec![8, 16, 32]` | one of several values, by a list |
/// | `"a title"` | a `String`, by a line of text |
/// | `("rate", 0.0..1.0)` | any of these with a name |
///
/// Several arguments have a tuple of controls. The function stays in use after the cell, so it
/// owns what it uses: `move`, and a clone of what other cells use as well.
///
/// ```
/// use gpurepl_prelude::*;
/// let x = linspace(0.0_f64, 6.3, 200);
/// interact(move |k: f64| plot((&x, &(&x * k).sin())), ("k", 1.0..5.0));
/// interact(|n: usize, is_even: bool| (0..n).filter(|k| !is_even || k % 2 == 0).sum::<usize>(), (1..100, true));
/// ```
///
/// # Panics
///
/// With an [`Error`](gpurepl_ground::Error), if a control has no value: an empty range or list.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&..)`"]
pub fn interact<A, R, F, C>(mut function: F, controls: C) -> Interaction
where
    F: Interactive<A, R> + 'static,
    A: 'static,
    C: IntoControls<A>,
{
    let (descriptions, read) = controls.controls().or_raise();
    keep(descriptions, Box::new(move |settings| function.call(read(settings))))
}

fn keep(controls: Vec<Control>, call: Function) -> Interaction {
    Interaction(kept(new_number(), controls, call))
}

/// A number for a function that can be called, which no other one has.
pub fn new_number() -> u64 {
    frames::display_id()
}

/// Keeps a function by its number until many others came after it. What is returned says to the
/// session what it is, as one of the forms of a value.
pub fn kept(id: u64, controls: Vec<Control>, call: Function) -> Description {
    let oldest = FUNCTIONS.with_borrow_mut(|functions| {
        functions.insert(id, Rc::new(RefCell::new(call)));
        if functions.len() > MOST { functions.pop_first() } else { None }
    });
    // What it owns may have destructors that call this again.
    drop(oldest);
    Description { id, controls }
}

/// What a function shows, and the controls of its arguments. See [`interact`].
#[derive(Clone, Debug)]
pub struct Interaction(Description);

impl Render for Interaction {
    fn render(&self) -> MimeBundle {
        let first: Vec<Setting> = self.0.controls.iter().map(Control::setting).collect();
        let bundle = called(self.0.id, &first).unwrap_or_default();
        if is_rich() { bundle.with(INTERACTION, self.0.to_text()) } else { bundle }
    }
}

/// Keeps a function until it is released. Returns its number.
pub(super) fn pinned(call: Function) -> u64 {
    let id = new_number();
    PINNED.with_borrow_mut(|functions| functions.insert(id, Rc::new(RefCell::new(call))));
    id
}

/// Drops such a function; one that is called, at its end.
pub(super) fn release(id: u64) {
    let function = PINNED.with_borrow_mut(|functions| functions.remove(&id));
    // What it owns may have destructors that call this again.
    drop(function);
}

/// Calls a function with other settings. None if it is not there: the process that it was in has
/// ended, or many others came after it.
pub fn called(id: u64, settings: &[Setting]) -> Option<MimeBundle> {
    // The maps are not borrowed while it runs: it may make others.
    let known = |functions: &BTreeMap<u64, Kept>| functions.get(&id).map(Rc::clone);
    let function = FUNCTIONS.with_borrow(known).or_else(|| PINNED.with_borrow(known))?;
    let mut function = function.try_borrow_mut().ok()?;
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| function(settings)));
    match outcome {
        Ok(bundle) => Some(bundle),
        Err(payload) => std::panic::resume_unwind(payload),
    }
}

/// What a function returns can be shown; of nothing nothing is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shown by `interact`",
    note = "return a figure, an array, a number or a text, or implement `Render`; `println!` and `display(&..)` work as well"
)]
pub trait ShownValue {
    #[doc(hidden)]
    fn bundle(&self) -> MimeBundle;
}

#[diagnostic::do_not_recommend]
impl<T: Render> ShownValue for T {
    fn bundle(&self) -> MimeBundle {
        self.render()
    }
}

impl ShownValue for () {
    fn bundle(&self) -> MimeBundle {
        MimeBundle::default()
    }
}

/// A function of one to six arguments that have controls.
pub trait Interactive<A, R> {
    #[doc(hidden)]
    fn call(&mut self, arguments: A) -> MimeBundle;
}

/// What reads one argument from the setting of its control.
type ReadOne<T> = Box<dyn Fn(&Setting) -> T>;

/// What reads the arguments of a function from the settings of its controls.
type Read<A> = Box<dyn Fn(&[Setting]) -> A>;

/// A control for each argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no control for the arguments `{A}`",
    note = "numbers have ranges (`0.0..1.0` for fractions, `0..10` for integers), `bool` has `true` or `false`, others have a list; several arguments have a tuple"
)]
pub trait IntoControls<A> {
    #[doc(hidden)]
    fn controls(self) -> Result<(Vec<Control>, Read<A>)>;
}

/// A control for one argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no control for a `{T}`",
    note = "numbers have ranges (`0.0..1.0` for fractions, `0..10` for integers), `bool` has `true` or `false`, others have a list"
)]
pub trait IntoControl<T> {
    #[doc(hidden)]
    fn control(self) -> Result<(Control, ReadOne<T>)>;
}

macro_rules! functions {
    ($($($argument:ident)*;)*) => {$(
        impl<$($argument,)* R: ShownValue, F: FnMut($($argument),*) -> R> Interactive<($($argument,)*), R> for F {
            #[allow(non_snake_case, reason = "the names of types")]
            fn call(&mut self, ($($argument,)*): ($($argument,)*)) -> MimeBundle {
                self($($argument),*).bundle()
            }
        }
    )*};
}
functions! { A; A B; A B C; A B C D; A B C D E; A B C D E G; }

/// Several controls; those without names are called by their places.
macro_rules! controls {
    ($($($argument:ident $control:ident $number:tt)*;)*) => {$(
        impl<$($argument: 'static, $control: IntoControl<$argument>),*> IntoControls<($($argument,)*)> for ($($control,)*) {
            fn controls(self) -> Result<(Vec<Control>, Read<($($argument,)*)>)> {
                let parts = ($(self.$number.control()?,)*);
                let mut controls = vec![$(parts.$number.0),*];
                for (number, control) in controls.iter_mut().enumerate() {
                    if control.name.is_empty() {
                        control.name = (number + 1).to_string();
                    }
                }
                let read = ($(parts.$number.1,)*);
                Ok((controls, Box::new(move |settings| ($((read.$number)(setting(settings, $number)),)*))))
            }
        }
    )*};
}
controls! {
    A X 0 B Y 1;
    A X 0 B Y 1 C Z 2;
    A X 0 B Y 1 C Z 2 D U 3;
    A X 0 B Y 1 C Z 2 D U 3 E V 4;
    A X 0 B Y 1 C Z 2 D U 3 E V 4 G W 5;
}

impl<A: 'static, X: IntoControl<A>> IntoControls<(A,)> for X {
    fn controls(self) -> Result<(Vec<Control>, Read<(A,)>)> {
        let (control, read) = self.control()?;
        Ok((vec![control], Box::new(move |settings| (read(setting(settings, 0)),))))
    }
}

/// A setting by its number: what the session sends is checked there.
fn setting(settings: &[Setting], number: usize) -> &Setting {
    settings.get(number).unwrap_or(&Setting::Number(0.0))
}

/// A number that a slider moves over.
pub trait Slidable: Copy + 'static {
    #[doc(hidden)]
    const IS_INTEGER: bool;
    #[doc(hidden)]
    fn to_f64(self) -> f64;
    #[doc(hidden)]
    fn from_f64(value: f64) -> Self;
}

macro_rules! slidable {
    ($is_integer:literal: $($t:ty)*) => {$(
        impl Slidable for $t {
            const IS_INTEGER: bool = $is_integer;
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn from_f64(value: f64) -> $t {
                value as $t
            }
        }
    )*};
}
slidable! { false: f32 f64 }
slidable! { true: i8 i16 i32 i64 u8 u16 u32 u64 isize usize }

/// A slider with a step and a first value of its own. See [`slider`].
#[derive(Clone, Copy, Debug)]
pub struct Slider<T> {
    from: T,
    to: T,
    step: Option<f64>,
    value: Option<f64>,
}

/// A slider between two numbers, both of which it reaches, for [`interact`].
///
/// ```
/// use gpurepl_prelude::*;
/// interact(|rate: f64| rate * rate, ("rate", interaction::slider(0.0, 2.0).step(0.25).value(1.0)));
/// ```
pub fn slider<T: Slidable>(from: T, to: T) -> Slider<T> {
    Slider { from, to, step: None, value: None }
}

impl<T: Slidable> Slider<T> {
    /// How far a step is; a hundredth of the way otherwise, and 1 for integers.
    #[must_use]
    pub fn step(self, step: T) -> Slider<T> {
        Slider { step: Some(step.to_f64()), ..self }
    }

    /// Where it begins; in the middle otherwise.
    #[must_use]
    pub fn value(self, value: T) -> Slider<T> {
        Slider { value: Some(value.to_f64()), ..self }
    }
}

impl<T: Slidable> IntoControl<T> for Slider<T> {
    fn control(self) -> Result<(Control, ReadOne<T>)> {
        let (from, to) = (self.from.to_f64(), self.to.to_f64());
        let kind = sliding(from, to, self.step, self.value, T::IS_INTEGER)?;
        let read = move |setting: &Setting| T::from_f64(number(setting).clamp(from, to));
        Ok((Control { name: String::new(), kind }, Box::new(read)))
    }
}

impl<T: Slidable> IntoControl<T> for Range<T> {
    fn control(self) -> Result<(Control, ReadOne<T>)> {
        let (start, end) = (self.start.to_f64(), self.end.to_f64());
        let count = if T::IS_INTEGER { end - start } else { 2.0 };
        if start >= end || count < 2.0 {
            let message = format!("a range from {start} to {end} has no two numbers for a slider");
            return Err(Problem::Invalid { operation: "interact", message }.into());
        }
        // An integer's last one is the one before the end; a fraction comes as near as it may.
        let last = if T::IS_INTEGER { T::from_f64(end - 1.0) } else { self.end };
        slider(self.start, last).control()
    }
}

impl<T: Slidable> IntoControl<T> for RangeInclusive<T> {
    fn control(self) -> Result<(Control, ReadOne<T>)> {
        slider(*self.start(), *self.end()).control()
    }
}

fn number(setting: &Setting) -> f64 {
    match setting {
        Setting::Number(value) => *value,
        Setting::Flag(is_set) => f64::from(u8::from(*is_set)),
        Setting::Choice(index) => *index as f64,
        Setting::Text(_) => 0.0,
    }
}

fn sliding(
    from: f64,
    to: f64,
    step: Option<f64>,
    value: Option<f64>,
    is_integer: bool,
) -> Result<ControlKind> {
    let invalid = |message: String| Problem::Invalid { operation: "interact", message };
    if !(from < to && (to - from).is_finite()) {
        let message = format!(
            "a slider from {from:?} to {to:?} has no way to go; give two finite numbers, the smaller one first"
        );
        return Err(invalid(message).into());
    }
    let usual = if is_integer { 1.0 } else { (to - from) / STEPS };
    let step = step.unwrap_or(usual);
    if !(step > 0.0 && step <= to - from) {
        let message = format!("a slider from {from} to {to} cannot go by steps of {step}");
        return Err(invalid(message).into());
    }
    let middle = from + ((to - from) / 2.0 / step).floor() * step;
    let value = value.unwrap_or(middle);
    if !(from..=to).contains(&value) {
        let message = format!("a slider from {from} to {to} cannot begin at {value}");
        return Err(invalid(message).into());
    }
    Ok(ControlKind::Slider { from, to, step, value, is_integer })
}

impl IntoControl<bool> for bool {
    fn control(self) -> Result<(Control, ReadOne<bool>)> {
        let kind = ControlKind::CheckBox { is_set: self };
        Ok((Control { name: String::new(), kind }, Box::new(|setting| number(setting) != 0.0)))
    }
}

impl IntoControl<String> for &str {
    fn control(self) -> Result<(Control, ReadOne<String>)> {
        let first = self.to_owned();
        let kind = ControlKind::Text { value: first.clone() };
        let read = move |setting: &Setting| match setting {
            Setting::Text(text) => text.clone(),
            _ => first.clone(),
        };
        Ok((Control { name: String::new(), kind }, Box::new(read)))
    }
}

impl<T: Clone + std::fmt::Display + 'static> IntoControl<T> for Vec<T> {
    fn control(self) -> Result<(Control, ReadOne<T>)> {
        if self.is_empty() {
            let message = "a list without values has none to begin with".to_owned();
            return Err(Problem::Invalid { operation: "interact", message }.into());
        }
        let options = self.iter().map(T::to_string).collect();
        let kind = ControlKind::List { options, index: 0 };
        let last = self.len() - 1;
        let read = move |setting: &Setting| self[(number(setting).max(0.0) as usize).min(last)].clone();
        Ok((Control { name: String::new(), kind }, Box::new(read)))
    }
}

impl<T: Clone + std::fmt::Display + 'static, const N: usize> IntoControl<T> for [T; N] {
    fn control(self) -> Result<(Control, ReadOne<T>)> {
        Vec::from(self).control()
    }
}

/// A control with a name.
impl<T, C: IntoControl<T>> IntoControl<T> for (&str, C) {
    fn control(self) -> Result<(Control, ReadOne<T>)> {
        let (control, read) = self.1.control()?;
        Ok((Control { name: self.0.to_owned(), ..control }, read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(id: u64, settings: &[Setting]) -> String {
        called(id, settings).unwrap().get("text/plain").unwrap_or_default().to_owned()
    }

    #[test]
    fn each_argument_has_its_control() {
        let made = interact(
            |k: f64, n: usize, is_set: bool, name: &'static str| format!("{k} {n} {is_set} {name}"),
            (("k", 0.0..1.0), 1..=10, true, ["sin", "cos"]),
        );
        let names: Vec<&str> = made.0.controls.iter().map(|control| &*control.name).collect();
        assert_eq!(names, ["k", "2", "3", "4"]);
        assert_eq!(
            made.0.controls[0].kind,
            ControlKind::Slider { from: 0.0, to: 1.0, step: 0.01, value: 0.5, is_integer: false }
        );
        assert_eq!(made.render().get("text/plain"), Some("\"0.5 5 true sin\""));
        let settings =
            [Setting::Number(0.25), Setting::Number(7.0), Setting::Flag(false), Setting::Choice(1)];
        assert_eq!(shown(made.0.id, &settings), "\"0.25 7 false cos\"");
        // What comes from elsewhere is no reason to fail.
        assert_eq!(shown(made.0.id, &[Setting::Number(f64::MAX), Setting::Choice(99)]), "\"1 10 false sin\"");
        assert!(called(0, &[]).is_none());
    }

    #[test]
    fn a_function_keeps_what_it_has_changed_and_survives_a_panic() {
        let mut calls = 0;
        let made = interact(
            move |k: i32| {
                calls += 1;
                assert!(k != 3, "three");
                calls
            },
            0..10,
        );
        assert_eq!(shown(made.0.id, &[Setting::Number(1.0)]), "1");
        let failed = std::panic::catch_unwind(|| called(made.0.id, &[Setting::Number(3.0)]));
        assert!(failed.is_err());
        assert_eq!(shown(made.0.id, &[Setting::Number(9.0)]), "3");
    }

    #[test]
    fn controls_without_a_value_are_refused() {
        let wrong = |kind: Result<ControlKind>| kind.unwrap_err().to_string();
        assert!(
            wrong(sliding(1.0, 1.0, None, None, false)).contains("a slider from 1.0 to 1.0 has no way to go")
        );
        assert!(wrong(sliding(0.0, f64::INFINITY, None, None, false)).contains("no way to go"));
        assert!(wrong(sliding(0.0, 1.0, Some(-0.1), None, false)).contains("steps of -0.1"));
        assert!(wrong(sliding(0.0, 1.0, None, Some(2.0), false)).contains("cannot begin at 2"));
        assert!(IntoControl::<i32>::control(Vec::<i32>::new()).is_err());
    }
}
