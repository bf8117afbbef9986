//! A drive's end of the guest's PCI bus: the driver's accesses come in, and interrupts go out.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use board::Board;
use machine::{HostMemory, Registers};
use pci::GuestMemory;

use crate::function::{Answer, PciFunction};
use crate::kernel::{accept, Kernel, Ready};
use crate::process::Process;
use crate::vhost::{Notice, VirtioLink, ACCESSES, INTERRUPTS};

/// Accesses that the driver does not wait for, after which it is told that its buffers are back.
const POSTED_AT_ONCE: u32 = 6;

/// The link of a drive with the guest.
#[derive(Debug)]
pub struct Port {
    /// Its number among the drives of the guest.
    nth: usize,
    virtio: Option<VirtioLink>,
    pub(crate) function: PciFunction,
    pub(crate) memory: GuestMemory,
    /// Accesses that the driver has not been told the end of.
    posted: u32,
    /// The driver has gone: the guest powers off, one drive after the other.
    is_closed: bool,
}

impl Port {
    /// The port of the drive with this number and board, to which the guest has not come yet.
    pub fn new(nth: usize, board: &Board) -> Self {
        Port {
            nth,
            virtio: None,
            function: PciFunction::new(board),
            memory: GuestMemory::default(),
            posted: 0,
            is_closed: false,
        }
    }

    /// Whether the guest has come.
    pub(crate) fn is_linked(&self) -> bool {
        self.virtio.is_some()
    }

    /// Where its driver's messages come, or the driver itself; none once it has gone.
    pub(crate) fn socket<'a>(&'a self, process: &'a Process) -> Option<BorrowedFd<'a>> {
        match &self.virtio {
            _ if self.is_closed => None,
            Some(virtio) => Some(virtio.as_fd()),
            None => Some(process.virtio_listener(self.nth).as_fd()),
        }
    }

    /// Where answers to calls come from.
    pub(crate) fn back_channel(&self) -> Option<BorrowedFd<'_>> {
        self.virtio.as_ref()?.back_channel()
    }

    /// Takes the answer to a call.
    pub(crate) fn take_answer(&mut self) -> io::Result<()> {
        self.virtio.as_mut().map_or(Ok(()), VirtioLink::take_answer)
    }

    /// Takes the driver's next message and does what it says.
    pub(crate) fn attend(
        &mut self,
        kernel: &mut Kernel,
        registers: &mut Registers<'_>,
    ) -> io::Result<()> {
        let Some(virtio) = &mut self.virtio else {
            let socket = accept(kernel.process.virtio_listener(self.nth))?;
            self.virtio = Some(VirtioLink::new(socket));
            return Ok(());
        };
        match virtio.take(&mut self.memory) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.is_closed = true;
                Ok(())
            }
            Err(error) => Err(error),
            Ok(Notice::None) => Ok(()),
            Ok(Notice::Kick(queue)) => {
                if queue == ACCESSES {
                    self.do_accesses(kernel, registers)?;
                } else if let Some(virtio) = &self.virtio {
                    virtio.rings[INTERRUPTS].set_wants_notice(&mut self.memory, false);
                }
                self.virtio.as_mut().map_or(Ok(()), VirtioLink::acknowledge)?;
                self.send_interrupts(kernel)
            }
        }
    }

    /// Does what the driver has put into its queue.
    fn do_accesses(
        &mut self,
        kernel: &mut Kernel,
        registers: &mut Registers<'_>,
    ) -> io::Result<()> {
        let Port { virtio, memory, function, posted, .. } = self;
        let Some(virtio) = virtio else { return Ok(()) };
        let ring = &mut virtio.rings[ACCESSES];
        while let Some(head) = ring.take(memory) {
            let parts = ring.parts(memory, head);
            let mut message = Vec::new();
            for part in parts.iter().filter(|part| !part.is_for_device) {
                let mut bytes = vec![0; part.bytes.min(1 << 16) as usize];
                if memory.read(part.address, &mut bytes) {
                    message.extend(bytes);
                }
            }
            let mut written = 0;
            match function.access(&message, registers) {
                Answer::Posted => *posted += 1,
                Answer::Read(bytes) => {
                    if let Some(into) = parts.iter().find(|part| part.is_for_device) {
                        let fits = bytes.len().min(into.bytes as usize);
                        memory.write(into.address, &bytes[..fits]);
                        written = fits as u32;
                    }
                }
            }
            ring.give(memory, head, written);
        }
        if self.posted >= POSTED_AT_ONCE {
            self.posted = 0;
            self.call(kernel, ACCESSES)?;
        }
        Ok(())
    }

    /// Sends the guest all messages of interrupts that it can take.
    pub(crate) fn send_interrupts(&mut self, kernel: &mut Kernel) -> io::Result<()> {
        while let Some(message) = self.function.next_message() {
            let Port { virtio: Some(virtio), memory, function, .. } = self else { return Ok(()) };
            let ring = &mut virtio.rings[INTERRUPTS];
            let Some(head) = ring.take(memory) else {
                function.take_back();
                ring.set_wants_notice(memory, true);
                return Ok(());
            };
            let into = ring.parts(memory, head).into_iter().find(|part| part.is_for_device);
            if let Some(into) = into.filter(|part| part.bytes as usize >= message.len()) {
                memory.write(into.address, &message);
            }
            ring.give(memory, head, message.len() as u32);
            if std::mem::take(&mut self.posted) > 0 {
                virtio.call(ACCESSES, false)?;
            }
            self.call(kernel, INTERRUPTS)?;
        }
        Ok(())
    }

    /// Tells the driver that buffers are back, and waits until it has heard it.
    fn call(&mut self, kernel: &mut Kernel, queue: usize) -> io::Result<()> {
        self.virtio.as_mut().map_or(Ok(()), |virtio| virtio.call(queue, true))?;
        let answer = Ready::BackChannel(0);
        while kernel.end.is_none() {
            let is_asked = |ready| [Ready::Time, answer].contains(&ready);
            match kernel.wait_for(is_asked, &mut [&mut *self])? {
                Some(Ready::BackChannel(_)) => return self.take_answer(),
                Some(_) => kernel.take_time()?,
                None => {}
            }
        }
        Ok(())
    }
}
