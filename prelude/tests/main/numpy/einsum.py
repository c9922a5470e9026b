"""Writes what NumPy's `einsum` gives, for `einsum.rs` to compare with.

    python3 einsum.py        (NumPy 2; the file is kept in the repository)

A line is `subscripts | dtype | shapes of the operands | shape | elements`. The
operands are whole numbers in a pattern that both sides write, so that all sums
are exact. The subscripts are those of NumPy's own tests (test_einsum.py), and
random ones.
"""

import pathlib
import random

import numpy as np

HERE = pathlib.Path(__file__).parent

CASES = """
i-> : 7
...i->... : 2 3 5
i...->... : 2 5
i...->... : 2 3 5
ii : 4 4
...,... : 3 5 ; 2 3 5
...i,...i : 2 3 5 ; 5
i...,i... : 5 3 2 ; 5
i,j : 3 ; 5
ij,j : 4 5 ; 5
ji,j : 5 4 ; 5
ij,jk : 4 5 ; 5 6
ij,jk,kl : 3 4 ; 4 5 ; 5 6
ijk,jil->kl : 3 4 5 ; 4 3 2
i,i,i->i : 8 ; 8 ; 8
,i-> :  ; 9
i,-> : 9 ;
i,->i : 9 ;
,i->i :  ; 9
z,mz,zm-> : 2 ; 2 2 ; 2 2
ij,ij->j : 5 2 ; 1 2
i,i : 2 ; 1
...ij,...jk->...ik : 1 5 ; 5 5
ji,i-> : 2 2 ; 2
i,ij-> : 2 ; 2 2
... : 2 3
ji : 2 3
ii->i : 3 3
...ii->...i : 3 3 3
ii...->...i : 3 3 3
...ii->i... : 3 3 3
jii->ij : 3 3 3
ii...->i... : 3 3 3
i...i->i... : 3 3 3
i...i->...i : 3 3 3
iii->i : 3 3 3
ijk->jik : 2 3 4
i...j,j...-> ij... : 2 3 4 ; 4 3
i...,...j->ij... : 2 3 ; 3 5
->  :
 : 
, :  ;
ab,ab : 3 2 ; 3 2
aij,jk->ik : 2 3 4 ; 4 5
bij,bjk->bik : 2 3 4 ; 2 4 5
bij,bj->bi : 2 3 4 ; 2 4
bhqd,bhkd->bhqk : 2 2 3 4 ; 2 2 5 4
bhqk,bhkd->bhqd : 2 2 3 5 ; 2 2 5 4
abcd,cd->ab : 2 3 2 3 ; 2 3
abcd,dc->ab : 2 3 2 3 ; 3 2
ab,cd->acbd : 2 2 ; 3 2
aabb->ab : 2 2 3 3
aab,bcc->ac : 2 2 3 ; 3 4 4
ij,ij->i : 3 4 ; 3 4
ij,kj->k : 3 4 ; 5 4
ij,kl->il : 3 4 ; 5 2
ij,jk->ki : 3 0 ; 0 4
ij,jk->ki : 0 3 ; 3 4
ij-> : 0 3
ij->i : 3 0
a,b,c,d->dcba : 2 ; 3 ; 2 ; 3
ab,bc,cd,de,ea-> : 2 3 ; 3 2 ; 2 3 ; 3 2 ; 2 2
ea,fb,abcd,gc,hd->efgh : 2 2 ; 2 3 ; 2 3 2 2 ; 2 2 ; 2 2
abcdefgh,hgfedcba-> : 2 1 2 1 2 1 2 1 ; 1 2 1 2 1 2 1 2
abcdef,efghij->abcdghij : 1 2 1 2 2 1 ; 2 1 2 1 2 1
XY,Yx->xX : 2 3 ; 3 4
bA : 2 3
""".strip("\n").split("\n")

DTYPES = ["int32", "float64", "bool", "uint8", "int64", "float32", "float16", "complex64", "complex128"]


def operand(number, shape, dtype):
    count = np.arange(int(np.prod(shape, dtype=int)))
    whole = (count * 5 + number * 3) % 7
    if dtype == "bool":
        return (whole > 4).reshape(shape)
    if dtype.startswith("complex"):
        return (whole - 3 + 1j * (count % 3 - 1)).astype(dtype).reshape(shape)
    return (whole - (0 if dtype.startswith("u") else 3)).astype(dtype).reshape(shape)


def text(x):
    if isinstance(x, np.bool_):
        return "true" if x else "false"
    if isinstance(x, np.complexfloating):
        re, im = float(x.real) + 0.0, float(x.imag) + 0.0
        return f"Complex {{ re: {re!r}, im: {im!r} }}"
    return repr(float(x) + 0.0) if isinstance(x, np.floating) else str(x)


def line(subscripts, dtype, shapes):
    operands = [operand(number, shape, dtype) for number, shape in enumerate(shapes)]
    a = np.asarray(np.einsum(subscripts, *operands))
    assert a.dtype == dtype
    if a.size > 400 or dtype == "float16" and a.size and abs(a).max() > 2000:
        return None
    if dtype in ("float32", "complex64") and a.size and abs(a).max() > 1 << 23:
        return None
    written = " ; ".join(" ".join(map(str, shape)) for shape in shapes)
    return f"{subscripts} | {dtype} | {written} | {' '.join(map(str, a.shape))} | {' '.join(text(x) for x in a.ravel())}"


def random_case(source):
    letters = "abcdeF"
    lengths = {letter: source.choice([1, 2, 2, 3, 4]) for letter in letters}
    dots = [source.choice([2, 3]) for _ in range(2)]
    parts, shapes = [], []
    for _ in range(source.choice([1, 2, 2, 2, 3, 4])):
        part = [source.choice(letters) for _ in range(source.randrange(0, 4))]
        shape = [[1 if source.random() < 0.05 and part.count(letter) == 1 else lengths[letter]] for letter in part]
        if source.random() < 0.3:
            at = source.randrange(len(part) + 1)
            part.insert(at, "...")
            shape.insert(at, [1 if source.random() < 0.2 else n for n in dots[source.randrange(3):]])
        parts.append("".join(part))
        shapes.append(tuple(n for some in shape for n in some))
    subscripts = ",".join(parts)
    if source.random() < 0.7:
        used = sorted({letter for part in parts for letter in part if letter != "."})
        output = source.sample(used, source.randrange(len(used) + 1))
        if any("..." in part for part in parts):
            output.insert(source.randrange(len(output) + 1), "...")
        subscripts += "->" + "".join(output)
    return subscripts, shapes


lines = []
for number, case in enumerate(CASES):
    subscripts, shapes = case.split(":", 1)
    shapes = [tuple(map(int, shape.split())) for shape in shapes.split(";")]
    for dtype in ["int32", DTYPES[1 + number % (len(DTYPES) - 1)]]:
        lines.append(line(subscripts.strip(), dtype, shapes))
source = random.Random(7)
for number in range(300):
    subscripts, shapes = random_case(source)
    lines.append(line(subscripts, DTYPES[number % len(DTYPES)], shapes))
(HERE / "einsum.txt").write_text("\n".join(filter(None, lines)) + "\n")
