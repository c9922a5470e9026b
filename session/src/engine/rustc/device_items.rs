//! Functions that are compiled for a device: `#[kernel]` and `#[device]`.
//!
//! In the cell's crate they are ordinary functions, so that rustc checks them where
//! they stand; the attributes are blanked. Their texts, with those of all that they
//! reach, travel in the cell as literals, and whoever launches one there has them
//! compiled (`prelude/arrays/src/kernel/rust/`).

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

use syn::Item;
use syn::spanned::Spanned as _;

use super::closures::PassedClosure;
use super::crate_text::{Generated, Origin, spelled};
use super::items::{KeptItem, UseLeaf, blank, place, statics_in};
use super::reach::reach;
use super::split::collect_names;

/// The attributes of functions for devices.
const MARKS: [&str; 2] = ["kernel", "device"];

/// Parts of the names of types that change behind a `&`.
const CHANGING: [&str; 6] = ["Atomic", "Cell", "Mutex", "RwLock", "Once", "Lazy"];

/// Where an item's marks stand.
pub(super) fn marks(item: &Item) -> Vec<Range<usize>> {
    let Item::Fn(function) = item else { return Vec::new() };
    let is_mark = |attribute: &&syn::Attribute| matches!(&attribute.meta, syn::Meta::Path(path) if MARKS.iter().any(|mark| path.is_ident(mark)));
    let marks = function.attrs.iter().filter(is_mark);
    marks.map(|attribute| attribute.span().byte_range()).collect()
}

/// What a cell says of functions for devices.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// First, if such functions are among the items that it repeats, or it passes closures:
    /// their texts.
    pub(super) first: Option<String>,
    /// Before each closure, by where it starts.
    pub(super) closures: BTreeMap<usize, String>,
}

/// What is known of a cell's items and names.
pub(super) struct Scope<'a> {
    pub(super) cell: u64,
    pub(super) source: &'a str,
    /// All items of the session, and those that the cell repeats.
    pub(super) all: &'a [KeptItem],
    pub(super) included: &'a [(usize, &'a KeptItem)],
    pub(super) leaves: &'a [UseLeaf],
    /// The name of a cell's text and the number of its first line.
    pub(super) name_of: &'a dyn Fn(u64) -> Option<(String, usize)>,
}

/// What a cell says of functions for devices and of these closures.
pub(super) fn said(scope: &Scope<'_>, closures: &[PassedClosure]) -> Said {
    let mut said = Said::default();
    if closures.is_empty() && !scope.included.iter().any(|(_, item)| item.is_for_devices) {
        return said;
    }
    let mut texts =
        Texts { name_of: scope.name_of, names: Vec::new(), items: Vec::new(), numbers: Vec::new() };
    let mut roots = String::new();
    for (_, item) in scope.included.iter().filter(|(_, item)| item.is_for_devices || item.is_data) {
        let Some((_, own)) = item.key.split_once(':') else { continue };
        let path = match &item.home {
            Some(home) => format!("{home}::{own}"),
            None => own.to_owned(),
        };
        let numbers = texts.reached(scope, HashSet::from([own.to_owned()]));
        let _ = write!(roots, "({path:?}, &{numbers:?}), ");
    }
    for closure in closures {
        let root = format!("closure {} {}", scope.cell, closure.range.start);
        let numbers = texts.reached(scope, closure.names.clone());
        let _ = write!(roots, "({root:?}, &{numbers:?}), ");
        let is_item = |name: &String| {
            scope.all.iter().any(|item| item.key.split_once(':').is_some_and(|(_, own)| own == name))
                || scope.leaves.iter().any(|leaf| leaf.name.as_ref() == Some(name))
        };
        let captured = closure.captures.iter().filter(|name| !is_item(name));
        let captures: String = captured
            .map(|name| format!("(&&&__gr::Captured(&{})).capture({name:?}), ", spelled(name)))
            .collect();
        let (line, column) = place(scope.source, closure.range.start);
        let text = format!("{}{}", " ".repeat(column), &scope.source[closure.range.clone()]);
        let (name, first) = (scope.name_of)(scope.cell).unwrap_or_default();
        said.closures.insert(
            closure.range.start,
            format!(
                "{{ use __gr::{{CaptureOther as _, CaptureSize as _, CaptureValue as _}}; \
                 __gr::known_closure({root:?}, {text:?}, ({name:?}, {}), ::std::vec![{captures}]);",
                first + line
            ),
        );
    }
    let names = &texts.names;
    let items: String = texts.items.concat();
    said.first = Some(format!("__gr::known_items(&{names:?}, &[{items}], &[{roots}]);"));
    said
}

/// Items as literals, each once.
struct Texts<'a> {
    name_of: &'a dyn Fn(u64) -> Option<(String, usize)>,
    names: Vec<String>,
    items: Vec<String>,
    /// Which item each is.
    numbers: Vec<Part>,
}

/// One of the session's imports, or of its items and the methods that are left of it.
type Part = (bool, usize, Vec<String>);

/// The names that items mention, those of methods among them only if something mentions the
/// method.
fn mentioned(items: &[(usize, &KeptItem)], mut names: HashSet<String>) -> HashSet<String> {
    for (_, item) in items.iter().filter(|(_, item)| item.methods.is_empty()) {
        names.extend(item.names.iter().cloned());
    }
    let mut left: Vec<(&str, &str)> = items
        .iter()
        .flat_map(|(_, item)| {
            item.methods.iter().map(|(name, range)| (name.as_str(), &item.text[range.clone()]))
        })
        .collect();
    loop {
        let (now, later): (Vec<_>, Vec<_>) = left.into_iter().partition(|(name, _)| names.contains(*name));
        if now.is_empty() {
            return names;
        }
        for (_, text) in now {
            collect_names(text.parse().unwrap_or_default(), &mut names);
        }
        left = later;
    }
}

impl Texts<'_> {
    /// The numbers of the items that some names reach.
    fn reached(&mut self, scope: &Scope<'_>, names: HashSet<String>) -> Vec<usize> {
        let reached = reach(scope.all, &names);
        // In the order of the crate, where macros come before their uses.
        let items: Vec<(usize, &KeptItem)> =
            scope.included.iter().filter(|(number, _)| reached[*number]).copied().collect();
        let mentioned = mentioned(&items, names);
        let mut numbers: Vec<usize> =
            items.iter().map(|(number, item)| self.item(*number, item, &mentioned)).collect();
        for (number, leaf) in scope.leaves.iter().enumerate() {
            if leaf.name.as_ref().is_some_and(|name| mentioned.contains(name)) {
                numbers.push(self.leaf(number, leaf));
            }
        }
        numbers
    }

    /// An item without the methods that nothing mentions: one may allocate, which a device
    /// cannot; and without statics that change, of which a device would have its own.
    fn item(&mut self, number: usize, item: &KeptItem, mentioned: &HashSet<String>) -> usize {
        let mut own = item.clone();
        let mut left = Vec::new();
        // The session has written to the text since its places were noted.
        let statics = if item.statics.is_empty() { Vec::new() } else { statics_in(&item.text) };
        for place in statics {
            let of = &item.text[place.type_range];
            if place.is_mutable || CHANGING.iter().any(|part| of.contains(part)) {
                blank(&mut own.text, place.range.clone());
                own.private.retain(|private| !place.range.contains(&private.start));
            }
        }
        for (name, range) in &item.methods {
            if mentioned.contains(name) {
                left.push(name.clone());
            } else {
                blank(&mut own.text, range.clone());
                own.private.retain(|place| !range.contains(&place.start));
            }
        }
        let mut written = Generated::default();
        written.item(&own, &[]);
        self.add((false, number, left), written)
    }

    fn leaf(&mut self, number: usize, leaf: &UseLeaf) -> usize {
        let mut written = Generated::default();
        written.line(Origin::User { cell: leaf.cell, line: leaf.line }, &leaf.text);
        self.add((true, number, Vec::new()), written)
    }

    fn add(&mut self, number: Part, written: Generated) -> usize {
        if let Some(known) = self.numbers.iter().position(|known| *known == number) {
            return known;
        }
        let mut lines = String::new();
        for origin in &written.origins {
            let (source, line) = match origin {
                Origin::User { cell, line } => self.place(*cell, *line),
                _ => (0, 0),
            };
            let _ = write!(lines, "({source}, {line}), ");
        }
        // The module that holds it imports the library with everything else.
        self.items.push(format!("__gr::DeviceItem {{ text: {:?}, lines: &[{lines}] }}, ", written.text));
        self.numbers.push(number);
        self.numbers.len() - 1
    }

    /// Which of the texts a cell's is, and a line of it as its user counts.
    fn place(&mut self, cell: u64, line: usize) -> (usize, usize) {
        let Some((name, first)) = (self.name_of)(cell) else { return (0, 0) };
        let known = self.names.iter().position(|known| *known == name);
        let source = known.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        (source, first + line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rustc::items::items;

    const CELL: &str = "struct Body { x: f32 }\n#[device] fn move_on(b: Body) -> f32 { b.x + G }\nconst G: f32 = 9.81;\n\
                        #[kernel]\nfn step(y: &mut [f32]) { y[0] = move_on(Body { x: 1.0 }) }\nfn other() -> Vec<f32> { vec![] }";

    fn said_of(cell: &str) -> Said {
        let all = items(cell);
        let included: Vec<(usize, &KeptItem)> = all.iter().enumerate().collect();
        let name_of = |cell| Some((format!("cell {cell}"), 1));
        let scope =
            Scope { cell: 1, source: cell, all: &all, included: &included, leaves: &[], name_of: &name_of };
        let closures = super::super::split::split(cell).unwrap().closures;
        said(&scope, &closures)
    }

    #[test]
    fn a_function_for_devices_brings_what_it_reaches_and_nothing_else() {
        let text = said_of(CELL).first.unwrap();
        assert!(text.contains(r#"("move_on", &[0, 1, 2])"#), "{text}");
        assert!(text.contains(r#"("step", &[0, 1, 2, 3])"#), "{text}");
        assert!(!text.contains("Vec"), "{text}");
        // Blanked, on its own line.
        assert!(text.contains(r#""         \nfn step"#) && text.contains("(0, 4), (0, 5)"), "{text}");
    }

    #[test]
    fn a_closure_brings_its_text_and_its_captures() {
        let said = said_of("const G: f32 = 2.0;\nlet k = 1.0; let y = x.map(|v| v * G + k);");
        let closure = said.closures.values().next().unwrap();
        assert!(closure.contains("|v| v * G + k\", (\"cell 1\", 2)"), "{closure}");
        assert!(closure.contains("Captured(&k)).capture(\"k\")") && !closure.contains("&G"), "{closure}");
        assert!(said.first.unwrap().contains("const G"));
    }

    #[test]
    fn a_method_that_nothing_mentions_is_left_out() {
        let cell = "struct P { x: f32 }\nimpl P { fn text(&self) -> String { self.name() } fn name(&self) -> String { String::new() } fn half(&self) -> f32 { self.x / self.two() } fn two(&self) -> f32 { 2.0 } }\n\
                    #[kernel] fn k(y: &mut [f32]) { y[0] = P { x: 1.0 }.half(); }";
        let text = said_of(cell).first.unwrap();
        assert!(text.contains("fn half") && text.contains("fn two") && !text.contains("String"), "{text}");
    }

    #[test]
    fn cells_without_such_functions_carry_nothing() {
        assert_eq!(said_of("fn other() {}"), Said::default());
    }
}
