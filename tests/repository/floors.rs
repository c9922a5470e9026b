//! No circle of imports crosses a folder.
//!
//! The folders and files at the top of a crate are its rooms, and so are the
//! folders that lie side by side in a folder. Rooms may use each other in one
//! direction only. Files of one folder may use each other as they like, and a
//! folder and the files that it is among are one subject. A crate of one
//! subject has such files at its top. Between crates, cargo keeps the order.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::imports::{Arrow, arrows};

/// Arrows that are shown for each pair of rooms.
const SHOWN: usize = 5;

#[test]
fn no_circle_crosses_a_folder_of_the_prelude() {
    for folder in [
        "prelude",
        "prelude/arrays",
        "prelude/board",
        "prelude/extend",
        "prelude/ground",
        "prelude/plugin",
        "prelude/wire",
    ] {
        check(&format!("{folder}/src/lib.rs"), true);
    }
    for folder in ["prelude/device", "prelude/display", "prelude/native", "prelude/plot"] {
        check(&format!("{folder}/src/lib.rs"), false);
    }
}

#[test]
fn no_circle_crosses_a_folder_of_the_session() {
    check("session/src/lib.rs", true);
}

#[test]
fn no_circle_crosses_a_folder_of_the_jupyter_kernel() {
    check("jupyter/src/main.rs", true);
}

#[test]
fn no_circle_crosses_a_folder_of_the_kernels_text() {
    check("kernels/src/lib.rs", true);
}

#[test]
fn a_circle_is_named_by_its_arrows() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    // `above` uses `below` by a re-export, and `below` calls back in a macro.
    write("lib.rs", "mod above; mod below; mod beside;\npub use below::deep::Thing;\n");
    write("above.rs", "use crate::Thing;\npub fn call(_: Thing) {}\n");
    write("below/mod.rs", "pub mod deep;\n");
    write("below/deep.rs", "pub struct Thing;\nfn f() { println!(\"{:?}\", crate::above::call(Thing)); }\n");
    // Tests and documentation may name anything.
    write(
        "beside.rs",
        "//! [`crate::above::call`]\n#[cfg(test)]\nmod tests { use crate::above::call; fn t() { call(crate::Thing); } }\n",
    );
    let found = circles(&folder.path().join("lib.rs"), true);
    assert_eq!(found.len(), 1, "{found:?}");
    for line in ["above -> below", "above.rs:2 Thing, of below/deep.rs", "below -> above"] {
        assert!(found[0].contains(line), "{line} is not in:\n{}", found[0]);
    }
    assert!(found[0].contains("below/deep.rs:2 crate::above::call, of above.rs"), "{}", found[0]);

    write("below/deep.rs", "pub struct Thing;\n");
    assert_eq!(circles(&folder.path().join("lib.rs"), true), Vec::<String>::new());
}

/// It took longer than a day: each of the globs was looked for behind all others,
/// twelve times over.
#[test]
fn globs_of_names_that_macros_make_were_followed_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut text =
        "macro_rules! make { ($($name:ident)*) => { $(pub enum $name { A })* }; }\nmake! { One Two }\n"
            .to_owned();
    for function in 0..40 {
        text += &format!("fn f{function}() {{ use One::*; use Two::*; use Three::*; nowhere(); Thing; }}\n");
    }
    std::fs::write(folder.path().join("lib.rs"), "mod a; mod b;\n").unwrap();
    std::fs::write(folder.path().join("a.rs"), text + "use crate::b::*;\n").unwrap();
    std::fs::write(folder.path().join("b.rs"), "pub struct Thing;\nfn g() { crate::a::f0(); }\n").unwrap();
    let found = circles(&folder.path().join("lib.rs"), true);
    assert!(found.len() == 1 && found[0].contains("Thing, of b.rs"), "{found:?}");
}

#[track_caller]
fn check(root: &str, files_are_rooms: bool) {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let circles = circles(&repository.join(root), files_are_rooms);
    assert!(circles.is_empty(), "circles of imports cross folders below {root}:\n\n{}", circles.join("\n"));
}

/// Each circle among rooms, as the arrows that it is made of.
fn circles(root: &Path, files_are_rooms: bool) -> Vec<String> {
    let arrows = arrows(root);
    let files = arrows.iter().flat_map(|arrow| [&arrow.from, &arrow.to]);
    let folders: BTreeSet<&str> = files.flat_map(|file| folders_of(file)).collect();
    let mut circles = among(&arrows, |file| room_of(file).filter(|_| files_are_rooms || file.contains('/')));
    for folder in folders {
        circles.extend(among(&arrows, |file| {
            // The folder in this one that a file is in.
            let (inner, _) = file.strip_prefix(folder)?.strip_prefix('/')?.split_once('/')?;
            Some(format!("{folder}/{inner}"))
        }));
    }
    circles
}

/// The folders that a file is in, from the outermost.
fn folders_of(file: &str) -> impl Iterator<Item = &str> {
    file.match_indices('/').map(|(end, _)| &file[..end])
}

/// The room at the top that a file belongs to; none for the root itself.
fn room_of(file: &str) -> Option<String> {
    let room = file.split('/').next()?;
    let room = room.strip_suffix(".rs").unwrap_or(room);
    (!["lib", "main"].contains(&room)).then(|| room.to_owned())
}

/// The circles among the rooms that files belong to.
fn among(arrows: &BTreeSet<Arrow>, room: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut between: BTreeMap<(String, String), Vec<&Arrow>> = BTreeMap::new();
    for arrow in arrows {
        if let (Some(from), Some(to)) = (room(&arrow.from), room(&arrow.to))
            && from != to
        {
            between.entry((from, to)).or_default().push(arrow);
        }
    }
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, _) in between.keys() {
        let mut seen = BTreeSet::new();
        let mut open = vec![from.as_str()];
        while let Some(room) = open.pop() {
            let next = between.keys().filter(|(from, _)| from == room).map(|(_, to)| to.as_str());
            open.extend(next.filter(|to| seen.insert(*to)));
        }
        reached.insert(from, seen);
    }
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|seen| seen.contains(to));
    // Rooms that reach each other are one circle.
    let mut circles = BTreeMap::<&str, String>::new();
    for ((from, to), arrows) in between.iter().filter(|((from, to), _)| reaches(to, from)) {
        let first = reached.keys().find(|room| reaches(room, from) && reaches(from, room)).unwrap_or(&"");
        let text = circles.entry(first).or_default();
        let _ = writeln!(text, "{from} -> {to}: {} names", arrows.len());
        for Arrow { from, to, path, line } in arrows.iter().take(SHOWN) {
            let _ = writeln!(text, "    {from}:{line} {path}, of {to}");
        }
    }
    circles.into_values().collect()
}
