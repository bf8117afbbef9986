//! A master on AXI4-Lite.

use crate::bench::Agent;
use crate::model::Model;
use crate::stream::{Pace, Sink, Source, StreamPorts};
use crate::Random;

/// How an access ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The subordinate took the access (response 00b).
    Okay,
    /// SLVERR.
    SlaveError,
}

/// Writes and reads through the ports `aw_…`, `w_…`, `b_…`, `ar_…` and `r_…` of a top, behind a prefix:
/// `addr`, `data`, `strb` and `resp`. Address and data of a write come each at its own pace.
pub struct AxiLite {
    aw: Source,
    w: Source,
    b: Sink,
    ar: Source,
    r: Sink,
}

impl AxiLite {
    /// A master that is always willing, on ports without a prefix.
    pub fn new(model: &Model) -> Self {
        Self::paced(model, "", || Pace::Always)
    }

    /// A master with another pace on each of its streams, on ports without a prefix.
    pub fn at_any_pace(model: &Model, random: &mut Random) -> Self {
        Self::paced(model, "", || Pace::any(random))
    }

    /// A master whose streams have the paces that are drawn one after the other; the names of its ports
    /// begin with `prefix`.
    pub fn paced(model: &Model, prefix: &str, mut pace: impl FnMut() -> Pace) -> Self {
        let name = |channel| format!("{prefix}{channel}");
        let mut source = |channel, fields| {
            let ports = StreamPorts { prefix: &name(channel), fields, lane: (0, 1) };
            Source::new(model, ports, pace())
        };
        let [aw, w, ar] = [("aw", &["addr"][..]), ("w", &["data", "strb"]), ("ar", &["addr"])]
            .map(|(c, f)| source(c, f));
        let mut sink = |channel, fields| {
            let ports = StreamPorts { prefix: &name(channel), fields, lane: (0, 1) };
            Sink::new(model, ports, pace())
        };
        let [b, r] = [("b", &["resp"][..]), ("r", &["data", "resp"])].map(|(c, f)| sink(c, f));
        Self { aw, w, b, ar, r }
    }

    /// Queues a write of a word.
    pub fn write(&mut self, address: u32, data: u32) {
        self.write_bytes(address, data, 0xf);
    }

    /// Queues a write of the bytes that have a bit in `strobes`.
    pub fn write_bytes(&mut self, address: u32, data: u32, strobes: u8) {
        self.aw.push(vec![address.into()]);
        self.w.push(vec![data.into(), strobes.into()]);
    }

    /// Queues a read of a word.
    pub fn read(&mut self, address: u32) {
        self.ar.push(vec![address.into()]);
    }

    /// Writes that ended, the first one first.
    pub fn take_written(&mut self) -> Vec<Access> {
        self.b.take().iter().map(|beat| access(beat[0])).collect()
    }

    /// Words that were read, the first one first.
    pub fn take_read(&mut self) -> Vec<(u32, Access)> {
        self.r.take().iter().map(|beat| (beat[0] as u32, access(beat[1]))).collect()
    }
}

fn access(response: u64) -> Access {
    match response {
        0b00 => Access::Okay,
        0b10 => Access::SlaveError,
        other => panic!("response {other:#04b}, expected OKAY or SLVERR"),
    }
}

impl Agent for AxiLite {
    fn drive(&mut self, model: &mut Model) {
        self.aw.drive(model);
        self.w.drive(model);
        self.b.drive(model);
        self.ar.drive(model);
        self.r.drive(model);
    }

    fn sample(&mut self, model: &Model) {
        self.aw.sample(model);
        self.w.sample(model);
        self.b.sample(model);
        self.ar.sample(model);
        self.r.sample(model);
    }
}
