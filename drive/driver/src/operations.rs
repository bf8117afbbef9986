//! Channels that take whole operations and schedule them by themselves.

use contract::packet::{Operation, Request, Response};
use contract::{BufferId, HandOver, OperationChannels, WayOrder, Work};

use crate::body::Controller;
use crate::{channel, Bus, Note};

impl<B: Bus> OperationChannels for Controller<B> {
    /// # Panics
    /// If the words in the window are no response: hardware that does not keep to its packets.
    fn next_response(&mut self, channels: &mut u64) -> Option<(u8, Response)> {
        while *channels != 0 {
            let number = channels.trailing_zeros() as u8;
            self.host.bus.work(Work::PollChannel, 1);
            let status = channel::status(&mut self.host.bus, number);
            if channel::has_response(status) {
                let words = channel::take_response(&mut self.host.bus, number);
                let response = Response::parse(&words).ok().flatten();
                let response = response.expect("a response in the window");
                let (way, tag) = (response.way, response.tag);
                self.host.bus.note(Note::FlashEnded { channel: number, way, tag });
                return Some((number, response));
            }
            *channels &= *channels - 1;
        }
        None
    }

    fn hand_over(&mut self, HandOver { channel: number, request, command }: HandOver) {
        let Request { way, tag, operation, row, .. } = request;
        self.host.bus.note(Note::FlashIssued {
            command,
            channel: number,
            way,
            tag,
            operation,
            row,
        });
        let entry = BufferId(request.buffer.into());
        match request.operation {
            Operation::Program => self.flash_takes(entry),
            Operation::Read => self.flash_brings(entry),
            _ => {}
        }
        channel::send(&mut self.host.bus, number, &request);
    }

    fn order_way(&mut self, channel: u8, way: u8, order: WayOrder) {
        channel::order(&mut self.host.bus, channel, way, order);
    }
}
