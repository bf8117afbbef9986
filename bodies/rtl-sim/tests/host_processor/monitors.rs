//! The monitors against counts of what was driven.

use crate::host_processor::setup::{Setup, TAGS};
use ::registers::host::{monitor, monitors};
use rtl_sim::{seed, Random};

/// Bytes of a beat of the top.
const BYTES: u64 = 32;
/// Cycles after which all that was driven is counted.
const QUIET: u32 = 1_000;

/// The counters as they were copied last, by their place.
fn copy(setup: &mut Setup) -> Vec<u64> {
    setup.write(monitor::REGISTER, monitor::CAPTURE.mask());
    while setup.field(monitor::REGISTER, monitor::BUSY) == 1 {}
    let words = (monitors::OFFSET..).step_by(4).take(monitors::SIZE as usize / 4);
    let words: Vec<u32> = words.map(|word| setup.read_word(word)).collect();
    words.chunks(2).map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0])).collect()
}

fn place(address: u32) -> usize {
    ((address - monitors::OFFSET) / 8) as usize
}

/// The entry of `latency` for a command that took so many cycles.
fn bin(cycles: u64) -> usize {
    (0..15).find(|bin| cycles < 1 << (bin + 7)).unwrap_or(15)
}

/// Drives what is counted, and counts.
struct Activity {
    counts: Vec<u64>,
    random: Random,
    shares: [u32; 7],
    /// Tags that are free, and those that are fetched with the cycle of it.
    free: Vec<u64>,
    fetched: Vec<(u64, u64)>,
    most: u64,
    /// At most every second cycle in the long run.
    pause: [bool; 2],
}

impl Activity {
    fn new(random: &mut Random) -> Self {
        Self {
            counts: vec![0; monitors::SIZE as usize / 8],
            shares: [0; 7].map(|_| [0, 10, 60, 100][random.below(4) as usize]),
            random: random.split(),
            free: (0..TAGS).collect(),
            fetched: Vec::new(),
            most: 0,
            pause: [false; 2],
        }
    }

    fn add(&mut self, address: u32, amount: u64) {
        self.counts[place(address)] += amount;
    }

    /// Tags that are taken or given back in one cycle.
    fn tags(&mut self, setup: &mut Setup, share: [u32; 2]) {
        let [fetch, complete] = share.map(|share| self.random.percent(share));
        let fetch = fetch && !self.pause[0] && !self.free.is_empty();
        let complete = complete && !self.pause[1] && !self.fetched.is_empty();
        self.pause = [fetch, complete];
        setup.set("fetched_valid_i", fetch.into());
        setup.set("completed_valid_i", complete.into());
        let now = setup.bench.cycles();
        let ended = complete.then(|| {
            let which = self.random.below(self.fetched.len() as u64) as usize;
            let (tag, since) = self.fetched.swap_remove(which);
            setup.set("completed_tag_i", tag);
            self.add(monitors::COMPLETED, 1);
            self.add(monitors::LATENCY[bin(now - since)], 1);
            tag
        });
        if fetch {
            let which = self.random.below(self.free.len() as u64) as usize;
            let tag = self.free.swap_remove(which);
            setup.set("fetched_tag_i", tag);
            self.fetched.push((tag, now));
            self.add(monitors::FETCHED, 1);
        }
        self.free.extend(ended);
        self.most = self.most.max(self.fetched.len() as u64);
    }

    /// What goes on in one cycle.
    fn cycle(&mut self, setup: &mut Setup) {
        let [tags, io, from, to, message, wrong, fault] =
            self.shares.map(|share| self.random.percent(share));
        let share = self.shares[0];
        // As many come as go.
        self.tags(setup, if tags { [share, share] } else { [0, 0] });
        let strobes = self.random.next() as u8;
        // A read, a write, or neither; no more sectors than can begin between two visits.
        let (read, write) = (io && self.random.percent(50), io && self.random.percent(50));
        let (write, busy) = (write && !read, self.random.percent(share));
        let sectors = self.random.below(1 << 18);
        for (port, value) in [("read", read), ("write", write), ("busy", busy)] {
            setup.set(&format!("io_{port}_i"), value.into());
        }
        setup.set("io_sectors_i", sectors);
        setup.set("from_host_i", from.into());
        setup.set("to_host_i", to.into());
        setup.set("to_host_strobe_i", u64::from(strobes));
        setup.set("message_i", message.into());
        setup.set("wrong_doorbell_i", wrong.into());
        self.add(monitors::AUTOMATED_READS, read.into());
        self.add(monitors::AUTOMATED_WRITES, write.into());
        self.add(monitors::SECTORS_READ, u64::from(read) * sectors);
        self.add(monitors::SECTORS_WRITTEN, u64::from(write) * sectors);
        self.add(monitors::AUTOMATED_BUSY, busy.into());
        self.add(monitors::BYTES_FROM_HOST, BYTES * u64::from(from));
        self.add(monitors::BYTES_TO_HOST, u64::from(to) * 4 * u64::from(strobes.count_ones()));
        self.add(monitors::MESSAGES, message.into());
        self.add(monitors::WRONG_DOORBELLS, wrong.into());
        if self.random.percent(self.shares[6]) {
            let kind = if fault { 1 + self.random.below(4) } else { 0 };
            setup.ends.push(vec![self.random.below(TAGS), self.random.below(2), kind]);
            self.add(monitors::DMA_ENDED, 1);
            self.add(monitors::DMA_FAULTS, u64::from(kind != 0));
        }
        setup.cycle();
    }
}

fn quiet(setup: &mut Setup) {
    let automated = ["io_read", "io_write", "io_busy"];
    let others = ["fetched_valid", "completed_valid", "from_host", "to_host", "message"];
    for port in automated.iter().chain(&others) {
        setup.set(&format!("{port}_i"), 0);
    }
    setup.set("wrong_doorbell_i", 0);
    while !setup.ends.is_empty() {
        setup.cycle();
    }
    setup.run(QUIET);
}

#[test]
fn monitors_count_what_happens_at_every_rate() {
    seed::each(5, |random| {
        let mut setup = Setup::willing();
        quiet(&mut setup);
        let before = copy(&mut setup);
        let mut activity = Activity::new(random);
        (0..3_000).for_each(|_| activity.cycle(&mut setup));
        quiet(&mut setup);
        let after = copy(&mut setup);
        for (index, expected) in activity.counts.iter().enumerate() {
            let levels = [monitors::CYCLES, monitors::OUTSTANDING, monitors::MOST_OUTSTANDING];
            if !levels.map(place).contains(&index) {
                assert_eq!(after[index] - before[index], *expected, "counter {index}");
            }
        }
        assert_eq!(after[place(monitors::OUTSTANDING)], activity.fetched.len() as u64);
        assert_eq!(after[place(monitors::MOST_OUTSTANDING)], activity.most);
    });
}

#[test]
fn latencies_are_sorted_to_the_cycle() {
    let mut setup = Setup::willing();
    setup.run(QUIET);
    let mut expected = [0; 16];
    for bits in [7, 8, 9, 12] {
        for cycles in [(1 << bits) - 1, 1 << bits] {
            let began = setup.bench.cycles();
            setup.fetch(5);
            setup.run(cycles - 1);
            setup.set("completed_tag_i", 5);
            assert_eq!(setup.bench.cycles() - began, u64::from(cycles));
            setup.pulse("completed_valid_i");
            expected[bin(cycles.into())] += 1;
        }
    }
    setup.run(QUIET);
    let found = copy(&mut setup);
    assert_eq!(monitors::LATENCY.map(|address| found[place(address)]), expected);
}

#[test]
fn copies_are_over_the_same_cycles() {
    let mut setup = Setup::willing();
    for port in
        ["io_read_i", "io_busy_i", "from_host_i", "to_host_i", "message_i", "wrong_doorbell_i"]
    {
        setup.set(port, 1);
    }
    setup.set("to_host_strobe_i", u64::from(u8::MAX));
    setup.run(100);
    let before = copy(&mut setup);
    setup.run(5_000);
    let after = copy(&mut setup);
    let difference = |address| after[place(address)] - before[place(address)];
    let cycles = difference(monitors::CYCLES);
    assert!(cycles > 5_000);
    assert_eq!(difference(monitors::AUTOMATED_READS), cycles);
    assert_eq!(difference(monitors::AUTOMATED_WRITES), 0);
    assert_eq!(difference(monitors::AUTOMATED_BUSY), cycles);
    assert_eq!(difference(monitors::BYTES_FROM_HOST), BYTES * cycles);
    assert_eq!(difference(monitors::BYTES_TO_HOST), BYTES * cycles);
    assert_eq!(difference(monitors::MESSAGES), cycles);
    assert_eq!(difference(monitors::WRONG_DOORBELLS), cycles);
    assert_eq!(difference(monitors::DMA_ENDED), 0);
}
