//! Plans that are drawn: from a seed, the whole round.

use board::{Board, BoardError};
use contract::CommandSet;

use crate::draw::Draw;
use crate::extras::Extras;
use crate::faults::{Fault, Faults};
use crate::plan::{
    logical_blocks, Act, Command, Data, Malformation, Plan, Pointer, Start, Step, Stray,
};
use crate::sizes::{LONGEST, PAIRS};

/// What a plan is drawn from.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// Decides all that is not given.
    pub seed: u64,
    /// The board whose values the drive has, but for `values`.
    pub board: &'a str,
    /// Keys of a board, each with its value.
    pub values: Vec<(String, String)>,
    /// How the drive keeps its data.
    pub data: Data,
    /// What goes wrong.
    pub faults: Faults,
    /// Commands at least.
    pub commands: u32,
    /// Turns of the host between two power losses, where there are any.
    pub turns_between_cuts: u32,
    /// Whether that was asked for, and holds of commands where the host has zones or chunks.
    pub cuts_are_given: bool,
}

impl Plan {
    /// The plan of a draft.
    ///
    /// # Errors
    /// When the board is not there, or refuses its values.
    pub fn draw(draft: Draft<'_>) -> Result<Plan, BoardError> {
        let board = Board::resolve(draft.board, &draft.values)?;
        // What fills a drive of bytes is not what the host compares with.
        let full = draft.seed % 2 == 0 && draft.data == Data::Stamps;
        let start = if full { Start::Full } else { Start::Empty };
        let mut host = Host {
            draw: Draw(draft.seed),
            blocks: logical_blocks(&board),
            faults: draft.faults,
            steps: Vec::new(),
            commands: 0,
        };
        if board.firmware.command_set != CommandSet::Block {
            return Ok(Plan::of_chunks(draft, board.firmware.command_set));
        }
        let astray = draft.faults.has(Fault::Astray);
        let config = &board.firmware;
        // A part of a page comes without what the page says of itself. With what an older place holds by now, nothing would be
        // noticed.
        let in_parts = config.read_unit_bytes < config.geometry.page_bytes;
        let may_cut = !astray || draft.seed % 2 == 1 && !in_parts;
        let cuts = draft.faults.has(Fault::Power) && may_cut && config.recovery.is_some();
        let loses_log = astray && cuts && draft.seed % 8 == 1;
        let mut extras = Extras::of(draft.seed, draft.faults, &draft.values).with_cuts(cuts);
        let mut turns = 0;
        while host.commands < draft.commands {
            if astray && host.draw.once_in(4) {
                host.send_astray();
            }
            if loses_log && host.draw.once_in(60) {
                let die = host.draw.below(64) as u32;
                host.steps.push(Step::SendAstray { die, to: Stray::Log });
            }
            host.turn();
            turns += 1;
            extras.turn(&mut host.steps);
            if cuts && turns % draft.turns_between_cuts == 0 {
                host.cut_power();
            }
        }
        let steps = host.steps;
        let Draft { board, values, data, .. } = draft;
        Ok(Plan { board: board.to_owned(), values, data, start, steps })
    }

    /// A plan for a host of chunks or zones. Where flash fails the power stays on drives of chunks: what a chunk that failed holds is known
    /// to who was told alone.
    fn of_chunks(draft: Draft<'_>, command_set: CommandSet) -> Plan {
        let mut draw = Draw(draft.seed);
        let fails = draft.values.iter().any(|(key, _)| key.ends_with("_failures_per_billion"));
        let cuts = draft.faults.has(Fault::Power) && (command_set == CommandSet::Zoned || !fails);
        let mut steps = Vec::new();
        let mut left = draft.commands;
        while left > 0 {
            let commands = match draft.cuts_are_given {
                true => draft.turns_between_cuts,
                false => 1 + draw.below(120) as u32,
            };
            let commands = commands.min(left);
            let depth = draw.one_of(&[1, 3, 4, 8, 16]);
            steps.push(Step::UseChunks { seed: draw.below(1 << 30), commands, depth });
            if cuts && (draft.cuts_are_given || draw.once_in(2)) {
                steps.push(Step::Run { ps: draw.below(400_000_000) });
                steps.push(Step::CutPower { again_after_ps: Vec::new() });
            }
            left -= commands;
        }
        let Draft { board, values, .. } = draft;
        Plan { board: board.to_owned(), values, data: Data::Stamps, start: Start::Empty, steps }
    }
}

/// A host that makes up what it will do.
struct Host {
    draw: Draw,
    /// Logical blocks of the drive.
    blocks: u64,
    faults: Faults,
    steps: Vec<Step>,
    commands: u32,
}

impl Host {
    /// Something that concerns queues or the controller, or some commands; then some time.
    fn turn(&mut self) {
        let kind = self.draw.below(100);
        match kind {
            0 if self.faults.has(Fault::Resets) => self.steps.push(Step::Reset),
            1 if self.faults.has(Fault::Queues) => {
                let queue = 2 + self.draw.below(PAIRS.len() as u64 - 1) as u16;
                self.steps.push(Step::DeleteQueue { queue });
            }
            2 => self.steps.push(Step::SwitchCache),
            3 | 4 if self.faults.has(Fault::Aborts) => {
                let (queue, cid) = (self.queue(), self.draw.below(48) as u16);
                self.steps.push(Step::Abort { queue, cid });
            }
            5 if self.faults.has(Fault::Doorbells) => self.ring_wrongly(),
            _ => self.submit(),
        }
        match self.draw.below(8) {
            0 => self.steps.push(Step::RunUntilQuiet),
            1..=4 => self.steps.push(Step::Run { ps: self.draw.below(400_000_000) }),
            _ => {}
        }
    }

    fn queue(&mut self) -> u16 {
        1 + self.draw.below(PAIRS.len() as u64) as u16
    }

    /// Mostly where the next programs of the chip go, so that they meet.
    fn send_astray(&mut self) {
        let die = self.draw.below(64) as u32;
        let to = match self.draw.below(4) {
            0 => Stray::Block(1 + self.draw.below(40) as u32),
            1 | 2 => Stray::Page(self.draw.one_of(&[1, 1, 2, 5, -1, -2])),
            _ => Stray::Nowhere,
        };
        self.steps.push(Step::SendAstray { die, to });
    }

    fn ring_wrongly(&mut self) {
        let (doorbell, least) = match self.draw.below(3) {
            // Queues that there are, and a tail or head that they cannot have.
            0 => (2 + self.draw.below(2 * PAIRS.len() as u64) as u16, 128),
            // Queues that were never created.
            _ => (2 * (PAIRS.len() as u16 + 1) + self.draw.below(64) as u16, 0),
        };
        let value = (least + self.draw.below(1 << 20)) as u32;
        self.steps.push(Step::RingWrongly { doorbell, value });
    }

    fn submit(&mut self) {
        let queue = self.queue();
        let most = if self.draw.once_in(4) { 24 } else { 4 };
        let count = 1 + self.draw.below(most);
        let commands: Vec<Command> = (0..count).map(|_| self.command()).collect();
        self.commands += commands.len() as u32;
        self.steps.push(Step::Submit { queue, commands });
    }

    fn command(&mut self) -> Command {
        // Mostly a hot part, so that commands meet and blocks with many invalid pages exist.
        let area = match self.draw.below(8) {
            0 => self.blocks,
            1..=4 => self.blocks / 4,
            _ => 64,
        };
        let longest = if self.draw.once_in(3) { LONGEST } else { 5 };
        let blocks = 1 + self.draw.below(longest);
        let lba = self.draw.below(area - blocks);
        let fua = self.draw.once_in(4);
        let act = match self.draw.below(24) {
            0..=8 => Act::Write,
            9..=15 => Act::Read,
            16..=17 => Act::WriteZeroes,
            18..=19 => Act::Deallocate,
            20 => Act::Flush,
            _ => self.compare(blocks),
        };
        let act = match self.faults.has(Fault::Commands) && self.draw.once_in(40) {
            true => Act::Malformed(self.malformation()),
            false => act,
        };
        let pointer = match self.faults.has(Fault::Pointers) && self.draw.once_in(30) {
            true => self.bad_pointer(),
            false => Pointer::Sound,
        };
        Command { act, lba, blocks, fua, pointer }
    }

    /// Half of all compares differ, mostly late in their data.
    fn compare(&mut self, blocks: u64) -> Act {
        let differs = self.draw.once_in(2);
        let first = if self.draw.once_in(3) { 0 } else { blocks - 1 };
        Act::Compare(differs.then(|| first + self.draw.below(blocks - first)))
    }

    fn malformation(&mut self) -> Malformation {
        use Malformation::{Fused, Namespace, Opcode, Overflow, Range, Sgl, TooLong};
        self.draw.one_of(&[Opcode, Namespace, Range, Overflow, Fused, Sgl, TooLong])
    }

    fn bad_pointer(&mut self) -> Pointer {
        use Pointer::{EntryOutside, ListOutside, Misaligned, Outside};
        self.draw.one_of(&[Outside, ListOutside, EntryOutside, Misaligned])
    }

    fn cut_power(&mut self) {
        let mut again_after_ps = Vec::new();
        while self.draw.once_in(3) {
            again_after_ps.push(self.draw.below(8_000_000_000));
        }
        self.steps.push(Step::CutPower { again_after_ps });
    }
}
