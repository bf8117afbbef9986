use crate::{sample, written};
use std::fs;
use study::outcome::{RowKind, StudyOutcome};

fn page(studies: &[StudyOutcome]) -> String {
    fs::read_to_string(written(studies).path().join("index.html")).unwrap()
}

#[test]
fn the_page_needs_nothing_beside_itself() {
    let page = page(&[sample::study()]);
    for reference in ["http", "src=", "url(", "@import", "<script", "<link"] {
        assert!(!page.contains(reference), "{reference}");
    }
    assert_eq!(page.matches("href=").count(), page.matches("href=\"#").count());
}

#[test]
fn every_row_figure_and_parameter_is_on_the_page() {
    let study = sample::study();
    let page = page(std::slice::from_ref(&study));
    for experiment in &study.experiments {
        assert!(page.contains(&format!("id=\"paper/{}\"", experiment.id)));
        assert!(page.contains(&format!("href=\"#paper/{}\"", experiment.id)));
        for row in &experiment.rows {
            assert_eq!(page.matches(&format!("<code>{}</code>", row.id)).count(), 1);
        }
    }
    for parameter in &study.parameters {
        assert!(page.contains(&format!("<code>{}</code>", parameter.key)));
        assert!(page.contains(&parameter.source));
    }
    assert_eq!(page.matches("<svg ").count(), 1);
    assert!(page.contains("<small>nobody polls</small>"));
}

#[test]
fn rows_carry_their_status() {
    let page = page(&[sample::study()]);
    for (status, rows) in [("within", 4), ("outside", 2), ("reported", 1)] {
        assert_eq!(page.matches(&format!("<tr class=\"{status}\">")).count(), rows, "{status}");
    }
    assert!(page.contains("<dt>Published values within</dt><dd>3</dd>"));
    assert!(page.contains("<div class=\"outside\"><dt>Published values outside</dt><dd>1</dd>"));
    // Judged, within, outside, reported.
    for (kind, numbers) in [
        ("published, predicted", [2, 1, 1, 0]),
        ("published, fitted", [2, 2, 0, 0]),
        ("bound", [1, 0, 1, 0]),
        ("derived", [0, 0, 0, 1]),
        ("goal", [1, 1, 0, 0]),
    ] {
        let cells = numbers.map(|number| format!("<td>{number}</td>")).concat();
        assert!(page.contains(&format!("<td class=\"word\">{kind}</td>{cells}")), "{kind}");
    }
}

#[test]
fn figures_stand_with_their_studies() {
    let mut other = sample::study();
    other.name = "other".into();
    other.experiments[0].figures[0].title = "Another figure".into();
    let page = page(&[sample::study(), other]);
    let (first, second) = page.split_once("id=\"other/latency\"").unwrap();
    assert_eq!(first.matches("<svg ").count(), 1);
    assert!(!first.contains("Another figure") && second.contains("\nAnother figure\n"));
}

#[test]
fn no_text_can_break_out_of_the_page() {
    let page = page(&[sample::named("<b x=\"'& a|b, c")]);
    assert!(!page.contains("<b x"));
    assert!(page.contains("&lt;b x=&quot;'&amp; a|b, c"));
}

#[test]
fn what_is_not_there_has_no_heading() {
    let mut study = sample::study();
    study.parameters.clear();
    for experiment in &mut study.experiments {
        experiment.rows.retain(|row| row.kind == RowKind::Claim);
    }
    let page = page(&[study]);
    assert!(page.contains("<summary>1 claim<span"));
    for absent in [" value", "Absolute errors", " given"] {
        assert!(!page.contains(absent), "{absent}");
    }
}
