//! The guest's memory, as the client offers it: regions that come and go, of three kinds.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use machine::HostMemory;
use rustix::fs::{fcntl_get_seals, fstat, FileType, SealFlags};
use rustix::io::{pread, pwrite, Errno};

use crate::channel::{Channel, Lost};
use crate::mapping::Mapping;
use crate::wire::{command, Fields};

/// Regions begin and end at a multiple of this (`pgsizes`).
pub const PAGE_BYTES: u64 = 4096;
/// Most regions at once (`max_dma_maps`); each may cost a mapping or a file descriptor.
pub const MOST_REGIONS: usize = 4096;

/// What the device may do with a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read it.
    Read,
    /// Write it.
    Write,
    /// Either.
    Both,
}

impl Access {
    fn reads(self) -> bool {
        self != Access::Write
    }

    fn writes(self) -> bool {
        self != Access::Read
    }
}

/// A region to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its first address.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Where it begins in its file.
    pub offset: u64,
    /// What may be done.
    pub access: Access,
}

/// Where the bytes of a region are.
#[derive(Debug)]
enum Backing {
    /// In this process: a file that cannot shrink.
    Mapped(Mapping),
    /// In a file that its owner may cut short, which would end a process that has it mapped. It is
    /// read and written instead.
    File { file: OwnedFd, offset: u64 },
    /// With the client, who is asked for each access.
    Client,
}

#[derive(Debug)]
struct Region {
    size: u64,
    access: Access,
    backing: Backing,
}

/// The guest's memory. An access is done only where all of it lies in regions that allow it.
#[derive(Debug, Default)]
pub struct GuestMemory {
    /// Regions by first address; they do not overlap.
    regions: BTreeMap<u64, Region>,
    channel: Option<Rc<RefCell<Channel>>>,
    /// Most bytes that the client takes in one message.
    most_transfer: u64,
    lost: Option<Lost>,
}

/// One piece of an access: part of one region.
struct Piece<'a> {
    region: &'a Region,
    /// First byte of it in the region.
    at: u64,
    address: u64,
    length: usize,
}

impl GuestMemory {
    /// Memory without regions, of a client that takes `most_transfer` bytes in one message.
    pub fn new(channel: Rc<RefCell<Channel>>, most_transfer: u64) -> Self {
        GuestMemory { regions: BTreeMap::new(), channel: Some(channel), most_transfer, lost: None }
    }

    /// Adds a region, in a file or with the client.
    ///
    /// # Errors
    /// EINVAL when it is not made of whole pages or its file is too short, EEXIST when it overlaps
    /// another, ENOSPC when there are too many, and those of mmap.
    pub fn map(&mut self, offer: Offer, file: Option<OwnedFd>) -> Result<(), Errno> {
        let Offer { address, size, offset, access } = offer;
        let end = address.checked_add(size).ok_or(Errno::INVAL)?;
        let whole = [address, size].iter().all(|value| value % PAGE_BYTES == 0);
        if size == 0 || !whole {
            return Err(Errno::INVAL);
        }
        if self.regions.range(..end).next_back().is_some_and(|(at, r)| at + r.size > address) {
            return Err(Errno::EXIST);
        }
        if self.regions.len() >= MOST_REGIONS {
            return Err(Errno::NOSPC);
        }
        let backing = match file {
            None => Backing::Client,
            Some(file) => in_file(file, (offset, size), access)?,
        };
        self.regions.insert(address, Region { size, access, backing });
        Ok(())
    }

    /// Removes a region, which has to be named exactly.
    ///
    /// # Errors
    /// ENOENT when there is none.
    pub fn unmap(&mut self, address: u64, size: u64) -> Result<(), Errno> {
        match self.regions.get(&address) {
            Some(region) if region.size == size => {
                self.regions.remove(&address);
                Ok(())
            }
            _ => Err(Errno::NOENT),
        }
    }

    /// Removes all regions.
    pub fn unmap_all(&mut self) {
        self.regions.clear();
    }

    /// Why the client was lost while its memory was accessed, if it was.
    pub fn lost(&self) -> Option<Lost> {
        self.lost
    }

    /// The pieces of an access, from the first address on; `None` when some byte is not there or does
    /// not allow it.
    fn pieces(
        &self,
        address: u64,
        length: usize,
        allows: fn(Access) -> bool,
    ) -> Option<Pieces<'_>> {
        let mut left = length as u64;
        let mut next = address;
        address.checked_add(left)?;
        while left > 0 {
            let (start, region) = self.region_of(next)?;
            if !allows(region.access) {
                return None;
            }
            let here = left.min(start + region.size - next);
            (next, left) = (next + here, left - here);
        }
        Some(Pieces { memory: self, address, left: length })
    }

    fn region_of(&self, address: u64) -> Option<(u64, &Region)> {
        let (&start, region) = self.regions.range(..=address).next_back()?;
        (address - start < region.size).then_some((start, region))
    }

    fn ask(&mut self, number: u16, parts: &[&[u8]]) -> Option<Vec<u8>> {
        if self.lost.is_some() {
            return None;
        }
        match self.channel.as_ref()?.borrow_mut().ask(number, parts) {
            Ok(answer) => answer,
            Err(lost) => {
                self.lost = Some(lost);
                None
            }
        }
    }

    fn read_from_client(&mut self, address: u64, into: &mut [u8]) -> bool {
        let step = self.step();
        (address..).step_by(step).zip(into.chunks_mut(step)).all(|(address, into)| {
            let count = into.len() as u64;
            let answer =
                self.ask(command::DMA_READ, &[&address.to_le_bytes(), &count.to_le_bytes()]);
            let Some(answer) = answer else { return false };
            match data_of(&answer, (address, count)) {
                Ok(data) if data.len() == into.len() => {
                    into.copy_from_slice(data);
                    true
                }
                _ => {
                    self.lost = Some(Lost::BadReply);
                    false
                }
            }
        })
    }

    fn write_to_client(&mut self, address: u64, from: &[u8]) -> bool {
        let step = self.step();
        (address..).step_by(step).zip(from.chunks(step)).all(|(address, from)| {
            let count = from.len() as u64;
            let parts = [&address.to_le_bytes()[..], &count.to_le_bytes(), from];
            self.ask(command::DMA_WRITE, &parts).is_some()
        })
    }

    fn step(&self) -> usize {
        usize::try_from(self.most_transfer).unwrap_or(usize::MAX).max(1)
    }
}

impl HostMemory for GuestMemory {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        let mut from_client = Vec::new();
        let Some(pieces) = self.pieces(address, bytes.len(), Access::reads) else { return false };
        let mut rest = &mut *bytes;
        for piece in pieces {
            let (into, after) = rest.split_at_mut(piece.length);
            rest = after;
            match &piece.region.backing {
                Backing::Mapped(mapping) => mapping.read(piece.at as usize, into),
                Backing::File { file, offset } => {
                    if !read_file(file, offset + piece.at, into) {
                        return false;
                    }
                }
                Backing::Client => from_client.push((piece.address, piece.length)),
            }
        }
        from_client.into_iter().all(|(piece, length)| {
            let first = (piece - address) as usize;
            self.read_from_client(piece, &mut bytes[first..first + length])
        })
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let mut to_client = Vec::new();
        let Some(pieces) = self.pieces(address, bytes.len(), Access::writes) else { return false };
        let mut rest = bytes;
        for piece in pieces {
            let (from, after) = rest.split_at(piece.length);
            rest = after;
            match &piece.region.backing {
                Backing::Mapped(mapping) => mapping.write(piece.at as usize, from),
                Backing::File { file, offset } => {
                    if !write_file(file, offset + piece.at, from) {
                        return false;
                    }
                }
                Backing::Client => to_client.push((piece.address, from)),
            }
        }
        to_client.into_iter().all(|(piece, from)| self.write_to_client(piece, from))
    }
}

/// The pieces of a checked access, in order.
struct Pieces<'a> {
    memory: &'a GuestMemory,
    address: u64,
    left: usize,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if self.left == 0 {
            return None;
        }
        let address = self.address;
        let (start, region) = self.memory.region_of(address)?;
        let at = address - start;
        let length = (region.size - at).min(self.left as u64) as usize;
        self.address += length as u64;
        self.left -= length;
        Some(Piece { region, at, address, length })
    }
}

/// A part of a file that holds it in full, mapped if it always will.
fn in_file(file: OwnedFd, (offset, size): (u64, u64), access: Access) -> Result<Backing, Errno> {
    // Seals before the length: what cannot shrink now is never again shorter than it is found to be. The
    // other way round, a client could cut its file in between, seal it, and end this process by an access.
    let seals = fcntl_get_seals(&file).unwrap_or(SealFlags::empty());
    let status = fstat(&file)?;
    let end = offset.checked_add(size).ok_or(Errno::INVAL)?;
    let long_enough = u64::try_from(status.st_size).is_ok_and(|length| end <= length);
    if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile || !long_enough {
        return Err(Errno::INVAL);
    }
    if !seals.contains(SealFlags::SHRINK) {
        return Ok(Backing::File { file, offset });
    }
    if offset % PAGE_BYTES != 0 {
        return Err(Errno::INVAL);
    }
    let bytes = usize::try_from(size).map_err(|_| Errno::INVAL)?;
    Ok(Backing::Mapped(Mapping::new(file.as_fd(), (offset, bytes), access)?))
}

fn read_file(file: &OwnedFd, mut offset: u64, mut into: &mut [u8]) -> bool {
    while !into.is_empty() {
        match pread(file, &mut *into, offset) {
            Ok(count @ 1..) => {
                offset += count as u64;
                into = &mut into[count..];
            }
            Err(Errno::INTR) => {}
            Ok(0) | Err(_) => return false,
        }
    }
    true
}

/// Writes in two steps, so that the last word of a queue entry, which holds its phase, comes last.
fn write_file(file: &OwnedFd, offset: u64, from: &[u8]) -> bool {
    let (first, last) = from.split_at(from.len().saturating_sub(4));
    write_in_order(file, offset, first) && write_in_order(file, offset + first.len() as u64, last)
}

fn write_in_order(file: &OwnedFd, mut offset: u64, mut from: &[u8]) -> bool {
    while !from.is_empty() {
        match pwrite(file, from, offset) {
            Ok(count @ 1..) => {
                offset += count as u64;
                from = &from[count..];
            }
            Err(Errno::INTR) => {}
            Ok(0) | Err(_) => return false,
        }
    }
    true
}

/// The data of an answer to DMA_READ, which repeats address and count.
fn data_of(answer: &[u8], asked: (u64, u64)) -> Result<&[u8], Errno> {
    let mut fields = Fields(answer);
    if (fields.u64()?, fields.u64()?) != asked {
        return Err(Errno::INVAL);
    }
    Ok(fields.rest())
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
