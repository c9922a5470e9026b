//! The values of a cell on several workers, shown as one.

use std::fmt::Write as _;

use gpurepl_wire::MimeBundle;

use super::agreement::behind;
use crate::ranks::written;

/// Texts of this many characters or fewer, of one line, are shown for all ranks.
const SHORT: usize = 80;

/// Values that differ, at most, that are shown in a list.
const MOST: usize = 8;

/// The values of a cell, by rank; none if nobody has shown one. Equal ones are one.
pub(super) fn together(values: &[(usize, MimeBundle)], ranks: usize) -> Option<MimeBundle> {
    let (_, first) = values.first()?;
    let mut groups: Vec<(&MimeBundle, Vec<usize>)> = Vec::new();
    for (rank, value) in values {
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, ranks)) => ranks.push(*rank),
            None => groups.push((value, vec![*rank])),
        }
    }
    if let [_] = groups[..] {
        return Some(first.clone());
    }
    let text = |value: &MimeBundle| value.get("text/plain").unwrap_or_default().to_owned();
    let is_short = |(value, _): &(&MimeBundle, Vec<usize>)| {
        let text = text(value);
        text.lines().count() <= 1 && text.chars().count() <= SHORT
    };
    let texts = if groups.len() <= MOST && groups.iter().all(is_short) {
        let lines: Vec<String> =
            groups.iter().map(|(value, ranks)| behind(&written(ranks), &text(value))).collect();
        lines.join("\n")
    } else {
        let (value, of) = &groups[0];
        let other = groups[1].1[0];
        format!(
            "{}\n{} values on {ranks} workers; `:rank {other}` shows another",
            behind(&written(of), &text(value)),
            groups.len()
        )
    };
    Some(MimeBundle::text(texts).with("text/html", cards(&groups)))
}

/// A card for each value; the first one is open.
fn cards(groups: &[(&MimeBundle, Vec<usize>)]) -> String {
    let mut html = "<div style=\"display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start\">".to_owned();
    for (number, (value, ranks)) in groups.iter().enumerate() {
        let open = if number == 0 { " open" } else { "" };
        let plural = if ranks.len() == 1 { "" } else { "s" };
        let _ = write!(
            html,
            "<details{open}><summary>rank{plural} {}</summary>{}</details>",
            written(ranks),
            card(value)
        );
    }
    html.push_str("</div>");
    html
}

/// A value as HTML, by the richest of its forms.
fn card(value: &MimeBundle) -> String {
    if let Some(html) = value.get("text/html") {
        return html.to_owned();
    }
    if let Some(svg) = value.get("image/svg+xml") {
        return svg.to_owned();
    }
    if let Some(png) = value.get("image/png") {
        return format!("<img src=\"data:image/png;base64,{}\">", png.trim());
    }
    let text = value.get("text/plain").unwrap_or_default();
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<pre>{escaped}</pre>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(texts: &[&str]) -> Vec<(usize, MimeBundle)> {
        texts.iter().map(|text| MimeBundle::text(*text)).enumerate().collect()
    }

    fn plain(texts: &[&str]) -> String {
        together(&values(texts), texts.len()).unwrap().get("text/plain").unwrap().to_owned()
    }

    #[test]
    fn equal_values_are_one() {
        assert_eq!(together(&values(&["7", "7"]), 2), Some(MimeBundle::text("7")));
        assert_eq!(together(&[], 2), None);
    }

    #[test]
    fn short_values_are_listed_by_rank() {
        assert_eq!(plain(&["0", "1", "1", "1"]), "[0] 0\n[1..=3] 1");
    }

    #[test]
    fn of_long_values_the_first_is_shown_and_the_way_to_others() {
        let long = plain(&["a\nb", "a\nb", "c\nd"]);
        assert_eq!(long, "[0,1]\na\nb\n2 values on 3 workers; `:rank 2` shows another");
        let many: Vec<String> = (0..20).map(|rank| rank.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(plain(&many), "[0] 0\n20 values on 20 workers; `:rank 1` shows another");
    }

    #[test]
    fn a_notebook_shows_a_card_for_each_value() {
        let bundle = together(&values(&["<0>", "1"]), 2).unwrap();
        let html = bundle.get("text/html").unwrap();
        assert!(
            html.contains("<details open><summary>rank 0</summary><pre>&lt;0&gt;</pre></details>"),
            "{html}"
        );
        assert!(html.contains("<details><summary>rank 1</summary><pre>1</pre></details>"), "{html}");
    }
}
