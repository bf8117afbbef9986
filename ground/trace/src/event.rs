//! Events of a request in traces of the block layer.

/// Which of a request's events in a Linux block trace stands for its arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// `Q`: it was queued. fio's `read_iolog` takes these, too.
    Queue,
    /// `D`: it was sent to the driver. For traces without `Q`.
    Issue,
}

impl Event {
    /// The action that `blkparse` prints for it.
    pub(crate) fn letter(self) -> u8 {
        match self {
            Event::Queue => b'Q',
            Event::Issue => b'D',
        }
    }
}
