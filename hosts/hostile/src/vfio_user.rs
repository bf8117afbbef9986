//! Any messages of a vfio-user client, with any file descriptors: the server answers with errors or sends the
//! client away, touches no memory that it did not offer, and serves the next one.

use std::io::{IoSlice, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use arbitrary::Arbitrary;
use host::Preconditioning;
use pci::{Channel, Device, Doorbells, Function, NvmeFunction, Pace, Pause, Session, Setup};
use rustix::event::{eventfd, EventfdFlags};
use rustix::fs::{fcntl_add_seals, ftruncate, memfd_create, MemfdFlags, SealFlags};
use rustix::io::{pread, pwrite};
use rustix::net::{sendmsg, SendAncillaryBuffer, SendAncillaryMessage, SendFlags};

use crate::house::board;
use crate::input::{acts, Number};
use crate::memory::PAGE;
use crate::next_client::{self, assert_served};

/// Pages of the client's file, those that it offers for reading and writing, and where it offers them.
const FILE_PAGES: u64 = 8;
const OFFERED: std::ops::Range<u64> = 1..5;
const BASE: u64 = 0x4000_0000;
const CANARY: u8 = 0xa5;
/// Runs of the function after which one that goes on without a pause hangs.
const MOST_RUNS: u32 = 4096;
/// Long enough for a session that is negotiated by the first message.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a client sends.
#[derive(Arbitrary, Debug)]
enum Act {
    /// Agrees upon a version.
    Version,
    /// Offers pages of its file, some to be read only.
    Offer { page: u8, pages: u8, at: u8, read_only: bool },
    /// Offers what it holds itself.
    Keep { at: u8, pages: u8 },
    /// Takes pages back.
    Unmap { page: u8, pages: u8, all: bool },
    /// Writes a region.
    Write { region: u8, offset: Offset, data: Vec<u8> },
    /// Reads a region.
    Read { region: u8, offset: Offset, count: Number },
    /// Writes several times.
    WriteMulti { count: u8, region: u8, offset: Offset, value: u64 },
    /// Sets interrupts up, with eventfds or others.
    Irqs { flags: u8, index: u8, start: Number, count: Number, fds: u8 },
    /// Brings the controller up over queues full of what is in the file.
    Start { admin: u8, completions: u8 },
    /// Puts bytes into the file.
    Poke { at: u16, bytes: [u32; 4] },
    /// Resets the device.
    Reset,
    /// Any message in a sound frame.
    Any { command: u8, flags: u8, payload: Vec<u8>, fds: u8 },
    /// Bytes without a frame.
    Raw(Vec<u8>),
}

/// Where in a region.
#[derive(Arbitrary, Debug)]
enum Offset {
    Small(u16),
    Doorbell(u8),
    Any(u64),
}

impl Offset {
    fn value(&self) -> u64 {
        match *self {
            Offset::Small(at) => u64::from(at & 0x3fff),
            Offset::Doorbell(nth) => 0x1000 + u64::from(nth % 16) * 4,
            Offset::Any(at) => at,
        }
    }
}

/// Files that clients pass, made once a thread. Their lengths and seals never change, and all bytes are put anew for
/// each input.
struct Files {
    /// Memory, without a seal and with one.
    memory: [OwnedFd; 2],
    /// A file without a byte.
    empty: OwnedFd,
    /// Memory of the next client.
    next: OwnedFd,
}

impl Files {
    fn new() -> Self {
        let file = |pages| {
            let file = memfd_create("hostile", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING);
            let file = file.expect("a file");
            ftruncate(&file, pages * PAGE).expect("its length");
            file
        };
        let memory = [file(FILE_PAGES), file(FILE_PAGES)];
        fcntl_add_seals(&memory[1], SealFlags::SHRINK).expect("a seal");
        Files { memory, empty: file(0), next: file(next_client::PAGES) }
    }
}

/// A client, its files, and the session on the other side.
struct Client<'a> {
    socket: UnixStream,
    session: Option<Session>,
    memory: &'a OwnedFd,
    /// An eventfd of its own, since a server changes its flags, and what is no eventfd.
    event: OwnedFd,
    empty: &'a OwnedFd,
}

/// The server bears any client, and serves the next.
pub fn survives(bytes: &[u8]) {
    thread_local! {
        static FUNCTION: NvmeFunction = function();
        static FILES: Files = Files::new();
    }
    let function = FUNCTION.with(NvmeFunction::copied).expect("the drive is in memory");
    FILES.with(|files| survives_with(files, Device::new(function), bytes));
}

fn function() -> NvmeFunction {
    let precondition = Preconditioning::None;
    let (pace, doorbells) = (Pace::Fast, Doorbells::Memory);
    let (board, name) = (board(), "hostile");
    let setup = Setup { board, name, seed: 1, precondition, image: None, pace, doorbells };
    NvmeFunction::new(&setup, None, host::Control::default()).expect("a drive")
}

fn survives_with(files: &Files, mut device: Device<NvmeFunction>, bytes: &[u8]) {
    let client = play(files, &mut device, bytes);
    device.detach();
    client.assert_canaries();
    assert_served(&mut device, &files.next);
}

/// Sends what the bytes say, for as long as the server bears it.
fn play<'a>(files: &'a Files, device: &mut Device<NvmeFunction>, bytes: &[u8]) -> Client<'a> {
    let sealed = bytes.first().is_some_and(|byte| byte & 1 == 0);
    let mut client = Client::new(files, sealed);
    for act in acts::<Act>(bytes) {
        client.act(&act);
        client.turn(device);
        if client.session.is_none() {
            break;
        }
    }
    client
}

/// A session over one end of a pair of sockets, and the other end.
pub fn connect() -> (UnixStream, Session) {
    let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    ours.set_nonblocking(true).expect("a socket that does not block");
    // Nobody answers what the server asks: it need not wait.
    let channel = Channel::new(theirs, Duration::ZERO).expect("a channel");
    (ours, Session::new(channel, PATIENCE))
}

/// Lets the function run until it waits.
///
/// # Panics
/// When it does not.
pub fn settle(device: &mut Device<NvmeFunction>) {
    let runs = (0..MOST_RUNS).take_while(|_| {
        let lost = device.function.bus().memory.lost().is_some();
        device.function.run() == Pause::None && !lost
    });
    assert!((runs.count() as u32) < MOST_RUNS, "the function does not come to rest");
}

/// Words of a payload.
pub fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A whole message that is answered or, by its flags, is not.
pub fn frame(command: u16, flags: u32, payload: &[u8]) -> Vec<u8> {
    let size = 16 + payload.len() as u32;
    [&words(&[u32::from(command) << 16 | 7, size, flags, 0])[..], payload].concat()
}

/// Sends bytes with file descriptors; what the other side does not take any more is dropped.
pub fn send(socket: &UnixStream, bytes: &[u8], fds: &[BorrowedFd<'_>]) {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() {
        assert!(control.push(SendAncillaryMessage::ScmRights(fds)), "room for descriptors");
    }
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    if !bytes.is_empty() {
        let _ = sendmsg(socket, &[IoSlice::new(bytes)], &mut control, flags);
    }
}

/// Reads all that has come, and forgets it.
fn drop_answers(mut socket: &UnixStream) {
    let mut answers = [0; 4096];
    while matches!(socket.read(&mut answers), Ok(count) if count == answers.len()) {}
}

impl<'a> Client<'a> {
    fn new(files: &'a Files, sealed: bool) -> Self {
        let memory = &files.memory[usize::from(sealed)];
        pwrite(memory, &[CANARY; (FILE_PAGES * PAGE) as usize], 0).expect("its bytes");
        let event = eventfd(0, EventfdFlags::empty()).expect("an eventfd");
        let (socket, session) = connect();
        Client { socket, session: Some(session), memory, event, empty: &files.empty }
    }

    /// Lets the server take what has come, and run.
    fn turn(&mut self, device: &mut Device<NvmeFunction>) {
        let Some(session) = &mut self.session else { return };
        let mut taken = session.take(device);
        while taken == Ok(true) {
            taken = session.take(device);
        }
        settle(device);
        if taken.is_err() || device.function.bus().memory.lost().is_some() {
            self.session = None;
        }
        drop_answers(&self.socket);
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Version => self.say(1, words(&[0x0001_0000])),
            &Act::Offer { page, pages, at, read_only } => {
                let (page, pages) = (u64::from(page) % FILE_PAGES, u64::from(pages) % 5);
                // Only what is offered may be written; the rest is offered for reading at most.
                let inside = OFFERED.contains(&page) && page + pages <= OFFERED.end;
                let access = if inside && !read_only { 3 } else { 1 };
                let address = BASE + u64::from(at) * PAGE / 2;
                let payload = map(access, page * PAGE, (address, pages * PAGE));
                send(&self.socket, &frame(2, 0, &payload), &[self.memory.as_fd()]);
            }
            &Act::Keep { at, pages } => {
                let (address, size) = (BASE + u64::from(at) * PAGE, u64::from(pages) * PAGE);
                self.say(2, map(3, 0, (address, size)));
            }
            &Act::Unmap { page, pages, all } => {
                let (address, size) =
                    (BASE as u32 + u32::from(page) * 2048, u32::from(pages) << 12);
                let flags = if all { 2 } else { 0 };
                self.say(3, words(&[24, flags, address, 0, size, 0]));
            }
            Act::Write { region, offset, data } => {
                let at = at(*region, offset.value(), data.len() as u32);
                self.say(10, [at, data.clone()].concat());
            }
            Act::Read { region, offset, count: Number(count) } => {
                self.say(9, at(*region, offset.value(), *count));
            }
            Act::WriteMulti { count, region, offset, value } => {
                let one = [at(*region, offset.value(), 8), value.to_le_bytes().to_vec()].concat();
                let count = usize::from(count % 8);
                self.say(15, [words(&[count as u32, 0]), one.repeat(count)].concat());
            }
            &Act::Irqs { flags, index, start: Number(start), count: Number(count), fds } => {
                let set = words(&[20, flags.into(), (index % 6).into(), start, count]);
                self.pass(&frame(8, 0, &set), fds);
            }
            &Act::Start { admin, completions } => self.start(admin, completions),
            Act::Poke { at, bytes } => {
                let within = (OFFERED.end - OFFERED.start) * PAGE - 16;
                let at = OFFERED.start * PAGE + u64::from(*at) % within;
                pwrite(self.memory, &words(bytes), at).expect("the client's own file");
            }
            Act::Reset => self.say(13, vec![]),
            Act::Any { command, flags, payload, fds } => {
                self.pass(&frame(u16::from(command % 24), (*flags).into(), payload), *fds);
            }
            Act::Raw(bytes) => self.pass(bytes, 0),
        }
    }

    fn say(&self, command: u16, payload: Vec<u8>) {
        send(&self.socket, &frame(command, 0, &payload), &[]);
    }

    /// Sends bytes with up to three descriptors that are no memory.
    fn pass(&self, bytes: &[u8], fds: u8) {
        let others = [&self.event, self.empty];
        let chosen = |nth| others[usize::from(fds >> (4 + nth) & 1)].as_fd();
        let fds: Vec<_> = (0..fds % 4).map(chosen).collect();
        send(&self.socket, bytes, &fds);
    }

    fn start(&self, admin: u8, completions: u8) {
        // Memory space and bus master.
        self.say(10, [at(1, 4, 2), 6u16.to_le_bytes().to_vec()].concat());
        let page = |nth: u8| BASE as u32 + u32::from(nth) % 16 * PAGE as u32;
        for (register, value) in
            [(0x24, 0x003f_003f), (0x28, page(admin)), (0x30, page(completions)), (0x14, 0x46_0001)]
        {
            self.say(10, [at(0, register, 4), words(&[value])].concat());
        }
    }

    /// Nothing but the offered pages has changed.
    fn assert_canaries(&self) {
        let mut bytes = vec![0; (FILE_PAGES * PAGE) as usize];
        assert_eq!(pread(self.memory, &mut bytes, 0), Ok(bytes.len()));
        for (page, bytes) in (0..).zip(bytes.chunks(PAGE as usize)) {
            let untouched = bytes.iter().all(|&byte| byte == CANARY);
            assert!(OFFERED.contains(&page) || untouched, "page {page} was written");
        }
    }
}

/// The payload that offers memory.
pub fn map(access: u32, offset: u64, (address, size): (u64, u64)) -> Vec<u8> {
    let wide = |value: u64| [value as u32, (value >> 32) as u32];
    let [[a, b], [c, d], [e, f]] = [offset, address, size].map(wide);
    words(&[32, access, a, b, c, d, e, f])
}

/// The payload that names a part of a region.
pub fn at(region: u8, offset: u64, count: u32) -> Vec<u8> {
    let region = [0, 7, 0, 7, 1, 9][usize::from(region % 6)];
    words(&[offset as u32, (offset >> 32) as u32, region, count])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a client leaves behind: the bytes of its file, whether it was sent away, and what the drive has done.
    fn played(files: &Files, function: NvmeFunction, bytes: &[u8]) -> (Vec<u8>, bool, String) {
        let mut device = Device::new(function);
        let client = play(files, &mut device, bytes);
        let mut memory = vec![0; (FILE_PAGES * PAGE) as usize];
        assert_eq!(pread(client.memory, &mut memory, 0), Ok(memory.len()));
        let report = device.function.report();
        let did = format!("{:?} {:?} {:?}", report.jobs, report.series, report.drive);
        (memory, client.session.is_some(), did)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

        #[test]
        fn a_copied_function_with_used_files_behaves_as_one_that_was_built(
            before in prop::collection::vec(any::<u8>(), 0..500),
            bytes in prop::collection::vec(any::<u8>(), 0..500),
        ) {
            let (kept, files) = (function(), Files::new());
            let copied = || kept.copied().expect("the drive is in memory");
            survives_with(&files, Device::new(copied()), &before);
            let found = played(&files, copied(), &bytes);
            assert!(found == played(&Files::new(), function(), &bytes));
        }
    }

    #[test]
    fn inputs_of_the_corpus_leave_the_same_behind_in_any_order() {
        let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/hostile/corpus/vfio_user");
        let (kept, files) = (function(), Files::new());
        for input in std::fs::read_dir(corpus).expect("the corpus").step_by(5) {
            let bytes = std::fs::read(input.expect("an input").path()).expect("an input");
            let copied = kept.copied().expect("the drive is in memory");
            let found = played(&files, copied, &bytes);
            assert!(found == played(&Files::new(), function(), &bytes));
        }
    }
}
