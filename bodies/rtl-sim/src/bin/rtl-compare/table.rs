//! A table in Markdown of what both bodies gave.

use contract::Part;
use report::Direction;
use rtl_sim::drive::paired::{Compared, Paired};

/// The head of a table.
pub fn head() -> String {
    let parts = Part::ALL.map(|part| format!("{}, median us", part.name()));
    let rule = "|---".repeat(8);
    format!("| Job | Who schedules | MB/s | mean us | p99 us | {} |\n{rule}|", parts.join(" | "))
}

/// The rows of a job: one for each direction that it went.
pub fn rows((name, who): (&str, &str), paired: &Paired) -> Vec<String> {
    let told =
        [(Direction::Read, "reads"), (Direction::Write, "writes"), (Direction::Trim, "trims")];
    let row = |(direction, told): (Direction, &str)| {
        let figures = paired.figures(direction)?;
        let name = match name.contains("mix") {
            true => format!("{name}, {told}"),
            false => name.to_owned(),
        };
        let cells = figures.each_ref().map(cell);
        Some(format!("| {name} | {who} | {} |", cells.join(" | ")))
    };
    told.into_iter().filter_map(row).collect()
}

/// Both means, and the mean difference of a pair with its interval: in bold where the interval excludes the aim.
fn cell(figure: &Compared) -> String {
    let means = format!("{:.1} / {:.1}", figure.hardware, figure.simulated);
    let Some(apart) = figure.apart else { return means };
    let width = apart.half_width.map_or(String::new(), |width| format!(" ± {width:.1}"));
    // What is zero when rounded has no sign.
    let mean = (apart.mean * 10.0).round() / 10.0 + 0.0;
    let mark = if figure.is_outside() { "**" } else { "" };
    format!("{means} ({mark}{mean:+.1}{width} %{mark})")
}
