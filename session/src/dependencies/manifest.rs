//! What cells have requested, as a project of its own names it.

use super::{Dependencies, Request};

/// The name by which a project has tokio where nobody has requested it.
const TOKIO: &str = "tokio";

/// What a runtime of tokio's needs.
const FEATURE: &str = "rt-multi-thread";

impl Dependencies {
    /// Lines of a manifest's `[dependencies]`. Where any version would do it
    /// is the one that was found; tokio has what its runtime needs.
    pub(crate) fn manifest(&self) -> Vec<String> {
        let runtime = self.runtime();
        let requests = self.requests.values().chain(self.carried.values());
        let mut lines: Vec<String> = requests
            .map(|request| {
                let found = self.roots.get(&self.code_name(request)).map(|root| root.version.as_str());
                let request = request.clone().in_version(found);
                match &runtime {
                    Some(_) if request.package() == TOKIO => request.with_feature(FEATURE).line(),
                    _ => request.line(),
                }
            })
            .collect();
        let has_tokio = |request: &Request| request.package() == TOKIO;
        if runtime.is_some() && !self.requests.values().any(has_tokio) {
            lines.push(format!("{TOKIO} = {{ version = \"1\", features = [{FEATURE:?}] }}"));
        }
        lines.sort();
        lines
    }

    /// The name in code of tokio, if cells run within its runtime.
    pub(crate) fn runtime(&self) -> Option<String> {
        self.sets.iter().any(|set| set.record.start.is_some()).then(|| {
            let asked = self.requests.values().find(|request| request.package() == TOKIO);
            asked.map_or(TOKIO, |request| request.name.as_str()).replace('-', "_")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_request_for_any_version_becomes_one_for_what_was_found() {
        let line =
            |text: &str| Request::parse(text, Path::new("/")).unwrap().in_version(Some("1.2.3")).line();
        assert_eq!(line("regex"), "\"regex\" = { version = \"1.2.3\" }");
        assert_eq!(line("regex = \"1\""), "\"regex\" = { version = \"1\" }");
        let git = "a = { git = \"https://x.org/a\" }";
        assert_eq!(line(git), "\"a\" = { git = \"https://x.org/a\" }");
    }

    #[test]
    fn what_the_prelude_carries_is_named_too() {
        let mut dependencies = Dependencies::default();
        for text in ["zeta = \"2\"", "alpha = { version = \"1\", features = [\"x\"] }"] {
            let request = Request::parse(text, Path::new("/")).unwrap();
            dependencies.requests.insert(request.name.clone(), request);
        }
        let own = Request::parse("half = \"2\"", Path::new("/")).unwrap();
        dependencies.carried.insert(own.name.clone(), own);
        assert_eq!(
            dependencies.manifest(),
            [
                "\"alpha\" = { features = [\"x\"], version = \"1\" }",
                "\"half\" = { version = \"2\" }",
                "\"zeta\" = { version = \"2\" }"
            ]
        );
        assert_eq!(dependencies.runtime(), None);
    }
}
