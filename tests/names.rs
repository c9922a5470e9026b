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
    cells.ok("let a = zeros::<f32>((2, 2)); let c = zeros::<Complex32>(2); let i = zeros::<i32>(2); let b = zeros::<u8>(2);");
    // The compiler says of each that it is a method, and no field. A session
    // shows the first five errors of a cell and counts the rest.
    let of = |array: &str, names: &[&str]| -> String {
        names.iter().map(|name| format!("{array}.{name};\n")).collect()
    };
    for five in names::ARRAY_METHODS.chunks(5) {
        cells.fails(&of("a", five));
        if cells.rendered().matches("E0615").count() == five.len() {
            continue;
        }
        // Some are of complex arrays alone, some of integer arrays or those of bytes.
        for name in five {
            let is_method = ["a", "c", "i", "b"].iter().any(|array| {
                cells.fails(&of(array, &[name]));
                cells.rendered().contains("E0615")
            });
            assert!(is_method, "{name}");
        }
    }
    cells.fails(&of("c", names::ARRAY_METHODS));
    let rest = cells.noted();
    // Of complex arrays `acos` and its kin are no methods.
    let shown = cells.rendered();
    assert_eq!(shown.matches("E0615").count() + shown.matches("E0609").count(), 5, "{rest}");
    assert!(rest.starts_with("and ") && rest.ends_with(" more errors"), "{rest}");
}
