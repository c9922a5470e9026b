//! How a word goes on.

use gpurepl_session::analysis::{Analysis, Candidate};
use jupyter_protocol::{CompleteReply, CompleteRequest};
use serde_json::{Map, Value, json};

use super::{byte_at, character_at};

/// The answer to `complete_request`.
pub fn reply(analysis: &Analysis, request: &CompleteRequest) -> CompleteReply {
    // It takes some seconds and a gigabyte: only who completes pays for it.
    analysis.start();
    let found = analysis.complete(&request.code, byte_at(&request.code, request.cursor_pos));
    let (start, end) =
        (character_at(&request.code, found.range.start), character_at(&request.code, found.range.end));
    let typed = |item: &Candidate| {
        json!({
            "text": item.replacement, "start": start, "end": end,
            "type": item.kind.jupyter_name(), "signature": item.detail
        })
    };
    let mut metadata = Map::new();
    // Lab and VS Code read kinds and signatures there.
    let types = found.items.iter().map(typed).collect::<Vec<Value>>();
    metadata.insert("_jupyter_types_experimental".to_owned(), types.into());
    CompleteReply {
        matches: found.items.into_iter().map(|item| item.replacement).collect(),
        cursor_start: start,
        cursor_end: end,
        metadata,
        ..CompleteReply::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpurepl_session::analysis::Project;

    #[test]
    fn places_are_characters_and_kinds_are_told() {
        let analysis = Analysis::new(Project::default());
        let code = "let größe = zeros_li; // rest".to_owned();
        let reply = reply(&analysis, &CompleteRequest { code, cursor_pos: 20 });
        assert_eq!(reply.matches, ["zeros_like"]);
        assert_eq!((reply.cursor_start, reply.cursor_end), (12, 20));
        let types = &reply.metadata["_jupyter_types_experimental"][0];
        assert_eq!((&types["type"], &types["start"]), (&json!("function"), &json!(12)));
    }

    #[test]
    fn no_place_is_too_far() {
        let analysis = Analysis::new(Project::default());
        let reply = reply(&analysis, &CompleteRequest { code: "é".to_owned(), cursor_pos: 999 });
        assert!(reply.cursor_end <= 1);
    }
}
