//! Commands that the hardware runs by itself, as its registers show: the firmware never sees them.

use crate::registers::{Peek, PeekTable};
use crate::Model;
use contract::{CommandTag, HostCommand};

/// Bytes of a sector. Source: `command_engine`.
const SECTOR_BYTES: u32 = 512;

/// Bytes of half of an entry, a word of the command store.
const HALF_BYTES: usize = 32;

/// Bits below the tag in a word of the queue of commands: their queue, and whether the entry could not be read.
const BELOW_TAG: u32 = 6;

/// Command tags of the models.
const TAGS: usize = 256;

/// A command that the hardware has begun to run.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    /// The command as the host wrote it.
    pub command: HostCommand,
    /// Bytes of its data.
    pub bytes: u32,
    /// When its entry had come, in picoseconds.
    pub arrived_ps: u64,
}

/// What happened in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Steps {
    /// A command began.
    pub begun: Option<Begun>,
    /// The completion of one was given, to be posted.
    pub completed: Option<CommandTag>,
}

/// The registers of `command_dispatch`, `command_check`, `command_engine` and `command_store` that tell.
#[derive(Debug)]
pub struct ByItself {
    /// How many commands came to `command_dispatch`, and its queue of them.
    came: Peek,
    waiting: PeekTable,
    /// The command that the check holds is one for the engine, which knows how much it moves.
    placed: Peek,
    tag: Peek,
    queue: Peek,
    sectors: Peek,
    /// The engine gives a completion, of that tag.
    completes: Peek,
    completed: Peek,
    entries: PeekTable,
    /// As many were seen.
    seen: u64,
    /// Of each tag, when the entry of its command had come, in picoseconds.
    arrived_ps: Box<[u64; TAGS]>,
    /// Of each tag, whether its command has begun and its completion was not given.
    runs: Box<[bool; TAGS]>,
}

impl ByItself {
    /// Of a controller that runs commands by itself.
    pub fn new(model: &Model) -> Self {
        let peek = |end| Peek::named(model, end);
        Self {
            came: peek(".u_dispatch.u_queue.written_q"),
            waiting: PeekTable::named(model, ".u_dispatch.u_queue.u_ram.memory_q", 2),
            placed: peek(".u_engine.placed_q"),
            tag: peek(".u_check.tag_q"),
            queue: peek(".u_check.queue_q"),
            sectors: peek(".u_engine.sectors_q"),
            completes: peek(".u_engine.completion_valid_q"),
            completed: peek(".u_engine.completion_tag_q"),
            entries: PeekTable::named(model, ".gen_beat__BRA__0__KET__.u_ram.memory_q", HALF_BYTES),
            seen: 0,
            arrived_ps: Box::new([0; TAGS]),
            runs: Box::new([false; TAGS]),
        }
    }

    /// Looks, after each cycle.
    pub fn look(&mut self, now_ps: u64, model: &Model) -> Steps {
        let mut steps = Steps::default();
        let came = self.came.value(model);
        if came != self.seen {
            let place = self.seen as usize % TAGS;
            let word = self.waiting.entry(model, place).try_into().expect("two bytes");
            self.arrived_ps[usize::from(u16::from_le_bytes(word) >> BELOW_TAG)] = now_ps;
            self.seen = came;
        }
        if self.completes.value(model) == 1 {
            let tag = self.completed.value(model) as u16;
            let ran = std::mem::take(&mut self.runs[usize::from(tag)]);
            steps.completed = ran.then_some(CommandTag(tag));
        }
        if self.placed.value(model) == 1 {
            let tag = self.tag.value(model) as u16;
            if !std::mem::replace(&mut self.runs[usize::from(tag)], true) {
                steps.begun = Some(self.begun(model, tag));
            }
        }
        steps
    }

    fn begun(&self, model: &Model, tag: u16) -> Begun {
        let [low, high] = [0, 1].map(|half| self.entries.entry(model, 2 * usize::from(tag) + half));
        let words = low.chunks_exact(4).chain(high.chunks_exact(4));
        let mut entry = [0; 16];
        for (word, bytes) in entry.iter_mut().zip(words) {
            *word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        }
        let queue = self.queue.value(model) as u16;
        let command = HostCommand { tag: CommandTag(tag), queue, entry };
        let bytes = self.sectors.value(model) as u32 * SECTOR_BYTES;
        Begun { command, bytes, arrived_ps: self.arrived_ps[usize::from(tag)] }
    }
}
