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

/// The colour of an operation as it stands in a picture.
fn fill_of(name: &str) -> String {
    let color = look_of(name).ink.color();
    format!("#{:02X}{:02X}{:02X}", color.0, color.1, color.2)
}

/// Left edge and width in pixels of the last box of this operation.
fn extent(picture: &str, name: &str) -> Option<(f64, f64)> {
    let fill = fill_of(name);
    let number = |attributes: &Attributes, name: &str| {
        attributes[name].parse::<f64>().unwrap() / f64::from(UNITS)
    };
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
    assert_eq!(extent(&picture, "read transfer"), Some((LEFT, half - PARTING)));
    assert_eq!(extent(&picture, "tR"), Some((LEFT + half, half - PARTING)));
    assert!(picture.contains("(µs)") && picture.contains("way &lt;0&gt;"));
    assert!(!picture.contains("issuer"));
}

#[test]
fn a_window_cuts_boxes_at_its_edges() {
    let picture = drawn(Some("25..45us")).unwrap();
    assert_eq!(extent(&picture, "read transfer"), Some((LEFT, RIGHT - LEFT - PARTING)));
    assert_eq!(extent(&picture, "tR"), None);
}

#[test]
fn an_empty_window_is_told() {
    assert_eq!(drawn(Some("100..200us")).unwrap_err(), NothingToDraw);
}

/// A trace of `count` reads of a microsecond on one way, one after the other.
fn long_trace(count: usize) -> Trace {
    let reads = (0..count)
        .map(|nth| format!(r#","ph":"X","pid":10,"tid":2,"ts":{nth}.0,"dur":1.0,"name":"tR""#));
    let names = [
        r#","ph":"M","pid":10,"name":"process_name","args":{"name":"channel 0"}"#,
        r#","ph":"M","pid":10,"tid":2,"name":"thread_name","args":{"name":"way 0"}"#,
    ];
    let events: Vec<String> = names
        .into_iter()
        .map(str::to_owned)
        .chain(reads)
        .map(|event| format!("{{{}}}", &event[1..]))
        .collect();
    Trace::read(format!(r#"{{"traceEvents":[{}]}}"#, events.join(",")).as_bytes()).unwrap()
}

#[test]
fn a_long_trace_is_drawn_from_its_start_and_says_so() {
    let boxes = |gantt: &Gantt<'_>| {
        let mut out = Vec::new();
        gantt.write(&mut out).unwrap();
        let picture = String::from_utf8(out).unwrap();
        let says = picture.contains("later operations are left out");
        // One more is in the legend.
        (picture.matches(&fill_of("tR")).count() - 1, says)
    };
    let fits = long_trace(MOST_OPERATIONS);
    let whole = Gantt::new(&fits, None).unwrap();
    assert_eq!((whole.cut_ps(), boxes(&whole)), (None, (MOST_OPERATIONS, false)));

    let trace = long_trace(MOST_OPERATIONS + 500);
    let cut = Gantt::new(&trace, None).unwrap();
    assert_eq!(cut.cut_ps(), Some((0.0, MOST_OPERATIONS as f64 * 1e6)));
    assert_eq!(boxes(&cut), (MOST_OPERATIONS, true));
    let window = Gantt::new(&trace, Some("200..20400us".parse().unwrap())).unwrap();
    assert_eq!(window.cut_ps(), Some((200e6, 20_200e6)));
    let part = Gantt::new(&trace, Some("200..300us".parse().unwrap())).unwrap();
    assert_eq!((part.cut_ps(), boxes(&part)), (None, (100, false)));
}

#[test]
fn a_legend_of_all_operations_has_lines_within_the_picture_above_the_rows() {
    let events: Vec<String> = looks()
        .enumerate()
        .map(|(nth, look)| {
            let name = look.name;
            format!(r#"{{"ph":"X","pid":10,"tid":2,"ts":{nth}.0,"dur":1.0,"name":"{name}"}}"#)
        })
        .chain([
            r#"{"ph":"M","pid":10,"name":"process_name","args":{"name":"channel 0"}}"#.into(),
            r#"{"ph":"M","pid":10,"tid":2,"name":"thread_name","args":{"name":"way 0"}}"#.into(),
        ])
        .collect();
    let text = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    let trace = Trace::read(text.as_bytes()).unwrap();
    let gantt = Gantt::new(&trace, None).unwrap();
    let legend = gantt.legend();
    assert_eq!(legend.len(), looks().count());
    let ends = |(look, (left, _)): &(&Look, (f64, f64))| {
        left + KEY_NAME + look.name.len() as f64 * KEY * CHARACTER
    };
    for (nth, entry) in legend.iter().enumerate() {
        assert!(ends(entry) <= RIGHT, "{}", entry.0.name);
        if let Some(next) = legend.get(nth + 1).filter(|next| next.1 .1 == entry.1 .1) {
            assert!(next.1 .0 > ends(entry), "{}", entry.0.name);
        }
    }
    let last = legend.last().unwrap().1 .1;
    assert!(last > LEGEND && last + KEY < gantt.top() - 20.0);
    assert_eq!(gantt.rows()[0].top, gantt.top());
}
