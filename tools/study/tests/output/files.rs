use crate::{sample, written};
use std::fs;
use study::output::{write, OutputError};

#[test]
fn the_csv_has_every_row() {
    let folder = written(&[sample::study()]);
    let csv = fs::read_to_string(folder.path().join("paper/result.csv")).unwrap();
    let expected = "\
id,conditions,published,measured,unit,error_percent,tolerance_percent,evidence,role,status,published_to,complement_of,interval
latency/system_us/read/1,\"op read, depth 1\",239.9,241.3,us,0.5835765,10,published,fitted,within,,,
latency/firmware_us/read/1,\"op read, depth 1\",7.3,7.3,us,0,10,published,fitted,within,,,
latency/system_us/read/64,\"op read, depth 64\",972.2,962.478,us,-1,10,published,predicted,within,,,
latency/firmware_us/read/64,\"op read, depth 64\",312,273,us,-12.5,10,published,predicted,outside,,,
clock/iops,\"clock 200, \"\"slow\"\"\",1000,NaN,,NaN,,derived,given,reported,,,
drop_small,\"2x2 loses little, at most\",6,6.3,%,5,,bound,predicted,outside,,,
mean,below,6,0.25117,%,0,,goal,predicted,within,,,
";
    assert_eq!(csv, expected);
}

#[test]
fn each_file_is_there_and_nothing_else() {
    let folder = written(&[sample::study()]);
    let names = |path| {
        let entries = fs::read_dir(folder.path().join(path)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(""), ["index.html", "paper"]);
    assert_eq!(names("paper"), ["figure24.png", "figure24.svg", "result.csv"]);
}

#[test]
fn the_same_outcome_gives_the_same_bytes() {
    let (first, second) = (written(&[sample::study()]), written(&[sample::study()]));
    for name in ["index.html", "paper/figure24.png", "paper/figure24.svg", "paper/result.csv"] {
        let read = |folder: &tempfile::TempDir| fs::read(folder.path().join(name)).unwrap();
        assert_eq!(read(&first), read(&second), "{name}");
    }
}

#[test]
fn files_are_replaced() {
    let folder = written(&[sample::study()]);
    let mut other = sample::study();
    other.experiments.truncate(1);
    write(&[other], folder.path()).unwrap();
    let csv = fs::read_to_string(folder.path().join("paper/result.csv")).unwrap();
    assert_eq!(csv.lines().count(), 5);
}

#[test]
fn an_error_names_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("taken");
    fs::write(&file, "").unwrap();
    let error = write(&[sample::study()], &file).unwrap_err();
    assert!(matches!(&error, OutputError::Refused { path, .. } if path.starts_with(&file)));
    let line = error.to_string();
    assert!(line.contains("taken") && line.contains("expected") && !line.contains('\n'), "{line}");
}

#[test]
fn no_name_leads_out_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("inside");
    let mut study = sample::study();
    study.experiments[0].figures[0].id = "../../figure".into();
    let error = write(&[study], &inside).unwrap_err();
    assert!(error.to_string().starts_with("\"../../figure\""), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
