//! evcxr behind frames: the engine of `gpurepl --engine evcxr`.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use evcxr::{CommandContext, CompilationError, Error};
use gpurepl_wire::analysis::{EvcxrError, EvcxrOrder, EvcxrReply};
use gpurepl_wire::{MimeBundle, receive, send};

/// Lines that cells have printed on standard error: they come on a way of
/// their own, so that the end of a cell may be known before.
static ERROR_LINES: AtomicU64 = AtomicU64::new(0);

/// How long the words of an error from `?` are waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// The way to the session, from several threads.
type Output = Arc<Mutex<File>>;

/// Evaluates orders until there are no more.
///
/// # Errors
///
/// If evcxr cannot be started, or replies cannot be written.
pub fn run(output: File) -> anyhow::Result<()> {
    let output: Output = Arc::new(Mutex::new(output));
    let mut input = std::io::stdin().lock();
    let mut context: Option<CommandContext> = None;
    while let Some(order) = receive::<EvcxrOrder>(&mut input)? {
        match order {
            EvcxrOrder::Open { prelude } => match open(prelude.as_deref(), &output) {
                Ok(opened) => {
                    tell(&output, &EvcxrReply::Child(child(&opened)))?;
                    done(&output, Some(&opened), None)?;
                    context = Some(opened);
                }
                Err(error) => {
                    fail(&output, &error)?;
                    done(&output, None, Some("evcxr did not start".to_owned()))?;
                }
            },
            EvcxrOrder::Evaluate { source, tells_end } => {
                let Some(context) = &mut context else {
                    done(&output, None, Some("evcxr did not start".to_owned()))?;
                    continue;
                };
                evaluate(context, &source, tells_end, &output)?;
            }
        }
    }
    Ok(())
}

/// What cells see besides the prelude: their values shown by `Debug`, and what
/// they call at their end.
const SUPPORT: &str = "\
pub trait GpureplDisplay { fn evcxr_display(&self); }
impl<T: ::std::fmt::Debug + ?Sized> GpureplDisplay for T {
    fn evcxr_display(&self) {
        let text = ::std::format!(\"{:?}\", self);
        if text != \"()\" {
            ::std::println!(\"\u{2}gpurepl\u{3}\\nEVCXR_BEGIN_CONTENT text/plain\\n{}\\nEVCXR_END_CONTENT\", text);
        }
    }
}
pub fn gpurepl_ended() {
    ::std::println!(\"\u{2}gpurepl\u{3}\\nEVCXR_BEGIN_CONTENT gpurepl/ended\\nEVCXR_END_CONTENT\");
}";

/// Reports a panic as evcxr's own events are reported. Other threads' panics are
/// printed, and are not failures of a cell.
const HOOK: &str = "{
let cells = ::std::thread::current().id();
let usual = ::std::panic::take_hook();
::std::panic::set_hook(::std::boxed::Box::new(move |panic| {
    if ::std::thread::current().id() != cells { return usual(panic); }
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().map(|text| ::std::string::ToString::to_string(text));
    let text = text.or_else(|| payload.downcast_ref::<::std::string::String>().cloned());
    let text = text.unwrap_or_else(|| ::std::string::String::from(\"of a value that is not text\"));
    ::std::println!(\"\u{2}gpurepl\u{3}\\nEVCXR_BEGIN_CONTENT gpurepl/panic\\n{}\\nEVCXR_END_CONTENT\", text);
}));
}";

/// What cells print before evcxr's marks, which stand on lines of their own:
/// behind it there is no end of a line that the user has printed.
const BREAK: &str = "\u{2}gpurepl\u{3}";

/// The form in which a cell says that it has come to its end.
const ENDED: &str = "gpurepl/ended";

/// The form in which it reports a panic, which it may have caught itself.
const PANIC: &str = "gpurepl/panic";

fn open(prelude: Option<&Path>, output: &Output) -> Result<CommandContext, Error> {
    match begin(prelude, true, output) {
        // evcxr asks cargo for the crates of every platform, and the store's
        // build has downloaded those of this one.
        Err(error) if error.to_string().contains("--offline") => begin(prelude, false, output),
        begun => begun,
    }
}

fn begin(prelude: Option<&Path>, is_offline: bool, output: &Output) -> Result<CommandContext, Error> {
    let (mut context, outputs) = CommandContext::new()?;
    for (lines, is_error) in [(outputs.stdout, false), (outputs.stderr, true)] {
        let output = Arc::clone(output);
        std::thread::spawn(move || {
            while let Ok(line) = lines.recv() {
                let text = match line.strip_suffix(BREAK) {
                    Some("") => continue,
                    Some(part) => part.to_owned(),
                    None => format!("{line}\n"),
                };
                if tell(&output, &EvcxrReply::Output { is_error, text }).is_err() {
                    break;
                }
                if is_error {
                    ERROR_LINES.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    // Low: cells are short, and what they call is compiled already.
    context.execute(":opt 0")?;
    if let Some(prelude) = prelude {
        let path = prelude.join("prelude").display().to_string();
        context.execute(&format!(":offline {}", u8::from(is_offline)))?;
        context.execute(&format!(
            ":dep gpurepl-prelude = {{ path = {path:?} }}\nuse gpurepl_prelude::*;\nuse gpurepl_prelude as _;"
        ))?;
    }
    context.execute(SUPPORT)?;
    context.execute(HOOK)?;
    Ok(context)
}

fn child(context: &CommandContext) -> i32 {
    let process = context.process_handle();
    let process = process.lock().unwrap_or_else(PoisonError::into_inner);
    i32::try_from(process.id()).unwrap_or(0)
}

fn evaluate(
    context: &mut CommandContext,
    source: &str,
    tells_end: bool,
    output: &Output,
) -> anyhow::Result<()> {
    let mut lost = None;
    let lines = ERROR_LINES.load(Ordering::Relaxed);
    match context.execute(source) {
        Ok(mut outputs) => {
            let forms = &mut outputs.content_by_mime_type;
            let (ended, panic) = (forms.remove(ENDED), forms.remove(PANIC));
            if !outputs.content_by_mime_type.is_empty() {
                let forms = outputs.content_by_mime_type.into_iter();
                let forms = forms.map(|(mime, text)| (mime, text.trim_end_matches('\n').to_owned()));
                tell(output, &EvcxrReply::Value(MimeBundle(forms.collect())))?;
            }
            if tells_end && ended.is_none() {
                let message = match panic {
                    Some(text) => format!("panic: {}", text.trim_end_matches('\n')),
                    None if wait_for_words(lines) => {
                        "the cell ended early: `?` has returned an error, which is printed above".to_owned()
                    }
                    None => "the cell did not come to its end".to_owned(),
                };
                tell(output, &EvcxrReply::Error(plain(message)))?;
            }
        }
        Err(error) => {
            if let Error::SubprocessTerminated(how) = &error {
                lost = Some(how.lines().next().unwrap_or_default().to_owned());
                // The process that has taken its place has the usual one.
                let _ = context.execute(HOOK);
            }
            fail(output, &error)?;
        }
    }
    // A process that was lost has been replaced.
    tell(output, &EvcxrReply::Child(child(context)))?;
    done(output, Some(context), lost)
}

/// Waits until more is printed on standard error than so many lines.
fn wait_for_words(lines: u64) -> bool {
    let start = Instant::now();
    while ERROR_LINES.load(Ordering::Relaxed) == lines {
        if start.elapsed() > PATIENCE {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

fn done(output: &Output, context: Option<&CommandContext>, lost: Option<String>) -> anyhow::Result<()> {
    let (mut variables, mut items) = (Vec::new(), Vec::new());
    if let Some(context) = context {
        let of = |(name, of): (&str, &str)| (name.to_owned(), of.to_owned());
        variables = context.variables_and_types().map(of).collect();
        items = context.defined_item_names().map(str::to_owned).collect();
        items.retain(|name: &String| name != "GpureplDisplay" && name != "gpurepl_ended");
    }
    variables.sort();
    items.sort();
    tell(output, &EvcxrReply::Done { variables, items, lost })
}

fn fail(output: &Output, error: &Error) -> anyhow::Result<()> {
    match error {
        Error::CompilationErrors(errors) => {
            for error in errors {
                tell(output, &EvcxrReply::Error(described(error)))?;
            }
            Ok(())
        }
        Error::TypeRedefinedVariablesLost(names) => {
            let message = format!("a type was redefined, so these were lost: {}", names.join(", "));
            tell(output, &EvcxrReply::Error(plain(message)))
        }
        // The session says itself that a process was lost.
        Error::SubprocessTerminated(_) => Ok(()),
        Error::Message(message) => tell(output, &EvcxrReply::Error(plain(message.clone()))),
    }
}

fn plain(message: String) -> EvcxrError {
    EvcxrError { message, code: None, places: Vec::new(), helps: Vec::new() }
}

fn described(error: &CompilationError) -> EvcxrError {
    let places = error.spanned_messages().iter().filter_map(|message| {
        let span = message.span.as_ref()?;
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        // To the end of the line where it goes on in others.
        let end = if span.end_line == span.start_line { span.end_column } else { usize::MAX };
        Some((number(span.start_line), number(span.start_column), number(end), message.label.clone()))
    });
    let hint = error.evcxr_extra_hint().map(str::to_owned);
    EvcxrError {
        message: error.message(),
        code: error.code().map(str::to_owned),
        places: places.collect(),
        helps: error.help().into_iter().chain(hint).collect(),
    }
}

fn tell(output: &Output, reply: &EvcxrReply) -> anyhow::Result<()> {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(send(&mut *output, reply)?)
}
