//! Colours of what a drive does.

use chart::palette::{ON_FILL, TEXT};
use chart::Ink;

use crate::names;

/// What is behind the boxes of a row.
pub(crate) const LANE: Ink = Ink::new(0xF5F7F9, 0x171D25);

/// An operation's colour, that of text on it, and its entry in the legend.
pub(crate) struct Look {
    pub(crate) name: &'static str,
    pub(crate) ink: Ink,
    pub(crate) on_ink: Ink,
}

const fn look(name: &'static str, (light, dark): (u32, u32), on_ink: Ink) -> Look {
    Look { name, ink: Ink::new(light, dark), on_ink }
}

/// Reads are blue, programs orange, erases red, resets violet, settings teal; what stops is yellow, what goes on green.
/// On white, the chip's part is light and the bus's dark.
const LOOKS: [Look; 22] = [
    look(names::READ_TRIGGER, (0x123F6E, 0xB5D4F5), ON_FILL),
    look(names::ARRAY_READ, (0xA9CBEC, 0x254A70), TEXT),
    look(names::READY, (0xDCE6F0, 0x263442), TEXT),
    look(names::READ_TRANSFER, (0x2B6CB2, 0x6CAEF0), ON_FILL),
    look(names::PROGRAM_TRANSFER, (0xC8701D, 0xF0A35A), ON_FILL),
    look(names::ARRAY_PROGRAM, (0xF6CFA1, 0x6B461C), TEXT),
    look(names::ERASE_TRIGGER, (0x8E1F1B, 0xF3A19E), ON_FILL),
    look(names::ARRAY_ERASE, (0xEBA5A2, 0x7A2A27), TEXT),
    look(names::STATUS_CHECK, (0x6A7688, 0xA6B1BF), ON_FILL),
    look(names::SUSPEND, (0x5C4A0A, 0xE3CF7A), ON_FILL),
    look(names::CHIP_SUSPENDS, (0xE9E27A, 0x5A5A08), TEXT),
    look(names::RESUME, (0x1F5C33, 0x9CE0B0), ON_FILL),
    look(names::CHIP_RESUMED, (0xB9DEC6, 0x27583A), TEXT),
    look(names::SET_LEVEL, (0x0B6E7A, 0x7FE0EE), ON_FILL),
    look(names::CHIP_FEATURE, (0x8FDDD6, 0x175C58), TEXT),
    look(names::RESET_TRIGGER, (0x4A2A6B, 0xD9B4F7), ON_FILL),
    look(names::CHIP_RESET, (0xCDBBE0, 0x4B3466), TEXT),
    look(names::FROM_HOST, (0x2F8568, 0x62C5A0), ON_FILL),
    look(names::TO_HOST, (0x8353AA, 0xBE95E3), ON_FILL),
    look(names::AT_HOST, (0xB7C9A0, 0x3C5026), TEXT),
    look(names::AT_FIRMWARE, (0x4F7A2A, 0xA8D67F), ON_FILL),
    look(names::WAITING, (0xD3C4B8, 0x4A3B30), TEXT),
];

/// The line along the critical path of a request.
pub(crate) const PATH: Ink = Ink::new(0x0B0D10, 0xFBFCFE);

/// What a trace of another origin may hold.
const OTHER: Look = look("other", (0xD3BB4C, 0x8A7415), TEXT);

/// All looks, in the order of a legend.
pub(crate) fn looks() -> impl Iterator<Item = &'static Look> {
    LOOKS.iter().chain([&OTHER])
}

/// The look of an operation of this name, or of what waits behind one.
pub(crate) fn look_of(name: &str) -> &'static Look {
    let name = name.strip_prefix(names::BEHIND).unwrap_or(name);
    LOOKS.iter().find(|look| look.name == name).unwrap_or(&OTHER)
}

/// Colours of pictures, beside those that all pages have, with the names of their variables in a style sheet.
pub fn inks() -> impl Iterator<Item = (String, Ink)> {
    let named = |(nth, look): (usize, &Look)| (format!("operation-{nth}"), look.ink);
    let others = [("lane".to_owned(), LANE), ("path".to_owned(), PATH)];
    looks().enumerate().map(named).chain(others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{DmaDirection, FlashOperation};

    /// Sum of the differences of red, green and blue from which two colours beside each other are told apart.
    const APART: u32 = 36;

    const OPERATIONS: [FlashOperation; 9] = [
        FlashOperation::ReadTrigger,
        FlashOperation::ReadTransfer,
        FlashOperation::Program,
        FlashOperation::Erase,
        FlashOperation::SetLevel,
        FlashOperation::StatusCheck,
        FlashOperation::Reset,
        FlashOperation::Suspend,
        FlashOperation::Resume,
    ];

    #[test]
    fn every_operation_has_a_look_of_its_own() {
        let mut names: Vec<_> = OPERATIONS
            .into_iter()
            .flat_map(|operation| [Some(names::on_bus(operation)), names::in_chip(operation)])
            .flatten()
            .chain([DmaDirection::FromHost, DmaDirection::ToHost].map(names::of_dma))
            .chain([names::READY, names::AT_HOST, names::AT_FIRMWARE, names::WAITING])
            .collect();
        for name in &names {
            assert_eq!(look_of(name).name, *name);
        }
        names.sort_unstable();
        let mut looks: Vec<_> = LOOKS.iter().map(|look| look.name).collect();
        looks.sort_unstable();
        assert_eq!(looks, names);
    }

    #[test]
    fn no_two_operations_look_alike_in_light_or_in_dark() {
        let looks: Vec<_> = looks().collect();
        for (nth, one) in looks.iter().enumerate() {
            for other in &looks[..nth] {
                let apart = one.ink.distance(other.ink);
                assert!(apart >= APART, "{} and {}: {apart}", one.name, other.name);
            }
        }
    }
}
