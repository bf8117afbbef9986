//! Data structures of Identify (NVMe 1.4 section 5.15.2).

mod controller;
mod namespace;

pub use controller::{
    admin_capability, cache, controller_attribute, format_attribute, io_capability, log_attribute,
    Controller, PowerState, NQN_PREFIX,
};
pub use namespace::{
    emit_command_set, emit_descriptors, emit_namespaces, parse_active_namespaces,
    parse_uuid_descriptor, BlockFormat, Identifiers, Namespace, ATOMIC_SIZES_VALID,
    DEALLOCATED_READ_ZEROES, OPTIMAL_SIZES_VALID,
};

/// A text field: ASCII, left justified, padded with spaces (NVMe 1.4 section 1.5).
///
/// # Panics
/// When the text is longer than the field.
pub const fn text<const N: usize>(value: &str) -> [u8; N] {
    let bytes = value.as_bytes();
    let mut field = [b' '; N];
    let mut index = 0;
    while index < bytes.len() {
        field[index] = bytes[index];
        index += 1;
    }
    field
}
