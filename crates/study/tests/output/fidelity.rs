use crate::sample;
use study::outcome::{Role, Status};
use study::output::fidelity;

const HEAD: &str = "\
# Fidelity

This page is written by `firmament study all`; do not edit it. It sets what was published beside
what Firmament measured. *Reproduced* is what lies within its tolerance. *Partly* is what lies
outside, but within twice its tolerance; for a bound, what misses it by less than 10 %. All else
*differs*. What has no tolerance is *reported*. An error is the measured value over the published
one, less one; for a bound, by how much it is missed.

*Fitted* values were used to calibrate the model. *Predicted* ones were not.

| study | within | outside | reported |
|---|---:|---:|---:|
";

const STUDY: &str = r#"| A drive | 4 | 2 | 1 |

## A drive

A. Author, A drive, 2020

`firmament study paper` runs this study alone.

### Claims

| place | claim | published | measured | error | verdict |
|---|---|---:|---:|---:|---|
| section 7.1 | 2x2 loses little | ≤ 6 % | 6.300 % | 5.0 % | partly |
| section 7.1 |  | &lt; 6 % | 0.2512 % | holds | reproduced |

### Absolute errors of values

| experiment | role | values | mean error | largest error | outside |
|---|---|---:|---:|---:|---:|
| latency | fitted | 2 | 0.3 % | 0.6 % | 0 |
| latency | predicted | 2 | 6.8 % | 12.5 % | 1 |
| all | fitted | 2 | 0.3 % | 0.6 % | 0 |
| all | predicted | 2 | 6.8 % | 12.5 % | 1 |

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

| conditions | published | measured | unit | error | tolerance | role | status |
|---|---:|---:|---|---:|---:|---|---|
| clock 200, "slow" | 1000 | – |  | – | – | given | reported |

### 1 parameter given

Stated by the paper.

| board | key | value | source |
|---|---|---:|---|
| fast | `geometry.channels` | 8 | source of geometry.channels |

### 1 parameter calibrated

Fitted to published values.

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
    assert!(page.contains("| A drive | 4 | 2 | 1 |\n| Another | 4 | 2 | 1 |\n\n## A drive\n"));
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
    assert!(page.contains(&format!("| {shown} | {shown} | ≤ 6 {shown} | 6.300 {shown} |")));
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

#[test]
fn prose_is_wrapped() {
    let mut study = sample::study();
    study.experiments[0].rows[3].reason = Some("because ".repeat(40));
    study.paper = "author, ".repeat(40);
    for line in fidelity(&[study]).lines().filter(|line| !line.starts_with('|')) {
        assert!(line.chars().count() <= 100, "{line}");
    }
}
