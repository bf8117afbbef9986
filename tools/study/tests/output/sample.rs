//! Outcomes made by hand.

use study::outcome::{
    AxisScale, Curve, Evidence, Exhibit, ExperimentOutcome, Figure, Forms, Parameter, Relation,
    Role, Row, RowKind, Status, StudyOutcome, Treatment,
};

/// A study with every kind of row, in which one value and one claim are off.
pub fn study() -> StudyOutcome {
    StudyOutcome {
        name: "paper".into(),
        title: "A drive".into(),
        paper: "A. Author, A drive, 2020".into(),
        exhibits: vec![
            Exhibit {
                by: vec!["latency/system_us".into(), "figure24".into()],
                note: "Half of it.".into(),
                ..exhibit(7, Treatment::ComparedInPart)
            },
            Exhibit { files: vec!["boards/a.toml".into()], ..exhibit(8, Treatment::Given) },
            Exhibit { note: "Nobody can.".into(), ..exhibit(9, Treatment::NotDone) },
        ],
        parameters: vec![
            parameter(("fast", "host.latency_us", "1.5", "calibrated")),
            parameter(("fast", "geometry.channels", "8", "given")),
        ],
        experiments: vec![latency(), clock()],
    }
}

fn exhibit(number: u32, treatment: Treatment) -> Exhibit {
    Exhibit {
        kind: "Table".into(),
        number,
        shows: format!("part {number}"),
        treatment,
        by: Vec::new(),
        files: Vec::new(),
        note: String::new(),
    }
}

fn parameter((board, key, value, role): (&str, &str, &str, &'static str)) -> Parameter {
    Parameter {
        board: board.into(),
        key: key.into(),
        value: value.into(),
        role,
        source: format!("source of {key}"),
    }
}

/// A value of `latency`.
pub fn value((column, depth): (&str, u32), published: f64, measured: f64) -> Row {
    let error_percent = 100.0 * (measured / published - 1.0);
    Row {
        id: format!("latency/{column}/read/{depth}"),
        conditions: format!("op read, depth {depth}"),
        relation: Relation::Equals,
        published,
        forms: Forms::default(),
        measured,
        interval: None,
        unit: "us".into(),
        error_percent,
        tolerance_percent: Some(10.0),
        evidence: Evidence::Published,
        role: if depth == 1 { Role::Fitted } else { Role::Predicted },
        status: if error_percent.abs() <= 10.0 { Status::Within } else { Status::Outside },
        reason: None,
        kind: RowKind::Value,
        said_of_each: None,
    }
}

fn latency() -> ExperimentOutcome {
    let off =
        Row { reason: Some("nobody polls".into()), ..value(("firmware_us", 64), 312.0, 273.0) };
    ExperimentOutcome {
        id: "latency".into(),
        title: "Latency by part".into(),
        place: "section 6.4, Table 7".into(),
        rows: vec![
            value(("system_us", 1), 239.9, 241.3),
            value(("firmware_us", 1), 7.3, 7.3),
            value(("system_us", 64), 972.2, 972.2 * 0.99),
            off,
        ],
        figures: vec![figure()],
        timelines: Vec::new(),
    }
}

fn clock() -> ExperimentOutcome {
    let claim = Row {
        id: "drop_small".into(),
        conditions: "2x2 loses little".into(),
        relation: Relation::AtMost,
        published: 6.0,
        forms: Forms::default(),
        measured: 6.3,
        interval: None,
        unit: "%".into(),
        error_percent: 5.0,
        tolerance_percent: None,
        evidence: Evidence::Bound,
        role: Role::Predicted,
        status: Status::Outside,
        reason: None,
        kind: RowKind::Claim,
        said_of_each: None,
    };
    let summary = Row {
        id: "mean".into(),
        conditions: String::new(),
        relation: Relation::Below,
        measured: 0.25117,
        error_percent: 0.0,
        status: Status::Within,
        evidence: Evidence::Goal,
        kind: RowKind::Summary,
        ..claim.clone()
    };
    let reported = Row {
        id: "clock/iops".into(),
        conditions: "clock 200, \"slow\"".into(),
        relation: Relation::Equals,
        published: 1000.0,
        measured: f64::NAN,
        unit: String::new(),
        error_percent: f64::NAN,
        evidence: Evidence::Derived,
        role: Role::Given,
        status: Status::Reported,
        kind: RowKind::Value,
        ..claim.clone()
    };
    ExperimentOutcome {
        id: "clock".into(),
        title: "Processor clock".into(),
        place: "section 7.1".into(),
        rows: vec![reported, claim, summary],
        figures: Vec::new(),
        timelines: Vec::new(),
    }
}

/// A figure with two curves, of which one was published.
pub fn figure() -> Figure {
    Figure {
        id: "figure24".into(),
        title: "Throughput over outstanding commands".into(),
        x: AxisScale::Log2,
        x_label: "outstanding commands".into(),
        y_label: "throughput in MB/s".into(),
        curves: vec![
            Curve {
                name: "read, slc".into(),
                measured: vec![(1.0, 66.0), (2.0, 131.0), (64.0, 1072.0)],
                published: vec![(1.0, 68.3), (2.0, 132.7), (64.0, 1078.5)],
                half_widths: Vec::new(),
            },
            Curve {
                name: "write, slc".into(),
                measured: vec![(1.0, 26.0), (2.0, 52.0), (64.0, 790.0)],
                published: Vec::new(),
                half_widths: Vec::new(),
            },
        ],
    }
}

/// `study` with `text` wherever text may stand.
pub fn named(text: &str) -> StudyOutcome {
    let mut study = study();
    study.title = text.into();
    study.paper = text.into();
    for exhibit in &mut study.exhibits {
        exhibit.kind = text.into();
        exhibit.shows = text.into();
        exhibit.by = vec![text.into()];
        exhibit.note = text.into();
    }
    for parameter in &mut study.parameters {
        parameter.value = text.into();
        parameter.source = text.into();
    }
    for experiment in &mut study.experiments {
        experiment.title = text.into();
        experiment.place = text.into();
        for row in &mut experiment.rows {
            row.conditions = text.into();
            row.unit = text.into();
            row.reason = Some(text.into());
        }
        for figure in &mut experiment.figures {
            figure.title = text.into();
            figure.x_label = text.into();
            figure.y_label = text.into();
            figure.x = AxisScale::Categories(vec![text.into()]);
            figure.curves.iter_mut().for_each(|curve| curve.name = text.into());
        }
    }
    study
}
