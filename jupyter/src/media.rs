//! Bundles as messages carry them.

use gpurepl_session::{INTERACTION, MimeBundle};
use jupyter_protocol::{Media, MediaType};
use serde_json::Value;

/// A bundle as the content of a message: types of JSON as JSON, everything
/// else as text.
pub fn media(bundle: &MimeBundle) -> Media {
    // What the kernel makes controls of is not for front ends.
    let forms = bundle.0.iter().filter(|(mime, _)| *mime != INTERACTION);
    let typed = |(mime, text): (&String, &String)| {
        let value = if is_json(mime) { serde_json::from_str(text).ok() } else { None };
        // Always `Other`: the typed forms take objects only, and JSON may be a list.
        MediaType::Other((mime.clone(), value.unwrap_or_else(|| Value::String(text.clone()))))
    };
    Media::new(forms.map(typed).collect())
}

fn is_json(mime: &str) -> bool {
    let mime = mime.split(';').next().unwrap_or_default();
    mime == "application/json" || mime.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_travels_as_json_and_text_as_text() {
        let bundle = MimeBundle::text("[1, 2]")
            .with("application/json", "[1, 2]")
            .with("application/vnd.vega.v5+json", "{\"a\": 1}")
            .with("application/geo+json", "no json")
            .with("image/png", "iVBORw0KGgo=");
        let value = serde_json::to_value(media(&bundle)).unwrap();
        assert_eq!(
            value,
            json!({
                "text/plain": "[1, 2]",
                "application/json": [1, 2],
                "application/vnd.vega.v5+json": {"a": 1},
                "application/geo+json": "no json",
                "image/png": "iVBORw0KGgo="
            })
        );
    }
}
