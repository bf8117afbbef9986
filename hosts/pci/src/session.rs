//! One client's conversation: each command is carried out and answered.

use std::cell::RefCell;
use std::os::fd::BorrowedFd;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::channel::{Channel, Lost, Message};
use crate::device::Device;
use crate::function::Function;
use crate::memory::GuestMemory;
use crate::request::{irq, region, Request};

const DEVICE_RESETS: u32 = 1 << 0;
const DEVICE_IS_PCI: u32 = 1 << 1;
const REGION_READABLE: u32 = 1 << 0;
const REGION_WRITABLE: u32 = 1 << 1;
const IRQ_EVENTFD: u32 = 1 << 0;
const IRQ_MASKABLE: u32 = 1 << 1;
/// Messages that are taken before the function runs again.
const MESSAGES_A_TURN: usize = 256;

/// The conversation with one client.
#[derive(Debug)]
pub struct Session {
    channel: Rc<RefCell<Channel>>,
    negotiated: bool,
    /// When the version has to be agreed upon.
    deadline: Instant,
}

impl Session {
    /// A conversation that has not begun. The client has `patience` to begin it.
    pub fn new(channel: Channel, patience: Duration) -> Self {
        let channel = Rc::new(RefCell::new(channel));
        Session { channel, negotiated: false, deadline: Instant::now() + patience }
    }

    /// Takes the messages that have come. True if there may be more.
    ///
    /// # Errors
    /// When the client is lost.
    pub fn take<F: Function>(&mut self, device: &mut Device<F>) -> Result<bool, Lost> {
        for _ in 0..MESSAGES_A_TURN {
            let message = self.channel.borrow_mut().receive()?;
            let Some(message) = message else {
                let late = !self.negotiated && Instant::now() > self.deadline;
                return if late { Err(Lost::Silent) } else { Ok(false) };
            };
            self.answer(message, device)?;
            // A function that is written to may have asked the client for memory.
            if let Some(lost) = device.function.bus().memory.lost() {
                return Err(lost);
            }
        }
        Ok(true)
    }

    /// When to look again though nothing comes.
    pub fn deadline(&self) -> Option<Instant> {
        let unfinished = self.channel.borrow().deadline();
        if self.negotiated {
            unfinished
        } else {
            Some(self.deadline)
        }
    }

    /// A turn of client and function begins.
    pub fn begin_turn(&self) {
        self.channel.borrow_mut().begin_turn();
    }

    /// Whether a message waits that polling the socket does not tell of.
    pub fn has_waiting(&self) -> bool {
        self.channel.borrow().has_waiting()
    }

    /// Lets `with` have the socket, to be polled.
    pub fn with_socket<T>(&self, with: impl FnOnce(BorrowedFd<'_>) -> T) -> T {
        let channel = self.channel.borrow();
        with(channel.as_fd())
    }

    fn answer<F: Function>(
        &mut self,
        message: Message,
        device: &mut Device<F>,
    ) -> Result<(), Lost> {
        let header = message.header;
        let answer = self.carry_out(message, device);
        // What cannot even begin ends: there is no way to go on from another version.
        let refused = !self.negotiated;
        let answer = answer.as_deref().map_err(|&error| error);
        self.channel.borrow_mut().reply(&header, answer)?;
        if refused {
            Err(Lost::BadHeader)
        } else {
            Ok(())
        }
    }

    fn carry_out<F: Function>(
        &mut self,
        message: Message,
        device: &mut Device<F>,
    ) -> Result<Vec<u8>, Errno> {
        let Message { header, payload, fds } = message;
        let request = Request::parse(header.command, &payload)?;
        if fds.len() > request.takes_fds() {
            return Err(Errno::INVAL);
        }
        if let Request::Version(proposal) = &request {
            return self.negotiate(proposal.most_transfer, device).map(|()| proposal.answer());
        }
        if !self.negotiated {
            return Err(Errno::INVAL);
        }
        let memory = &mut device.function.bus().memory;
        let mut answer = Vec::new();
        match request {
            Request::Version(_) => unreachable!("was answered above"),
            Request::Map(offer) => memory.map(offer, fds.into_iter().next())?,
            Request::Unmap { address, size } => {
                memory.unmap(address, size)?;
                answer = payload;
            }
            Request::UnmapAll => {
                memory.unmap_all();
                answer = payload;
            }
            Request::Info => {
                let flags = DEVICE_RESETS | DEVICE_IS_PCI;
                put(&mut answer, &[16, flags, region::COUNT, irq::COUNT]);
            }
            Request::RegionInfo(index) => {
                let size = device.region_bytes(index);
                let flags = if size > 0 { REGION_READABLE | REGION_WRITABLE } else { 0 };
                put(&mut answer, &[32, flags, index, 0]);
                put(&mut answer, &[size as u32, (size >> 32) as u32, 0, 0]);
            }
            Request::RegionIoFds(index) => put(&mut answer, &[16, 0, index, 0]),
            Request::IrqInfo(index) => {
                let count = device.irqs(index);
                let flags = match index {
                    irq::MSIX => IRQ_EVENTFD | IRQ_MASKABLE,
                    irq::ERROR => IRQ_EVENTFD,
                    _ => 0,
                };
                put(&mut answer, &[16, flags, index, count]);
            }
            Request::SetIrqs(set) => device.set_irqs(set, fds)?,
            Request::Read(span) => {
                let data = device.read(span)?;
                answer.extend_from_slice(&payload);
                answer.extend_from_slice(&data);
            }
            Request::Write(write) => {
                device.write(write)?;
                // The answer repeats where, not what.
                answer.extend_from_slice(&payload[..16]);
            }
            Request::WriteMulti(writes) => {
                for &write in &writes {
                    device.write(write)?;
                }
                answer.extend_from_slice(&(writes.len() as u64).to_le_bytes());
            }
            Request::Reset => device.reset(),
        }
        Ok(answer)
    }

    /// The version is agreed upon, once: the function's memory is this client's from now on.
    fn negotiate<F: Function>(
        &mut self,
        most_transfer: u64,
        device: &mut Device<F>,
    ) -> Result<(), Errno> {
        if self.negotiated {
            return Err(Errno::INVAL);
        }
        self.negotiated = true;
        device.function.bus().memory = GuestMemory::new(self.channel.clone(), most_transfer);
        Ok(())
    }
}

fn put(answer: &mut Vec<u8>, words: &[u32]) {
    words.iter().for_each(|word| answer.extend_from_slice(&word.to_le_bytes()));
}
