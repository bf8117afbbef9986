//! The channels of the body where they schedule by themselves: each way does what it was given, in order,
//! and halts when something failed.

use std::collections::VecDeque;

use contract::packet::{
    Answer, CodeWords, Operation, Outcome, PhaseFormat, Request, Response, RowFormat, READ_LEVEL,
};
use contract::{
    BufferId, Configuration, FlashOperation, FlashOutcome, FlashRequest, Grain, HandOver, Location,
    OperationChannels, OperationGrain, WayOrder,
};

use crate::body::Body;

/// Turns after which an operation has timed out.
pub const TIMEOUT: u64 = 40;
/// Operations of a way that a channel takes, where a test does not say.
const WAY_REQUESTS: u32 = 16;

/// The same drive, whose channels take whole operations.
pub fn scheduled(config: &Configuration) -> Configuration {
    let geometry = config.geometry;
    let rows = RowFormat::dense(geometry.pages_per_block);
    let code = CodeWords { chunk_bytes: 512, parity_bytes: 20, metadata_bytes: 24 };
    let page_bytes = geometry.page_bytes as u16;
    let format = PhaseFormat { page_bytes, flash_pages: 1, rows, code };
    let grain = OperationGrain { way_requests: WAY_REQUESTS, format };
    Configuration { grain: Grain::Operations(grain), ..config.clone() }
}

/// Whether programs begin before it is known how those before them ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMode {
    #[default]
    Off,
    On,
}

#[derive(Debug, Default)]
struct Way {
    queue: VecDeque<Request>,
    /// Until which turn the first one runs.
    until: Option<u64>,
    halted: bool,
    gives_back: bool,
    /// Blocks in which programs have failed since the way last went on.
    failed_blocks: Vec<u32>,
    /// The first one began before the way halted.
    promised: bool,
    /// Its chip answers nothing.
    hangs: bool,
}

/// All channels.
#[derive(Debug, Default)]
pub struct Channels {
    pub cache: CacheMode,
    ways: Vec<Way>,
    responses: Vec<VecDeque<Response>>,
    format: Option<PhaseFormat>,
    /// Operations of a way that a channel takes.
    way_requests: u32,
    /// What was handed over, and how what was answered had ended, in the order of both.
    pub handed: Vec<(u8, Request)>,
    pub answers: Vec<(u8, Response)>,
    /// Turns in which ways were told to give back and to go on.
    pub orders: Vec<(WayOrder, u8, u8)>,
    /// Programs that ended well behind one of their block that had failed.
    astray: u64,
    /// Reads, programs and erases that have begun.
    pub(crate) begun: u64,
}

impl Channels {
    pub fn new(config: &Configuration) -> Self {
        let Grain::Operations(grain) = config.grain else { return Channels::default() };
        let g = config.geometry;
        Channels {
            ways: (0..g.dies()).map(|_| Way::default()).collect(),
            responses: vec![VecDeque::new(); g.channels as usize],
            format: Some(grain.format),
            way_requests: grain.way_requests,
            ..Channels::default()
        }
    }

    /// Programs that ended well behind one of their block that had failed.
    pub fn astray(&self) -> u64 {
        self.astray
    }
}

impl Body {
    /// A whole operation as the phase that does its work.
    fn phase(&self, channel: u8, request: &Request) -> FlashRequest {
        let format = self.channels.format.expect("channels schedule");
        FlashRequest {
            operation: match request.operation {
                Operation::Read => FlashOperation::ReadTransfer,
                Operation::Program => FlashOperation::Program,
                Operation::Erase => FlashOperation::Erase,
                other => panic!("{other:?} is not a whole operation"),
            },
            location: Location {
                channel,
                way: request.way,
                row: format.rows.contract_row(request.row),
            },
            part: format.part(request),
            level: 0,
            buffer: BufferId(request.buffer.into()),
            command: None,
        }
    }

    fn respond(&mut self, channel: u8, request: &Request, outcome: Outcome) {
        self.channels.responses[usize::from(channel)].push_back(Response {
            tag: request.tag,
            way: request.way,
            stream: request.stream,
            outcome,
            interrupt_pending: false,
            erased: false,
            corrected_bits: 0,
            most_bits: 0,
            lost_chunks: 0,
            value: 0,
        });
    }

    /// Lets a way go on until this turn.
    fn run_way(&mut self, channel: u8, die: u32) {
        loop {
            let turn = self.turn;
            let way = &mut self.channels.ways[die as usize];
            let Some(&request) = way.queue.front() else { return };
            match way.until {
                None if way.halted && !way.promised => {
                    if !way.gives_back {
                        return;
                    }
                    way.queue.pop_front();
                    self.respond(channel, &request, Outcome::GivenBack);
                }
                None => {
                    let length = match request.operation {
                        Operation::Read | Operation::Reset => 5,
                        Operation::Program => 9,
                        _ => 13,
                    };
                    let dead = self.faults.dead.contains(&die);
                    if request.operation == Operation::Reset {
                        way.hangs = dead;
                    } else {
                        way.hangs |= dead || self.faults.hangs.contains(&self.channels.begun);
                        self.channels.begun += 1;
                    }
                    way.until = Some(turn + if way.hangs { TIMEOUT } else { length });
                    way.promised = false;
                }
                Some(until) if until > turn => return,
                Some(_) => {
                    (way.until, _) = (None, way.queue.pop_front());
                    self.finish(channel, die, &request);
                }
            }
        }
    }

    /// The first operation of a way is over.
    fn finish(&mut self, channel: u8, die: u32, request: &Request) {
        let way = &mut self.channels.ways[die as usize];
        if request.operation == Operation::SetFeatures {
            // Silent, whatever comes of it: a chip that hangs is told with the read behind it.
            assert_eq!((request.column, request.answer), (READ_LEVEL.into(), Answer::Silent));
            if !way.hangs {
                self.levels[die as usize] = request.row as u8;
            }
            return;
        }
        if way.hangs {
            way.halted = true;
            return self.respond(channel, request, Outcome::TimedOut);
        }
        if request.operation == Operation::Reset {
            return self.respond(channel, request, Outcome::Success);
        }
        let phase = self.phase(channel, request);
        if request.operation == Operation::Read {
            let outcome = match self.answer(die as usize, phase) {
                FlashOutcome::Success { .. } => Outcome::Success,
                _ => Outcome::Uncorrectable,
            };
            return self.respond(channel, request, outcome);
        }
        self.end_work(die as usize, phase);
        let failed = self.failed[die as usize];
        let block = self.geometry.block_of(phase.location.row);
        let way = &mut self.channels.ways[die as usize];
        self.channels.astray += u64::from(!failed && way.failed_blocks.contains(&block));
        if failed {
            way.halted = true;
            way.failed_blocks.push(block);
            let both = |next: &Request| {
                next.operation == Operation::Program && request.operation == Operation::Program
            };
            way.promised =
                self.channels.cache == CacheMode::On && way.queue.front().is_some_and(both);
        }
        let outcome = if failed { Outcome::Failed } else { Outcome::Success };
        self.respond(channel, request, outcome);
    }
}

impl OperationChannels for Body {
    fn next_response(&mut self, channels: &mut u64) -> Option<(u8, Response)> {
        while *channels != 0 {
            let channel = channels.trailing_zeros();
            for way in 0..self.geometry.ways {
                self.run_way(channel as u8, way * self.geometry.channels + channel);
            }
            if let Some(response) = self.channels.responses[channel as usize].pop_front() {
                self.acted = true;
                self.channels.answers.push((channel as u8, response));
                return Some((channel as u8, response));
            }
            *channels &= *channels - 1;
        }
        None
    }

    fn hand_over(&mut self, operation: HandOver) {
        self.acted = true;
        let HandOver { channel, request, .. } = operation;
        let die = u32::from(request.way) * self.geometry.channels + u32::from(channel);
        let way = &mut self.channels.ways[die as usize];
        let talks = |other: &&Request| other.answer == Answer::Response;
        let same = way.queue.iter().filter(talks).any(|other| other.tag == request.tag);
        assert!(!same, "a tag is of one operation of its way: {request:?}");
        let room = self.channels.way_requests as usize;
        assert!(way.queue.len() < room, "the channel has no room: {request:?}");
        way.queue.push_back(request);
        self.channels.handed.push((channel, request));
    }

    fn order_way(&mut self, channel: u8, way: u8, order: WayOrder) {
        self.acted = true;
        self.channels.orders.push((order, channel, way));
        let die = usize::from(way) * self.geometry.channels as usize + usize::from(channel);
        let way = &mut self.channels.ways[die];
        match order {
            WayOrder::GiveBack => {
                assert!(way.halted, "a way gives back while it halts");
                way.gives_back = true;
            }
            WayOrder::Resume => {
                assert!(way.queue.is_empty(), "everything has come back");
                (way.halted, way.gives_back) = (false, false);
                way.failed_blocks.clear();
            }
            WayOrder::Abort => {
                assert!(way.hangs, "only what hangs is given up");
                way.halted = true;
            }
            WayOrder::Halt => way.halted = true,
        }
    }
}
