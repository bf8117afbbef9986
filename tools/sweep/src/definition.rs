//! The file of a sweep.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use board::Board;
use foreign::input;
use host::snapshot::Snapshot;
use host::Prepared;
use machine::Polling;
use serde::Deserialize;
use toml::{Table, Value};

use crate::error::SweepError;
use crate::grid::{Axis, Grid, Point};
use crate::shard::Shard;

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    board: Option<String>,
    precondition: Option<String>,
    from: Option<PathBuf>,
    job: Option<PathBuf>,
    #[serde(default)]
    options: Table,
    #[serde(default)]
    set: Table,
    seeds: Option<Value>,
    #[serde(default)]
    grid: Table,
    #[serde(default)]
    points: Vec<Table>,
}

/// What is run at each point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// A job file, in which values of the point replace `${NAME}`.
    File { name: String, text: String },
    /// fio's options, which values of the point replace or add to.
    Options(Vec<(String, String)>),
}

/// The text of a sweep, and where it comes from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// What errors call it.
    pub file: &'a str,
    /// Name of the sweep.
    pub name: &'a str,
    /// A sweep's TOML.
    pub text: &'a str,
    /// Where the file is that the text names so.
    pub place: &'a dyn Fn(&Path) -> PathBuf,
}

/// A sweep that can be done.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Its name: that of the file without its end.
    name: String,
    /// Where its file is.
    pub(crate) file: String,
    /// The file's text.
    text: String,
    pub(crate) board: String,
    pub(crate) precondition: String,
    pub(crate) set: Vec<(String, String)>,
    pub(crate) load: Load,
    pub(crate) grid: Grid,
    /// The drive of all points, where a snapshot has it.
    pub(crate) from: Option<Arc<From>>,
    /// Files that the text names, and where they are.
    files: Vec<(PathBuf, PathBuf)>,
}

/// A drive out of a snapshot.
#[derive(Debug)]
pub(crate) struct From {
    /// The board that the snapshot's drive has.
    pub board: Board,
    /// The drive as it was saved, from which each point begins.
    pub drive: Prepared,
    /// The file as it is named, and its checksum.
    source: String,
}

/// The board if the file names none.
const BOARD: &str = "cosmos-plus";
/// The state of the drive if the file names none.
const PRECONDITION: &str = "sequential";
/// Most points of a sweep: their rows are in memory, some 100 bytes each.
const MOST_POINTS: u64 = 10_000_000;
/// Most seeds, each of which runs every setup.
const MOST_SEEDS: i64 = 1_000_000;

impl Sweep {
    /// Reads a sweep's file, and the job file that it names, by a path from the sweep's folder.
    ///
    /// # Errors
    /// If a file cannot be read, or a key is wrong in itself. Whether a value suits a board or a job is found at its point.
    pub fn read(path: &Path) -> Result<Sweep, SweepError> {
        let text = input::text(path, input::OF_HAND)
            .map_err(|error| SweepError::file(path, &error, "a sweep's TOML file"))?;
        let stem = path.file_stem().map_or("sweep".into(), |stem| stem.to_string_lossy());
        let folder = path.parent().unwrap_or(Path::new(""));
        let place = |named: &Path| folder.join(named);
        Sweep::parse(Source { file: &display(path), name: &stem, text: &text, place: &place })
    }

    /// Reads a sweep from a text, and the files that it names from where they are.
    ///
    /// # Errors
    /// As those of [`Sweep::read`].
    pub fn parse(source: Source<'_>) -> Result<Sweep, SweepError> {
        let Source { file, text, .. } = source;
        let written: Written = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            let reason = error.message().replace('\n', " ");
            SweepError::value(file, &format!("line {line}"), reason, "a sweep's TOML")
        })?;
        Definition { source, written }.sweep()
    }

    /// The sweep's TOML.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Files that the text names, a job file and a snapshot, as it names them and where they are.
    pub fn files(&self) -> &[(PathBuf, PathBuf)] {
        &self.files
    }

    /// Boards that points have, by name or path.
    pub fn boards(&self) -> Vec<&str> {
        let swept = self.grid.keys.iter().position(|key| key == "board");
        let swept = swept.into_iter().flat_map(|nth| self.grid.values(nth));
        let mut boards: Vec<&str> = swept.chain([&*self.board]).collect();
        boards.sort_unstable();
        boards.dedup();
        boards
    }

    /// Points in the order in which they are best run: those with the same drive come after one another, so that it is
    /// made once.
    pub fn in_order(&self, mut points: Vec<u64>) -> Vec<u64> {
        points.sort_by_cached_key(|&point| self.grid.drive(point));
        points
    }

    /// Points of a shard in the order in which they are best run; all of them without one.
    pub fn points_of(&self, shard: Option<Shard>) -> Vec<u64> {
        let all = self.in_order((0..self.points()).collect());
        match shard {
            Some(shard) => all[shard.of(self.points())].to_vec(),
            None => all,
        }
    }

    /// Name of the file without its end.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many points there are, one for each seed.
    pub fn points(&self) -> u64 {
        self.grid.points()
    }

    /// The keys that points differ in, the columns of the table.
    pub fn keys(&self) -> &[String] {
        &self.grid.keys
    }

    /// A point by its number.
    pub fn point(&self, number: u64) -> Point {
        self.grid.point(number)
    }

    /// All that decides the rows, but for the program.
    pub(crate) fn source(&self) -> String {
        let mut source = match &self.load {
            Load::File { name, text } => format!("{}\n# {name}\n{text}", self.text),
            Load::Options(_) => self.text.clone(),
        };
        if let Some(from) = &self.from {
            source += &format!("\n# {}\n", from.source);
        }
        // What a board's own file says, and the files that it inherits from.
        for name in self.boards() {
            let board = Board::resolve(name, &[]);
            let told = board.map_or_else(|error| error.to_string(), |board| board.sha256());
            source += &format!("\n# board {name}, sha256 {told}\n");
        }
        source
    }
}

/// A file that is looked through.
struct Definition<'a> {
    source: Source<'a>,
    written: Written,
}

impl Definition<'_> {
    fn sweep(self) -> Result<Sweep, SweepError> {
        let load = self.load()?;
        let from = self.from()?.map(Arc::new);
        let seeds = self.seeds()?;
        let mut axes = Vec::new();
        for (key, values) in &self.written.grid {
            let place = format!("grid.{key:?}");
            let Value::Array(values) = values else {
                return Err(self.wrong(&place, values, "a list of values"));
            };
            if values.is_empty() {
                return Err(self.wrong(&place, "an empty list", "a list of values"));
            }
            let values: Vec<String> =
                values.iter().map(|value| self.scalar(&place, value)).collect::<Result<_, _>>()?;
            let mut rest = (1..).zip(&values[..values.len() - 1]);
            let repeated = rest.find(|(next, value)| values[*next..].contains(value));
            if let Some((_, value)) = repeated {
                let found = format!("{value} twice");
                return Err(self.wrong(
                    &place,
                    found,
                    "different values: each is a point of its own",
                ));
            }
            axes.push(Axis { key: self.key(&place, key, &load)?, values });
        }
        let mut listed = Vec::new();
        for (nth, point) in self.written.points.iter().enumerate() {
            let place = |key: &str| format!("points[{nth}].{key:?}");
            let values = point.iter().map(|(key, value)| {
                Ok((self.key(&place(key), key, &load)?, self.scalar(&place(key), value)?))
            });
            listed.push(values.collect::<Result<Vec<_>, SweepError>>()?);
        }
        let set = self.written.set.iter().map(|(key, value)| {
            let place = format!("set.{key:?}");
            if !key.contains('.') {
                return Err(self.wrong(&place, key, "a board's key, such as \"geometry.ways\""));
            }
            Ok((key.clone(), self.scalar(&place, value)?))
        });
        let set = set.collect::<Result<_, SweepError>>()?;
        let grid = Grid::new(axes, listed, seeds);
        match grid.checked_points() {
            Some(count) if count <= MOST_POINTS => {}
            count => {
                let found =
                    count.map_or("more than 2^64 points".to_owned(), |n| format!("{n} points"));
                return Err(self.wrong("grid", found, format!("at most {MOST_POINTS}")));
            }
        }
        Ok(Sweep {
            name: self.source.name.to_owned(),
            file: self.source.file.to_owned(),
            text: self.source.text.to_owned(),
            files: self.files(),
            board: self.written.board.clone().unwrap_or_else(|| BOARD.to_owned()),
            precondition: self.precondition()?,
            set,
            load,
            grid,
            from,
        })
    }

    fn files(&self) -> Vec<(PathBuf, PathBuf)> {
        let named = self.written.job.iter().chain(&self.written.from);
        named.map(|named| (named.clone(), (self.source.place)(named))).collect()
    }

    fn load(&self) -> Result<Load, SweepError> {
        match (&self.written.job, self.written.options.is_empty()) {
            (Some(job), true) => {
                let path = (self.source.place)(job);
                let text = input::text(&path, input::OF_HAND)
                    .map_err(|error| SweepError::file(&path, &error, "a job file"))?;
                Ok(Load::File { name: display(job), text })
            }
            (None, false) => {
                let options = self.written.options.iter();
                let options = options.map(|(key, value)| {
                    Ok((key.clone(), self.scalar(&format!("options.{key:?}"), value)?))
                });
                Ok(Load::Options(options.collect::<Result<_, SweepError>>()?))
            }
            (Some(_), false) => Err(self.wrong("job", "a job file beside options", "one of both")),
            (None, true) => {
                let expected = "job = \"FILE.fio\", or fio's options in [options]";
                Err(self.wrong("job", "nothing", expected))
            }
        }
    }

    /// The drive of the snapshot, by a path from the sweep's folder. It says what board it is, and what state it was brought
    /// into.
    fn from(&self) -> Result<Option<From>, SweepError> {
        let Some(file) = &self.written.from else { return Ok(None) };
        let beside = [
            ("board", self.written.board.is_some()),
            ("precondition", self.written.precondition.is_some()),
            ("set", !self.written.set.is_empty()),
        ];
        if let Some((key, _)) = beside.into_iter().find(|(_, is_there)| *is_there) {
            return Err(self.wrong(key, "it beside from", "nothing: a snapshot has its board"));
        }
        let path = (self.source.place)(file);
        let refused = |error: String| self.wrong("from", error, "a snapshot of a drive");
        let mut snapshot = Snapshot::open(&path).map_err(|error| refused(error.to_string()))?;
        let drive = Prepared::read(&mut snapshot, Polling::Skip);
        let source = format!("from {}, sha256 {}", display(file), snapshot.sha256());
        let board = snapshot.about().board.clone();
        let drive = drive.map_err(|error| refused(error.to_string()))?;
        Ok(Some(From { board, drive, source }))
    }

    fn precondition(&self) -> Result<String, SweepError> {
        let name = self.written.precondition.as_deref().unwrap_or(PRECONDITION);
        match crate::point::precondition(name) {
            Ok(_) => Ok(name.to_owned()),
            Err(expected) => Err(self.wrong("precondition", format!("{name:?}"), expected)),
        }
    }

    /// A number stands for seeds from 1 on.
    fn seeds(&self) -> Result<Vec<u64>, SweepError> {
        let expected =
            format!("a number of seeds from 1 to {MOST_SEEDS}, or a list of different seeds");
        let seed = |value: &Value| value.as_integer().and_then(|seed| u64::try_from(seed).ok());
        let seeds: Option<Vec<u64>> = match &self.written.seeds {
            None => Some(vec![1]),
            Some(Value::Integer(count)) if (1..=MOST_SEEDS).contains(count) => {
                Some((1..=*count as u64).collect())
            }
            Some(Value::Array(seeds)) if !seeds.is_empty() => seeds.iter().map(seed).collect(),
            Some(_) => None,
        };
        let distinct = seeds.filter(|seeds| {
            let mut sorted = seeds.clone();
            sorted.sort_unstable();
            sorted.windows(2).all(|pair| pair[0] != pair[1])
        });
        distinct.ok_or_else(|| {
            let found = self.written.seeds.as_ref().map_or("nothing".to_owned(), Value::to_string);
            self.wrong("seeds", found, expected)
        })
    }

    /// A key that points may differ in: of the board, of the job, or one of two words.
    fn key(&self, place: &str, key: &str, load: &Load) -> Result<String, SweepError> {
        let known = matches!(key, "board" | "precondition") || key.contains('.');
        if known && self.written.from.is_some() {
            let expected = "a key of the job: a snapshot has its board and its state";
            return Err(self.wrong(place, format!("{key:?}"), expected));
        }
        let of_job = match load {
            Load::Options(_) => true,
            Load::File { text, .. } => text.contains(&format!("${{{key}}}")),
        };
        if known || of_job {
            return Ok(key.to_owned());
        }
        let expected = format!(
            "board, precondition, a board's key, or a name that the job file has as ${{{key}}}"
        );
        Err(self.wrong(place, format!("{key:?}"), expected))
    }

    fn scalar(&self, place: &str, value: &Value) -> Result<String, SweepError> {
        match value {
            Value::String(text) => Ok(text.clone()),
            Value::Integer(number) => Ok(number.to_string()),
            Value::Float(number) => Ok(number.to_string()),
            Value::Boolean(is_on) => Ok(u8::from(*is_on).to_string()),
            other => Err(self.wrong(place, other, "a number or a text")),
        }
    }

    fn wrong(
        &self,
        key: &str,
        found: impl std::fmt::Display,
        expected: impl std::fmt::Display,
    ) -> SweepError {
        SweepError::value(self.source.file, key, found, expected)
    }
}

fn display(path: &Path) -> String {
    path.display().to_string()
}
