//! Bars: latency broken down by cause, and firmware time by module.

use crate::drive::DriveResult;
use crate::html_tables::rows;
use crate::quantity::{finite, share, time};
use crate::result::RunResult;
use crate::template::escaped;
use contract::{Cause, Split};

/// Class of a bar of firmware time.
const FIRMWARE: &str = "s1";

/// A row: a name, a bar of parts, and an amount.
struct Bar {
    /// Row of the table of jobs that it belongs to.
    job: Option<usize>,
    name: String,
    parts: Vec<BarPart>,
    amount: String,
}

/// A part of a bar.
struct BarPart {
    /// Of the whole width, 0 to 1.
    share: f64,
    /// Class of its colour.
    class: String,
    /// What it is, in words.
    title: String,
}

impl Bar {
    fn html(&self) -> String {
        let job = self.job.map_or_else(String::new, |nth| format!(" data-job=\"{nth}\""));
        let part = |part: &BarPart| {
            let width = 100.0 * finite(part.share);
            let (class, title) = (&part.class, escaped(&part.title));
            format!("<i class=\"{class}\" style=\"width:{width:.2}%\" title=\"{title}\"></i>")
        };
        let parts: String = self.parts.iter().filter(|part| part.share > 0.0).map(part).collect();
        let (name, amount) = (escaped(&self.name), escaped(&self.amount));
        format!(
            "<div{job}><b title=\"{name}\">{name}</b><span>{parts}</span><em>{amount}</em></div>\n"
        )
    }
}

fn bars(bars: &[Bar]) -> String {
    let rows: String = bars.iter().map(Bar::html).collect();
    format!("<div class=\"bars\">\n{rows}</div>\n")
}

/// One bar a job and direction, split by cause, with the causes' names above and their meanings below, or
/// nothing when no request completed.
pub(crate) fn breakdown(run: &RunResult) -> Option<String> {
    let mut all = Split::default();
    let mut drawn = Vec::new();
    for row in rows(run) {
        all.merge(&row.result.split);
        let shares = row.result.cause_shares();
        let mean_ns = row.result.clat.mean_ns();
        let part = |cause: Cause| {
            let own = shares[cause as usize];
            let title = format!("{}: {}, {}", cause.name(), time(own * mean_ns), share(own));
            BarPart { share: own, class: class(cause), title }
        };
        drawn.push(Bar {
            job: Some(row.nth),
            name: row.name(),
            parts: Cause::ALL.map(part).into(),
            amount: format!("{} mean", time(mean_ns)),
        });
    }
    if drawn.is_empty() {
        return None;
    }
    let times = all.by_cause();
    let causes = || Cause::ALL.into_iter().filter(|cause| times[*cause as usize] > 0);
    let key = |cause: Cause| {
        let (class, name, meaning) = (class(cause), cause.name(), cause.definition());
        format!("<li title=\"{meaning}\"><span class=\"swatch {class}\"></span>{name}</li>")
    };
    let meaning =
        |cause: Cause| format!("<dt>{}</dt><dd>{}</dd>", cause.name(), cause.definition());
    let (keys, meanings): (String, String) =
        (causes().map(key).collect(), causes().map(meaning).collect());
    Some(format!(
        "<ul class=\"legend\">{keys}</ul>\n{}<details class=\"meanings\">\
         <summary>What these names mean</summary><dl>{meanings}</dl></details>\n",
        bars(&drawn)
    ))
}

/// Class of the colour of a cause.
fn class(cause: Cause) -> String {
    format!("c{}", cause as usize)
}

/// One bar a firmware module by its share of the processor's work, the greatest first, or nothing
/// when the firmware did none.
pub(crate) fn modules(drive: &DriveResult) -> Option<String> {
    let mut rows: Vec<_> = drive.module_shares().filter(|(module, _)| module.time_ps > 0).collect();
    rows.sort_by_key(|(module, _)| std::cmp::Reverse(module.time_ps));
    let greatest = rows.first().map(|(_, share)| *share)?;
    let bar = |(module, own): &(&crate::drive::ModuleTime, f64)| {
        let amount = format!("{} · {}", time(module.time_ps as f64 / 1e3), share(*own));
        let title = format!("{}: {amount}", module.name);
        let part = BarPart { share: own / greatest, class: FIRMWARE.to_string(), title };
        Bar { job: None, name: module.name.clone(), parts: vec![part], amount }
    };
    Some(bars(&rows.iter().map(bar).collect::<Vec<_>>()))
}
