//! Names of a text that are like another one.

/// The names in a text that a parenthesis follows, as it does a function's; each once.
pub(crate) fn functions(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for line in text.lines().map(|line| line.split("//").next().unwrap_or(line)) {
        if line.trim_start().starts_with('#') {
            continue;
        }
        for (at, _) in line.match_indices('(') {
            let before = line[..at].trim_end();
            let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
            // A definition or a declaration has its type before the name.
            let has_type =
                before[..start].trim_end().ends_with(|c: char| c.is_alphanumeric() || "_>*&".contains(c));
            let name = &before[start..];
            let is_word = KEYWORDS.contains(&name) || before[..start].trim_end().ends_with("return");
            if has_type
                && !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && !is_word
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
    }
    names
}

const KEYWORDS: [&str; 10] =
    ["if", "for", "while", "switch", "return", "sizeof", "decltype", "alignas", "noexcept", "throw"];

/// The names that differ least from `name`, at most three.
pub(crate) fn names<'n>(name: &str, known: &[&'n str]) -> Vec<&'n str> {
    let most = name.chars().count() / 3 + 1;
    let mut near: Vec<(usize, &str)> = known
        .iter()
        .map(|known| {
            let is_case_alone = known.eq_ignore_ascii_case(name);
            (if is_case_alone { 0 } else { strsim::osa_distance(name, known) }, *known)
        })
        .filter(|(distance, _)| *distance <= most)
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_from_calls() {
        let text = "#define F(x) x\nint add(int a) { return twice(a) + sizeof(int); }\nstd::vector<int> make() { if (add(1)) {} }\n\
                    template <class T> T *first(T *x) { other(x); } // int no(int)\n";
        assert_eq!(functions(text), ["add", "make", "first"]);
    }

    #[test]
    fn near_names_come_first() {
        assert_eq!(names("sun", &["sum", "add", "Sun"]), ["Sun", "sum"]);
        assert_eq!(names("frobnicate", &["sum"]), Vec::<&str>::new());
    }
}
