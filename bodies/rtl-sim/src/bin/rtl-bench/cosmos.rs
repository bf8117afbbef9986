//! The Cosmos+ OpenSSD: one channel of eight ways at 200 MT/s, coded pages.

use crate::bounds::Bounds;
use crate::jobs::{Job, MakeLoad, Results};
use crate::pages::{Access, Firmware, Pages, Whole};
use crate::rig::{Load, Tally};
use crate::set_up::{Effort, SetUp};
use crate::table::{Cell, Figure, Table};
use contract::packet::Model;

/// Pages of each chip that are programmed before they are read.
const PREPARED: u32 = 4;
/// Requests that are unanswered.
const WINDOW: u64 = 64;

/// Who schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheduling {
    Channel,
    ChannelWithCache,
    Firmware,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cells {
    Slc,
    Mlc,
}

/// What is measured.
const CASES: [(Access, Cells, Scheduling); 8] = [
    (Access::Read, Cells::Slc, Scheduling::Channel),
    (Access::Read, Cells::Slc, Scheduling::Firmware),
    (Access::Read, Cells::Mlc, Scheduling::Channel),
    (Access::Read, Cells::Mlc, Scheduling::Firmware),
    (Access::Program, Cells::Mlc, Scheduling::Channel),
    (Access::Program, Cells::Mlc, Scheduling::ChannelWithCache),
    (Access::Program, Cells::Mlc, Scheduling::Firmware),
    (Access::Program, Cells::Slc, Scheduling::Channel),
];

impl Cells {
    fn set_up(self, effort: Effort) -> SetUp {
        match self {
            Self::Slc => SetUp::cosmos_slc(effort),
            Self::Mlc => SetUp::cosmos_mlc(effort),
        }
    }
}

fn name((access, cells, scheduling): (Access, Cells, Scheduling)) -> String {
    format!("Cosmos+ {access:?}, {cells:?}, {scheduling:?}")
}

/// The measurements.
pub fn jobs(effort: Effort) -> Vec<Job> {
    let job = |case: (Access, Cells, Scheduling)| {
        let (access, cells, scheduling) = case;
        let mut set_up = cells.set_up(effort);
        match scheduling {
            Scheduling::Channel => {}
            Scheduling::ChannelWithCache => set_up.policy.merge_cache_program = true,
            Scheduling::Firmware => set_up.policy.model = Model::InOrder,
        }
        let prepared = u64::from(PREPARED);
        let ways = u64::from(set_up.ways);
        let prepare: MakeLoad = Box::new(move |set_up| {
            let pages = Pages::new(set_up, Access::Program);
            match scheduling {
                Scheduling::Firmware => Box::new(Firmware::limited(pages, prepared)),
                _ => Box::new(Whole::limited(pages, WINDOW, prepared * ways)),
            }
        });
        let (warm_up, answers) = match access {
            Access::Read => (64, effort.answers(160)),
            Access::Program => (32, effort.answers(64)),
        };
        Job {
            name: name(case),
            set_up,
            prepare: (access == Access::Read).then_some((prepare, prepared * ways)),
            load: Box::new(move |set_up| load(set_up, access, scheduling)),
            warm_up,
            answers,
        }
    };
    CASES.into_iter().map(job).collect()
}

fn load(set_up: &SetUp, access: Access, scheduling: Scheduling) -> Box<dyn Load> {
    let pages = match access {
        Access::Read => Pages::readable(set_up, PREPARED),
        Access::Program => Pages::new(set_up, access),
    };
    match scheduling {
        Scheduling::Firmware => Box::new(Firmware::new(pages)),
        Scheduling::Channel | Scheduling::ChannelWithCache => Box::new(Whole::new(pages, WINDOW)),
    }
}

/// What came of them.
pub fn tables(effort: Effort, results: &Results) -> Vec<Table> {
    let mut rows = vec![];
    for case in CASES {
        let set_up = case.1.set_up(effort);
        let tally = &results[&name(case)];
        match case.0 {
            Access::Read => rows.extend(read_rows(case, &set_up, tally)),
            Access::Program => rows.extend(program_rows(case, &set_up, tally)),
        }
    }
    vec![Table {
        title: "Cosmos+: 8 ways, 200 MT/s, 16 KB coded to 17,708 bytes".to_owned(),
        note:
            "A wrong bit a chunk. SLC: tR 99 us, tPROG 486 us. MLC: tR 58 and 90 us, tPROG 481 and \
               2,295 us. Firmware: it sends phases, in no time, and the channel keeps their order. \
               User data: of 200 MB/s, without parity and metadata."
                .to_owned(),
        columns: ["", "measured (bound)", "the bound", "Cosmos+", "aim"]
            .map(str::to_owned)
            .to_vec(),
        rows,
    }]
}

/// The user data of a page as a share of what moves on the bus.
fn user_share(set_up: &SetUp) -> f64 {
    f64::from(set_up.length) / set_up.bus_bytes as f64
}

fn label((access, cells, scheduling): (Access, Cells, Scheduling), what: &str) -> Cell {
    let by = match scheduling {
        Scheduling::Channel => "channel schedules",
        Scheduling::ChannelWithCache => "channel schedules, cache merged",
        Scheduling::Firmware => "firmware schedules",
    };
    format!("{access:?}, {cells:?}, {by}: {what}").into()
}

fn read_rows(case: (Access, Cells, Scheduling), set_up: &SetUp, tally: &Tally) -> [Vec<Cell>; 2] {
    let share = (tally.words * set_up.word_cycles()) as f64 / tally.cycles as f64;
    let bound = Bounds(set_up).read_share();
    let is_headline = (case.1, case.2) == (Cells::Slc, Scheduling::Channel);
    let mut figure = Figure::share(share, bound);
    if is_headline {
        figure = figure.key("cosmos_read_util");
    }
    let user = Figure::share(share * user_share(set_up), bound * user_share(set_up));
    let aim = if is_headline { "97 %" } else { "" };
    let how = "page + 7 tWC + tRPRE + tRPST";
    [
        vec![label(case, "share of bus"), figure.into(), how.into(), "".into(), aim.into()],
        vec![label(case, "user data"), user.into(), "the same".into(), "80 %".into(), "".into()],
    ]
}

fn program_rows(
    case: (Access, Cells, Scheduling),
    set_up: &SetUp,
    tally: &Tally,
) -> [Vec<Cell>; 2] {
    let page_us = set_up.us(tally.cycles as f64 / tally.pages() as f64);
    let cached = case.2 == Scheduling::ChannelWithCache;
    let limit_us = Bounds(set_up).program_us(1, cached);
    let bus_us = set_up.page_us() * user_share(set_up);
    let how = match (case.1, cached) {
        (Cells::Slc, _) => "a transfer a page",
        (Cells::Mlc, true) => "8 pages a tPROG and tPCBSY",
        (Cells::Mlc, false) => "8 pages a tPROG and a transfer",
    };
    let published = if case.1 == Cells::Mlc { "39 %" } else { "" };
    [
        vec![
            label(case, "share of limit"),
            Figure::share(limit_us / page_us, 1.0).into(),
            how.into(),
            "".into(),
            "".into(),
        ],
        vec![
            label(case, "user data"),
            Figure::share(bus_us / page_us, bus_us / limit_us).into(),
            "the same".into(),
            published.into(),
            "".into(),
        ],
    ]
}
