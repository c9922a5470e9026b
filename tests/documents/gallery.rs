//! The gallery: each figure of its pages is the picture that stands below its code.
//! `UPDATE_EXPECT=1` writes the pictures anew.

use std::fmt::Write as _;
use std::path::PathBuf;

use expect_test::expect_file;
use gpurepl_tests::{Finished, checkout, gpurepl, is_on_host};

use super::{Page, pages};

/// An example: its code, and the file that its picture is in.
struct Example {
    code: String,
    file: PathBuf,
}

/// The examples of a page of the gallery: each block of Rust has a picture right below.
fn examples(page: &Page) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut code: Option<String> = None;
    let mut is_inside = false;
    for line in page.text.lines() {
        match line {
            "```rust" => (is_inside, code) = (true, Some(String::new())),
            "```" => is_inside = false,
            _ if is_inside => {
                if let Some(code) = &mut code {
                    let _ = writeln!(code, "{line}");
                }
            }
            _ if line.starts_with("![") => {
                let file = line.rsplit_once("](").and_then(|(_, rest)| rest.strip_suffix(')'));
                let file = file.unwrap_or_else(|| panic!("{}: {line}", page.path.display()));
                let code = code
                    .take()
                    .unwrap_or_else(|| panic!("{}: a picture without code: {line}", page.path.display()));
                examples.push(Example { code, file: page.path.with_file_name("").join(file) });
            }
            _ => {}
        }
    }
    assert!(code.is_none(), "{}: code without a picture", page.path.display());
    examples
}

#[test]
fn the_pictures_of_the_gallery_are_those_of_their_code() {
    let pages = pages();
    let pages: Vec<&Page> =
        pages.iter().filter(|page| page.path.to_string_lossy().contains("gallery-")).collect();
    let all: Vec<Example> = pages.iter().flat_map(|page| examples(page)).collect();
    assert!(all.len() >= 50, "the gallery has {} figures", all.len());
    let folder = tempfile::tempdir().expect("a folder");
    let cells: Vec<String> = all
        .iter()
        .enumerate()
        .map(|(number, example)| {
            let path = folder.path().join(format!("{number}.svg"));
            // The picture that a notebook shows, of whatever the value is.
            format!(
                "let shown = {{\n{}\n}};\nlet picture = Render::render(&shown).get(\"image/svg+xml\").unwrap_or_default().to_owned();\n\
                 std::fs::write({path:?}, picture)?;",
                example.code
            )
        })
        .collect();
    let arguments: Vec<&str> = cells.iter().flat_map(|cell| ["-e", cell]).collect();
    let finished = Finished::of(&mut gpurepl(&arguments));
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    for (number, example) in all.iter().enumerate() {
        let picture = std::fs::read_to_string(folder.path().join(format!("{number}.svg")));
        let picture = picture.unwrap_or_else(|error| panic!("{}: {error}", example.file.display()));
        assert!(picture.starts_with("<svg"), "{}: no picture", example.code);
        let file = checkout().join(&example.file);
        if is_on_host() {
            expect_file![file].assert_eq(&picture);
        } else {
            // The last digits of a GPU's own functions are others, and with them ends of lines.
            let kept = std::fs::read_to_string(&file).expect("a picture of the gallery");
            assert_eq!(words(&picture), words(&kept), "{}", file.display());
        }
    }
}

/// What is written in a picture.
fn words(svg: &str) -> Vec<&str> {
    let texts = svg.split("<text ").skip(1).filter_map(|text| text.split_once('>')?.1.split_once("</text>"));
    texts.map(|(text, _)| text).collect()
}
