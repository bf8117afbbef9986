//! A client's end of the socket: messages as the specification has them, or as a test wants them.

use std::io::{IoSlice, Read};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::event::{eventfd, EventfdFlags};
use rustix::net::{sendmsg, SendAncillaryBuffer, SendAncillaryMessage, SendFlags};

use super::house::PATIENCE;

/// Bytes of a header.
pub const HEADER: usize = 16;
/// Flag of an answer, and of one that says that the command failed.
pub const REPLY: u32 = 1;
pub const ERROR: u32 = 1 << 5;
/// Flag of a command that is not to be answered.
pub const NO_REPLY: u32 = 1 << 4;

/// An answer, or a command of the server.
#[derive(Debug, PartialEq, Eq)]
pub struct Message {
    pub id: u16,
    pub command: u16,
    pub flags: u32,
    pub error: u32,
    pub payload: Vec<u8>,
}

/// A connected socket.
pub struct Client {
    pub socket: UnixStream,
    next_id: u16,
}

/// Little-endian 4-byte words.
pub fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// An address or a size as two words.
pub fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

impl Client {
    pub fn connect(path: &Path) -> Self {
        let socket = UnixStream::connect(path).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Client { socket, next_id: 100 }
    }

    pub fn negotiate(&mut self) {
        let json = "{\"capabilities\":{\"max_data_xfer_size\":65536,\"write_multiple\":true}}\0";
        let answer = self.ask(1, &[&words(&[0x0001_0000]), json.as_bytes()].concat(), &[]);
        assert_eq!(answer.unwrap()[..4], [0, 0, 1, 0]);
    }

    /// Sends bytes as they are. An error means that the server closed the connection.
    pub fn send_raw(&mut self, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> rustix::io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(253))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !fds.is_empty() {
            assert!(control.push(SendAncillaryMessage::ScmRights(fds)));
        }
        let sent =
            sendmsg(&self.socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)?;
        assert_eq!(sent, bytes.len());
        Ok(())
    }

    /// Sends a command and returns its number.
    pub fn send(&mut self, command: u16, payload: &[u8], fds: &[BorrowedFd<'_>]) -> u16 {
        self.next_id += 1;
        let bytes = frame((self.next_id, command), 0, payload);
        self.send_raw(&bytes, fds).unwrap();
        self.next_id
    }

    /// Sends a command that is not to be answered.
    pub fn post(&mut self, command: u16, payload: &[u8]) {
        self.send_raw(&frame((0, command), NO_REPLY, payload), &[]).unwrap();
    }

    /// Sends a command and waits for its answer; the error is a Linux error number.
    pub fn ask(
        &mut self,
        command: u16,
        payload: &[u8],
        fds: &[BorrowedFd<'_>],
    ) -> Result<Vec<u8>, u32> {
        let id = self.send(command, payload, fds);
        let answer = self.receive().expect("an answer");
        assert_eq!((answer.id, answer.command), (id, command));
        match answer.flags {
            REPLY => Ok(answer.payload),
            flags => {
                assert_eq!((flags, &answer.payload[..]), (REPLY | ERROR, &[][..]));
                Err(answer.error)
            }
        }
    }

    /// The next message; none when the server has closed the connection.
    pub fn receive(&mut self) -> Option<Message> {
        let mut header = [0; HEADER];
        if let Err(error) = self.socket.read_exact(&mut header) {
            let silent = error.kind() == std::io::ErrorKind::WouldBlock;
            assert!(!silent, "the server neither answers nor closes the connection");
            return None;
        }
        let half = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let mut payload = vec![0; word(4) as usize - HEADER];
        self.socket.read_exact(&mut payload).ok()?;
        Some(Message { id: half(0), command: half(2), flags: word(8), error: word(12), payload })
    }

    /// Offers a region that is readable and writable.
    pub fn map(
        &mut self,
        address: u64,
        size: u64,
        file: Option<BorrowedFd<'_>>,
    ) -> Result<(), u32> {
        let [a, b] = halves(address);
        let [c, d] = halves(size);
        let fds: Vec<_> = file.into_iter().collect();
        self.ask(2, &words(&[32, 3, 0, 0, a, b, c, d]), &fds)
            .map(|payload| assert!(payload.is_empty()))
    }

    pub fn unmap(&mut self, address: u64, size: u64) -> Result<(), u32> {
        let [a, b] = halves(address);
        let [c, d] = halves(size);
        let payload = words(&[24, 0, a, b, c, d]);
        self.ask(3, &payload, &[]).map(|answer| assert_eq!(answer, payload))
    }

    pub fn region_read(&mut self, region: u32, offset: u32, count: u32) -> Result<Vec<u8>, u32> {
        let span = words(&[offset, 0, region, count]);
        let answer = self.ask(9, &span, &[])?;
        assert_eq!(answer[..16], span);
        Ok(answer[16..].to_vec())
    }

    pub fn region_write(&mut self, region: u32, offset: u32, data: &[u8]) -> Result<(), u32> {
        let span = words(&[offset, 0, region, data.len() as u32]);
        let answer = self.ask(10, &[&span[..], data].concat(), &[])?;
        assert_eq!(answer, span);
        Ok(())
    }

    pub fn read32(&mut self, offset: u32) -> u32 {
        let bytes = self.region_read(0, offset, 4).unwrap();
        u32::from_le_bytes(bytes.try_into().unwrap())
    }

    pub fn write32(&mut self, offset: u32, value: u32) {
        self.region_write(0, offset, &value.to_le_bytes()).unwrap();
    }

    pub fn reset(&mut self) {
        assert_eq!(self.ask(13, &[], &[]), Ok(vec![]));
    }

    /// Connects an eventfd to an MSI-X vector.
    pub fn connect_irq(&mut self, vector: u32) -> OwnedFd {
        let file = eventfd(0, EventfdFlags::empty()).unwrap();
        self.ask(8, &words(&[20, 0x24, 2, vector, 1]), &[file.as_fd()]).unwrap();
        file
    }
}

impl Drop for Client {
    /// Says that nothing more comes. Closing the socket alone would not: while another test starts a
    /// process, that process has the socket too, until it runs its program.
    fn drop(&mut self) {
        // The server may have ended the conversation before.
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

/// A whole message.
pub fn frame((id, command): (u16, u16), flags: u32, payload: &[u8]) -> Vec<u8> {
    let ids = u32::from(id) | u32::from(command) << 16;
    [&words(&[ids, (HEADER + payload.len()) as u32, flags, 0])[..], payload].concat()
}
