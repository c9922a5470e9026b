//! Types that are redefined: no memory is ever read as another type.

use gpurepl_tests::Conversation;

#[test]
fn variables_of_a_changed_type_are_dropped_and_named() {
    let mut cells = Conversation::start();
    cells.ok("struct Foo(u32); let foo = Foo(1); let number = 5;");
    cells.ok("struct Foo(f32);");
    cells.ok("let bar = Foo(2.5);");
    cells.fails_with("foo.0", "cannot find value `foo`");
    cells.shows("(bar.0, number)", "(2.5, 5)");
}

#[test]
fn the_same_text_again_keeps_variables() {
    let mut cells = Conversation::start();
    cells.ok("#[derive(Debug)] struct Foo { a: u32 }");
    cells.ok("let foo = Foo { a: 1 };");
    cells.ok("#[derive(Debug)]\nstruct Foo {\n    a: u32,\n}");
    cells.shows("foo", "Foo { a: 1 }");
}

#[test]
fn a_type_within_a_type_counts() {
    let mut cells = Conversation::start();
    cells.ok("struct Inner { a: u8 } struct Outer { inner: Vec<Inner> } type Alias = Outer;");
    cells.ok("let o: Alias = Outer { inner: vec![Inner { a: 1 }] }; let list = vec![1];");
    cells.ok("struct Inner { a: u64, b: u64 }");
    cells.fails("o.inner.len()");
    cells.shows("list", "[1]");
}

#[test]
fn a_method_changed_keeps_variables() {
    let mut cells = Conversation::start();
    cells.ok("struct Foo(u32); impl Foo { fn get(&self) -> u32 { self.0 } } let foo = Foo(3);");
    cells.ok("impl Foo { fn get(&self) -> u32 { self.0 * 100 } }");
    cells.shows("foo.get()", "300");
}

#[test]
fn any_does_not_confuse_the_old_type_with_the_new() {
    let mut cells = Conversation::start();
    cells.ok("struct Foo(u32); let any: Box<dyn std::any::Any> = Box::new(Foo(0x3f800000));");
    cells.shows("any.downcast_ref::<Foo>().map(|foo| foo.0)", "Some(1065353216)");
    cells.ok("struct Foo(f32);");
    cells.shows("any.downcast_ref::<Foo>().map(|foo| foo.0)", "None");
}

#[test]
fn a_constant_within_a_type_counts() {
    let mut cells = Conversation::start();
    cells.ok("const N: usize = 2; struct Row([u8; N]); let row = Row([1; N]);");
    cells.ok("const N: usize = 3;");
    cells.fails("row.0.len()");
    cells.shows("Row([1; N]).0.len()", "3");
}

#[test]
fn a_redefinition_that_does_not_compile_changes_nothing() {
    let mut cells = Conversation::start();
    cells.ok("struct Foo(u32); let foo = Foo(4);");
    cells.fails("struct Foo(NoSuchType);");
    cells.shows("foo.0", "4");
}

#[test]
fn a_destructor_that_panics_while_variables_are_dropped_is_survived() {
    let mut cells = Conversation::start();
    cells.ok("struct Bad(u8); impl Drop for Bad { fn drop(&mut self) { panic!(\"in drop\") } }");
    cells.ok("let bad = Bad(1); let keep = 9;");
    cells.ok("struct Bad(u16);");
    cells.shows("keep", "9");
}

#[test]
fn an_implementation_with_other_parameters_was_in_the_way() {
    let mut cells = Conversation::start();
    cells.ok("struct Wrapper<T>(Vec<T>); impl<T> From<Wrapper<T>> for Vec<T> { fn from(w: Wrapper<T>) -> Vec<T> { w.0 } }");
    cells.shows("Vec::from(Wrapper(vec![1]))", "[1]");
    // By way of the library's `impl Into for T where U: From<T>`.
    cells.ok(
        "impl<T> Into<Vec<T>> for Wrapper<T> { fn into(mut self) -> Vec<T> { self.0.reverse(); self.0 } }",
    );
    assert!(
        cells.noted().contains("`impl<T> From<Wrapper<T>> for Vec<T>` of cell 1 is replaced by this cell's"),
        "{}",
        cells.noted()
    );
    cells.shows("{ let v: Vec<i32> = Wrapper(vec![1, 2]).into(); v }", "[2, 1]");
    cells.ok("trait Say { fn say(&self) -> i32; } impl<T> Say for Wrapper<T> { fn say(&self) -> i32 { 1 } }");
    cells.ok("impl<T: Clone> Say for Wrapper<T> { fn say(&self) -> i32 { 2 } }");
    cells.shows("Wrapper(vec![1]).say()", "2");
    cells.ok("struct Text; impl std::fmt::Display for Text { fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { f.write_str(\"a\") } }");
    cells.ok("impl ToString for Text { fn to_string(&self) -> String { \"b\".to_owned() } }");
    cells.shows("Text.to_string()", "\"b\"");
    // What is in the library alone is the user's error.
    cells.fails("impl<T> Into<T> for Text { fn into(self) -> T { panic!() } }");
}
