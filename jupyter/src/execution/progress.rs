//! How far work of the kernel's own has come, in forms that every front end
//! shows: crates that are built, the prelude.

use gpurepl_session::{MimeBundle, Progress};

/// The form by which a bundle is the progress of something.
const MIME: &str = "application/vnd.gpurepl.progress+json";

/// A state of the work.
pub fn bundle(progress: &Progress) -> MimeBundle {
    const WIDTH: usize = 24;
    let Progress { title, done, total, item } = progress;
    let part = |of: usize| done.min(total) * of / total.max(&1);
    let is_over = done >= total;
    let bar = format!("{}{}", "=".repeat(part(WIDTH)), if is_over { "" } else { ">" });
    let text = format!("{title} {:>3}% [{bar:<WIDTH$}] {done}/{total} {item}", part(100));
    let html = format!(
        "<div>{} <progress value=\"{done}\" max=\"{total}\" style=\"vertical-align: middle\"></progress> \
         {done}/{total} <small>{}</small></div>",
        escaped(title),
        escaped(item)
    );
    let state = if is_over { "finished" } else { "running" };
    MimeBundle::text(text.trim_end())
        .with("text/html", html)
        .with(MIME, format!("{{\"done\":{done},\"total\":{total},\"state\":\"{state}\"}}"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_shown_as_text_and_as_html() {
        let progress =
            Progress { title: "building".to_owned(), done: 1, total: 4, item: "<rand>".to_owned() };
        let bundle = bundle(&progress);
        assert_eq!(bundle.get("text/plain"), Some("building  25% [======>                 ] 1/4 <rand>"));
        let html = bundle.get("text/html").unwrap();
        assert!(html.contains("value=\"1\" max=\"4\"") && html.contains("&lt;rand&gt;"), "{html}");
        super::bundle(&Progress { done: 0, total: 0, ..progress });
    }
}
