//! The flash side of the body: a phase takes its bus and its chip, and data pass between buffer and page.

use contract::{
    Cause, ChannelStatus, Duration, FlashOperation, FlashOutcome, FlashRequest, Location, Module,
    PhaseChannels,
};
use machine::{FirmwareStep, FlashPhase, Observer};
use nand::{Work, Worked, FOREVER};

use crate::body::Body;
use crate::data_path::MOST_IN_CHUNK;
use crate::memory::Extent;
use crate::processor::Access;

impl<O: Observer> Body<O> {
    /// A channel controller begins a phase now: when it will have its bus, and when its chip will be done.
    #[inline]
    pub(crate) fn begin_phase(&mut self, request: FlashRequest) {
        let FlashRequest { operation, location, .. } = request;
        let die = self.die(location.channel, location.way);
        match operation {
            FlashOperation::ReadTrigger => {
                self.array.tell(self.processor.now);
                let busy = self.array.read_at(die, location.row, request.part.offset);
                self.occupy_chip(&request, self.bus_times.trigger, Worked { busy, failed: false });
            }
            FlashOperation::StatusCheck => {
                let now = self.processor.now;
                let channel = &mut self.channels[usize::from(location.channel)];
                let (start, end) = channel.take_bus(now, self.bus_times.status);
                self.observer.bus(FlashPhase::new(&request, (start, end)));
                let answered = end + self.bus_times.status_latency;
                channel.check(location.way, answered);
                self.causes.hand_over(now, [(Cause::Bus, start), (Cause::Transfer, answered)]);
            }
            FlashOperation::Erase => {
                let block = self.geometry.block_of(location.row);
                let worked = self.array.erase(die, block);
                let times = self.occupy_chip(&request, self.bus_times.erase, worked);
                if worked.busy != FOREVER {
                    self.causes.erases(die, times.1 - times.0);
                    self.array.occupy(die, Work::Erase { block }, times);
                    self.channels[usize::from(location.channel)].of_array |= 1 << location.way;
                }
            }
            FlashOperation::Suspend | FlashOperation::Resume => self.suspend(&request),
            FlashOperation::SetLevel => {
                self.array.set_level(die, request.level);
                let worked = Worked { busy: self.bus_times.feature, failed: false };
                self.occupy_chip(&request, self.bus_times.trigger, worked);
            }
            FlashOperation::Reset => {
                let nth = usize::from(location.channel);
                let busy = self.channels[nth].reset(location.way);
                self.occupy_chip(&request, self.bus_times.reset, Worked { busy, failed: false });
            }
            FlashOperation::ReadTransfer => self.transfer(request),
            FlashOperation::Program => self.program(request),
        }
        let nth = usize::from(location.channel);
        self.poller.note(nth, &self.channels[nth]);
    }

    /// A command without data: after its time on the bus the chip is busy, and may fail. Returns from and
    /// until when it is.
    fn occupy_chip(&mut self, request: &FlashRequest, on_bus: u64, worked: Worked) -> (u64, u64) {
        let way = request.location.way;
        let die = self.die(request.location.channel, way);
        let now = self.processor.now;
        let channel = &mut self.channels[usize::from(request.location.channel)];
        let (start, end) = channel.take_bus(now, on_bus);
        let until = end + channel.wait(way, (request.operation, worked.busy));
        if worked.busy == FOREVER {
            self.array.note_hung(die, end);
        }
        self.observer.bus(FlashPhase::new(request, (start, end)));
        self.observer.chip(FlashPhase::new(request, (end, until)));
        channel.work(way, (start, until), worked.failed);
        let seen = self.see(&request.location, end, until, worked.busy);
        let phases = [(Cause::Bus, start), (Cause::Transfer, end), (Cause::Flash, seen)];
        self.causes.hand_over(now, phases);
        (end, until)
    }

    /// When it is seen that a chip is ready which is busy for so long, from `end` until `until`; one that is busy for ever is given up
    /// by then.
    #[inline]
    fn see(&mut self, location: &Location, end: u64, until: u64, busy: Duration) -> u64 {
        match self.bus_times.seen(end, until) {
            Some(seen) if busy != FOREVER => {
                self.channels[usize::from(location.channel)].is_seen(location.way, seen);
                seen
            }
            _ => until,
        }
    }

    /// A page, or a part of one, that was transferred, descrambled and decoded arrives in the buffer.
    fn transfer(&mut self, request: FlashRequest) {
        let FlashRequest { location, part, buffer, .. } = request;
        let die = self.die(location.channel, location.way);
        let nth = usize::from(location.channel);
        let now = self.processor.now;
        // Half of the registers of a transfer say that the chip is to give data.
        let mode = (now - self.processor.transfer() / 2, self.bus_times.mode);
        let length = self.bus_times.transfer(part.length);
        let (start, end) = self.channels[nth].take_bus_behind(now, mode, length);
        self.channels[nth].pages[0] += 1;
        let ready = self.channels[nth].worked_until(location.way);
        self.observer.ready(FlashPhase::new(&request, (ready, start)));
        self.observer.bus(FlashPhase::new(&request, (start, end)));
        let extent = Extent::of(buffer, part);
        let (into, metadata) = self.log.incoming(&mut self.buffer, extent);
        let read = self.array.transfer_to((die, location.row), (part.offset, into), metadata);
        self.log.arrived(&mut self.buffer, (extent, (die, location.row)));
        // The solver works while the page comes in; what it has left at the end delays the page.
        let solving = u64::from(read.chunks_with_errors) * self.path.solve_chunk;
        let solver = nth / self.path.channels_per_solver as usize;
        let solved = self.solvers[solver].book(now, end.saturating_sub(solving), solving);
        let (dram, bus) = self.path.passage(part.length);
        let decode_latency = self.path.decode_latency;
        let on_bus = self.data_bus.book(now, end.saturating_sub(bus), bus);
        let in_dram = self.dram.book(now, end.saturating_sub(dram), dram);
        let arrived = on_bus.max(in_dram).max(end);
        let done = solved.max(arrived) + decode_latency;
        self.causes.hand_over(
            now,
            [
                (Cause::Bus, start),
                (Cause::Transfer, end),
                (Cause::Memory, arrived),
                (Cause::Ecc, done),
            ],
        );
        let outcome = if read.uncorrectable {
            FlashOutcome::Uncorrectable
        } else {
            let most_bits = read.most_bits.min(MOST_IN_CHUNK) as u8;
            self.channels[nth].brought |= 1 << location.way;
            match read.erased {
                true => FlashOutcome::Erased,
                false => FlashOutcome::Success { corrected_bits: read.corrected_bits, most_bits },
            }
        };
        self.channels[nth].respond(location.way, done, outcome);
    }

    fn program(&mut self, request: FlashRequest) {
        let FlashRequest { location, part, buffer, .. } = request;
        let die = self.die(location.channel, location.way);
        let now = self.processor.now;
        let is_last = part.offset + part.length == self.geometry.page_bytes;
        let channel = &mut self.channels[usize::from(location.channel)];
        let (start, end) = channel.take_bus(now, self.bus_times.program);
        channel.pages[1] += 1;
        self.observer.bus(FlashPhase::new(&request, (start, end)));
        // The page streams out of DRAM while it is on the bus.
        let (dram, bus) = self.path.page_passage();
        let fetched = self.dram.book(now, start, dram);
        let fetched = fetched.max(self.data_bus.book(now, start, bus));
        let worked = if is_last {
            let (metadata, page) = self.log.outgoing(&mut self.buffer, buffer);
            self.array.tell(now);
            self.array.program_from(die, location.row, metadata, page)
        } else {
            Worked { busy: self.bus_times.between, failed: false }
        };
        let arrived = end.max(fetched);
        let until = arrived + channel.wait(location.way, (request.operation, worked.busy));
        if worked.busy == FOREVER {
            self.array.note_hung(die, arrived);
        } else if is_last {
            self.array.occupy(die, Work::Program { row: location.row }, (arrived, until));
        }
        let is_of_array = is_last && worked.busy != FOREVER;
        self.observer.chip(FlashPhase::new(&request, (arrived, until)));
        channel.work(location.way, (start, until), worked.failed);
        channel.of_array |= u64::from(is_of_array) << location.way;
        let seen = self.see(&location, arrived, until, worked.busy);
        self.causes.hand_over(
            now,
            [
                (Cause::Bus, start),
                (Cause::Transfer, end),
                (Cause::Memory, arrived),
                (Cause::Flash, seen),
            ],
        );
    }

    /// A chip stops a program or an erase for a while, or goes on with it.
    fn suspend(&mut self, request: &FlashRequest) {
        let way = request.location.way;
        let die = self.die(request.location.channel, way);
        let now = self.processor.now;
        let channel = &mut self.channels[usize::from(request.location.channel)];
        let (start, end) = channel.take_bus(now, self.bus_times.reset);
        self.observer.bus(FlashPhase::new(request, (start, end)));
        let until = if request.operation == FlashOperation::Resume {
            let until = channel.resume(way, (start, end), self.bus_times.resume);
            self.array.prolong(die, until);
            until
        } else if channel.suspend(way, (start, end), self.bus_times.suspend) {
            self.array.prolong(die, u64::MAX);
            self.observer.chip_stops(request.location.channel, way, end);
            end + self.bus_times.suspend
        } else {
            end
        };
        self.observer.chip(FlashPhase::new(request, (end, until)));
        let channel = &mut self.channels[usize::from(request.location.channel)];
        let seen = self.bus_times.seen(end, channel.worked_until(way).max(end));
        if let Some(seen) = seen {
            channel.is_seen(way, seen);
        }
        let phases =
            [(Cause::Bus, start), (Cause::Transfer, end), (Cause::Flash, seen.unwrap_or(until))];
        self.causes.hand_over(now, phases);
    }
}

impl<O: Observer> PhaseChannels for Body<O> {
    #[inline]
    fn poll_channels(&mut self, channels: &mut u64, eager: u64) -> Option<(u8, ChannelStatus)> {
        self.looked_at |= *channels;
        let start = self.processor.now;
        self.causes.leave(start);
        let mut now = start;
        let found = self.poller.poll(&mut self.channels, (channels, eager), &mut now);
        self.processor.look(now);
        self.worked(Module::StatusChecker, start);
        found
    }

    fn issue_flash(&mut self, request: FlashRequest) {
        let begun = self.access(Access::Flash(request.operation));
        let tag = (request.location.channel, request.location.way, 0);
        self.observer.firmware(begun, FirmwareStep::FlashIssued(request.command, tag));
        self.begin_phase(request);
    }

    #[inline]
    fn take_response(&mut self, channel: u8, way: u8) -> FlashOutcome {
        let is_brought = self.channels[usize::from(channel)].takes_brought(way);
        if self.processor.taking().is_none() {
            self.access(Access::PhaseResponse);
            if is_brought {
                self.access(Access::Store);
            }
        }
        let tag = (channel, way, 0);
        self.observer.firmware(self.processor.now, FirmwareStep::FlashEnded(tag));
        let (now, channel) = (self.processor.now, &mut self.channels[usize::from(channel)]);
        self.causes.answered((now, channel.congestion(now)));
        channel.take_response(way)
    }
}
