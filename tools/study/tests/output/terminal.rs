use crate::sample;
use study::outcome::Row;
use study::output::table;

#[test]
fn the_table_is_aligned_and_counts() {
    let expected = r#"A drive (paper)
A. Author, A drive, 2020

latency: Latency by part (section 6.4, Table 7)
  id                           conditions         published  measured  unit    error  tolerance  evidence   role       status
  latency/system_us/read/1     op read, depth 1       239.9     241.3  us     +0.6 %       10 %  published  fitted     within
  latency/firmware_us/read/1   op read, depth 1         7.3     7.300  us     +0.0 %       10 %  published  fitted     within
  latency/system_us/read/64    op read, depth 64      972.2     962.5  us     -1.0 %       10 %  published  predicted  within
  latency/firmware_us/read/64  op read, depth 64        312     273.0  us    -12.5 %       10 %  published  predicted  outside !
  latency/firmware_us/read/64: nobody polls

clock: Processor clock (section 7.1)
  id          conditions         published  measured  unit  error  tolerance  evidence  role   status
  clock/iops  clock 200, "slow"       1000         –            –          –  derived   given  reported
  id          says              published  measured  unit  error  tolerance  evidence  role       status
  drop_small  2x2 loses little        ≤ 6     6.300  %     5.0 %          –  bound     predicted  outside !
  mean                                < 6    0.2512  %     holds          –  goal      predicted  within

Absolute errors of values
  values               evidence   role       number  mean error  largest  outside
  latency system_us    published  fitted          1       0.6 %    0.6 %        0
  latency system_us    published  predicted       1       1.0 %    1.0 %        0
  latency firmware_us  published  fitted          1       0.0 %    0.0 %        0
  latency firmware_us  published  predicted       1      12.5 %   12.5 %        1
  all                  published  fitted          2       0.3 %    0.6 %        0
  all                  published  predicted       2       6.8 %   12.5 %        1

Rows by kind of evidence
  evidence              judged  within  outside  reported
  published, predicted       2       1        1         0
  published, fitted          2       2        0         0
  bound                      1       0        1         0
  derived                    0       0        0         1
  goal                       1       1        0         0

3 of 4 published values within tolerance
"#;
    assert_eq!(table(&sample::study()), expected);
}

#[test]
fn rows_that_differ_for_one_reason_share_it() {
    let mut study = sample::study();
    let [latency, clock] = &mut study.experiments[..] else { panic!("two experiments") };
    let off = latency.rows[3].clone();
    latency.rows.push(Row { id: "again".into(), ..off.clone() });
    clock.rows[1].reason = off.reason;
    let text = table(&study);
    assert!(text.contains("\n  latency/firmware_us/read/64 and 1 more: nobody polls\n"), "{text}");
    assert!(text.contains("\n  drop_small: nobody polls\n"), "{text}");
}

#[test]
fn long_claims_are_wrapped_in_their_column() {
    let mut study = sample::study();
    study.experiments[1].rows[1].conditions = "word ".repeat(30);
    let longest = table(&study).lines().map(|line| line.chars().count()).max();
    assert!(longest < Some(150), "{longest:?}");
}

#[test]
fn a_study_without_rows_is_no_trouble() {
    let mut study = sample::study();
    study.experiments.clear();
    let expected = "\
A drive (paper)
A. Author, A drive, 2020

0 of 0 published values within tolerance
";
    assert_eq!(table(&study), expected);
}
