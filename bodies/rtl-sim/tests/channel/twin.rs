//! The hardware's channel and the simulator's, side by side with the same requests.

use crate::channel::monitors::{self, counter};
use crate::channel::rig::Rig;
use crate::channel::scoreboard::{Ends, Planned};
use crate::channel::world::{World, METADATA_BYTES};
use ::registers::flash::monitors as at;
use channel::Work;
use channel::{BusSettings, BusStep, BusTiming, ChipTimes, Chips, CodeWords, DecoderTiming};
use channel::{Classes, Completion, Execution, FullQueue, PageRead, Place, Planes, ReorderBuffer};
use contract::packet::{Answer, Operation, Outcome, Request, Response};
use contract::{Duration, Instant, WayOrder};
use nand::onfi::{Config, Parameter};
use rtl_sim::channel::{Answered, Channel, Policy};
use rtl_sim::{BusTurn, ChipSettings};
use std::collections::BTreeMap;

/// Streams of a channel, and requests that each may have under way.
const STREAMS: u8 = 8;
const STREAM_DEPTH: u16 = 32;
/// Cycles after reset in which the hardware clears its memories.
const CLEARING: u64 = 300;
/// Cycles from the taking of a step until its CE# is low at the pin.
const CE_FALLS: u64 = 4;

/// A response, and the cycle in which it left.
type Left = (u64, Response);

/// Both channels.
pub struct Twin {
    pub rig: Rig,
    model: channel::Channel,
    order: ReorderBuffer,
    exits: Exits,
    /// What reads should give, by way and buffer entry.
    pages: BTreeMap<(u8, u16), PageRead>,
    period_ps: u64,
    /// The cycle in which the log of the pins began.
    log_began: u64,
    asked: Vec<Asked>,
    steps: Vec<BusStep>,
    hardware: Vec<Left>,
    simulated: Vec<Left>,
}

/// A request, and the cycle in which it came.
struct Asked {
    request: Request,
    cycle: u64,
}

/// The hardware looks at one stream a cycle: whether its next response is complete, and whether one
/// that is so can leave.
struct Exits {
    announced: [bool; STREAMS as usize],
}

/// Chips of the model: those of the rig, as the test knows them.
struct Script<'a> {
    world: &'a World,
    /// Of reads, by way and buffer entry.
    pages: &'a BTreeMap<(u8, u16), PageRead>,
}

impl Chips for Script<'_> {
    fn read(&mut self, place: Place) -> Duration {
        self.longest(&self.world.config.times.read, place)
    }

    fn program(&mut self, place: Place) -> Work {
        let mut rows = place.requests.iter().map(|request| request.row);
        let fails = |row: u32| self.world.program_fails(place.way, row);
        let is_part = |request: &Request| request.operation == Operation::ProgramOneShot;
        let times = &self.world.config.times;
        if place.requests.iter().any(is_part) || is_word_line(place) {
            // The pages of a word line fail together.
            let failed = if rows.any(fails) { u8::MAX } else { 0 };
            return Work { length: place.taken(times.program_word_line), failed };
        }
        let length = place.taken(self.longest(&times.program, place));
        Work { length, failed: mask(rows.map(fails)) }
    }

    fn erase(&mut self, place: Place) -> Work {
        let rows = place.requests.iter().map(|request| request.row);
        let failed = mask(rows.map(|row| self.world.erase_fails(place.way, row)));
        Work { length: self.world.config.times.erase, failed }
    }

    fn transfer(&mut self, way: u8, _: Instant, request: &Request) -> PageRead {
        self.pages.get(&(way, request.buffer)).copied().unwrap_or_default()
    }
}

impl Script<'_> {
    fn longest(&self, times: &[Duration], place: Place) -> Duration {
        let page_bits = self.world.config.rows.page_bits;
        let of = |request: &Request| {
            let page = request.row & ((1 << page_bits) - 1);
            times[page as usize % times.len()]
        };
        place.requests.iter().map(of).max().unwrap_or(Duration::ZERO)
    }
}

/// Whether requests are the pages of a word line, sent as steps.
fn is_word_line(place: Place) -> bool {
    place.requests.iter().any(|request| request.operation == Operation::ProgramPart)
}

fn mask(bits: impl Iterator<Item = bool>) -> u8 {
    (0..).zip(bits).fold(0, |mask, (at, bit)| mask | u8::from(bit) << at)
}

/// What reading a page should give; nothing if the request is no read.
fn page_of(world: &World, planned: &Planned) -> Option<PageRead> {
    let request = &planned.request;
    let verdict = match &planned.ends {
        Ends::Page(verdict) => *verdict,
        Ends::Somehow if request.operation == Operation::Read => {
            let found = world.verdict(request, &world.seen(request.way, request.row));
            found.map(|(_, verdict)| verdict)
        }
        _ => return None,
    };
    let Some(verdict) = verdict else {
        // What a failed program left is beyond correction, wherever it is looked for.
        let is_page = request.operation != Operation::ReadParameterPage;
        let lost_chunks = u8::from(request.coding.ecc && is_page);
        return Some(PageRead { lost_chunks, dirty_chunks: u64::MAX, ..PageRead::default() });
    };
    Some(PageRead {
        corrected_bits: verdict.corrected as u16,
        most_bits: verdict.most as u8,
        lost_chunks: verdict.lost as u8,
        erased: verdict.erased,
        dirty_chunks: world.dirty_chunks(request),
    })
}

impl Twin {
    /// A model of the same make as the rig's channel.
    pub fn new(mut rig: Rig, policy: Policy, period: Duration) -> Self {
        let log_began = rig.channel.cycles();
        rig.channel.log_commands();
        let config = rig.world.config.clone();
        let mut twin = Self {
            model: channel::Channel::new(channel::Setup {
                status_polls: rig.polls,
                ..setup(&config, policy, period)
            }),
            order: ReorderBuffer::new(STREAMS, STREAM_DEPTH),
            exits: Exits { announced: [false; STREAMS as usize] },
            pages: BTreeMap::new(),
            period_ps: period.as_ps(),
            log_began,
            asked: vec![],
            steps: vec![],
            hardware: vec![],
            simulated: vec![],
            rig,
        };
        twin.run(CLEARING);
        twin
    }

    /// Asks both for the same.
    pub fn ask(&mut self, planned: Planned) {
        if let Some(page) = page_of(&self.rig.world, &planned) {
            self.pages.insert((planned.request.way, planned.request.buffer), page);
        }
        let ticket = self.asked.len() as u32;
        let cycle = self.rig.channel.cycles();
        let now = Instant::from_ps(cycle * self.period_ps);
        self.model.submit(now, planned.request, ticket);
        self.asked.push(Asked { request: planned.request, cycle });
        self.rig.ask(planned);
    }

    /// Tells a way of both the same.
    pub fn order(&mut self, order: WayOrder, way: u8) {
        let now = Instant::from_ps(self.rig.channel.cycles() * self.period_ps);
        self.model.order(now, way, order);
        self.rig.channel.order(order, 1 << way);
    }

    /// Runs both for so many cycles.
    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            let cycle = self.rig.channel.cycles();
            let now = Instant::from_ps(cycle * self.period_ps);
            let steps = &mut self.steps;
            let mut chips = Script { world: &self.rig.world, pages: &self.pages };
            self.model.poll(now, &mut chips, &mut self.order, |step| steps.push(step));
            if let Some(left) = self.exits.cycle(cycle, self.period_ps, &mut self.order) {
                self.simulated.push((cycle + 2, left.response));
                self.model.wake(Instant::from_ps((cycle + 1) * self.period_ps));
            }
            if let Some(Answered { response, cycle }) = self.rig.channel.cycle() {
                self.rig.board.answer(&response, &self.rig.channel.buffer);
                self.hardware.push((cycle, response));
            }
        }
    }

    /// Runs until both have answered everything.
    pub fn finish(&mut self) {
        let mut quiet = 0;
        while quiet < 1_500 {
            self.run(1);
            let watch = &self.rig.channel.watch;
            let done = self.rig.board.open() == 0 && self.rig.channel.is_drained();
            let idle = done && watch.occupied == 0 && watch.ready == 0xff && self.model.is_idle();
            quiet = if idle { quiet + 1 } else { 0 };
            assert!(self.rig.channel.cycles() < 20_000_000, "no end");
        }
    }

    /// Requests of a way that the hardware has answered.
    pub fn answered(&self, way: u8) -> usize {
        self.hardware.iter().filter(|(_, response)| response.way == way).count()
    }

    /// Cycles in which the bus was busy, of the hardware's channel and of the simulator's.
    pub fn busy_cycles(&mut self) -> [u64; 2] {
        let simulated = self.model.bus_busy_ps() / self.period_ps;
        monitors::capture(&mut self.rig, true);
        self.run(1);
        monitors::capture(&mut self.rig, false);
        self.run(100);
        [counter(&monitors::copied(&mut self.rig), at::BUS_BUSY), simulated]
    }

    /// Responses with an outcome.
    pub fn outcomes(&self, outcome: Outcome) -> usize {
        self.hardware.iter().filter(|(_, response)| response.outcome == outcome).count()
    }

    /// Status commands on the bus of the hardware.
    pub fn statuses(&self) -> usize {
        let is_status = |turn: &&BusTurn| matches!(turn.commands[..], [0x70 | 0x78]);
        self.turns().0.iter().filter(is_status).count()
    }

    /// Asserts that both put the same on the bus in the same order, and answered at the same time.
    pub fn check(&self) {
        self.check_bus();
        self.check_answers();
    }

    /// The turns of the hardware, and the steps of the model.
    fn turns(&self) -> (&[BusTurn], &[BusStep]) {
        let log = self.rig.channel.commands.as_ref().expect("turns are written down");
        (&log.turns, &self.steps)
    }

    fn check_bus(&self) {
        let (turns, steps) = self.turns();
        for (at, (turn, step)) in turns.iter().zip(steps).enumerate() {
            let same = self.is_same(turn, step);
            assert!(same, "turn {at} of {}:\n{}", turns.len(), self.around(at));
        }
        assert_eq!(turns.len(), steps.len(), "turns on the bus");
    }

    /// Whether a turn of the hardware is a step of the model: its way, its commands, its row, and the
    /// cycle in which it began.
    fn is_same(&self, turn: &BusTurn, step: &BusStep) -> bool {
        let mut commands = commands(step.operation);
        if step.next_plane {
            commands[0] = 0x81;
        }
        let row_bytes = self.rig.world.config.rows.cycles;
        let row = &step.row.to_le_bytes()[..row_bytes];
        let named = |bytes: &[u8]| bytes == row;
        let same_row =
            turn.addresses.len() < row_bytes || turn.addresses.windows(row_bytes).any(named);
        let cycle = step.at.as_ps() / self.period_ps + CE_FALLS;
        let same_cycle = turn.cycle + self.log_began == cycle;
        (turn.way, &turn.commands) == (step.way, &commands) && same_row && same_cycle
    }

    /// The turns up to one, a line each.
    fn around(&self, at: usize) -> String {
        let (turns, steps) = self.turns();
        let line = |at: usize| {
            let (turn, step) = (&turns[at], &steps[at]);
            let cycle = step.at.as_ps() / self.period_ps + CE_FALLS - self.log_began;
            let BusStep { operation, way, row, .. } = step;
            format!("{turn:x?}, model: {operation:?} way {way} row {row:#x} at {cycle}")
        };
        (at.saturating_sub(6)..=at).map(line).collect::<Vec<String>>().join("\n")
    }

    fn check_answers(&self) {
        for stream in 0..STREAMS {
            let asked = self.asked.iter().filter(|asked| {
                asked.request.stream == stream && asked.request.answer == Answer::Response
            });
            let of = |left: &[Left]| -> Vec<Left> {
                left.iter().filter(|(_, response)| response.stream == stream).copied().collect()
            };
            let (hardware, simulated) = (of(&self.hardware), of(&self.simulated));
            assert_eq!(hardware.len(), simulated.len(), "responses of stream {stream}");
            for ((asked, hard), soft) in asked.zip(&hardware).zip(&simulated) {
                assert_eq!(named(&hard.1), named(&soft.1), "{:?}", asked.request);
                let took = hard.0 - asked.cycle;
                assert!(
                    hard.0.abs_diff(soft.0) * 100 <= took,
                    "{:?}: {took} cycles in the hardware, {} in the model",
                    asked.request,
                    soft.0 - asked.cycle
                );
            }
        }
    }
}

/// What a response says but for what is in the chips.
fn named(response: &Response) -> (u8, u8, Outcome, bool) {
    (response.tag, response.way, response.outcome, response.interrupt_pending)
}

impl Exits {
    /// A cycle; a response that leaves with it.
    fn cycle(
        &mut self,
        cycle: u64,
        period_ps: u64,
        order: &mut ReorderBuffer,
    ) -> Option<Completion> {
        let stream = (cycle % u64::from(STREAMS)) as u8;
        let announced = &mut self.announced[usize::from(stream)];
        let left = std::mem::take(announced).then(|| order.pop_of(stream)).flatten();
        let since = order.due_since(stream);
        *announced = since.is_some_and(|at| at.as_ps() / period_ps + 2 <= cycle);
        left
    }
}

/// The model's setup for chips, policy and clock of the hardware.
fn setup(config: &Config, policy: Policy, period: Duration) -> channel::Setup {
    // The strobe of the last word takes tDQSRE to come.
    let strobe = config.timing[Parameter::Dqsre].as_ps().div_ceil(period.as_ps());
    let settings = BusSettings::of(config, period);
    let times = &config.times;
    channel::Setup {
        channel: 0,
        ways: Channel::WAYS as u8,
        luns: config.rows.luns as u8,
        shared_enable: None,
        status_polls: None,
        queue_depth: 32,
        order_depth: 64,
        window: 10_000,
        period_ps: period.as_ps(),
        policy: channel::Policy {
            execution: Execution::from(policy.model),
            classes: Classes::Ignored,
            merge_planes: policy.merge_planes,
            merge_cache_read: policy.merge_cache_read,
            merge_cache_program: policy.merge_cache_program,
            jedec: policy.jedec,
            planes: Planes {
                bits: policy.plane_bits,
                shift: policy.plane_shift,
                lun_shift: policy.lun_shift,
            },
            low_ways: policy.low_ways,
            halt_on_failure: policy.halt_on_failure,
            full_queue: match policy.full_queue {
                rtl_sim::channel::FullQueue::Waits => FullQueue::Waits,
                rtl_sim::channel::FullQueue::GivesBack => FullQueue::GivesBack,
            },
            busy_timeout: policy.busy_timeout,
            age: policy.age,
        },
        bus: BusTiming::new(settings, strobe as u8),
        busy_shown_ps: config.timing[Parameter::Wb].as_ps(),
        code: CodeWords {
            chunk_bytes: 256,
            parity_bytes: 20,
            metadata_bytes: METADATA_BYTES as u16,
        },
        decoder: DecoderTiming { judge: 2, solve: 41, correct: 3, verdict: 1 },
        times: ChipTimes {
            read_cache: times.read_cache,
            program_cache: times.program_cache,
            cached_program_permille: times.cached_program_permille,
            read_plane: times.read_plane,
            program_plane: times.program_plane,
            erase_plane: times.erase_plane,
            feature: times.feature,
            parameters: times.read[0],
            reset: times.reset,
            reset_program: times.reset_program,
            reset_erase: times.reset_erase,
        },
    }
}

/// Command bytes of a step, as the bus has them.
fn commands(operation: Operation) -> Vec<u8> {
    use Operation::*;
    match operation {
        ReadStatus => vec![0x70],
        ReadStatusEnhanced => vec![0x78],
        Reset => vec![0xff],
        SynchronousReset => vec![0xfc],
        ResetLun => vec![0xfa],
        VolumeSelect => vec![0xe1],
        ReadMode => vec![0x00],
        ReadTrigger => vec![0x00, 0x30],
        ReadMultiPlane => vec![0x00, 0x32],
        ReadCacheSequential => vec![0x31],
        ReadCacheRandom => vec![0x00, 0x31],
        ReadCacheLast => vec![0x3f],
        CopybackRead => vec![0x00, 0x35],
        CopybackProgram => vec![0x85, 0x10],
        CopybackProgramMultiPlane => vec![0x85, 0x11],
        EraseBlock => vec![0x60, 0xd0],
        EraseMultiPlaneOnfi => vec![0x60, 0xd1],
        EraseMultiPlaneJedec => vec![0x60],
        ProgramConfirm => vec![0x10],
        ParameterPageTrigger => vec![0xec],
        UniqueIdTrigger => vec![0xed],
        FeaturesTrigger => vec![0xee],
        FeaturesLunTrigger => vec![0xd4],
        ReadTransfer | FeaturesTransfer => vec![],
        ChangeReadColumn => vec![0x05, 0xe0],
        ChangeReadColumnOnfi => vec![0x06, 0xe0],
        ChangeReadColumnJedec => vec![0x00, 0x05, 0xe0],
        ReadId => vec![0x90],
        ProgramPage => vec![0x80, 0x10],
        ProgramMultiPlane => vec![0x80, 0x11],
        ProgramCache => vec![0x80, 0x15],
        ProgramPart => vec![0x80, 0x1a],
        ProgramLoad => vec![0x80],
        ChangeWriteColumn | ChangeRowAddress => vec![0x85],
        SetFeatures => vec![0xef],
        SetFeaturesLun => vec![0xd5],
        OdtConfigure => vec![0xe2],
        Erase | Read | ReadParameterPage | ReadUniqueId | GetFeatures | GetFeaturesLun
        | Program | ProgramOneShot => panic!("{operation:?} is no step"),
    }
}
