//! What reports beside each other are called.

/// The letter that stands for a report, or its number.
pub(crate) fn letter(nth: usize) -> String {
    match nth {
        0..26 => char::from(b'A' + nth as u8).to_string(),
        _ => (nth + 1).to_string(),
    }
}
