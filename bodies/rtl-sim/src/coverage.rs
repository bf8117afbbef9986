//! What the tests reached, from the counters that models leave (`RTL_COVERAGE`).
//!
//! A model is counted by source: all its instances, whatever their parameters, count for the same
//! lines. A line is covered if anything on it ran, a branch if it was taken, a toggle if a bit of
//! a signal rose or fell, each direction for itself.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// Counters of all models, merged.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    files: BTreeMap<String, File>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct File {
    lines: BTreeMap<u32, u64>,
    branches: BTreeMap<String, u64>,
    toggles: BTreeMap<String, u64>,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Reached at least once.
    pub reached: usize,
    /// All there are.
    pub all: usize,
}

/// The three shares of a file or a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Lines with statements.
    pub lines: Share,
    /// Branches, which are reached where they are taken.
    pub branches: Share,
    /// Rises and falls of bits.
    pub toggles: Share,
}

impl Coverage {
    /// Merges all files `*.dat` of a directory.
    pub fn read(directory: &Path) -> io::Result<Self> {
        let mut coverage = Self::default();
        let mut paths = Vec::new();
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "dat") {
                paths.push(path);
            }
        }
        paths.sort();
        for path in paths {
            coverage.add(&String::from_utf8_lossy(&fs::read(path)?));
        }
        Ok(coverage)
    }

    /// Adds the counters of one model, or of some merged. A line is `C '<fields>' <count>`; a field
    /// is a byte 1, its key, a byte 2, its value: file f, line l, column n, comment o, type t,
    /// lines that are counted S. Merged points have p instead of l, n and o.
    pub(crate) fn add(&mut self, counters: &str) {
        for line in counters.lines() {
            let Some((fields, count)) =
                line.strip_prefix("C '").and_then(|rest| rest.rsplit_once("' "))
            else {
                continue;
            };
            let fields: BTreeMap<&str, &str> =
                fields.split('\x01').filter_map(|field| field.split_once('\x02')).collect();
            let field = |key| fields.get(key).copied().unwrap_or_default();
            let count: u64 = count.parse().unwrap_or(0);
            let file = self.files.entry(field("f").to_owned()).or_default();
            let point = match fields.get("p") {
                Some(point) => (*point).to_owned(),
                None => format!("{}:{}:{}", field("l"), field("n"), field("o")),
            };
            match field("t") {
                "toggle" => *file.toggles.entry(point).or_default() += count,
                kind => {
                    if kind == "branch" {
                        *file.branches.entry(point).or_default() += count;
                    }
                    for line in lines(field("S")) {
                        *file.lines.entry(line).or_default() += count;
                    }
                }
            }
        }
    }

    /// The files whose path begins so, with their shares, in order.
    pub fn files<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, Shares)> {
        self.files
            .iter()
            .filter(move |(name, _)| name.starts_with(folder))
            .map(|(name, file)| (name.as_str(), file.shares()))
    }

    /// The lines of a file that nothing reached.
    pub fn missed_lines(&self, file: &str) -> Vec<u32> {
        let lines = self.files.get(file).map(|file| &file.lines);
        let missed = lines.into_iter().flatten().filter(|(_, &count)| count == 0);
        missed.map(|(&line, _)| line).collect()
    }
}

/// In the form that is read: a counter for each line, branch and toggle.
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, file) in &self.files {
            for (line, count) in &file.lines {
                writeln!(f, "C '\x01f\x02{name}\x01t\x02line\x01S\x02{line}' {count}")?;
            }
            for (kind, points) in [("branch", &file.branches), ("toggle", &file.toggles)] {
                for (point, count) in points {
                    writeln!(f, "C '\x01f\x02{name}\x01t\x02{kind}\x01p\x02{point}' {count}")?;
                }
            }
        }
        Ok(())
    }
}

/// The lines of a list such as `12-14,17`.
fn lines(list: &str) -> impl Iterator<Item = u32> + '_ {
    list.split(',')
        .filter_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some(first.parse::<u32>().ok()?..=last.parse().ok()?)
        })
        .flatten()
}

impl File {
    fn shares(&self) -> Shares {
        Shares {
            lines: Share::of(self.lines.values()),
            branches: Share::of(self.branches.values()),
            toggles: Share::of(self.toggles.values()),
        }
    }
}

impl Share {
    fn of<'a>(counts: impl Iterator<Item = &'a u64>) -> Self {
        let mut share = Self::default();
        for &count in counts {
            share.all += 1;
            share.reached += usize::from(count > 0);
        }
        share
    }

    /// In percent; all of nothing is all.
    pub fn percent(self) -> f64 {
        if self.all == 0 {
            return 100.0;
        }
        100.0 * self.reached as f64 / self.all as f64
    }
}

impl std::ops::AddAssign for Share {
    fn add_assign(&mut self, other: Self) {
        self.reached += other.reached;
        self.all += other.all;
    }
}

impl std::ops::AddAssign for Shares {
    fn add_assign(&mut self, other: Self) {
        self.lines += other.lines;
        self.branches += other.branches;
        self.toggles += other.toggles;
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:5.1} % of {:5}", self.percent(), self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(file: &str, kind: &str, place: &str, lines: &str, count: u64) -> String {
        let (line, comment) = place.split_once(' ').unwrap();
        format!(
            "C '\x01f\x02{file}\x01l\x02{line}\x01n\x025\x01t\x02{kind}\x01o\x02{comment}\
             \x01S\x02{lines}\x01h\x02top.u' {count}\n"
        )
    }

    #[test]
    fn instances_count_for_the_same_lines_and_points() {
        let mut coverage = Coverage::default();
        coverage.add("# SystemC::Coverage-3\n");
        for (first, second) in [(0, 3), (0, 0)] {
            coverage.add(&counter("ecc/a.sv", "line", "10 block", "10-12,20", first));
            coverage.add(&counter("ecc/a.sv", "branch", "14 if", "15", second));
            coverage.add(&counter("ecc/a.sv", "toggle", "3 x[0]:0->1", "", first + second));
            coverage.add(&counter("ecc/a.sv", "toggle", "3 x[0]:1->0", "", first));
            coverage.add(&counter("prim/b.sv", "line", "1 block", "1", 1));
        }
        let mut read_again = Coverage::default();
        read_again.add(&coverage.to_string());
        assert_eq!(read_again, coverage);
        let shares: Vec<_> = coverage.files("ecc/").collect();
        let share = |reached, all| Share { reached, all };
        let expected = Shares { lines: share(1, 5), branches: share(1, 1), toggles: share(1, 2) };
        assert_eq!(shares, [("ecc/a.sv", expected)]);
        assert_eq!(coverage.missed_lines("ecc/a.sv"), [10, 11, 12, 20]);
        assert_eq!(coverage.files("").count(), 2);
    }
}
