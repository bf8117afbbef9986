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
    html! {
        figure.plot role="img" aria-label=(name) { "\n" (within(svg)) }
        "\n"
    }
}

/// The part of a picture that is over virtual time, and that the page's script therefore zooms with the plots. Its
/// last two texts name the times at its edges.
#[derive(Clone, Copy, Debug)]
pub struct TimeSpan {
    /// Left edge, at the start of the run.
    pub left: i32,
    /// Right edge.
    pub right: i32,
    /// Time at the right edge in nanoseconds.
    pub end_ns: f64,
}

/// A picture over virtual time, named for whoever does not see it.
pub fn drawn_over_time(svg: &str, name: &str, span: TimeSpan) -> Markup {
    let TimeSpan { left, right, end_ns } = span;
    html! {
        figure.plot role="img" aria-label=(name) data-left=(left) data-right=(right) data-end=(end_ns) {
            "\n" (within(svg))
        }
        "\n"
    }
}

/// A picture within HTML, where no name space is declared.
fn within(svg: &str) -> PreEscaped<String> {
    PreEscaped(svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1))
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

    const CSS: &str = include_str!("page.css");
    const SCRIPT: &str = include_str!("page.js");
    /// A narrow screen, and what of it the page has beside its margins.
    const NARROW_PX: u32 = 400;

    /// Selectors and declarations of a style sheet, those within media queries apart, with the query.
    fn rules(css: &str) -> Vec<(Option<&str>, &str, &str)> {
        let (mut all, mut query, mut rest) = (Vec::new(), None, css);
        while let Some(at) = rest.find(['{', '}']) {
            let (head, tail) = (rest[..at].trim(), &rest[at + 1..]);
            if rest[at..].starts_with('}') {
                (query, rest) = (None, tail);
            } else if head.starts_with("@media") {
                (query, rest) = (Some(head), tail);
            } else {
                let end = tail.find('}').unwrap();
                all.push((query, head, tail[..end].trim()));
                rest = &tail[end + 1..];
            }
        }
        all
    }

    /// Lengths in pixels that a declaration states.
    fn pixels(declaration: &str) -> impl Iterator<Item = u32> + '_ {
        let pieces = declaration.split("px");
        let numbers =
            pieces.map(|piece| piece.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap());
        numbers.filter_map(|number| number.parse().ok())
    }

    #[test]
    fn on_a_narrow_screen_only_what_scrolls_is_wider_than_it() {
        assert!(page(html! {}).contains("content=\"width=device-width, initial-scale=1\""));
        let rules = rules(CSS);
        for (query, selector, body) in &rules {
            for declaration in body.split(';').map(str::trim) {
                let (name, value) = declaration.split_once(':').unwrap_or((declaration, ""));
                let is_least =
                    ["width", "min-width", "grid-template-columns"].contains(&name.trim());
                let is_wide = is_least && pixels(value).any(|px| px > NARROW_PX);
                assert!(
                    !is_wide || *selector == ".plot svg",
                    "{query:?} {selector}: {declaration}"
                );
            }
        }
        let has = |selector: &str, declaration: &str| {
            rules.iter().any(|(query, named, body)| {
                query.is_none() && *named == selector && body.contains(declaration)
            })
        };
        // The swatches of all lines, also outside of bars.
        assert!(has(".chart .swatch", "background: var(--ink)"));
        for scrolls in [".plot", ".scroll"] {
            assert!(has(scrolls, "overflow-x: auto"), "{scrolls}");
        }
        assert!(has("pre", "overflow: auto"));
        let is_narrow = |query: &Option<&str>| query.is_some_and(|query| query.contains("640px"));
        let narrow = || rules.iter().filter(|(query, ..)| is_narrow(query));
        // What has columns on a wide screen has other ones on a narrow one, unless they fit by themselves.
        for (query, selector, body) in &rules {
            let has_columns = |body: &str| body.contains("grid-template-columns");
            if query.is_none() && has_columns(body) && !body.contains("min(100%") {
                let is_told =
                    narrow().any(|(_, named, body)| named == selector && has_columns(body));
                assert!(is_told, "{selector}: {body}");
            }
        }
    }

    #[test]
    fn every_colour_has_a_light_and_a_dark_form() {
        let sheet = palette::style_sheet(palette::shared()) + CSS;
        let rules = rules(&sheet);
        let stated = |is_dark: bool| {
            let of = rules.iter().filter(move |(query, selector, _)| {
                *selector == ":root" && query.is_some_and(|query| query.contains("dark")) == is_dark
            });
            let names = of.flat_map(|(_, _, body)| body.split(';'));
            names
                .filter_map(|one| one.trim().strip_prefix("--")?.split_once(':'))
                .map(|(name, _)| name)
        };
        let (light, dark): (Vec<_>, Vec<_>) = (stated(false).collect(), stated(true).collect());
        assert!(light.len() > 60, "{light:?}");
        assert_eq!(light.iter().filter(|name| !dark.contains(name)).count(), 0);
        let uses = [CSS, SCRIPT].into_iter().flat_map(|text| {
            let by_rule = text.split("var(--").skip(1).map(|rest| rest.split(')').next().unwrap());
            let by_script =
                text.split("color(\"--").skip(1).map(|rest| rest.split('"').next().unwrap());
            by_rule.chain(by_script)
        });
        for name in uses.filter(|name| !name.contains('$') && *name != "ink") {
            assert!(light.contains(&name), "--{name} is stated nowhere");
        }
        // No colour of a rule, and none that the script draws with, stands for both appearances.
        let fixed = rules.iter().filter(|(_, selector, _)| *selector != ":root");
        let fixed = fixed.filter(|(query, ..)| query.is_none_or(|query| !query.contains("dark")));
        for (_, selector, body) in fixed {
            assert!(!body.contains('#'), "{selector}: {body}");
        }
        assert!(!SCRIPT.contains("\"#") && !SCRIPT.contains("rgb"), "a colour of its own");
    }
}
