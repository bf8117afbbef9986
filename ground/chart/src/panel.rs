//! Small plots beside each other: each is one figure of several things, or one thing before all others.

use crate::axis::{Axis, AxisScale};
use crate::canvas::{fill, label, line, Area, DrawError, Place, Sheet};
use crate::figure::Curve;
use crate::marker::{bar, whisker, Marker, Origin};
use crate::palette::{Ink, AXIS, GRID, MUTED, PAPER, SERIES, TEXT};
use maud::{html, Markup, PreEscaped};
use plotters::coord::ranged1d::Ranged;
use std::io;

/// Size in pixels.
const WIDTH: i32 = 340;
const HEIGHT: i32 = 230;
/// Edges of the area between the axes.
const LEFT: i32 = 54;
const RIGHT: i32 = WIDTH - 14;
const TOP: i32 = 34;
const BOTTOM: i32 = HEIGHT - 44;
/// Heights of lines of text, and width of a character in it.
const TITLE_SIZE: u32 = 16;
const TEXT_SIZE: u32 = 14;
const CHARACTER: f64 = 7.0;
/// Most characters of the title, and of a name below the axis.
const TITLE_ROOM: usize = 40;
const NAME_ROOM: usize = 12;
/// Share of the room of a name that its bars fill.
const BARS: f64 = 0.76;

/// A small plot. Over names it has bars, over numbers lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel<'a> {
    /// What it shows.
    pub title: &'a str,
    /// The horizontal axis.
    pub x: &'a AxisScale,
    /// What the horizontal axis is.
    pub x_label: &'a str,
    /// The curves, whose published points are not drawn. Panels of the same curves have the same axes.
    pub curves: &'a [Curve],
    /// What of it is seen first.
    pub emphasis: Emphasis,
}

/// What of a [`Panel`] is seen first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// Each curve has a colour of its own.
    Curves,
    /// Each name of the axis has a colour of its own; there is one curve.
    Names,
    /// One curve has its colour, and the others are behind it in grey.
    One(usize),
}

impl Panel<'_> {
    /// The panel as SVG.
    ///
    /// # Errors
    /// The errors of the drawing library.
    pub fn svg(&self) -> io::Result<String> {
        Sheet { width: WIDTH as u32, height: HEIGHT as u32, units: 1 }.svg(|area| self.draw(area))
    }

    fn draw(&self, area: &Area) -> Result<(), DrawError> {
        area.fill(&plotters::style::Color::to_rgba(&PAPER.color()))?;
        let title = shortened(self.title, TITLE_ROOM);
        label(area, &title, Place::start((8, 16)).sized(TITLE_SIZE).bold())?;
        let points = || self.curves.iter().flat_map(|curve| &curve.measured);
        let x = Axis::horizontal(self.x, points().map(|point| point.0));
        let y = Axis::vertical(self.curves.iter().flat_map(Curve::ends));
        let place = Placed { x, y, area };
        place.draw_axes(self)?;
        let order = |nth: &usize| self.emphasis == Emphasis::One(*nth);
        let mut curves: Vec<usize> = (0..self.curves.len()).collect();
        curves.sort_by_key(order);
        curves.into_iter().try_for_each(|nth| match self.x {
            AxisScale::Categories(_) => place.draw_bars(self, nth),
            _ => place.draw_curve(self, nth),
        })
    }

    fn ink(&self, nth: usize, name: usize) -> Ink {
        match self.emphasis {
            Emphasis::One(one) if one != nth => AXIS,
            Emphasis::Names => SERIES[name % SERIES.len()],
            _ => SERIES[nth % SERIES.len()],
        }
    }
}

/// Panels in as many columns as there is room for, as part of a page.
///
/// # Errors
/// The errors of the drawing library.
pub fn panels(panels: &[Panel<'_>]) -> io::Result<Markup> {
    let drawn = panels.iter().map(|panel| Ok((panel.title, panel.svg()?)));
    let drawn = drawn.collect::<io::Result<Vec<_>>>()?;
    Ok(html! {
        div.panels {
            @for (title, svg) in drawn {
                figure.plot role="img" aria-label=(title) {
                    (PreEscaped(svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1)))
                }
                "\n"
            }
        }
        "\n"
    })
}

/// The axes in their places.
struct Placed<'a, 'b> {
    x: Axis,
    y: Axis,
    area: &'a Area<'b>,
}

impl Placed<'_, '_> {
    fn across(&self, position: f64) -> i32 {
        self.x.map(&position, (LEFT, RIGHT))
    }

    fn up(&self, position: f64) -> i32 {
        self.y.map(&position, (BOTTOM, TOP))
    }

    fn draw_axes(&self, panel: &Panel<'_>) -> Result<(), DrawError> {
        let area = self.area;
        let text = |at, anchor: fn((i32, i32)) -> Place| anchor(at).sized(TEXT_SIZE).ink(MUTED);
        for (position, mark) in self.y.ticks.iter().step_by(self.y.ticks.len() / 9 + 1) {
            let y = self.up(*position);
            line(area, vec![(LEFT, y), (RIGHT, y)], GRID, 1)?;
            label(area, mark, text((LEFT - 6, y), Place::end))?;
        }
        line(area, vec![(LEFT, TOP), (LEFT, BOTTOM), (RIGHT, BOTTOM)], AXIS, 1)?;
        let mut free = 0.0;
        for (position, mark) in &self.x.ticks {
            let (at, mark) = (self.across(*position), shortened(mark, NAME_ROOM));
            let half = (mark.chars().count() as f64 * CHARACTER / 2.0).max(4.0);
            let centre = f64::from(at).min(f64::from(WIDTH) - half - 2.0);
            if centre - half < free {
                continue;
            }
            free = centre + half + CHARACTER;
            line(area, vec![(at, BOTTOM), (at, BOTTOM + 4)], AXIS, 1)?;
            label(area, &mark, text((centre as i32, BOTTOM + 14), Place::middle))?;
        }
        let name = shortened(panel.x_label, TITLE_ROOM);
        label(area, &name, text(((LEFT + RIGHT) / 2, HEIGHT - 10), Place::middle).ink(TEXT))
    }

    fn draw_curve(&self, panel: &Panel<'_>, nth: usize) -> Result<(), DrawError> {
        let curve = &panel.curves[nth];
        let marker = Marker::neutral(panel.ink(nth, 0));
        let pixel = |&(x, y): &(f64, f64)| {
            Some((self.across(self.x.position(x)?), self.up(self.y.position(y)?)))
        };
        let pixels: Vec<_> = curve.measured.iter().map(pixel).collect();
        for stretch in pixels.split(Option::is_none) {
            marker.draw_line(self.area, stretch.iter().flatten().copied().collect())?;
        }
        for (x, low, high) in curve.whiskers() {
            if let [Some(low), Some(high)] = [low, high].map(|y| pixel(&(x, y))) {
                whisker(self.area, [low, high], panel.ink(nth, 0))?;
            }
        }
        // Where points are as close as those of a distribution, the line is enough.
        let few = pixels.len() <= 40;
        pixels
            .iter()
            .flatten()
            .filter(|_| few)
            .try_for_each(|at| marker.draw(self.area, *at, Origin::Measured))
    }

    fn draw_bars(&self, panel: &Panel<'_>, nth: usize) -> Result<(), DrawError> {
        let curve = &panel.curves[nth];
        for &(x, y) in curve.measured.iter().filter(|(_, y)| y.is_finite()) {
            let (left, right) = bar(x, nth, panel.curves.len(), BARS);
            let ink = panel.ink(nth, x as usize);
            let corners = [(self.across(left), self.up(y)), (self.across(right), self.up(0.0))];
            fill(self.area, corners, ink)?;
        }
        for (x, low, high) in curve.whiskers() {
            let (left, right) = bar(x, nth, panel.curves.len(), BARS);
            let middle = (self.across(left) + self.across(right)) / 2;
            whisker(self.area, [(middle, self.up(low)), (middle, self.up(high))], TEXT)?;
        }
        Ok(())
    }
}

fn shortened(text: &str, room: usize) -> String {
    match text.chars().count() > room {
        true => text.chars().take(room - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, measured: &[(f64, f64)], half_widths: &[(f64, f64)]) -> Curve {
        Curve {
            name: name.into(),
            measured: measured.to_vec(),
            published: Vec::new(),
            half_widths: half_widths.to_vec(),
        }
    }

    fn panel(x: &AxisScale, curves: &[Curve], emphasis: Emphasis) -> String {
        Panel { title: "p99 <us>", x, x_label: "depth", curves, emphasis }.svg().unwrap()
    }

    fn names() -> AxisScale {
        AxisScale::Categories(vec!["greedy".into(), "cost-benefit".into()])
    }

    fn times(svg: &str, ink: Ink) -> usize {
        let color = ink.color();
        svg.matches(&format!("#{:02X}{:02X}{:02X}", color.0, color.1, color.2)).count()
    }

    #[test]
    fn names_have_bars_with_intervals_and_numbers_have_lines() {
        let curves = [curve("a", &[(0.0, 5.0), (1.0, 7.0)], &[(0.0, 1.0)])];
        let bars = panel(&names(), &curves, Emphasis::Names);
        // The paper is one rectangle more; an interval is one line with two ends.
        assert_eq!((bars.matches("<rect").count(), bars.matches("<circle").count()), (3, 0));
        assert_eq!((times(&bars, SERIES[0]), times(&bars, SERIES[1])), (1, 1));
        assert!(bars.contains("cost-benefit") && bars.contains("&lt;us&gt;"));
        let lines = panel(&AxisScale::Linear, &curves, Emphasis::Curves);
        assert_eq!((lines.matches("<rect").count(), lines.matches("<circle").count()), (1, 2));
        let without =
            panel(&AxisScale::Linear, &[curve("a", &curves[0].measured, &[])], Emphasis::Curves);
        let strokes = |svg: &str| svg.matches("<line").count() + svg.matches("<polyline").count();
        assert_eq!(strokes(&lines), strokes(&without) + 3);
    }

    #[test]
    fn one_curve_stands_before_the_others_which_are_grey() {
        let curves = [curve("a", &[(1.0, 5.0), (2.0, 7.0)], &[]), curve("b", &[(1.0, 9.0)], &[])];
        let first = panel(&AxisScale::Log2, &curves, Emphasis::One(0));
        assert_eq!((times(&first, SERIES[0]) > 0, times(&first, SERIES[1])), (true, 0));
        let second = panel(&AxisScale::Log2, &curves, Emphasis::One(1));
        assert_eq!((times(&second, SERIES[0]), times(&second, SERIES[1]) > 0), (0, true));
    }

    #[test]
    fn nothing_stands_outside_the_panel_whatever_the_names() {
        let long: Vec<String> = (0..30).map(|n| format!("{n} a very long name")).collect();
        let measured: Vec<_> = (0..30).map(|n| (f64::from(n), f64::from(n) * 1e6)).collect();
        let svg =
            panel(&AxisScale::Categories(long), &[curve("a", &measured, &[])], Emphasis::Names);
        let number = |tag: &str, name: &str| {
            tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?.parse::<i32>().ok()
        };
        for tag in svg.split('<').filter(|tag| tag.starts_with("rect") || tag.starts_with("text")) {
            let (x, y) = (number(tag, "x").unwrap(), number(tag, "y").unwrap());
            assert!((0..=WIDTH).contains(&x) && (0..=HEIGHT).contains(&y), "{tag}");
        }
    }

    #[test]
    fn panels_are_beside_each_other_with_their_names() {
        let curves = [curve("a", &[(0.0, 5.0)], &[])];
        let one = Panel {
            title: "<b>",
            x: &names(),
            x_label: "",
            curves: &curves,
            emphasis: Emphasis::Names,
        };
        let text = panels(&[one.clone(), one]).unwrap().into_string();
        assert_eq!(text.matches("<figure").count(), 2);
        assert!(
            text.starts_with("<div class=\"panels\">")
                && !text.contains("<b>")
                && !text.contains("xmlns")
        );
    }
}
