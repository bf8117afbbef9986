//! The skeleton of a page: HTML that needs nothing beside itself.

use crate::palette::{self, Ink};
use maud::{html, Markup, PreEscaped, DOCTYPE};

/// A page. Its style sheet has the colours of [`palette::shared`] and those of `inks` as variables (`--text`, `--series-0` …),
/// and a class `swatch-NAME` for each that is as background of that colour.
#[derive(Debug)]
pub struct Page<'a> {
    /// Its title, as text.
    pub title: &'a str,
    /// Colours beside the shared ones, with the names of their variables.
    pub inks: Vec<(String, Ink)>,
    /// Rules beside those that all pages have.
    pub style: &'a str,
    /// What it holds.
    pub body: Markup,
}

impl Page<'_> {
    /// The page as HTML. The library that draws [plots](crate::Plot) is in it, with its licence, if the body holds one.
    pub fn html(&self) -> String {
        let plots = self.body.0.contains("<div class=\"chart\"");
        let inks: Vec<_> = palette::shared().chain(self.inks.iter().cloned()).collect();
        let style = [
            palette::style_sheet(inks),
            if plots { include_str!("../assets/uPlot.min.css").to_owned() } else { String::new() },
            include_str!("page.css").to_owned(),
            self.style.to_owned(),
        ];
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    style { (PreEscaped(style.join("\n"))) }
                }
                body {
                    main { (self.body) }
                    @if plots { (scripts()) }
                }
            }
        };
        page.into_string() + "\n"
    }
}

fn scripts() -> Markup {
    html! {
        script {
            "\n/*\n" (PreEscaped(include_str!("../assets/uPlot.LICENSE"))) "*/\n"
            (PreEscaped(include_str!("../assets/uPlot.iife.min.js"))) "\n"
        }
        script { "\n" (PreEscaped(include_str!("page.js"))) }
    }
}

/// A drawn picture as part of a page, which scrolls where it is too wide.
pub fn drawn(svg: &str, name: &str) -> Markup {
    // No name space is declared within HTML.
    let svg = svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
    html! {
        figure.plot role="img" aria-label=(name) { "\n" (PreEscaped(svg)) }
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Plot, Scale, Unit};

    fn page(body: Markup) -> String {
        let inks = vec![("of-its-own".to_owned(), Ink::new(0x010203, 0x040506))];
        Page { title: "<title>", inks, style: "b{}", body }.html()
    }

    #[test]
    fn only_a_page_with_plots_carries_the_library() {
        let y = Axis { name: "a \"b\"", unit: Unit::Count, scale: Scale::Linear };
        let plot =
            Plot { x: Axis::TIME, y, at: vec![], lines: vec![], marks: vec![], bands: vec![] };
        let with = page(plot.markup().unwrap());
        assert!(with.contains("Copyright (c)") && with.contains("aria-label=\"a &quot;b&quot;\""));
        let without = page(html! { p { "div class=\"chart\"" } });
        assert!(!without.contains("<script"));
    }

    #[test]
    fn the_page_has_its_colours_and_no_name_breaks_out() {
        let page =
            page(drawn("<svg width=\"1\" xmlns=\"http://www.w3.org/2000/svg\"></svg>", "<b>"));
        for text in [
            "&lt;title&gt;",
            "--of-its-own:#010203",
            ".swatch-of-its-own",
            "aria-label=\"&lt;b&gt;\"",
        ] {
            assert!(page.contains(text), "{text}");
        }
        assert!(!page.contains("xmlns"));
    }
}
