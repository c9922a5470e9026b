"""Parameters of notebooks in Rust, for papermill.

papermill writes parameters into a cell, in the notebook's language. This
module tells it how that is done in Rust: a number, a text, a truth value and
lists of one of them become `let` statements, of the type that the default has.
Once it is installed nothing has to be named; the engine of the same name is
papermill's own.
"""

import math
import re
from contextvars import ContextVar

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

# The types of the defaults of the notebook that is about to run: papermill
# looks at them before it writes the values that were passed.
_TYPES = ContextVar("gpurepl_types", default={})

_INTEGERS = {f"{sign}{bits}": (sign, bits) for sign in "iu" for bits in (8, 16, 32, 64, 128)}
_INTEGERS |= {"isize": ("i", 64), "usize": ("u", 64)}
_NUMBER = re.compile(r"-?\d[\d_]*(?P<fraction>\.[\d_]*)?(?P<exponent>[eE][+-]?[\d_]+)?_*(?P<suffix>[iuf]\d+|[iu]size)?")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"\s*\.\s*(?:to_string|to_owned|into)\(\)|String::from\(.*\)', re.DOTALL)
_LIST = re.compile(r"(?:std::vec::)?Vec\s*<(?P<item>.+)>", re.DOTALL)


def _type_of(annotation, default):
    """The type of a default: what its `let` says, or what its literal is."""
    if annotation:
        return re.sub(r"\s+", " ", annotation)
    if found := _NUMBER.fullmatch(default):
        # A whole number is of whatever type it is used as.
        return found["suffix"] or ("f64" if found["fraction"] or found["exponent"] else None)
    if _TEXT.fullmatch(default):
        return "String"
    if (found := re.fullmatch(r"vec!\[\s*([^\[\],;]+?)\s*[,;\]].*", default, re.DOTALL)) and (item := _type_of(None, found[1])):
        return f"Vec<{item}>"
    return None


class RustTranslator(Translator):
    """Writes values as Rust does."""

    @classmethod
    def codify(cls, parameters, comment="Parameters"):
        # The next notebook may have no defaults.
        types = _TYPES.get()
        _TYPES.set({})
        lines = [cls.comment(comment)]
        for name, value in parameters.items():
            known = types.get(name)
            if known is None:
                lines.append(cls.assign(name, cls.translate(value)))
                continue
            try:
                text = cls.translate_as(value, known)
            except ValueError:
                raise PapermillException(f"`{name}` is a `{known}`, and {value!r} is not") from None
            lines.append(cls.assign(f"{name}: {known}", text))
        return "\n".join(lines) + "\n"

    @classmethod
    def translate_as(cls, value, known):
        """Writes a value as one of a type. Raises a ValueError if it is none."""
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if known in ("f32", "f64"):
            if not is_number:
                raise ValueError
            return cls.translate_float(value).replace("f64", known)
        if known in _INTEGERS:
            sign, bits = _INTEGERS[known]
            if not is_number or (isinstance(value, float) and not value.is_integer()):
                raise ValueError
            least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if sign == "i" else (0, 2**bits)
            if not least <= value < most:
                raise ValueError
            return str(int(value))
        if known == "bool" and not isinstance(value, bool):
            raise ValueError
        if known in ("String", "&str", "&'static str"):
            if isinstance(value, (bool, list, dict)) or value is None:
                raise ValueError
            text = cls.translate_escaped_str(value)
            return f"{text}.to_string()" if known == "String" else text
        if found := _LIST.fullmatch(known):
            if not isinstance(value, list):
                raise ValueError
            return f"vec![{', '.join(cls.translate_as(item, found['item'].strip()) for item in value)}]"
        if (found := re.fullmatch(r"Option\s*<(.+)>", known, re.DOTALL)) is not None:
            return "None" if value is None else f"Some({cls.translate_as(value, found[1].strip())})"
        return cls.translate(value)

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
        found = [match for match in map(_PARAMETER.match, parameters_cell["source"].splitlines()) if match]
        types = {match["name"]: _type_of(match["type"], match["value"]) for match in found}
        _TYPES.set(types)
        return [
            Parameter(
                name=match["name"],
                inferred_type_name=types[match["name"]] or "None",
                default=match["value"],
                help=match["help"] or "",
            )
            for match in found
        ]


# By the language, and by the name under which the kernel is installed.
papermill_translators.register("rust", RustTranslator)
papermill_translators.register("gpurepl", RustTranslator)
