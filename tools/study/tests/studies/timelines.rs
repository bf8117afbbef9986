//! Figure 8 of Ozone as a picture: the order of its boxes is what each model of execution does.

use std::fs;

use study::{output, Plan, Study};
use svg::node::Attributes;
use svg::parser::Event;

/// Rows of a panel: the bus and four chips.
const ROWS: usize = 5;
const BUS: usize = 0;
/// Boxes of a chip that works, and of pages on the bus.
const CHIP: [&str; 2] = ["#A9CBEC", "#F6CFA1"];
const PAGE: [&str; 2] = ["#2B6CB2", "#C8701D"];
const LANE: &str = "#F5F7F9";

/// A box with a number in it, and its edges in tenths of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Numbered {
    request: u32,
    left: f64,
    right: f64,
}

/// A panel: the boxes of each row, from left to right.
type Panel = Vec<Vec<Numbered>>;

fn number(attributes: &Attributes, name: &str) -> f64 {
    attributes[name].parse().unwrap()
}

/// The boxes of `fills` with the numbers that stand in them, by panel and row.
fn panels(picture: &str, fills: [&str; 2]) -> Vec<Panel> {
    let mut lanes = Vec::new();
    let mut boxes: Vec<(f64, Numbered)> = Vec::new();
    let mut place = None;
    for event in svg::read(picture).unwrap() {
        match event {
            Event::Tag("rect", _, attributes) if *attributes["fill"] == *LANE => {
                lanes.push(number(&attributes, "y"));
            }
            Event::Tag("rect", _, attributes) if fills.contains(&&*attributes["fill"]) => {
                let left = number(&attributes, "x");
                let right = left + number(&attributes, "width");
                boxes.push((number(&attributes, "y"), Numbered { request: 0, left, right }));
            }
            Event::Tag("text", _, attributes) => {
                place = attributes.get("x").map(|x| x.parse::<f64>().unwrap());
            }
            // A number follows its box.
            Event::Text(text) => {
                let last = boxes.last_mut();
                if let (Ok(request), Some(x), Some((_, shape))) = (text.trim().parse(), place, last)
                {
                    if shape.left < x && x < shape.right && shape.request == 0 {
                        shape.request = request;
                    }
                }
            }
            _ => {}
        }
    }
    let of_lane = |top: &f64| -> Vec<Numbered> {
        let inside = boxes.iter().filter(|(y, _)| y == top);
        let mut inside: Vec<Numbered> = inside.map(|(_, shape)| *shape).collect();
        inside.sort_by(|a, b| a.left.total_cmp(&b.left));
        inside
    };
    let rows: Vec<Vec<Numbered>> = lanes.iter().map(of_lane).collect();
    rows.chunks(ROWS).map(<[_]>::to_vec).collect()
}

fn of(panel: &Panel, request: u32) -> Numbered {
    let mut all = panel.iter().flatten();
    *all.find(|shape| shape.request == request).unwrap_or_else(|| panic!("no {request}: {panel:?}"))
}

fn end(panel: &Panel) -> f64 {
    panel.iter().flatten().map(|shape| shape.right).fold(0.0, f64::max)
}

/// The requests are P0 R1 P2 P0 R3 R1 P3 R2, numbered from 1.
#[test]
fn figure_8_shows_what_each_model_keeps_waiting() {
    let study = Study::built_in("ozone").unwrap().unwrap().quick();
    let outcome = Plan::new(&study).unwrap().run(2, &mut |_| ()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    output::write(&[outcome], folder.path()).unwrap();
    let picture = fs::read_to_string(folder.path().join("ozone/figure8.svg")).unwrap();
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("What the bus and four chips do when"), "the page shows it");
    let pages = panels(&picture, PAGE);
    let chips = panels(&picture, CHIP);
    assert_eq!((pages.len(), chips.len()), (3, 3));
    let on_bus = |panel: &Panel| panel[BUS].iter().map(|shape| shape.request).collect::<Vec<_>>();
    for (nth, panel) in pages.iter().enumerate() {
        let mut all = on_bus(panel);
        all.sort_unstable();
        assert_eq!(all, [1, 2, 3, 4, 5, 6, 7, 8], "panel {nth}: each page is on the bus once");
        for pair in panel[BUS].windows(2) {
            assert!(
                pair[0].right <= pair[1].left + 1.0,
                "panel {nth}: {pair:?} overlap on the bus"
            );
        }
    }
    let [sequential, decoupled, free] = &pages[..] else { unreachable!() };
    let [one_by_one, in_order, at_once] = &chips[..] else { unreachable!() };

    // Sequentially the bus has them in order, and never do two chips work.
    assert_eq!(on_bus(sequential), [1, 2, 3, 4, 5, 6, 7, 8]);
    let mut works: Vec<Numbered> = one_by_one.iter().flatten().copied().collect();
    works.sort_by(|a, b| a.left.total_cmp(&b.left));
    assert!(works.windows(2).all(|pair| pair[0].right <= pair[1].left), "{works:?}");

    // Decoupled, 2 is read at once, and does not complete before 1; 4 meets a busy chip and holds up 5.
    assert!(of(in_order, 2).left < of(in_order, 1).right);
    assert!(of(decoupled, 2).left >= of(in_order, 1).right);
    assert!(of(decoupled, 4).left >= of(in_order, 1).right);
    assert!(of(in_order, 5).left >= of(decoupled, 4).right);

    // Out of order, 2 and 5 are through while the programs of 1 and 3 go on; 4 still waits for its chip.
    assert!(of(free, 2).right < of(at_once, 1).right);
    assert!(of(free, 5).right < of(at_once, 3).right);
    assert!(of(free, 4).left >= of(at_once, 1).right);
    assert!(end(at_once) < end(in_order) && end(in_order) < end(one_by_one));
}
