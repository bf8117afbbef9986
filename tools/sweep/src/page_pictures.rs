//! The pictures of a sweep's page.

use std::io;

use chart::palette::heat_class;
use chart::{drawn, panels, AxisScale, Curve, Dimension, Emphasis, Panel, Parallel};
use maud::{html, Markup};

use crate::figures::FIGURES;
use crate::setups::Aim;
use crate::shown::{told, Shown, MOST_SETUPS};

/// From so many times the least value on, numbers stand on an axis by their powers of two.
const WIDE: f64 = 8.0;

/// The values of a key in the order in which they come up, and their numbers if all are numbers.
struct Values<'a> {
    names: Vec<&'a str>,
    numbers: Option<Vec<f64>>,
}

impl<'a> Values<'a> {
    fn of(shown: &'a Shown<'_>, key: usize) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for setup in 0..shown.setups.len() {
            let value = shown.value(setup, key);
            if !names.contains(&value) {
                names.push(value);
            }
        }
        let numbers = names.iter().map(|name| number(name)).collect();
        Values { names, numbers }
    }

    fn place(&self, value: &str) -> usize {
        self.names.iter().position(|name| *name == value).expect("it came up")
    }

    /// Where a value lies on the axis.
    fn x(&self, value: &str) -> f64 {
        let place = self.place(value);
        self.numbers.as_ref().map_or(place as f64, |numbers| numbers[place])
    }

    fn scale(&self) -> AxisScale {
        let Some(numbers) = &self.numbers else {
            return AxisScale::Categories(self.names.iter().map(|name| name.to_string()).collect());
        };
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(0.0, f64::max);
        if least > 0.0 && most >= WIDE * least {
            AxisScale::Log2
        } else {
            AxisScale::Linear
        }
    }
}

/// A number, which may have fio's letter for a power of 1024.
fn number(text: &str) -> Option<f64> {
    let powers = [("k", 1), ("m", 2), ("g", 3)];
    let (digits, power) = powers
        .into_iter()
        .find_map(|(letter, power)| Some((text.strip_suffix(letter)?, power)))
        .unwrap_or((text, 0));
    let number: f64 = digits.parse().ok().filter(|number: &f64| number.is_finite())?;
    Some(number * 1024f64.powi(power))
}

/// Each figure over one key: lines over numbers, bars over names.
pub(crate) fn over_one(shown: &Shown<'_>, key: usize) -> io::Result<Markup> {
    let values = Values::of(shown, key);
    let scale = values.scale();
    let curve = |&figure: &usize| {
        let interval = |setup: usize| {
            let interval = shown.setups[setup].figures[figure]?;
            Some((values.x(shown.value(setup, key)), interval))
        };
        let mut points: Vec<_> = (0..shown.setups.len()).filter_map(interval).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let half =
            |(x, interval): &(f64, runs::confidence::Interval)| Some((*x, interval.half_width?));
        [Curve {
            name: FIGURES[figure].to_owned(),
            measured: points.iter().map(|(x, interval)| (*x, interval.mean)).collect(),
            published: Vec::new(),
            half_widths: points.iter().filter_map(half).collect(),
        }]
    };
    let curves: Vec<[Curve; 1]> = shown.figures.iter().map(curve).collect();
    let panel = |(curves, &figure): (&'_ [Curve; 1], &usize)| (curves.clone(), FIGURES[figure]);
    let named: Vec<_> = curves.iter().zip(&shown.figures).map(panel).collect();
    let emphasis = match scale {
        AxisScale::Categories(_) => Emphasis::Names,
        _ => Emphasis::Curves,
    };
    let (x, x_label) = (&scale, shown.keys[key].as_str());
    let all: Vec<Panel<'_>> =
        named.iter().map(|(curves, title)| Panel { title, x, x_label, curves, emphasis }).collect();
    Ok(html! {
        h2 { "Figures over " (x_label) }
        (panels(&all)?)
    })
}

/// Each figure over two keys: a table whose cells are shaded from the least to the most.
pub(crate) fn heat_maps(shown: &Shown<'_>, keys: [usize; 2]) -> Markup {
    let [rows, columns] = keys;
    let of = keys.map(|key| Values::of(shown, key));
    let aims = |figure: &usize| shown.aims.iter().any(|aim| aim.figure == *figure);
    let (first, others): (Vec<usize>, Vec<usize>) = shown.figures.iter().partition(|one| aims(one));
    let map = |figure: usize| heat_map(shown, keys, &of, figure);
    html! {
        h2 { "Figures over " (shown.keys[rows]) " and " (shown.keys[columns]) }
        p.note { "The darker a cell in light, and the brighter in dark, the higher its figure." }
        @for figure in &first { (map(*figure)) }
        @if first.is_empty() {
            @for figure in &others { (map(*figure)) }
        } @else if !others.is_empty() {
            details { summary { "Other figures" } @for figure in &others { (map(*figure)) } }
        }
    }
}

fn heat_map(
    shown: &Shown<'_>,
    keys: [usize; 2],
    [down, across]: &[Values<'_>; 2],
    figure: usize,
) -> Markup {
    let [rows, columns] = keys;
    let mut cells = vec![None; down.names.len() * across.names.len()];
    for (nth, setup) in shown.setups.iter().enumerate() {
        let [row, column] = [(down, rows), (across, columns)]
            .map(|(values, key)| values.place(shown.value(nth, key)));
        cells[row * across.names.len() + column] = setup.figures[figure];
    }
    let means = || cells.iter().flatten().map(|interval| interval.mean);
    let (least, most) =
        (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max));
    let class = |mean: f64| heat_class((mean - least) / (most - least));
    html! {
        h3 { (FIGURES[figure]) }
        div.scroll { table.heat aria-label=(FIGURES[figure]) {
            thead { tr {
                th { (shown.keys[rows]) " ↓ " (shown.keys[columns]) " →" }
                @for name in &across.names { th { (name) } }
            } }
            tbody { @for (name, cells) in down.names.iter().zip(cells.chunks(across.names.len())) {
                tr {
                    td { (name) }
                    @for cell in cells {
                        @let class = cell.map(|interval| class(interval.mean));
                        td class=[class] { (told(*cell)) }
                    }
                }
                "\n"
            } }
        } }
    }
}

/// An axis for each key and each aim; setups that no other one beats stand out.
pub(crate) fn parallel(shown: &Shown<'_>) -> io::Result<Markup> {
    let count = shown.setups.len().min(MOST_SETUPS);
    let of_key = |&key: &usize| {
        let values = Values::of(shown, key);
        let x = |nth: usize| Some(values.x(shown.value(nth, key)));
        let names = match values.numbers {
            Some(_) => Vec::new(),
            None => values.names.iter().map(|name| name.to_string()).collect(),
        };
        Dimension { name: shown.keys[key].clone(), values: (0..count).map(x).collect(), names }
    };
    let of_aim = |figure: usize| Dimension {
        name: FIGURES[figure].to_owned(),
        values: shown.setups[..count].iter().map(|setup| setup.mean(figure)).collect(),
        names: Vec::new(),
    };
    let aims = shown.aims.iter().map(|aim| aim.figure);
    let dimensions: Vec<_> = shown.varied.iter().map(of_key).chain(aims.map(of_aim)).collect();
    let svg = Parallel { dimensions: &dimensions, marked: &shown.front[..count] }.svg()?;
    let aim =
        |aim: &Aim| format!("{} {}", if aim.is_high { "high" } else { "low" }, FIGURES[aim.figure]);
    let aims = shown.aims.iter().map(aim).collect::<Vec<_>>().join(", ");
    Ok(html! {
        h2 { "Aims beside each other" }
        p.note {
            "A line is a setup. "
            @if shown.aims.len() > 1 {
                "Coloured lines, and stars in the table, are setups that no other one beats in all of: " (aims) "."
            }
        }
        (drawn(&svg, "setups over keys and aims"))
    })
}
