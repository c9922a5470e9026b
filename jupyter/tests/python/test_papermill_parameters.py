"""Values of parameters, as Rust has them."""

import math

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
    ("let mut steps: u64 = 100; // how many", 5.0, "let steps: u64 = 5;"),
    ("let steps = 100;", 2**40, "let steps = 1099511627776_i64;"),
    ("let steps = 100_i64;", 5, "let steps: i64 = 5;"),
    ('let title = "a".to_string();', "b", 'let title: String = "b".to_string();'),
    ("let title: &str = \"a\";", 5, 'let title: &str = "5";'),
    ("let sizes: Vec<f32> = vec![];", [1, 2.5], "let sizes: Vec<f32> = vec![1.0, 2.5];"),
    ("let sizes = vec![0.5, 1.0];", [1], "let sizes: Vec<f64> = vec![1.0];"),
    ("let limit: Option<i32> = None;", None, "let limit: Option<i32> = None;"),
    ("let limit: Option<i32> = None;", 3, "let limit: Option<i32> = Some(3);"),
]


@pytest.mark.parametrize("default, value, text", TYPED)
def test_a_value_has_the_type_of_its_default(kernel, default, value, text):
    known = RustTranslator.inspect({"source": default})
    assert RustTranslator.codify({known[0].name: value}) == f"// Parameters\n{text}\n"
    for line in (default, text):
        assert kernel.run(line).status == "ok", line


@pytest.mark.parametrize(
    "default, value",
    [
        ("let n: i32 = 1;", 2**40),
        ("let n: u8 = 1;", -1),
        ("let n: usize = 1;", 0.5),
        ("let n: usize = 1;", math.inf),
        ("let n: i64 = 1;", "five"),
        ("let rate: f64 = 1.0;", True),
        ("let flag: bool = true;", 1),
        ("let sizes: Vec<i32> = vec![];", [1, 0.5]),
    ],
)
def test_a_value_of_another_type_is_told(default, value):
    RustTranslator.inspect({"source": default})
    with pytest.raises(PapermillException, match="is a `"):
        RustTranslator.codify({default.split()[1].rstrip(":"): value})
