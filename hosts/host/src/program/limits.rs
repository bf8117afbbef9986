//! What requests of a program have to keep to.

use std::fmt;

use crate::job::{Request, RequestKind};

/// What requests of a program have to keep to, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// What the drive holds.
    pub capacity_bytes: u64,
    /// A logical block: offsets and lengths are multiples of it.
    pub block_bytes: u64,
    /// Most bytes of a read or a write; trims may be longer.
    pub most_bytes: u64,
}

/// A request that cannot be issued. `Display` is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    kind: RequestKind,
    key: &'static str,
    found: u64,
    expected: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refused { kind, key, found, expected } = self;
        write!(f, "{}: {key}: found {found}, expected {expected}", kind.name())
    }
}

impl Limits {
    /// Looks whether a request can be issued.
    ///
    /// # Errors
    /// If it is empty, not made of whole blocks, too long, or not within the drive.
    pub fn check(&self, request: &Request) -> Result<(), Refused> {
        let Limits { capacity_bytes, block_bytes, most_bytes } = *self;
        let Request { kind, offset_bytes, length_bytes } = *request;
        let refuse = |key, found, expected| Err(Refused { kind, key, found, expected });
        if kind == RequestKind::Flush {
            return Ok(());
        }
        if offset_bytes % block_bytes != 0 {
            return refuse("offset", offset_bytes, format!("a multiple of {block_bytes} bytes"));
        }
        if length_bytes == 0 || length_bytes % block_bytes != 0 {
            let expected = format!("a multiple of {block_bytes} bytes, at least one block");
            return refuse("size", length_bytes, expected);
        }
        if kind != RequestKind::Trim && length_bytes > most_bytes {
            return refuse("size", length_bytes, format!("at most {most_bytes} bytes"));
        }
        if length_bytes > capacity_bytes {
            return refuse("size", length_bytes, format!("at most {capacity_bytes}, the drive"));
        }
        if offset_bytes > capacity_bytes - length_bytes {
            let expected = format!(
                "at most {}, as the drive has {capacity_bytes} bytes",
                capacity_bytes - length_bytes
            );
            return refuse("offset", offset_bytes, expected);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits =
        Limits { capacity_bytes: 1 << 20, block_bytes: 4096, most_bytes: 16_384 };

    fn checked(kind: RequestKind, offset_bytes: u64, length_bytes: u64) -> Result<(), String> {
        let request = Request { kind, offset_bytes, length_bytes };
        LIMITS.check(&request).map_err(|refused| refused.to_string())
    }

    #[test]
    fn what_keeps_to_the_limits_passes() {
        let rows = [
            (RequestKind::Read, 0, 4096),
            (RequestKind::Write, (1 << 20) - 16_384, 16_384),
            (RequestKind::Trim, 0, 1 << 20),
            (RequestKind::Flush, 0, 0),
        ];
        for (kind, offset, length) in rows {
            assert_eq!(checked(kind, offset, length), Ok(()), "{kind:?}");
        }
    }

    #[test]
    fn what_does_not_is_refused_in_one_line() {
        let rows = [
            (RequestKind::Read, 100, 4096, "read: offset: found 100, expected a multiple of 4096 bytes"),
            (
                RequestKind::Write,
                0,
                0,
                "write: size: found 0, expected a multiple of 4096 bytes, at least one block",
            ),
            (
                RequestKind::Read,
                0,
                5000,
                "read: size: found 5000, expected a multiple of 4096 bytes, at least one block",
            ),
            (RequestKind::Write, 0, 20_480, "write: size: found 20480, expected at most 16384 bytes"),
            (
                RequestKind::Trim,
                0,
                2 << 20,
                "trim: size: found 2097152, expected at most 1048576, the drive",
            ),
            (
                RequestKind::Read,
                1 << 20,
                4096,
                "read: offset: found 1048576, expected at most 1044480, as the drive has 1048576 bytes",
            ),
            (
                RequestKind::Write,
                u64::MAX - 4095,
                4096,
                "write: offset: found 18446744073709547520, expected at most 1044480, as the drive has \
                 1048576 bytes",
            ),
        ];
        for (kind, offset, length, line) in rows {
            assert_eq!(checked(kind, offset, length), Err(line.to_owned()));
        }
    }
}
