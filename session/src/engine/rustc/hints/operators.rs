//! Operators: those that Rust gives another meaning, and operands that do not
//! go together.

use super::Mistake;
use super::place::{Call, Kind, end_of_expression, is_name, operand, receiver_start};
use super::{arithmetic, lists, moves, updates};

/// Advice about an operator.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    let said = &mistake.message.message;
    match mistake.message.code() {
        "E0614" => of_power(mistake),
        "E0507" if mistake.words().starts_with("**") || mistake.words().starts_with('*') => of_power(mistake),
        "E0689" => of_number(mistake),
        "E0369" => of_binary(mistake),
        "E0368" => updates::advice(mistake),
        "E0277" if said.contains("cannot add-assign") || assigns(said) => updates::advice(mistake),
        "E0277" if said.contains("cannot be combined with an array of") => of_scalar(mistake),
        "E0277" if said.contains("have no bit operators") || said.contains("cannot be shifted") => {
            of_binary(mistake)
        }
        // Of types that have the operator with others.
        "E0277" if said.starts_with("no implementation for `") && said.contains("GpuArray") => {
            of_binary(mistake).or_else(|| of_number_and_array(mistake))
        }
        "E0277" if said.contains("GpuArray") => of_number_and_array(mistake),
        "E0277" if said.starts_with("cannot multiply") && said.contains("str`") => {
            let (left, _, right) = sides(mistake)?;
            lists::of_repeated(mistake, left, right)
        }
        "E0277" => of_numbers(mistake),
        "E0600" => of_unary(mistake),
        "E0382"
            if mistake.all().contains("calling this operator moves")
                && mistake.all().contains("GpuArray") =>
        {
            moves::of_taken(mistake).or_else(|| moves::of_second_use(mistake)).or_else(|| {
                let (left, sign, right) = sides(mistake)?;
                let (left, right) = (operand(left), lent(mistake, right));
                Some(format!(
                    "an operator on an array itself consumes it; `&{left} {sign} {right}` borrows it"
                ))
            })
        }
        "E0505" if mistake.scope.kind(mistake.words()) == Kind::Array => {
            moves::of_argument(mistake).or_else(|| moves::of_itself(mistake))
        }
        "E0505" | "E0502" | "E0382" => moves::of_itself(mistake)
            .or_else(|| moves::of_length(mistake))
            .or_else(|| moves::of_taken(mistake)),
        _ => None,
    }
}

fn assigns(said: &str) -> bool {
    ["subtract-assign", "multiply-assign", "divide-assign", "-assign `"]
        .iter()
        .any(|verb| said.contains(verb))
}

/// The operands of the operator at a place: the compiler points at it, or at
/// all of the operation.
pub(super) fn sides<'m>(mistake: &Mistake<'m>) -> Option<(&'m str, &'m str, &'m str)> {
    const SIGNS: &[&str] = &[
        "<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==", "!=", ">=", "<=", "&&", "||",
        "<<", ">>", "+", "-", "*", "/", "%", "^", "&", "|", ">", "<",
    ];
    let line = mistake.line();
    let column = mistake.column();
    let words = mistake.words();
    let sign = SIGNS.iter().find(|sign| words == **sign);
    let (at, sign) = match sign {
        Some(sign) => (column, *sign),
        // All of the operation, or its left side.
        None => {
            let from = column + mistake.words().find(' ').unwrap_or(0);
            SIGNS
                .iter()
                .filter_map(|sign| Some((from + line.get(from..)?.find(&format!(" {sign} "))? + 1, *sign)))
                .min_by_key(|(at, sign)| (*at, std::cmp::Reverse(sign.len())))?
        }
    };
    let before = line[..at].trim_end();
    let after = line[at + sign.len()..].trim_start();
    Some((left_side(before), sign, right_side(after)))
}

/// The operand that ends a text: what is multiplied is one, what is added is
/// not part of it.
pub(super) fn left_side(before: &str) -> &str {
    if let Some(text) = before.strip_suffix('"') {
        return &before[text.rfind('"').unwrap_or(0)..];
    }
    let mut start = receiver_start(before);
    loop {
        let head = before[..start].trim_end();
        let Some(rest) = head.strip_suffix(['*', '/']) else { break };
        let rest = rest.trim_end();
        let next = receiver_start(rest);
        if next == rest.len() {
            break;
        }
        start = next;
    }
    let sign = before[..start].trim_end().strip_suffix('&').filter(|head| !head.ends_with('&')).map(str::len);
    before[sign.unwrap_or(start)..].trim()
}

/// The operand that starts a text.
pub(super) fn right_side(after: &str) -> &str {
    after[..end_of_expression(after, |at, c| c == ' ' && at > 0)].trim()
}

/// A text as a lent array, or as the number that it is.
pub(super) fn lent(mistake: &Mistake<'_>, text: &str) -> String {
    if mistake.scope.kind(text) == Kind::Number || text.starts_with('&') {
        return text.to_owned();
    }
    format!("&{}", operand(text))
}

/// Whether a place is in a function for devices: there are numbers and no arrays.
fn is_in_kernel(mistake: &Mistake<'_>) -> bool {
    let before = mistake.text.get(..mistake.range.start).unwrap_or_default();
    let last = before.rfind("#[kernel]").max(before.rfind("#[device]"));
    // A function ends before the next line that begins with its closing bracket.
    last.is_some_and(|start| !before[start..].contains("\n}"))
}

/// `a ** 2`
fn of_power(mistake: &Mistake<'_>) -> Option<String> {
    // The compiler points at `*2`, the second sign and what follows.
    let line = mistake.line();
    let at = line.get(..mistake.column() + 1)?.rfind("**").or_else(|| line.find("**"))?;
    let (before, after) = (line[..at].trim_end(), line[at + 2..].trim_start());
    let base = operand(&before[receiver_start(before)..]);
    let lent_end = usize::from(after.starts_with('&'));
    let exponent = &after[..lent_end + arithmetic::operand_end(&after[lent_end..])];
    if mistake.scope.kind(&base) == Kind::Number && mistake.scope.kind(exponent) == Kind::Array {
        return Some(format!("a power of a number is `power({base}, {})`", lent(mistake, exponent)));
    }
    let of = if is_in_kernel(mistake) { "a power of a float" } else { "a power" };
    let power = match (is_in_kernel(mistake), exponent.parse::<u32>().is_ok()) {
        (true, true) => format!("{base}.powi({exponent})"),
        (true, false) => format!("{base}.powf({exponent})"),
        (false, _) => arithmetic::power(mistake.scope, &base, exponent),
    };
    Some(format!("{of} is written `{power}`; `*` alone multiplies"))
}

/// `2.pow(&a)`, `1.0.atan2(&a)`: a method of a number, given an array.
fn of_number(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.start)?;
    let (number, array) = (call.on?, *call.positional().first()?);
    if mistake.scope.kind(array) != Kind::Array {
        return None;
    }
    let function = match call.name {
        "pow" | "powf" | "powi" => "power",
        "max" => "maximum",
        "min" => "minimum",
        "atan2" | "arctan2" => "cumath::arctan2",
        "hypot" => "cumath::hypot",
        "copysign" => "cumath::copysign",
        _ => return None,
    };
    Some(format!("with a number first it is a function: `{function}({number}, {})`", lent(mistake, array)))
}

/// Comparisons, `^`, and arithmetic of vectors.
fn of_binary(mistake: &Mistake<'_>) -> Option<String> {
    let all = mistake.all();
    let (left, sign, right) = sides(mistake)?;
    let base = operand(left);
    if !all.contains("GpuArray") {
        let is_host = all.contains("Vec<")
            || all.contains("`[")
            || mistake.labels().any(|label| label.starts_with('['));
        if sign == "+" && all.contains("str`") {
            return Some(format!("strings are joined by `format!(\"{{}}{{}}\", {left}, {right})`"));
        }
        if sign == "*" && (all.contains("str`") || all.contains("`String`")) {
            return lists::of_repeated(mistake, left, right);
        }
        if is_host && let Some(help) = lists::advice(mistake, left, sign, right) {
            return Some(help);
        }
        if is_host && ["+", "-", "*", "/", "%"].contains(&sign) {
            let (left, right) = (lists::on_device(mistake, left), lists::on_device(mistake, right));
            return Some(format!("arithmetic is for arrays: `{left} {sign} {right}`"));
        }
        return None;
    }
    let method = match sign {
        ">" => "gt",
        "<" => "lt",
        ">=" => "ge",
        "<=" => "le",
        "==" => "eq",
        "!=" => "ne",
        "&&" | "||" => {
            let sign = &sign[..1];
            return Some(format!("elementwise: `{} {sign} {}`", lent(mistake, left), lent(mistake, right)));
        }
        "+" | "-" | "*" | "/" | "%" if mistake.scope.kind(left) == Kind::Sequence => {
            let array = lists::on_device(mistake, left);
            return Some(format!("arithmetic is for arrays: `{array} {sign} {}`", lent(mistake, right)));
        }
        "&" | "|" | "^" if all.contains("u64>") && !all.contains("<f") => {
            return Some(format!(
                "no type of integers holds both types: `{} {sign} {}.astype(i64)`, or the other one as `u64`",
                lent(mistake, left),
                operand(right)
            ));
        }
        "^" => {
            return Some(format!(
                "a power is written `{base}.pow({})`; `^` is the exclusive or of integers",
                right.trim_start_matches('&')
            ));
        }
        "<<" | ">>" => {
            let numbers = right.trim_start_matches('&');
            return Some(format!(
                "shifts are for integers: `{} {sign} {}.astype(i64)`",
                lent(mistake, left),
                operand(numbers)
            ));
        }
        "&" | "|" => {
            return Some("`&` and `|` are for integers and `bool`: `a.gt(1) & a.lt(3)`".to_owned());
        }
        _ => return None,
    };
    // What is compared is computed first: `a % 2 == 0`.
    let is_computed = left_side(left) == left;
    let whole = compared(mistake, left);
    let (left, base) = match &whole {
        Some(whole) if is_computed => (whole.as_str(), format!("({})", lending(mistake, whole))),
        _ => (left, base),
    };
    let right = lent(mistake, right);
    // One element, or one number, is compared as such.
    let is_element =
        base.ends_with(']') && !base.contains("![") && !base.contains("..") && !base.contains(':');
    let is_single = is_element
        || ["sum()", "mean()", "max()", "min()", "norm()", "prod()"].iter().any(|end| base.ends_with(end));
    if is_single {
        let number = right.trim_start_matches('&');
        return Some(format!("`.item()` reads the only element: `{base}.item() {sign} {number}`"));
    }
    // `a[a > 2.0]`
    let before = mistake.line()[..mistake.column()].trim_end();
    if let Some(before) = before.strip_suffix(left).unwrap_or(before).trim_end().strip_suffix('[') {
        let on = &before[receiver_start(before)..];
        if mistake.scope.kind(on) == Kind::Array {
            return Some(super::indexing::masked(mistake, on, &format!("{base}.{method}({right})")));
        }
    }
    if sign == "==" || sign == "!=" {
        return Some(format!(
            "compare elements by `{base}.{method}({right})`, whole arrays by `array_equal(&{base}, {right})` or \
             `allclose(&{base}, {right})`"
        ));
    }
    Some(format!("comparisons of arrays are methods: `{base}.{method}({right})`"))
}

/// All of the arithmetic that ends where a comparison's left side does.
fn compared(mistake: &Mistake<'_>, left: &str) -> Option<String> {
    let line = mistake.line();
    let end = left.as_ptr() as usize - line.as_ptr() as usize + left.len();
    let mut start = end - left.len();
    loop {
        let head = line[..start].trim_end();
        let Some(rest) = head.strip_suffix(['+', '-', '*', '/', '%']) else { break };
        let next = left_side(rest.trim_end());
        if next.is_empty() {
            break;
        }
        start = next.as_ptr() as usize - line.as_ptr() as usize;
    }
    (start < end - left.len()).then(|| line[start..end].trim().to_owned())
}

/// An expression whose arrays are lent: `&a % 2` for `a % 2`.
fn lending(mistake: &Mistake<'_>, expression: &str) -> String {
    let words = expression.split(' ').map(|word| {
        let is_array = is_name(word) && mistake.scope.kind(word) == Kind::Array;
        if is_array { format!("&{word}") } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// `i += 1.5`, `i + 2.5f32`
fn of_scalar(mistake: &Mistake<'_>) -> Option<String> {
    if mistake.message.message.contains("ArrayBase<") {
        return Some(
            "an array of the host and one of the device do not mix: `to_gpu(&host)`, or `device.get()`"
                .to_owned(),
        );
    }
    let (left, sign, right) = sides(mistake)?;
    let name = operand(left);
    if sign.starts_with(['&', '|', '^', '<', '>']) {
        let whole = right.split('.').next().filter(|whole| whole.parse::<i64>().is_ok());
        let number = whole.map_or_else(|| format!("({} as i32)", operand(right)), str::to_owned);
        let left = if sign.ends_with('=') { name } else { lent(mistake, left) };
        return Some(format!("bits are for integers and booleans: `{left} {sign} {number}`"));
    }
    if let Some(sign) = sign.strip_suffix('=') {
        return Some(format!(
            "an operation in place keeps an array of integers one; a new array is of f64: `let {name} = &{name} {sign} {right};`"
        ));
    }
    if mistake.scope.kind(right) == Kind::Sequence {
        return Some(format!(
            "arithmetic is for arrays: `&{name} {sign} {}`",
            lists::on_device(mistake, right)
        ));
    }
    let of = mistake.quoted();
    if !super::types::is_number(of) && !of.starts_with("{float") && !of.starts_with("{integer") {
        return None;
    }
    let lent = lent(mistake, left);
    Some(format!("write the number as `f64`: `{lent} {sign} {}`", as_float(right)))
}

/// A number as `f64`: a literal without its type, or a conversion.
fn as_float(number: &str) -> String {
    let literal = number.strip_suffix("f32").or_else(|| number.strip_suffix("f16"));
    match literal.map(|text| text.trim_end_matches('_')).filter(|text| text.parse::<f64>().is_ok()) {
        Some(text) if text.contains('.') => text.to_owned(),
        Some(text) => format!("{text}.0"),
        None => format!("{} as f64", operand(number)),
    }
}

/// `s * &a` with an `f32` or a `usize`.
fn of_number_and_array(mistake: &Mistake<'_>) -> Option<String> {
    let said = &mistake.message.message;
    let verbs = [
        "cannot multiply `",
        "cannot add `",
        "cannot subtract `",
        "cannot divide `",
        "cannot calculate the remainder of `",
    ];
    if !verbs.iter().any(|verb| said.starts_with(verb)) {
        return None;
    }
    let of = mistake.quoted();
    let is_subtraction = said.starts_with("cannot subtract");
    // "cannot subtract `A` from `B`": the number is what stands on the left.
    let (left, sign, right) = sides(mistake)?;
    if said.contains("ArrayBase<") {
        return None;
    }
    if mistake.scope.kind(left) == Kind::Array && !super::types::is_number(of) && !is_subtraction {
        return None;
    }
    let (number, array) = (operand(left), lent(mistake, right));
    let number = if left.contains([' ', '+', '-']) {
        format!("({})", number.trim_matches(['(', ')']))
    } else {
        number
    };
    let all = mistake.all();
    let is_float = all.contains("`f32` ") || all.contains("`f32 ") || all.contains("`f16");
    let is_whole = ["<i8>", "<i16>", "<i32>", "<i64>", "<u8>", "<u16>", "<u32>", "<u64>", "<bool>"]
        .iter()
        .any(|of| said.contains(&format!("GpuArray{of}")));
    Some(match sign {
        // With a number of this type the array does not go either way.
        _ if is_float && is_whole => {
            format!("write the number as `f64`: `{} {sign} {array}`", as_float(&number))
        }
        "+" | "*" => format!("put the array first: `{array} {sign} {number}`"),
        "-" if !is_float => format!("put the array first: `-({array} - {number})`"),
        _ => format!("write the number as `f64`: `{} {sign} {array}`", as_float(&number)),
    })
}

/// Numbers of two types: `5 / 2.0`, `a.mean().item() + 1`.
fn of_numbers(mistake: &Mistake<'_>) -> Option<String> {
    let said = &mistake.message.message;
    let is_arithmetic = said.starts_with("cannot add `")
        || said.starts_with("cannot subtract `")
        || said.starts_with("cannot multiply `")
        || said.starts_with("cannot divide `")
        || said.starts_with("cannot calculate the remainder");
    let types: Vec<&str> = said.split('`').skip(1).step_by(2).collect();
    let is_number = |of: &&&str| super::types::is_number(of) || **of == "{integer}" || **of == "{float}";
    if !is_arithmetic || types.iter().filter(is_number).count() < 2 {
        return None;
    }
    let (left, sign, right) = sides(mistake)?;
    let as_float = |text: &str| match text.parse::<i64>() {
        Ok(_) => format!("{text}.0"),
        Err(_) => format!("{} as f64", operand(text)),
    };
    let is_whole = |of: &str| of == "{integer}" || of.starts_with(['i', 'u']);
    // "cannot subtract `right` from `left`", "cannot add `right` to `left`".
    let turned = said.starts_with("cannot add") || said.starts_with("cannot subtract");
    let (of_left, of_right) = if turned { (types[1], types[0]) } else { (types[0], types[1]) };
    Some(match (is_whole(of_left), is_whole(of_right)) {
        (true, false) => format!("numbers of two types do not mix: `{} {sign} {right}`", as_float(left)),
        (false, true) if of_left == "f32" && right.parse::<i64>().is_err() => {
            format!("numbers of two types do not mix: `{left} {sign} {} as f32`", operand(right))
        }
        (false, true) => format!("numbers of two types do not mix: `{left} {sign} {}`", as_float(right)),
        (true, true) if right.parse::<i64>().is_ok() => {
            format!("numbers of two types do not mix: `{left} {sign} {right}_{of_left}`")
        }
        _ if of_left.starts_with('{') => return None,
        // A number that the type cannot hold is an error, and not another number.
        _ => {
            format!("numbers of two types do not mix: `{left} {sign} {of_left}::try_from({})?`", right.trim())
        }
    })
}

/// `!a` of floats, `-v`.
fn of_unary(mistake: &Mistake<'_>) -> Option<String> {
    let all = mistake.all();
    let text = mistake.words().trim_start_matches(['!', '-']);
    if all.contains("GpuArray") && all.contains("`!`") {
        return Some(format!(
            "`!` is for `bool` and integers; `{}.eq(0)` says where an element is zero",
            operand(text)
        ));
    }
    if all.contains("GpuArray<bool>") && all.contains("`-`") {
        // At the start of a cell `!` begins a command of the system.
        let is_first = mistake.line()[..mistake.column()].trim().is_empty();
        let opposite = format!("!{}", lent(mistake, text));
        let opposite = if is_first { format!("({opposite})") } else { opposite };
        return Some(format!("of booleans the opposite is `{opposite}`"));
    }
    // `v[-1]`
    let before = mistake.line().get(..mistake.column())?.trim_end();
    if before.ends_with(".matrix_power(") {
        return Some(
            "a power of a matrix is a whole number from 0 up, `.matrix_power(2)`; there is no inverse here"
                .to_owned(),
        );
    }
    if all.contains("usize") && before.ends_with('[') {
        let on = &before[receiver_start(&before[..before.len() - 1])..before.len() - 1];
        return Some(format!(
            "from the end: `{on}[{on}.len() - {}]`, the last also `{on}.last()`",
            text.trim()
        ));
    }
    None
}
