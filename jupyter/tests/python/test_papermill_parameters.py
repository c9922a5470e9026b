"""Values of parameters, as Rust has them."""

import math
import re

import pytest
from gpurepl_papermill import RustTranslator
from papermill.exceptions import PapermillException

VALUES = [
    (5, "5"),
    (-5, "-5"),
    (2**31, "2147483648_i64"),
    (2**70, "1180591620717411303424_i128"),
    (0.1, "0.1"),
    (1e300, "1e+300"),
    (math.inf, "f64::INFINITY"),
    (True, "true"),
    ('a "b"\\\n\x07é', '"a \\"b\\"\\\\\\n\\u{7}é"'),
    ([1, 2.5], "vec![1.0, 2.5]"),
    ([[1], [2]], "vec![vec![1], vec![2]]"),
    ({"a": 1}, 'std::collections::BTreeMap::from([("a", 1)])'),
]


def test_values_are_written_as_rust_reads_them(kernel):
    for value, text in VALUES:
        assert RustTranslator.translate(value) == text
        assert kernel.run(f"let value = {text};").status == "ok", text
    assert RustTranslator.codify({"n": 1, "s": "x"}) == '// Parameters\nlet n = 1;\nlet s = "x";\n'


@pytest.mark.parametrize("value", [None, 2**200, [1, "a"], [None]])
def test_what_rust_cannot_hold_is_told(value):
    with pytest.raises(PapermillException):
        RustTranslator.translate(value)


TYPED = [
    ("let rate: f64 = 0.1;", 1, "let rate: f64 = 1.0;"),
    ("let rate = 0.1;", 1, "let rate: f64 = 1.0;"),
    ("let rate = 1e-3_f32;", math.inf, "let rate: f32 = f32::INFINITY;"),
    ("let rate = f64::NAN;", 1, "let rate: f64 = 1.0;"),
    ("let steps: u64 = 100; // how many", 5.0, "let steps: u64 = 5;"),
    ("let steps = 100;", 5, "let steps: i32 = 5;"),
    ("let steps = 100_i64;", 2**40, "let steps: i64 = 1099511627776;"),
    ("let steps = 1e6 as usize;", 5, "let steps: usize = 5;"),
    ("let steps = 1 << 20;", 5, "let steps: i32 = 5;"),
    ("let step = -(1.0 / 60.0_f32);", 5, "let step: f32 = 5.0;"),
    ("let mask = 0xff_u8;", 5, "let mask: u8 = 5;"),
    ("let flag = true;", False, "let flag: bool = false;"),
    # What `-p flag false` passes.
    ("let flag = true;", "false", "let flag: bool = false;"),
    ('let title = "a".to_string();', "b", 'let title: String = "b".to_string();'),
    ('let title = String::from("a \\"b\\"");', "b", 'let title: String = "b".to_string();'),
    ("let title: &str = \"a\";", 5, 'let title: &str = "5";'),
    ('let title = r#"a"b"#;', "b", 'let title: &str = "b";'),
    ("let title: &'static str = \"a\";", "b", "let title: &'static str = \"b\";"),
    ('let path = std::path::PathBuf::from("a");', "b", 'let path: std::path::PathBuf = std::path::PathBuf::from("b");'),
    ("let sizes: Vec<f32> = vec![];", [1, 2.5], "let sizes: Vec<f32> = vec![1.0, 2.5];"),
    ("let sizes = vec![0.5, 1.0];", [1], "let sizes: Vec<f64> = vec![1.0];"),
    ("let sizes: Vec<_> = vec![1_u8, 2];", [1], "let sizes: Vec<u8> = vec![1];"),
    ("let sizes = Vec::<u8>::new();", [1], "let sizes: Vec<u8> = vec![1];"),
    ("let limit: Option<i32> = None;", None, "let limit: Option<i32> = None;"),
    ("let limit: Option<i32> = None;", 3, "let limit: Option<i32> = Some(3);"),
    ("let limit = Some(0.5);", 3, "let limit: Option<f64> = Some(3.0);"),
    ('let pair = (1, "a");', [2, "b"], 'let pair: (i32, &str) = (2, "b");'),
    ("let x = gpu![[1.0, 2.0]];", [[1], [2]], "let x: GpuArray<f64> = gpu![[1.0], [2.0]];"),
    ("let x = gpu![f32; 1, 2];", [], "let x: GpuArray<f32> = gpu![f32; ];"),
]


def written(cell, value, name=None):
    """What is written for a value of a cell's first parameter."""
    known = RustTranslator.inspect({"source": cell})
    text = RustTranslator.codify({name or known[0].name: value})
    assert text.startswith("// Parameters\n")
    return text.removeprefix("// Parameters\n").removesuffix("\n")


@pytest.mark.parametrize("default, value, text", TYPED)
def test_a_value_has_the_type_of_its_default(kernel, default, value, text):
    assert written(default, value) == text
    for line in (default, text):
        assert kernel.run(line).status == "ok", line


def test_a_default_that_cells_change_stays_mutable(kernel):
    for cell in ("let mut steps = 10;", written("let mut steps = 10;", 20), "steps += 1;"):
        assert kernel.run(cell).status == "ok", cell
    assert kernel.run("steps").result == "21"


def test_a_constant_default_stays_a_constant(kernel):
    for default, value, text in [
        ("const K: usize = 3;", 5, "const K: usize = 5;"),
        ("pub const NAME: &str = \"a\";", "b", 'const NAME: &str = "b";'),
        ("const RATES: &[f64] = &[0.5];", [1, 2], "const RATES: &[f64] = &[1.0, 2.0];"),
        ("static LIMIT: Option<i32> = None;", 3, "static LIMIT: Option<i32> = Some(3);"),
        ("static mut COUNT: i32 = 0;", 3, "static mut COUNT: i32 = 3;"),
    ]:
        assert written(default, value) == text
        for line in (default, text):
            assert kernel.run(line).status == "ok", line
    assert kernel.run("let grid = [RATES[1]; K];\ngrid.len()").result == "5"
    RustTranslator.inspect({"source": "const SIZES: Vec<i32> = Vec::new();"})
    with pytest.raises(PapermillException, match="a `const` cannot hold .* `Vec<i32>`\n.* `let SIZES: Vec<i32> = ..;`"):
        RustTranslator.codify({"SIZES": [1]})


@pytest.mark.parametrize(
    "known, value, text",
    [
        ("std::collections::BTreeMap<&str, f64>", {"b": 2}, '[("b", 2.0)]'),
        ("std::collections::HashMap<String, Vec<u8>>", {"b": [2]}, '[("b".to_string(), vec![2])]'),
        # JSON has no other keys than texts.
        ("std::collections::BTreeMap<i64, bool>", {"-3": True, 4: False}, "[(-3, true), (4, false)]"),
        ("std::collections::HashMap<&str, Option<(f32, char)>>", {"b": [1, "x"]}, "[(\"b\", Some((1.0, 'x')))]"),
        ("std::collections::BTreeMap<&str, f64>", {}, "[]"),
        ("std::collections::HashSet<u8>", [1, 2], "[1, 2]"),
    ],
)
def test_a_mapping_has_the_types_of_keys_and_values_of_its_default(kernel, known, value, text):
    path = known.partition("<")[0]
    line = f"let options: {known} = {path}::from({text});"
    assert written(f"let options: {known} = {path}::new();", value) == line
    assert kernel.run(line).status == "ok", line


def test_a_mapping_without_a_type_has_that_of_its_literal():
    default = 'let options = std::collections::BTreeMap::from([("a", 1.0)]);'
    text = 'let options: std::collections::BTreeMap<&str, f64> = std::collections::BTreeMap::from([("b", 2.0)]);'
    assert written(default, {"b": 2}) == text
    assert RustTranslator.translate({"a": 1, "b": 0.5}) == 'std::collections::BTreeMap::from([("a", 1.0), ("b", 0.5)])'


@pytest.mark.parametrize(
    "default, value, text",
    [
        ("let sizes = [1, 2, 3];", [4, 5, 6], "let sizes: [i32; 3] = [4, 5, 6];"),
        ("let sizes = [0.0; 2];", [4, 5], "let sizes: [f64; 2] = [4.0, 5.0];"),
        ("let sizes = [[1, 2], [3, 4_u8]];", [[1, 2], [3, 4]], "let sizes: [[u8; 2]; 2] = [[1, 2], [3, 4]];"),
        ("let sizes = &[1, 2];", [4, 5], "let sizes: &[i32; 2] = &[4, 5];"),
        ("let sizes: &'static [f64] = &[1.0];", [4, 5], "let sizes: &'static [f64] = &[4.0, 5.0];"),
        ("let mark = 'x';", "y", "let mark: char = 'y';"),
        ("let mark = '\\'';", "'", "let mark: char = '\\'';"),
        ("let mark = '\\u{e9}';", 5, "let mark: char = '5';"),
        ("let rows = 0..10;", "0..5", "let rows: std::ops::Range<i32> = 0..5;"),
        ("let rows = 0..=10_usize;", " 1 ..= 5 ", "let rows: std::ops::RangeInclusive<usize> = 1..=5;"),
        ("let rows = -1.0..1.0;", "-2..2.5", "let rows: std::ops::Range<f64> = -2.0..2.5;"),
        ("let rows = 'a'..='z';", "b..=c", "let rows: std::ops::RangeInclusive<char> = 'b'..='c';"),
        ("let rows = 3..;", "4..", "let rows: std::ops::RangeFrom<i32> = 4..;"),
        ("let mut rows: std::ops::Range<u8> = 0..10;", "0..5", "let mut rows: std::ops::Range<u8> = 0..5;"),
        ("let sizes = vec![1, 2];", [], "let sizes: Vec<i32> = vec![];"),
        ("let sizes = vec![1.5; 3];", [], "let sizes: Vec<f64> = vec![];"),
        ('let names = vec!["a", "b"];', [], "let names: Vec<&str> = vec![];"),
        ('let names = vec!["a".to_owned()];', ["b"], 'let names: Vec<String> = vec!["b".to_string()];'),
        ("let flags = vec![true];", [], "let flags: Vec<bool> = vec![];"),
        ("let rows = vec![vec![1], vec![]];", [[], [2]], "let rows: Vec<Vec<i32>> = vec![vec![], vec![2]];"),
        ("let rows = vec![None, Some(1)];", [None, 2], "let rows: Vec<Option<i32>> = vec![None, Some(2)];"),
        ("let rows = vec![\n  1, // one, and\n  2,\n];", [3], "let rows: Vec<i32> = vec![3];"),
    ],
)
def test_a_default_without_a_type_keeps_that_of_its_literal(kernel, default, value, text):
    assert written(default, value) == text
    for line in (default, text):
        assert kernel.run(line).status == "ok", line


def test_the_types_of_literals_are_listed():
    cell = """\
%%time
use std::f64::consts::PI;
let n = 100; let base = "a; // b"; // the base
let on = true;
let mut mark = ';'; // how it is drawn
let rate: f64 = // in seconds
    0.5;
fn helper() { let hidden = 1; }
let (left, right) = (1, 2);
let later = helper() + 1;
const K: usize = 3;
"""
    assert [(p.name, p.inferred_type_name, p.help) for p in RustTranslator.inspect({"source": cell})] == [
        ("n", "i32", ""),
        ("base", "&str", "the base"),
        ("on", "bool", ""),
        ("mark", "char", "how it is drawn"),
        ("rate", "f64", ""),
        ("later", "None", ""),
        ("K", "usize", ""),
    ]


@pytest.mark.parametrize(
    "default, value, advice",
    [
        ("let n: i32 = 1;", 2**40, "give a whole number from -2147483648 to 2147483647, .* such as `let n: i64`"),
        ("let n = 1;", 2**40, "give a whole number from -2147483648 to 2147483647, .* such as `let n: i64`"),
        ("let n: u8 = 1;", -1, "give a whole number from 0 to 255"),
        ("let n: usize = 1;", 0.5, "give a whole number .* such as `let n: f64`"),
        ("let n: usize = 1;", math.inf, "give a whole number"),
        ("let n: i64 = 1;", "five", "give a whole number"),
        ("let n = 1;", None, "give a whole number"),
        ("let rate: f64 = 1.0;", True, "give a number"),
        ("let rate = 1.0;", 10**400, "give a number"),
        ("let rate = 1_f32;", 1e39, "give a number that an `f32` can hold"),
        ("let flag: bool = true;", 1, "give true or false"),
        ("let title = \"a\";", True, "give a text; `-r title VALUE` passes every value as a text"),
        ("let mark = 'x';", "xy", "give one character"),
        ("let sizes: Vec<i32> = vec![];", [1, 0.5], "give a list, each value a whole number"),
        ("let sizes = vec![1];", "[1, 2]", "give a list, .* `-y 'sizes: ..'`"),
        ("let sizes = [1, 2, 3];", [1, 2], "give a list of 3 values, .* or write the default as `vec!"),
        ("const SIZES: [i32; 1] = [1];", [1, 2], "give a list of 1 values, .* or write the default as `&.i32.`"),
        ("let rows = 0..10;", 5, 'give a text such as "0..5"'),
        ("let rows = 0..10;", "0..=5", 'give a text such as "0..5"'),
        ("let rows = 0..=10;", "a..=b", 'give a text such as "0..=5"'),
        ("let rows = 0.0..;", "1..2", 'give a text such as "0.0.."'),
        ("let pair = (1, true);", [1], "give a list of 2 values: a whole number .*, true or false"),
        ("let limit = Some(1);", "a", "give null or a whole number"),
        ("let m: std::collections::BTreeMap<&str, f64> = Default::default();", {"a": "b"}, "give a mapping, each key a text"),
    ],
)
def test_a_value_of_another_type_is_told(default, value, advice):
    (known,) = RustTranslator.inspect({"source": default})
    with pytest.raises(PapermillException) as told:
        RustTranslator.codify({known.name: value})
    first, second = str(told.value).split("\n")
    assert first.startswith("cannot pass ") and f"as the parameter `{known.name}`" in first
    assert first.endswith(f": its default `{known.default}` has the type `{known.inferred_type_name}`")
    assert re.match(f"  = help: {advice}", second), second


def test_a_value_without_a_type_is_told_with_its_name():
    RustTranslator.inspect({"source": "let later = helper();"})
    with pytest.raises(PapermillException, match="cannot pass null as the parameter `later`: .* as an `Option`"):
        RustTranslator.codify({"later": None})
