//! The processor's end: events, completions, queues, settings.

use rtl_sim::{Agent, Model, Pace, Random, Sink, Source, StreamPorts};

/// What the processor is told (`fm_host_pkg::event_e`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Disable,
    Shutdown,
    Enable,
    Doorbell(u64),
    Command { tag: u64, queue: u64 },
}

impl Event {
    fn from_beat(beat: &[u64]) -> Self {
        match beat[0] {
            0 => Self::Disable,
            1 => Self::Shutdown,
            2 => Self::Enable,
            3 => Self::Doorbell(beat[1]),
            4 => Self::Command { tag: beat[2], queue: beat[3] },
            kind => panic!("event {kind}"),
        }
    }
}

/// A queue to create; `other` is the completion queue of a submission queue, or the vector of a
/// completion queue.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    pub id: u64,
    pub entries: u64,
    pub base: u64,
    pub other: u64,
    /// Priority class of a submission queue, whether a completion queue interrupts.
    pub choice: u64,
}

/// A command that the hardware runs (`fm_host_pkg::io_command_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    pub tag: u64,
    pub kind: u64,
    pub start: u64,
    pub blocks: u64,
    pub prp1: u64,
    pub prp2: u64,
}

/// The processor's streams, and that of the commands that it has no part in.
pub struct Processor {
    events: Sink,
    io: Sink,
    completions: Source,
    submission_queues: Source,
    completion_queues: Source,
}

fn ports<'a>(prefix: &'a str, fields: &'a [&'a str]) -> StreamPorts<'a> {
    StreamPorts { prefix, fields, lane: (0, 1) }
}

impl Processor {
    pub fn new(model: &Model, random: &mut Random) -> Self {
        let submission = ["create", "id", "size", "page", "completion", "class"];
        let completion = ["create", "id", "size", "page", "vector", "interrupts"];
        let source =
            |prefix, fields: &[&str], pace| Source::new(model, ports(prefix, fields), pace);
        Self {
            events: Sink::new(
                model,
                ports("event", &["kind", "code", "tag", "id"]),
                Pace::any(random),
            ),
            completions: source("completion", &["tag", "status", "result"], Pace::any(random)),
            submission_queues: source("submission_queue", &submission, Pace::Always),
            completion_queues: source("completion_queue", &completion, Pace::Always),
            io: Sink::new(
                model,
                ports("io", &["tag", "kind", "start", "blocks", "prp1", "prp2"]),
                Pace::any(random),
            ),
        }
    }

    /// Takes the events that came.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.events.take().iter().map(|beat| Event::from_beat(beat)).collect()
    }

    /// Takes the commands for the hardware that came.
    pub fn take_io(&mut self) -> Vec<Io> {
        let fields = |beat: Vec<u64>| Io {
            tag: beat[0],
            kind: beat[1],
            start: beat[2],
            blocks: beat[3],
            prp1: beat[4],
            prp2: beat[5],
        };
        self.io.take().into_iter().map(fields).collect()
    }

    /// When it takes events.
    pub fn set_pace(&mut self, pace: Pace) {
        self.events.set_pace(pace);
    }

    /// When commands for the hardware are taken.
    pub fn set_io_pace(&mut self, pace: Pace) {
        self.io.set_pace(pace);
    }

    pub fn complete(&mut self, tag: u64, status: u64, result: u64) {
        self.completions.push(vec![tag, status, result]);
    }

    pub fn create_submission_queue(&mut self, q: Queue) {
        self.submission_queues.push(vec![1, q.id, q.entries - 1, q.base >> 12, q.other, q.choice]);
    }

    pub fn create_completion_queue(&mut self, q: Queue) {
        self.completion_queues.push(vec![1, q.id, q.entries - 1, q.base >> 12, q.other, q.choice]);
    }

    pub fn delete_submission_queue(&mut self, id: u64) {
        self.submission_queues.push(vec![0, id, 0, 0, 0, 0]);
    }

    pub fn delete_completion_queue(&mut self, id: u64) {
        self.completion_queues.push(vec![0, id, 0, 0, 0, 0]);
    }

    /// Whether everything it gave was taken.
    pub fn is_idle(&self) -> bool {
        let given = [&self.completions, &self.submission_queues, &self.completion_queues];
        given.iter().all(|source| source.is_empty())
    }

    pub fn agents(&mut self) -> [&mut dyn Agent; 5] {
        [
            &mut self.events,
            &mut self.io,
            &mut self.completions,
            &mut self.submission_queues,
            &mut self.completion_queues,
        ]
    }
}
