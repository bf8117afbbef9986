//! By what the requests of a trace are in order.

/// How a stream is ordered in itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    /// By arrival.
    Arrival,
    /// By completion.
    Completion,
}
