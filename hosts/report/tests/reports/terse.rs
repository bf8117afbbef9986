//! fio's terse lines.

use crate::sample;
use report::{RunResult, TerseVersion};

fn terse_of(run: &RunResult, version: TerseVersion) -> String {
    let mut out = Vec::new();
    report::write_terse(run, version, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Fields of a line as fio 3.33 wrote it, by version.
const FIELDS: [(TerseVersion, usize); 4] = [
    (TerseVersion::V2, 4 + 3 * 41 + 34),
    (TerseVersion::V3, 5 + 2 * 41 + 34),
    (TerseVersion::V4, 5 + 3 * 41 + 34),
    (TerseVersion::V5, 5 + 3 * 47 + 34),
];

#[test]
fn a_job_is_a_line_of_the_fields_that_fio_has() {
    for (version, fields) in FIELDS {
        let text = terse_of(&sample::large(), version);
        assert_eq!(text.lines().count(), 4, "{version:?}");
        for line in text.lines() {
            assert_eq!(line.split(';').count(), fields, "{version:?}: {line}");
        }
    }
}

#[test]
fn values_stand_where_fio_has_them() {
    let text = terse_of(&sample::small(), TerseVersion::V3);
    let read = "3;fio-3.33;four;0;0;16;4000;1000;4;1;1;1.000000;0.000000;\
                100;400;250.000000;129.099445;1.000000%=100;5.000000%=100;";
    assert!(text.starts_with(read), "{text}");
    assert!(
        text.contains(";0%=0;0%=0;0%=0;101;401;251.000000;129.099445;0;0;0.000000%;"),
        "{text}"
    );
    let tail = ";0.000000%;0.000000%;0;0;0;100.0%;0.0%;0.0%;0.0%;0.0%;0.0%;0.0%;\
                0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;50.00%;50.00%;0.00%;0.00%;\
                0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%\n";
    assert!(text.ends_with(tail), "{text}");
}

#[test]
fn a_description_ends_the_line_or_follows_it() {
    let mut run = sample::small();
    run.global_options = vec![("description".into(), "for all".into())];
    assert!(terse_of(&run, TerseVersion::V3).ends_with(";0.00%;for all\n"));
    run.jobs[0].options.push(("description".into(), "its own".into()));
    assert!(terse_of(&run, TerseVersion::V2).ends_with(";0.00%\nits own\n"));
}
