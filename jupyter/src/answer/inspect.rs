//! What a name is.

use gpurepl_session::analysis::{Analysis, Level};
use jupyter_protocol::{InspectReply, InspectRequest};

use super::byte_at;
use crate::media::media;

/// The answer to `inspect_request`.
pub fn reply(analysis: &Analysis, request: &InspectRequest) -> InspectReply {
    let level = if request.detail_level.unwrap_or(0) > 0 { Level::Source } else { Level::Documentation };
    let at = byte_at(&request.code, request.cursor_pos);
    match analysis.inspect(&request.code, at, level) {
        Some(bundle) => InspectReply { found: true, data: media(&bundle), ..InspectReply::default() },
        None => InspectReply::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpurepl_session::analysis::Project;

    #[test]
    fn known_names_are_found_and_others_are_not() {
        let analysis = Analysis::new(Project::default());
        let inspect = |code: &str| {
            let request = InspectRequest { code: code.to_owned(), cursor_pos: 3, detail_level: Some(0) };
            reply(&analysis, &request)
        };
        let found = inspect("zeros(3)");
        assert!(found.found && serde_json::to_string(&found).unwrap().contains("text/plain"));
        assert!(!inspect("qqqqq").found);
    }
}
