//! Pages of the documentation, and how they are searched.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::packed::PAGES;

/// A part of a page, beneath a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The page's file: `arrays.md`.
    pub page: &'static str,
    /// The page's title.
    pub title: String,
    /// The heading; the page's title for what comes first.
    pub heading: String,
    /// How deep it is: 1 for the page's title.
    pub level: usize,
    /// What stands beneath it, up to the next heading, in Markdown.
    pub text: &'static str,
}

/// All pages: the name of each file, and its text.
pub fn pages() -> &'static [(&'static str, &'static str)] {
    PAGES
}

/// The sections that have to do with some words, the best first.
///
/// A section counts by its heading most, then by its page's title, then by its text; a section that lacks one of the
/// words counts as nothing.
///
/// ```
/// let found = gpurepl_book::search("broadcasting");
/// assert_eq!(found[0].page, "arrays.md");
/// assert!(gpurepl_book::search("xyzzy plugh").is_empty());
/// ```
pub fn search(words: &str) -> Vec<Section> {
    let words: Vec<String> = words.split_whitespace().map(stem).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(usize, Section)> = PAGES
        .iter()
        .flat_map(|(page, text)| sections(page, text))
        .filter_map(|section| Some((weight(&section, &words)?, section)))
        .collect();
    // The sort keeps the order of pages among equals.
    found.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    found.into_iter().map(|(_, section)| section).collect()
}

/// A word as it is compared: without its ending, so that `broadcasts` finds `broadcasting`.
fn stem(word: &str) -> String {
    let word: String =
        word.to_lowercase().chars().filter(|each| each.is_alphanumeric() || "_-+:".contains(*each)).collect();
    for ending in ["ing", "es", "ed", "s"] {
        if let Some(rest) = word.strip_suffix(ending).filter(|rest| rest.chars().count() >= 4) {
            // `plotting` is of `plot`.
            let mut last = rest.chars().rev();
            let is_doubled =
                ending == "ing" && rest.is_ascii() && last.next() == last.next() && rest.len() > 4;
            return if is_doubled { rest[..rest.len() - 1].to_owned() } else { rest.to_owned() };
        }
    }
    word
}

fn weight(section: &Section, words: &[String]) -> Option<usize> {
    // Tables of names after guides, pages about the project itself last.
    let importance = match section.page {
        "decisions.md" | "index-of-the-code.md" | "upstream.md" | "gpu-results.md" => 1,
        // Examples use what other pages are about.
        page if page.starts_with("gallery-") => 1,
        "names.md" | "library-names.md" | "driver.md" | "engines.md" | "performance.md" => 2,
        // Who asks for NumPy comes from there.
        page if page.starts_with("coming-from") => {
            let title = section.title.to_lowercase();
            if words.iter().all(|word| title.contains(word.as_str())) { 10 } else { 2 }
        }
        _ => 8,
    };
    // `ElementwiseKernel` is told beneath "Elementwise kernels".
    let squeezed = |text: &str| text.split(|each: char| !each.is_alphanumeric()).collect::<String>();
    let (heading, title, text) =
        (section.heading.to_lowercase(), section.title.to_lowercase(), section.text.to_lowercase());
    let mut sum = 0;
    for word in words {
        let in_text = text.matches(word.as_str()).count();
        // What a short section says often it is about.
        let density = (1000 * in_text / (text.len() + 200)).min(40);
        let is_in = |text: &str| text.contains(word.as_str()) || squeezed(text).contains(word.as_str());
        let weight = 100 * usize::from(is_in(&heading))
            + 40 * usize::from(is_in(&title))
            + 4 * in_text.min(5)
            + density;
        if weight == 0 {
            return None;
        }
        sum += weight;
    }
    Some(sum * importance)
}

/// Where a section begins: how deep it is, its heading, where that begins, and where its text does.
type Beginning = (HeadingLevel, String, usize, usize);

/// The sections of a page. A paragraph that begins with a few words in bold, **Like these.**, begins one too.
fn sections(page: &'static str, text: &'static str) -> Vec<Section> {
    let beginnings = beginnings(text);
    let title = beginnings.first().map_or(String::new(), |(_, heading, ..)| heading.clone());
    let ends = beginnings.iter().skip(1).map(|(_, _, start, _)| *start).chain([text.len()]);
    let section = |((level, heading, _, begin), end): (&Beginning, usize)| Section {
        page,
        title: title.clone(),
        heading: heading.clone(),
        level: *level as usize,
        text: text[*begin..end].trim(),
    };
    beginnings.iter().zip(ends).map(section).collect()
}

fn beginnings(text: &str) -> Vec<Beginning> {
    let mut beginnings: Vec<Beginning> = Vec::new();
    let mut open: Option<Beginning> = None;
    let mut paragraph = None;
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph) => {
                paragraph = Some(range.start);
                continue;
            }
            Event::Start(Tag::Heading { level, .. }) => open = Some((level, String::new(), range.start, 0)),
            Event::Start(Tag::Strong) => {
                if let Some(start) = paragraph.filter(|_| !beginnings.is_empty()) {
                    open = Some((HeadingLevel::H6, String::new(), start, start));
                }
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some((_, words, ..)) = &mut open {
                    words.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                beginnings
                    .extend(open.take().map(|(level, words, start, _)| (level, words, start, range.end)));
            }
            Event::End(TagEnd::Strong) => {
                let begun = open.take().filter(|(_, words, ..)| words.ends_with('.'));
                beginnings.extend(begun.map(|(level, words, start, begin)| {
                    (level, words.trim_end_matches('.').to_owned(), start, begin)
                }));
            }
            _ => {}
        }
        paragraph = None;
    }
    beginnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_look_for_is_found_where_it_is_told() {
        for (words, page) in [
            ("broadcasting", "arrays.md"),
            ("plotting", "plots.md"),
            ("numpy", "coming-from-numpy.md"),
            ("slices", "arrays.md"),
            ("ElementwiseKernel", "kernels.md"),
            ("recovery", "recovery.md"),
            ("sliders", "jupyter.md"),
            ("ssh", "workers.md"),
            ("matrix market", "sparse.md"),
            ("subplots", "plots.md"),
            ("shared memory in Rust", "rust-kernels.md"),
        ] {
            let found = search(words);
            assert!(
                found.iter().take(3).any(|section| section.page == page),
                "{words}: {:?}",
                found.iter().take(3).map(|section| (section.page, &section.heading)).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn words_in_bold_before_a_paragraph_begin_a_section() {
        let found = search("broadcasting");
        assert_eq!(found[0].heading, "Broadcasting");
        assert!(found[0].text.starts_with("**Broadcasting.**"), "{}", found[0].text);
    }

    #[test]
    fn a_page_is_the_sum_of_its_sections() {
        for (page, text) in pages() {
            let sections = sections(page, text);
            assert!(!sections.is_empty() && sections[0].level == 1, "{page}");
            assert!(sections.iter().all(|section| !section.heading.is_empty()), "{page}");
        }
    }
}
