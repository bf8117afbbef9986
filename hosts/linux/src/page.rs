//! What the guest's kernel tells of its programs, in memory that the drive sees too.
//!
//! A module of the guest (`world/modules/account.c`) writes there who runs, who gave each command, and each system call that has
//! to do with a file on the drive. Whatever stands there is the guest's word, and is not trusted to be sound.

use machine::HostMemory;
use pci::GuestMemory;

/// Bytes of a name of a program or of a system call.
const NAME_BYTES: usize = 16;
/// Bytes of a name of a file.
const FILE_BYTES: usize = 24;
/// Most kinds of system calls.
const MOST_KINDS: u64 = 64;
/// Tags of commands that have a place.
const MOST_TAGS: u64 = 1024;
/// Most system calls that wait to be taken.
const MOST_CALLS: u32 = 1 << 20;
/// Bits of a command's identifier that are its tag; the others count how often the tag was used (Linux 6.12, `nvme_cid`).
const TAG_BITS: u16 = 12;

/// Offsets of `struct told`, and the sizes of what it is made of.
mod layout {
    use super::{MOST_KINDS, MOST_TAGS, NAME_BYTES};

    pub const TASK_BYTES: usize = 8 + NAME_BYTES;
    pub const CALL_BYTES: usize = 24 + NAME_BYTES + super::FILE_BYTES;
    pub const CAPACITY: u64 = 0;
    pub const WRITTEN: u64 = 8;
    pub const TAKEN: u64 = 16;
    pub const LOST: u64 = 24;
    pub const RUNNING: u64 = 32;
    pub const NAMES: u64 = RUNNING + TASK_BYTES as u64;
    pub const ISSUERS: u64 = NAMES + MOST_KINDS * NAME_BYTES as u64;
    pub const CALLS: u64 = ISSUERS + MOST_TAGS * TASK_BYTES as u64;
}

/// A program of the guest, or a thread of its kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Number of the process in the guest.
    pub process: u32,
    /// Whether it is a thread of the kernel.
    pub is_kernel: bool,
    /// Its name, of which Linux keeps 15 bytes.
    pub name: String,
}

/// A system call that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// When it began, in nanoseconds of the guest.
    pub began_ns: u64,
    /// When it ended.
    pub ended_ns: u64,
    /// Number of the process that made it.
    pub process: u32,
    /// Name of the thread that made it.
    pub name: String,
    /// Name of the system call.
    pub call: String,
    /// Name of the file, without its folder; empty where the call names none that is open.
    pub file: String,
}

/// The memory, whose place the guest has told.
#[derive(Clone, Debug)]
pub struct Page {
    address: u64,
    capacity: u32,
    kinds: Vec<String>,
}

impl Page {
    /// The memory at an address of the guest; none where no such thing is there.
    pub fn at(memory: &mut GuestMemory, address: u64) -> Option<Self> {
        let head: [u8; 8] = bytes(memory, address.checked_add(layout::CAPACITY)?)?;
        let [capacity, kinds] = [0, 4].map(|at| half(&head, at));
        if !(1..=MOST_CALLS).contains(&capacity) || u64::from(kinds) > MOST_KINDS {
            return None;
        }
        let mut name = |kind: u64| {
            let at = address.checked_add(layout::NAMES + kind * NAME_BYTES as u64)?;
            bytes::<NAME_BYTES>(memory, at).map(|name| text(&name))
        };
        let kinds = (0..u64::from(kinds)).map(&mut name).collect::<Option<_>>()?;
        Some(Page { address, capacity, kinds })
    }

    /// Who has the guest's processor.
    pub fn running(&self, memory: &mut GuestMemory) -> Option<Task> {
        self.task(memory, layout::RUNNING)
    }

    /// Who gave the command with this identifier, which is not done yet.
    pub fn issuer(&self, memory: &mut GuestMemory, identifier: u16) -> Option<Task> {
        let tag = u64::from(identifier & ((1 << TAG_BITS) - 1));
        (tag < MOST_TAGS)
            .then(|| self.task(memory, layout::ISSUERS + tag * layout::TASK_BYTES as u64))?
    }

    /// Takes the system calls that have ended since the last time.
    pub fn take_calls(&self, memory: &mut GuestMemory) -> Vec<Call> {
        let Some([written, taken]) = self.counts(memory) else { return Vec::new() };
        if written == taken || written.wrapping_sub(taken) > u64::from(self.capacity) {
            return Vec::new();
        }
        let calls = (0..written.wrapping_sub(taken))
            .filter_map(|nth| self.call(memory, taken.wrapping_add(nth)))
            .collect();
        memory.write(self.address + layout::TAKEN, &written.to_le_bytes());
        calls
    }

    /// System calls that found no room, as nobody had taken those before them.
    pub fn lost(&self, memory: &mut GuestMemory) -> u64 {
        bytes(memory, self.address + layout::LOST).map_or(0, u64::from_le_bytes)
    }

    fn counts(&self, memory: &mut GuestMemory) -> Option<[u64; 2]> {
        let both: [u8; 16] = bytes(memory, self.address + layout::WRITTEN)?;
        debug_assert_eq!(layout::TAKEN, layout::WRITTEN + 8);
        Some([0, 8].map(|at| word(&both, at)))
    }

    fn task(&self, memory: &mut GuestMemory, at: u64) -> Option<Task> {
        let told: [u8; layout::TASK_BYTES] = bytes(memory, self.address.checked_add(at)?)?;
        let name = text(&told[8..]);
        let (process, is_kernel) = (half(&told, 0), half(&told, 4) != 0);
        (!name.is_empty()).then_some(Task { process, is_kernel, name })
    }

    fn call(&self, memory: &mut GuestMemory, nth: u64) -> Option<Call> {
        let slot = nth % u64::from(self.capacity);
        let at = layout::CALLS + slot * layout::CALL_BYTES as u64;
        let told: [u8; layout::CALL_BYTES] = bytes(memory, self.address.checked_add(at)?)?;
        let (name, file) = told[24..].split_at(NAME_BYTES);
        Some(Call {
            began_ns: word(&told, 0),
            ended_ns: word(&told, 8),
            process: half(&told, 16),
            call: self.kinds.get(half(&told, 20) as usize)?.clone(),
            name: text(name),
            file: text(file),
        })
    }
}

fn bytes<const N: usize>(memory: &mut GuestMemory, address: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    memory.read(address, &mut bytes).then_some(bytes)
}

fn half(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|nth| bytes[at + nth]))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from(half(bytes, at)) | u64::from(half(bytes, at + 4)) << 32
}

/// Text up to its first zero, without what would move a terminal's cursor.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

#[cfg(test)]
#[path = "page_tests.rs"]
pub(crate) mod tests;
