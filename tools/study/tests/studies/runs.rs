//! What comes out of a study, and what it does not depend on.

use study::outcome::{Relation, Role, Row, RowKind, Status, StudyOutcome};
use study::{Plan, Study};

use crate::folder::Folder;

fn outcome(study: &Study, threads: usize) -> StudyOutcome {
    Plan::new(study).unwrap().run(threads, &mut |_| ()).unwrap()
}

fn rows(outcome: &StudyOutcome) -> Vec<&Row> {
    outcome.experiments.iter().flat_map(|experiment| &experiment.rows).collect()
}

fn ids(outcome: &StudyOutcome) -> Vec<&str> {
    rows(outcome).iter().map(|row| row.id.as_str()).collect()
}

#[test]
fn every_row_is_told_with_its_kind_and_role() {
    let outcome = outcome(&Folder::tiny().load().unwrap(), 2);
    let told: Vec<_> =
        rows(&outcome).iter().map(|row| (row.id.as_str(), row.kind, row.role)).collect();
    let expected = [
        ("depth/latency_us/read/1", RowKind::Value, Role::Fitted),
        ("depth/latency_us/read/2", RowKind::Value, Role::Predicted),
        ("depth/storage_us/read/1", RowKind::Value, Role::Predicted),
        ("two_are_faster/read", RowKind::Claim, Role::Predicted),
        ("two_are_faster/write", RowKind::Claim, Role::Predicted),
        ("reads_are_faster", RowKind::Claim, Role::Fitted),
        ("latency_mean", RowKind::Summary, Role::Fitted),
        ("channel_first_is_even", RowKind::Claim, Role::Predicted),
        ("random_is_uneven", RowKind::Claim, Role::Predicted),
        ("processor_is_idle", RowKind::Claim, Role::Predicted),
    ];
    assert_eq!(told, expected);
    let rows = rows(&outcome);
    assert_eq!(rows[0].conditions, "op read, outstanding 1");
    assert_eq!(rows[2].status, Status::Reported);
    assert_eq!(rows[3].relation, Relation::Above);
    assert!(rows.iter().all(|row| row.status != Status::Outside), "{rows:?}");
    let errors = [rows[0], rows[1]].map(|row| row.error_percent.abs());
    assert_eq!(rows[6].measured, (errors[0] + errors[1]) / 2.0);
    // The storage alone takes tR and a page's time on the bus, and the whole takes longer.
    assert!((189.0..rows[0].measured).contains(&rows[2].measured), "{:?}", rows[2]);
}

#[test]
fn figures_hold_the_points_that_are_asked_for() {
    let outcome = outcome(&Folder::tiny().load().unwrap(), 2);
    let [figure] = &outcome.experiments[0].figures[..] else { panic!("one figure") };
    let [curve] = &figure.curves[..] else { panic!("one curve") };
    let x: Vec<f64> = curve.measured.iter().map(|(x, _)| *x).collect();
    assert_eq!(x, [1.0, 2.0]);
    let latency_us = rows(&outcome)[0].measured;
    // One outstanding command: throughput is its size over its latency, but for start and end.
    let expected = 16384.0 / latency_us;
    assert!((curve.measured[0].1 / expected - 1.0).abs() < 0.02, "{curve:?} {expected}");
}

/// Points that were run with a second seed have an interval in the figure, as they have in the table.
#[test]
fn points_of_several_seeds_have_intervals_in_figures() {
    let study = Folder::tiny().load().unwrap();
    let half_widths = |seeds| {
        let outcome = Plan::new(&study).unwrap().repeated(seeds, 2, &mut |_| ()).unwrap();
        outcome.experiments[0].figures[0].curves[0].half_widths.clone()
    };
    assert_eq!(half_widths(1), []);
    let x: Vec<f64> = half_widths(2).iter().map(|(x, _)| *x).collect();
    assert_eq!(x, [1.0, 2.0]);
}

#[test]
fn equal_points_are_run_once_and_unused_ones_not_at_all() {
    // Of eight points four are used, of three two; the last experiment's is one of the first's.
    let study = Folder::tiny().load().unwrap();
    assert_eq!(Plan::new(&study).unwrap().runs(), 6);
    assert_eq!(Plan::new(&study.quick()).unwrap().runs(), 4);
}

#[test]
fn the_outcome_does_not_depend_on_the_number_of_threads() {
    let study = Folder::tiny().load().unwrap();
    let alone = outcome(&study, 1);
    for threads in [2, 5] {
        assert_eq!(outcome(&study, threads), alone, "{threads} threads");
    }
}

#[test]
fn the_quick_subset_keeps_what_needs_no_other_points() {
    let study = Folder::with(
        "study.toml",
        "depth = { outstanding = [1, 2] }",
        "depth = { outstanding = 1 }",
    );
    let quick = outcome(&study.load().unwrap().quick(), 2);
    assert_eq!(
        ids(&quick),
        ["depth/latency_us/read/1", "depth/storage_us/read/1", "reads_are_faster"]
    );
    assert!(quick.experiments[0].figures.is_empty());

    let full = Folder::tiny().load().unwrap();
    let whole = outcome(&full, 2);
    let quick = outcome(&full.quick(), 2);
    assert_eq!(quick.experiments, whole.experiments[..1]);
}

#[test]
fn a_value_outside_its_tolerance_gives_its_reason() {
    let folder = Folder::with("study.toml", "at_most = 0.9", "at_most = 0.1");
    let outcome = outcome(&folder.load().unwrap(), 2);
    let row = rows(&outcome)[5];
    assert_eq!(row.status, Status::Outside);
    assert_eq!(row.reason.as_deref(), Some("the buffer takes writes at once"));
    let over = 100.0 * (row.measured - 0.1) / 0.1;
    assert!((row.error_percent - over).abs() < 1e-9);
}

#[test]
fn progress_rises_to_all_runs() {
    let study = Folder::tiny().load().unwrap();
    let mut told = Vec::new();
    Plan::new(&study).unwrap().run(2, &mut |progress| told.push(progress)).unwrap();
    assert!(told.windows(2).all(|pair| pair[0].done <= pair[1].done));
    assert!(told.windows(2).all(|pair| pair[0].fraction <= pair[1].fraction + 1e-9));
    let last = told.last().unwrap();
    assert_eq!((last.done, last.runs), (6, 6));
    assert!((last.fraction - 1.0).abs() < 1e-9);
}

#[test]
fn parameters_have_value_role_and_source() {
    let outcome = outcome(&Folder::tiny().load().unwrap().quick(), 2);
    let found = |key: &str| outcome.parameters.iter().find(|p| p.key == key).unwrap();
    let read = found("flash.t_read_slc_us");
    assert_eq!((read.board.as_str(), read.value.as_str(), read.role), ("small", "99", "given"));
    assert_eq!(read.source, "Cosmos+ Table 5");
    assert_eq!(found("geometry.channels").role, "assumed");
}
