//! Cells as a Jupyter notebook, format 4.5:
//! <https://nbformat.readthedocs.io/en/latest/format_description.html>

use gpurepl_wire::MimeBundle;
use serde_json::{Map, Value, json};

use crate::output::Stream;
use crate::transcript::{Entry, Output};

/// The notebook's text.
pub(crate) fn notebook(entries: &[Entry]) -> String {
    let cells: Vec<Value> = entries.iter().map(cell).collect();
    let notebook = json!({
        "cells": cells,
        "metadata": {
            "kernelspec": { "display_name": "Rust (gpurepl)", "language": "rust", "name": "gpurepl" },
            "language_info": { "file_extension": ".rs", "mimetype": "text/rust", "name": "rust" },
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    });
    // As Jupyter writes them: one space, and a line end.
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    let written = serde::Serialize::serialize(&notebook, &mut serializer);
    debug_assert!(written.is_ok(), "a value is written to memory");
    bytes.push(b'\n');
    String::from_utf8_lossy(&bytes).into_owned()
}

fn cell(entry: &Entry) -> Value {
    let outputs: Vec<Value> = entry.outputs.iter().map(|told| output(told, entry.number)).collect();
    json!({
        "cell_type": "code",
        "execution_count": entry.number,
        "id": format!("cell-{}", entry.number),
        "metadata": {},
        "outputs": outputs,
        "source": lines(&entry.source),
    })
}

fn output(told: &Output, number: u64) -> Value {
    match told {
        Output::Printed { stream, bytes } => {
            let name = if *stream == Stream::Stdout { "stdout" } else { "stderr" };
            json!({ "output_type": "stream", "name": name, "text": lines(&String::from_utf8_lossy(bytes)) })
        }
        Output::Display { bundle, .. } => {
            json!({ "output_type": "display_data", "data": data(bundle), "metadata": {} })
        }
        Output::Result(bundle) => json!({
            "output_type": "execute_result", "data": data(bundle), "execution_count": number, "metadata": {},
        }),
        Output::Error(error) => json!({
            "output_type": "error",
            "ename": error.code.as_deref().unwrap_or("Error"),
            "evalue": error.message,
            "traceback": error.render(false).lines().collect::<Vec<_>>(),
        }),
    }
}

/// A bundle as notebooks hold it: texts as lists of lines, what is JSON as
/// itself.
fn data(bundle: &MimeBundle) -> Value {
    let form = |(mime, content): (&String, &String)| {
        let is_json = mime == "application/json" || mime.ends_with("+json");
        let is_text = mime.starts_with("text/") || mime == "image/svg+xml";
        let value = match serde_json::from_str(content) {
            Ok(value) if is_json => value,
            _ if is_text => lines(content),
            _ => Value::from(content.as_str()),
        };
        (mime.clone(), value)
    };
    Value::Object(bundle.0.iter().map(form).collect::<Map<_, _>>())
}

fn lines(text: &str) -> Value {
    Value::from(text.split_inclusive('\n').collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostic;

    #[test]
    fn a_notebook_holds_what_was_shown() {
        let entry = Entry {
            number: 3,
            source: "display(&1);\na".to_owned(),
            is_done: true,
            outputs: vec![
                Output::Display { bundle: MimeBundle::text("1"), id: None },
                Output::Result(MimeBundle::text("array([1,\n 2])")),
                Output::Printed { stream: Stream::Stderr, bytes: b"a\nb\xff".to_vec() },
                Output::Error(Diagnostic::error("no memory")),
            ],
        };
        let text = notebook(&[entry]);
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&read["nbformat"], &read["nbformat_minor"]), (&json!(4), &json!(5)));
        assert_eq!(read["metadata"]["kernelspec"]["name"], "gpurepl");
        let cell = &read["cells"][0];
        assert_eq!(cell["source"], json!(["display(&1);\n", "a"]));
        assert_eq!(cell["outputs"][0]["output_type"], "display_data");
        assert_eq!(cell["outputs"][1]["data"]["text/plain"], json!(["array([1,\n", " 2])"]));
        assert_eq!(cell["outputs"][1]["execution_count"], 3);
        assert_eq!(cell["outputs"][2]["text"], json!(["a\n", "b\u{fffd}"]));
        assert_eq!(cell["outputs"][2]["name"], "stderr");
        assert_eq!(cell["outputs"][3]["evalue"], "no memory");
        assert_eq!(cell["outputs"][3]["traceback"], json!(["error: no memory"]));
        assert!(text.ends_with("}\n"));
    }
}
