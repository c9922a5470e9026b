//! Code in the pages. A block of `rust` is a cell, or several between lines
//! `// %%`; the blocks of a page are one session. A block of `text` directly
//! below is what the cells show. `rust,should_panic` fails, with the message
//! below it; `rust,ignore` does not stand for itself, and is not run.

use gpurepl_tests::{Finished, gpurepl, is_on_host};

use crate::ignored::{NEEDS_HOST, ignored, missing};

use super::{Block, Page, pages};

/// Ends what the cells of a block have shown, on a line of its own.
const END: &str = "-- end of block --\n";

#[test]
fn examples_of_the_pages_run_and_show_what_stands_below_them() {
    let pages = pages();
    let pages = pages.iter().filter(|page| !is_about_petsc(page));
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = pages.map(|page| scope.spawn(|| check(page))).collect();
        running.into_iter().flat_map(|page| page.join().expect("a page is checked")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Its examples need PETSc, and lend the memory of the host to arrays.
fn is_about_petsc(page: &Page) -> bool {
    page.path.ends_with("petsc.md")
}

#[test]
fn examples_of_the_page_about_petsc_run_and_show_what_stands_below_them() {
    if std::env::var_os("GPUREPL_TEST_PETSC").is_none_or(|value| value.is_empty()) {
        return missing("PETSc", "GPUREPL_TEST_PETSC");
    }
    if !is_on_host() {
        return ignored(NEEDS_HOST);
    }
    let pages = pages();
    let page = pages.iter().find(|page| is_about_petsc(page)).expect("there is a page about PETSc");
    let wrong = check(page);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What is wrong with a page's examples.
fn check(page: &Page) -> Vec<String> {
    let blocks = page.blocks();
    let mut wrong = check_passing(page, &blocks);
    for (k, block) in blocks.iter().enumerate().filter(|(_, block)| block.kind == "rust,should_panic") {
        let mut cells: Vec<String> = Vec::new();
        for before in blocks[..k].iter().filter(|block| block.kind == "rust") {
            cells.extend(self::cells(&before.text));
        }
        cells.push(block.text.clone());
        let finished = run(&cells);
        let place = format!("{}: an example that should fail:\n{}", page.path.display(), block.text);
        if finished.status != Some(1) {
            wrong.push(format!("{place}it ended with {:?}\n{}", finished.status, finished.stdout));
            continue;
        }
        // Which cell it is depends on the reader's session.
        let said = shown_below(&blocks, k).unwrap_or_default();
        let mut lines = said.lines().filter(|line| !line.contains("-->"));
        if let Some(line) = lines.find(|line| !finished.stderr.contains(line)) {
            wrong.push(format!("{place}the message has no line `{line}`:\n{}", finished.stderr));
        }
    }
    wrong
}

fn check_passing(page: &Page, blocks: &[Block<'_>]) -> Vec<String> {
    let passing: Vec<usize> = (0..blocks.len()).filter(|k| blocks[*k].kind == "rust").collect();
    if passing.is_empty() {
        return Vec::new();
    }
    let mut cells = Vec::new();
    for k in &passing {
        cells.extend(self::cells(&blocks[*k].text));
        cells.push(format!("print!({END:?});"));
    }
    let finished = run(&cells);
    let mut shown = finished.stdout.split(END);
    let mut wrong = Vec::new();
    for k in passing {
        let place = format!("{}: an example:\n{}", page.path.display(), blocks[k].text);
        let shown = shown.next().unwrap_or_default().trim_end();
        match shown_below(blocks, k) {
            Some(said) if said.trim_end() != shown => {
                wrong.push(format!("{place}the page shows\n{said}and the program\n{shown}"));
            }
            _ => {}
        }
    }
    if finished.status != Some(0) {
        wrong.push(format!("{}: its examples fail:\n{}", page.path.display(), finished.stderr));
    }
    wrong
}

/// The text that stands below a block as what it shows.
fn shown_below<'a>(blocks: &'a [Block<'_>], k: usize) -> Option<&'a str> {
    let next = blocks.get(k + 1)?;
    (next.kind == "text" && next.follows_directly).then_some(next.text.as_str())
}

/// The cells of a block.
fn cells(text: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    for line in text.lines() {
        if line.starts_with("// %%") {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            cell.push_str(line);
            cell.push('\n');
        }
    }
    cells.retain(|cell| !cell.trim().is_empty());
    cells
}

fn run(cells: &[String]) -> Finished {
    let arguments: Vec<&str> = cells.iter().flat_map(|cell| ["-e", cell]).collect();
    Finished::of(&mut gpurepl(&arguments))
}
