//! A player: a picture, a button, and a slider, in a few lines of HTML.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Animation, addresses};
use crate::error::Result;

/// What the player does. It stops once it is no longer in its page.
const SCRIPT: &str = include_str!("player.js");

/// A name that no other player of a page has: of this process or of one before it.
fn name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64);
    format!("gpurepl-animation-{since:x}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The player. Where scripts are not allowed, the first picture stays.
pub(super) fn html(animation: &Animation) -> Result<String> {
    let (name, addresses) = (name(), addresses(animation)?);
    let (width, height) = animation.frames[0].seen;
    let last = animation.frames.len() - 1;
    let list = addresses.iter().map(|address| format!("\"{address}\"")).collect::<Vec<_>>().join(",\n");
    let delay = (1000.0 / animation.pace().rate).round();
    let repeats = animation.pace().is_endless;
    Ok(format!(
        "<div id=\"{name}\" style=\"display:inline-block;max-width:100%\">\
         <img src=\"{first}\" width=\"{width}\" height=\"{height}\" alt=\"an animation of {count} frames\" \
         style=\"max-width:100%;height:auto;display:block\">\
         <div style=\"display:flex;gap:8px;align-items:center;max-width:{width}px\">\
         <button type=\"button\" aria-label=\"pause\" title=\"play or pause\">\u{23f8}</button>\
         <input type=\"range\" min=\"0\" max=\"{last}\" value=\"0\" aria-label=\"frame\" style=\"flex:1\">\
         <output style=\"font:12px sans-serif;min-width:5em;text-align:right\">1 / {count}</output></div></div>\n\
         <script>(function () {{\nconst frames = [{list}];\nconst delay = {delay}, repeats = {repeats};\n\
         const before = document.currentScript && document.currentScript.previousElementSibling;\n\
         const root = before && before.id === \"{name}\" ? before : document.getElementById(\"{name}\");\n{SCRIPT}}})();</script>",
        first = addresses[0],
        count = animation.frames.len(),
    ))
}

/// A whole page with the player.
pub(super) fn page(animation: &Animation) -> Result<String> {
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Animation</title></head>\n\
         <body>\n{}\n</body>\n</html>\n",
        html(animation)?
    ))
}
