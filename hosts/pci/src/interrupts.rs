//! MSI-X vectors: an eventfd each, which the client gives.

use std::os::fd::{AsRawFd, OwnedFd};

use machine::BusMaster;
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::fs::{fcntl_getfl, fcntl_setfl, readlink, OFlags};
use rustix::io::{write, Errno};

/// What the kernel calls the file behind an eventfd.
const EVENTFD: &[u8] = b"anon_inode:[eventfd]";

/// A vector.
#[derive(Debug, Default)]
struct Vector {
    eventfd: Option<OwnedFd>,
    masked: bool,
    /// It was raised while it had no eventfd or was masked, or the function was no bus master.
    pending: bool,
}

/// An eventfd that a client gave.
#[derive(Debug)]
pub struct EventFd(OwnedFd);

impl EventFd {
    /// Checks that the file is an eventfd, and makes it one that is never waited for: a client must not
    /// be able to hold the drive up.
    ///
    /// # Errors
    /// EINVAL when it is another file.
    pub fn new(file: OwnedFd) -> Result<Self, Errno> {
        let name = readlink(format!("/proc/self/fd/{}", file.as_raw_fd()), Vec::new())?;
        if name.as_bytes() != EVENTFD {
            return Err(Errno::INVAL);
        }
        let flags = fcntl_getfl(&file)?;
        if !flags.contains(OFlags::NONBLOCK) {
            fcntl_setfl(&file, flags | OFlags::NONBLOCK)?;
        }
        Ok(EventFd(file))
    }
}

/// All vectors of the function.
#[derive(Debug)]
pub struct Interrupts {
    vectors: Vec<Vector>,
    master: BusMaster,
}

impl Interrupts {
    /// So many vectors without eventfds.
    pub fn new(count: u32) -> Self {
        let vectors = (0..count).map(|_| Vector::default()).collect();
        Interrupts { vectors, master: BusMaster::Enabled }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.vectors.len() as u32
    }

    /// Says whether messages may be sent: they are writes of memory. Those that may not are kept.
    pub fn set_bus_master(&mut self, master: BusMaster) {
        self.master = master;
        self.vectors.iter_mut().for_each(|vector| vector.settle(master));
    }

    /// Gives a vector its eventfd, or takes it away.
    pub fn connect(&mut self, vector: u32, eventfd: Option<EventFd>) {
        if let Some(vector) = self.vectors.get_mut(vector as usize) {
            vector.eventfd = eventfd.map(|EventFd(file)| file);
            vector.settle(self.master);
        }
    }

    /// Takes all eventfds away and forgets what is masked or pending.
    pub fn disconnect(&mut self) {
        self.vectors.fill_with(Vector::default);
    }

    /// Masks a vector: interrupts are kept.
    pub fn mask(&mut self, vector: u32) {
        if let Some(vector) = self.vectors.get_mut(vector as usize) {
            vector.masked = true;
        }
    }

    /// Lets a vector's interrupts through again.
    pub fn unmask(&mut self, vector: u32) {
        if let Some(vector) = self.vectors.get_mut(vector as usize) {
            vector.masked = false;
            vector.settle(self.master);
        }
    }

    /// Raises an interrupt.
    pub fn raise(&mut self, vector: u32) {
        if let Some(vector) = self.vectors.get_mut(vector as usize) {
            vector.pending = true;
            vector.settle(self.master);
        }
    }

    /// The pending bit array, 64 vectors a word (PCI 3.0 section 6.8.2).
    pub fn pending(&self) -> Vec<u8> {
        let mut bits = vec![0; self.vectors.len().div_ceil(64) * 8];
        for (nth, vector) in self.vectors.iter().enumerate() {
            bits[nth / 8] |= u8::from(vector.pending) << (nth % 8);
        }
        bits
    }
}

impl Vector {
    fn settle(&mut self, master: BusMaster) {
        let Some(eventfd) = &self.eventfd else { return };
        if self.pending && !self.masked && master == BusMaster::Enabled {
            // A full counter has not been read yet, so the guest will look anyway. A write would wait for that if the client made the
            // file one that waits, whose flags are the client's, too.
            let mut room = [PollFd::new(eventfd, PollFlags::OUT)];
            if poll(&mut room, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) == Ok(1) {
                let _ = write(eventfd, &1u64.to_ne_bytes());
            }
            self.pending = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{eventfd, EventfdFlags};
    use rustix::fs::{memfd_create, MemfdFlags};
    use rustix::io::read;

    fn count(file: &OwnedFd) -> u64 {
        let mut bytes = [0; 8];
        match read(file, &mut bytes) {
            Ok(_) => u64::from_ne_bytes(bytes),
            Err(error) => {
                assert_eq!(error, Errno::AGAIN);
                0
            }
        }
    }

    #[test]
    fn what_is_raised_without_eventfd_or_masked_comes_later() {
        let mut interrupts = Interrupts::new(70);
        let file = eventfd(0, EventfdFlags::empty()).unwrap();
        interrupts.raise(65);
        interrupts.raise(70);
        assert_eq!(interrupts.pending()[8..], [2, 0, 0, 0, 0, 0, 0, 0]);
        interrupts.connect(65, Some(EventFd::new(file.try_clone().unwrap()).unwrap()));
        assert_eq!(count(&file), 1);
        interrupts.mask(65);
        interrupts.raise(65);
        interrupts.raise(65);
        assert_eq!(count(&file), 0);
        assert_eq!(interrupts.pending()[8..], [2, 0, 0, 0, 0, 0, 0, 0], "the guest may look");
        interrupts.unmask(65);
        assert_eq!(count(&file), 1);
        assert_eq!(interrupts.pending()[8..], [0; 8]);
        interrupts.mask(65);
        interrupts.unmask(65);
        assert_eq!(count(&file), 0, "nothing was raised since");
        interrupts.disconnect();
        interrupts.raise(65);
        assert_eq!(count(&file), 0);
    }

    #[test]
    fn what_is_raised_while_the_function_is_no_bus_master_comes_later() {
        let mut interrupts = Interrupts::new(2);
        let file = eventfd(0, EventfdFlags::empty()).unwrap();
        interrupts.connect(1, Some(EventFd::new(file.try_clone().unwrap()).unwrap()));
        interrupts.set_bus_master(BusMaster::Disabled);
        interrupts.raise(1);
        interrupts.mask(1);
        interrupts.unmask(1);
        assert_eq!(count(&file), 0);
        assert_eq!(interrupts.pending()[0], 0b10);
        interrupts.set_bus_master(BusMaster::Enabled);
        assert_eq!(count(&file), 1);
        assert_eq!(interrupts.pending()[0], 0);
    }

    #[test]
    fn a_full_counter_does_not_block() {
        let mut interrupts = Interrupts::new(1);
        let file = eventfd(0, EventfdFlags::empty()).unwrap();
        write(&file, &(u64::MAX - 1).to_ne_bytes()).unwrap();
        let clients = file.try_clone().unwrap();
        interrupts.connect(0, Some(EventFd::new(file).unwrap()));
        interrupts.raise(0);
        assert_eq!(interrupts.pending(), [0; 8]);
        // The client has it wait again. Then the test would hang.
        fcntl_setfl(&clients, OFlags::empty()).unwrap();
        interrupts.raise(0);
        assert_eq!(interrupts.pending(), [0; 8]);
        assert_eq!(count(&clients), u64::MAX - 1);
        interrupts.raise(0);
        assert_eq!(count(&clients), 1);
    }

    #[test]
    fn only_eventfds_are_taken() {
        let file = memfd_create("no eventfd", MemfdFlags::CLOEXEC).unwrap();
        assert_eq!(EventFd::new(file).unwrap_err(), Errno::INVAL);
    }
}
