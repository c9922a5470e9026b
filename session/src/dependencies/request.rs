//! What a user writes behind `:dep`: a line of a manifest's `[dependencies]`,
//! or less.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// A crate that is requested.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The name that it gets: a package's own, or one of the user's with
    /// `package = ".."` behind it.
    pub name: String,
    /// Everything else, as a manifest has it.
    table: Table,
}

/// The lines of a cell that ask for crates, and the cell without them: other
/// lines stay where they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// What stands behind each `:dep`.
    pub(crate) requests: Vec<String>,
    /// The rest; empty if there is nothing but comments.
    pub(crate) code: String,
}

/// The name of the command.
const COMMAND: &str = ":dep";

/// Takes lines of `:dep` from the top of a cell; none if it does not begin
/// with one, comments aside.
pub(crate) fn lines(source: &str) -> Option<Lines> {
    let mut found = Lines::default();
    let mut rest = source.split_inclusive('\n').peekable();
    let mut is_any = false;
    while let Some(line) = rest.peek() {
        let text = line.trim();
        if let Some(request) = behind_command(text) {
            is_any = true;
            let mut request = request.to_owned();
            found.code.push_str(line_end(line));
            rest.next();
            // A table may go on over several lines.
            while is_open(&request)
                && let Some(line) = rest.next()
            {
                request.push('\n');
                request.push_str(line.trim_end());
                found.code.push_str(line_end(line));
            }
            found.requests.push(request);
        } else if text.is_empty() || text.starts_with("//") {
            found.code.push_str(line);
            rest.next();
        } else {
            break;
        }
    }
    let is_code = rest.peek().is_some();
    found.code.extend(rest);
    if !is_code {
        found.code.clear();
    }
    is_any.then_some(found)
}

/// Whether lines of `:dep` end within a table, so that more has to follow. A
/// blank line ends them in any case.
pub(crate) fn goes_on(source: &str) -> bool {
    let is_blank = source.trim_end_matches([' ', '\t', '\r']).ends_with("\n\n");
    !is_blank && lines(source).is_some_and(|found| found.requests.last().is_some_and(|text| is_open(text)))
}

/// Whether a text begins with `:dep`.
pub(crate) fn is_request(text: &str) -> bool {
    text.lines().next().is_some_and(|line| behind_command(line.trim()).is_some())
}

fn line_end(line: &str) -> &str {
    if line.ends_with('\n') { "\n" } else { "" }
}

fn behind_command(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(COMMAND)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// Whether brackets are open at the end, outside of texts.
fn is_open(text: &str) -> bool {
    let (mut depth, mut quote) = (0_i32, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth -= 1,
            _ => {}
        }
    }
    depth > 0
}

/// What may stand in a dependency's table.
const FIELDS: [&str; 10] =
    ["version", "features", "default-features", "path", "git", "branch", "tag", "rev", "package", "registry"];

impl Request {
    /// Reads what stands behind `:dep`. A path is taken from `folder`.
    ///
    /// # Errors
    ///
    /// If that is not a dependency as a manifest has them.
    pub fn parse(text: &str, folder: &Path) -> Result<Request, String> {
        let text = text.trim().trim_end_matches(';').trim_end();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (text, None),
        };
        // `serde@1`, as `cargo add` takes it.
        let (name, version) = match name.split_once('@') {
            Some((name, version)) if value.is_none() => (name, Some(version)),
            _ => (name, None),
        };
        let name = name.trim_matches('"');
        if !is_name(name) {
            return Err(format!(
                "`{name}` is not a valid crate name; write `:dep NAME`, `:dep NAME = \"1.2\"` or \
                 `:dep NAME = {{ version = \"1\", features = [\"..\"] }}`"
            ));
        }
        let value = match (value, version) {
            (Some(value), _) => {
                let document = format!("value = {value}").parse::<Table>();
                let table = document.map_err(|error| format!("`{name} = {value}`: {}", error.message()))?;
                table.get("value").cloned().unwrap_or(Value::String("*".to_owned()))
            }
            (None, version) => Value::String(version.unwrap_or("*").to_owned()),
        };
        let table = match value {
            Value::String(version) => Table::from_iter([("version".to_owned(), Value::String(version))]),
            Value::Table(table) => table,
            other => {
                return Err(format!(
                    "`{name} = {other}`: a version is a string in quotes (`{name} = \"{other}\"`)"
                ));
            }
        };
        Request { name: name.to_owned(), table }.checked(folder)
    }

    fn checked(mut self, folder: &Path) -> Result<Request, String> {
        let name = &self.name;
        for field in self.table.keys() {
            if !FIELDS.contains(&field.as_str()) {
                let distance = |known: &&&str| strsim::damerau_levenshtein(known, field);
                let near = FIELDS.iter().min_by_key(distance).filter(|known| distance(known) <= 3);
                let near = near.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
                return Err(format!("`{name}`: a dependency has no field `{field}`{near}"));
            }
        }
        if let Some(version) = self.text("version") {
            semver::VersionReq::parse(version)
                .map_err(|error| format!("`{name}`: \"{version}\" is not a version: {error}"))?;
        }
        for field in self.table.iter().filter(|(field, _)| *field != "features") {
            let is_right = match field.0.as_str() {
                "default-features" => field.1.is_bool(),
                _ => field.1.is_str(),
            };
            if !is_right {
                return Err(format!("`{name}`: `{} = {}` has the wrong type", field.0, field.1));
            }
        }
        let are_texts =
            |value: &Value| value.as_array().is_some_and(|list| list.iter().all(toml::Value::is_str));
        if self.table.get("features").is_some_and(|value| !are_texts(value)) {
            return Err(format!("`{name}`: features are a list of strings: `features = [\"..\"]`"));
        }
        if let Some(path) = self.text("path") {
            let whole = folder.join(path);
            let whole = whole
                .canonicalize()
                .map_err(|error| format!("`{name}`: there is no folder {}: {error}", whole.display()))?;
            if !whole.join("Cargo.toml").is_file() {
                return Err(format!("`{name}`: {} has no Cargo.toml", whole.display()));
            }
            self.table.insert("path".to_owned(), Value::String(whole.display().to_string()));
        } else if !self.table.contains_key("version") && !self.table.contains_key("git") {
            self.table.insert("version".to_owned(), Value::String("*".to_owned()));
        }
        Ok(self)
    }

    fn text(&self, field: &str) -> Option<&str> {
        self.table.get(field)?.as_str()
    }

    /// The package's name.
    pub(crate) fn package(&self) -> &str {
        self.text("package").unwrap_or(&self.name)
    }

    /// The folder of a crate of the user's own.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        self.text("path").map(PathBuf::from)
    }

    /// Whether it comes from the usual registry.
    pub(crate) fn is_registered(&self) -> bool {
        ["path", "git", "registry"].iter().all(|field| !self.table.contains_key(*field))
    }

    /// The versions that will do.
    pub(crate) fn version(&self) -> semver::VersionReq {
        self.text("version").and_then(|text| semver::VersionReq::parse(text).ok()).unwrap_or_default()
    }

    /// The features that are requested by name.
    pub(crate) fn features(&self) -> Vec<&str> {
        let list = self.table.get("features").and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Whether it wants its default features.
    pub(crate) fn wants_default(&self) -> bool {
        self.table.get("default-features").and_then(Value::as_bool).unwrap_or(true)
    }

    /// The same with one more feature.
    pub(crate) fn with_feature(mut self, feature: &str) -> Request {
        if !self.features().contains(&feature) {
            let list = self.table.entry("features").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(list) = list {
                list.push(Value::String(feature.to_owned()));
            }
        }
        self
    }

    /// The same in the version that was found, where any would do.
    pub(crate) fn in_version(mut self, found: Option<&str>) -> Request {
        if self.text("version") == Some("*")
            && let Some(found) = found.filter(|found| !found.is_empty())
        {
            self.table.insert("version".to_owned(), Value::String(found.to_owned()));
        }
        self
    }

    /// Its line in a manifest, the same for the same request.
    pub(crate) fn line(&self) -> String {
        let fields: Vec<String> =
            self.table.iter().map(|(field, value)| format!("{field} = {value}")).collect();
        format!("{:?} = {{ {} }}", self.name, fields.join(", "))
    }

    /// Its line with another path.
    pub(crate) fn line_at(&self, path: Option<&Path>) -> String {
        let mut request = self.clone();
        if let Some(path) = path {
            request.table.insert("path".to_owned(), Value::String(path.display().to_string()));
        }
        request.line()
    }

    /// As a user would write it.
    pub(crate) fn shown(&self) -> String {
        match (self.table.len(), self.text("version")) {
            (1, Some("*")) => self.name.clone(),
            (1, Some(version)) => format!("{} = {version:?}", self.name),
            _ => {
                let fields: Vec<String> =
                    self.table.iter().map(|(field, value)| format!("{field} = {value}")).collect();
                format!("{} = {{ {} }}", self.name, fields.join(", "))
            }
        }
    }
}

/// Whether a text can name a crate.
fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Request, String> {
        Request::parse(text, Path::new("/"))
    }

    #[test]
    fn all_forms_are_read() {
        for (text, line) in [
            ("regex", "\"regex\" = { version = \"*\" }"),
            ("regex@1.5", "\"regex\" = { version = \"1.5\" }"),
            ("regex = \"1\"", "\"regex\" = { version = \"1\" }"),
            ("proc-macro2 = '1'", "\"proc-macro2\" = { version = \"1\" }"),
            (
                "serde = { version = \"1\", features = [\"derive\"] }",
                "\"serde\" = { features = [\"derive\"], version = \"1\" }",
            ),
            (
                "a = { git = \"https://x.org/a\", rev = \"1f\" };",
                "\"a\" = { git = \"https://x.org/a\", rev = \"1f\" }",
            ),
        ] {
            assert_eq!(parse(text).unwrap().line(), line, "{text}");
        }
    }

    #[test]
    fn what_is_none_is_refused_with_its_reason() {
        for (text, words) in [
            ("9lives", "not a valid crate name"),
            ("a b", "not a valid crate name"),
            ("regex = 1", "in quotes"),
            ("regex = \"one\"", "is not a version"),
            ("regex = { verison = \"1\" }", "did you mean `version`?"),
            ("regex = { features = \"a\" }", "list of strings"),
            ("regex = { version = 1 }", "wrong type"),
            ("regex = { version = ", "regex"),
            ("mine = { path = \"no/such/folder\" }", "no folder /no/such/folder"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn lines_at_the_top_are_taken_and_the_rest_keeps_its_place() {
        let source = "// words\n:dep a\n\n  :dep b = {\n  version = \"1\",\n}\nlet x = 1;\n:dep c\n";
        let lines = lines(source).unwrap();
        assert_eq!(lines.requests, ["a", "b = {\n  version = \"1\",\n}"]);
        assert_eq!(lines.code, "// words\n\n\n\n\n\nlet x = 1;\n:dep c\n");
    }

    #[test]
    fn a_cell_without_such_lines_is_left_alone() {
        for source in ["let x = 1;", ":department", "// :dep a\n1", ""] {
            assert_eq!(lines(source), None, "{source}");
        }
        assert_eq!(lines(":dep").unwrap(), Lines { requests: vec![String::new()], code: String::new() });
        assert_eq!(lines(":dep a\n// no more\n").unwrap().code, "");
    }

    #[test]
    fn an_open_table_goes_on_until_it_is_closed_or_a_line_is_blank() {
        for open in
            [":dep a = {", ":dep a\n:dep b = { features = [\n", "// why\n:dep a = {\n  version = \"1\","]
        {
            assert!(goes_on(open), "{open}");
        }
        for whole in [
            ":dep a = {}",
            ":dep a = \"{\"",
            ":dep a = {\n\n",
            ":dep a = {\nversion = \"1\" }\n",
            "let a = {",
        ] {
            assert!(!goes_on(whole), "{whole}");
        }
        assert!(
            is_request(":dep a\n1") && is_request("  :dep") && !is_request(":deposit") && !is_request("")
        );
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn a_line_is_read_as_what_it_was_written_from(
                name in "[a-z][a-z0-9_-]{0,12}",
                version in "(0|[1-9][0-9]?)(\\.(0|[1-9][0-9]?))?",
                features in proptest::collection::vec("[a-z][a-z0-9-]{0,6}", 0..3),
            ) {
                let request = parse(&format!("{name} = {{ version = {version:?}, features = {features:?} }}")).unwrap();
                prop_assert_eq!(parse(&request.shown()).unwrap(), request.clone());
                prop_assert_eq!(request.features(), features);
            }

            #[test]
            fn no_text_stops_the_parser(text in "\\PC{0,40}") {
                let _ = parse(&text);
                let _ = lines(&format!(":dep {text}"));
            }

            #[test]
            fn lines_keep_their_number(text in "(:dep [a-z{}]{0,5}\n|let x;\n|\n|// a\n){0,8}") {
                if let Some(found) = lines(&text) && !found.code.is_empty() {
                    prop_assert_eq!(found.code.lines().count(), text.lines().count());
                }
            }
        }
    }
}
