//! I/O doorbells in host memory (NVMe 1.4 section 7.13): the host writes there, and to registers only
//! where the event indexes say that nobody looks.

use borsh::{BorshDeserialize, BorshSerialize};
use machine::{BusMaster, HostMemory};
use nvme::register::{offset, Doorbell};

use super::HostInterface;

/// Bytes of a queue's pair of doorbells, with CAP.DSTRD 0: tail, then head.
const PAIR_BYTES: usize = 8;
const HALF_BYTES: usize = 4;

/// Where the host keeps its doorbells, and what was last found there.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct Shadow {
    doorbells: u64,
    events: u64,
    /// Values by queue as they were found last.
    heard: Vec<[u32; 2]>,
    /// The page as it is read.
    page: Vec<u8>,
}

impl HostInterface {
    pub(crate) fn set_doorbell_buffers(&mut self, doorbells: u64, events: u64) {
        let queues = self.queues.count();
        let (heard, page) = (vec![[0; 2]; queues], vec![0; queues * PAIR_BYTES]);
        self.shadow = Some(Shadow { doorbells, events, heard, page });
    }

    /// Whether the host keeps I/O doorbells in its memory.
    pub(crate) fn has_doorbell_buffers(&self) -> bool {
        self.shadow.is_some()
    }

    /// Looks at the host's doorbells; calls `rung` with offset and value of each that has changed.
    pub(crate) fn look_at_doorbells(
        &mut self,
        memory: &mut dyn HostMemory,
        mut rung: impl FnMut(u64, u32),
    ) {
        let (Some(shadow), BusMaster::Enabled) = (&mut self.shadow, self.master) else { return };
        if !memory.read(shadow.doorbells, &mut shadow.page) {
            // The host has taken its memory away, be it for a moment: nobody rings.
            return;
        }
        let pairs = shadow.page.chunks_exact(PAIR_BYTES).zip(&mut shadow.heard).zip(0..);
        for ((pair, heard), queue) in pairs.skip(1) {
            let doorbells = [Doorbell::SubmissionTail(queue), Doorbell::CompletionHead(queue)];
            let halves = pair.chunks_exact(HALF_BYTES).zip(heard).zip(doorbells);
            for ((bytes, heard), doorbell) in halves {
                let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
                if *heard != value {
                    *heard = value;
                    rung(doorbell.offset(0), value);
                }
            }
        }
    }

    /// Asks the host to write registers from now on, since nobody will look at its memory: tails of
    /// queues that are there, and heads where a completion waits for room.
    pub(crate) fn ask_for_doorbells(&mut self, memory: &mut dyn HostMemory) {
        let (Some(shadow), BusMaster::Enabled) = (&self.shadow, self.master) else { return };
        let full = !self.blocked.is_empty();
        for (heard, queue) in shadow.heard.iter().zip(0..).skip(1) {
            if self.queues.submission(queue).is_none() {
                continue;
            }
            let at = Doorbell::SubmissionTail(queue).offset(0) - offset::DOORBELLS + shadow.events;
            let [tail, head] = heard.map(u32::to_le_bytes);
            // Where it fails, looking fails too.
            memory.write(at, &tail);
            if full {
                memory.write(at + HALF_BYTES as u64, &head);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use board::Board;
    use contract::{Completion, CompletionQueue, HostEvent, SubmissionQueue};
    use nvme::register::ControllerConfiguration;

    use super::*;
    use machine::{CommandTimes, Host, Registers, Wake};

    const SHADOW: u64 = 0x1000;
    const EVENTS: u64 = 0x2000;

    struct Silent(Vec<u8>);

    impl HostMemory for Silent {
        fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
            bytes.copy_from_slice(&self.0[address as usize..][..bytes.len()]);
            true
        }
        fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
            self.0[address as usize..][..bytes.len()].copy_from_slice(bytes);
            true
        }
    }

    impl Host for Silent {
        type Memory = Self;
        fn memory(&mut self) -> &mut Self {
            self
        }
        fn wake(&mut self, _: u64, _: Wake, _: &mut Registers<'_>) -> u64 {
            machine::NEVER
        }
        fn posted(&mut self, _: u16, _: u16, _: &CommandTimes) {}
    }

    impl Silent {
        /// A doorbell or its event index of queue 1.
        fn word(&mut self, page: u64, head: bool) -> &mut [u8] {
            let at = page as usize + PAIR_BYTES + if head { HALF_BYTES } else { 0 };
            &mut self.0[at..][..HALF_BYTES]
        }
    }

    /// Completes commands of queue 1 as they come, until nothing is left to come.
    fn settle(interface: &mut HostInterface, host: &mut Silent, now: &mut u64) {
        loop {
            *now += 1_000_000;
            while let Some((at, actor)) = interface.timers.pop(*now) {
                match actor {
                    crate::timers::Actor::Doorbell => drop(interface.on_doorbell(at)),
                    crate::timers::Actor::Fetch => drop(interface.on_fetch(at, host)),
                    crate::timers::Actor::Post => drop(interface.on_post(at, host)),
                    crate::timers::Actor::Interrupt => drop(interface.on_interrupt()),
                    crate::timers::Actor::Coalesce | crate::timers::Actor::Host => {}
                }
            }
            match interface.event(*now) {
                HostEvent::Command(command) => {
                    let completion = Completion { tag: command.tag, status: 0, result: 0 };
                    interface.complete(*now, completion);
                }
                HostEvent::None if interface.change() == machine::NEVER => return,
                _ => {}
            }
        }
    }

    /// Looks at the host's doorbells and rings the registers for it.
    fn look(interface: &mut HostInterface, host: &mut Silent, now: u64) {
        let mut rung = Vec::new();
        interface.look_at_doorbells(host, |at, value| rung.push((at, value)));
        rung.into_iter().for_each(|(at, value)| interface.write(now, at, value));
    }

    /// A host rings a head's register only where the event index asks for it: where a completion waits
    /// for room, and nowhere else.
    #[test]
    fn the_heads_event_index_moves_while_the_completion_queue_is_full() {
        let board = Board::resolve("small", &[]).expect("the board");
        let mut interface = HostInterface::new(&board);
        let (mut host, mut now) = (Silent(vec![0; 0x1_0000]), 0);
        interface.write(0, offset::AQA, 0x1f_001f);
        interface.write(0, offset::CC, ControllerConfiguration::started(0).0);
        interface.set_ready(0, true);
        let queue = CompletionQueue { id: 1, entries: 3, base: 0x8000, vector: Some(1) };
        interface.create_completion_queue(queue);
        let (base, completion_queue, priority) = (0x9000, 1, 0);
        let queue = SubmissionQueue { id: 1, entries: 16, base, completion_queue, priority };
        interface.create_submission_queue(queue);
        interface.set_doorbell_buffers(SHADOW, EVENTS);
        host.word(EVENTS, false).fill(0xee);
        host.word(EVENTS, true).fill(0xee);

        // Two completions fit.
        host.word(SHADOW, false).copy_from_slice(&2u32.to_le_bytes());
        look(&mut interface, &mut host, now);
        settle(&mut interface, &mut host, &mut now);
        interface.ask_for_doorbells(&mut host);
        assert_eq!(host.word(EVENTS, false), 2u32.to_le_bytes(), "the tail is asked for");
        assert_eq!(host.word(EVENTS, true), [0xee; 4], "the head is not");

        // A third waits for room.
        host.word(SHADOW, true).copy_from_slice(&1u32.to_le_bytes());
        host.word(SHADOW, false).copy_from_slice(&5u32.to_le_bytes());
        look(&mut interface, &mut host, now);
        settle(&mut interface, &mut host, &mut now);
        interface.ask_for_doorbells(&mut host);
        assert_eq!(host.word(EVENTS, false), 5u32.to_le_bytes());
        assert_eq!(host.word(EVENTS, true), 1u32.to_le_bytes(), "the head is asked for");
    }
}
