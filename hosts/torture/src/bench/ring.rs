//! The queues of a plain host.

/// A queue pair, as the host sees it.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    pub submission: u64,
    pub completion: u64,
    /// Entries of the submission and of the completion queue.
    pub entries: (u32, u32),
    pub tail: u32,
    /// Completions taken.
    pub head: u32,
    /// The submission queue's head, as completions report it, and how far it went in all.
    pub fetched: (u32, u32),
    /// The host looks for completions when it is interrupted.
    pub served: bool,
    /// Its deletion was not asked for.
    pub live: bool,
}

impl Ring {
    /// One at these addresses.
    pub const fn new(submission: u64, completion: u64, entries: (u32, u32)) -> Self {
        let (tail, head, fetched) = (0, 0, (0, 0));
        Ring { submission, completion, entries, tail, head, fetched, served: true, live: true }
    }

    /// The ring of a queue pair.
    pub fn of(id: usize, entries: (u32, u32)) -> Self {
        match id {
            0 => Ring::new(0x1000, 0x4000, entries),
            1 => Ring::new(0x8000, 0xc000, entries),
            _ => {
                let base = 0x3_0000 + id as u64 * 0x8000;
                Ring::new(base, base + 0x4000, entries)
            }
        }
    }
}
