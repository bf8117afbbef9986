//! Clients that speak broken vfio-user: the server answers with errors or sends them away, touches no
//! memory that they did not offer, and serves the next one.
//!
//! `FIRMAMENT_FUZZ_SEED=n` runs one seed alone, `FIRMAMENT_FUZZ_COUNT=n` runs so many from 1 on.

use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use pci::{Doorbells, Pace};
use rustix::event::{eventfd, EventfdFlags};
use rustix::fs::{fcntl_add_seals, ftruncate, memfd_create, MemfdFlags, SealFlags};
use rustix::io::{pread, pwrite};

use crate::client::{frame, halves, words, Client};
use crate::driver::{Driver, Holder};
use crate::house::House;

const SEEDS: u64 = 1500;
const PAGE: u64 = 4096;
/// The hostile client's file has a page on either side of what it offers, and one that is read-only.
const FILE_PAGES: u64 = 8;
const OFFERED: std::ops::Range<u64> = 1..5;
const READ_ONLY: u64 = 6;
const CANARY: u8 = 0xa5;
/// Where the file's pages are offered.
const BASE: u64 = 0x4000_0000;

/// A stream of random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        random::next(&mut self.0)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// Mostly small or near a limit.
    fn number(&mut self) -> u32 {
        match self.below(4) {
            0 => self.below(40) as u32,
            1 => self.pick(&[4, 8, 0x14, 0x1000, 0x1008, 0x2000, 0x3ff8, 0x4000, 1 << 20]),
            2 => u32::MAX - self.below(3) as u32,
            _ => self.next() as u32,
        }
    }

    fn address(&mut self) -> u64 {
        match self.below(4) {
            0 => BASE + self.below(FILE_PAGES) * PAGE,
            1 => BASE + self.below(FILE_PAGES * PAGE),
            2 => self.next(),
            _ => 0u64.wrapping_sub(self.below(3) * PAGE),
        }
    }
}

/// A client that means no good, and what it may pass on.
struct Hostile {
    client: Client,
    random: Random,
    memory: OwnedFd,
    others: Vec<OwnedFd>,
    /// Frames are whole, so that the conversation goes on after what is wrong inside them.
    framed: bool,
}

impl Hostile {
    fn new(house: &House, seed: u64) -> Self {
        let mut random = Random(seed);
        let memory =
            memfd_create("hostile", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
        ftruncate(&memory, FILE_PAGES * PAGE).unwrap();
        pwrite(&memory, &[CANARY; (FILE_PAGES * PAGE) as usize], 0).unwrap();
        if random.one_in(2) {
            fcntl_add_seals(&memory, SealFlags::SHRINK).unwrap();
        }
        let empty = memfd_create("empty", MemfdFlags::CLOEXEC).unwrap();
        let (pipe, _) = rustix::pipe::pipe().unwrap();
        let event = eventfd(0, EventfdFlags::empty()).unwrap();
        let client = Client::connect(&house.socket());
        let framed = !random.one_in(3);
        Hostile { client, random, memory, others: vec![empty, pipe, event], framed }
    }

    /// Says something. An error means that the server has closed the connection.
    fn speak(&mut self) -> rustix::io::Result<()> {
        let (command, mut payload) = self.command();
        self.drain()?;
        let flags = if self.random.one_in(3) { 0x10 } else { 0 };
        if self.random.one_in(6) {
            let length = self.random.below(payload.len() as u64 + 1);
            payload.truncate(length as usize);
        }
        if self.random.one_in(8) {
            payload.extend(std::iter::repeat_n(0, self.random.below(100) as usize));
        }
        let mut bytes = frame((self.random.next() as u16, command), flags, &payload);
        if !self.framed && self.random.one_in(5) {
            let at = self.random.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << self.random.below(8);
        }
        if !self.framed && self.random.one_in(30) {
            bytes.truncate(self.random.below(bytes.len() as u64) as usize);
        }
        let mut fds: Vec<BorrowedFd<'_>> = Vec::new();
        if command == 2 && !self.random.one_in(3) {
            fds.push(self.memory.as_fd());
        }
        while self.random.one_in(4) && fds.len() < 20 {
            let nth = self.random.below(self.others.len() as u64) as usize;
            fds.push(self.others[nth].as_fd());
        }
        if bytes.is_empty() {
            return Ok(());
        }
        self.client.send_raw(&bytes, &fds)
    }

    /// A command, more or less as it should be.
    fn command(&mut self) -> (u16, Vec<u8>) {
        let r = &mut self.random;
        let [a, b] = halves(r.address());
        match r.below(13) {
            0 => (1, words(&[0x0001_0000])),
            1 => {
                let pages = r.below(3) + 1;
                let page = r.below(FILE_PAGES);
                let [c, d] = halves(if r.one_in(4) { r.next() } else { page * PAGE });
                let [e, f] = halves(if r.one_in(4) { r.next() } else { pages * PAGE });
                // Only what is offered may be written; the rest is offered for reading at most.
                let inside = OFFERED.contains(&page) && OFFERED.contains(&(page + pages - 1));
                let exact = [c, d] == halves(page * PAGE) && [e, f] == halves(pages * PAGE);
                let access =
                    if inside && exact { r.pick(&[0, 1, 2, 3]) } else { r.pick(&[0, 1, 5]) };
                (2, words(&[32, access, c, d, a, b, e, f]))
            }
            2 => (3, words(&[24, r.pick(&[0, 0, 2, 7]), a, b, r.number() & !0xfff, 0])),
            3 => (r.pick(&[4, 6, 7]), words(&[16, 0, r.number(), 0])),
            4 => (5, words(&[32, 0, r.number(), 0, 0, 0, 0, 0])),
            5 => {
                let flags = 1 << r.below(3) | 8 << r.below(3);
                (8, words(&[20, flags, r.pick(&[2, 2, 3, 0, 9]), r.number(), r.number()]))
            }
            6 => (9, words(&[r.number(), 0, r.pick(&[0, 7, 1, 9]), r.number()])),
            7 | 8 => {
                let count = r.pick(&[1, 2, 4, 4, 8, 64]);
                let at = words(&[r.number(), 0, r.pick(&[0, 0, 7, 1]), count]);
                (10, [at, (0..count).map(|_| r.next() as u8).collect()].concat())
            }
            9 => {
                let one = [r.number(), 0, r.pick(&[0, 7]), 4, r.number(), 0];
                (15, [words(&[r.pick(&[1, 1, 2]), 0]), words(&one)].concat())
            }
            10 => (r.pick(&[11, 12, 14, 16, 17, 18, 0]), words(&[a, b, r.number()])),
            11 => (13, vec![]),
            _ => (r.next() as u16, words(&[r.number(), r.number()])),
        }
    }

    /// Brings a controller up whose queues and commands are noise.
    fn storm(&mut self) -> rustix::io::Result<()> {
        let mut noise = vec![0; ((OFFERED.end - OFFERED.start) * PAGE) as usize];
        noise.iter_mut().for_each(|byte| *byte = self.random.next() as u8 & 0x1f);
        if self.random.one_in(2) {
            // Doorbell buffers, at the start of the admin queue.
            let addresses = [0; 2].map(|_| halves(self.random.address() & !0xfff));
            let [[a, b], [c, d]] = addresses;
            let entry = words(&[0x7c, 0, 0, 0, 0, 0, a, b, c, d]);
            noise[..entry.len()].copy_from_slice(&entry);
        }
        pwrite(&self.memory, &noise, OFFERED.start * PAGE).unwrap();
        let offered = words(&[32, 3, PAGE as u32, 0, BASE as u32, 0, 4 * PAGE as u32, 0]);
        let read_only = [READ_ONLY * PAGE, BASE + READ_ONLY * PAGE, PAGE].map(|v| v as u32);
        let [offset, address, size] = read_only;
        let read_only = words(&[32, 1, offset, 0, address, 0, size, 0]);
        let fd = [self.memory.as_fd()];
        self.client.send_raw(&frame((1, 2), 0x10, &offered), &fd)?;
        self.client.send_raw(&frame((2, 2), 0x10, &read_only), &fd)?;
        let queue = |page: u64| (BASE + page * PAGE) as u32;
        let completions = queue(self.random.pick(&[1, 2, READ_ONLY, 7]));
        // Memory space and bus master.
        let command = [words(&[4, 0, 7, 2]), 6u16.to_le_bytes().to_vec()].concat();
        self.client.send_raw(&frame((3, 10), 0x10, &command), &[])?;
        for (at, value) in
            [(0x24, 0x003f_003f), (0x28, queue(0)), (0x30, completions), (0x14, 0x46_0001)]
        {
            let write = words(&[at, 0, 0, 4, value]);
            self.client.send_raw(&frame((3, 10), 0x10, &write), &[])?;
        }
        for _ in 0..self.random.below(20) {
            let doorbell = 0x1000 + 4 * self.random.below(4) as u32;
            let write = words(&[doorbell, 0, 0, 4, self.random.below(64) as u32]);
            self.client.send_raw(&frame((4, 10), 0x10, &write), &[])?;
        }
        Ok(())
    }

    /// Throws away what the server says.
    fn drain(&mut self) -> rustix::io::Result<()> {
        self.client.socket.set_nonblocking(true).unwrap();
        let mut bytes = [0; 4096];
        while matches!(self.client.socket.read(&mut bytes), Ok(1..)) {}
        self.client.socket.set_nonblocking(false).unwrap();
        Ok(())
    }

    /// Nothing but the offered pages has changed.
    fn check_canaries(&self, seed: u64) {
        let mut bytes = vec![0; (FILE_PAGES * PAGE) as usize];
        assert_eq!(pread(&self.memory, &mut bytes, 0).unwrap(), bytes.len());
        for (page, bytes) in (0..).zip(bytes.chunks(PAGE as usize)) {
            let untouched = bytes.iter().all(|&byte| byte == CANARY);
            assert!(OFFERED.contains(&page) || untouched, "seed {seed}: page {page} was written");
        }
    }
}

fn seeds() -> std::ops::RangeInclusive<u64> {
    let number = |name| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    match (number("FIRMAMENT_FUZZ_SEED"), number("FIRMAMENT_FUZZ_COUNT")) {
        (Some(seed), _) => seed..=seed,
        (None, count) => 1..=count.unwrap_or(SEEDS),
    }
}

#[test]
fn whatever_a_client_says_the_next_one_is_served() {
    let house = House::open_with(Pace::Fast, Doorbells::Memory);
    for seed in seeds() {
        println!("seed {seed}");
        let mut hostile = Hostile::new(&house, seed);
        if !hostile.random.one_in(5) {
            hostile.client.negotiate();
        }
        let mut said = Ok(());
        for _ in 0..hostile.random.below(60) {
            said = said.and_then(|()| match hostile.random.one_in(12) {
                true => hostile.storm(),
                false => hostile.speak(),
            });
        }
        hostile.drain().unwrap();
        hostile.client.socket.shutdown(std::net::Shutdown::Both).unwrap();
        // The next client is served when the server has done all that was said.
        let mut next = house.client();
        assert_eq!(
            next.ask(4, &words(&[16, 0, 0, 0]), &[]),
            Ok(words(&[16, 3, 9, 5])),
            "seed {seed}"
        );
        hostile.check_canaries(seed);
        if seed % 25 == 0 {
            let mut driver = Driver::start(next, Holder::Sealed);
            let page = vec![seed as u8; 4096];
            assert!(driver.write(seed % 100, &page).is_success(), "seed {seed}");
            assert_eq!(driver.read(seed % 100), page, "seed {seed}");
        }
    }
}
