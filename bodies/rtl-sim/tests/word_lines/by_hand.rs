//! Word lines that a firmware programs and reads which does nothing else: data and metadata go where the contract says
//! ([`contract::Hardware::set_units`]), also those that the drive's own firmware never reads without a power loss.

use contract::{
    BufferId, Configuration, Firmware, FlashOperation, FlashOutcome, FlashRequest, Location, Lpn,
    Metadata, PageKind, Pass, PhaseChannels, Span, Start, UnitState,
};
use firmware::ftl::buffer::Buffer;
use machine::Polling;
use rtl_sim::drive::RtlDrive;

use crate::word_lines::{board, TLC};

/// An entry that no memory of these tests has.
const BEHIND_MEMORY: BufferId = BufferId(20_000);
const DONE: FlashOutcome = FlashOutcome::Success { corrected_bits: 0, most_bits: 0 };

/// Where the flash pages of a word line go or come from: an entry that holds all of them, or their own ones.
#[derive(Clone, Copy)]
enum Place {
    Whole(BufferId),
    Units(BufferId, [Option<BufferId>; 3]),
}

/// Way 1 of channel 1, while nothing else asks for anything.
struct Die<'h, H> {
    hw: &'h mut H,
    flash_page_bytes: u32,
}

impl<H: PhaseChannels> Die<'_, H> {
    /// Looks until the way is ready, or has answered.
    fn wait(&mut self, is_there: impl Fn((u64, u64)) -> bool) {
        let is_done = |_| {
            let status = self.hw.poll_channels(&mut 0b10, 0b10).map(|(_, status)| status);
            status.is_some_and(|status| is_there((status.ready, status.responses)))
        };
        assert!((0..100_000).any(is_done), "the way is stuck");
    }

    fn ask(&mut self, operation: FlashOperation, (row, nth): (u32, u32), place: Place) {
        self.wait(|(ready, _)| ready & 0b10 != 0);
        let location = Location { channel: 1, way: 1, row };
        let length = self.flash_page_bytes;
        let part = Span { offset: nth * length, length };
        let buffer = match place {
            Place::Whole(entry) => entry,
            Place::Units(entry, units) => {
                self.hw.set_units(entry, &units);
                entry
            }
        };
        let request = FlashRequest { operation, location, part, level: 0, buffer, command: None };
        self.hw.issue_flash(request);
    }

    fn answer(&mut self) -> FlashOutcome {
        self.wait(|(_, responses)| responses & 0b10 != 0);
        self.hw.take_response(1, 1)
    }

    fn program(&mut self, row: u32, from: Place) {
        (0..3).for_each(|nth| self.ask(FlashOperation::Program, (row, nth), from));
        self.ask(FlashOperation::StatusCheck, (row, 0), from);
        assert_eq!(self.answer(), DONE, "program of row {row}");
    }

    /// Reads a flash page; returns the answer to its transfer.
    fn transfer(&mut self, (row, nth): (u32, u32), to: Place) -> FlashOutcome {
        self.ask(FlashOperation::ReadTrigger, (row, nth), to);
        self.ask(FlashOperation::StatusCheck, (row, nth), to);
        assert_eq!(self.answer(), DONE, "read of flash page {nth} of row {row}");
        self.ask(FlashOperation::ReadTransfer, (row, nth), to);
        self.answer()
    }

    fn read(&mut self, row: u32, to: Place) {
        for nth in 0..3 {
            let answer = self.transfer((row, nth), to);
            assert_eq!(answer, DONE, "transfer of flash page {nth} of row {row}");
        }
    }
}

fn metadata(sequence: u64) -> Metadata {
    let lpns = [(7, UnitState::Kept), (0, UnitState::Lost), (9, UnitState::Kept)];
    let lpns = lpns.into_iter().map(|(lpn, state)| (Lpn(lpn), state)).collect();
    Metadata { kind: PageKind::Data, epoch: 3, sequence, lpns }
}

/// A byte of a flash page, none of which is zero.
fn byte(nth: usize, at: usize) -> u8 {
    ((at * 7 + nth * 89) % 251 + 1) as u8
}

/// What is programmed as soon as there is power.
struct TwoWordLines;

impl<H: PhaseChannels> Firmware<H> for TwoWordLines {
    fn power_on(config: &Configuration, _: Start, hw: &mut H) -> Self {
        let flash_page_bytes = config.flash_page_bytes();
        let mut whole = Buffer::log_entries(config).map(BufferId);
        let [first, second] = [(); 2].map(|()| whole.next().expect("entries of whole pages"));
        for (nth, page) in hw.log_page(first).chunks_mut(flash_page_bytes as usize).enumerate() {
            page.iter_mut().enumerate().for_each(|(at, own)| *own = byte(nth, at));
        }
        hw.set_metadata(first, metadata(11));
        let mut die = Die { hw, flash_page_bytes };
        die.program(0, Place::Whole(first));
        // To nowhere, which must not become what is programmed as zeroes. Then to entries of their own.
        die.read(0, Place::Units(BufferId(3), [None; 3]));
        let apart = [4, 5, 6].map(|entry| Some(BufferId(entry)));
        die.read(0, Place::Units(BufferId(3), apart));
        assert_eq!(die.hw.metadata(BufferId(3)), Some(&metadata(11)));
        // From them in another order, without the one in the middle.
        die.hw.set_metadata(BufferId(0), metadata(12));
        die.program(1, Place::Units(BufferId(0), [apart[2], None, apart[0]]));
        die.read(1, Place::Whole(second));
        assert_eq!(die.hw.metadata(second), Some(&metadata(12)));
        let found = die.hw.log_page(second).chunks(flash_page_bytes as usize);
        for (found, from) in found.zip([Some(2), None, Some(0)]) {
            let expected = |at| from.map_or(0, |nth| byte(nth, at));
            let differs = (0..found.len()).find(|&at| found[at] != expected(at));
            assert_eq!(differs, None, "a flash page that was flash page {from:?}");
        }
        // An entry behind the end of memory, which takes nothing there. The page after it is stored.
        let nowhere = Place::Units(BufferId(3), [Some(BEHIND_MEMORY), apart[0], apart[1]]);
        assert_eq!(die.transfer((0, 0), nowhere), FlashOutcome::Uncorrectable);
        assert_eq!(die.transfer((0, 1), nowhere), DONE);
        TwoWordLines
    }

    fn pass(&mut self, hw: &mut H) {
        hw.end_pass(Pass::Idle);
    }

    fn block_bytes(&self) -> u32 {
        4096
    }
}

/// What `make test-all` does beside `make test`, which makes no model of this controller.
mod long {
    use super::*;

    #[test]
    fn flash_pages_and_metadata_go_where_the_contract_says() {
        let more = [
            ("recovery.log_entries", "4"),
            ("errors.raw_bits_per_terabit", "0"),
            ("errors.raw_bits_per_terabit_per_kilocycle", "0"),
        ];
        let board = board(&[TLC, &more]);
        RtlDrive::<'_, _, TwoWordLines>::running(&board, Polling::Skip, 7).expect("a drive");
    }
}
