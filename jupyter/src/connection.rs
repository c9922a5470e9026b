//! The connection file, which says where clients will look for the kernel.

use std::path::{Path, PathBuf};

use jupyter_protocol::ConnectionInfo;

/// Why a connection file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// It cannot be read.
    #[error("reading the connection file {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// It is not one.
    #[error(
        "{} is not a connection file: {error}\n  = help: Jupyter writes one and names it after `-f`; `gpurepl-jupyter install` tells Jupyter of the kernel",
        path.display()
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// Messages would be signed in a way that is not known here.
    #[error(
        "messages are to be signed by {0}, and only hmac-sha256 is known\n  = help: set `Session.signature_scheme` of Jupyter's configuration to `hmac-sha256`"
    )]
    Scheme(String),
}

/// Reads a connection file.
///
/// # Errors
///
/// If it cannot be read, or asks for what this kernel cannot do.
pub fn read(path: &Path) -> Result<ConnectionInfo, ConnectionError> {
    let text =
        std::fs::read(path).map_err(|error| ConnectionError::Unreadable { path: path.to_owned(), error })?;
    let information: ConnectionInfo = serde_json::from_slice(&text)
        .map_err(|error| ConnectionError::Invalid { path: path.to_owned(), error })?;
    if !information.key.is_empty() && information.signature_scheme != "hmac-sha256" {
        return Err(ConnectionError::Scheme(information.signature_scheme));
    }
    Ok(information)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_none_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kernel.json");
        assert!(read(&path).unwrap_err().to_string().contains("kernel.json"));
        std::fs::write(&path, "{}").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("is not a connection file"));
        let text = |scheme: &str| {
            format!(
                "{{\"ip\": \"127.0.0.1\", \"transport\": \"tcp\", \"shell_port\": 1, \"iopub_port\": 2, \
                 \"stdin_port\": 3, \"control_port\": 4, \"hb_port\": 5, \"key\": \"k\", \
                 \"signature_scheme\": \"{scheme}\", \"jupyter_session\": \"\"}}"
            )
        };
        std::fs::write(&path, text("hmac-sha256")).unwrap();
        assert_eq!(read(&path).unwrap().shell_url(), "tcp://127.0.0.1:1");
        std::fs::write(&path, text("hmac-md5")).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("hmac-md5"));
    }
}
