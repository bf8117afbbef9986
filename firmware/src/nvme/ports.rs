//! What the NVMe manager works with.

/// What the manager works with: the body above, the storage layers below.
pub(super) struct Ports<'a, H, S> {
    pub hw: &'a mut H,
    pub storage: &'a mut S,
}
