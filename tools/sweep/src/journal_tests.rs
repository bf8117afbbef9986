//! What a journal takes of the lines that it finds.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::definition::Source;

/// A sweep of six points.
const SWEEP: &str = r#"
board = "small"
precondition = "none"
seeds = 2
[options]
rw = "randwrite"
size = "2m"
[grid]
iodepth = [1, 4, 8]
"#;

fn sweep_of(text: &str) -> Sweep {
    let source = Source { file: "s.toml", name: "s", text, place: &Path::to_owned };
    Sweep::parse(source).expect("a sweep")
}

fn row(point: u64) -> Row {
    let figures = (0..FIGURES.len()).map(|nth| Some(point as f64 + nth as f64)).collect();
    Row { point, board: format!("board {point}"), error: None, figures }
}

fn failed(point: u64) -> Row {
    Row { error: Some("no such board".to_owned()), figures: Vec::new(), ..row(point) }
}

/// A folder with a journal.
struct Bench {
    folder: TempDir,
    sweep: Sweep,
    origin: Origin,
}

impl Bench {
    fn new() -> Self {
        let (folder, sweep) = (tempfile::tempdir().expect("a folder"), sweep_of(SWEEP));
        let origin = Origin::new(&sweep, "1.2.3", "abcdef");
        Bench { folder, sweep, origin }
    }

    fn open_as(&self, origin: &Origin) -> Result<Journal, SweepError> {
        Journal::open(self.folder.path(), &self.sweep, origin)
    }

    fn open(&self) -> Journal {
        self.open_as(&self.origin).expect("a journal")
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join(NAME)).expect("a file");
        text.split_inclusive('\n').map(str::to_owned).collect()
    }

    fn lines_as_bytes(&self) -> Vec<u8> {
        fs::read(self.folder.path().join(NAME)).expect("a file")
    }

    fn put(&self, bytes: &[u8]) {
        fs::write(self.folder.path().join(NAME), bytes).expect("a file");
    }
}

/// All points of a sweep, two of which have failed.
fn rows() -> Vec<Row> {
    (0..6).map(|point| if point % 3 == 1 { failed(point) } else { row(point) }).collect()
}

#[test]
fn rows_are_found_again_and_the_others_are_left() {
    let bench = Bench::new();
    let mut journal = bench.open();
    assert_eq!((journal.done(), journal.left()), (0, vec![0, 1, 2, 3, 4, 5]));
    journal.take(vec![row(4), failed(1), row(0)]).expect("they are written");
    drop(journal);
    let mut journal = bench.open();
    assert_eq!((journal.done(), journal.left()), (3, vec![2, 3, 5]));
    assert_eq!(journal.rows().cloned().collect::<Vec<_>>(), [row(0), failed(1), row(4)]);
    // Those of one point from two workers are the same: the first stays.
    journal.take(vec![failed(4), row(5)]).expect("they are written");
    assert_eq!(journal.rows[4], Some(row(4)));
    drop(journal);
    let journal = bench.open();
    assert_eq!((journal.left(), &journal.rows[4]), (vec![2, 3], &Some(row(4))));
    let of_points: Vec<_> = journal
        .with_points(&bench.sweep)
        .iter()
        .map(|(point, row)| (point.number, row.point))
        .collect();
    assert_eq!(of_points, [(0, 0), (1, 1), (4, 4), (5, 5)]);
}

/// Whatever a start may have changed of what decides a row makes the rows those of another.
#[test]
fn rows_of_another_version_commit_sweep_or_of_other_figures_are_left_as_they_are() {
    let bench = Bench::new();
    bench.open().take(rows()).expect("they are written");
    let before = bench.lines();
    let own = &bench.origin;
    let others = [
        (Origin { version: "1.2.4".to_owned(), ..own.clone() }, "version 1.2.3, commit abcdef"),
        (Origin { commit: "abcdee".to_owned(), ..own.clone() }, "version 1.2.3, commit abcdef"),
        (
            Origin { sweep: sweep_of(&SWEEP.replace("2m", "4m")).source(), ..own.clone() },
            "another sweep",
        ),
        (Origin { figures: own.figures[1..].to_vec(), ..own.clone() }, "another sweep"),
    ];
    for (origin, found) in others {
        let error = bench.open_as(&origin).expect_err("a journal of another").to_string();
        assert!(error.contains("origin: found") && error.contains(found), "{error}");
        assert_eq!(bench.lines(), before);
    }
    assert_eq!(bench.open().done(), 6);
}

#[test]
fn a_file_that_is_no_journal_is_left_as_it_is() {
    let bench = Bench::new();
    let origin = serde_json::to_string(&bench.origin).expect("it is JSON");
    let longer = origin.replacen('{', "{\"host\":\"a\",", 1);
    for text in ["point,seed\n", "{}\n", &format!("{longer}\n"), &format!("{}\n", row(0).line())] {
        bench.put(text.as_bytes());
        let error = bench.open_as(&bench.origin).expect_err("no journal").to_string();
        assert!(error.contains("a line that is none"), "{text}: {error}");
        assert_eq!(bench.lines().concat(), text);
    }
}

/// A damaged row is made anew, and so is what stands behind it: nothing of that is skipped, and nothing taken.
#[test]
fn rows_from_a_damaged_one_on_are_made_anew() {
    let bench = Bench::new();
    bench.open().take(rows()).expect("they are written");
    let whole = bench.lines();
    assert_eq!(whole.len(), 7);
    let short = Row { figures: vec![Some(1.0); FIGURES.len() - 1], ..row(3) };
    let long = Row { figures: vec![Some(1.0); FIGURES.len() + 1], ..row(3) };
    let none = Row { figures: Vec::new(), ..row(3) };
    let both = Row { error: Some("no".to_owned()), ..row(3) };
    let own = row(3).line();
    let cases: [Vec<u8>; 13] = [
        b"\n".to_vec(),
        b"\0\0\0\0\n".to_vec(),
        b"\xff\xfe\n".to_vec(),
        format!("{}\n", &own[..own.len() / 2]).into(),
        format!("{own}{own}\n").into(),
        format!("{}\n", own.replace("\"point\":3", "\"point\":6")).into(),
        format!("{}\n", own.replace("\"point\":3", "\"point\":4")).into(),
        format!("{}\n", own.replace("board 3", "board 2")).into(),
        format!("{}\n", own.replacen('{', "{\"time\":1,", 1)).into(),
        format!("{}\n", short.line()).into(),
        format!("{}\n", long.line()).into(),
        format!("{}\n", none.line()).into(),
        format!("{}\n", both.line()).into(),
    ];
    for damaged in cases {
        let told = String::from_utf8_lossy(&damaged).into_owned();
        bench.put(
            &[whole[..4].concat().as_bytes(), &damaged, whole[5..].concat().as_bytes()].concat(),
        );
        let mut journal = bench.open();
        assert_eq!(journal.left(), [3, 4, 5], "{told}");
        assert_eq!(bench.lines(), whole[..4], "{told}");
        journal.take(rows().split_off(3)).expect("they are written");
        drop(journal);
        assert_eq!(bench.lines(), whole, "{told}");
    }
}

#[test]
fn a_line_that_was_cut_off_is_not_taken() {
    let bench = Bench::new();
    bench.open().take(rows()).expect("they are written");
    let whole = bench.lines().concat();
    let ends: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at + 1).collect();
    for cut in (0..=whole.len()).step_by(7).chain(ends.iter().copied()) {
        bench.put(&whole.as_bytes()[..cut]);
        // Without its line feed a row is not taken, though it may be there to its last brace.
        let rows = ends.iter().filter(|&&end| end <= cut).count().saturating_sub(1);
        let mut journal = bench.open();
        assert_eq!(journal.done(), rows as u64, "cut at {cut}");
        journal.take(super::tests::rows().split_off(rows)).expect("they are written");
        drop(journal);
        assert_eq!(bench.lines().concat(), whole, "cut at {cut}");
    }
}

#[test]
fn a_row_of_no_point_is_refused_and_two_sweeps_do_not_share_a_journal() {
    let bench = Bench::new();
    let mut journal = bench.open();
    let error = journal.take(vec![row(6)]).expect_err("there are six points").to_string();
    assert!(error.contains("point: found 6, expected one of the 6 points"), "{error}");
    let error = bench.open_as(&bench.origin).expect_err("it is in use").to_string();
    assert!(error.contains("lock"), "{error}");
}

/// Journals with wrong bytes anywhere: each is refused in a line and left as it is, or gives rows that were written, the first
/// ones in order.
#[test]
fn a_thousand_damaged_journals_give_no_row_that_was_not_written() {
    let bench = Bench::new();
    bench.open().take(rows()).expect("they are written");
    let whole = bench.lines().concat().into_bytes();
    let mut state = 20_261_128;
    let mut below = |end: usize| (random::next(&mut state) % end as u64) as usize;
    let (mut refused, mut cut) = (0, 0);
    for case in 0..1_000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + below(3) {
            if bytes.is_empty() {
                break;
            }
            let at = below(bytes.len());
            match below(6) {
                0 => bytes[at] ^= 1 << below(8),
                1 => bytes[at] = b"0123456789"[below(10)],
                2 => bytes.truncate(at.max(1)),
                3 => drop(bytes.splice(at..at, [[0, b'\n', b'9', b'}'][below(4)]; 8])),
                4 => drop(bytes.drain(at..bytes.len().min(at + 40))),
                _ => {
                    let other = below(bytes.len() - at);
                    let copied = bytes[at..at + other].to_vec();
                    bytes.extend_from_slice(&copied);
                }
            }
        }
        bench.put(&bytes);
        match bench.open_as(&bench.origin) {
            Err(error) => {
                let line = error.to_string();
                assert!(!line.contains('\n') && line.len() < 400, "case {case}: {line}");
                assert_eq!(bench.lines_as_bytes(), bytes, "case {case}: it is left as it is");
                refused += 1;
            }
            Ok(journal) => {
                let all = rows();
                let is_own = |row: &Row| all[row.point as usize] == *row;
                assert!(journal.rows().all(is_own), "case {case}");
                cut += u64::from(journal.done() < 6);
            }
        }
    }
    println!("{refused} refused, {cut} with rows to be made anew");
    assert!(refused > 50 && cut > 500, "{refused} {cut}");
}
