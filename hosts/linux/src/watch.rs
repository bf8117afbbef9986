//! Whoever watches the drive while the guest runs: the meter, and those who were asked for besides.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use crate::accounts::Accounts;
use contract::{CommandTag, HostCommand};
use contract::{Module, Pass};
use machine::{CommandStep, DmaTransfer, FirmwareStep, FlashPhase, Observer, TimeSpan, Watched};
use nvme::command::Entry;
use nvme::io::opcode;
use nvme::ALL_NAMESPACES;
use pci::Metered;
use trace::{Event, Format, Kind, Record, Writer, UNKNOWN};

/// Picoseconds of a nanosecond.
const NS: u64 = 1000;

/// Writes the guest's reads, writes and flushes, as the drive takes them, as a block trace of Linux.
///
/// A command that deallocates blocks keeps its ranges in the guest's memory, and is left out.
pub struct CommandTrace {
    writer: Writer<Box<dyn Write>>,
    /// The drive's time when the guest began, in picoseconds: times of the trace are counted from there.
    began_ps: u64,
    /// Why nothing is written any more.
    fault: Option<io::Error>,
}

impl CommandTrace {
    /// A trace that goes to `out`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: Box<dyn Write>) -> io::Result<Self> {
        let writer = Writer::new(out, Format::Blkparse(Event::Issue))?;
        Ok(CommandTrace { writer, began_ps: 0, fault: None })
    }

    /// Writes out what is still held back.
    ///
    /// # Errors
    /// The first that writing met.
    pub fn finish(self) -> io::Result<()> {
        match self.fault {
            Some(fault) => Err(fault),
            None => self.writer.into_inner().flush(),
        }
    }

    fn note(&mut self, now: u64, command: &HostCommand, block_bytes: u32) {
        if command.queue == 0 || self.fault.is_some() {
            return;
        }
        let entry = Entry(command.entry);
        let kind = match entry.opcode() {
            opcode::READ => Kind::Read,
            opcode::WRITE => Kind::Write,
            opcode::FLUSH => Kind::Flush,
            _ => return,
        };
        let block_bytes = u64::from(block_bytes);
        let first = u64::from(entry.dword(10)) | u64::from(entry.dword(11)) << 32;
        let blocks = u64::from(entry.dword(12) & 0xffff) + 1;
        let (offset, length) = match kind {
            Kind::Flush => (0, 0),
            _ => (first.saturating_mul(block_bytes), blocks * block_bytes),
        };
        let time_ns = now.saturating_sub(self.began_ps) / NS;
        // Each namespace is a volume of its own.
        let volume = match entry.nsid() {
            ALL_NAMESPACES => 0,
            nsid => nsid.saturating_sub(1),
        };
        let record = Record { time_ns, response_ns: UNKNOWN, volume, kind, offset, length };
        self.fault = self.writer.write(&record).err();
    }
}

impl std::fmt::Debug for CommandTrace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandTrace").field("fault", &self.fault).finish_non_exhaustive()
    }
}

/// The trace of a run, if there is one, which whoever made the run takes at its end.
pub type SharedTrace = Rc<RefCell<Option<CommandTrace>>>;

/// Watchers of a run.
pub struct Watchers<'a> {
    /// Measures what the report tells.
    pub meter: Metered,
    /// Knows what system calls waited for.
    pub accounts: Rc<RefCell<Accounts>>,
    /// Writes down the guest's commands.
    pub trace: SharedTrace,
    /// Anybody else.
    pub other: Option<&'a mut dyn Observer>,
}

impl std::fmt::Debug for Watchers<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Watchers { meter, trace, .. } = self;
        f.debug_struct("Watchers")
            .field("meter", meter)
            .field("trace", trace)
            .finish_non_exhaustive()
    }
}

impl<'a> Watchers<'a> {
    /// All of them, as a drive is watched by them.
    pub fn watching(self) -> Watched<'a> {
        Box::new(self)
    }

    fn tell(&mut self, tell: impl FnOnce(&mut dyn Observer)) {
        if let Some(other) = &mut self.other {
            tell(&mut **other);
        }
    }
}

impl Observer for Watchers<'_> {
    fn jobs_begin(&mut self, now: u64) {
        if let Some(trace) = &mut *self.trace.borrow_mut() {
            trace.began_ps = now;
        }
        self.tell(|other| other.jobs_begin(now));
    }

    fn work(&mut self, module: Module, span: TimeSpan) {
        self.tell(|other| other.work(module, span));
    }

    fn pass(&mut self, pass: Pass) {
        self.tell(|other| other.pass(pass));
    }

    fn bus(&mut self, phase: FlashPhase) {
        self.tell(|other| other.bus(phase));
    }

    fn chip(&mut self, phase: FlashPhase) {
        self.tell(|other| other.chip(phase));
    }

    fn chip_stops(&mut self, channel: u8, way: u8, at: u64) {
        self.tell(|other| other.chip_stops(channel, way, at));
    }

    fn ready(&mut self, phase: FlashPhase) {
        self.tell(|other| other.ready(phase));
    }

    fn dma(&mut self, transfer: DmaTransfer) {
        self.meter.dma(transfer);
        self.tell(|other| other.dma(transfer));
    }

    fn command(&mut self, now: u64, step: CommandStep<'_>) {
        self.meter.command(now, step);
        if let CommandStep::Posted(_) = step {
            let finished = self.meter.0.borrow_mut().take_finished();
            finished.iter().for_each(|finished| self.accounts.borrow_mut().completed(finished));
        }
        if let CommandStep::Taken(command) = step {
            if let Some(trace) = &mut *self.trace.borrow_mut() {
                trace.note(now, command, self.meter.0.borrow().block_bytes);
            }
        }
        self.tell(|other| other.command(now, step));
    }

    fn entry_freed(&mut self, now: u64, tag: CommandTag, chip: Option<(u8, u8)>) {
        self.tell(|other| other.entry_freed(now, tag, chip));
    }

    fn by_itself(&mut self, command: &HostCommand, span: TimeSpan) {
        self.tell(|other| other.by_itself(command, span));
    }

    fn firmware(&mut self, now: u64, step: FirmwareStep<'_>) {
        self.tell(|other| other.firmware(now, step));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was written, which somebody else may look at.
    #[derive(Clone, Default)]
    struct Page(Rc<RefCell<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn command(queue: u16, opcode: u8, first: u64, blocks: u32) -> HostCommand {
        let mut entry = [0; 16];
        entry[0] = u32::from(opcode);
        (entry[10], entry[11]) = (first as u32, (first >> 32) as u32);
        entry[12] = blocks.wrapping_sub(1) & 0xffff;
        HostCommand { tag: CommandTag(0), queue, entry }
    }

    #[test]
    fn each_namespace_is_a_device_of_its_own() {
        let page = Page::default();
        let mut trace = CommandTrace::new(Box::new(page.clone())).unwrap();
        for nsid in [1, 2, 3, ALL_NAMESPACES] {
            let mut read = command(1, opcode::READ, 8, 1);
            read.entry[1] = nsid;
            trace.note(1_000_000, &read, 512);
        }
        trace.finish().unwrap();
        let text = String::from_utf8(page.0.borrow().clone()).unwrap();
        let devices: Vec<_> =
            text.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
        assert_eq!(devices, ["8,0", "8,16", "8,32", "8,0"]);
    }

    #[test]
    fn a_trace_has_reads_writes_and_flushes_of_io_queues() {
        let page = Page::default();
        let mut trace = CommandTrace::new(Box::new(page.clone())).unwrap();
        trace.note(1_500_000, &command(0, opcode::READ, 7, 1), 512);
        trace.note(2_000_000, &command(1, opcode::READ, 1 << 33, 8), 512);
        trace.note(3_000_000, &command(1, opcode::DATASET_MANAGEMENT, 0, 1), 512);
        trace.note(4_000_000, &command(2, opcode::WRITE, 16, 2), 4096);
        trace.note(5_000_000, &command(1, opcode::FLUSH, 0, 0), 512);
        trace.finish().unwrap();
        let text = String::from_utf8(page.0.borrow().clone()).unwrap();
        let words = |line: &str| {
            line.split_whitespace().skip(3).map(str::to_owned).collect::<Vec<_>>().join(" ")
        };
        let lines: Vec<_> = text.lines().map(words).collect();
        assert_eq!(
            lines,
            [
                "0.000002000 1 D R 8589934592 + 8 [firmament]",
                "0.000004000 1 D W 128 + 16 [firmament]",
                "0.000005000 1 D FN [firmament]",
            ]
        );
    }
}
