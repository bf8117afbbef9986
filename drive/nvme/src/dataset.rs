//! Ranges of Dataset Management (NVMe 1.4 section 6.7.1).

use crate::layout::layout;

layout! {
    /// One range.
    Range [16] {
        /// Context attributes: hints on how the range will be used.
        attributes: u32 = 0,
        /// Length in logical blocks; this one is not zero-based.
        blocks: u32 = 4,
        /// First logical block.
        start: u64 = 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_attributes_length_start() {
        let range = Range { attributes: 1, blocks: 0x0a0b_0c0d, start: 0x0102_0304_0506_0708 };
        let mut bytes = [0xff; Range::BYTES];
        range.emit(&mut bytes);
        assert_eq!(bytes, [1, 0, 0, 0, 0x0d, 0x0c, 0x0b, 0x0a, 8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(Range::parse(&bytes), range);
    }
}
