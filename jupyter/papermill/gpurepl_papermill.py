"""Parameters of notebooks in Rust, for papermill.

papermill writes parameters into a cell, in the notebook's language. This
module tells it how that is done in Rust: a number, a text, a truth value and
lists of one of them become `let` statements. Once it is installed nothing has
to be named; the engine of the same name is papermill's own.
"""

import math
import re

from papermill.engines import NBClientEngine
from papermill.exceptions import PapermillException
from papermill.models import Parameter
from papermill.translators import Translator, papermill_translators

__all__ = ["RustTranslator", "execute_notebook"]

execute_notebook = NBClientEngine.execute_notebook

# `let mut rate: f64 = 0.5; // a comment`
_PARAMETER = re.compile(
    r"^\s*let\s+(?:mut\s+)?(?P<name>[^\W\d]\w*)\s*(?::\s*(?P<type>[^=]+?))?\s*=\s*(?P<value>.+?)\s*;"
    r"\s*(?://+\s*(?P<help>.*?))?\s*$"
)


class RustTranslator(Translator):
    """Writes values as Rust does."""

    @classmethod
    def translate_none(cls, val):
        raise PapermillException("Rust has no value for `null`: leave the parameter out, or give it a value")

    @classmethod
    def translate_int(cls, val):
        for suffix, bits in (("", 31), ("_i64", 63), ("_i128", 127)):
            if -(2**bits) <= val < 2**bits:
                return f"{val}{suffix}"
        raise PapermillException(f"no integer type of Rust's holds {val}")

    @classmethod
    def translate_float(cls, val):
        if math.isnan(val):
            return "f64::NAN"
        if math.isinf(val):
            return "f64::INFINITY" if val > 0 else "f64::NEG_INFINITY"
        return repr(float(val))

    @classmethod
    def translate_escaped_str(cls, str_val):
        known = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
        escape = lambda c: known.get(c) or (c if c.isprintable() else f"\\u{{{ord(c):x}}}")
        return '"' + "".join(map(escape, str(str_val))) + '"'

    @classmethod
    def translate_list(cls, val):
        if len({float if type(item) is int else type(item) for item in val}) > 1:
            raise PapermillException(f"a list of Rust's holds values of one type: {val!r}")
        if any(type(item) is float for item in val):
            val = [float(item) if type(item) is int else item for item in val]
        if not val:
            return "Vec::<f64>::new()"
        return f"vec![{', '.join(map(cls.translate, val))}]"

    @classmethod
    def translate_dict(cls, val):
        pairs = ", ".join(f"({cls.translate_str(key)}, {cls.translate(item)})" for key, item in val.items())
        return f"std::collections::BTreeMap::from([{pairs}])"

    @classmethod
    def comment(cls, cmt_str):
        return f"// {cmt_str}".strip()

    @classmethod
    def assign(cls, name, str_val):
        return f"let {name} = {str_val};"

    @classmethod
    def inspect(cls, parameters_cell):
        found = (_PARAMETER.match(line) for line in parameters_cell["source"].splitlines())
        return [
            Parameter(
                name=match["name"],
                inferred_type_name=match["type"] or "None",
                default=match["value"],
                help=match["help"] or "",
            )
            for match in found
            if match
        ]


# By the language, and by the name under which the kernel is installed.
papermill_translators.register("rust", RustTranslator)
papermill_translators.register("gpurepl", RustTranslator)
