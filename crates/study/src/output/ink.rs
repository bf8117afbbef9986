//! Colours of verdicts, beside those that all pages have.

use report::palette::{self, Ink};

/// What is within its tolerance.
const WITHIN: Ink = Ink::new(0x1B7A4B, 0x62C5A0);
/// What is outside.
const OUTSIDE: Ink = Ink::new(0xB42318, 0xFF8A80);

fn named() -> impl Iterator<Item = (String, Ink)> {
    let verdicts = [("within", WITHIN), ("outside", OUTSIDE)];
    palette::shared().chain(verdicts.map(|(name, ink)| (name.to_string(), ink)))
}

/// The colours of the page as variables of its style sheet, and the rules that turn plots dark.
pub(super) fn style_sheet() -> String {
    palette::style_sheet(named())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_light_colour_stands_for_one_role() {
        let lights: BTreeSet<_> = named()
            .map(|(_, ink)| {
                let color = ink.color();
                (color.0, color.1, color.2)
            })
            .collect();
        assert_eq!(lights.len(), named().count());
    }
}
