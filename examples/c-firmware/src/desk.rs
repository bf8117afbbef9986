//! What the FTL has asked for and what became of it, by entry of the data buffer and by command.

use std::collections::VecDeque;

use contract::{
    BufferId, CommandTag, Completer, Configuration, DmaDirection, DmaMemory, DmaRequest,
    FlashOperation, Geometry, Hardware, Location, Lpn, Metadata, Start, Work,
};
use firmware::nvme::backend::{IoCommand, IoKind, IoOutcome};
use firmware::operations::ControlTransfer;

use crate::dies::{Asked, Dies};

/// `FM_NO_PAGE`.
pub const NO_PAGE: u32 = u32::MAX;

/// `struct fm_shape`.
#[repr(C)]
pub struct Shape {
    pub channels: u32,
    pub ways: u32,
    pub blocks: u32,
    pub pages: u32,
    pub page_bytes: u32,
    pub block_bytes: u32,
    pub logical_pages: u32,
    pub entries: u32,
    pub tags: u32,
    pub used_before: bool,
}

/// An operation that the FTL asks for, with an entry, on behalf of a command or of none.
pub struct Wanted {
    pub entry: u32,
    pub tag: Option<u32>,
    pub operation: FlashOperation,
}

/// What the calls of an FTL ask of the hardware, whichever body it is.
pub trait Bench {
    fn work(&mut self, work: Work);
    fn issue_dma(&mut self, request: DmaRequest);
    fn zero(&mut self, entry: BufferId, bytes: u32);
    fn label(&mut self, entry: BufferId, metadata: Metadata);
    fn is_bad(&mut self, at: Location, block: u32) -> bool;
    fn stop(&mut self);
}

impl<H: Hardware> Bench for H {
    fn work(&mut self, work: Work) {
        Hardware::work(self, work);
    }

    fn issue_dma(&mut self, request: DmaRequest) {
        self.work_times(Work::IssueDma, request.length.div_ceil(4096));
        Hardware::issue_dma(self, request);
    }

    fn zero(&mut self, entry: BufferId, bytes: u32) {
        self.zero_buffer(entry, 0, bytes);
    }

    fn label(&mut self, entry: BufferId, metadata: Metadata) {
        self.set_metadata(entry, metadata);
    }

    fn is_bad(&mut self, at: Location, block: u32) -> bool {
        self.factory_bad(at.channel, at.way, block)
    }

    fn stop(&mut self) {
        self.set_fatal();
    }
}

pub struct Desk {
    pub geometry: Geometry,
    pub block_bytes: u32,
    pub logical_pages: u32,
    pub dies: Dies,
    /// Commands under way, by tag.
    commands: Vec<Option<IoCommand>>,
    pub done: VecDeque<(CommandTag, IoOutcome)>,
    /// Whether something was asked for with an entry, and has not ended.
    busy: Vec<bool>,
    /// Transfers from the host and to it, by entry (none: of an answer of the NVMe manager), and how many have ended.
    moving: [VecDeque<(CommandTag, Option<u32>)>; 2],
    ended: [u32; 2],
    /// Those that have, and the FTL does not know it yet.
    pub moved: VecDeque<(u32, IoOutcome)>,
    pub answered: Option<IoOutcome>,
    /// Whether the FTL has asked for what cannot be.
    is_stopped: bool,
}

impl Desk {
    pub fn new(config: &Configuration) -> Self {
        // The DMA engine takes so many requests of each direction, and one is for answers of the manager.
        let entries = config.buffer_entries.min(config.dma_requests - 1) as usize;
        Desk {
            geometry: config.geometry,
            block_bytes: config.block_formats[usize::from(config.block_format)],
            logical_pages: config.logical_pages,
            dies: Dies::new(config.geometry),
            commands: vec![None; config.command_slots as usize + 1],
            done: VecDeque::new(),
            busy: vec![false; entries],
            moving: [VecDeque::new(), VecDeque::new()],
            ended: [0; 2],
            moved: VecDeque::new(),
            answered: None,
            is_stopped: false,
        }
    }

    pub fn shape(&self, start: Start) -> Shape {
        let geometry = self.geometry;
        Shape {
            channels: geometry.channels,
            ways: geometry.ways,
            blocks: geometry.blocks_per_way,
            pages: geometry.pages_per_block,
            page_bytes: geometry.page_bytes,
            block_bytes: self.block_bytes,
            logical_pages: self.logical_pages,
            entries: self.busy.len() as u32,
            tags: self.commands.len() as u32,
            used_before: start == Start::Again,
        }
    }

    /// Takes in a command that the FTL is told of.
    pub fn begin(&mut self, command: IoCommand) {
        self.commands[usize::from(command.tag.0)] = Some(command);
    }

    pub fn is_quiet(&self) -> bool {
        self.done.is_empty()
            && self.commands.iter().all(Option::is_none)
            && !self.busy.contains(&true)
    }

    pub fn start_control(&mut self, hw: &mut impl Hardware, tag: CommandTag, own: ControlTransfer) {
        self.moving[own.direction as usize].push_back((tag, None));
        Hardware::issue_dma(hw, own.request(tag));
    }

    /// Takes in what has moved. The engine ends requests of a direction in their order, and counts them.
    pub fn take_moved(&mut self, hw: &mut impl Hardware) -> bool {
        Hardware::work(hw, Work::PollDma);
        let progress = hw.dma_progress();
        let before = self.ended;
        for (way, count) in [progress.from_host, progress.to_host].into_iter().enumerate() {
            while self.ended[way] != count {
                self.ended[way] = self.ended[way].wrapping_add(1);
                let (tag, entry) = self.moving[way].pop_front().expect("a request that was issued");
                let is_bad = progress.fault && hw.dma_fault(tag);
                let outcome = if is_bad { IoOutcome::TransferError } else { IoOutcome::Success };
                match entry {
                    None => self.answered = Some(outcome),
                    Some(entry) => {
                        self.busy[entry as usize] = false;
                        self.moved.push_back((entry, outcome));
                    }
                }
            }
        }
        self.ended != before
    }

    /// An operation of an entry has ended. The logical page that the page which was read says it holds.
    pub fn free(&mut self, hw: &mut impl Hardware, entry: u32, operation: FlashOperation) -> u32 {
        self.busy[entry as usize] = false;
        let reads = operation == FlashOperation::ReadTransfer;
        let said = reads.then(|| hw.metadata(BufferId(entry))).flatten();
        let first = said.and_then(|metadata| metadata.lpns.iter().next().map(|(lpn, _)| lpn.0));
        first.unwrap_or(NO_PAGE)
    }

    // -- what the FTL calls; an error is a line --

    pub fn flash(&mut self, wanted: Wanted, place: [u32; 4]) -> Result<(), String> {
        let Wanted { entry, tag, operation } = wanted;
        let [channel, way, block, page] = place;
        let Geometry { channels, ways, blocks_per_way, pages_per_block, .. } = self.geometry;
        let page = if operation == FlashOperation::Erase { 0 } else { page };
        for (name, found, most) in [
            ("channel", channel, channels),
            ("way", way, ways),
            ("block", block, blocks_per_way),
            ("page", page, pages_per_block),
        ] {
            below(name, found, most)?;
        }
        let command = tag.map(|tag| self.command(tag)).transpose()?.map(|command| command.tag);
        self.take(entry)?;
        let location = Location {
            channel: channel as u8,
            way: way as u8,
            row: block * pages_per_block + page,
        };
        self.dies.ask(Asked { entry, command, operation, location });
        Ok(())
    }

    pub fn moves(
        &mut self,
        bench: &mut dyn Bench,
        entry: u32,
        tag: u32,
        [offset, at, bytes]: [u32; 3],
    ) -> Result<(), String> {
        let command = self.command(tag)?;
        let command_length = command.blocks * self.block_bytes;
        let page_bytes = self.geometry.page_bytes;
        let whole = |bytes: u32| bytes % self.block_bytes == 0;
        if bytes == 0 || ![offset, at, bytes].into_iter().all(whole) {
            return Err(format!(
                "found bytes {offset}, {at}, {bytes}, expected whole logical blocks of {}",
                self.block_bytes
            ));
        }
        if u64::from(offset) + u64::from(bytes) > command_length.into()
            || u64::from(at) + u64::from(bytes) > page_bytes.into()
        {
            return Err(format!(
                "found bytes {offset}, {at}, {bytes}, expected them in {command_length} of the command and {page_bytes} of the entry"
            ));
        }
        let direction = match command.kind {
            IoKind::Read => DmaDirection::ToHost,
            IoKind::Write => DmaDirection::FromHost,
            kind => return Err(format!("found a command {kind:?}, expected one with data")),
        };
        self.take(entry)?;
        self.moving[direction as usize].push_back((command.tag, Some(entry)));
        bench.issue_dma(DmaRequest {
            tag: command.tag,
            direction,
            host_offset: offset,
            length: bytes,
            command_length,
            completer: Completer::Firmware,
            memory: DmaMemory::Buffer { entry: BufferId(entry), offset: at },
        });
        Ok(())
    }

    pub fn zero(&mut self, bench: &mut dyn Bench, entry: u32) -> Result<(), String> {
        self.idle(entry)?;
        bench.zero(BufferId(entry), self.geometry.page_bytes);
        Ok(())
    }

    pub fn label(
        &mut self,
        bench: &mut dyn Bench,
        entry: u32,
        page: u32,
        sequence: u64,
    ) -> Result<(), String> {
        self.idle(entry)?;
        below("logical page", page, self.logical_pages)?;
        bench.label(BufferId(entry), Metadata { sequence, ..Metadata::from(Lpn(page)) });
        Ok(())
    }

    pub fn complete(&mut self, tag: u32, outcome: IoOutcome) -> Result<(), String> {
        let tag = self.command(tag)?.tag;
        self.commands[usize::from(tag.0)] = None;
        self.done.push_back((tag, outcome));
        Ok(())
    }

    pub fn is_bad(
        &self,
        bench: &mut dyn Bench,
        [channel, way, block]: [u32; 3],
    ) -> Result<bool, String> {
        below("channel", channel, self.geometry.channels)?;
        below("way", way, self.geometry.ways)?;
        below("block", block, self.geometry.blocks_per_way)?;
        Ok(bench.is_bad(Location { channel: channel as u8, way: way as u8, row: 0 }, block))
    }

    /// The FTL has asked for what cannot be: the first time, it is told why, and the drive gives up.
    pub fn refuse(&mut self, bench: &mut dyn Bench, line: &str) {
        if !self.is_stopped {
            eprintln!("ftl: {line}");
        }
        self.is_stopped = true;
        bench.stop();
    }

    fn command(&self, tag: u32) -> Result<IoCommand, String> {
        let command = self.commands.get(tag as usize).copied().flatten();
        command
            .ok_or_else(|| format!("found tag {tag}, expected that of a command that is under way"))
    }

    fn idle(&self, entry: u32) -> Result<(), String> {
        below("entry", entry, self.busy.len() as u32)?;
        match self.busy[entry as usize] {
            true => Err(format!("entry {entry}: found something under way, expected nothing")),
            false => Ok(()),
        }
    }

    fn take(&mut self, entry: u32) -> Result<(), String> {
        self.idle(entry)?;
        self.busy[entry as usize] = true;
        Ok(())
    }
}

fn below(name: &str, found: u32, most: u32) -> Result<(), String> {
    if found < most {
        return Ok(());
    }
    Err(format!("{name}: found {found}, expected a number below {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::CommandTag;
    use firmware::nvme::backend::Durability;

    /// Hardware that notes what it is asked for.
    #[derive(Default)]
    struct Noted {
        dma: Vec<DmaRequest>,
        stops: u32,
    }

    impl Bench for Noted {
        fn work(&mut self, _: Work) {}
        fn issue_dma(&mut self, request: DmaRequest) {
            self.dma.push(request);
        }
        fn zero(&mut self, _: BufferId, _: u32) {}
        fn label(&mut self, _: BufferId, _: Metadata) {}
        fn is_bad(&mut self, _: Location, block: u32) -> bool {
            block == 3
        }
        fn stop(&mut self) {
            self.stops += 1;
        }
    }

    fn desk() -> Desk {
        let board = board::Board::resolve("small", &[]).unwrap();
        let mut desk = Desk::new(&board.firmware);
        desk.begin(IoCommand {
            tag: CommandTag(2),
            kind: IoKind::Write,
            start: 0,
            blocks: 3,
            durability: Durability::Cached,
            handle: 0,
        });
        desk
    }

    #[test]
    fn what_cannot_be_is_told_by_what_was_found_and_expected() {
        let (mut desk, mut bench) = (desk(), Noted::default());
        let entries = desk.shape(Start::New).entries;
        let erase = |entry, tag| Wanted { entry, tag, operation: FlashOperation::Erase };
        for (found, line) in [
            (desk.flash(erase(0, None), [2, 0, 0, 0]), "channel: found 2, expected a number below 2"),
            (desk.flash(erase(0, None), [0, 0, 32, 0]), "block: found 32, expected a number below 32"),
            (desk.flash(erase(entries, None), [0; 4]), &format!("entry: found {entries}, expected a number below {entries}")),
            (desk.flash(erase(0, Some(1)), [0; 4]), "found tag 1, expected that of a command that is under way"),
            (
                desk.moves(&mut bench, 0, 2, [0, 0, 100]),
                "found bytes 0, 0, 100, expected whole logical blocks of 4096",
            ),
            (
                desk.moves(&mut bench, 0, 2, [8192, 0, 8192]),
                "found bytes 8192, 0, 8192, expected them in 12288 of the command and 16384 of the entry",
            ),
            (desk.complete(1, IoOutcome::Success), "found tag 1, expected that of a command that is under way"),
        ] {
            assert_eq!(found.as_ref().map_err(String::as_str), Err(line));
        }
        assert!(bench.dma.is_empty());
        // None of these calls has taken the entry.
        assert_eq!(desk.flash(erase(0, Some(2)), [0; 4]), Ok(()));
        let line = "entry 0: found something under way, expected nothing";
        assert_eq!(desk.moves(&mut bench, 0, 2, [0, 0, 4096]), Err(line.to_owned()));
        assert_eq!(desk.is_bad(&mut bench, [0, 0, 3]), Ok(true));
    }

    #[test]
    fn data_move_as_they_were_asked_to() {
        let (mut desk, mut bench) = (desk(), Noted::default());
        assert_eq!(desk.moves(&mut bench, 5, 2, [4096, 8192, 8192]), Ok(()));
        let &[DmaRequest { direction, host_offset, length, command_length, memory, .. }] =
            &bench.dma[..]
        else {
            panic!("{} requests", bench.dma.len())
        };
        assert_eq!(
            (direction, host_offset, length, command_length),
            (DmaDirection::FromHost, 4096, 8192, 3 * 4096)
        );
        assert_eq!(memory, DmaMemory::Buffer { entry: BufferId(5), offset: 8192 });
        assert!(!desk.is_quiet());
    }

    #[test]
    fn a_refusal_stops_the_drive() {
        let (mut desk, mut bench) = (desk(), Noted::default());
        desk.refuse(&mut bench, "fm_flash: what is wrong");
        assert_eq!(bench.stops, 1);
    }
}
