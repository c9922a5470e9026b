//! Lines of C and C++, and of languages that write as these do.

use super::super::place::{closing, is_name, parts};
use super::{Found, after_word, expression};

/// Types that a declaration starts with.
const TYPES: &[(&str, &str)] = &[
    ("unsigned int", "u32"),
    ("unsigned long", "u64"),
    ("unsigned char", "u8"),
    ("long long", "i64"),
    ("unsigned", "u32"),
    ("int", "i32"),
    ("long", "i64"),
    ("short", "i16"),
    ("char", "i8"),
    ("float", "f32"),
    ("double", "f64"),
    ("bool", "bool"),
    ("size_t", "usize"),
    ("auto", ""),
    ("var", ""),
];

pub(super) fn line(line: &str, rest: &str) -> Option<Found> {
    let code = line.trim();
    preprocessor(line, code)
        .or_else(|| kernel(line, code, rest))
        .or_else(|| launch(line, code))
        .or_else(|| counting(line, code))
        .or_else(|| declaration(line, code))
        .or_else(|| conditional(line, code))
        .or_else(|| cast(line, code))
        .or_else(|| literal(line))
}

fn preprocessor(line: &str, code: &str) -> Option<Found> {
    if let Some(rest) = code.strip_prefix("#define ") {
        let (name, value) = rest.trim().split_once(' ')?;
        let of = if value.contains('.') { "f32" } else { "i32" };
        let help = format!(
            "in Rust `const {name}: {of} = {};`; a kernel's text can have its own `#define`",
            value.trim()
        );
        return Some(Found::new(line, "#define", help));
    }
    if code.starts_with("#include") {
        let help = "a header belongs to the text of a kernel, `source` in `SourceModule::new(source)?`";
        return Some(Found::new(line, "#include", help.to_owned()));
    }
    None
}

/// A kernel without the string that holds it.
fn kernel(line: &str, code: &str, rest: &str) -> Option<Found> {
    let code = code.strip_prefix("extern \"C\" ").unwrap_or(code);
    let word = ["__global__", "__device__", "__constant__", "template <", "template<"];
    let word = word.into_iter().find(|word| code.starts_with(word))?;
    let text = if rest.trim().contains('\n') || rest.contains('"') { ".." } else { rest.trim() };
    let help = format!("CUDA C is the text of a kernel: `let module = SourceModule::new(r#\"{text}\"#)?;`");
    Some(Found::new(line, word, help))
}

/// `f<<<1, 32>>>(a);`
fn launch(line: &str, code: &str) -> Option<Found> {
    let (name, rest) = code.split_once("<<<")?;
    let (shape, arguments) = rest.split_once(">>>")?;
    let name = name.trim();
    let arguments = arguments.trim().strip_prefix('(')?;
    let arguments = &arguments[..closing(arguments, '(', ')')?];
    let shape = parts(shape);
    let (grid, block) = (shape.first()?, shape.get(1)?);
    let lent: Vec<String> = parts(arguments).into_iter().map(argument).collect();
    let arguments = match &lent[..] {
        [only] => format!("({only},)"),
        _ => format!("({})", lent.join(", ")),
    };
    let help =
        format!("a function of a module is launched by `{name}.launch({grid}, {block}, {arguments})?`");
    Some(Found::new(line, code.trim_end_matches(';'), help).of_name(name)).filter(|_| is_name(name))
}

impl Found {
    /// Said of the launch of a name, not of all its arguments.
    fn of_name(mut self, name: &str) -> Found {
        self.what = format!("`{name}<<<..>>>(..)`");
        self
    }
}

/// An argument of a launch: arrays are lent, to be written too.
fn argument(text: &str) -> String {
    let text = text.trim();
    if is_name(text) { format!("&mut {text}") } else { text.to_owned() }
}

/// `for (int i = 0; i < n; i++) {`
fn counting(line: &str, code: &str) -> Option<Found> {
    let rest = after_word(code, "for")?.strip_prefix('(')?;
    let head = &rest[..closing(rest, '(', ')')?];
    let clauses: Vec<&str> = head.split(';').map(str::trim).collect();
    let [first, until, step] = clauses[..] else { return None };
    let (name, start) = first.split_once('=')?;
    let name = name.split_whitespace().last()?;
    let (range, end) = match until.split_once("<=") {
        Some((_, end)) => ("..=", end.trim()),
        None => ("..", until.split_once('<')?.1.trim()),
    };
    let start = start.trim();
    let of = match step.split_once("+=") {
        Some((_, step)) => format!("({start}{range}{end}).step_by({})", step.trim()),
        None => format!("{start}{range}{end}"),
    };
    let part = &code[..code.len() - rest.len() + head.len() + 1];
    Some(Found::new(line, part, format!("write `for {name} in {of} {{ .. }}`")))
}

/// `float y = 1.5f;`, `int n, m;`, `dim3 block(16, 16);`, `y := 5`
fn declaration(line: &str, code: &str) -> Option<Found> {
    let code = code.trim_end_matches(';').trim_end();
    if let Some((name, value)) = code.split_once(":=") {
        let name = name.trim();
        return is_name(name).then(|| {
            Found::new(line, ":=", format!("a variable is declared by `let {name} = {};`", value.trim()))
        });
    }
    if let Some(rest) = after_word(code, "dim3") {
        let (name, lengths) = rest.split_once('(')?;
        let lengths = lengths.strip_suffix(')')?;
        let help = format!("sizes are tuples: `let {} = ({});`", name.trim(), lengths.trim());
        return Some(Found::new(line, "dim3", help));
    }
    let plain = after_word(code, "const").unwrap_or(code);
    let (word, of, rest) =
        TYPES.iter().find_map(|(word, of)| Some((*word, *of, after_word(plain, word)?)))?;
    if rest.starts_with('*') {
        let name = rest.trim_start_matches('*').trim();
        let name = name.split(['=', ' ']).next().unwrap_or("p");
        let help = format!(
            "what a kernel gets as a pointer is an array: `let {name} = zeros::<{}>(n);`",
            if of.is_empty() { "f32" } else { of }
        );
        return Some(Found::named(line, word, format!("`{word} *`"), help));
    }
    let (name, value) = match rest.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (rest, None),
    };
    if !is_name(name) {
        return None;
    }
    let value = value
        .map(|value| number(value, of))
        .unwrap_or_else(|| if of.starts_with('f') { "0.0" } else { "0" }.to_owned());
    let annotation = if of.is_empty() { String::new() } else { format!(": {of}") };
    let help = format!("a variable is declared by `let {name}{annotation} = {value};`");
    Some(Found::named(line, word, format!("`{word} {name}`"), help))
}

/// A literal as Rust has it: without `f`, and with a point where a float is
/// wanted.
fn number(text: &str, of: &str) -> String {
    let plain = text.strip_suffix(['f', 'F']).filter(|digits| digits.parse::<f64>().is_ok()).unwrap_or(text);
    if of.starts_with('f') && plain.parse::<i64>().is_ok() { format!("{plain}.0") } else { plain.to_owned() }
}

/// `x == 3 ? 1 : 2`
fn conditional(line: &str, code: &str) -> Option<Found> {
    let of = expression(code);
    let (condition, rest) = of.split_once(" ? ")?;
    let (yes, no) = rest.split_once(" : ")?;
    let (condition, yes, no) = (condition.trim(), yes.trim(), no.trim());
    Some(Found::named(
        line,
        of,
        "`.. ? .. : ..`".to_owned(),
        format!("write `if {condition} {{ {yes} }} else {{ {no} }}`"),
    ))
}

/// `(float)x`
fn cast(line: &str, code: &str) -> Option<Found> {
    let (open, of) = TYPES.iter().filter(|(_, of)| !of.is_empty()).find_map(|(word, of)| {
        let pattern = format!("({word})");
        let at = code.find(&pattern)?;
        let follows = code[at + pattern.len()..].trim_start();
        follows
            .starts_with(|c: char| c.is_alphanumeric() || c == '(' || c == '_')
            .then_some((at..at + pattern.len(), *of))
    })?;
    // `f(int)` is a call.
    if code[..open.start].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let after = code[open.end..].trim_start();
    let operand: &str = match after.strip_prefix('(') {
        Some(rest) => &after[..closing(rest, '(', ')')? + 2],
        None => after.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').next()?,
    };
    Some(Found::new(
        line,
        &code[open],
        format!("numbers are converted by `{operand} as {of}`, arrays by `.astype({of})`"),
    ))
}

/// `1.5f`, `2j`, and `a->b`.
fn literal(line: &str) -> Option<Found> {
    if let Some(found) = suffixed(line) {
        return Some(found);
    }
    let (before, after) = line.split_once("->")?;
    let start = super::super::place::receiver_start(before);
    let on = &before[start..];
    let name = after.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    (is_name(name) && is_name(on) && !line.contains("fn ") && !line.contains('|'))
        .then(|| Found::new(line, "->", format!("a method or field is reached by a dot: `{on}.{name}`")))
}

/// A number with a suffix that Rust does not have.
fn suffixed(line: &str) -> Option<Found> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
    let outside = super::expressions::bare(line);
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let start = line.len() - rest.len() + at;
        let word: &str = line[start..].split(|c| !is_part(c)).next().unwrap_or_default();
        rest = &line[start + word.len()..];
        let is_inside = line[..start].ends_with(is_part) || outside[start..].starts_with('_');
        let body = &word[..word.len().saturating_sub(1)];
        if is_inside || body.parse::<f64>().is_err() || word.starts_with("0x") {
            continue;
        }
        let float =
            if body.contains('.') || body.contains('e') { body.to_owned() } else { format!("{body}.0") };
        let float = if float.ends_with('.') { format!("{float}0") } else { float };
        let help = match word.chars().last()? {
            'f' | 'F' => {
                format!("single precision is `{float}_f32`; an array of f32 takes `{float}` as it is")
            }
            'j' | 'J' => format!("an imaginary number is `Complex64::new(0.0, {float})`"),
            'u' | 'U' => format!("an unsigned number is `{body}_u32`"),
            'L' | 'l' => format!("a long number is `{body}_i64`"),
            _ => continue,
        };
        return Some(Found::new(line, word, help));
    }
    None
}

/// What is written for a number with a suffix that Rust does not have.
pub(in super::super) fn suffix(number: &str) -> Option<String> {
    suffixed(number).map(|found| found.help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_c_become_rust() {
        for (text, help) in [
            ("#define N 10", "`const N: i32 = 10;`"),
            ("f<<<4, 32>>>(a, 5);", "`f.launch(4, 32, (&mut a, 5))?`"),
            ("f<<<1, 32>>>(a)", "`f.launch(1, 32, (&mut a,))?`"),
            ("for (int i = 0; i < 10; i++) { }", "`for i in 0..10 { .. }`"),
            ("for (i = 0; i <= n; i += 2) {", "`for i in (0..=n).step_by(2) { .. }`"),
            ("float y = 1.5f;", "`let y: f32 = 1.5;`"),
            ("double z = 2;", "`let z: f64 = 2.0;`"),
            ("auto y = f(x);", "`let y = f(x);`"),
            ("dim3 block(16, 16)", "`let block = (16, 16);`"),
            ("y := 5", "`let y = 5;`"),
            ("let y = x == 3 ? 1 : 2;", "`if x == 3 { 1 } else { 2 }`"),
            ("let y = (float)x;", "`x as f32`"),
            ("0.5f * &a", "`0.5_f32`"),
            ("1 + 2j", "`Complex64::new(0.0, 2.0)`"),
            ("a->sum()", "`a.sum`"),
            ("float *p;", "`let p = zeros::<f32>(n);`"),
        ] {
            let found = line(text, text).unwrap_or_else(|| panic!("{text}"));
            assert!(found.help.contains(help), "{text}: {}", found.help);
        }
        for text in
            ["let x: f32 = 1.5f32;", "fn f() -> i32 { 0 }", "let y = x as f32;", "f(x)?", "let s = \"1.5f\";"]
        {
            assert!(line(text, text).is_none(), "{text}");
        }
    }
}
