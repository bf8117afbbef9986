//! Colours of plots and of the page, light and dark.
//!
//! Plots are drawn in the light colours. On the page the style sheet replaces each by its dark twin, so
//! no two roles share a light colour.

use plotters::style::RGBColor;

/// A colour in both appearances, as `0xRRGGBB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ink {
    light: u32,
    dark: u32,
}

impl Ink {
    const fn new(light: u32, dark: u32) -> Self {
        Self { light, dark }
    }

    /// The colour to draw with.
    pub(super) fn color(self) -> RGBColor {
        let [_, red, green, blue] = self.light.to_be_bytes();
        RGBColor(red, green, blue)
    }
}

/// What is drawn on.
pub(super) const PAPER: Ink = Ink::new(0xFFFFFF, 0x12171E);
/// Text.
pub(super) const TEXT: Ink = Ink::new(0x1F2933, 0xE3E8EE);
/// Axis labels and notes.
pub(super) const MUTED: Ink = Ink::new(0x5F6C7B, 0x98A4B3);
/// Axes.
pub(super) const AXIS: Ink = Ink::new(0xB4BDC8, 0x4A5563);
/// Grid lines.
pub(super) const GRID: Ink = Ink::new(0xE6EAEF, 0x29313B);
/// What is within its tolerance.
const WITHIN: Ink = Ink::new(0x1B7A4B, 0x62C5A0);
/// What is outside.
const OUTSIDE: Ink = Ink::new(0xB42318, 0xFF8A80);

/// Curves that share a plot.
pub(super) const SERIES: [Ink; 8] = [
    Ink::new(0x2B6CB0, 0x6CAEF0),
    Ink::new(0xC8701B, 0xF0A35A),
    Ink::new(0x2F8566, 0x5BC09B),
    Ink::new(0x8353A8, 0xBE95E3),
    Ink::new(0xB8433F, 0xEC8480),
    Ink::new(0x1D8A99, 0x5CC7D6),
    Ink::new(0x8A7415, 0xD3BB4C),
    Ink::new(0x6A7686, 0xA6B1BF),
];

fn named() -> impl Iterator<Item = (String, Ink)> {
    let roles = [
        ("paper", PAPER),
        ("text", TEXT),
        ("muted", MUTED),
        ("axis", AXIS),
        ("grid", GRID),
        ("within", WITHIN),
        ("outside", OUTSIDE),
    ];
    let roles = roles.into_iter().map(|(name, ink)| (name.to_string(), ink));
    roles.chain((0..).map(|index| format!("series-{index}")).zip(SERIES))
}

/// The variables of the style sheet (`--text`, `--series-0` …) in both appearances, and the rules that
/// turn plots dark.
pub(super) fn style_sheet() -> String {
    let (mut light, mut dark, mut twins) = (String::new(), String::new(), String::new());
    for (name, ink) in named() {
        let (from, to) = (format!("#{:06X}", ink.light), format!("#{:06X}", ink.dark));
        light += &format!("--{name}:{from};");
        dark += &format!("--{name}:{to};");
        for property in ["fill", "stroke"] {
            twins += &format!(".plot [{property}=\"{from}\"]{{{property}:{to}}}");
        }
    }
    format!(
        ":root{{{light}}}\n@media (prefers-color-scheme:dark){{\n:root{{{dark}}}\n{twins}\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_light_colour_has_one_dark_twin() {
        let lights: BTreeSet<_> = named().map(|(_, ink)| ink.light).collect();
        assert_eq!(lights.len(), named().count());
    }
}
