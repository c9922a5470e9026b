//! Advice about the driver's classes as PyCUDA has them: `Device(0)`,
//! `event.record(stream)`, `device_attribute.MAX_THREADS_PER_BLOCK`.

use super::super::compile::{Message, Span};
use super::Mistake;
use super::place::Call;
use crate::{names, store};

/// What PyCUDA's modules are called in scripts.
pub(super) const MODULES: &[&str] = &["cuda", "driver", "drv", "gpuarray", "pycuda"];

/// Classes of PyCUDA that are made by `new` here.
pub(super) const CLASSES: &[&str] = &[
    "Device",
    "ElementwiseKernel",
    "Event",
    "ExclusiveScanKernel",
    "InclusiveScanKernel",
    "ReductionKernel",
    "SourceModule",
    "Stream",
];

/// Advice for a message, if it is about one of those.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    let message = mistake.message;
    let primary = message.spans.iter().find(|span| span.is_primary)?;
    let words = primary.words().unwrap_or_default();
    let quoted = mistake.quoted();
    match message.code() {
        "E0061" if words == "Context::synchronize" => {
            Some("the current context is waited for by `synchronize()?`".to_owned())
        }
        "E0061" => on_stream(message, primary, &words),
        "E0423" => made_by_new(primary, &words),
        "E0425" | "E0432" | "E0433" if MODULES.contains(&quoted) && !is_followed_by_dot(mistake) => {
            let rest = mistake.text.get(mistake.range.end..).unwrap_or_default();
            let path: &str = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next()?;
            let name = path.rsplit("::").next().unwrap_or_default();
            let example = if name == "new" || !CLASSES.contains(&name) {
                "Device::new(0)?"
            } else {
                return Some(of_class(quoted, name));
            };
            Some(format!("names of the prelude stand for themselves: `{example}`, without `{quoted}`"))
        }
        "E0599"
            if message.message.starts_with("no method named `pop` found for struct `")
                && message.message.contains("Context`") =>
        {
            Some("the context that was pushed last goes by `Context::pop()?`".to_owned())
        }
        "E0599" => variant(&message.message),
        "E0277"
            if message.message.ends_with("cannot be copied to the device")
                && quoted.starts_with("GpuArray<") =>
        {
            let array = mistake.words().trim_start_matches('&');
            Some(format!(
                "an array is on the device already; what is copied is on the host: `&{array}.get()`"
            ))
        }
        _ => None,
    }
}

fn is_followed_by_dot(mistake: &Mistake<'_>) -> bool {
    mistake.text.get(mistake.range.end..).is_some_and(|rest| rest.starts_with('.'))
}

fn of_class(module: &str, class: &str) -> String {
    format!("names of the prelude stand for themselves: `{class}::new(..)?`, without `{module}`")
}

/// What is called of a module: `drv.Device(0)`, `cuda.mem_alloc(1024)`.
pub(super) fn of_module(module: &str, call: &Call<'_>) -> Option<String> {
    let arguments = call.arguments.as_deref().map(|list| list.join(", "));
    let meant = match (call.name, arguments) {
        (class, Some(arguments)) if CLASSES.contains(&class) => format!("{class}::new({arguments})?"),
        ("init", _) => {
            return Some(
                "nothing has to be initialized: the first array or kernel opens the device; `device()` shows it"
                    .to_owned(),
            );
        }
        ("synchronize", _) => "synchronize()?".to_owned(),
        ("mem_alloc" | "mem_get_info", Some(arguments)) => format!("{}({arguments})?", call.name),
        ("memcpy_htod" | "memcpy_dtoh" | "memcpy_dtod", Some(_)) => {
            let lent: Vec<String> = call
                .positional()
                .iter()
                .enumerate()
                .map(|(k, text)| {
                    let text = text.trim_start_matches('&').trim_start_matches("mut ");
                    if k == 0 { format!("&mut {text}") } else { format!("&{text}") }
                })
                .collect();
            format!("{}({})?", call.name, lent.join(", "))
        }
        ("In" | "Out" | "InOut", Some(arguments)) => {
            let lend = if call.name == "In" { "&" } else { "&mut " };
            format!("{}({lend}{})", call.name, arguments.trim_start_matches('&').trim_start_matches("mut "))
        }
        (name, Some(arguments)) if names::PRELUDE.contains(&name) => format!("{name}({arguments})"),
        (name, None) if names::PRELUDE.contains(&name) => name.to_owned(),
        _ => "Device::new(0)?".to_owned(),
    };
    Some(format!("names of the prelude stand for themselves: `{meant}`, without `{module}`"))
}

/// A stream given to what takes none.
fn on_stream(message: &Message, primary: &Span, method: &str) -> Option<String> {
    if !message.message.contains("takes 0 arguments but 1 argument") {
        return None;
    }
    let stream = message.spans.iter().find(|span| {
        let is_stream = |label: &str| {
            label.starts_with("unexpected argument") && label.trim_end_matches('`').ends_with("Stream")
        };
        span.label.as_deref().is_some_and(is_stream)
    })?;
    let stream = stream.words()?;
    let stream = stream.trim_start_matches('&');
    let receiver = receiver(primary).unwrap_or_else(|| "it".to_owned());
    match method {
        "record" => Some(format!(
            "another stream than the current one is named by `{receiver}.record_on(&{stream})?`"
        )),
        "launch" => Some(format!(
            "a graph is launched on the current stream; on another one by `{stream}.scope(|| {receiver}.launch())??`"
        )),
        _ => None,
    }
}

/// The name that a method is called on, if it is no more than that.
fn receiver(method: &Span) -> Option<String> {
    let [line] = &method.text[..] else { return None };
    let before: String = line.text.chars().take(line.highlight_start.saturating_sub(1)).collect();
    let before = before.strip_suffix('.')?;
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == '.';
    let start = before.char_indices().rev().take_while(|(_, sign)| is_part(*sign)).last()?.0;
    Some(before[start..].to_owned())
}

/// A class that is called as a function. The compiler points at its name, or
/// at all of the call.
fn made_by_new(primary: &Span, words: &str) -> Option<String> {
    let class = words.split('(').next().unwrap_or_default();
    if !CLASSES.contains(&class) {
        return None;
    }
    let [line] = &primary.text[..] else { return None };
    let start = line.highlight_start.saturating_sub(1) + class.chars().count();
    let rest: String = line.text.chars().skip(start).collect();
    let arguments = rest.strip_prefix('(')?.split_once(')').map(|(arguments, _)| arguments);
    let is_short = |text: &&str| text.len() <= 20 && !text.contains(['(', '"']);
    let arguments = arguments.filter(is_short).unwrap_or("..");
    Some(format!("it is made by a function: `{class}::new({arguments})?`"))
}

/// A variant of an enum by the name that the driver's header gives it.
fn variant(text: &str) -> Option<String> {
    let mut quoted = text.split('`').skip(1).step_by(2);
    let (variant, of) = (quoted.next()?, quoted.next()?.rsplit("::").next()?);
    let is_of_prelude = text.contains("found for enum") && names::PRELUDE.contains(&of);
    let is_screaming = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_';
    if !is_of_prelude || !variant.chars().all(is_screaming) {
        return None;
    }
    let variant = camel_case(variant.strip_prefix("CU_DEVICE_ATTRIBUTE_").unwrap_or(variant));
    Some(if store::has_word(&variant) {
        format!("variants are written in camel case: `{of}::{variant}`")
    } else {
        format!("variants of `{of}` are written in camel case, and it has no `{variant}`")
    })
}

/// `MAX_THREADS_PER_BLOCK` as `MaxThreadsPerBlock`.
fn camel_case(name: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_owned() + &rest.to_ascii_lowercase()
    };
    name.split('_').map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_header_become_variants() {
        let of = |name: &str| {
            variant(&format!("no variant or associated item named `{name}` found for enum `DeviceAttribute`"))
        };
        for (name, advice) in [
            ("MAX_THREADS_PER_BLOCK", "`DeviceAttribute::MaxThreadsPerBlock`"),
            ("CU_DEVICE_ATTRIBUTE_WARP_SIZE", "`DeviceAttribute::WarpSize`"),
            ("GLOBAL_L1_CACHE_SUPPORTED", "`DeviceAttribute::GlobalL1CacheSupported`"),
            ("MAX_COFFEE", "it has no `MaxCoffee`"),
        ] {
            assert!(of(name).unwrap().contains(advice), "{name}: {:?}", of(name));
        }
        assert_eq!(of("MaxTreadsPerBlock"), None);
        assert_eq!(variant("no variant named `RED` found for enum `Colour`"), None);
    }

    #[test]
    fn every_attribute_of_the_header_is_found() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../prelude/device/src/attributes.rs");
        let text = std::fs::read_to_string(path).unwrap();
        let attributes: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>())
            .filter(|words| words.len() == 3 && words[1].starts_with("CU_DEVICE_ATTRIBUTE_"))
            .collect();
        assert!(attributes.len() > 100, "{}", attributes.len());
        for words in attributes {
            let advice = variant(&format!("named `{}` found for enum `DeviceAttribute`", words[1]));
            assert!(advice.unwrap().contains(&format!("`DeviceAttribute::{}`", words[0])), "{words:?}");
        }
    }
}
