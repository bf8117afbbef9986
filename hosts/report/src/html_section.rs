//! Sections of a page: a heading, and what is below it.

use chart::Plot;
use maud::{html, Markup};
use std::io;

/// A heading, a sentence, and what is below it.
pub(crate) struct Section<'a> {
    pub(crate) heading: &'a str,
    pub(crate) note: &'a str,
    /// Nothing if nothing was recorded.
    pub(crate) body: Option<Markup>,
}

impl Section<'_> {
    /// The section as HTML.
    pub(crate) fn html(&self) -> Markup {
        html! {
            h2 { (self.heading) } "\n"
            @match &self.body {
                None => p.note { "Nothing was recorded." },
                Some(body) => { p.note { (self.note) } "\n" (body) },
            }
            "\n"
        }
    }
}

/// Plots below each other.
pub(crate) fn plots(plots: &[Plot]) -> io::Result<Markup> {
    let plots: Vec<_> = plots.iter().map(Plot::markup).collect::<io::Result<_>>()?;
    Ok(html! { @for plot in plots { (plot) } })
}
