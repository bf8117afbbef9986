//! The other end of the guest's virtio device: the messages of vhost-user that Linux in user mode sends.
//!
//! Notices of both sides go through the sockets (`VHOST_USER_PROTOCOL_F_INBAND_NOTIFICATIONS`), so that each is acknowledged
//! before time goes on (QEMU's `docs/interop/vhost-user.rst`; Linux 6.12, `arch/um/drivers/vhost_user.h`).

use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use pci::{Access, GuestMemory, Offer};
use rustix::net::{recvmsg, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};

use crate::ring::Ring;

/// The queue of the driver's accesses, and that of the device's interrupts.
pub const ACCESSES: usize = 0;
/// The queue of the device's interrupts.
pub const INTERRUPTS: usize = 1;

/// Requests of the driver.
mod request {
    pub const GET_FEATURES: u32 = 1;
    pub const SET_FEATURES: u32 = 2;
    pub const SET_OWNER: u32 = 3;
    pub const SET_MEMORY: u32 = 5;
    pub const SET_RING_SIZE: u32 = 8;
    pub const SET_RING_ADDRESSES: u32 = 9;
    pub const SET_RING_BASE: u32 = 10;
    pub const GET_RING_BASE: u32 = 11;
    pub const SET_RING_KICK: u32 = 12;
    pub const SET_RING_CALL: u32 = 13;
    pub const SET_RING_ERROR: u32 = 14;
    pub const GET_PROTOCOL_FEATURES: u32 = 15;
    pub const SET_PROTOCOL_FEATURES: u32 = 16;
    pub const SET_RING_ENABLE: u32 = 18;
    pub const SET_BACK_CHANNEL: u32 = 21;
    pub const RING_KICK: u32 = 35;
}

/// Bytes of a message's head: request, flags, bytes of what follows.
const HEAD_BYTES: usize = 12;
/// Most bytes that follow a head.
const MOST_BODY: usize = 512;
/// Most regions of memory in a message.
const MOST_REGIONS: usize = 8;
const VERSION: u32 = 1;
const REPLY: u32 = 1 << 2;
const NEEDS_REPLY: u32 = 1 << 3;
/// The request by which the device tells of buffers that it has given back.
const CALL: u32 = 4;
/// Features: messages about features of the protocol, and virtio 1.
const FEATURES: u64 = 1 << 30 | 1 << 32;
/// Features of the protocol: acknowledgements, a channel of the device's own, notices in the sockets.
const PROTOCOL_FEATURES: u64 = 1 << 3 | 1 << 5 | 1 << 14;

/// What the driver wants of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Nothing: the message was about the connection.
    None,
    /// There are new buffers in the queue of this number. The driver waits for [`VirtioLink::acknowledge`].
    Kick(usize),
}

/// The connection with the guest's driver.
#[derive(Debug)]
pub struct VirtioLink {
    socket: UnixStream,
    back: Option<UnixStream>,
    /// The rings of both queues.
    pub rings: [Ring; 2],
}

impl VirtioLink {
    /// A connection that the guest has just made.
    pub fn new(socket: UnixStream) -> Self {
        VirtioLink { socket, back: None, rings: [Ring::default(); 2] }
    }

    /// Takes the next message. A kick is acknowledged later, once what it is about was done.
    ///
    /// # Errors
    /// When the guest is gone or says what is no message.
    pub fn take(&mut self, memory: &mut GuestMemory) -> io::Result<Notice> {
        let (head, files) = self.receive_head()?;
        let [request, flags, length] = head;
        if length as usize > MOST_BODY {
            return Err(malformed(request));
        }
        let mut body = vec![0; length as usize];
        self.socket.read_exact(&mut body)?;
        if request == request::RING_KICK {
            let queue = field(&body, 0).ok_or_else(|| malformed(request))? as usize;
            return Ok(Notice::Kick(queue));
        }
        let answer = match request {
            request::GET_FEATURES => Some(FEATURES),
            request::GET_PROTOCOL_FEATURES => Some(PROTOCOL_FEATURES),
            request::SET_BACK_CHANNEL => {
                self.back = files.into_iter().next().map(UnixStream::from);
                None
            }
            request::SET_MEMORY => {
                offer(memory, &body, files)?;
                None
            }
            request::SET_RING_SIZE | request::SET_RING_ADDRESSES | request::SET_RING_BASE => {
                self.set_ring(request, &body, memory).ok_or_else(|| malformed(request))?;
                None
            }
            request::SET_FEATURES
            | request::SET_OWNER
            | request::GET_RING_BASE
            | request::SET_RING_KICK
            | request::SET_RING_CALL
            | request::SET_RING_ERROR
            | request::SET_PROTOCOL_FEATURES
            | request::SET_RING_ENABLE => None,
            other => return Err(malformed(other)),
        };
        if answer.is_some() || flags & NEEDS_REPLY != 0 {
            self.reply(request, answer.unwrap_or(0))?;
        }
        Ok(Notice::None)
    }

    /// What the last kick was about is done.
    ///
    /// # Errors
    /// When the guest is gone.
    pub fn acknowledge(&mut self) -> io::Result<()> {
        self.reply(request::RING_KICK, 0)
    }

    /// Tells the driver that buffers of a queue were given back. It answers by [`VirtioLink::take_answer`] if asked to.
    ///
    /// # Errors
    /// When the guest is gone.
    pub fn call(&mut self, queue: usize, needs_answer: bool) -> io::Result<()> {
        let Some(back) = &mut self.back else { return Ok(()) };
        let flags = VERSION | if needs_answer { NEEDS_REPLY } else { 0 };
        let words = [CALL, flags, 8, queue as u32, 0];
        back.write_all(&words.map(u32::to_le_bytes).concat())
    }

    /// Takes the driver's answer to a call. A guest that powers off closes the channel, and says more elsewhere.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn take_answer(&mut self) -> io::Result<()> {
        let Some(back) = &mut self.back else { return Ok(()) };
        match back.read_exact(&mut [0; HEAD_BYTES + 8]) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => self.back = None,
            read => read?,
        }
        Ok(())
    }

    /// Where answers to calls come from.
    pub fn back_channel(&self) -> Option<BorrowedFd<'_>> {
        self.back.as_ref().map(AsFd::as_fd)
    }

    fn receive_head(&mut self) -> io::Result<([u32; 3], Vec<OwnedFd>)> {
        let mut head = [0; HEAD_BYTES];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_REGIONS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let parts = &mut [IoSliceMut::new(&mut head)];
        let got = recvmsg(&self.socket, parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?.bytes;
        if got == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut files = Vec::new();
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                files.extend(rights);
            }
        }
        self.socket.read_exact(&mut head[got..])?;
        let words = [0, 4, 8].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|n| head[at + n])));
        Ok((words, files))
    }

    fn set_ring(&mut self, request: u32, body: &[u8], memory: &mut GuestMemory) -> Option<()> {
        let number = field(body, 0)? as usize;
        let ring = self.rings.get_mut(number)?;
        match request {
            request::SET_RING_SIZE => ring.size = field(body, 4)?.try_into().ok()?,
            request::SET_RING_BASE => ring.taken = field(body, 4)? as u16,
            _ => {
                // Index and flags, then descriptors, used ring, available ring, log.
                ring.descriptors = address(body, 8)?;
                ring.used = address(body, 16)?;
                ring.available = address(body, 24)?;
                if number == INTERRUPTS {
                    ring.set_wants_notice(memory, false);
                }
            }
        }
        Some(())
    }

    fn reply(&mut self, request: u32, value: u64) -> io::Result<()> {
        let words = [request, VERSION | REPLY, 8, value as u32, (value >> 32) as u32];
        self.socket.write_all(&words.map(u32::to_le_bytes).concat())
    }
}

impl AsFd for VirtioLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Takes the guest's memory: regions with address, bytes, address in the guest's process, offset in a file.
fn offer(memory: &mut GuestMemory, body: &[u8], files: Vec<OwnedFd>) -> io::Result<()> {
    let refused = || malformed(request::SET_MEMORY);
    let count = field(body, 0).ok_or_else(refused)? as usize;
    if count > MOST_REGIONS || files.len() != count {
        return Err(refused());
    }
    memory.unmap_all();
    for (nth, file) in files.into_iter().enumerate() {
        let value = |word: usize| address(body, 8 + 32 * nth + 8 * word).ok_or_else(refused);
        let offer =
            Offer { address: value(0)?, size: value(1)?, offset: value(3)?, access: Access::Both };
        memory.map(offer, Some(file))?;
    }
    Ok(())
}

fn field(body: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(body.get(at..at + 4)?.try_into().ok()?))
}

fn address(body: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(body.get(at..at + 8)?.try_into().ok()?))
}

fn malformed(request: u32) -> io::Error {
    io::Error::other(format!(
        "virtio link: found request {request} in an unknown form, expected those of Linux 6.12"
    ))
}
