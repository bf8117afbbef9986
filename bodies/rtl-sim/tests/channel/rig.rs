//! A channel, its chips and its scoreboard.

use crate::channel::scoreboard::{Planned, Scoreboard, UNTOUCHED};
use crate::channel::world::{entry_bytes, Shape, Speed, World, SOURCES};
use channel::{BusSettings, StatusPolls};
use contract::packet::{Model, Request, RequestWords, Response};
use contract::Duration;
use ecc::BchParams;
use nand::onfi::{Chip, Deviations};
use rtl_sim::channel::{Channel, FullQueue, Policy, Setup};
use rtl_sim::{tops, ChipSettings, Pace, Paces, Random, Top};

/// A channel with all that belongs to a test of it.
pub struct Rig {
    pub channel: Channel,
    pub world: World,
    pub board: Scoreboard,
    pub polls: Option<StatusPolls>,
    entries: u16,
}

/// How a rig is made.
pub struct Plan {
    pub speed: Speed,
    pub shape: Shape,
    pub policy: Policy,
    /// In units of 16 cycles; 0 is for ever.
    pub data_timeout: u16,
    pub buffer_paces: Paces,
    pub paces: (Pace, Pace),
    /// Buffer entries, those that programs take their data from included.
    pub entries: usize,
    /// Bad blocks, failures and wrong bits.
    pub harm: Harm,
    /// How long chips take.
    pub times: Times,
    pub found: Found,
    /// The code of the channel, and of its pages. Others than the default are of ways that pins find.
    pub code: BchParams,
}

/// How a way is found to be ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    ByPins,
    /// By READ STATUS, or by READ STATUS ENHANCED where chips have several LUNs.
    ByStatus,
}

/// Cycles between two of them. Source: `flash_core_polls` in rtl/tops/models.csv.
const POLL_CYCLES: u32 = 60;

impl Found {
    /// What the simulator's channel is told of it.
    pub fn polls(self, luns: u32) -> Option<StatusPolls> {
        let polls = StatusPolls { cycles: POLL_CYCLES, enhanced: luns > 1 };
        (self == Self::ByStatus).then_some(polls)
    }
}

/// How long operations of chips take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Around their usual time.
    Deviating,
    /// Their usual time.
    Exact,
    /// That of these programs.
    Programs(Programs),
}

/// How long programs take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Programs {
    /// Of pages, lower and upper ones.
    pub page: [Duration; 2],
    /// Of a word line as a whole.
    pub word_line: Duration,
}

/// Whether chips are as they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    None,
    Some,
}

impl Plan {
    /// A willing channel that merges nothing.
    pub fn new(speed: Speed, shape: Shape) -> Self {
        Self {
            speed,
            shape,
            policy: policy(shape, Model::OutOfOrder),
            data_timeout: 0,
            buffer_paces: Paces::ALWAYS,
            paces: (Pace::Always, Pace::Always),
            entries: SOURCES + 64,
            harm: Harm::None,
            times: Times::Deviating,
            found: Found::ByPins,
            code: BchParams::default(),
        }
    }

    /// The model with this code.
    fn top(&self) -> &'static Top {
        let strong = strong_top(self.code);
        match self.found.polls(self.shape.luns) {
            None => strong.unwrap_or(&tops::FLASH_CORE_PINS),
            Some(StatusPolls { enhanced: false, .. }) => &tops::FLASH_CORE_POLLS,
            Some(StatusPolls { enhanced: true, .. }) => &tops::FLASH_CORE_POLLS_LUNS,
        }
    }
}

/// The model of a channel with a code that is not the default, if it was made.
pub fn strong_top(code: BchParams) -> Option<&'static Top> {
    Top::named(&format!("flash_core_t{}", code.t))
}

/// A policy that merges nothing.
pub fn policy(shape: Shape, model: Model) -> Policy {
    Policy {
        model,
        merge_planes: false,
        merge_cache_read: false,
        merge_cache_program: false,
        jedec: false,
        plane_bits: shape.plane_bits as u8,
        plane_shift: 4,
        lun_shift: 9,
        halt_on_failure: false,
        full_queue: FullQueue::Waits,
        low_ways: 8,
        age: 0,
        busy_timeout: 0,
    }
}

impl Rig {
    /// Chips on all ways.
    pub fn new(plan: Plan, random: &mut Random) -> Self {
        let config = |way| {
            let mut config = plan.shape.chip(plan.speed, plan.code, way);
            if plan.times != Times::Deviating {
                config.deviations = Deviations::default();
            }
            if let Times::Programs(Programs { page, word_line }) = plan.times {
                config.times.program = page.to_vec();
                config.times.program_word_line = word_line;
            }
            config
        };
        let mut world = World::new(config(0), plan.code, random);
        let mut chips: Vec<Chip> = (0..8).map(|way| Chip::new(config(way))).collect();
        if plan.harm == Harm::Some {
            world.harm(&mut chips, random);
        }
        let bus = BusSettings::of(&world.config, plan.speed.period);
        let mut channel = Channel::new(Setup {
            top: plan.top(),
            period: plan.speed.period,
            chips,
            bus: BusSettings { data_timeout: plan.data_timeout, ..bus },
            policy: plan.policy,
            buffer: (plan.entries, entry_bytes(plan.code)),
            buffer_paces: plan.buffer_paces,
            paces: plan.paces,
        });
        for entry in 0..plan.entries {
            let bytes = channel.buffer.entry_mut(entry as u16);
            match world.sources.get(entry) {
                Some(source) => bytes.copy_from_slice(source),
                None => bytes.fill(UNTOUCHED),
            }
        }
        let polls = plan.found.polls(plan.shape.luns);
        Self { channel, world, board: Scoreboard::default(), polls, entries: SOURCES as u16 }
    }

    /// A buffer entry that nobody uses.
    pub fn free_entry(&mut self) -> u16 {
        self.entries += 1;
        self.entries - 1
    }

    /// Asks for something, and expects what it should come to.
    pub fn ask(&mut self, planned: Planned) {
        self.channel.submit(planned.request);
        self.board.expect(planned);
    }

    /// The same in words that need not be a packet.
    pub fn ask_words(&mut self, words: RequestWords, planned: Planned) {
        self.channel.submit_words(words);
        self.board.expect(planned);
    }

    /// Runs for so many cycles.
    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            if let Some(answered) = self.channel.cycle() {
                self.board.answer(&answered.response, &self.channel.buffer);
            }
        }
    }

    /// Runs until everything is answered and nothing goes on.
    pub fn finish(&mut self) {
        self.finish_beside(0);
    }

    /// The same, while the ways of this set stay busy.
    pub fn finish_beside(&mut self, stuck: u64) {
        let mut quiet = 0;
        let mut still = (0, 0);
        while quiet < 1_500 {
            self.run(1);
            let done = self.board.open() == 0 && self.channel.is_drained();
            let watch = &self.channel.watch;
            let idle = watch.occupied == 0 && watch.ready | stuck == 0xff;
            quiet = if done && idle { quiet + 1 } else { 0 };
            let words = self.channel.watch.words;
            let now = self.board.answered as u64 + words[0] + words[1] + self.channel.taken();
            still = if now == still.0 { (now, still.1 + 1) } else { (now, 0) };
            if still.1 > 200_000 {
                self.channel.chips.assert_clean();
                let watch = &self.channel.watch;
                let (ready, occupied) = (watch.ready, watch.occupied);
                panic!(
                    "stuck: {} open, ready {ready:#x}, occupied {occupied:#x}, first {:?}",
                    self.board.open(),
                    self.board.first_open()
                );
            }
        }
    }

    /// Asserts that chips, buffer and interrupts are as they should be.
    pub fn check(&self) {
        self.channel.chips.assert_clean();
        self.board.finish(&self.channel.buffer);
        for way in 0..Channel::WAYS {
            self.world.assert_pages(way, self.channel.chips.chip(way));
        }
        assert_eq!(self.channel.watch.interrupts, self.board.interrupts, "interrupts");
    }

    /// Runs a request by itself. Its response.
    pub fn call(&mut self, request: Request) -> Response {
        self.channel.submit(request);
        for _ in 0..400_000 {
            if let Some(answered) = self.channel.cycle() {
                return answered.response;
            }
        }
        panic!("{request:?}: no response");
    }
}
