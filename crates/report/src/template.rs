//! A page skeleton with named gaps, and HTML escaping.

/// `skeleton` with each `{{name}}` replaced by the HTML of that name.
///
/// What is filled in is not searched again, so that no text of a run can name a gap.
///
/// # Panics
/// When the skeleton names a gap for which there is no HTML, or leaves one open.
pub(crate) fn filled(skeleton: &str, gaps: &[(&str, &str)]) -> String {
    let mut pieces = skeleton.split("{{");
    let mut page = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").expect("a gap of the skeleton is closed");
        let (_, html) = gaps.iter().find(|gap| gap.0 == name).expect("every gap has its HTML");
        page.push_str(html);
        page.push_str(rest);
    }
    page
}

/// `text` as HTML text or as a quoted attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_once() {
        let gaps = [("a", "{{b}}"), ("b", "B")];
        assert_eq!(filled("<{{a}}|{{b}}|{{a}}>", &gaps), "<{{b}}|B|{{b}}>");
    }

    #[test]
    fn nothing_that_html_reads_survives_escaping() {
        assert_eq!(escaped(r#"<a b="c" d='e'>&"#), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
    }
}
