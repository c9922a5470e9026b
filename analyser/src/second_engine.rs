//! evcxr behind frames: the engine of `gpurepl --engine evcxr`.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use evcxr::{CommandContext, CompilationError, Error};
use gpurepl_wire::analysis::{EvcxrError, EvcxrOrder, EvcxrReply};
use gpurepl_wire::{MimeBundle, receive, send};

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
            EvcxrOrder::Evaluate { source } => {
                let Some(context) = &mut context else {
                    done(&output, None, Some("evcxr did not start".to_owned()))?;
                    continue;
                };
                evaluate(context, &source, &output)?;
            }
        }
    }
    Ok(())
}

/// Shows values by `Debug` in the same compiler run: without it evcxr compiles
/// a cell twice, the first time to find that its value has no display of its
/// own.
const DISPLAY: &str = "\
pub trait GpureplDisplay { fn evcxr_display(&self); }
impl<T: ::std::fmt::Debug + ?Sized> GpureplDisplay for T {
    fn evcxr_display(&self) {
        let text = ::std::format!(\"{:?}\", self);
        ::std::println!(\"EVCXR_BEGIN_CONTENT text/plain\\n{}\\nEVCXR_END_CONTENT\", text);
    }
}";

fn open(prelude: Option<&Path>, output: &Output) -> Result<CommandContext, Error> {
    let (mut context, outputs) = CommandContext::new()?;
    for (lines, is_error) in [(outputs.stdout, false), (outputs.stderr, true)] {
        let output = Arc::clone(output);
        std::thread::spawn(move || {
            while let Ok(line) = lines.recv() {
                let text = format!("{line}\n");
                if tell(&output, &EvcxrReply::Output { is_error, text }).is_err() {
                    break;
                }
            }
        });
    }
    // Low: cells are short, and what they call is compiled already.
    context.execute(":opt 0")?;
    if let Some(prelude) = prelude {
        let path = prelude.join("prelude").display().to_string();
        context.execute(":offline 1")?;
        context.execute(&format!(
            ":dep gpurepl-prelude = {{ path = {path:?} }}\nuse gpurepl_prelude::*;\nuse gpurepl_prelude as _;"
        ))?;
    }
    context.execute(DISPLAY)?;
    Ok(context)
}

fn child(context: &CommandContext) -> i32 {
    let process = context.process_handle();
    let process = process.lock().unwrap_or_else(PoisonError::into_inner);
    i32::try_from(process.id()).unwrap_or(0)
}

fn evaluate(context: &mut CommandContext, source: &str, output: &Output) -> anyhow::Result<()> {
    let mut lost = None;
    match context.execute(source) {
        Ok(outputs) => {
            if !outputs.content_by_mime_type.is_empty() {
                let forms = outputs.content_by_mime_type.into_iter();
                let forms = forms.map(|(mime, text)| (mime, text.trim_end_matches('\n').to_owned()));
                tell(output, &EvcxrReply::Value(MimeBundle(forms.collect())))?;
            }
        }
        Err(error) => {
            if let Error::SubprocessTerminated(how) = &error {
                lost = Some(how.lines().next().unwrap_or_default().to_owned());
            }
            fail(output, &error)?;
        }
    }
    // A process that was lost has been replaced.
    tell(output, &EvcxrReply::Child(child(context)))?;
    done(output, Some(context), lost)
}

fn done(output: &Output, context: Option<&CommandContext>, lost: Option<String>) -> anyhow::Result<()> {
    let (mut variables, mut items) = (Vec::new(), Vec::new());
    if let Some(context) = context {
        let of = |(name, of): (&str, &str)| (name.to_owned(), of.to_owned());
        variables = context.variables_and_types().map(of).collect();
        items = context.defined_item_names().map(str::to_owned).collect();
        items.retain(|name: &String| name != "GpureplDisplay");
    }
    variables.sort();
    items.sort();
    tell(output, &EvcxrReply::Done { variables, items, lost })
}

fn fail(output: &Output, error: &Error) -> anyhow::Result<()> {
    let plain = |message: String| EvcxrError { message, code: None, places: Vec::new(), helps: Vec::new() };
    match error {
        Error::CompilationErrors(errors) => {
            for error in errors {
                tell(output, &EvcxrReply::Error(described(error)))?;
            }
            Ok(())
        }
        Error::TypeRedefinedVariablesLost(names) => {
            let message = format!("a type was defined anew, so these were lost: {}", names.join(", "));
            tell(output, &EvcxrReply::Error(plain(message)))
        }
        // The session says itself that a process was lost.
        Error::SubprocessTerminated(_) => Ok(()),
        Error::Message(message) => tell(output, &EvcxrReply::Error(plain(message.clone()))),
    }
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
