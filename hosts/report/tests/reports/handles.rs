//! What came of the data of each placement handle, in text, in JSON and on the page.

use crate::{html_of, json_of, sample};
use report::{HandleResult, JsonForm, RunResult};
use serde_json::{json, Value};

fn run() -> RunResult {
    let mut run = sample::large();
    let own = |handle, bytes_written, bytes_moved| HandleResult {
        handle,
        bytes_written,
        bytes_moved,
        blocks_collected: 7,
    };
    run.drive.handles =
        vec![own(Some(0), 4_000_000, 0), own(Some(1), 1_000_000, 250_000), own(None, 0, 99)];
    run
}

#[test]
fn the_page_has_a_row_for_each_handle_and_for_what_was_moved_before() {
    let page = html_of(&run());
    let section = page.split("<h2>Placement handles</h2>").nth(1).expect("the section");
    let section = section.split("<h2>").next().unwrap();
    let rows = section.split("<tr>").skip(2);
    let cells = |row: &str| {
        let texts = row
            .split('>')
            .filter_map(|part| part.split_once("</td").map(|(text, _)| text.to_owned()));
        texts.collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = rows.map(cells).collect();
    assert_eq!(rows[1], ["handle 1", "1.00 MB", "250 kB", "25.0 %", "7"]);
    assert_eq!(
        (rows[0][3].as_str(), rows[2][0].as_str(), rows[2][3].as_str()),
        ("0.0 %", "moved before", "–")
    );
    assert!(!html_of(&sample::large()).contains("Placement handles"));
}

#[test]
fn json_has_them_and_gives_them_back() {
    let run = run();
    let text = json_of(&run, JsonForm::Plain);
    let value: Value = serde_json::from_str(&text).unwrap();
    let own = &value["firmament"]["placement_handles"];
    assert_eq!(
        own[1],
        json!({"handle": 1, "bytes_written": 1_000_000, "bytes_moved": 250_000, "blocks_collected": 7})
    );
    assert_eq!((own.as_array().unwrap().len(), &own[2]["handle"]), (3, &Value::Null));
    let again = report::read_json(&value).unwrap();
    assert_eq!(again.drive.handles, run.drive.handles);
    let without: Value = serde_json::from_str(&json_of(&sample::large(), JsonForm::Plain)).unwrap();
    assert_eq!(without["firmament"].get("placement_handles"), None);
}
