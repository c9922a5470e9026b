//! NumPy's names and what is written for them here.
//!
//! Where the library has no such function, the form goes by way of the host:
//! it must compile as it stands and give NumPy's answer.

use super::place::{Call, Kind, Scope, operand};

/// NumPy's name, what it is applied to, and the form.
///
/// In a form `{a}`, `{b}` and `{c}` are the arguments, the array that a method
/// is called on first; `{&a}` lends one; `{elem}` is the first one's element
/// type, `{shape}` all arguments as a shape, `{list}` all of them lent. `{=a}` stands
/// in parentheses already.
type Row = (&'static [&'static str], &'static [Kind], &'static str);

use Kind::{Array, Number, Sequence, Text, Unknown};

/// What is applied to arrays, also those of which nothing is known.
const A: &[Kind] = &[Array, Unknown];

#[rustfmt::skip]
const FUNCTIONS: &[Row] = &[
    // Reductions.
    (&["sum"], A, "`{a}.sum()`"),
    (&["prod"], A, "`{a}.prod()`"),
    (&["mean", "average"], A, "`{a}.mean()`, with weights `{a}.average(&weights)`"),
    (&["amax"], A, "`{a}.max()`"),
    (&["amin"], A, "`{a}.min()`"),
    (&["any"], A, "`{a}.any()`"),
    (&["all"], A, "`{a}.all()`"),
    (&["norm"], A, "`{a}.norm()`"),
    (&["dot", "vdot"], A, "`{a}.{name}({&b})`"),
    (&["inner"], A, "`{a}.inner({&b})`"),
    (&["argmax"], A, "`{a}.argmax()`"),
    (&["argmin"], A, "`{a}.argmin()`"),
    (&["std"], A, "`{a}.std()`"),
    (&["var"], A, "`{a}.var()`"),
    (&["ptp", "count_nonzero", "nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanargmax", "nanargmin"], A, "`{a}.{name}()`"),
    (&["median", "nanmedian"], A, "`{a}.{name}()`"),
    (&["quantile", "percentile", "nanquantile", "nanpercentile"], A, "`{a}.{name}({b})`"),
    // Scans and sorts, most of which the library does not have.
    (&["cumsum", "cumprod", "nancumsum", "nancumprod", "ediff1d"], A, "`{a}.{name}()`"),
    (&["cov", "corrcoef", "bincount"], A, "`{a}.{name}()`"),
    (&["convolve", "correlate", "digitize"], A, "`{a}.{name}({&b})`"),
    (&["interp"], A, "`{a}.interp({&b}, {&c})`"),
    (&["histogram"], A, "counts and edges of ten bins: `{a}.histogram(10)`"),
    (&["histogram2d"], A, "`{a}.histogram2d({&b}, 10, 10)`"),
    (&["histogramdd"], A, "ten bins along each axis: `{a}.histogramdd(10)`"),
    (&["cross"], A, "`{a}.cross({&b})`"),
    (&["packbits", "unpackbits", "bitwise_count"], A, "`{a}.{name}()`"),
    (&["polyval", "polyadd", "polysub", "polymul", "polydiv"], A, "`array::{name}({&a}, {&b})`"),
    (&["polyfit"], A, "`array::polyfit({&a}, {&b}, {c})`"),
    (&["roots", "poly", "polyder", "polyint"], A, "`array::{name}({&a})`"),
    // What Python iterates over.
    (&["enumerate"], A, "`{a}.to_vec().into_iter().enumerate()`, over the first axis `(&{a}).into_iter().enumerate()`"),
    (&["zip"], A, "`{a}.to_vec().into_iter().zip({b}.to_vec())`"),
    (&["reversed"], A, "`{a}.flip_axis(0)`"),
    (&["softmax", "log_softmax", "logsumexp"], A, "`special::{name}({&a})`"),
    (&["cummax"], A, "`{a}.maximum_accumulate(0)`"),
    (&["cummin"], A, "`{a}.minimum_accumulate(0)`"),
    (&["trapezoid", "trapz"], A, "samples one apart: `{a}.trapezoid(1)`, at places `{a}.trapezoid(&x)`"),
    (&["gradient"], A, "samples one apart: `{a}.gradient(1)`, along an axis `{a}.gradient_axis(0, 1)`"),
    (&["sort", "sorted", "msort"], A, "a sorted copy is `{a}.sort()`"),
    (&["argsort"], A, "`{a}.argsort()`"),
    (&["unique"], A, "`{a}.unique()`"),
    (&["searchsorted"], A, "`{a}.searchsorted({&b})`"),
    (&["partition"], A, "`{a}.partition({b})`"),
    (&["argpartition"], A, "`{a}.argpartition({b})`"),
    (&["isin", "in1d"], A, "`{a}.isin({&b})`"),
    (&["intersect1d"], A, "`{a}.intersect1d({&b})`"),
    (&["union1d"], A, "`{a}.union1d({&b})`"),
    (&["setdiff1d"], A, "`{a}.setdiff1d({&b})`"),
    (&["setxor1d"], A, "`{a}.setxor1d({&b})`"),
    // Indices and masks.
    (&["nonzero", "flatnonzero", "argwhere"], A, "`{a}.{name}()`"),
    (&["take"], &[Array], "`{a}.take({&b})`"),
    (&["compress", "extract"], A, "`{b}.{name}({&a})`"),
    (&["put", "place", "putmask"], A, "`{a}.{name}({&b}, {c})`"),
    (&["take_along_axis"], A, "`{a}.take_along_axis({&b}, {c})`"),
    (&["put_along_axis"], A, "`{a}.put_along_axis({&b}, {c}, 0)`"),
    (&["fill_diagonal"], A, "`{a}.fill_diagonal({b})`"),
    (&["unravel_index"], A, "`array::unravel_index({&a}, {b})`"),
    (&["diag_indices"], &[Number, Unknown], "`array::diag_indices({a})`"),
    (&["tril_indices", "triu_indices"], &[Number, Unknown], "`array::{name}(({a}, {a}), 0)`"),
    // Functions of each element.
    (&["abs", "absolute", "fabs"], A, "`{a}.abs()`"),
    (&["sqrt"], A, "`{a}.sqrt()`"),
    (&["exp"], A, "`{a}.exp()`"),
    (&["log", "ln"], A, "`{a}.log()`"),
    (&["log10"], A, "`{a}.log10()`"),
    (&["log2", "log1p", "exp2", "expm1", "cbrt", "rint", "trunc", "fix", "sign", "square", "reciprocal"], A, "`{a}.{name}()`"),
    (&["arcsinh", "arccosh", "arctanh", "deg2rad", "rad2deg", "radians", "degrees"], A, "`{a}.{name}()`"),
    (&["sin"], A, "`{a}.sin()`"),
    (&["cos"], A, "`{a}.cos()`"),
    (&["tan"], A, "`{a}.tan()`"),
    (&["arcsin", "arccos", "arctan"], A, "`{a}.{name}()`"),
    (&["asin", "acos", "atan", "asinh", "acosh", "atanh"], A, "`{a}.{name}()`"),
    (&["isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit"], A, "`{a}.{name}()`"),
    (&["sinh"], A, "`{a}.sinh()`"),
    (&["cosh"], A, "`{a}.cosh()`"),
    (&["tanh"], A, "`{a}.tanh()`"),
    (&["floor"], A, "`{a}.floor()`"),
    (&["ceil"], A, "`{a}.ceil()`"),
    (&["real"], A, "`{a}.real()`"),
    (&["imag"], A, "`{a}.imag()`"),
    (&["conj", "conjugate"], A, "`{a}.conj()`"),
    (&["angle", "isreal", "iscomplex"], A, "`{a}.{name}()`"),
    (&["power", "pow", "powi", "powf", "float_power"], A, "`{a}.pow({b})`"),
    (&["negative"], A, "`-{&a}`"),
    (&["round", "around", "round_"], A, "with the number of decimals: `{a}.round(0)`"),
    // Operators as functions.
    (&["add"], A, "`{&a} + {&b}`"),
    (&["subtract"], A, "`{&a} - {&b}`"),
    (&["multiply"], A, "`{&a} * {&b}`"),
    (&["divide", "true_divide"], A, "`{&a} / {&b}`"),
    (&["floor_divide"], A, "`{a}.floor_div({&b})`"),
    (&["mod", "remainder"], A, "`{&a} % {&b}`"),
    (&["greater"], A, "`{a}.gt({&b})`"),
    (&["greater_equal"], A, "`{a}.ge({&b})`"),
    (&["less"], A, "`{a}.lt({&b})`"),
    (&["less_equal"], A, "`{a}.le({&b})`"),
    (&["equal"], A, "`{a}.eq({&b})`"),
    (&["not_equal"], A, "`{a}.ne({&b})`"),
    (&["bitwise_and"], A, "`{&a} & {&b}`"),
    (&["bitwise_or"], A, "`{&a} | {&b}`"),
    (&["bitwise_xor"], A, "`{&a} ^ {&b}`"),
    (&["bitwise_not", "invert"], A, "`(!{&a})`"),
    (&["logical_and", "logical_or", "logical_xor", "isclose", "ldexp"], A, "`{a}.{name}({&b})`"),
    (&["logical_not", "frexp", "modf", "nan_to_num", "sinc", "i0"], A, "`{a}.{name}()`"),
    (&["hypot", "arctan2", "copysign", "nextafter", "logaddexp", "logaddexp2", "heaviside"], A, "`{a}.{name}({&b})`"),
    (&["fmod", "fmax", "fmin", "gcd", "lcm", "divmod", "float_power"], A, "`{a}.{name}({&b})`"),
    // Choices.
    (&["maximum"], A, "`maximum({&a}, {&b})`"),
    (&["minimum"], A, "`minimum({&a}, {&b})`"),
    (&["clip", "clamp"], A, "`clip({&a}, {b}, {c})`"),
    (&["where", "if_positive", "select"], A, "`where_({&a}, {&b}, {&c})`"),
    (&["shares_memory", "may_share_memory"], A, "`{a}.may_share_memory({&b})`"),
    (&["ix_"], &[Sequence, Array, Unknown], "`array::ix_(({list}))`"),
    (&["allclose"], A, "`allclose({&a}, {&b})`"),
    (&["array_equal"], A, "`array_equal({&a}, {&b})`"),
    // Products of matrices.
    (&["outer", "kron"], A, "`{a}.{name}({&b})`"),
    (&["matmul"], A, "`{a}.matmul({&b})`"),
    (&["trace"], A, "`{a}.trace()`"),
    (&["matrix_power"], A, "`{a}.matrix_power({b})`"),
    (&["tensordot"], A, "`{a}.tensordot({&b}, 1)`, with the number of axes"),
    (&["einsum"], &[Text, Unknown], "`array::einsum({=a}, ({&b}, {&c}))`, with all arrays in a tuple"),
    (&["diff"], A, "`{a}.diff()`"),
    // Linear algebra and Fourier transforms, in modules of their own.
    (&["inv", "inverse"], A, "`linalg::inv({&a})?`"),
    (&["pinv", "det", "slogdet", "svd", "svdvals", "eig", "eigh", "eigvals", "eigvalsh", "qr", "cholesky", "lu", "lu_factor", "matrix_rank", "cond", "expm"], A, "`linalg::{name}({&a})?`"),
    (&["solve", "lstsq"], A, "`linalg::{name}({&a}, {&b})?`"),
    (&["fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "fftn", "ifftn"], A, "`fft::{name}({&a})?`"),
    // Shapes.
    (&["transpose"], A, "`{a}.t()`"),
    (&["permute"], A, "axes in an order that you name: `{a}.transpose_axes((1, 0))`"),
    (&["swapaxes"], A, "`{a}.swapaxes({b}, {c})`"),
    (&["moveaxis"], A, "`{a}.moveaxis({b}, {c})`"),
    (&["ravel"], A, "`{a}.ravel()`"),
    (&["flatten", "asfortranarray", "ascontiguousarray"], A, "`{a}.{name}()`"),
    (&["squeeze"], A, "`{a}.squeeze()`"),
    (&["expand_dims", "unsqueeze"], A, "`{a}.expand_dims({b})`"),
    (&["flip"], A, "`{a}.flip()`, along one axis `{a}.flip_axis(0)`"),
    (&["flipud"], A, "`{a}.flipud()`"),
    (&["fliplr"], A, "`{a}.fliplr()`"),
    (&["rot90"], A, "`{a}.rot90(1)`"),
    (&["broadcast_to", "expand"], A, "`{a}.broadcast_to({b})`"),
    (&["diagonal"], A, "`{a}.diagonal(0)`"),
    (&["atleast_1d", "atleast_2d", "atleast_3d"], A, "`{a}.{name}()`"),
    (&["concatenate", "hstack", "stack", "vstack", "dstack", "column_stack"], A, "`{name}(({list}))`"),
    (&["append"], A, "`{a}.append({&b})`"),
    (&["split", "array_split", "hsplit", "vsplit", "dsplit", "tile", "repeat", "resize", "roll", "delete"], A, "`{a}.{name}({b})`"),
    (&["tril", "triu", "diag", "diagflat"], A, "`{a}.{name}(0)`"),
    (&["vander"], A, "`{a}.vander({b})`"),
    (&["meshgrid"], A, "`meshgrid(({list}))`"),
    (&["insert"], A, "`{a}.insert({b}, {c})`"),
    (&["pad"], A, "`{a}.pad({b}, 0)`, at its edge `{a}.pad_edge({b})`"),
    (&["trim_zeros"], A, "`{a}.trim_zeros()`"),
    (&["copy"], A, "`{a}.copy()`"),
    (&["shape"], A, "`{a}.shape()`"),
    (&["size"], A, "`{a}.size()`"),
    (&["ndim"], A, "`{a}.ndim()`"),
    (&["len"], A, "`{a}.len()`"),
    (&["zeros_like"], A, "`zeros_like({&a})`"),
    (&["ones_like"], A, "`ones_like({&a})`"),
    (&["empty_like"], A, "`empty_like({&a})`"),
    (&["full_like"], A, "`full_like({&a}, {b})`"),
    (&["max"], A, "`{a}.max()`"),
    (&["min"], A, "`{a}.min()`"),
    // From and to the host.
    (&["tolist", "list"], A, "`{a}.to_vec()`"),
    (&["iter", "into_iter", "map", "filter", "for_each"], &[Array], "elements are on the device: `{a}.to_vec().iter()` copies them to the host"),
    (&["cpu", "numpy", "asnumpy", "to_host", "to_cpu", "get_async", "to_numpy"], A, "`{a}.get()` copies it to the host"),
    (&["cuda", "gpu", "to_device"], &[Array], "it is on the device already; `to_gpu(&data)` copies what the host has"),
    (&["free"], A, "`drop({a})` frees its memory"),
    // What Rust has for vectors and numbers.
    (&["sum"], &[Sequence], "`{a}.iter().sum::<{elem}>()`"),
    (&["max", "amax"], &[Sequence], "`{a}.iter().copied().reduce(|x, y| if y > x { y } else { x })`"),
    (&["min", "amin"], &[Sequence], "`{a}.iter().copied().reduce(|x, y| if y < x { y } else { x })`"),
    (&["len", "size"], &[Sequence, Kind::Text], "`{a}.len()`"),
    (&["sorted", "sort"], &[Sequence], "`let mut sorted = {a}.clone(); sorted.sort_by(|x, y| x.partial_cmp(y).unwrap()); sorted`"),
    (&["enumerate"], &[Sequence], "`{a}.iter().enumerate()`"),
    (&["reversed"], &[Sequence], "`{a}.iter().rev()`"),
    (&["zip"], &[Sequence], "`{a}.iter().zip({&b})`"),
    (&["array", "asarray", "append"], &[Sequence], "`to_gpu({&a})`"),
    (&["tril", "triu", "diag", "diagflat"], &[Sequence], "`to_gpu({&a}).{name}(0)`"),
    (&["copy", "list"], &[Sequence], "`{a}.clone()`"),
    (&["mean", "average"], &[Sequence], "`to_gpu({&a}).mean().item()`"),
    (&["argmax"], &[Sequence], "`{a}.iter().enumerate().max_by(|x, y| x.1.partial_cmp(y.1).unwrap()).map(|(k, _)| k)`"),
    (&["sqrt", "exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil", "log10", "log2", "cbrt"], &[Number], "`f64::{name}({.a})`"),
    (&["abs", "absolute", "fabs"], &[Number], "`f64::abs({.a})`, of whole numbers `i32::abs({=a})`"),
    (&["round", "rint"], &[Number], "`f64::round({.a})`; halves to even as Python: `f64::round_ties_even({.a})`"),
    (&["log"], &[Number], "`f64::ln({.a})`"),
    (&["pow", "power"], &[Number], "`f64::powf({.a}, {.b})`, of whole numbers `i32::pow({=a}, {=b})`"),
    (&["max", "maximum", "fmax"], &[Number], "`std::cmp::max({=a}, {=b})`, of floating-point numbers `f64::max({.a}, {.b})`"),
    (&["min", "minimum", "fmin"], &[Number], "`std::cmp::min({=a}, {=b})`, of floating-point numbers `f64::min({.a}, {.b})`"),
    (&["hypot"], &[Number], "`f64::hypot({.a}, {.b})`"),
    (&["atan2", "arctan2"], &[Number], "`f64::atan2({.a}, {.b})`"),
    // Creation.
    (&["array", "asarray"], &[Unknown, Array], "`to_gpu({&a})`"),
];

/// What `np.zeros(..)` and the like are, which take shapes and types.
#[rustfmt::skip]
const CREATION: &[(&str, &str)] = &[
    ("zeros", "`zeros::<{dtype}>({shape})`"),
    ("ones", "`ones::<{dtype}>({shape})`"),
    ("empty", "`empty::<{dtype}>({shape})`"),
    ("full", "`full({a}, {b})`"),
    ("rand", "`rand::<{dtype}>({shape})`"),
    ("random", "`rand::<{dtype}>({shape})`"),
    ("random_sample", "`rand::<{dtype}>({shape})`"),
    ("randn", "`randn::<{dtype}>({shape})`"),
    ("standard_normal", "`randn::<{dtype}>({shape})`"),
    ("normal", "`randn::<f64>(n) * deviation + mean`"),
    ("uniform", "`rand::<f64>(n) * (high - low) + low`"),
    ("randint", "`(rand::<f64>({count}) * {width} + {low}).floor().astype(i64)`"),
    ("seed", "`seed({a})`"),
    ("eye", "`eye::<{dtype}>({shape})`"),
    ("identity", "`eye::<{dtype}>({shape})`"),
    ("tri", "`array::tri::<{dtype}>({shape}, 0)`"),
    ("indices", "`array::indices({shape})`"),
];

/// NumPy's element types.
pub(super) const TYPES: &[(&str, &str)] = &[
    ("float", "f64"),
    ("double", "f64"),
    ("float64", "f64"),
    ("float32", "f32"),
    ("single", "f32"),
    ("float16", "f16"),
    ("half", "f16"),
    ("int", "i64"),
    ("long", "i64"),
    ("int64", "i64"),
    ("int32", "i32"),
    ("intc", "i32"),
    ("int16", "i16"),
    ("short", "i16"),
    ("int8", "i8"),
    ("uint", "u64"),
    ("uint64", "u64"),
    ("uint32", "u32"),
    ("unsigned", "u32"),
    ("uint16", "u16"),
    ("uint8", "u8"),
    ("bool_", "bool"),
    ("boolean", "bool"),
    ("complex64", "Complex32"),
    ("csingle", "Complex32"),
    ("complex128", "Complex64"),
    ("complex", "Complex64"),
    ("cdouble", "Complex64"),
    ("size_t", "usize"),
];

/// Rust's name of an element type of NumPy's or C's.
pub(super) fn element_type(name: &str) -> Option<&'static str> {
    let name = name.trim_matches(['"', '\'', ' ']);
    let name = name.rsplit('.').next().unwrap_or(name);
    TYPES.iter().find(|(known, _)| *known == name).map(|(_, of)| *of)
}

/// NumPy's constants.
pub(super) const CONSTANTS: &[(&str, &str)] = &[
    ("pi", "`std::f64::consts::PI`"),
    ("PI", "`std::f64::consts::PI`"),
    ("PI_f32", "`std::f32::consts::PI`"),
    ("PI_f64", "`std::f64::consts::PI`"),
    ("M_PI", "`std::f64::consts::PI`"),
    ("e", "`std::f64::consts::E`"),
    ("tau", "`std::f64::consts::TAU`"),
    ("inf", "`f64::INFINITY`"),
    ("Inf", "`f64::INFINITY`"),
    ("infinity", "`f64::INFINITY`"),
    ("INFINITY", "`f64::INFINITY`"),
    ("nan", "`f64::NAN`"),
    ("NaN", "`f64::NAN`"),
    ("NAN", "`f64::NAN`"),
    ("newaxis", "`NewAxis` in `s!`, as in `a.slice(s![.., NewAxis])`"),
];

/// The form for a function or method of NumPy's, filled in; `first` is what
/// the function is applied to where that is not an argument.
pub(super) fn form(scope: &Scope<'_>, name: &str, arguments: &[&str]) -> Option<String> {
    if let Some(form) = in_tuples(scope, name, arguments) {
        return Some(form);
    }
    // `concatenate((a, b))` takes a tuple or a list.
    let listed = arguments.first().and_then(|list| {
        let inner = list.strip_prefix(['(', '['])?;
        inner.strip_suffix([')', ']'])
    });
    let is_joining = ["concatenate", "stack", "hstack", "vstack", "dstack", "column_stack"].contains(&name);
    let listed: Vec<&str> = match listed.filter(|_| is_joining) {
        Some(list) => super::place::parts(list),
        None => arguments.to_vec(),
    };
    let kind = listed.first().map_or(Unknown, |first| scope.kind(first));
    form_of(scope, name, &listed, kind)
}

/// A function of `array` whose arrays stand in tuples or lists already.
fn in_tuples(scope: &Scope<'_>, name: &str, arguments: &[&str]) -> Option<String> {
    let places = match name {
        "einsum" => 1..2,
        "select" => 0..2,
        _ => return None,
    };
    let lent = |text: &&str| match scope.kind(text) {
        Array if !text.starts_with('&') => format!("&{}", operand(text)),
        _ => (*text).to_owned(),
    };
    let mut written: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
    for place in places {
        let inner = arguments.get(place)?.strip_prefix(['(', '['])?.strip_suffix([')', ']'])?;
        let list: Vec<String> = super::place::parts(inner).iter().map(lent).collect();
        let end = if list.len() == 1 { "," } else { "" };
        written[place] = format!("({}{end})", list.join(", "));
    }
    if name == "select" && written.len() == 2 {
        written.push("0".to_owned());
    }
    Some(format!("`array::{name}({})`", written.join(", ")))
}

/// The form for what is known to be of a kind.
pub(super) fn form_of(scope: &Scope<'_>, name: &str, listed: &[&str], kind: Kind) -> Option<String> {
    let row = FUNCTIONS.iter().find(|(names, kinds, _)| names.contains(&name) && kinds.contains(&kind));
    // Of two arrays: `max(a, b)`.
    let two = match (name, listed.len(), kind) {
        ("max", 2, Array | Unknown) => Some("`maximum({&a}, {&b})`"),
        ("min", 2, Array | Unknown) => Some("`minimum({&a}, {&b})`"),
        ("where", 1, Array | Unknown) => Some("`{a}.nonzero()`"),
        ("array", 1, Sequence) if listed[0].starts_with('[') => Some("`gpu!{a}`"),
        _ => None,
    };
    let form = two.or(row.map(|(_, _, form)| *form))?;
    Some(filled(scope, form, name, listed))
}

/// A form with the arguments of a call.
pub(super) fn filled(scope: &Scope<'_>, form: &str, name: &str, arguments: &[&str]) -> String {
    let list: Vec<String> = arguments.iter().map(|own| format!("&{}", operand(own))).collect();
    let mut text = form.replace("{name}", name).replace("{list}", &list.join(", "));
    for (k, letter) in ["a", "b", "c"].into_iter().enumerate() {
        let own = operand(arguments.get(k).copied().unwrap_or(letter));
        let is_lent = arguments.get(k).is_none_or(|own| scope.kind(own) != Number);
        let lent = if is_lent { format!("&{own}") } else { own.clone() };
        text = text.replace(&format!("{{{letter}}}"), &own).replace(&format!("{{&{letter}}}"), &lent);
    }
    let first = arguments.first().copied().unwrap_or_default();
    let element = scope.element(first).or_else(|| super::foreign::literal_element(first));
    let element = element.unwrap_or_else(|| "f64".to_owned());
    let text = text.replace("{elem}", &element);
    let raw = |k: usize, letter: &str| arguments.get(k).copied().unwrap_or(letter).to_owned();
    let float = |k: usize, letter: &str| {
        let own = raw(k, letter);
        if own.parse::<i64>().is_ok() { format!("{own}.0") } else { own }
    };
    let text = text.replace("{.a}", &float(0, "a")).replace("{.b}", &float(1, "b"));
    text.replace("{=a}", &raw(0, "a")).replace("{=b}", &raw(1, "b"))
}

/// What makes an array: `np.zeros((3, 4), dtype=np.float32)`.
pub(super) fn creation(scope: &Scope<'_>, call: &Call<'_>) -> Option<String> {
    let positional = call.positional();
    if let "arange" | "linspace" = call.name {
        return Some(ranged(call.name, &positional));
    }
    if let ("logspace" | "geomspace", [start, end, rest @ ..]) = (call.name, &positional[..]) {
        let number =
            |text: &str| if text.parse::<i64>().is_ok() { format!("{text}.0") } else { text.to_owned() };
        let count = call.keyword("num").or(rest.first().copied()).unwrap_or("50");
        return Some(format!("`array::{}({}, {}, {count})`", call.name, number(start), number(end)));
    }
    let form = CREATION.iter().find(|(name, _)| *name == call.name)?.1;
    let is_type = |text: &&&str| element_type(text).is_some() || super::types::is_number(text);
    let named = call.keyword("dtype").or_else(|| positional.iter().find(is_type).copied());
    let dtype = named.map(|of| element_type(of).unwrap_or(of)).unwrap_or("f64");
    let lengths: Vec<&str> = positional.iter().filter(|text| !is_type(text)).copied().collect();
    let shape = match lengths[..] {
        [] => "3".to_owned(),
        [only] => only.to_owned(),
        _ => format!("({})", lengths.join(", ")),
    };
    let (low, high) = match lengths[..] {
        [low, high, ..] => (low, high),
        [high] => ("0", high),
        [] => ("low", "high"),
    };
    let width = match (low.parse::<i64>(), high.parse::<i64>()) {
        (Ok(low), Ok(high)) => format!("{}.0", high - low),
        _ => format!("({high} - {low}) as f64"),
    };
    let form = form.replace("{dtype}", dtype).replace("{shape}", &shape);
    let low = if low.parse::<i64>().is_ok() { format!("{low}.0") } else { format!("{low} as f64") };
    let form = form.replace("{low}", &low).replace("{width}", &width);
    let form = form.replace("{count}", lengths.get(2).copied().unwrap_or("3"));
    Some(filled(scope, &form, call.name, &positional))
}

/// A range as one argument.
pub(super) fn ranged(name: &str, arguments: &[&str]) -> String {
    let is_float = arguments.iter().any(|text| text.contains('.'));
    let number = |text: &str| {
        let is_whole = text.parse::<i64>().is_ok();
        if is_whole && (is_float || name == "linspace") { format!("{text}.0") } else { text.to_owned() }
    };
    match (name, arguments) {
        ("linspace", [start, end]) => format!("`linspace({}, {}, 50)`", number(start), number(end)),
        ("linspace", [start, end, count, ..]) => {
            format!("`linspace({}, {}, {count})`", number(start), number(end))
        }
        ("linspace", _) => "`linspace(0.0, 1.0, 5)`".to_owned(),
        (_, [end]) => format!("`arange({}..{})`", if is_float { "0.0" } else { "0" }, number(end)),
        (_, [start, end]) => format!("`arange({}..{})`", number(start), number(end)),
        (_, [start, end, step, ..]) => {
            format!("`arange(({}..{}).by({}))`", number(start), number(end), number(step))
        }
        _ => "`arange(0..10)`".to_owned(),
    }
}
