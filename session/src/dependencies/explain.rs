//! Cargo's errors in words that say what to do.

use std::collections::BTreeSet;

use super::Request;
use crate::store::cargo::{is_about_the_network, last_lines};
use crate::toolchain::cargo_home;

/// What a failed run of cargo means.
pub(super) fn failure(log: &str, requests: &[&Request]) -> String {
    if let Some(name) = between(log, "no matching package named `", "`") {
        let mut text = format!("there is no crate `{name}`");
        if is_about_the_network(log) {
            text.push_str(" among the crates that cargo has downloaded, and there is no network");
        }
        let near = nearest(&name, &known_names());
        return match near {
            Some(near) => format!("{text}\n  = help: did you mean `{near}`?"),
            None => format!("{text}\n  = help: look for its name at https://crates.io"),
        };
    }
    if is_about_the_network(log) {
        return format!(
            "a crate could not be downloaded\n{}\n  = help: connect to the network once; what has been built \
             is kept, and needs none",
            last_lines(log)
        );
    }
    if log.contains("failed to select a version for") {
        return version_conflict(log, requests);
    }
    if let Some(name) = between(log, "could not compile `", "`") {
        let errors = without_progress(log);
        return format!("`{name}` does not compile\n{}{}", last_lines(&errors), linker_help(log));
    }
    if let Some(name) = between(log, "failed to run custom build command for `", "`") {
        return format!(
            "the build script of `{name}` failed\n{}\n  = help: it may need a library or a program of the \
             system's: see its documentation",
            last_lines(&without_progress(log))
        );
    }
    format!("cargo could not build it\n{}", last_lines(&without_progress(log)))
}

fn version_conflict(log: &str, requests: &[&Request]) -> String {
    let text = last_lines(&without_progress(log));
    let name = between(log, "failed to select a version for the requirement `", " ")
        .or_else(|| between(log, "failed to select a version for `", "`"));
    let request = name.as_ref().and_then(|name| requests.iter().find(|r| r.package() == *name));
    // A feature that is not there is reported so as well.
    if let (Some(request), true) = (request, log.contains("does not have")) {
        return format!(
            "`{}` has no such feature\n{text}\n  = help: its features are listed at https://crates.io/crates/{}",
            request.name,
            request.package(),
        );
    }
    match request {
        Some(request) => format!(
            "no version of `{}` fits `{}`\n{text}\n  = help: request another version, or none",
            request.package(),
            request.shown(),
        ),
        None => format!("the crates need incompatible versions\n{text}"),
    }
}

/// A linker that is not there is nobody's error but the system's.
fn linker_help(log: &str) -> &'static str {
    if log.contains("linker `") && log.contains("not found") {
        "\n  = help: dependencies are linked by a C compiler; install one (`apt install gcc`)"
    } else {
        ""
    }
}

/// What cargo says without the lines that tell how far it has come.
fn without_progress(log: &str) -> String {
    let is_progress = |line: &str| {
        let first = line.trim_start().split(' ').next().unwrap_or("");
        line.starts_with(' ')
            && [
                "Updating",
                "Locking",
                "Adding",
                "Downgrading",
                "Upgrading",
                "Removing",
                "Downloading",
                "Downloaded",
                "Compiling",
                "Fresh",
                "Finished",
                "Blocking",
                "Unchanged",
            ]
            .contains(&first)
    };
    log.lines().filter(|line| !is_progress(line)).collect::<Vec<_>>().join("\n")
}

fn between(text: &str, before: &str, after: &str) -> Option<String> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after)?.0.trim_end_matches('`').to_owned())
}

/// Crates that a user may have meant: those that cargo has downloaded here,
/// and some that many use.
fn known_names() -> BTreeSet<String> {
    let mut names: BTreeSet<String> = WELL_KNOWN.split_whitespace().map(str::to_owned).collect();
    let cache = cargo_home().map(|home| home.join("registry").join("cache"));
    let registries = cache.into_iter().filter_map(|cache| std::fs::read_dir(cache).ok()).flatten().flatten();
    for file in registries.filter_map(|registry| std::fs::read_dir(registry.path()).ok()).flatten().flatten()
    {
        // `NAME-1.2.3.crate`
        let file = file.file_name().to_string_lossy().into_owned();
        let end = file.match_indices('-').map(|(at, _)| at).find(|at| {
            file[at + 1..].starts_with(|c: char| c.is_ascii_digit()) && file[at + 1..].contains('.')
        });
        names.extend(end.map(|end| file[..end].to_owned()));
    }
    names
}

fn nearest(name: &str, names: &BTreeSet<String>) -> Option<String> {
    let distance = |known: &&String| strsim::damerau_levenshtein(known, name);
    let near = names.iter().min_by_key(distance)?;
    (distance(&near) <= 1 + name.chars().count() / 5).then(|| near.clone())
}

const WELL_KNOWN: &str = "anyhow arrow async-trait axum base64 bincode bytes candle-core chrono clap color-eyre \
    criterion crossbeam csv dashmap env_logger eyre fastrand flate2 futures glam half hashbrown hdf5 hex hound hyper \
    image indexmap indicatif itertools itoa jiff lazy_static linfa log memmap2 nalgebra ndarray ndarray-linalg \
    ndarray-npy ndarray-rand ndarray-stats num num-bigint num-complex num-traits once_cell ordered-float parking_lot \
    parquet petgraph plotters polars proptest quote rand rand_distr rayon regex regex-lite reqwest rusqlite rustfft \
    ryu serde serde_json serde_yaml sha2 smallvec sqlx statrs strum syn tempfile thiserror time tokio toml tracing \
    tracing-subscriber unicode-segmentation url uuid walkdir zip";

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn errors_say_what_to_do() {
        let request = Request::parse("serde = { version = \"1\", features = [\"derive\"] }", Path::new("/"));
        let request = request.unwrap();
        for (log, words) in [
            (
                "    Updating crates.io index\nerror: no matching package named `regexx` found\nlocation searched",
                "there is no crate `regexx`\n  = help: did you mean `regex`?",
            ),
            (
                "error: no matching package named `qqqqqqqqqq` found",
                "there is no crate `qqqqqqqqqq`\n  = help: look for its name",
            ),
            (
                "error: failed to select a version for the requirement `serde = \"^99\"`\ncandidate versions",
                "no version of `serde` fits `serde = {",
            ),
            (
                "error: failed to download from `https://`\n[6] Could not resolve host",
                "could not be downloaded",
            ),
            (
                "   Compiling a v1\nerror[E0308]: mismatched\nerror: could not compile `a` (lib)",
                "`a` does not compile\nerror[E0308]",
            ),
            ("error: linker `cc` not found\nerror: could not compile `a` (lib)", "apt install gcc"),
        ] {
            let text = failure(log, &[&request]);
            assert!(text.contains(words), "{text}");
        }
        assert!(!failure("   Compiling a v1\nerror: could not compile `a`", &[]).contains("Compiling"));
    }
}
