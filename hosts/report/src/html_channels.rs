//! How long operations took on each channel: a section of the page.

use crate::drive::ChannelResult;
use crate::html_section::Section;
use crate::json_over_time::PERCENTILES;
use crate::plot_latencies::channel_picture;
use crate::quantity::time;
use crate::result::RunResult;
use chart::bars::{lying, Bar, BarPart};
use maud::{html, Markup};
use std::io;

/// Colours of the two parts of a bar.
const QUEUED: &str = "series-1";
const SERVED: &str = "series-0";

const NOTE: &str =
    "Mean time of the operations of commands, from when nothing on their buffer entry came before them: in the queue of their \
     die, and from then to their end. The map has all of them by how long they took: the darker, the more. Pages are those of \
     all operations, collection included.";

/// The section; nothing where nobody asked where the time went.
pub(crate) fn channels(run: &RunResult) -> io::Result<Option<Section<'_>>> {
    let channels = &run.drive.channels;
    if channels.is_empty() {
        return Ok(None);
    }
    let body = html! {
        (legend()) (lying(&bars(channels))) (channel_picture(channels)?) (table(channels))
    };
    Ok(Some(Section { heading: "Latency by channel", note: NOTE, body: Some(body) }))
}

fn legend() -> Markup {
    html! {
        ul.legend {
            li { span class={ "swatch swatch-" (QUEUED) } {} "in the queue of its die" }
            li { span class={ "swatch swatch-" (SERVED) } {} "bus, die, error correction and processor" }
        }
        "\n"
    }
}

fn bars(channels: &[ChannelResult]) -> Vec<Bar> {
    let means = channels.iter().map(|channel| channel.mean_ns().unwrap_or_default());
    let longest = means.clone().map(|means| means.iter().sum()).fold(f64::MIN_POSITIVE, f64::max);
    let bar = |(nth, means): (usize, [f64; 2])| {
        let part = |(ink, ns): (&str, f64)| BarPart {
            share: ns / longest,
            ink: ink.into(),
            title: time(ns),
        };
        Bar {
            job: None,
            name: format!("channel {nth}"),
            parts: [QUEUED, SERVED].into_iter().zip(means).map(part).collect(),
            amount: time(means.iter().sum()),
        }
    };
    means.enumerate().map(bar).collect()
}

fn table(channels: &[ChannelResult]) -> Markup {
    let mean = |channel: &ChannelResult, nth: usize| {
        channel.mean_ns().map_or("–".to_string(), |means| time(means[nth]))
    };
    let percentile = |channel: &ChannelResult, percentile| {
        let found = channel.latencies.percentile_ps(percentile);
        found.map_or("–".to_string(), |ps| time(ps as f64 / 1e3))
    };
    html! {
        details {
            summary { "Table" }
            div.scroll {
                table {
                    thead {
                        tr {
                            th { "Channel" } th { "Operations" } th { "Queued" } th { "Served" }
                            @for (name, _) in PERCENTILES { th { (name) } }
                            th { "Pages read" } th { "Pages programmed" }
                        }
                    }
                    tbody {
                        @for (nth, channel) in channels.iter().enumerate() {
                            tr {
                                td { (nth) }
                                td { (channel.operations) }
                                td { (mean(channel, 0)) }
                                td { (mean(channel, 1)) }
                                @for (_, share) in PERCENTILES { td { (percentile(channel, share)) } }
                                td { (channel.pages_read) }
                                td { (channel.pages_programmed) }
                            }
                        }
                    }
                }
            }
        }
        "\n"
    }
}
