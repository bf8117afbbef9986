use crate::{sample, written};
use resvg::tiny_skia::Pixmap;
use std::fs;
use study::outcome::{AxisScale, Curve, Figure};

/// The SVG and the PNG of `figure`.
fn drawn(figure: Figure) -> (String, Pixmap) {
    let mut study = sample::study();
    study.experiments[0].figures = vec![figure];
    let folder = written(&[study]);
    let svg = fs::read_to_string(folder.path().join("paper/figure24.svg")).unwrap();
    let png = fs::read(folder.path().join("paper/figure24.png")).unwrap();
    (svg, Pixmap::decode_png(&png).unwrap())
}

/// Height of the plot in its own coordinates.
fn svg_height(svg: &str) -> u32 {
    let (_, rest) = svg.split_once("height=\"").unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

#[test]
fn the_svg_names_everything() {
    let (svg, _) = drawn(sample::figure());
    for text in [
        "Throughput over outstanding commands",
        "outstanding commands",
        "throughput in MB/s",
        "read, slc",
        "write, slc",
        "measured",
        "published",
        "32",
    ] {
        assert!(svg.contains(&format!("\n{text}\n")), "{text}");
    }
    // Three full markers a curve and one in the legend for each, three hollow ones, and a pair that
    // explains them.
    assert_eq!(svg.matches("<circle ").count(), 2 * 3 + 2 + 3 + 2);
}

#[test]
fn without_published_points_hollow_markers_are_not_explained() {
    let mut figure = sample::figure();
    figure.curves.remove(0);
    let (svg, _) = drawn(figure);
    assert!(!svg.contains("\npublished\n"));
    assert_eq!(svg.matches("<circle ").count(), 3 + 1);
}

#[test]
fn the_png_shows_the_same_at_twice_the_size() {
    let (svg, png) = drawn(sample::figure());
    assert_eq!((png.width(), png.height()), (2000, 2 * svg_height(&svg)));
}

/// Pixels of `png` between two heights, in coordinates of the plot, that are nearly black.
fn dark_pixels(png: &Pixmap, from: u32, to: u32) -> usize {
    let row = png.width() as usize;
    let pixels = &png.pixels()[2 * from as usize * row..2 * to as usize * row];
    pixels
        .iter()
        .filter(|pixel| pixel.red() < 90 && pixel.green() < 90 && pixel.blue() < 90)
        .count()
}

#[test]
fn text_is_visible_in_the_png() {
    let (_, png) = drawn(sample::figure());
    let title = dark_pixels(&png, 15, 45);
    assert!(title > 1000, "{title} dark pixels");
    // A title without ink. Without any title, the legend would be in its place.
    let untitled = Figure { title: " ".to_owned(), ..sample::figure() };
    assert_eq!(dark_pixels(&drawn(untitled).1, 15, 45), 0);
}

#[test]
fn the_paper_is_white() {
    let (_, png) = drawn(sample::figure());
    let corner = png.pixel(0, 0).unwrap();
    assert_eq!([corner.red(), corner.green(), corner.blue(), corner.alpha()], [255; 4]);
}

#[test]
fn many_curves_with_long_names_stay_in_the_plot() {
    let curves = (0..30).map(|index| Curve {
        name: format!("{index} {}", "long name ".repeat(index)),
        ..sample::figure().curves[0].clone()
    });
    let (svg, _) = drawn(Figure { curves: curves.collect(), ..sample::figure() });
    let height = svg_height(&svg);
    for tag in svg.split('<').filter(|tag| tag.starts_with("circle") || tag.starts_with("text")) {
        let attribute = |name: &str| {
            let value = tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?;
            value.parse::<u32>().ok()
        };
        assert!(attribute("x").or(attribute("cx")).unwrap() < 1000, "{tag}");
        assert!(attribute("y").or(attribute("cy")).unwrap() < height, "{tag}");
    }
}

#[test]
fn names_on_the_axis_are_shortened_to_their_room() {
    let names: Vec<_> = (0..20).map(|index| format!("{index} is a long name")).collect();
    let (svg, _) = drawn(Figure { x: AxisScale::Categories(names), ..sample::figure() });
    assert!(svg.contains("\n19 …\n") || svg.contains("\n19 i…\n"), "{svg}");
    let names: Vec<_> = (0..200).map(|index| format!("n{index}")).collect();
    let (svg, _) = drawn(Figure { x: AxisScale::Categories(names), ..sample::figure() });
    assert!(svg.contains("\nn0\n") && !svg.contains("\nn1\n"));
}

/// Policies have no order that a line could follow, and what several seeds came to has an interval.
#[test]
fn over_names_there_are_bars_and_intervals_are_drawn() {
    let curve = Curve {
        measured: vec![(0.0, 3.0), (1.0, 4.0)],
        half_widths: vec![(0.0, 0.1), (1.0, 0.1)],
        ..sample::figure().curves[1].clone()
    };
    let names = vec!["greedy".to_owned(), "cost-benefit".to_owned()];
    let figure = |curve: &Curve| Figure {
        x: AxisScale::Categories(names.clone()),
        curves: vec![curve.clone()],
        ..sample::figure()
    };
    let (svg, _) = drawn(figure(&curve));
    let (without, _) = drawn(figure(&Curve { half_widths: Vec::new(), ..curve }));
    // The paper, a bar for each policy, and the legend's.
    assert_eq!((svg.matches("<rect").count(), svg.matches("<circle").count()), (4, 0));
    let lines = |svg: &str| svg.matches("<line").count() + svg.matches("<polyline").count();
    assert_eq!(lines(&svg), lines(&without) + 2 * 3);
}

#[test]
fn text_cannot_break_out_of_the_svg() {
    let folder = written(&[sample::named("<b x=\"'& a")]);
    let svg = fs::read_to_string(folder.path().join("paper/figure24.svg")).unwrap();
    assert!(!svg.contains("<b x"));
}
