//! Colours of pages and plots, light and dark.
//!
//! Plots are drawn in the light colours; the style sheet replaces each by its dark twin. No two
//! roles of a page share a light colour, so that the replacement is unambiguous.

use plotters::style::RGBColor;
use std::collections::BTreeSet;

/// A colour in both appearances, as `0xRRGGBB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ink {
    light: u32,
    dark: u32,
}

impl Ink {
    /// A colour from its light and its dark form, each `0xRRGGBB`.
    pub const fn new(light: u32, dark: u32) -> Self {
        Self { light, dark }
    }

    /// The colour to draw with.
    pub fn color(self) -> RGBColor {
        let [_, red, green, blue] = self.light.to_be_bytes();
        RGBColor(red, green, blue)
    }

    /// Both forms as a style sheet has them, the light one first.
    pub(crate) fn css(self) -> (String, String) {
        (format!("#{:06X}", self.light), format!("#{:06X}", self.dark))
    }

    /// Rules that draw its dark form where a picture within elements of class `scope` has the light one.
    pub(crate) fn twin_rules(self, scope: &str) -> String {
        let (from, to) = self.css();
        let rule = |property| format!(".{scope} [{property}=\"{from}\"]{{{property}:{to}}}");
        ["fill", "stroke"].map(rule).concat()
    }

    /// How far another colour is from this one, where they are closer: in light or in dark. It is the sum of the
    /// differences of red, green and blue, 0 to 765.
    pub fn distance(self, other: Self) -> u32 {
        let of = |one: u32, other: u32| {
            let channels = one.to_be_bytes().into_iter().zip(other.to_be_bytes());
            channels.map(|(one, other)| u32::from(one.abs_diff(other))).sum::<u32>()
        };
        of(self.light, other.light).min(of(self.dark, other.dark))
    }
}

/// What is written and drawn on.
pub const PAPER: Ink = Ink::new(0xFFFFFF, 0x12171E);
/// Text on paper.
pub const TEXT: Ink = Ink::new(0x1F2933, 0xE3E8EE);
/// Axis labels and notes.
pub const MUTED: Ink = Ink::new(0x5F6C7B, 0x98A4B3);
/// Axes.
pub const AXIS: Ink = Ink::new(0xB4BDC8, 0x4A5563);
/// Grid lines and the empty part of bars.
pub const GRID: Ink = Ink::new(0xE6EAEF, 0x29313B);
/// Text on a saturated fill.
pub const ON_FILL: Ink = Ink::new(0xFFFFFE, 0x10151B);

/// Text on the last shades on which bright text is read in the dark, and dark text in the light: [`TEXT`] is not enough there.
pub const ON_PALE: Ink = Ink::new(0x05080B, 0xFFFFFD);
/// Text on the shades behind them, on which dark text is read in both.
pub const ON_MIDDLE: Ink = Ink::new(0x05080C, 0x05080B);

/// Lines and bars that stand beside each other.
pub const SERIES: [Ink; 8] = [
    Ink::new(0x2B6CB0, 0x6CAEF0),
    Ink::new(0xC8701B, 0xF0A35A),
    Ink::new(0x2F8566, 0x62C5A0),
    Ink::new(0x8353A8, 0xBE95E3),
    Ink::new(0xB8433F, 0xEC8480),
    Ink::new(0x1D8A99, 0x5CC7D6),
    Ink::new(0x8A7415, 0xD3BB4C),
    Ink::new(0x6A7686, 0xA6B1BF),
];

/// Shades from idle to busy, so close to each other that they look continuous.
pub const HEAT: [Ink; 61] = shades();

/// The colours that shades lie between.
const HEAT_STOPS: [Ink; 11] = [
    Ink::new(0xEDF2F7, 0x1D242D),
    Ink::new(0xDAE6F2, 0x1F2E3F),
    Ink::new(0xC3D7EB, 0x213951),
    Ink::new(0xA9C6E3, 0x244564),
    Ink::new(0x8DB3DA, 0x285278),
    Ink::new(0x709FCF, 0x2E6192),
    Ink::new(0x4479B5, 0x4A8BC4),
    Ink::new(0x3569A6, 0x5C9CD4),
    Ink::new(0x285A95, 0x70ADE2),
    Ink::new(0x1C4A80, 0x86BEEE),
    Ink::new(0x12396A, 0xA3D2FB),
];

/// [`HEAT`]: equal steps from each of the stops to the next.
const fn shades() -> [Ink; 61] {
    const STEPS: usize = 6;
    let mut shades = [HEAT_STOPS[10]; 61];
    let mut nth = 0;
    while nth < 60 {
        let (from, to) = (HEAT_STOPS[nth / STEPS], HEAT_STOPS[nth / STEPS + 1]);
        let step = (nth % STEPS, STEPS);
        shades[nth] = Ink {
            light: between(from.light, to.light, step),
            dark: between(from.dark, to.dark, step),
        };
        nth += 1;
    }
    shades
}

/// A colour so many steps of all steps from one to another.
const fn between(from: u32, to: u32, (step, of): (usize, usize)) -> u32 {
    let (from, to) = (from.to_be_bytes(), to.to_be_bytes());
    let mut mixed = [0; 4];
    let mut nth = 0;
    while nth < 4 {
        let sum = from[nth] as usize * (of - step) + to[nth] as usize * step;
        mixed[nth] = ((sum + of / 2) / of) as u8;
        nth += 1;
    }
    u32::from_be_bytes(mixed)
}

/// The shade of `share` (0 to 1).
pub fn heat(share: f64) -> Ink {
    HEAT[heat_index(share)]
}

/// The text colour that is readable on the shade of `share`.
pub fn on_heat(share: f64) -> Ink {
    on_shade(heat_index(share)).0
}

/// The class of a table's cell that has the shade of `share` (0 to 1), in a table of class `heat`.
pub fn heat_class(share: f64) -> String {
    let index = heat_index(share);
    format!("swatch-heat-{index}{}", on_shade(index).1)
}

/// The text colour that is readable on a shade, and the class of a cell with it.
fn on_shade(index: usize) -> (Ink, &'static str) {
    match index {
        0..=31 => (TEXT, ""),
        32..=33 => (ON_PALE, " pale"),
        34..=35 => (ON_MIDDLE, " middle"),
        _ => (ON_FILL, " deep"),
    }
}

fn heat_index(share: f64) -> usize {
    let last = HEAT.len() - 1;
    // A float to integer cast saturates, and turns what is not a number into 0.
    ((share * last as f64).round() as usize).min(last)
}

/// The colours that every page has, with the names of their variables in a style sheet.
pub(crate) fn shared() -> impl Iterator<Item = (String, Ink)> {
    let roles = [
        ("paper", PAPER),
        ("text", TEXT),
        ("muted", MUTED),
        ("axis", AXIS),
        ("grid", GRID),
        ("on-fill", ON_FILL),
        ("on-pale", ON_PALE),
        ("on-middle", ON_MIDDLE),
    ];
    let roles = roles.map(|(name, ink)| (name.to_string(), ink)).into_iter();
    roles.chain(numbered("series", SERIES)).chain(numbered("heat", HEAT))
}

/// `inks` with the names of their variables: `name-0` and so on.
pub fn numbered<const N: usize>(name: &str, inks: [Ink; N]) -> impl Iterator<Item = (String, Ink)> {
    let name = name.to_string();
    inks.into_iter().enumerate().map(move |(index, ink)| (format!("{name}-{index}"), ink))
}

/// A style sheet with a variable for each of the `named` colours (`--text`, `--series-0` …) in both
/// appearances, the rules that turn plots dark, and a class for each colour (`swatch-series-0`).
///
/// # Panics
/// Where two colours are the same in light: a plot could not tell which of their dark forms is meant.
pub(crate) fn style_sheet(named: impl IntoIterator<Item = (String, Ink)>) -> String {
    let named: Vec<_> = named.into_iter().collect();
    let lights: BTreeSet<_> = named.iter().map(|(_, ink)| ink.light).collect();
    assert_eq!(lights.len(), named.len(), "a light colour of a page stands for two roles");
    let [mut light, mut dark, mut twins, mut classes] = [const { String::new() }; 4];
    for (name, ink) in named {
        let (from, to) = ink.css();
        light += &format!("--{name}:{from};");
        dark += &format!("--{name}:{to};");
        classes += &format!(".swatch-{name}{{background:var(--{name})}}");
        twins += &ink.twin_rules("plot");
    }
    format!(
        ":root{{{light}}}\n@media (prefers-color-scheme:dark){{\n:root{{{dark}}}\n{twins}\n}}\n{classes}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_as_far_apart_as_in_the_worse_appearance() {
        let ink = Ink::new(0x102030, 0xFF0000);
        for (other, distance) in [
            (ink, 0),
            (Ink::new(0x102030, 0x00FF00), 0),
            (Ink::new(0x001031, 0x00FF00), 33),
            (Ink::new(0xFFFFFF, 0xFE0002), 3),
        ] {
            assert_eq!(ink.distance(other), distance);
        }
    }

    #[test]
    fn lines_beside_each_other_do_not_look_alike() {
        for (nth, one) in SERIES.iter().enumerate() {
            for (before, other) in SERIES[..nth].iter().enumerate() {
                assert!(one.distance(*other) >= 60, "series {before} and {nth}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "stands for two roles")]
    fn a_light_colour_has_one_dark_twin() {
        style_sheet([("a", Ink::new(1, 2)), ("b", Ink::new(1, 3))].map(|(n, i)| (n.to_owned(), i)));
    }

    #[test]
    fn heat_covers_its_range_and_nothing_else() {
        let cases = [(0.0, 0), (1.0, 60), (0.5, 30), (-1.0, 0), (2.0, 60), (f64::NAN, 0)];
        for (share, index) in cases {
            assert_eq!(heat_index(share), index, "{share}");
        }
    }

    /// Relative luminance, as WCAG 2.1 defines it.
    fn luminance(colour: u32) -> f64 {
        let [_, red, green, blue] = colour.to_be_bytes().map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn text_can_be_read_on_every_shade() {
        for (nth, shade) in HEAT.iter().enumerate() {
            let (ink, _) = on_shade(nth);
            for (one, other) in [(shade.light, ink.light), (shade.dark, ink.dark)] {
                let (one, other) = (luminance(one), luminance(other));
                let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
                assert!(contrast >= 4.5, "shade {nth}: {contrast}");
            }
        }
    }

    #[test]
    fn shades_beside_each_other_look_continuous() {
        assert_eq!((HEAT[0], HEAT[30], HEAT[60]), (HEAT_STOPS[0], HEAT_STOPS[5], HEAT_STOPS[10]));
        for pair in HEAT.windows(2) {
            let distance = pair[0].distance(pair[1]);
            assert!((1..=24).contains(&distance), "{pair:?}: {distance}");
        }
    }
}
