//! Channels that take phases: the firmware schedules.

use contract::packet::{Request, Response, ResponseWords};
use contract::{
    BufferId, ChannelStatus, FlashOperation, FlashOutcome, FlashRequest, PhaseChannels, Work,
};

use crate::body::Controller;
use crate::{channel, Bus, Note};

/// Requests that the firmware may hand to a channel between two looks at its status. The window for requests takes
/// one; a few more wait here, each for as long as the one before takes to leave it.
const ROOM: u32 = 4;

impl<B: Bus> Controller<B> {
    /// Reads the status of a channel, and takes the responses that wait.
    fn look(&mut self, number: u8) -> ChannelStatus {
        let mut status = channel::status(&mut self.host.bus, number);
        while channel::has_response(status) {
            let words = channel::take_response(&mut self.host.bus, number);
            self.keep(number, &words);
            status = channel::status(&mut self.host.bus, number);
        }
        let waits = (0..).zip(&self.phases[usize::from(number)].responses);
        let responses = waits.filter(|(_, response)| response.is_some());
        ChannelStatus {
            ready: channel::idle(status),
            responses: responses.fold(0, |bits, (way, _): (u32, _)| bits | 1 << way),
            room: ROOM,
        }
    }

    /// Keeps a response until the firmware takes it.
    ///
    /// # Panics
    /// If the words are no answer to a phase: hardware that does not keep to its packets.
    fn keep(&mut self, number: u8, words: &ResponseWords) {
        let response = Response::parse(words).ok().flatten().expect("a response in the window");
        let outcome = match self.format.parse(words) {
            Ok(Some(outcome)) => outcome,
            found => panic!("channel {number}: found {found:?}, expected an answer to a phase"),
        };
        self.phases[usize::from(number)].responses[usize::from(response.way)] = Some(outcome);
    }
}

impl<B: Bus> PhaseChannels for Controller<B> {
    fn poll_channels(&mut self, channels: &mut u64, eager: u64) -> Option<(u8, ChannelStatus)> {
        while *channels != 0 {
            let number = channels.trailing_zeros() as u8;
            *channels &= *channels - 1;
            self.host.bus.work(Work::PollChannel, 1);
            let status = self.look(number);
            let known = &mut self.phases[usize::from(number)].ready;
            let turned_ready = status.ready & !*known != 0;
            *known = status.ready;
            if turned_ready || status.responses != 0 || eager >> number & 1 == 1 {
                return Some((number, status));
            }
        }
        None
    }

    fn issue_flash(&mut self, request: FlashRequest) {
        let (number, way) = (request.location.channel, request.location.way);
        let phases = &mut self.phases[usize::from(number)];
        phases.ready &= !(1 << way);
        let gave_status = phases.gives_status >> way & 1 == 1;
        match request.operation {
            FlashOperation::StatusCheck => phases.gives_status |= 1 << way,
            _ => phases.gives_status &= !(1 << way),
        }
        // What comes before the request itself is done for it, too.
        let (command, tag) = (request.command, 0);
        let slot = self.slot_of(&request);
        let in_slot = FlashRequest { buffer: BufferId(slot), ..request };
        let packet = self.format.request(&in_slot);
        let Request { operation, row, .. } = packet;
        self.host.bus.note(Note::FlashIssued {
            command,
            channel: number,
            way,
            tag,
            operation,
            row,
        });
        match request.operation {
            FlashOperation::Program => self.flash_takes_part(&request, slot),
            FlashOperation::ReadTransfer => {
                self.flash_brings_part(&request, slot);
                // A chip that was asked for its status gives that until it is told otherwise.
                if gave_status {
                    let read_mode = self.format.read_mode(way);
                    channel::send(&mut self.host.bus, number, &read_mode);
                }
            }
            _ => {}
        }
        channel::send(&mut self.host.bus, number, &packet);
    }

    fn take_response(&mut self, channel: u8, way: u8) -> FlashOutcome {
        self.host.bus.note(Note::FlashEnded { channel, way, tag: 0 });
        self.put_brought(channel, way);
        let response = self.phases[usize::from(channel)].responses[usize::from(way)].take();
        response.expect("the status said that a response is there")
    }
}
