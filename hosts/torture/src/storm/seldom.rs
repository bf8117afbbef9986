//! What happens to a drive seldom: a format, a snapshot, a long time without power.

use nvme::admin::{AdminCommand, FormatNvm, SecureErase};
use nvme::command::Header;
use nvme::completion::CompletionEntry;

use super::Storm;
use crate::history::{Ended, Extent, Moment};
use crate::slots::payload;

/// The identifier of a format in the admin queue.
const FORMAT: u16 = 8;
/// Wrong bits in 10^12 up to which the decoder corrects each page, as far as a round can tell: 13 bits of 2,204 are beyond
/// what is ever met.
const SOUND_BITS: u64 = 600_000_000;

impl Storm {
    /// Formats the namespace as it is formatted, while other commands are under way.
    pub(super) fn format(&mut self) {
        let format = FormatNvm {
            format: self.board.firmware.block_format,
            protection: 0,
            erase: SecureErase::None,
        };
        let header = Header { cid: FORMAT, nsid: 1, ..Header::default() };
        self.format = Some(self.history.begin_zeroes(self.whole_drive()));
        self.outcome.formats += 1;
        self.bench.submit(0, &[AdminCommand::FormatNvm(format).emit(header)]);
    }

    /// A format has ended: nothing that was there before it is there any more.
    pub(super) fn formatted(&mut self, entry: &CompletionEntry) {
        assert_eq!(entry.cid, FORMAT, "{entry:?}: of no command");
        let begun = self.format.take().expect("a format under way");
        if entry.status.is_success() {
            self.history.end_format(begun);
        } else {
            // What is in the buffer could not be programmed.
            self.failed_to_format(entry, begun);
        }
    }

    fn failed_to_format(&mut self, entry: &CompletionEntry, begun: Moment) {
        let gave_up = self.given_up() > 0;
        assert!(gave_up, "{}: a format failed, and nothing explains it", entry.status);
        self.history.end(self.whole_drive(), begun, Ended::Perhaps);
    }

    /// Waits for a format under way.
    pub(super) fn await_format(&mut self) {
        if self.format.is_some() {
            self.bench
                .drive
                .run(|host| host.seen.iter().any(|(_, entry)| entry.submission_queue == 0));
            self.reap();
            assert!(self.format.is_none(), "a format never ended");
        }
    }

    /// A format will not end any more.
    pub(super) fn abandon_format(&mut self) {
        if let Some(begun) = self.format.take() {
            self.history.end(self.whole_drive(), begun, Ended::Perhaps);
        }
    }

    /// Whether flash tells of each page of the log that chips have lost: journal pages that were written behind it do, but for
    /// one that had begun before.
    pub(super) fn is_log_told(&mut self) -> bool {
        let lost = self.bench.drive.log_pages_lost();
        let written = self.bench.drive.firmware().log().journal_pages;
        if lost > self.log_lost.0 {
            self.log_lost = (lost, written + 2);
            self.may_lose = true;
        }
        written >= self.log_lost.1
    }

    /// Goes on with a drive that was read from what this one was written to.
    pub(super) fn save_and_restore(&mut self) {
        self.bench.drive.run(|_| false);
        self.reap();
        self.bench = self.bench.written_and_read((&self.board, payload(self.data)));
        self.outcome.snapshots += 1;
    }

    /// The power goes away, and comes back so many hours later.
    pub(super) fn shelve(mut self, hours: u64) -> Self {
        self.hours += hours;
        let an_hour = self.board.errors.retention_bits_per_terabit_per_hour;
        let wrong_bits = self.hours.saturating_mul(an_hour);
        self.may_lose |= wrong_bits > SOUND_BITS;
        self.outcome.hours += hours;
        self.cut_power(hours, &[])
    }

    fn whole_drive(&self) -> Extent {
        Extent { lba: 0, blocks: self.history.logical_blocks() }
    }
}
