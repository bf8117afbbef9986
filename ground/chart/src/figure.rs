//! A figure as SVG.

use crate::axis::{Axis, AxisScale};
use crate::canvas::{fill, label, Area, DrawError, Place, Sheet, WIDTH};
use crate::legend::Legend;
use crate::marker::{bar, whisker, Marker, Origin};
use crate::palette::{Ink, AXIS, GRID, MUTED, PAPER, TEXT};
use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::prelude::Cartesian2d;
use plotters::style::IntoFont;
use std::io;

/// Curves over one axis, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure<'a> {
    /// What it shows; empty where that stands beside it.
    pub title: &'a str,
    /// The horizontal axis.
    pub x: &'a AxisScale,
    /// What the horizontal axis is.
    pub x_label: &'a str,
    /// What the vertical axis is, with its unit.
    pub y_label: &'a str,
    /// The curves, in the order of their colours.
    pub curves: &'a [Curve],
}

/// A curve of a figure: pairs (x, y), by rising x.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What the curve stands for, such as `read, slc`.
    pub name: String,
    /// What came out here.
    pub measured: Vec<(f64, f64)>,
    /// What the paper shows; empty where it gives no numbers.
    pub published: Vec<(f64, f64)>,
    /// Half of the interval around what came out, by x; nothing where it is not known.
    pub half_widths: Vec<(f64, f64)>,
}

impl Curve {
    /// Both ends of each interval, by x.
    pub(crate) fn whiskers(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        self.half_widths.iter().filter_map(|&(x, half)| {
            let (_, y) = self.measured.iter().find(|point| point.0 == x)?;
            (half > 0.0 && half.is_finite() && y.is_finite()).then_some((x, y - half, y + half))
        })
    }

    /// Every height that has to be on the axis.
    pub(crate) fn ends(&self) -> impl Iterator<Item = f64> + '_ {
        let intervals = self.whiskers().flat_map(|(_, low, high)| [low, high]);
        let points = self.measured.iter().chain(&self.published).map(|point| point.1);
        points.chain(intervals)
    }
}

/// Most points of a curve that are drawn as such.
const MOST_POINTS: usize = 256;
/// What stays free at the left and right.
pub(crate) const MARGIN: i32 = 24;

/// Height of the axes with their labels.
const CHART: i32 = 460;
const X_LABELS: u32 = 56;
const Y_LABELS: u32 = 76;
/// Vertical middles of the title and of the first line of the legend.
const TITLE: i32 = 30;
const LEGEND: i32 = 66;
/// Heights of lines of text; letters are a fifth smaller.
const TITLE_SIZE: u32 = 23;
pub(crate) const TEXT_SIZE: u32 = 17;
/// Width of a character on average.
const CHARACTER: f64 = 8.5;
/// Share of the room of a name that its bars fill.
const BARS: f64 = 0.72;

type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Axis, Axis>>;

impl Figure<'_> {
    /// The figure as SVG: measured points full and joined, published ones hollow, in the curve's colour. Over names, measured
    /// values are bars. Intervals have a line with an end at each side.
    ///
    /// # Errors
    /// The errors of the drawing library.
    pub fn svg(&self) -> io::Result<String> {
        let top = if self.title.is_empty() { TITLE } else { LEGEND };
        let legend = Legend::of(self, top);
        let head = top + legend.height();
        Sheet::of_height((head + CHART) as u32).svg(|area| {
            area.fill(&PAPER.color())?;
            label(area, self.title, Place::start((MARGIN, TITLE)).sized(TITLE_SIZE))?;
            legend.draw(area)?;
            draw_chart(area, head, self)
        })
    }
}

fn draw_chart(area: &Area, head: i32, figure: &Figure<'_>) -> Result<(), DrawError> {
    let points =
        || figure.curves.iter().flat_map(|curve| curve.measured.iter().chain(&curve.published));
    let mut x = Axis::horizontal(figure.x, points().map(|point| point.0));
    let y = Axis::vertical(figure.curves.iter().flat_map(Curve::ends));
    if let AxisScale::Categories(_) = figure.x {
        fit_names(&mut x);
    }
    let (_, below) = area.split_vertically(head);
    let mut chart = ChartBuilder::on(&below)
        .margin_top(6)
        .margin_right(MARGIN)
        .margin_left(8)
        .margin_bottom(6)
        .x_label_area_size(X_LABELS)
        .y_label_area_size(Y_LABELS)
        .build_cartesian_2d(x.clone(), y.clone())?;
    draw_axes(&mut chart, figure)?;
    let pixel = |point: &(f64, f64)| {
        Some(chart.backend_coord(&(x.position(point.0)?, y.position(point.1)?)))
    };
    if let AxisScale::Categories(_) = figure.x {
        return draw_bars(area, figure, &pixel);
    }
    for (index, curve) in figure.curves.iter().enumerate() {
        let marker = Marker::of_curve(index);
        for (x, low, high) in curve.whiskers() {
            if let [Some(low), Some(high)] = [low, high].map(|y| pixel(&(x, y))) {
                whisker(area, [low, high], marker.ink())?;
            }
        }
        let pixels = Pixels {
            measured: curve.measured.iter().map(pixel).collect(),
            published: curve.published.iter().filter_map(pixel).collect(),
        };
        pixels.draw(area, marker)?;
    }
    Ok(())
}

/// Where a point lies in the picture, if it has a place on both axes.
type Pixel<'a> = &'a dyn Fn(&(f64, f64)) -> Option<(i32, i32)>;

/// Over names, which have no order: a bar for each curve beside each other, on which what was published lies as a ring.
fn draw_bars(area: &Area, figure: &Figure<'_>, pixel: Pixel<'_>) -> Result<(), DrawError> {
    let curves = figure.curves.len();
    for (index, curve) in figure.curves.iter().enumerate() {
        let marker = Marker::of_curve(index);
        let edges = |x: f64| bar(x, index, curves, BARS);
        let middle = |x: f64, y: f64| {
            let (left, right) = edges(x);
            pixel(&((left + right) / 2.0, y))
        };
        for &(x, y) in &curve.measured {
            let (left, right) = edges(x);
            if let [Some(top), Some(bottom)] = [(left, y), (right, 0.0)].map(|at| pixel(&at)) {
                fill(area, [top, bottom], marker.ink())?;
            }
        }
        for (x, low, high) in curve.whiskers() {
            if let [Some(low), Some(high)] = [low, high].map(|y| middle(x, y)) {
                whisker(area, [low, high], TEXT)?;
            }
        }
        for at in curve.published.iter().filter_map(|&(x, y)| middle(x, y)) {
            marker.draw_ring(area, at)?;
        }
    }
    Ok(())
}

/// A curve in pixels. What has no place on the axes leaves a gap.
struct Pixels {
    measured: Vec<Option<(i32, i32)>>,
    published: Vec<(i32, i32)>,
}

impl Pixels {
    /// Draws the lines, and the points over them.
    fn draw(&self, area: &Area, marker: Marker) -> Result<(), DrawError> {
        for line in self.measured.split(Option::is_none) {
            marker.draw_line(area, line.iter().flatten().copied().collect())?;
        }
        // Points of a curve that has very many are the line itself.
        let has_points = self.measured.len() <= MOST_POINTS;
        for at in self.measured.iter().flatten().filter(|_| has_points) {
            marker.draw(area, *at, Origin::Measured)?;
        }
        for at in &self.published {
            marker.draw(area, *at, Origin::Published)?;
        }
        Ok(())
    }
}

/// Shortens names, or leaves some out where there are very many, so that they do not meet.
fn fit_names(axis: &mut Axis) {
    let room = f64::from(WIDTH - Y_LABELS) / axis.ticks.len().max(1) as f64 / CHARACTER;
    let every = (3.0 / room).ceil().max(1.0);
    let characters = (room * every) as usize - 1;
    let mut index = 0;
    axis.ticks.retain(|_| {
        index += 1;
        (index - 1) % every as usize == 0
    });
    for (_, name) in &mut axis.ticks {
        if name.chars().count() > characters {
            *name = name.chars().take(characters - 1).chain(['…']).collect();
        }
    }
}

fn draw_axes(chart: &mut Chart, figure: &Figure<'_>) -> Result<(), DrawError> {
    let style = |ink: Ink| ("sans-serif", TEXT_SIZE).into_font().color(&ink.color());
    chart
        .configure_mesh()
        .x_desc(figure.x_label)
        .y_desc(figure.y_label)
        .label_style(style(MUTED))
        .axis_desc_style(style(TEXT))
        .axis_style(AXIS.color())
        .bold_line_style(GRID.color())
        // Drawn at the same places whatever their number.
        .light_line_style(GRID.color())
        .max_light_lines(0)
        .draw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::shared;
    use plotters::style::RGBColor;

    /// A plot of one curve of `measured` points.
    fn plot(x: AxisScale, measured: &[(f64, f64)]) -> String {
        let (measured, published) = (measured.to_vec(), Vec::new());
        let half_widths = Vec::new();
        let curves = &[Curve { name: "curve".into(), measured, published, half_widths }];
        Figure { title: "Figure", x: &x, x_label: "x", y_label: "y", curves }.svg().unwrap()
    }

    #[test]
    fn points_that_have_no_place_are_left_out() {
        let points = [(0.0, 1.0), (1.0, f64::NAN), (-1.0, 2.0), (4.0, 3.0), (8.0, f64::INFINITY)];
        for (x, drawn) in [(AxisScale::Linear, 3), (AxisScale::Log2, 1), (AxisScale::Log10, 1)] {
            // One marker more stands in the legend.
            assert_eq!(plot(x, &points).matches("<circle ").count(), drawn + 1);
        }
    }

    #[test]
    fn each_axis_has_its_name_and_a_higher_value_lies_higher() {
        let measured = vec![(0.0, 1.0), (4.0, 3.0)];
        let (published, half_widths) = (Vec::new(), Vec::new());
        let curves = &[Curve { name: "curve".into(), measured, published, half_widths }];
        let (x, title) = (&AxisScale::Linear, "Figure");
        let svg = Figure { title, x, x_label: "across", y_label: "upward", curves }.svg().unwrap();
        let is_turned = |name: &str| {
            let mut texts = svg.split("<text ").filter(|text| text.contains(name));
            texts.next().unwrap().contains("rotate(")
        };
        assert_eq!((is_turned("across"), is_turned("upward")), (false, true));
        let number = |circle: &str, name: &str| -> f64 {
            let (_, rest) = circle.split_once(&format!("{name}=\"")).unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        };
        // The first circle stands in the legend.
        let circles: Vec<_> = svg.split("<circle ").skip(2).collect();
        assert_eq!(circles.len(), 2);
        assert!(number(circles[0], "cx") < number(circles[1], "cx"));
        assert!(number(circles[0], "cy") > number(circles[1], "cy"));
    }

    /// Names have no order, so no line leads from one to the next.
    #[test]
    fn over_names_each_value_is_a_bar_and_its_published_one_a_ring() {
        let names = AxisScale::Categories(vec!["greedy".into(), "fifo".into()]);
        let of = |name: &str, published: &[(f64, f64)], half_widths: &[(f64, f64)]| Curve {
            name: name.into(),
            measured: vec![(0.0, 2.0), (1.0, 3.0)],
            published: published.to_vec(),
            half_widths: half_widths.to_vec(),
        };
        let svg = |curves: &[Curve]| {
            Figure { title: "", x: &names, x_label: "policy", y_label: "y", curves }.svg().unwrap()
        };
        let plain = svg(&[of("a", &[], &[]), of("b", &[], &[])]);
        // The paper, a bar for each value, and one for each curve in the legend.
        assert_eq!((plain.matches("<rect").count(), plain.matches("<circle").count()), (7, 0));
        let lines = |svg: &str| svg.matches("<line").count() + svg.matches("<polyline").count();
        let with = svg(&[of("a", &[], &[(1.0, 0.1)]), of("b", &[], &[])]);
        assert_eq!(lines(&with), lines(&plain) + 3);
        let published = svg(&[of("a", &[(0.0, 2.5)], &[]), of("b", &[], &[])]);
        // A ring on paper, and the pair that explains it.
        assert_eq!(published.matches("<circle").count(), 2 + 1);
    }

    #[test]
    fn an_interval_of_a_point_lies_around_it_and_on_the_axis() {
        let curve = |half_widths: &[(f64, f64)]| Curve {
            name: "a".into(),
            measured: vec![(1.0, 4.0), (2.0, 5.0)],
            published: Vec::new(),
            half_widths: half_widths.to_vec(),
        };
        let wide = curve(&[(2.0, 90.0), (7.0, 1.0), (1.0, f64::NAN)]);
        assert_eq!(wide.whiskers().collect::<Vec<_>>(), [(2.0, -85.0, 95.0)]);
        let svg = |curve: Curve| {
            let curves = &[curve];
            let x = &AxisScale::Linear;
            Figure { title: "", x, x_label: "x", y_label: "y", curves }.svg().unwrap()
        };
        assert!(svg(wide).contains("\n50\n") && !svg(curve(&[])).contains("\n50\n"));
    }

    #[test]
    fn every_colour_has_a_dark_twin() {
        let svg = plot(AxisScale::Linear, &[(0.0, 1.0), (4.0, 3.0)]);
        let of_pages: Vec<_> = shared().map(|(_, ink)| ink.color()).collect();
        let drawn: Vec<_> = svg.split("=\"#").skip(1).map(|rest| &rest[..6]).collect();
        assert!(drawn.len() > 20);
        for color in drawn {
            let is_drawn = |RGBColor(red, green, blue): &RGBColor| {
                format!("{red:02X}{green:02X}{blue:02X}") == color
            };
            assert!(of_pages.iter().any(is_drawn), "#{color}");
        }
    }

    #[test]
    fn no_numbers_stop_the_drawing() {
        for points in [
            vec![],
            vec![(1e17, 1e17)],
            vec![(1.0, f64::MAX), (f64::MAX, -f64::MAX)],
            vec![(5e-324, 5e-324), (1e-323, 1e-323)],
            vec![(1e-300, -1e-300), (1e300, 1e300)],
        ] {
            for x in [AxisScale::Linear, AxisScale::Log2, AxisScale::Log10] {
                assert!(plot(x, &points).contains("</svg>"));
            }
        }
    }
}
