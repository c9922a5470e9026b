//! Writes the chapters as pages of the book, with the outputs that their notebooks hold, and prints their lines of its
//! table of contents.
//!
//!     cargo run -p gpurepl-book --bin chapters -- FOLDER

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn main() {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("chapters FOLDER"));
    fs::create_dir_all(&folder).expect("the folder is made");
    let notebooks = Path::new(env!("CARGO_MANIFEST_DIR"));
    for chapter in gpurepl_book::chapters() {
        let path = notebooks.join(format!("{}.ipynb", chapter.name()));
        let text = fs::read_to_string(&path).expect("a chapter is read");
        let notebook: Value = serde_json::from_str(&text).expect("a chapter is JSON");
        let page = page(&notebook, chapter.name(), &folder);
        fs::write(folder.join(format!("{}.md", chapter.name())), page).expect("a page is written");
        println!("- [{}](chapters/{}.md)", chapter.title(), chapter.name());
    }
}

fn page(notebook: &Value, name: &str, folder: &Path) -> String {
    let mut page = String::new();
    let mut pictures = 0;
    for cell in notebook["cells"].as_array().into_iter().flatten() {
        let source = text(&cell["source"]);
        if cell["cell_type"] == "markdown" {
            let _ = write!(page, "{}\n\n", linked(&source));
            continue;
        }
        let has = |tag: &str| {
            cell["metadata"]["tags"].as_array().is_some_and(|tags| tags.iter().any(|own| own == tag))
        };
        // What makes sure that the chapter is right is no part of it.
        if has("check") {
            continue;
        }
        let is_solution = has("solution");
        if is_solution {
            page.push_str("<details><summary>A solution</summary>\n\n");
        }
        let _ = write!(page, "```rust\n{}\n```\n\n", source.trim_end());
        for output in cell["outputs"].as_array().into_iter().flatten() {
            let data = &output["data"];
            if data["image/svg+xml"].is_null() && data["image/png"].is_null() {
                let plain =
                    if output["text"].is_null() { text(&data["text/plain"]) } else { text(&output["text"]) };
                let plain = without_colours(&plain);
                if !plain.trim().is_empty() {
                    let _ = write!(page, "```text\n{}\n```\n\n", plain.trim_end());
                }
                continue;
            }
            pictures += 1;
            let file = if data["image/svg+xml"].is_null() {
                // A browser reads it where it stands.
                format!("data:image/png;base64,{}", text(&data["image/png"]).replace('\n', ""))
            } else {
                let file = format!("{name}-{pictures}.svg");
                fs::write(folder.join(&file), text(&data["image/svg+xml"])).expect("a picture is written");
                file
            };
            let _ = write!(page, "![]({file})\n\n");
        }
        if is_solution {
            page.push_str("</details>\n\n");
        }
    }
    page
}

/// A text, or its lines.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// Links to chapters and pages, as the book has them.
fn linked(text: &str) -> String {
    text.replace("](../docs/", "](../").replace(".ipynb)", ".md)").replace(".ipynb#", ".md#")
}

/// A text without the codes by which terminals colour it.
fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        rest = rest[at..].find('m').map_or("", |end| &rest[at + end + 1..]);
    }
    plain + rest
}
