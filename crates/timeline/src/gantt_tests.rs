//! Boxes stand where their times are.

use svg::node::Attributes;
use svg::parser::Event;

use super::*;

const TRACE: &str = r#"{"traceEvents":[
    {"ph":"M","pid":10,"name":"process_name","args":{"name":"channel 0"}},
    {"ph":"M","pid":3,"name":"process_name","args":{"name":"firmware"}},
    {"ph":"M","pid":10,"tid":1,"name":"thread_name","args":{"name":"bus"}},
    {"ph":"M","pid":10,"tid":2,"name":"thread_name","args":{"name":"way <0>"}},
    {"ph":"X","pid":10,"tid":1,"ts":0.0,"dur":50.0,"name":"read transfer","args":{"command":3}},
    {"ph":"X","pid":10,"tid":2,"ts":50.0,"dur":50.0,"name":"tR"},
    {"ph":"X","pid":3,"tid":1,"ts":0.0,"dur":900.0,"name":"issuer"}
]}"#;

fn drawn(window: Option<&str>) -> Result<String, NothingToDraw> {
    let trace = Trace::read(TRACE.as_bytes()).unwrap();
    let window = window.map(|text| text.parse().unwrap());
    let mut out = Vec::new();
    Gantt::new(&trace, window)?.write(&mut out).unwrap();
    Ok(String::from_utf8(out).unwrap())
}

/// Left edge and width of the last box of this colour.
fn extent(picture: &str, fill: &str) -> Option<(f64, f64)> {
    let number = |attributes: &Attributes, name: &str| attributes[name].parse::<f64>().unwrap();
    svg::read(picture)
        .unwrap()
        .filter_map(|event| match event {
            Event::Tag("rect", _, attributes) if *attributes["fill"] == *fill => {
                Some((number(&attributes, "x"), number(&attributes, "width")))
            }
            _ => None,
        })
        .last()
}

#[test]
fn boxes_lie_at_their_times_and_the_firmware_is_left_out() {
    let picture = drawn(None).unwrap();
    let half = (RIGHT - LEFT) / 2.0;
    assert_eq!(extent(&picture, look_of("read transfer").fill), Some((LEFT, half)));
    assert_eq!(extent(&picture, look_of("tR").fill), Some((LEFT + half, half)));
    assert!(picture.contains("(µs)") && picture.contains("way &lt;0&gt;"));
    assert!(!picture.contains("issuer"));
}

#[test]
fn a_window_cuts_boxes_at_its_edges() {
    let picture = drawn(Some("25..45us")).unwrap();
    assert_eq!(extent(&picture, look_of("read transfer").fill), Some((LEFT, RIGHT - LEFT)));
    assert_eq!(extent(&picture, look_of("tR").fill), None);
}

#[test]
fn an_empty_window_is_told() {
    assert_eq!(drawn(Some("100..200us")).unwrap_err(), NothingToDraw);
}
