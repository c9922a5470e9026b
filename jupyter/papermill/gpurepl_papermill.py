"""Parameters of notebooks in Rust, for papermill.

papermill writes parameters into a cell, in the notebook's language. This
module tells it how that is done in Rust: a value becomes a statement of the
same kind as its default (`let`, `let mut`, `const` or `static`), of the type
that the default has. Once it is installed nothing has to be named; the engine
of the same name is papermill's own.
"""

import json
import math
import re
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Optional

from papermill.engines import NBClientEngine
from papermill.exceptions import PapermillException
from papermill.models import Parameter
from papermill.translators import Translator, papermill_translators

__all__ = ["RustTranslator", "execute_notebook"]

execute_notebook = NBClientEngine.execute_notebook

# What Rust's text consists of, as far as it decides where a statement or an element ends.
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<text>[bc]?r(?P<hashes>\#*)".*?"(?P=hashes)|[bc]?"(?:[^"\\]|\\.)*")
    | (?P<char>b?'(?:[^'\\\n]|\\(?:u\{[^}]*\}|x..|.))')
    | (?P<lifetime>'\w+)
    # `0..5` begins with `0`, and `1.max(2)` with `1`.
    | (?P<number>0[xob][\da-fA-F_]+(?P<suffix_of_bits>[iu]\d+|[iu]size)?
        | \d[\d_]*(?P<fraction>\.(?![.\w])|\.\d[\d_]*)?(?P<exponent>[eE][+-]?[\d_]+)?
          (?P<suffix>[iuf]\d+|[iu]size)?)
    | (?P<word>\w+)
    | (?P<mark>\.\.=?|::|->|=>|==|.)""",
    re.VERBOSE | re.DOTALL,
)
_STATEMENT = re.compile(
    r"(?:pub\s+)?(?P<keyword>let(?:\s+mut)?|const|static(?:\s+mut)?)\s+(?P<name>[^\W\d]\w*)\s*"
    r"(?::(?!:)\s*(?P<type>[^=]+?))?\s*=(?!=)\s*(?P<value>.+)",
    re.DOTALL,
)

_INTEGERS = {f"{sign}{bits}": (sign, bits) for sign in "iu" for bits in (8, 16, 32, 64, 128)}
_INTEGERS |= {"isize": ("i", 64), "usize": ("u", 64)}
_NUMBERS = {*_INTEGERS, "f32", "f64"}
_MOST_OF_F32 = (2 - 2**-23) * 2.0**127
_TEXTS = ("String", "&str", "PathBuf")
_MAPS = ("BTreeMap", "HashMap")
_LISTS = ("Vec", "VecDeque", "BTreeSet", "HashSet", "BinaryHeap")
# By whether a start is written, whether the end belongs to it, and whether an end is written.
_RANGES = {
    (True, False, True): "Range",
    (True, True, True): "RangeInclusive",
    (True, False, False): "RangeFrom",
    (False, False, True): "RangeTo",
    (False, True, True): "RangeToInclusive",
}
_CONSTANT = re.compile(
    r"-?\s*(?:\w+::)*(?P<type>f32|f64|[iu]\d+|[iu]size)"
    r"::(?:MAX|MIN|MIN_POSITIVE|EPSILON|NAN|(?:NEG_)?INFINITY|consts::\w+)"
)
# Comparisons have another type than their operands.
_CAST = re.compile(r"[^=<>&|]+\bas\s+(?P<type>\w+)", re.DOTALL)
_PATH = r"(?:\w+\s*::\s*)*\w+"


@dataclass
class _Default:
    """A statement of the cell of the parameters."""

    keyword: str
    name: str
    value: str
    type: Optional[str]
    help: str = ""


# The defaults of the notebook that is about to run: papermill looks at them
# before it writes the values that were passed.
_DEFAULTS = ContextVar("gpurepl_defaults", default={})


def _defaults(source):
    """The statements of a cell that a parameter can replace."""
    found, depth, begin, is_first = [], 0, None, True
    tokens = list(_TOKEN.finditer(source))
    for position, token in enumerate(tokens):
        kind, text = token.lastgroup, token[0]
        if kind == "space":
            is_first = is_first or "\n" in text
            continue
        if kind == "comment":
            continue
        if kind == "mark" and text in "([{":
            depth += 1
        elif kind == "mark" and text in ")]}":
            depth -= 1
        elif depth == 0 and is_first and text in ("let", "const", "static", "pub"):
            begin = token.start()
        elif depth == 0 and text == ";":
            statement = None if begin is None else _STATEMENT.fullmatch(source[begin : token.start()].rstrip())
            if statement:
                keyword, name, known, value = statement.group("keyword", "name", "type", "value")
                comment = _comment_after(tokens[position + 1 :])
                found.append(_Default(" ".join(keyword.split()), name, value, _type_of(known, value), comment))
            begin = None
        is_first = depth == 0 and text in (";", "}")
    return found


def _comment_after(tokens):
    """The comment that ends a line."""
    for token in tokens:
        if token.lastgroup == "comment" and token[0].startswith("//"):
            return token[0].strip("/ \t\r")
        if token.lastgroup != "space" or "\n" in token[0]:
            break
    return ""


def _split(text, *marks, opening="([{", closing=")]}"):
    """The parts of a text between marks that are outside of brackets."""
    parts, begin, depth = [], 0, 0
    for token in _TOKEN.finditer(text):
        if token.lastgroup != "mark":
            continue
        if token[0] in opening:
            depth += 1
        elif token[0] in closing:
            depth -= 1
        elif depth == 0 and token[0] in marks:
            parts.append(text[begin : token.start()].strip())
            begin = token.end()
    return [*parts, text[begin:].strip()]


def _elements(text, **brackets):
    """The parts between commas; there may be one behind the last."""
    parts = _split(text, ",", **brackets)
    return parts if parts[-1] else parts[:-1]


def _types(text):
    return _elements(text, opening="([{<", closing=")]}>")


def _array_type(known):
    """The type of the elements of `[T; N]` or `[T]`, and the length, or None."""
    item, *length = _split(known[1:-1], ";", opening="([{<", closing=")]}>")
    return item, length[0] if length else None


def _named_type(known):
    """The path of a type, its last name, and the types that it is generic over."""
    found = re.fullmatch(rf"({_PATH})\s*(?:<(.*)>)?", known, re.DOTALL)
    if not found:
        return known, known, []
    return found[1], found[1].split("::")[-1].strip(), _types(found[2] or "")


def _group(text):
    """What is before the brackets that a text ends with, which these are, and what is in them."""
    begin, end, depth = None, None, 0
    for token in _TOKEN.finditer(text):
        if token.lastgroup != "mark":
            continue
        if token[0] in "([{":
            if depth == 0:
                if begin is not None:
                    return None
                begin = token.start()
            depth += 1
        elif token[0] in ")]}":
            depth -= 1
            end = token.end()
    if begin is None or depth != 0 or end != len(text):
        return None
    return "".join(text[:begin].split()), text[begin], text[begin + 1 : -1].strip()


def _type_of(annotation, default):
    """The type of a default: the one that is written, or the one that its literal has."""
    bare = "".join(" " if t.lastgroup == "comment" else t[0] for t in _TOKEN.finditer(default)).strip()
    literal = _literal_type(bare)
    if literal:
        # What Rust chooses where nothing else decides.
        for open_type, chosen in (("{integer}", "i32"), ("{float}", "f64"), ("{any}", "_")):
            literal = literal.replace(open_type, chosen)
    if annotation:
        has_gap = lambda text: any(token[0] == "_" for token in _TOKEN.finditer(text))
        if not has_gap(annotation) or not literal or has_gap(literal):
            return re.sub(r"\s+", " ", annotation)
    return literal


def _literal_type(text):
    """The type of a literal, or None. `{integer}`, `{float}` or `{any}` stand for what it leaves open."""
    without_sign = text[1:].strip() if text.startswith("-") else text
    token = _TOKEN.fullmatch(without_sign)
    if token and token.lastgroup == "number":
        is_float = token["fraction"] or token["exponent"]
        return token["suffix"] or token["suffix_of_bits"] or ("{float}" if is_float else "{integer}")
    token = _TOKEN.fullmatch(text)
    # A token that is matched against a whole text may reach over several.
    if token and _TOKEN.match(text).end() == len(text):
        if token.lastgroup == "char":
            return "u8" if text.startswith("b") else "char"
        if token.lastgroup == "text":
            return "&str" if text[0] not in "bc" else None
    if text in ("true", "false"):
        return "bool"
    if text == "None":
        return "Option<{any}>"
    for mark in ("..=", ".."):
        if len(ends := _split(text, mark)) == 2:
            name = _RANGES.get((bool(ends[0]), mark == "..=", bool(ends[1])))
            items = [_literal_type(end) or "{any}" for end in ends if end]
            # An end that is no literal decides the type of the other.
            return name and f"std::ops::{name}<{'{any}' if '{any}' in items else _common(items)}>"
    for pattern in (_CONSTANT, _CAST):
        if (found := pattern.fullmatch(text)) and found["type"] in _NUMBERS:
            return found["type"]
    if (group := _group(text)) and (known := _type_of_group(*group)):
        return known
    return _type_of_arithmetic(text)


def _type_of_arithmetic(text):
    """The type of `60 * 24` and `1 << 20`: that of its numbers. What a number is shifted by may have another."""
    tokens = [t for t in _TOKEN.finditer(re.sub(r"(?:<<|>>).*", "", text, flags=re.DOTALL)) if t.lastgroup != "space"]
    numbers = [_literal_type(t[0]) for t in tokens if t.lastgroup == "number"]
    is_arithmetic = numbers and all(t.lastgroup == "number" or t[0] in "+-*/%()" for t in tokens)
    return _common(numbers) if is_arithmetic else None


def _type_of_group(head, bracket, inside):
    """The type of a literal that ends with brackets."""
    if bracket == "[" and head in ("", "&", "vec!", "gpu!"):
        first, *behind = _split(inside, ";")
        if head == "gpu!" and behind and (first == "bool" or first in _NUMBERS):
            return f"GpuArray<{first}>"
        if head == "gpu!":
            return f"GpuArray<{_type_of_innermost(first if behind else inside)}>"
        items = [first] if behind else _elements(inside)
        item = _common([_literal_type(item) or "{any}" for item in items])
        return f"Vec<{item}>" if head == "vec!" else f"{head}[{item}; {behind[0] if behind else len(items)}]"
    if bracket != "(":
        return None
    items = [_literal_type(item) or "{any}" for item in _elements(inside)]
    if head == "" and items:
        is_tuple = len(items) > 1 or inside.endswith(",")
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})" if is_tuple else _literal_type(inside)
    if head == "Some":
        return f"Option<{items[0]}>"
    if head in ("String::from", "String::new"):
        return "String"
    text = _TOKEN.match(head)
    if text and text.lastgroup == "text" and head[text.end() :] in (".to_string", ".to_owned"):
        return "String"
    if found := re.fullmatch(rf"({_PATH})::<(.+)>::\w+", head):
        return f"{found[1]}<{', '.join(_types(found[2]))}>"
    if not (found := re.fullmatch(rf"({_PATH})::from", head)) or len(items) != 1:
        return None
    path, name, _ = _named_type(found[1])
    if name == "PathBuf":
        return path
    if name not in _LISTS + _MAPS or not items[0].startswith("["):
        return None
    item, _ = _array_type(items[0])
    if name in _LISTS:
        return f"{path}<{item}>"
    pair = _types(item[1:-1]) if item.startswith("(") else []
    return f"{path}<{', '.join(pair)}>" if len(pair) == 2 else None


def _type_of_innermost(text):
    """The type of the numbers of nested lists."""
    items = _elements(text)
    if items and all(item.startswith("[") and item.endswith("]") for item in items):
        return _common([_type_of_innermost(item[1:-1]) for item in items])
    return _common([_literal_type(item) or "{any}" for item in items])


def _common(types):
    """The type of elements that have one: that of the element that leaves the least open."""
    return min(types, key=lambda text: 2 * text.count("{any}") + text.count("{"), default="{any}")


def _without_lifetimes(known):
    return re.sub(r"&\s*(?:'\w+\s+)?", "&", known.strip())


def _number(text):
    """The number that a text is. Raises a ValueError if it is none."""
    found = re.fullmatch(r"-?\d[\d_]*(?P<fraction>\.\d[\d_]*|\.)?(?P<exponent>[eE][+-]?\d+)?", text)
    if not found:
        raise ValueError
    return float(text) if found["fraction"] or found["exponent"] else int(text)


def _limits(known):
    sign, bits = _INTEGERS[known]
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if sign == "i" else (0, 2**bits - 1)


def _expected(known):
    """What can be passed as a value of a type."""
    known = _without_lifetimes(known)
    _, name, items = _named_type(known)
    if known in _INTEGERS:
        return "a whole number from {} to {}".format(*_limits(known))
    if known in ("f32", "f64"):
        return "a number" if known == "f64" else "a number that an `f32` can hold"
    if known == "bool":
        return "true or false"
    if known == "char":
        return "one character"
    if name in _TEXTS or known == "&str":
        return "a text"
    if known.startswith(("[", "&[")):
        item, length = _array_type(known.lstrip("&"))
        return f"a list{f' of {length} values' if length else ''}, each {_expected(item)}"
    if known.startswith("("):
        parts = _types(known[1:-1])
        return f"a list of {len(parts)} values: {', '.join(map(_expected, parts))}"
    if name in (*_LISTS, "GpuArray") and items:
        return f"a list, each value {_expected(items[0])}"
    if name in _MAPS and len(items) == 2:
        return f"a mapping, each key {_expected(items[0])} and each value {_expected(items[1])}"
    if name == "Option" and items:
        return f"null or {_expected(items[0])}"
    for (has_start, is_inclusive, has_end), of_range in _RANGES.items():
        if name == of_range and items:
            ends = {"f32": ("0.0", "5.0"), "f64": ("0.0", "5.0"), "char": ("a", "e")}
            start, end = ends.get(items[0], ("0", "5"))
            return f'a text such as "{start * has_start}..{"=" * is_inclusive}{end * has_end}"'
    return f"a value of the type `{known}`"


def _shown(value):
    """A value as it was passed, or its beginning."""
    text = json.dumps(value, default=str, ensure_ascii=False, skipkeys=True)
    return _shortened(text)


def _shortened(text):
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _is_list_type(known):
    """Whether a value is passed as a list or a mapping."""
    _, name, items = _named_type(known)
    return known.startswith(("[", "&[", "(")) or (bool(items) and name in (*_LISTS, *_MAPS, "GpuArray"))


def _advice(default, value):
    """How a value has to be passed that does not have the type of its default."""
    known = _without_lifetimes(default.type)
    name = _named_type(known)[1]
    said = f"give {_expected(known)}"
    if isinstance(value, str) and _is_list_type(known):
        return f"{said}; `-p` passes a text, and `-y '{default.name}: ..'` a list or a mapping"
    if (known == "&str" or name in _TEXTS) and (value is None or isinstance(value, bool)):
        return f"{said}; `-r {default.name} VALUE` passes every value as a text"
    if isinstance(value, list) and known.startswith("[") and str(len(value)) != _array_type(known)[1]:
        other = "`vec![..]`" if default.keyword.startswith("let") else f"`&[{_array_type(known)[0]}]`"
        return f"{said}, or write the default as {other}, whose length may change"
    if isinstance(value, (int, float)) and not isinstance(value, bool) and known in _INTEGERS:
        other = "f64" if isinstance(value, float) else "i128" if known == "i64" else "i64"
        statement = f"{default.keyword} {default.name}: {other}"
        return f"{said}, or write the default with another type, such as `{statement}`"
    return said


class RustTranslator(Translator):
    """Writes values as Rust does."""

    @classmethod
    def codify(cls, parameters, comment="Parameters"):
        # The next notebook may have no defaults.
        defaults = _DEFAULTS.get()
        _DEFAULTS.set({})
        lines = [cls.comment(comment)]
        for name, value in parameters.items():
            default = defaults.get(name) or _Default("let", name, "", None)
            lines.append(cls.statement(default, value))
        return "\n".join(lines) + "\n"

    @classmethod
    def statement(cls, default, value):
        """The statement that a value is passed by."""
        refused = f"cannot pass {_shown(value)} as the parameter `{default.name}`"
        if default.type is None:
            try:
                return cls.assign(default.name, cls.translate(value), default.keyword)
            except PapermillException as error:
                raise PapermillException(f"{refused}: {error}") from None
        # What allocates memory, or is computed on a device, is no constant.
        words = set(re.findall(r"\w+", default.type))
        if not default.keyword.startswith("let") and words & {*_LISTS, *_MAPS, "String", "PathBuf", "GpuArray"}:
            raise PapermillException(
                f"{refused}: a `{default.keyword}` cannot hold a value of its type `{default.type}`\n"
                f"  = help: write the default with `let`: `let {default.name}: {default.type} = ..;`"
            )
        try:
            text = cls.translate_as(value, default.type)
        except (ValueError, OverflowError):
            raise PapermillException(
                f"{refused}: its default `{_shortened(default.value)}` has the type `{default.type}`\n"
                f"  = help: {_advice(default, value)}"
            ) from None
        except PapermillException as error:
            raise PapermillException(f"{refused}: {error}") from None
        return cls.assign(f"{default.name}: {default.type}", text, default.keyword)

    @classmethod
    def translate_as(cls, value, known):
        """Writes a value as one of a type. Raises a ValueError if it is none."""
        known = _without_lifetimes(known)
        path, name, items = _named_type(known)
        if known in _NUMBERS:
            return cls.translate_number_as(value, known)
        if known == "bool":
            # `-p flag true` passes a text: papermill knows Python's `True` alone.
            if value not in ("true", "false") and not isinstance(value, bool):
                raise ValueError
            return str(value).lower()
        if known == "char":
            text = str(value)
            if isinstance(value, (bool, list, dict)) or value is None or len(text) != 1:
                raise ValueError
            # In a literal of a character `'` has to be escaped, and `"` need not be.
            return "'\\''" if text == "'" else f"'{cls.translate_escaped_str(text)[1:-1]}'"
        if name in _TEXTS or known == "&str":
            if isinstance(value, (bool, list, dict)) or value is None:
                raise ValueError
            text = cls.translate_escaped_str(value)
            return {"String": f"{text}.to_string()", "PathBuf": f"{path}::from({text})"}.get(name, text)
        if known.startswith(("[", "&[")):
            item, length = _array_type(known.lstrip("&"))
            # A length that is the name of a constant is compared by the compiler.
            if length and length.isdigit() and isinstance(value, list) and len(value) != int(length):
                raise ValueError
            return f"{'&' * known.startswith('&')}[{cls.translate_items(value, item)}]"
        if known.startswith("("):
            parts = _types(known[1:-1])
            if not isinstance(value, list) or len(value) != len(parts):
                raise ValueError
            return f"({', '.join(map(cls.translate_as, value, parts))}{',' if len(parts) == 1 else ''})"
        if name == "Vec" and len(items) == 1:
            return f"vec![{cls.translate_items(value, items[0])}]"
        if name in _LISTS and len(items) == 1:
            return f"{path}::from([{cls.translate_items(value, items[0])}])"
        if name == "GpuArray" and len(items) == 1:
            # Without elements the macro has to be told their type.
            return f"gpu![{items[0]}; ]" if value == [] else f"gpu!{cls.translate_nested(value, items[0])}"
        if name in _MAPS and len(items) == 2:
            return f"{path}::from([{cls.translate_pairs(value, *items)}])"
        if name == "Option" and len(items) == 1:
            return "None" if value is None else f"Some({cls.translate_as(value, items[0])})"
        if name in _RANGES.values() and len(items) == 1:
            return cls.translate_range(value, name, items[0])
        return cls.translate(value)

    @classmethod
    def translate_number_as(cls, value, known):
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise ValueError
        if known in _INTEGERS:
            least, most = _limits(known)
            if (isinstance(value, float) and not value.is_integer()) or not least <= value <= most:
                raise ValueError
            return str(int(value))
        number = float(value)
        if known == "f32" and math.isfinite(number) and abs(number) > _MOST_OF_F32:
            raise ValueError
        return cls.translate_float(number).replace("f64", known)

    @classmethod
    def translate_items(cls, value, item):
        if not isinstance(value, list):
            raise ValueError
        return ", ".join(cls.translate_as(element, item) for element in value)

    @classmethod
    def translate_nested(cls, value, item):
        if not isinstance(value, list):
            raise ValueError
        of_part = lambda part: cls.translate_nested if isinstance(part, list) else cls.translate_as
        return f"[{', '.join(of_part(part)(part, item) for part in value)}]"

    @classmethod
    def translate_pairs(cls, value, key_type, value_type):
        if not isinstance(value, dict):
            raise ValueError
        # Keys of JSON are texts, whatever they stand for.
        keys = {key: _number(key) if isinstance(key, str) and key_type in _NUMBERS else key for key in value}
        return ", ".join(
            f"({cls.translate_as(keys[key], key_type)}, {cls.translate_as(item, value_type)})"
            for key, item in value.items()
        )

    @classmethod
    def translate_range(cls, value, name, item):
        if not isinstance(value, str):
            raise ValueError
        mark = "..=" if name.endswith("Inclusive") else ".."
        start, found, end = (part.strip() for part in value.partition(mark))
        if not found or _RANGES.get((bool(start), mark == "..=", bool(end))) != name:
            raise ValueError
        read = (lambda end: end.strip("'")) if item == "char" else _number
        return mark.join(cls.translate_as(read(end), item) if end else "" for end in (start, end))

    @classmethod
    def translate_none(cls, val):
        raise PapermillException(
            "Rust has no value for `null`: leave the parameter out, or write its default as an `Option`"
        )

    @classmethod
    def translate_int(cls, val):
        for suffix, bits in (("", 31), ("_i64", 63), ("_i128", 127)):
            if -(2**bits) <= val < 2**bits:
                return f"{val}{suffix}"
        raise PapermillException(f"no integer type of Rust holds {val}: pass a smaller number, or a text")

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
        if not val:
            return "Vec::<f64>::new()"
        return f"vec![{', '.join(map(cls.translate, cls.alike(val)))}]"

    @classmethod
    def translate_dict(cls, val):
        if not val:
            return "std::collections::BTreeMap::<&str, f64>::new()"
        items = map(cls.translate, cls.alike(list(val.values())))
        pairs = ", ".join(f"({cls.translate_str(key)}, {item})" for key, item in zip(val, items))
        return f"std::collections::BTreeMap::from([{pairs}])"

    @classmethod
    def alike(cls, val):
        """Values as ones of one type: whole numbers among fractions are fractions."""
        if len({float if type(item) is int else type(item) for item in val}) > 1:
            raise PapermillException(f"a list or a mapping of Rust holds values of one type, and not {val!r}")
        if any(type(item) is float for item in val):
            return [float(item) for item in val]
        return val

    @classmethod
    def comment(cls, cmt_str):
        return f"// {cmt_str}".strip()

    @classmethod
    def assign(cls, name, str_val, keyword="let"):
        return f"{keyword} {name} = {str_val};"

    @classmethod
    def inspect(cls, parameters_cell):
        defaults = _defaults(parameters_cell["source"])
        _DEFAULTS.set({default.name: default for default in defaults})
        return [
            Parameter(
                name=default.name,
                inferred_type_name=default.type or "None",
                default=default.value,
                help=default.help,
            )
            for default in defaults
        ]


# By the language, and by the name under which the kernel is installed.
papermill_translators.register("rust", RustTranslator)
papermill_translators.register("gpurepl", RustTranslator)
