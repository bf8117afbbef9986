//! Bars: latency broken down by cause, and firmware time by module.

use crate::drive::{CoreResult, DriveResult};
use crate::html_tables::rows;
use crate::normal_drive::IDLE_POLLING;
use crate::palette::name_of;
use crate::quantity::{share, time, total};
use crate::result::RunResult;
use chart::bars::{lying, Bar, BarPart};
use contract::{Cause, Split};
use maud::{html, Markup};

/// Colour of a bar of firmware time.
const FIRMWARE: &str = "series-1";
/// Colour of a bar of processor time that was nobody's work.
const IDLE: &str = "axis";

/// One bar a job and direction, split by cause, with the causes' names above and their meanings below, or
/// nothing when no request completed.
pub(crate) fn breakdown(run: &RunResult) -> Option<Markup> {
    let mut all = Split::default();
    let mut drawn = Vec::new();
    for row in rows(run) {
        all.merge(&row.result.split);
        let shares = row.result.cause_shares();
        let mean_ns = row.result.clat.mean_ns();
        let part = |cause: Cause| {
            let own = shares[cause as usize];
            let title = format!("{}: {}, {}", cause.name(), time(own * mean_ns), share(own));
            BarPart { share: own, ink: name_of(cause), title }
        };
        drawn.push(Bar {
            job: Some(row.nth),
            name: row.name(),
            parts: Cause::ALL.map(part).into(),
            amount: format!("{} mean", time(mean_ns)),
        });
    }
    if drawn.is_empty() || all.total() == 0 {
        return None;
    }
    let times = all.by_cause();
    let causes = || Cause::ALL.into_iter().filter(|cause| times[*cause as usize] > 0);
    Some(html! {
        ul.legend {
            @for cause in causes() {
                li title=(cause.definition()) { span class={ "swatch swatch-" (name_of(cause)) } {} (cause.name()) }
            }
        }
        "\n"
        (lying(&drawn))
        details.meanings {
            summary { "What these names mean" }
            dl { @for cause in causes() { dt { (cause.name()) } dd { (cause.definition()) } } }
        }
        "\n"
    })
}

/// One bar a firmware module by its processor time, the greatest first, and apart from them a bar for idle polls, which are
/// no module's work and fill what is left of a processor's time; nothing when the processor did neither.
pub(crate) fn modules(drive: &DriveResult) -> Option<Markup> {
    let duration = |ps: u64| time(ps as f64 / 1e3);
    let mut rows: Vec<_> = drive
        .module_shares()
        .map(|(module, own)| {
            let amount = format!("{} · {}", duration(module.time_ps), share(own));
            (module.name.as_str(), module.time_ps, amount)
        })
        .filter(|(_, ps, _)| *ps > 0)
        .collect();
    rows.sort_by_key(|(_, ps, _)| std::cmp::Reverse(*ps));
    let idle_ps = drive.idle_polling_ps;
    let worked_ps = total(rows.iter().map(|(_, ps, _)| *ps));
    let all_ps = worked_ps.saturating_add(idle_ps);
    if all_ps == 0 {
        return None;
    }
    let greatest_ps = rows.iter().map(|(_, ps, _)| *ps).max().unwrap_or(1);
    let bar = |(name, amount): (&str, String), (ps, of_ps, ink): (u64, u64, &str)| {
        let title = format!("{name}: {amount}");
        let part = BarPart { share: ps as f64 / of_ps as f64, ink: ink.to_owned(), title };
        Bar { job: None, name: name.to_owned(), parts: vec![part], amount }
    };
    let of_module =
        |(name, ps, amount): (&str, u64, String)| bar((name, amount), (ps, greatest_ps, FIRMWARE));
    let modules: Vec<_> = rows.into_iter().map(of_module).collect();
    let amount = format!("{} · {}", duration(idle_ps), share(idle_ps as f64 / all_ps as f64));
    let idle = bar((IDLE_POLLING, amount), (idle_ps, all_ps, IDLE));
    Some(html! {
        @if !modules.is_empty() { (lying(&modules)) }
        @if idle_ps > 0 {
            p.note.apart { "Apart from them, of all of the processor's time:" } "\n"
            (lying(&[idle]))
        }
    })
}

/// One bar a core of a processor that has several: what each module took, and idle polls; nothing where it has a single core.
pub(crate) fn cores(drive: &DriveResult) -> Option<Markup> {
    let bar = |(nth, core): (usize, &CoreResult)| {
        let worked = total(core.modules.iter().map(|module| module.time_ps));
        let all = worked.saturating_add(core.idle_polling_ps).max(1) as f64;
        let part = |name: &str, ps: u64, ink: &str| BarPart {
            share: ps as f64 / all,
            ink: ink.to_owned(),
            title: format!("{name}: {}", time(ps as f64 / 1e3)),
        };
        let modules = core.modules.iter().filter(|module| module.time_ps > 0);
        let mut parts: Vec<_> =
            modules.map(|module| part(&module.name, module.time_ps, FIRMWARE)).collect();
        parts.push(part(IDLE_POLLING, core.idle_polling_ps, IDLE));
        let amount = format!("{} busy", share(core.busy));
        Bar { job: None, name: format!("core {nth}: {}", core.does), parts, amount }
    };
    let drawn: Vec<_> = drive.cores.iter().enumerate().map(bar).collect();
    (!drawn.is_empty()).then(|| lying(&drawn))
}
