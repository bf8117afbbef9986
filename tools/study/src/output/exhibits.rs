//! The figures and tables of a paper, in `docs/fidelity.md`.

use super::markdown::{code, escaped, Side, Table};
use crate::outcome::Exhibit;

/// The section about `exhibits`, as Markdown; nothing when there are none.
pub fn exhibits(exhibits: &[Exhibit]) -> String {
    if exhibits.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[
        ("of the paper", Side::Left),
        ("what it shows", Side::Left),
        ("what is done", Side::Left),
        ("where, and what is missing", Side::Left),
    ]);
    for exhibit in exhibits {
        table.row([
            format!("{} {}", escaped(&exhibit.kind), exhibit.number),
            escaped(&exhibit.shows),
            exhibit.treatment.name().to_string(),
            where_and_why(exhibit),
        ]);
    }
    format!("### Figures and tables of the paper\n\n{}", table.finished())
}

/// What does it, and the note.
fn where_and_why(exhibit: &Exhibit) -> String {
    let places: Vec<_> = exhibit.by.iter().chain(&exhibit.files).map(|name| code(name)).collect();
    let places = places.join(", ");
    match (places.is_empty(), exhibit.note.is_empty()) {
        (true, _) => escaped(&exhibit.note),
        (false, true) => places,
        (false, false) => format!("{places}. {}", escaped(&exhibit.note)),
    }
}
