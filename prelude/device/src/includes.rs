//! The files that a source includes: a compiled kernel depends on what they
//! hold, and what they hold may change while their names stay.
//!
//! Lines that include something are found by their words alone, also where the
//! preprocessor would leave them out: a file too many costs a compilation, one
//! too few would bring back a kernel that has changed.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use hmac_sha256::Hash;

/// Where a compiler looks for files.
#[derive(Default)]
pub(crate) struct Search {
    /// For `"name"`, before all others.
    pub(crate) quoted: Vec<PathBuf>,
    /// The folders that the user names.
    pub(crate) named: Vec<PathBuf>,
    /// Those of a toolkit, which come last.
    pub(crate) toolkit: Vec<PathBuf>,
    /// Files that are included before the source.
    pub(crate) before: Vec<String>,
}

/// The headers of the user's own, for a preprocessor that wants their macros.
#[doc(hidden)]
pub struct UserHeaders {
    search: Search,
    /// The folders of headers that have been read, where others are searched
    /// that these include.
    beside: RefCell<Vec<PathBuf>>,
}

/// A larger header is not a user's own.
const LARGEST_HEADER: u64 = 1 << 20;

impl UserHeaders {
    /// Those in the folders that a compiler's options name.
    pub fn new(options: &[String]) -> UserHeaders {
        let search = Search::from_options(options).unwrap_or_default();
        UserHeaders { search, beside: RefCell::default() }
    }

    /// The text of a header; none for what is not found, or is a toolkit's.
    pub fn text(&self, name: &str, is_quoted: bool) -> Option<String> {
        let include = Include { name: name.to_owned(), is_quoted, is_next: false };
        let beside = self.beside.borrow();
        let around = beside.iter().rev().map(|folder| Some(folder.as_path())).chain([None]);
        let path = around.flat_map(|folder| self.search.find(&include, folder)).next()?.0;
        drop(beside);
        if fs::metadata(&path).ok()?.len() > LARGEST_HEADER {
            return None;
        }
        self.beside.borrow_mut().extend(path.parent().map(Path::to_owned));
        fs::read(&path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// All files that a source reads.
pub(crate) struct Closure {
    /// A hash of their paths and contents; empty where there are none.
    pub(crate) digest: Vec<u8>,
    pub(crate) files: usize,
    /// Whether some of them are a toolkit's.
    pub(crate) has_toolkit: bool,
}

/// One `#include`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Include {
    name: String,
    is_quoted: bool,
    /// `#include_next`: any file of this name may be meant.
    is_next: bool,
}

/// A file that has been read, as it was then.
struct Known {
    modified: SystemTime,
    bytes: u64,
    file: Arc<File>,
}

struct File {
    hash: [u8; 32],
    /// None if an `#include` names its file by a macro.
    includes: Option<Vec<Include>>,
}

impl Search {
    /// The folders and files that a compiler's options name; none if they say
    /// something about files that is not understood here.
    pub(crate) fn from_options(options: &[String]) -> Option<Search> {
        let mut search = Search::default();
        let mut options = options.iter();
        while let Some(option) = options.next() {
            let mut value = |rest: &str| match rest.trim_start_matches('=') {
                "" => options.next().cloned(),
                given => Some(given.to_owned()),
            };
            let folders = [
                ("--include-path", false),
                ("-iquote", true),
                ("-isystem", false),
                ("-idirafter", false),
                ("-I", false),
            ];
            let files = ["--pre-include", "--include", "-include", "-imacros"];
            if let Some((start, is_quoted)) = folders.iter().find(|(start, _)| option.starts_with(start)) {
                let folder = PathBuf::from(value(&option[start.len()..])?);
                if *is_quoted { search.quoted.push(folder) } else { search.named.push(folder) }
            } else if let Some(start) = files.iter().find(|start| option.starts_with(**start)) {
                search.before.push(value(&option[start.len()..])?);
            } else if option.starts_with("-i") || option.starts_with('@') {
                return None;
            }
        }
        Some(search)
    }

    /// The files that an `#include` in a file of this folder may mean: the
    /// first, or all for `#include_next`.
    fn find(&self, include: &Include, folder: Option<&Path>) -> Vec<(PathBuf, bool)> {
        if Path::new(&include.name).is_absolute() {
            return vec![(PathBuf::from(&include.name), false)];
        }
        let beside = folder.filter(|_| include.is_quoted).into_iter();
        let quoted = self.quoted.iter().filter(|_| include.is_quoted).map(PathBuf::as_path);
        let named = self.named.iter().map(PathBuf::as_path);
        let own = beside.chain(quoted).chain(named).map(|folder| (folder, false));
        let all = own.chain(self.toolkit.iter().map(|folder| (folder.as_path(), true)));
        let paths = all.map(|(folder, is_toolkit)| (folder.join(&include.name), is_toolkit));
        let mut found = paths.filter(|(path, _)| path.is_file());
        if include.is_next { found.collect() } else { found.next().into_iter().collect() }
    }
}

/// The files that a text reads which lies in `folder`; none if they cannot be
/// known, because a macro names one.
pub(crate) fn closure(text: &str, folder: Option<&Path>, search: &Search) -> Option<Closure> {
    let mut wanted: Vec<(Include, Option<PathBuf>, bool)> = Vec::new();
    let before =
        search.before.iter().map(|name| Include { name: name.clone(), is_quoted: true, is_next: false });
    for include in before.chain(find(text)?) {
        wanted.push((include, folder.map(Path::to_owned), false));
    }
    let mut closure = Closure { digest: Vec::new(), files: 0, has_toolkit: false };
    let mut hasher = Hash::new();
    let (mut done, mut asked) = (HashSet::new(), HashSet::new());
    while let Some((include, folder, within_toolkit)) = wanted.pop() {
        if !asked.insert((include.clone(), folder.clone().filter(|_| include.is_quoted))) {
            continue;
        }
        for (path, is_toolkit) in search.find(&include, folder.as_deref()) {
            if !done.insert(path.clone()) {
                continue;
            }
            let is_toolkit = is_toolkit || within_toolkit;
            let Some(file) = read(&path) else { continue };
            hasher.update(path.as_os_str().as_encoded_bytes());
            hasher.update([0]);
            hasher.update(file.hash);
            closure.files += 1;
            closure.has_toolkit |= is_toolkit;
            let inner = match &file.includes {
                Some(inner) => inner.as_slice(),
                // A toolkit's macros name files of its own, and a toolkit is
                // replaced as a whole.
                None if is_toolkit => &[],
                None => return None,
            };
            let parent = path.parent().map(Path::to_owned);
            wanted.extend(inner.iter().map(|include| (include.clone(), parent.clone(), is_toolkit)));
        }
    }
    if closure.files > 0 {
        closure.digest = hasher.finalize().to_vec();
    }
    Some(closure)
}

/// The names that a text includes itself.
pub(crate) fn names(text: &str) -> Vec<String> {
    scan(text).0.into_iter().map(|include| include.name).collect()
}

/// A file's hash and what it includes, read again where it has changed.
fn read(path: &Path) -> Option<Arc<File>> {
    static KNOWN: Mutex<Option<HashMap<PathBuf, Known>>> = Mutex::new(None);
    let metadata = fs::metadata(path).ok()?;
    let (modified, bytes) = (metadata.modified().ok()?, metadata.len());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known().as_ref().and_then(|known| known.get(path))
        && (known.modified, known.bytes) == (modified, bytes)
    {
        return Some(Arc::clone(&known.file));
    }
    let contents = fs::read(path).ok()?;
    let file =
        Arc::new(File { hash: Hash::hash(&contents), includes: find(&String::from_utf8_lossy(&contents)) });
    // A file that is written twice within a tick of the clock keeps its time.
    let is_settled = modified.elapsed().is_ok_and(|age| age.as_secs() >= 2);
    if is_settled {
        let kept = Known { modified, bytes, file: Arc::clone(&file) };
        known().get_or_insert_default().insert(path.to_owned(), kept);
    }
    Some(file)
}

/// What a text includes; none if a macro says what.
fn find(text: &str) -> Option<Vec<Include>> {
    let (includes, has_macros) = scan(text);
    (!has_macros).then_some(includes)
}

fn scan(text: &str) -> (Vec<Include>, bool) {
    let text = if text.contains("\\\n") { Cow::Owned(text.replace("\\\n", "")) } else { Cow::Borrowed(text) };
    let (mut includes, mut has_macros) = (Vec::new(), false);
    for line in text.lines() {
        for (at, word) in line.match_indices("include") {
            let (before, rest) = (line[..at].trim_end(), &line[at + word.len()..]);
            let (is_next, rest) = match rest.strip_prefix("_next") {
                Some(rest) => (true, rest),
                None => (false, rest),
            };
            let rest = rest.trim_start();
            // `__has_include(<name>)` asks for a file as well.
            let is_question = before.ends_with("__has_");
            if !(before.ends_with('#') || before.ends_with("%:") || is_question) {
                continue;
            }
            let rest = if is_question { rest.trim_start_matches(['(', ' ', '\t']) } else { rest };
            let end = match rest.chars().next() {
                Some('<') => '>',
                Some('"') => '"',
                // A comment, `#includes`, or a question about a macro.
                Some(c) if !is_question && (c.is_alphabetic() || c == '_') => {
                    has_macros |= line[at + word.len()..].starts_with([' ', '\t', '_']);
                    continue;
                }
                _ => continue,
            };
            if let Some((name, _)) = rest[1..].split_once(end) {
                includes.push(Include { name: name.trim().to_owned(), is_quoted: end == '"', is_next });
            }
        }
    }
    (includes, has_macros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_found_by_their_words() {
        let text = "#include <a.h> // one\n  #  include \"b/c.h\"\n#\\\ninclude <d>\n// include <e>\n\
                    #include_next <f.h>\n#if __has_include(<g.h>)\n/* x */ #include <h.h>\n%:include <i.h>\n";
        let found = find(text).unwrap();
        let names: Vec<&str> = found.iter().map(|include| include.name.as_str()).collect();
        assert_eq!(names, ["a.h", "b/c.h", "d", "f.h", "g.h", "h.h", "i.h"]);
        assert!(found[1].is_quoted && !found[0].is_quoted && found[3].is_next);
        assert_eq!(find("#define A <a.h>\n#include A\n"), None);
        assert_eq!(find("int included = 1; // includes\n"), Some(Vec::new()));
    }

    #[test]
    fn options_name_folders() {
        let options =
            ["-DA=1", "-I/one", "-I", "/two", "--include-path=/three", "-iquote/four", "-include", "x.h"];
        let search = Search::from_options(&options.map(str::to_owned)).unwrap();
        assert_eq!(search.named, ["/one", "/two", "/three"].map(PathBuf::from));
        assert_eq!(search.quoted, [PathBuf::from("/four")]);
        assert_eq!(search.before, ["x.h"]);
        assert!(Search::from_options(&["@options".to_owned()]).is_none());
        assert!(Search::from_options(&["-iprefix=/x".to_owned()]).is_none());
    }

    #[test]
    fn a_closure_changes_with_what_is_read_and_with_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("user/a.h", "#include \"inner/b.h\"\n");
        write("user/inner/b.h", "#define B 1\n");
        write("user/other.h", "#define C 1\n");
        write("toolkit/t.h", "#include NAME\n");
        let search = Search {
            named: vec![folder.path().join("first"), folder.path().join("user")],
            toolkit: vec![folder.path().join("toolkit")],
            ..Search::default()
        };
        let of = |text: &str| closure(text, None, &search).unwrap();
        let text = "#include \"a.h\"\n";
        let before = of(text);
        assert_eq!((before.files, before.has_toolkit), (2, false));
        write("user/other.h", "#define C 2\n");
        assert_eq!(of(text).digest, before.digest);
        write("user/inner/b.h", "#define B 2\n");
        let changed = of(text);
        assert_ne!(changed.digest, before.digest);
        write("user/inner/b.h", "#define B 1\n");
        assert_eq!(of(text).digest, before.digest);
        // A file that comes to lie before another one is read instead of it.
        write("first/a.h", "");
        assert_eq!(of(text).files, 1);
        assert!(of("#include <t.h>\n").has_toolkit);
        assert_eq!(of("int x;").digest, Vec::<u8>::new());
        write("user/macro.h", "#include NAME\n");
        assert!(closure("#include <macro.h>", None, &search).is_none());
    }
}
