//! What went through each queue: a section of the page.

use crate::html_section::Section;
use crate::latency::Latency;
use crate::plot_latencies::queue_picture;
use crate::quantity::{size, time};
use crate::queues::QueueResult;
use crate::result::RunResult;
use maud::{html, Markup};
use std::io;

const COLUMNS: [&str; 8] =
    ["Jobs", "Requests", "Data", "Mean", "Median", "p99", "p99.9", "Longest"];

/// The section; nothing where there is a single queue.
pub(crate) fn queues(run: &RunResult) -> io::Result<Option<Section<'_>>> {
    if run.queues.is_empty() {
        return Ok(None);
    }
    let body = html! { (table(&run.queues)) (queue_picture(&run.queues)?) };
    Ok(Some(Section {
        heading: "Queues",
        note: "What went through each submission queue, and how long it took.",
        body: Some(body),
    }))
}

fn table(queues: &[QueueResult]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { "Queue" } th.word { "Direction" } @for name in COLUMNS { th { (name) } } } }
                "\n"
                tbody {
                    @for queue in queues {
                        @for (direction, latency) in queue.active() {
                            tr {
                                td { (queue.id) }
                                td.word { (direction.name()) }
                                @for cell in cells(queue, queue.bytes[direction as usize], latency) { td { (cell) } }
                            }
                            "\n"
                        }
                    }
                }
            }
        }
        "\n"
    }
}

fn cells(queue: &QueueResult, bytes: u64, latency: &Latency) -> [String; COLUMNS.len()] {
    let percentile = |percentile| time(latency.percentile_ns(percentile) as f64);
    [
        queue.jobs.to_string(),
        latency.count().to_string(),
        size(bytes as f64),
        time(latency.mean_ns()),
        percentile(50.0),
        percentile(99.0),
        percentile(99.9),
        time(latency.moments_ps().max() as f64 / 1e3),
    ]
}
