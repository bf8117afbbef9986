//! Whether requests wait for others (`serialize_overlap`).

/// Whether a request waits for those that it overlaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlap {
    /// It does not.
    #[default]
    Allowed,
    /// It does.
    Serialized,
}
