"""What `arrays_numpy.py` measures: each row in Rust and in Python."""

from dataclasses import dataclass

# Of both: the same names, the same shapes, numbers of the same kind.
SETUP_RUST = """
let n = SIZE;
let side = (n as f64).sqrt() as usize;
let g = default_rng(1);
let a = g.uniform(0.0, 1.0, n).astype::<f32>();
let b = g.uniform(0.0, 1.0, n).astype::<f32>();
let d = g.uniform(0.0, 1.0, n);
let e = g.uniform(0.0, 1.0, n);
let mut y = b.copy();
let m = a.gt(0.5);
let i = g.integers(-1_000_000_000..1_000_000_000_i64, n).astype::<i32>();
let few = g.integers(0..1000_i64, n).astype::<i32>();
let u = g.integers(0..i64::MAX, n).astype::<u64>();
let at = g.integers(0..n as i64, n);
let r = a.slice(s![..side * side]).reshape((side, side)).copy();
let column = g.uniform(0.0, 1.0, (side, 1)).astype::<f32>();
let row = g.uniform(0.0, 1.0, side).astype::<f32>();
let c = &a + &b * Complex32::new(0.0, 1.0);
let c = c.copy();
let h = a.astype::<f16>();
let k = b.astype::<f16>();
let (p, q) = (g.uniform(-1.0, 1.0, (1024, 1024)).astype::<f32>(), g.uniform(-1.0, 1.0, (1024, 1024)).astype::<f32>());
let (pd, qd) = (p.astype::<f64>(), q.astype::<f64>());
let (sa, sb, sd) = (a.slice(s![..1000]).copy(), b.slice(s![..1000]).copy(), d.slice(s![..1000]).copy());
for ready in [&a, &b, &y, &r, &column, &row, &p, &q, &sa, &sb] {
    drop(ready.gpudata());
}
drop((d.gpudata(), e.gpudata(), m.gpudata(), i.gpudata(), few.gpudata(), u.gpudata(), at.gpudata(), c.gpudata()));
drop((h.gpudata(), k.gpudata(), pd.gpudata(), qd.gpudata(), sd.gpudata()));
"""

SETUP_NUMPY = """
side = int(n ** 0.5)
g = np.random.default_rng(1)
f32 = np.float32
a, b = g.random(n, f32), g.random(n, f32)
d, e = g.random(n), g.random(n)
y = b.copy()
m = a > 0.5
i = g.integers(-1_000_000_000, 1_000_000_000, n).astype(np.int32)
few = g.integers(0, 1000, n).astype(np.int32)
u = g.integers(0, 2 ** 63 - 1, n).astype(np.uint64)
at = g.integers(0, n, n)
r = a[: side * side].reshape(side, side).copy()
column, row = g.random((side, 1), f32), g.random(side, f32)
c = a + 1j * b
c = c.astype(np.complex64)
h, k = a.astype(np.float16), b.astype(np.float16)
p, q = g.random((1024, 1024), f32), g.random((1024, 1024), f32)
pd, qd = p.astype(float), q.astype(float)
sa, sb, sd = a[:1000].copy(), b[:1000].copy(), d[:1000].copy()
def axpy(y, a):
    y += f32(5) * a
"""


@dataclass
class Row:
    group: str
    name: str
    rust: str
    python: str
    repeat: int = 1

    def rust_statement(self):
        """The expression's value is computed and dropped; a statement is as it is."""
        return self.rust if self.rust.endswith(";") else f"drop(({self.rust}).gpudata());"


def same(group, names, of="a", python="np.{}({})"):
    """Functions of one array, whose names may differ: `ours=NumPy's`."""
    pairs = [name.split("=") for name in names.split()]
    return [Row(group, f"{of}.{pair[0]}()", f"{of}.{pair[0]}()", python.format(pair[-1], of)) for pair in pairs]


def along(name, theirs=None):
    """A reduction of all elements, and along each axis of a square."""
    theirs = theirs or name
    rows = [Row("f32", f"a.{name}()", f"a.{name}()", f"np.{theirs}(a)")]
    for axis in (0, 1):
        of_axis = f"r.{name}_axis({axis})"
        rows.append(Row("f32, 3162 x 3162", of_axis, of_axis, f"np.{theirs}(r, axis={axis})"))
    return rows


FUNCTIONS = "exp log log10 log2 exp2 expm1 log1p sin cos tan sinh cosh tanh sqrt cbrt asin=arcsin acos=arccos atan=arctan asinh=arcsinh acosh=arccosh atanh=arctanh"
POSITIVE = " ".join(name for name in FUNCTIONS.split() if not name.startswith("acosh"))

ROWS = [
    Row("f32", "a + b", "&a + &b", "a + b"),
    Row("f32", "5*a + 6*b", "5 * &a + 6 * &b", "f32(5) * a + f32(6) * b"),
    Row("f32", "y += 5*a", "y += 5 * &a; drop(y.gpudata());", "axpy(y, a)"),
    Row("f32", "a.gt(&b)", "a.gt(&b)", "a > b"),
    Row("f32", "maximum(&a, &b)", "maximum(&a, &b)", "np.maximum(a, b)"),
    Row("f32", "a.copy()", "a.copy()", "a.copy()"),
    *along("sum"),
    *along("max"),
    *along("mean"),
    *along("argmax"),
    *along("var"),
    Row("f32", "a.norm()", "a.norm()", "np.linalg.norm(a)"),
    Row("f32", "a.dot(&b)", "a.dot(&b)", "a.dot(b)"),
    *along("cumsum"),
    Row("f32", "a.sort()", "a.sort()", "np.sort(a)"),
    Row("f64", "d.sort()", "d.sort()", "np.sort(d)"),
    Row("i32", "i.sort()", "i.sort()", "np.sort(i)"),
    Row("u64", "u.sort()", "u.sort()", "np.sort(u)"),
    Row("f32, 3162 x 3162", "r.sort_axis(1)", "r.sort_axis(1)", "np.sort(r, axis=1)"),
    Row("f32", "a.argsort()", "a.argsort()", "np.argsort(a)"),
    Row("f32", "a.argsort(), stable", "a.argsort()", "np.argsort(a, stable=True)"),
    Row("i32", "few.unique()", "few.unique()", "np.unique(few)"),
    Row("f32", "a.unique()", "a.unique()", "np.unique(a)"),
    Row("f32, 3162 x 3162", "r.t().copy()", "r.t().copy()", "r.T.copy('C')"),
    Row("f32, 3162 x 3162", "&row + &column", "&row + &column", "row + column"),
    Row("f32", "every second", "a.slice(s![..;2]).copy()", "a[::2].copy()"),
    Row("f32", "a.take(&at)", "a.take(&at)", "a.take(at)"),
    Row("f32", "a[&a.gt(0.5)]", "a[&a.gt(0.5)].copy()", "a[a > 0.5]"),
    Row("f32", "where_(&m, &a, &b)", "where_(&m, &a, &b)", "np.where(m, a, b)"),
    Row("f32", "a.histogram((256, 0.0..1.0))", "drop(a.histogram((256, 0.0..1.0)).0.gpudata());", "np.histogram(a, 256, (0, 1))"),
    Row("f32", "concatenate((&a, &b))", "concatenate((&a, &b))", "np.concatenate((a, b))"),
    *same("f32", POSITIVE),
    Row("f32", "a.pow(&b)", "a.pow(&b)", "a ** b"),
    Row("f32", "a.hypot(&b)", "a.hypot(&b)", "np.hypot(a, b)"),
    Row("f32", "a.atan2(&b)", "a.atan2(&b)", "np.arctan2(a, b)"),
    Row("f64", "d + e", "&d + &e", "d + e"),
    Row("f64", "d.sum()", "d.sum()", "d.sum()"),
    Row("f64", "d.cumsum()", "d.cumsum()", "d.cumsum()"),
    *same("f64", POSITIVE, "d"),
    Row("f64", "d.pow(&e)", "d.pow(&e)", "d ** e"),
    Row("f64", "d.hypot(&e)", "d.hypot(&e)", "np.hypot(d, e)"),
    Row("i32", "i * 3", "&i * 3", "i * 3"),
    Row("i32", "few.sum()", "few.sum()", "few.sum()"),
    Row("f64", "g.uniform(0, 1, n)", "g.uniform(0.0, 1.0, n)", "g.random(n)"),
    Row("f64", "g.normal(0, 1, n)", "g.normal(0.0, 1.0, n)", "g.standard_normal(n)"),
    Row("f32", "rand::<f32>(n)", "rand::<f32>(n)", "g.random(n, f32)"),
    Row("f32", "randn::<f32>(n)", "randn::<f32>(n)", "g.standard_normal(n, f32)"),
    Row("f32, 1024 x 1024", "p.matmul(&q)", "p.matmul(&q)", "p @ q"),
    Row("f64, 1024 x 1024", "pd.matmul(&qd)", "pd.matmul(&qd)", "pd @ qd"),
    Row("f32, 1024 x 1024", 'einsum("ij,jk", (&p, &q))', 'array::einsum("ij,jk", (&p, &q))', 'np.einsum("ij,jk", p, q, optimize=True)'),
    *same("c32", "abs exp", "c"),
    Row("c32", "c * c", "&c * &c", "c * c"),
    Row("f16", "h + k", "&h + &k", "h + k"),
    Row("1000 f32", "a + b", "&sa + &sb", "sa + sb", 1000),
    Row("1000 f32", "2*a + b", "2 * &sa + &sb", "2 * sa + sb", 1000),
    Row("1000 f32", "a.sum()", "sa.sum()", "sa.sum()", 1000),
    Row("1000 f32", "a.max()", "sa.max()", "sa.max()", 1000),
    Row("1000 f32", "a.sort()", "sa.sort()", "np.sort(sa)", 100),
    Row("1000 f32", "a.exp()", "sa.exp()", "np.exp(sa)", 1000),
    Row("1000 f64", "d.sin()", "sd.sin()", "np.sin(sd)", 1000),
]
