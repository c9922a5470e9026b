//! What std's errors say, by their `Debug` text: all that is known of an error that `?` passes
//! out of a cell is that it is `Debug`.

/// The words of an error of std's in place of its fields.
pub(super) fn in_words(debug: &str) -> Option<String> {
    if let Some(words) = of_system(debug) {
        return Some(words);
    }
    let words = match debug {
        "ParseIntError { kind: Empty }" => "cannot parse integer from empty string",
        "ParseIntError { kind: InvalidDigit }" => "invalid digit found in string",
        "ParseIntError { kind: PosOverflow }" => "number too large to fit in target type",
        "ParseIntError { kind: NegOverflow }" => "number too small to fit in target type",
        "ParseFloatError { kind: Empty }" => "cannot parse float from empty string",
        "ParseFloatError { kind: Invalid }" => "invalid float literal",
        "ParseBoolError" => "provided string was not `true` or `false`",
        "TryFromIntError(())" => "out of range integral type conversion attempted",
        "NotPresent" => "environment variable not found",
        _ => return None,
    };
    Some(format!("{words}: {debug}"))
}

/// `Os { code: 2, kind: NotFound, message: "No such file or directory" }` of `io::Error`.
fn of_system(debug: &str) -> Option<String> {
    let (code, rest) = debug.strip_prefix("Os { code: ")?.split_once(", kind: ")?;
    let (kind, rest) = rest.split_once(", message: \"")?;
    let message = rest.strip_suffix("\" }")?;
    Some(format!("{message} (os error {code}, {kind})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_std_had_fields_in_place_of_words() {
        let told = |error: &dyn std::fmt::Debug| in_words(&format!("{error:?}")).unwrap();
        let missing = std::fs::read("/nothing/is/here").unwrap_err();
        assert_eq!(told(&missing), "No such file or directory (os error 2, NotFound)");
        let words: [(Box<dyn std::fmt::Debug>, Box<dyn std::fmt::Display>); 7] = [
            (Box::new("".parse::<i32>().unwrap_err()), Box::new("".parse::<i32>().unwrap_err())),
            (Box::new("x".parse::<u8>().unwrap_err()), Box::new("x".parse::<u8>().unwrap_err())),
            (Box::new("300".parse::<u8>().unwrap_err()), Box::new("300".parse::<u8>().unwrap_err())),
            (Box::new("-300".parse::<i8>().unwrap_err()), Box::new("-300".parse::<i8>().unwrap_err())),
            (Box::new("x".parse::<f64>().unwrap_err()), Box::new("x".parse::<f64>().unwrap_err())),
            (Box::new("x".parse::<bool>().unwrap_err()), Box::new("x".parse::<bool>().unwrap_err())),
            (Box::new(u8::try_from(300).unwrap_err()), Box::new(u8::try_from(300).unwrap_err())),
        ];
        for (error, display) in words {
            assert_eq!(told(&error), format!("{display}: {error:?}"));
        }
        assert_eq!(in_words("Mine { code: 2 }"), None);
    }
}
