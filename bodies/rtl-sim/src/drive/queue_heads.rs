//! Up to where commands of each submission queue were taken, as whoever watches a drive tells.

use contract::HostCommand;
use nvme::admin;
use nvme::command::Entry;

/// Size and head of each submission queue. Commands of a queue are taken in their order.
#[derive(Clone, Debug)]
pub struct QueueHeads(Vec<(u32, u32)>);

impl QueueHeads {
    /// Of the admin queue and so many others, none of which is there.
    pub fn new(io_queues: u32) -> Self {
        Self(vec![(1, 0); io_queues as usize + 1])
    }

    /// A queue was made, of so many entries.
    pub fn made(&mut self, queue: usize, entries: u32) {
        if let Some(place) = self.0.get_mut(queue) {
            *place = (entries.max(1), 0);
        }
    }

    /// The controller was disabled.
    pub fn reset(&mut self) {
        self.0[1..].fill((1, 0));
        self.0[0].1 = 0;
    }

    /// A command was taken. Returns the head of its queue behind it, if there is such a queue.
    pub fn take(&mut self, command: &HostCommand) -> Option<u32> {
        let (entries, head) = self.0.get_mut(usize::from(command.queue))?;
        *head = (*head + 1) % *entries;
        let head = *head;
        let entry = Entry(command.entry);
        if command.queue == 0 && entry.opcode() == admin::opcode::CREATE_SUBMISSION_QUEUE {
            let dword = entry.dword(10);
            self.made((dword & 0xffff) as usize, (dword >> 16) + 1);
        }
        Some(head)
    }
}
