//! Lying bars with names, as part of a page.

use crate::number::finite;
use maud::{html, Markup};

/// A lying bar: a name, the bar of parts, and an amount.
#[derive(Debug)]
pub struct Bar {
    /// Row of the table of jobs that it belongs to.
    pub job: Option<usize>,
    /// What it is of.
    pub name: String,
    /// From the left.
    pub parts: Vec<BarPart>,
    /// Its amount, in words.
    pub amount: String,
}

/// A stretch of a bar in one colour.
#[derive(Debug)]
pub struct BarPart {
    /// Of the whole width, 0 to 1.
    pub share: f64,
    /// Name of its colour in the page's style sheet.
    pub ink: String,
    /// What it is, in words.
    pub title: String,
}

impl Bar {
    fn markup(&self) -> Markup {
        html! {
            div data-job=[self.job] {
                b title=(self.name) { (self.name) }
                span {
                    @for part in self.parts.iter().filter(|part| part.share > 0.0) {
                        i class={ "swatch-" (part.ink) } style={ "width:" (format!("{:.2}", 100.0 * finite(part.share))) "%" } title=(part.title) {}
                    }
                }
                em { (self.amount) }
            }
            "\n"
        }
    }
}

/// Lying bars below each other.
pub fn lying(bars: &[Bar]) -> Markup {
    html! {
        div.bars { "\n" @for bar in bars { (bar.markup()) } }
        "\n"
    }
}
