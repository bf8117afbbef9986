//! `docs/fidelity.md` as it stands in the repository: a page of other studies, other boards or an older program fails here.

use std::fs;
use std::path::Path;

use study::outcome::{Row, RowKind, Status, StudyOutcome};
use study::{output, Plan, Study};

/// What to do about a page that is stale.
const STALE: &str = "docs/fidelity.md is stale: run make studies";
/// Columns of tables that only a run can fill.
const OF_RUNS: [&str; 3] = ["measured", "error", "status"];
/// Sections about what came out.
const SECTIONS_OF_RUNS: [&str; 3] =
    ["Claims\n", "Absolute errors of values\n", "What differs, and why\n"];

fn page() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join("docs/fidelity.md")).unwrap()
}

/// The part of a page that is about a study.
fn part<'a>(page: &'a str, study: &Study) -> &'a str {
    let heading = format!("{}\n", study.title());
    let part = page.split("\n## ").find(|part| part.starts_with(&heading));
    part.unwrap_or_else(|| panic!("{STALE}: no part about {}", study.name())).trim_end()
}

#[test]
fn all_that_is_far_off_has_its_reason() {
    let page = page();
    let without: Vec<&str> =
        page.lines().filter(|line| line.contains("no reason is known")).collect();
    assert!(without.is_empty(), "without a reason: {without:#?}");
}

fn built_in() -> impl Iterator<Item = Study> {
    study::built_in_names().into_iter().map(|name| Study::built_in(name).unwrap().unwrap())
}

/// Cells of a row of a table, without what makes them bold.
fn cells(row: &str) -> Vec<&str> {
    let row = row.trim_start_matches("| ").trim_end_matches('|').trim_end();
    row.split(" | ").map(|cell| cell.trim_matches('*')).collect()
}

/// Lines of a part without what a run says: of tables, columns and ends of cells.
fn without_runs(part: &str) -> Vec<String> {
    let sections = part.split("\n### ");
    let kept =
        sections.filter(|one| !SECTIONS_OF_RUNS.iter().any(|of_runs| one.starts_with(of_runs)));
    let mut left_out: Vec<bool> = Vec::new();
    let mut lines = Vec::new();
    for line in kept.flat_map(str::lines) {
        if !line.starts_with('|') {
            left_out.clear();
            lines.push(line.to_owned());
            continue;
        }
        let cells = cells(line);
        if left_out.is_empty() {
            left_out = cells.iter().map(|cell| OF_RUNS.contains(cell)).collect();
        }
        let told = cells.iter().zip(&left_out).filter(|(_, left_out)| !**left_out);
        let told = told.map(|(cell, _)| cell.split(" → ").next().unwrap_or_default());
        lines.push(told.collect::<Vec<_>>().join(" | "));
    }
    lines
}

/// Place, text, evidence and published value of each claim of a part.
fn claims(part: &str) -> Vec<[String; 4]> {
    let section = part.split("\n### ").find(|one| one.starts_with("Claims\n")).unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| std::array::from_fn(|nth| cells(row)[nth].to_owned())).collect()
}

/// The claims of a study that all come out, or that all do not, as the page would have them.
fn claims_if(study: &Study, status: Status) -> Vec<[String; 4]> {
    let mut outcome = study.as_published().unwrap();
    for row in outcome.experiments.iter_mut().flat_map(|one| &mut one.rows) {
        row.status = status;
    }
    claims(part(&output::fidelity(&[outcome]), study))
}

/// How many rows each line stands for if all claims come out.
fn rows_a_line(outcome: &StudyOutcome) -> Vec<usize> {
    let is_one = |a: &&Row, b: &&Row| {
        a.said_of_each.is_some() && a.id.split('/').next() == b.id.split('/').next()
    };
    let lines = |rows: &[Row]| {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.kind != RowKind::Value).collect();
        rows.chunk_by(is_one).map(<[&Row]>::len).collect::<Vec<_>>()
    };
    outcome.experiments.iter().flat_map(|one| lines(&one.rows)).collect()
}

#[test]
fn the_page_has_the_lists_of_exhibits_as_they_are() {
    let page = page();
    let empty = output::fidelity(&[]);
    let (title, what_it_is) = empty.split_once("\n\n").expect("a title");
    assert!(page.starts_with(title), "the page begins otherwise");
    let glance = page.split(what_it_is.trim_end()).next().filter(|glance| *glance != page);
    let glance = glance.expect("the page says what it is");
    // The page begins with a line for each paper.
    for study in built_in() {
        let line = format!("\n| {} | ", study.title());
        assert!(glance.contains(&line), "{STALE}: no line for {}", study.name());
    }
    for study in built_in() {
        let listed = output::exhibits(study.exhibits());
        assert!(part(&page, &study).contains(&listed), "{STALE}: exhibits of {}", study.name());
    }
}

/// Conditions, published values, tolerances, kinds of evidence and roles, and the parameters of all boards.
#[test]
fn the_page_has_what_the_studies_say_before_they_run() {
    let page = page();
    for study in built_in() {
        let expected = output::fidelity(&[study.as_published().unwrap()]);
        let expected = without_runs(part(&expected, &study));
        let found = without_runs(part(&page, &study));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{STALE}: {}", study.name());
        }
        assert_eq!(found.len(), expected.len(), "{STALE}: {}", study.name());
    }
}

/// A claim that comes out everywhere has one line, and else one for each of its points.
#[test]
fn the_page_has_the_claims_of_the_studies() {
    let page = page();
    for study in built_in() {
        let (merged, single) =
            (claims_if(&study, Status::Within), claims_if(&study, Status::Outside));
        let amounts = rows_a_line(&study.as_published().unwrap());
        assert_eq!((merged.len(), single.len()), (amounts.len(), amounts.iter().sum()));
        let mut found = &claims(part(&page, &study))[..];
        let mut single = &single[..];
        for (line, amount) in merged.iter().zip(amounts) {
            let (own, rest) = single.split_at(amount);
            single = rest;
            let is_merged = found.first() == Some(line);
            let lines = if is_merged { std::slice::from_ref(line) } else { own };
            assert!(found.starts_with(lines), "{STALE}: {}: {lines:?}", study.name());
            found = &found[lines.len()..];
        }
        assert!(found.is_empty(), "{STALE}: {}: {found:?}", study.name());
    }
}

/// The smallest study whole: what was measured, verdicts, errors and counts.
#[test]
fn the_page_has_what_the_smallest_study_comes_to() {
    let page = page();
    let study = Study::built_in("bluessd").unwrap().unwrap();
    let outcome = Plan::new(&study).unwrap().repeated(5, 2, &mut |_| ()).unwrap();
    let expected = output::fidelity(&[outcome]);
    for (found, expected) in part(&page, &study).lines().zip(part(&expected, &study).lines()) {
        assert_eq!(found, expected, "{STALE}");
    }
    assert_eq!(part(&page, &study), part(&expected, &study), "{STALE}");
    let counts = |page: &str| {
        let rows = page.lines().filter(|line| line.starts_with("| BlueSSD | "));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(counts(&page), counts(&expected), "{STALE}");
}
