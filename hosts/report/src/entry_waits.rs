//! What reports call the waits for buffer entries.

/// Names for people and as keys, in the order of [`machine::EntryWaits::times_ps`].
pub(crate) const NAMES: [(&str, &str); 6] = [
    ("a page was read or programmed", "flash"),
    ("behind pages that the drive moves or writes back", "internal_work"),
    ("behind an erase", "erase"),
    ("behind operations of other commands", "die"),
    ("data on their way between host and buffer", "host"),
    ("work of the processor", "firmware"),
];
