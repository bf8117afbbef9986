use crate::sample;
use study::outcome::{Evidence, Forms, Relation, Role, Row, RowKind, Status};
use study::output::fidelity;

const HEAD: &str = "\
# Fidelity

How far to believe the model, in a line for each paper: how many numbers the paper gives that do not
follow from one another, how many of them the model was fitted to, and how well it predicts the
others. Errors are without their signs, and those of predicted values alone. Where a value can be
told in two ways, as a ratio or as the gain beyond 1, they are of the harsher one; *as told* is the
mean of the errors of the values as the paper tells them.

| paper | published values | fitted | predicted | mean error | as told | worst | outside 5 % | outside 15 % |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
| A drive | 4 | 2 | 2 | 6.8 % | 6.8 % | 12.5 % | 1 | 0 |

This page is written by `firmament study all`; do not edit it. It sets what was published beside
what Firmament measured. *Reproduced* is what lies within its tolerance. *Partly* is what lies
outside, but within twice its tolerance; for a bound, what misses it by less than 10 %. All else
*differs*. What has no tolerance is *reported*. An error is the measured value over the published
one, less one; for a bound, by how much it is missed; for a range, how far the measured value lies
from its nearer end. Where a value can be told in two ways, as a share that is lost and as what is
kept of 100, or as a ratio and as the gain beyond 1, both stand there, the second one in brackets,
and the error is the larger one of both. A value behind ± is half of the interval that holds the
mean of 95 % of such runs: each run is done with several seeds, until that is below a fifth of the
tolerance, five seeds at most. A claim that was made at several points and
reproduced at all of them has one line; the terminal and `result.csv` have a line for each.

Rows are counted by the evidence that they are. The score is made of *published* values: numbers
that the paper gives and that do not follow from one another. An *ordering* says which of two is
larger, a *bound* sets a limit. What is *derived* follows by arithmetic from published values. A
*goal* is an aim of this project. *Fitted* values were used to calibrate the model, *predicted* ones
were not. A parameter is *given* by the paper of the study, or *borrowed* from another paper. Where
values of a paper contradict each other, [contradictions](contradictions.md) has the arithmetic.

Each study begins with the figures and tables of its paper, from front to back, and what is done
about each. What is *compared*, the study sets beside what is measured here: experiments, columns,
claims and pictures of the study that do so are named, and the verdicts on them stand below. What
is *compared in part* has beside it what is missing. What is *compared elsewhere*, no study
compares, but the file that is named. What is *given* has its numbers among the parameters of a
board. What is *described* measures nothing, and shows how something is built: the file that is
named is what is built here in its place, or describes it. What is *not done* has the reason beside
it.

| study | evidence | judged | within | outside | reported |
|---|---|---:|---:|---:|---:|
";

const STUDY: &str = r#"| A drive | published, predicted | 2 | 1 | 1 | 0 |
| A drive | published, fitted | 2 | 2 | 0 | 0 |
| A drive | bound | 1 | 0 | 1 | 0 |
| A drive | derived | 0 | 0 | 0 | 1 |
| A drive | goal | 1 | 1 | 0 | 0 |

## A drive

A. Author, A drive, 2020

`firmament study paper` runs this study alone.

### Figures and tables of the paper

| of the paper | what it shows | what is done | where, and what is missing |
|---|---|---|---|
| Table 7 | part 7 | compared in part | `latency/system_us`, `figure24`. Half of it. |
| Table 8 | part 8 | given | `boards/a.toml` |
| Table 9 | part 9 | not done | Nobody can. |

### Claims

| place | claim | evidence | published | measured | error | verdict |
|---|---|---|---:|---:|---:|---|
| section 7.1 | 2x2 loses little | bound | ≤ 6 % | 6.300 % | 5.0 % | partly |
| section 7.1 |  | goal | &lt; 6 % | 0.2512 % | holds | reproduced |

### Absolute errors of values

| values | evidence | role | number | mean error | largest error | outside |
|---|---|---|---:|---:|---:|---:|
| latency system_us | published | fitted | 1 | 0.6 % | 0.6 % | 0 |
| latency system_us | published | predicted | 1 | 1.0 % | 1.0 % | 0 |
| latency firmware_us | published | fitted | 1 | 0.0 % | 0.0 % | 0 |
| latency firmware_us | published | predicted | 1 | 12.5 % | 12.5 % | 1 |
| all | published | fitted | 2 | 0.3 % | 0.6 % | 0 |
| all | published | predicted | 2 | 6.8 % | 12.5 % | 1 |

### What differs, and why

- `latency/firmware_us/read/64` (-12.5 %, partly): nobody polls
- `drop_small` (5.0 %, partly): no reason is known yet.

### Latency by part

section 6.4, Table 7; `latency`.

A cell is published → measured (error). Bold is outside its tolerance. Tolerance: 10 %.

| conditions | role | `system_us`, us | `firmware_us`, us |
|---|---|---:|---:|
| op read, depth 1 | fitted | 239.9 → 241.3 (+0.6 %) | 7.3 → 7.300 (+0.0 %) |
| op read, depth 64 | predicted | 972.2 → 962.5 (-1.0 %) | **312 → 273.0 (-12.5 %)** |

### Processor clock

section 7.1; `clock`.

| conditions | published | measured | unit | error | tolerance | evidence | role | status |
|---|---:|---:|---|---:|---:|---|---|---|
| clock 200, "slow" | 1000 | – |  | – | – | derived | given | reported |

### 1 parameter given

Stated by this paper, or by the public source of its drive.

| board | key | value | source |
|---|---|---:|---|
| fast | `geometry.channels` | 8 | source of geometry.channels |

### 1 parameter calibrated

Fitted to published values of this paper.

| board | key | value | source |
|---|---|---:|---|
| fast | `host.latency_us` | 1.5 | source of host.latency_us |
"#;

#[test]
fn the_page_says_what_came_out() {
    assert_eq!(fidelity(&[sample::study()]), format!("{HEAD}{STUDY}"));
}

#[test]
fn each_study_has_its_part() {
    let mut other = sample::study();
    other.title = "Another".into();
    let page = fidelity(&[sample::study(), other]);
    assert!(
        page.contains("| A drive | goal | 1 | 1 | 0 | 0 |\n| Another | published, predicted | 2 |")
    );
    assert!(page.contains("\n\n## Another\n"));
}

#[test]
fn values_of_a_column_that_are_off_for_one_reason_share_a_line() {
    let mut study = sample::study();
    let rows = &mut study.experiments[0].rows;
    for (depth, measured) in [(2, 8.5), (4, 8.6)] {
        rows.push(sample::value(("firmware_us", depth), 10.0, measured));
        rows.push(sample::value(("system_us", depth), 10.0, 30.0));
    }
    let page = fidelity(&[study]);
    for line in [
        "- 2 values of `firmware_us` in `latency` (-15.0 % to -14.0 %; 2 partly, 0 differ)",
        "- 2 values of `system_us` in `latency` (+200.0 % to +200.0 %; 0 partly, 2 differ)",
    ] {
        assert!(page.contains(line), "{page}");
    }
}

#[test]
fn columns_with_holes_and_own_tolerances_are_told() {
    let mut study = sample::study();
    let rows = &mut study.experiments[0].rows;
    rows.remove(0);
    rows[0].tolerance_percent = None;
    rows[0].status = Status::Reported;
    rows[2].role = Role::Given;
    let page = fidelity(&[study]);
    for text in [
        "Tolerances: `firmware_us`\nnone or 10 %, `system_us` 10 %.\n",
        "| op read, depth 1 | fitted | 7.3 → 7.300 (+0.0 %) |  |\n",
        "| op read, depth 64 | predicted, given | **312",
    ] {
        assert!(page.contains(text), "{text} is not in\n{page}");
    }
}

#[test]
fn no_text_can_break_a_table() {
    let page = fidelity(&[sample::named("a|b <c>, *d*\n- e")]);
    let shown = "a\\|b &lt;c&gt;, \\*d\\* \\- e";
    assert!(page.contains(&format!("\n## {shown}\n")));
    assert!(page.contains(&format!("| {shown} | {shown} | bound | ≤ 6 {shown} | 6.300 {shown} |")));
    assert!(!page.contains("<c>"));
    let mut bars_above = None;
    for line in page.lines().map(|line| line.replace("\\|", "")) {
        let bars = Some(line.matches('|').count()).filter(|_| !line.is_empty());
        if let (Some(_), Some(above)) = (bars, bars_above) {
            assert_eq!(bars, Some(above), "{line}");
        }
        bars_above = bars.filter(|_| line.starts_with('|'));
    }
}

/// A claim that is made at three points, at each of which this was measured.
fn claims_at_each(measured: [f64; 3]) -> Vec<Row> {
    let row = |(point, measured): (u32, f64)| Row {
        id: format!("even/{point}"),
        conditions: format!("the load is even (kib {point})"),
        relation: Relation::AtMost,
        published: 2.0,
        measured,
        unit: "KiB".into(),
        error_percent: (50.0 * (measured - 2.0)).max(0.0),
        tolerance_percent: Some(0.0),
        evidence: Evidence::Bound,
        status: if measured <= 2.0 { Status::Within } else { Status::Outside },
        kind: RowKind::Claim,
        said_of_each: Some("the load is even".into()),
        ..sample::value(("us", 64), 1.0, 1.0)
    };
    [128, 256, 512].into_iter().zip(measured).map(row).collect()
}

#[test]
fn a_claim_has_one_line_where_it_is_reproduced_at_all_points() {
    let claims = |measured: &[[f64; 3]]| {
        let mut study = sample::study();
        let rows = measured.iter().enumerate().flat_map(|(nth, measured)| {
            claims_at_each(*measured)
                .into_iter()
                .map(move |row| Row { id: format!("nr{nth}{}", row.id), ..row })
        });
        study.experiments[0].rows.extend(rows);
        let page = fidelity(&[study]);
        let lines = page.lines().filter(|line| line.contains("the load is even"));
        lines
            .filter_map(|line| Some(line.split_once("Table 7 | ")?.1.to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        claims(&[[1.0, 0.0, 0.5], [2.0, 2.0, 2.0]]),
        [
            "the load is even (3 of 3) | bound | ≤ 2 KiB | 0 to 1.000 KiB | holds | reproduced |",
            "the load is even (3 of 3) | bound | ≤ 2 KiB | 2.000 KiB | holds | reproduced |",
        ]
    );
    assert_eq!(
        claims(&[[1.0, 3.0, 0.5]]),
        [
            "the load is even (kib 128) | bound | ≤ 2 KiB | 1.000 KiB | holds | reproduced |",
            "the load is even (kib 256) | bound | ≤ 2 KiB | 3.000 KiB | 50.0 % | **differs** |",
            "the load is even (kib 512) | bound | ≤ 2 KiB | 0.5 KiB | holds | reproduced |",
        ]
    );
}

#[test]
fn what_is_outside_does_not_read_as_if_within() {
    let mut study = sample::study();
    let rows =
        [(99.9, "-0.1 %"), (110.03, "+10.03 %"), (110.004, "+10.004 %"), (110.06, "+10.1 %")];
    for (nth, (measured, _)) in rows.iter().enumerate() {
        let row = sample::value(("system_us", 64), 100.0, *measured);
        study.experiments[0].rows.push(Row { conditions: format!("row {nth}"), ..row });
    }
    let page = fidelity(&[study]);
    for (nth, (_, error)) in rows.iter().enumerate() {
        let line = page.lines().find(|line| line.contains(&format!("| row {nth} "))).unwrap();
        assert!(line.contains(&format!("({error})")), "{line}");
    }
}

/// 12 % of a value whose tolerance is 15: reproduced, and explained all the same.
#[test]
fn a_published_value_that_is_far_off_within_its_tolerance_is_explained() {
    let mut study = sample::study();
    let row = sample::value(("system_us", 64), 100.0, 112.0);
    let reason = Some("the wind blows".to_owned());
    let row = Row {
        tolerance_percent: Some(15.0),
        status: Status::Within,
        error_percent: 12.0,
        reason,
        ..row
    };
    study.experiments[0].rows = vec![row.clone()];
    assert!(fidelity(&[study.clone()]).contains("the wind blows"));
    study.experiments[0].rows = vec![Row { error_percent: 9.0, ..row }];
    assert!(!fidelity(&[study]).contains("the wind blows"));
}

#[test]
fn prose_is_wrapped() {
    let mut study = sample::study();
    study.experiments[0].rows[3].reason = Some("because ".repeat(40));
    study.paper = "author, ".repeat(40);
    for line in fidelity(&[study]).lines().filter(|line| !line.starts_with('|')) {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

/// A ratio of 1.5 where 1.25 was measured: a gain of a half is missed by half, and the ratio by a sixth.
#[test]
fn a_value_with_a_complement_has_the_error_of_what_the_paper_tells_beside_the_harsher_one() {
    let plain = sample::value(("firmware_us", 64), 1.5, 1.25);
    let forms = Forms { complement_of: Some(1.0), ..Forms::default() };
    let row = Row { forms, error_percent: -50.0, ..plain.clone() };
    assert!((row.error_as_told_percent() - -100.0 / 6.0).abs() < 1e-9);
    assert_eq!(plain.error_as_told_percent(), plain.error_percent);
}
