//! What completion offers is there.

use gpurepl_session::names;
use gpurepl_tests::Conversation;

#[test]
fn names_of_the_prelude_exist() {
    let mut cells = Conversation::start();
    for name in names::PRELUDE {
        cells.ok(&format!("use gpurepl_prelude::{name} as _;"));
    }
    for name in names::MACROS {
        cells.ok(&format!("use gpurepl_prelude::{} as _;", name.trim_end_matches('!')));
    }
}

#[test]
fn methods_of_arrays_exist() {
    let mut cells = Conversation::start();
    cells.ok("let a = zeros::<f32>((2, 2)); let c = zeros::<Complex32>(2);");
    // The compiler says of each that it is a method, and no field. A session
    // shows the first five errors of a cell and counts the rest.
    for five in names::ARRAY_METHODS.chunks(5) {
        let fields: Vec<String> = five.iter().map(|name| format!("a.{name};")).collect();
        cells.fails(&fields.join("\n"));
        let rendered = cells.rendered();
        assert_eq!(rendered.matches("E0615").count(), five.len(), "{rendered}");
    }
    let fields: Vec<String> = names::ARRAY_METHODS.iter().map(|name| format!("a.{name};")).collect();
    cells.fails(&fields.join("\n"));
    assert_eq!(cells.rendered().matches("E0615").count(), 5);
    assert_eq!(cells.noted(), format!("and {} more errors", names::ARRAY_METHODS.len() - 5));
}
