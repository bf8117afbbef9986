//! Structures in memory: each is declared once, with the byte offset of every field.

/// A field of a structure in little-endian byte order.
pub trait Field {
    /// Bytes that it takes.
    const BYTES: usize;
    /// Writes it at the start of `bytes`.
    fn put(&self, bytes: &mut [u8]);
    /// Reads it from the start of `bytes`.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! integer_field {
    ($($type:ty),*) => {$(
        impl Field for $type {
            const BYTES: usize = size_of::<$type>();
            fn put(&self, bytes: &mut [u8]) {
                bytes[..size_of::<$type>()].copy_from_slice(&self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                let mut value = [0; size_of::<$type>()];
                value.copy_from_slice(&bytes[..size_of::<$type>()]);
                <$type>::from_le_bytes(value)
            }
        }
    )*};
}
integer_field!(u8, u16, u32, u64, u128);

impl<const N: usize> Field for [u8; N] {
    const BYTES: usize = N;
    fn put(&self, bytes: &mut [u8]) {
        bytes[..N].copy_from_slice(self);
    }
    fn get(bytes: &[u8]) -> Self {
        let mut value = [0; N];
        value.copy_from_slice(&bytes[..N]);
        value
    }
}

/// Stops the build where the fields, as (offset, bytes), overlap, are not in order, or stick out of
/// a structure of `size` bytes.
pub const fn check_spans(size: usize, spans: &[(usize, usize)]) {
    let mut end = 0;
    let mut index = 0;
    while index < spans.len() {
        let (offset, bytes) = spans[index];
        assert!(offset >= end, "fields overlap or are out of order");
        end = offset + bytes;
        index += 1;
    }
    assert!(end <= size, "a field sticks out of its structure");
}

/// Declares a structure of a fixed number of bytes: `field: type = offset`.
macro_rules! layout {
    (
        $(#[$meta:meta])*
        $name:ident [$size:literal] {
            $( $(#[$field_meta:meta])* $field:ident: $type:ty = $offset:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
        }

        const _: () = $crate::layout::check_spans(
            $size,
            &[$( ($offset, <$type as $crate::layout::Field>::BYTES) ),*],
        );

        impl $name {
            /// Bytes of the structure.
            pub const BYTES: usize = $size;

            /// The structure with every field zero.
            pub fn zeroed() -> Self {
                Self::parse(&[0; $size])
            }

            /// Writes the structure; reserved bytes become zero.
            pub fn emit(&self, bytes: &mut [u8; $size]) {
                bytes.fill(0);
                $( $crate::layout::Field::put(&self.$field, &mut bytes[$offset..]); )*
            }

            /// Reads the structure; reserved bytes are ignored.
            pub fn parse(bytes: &[u8; $size]) -> Self {
                Self { $( $field: $crate::layout::Field::get(&bytes[$offset..]), )* }
            }
        }
    };
}
pub(crate) use layout;
