//! What kernel this is.

use jupyter_protocol::{CodeMirrorMode, HelpLink, KernelInfoReply, LanguageInfo, ReplyStatus};

/// The answer to `kernel_info_request`.
pub fn reply() -> KernelInfoReply {
    let version = env!("CARGO_PKG_VERSION");
    let link = |text: &str, url: &str| HelpLink { text: text.to_owned(), url: url.to_owned() };
    KernelInfoReply {
        status: ReplyStatus::Ok,
        protocol_version: "5.3".to_owned(),
        implementation: "gpurepl".to_owned(),
        implementation_version: version.to_owned(),
        language_info: LanguageInfo {
            name: "rust".to_owned(),
            // That of the edition that cells are written in.
            version: "2024".to_owned(),
            // The names that CodeMirror knows the language by.
            mimetype: Some("text/x-rustsrc".to_owned()),
            file_extension: Some(".rs".to_owned()),
            pygments_lexer: Some("rust".to_owned()),
            codemirror_mode: Some(CodeMirrorMode::Simple("rust".to_owned())),
            nbconvert_exporter: Some("script".to_owned()),
        },
        banner: format!(
            "gpurepl {version}: Rust cells on the GPU. :help lists commands, name? explains a name"
        ),
        help_links: vec![
            link("gpurepl", env!("CARGO_PKG_REPOSITORY")),
            link("The Rust book", "https://doc.rust-lang.org/book/"),
            link("Rust's standard library", "https://doc.rust-lang.org/std/"),
        ],
        debugger: false,
        error: None,
    }
}
