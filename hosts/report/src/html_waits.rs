//! What system calls waited for: a section of the page.

use crate::palette::name_of;
use crate::quantity::{share, time};
use crate::result::RunResult;
use crate::waits::{CallWaits, Waited};
use crate::waits_told::MOST_LINES;
use chart::bars::{lying, Bar, BarPart};
use contract::Cause;
use maud::{html, Markup};

const COLUMNS: [&str; 7] =
    ["Calls", "Mean", "Median", "p99", "Longest", "Commands a call", "In the drive"];
/// Colour of what is not in the drive.
const LINUX: &str = "axis";

/// What the section means.
pub(crate) const NOTE: &str =
    "Time of system calls as the program saw it, walked back from the end of each call over the commands that completed last. \
     Grey is time without such a command: Linux, and interrupts on their way. The slowest are the slowest hundredth.";

/// A table and bars; nothing where the host is no Linux that tells of its calls.
pub(crate) fn waits(run: &RunResult) -> Option<Markup> {
    let waits = run.waits.as_ref()?;
    let shown = &waits.calls[..waits.calls.len().min(MOST_LINES)];
    let bars: Vec<_> = shown.iter().filter(|row| row.all.total_ps > 0).flat_map(bars).collect();
    Some(html! {
        (table(shown))
        @if !bars.is_empty() { (lying(&bars)) }
        @if waits.lost > 0 { p.note { (waits.lost) " calls came too fast to be told of." } }
        "\n"
    })
}

fn name(row: &CallWaits) -> String {
    format!("{} {} {}", row.process, row.call, row.file).trim_end().to_owned()
}

fn table(rows: &[CallWaits]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { "System calls" } @for name in COLUMNS { th { (name) } } } }
                "\n"
                tbody {
                    @for row in rows {
                        tr { td { (name(row)) } @for cell in cells(row) { td { (cell) } } }
                        "\n"
                    }
                }
            }
        }
        "\n"
    }
}

fn cells(row: &CallWaits) -> [String; COLUMNS.len()] {
    let CallWaits { latency, all, .. } = row;
    let percentile = |percentile| time(latency.percentile_ns(percentile) as f64);
    [
        all.calls.to_string(),
        time(all.mean_ns()),
        percentile(50.0),
        percentile(99.0),
        time(latency.moments_ps().max() as f64 / 1e3),
        format!("{:.2}", all.commands as f64 / all.calls.max(1) as f64),
        share(all.share(all.drive_ps())),
    ]
}

/// A bar of all calls of a row, and one of its slowest.
fn bars(row: &CallWaits) -> [Bar; 2] {
    let name = name(row);
    [bar(name.clone(), &row.all), bar(format!("{name}, slowest"), &row.slowest)]
}

fn bar(name: String, waited: &Waited) -> Bar {
    let part = |what: &str, ink: &str, ps: u64| {
        let own = waited.share(ps);
        let title = format!("{what}: {}, {}", time(own * waited.mean_ns()), share(own));
        BarPart { share: own, ink: ink.to_owned(), title }
    };
    let causes = Cause::ALL.into_iter().zip(waited.causes_ps);
    let mut parts: Vec<_> =
        causes.map(|(cause, ps)| part(cause.name(), &name_of(cause), ps)).collect();
    parts.push(part("Linux", LINUX, waited.linux_ps()));
    Bar { job: None, name, parts, amount: format!("{} mean", time(waited.mean_ns())) }
}
