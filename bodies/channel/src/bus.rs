//! How long a step takes on the bus, cycle by cycle as `rtl/flash/bus_phy.sv`.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::Operation;

/// Choices and waits of the bus, in cycles of the clock unless said otherwise, as `bus_config_t` of
/// the hardware. A wait of n cycles adds n to what the state machines need anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct BusSettings {
    /// NV-DDR2 or toggle; otherwise asynchronous SDR.
    pub ddr: bool,
    /// Rows of four bytes instead of three.
    pub long_row: bool,
    /// CE# low to the first pulse.
    pub ce_setup: u8,
    /// Last pulse to CE# high.
    pub ce_hold: u8,
    /// WE# low; also of data in SDR.
    pub we_low: u8,
    /// WE# high ahead of each of its low pulses; also of data in SDR.
    pub we_high: u8,
    /// tADL.
    pub adl: u8,
    /// tCCS.
    pub ccs: u8,
    /// tWHR.
    pub whr: u8,
    /// tRHW.
    pub rhw: u8,
    /// tWB.
    pub wb: u8,
    /// tRR.
    pub rr: u8,
    /// RE# low in SDR.
    pub re_low: u8,
    /// RE# high in SDR.
    pub re_high: u8,
    /// RE# low before the first edge.
    pub read_preamble: u8,
    /// After the last edge.
    pub read_postamble: u8,
    /// DQS low before the first edge.
    pub write_preamble: u8,
    /// DQS low after the last edge.
    pub write_postamble: u8,
    /// SDR: from the end of RE# low to the sample of DQ.
    pub sample_delay: u8,
    /// Longest pause of a data stream in units of 16 cycles; 0 is for ever. Streams of the model do not
    /// pause.
    pub data_timeout: u16,
}

/// The bus, and the paths of data behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct BusTiming {
    /// What its registers hold.
    pub settings: BusSettings,
    /// DDR: from the last word that is asked for until it has left the capture queue.
    pub capture: u8,
    /// From the taking of a step until its first word can leave the bus: the scrambler looks for its
    /// place in the sequence.
    pub path_start: u8,
}

impl BusTiming {
    /// As in `rtl/flash`, with chips whose strobe comes so many cycles behind the last word of a read.
    pub const fn new(settings: BusSettings, strobe_cycles: u8) -> Self {
        // Five cycles to the capture queue and through it; the scrambler looks for its place in 17.
        Self { settings, capture: 5 + strobe_cycles, path_start: 17 }
    }
}

/// A turn on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The last cycle of it.
    pub over: u64,
    /// The cycle of the pulse that makes the way busy, if one does.
    pub confirm: Option<u64>,
    /// When the chip has the end of what it is told, in quarters of a cycle.
    pub told: u64,
    /// The cycle behind that in which the last word read has left the bus.
    pub last_word: u64,
    /// When the chip gives the last byte that is read, in quarters of a cycle.
    pub sampled: u64,
}

/// What has to pass between a beat and whatever follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Nothing,
    Adl,
    Ccs,
    Whr,
    /// The way is busy from here on.
    Busy,
}

/// Units of data: words of a page, or register bytes.
#[derive(Clone, Copy)]
enum Units {
    Words(u32),
    Registers(u32),
}

/// The bus. Only one thing happens on it at a time.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Bus {
    timing: BusTiming,
    /// Until when commands wait behind a read.
    read_gap: u64,
    /// From when on another way may be made busy.
    mask_over: u64,
}

/// A turn that is being worked out.
struct Course<'a> {
    timing: &'a BusTiming,
    /// The cycle in which the step was taken.
    taken: u64,
    /// The cycle in which the next beat is looked at.
    at: u64,
    /// When the timer of the state is over, and what a command asked for behind it.
    timer: u64,
    gap: u64,
    /// The gap holds for what the host drives only.
    behind_read: bool,
    mask_over: u64,
    read: bool,
    wrote: bool,
    confirm: Option<u64>,
    told: u64,
    last_word: u64,
    sampled: u64,
}

/// Cycles from the end of a pulse of WE# in the bus to its end at the chip.
const WAY_THERE: u64 = 2;

impl Bus {
    pub fn new(timing: BusTiming) -> Self {
        // The gap starts full, so that WP# is up long before the first command.
        Self { timing, read_gap: 255, mask_over: 0 }
    }

    /// The turn of a step that is taken in the cycle `now` and moves so many bytes of a page.
    pub fn turn(&mut self, now: u64, operation: Operation, page_bytes: u32) -> Turn {
        let timing = self.timing;
        let begins_with_data =
            matches!(operation, Operation::ReadTransfer | Operation::FeaturesTransfer);
        let start = now + 3;
        let mut course = Course {
            timing: &timing,
            taken: now,
            at: start,
            timer: start + u64::from(timing.settings.ce_setup),
            gap: if begins_with_data {
                start + u64::from(timing.settings.rr)
            } else {
                self.read_gap
            },
            behind_read: !begins_with_data,
            mask_over: self.mask_over,
            read: false,
            wrote: false,
            confirm: None,
            told: 0,
            last_word: 0,
            sampled: 0,
        };
        course.run(operation, page_bytes / 2);
        let over = course.release();
        if course.read {
            self.read_gap = over + 1 + u64::from(timing.settings.rhw);
        }
        if let Some(confirm) = course.confirm {
            self.mask_over = self.free_after(confirm);
        }
        let Course { confirm, told, last_word, sampled, .. } = course;
        Turn { over, confirm, told, last_word, sampled }
    }

    /// Cycles from one word of a page that is read to the next.
    pub fn word_cycles(&self) -> u64 {
        let timing = &self.timing;
        if timing.settings.ddr {
            1
        } else {
            2 * (2 + u64::from(timing.settings.re_low) + u64::from(timing.settings.re_high))
        }
    }

    /// The cycle in which a way that was made busy may be ready at the earliest, whatever its pin says.
    pub fn ready_after(&self, confirm: u64) -> u64 {
        self.free_after(confirm) + 1
    }

    /// tWB is over, and the way to the pins and back.
    fn free_after(&self, confirm: u64) -> u64 {
        confirm + 6 + u64::from(self.timing.settings.wb)
    }
}

impl Course<'_> {
    fn run(&mut self, operation: Operation, words: u32) {
        use Operation::*;
        match operation {
            ReadStatus => {
                self.command(Then::Whr);
                self.read(Units::Registers(1));
            }
            ReadStatusEnhanced => {
                self.command(Then::Nothing);
                self.row(Then::Whr);
                self.read(Units::Registers(1));
            }
            ReadTransfer => self.read(Units::Words(words)),
            FeaturesTransfer => self.read(Units::Registers(4)),
            ReadId => {
                self.command(Then::Nothing);
                self.address(1, Then::Whr);
                self.read(Units::Registers(words * 2));
            }
            ChangeReadColumn | ChangeReadColumnOnfi | ChangeReadColumnJedec => {
                self.change_column(operation);
                self.read(Units::Words(words));
            }
            _ if operation as u8 & 0x60 == 0x60 => self.program(operation, words),
            _ => self.plain(operation),
        }
    }

    fn change_column(&mut self, operation: Operation) {
        self.command(Then::Nothing);
        if operation != Operation::ChangeReadColumn {
            self.full();
        }
        if operation == Operation::ChangeReadColumnJedec {
            self.command(Then::Nothing);
        }
        if operation != Operation::ChangeReadColumnOnfi {
            self.address(2, Then::Nothing);
        }
        self.command(Then::Ccs);
    }

    /// Commands without data.
    fn plain(&mut self, operation: Operation) {
        use Operation::*;
        match operation {
            ReadMode => self.command(Then::Whr),
            Reset | SynchronousReset | ReadCacheSequential | ReadCacheLast | ProgramConfirm => {
                self.command(Then::Busy);
            }
            ResetLun | EraseMultiPlaneJedec => {
                self.command(Then::Nothing);
                self.row(if operation == ResetLun { Then::Busy } else { Then::Nothing });
            }
            VolumeSelect => {
                self.command(Then::Nothing);
                self.address(1, Then::Whr);
            }
            ParameterPageTrigger | UniqueIdTrigger | FeaturesTrigger => {
                self.command(Then::Nothing);
                self.address(1, Then::Busy);
            }
            FeaturesLunTrigger => {
                self.command(Then::Nothing);
                self.address(2, Then::Busy);
            }
            EraseBlock | EraseMultiPlaneOnfi => {
                self.command(Then::Nothing);
                self.row(Then::Nothing);
                self.command(Then::Busy);
            }
            _ => {
                self.command(Then::Nothing);
                self.full();
                self.command(Then::Busy);
            }
        }
    }

    /// Commands that send data to the chip.
    fn program(&mut self, operation: Operation, words: u32) {
        use Operation::*;
        self.command(Then::Nothing);
        match operation {
            SetFeatures | OdtConfigure => self.address(1, Then::Adl),
            SetFeaturesLun => self.address(2, Then::Adl),
            ChangeWriteColumn => self.address(2, Then::Ccs),
            _ => {
                let then = if operation == ChangeRowAddress { Then::Ccs } else { Then::Adl };
                self.address(self.row_bytes() + 2, then);
            }
        }
        match operation {
            SetFeatures | SetFeaturesLun | OdtConfigure => {
                self.write(Units::Registers(4), Then::Busy);
            }
            _ => self.write(Units::Words(words), Then::Nothing),
        }
        if matches!(operation, ProgramPage | ProgramMultiPlane | ProgramCache | ProgramPart) {
            self.command(Then::Busy);
        }
    }

    fn row_bytes(&self) -> u32 {
        3 + u32::from(self.timing.settings.long_row)
    }

    fn row(&mut self, then: Then) {
        self.address(self.row_bytes(), then);
    }

    fn full(&mut self) {
        self.address(self.row_bytes() + 2, Then::Nothing);
    }

    fn command(&mut self, then: Then) {
        self.address(1, then);
    }

    /// So many pulses of WE#, each with a byte.
    fn address(&mut self, bytes: u32, then: Then) {
        let timing = self.timing;
        let pulse = 1 + u64::from(timing.settings.we_high) + u64::from(timing.settings.we_low);
        for left in (0..bytes).rev() {
            let mut start = self.at.max(self.timer).max(self.gap);
            if then == Then::Busy {
                start = start.max(self.mask_over);
            }
            let end = start + pulse;
            self.at = end + 1;
            self.timer = self.at + u64::from(timing.settings.ce_hold);
            let wait = match then {
                _ if left > 0 => 0,
                Then::Nothing | Then::Busy => 0,
                Then::Adl => timing.settings.adl,
                Then::Ccs => timing.settings.ccs,
                Then::Whr => timing.settings.whr,
            };
            self.gap = self.at + u64::from(wait);
            self.told = 4 * (end + WAY_THERE);
            if left == 0 && then == Then::Busy {
                self.confirm = Some(end);
            }
        }
        self.behind_read = false;
        self.wrote = false;
    }

    /// The first cycle in which data may begin. A cycle goes by with counting them.
    fn data_start(&self) -> u64 {
        let gap = if self.behind_read { 0 } else { self.gap };
        (self.at + 1).max(self.timer).max(gap)
    }

    fn read(&mut self, units: Units) {
        let timing = self.timing;
        let start = self.data_start();
        self.read = true;
        if timing.settings.ddr {
            let count = match units {
                Units::Words(count) | Units::Registers(count) => u64::from(count),
            };
            let first = start + 2 + u64::from(timing.settings.read_preamble);
            let end = first + count;
            // Of several words, each but the last is carried on by the strobe of the next one. Two fit
            // between the bus and what takes them.
            let several = u64::from(count > 1);
            let taken = self.taken + u64::from(timing.path_start);
            let late = match units {
                Units::Words(3..) => taken.saturating_sub(first + u64::from(timing.capture) + 1),
                _ => 0,
            };
            let captured = end - 1 + u64::from(timing.capture) + several + late;
            self.last_word = captured;
            self.sampled = 4 * (end - 1 + WAY_THERE);
            self.at = captured.max(end + u64::from(timing.settings.read_postamble)) + 2;
        } else {
            let count = match units {
                Units::Words(count) => 2 * u64::from(count),
                Units::Registers(count) => u64::from(count),
            };
            let (low, high) =
                (u64::from(timing.settings.re_low), u64::from(timing.settings.re_high));
            let last = start + (count - 1) * (2 + low + high) + 1 + low;
            let sampled = last + 4 + u64::from(timing.settings.sample_delay);
            self.last_word = sampled;
            self.sampled = 4 * (last - low - 1 + WAY_THERE);
            self.at = sampled.max(last + 1 + high) + 1;
        }
        (self.timer, self.gap) = (self.at, self.at);
    }

    fn write(&mut self, units: Units, then: Then) {
        let timing = self.timing;
        let mut start = self.data_start();
        if then == Then::Busy {
            start = start.max(self.mask_over);
        }
        if timing.settings.ddr {
            let count = match units {
                Units::Words(count) | Units::Registers(count) => u64::from(count),
            };
            let end = start + 2 + u64::from(timing.settings.write_preamble) + count;
            let last = end + u64::from(timing.settings.write_postamble);
            self.at = last + 2;
            self.wrote = true;
            // The strobe falls with the last word, a quarter of a cycle late.
            self.told = 4 * (end + WAY_THERE) - 1;
            self.confirm = (then == Then::Busy).then_some(last).or(self.confirm);
        } else {
            let count = match units {
                Units::Words(count) => 2 * u64::from(count),
                Units::Registers(count) => u64::from(count),
            };
            let pulse = 1 + u64::from(timing.settings.we_high) + u64::from(timing.settings.we_low);
            let byte = pulse + 1 + u64::from(timing.settings.ce_hold);
            let last = start + (count - 1) * byte + pulse;
            self.at = last + 1 + u64::from(timing.settings.ce_hold) + 1;
            self.told = 4 * (last + WAY_THERE);
            self.confirm = (then == Then::Busy).then_some(last).or(self.confirm);
        }
        (self.timer, self.gap) = (self.at, self.at);
    }

    /// CE# is high, strobes are still held. The last cycle of the turn.
    fn release(&self) -> u64 {
        let start = self.at.max(self.timer);
        let start = if self.behind_read { start } else { start.max(self.gap) };
        let held = match (self.wrote, self.read && self.timing.settings.ddr) {
            (true, _) => self.timing.settings.write_preamble,
            (false, true) => self.timing.settings.read_preamble,
            (false, false) => 0,
        };
        start + 1 + u64::from(held)
    }
}
