//! Variables of a text: there once, whoever calls.

use super::*;

#[test]
fn variables_are_kept_between_calls_of_any_types() {
    let module = module(
        "#include <map>
         #include <string>
         #include <vector>
         static int counter = 0;
         int global = 5;
         std::vector<int> table{1, 2, 3};
         std::map<std::string, int> names = {{\"a\", 1}};
         int next() { return ++counter; }
         int get() { static int n = 0; return counter * 100 + ++n; }
         template <class T> T plus(T x) { global += 1; return x + global; }
         void push(int v) { table.push_back(v); }
         int size() { return table.size(); }
         template <class T> int size_of(T) { return table.size(); }
         void name(const char *n, int v) { names[n] = v; }
         template <class T> T find(const char *n, T missing) { auto at = names.find(n); return at == names.end() ? missing : at->second; }
         namespace { int hidden = 1; }
         int see() { return hidden++; }",
    );
    let call = |name: &str| module.call::<i32>(name, ()).unwrap();
    assert_eq!((call("next"), call("next"), call("get"), call("get")), (1, 2, 201, 202));
    assert_eq!(module.call::<i64>("next", ()).unwrap(), 3);
    assert_eq!(module.call::<f64>("plus", 1.5).unwrap(), 7.5);
    assert_eq!(module.call::<i32>("plus", 1).unwrap(), 8);
    module.call::<()>("push", 4).unwrap();
    assert_eq!(call("size"), 4);
    assert_eq!(module.call::<i32>("size_of", 1.0).unwrap(), 4);
    module.call::<()>("name", ("b", 2)).unwrap();
    assert_eq!(module.call::<f64>("find", ("b", -1.0)).unwrap(), 2.0);
    assert_eq!(module.call::<i32>("find", ("c", -1)).unwrap(), -1);
    assert_eq!((call("see"), call("see")), (1, 2));
}

#[test]
fn what_is_initialised_is_initialised_once() {
    let module = module(
        "#include <cstdio>
         int started = 0;
         struct Start { Start() { ++started; } } start;
         int count() { return started; }
         template <class T> int count_for(T) { return started; }",
    );
    assert_eq!(module.call::<i32>("count", ()).unwrap(), 1);
    assert_eq!(module.call::<i32>("count_for", 1.0).unwrap(), 1);
    assert_eq!(module.call::<i32>("count_for", 1).unwrap(), 1);
}

#[test]
fn a_static_variable_of_a_template_is_kept() {
    let module = module(
        "template <class T> T running(T step) { static T total = 0; return total += step; }
         template <class T> T twice(T step) { running(step); return running(step); }",
    );
    assert_eq!(module.call::<f64>("running", 1.0).unwrap(), 1.0);
    // Another call's code, of the same instance.
    assert_eq!(module.call::<f64>("twice", 1.0).unwrap(), 3.0);
    assert_eq!(module.call::<f64>("running", 1.0).unwrap(), 4.0);
    assert_eq!(module.call::<i32>("running", 1).unwrap(), 1);
    assert_eq!(module.call::<f64>("running<double>", 1.0).unwrap(), 5.0);
}

#[test]
fn a_variable_that_would_be_another_one_is_refused() {
    let module = module(
        "static int counter = 0;\ntemplate <class T> T bad(T x) { return x + counter++; }\nint good() { return counter++; }",
    );
    let found = words(module.call::<f64>("bad", 1.0));
    assert!(
        found.starts_with("bad: this call compiles code of its own") && found.contains("`counter`"),
        "{found}"
    );
    assert!(found.contains("without `static`"), "{found}");
    assert_eq!(module.call::<i32>("good", ()).unwrap(), 0);
    assert_eq!(module.call::<i64>("good", ()).unwrap(), 1);
}

#[test]
fn two_modules_with_the_same_names_do_not_meet() {
    let text = |value: i32| {
        format!(
            "int value = {value};\nint get() {{ return value; }}\ntemplate <class T> T add(T x) {{ return x + value; }}\nextern \"C\" double gamma(double) {{ return value; }}\nvoid set(int v) {{ value = v; }}"
        )
    };
    let (one, two) = (module(&text(1)), module(&text(2)));
    assert_eq!((one.call::<i32>("get", ()).unwrap(), two.call::<i32>("get", ()).unwrap()), (1, 2));
    assert_eq!((one.call::<i32>("add", 10).unwrap(), two.call::<i32>("add", 10).unwrap()), (11, 12));
    assert_eq!(
        (one.call::<f64>("gamma", 10.0).unwrap(), two.call::<f64>("gamma", 10.0).unwrap()),
        (1.0, 2.0)
    );
    // The same text twice is two modules as well.
    let again = module(&text(1));
    one.call::<()>("set", 7).unwrap();
    assert_eq!((one.call::<i32>("add", 0).unwrap(), again.call::<i32>("add", 0).unwrap()), (7, 1));
    assert_eq!((one.call::<i32>("get", ()).unwrap(), again.call::<i32>("get", ()).unwrap()), (7, 1));
    let clone = one.clone();
    drop(one);
    assert_eq!(clone.call::<i32>("get", ()).unwrap(), 7);
}
