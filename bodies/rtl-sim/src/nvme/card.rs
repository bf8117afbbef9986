//! The controller with all that hangs on its ports: host, memory, and the processor's bus.

use super::bar::Bar;
use super::core_port::CorePort;
use crate::axi::{AddressSpace, AxiPorts, Behaviour, Subordinate, UnderWay};
use crate::{
    Access, Agent, AxiLite, Bench, ChipBus, Clock, ClockPort, Input, Model, Output, Pace, Random,
    Top, Wiring,
};
use contract::{Duration, Pass};
use driver::Bus;
use nand::onfi::Chip;
use std::ops::Range;

/// Bytes of a channel of memory before the next one's turn. Source: `fm_transfer_pkg::StripeBytes`.
const STRIPE: u64 = 512;

/// The most channels of memory of a top.
const MEMORIES: usize = 2;

/// Which of the clocks beside the controller's is the host's.
const HOST_CLOCK: usize = 0;

/// Longest wait for an access, in cycles.
const PATIENCE: u64 = 100_000;

/// How everything around the controller behaves.
#[derive(Clone)]
pub struct Surroundings {
    /// The host's memory, and the way there.
    pub host: Behaviour,
    /// The drive's memory, channel by channel; a top with fewer has the first ones.
    pub memories: [Behaviour; MEMORIES],
    /// Accesses of the host.
    pub bar: Pace,
    /// Accesses of the processor: addresses and data of writes, addresses of reads, then answers.
    pub bus: [Pace; 5],
}

/// A controller between a host and memory. Time is cycles of its clock.
pub struct Card<M = host::Memory> {
    bench: Bench,
    /// The host's memory.
    pub host: Subordinate<M>,
    /// The channels of the drive's memory.
    pub memories: Vec<Subordinate>,
    /// The host's accesses to registers and doorbells.
    pub bar: Bar,
    /// The chips of each flash channel, if it has any.
    pub chips: Vec<ChipBus>,
    /// How the last turn of the firmware ended.
    pub pass: Pass,
    /// The processor, where the top has one.
    pub core: Option<CorePort>,
    /// The processor's bus, where it has none.
    bus: Option<AxiLite>,
    host_reset: Input,
    /// From which cycle on the host's bridge is reset, and to which.
    host_reset_due: Option<Range<u64>>,
    /// From which cycle on the host's clock stands, and to which.
    host_stop_due: Option<Range<u64>>,
    function_reset: Input,
    idle: Output,
}

impl Surroundings {
    /// All at once.
    pub fn prompt() -> Self {
        Self {
            host: Behaviour::prompt(),
            memories: [Behaviour::prompt(), Behaviour::prompt()],
            bar: Pace::Always,
            bus: [(); 5].map(|()| Pace::Always),
        }
    }

    /// Any that tests should survive.
    pub fn any(random: &mut Random) -> Self {
        Self {
            host: Behaviour::any(random),
            memories: [Behaviour::any(random), Behaviour::any(random)],
            bar: Pace::any(random),
            bus: [(); 5].map(|()| Pace::any(random)),
        }
    }
}

impl<M: AddressSpace + Default> Card<M> {
    /// A controller after its reset, with a bus of `bits` bits, and memory that is still empty.
    pub fn new(top: &'static Top, bits: u32, around: Surroundings, random: &mut Random) -> Self {
        Self::on(Bench::new(top), bits, around, random)
    }

    /// The same, of a top whose host interface and channels have clocks of their own, in this order.
    pub fn with_clocks(
        top: &'static Top,
        (period, [host, flash]): (Duration, [Duration; 2]),
        bits: u32,
        around: Surroundings,
        random: &mut Random,
    ) -> Self {
        let clocks = [("host_clk_i", host), ("flash_clk_i", flash)]
            .map(|(name, period)| ClockPort { name, period });
        Self::on(Bench::with_clocks(top, period, &clocks), bits, around, random)
    }

    fn on(mut bench: Bench, bits: u32, around: Surroundings, random: &mut Random) -> Self {
        let enable = bench.input("msix_enable_i");
        bench.set(enable, 1);
        let model = bench.model();
        let ports = |prefix, lane| AxiPorts { prefix, lane };
        let host = Subordinate::new(model, ports("host", (0, 1)), around.host, random.split());
        let channels = model.output("memory_ar_valid_o").bits();
        let memories = (0..channels).zip(around.memories).map(|(lane, behaviour)| {
            Subordinate::new(model, ports("memory", (lane, channels)), behaviour, random.split())
        });
        let mut paces = around.bus.into_iter();
        let mut pace = || paces.next().expect("a pace for each stream of the bus");
        let has_core = model.has_input(CorePort::RUN);
        Self {
            memories: memories.collect(),
            host,
            chips: Vec::new(),
            pass: Pass::Busy,
            bar: Bar::new(model, bits / u32::BITS, around.bar),
            core: has_core.then(|| CorePort::new(model)),
            bus: (!has_core).then(|| AxiLite::paced(model, "processor_", &mut pace)),
            host_reset: bench.input("host_reset_i"),
            host_reset_due: None,
            host_stop_due: None,
            function_reset: bench.input("function_reset_i"),
            idle: bench.output("idle_o"),
            bench,
        }
    }

    /// Hangs chips onto the flash channels, so many each, of a clock of that cycle. This comes before the first cycle
    /// in which the controller uses them.
    pub fn hang_chips(&mut self, chips: Vec<Vec<Chip>>, period: Duration) {
        let (model, lanes) = (self.bench.model(), chips.len() as u32);
        let of_channel =
            |(lane, chips)| ChipBus::of_channel(model, (lane, lanes), chips, Wiring::new(period));
        self.chips = (0..).zip(chips).map(of_channel).collect();
    }

    /// Hangs the chips of another card onto this one, of the same top: the power of the controller went away and
    /// came back, and the chips kept theirs.
    pub fn take_chips(&mut self, other: &mut Self) {
        self.chips = std::mem::take(&mut other.chips);
        self.chips.iter_mut().for_each(ChipBus::reconnect);
    }

    /// One cycle.
    ///
    /// # Panics
    /// If it says that it is idle while host memory owes it an answer.
    pub fn cycle(&mut self) {
        self.follow_host_reset();
        self.follow_host_clock();
        let idle = self.is_idle();
        assert!(!idle || self.host.under_way().accesses == 0, "idle with accesses under way");
        let host: [&mut dyn Agent; 2] = [&mut self.host, &mut self.bar];
        let own = (self.bus.as_mut().map(|bus| bus as &mut dyn Agent).into_iter())
            .chain(self.core.as_mut().map(|core| core as &mut dyn Agent))
            .chain(self.memories.iter_mut().map(|memory| memory as &mut dyn Agent));
        let flash = self.chips.iter_mut().map(|chips| chips as &mut dyn Agent);
        if self.bench.has_one_clock() {
            let mut agents: Vec<_> = host.into_iter().chain(own).chain(flash).collect();
            self.bench.cycle(&mut agents);
        } else {
            let mut agents = [own.collect(), host.into_iter().collect(), flash.collect()];
            self.bench.cycle_of_clocks(&mut agents);
        }
    }

    /// Lets cycles pass that are not run: nothing changes in them but what `clocks` count.
    pub fn skip(&mut self, cycles: u64, clocks: &[Clock]) {
        self.bench.skip(cycles, clocks);
        self.host.skip(cycles);
        self.bar.skip(cycles);
        self.memories.iter_mut().for_each(|memory| memory.skip(cycles));
        self.chips.iter_mut().for_each(|chips| chips.skip(cycles));
    }

    /// The model, to look at its registers.
    pub fn model(&self) -> &Model {
        self.bench.model()
    }

    /// Whether nothing is under way to host memory, as it says itself.
    pub fn is_idle(&self) -> bool {
        self.bench.model().get(self.idle) == 1
    }

    /// Cycles since reset.
    pub fn cycles(&self) -> u64 {
        self.bench.cycles()
    }

    /// Resets the PCI function, for a cycle.
    pub fn reset_function(&mut self) {
        self.bench.set(self.function_reset, 1);
        self.cycle();
        self.bench.set(self.function_reset, 0);
    }

    /// Resets the host's bridge in so many cycles, for so many, and nothing of the drive: all that is under way there is gone.
    pub fn reset_host(&mut self, after: u64, cycles: u64) {
        let start = self.cycles() + after;
        self.host_reset_due = Some(start..start + cycles);
    }

    /// Whether a reset of the host is still to come, or not over.
    pub fn is_host_reset_due(&self) -> bool {
        self.host_reset_due.is_some()
    }

    /// What a reset of the host does in this cycle.
    fn follow_host_reset(&mut self) {
        let Some(due) = self.host_reset_due.clone() else { return };
        let now = self.cycles();
        if now == due.start {
            self.bench.set(self.host_reset, 1);
        }
        // What is asked of the bridge meanwhile is gone as well.
        if due.contains(&now) {
            self.host.forget();
            self.bar.forget();
        }
        if now == due.end {
            self.bench.set(self.host_reset, 0);
            self.host_reset_due = None;
        }
    }

    /// Stops the clock of the host's bridge in so many cycles, for so many; those of the controller and of the channels go on.
    pub fn stop_host_clock(&mut self, after: u64, cycles: u64) {
        let start = self.cycles() + after;
        self.host_stop_due = Some(start..start + cycles);
    }

    /// Whether the host's clock is still to stop, or stands.
    pub fn is_host_stop_due(&self) -> bool {
        self.host_stop_due.is_some()
    }

    fn follow_host_clock(&mut self) {
        let Some(due) = self.host_stop_due.clone() else { return };
        self.bench.stop_clock(HOST_CLOCK, due.contains(&self.cycles()));
        if self.cycles() >= due.end {
            self.host_stop_due = None;
        }
    }

    /// Accesses to host and memory that are not answered.
    pub fn under_way(&self) -> UnderWay {
        self.memories.iter().map(Subordinate::under_way).fold(self.host.under_way(), |sum, one| {
            UnderWay { accesses: sum.accesses + one.accesses, silent: sum.silent + one.silent }
        })
    }

    // -- the processor --

    /// Writes a register.
    ///
    /// # Panics
    /// If it is refused, or not answered; as all accesses of the processor, if the top has one in it.
    pub fn write_register(&mut self, address: u32, value: u32) {
        self.begin_write(address, value);
        let start = self.cycles();
        while !self.has_written(address, start) {
            self.cycle();
        }
    }

    /// Reads a register.
    ///
    /// # Panics
    /// As [`Card::write_register`].
    pub fn read_register(&mut self, address: u32) -> u32 {
        self.begin_read(address);
        let start = self.cycles();
        loop {
            self.cycle();
            if let Some(value) = self.has_read(address, start) {
                return value;
            }
        }
    }

    fn bus(&mut self) -> &mut AxiLite {
        self.bus.as_mut().expect("a top whose processor is outside")
    }

    /// Begins to write a register.
    pub fn begin_write(&mut self, address: u32, value: u32) {
        self.bus().write(address, value);
    }

    /// Whether the write that began in a cycle is done.
    ///
    /// # Panics
    /// If it was refused, or is not answered for too long.
    pub fn has_written(&mut self, address: u32, start: u64) -> bool {
        match self.bus().take_written().pop() {
            Some(Access::Okay) => return true,
            Some(Access::SlaveError) => panic!("a write at {address:#x} was refused"),
            None => assert!(self.cycles() - start < PATIENCE, "{address:#x}: no answer"),
        }
        false
    }

    /// Begins to read a register.
    pub fn begin_read(&mut self, address: u32) {
        self.bus().read(address);
    }

    /// The value of the read that began in a cycle, once it is there.
    ///
    /// # Panics
    /// As [`Card::has_written`].
    pub fn has_read(&mut self, address: u32, start: u64) -> Option<u32> {
        match self.bus().take_read().pop() {
            Some((value, Access::Okay)) => return Some(value),
            Some((_, Access::SlaveError)) => panic!("a read at {address:#x} was refused"),
            None => assert!(self.cycles() - start < PATIENCE, "{address:#x}: no answer"),
        }
        None
    }

    // -- the host --

    /// Writes a dword of BAR 0 and waits for the answer.
    pub fn write_bar(&mut self, address: u64, value: u32) {
        self.bar.write(address, value);
        self.finish_bar();
    }

    /// Reads a dword of BAR 0.
    pub fn read_bar(&mut self, address: u64) -> u32 {
        self.bar.read(address);
        self.finish_bar();
        self.bar.take().expect("a read that is done has a value")
    }

    fn finish_bar(&mut self) {
        let start = self.cycles();
        while !self.bar.is_idle() {
            self.cycle();
            assert!(self.cycles() - start < PATIENCE, "BAR 0 does not answer");
        }
    }

    // -- the drive's memory --

    /// Makes the first so many bytes of memory, of zeros.
    pub fn map_memory(&mut self, bytes: u64) {
        let of_channel = bytes.div_ceil(self.memories.len() as u64);
        self.memories.iter_mut().for_each(|memory| memory.memory_mut().map(0..of_channel));
    }

    /// Bytes of memory as the controller sees it.
    ///
    /// # Panics
    /// If they do not exist, as for [`Card::store`].
    pub fn load(&self, address: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        for (at, piece) in stripes(address, &mut bytes) {
            let (channel, inside) = placed(at, self.memories.len());
            let memory = self.memories[channel].memory();
            assert!(memory.read(inside, piece), "no memory at {at:#x}");
        }
        bytes
    }

    /// Changes bytes of memory.
    pub fn store(&mut self, address: u64, bytes: &[u8]) {
        for (at, piece) in stripes(address, &mut bytes.to_vec()) {
            let (channel, inside) = placed(at, self.memories.len());
            let memory = self.memories[channel].memory_mut();
            assert!(memory.store(inside, piece), "no memory at {at:#x}");
        }
    }
}

impl<M: AddressSpace + Default> Bus for Card<M> {
    fn read(&mut self, address: u32) -> u32 {
        self.read_register(address)
    }

    fn write(&mut self, address: u32, value: u32) {
        self.write_register(address, value);
    }

    fn load(&mut self, address: u64, into: &mut [u8]) {
        into.copy_from_slice(&Card::load(self, address, into.len()));
    }

    fn store(&mut self, address: u64, bytes: &[u8]) {
        Card::store(self, address, bytes);
    }

    fn end_pass(&mut self, pass: Pass) {
        self.pass = pass;
    }
}

/// The channel of an address, of so many, and the address in it.
fn placed(address: u64, channels: usize) -> (usize, u64) {
    let (stripe, channels) = (address / STRIPE, channels as u64);
    ((stripe % channels) as usize, stripe / channels * STRIPE + address % STRIPE)
}

/// Bytes from an address on, cut at the ends of stripes.
fn stripes(address: u64, bytes: &mut [u8]) -> impl Iterator<Item = (u64, &mut [u8])> {
    let (mut at, mut left) = (address, bytes);
    std::iter::from_fn(move || {
        let length = (left.len() as u64).min(STRIPE - at % STRIPE);
        let (piece, rest) = std::mem::take(&mut left).split_at_mut(length as usize);
        let found = (at, piece);
        (at, left) = (at + length, rest);
        (length > 0).then_some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::{placed, stripes};

    #[test]
    fn stripes_take_turns_and_lose_nothing() {
        let found: Vec<_> = stripes(1000, &mut [0; 1100])
            .map(|(at, piece)| (at, piece.len(), placed(at, 2)))
            .collect();
        let expected = [
            (1000, 24, (1, 488)),
            (1024, 512, (0, 512)),
            (1536, 512, (1, 512)),
            (2048, 52, (0, 1024)),
        ];
        assert_eq!(found, expected);
        assert_eq!(stripes(5, &mut []).count(), 0);
        assert_eq!(placed(1536, 1), (0, 1536));
    }
}
