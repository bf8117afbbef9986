//! An outcome as text for a terminal.

use std::fmt;

use crate::figure::Figure;
use crate::outcome::{FittedKey, Outcome, Row, Verdict};

/// A share below which a change is told as none.
const NOTHING: f64 = 0.0005;

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.differences().map(|share| 100.0 * share);
        let (base, files, runs) = (&self.base, self.files.join(", "), self.runs);
        writeln!(
            f,
            "{base} fitted to {files}: {runs} runs, precondition {}, seed {}",
            self.precondition, self.seed
        )?;
        writeln!(f, "Differences from what was measured: {before:.1} % before, {after:.1} % after (root of the mean square)")?;
        if !self.converged {
            writeln!(f, "The runs were used up before the fit came to its end: more --runs may lead further.")?;
        }
        if self.is_off() {
            writeln!(f, "Figures are off by {:.1} times what --error allows, so intervals are as much wider: the drive is unlike {base} in more than was fitted.", self.widened)?;
        }
        writeln!(f)?;
        columns(f, &self.measurements(), Last::Right)?;
        writeln!(f)?;
        columns(f, &self.table_of_keys(), Last::Left)?;
        self.write_verdicts(f)
    }
}

impl Outcome {
    fn measurements(&self) -> Vec<Vec<String>> {
        let heading = ["measurement", "measured", "base", "fitted", "difference"];
        let row = |row: &Row| {
            vec![
                format!("{} {} {}", row.job, row.going.name(), named(row.figure)),
                shown(row.figure, row.measured),
                shown(row.figure, row.base),
                shown(row.figure, row.fitted),
                format!("{:+.1} %", 100.0 * row.difference()),
            ]
        };
        let heading = heading.map(str::to_owned).to_vec();
        std::iter::once(heading).chain(self.rows.iter().map(row)).collect()
    }

    fn table_of_keys(&self) -> Vec<Vec<String>> {
        let heading = ["key", "base", "fitted", "95 % interval", "verdict"];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        let determined = if self.is_off() { "determined on this base only" } else { "determined" };
        for key in &self.keys {
            let (interval, verdict) = match key.verdict {
                Verdict::Determined { low, high } => {
                    (format!("{low} to {high}"), determined.to_owned())
                }
                Verdict::NotDetermined => (String::new(), "not determined".to_owned()),
                Verdict::Together(group) => {
                    (String::new(), format!("only together with {}", self.others(key, group)))
                }
            };
            let values = key.base.iter().zip(&key.values);
            for (nth, (name, (base, value))) in key.keys.iter().zip(values).enumerate() {
                let (interval, verdict) = match nth {
                    0 => (interval.clone(), verdict.clone()),
                    _ => (String::new(), "by the same factor".to_owned()),
                };
                rows.push(vec![
                    name.clone(),
                    base.to_string(),
                    value.to_string(),
                    interval,
                    verdict,
                ]);
            }
        }
        rows
    }

    /// What is to be said of each key and of each combination.
    fn write_verdicts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for key in &self.keys {
            writeln!(f, "  {}: {}", key.keys[0], reason(key, &self.base))?;
        }
        for combined in &self.combinations {
            if let Some((text, [value, low, high])) = &combined.combination {
                writeln!(f, "  {text} = {value}, from {low} to {high}: determined")?;
            }
        }
        Ok(())
    }
}

/// Why a key is said to be what it is.
fn reason(key: &FittedKey, base: &str) -> String {
    let moves = match &key.moves {
        Some(moved) if moved.share.abs() >= NOTHING => {
            format!(
                "a tenth more moves {} by {:+.1} %, which is most",
                moved.figure,
                100.0 * moved.share
            )
        }
        _ => "no measurement moves with it".to_owned(),
    };
    let left = match (&key.verdict, key.kept) {
        (Verdict::Determined { .. }, _) | (_, false) => String::new(),
        _ => format!("; left as {base} has it"),
    };
    let end =
        if key.at_end { "; at the end of its range, so the true value may lie beyond" } else { "" };
    format!("{moves}{left}{end}")
}

fn named(figure: Figure) -> &'static str {
    match figure {
        Figure::Iops => "IOPS",
        Figure::Mean => "mean (us)",
        Figure::P50 => "p50 (us)",
        Figure::P99 => "p99 (us)",
    }
}

fn shown(figure: Figure, value: f64) -> String {
    match figure {
        Figure::Iops => format!("{value:.1}"),
        Figure::Mean | Figure::P50 | Figure::P99 => format!("{:.2}", value / 1e3),
    }
}

/// To which side the last column stands. The first stands to the left, those between to the right.
#[derive(Clone, Copy)]
enum Last {
    Left,
    Right,
}

/// Rows in columns.
fn columns(f: &mut fmt::Formatter<'_>, rows: &[Vec<String>], last: Last) -> fmt::Result {
    let count = rows[0].len();
    let width = |nth: usize| rows.iter().map(|row| row[nth].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (nth, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let is_left = nth == 0 || (nth + 1 == count && matches!(last, Last::Left));
            line += &match is_left {
                true => format!("  {cell:width$}"),
                false => format!("  {cell:>width$}"),
            };
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
