//! Pictures in a page of others, such as a notebook.

use crate::page::drawn;
use crate::palette::{self, Ink};
use maud::{html, Markup, PreEscaped};

/// The class that the rules of a fragment are about: they touch nothing else of the page.
const SCOPE: &str = "firmament-figures";

/// A picture, and what it shows.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// What it shows, as text.
    pub name: &'a str,
    /// The picture, in the colours of [`crate::palette`].
    pub svg: &'a str,
}

/// Pictures one below the other, each on a paper of its own, so that they can be read whatever is around them. They turn dark where
/// the reader's system is. There is no script.
pub fn fragment(pictures: &[Picture<'_>]) -> Markup {
    html! {
        div class=(SCOPE) {
            style { (PreEscaped(style())) }
            @for picture in pictures {
                p { (picture.name) }
                (drawn(picture.svg, picture.name))
            }
        }
    }
}

fn style() -> String {
    let (paper, dark_paper) = palette::PAPER.css();
    let (text, dark_text) = palette::TEXT.css();
    let twins: String = palette::shared().map(|(_, ink): (_, Ink)| ink.twin_rules(SCOPE)).collect();
    format!(
        ".{SCOPE}{{background:{paper};color:{text};padding:0.5em 1em;max-width:46em;font-family:sans-serif}}\
         .{SCOPE} figure{{margin:0}}.{SCOPE} svg{{display:block;width:100%;height:auto}}\
         @media(prefers-color-scheme:dark){{.{SCOPE}{{background:{dark_paper};color:{dark_text}}}{twins}}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AxisScale, Curve, Figure};

    #[test]
    fn every_colour_of_a_picture_turns_dark_and_no_name_breaks_out() {
        let measured = vec![(1.0, 2.0)];
        let (published, half_widths) = (vec![], vec![]);
        let curves = &[Curve { name: "a".into(), measured, published, half_widths }];
        let figure = Figure { title: "", x: &AxisScale::Log10, x_label: "x", y_label: "y", curves };
        let svg = figure.svg().unwrap();
        let text = fragment(&[Picture { name: "<b>", svg: &svg }]).into_string();
        assert!(text.contains("&lt;b&gt;") && !text.contains("<b>") && !text.contains("<script"));
        let colours: Vec<_> = svg.split("=\"#").skip(1).map(|rest| &rest[..6]).collect();
        assert!(colours.len() > 10);
        for colour in colours {
            let has_rule = |kind: &str| text.contains(&format!("[{kind}=\"#{colour}\"]{{{kind}:#"));
            assert!(has_rule("fill") && has_rule("stroke"), "#{colour}");
        }
    }
}
