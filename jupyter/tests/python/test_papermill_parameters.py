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
