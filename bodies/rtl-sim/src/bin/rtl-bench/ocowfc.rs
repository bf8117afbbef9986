//! OCOWFC's drive: one channel of four ways at 333 MT/s.

use crate::bounds::Bounds;
use crate::jobs::{Job, Results};
use crate::pages::{Access, Pages, Whole};
use crate::set_up::{Effort, SetUp};
use crate::table::{Cell, Figure, Table};
use contract::Duration;

/// What the scheduler joins.
#[derive(Clone, Copy)]
struct Merging {
    planes: bool,
    cache: bool,
}

const MERGINGS: [Merging; 4] = [
    Merging { planes: true, cache: true },
    Merging { planes: true, cache: false },
    Merging { planes: false, cache: true },
    Merging { planes: false, cache: false },
];

/// Its shortest one-page latencies, 119 us and 2 ms, less the 54.8 us that a page takes at 333 MT/s.
const IMPLIED: (Duration, Duration) = (Duration::from_us(64), Duration::from_us(1_945));

impl Merging {
    fn name(self) -> &'static str {
        match (self.planes, self.cache) {
            (true, true) => "planes and cache merged",
            (true, false) => "planes merged",
            (false, true) => "cache merged",
            (false, false) => "nothing merged",
        }
    }

    fn apply(self, set_up: &SetUp) -> SetUp {
        let mut set_up = set_up.clone();
        set_up.policy.merge_planes = self.planes;
        set_up.policy.merge_cache_read = self.cache;
        set_up.policy.merge_cache_program = self.cache;
        set_up
    }

    /// Planes that are programmed at once.
    fn together(self) -> u64 {
        1 + u64::from(self.planes)
    }
}

fn name(access: Access, what: &str) -> String {
    format!("OCOWFC {access:?}, {what}")
}

/// The same drive with the array times that its latencies imply.
fn implied(effort: Effort) -> SetUp {
    let mut set_up = SetUp::ocowfc(effort);
    set_up.chip.times.read = vec![effort.time(IMPLIED.0)];
    set_up.chip.times.program = vec![effort.time(IMPLIED.1)];
    set_up
}

/// The measurements.
pub fn jobs(effort: Effort) -> Vec<Job> {
    let set_up = SetUp::ocowfc(effort);
    let mut jobs = vec![];
    for merging in MERGINGS {
        for (access, warm_up, answers) in [(Access::Read, 64, 160), (Access::Program, 16, 64)] {
            jobs.push(steady(merging.apply(&set_up), access, merging.name(), (warm_up, answers)));
            let last = jobs.last_mut().expect("just pushed");
            last.answers = effort.answers(answers);
        }
    }
    for access in [Access::Read, Access::Program] {
        let (warm_up, answers) = (16, effort.answers(32));
        jobs.push(steady(implied(effort), access, "implied times", (warm_up, answers)));
        jobs.push(single(set_up.clone(), access, "alone"));
        jobs.push(single(implied(effort), access, "alone, implied times"));
    }
    jobs
}

fn steady(set_up: SetUp, access: Access, what: &str, (warm_up, answers): (u64, u64)) -> Job {
    Job {
        name: name(access, what),
        set_up,
        prepare: None,
        load: Box::new(move |set_up| Box::new(Whole::new(Pages::new(set_up, access), 64))),
        warm_up,
        answers,
    }
}

/// One page at a time, on chips of one plane.
fn single(mut set_up: SetUp, access: Access, what: &str) -> Job {
    set_up.chip.rows.plane_bits = 0;
    set_up.policy.plane_bits = 0;
    Job {
        name: name(access, what),
        set_up,
        prepare: None,
        load: Box::new(move |set_up| Box::new(Whole::new(Pages::new(set_up, access), 1))),
        warm_up: 0,
        answers: 4,
    }
}

/// What came of them.
pub fn tables(effort: Effort, results: &Results) -> Vec<Table> {
    vec![throughput(effort, results), latency(effort, results)]
}

fn throughput(effort: Effort, results: &Results) -> Table {
    let set_up = SetUp::ocowfc(effort);
    let bounds = Bounds(&set_up);
    let mut rows = vec![];
    for merging in MERGINGS {
        let tally = &results[&name(Access::Read, merging.name())];
        let share = (tally.words * set_up.word_cycles()) as f64 / tally.cycles as f64;
        let mut figure = Figure::share(share, bounds.read_share());
        let is_best = merging.planes && merging.cache;
        if is_best {
            figure = figure.key("ocowfc_read_util");
        }
        rows.push(vec![
            format!("reads, {}: share of bus", merging.name()).into(),
            figure.into(),
            "page + 7 tWC + tRPRE + tRPST".into(),
            if is_best { "93 %" } else { "" }.into(),
            if is_best { "98 %" } else { "" }.into(),
        ]);
    }
    for merging in MERGINGS {
        let tally = &results[&name(Access::Program, merging.name())];
        let page_us = set_up.us(tally.cycles as f64 / tally.pages() as f64);
        let limit_us = bounds.program_us(merging.together(), merging.cache);
        let is_best = merging.planes && merging.cache;
        let pages = u64::from(set_up.ways) * merging.together();
        let array_us = set_up.chip.times.program[0].as_ps() / 1_000_000;
        // The limit leaves out the microsecond in which a page moves to the array.
        let plain_us = array_us as f64 / pages as f64;
        let (figure, how, aim) = if is_best {
            let figure = Figure::share(plain_us / page_us, plain_us / limit_us);
            (figure.key("ocowfc_program_of_limit"), format!("{pages} pages a tPROG"), "99 %")
        } else {
            (Figure::share(limit_us / page_us, 1.0), limit(merging, pages), "")
        };
        rows.push(vec![
            format!("programs, {}: share of limit", merging.name()).into(),
            figure.into(),
            how.into(),
            "".into(),
            aim.into(),
        ]);
        if is_best {
            let share = Figure::share(set_up.page_us() / page_us, set_up.page_us() / limit_us);
            rows.push(vec![
                "the same: share of bus".into(),
                share.into(),
                format!("{pages} pages a tPROG and tPCBSY").into(),
                "27 %".into(),
                "".into(),
            ]);
        }
    }
    Table {
        title: "OCOWFC: 4 ways, 333 MT/s, pages of 18,256 bytes, two planes".to_owned(),
        note: "Random pages, 64 requests unanswered. tR 115 us, tPROG 1,600 us.".to_owned(),
        columns: ["", "measured (bound)", "the bound", "OCOWFC", "aim"].map(str::to_owned).to_vec(),
        rows,
    }
}

fn limit(merging: Merging, pages: u64) -> String {
    match (merging.planes, merging.cache) {
        (_, true) => format!("{pages} pages a tPROG and tPCBSY"),
        (true, false) => format!("{pages} pages a tPROG, tPLPBSY and two transfers"),
        (false, false) => format!("{pages} pages a tPROG and a transfer"),
    }
}

fn latency(effort: Effort, results: &Results) -> Table {
    let mut rows = vec![];
    for (access, published) in [(Access::Read, "119 us"), (Access::Program, "2,000 us")] {
        for (set_up, what) in
            [(SetUp::ocowfc(effort), "alone"), (implied(effort), "alone, implied times")]
        {
            let tally = &results[&name(access, what)];
            let us = set_up.us(tally.cycles as f64 / tally.pages() as f64);
            let array = array_us(&set_up, access);
            rows.push(row(
                (access, what, published),
                Figure::time(us, array + set_up.page_us()),
                "array and transfer",
            ));
        }
    }
    for (access, published) in [(Access::Read, "64 us"), (Access::Program, "641 us")] {
        for (set_up, what) in
            [(SetUp::ocowfc(effort), "nothing merged"), (implied(effort), "implied times")]
        {
            let tally = &results[&name(access, what)];
            let us = set_up.us(tally.cycles as f64 / tally.pages() as f64);
            let (least, how) = match access {
                Access::Read => (set_up.page_us(), "transfer"),
                Access::Program => (Bounds(&set_up).program_us(1, false), "limit"),
            };
            let what = format!("four ways busy, {what}");
            rows.push(row((access, &what, published), Figure::time(us, least), how));
        }
    }
    Table {
        title: "OCOWFC: time for a page".to_owned(),
        note: "Alone: from request to response. Four ways busy: time over pages. OCOWFC's 119 us and 2 \
               ms less the 54.8 us of a transfer imply a tR of 64 us and a tPROG of 1,945 us, where its \
               table has at most 115 us and typically 1,600 us; measured with both."
            .to_owned(),
        columns: ["", "measured (bound)", "the bound", "OCOWFC"].map(str::to_owned).to_vec(),
        rows,
    }
}

fn row((access, what, published): (Access, &str, &str), figure: Figure, how: &str) -> Vec<Cell> {
    let name = format!("{access:?}, {what}");
    vec![name.into(), figure.into(), how.into(), published.into()]
}

fn array_us(set_up: &SetUp, access: Access) -> f64 {
    let times = &set_up.chip.times;
    let time = match access {
        Access::Read => times.read[0],
        Access::Program => times.program[0],
    };
    time.as_ps() as f64 / 1e6
}
