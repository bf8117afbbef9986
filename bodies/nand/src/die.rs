//! What each die keeps for itself: how fast it is, its random streams, its page register.

use board::{Flash, WordLines, MOST_CELL_BITS};
use borsh::{BorshDeserialize, BorshSerialize};
use contract::Duration;

use crate::cells::Condition;
use crate::random::{Purpose, Random};

/// How far single operations of all dies deviate.
#[derive(Clone, Copy)]
pub(crate) struct Deviations {
    read: Duration,
    program: Duration,
    erase: Duration,
    /// Which pages are of which type.
    word_lines: WordLines,
}

/// One die.
#[derive(Clone, BorshSerialize, BorshDeserialize)]
pub(crate) struct Die {
    /// Mean latencies by page type, in picoseconds.
    read_ps: [i64; MOST_CELL_BITS],
    program_ps: [i64; MOST_CELL_BITS],
    erase_ps: i64,
    timing: Random,
    /// Decides which bits are wrong and what fails.
    pub faults: Random,
    /// The row that was programmed last and in how many passes, where word lines are programmed in several.
    pub passes: Option<(u32, u32)>,
    pub register: Register,
    /// The read level that was set.
    pub level: u8,
}

/// What the page register holds.
#[derive(Clone, Copy, Default, BorshSerialize, BorshDeserialize)]
pub(crate) struct Register {
    /// The row that was read last, if nothing was programmed or erased since.
    pub row: Option<u32>,
    /// Which of its flash pages.
    pub nth: u32,
    /// How many of its bits are wrong.
    pub wrong_bits: u32,
    /// Decides which.
    pub noise: Random,
    /// In what condition the block was, where the voltages of its cells decide instead.
    pub condition: Condition,
}

impl Deviations {
    /// Those of dies whose blocks have so many usable pages.
    pub fn new(flash: &Flash, pages_per_block: u32) -> Self {
        Self {
            read: flash.read_deviation,
            program: flash.program_deviation,
            erase: flash.erase_deviation,
            word_lines: flash.word_lines(pages_per_block),
        }
    }

    #[inline]
    pub fn page_type(&self, page: u32) -> usize {
        self.word_lines.of(page).page_type as usize
    }
}

impl Die {
    /// The die of this number, which was powered on so often before: what it draws is different each time.
    pub fn new(flash: &Flash, (seed, powered): (u64, u64), index: u32) -> Self {
        let index = u64::from(index);
        let anew = powered << 32 | index;
        let offset = Random::stream(seed, Purpose::DieOffset, index).bell(flash.die_deviation);
        let mean = |latency: Duration| latency.as_ps() as i64 + offset;
        Self {
            read_ps: flash.t_read.map(mean),
            program_ps: flash.t_program.map(mean),
            erase_ps: mean(flash.t_erase),
            timing: Random::stream(seed, Purpose::Timing, anew),
            faults: Random::stream(seed, Purpose::Faults, anew),
            passes: None,
            register: Register::default(),
            level: 0,
        }
    }

    /// Draws the time of one read of a flash page of a block.
    #[inline]
    pub fn read_time(&mut self, page: u32, deviations: &Deviations) -> Duration {
        self.around(self.read_ps[deviations.page_type(page)], deviations.read)
    }

    /// Draws the time of one program: of a page of this type, or of this pass over a word line.
    #[inline]
    pub fn program_time(&mut self, nth: usize, deviations: &Deviations) -> Duration {
        self.around(self.program_ps[nth], deviations.program)
    }

    /// Draws the time of one erase.
    #[inline]
    pub fn erase_time(&mut self, deviations: &Deviations) -> Duration {
        self.around(self.erase_ps, deviations.erase)
    }

    /// Boards keep the deviations of die and operation together below the latency.
    #[inline]
    fn around(&mut self, mean_ps: i64, deviation: Duration) -> Duration {
        Duration::from_ps((mean_ps + self.timing.bell(deviation)) as u64)
    }
}
