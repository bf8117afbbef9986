//! Colours of the causes of a command's time.

use chart::Ink;

/// In the order of [`contract::Cause::ALL`]: host, processor, waiting for what the firmware or the drive decides, flash.
const CAUSES: [Ink; contract::Cause::COUNT] = [
    Ink::new(0x1D8A9A, 0x5CC7D7),
    Ink::new(0x7FC3CC, 0x2F7F8A),
    Ink::new(0xAEDBE1, 0x1F5C66),
    Ink::new(0xC8701C, 0xF0A35B),
    Ink::new(0xE5A867, 0xA8682A),
    Ink::new(0xF0CFA6, 0x74481D),
    Ink::new(0xB7A3D0, 0x6B5490),
    Ink::new(0xD98C9E, 0x9C4F62),
    Ink::new(0xB84340, 0xEC8481),
    Ink::new(0x8353A9, 0xBE95E4),
    Ink::new(0x6FA8DC, 0x3B6C9E),
    Ink::new(0x5F8FA0, 0x86B4C4),
    Ink::new(0x2B6CB1, 0x6CAEF1),
    Ink::new(0x2F8567, 0x62C5A1),
    Ink::new(0x8A7416, 0xD3BB4D),
    Ink::new(0x6A7687, 0xA6B1C0),
    Ink::new(0x9AA5B3, 0x4E5A68),
];

/// Name of a cause's colour in the page's style sheet.
pub(crate) fn name_of(cause: contract::Cause) -> String {
    format!("cause-{}", cause as usize)
}

/// The colours of a page, beside those that all pages have.
pub(crate) fn inks() -> Vec<(String, Ink)> {
    chart::palette::numbered("cause", CAUSES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Cause;

    /// Sum of the differences of red, green and blue from which two colours beside each other are told apart.
    const APART: u32 = 36;

    #[test]
    fn every_cause_has_a_colour_of_its_own_in_light_and_in_dark() {
        let named = inks();
        let ink_of = |cause: Cause| {
            let name = name_of(cause);
            named.iter().find(|(named, _)| *named == name).map(|(_, ink)| *ink).unwrap()
        };
        for (nth, one) in Cause::ALL.into_iter().enumerate() {
            for other in &Cause::ALL[..nth] {
                let apart = ink_of(one).distance(ink_of(*other));
                assert!(apart >= APART, "{} and {}: {apart}", one.name(), other.name());
            }
        }
    }
}
