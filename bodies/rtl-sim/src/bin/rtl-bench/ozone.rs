//! Ozone's experiments: one bus of 32 MB/s, up to eight chips, three execution models.

use crate::bounds::Bounds;
use crate::jobs::{Job, Results};
use crate::mix::{Mix, Mixed, Mixture, Ratio, Streams};
use crate::rig::{Class, Tally};
use crate::set_up::{Effort, SetUp};
use crate::table::{Cell, Figure, Table};
use contract::packet::{Model, Priority};

const MODELS: [Model; 3] = [Model::OutOfOrder, Model::Decoupled, Model::Sequential];

/// Figure 10, from reads only to none.
const RATIOS: [Ratio; 5] =
    [Ratio::new(0, 0, 1), Ratio::new(1, 128, 1024), Ratio::new(1, 128, 512), EVEN, WRITES];
const EVEN: Ratio = Ratio::new(1, 128, 128);
const WRITES: Ratio = Ratio::new(1, 128, 0);

/// Figure 11; the test top has no sixteen ways.
const CHIPS: [u8; 4] = [1, 2, 4, 8];
const ALL_CHIPS: u8 = 8;

/// Figure 15: chips that a request is drawn from. One of eight is no randomness, in turn.
const CANDIDATES: [u8; 4] = [1, 2, 4, 8];

/// Requests that are unanswered: eight a chip.
const WINDOW_OF_CHIP: u64 = 8;

/// Figures 12 and 13: unanswered reads of high priority, and requests of the three low streams.
const URGENT_WINDOW: u64 = 4;
const LOW_WINDOW: u64 = 48;

/// A run of figures 10, 11 and 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    ratio: Ratio,
    model: Model,
    chips: u8,
    candidates: u8,
}

impl Run {
    fn new(ratio: Ratio, model: Model) -> Self {
        Self { ratio, model, chips: ALL_CHIPS, candidates: ALL_CHIPS }
    }

    fn on(chips: u8, model: Model) -> Self {
        Self { chips, candidates: chips, ..Self::new(EVEN, model) }
    }

    fn drawn_from(candidates: u8, model: Model) -> Self {
        Self { candidates, ..Self::new(EVEN, model) }
    }

    fn name(&self) -> String {
        let Self { ratio, model, chips, candidates } = self;
        let ratio = ratio_name(*ratio);
        format!("Ozone {ratio}, {chips} chips, drawn from {candidates}, {model:?}")
    }

    fn set_up(&self, effort: Effort) -> SetUp {
        let mut set_up = SetUp::ozone(effort);
        set_up.ways = self.chips;
        set_up.policy.model = self.model;
        set_up
    }

    fn mixture(&self) -> Mixture {
        Mixture {
            ratio: self.ratio,
            candidates: self.candidates,
            window: WINDOW_OF_CHIP * u64::from(self.chips),
            priority: Priority::Low,
            streams: Streams::OfChip,
        }
    }

    /// Chips that work at the same time.
    fn overlapping(&self) -> u64 {
        if self.model == Model::Sequential {
            1
        } else {
            self.chips.into()
        }
    }

    fn job(self, effort: Effort) -> Job {
        // A deck without reads, or two; one at a time is steady soon, and slow.
        let (warm_up, answers) = if self.overlapping() == 1 { (4, 129) } else { (32, 258) };
        Job {
            name: self.name(),
            set_up: self.set_up(effort),
            prepare: None,
            load: Box::new(move |set_up| Box::new(Mix::new(set_up, self.mixture()))),
            warm_up,
            answers: effort.answers(answers),
        }
    }

    fn measured<'a>(&self, effort: Effort, results: &'a Results) -> Measured<'a> {
        let set_up = self.set_up(effort);
        let tally = &results[&self.name()];
        let bound = Bounds(&set_up).mixed_share(tally, self.overlapping());
        let share = (tally.words * set_up.word_cycles()) as f64 / tally.cycles as f64;
        Measured { tally, set_up, share, bound }
    }
}

/// What a run gave.
struct Measured<'a> {
    tally: &'a Tally,
    set_up: SetUp,
    /// Of the bus.
    share: f64,
    bound: f64,
}

impl Measured<'_> {
    fn figure(&self) -> Figure {
        Figure::share(self.share, self.bound)
    }

    /// Requests in a unit of time.
    fn rate(&self) -> f64 {
        self.tally.total() as f64 / self.tally.cycles as f64
    }

    /// How much more this does than another; at most what the bus could, if all of it moved pages.
    fn gain(&self, other: &Self) -> Figure {
        let gain = self.rate() / other.rate();
        Figure::ratio(gain, gain * self.bound / self.share)
    }
}

/// `1:128:0` and the like.
fn ratio_name(ratio: Ratio) -> String {
    if ratio.programs == 0 {
        "reads only".to_owned()
    } else {
        format!("{}:{}:{}", ratio.erases, ratio.programs, ratio.reads)
    }
}

fn runs() -> Vec<Run> {
    let mut runs = vec![];
    for model in MODELS {
        runs.extend(RATIOS.map(|ratio| Run::new(ratio, model)));
        runs.extend(CHIPS.map(|chips| Run::on(chips, model)));
        if model != Model::Sequential {
            runs.extend(CANDIDATES.map(|candidates| Run::drawn_from(candidates, model)));
        }
    }
    runs.sort_by_key(Run::name);
    runs.dedup();
    runs
}

fn reserved_name(low_ways: u8) -> String {
    format!("Ozone F-RSVP({low_ways})")
}

/// Three low streams of mixed requests and urgent reads.
fn reserved(low_ways: u8, effort: Effort) -> Job {
    let mut set_up = SetUp::ozone(effort);
    set_up.policy.low_ways = low_ways;
    let low = Mixture {
        ratio: EVEN,
        candidates: ALL_CHIPS,
        window: LOW_WINDOW,
        priority: Priority::Low,
        streams: Streams::InTurn { first: 0, count: 3 },
    };
    let urgent = Mixture {
        ratio: RATIOS[0],
        window: URGENT_WINDOW,
        priority: Priority::High,
        streams: Streams::InTurn { first: 3, count: 1 },
        ..low
    };
    Job {
        name: reserved_name(low_ways),
        set_up,
        prepare: None,
        load: Box::new(move |set_up| {
            Box::new(Mixed { low: Mix::new(set_up, low), urgent: Mix::new(set_up, urgent) })
        }),
        warm_up: 32,
        answers: effort.answers(258),
    }
}

/// The measurements.
pub fn jobs(effort: Effort) -> Vec<Job> {
    let runs = runs().into_iter().map(|run| run.job(effort));
    runs.chain((1..=ALL_CHIPS).map(|low_ways| reserved(low_ways, effort))).collect()
}

/// What came of them.
pub fn tables(effort: Effort, results: &Results) -> Vec<Table> {
    vec![
        mixes(effort, results),
        responses(effort, results),
        scaling(effort, results),
        randomness(effort, results),
        priorities(effort, results),
    ]
}

fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn mixes(effort: Effort, results: &Results) -> Table {
    let row = |ratio| {
        let [ozone, decoupled, sequential] =
            MODELS.map(|model| Run::new(ratio, model).measured(effort, results));
        let mut gains = [ozone.gain(&decoupled), ozone.gain(&sequential)];
        if ratio == WRITES {
            gains[0] = gains[0].key("ozone_gain_vs_decoupled");
            gains[1] = gains[1].key("ozone_gain_vs_sequential");
        }
        let shares = [ozone, decoupled, sequential].map(|run| Cell::from(run.figure()));
        let published = match ratio {
            RATIO_READS => "1.03, 1.23: the least of all mixes",
            WRITES => "2.00, 5.43: the most",
            _ => "",
        };
        let mut row = vec![Cell::from(ratio_name(ratio))];
        row.extend(shares);
        row.extend(gains.map(Cell::from));
        row.push(published.into());
        row
    };
    Table {
        title: "Ozone, figure 10a: share of the bus, by mix E:P:R".to_owned(),
        note:
            "8 chips drawn at random, 64 requests unanswered. Gains: requests a second of out of \
               order over those of the other model; their bound is a full bus."
                .to_owned(),
        columns: columns(&[
            "E:P:R",
            "out of order",
            "decoupled",
            "sequential",
            "gain over decoupled",
            "gain over sequential",
            "Ozone's gains",
        ]),
        rows: RATIOS.map(row).to_vec(),
    }
}

const RATIO_READS: Ratio = RATIOS[0];

fn responses(effort: Effort, results: &Results) -> Table {
    let runs = MODELS.map(|model| Run::new(EVEN, model).measured(effort, results));
    let mut rows = vec![];
    for class in [Class::Erase, Class::Program, Class::Read] {
        let mut means = vec![];
        let mut row = vec![Cell::from(format!("{class:?}"))];
        for run in &runs {
            let Some(cycles) = run.tally.mean_response(class) else {
                row.push("none".into());
                continue;
            };
            let us = run.set_up.us(cycles);
            row.push(Figure::time(us, least_response_us(&run.set_up, class)).into());
            means.push(us);
        }
        row.extend((1..MODELS.len()).map(|other| match means.get(other) {
            Some(slower) => Cell::from(Figure::share(1.0 - means[0] / slower, 1.0)),
            None => "".into(),
        }));
        rows.push(row);
    }
    Table {
        title: "Ozone, figure 10b: mean response times, E:P:R = 1:128:128".to_owned(),
        note: "The same runs, so the time in front of the chips counts. Ozone tells 46 to 88 % less \
               than decoupled and 70 to 94 % less than sequential, at a load that it does not name; \
               with as many requests unanswered in every model, less time a request is more \
               throughput (Little's law)."
            .to_owned(),
        columns: columns(&[
            "",
            "out of order",
            "decoupled",
            "sequential",
            "less than decoupled",
            "less than sequential",
        ]),
        rows,
    }
}

/// Shortest array time and a transfer.
fn least_response_us(set_up: &SetUp, class: Class) -> f64 {
    let chips: Vec<_> = (0..set_up.ways).map(|way| set_up.chip_of(way).times).collect();
    let us =
        |least: Option<&contract::Duration>| least.map_or(0.0, |time| time.as_ps() as f64 / 1e6);
    match class {
        Class::Read | Class::UrgentRead => {
            us(chips.iter().flat_map(|times| &times.read).min()) + set_up.page_us()
        }
        Class::Program => {
            us(chips.iter().flat_map(|times| &times.program).min()) + set_up.page_us()
        }
        Class::Erase => us(Some(&set_up.chip.times.erase)),
    }
}

fn scaling(effort: Effort, results: &Results) -> Table {
    let row = |chips| {
        let runs = MODELS.map(|model| Run::on(chips, model).measured(effort, results));
        let mut row = vec![Cell::from(chips.to_string())];
        for (run, model) in runs.iter().zip(MODELS) {
            let is_key = chips == ALL_CHIPS && model == Model::OutOfOrder;
            let figure = run.figure();
            row.push(if is_key { figure.key("ozone_util_8chips") } else { figure }.into());
        }
        row.push(if chips == ALL_CHIPS { "over 90 % out of order" } else { "" }.into());
        row
    };
    Table {
        title: "Ozone, figure 11a: share of the bus, by chips, E:P:R = 1:128:128".to_owned(),
        note: "Eight requests unanswered a chip. The test top has eight ways, so 16 chips are left out."
            .to_owned(),
        columns: columns(&["chips", "out of order", "decoupled", "sequential", "Ozone"]),
        rows: CHIPS.map(row).to_vec(),
    }
}

fn randomness(effort: Effort, results: &Results) -> Table {
    let row = |candidates| {
        let run = |model| Run::drawn_from(candidates, model).measured(effort, results);
        let (ozone, decoupled) = (run(Model::OutOfOrder), run(Model::Decoupled));
        let degree = if candidates == 1 { 0.0 } else { f64::from(candidates) / 8.0 };
        let of_ozone = decoupled.rate() / ozone.rate();
        vec![
            Cell::from(format!("{:.0} %", degree * 100.0)),
            ozone.figure().into(),
            decoupled.figure().into(),
            Figure::share(of_ozone, of_ozone * decoupled.bound / decoupled.share).into(),
            if candidates == 2 { "below 75 % at 20 %" } else { "" }.into(),
        ]
    };
    Table {
        title: "Ozone, figure 15: share of the bus, by randomness of chips, E:P:R = 1:128:128".to_owned(),
        note: "Each request is drawn from so many of the eight chips, those that follow the one whose \
               turn it is."
            .to_owned(),
        columns: columns(&[
            "randomness",
            "out of order",
            "decoupled",
            "decoupled of out of order",
            "Ozone",
        ]),
        rows: CANDIDATES.map(row).to_vec(),
    }
}

fn priorities(effort: Effort, results: &Results) -> Table {
    let set_up = SetUp::ozone(effort);
    let bounds = Bounds(&set_up);
    let row = |low_ways: u8| {
        let tally = &results[&reserved_name(low_ways)];
        let share = (tally.words * set_up.word_cycles()) as f64 / tally.cycles as f64;
        let time = |class| match tally.mean_response(class) {
            Some(cycles) => {
                Figure::time(set_up.us(cycles), least_response_us(&set_up, class)).into()
            }
            None => Cell::from("none"),
        };
        vec![
            Cell::from(low_ways.to_string()),
            time(Class::UrgentRead),
            time(Class::Read),
            time(Class::Program),
            Figure::share(share, bounds.mixed_share(tally, ALL_CHIPS.into())).into(),
        ]
    };
    Table {
        title: "Ozone, figures 12 and 13: F-RSVP(l), out of order".to_owned(),
        note: "One stream of urgent reads, 4 unanswered, and three of low priority, 1:128:128, 48 \
               unanswered. Mean response times and share of the bus. Ozone's figures have no numbers in \
               the text; what they show: with smaller l urgent responses become faster, others slower, \
               and throughput falls to that of sequential at 1."
            .to_owned(),
        columns: columns(&["l", "urgent read", "low read", "low program", "share of the bus"]),
        rows: (1..=ALL_CHIPS).map(row).collect(),
    }
}
