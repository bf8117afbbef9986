//! Traces as a load: how they are replayed, and what is known of them before anything runs.

use std::io::{self, BufReader, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use foreign::input;
use host::job::{seconds_ps, JobFile};
use host::replay::{self, Remap, Replay, Speed, Tenant, Timing};
use report::TraceOrigin;
use sha2::{Digest, Sha256};
use trace::{Clocks, Format, Opened, Opening, Strictness, Survey, Trace, Volumes};

use crate::failure::Failure;

/// Volumes that are named where one is not there.
const LISTED: usize = 10;
/// Names of the ways in which addresses of a trace become addresses of the drive.
const REMAPS: [(&str, Remap); 4] = [
    ("none", Remap::None),
    ("modulo", Remap::Modulo),
    ("scale", Remap::Scale),
    ("volume", Remap::Volume),
];

/// Reads a whole number in a range, or tells what is expected.
fn whole(text: &str, range: RangeInclusive<u32>) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("a whole number from {} to {}", range.start(), range.end()))
}

/// How traces are read and replayed.
struct Replaying {
    opening: Opening,
    strictness: Strictness,
    replay: Replay,
    weights: Vec<u32>,
}

impl Replaying {
    /// What options say. The later one counts of two that say the same.
    fn of_options(options: &[(String, String)]) -> Result<Self, Failure> {
        let mut how = Replaying {
            opening: Opening {
                format: None,
                unit: None,
                volumes: Vec::new(),
                members: Vec::new(),
                clock: Clocks::OfEach,
            },
            strictness: Strictness::Lenient,
            replay: Replay {
                timing: Timing::Arrival,
                speed: Speed::ONE,
                remap: Remap::None,
                limit: replay::USUAL_LIMIT,
                assumed_ns: replay::ASSUMED_RESPONSE_NS,
            },
            weights: Vec::new(),
        };
        for (key, value) in options {
            how.take(key, value).map_err(|expected| {
                Failure::unexpected(format!("--{key}"), format!("{value:?}"), &expected)
            })?;
        }
        let has = |name: &str| options.iter().any(|(key, _)| key == name);
        if has("depth") && has("dependency") {
            return Err(Failure::unexpected("--dependency", "it beside --depth", "one of both"));
        }
        Ok(how)
    }

    /// Takes an option, or tells what is expected of it.
    fn take(&mut self, key: &str, value: &str) -> Result<(), String> {
        let Replaying { opening, strictness, replay, weights } = self;
        match key {
            "format" => {
                opening.format = Some(Format::of_name(value).map_err(|(_, expected)| expected)?);
            }
            "time-unit" => opening.unit = Some(value.parse().map_err(str::to_owned)?),
            "volume" => opening.volumes.push(value.to_owned()),
            "member" => opening.members.push(value.to_owned()),
            "one-clock" => opening.clock = Clocks::One,
            "strict" => *strictness = Strictness::Strict,
            "speed" => {
                let factor = value.strip_suffix('x').unwrap_or(value).parse().ok();
                let speed = factor.and_then(Speed::of);
                replay.speed = speed.ok_or("a factor such as 2x or 0.5x")?;
            }
            "depth" => replay.timing = Timing::Depth(whole(value, 1..=65_535)?),
            "dependency" => replay.timing = Timing::Dependency,
            "assumed-latency" => replay.assumed_ns = seconds_ps(value)? / 1000,
            "in-flight" => replay.limit = whole(value, 1..=65_535)?,
            "remap" => {
                let found = REMAPS.into_iter().find(|(name, _)| *name == value);
                let names = REMAPS.map(|(name, _)| name).join(", ");
                replay.remap = found.ok_or_else(|| format!("one of {names}"))?.1;
            }
            "weights" => {
                let all = value.split(',').map(|weight| whole(weight, 1..=256));
                *weights = all.collect::<Result<_, _>>()?;
            }
            _ => return Err("no such option of replay".to_owned()),
        }
        Ok(())
    }

    /// How many requests are in flight, if that is what counts.
    fn depth(&self) -> Option<u32> {
        match self.replay.timing {
            Timing::Depth(depth) => Some(depth),
            _ => None,
        }
    }
}

/// Opens files as traces. With `--strict` an archive that ends early is refused.
///
/// # Errors
/// When a file cannot be read, or what is asked for cannot be had.
pub fn open_traces(
    files: &[PathBuf],
    opening: &Opening,
    strictness: Strictness,
) -> Result<Opened, Failure> {
    let opened = opening.open(files);
    let mut opened = opened.map_err(|error| Failure::Input(error.to_string()))?;
    match opened.lost.first() {
        Some(lost) if strictness == Strictness::Strict => Err(Failure::Input(lost.clone())),
        _ => {
            let lost = std::mem::take(&mut opened.lost);
            opened.notes.extend(lost.iter().map(|line| format!("{line}: it is read up to there")));
            Ok(opened)
        }
    }
}

/// Which traces have requests of the volumes that are asked for. All are kept where none are.
///
/// # Errors
/// When no trace has one of the volumes.
pub fn chosen_traces<'a>(
    traces: impl Iterator<Item = (&'a Volumes, u64)>,
    wanted: &[String],
) -> Result<Vec<bool>, Failure> {
    let traces: Vec<_> = traces.collect();
    for name in wanted {
        if !traces.iter().any(|(volumes, _)| volumes.has(name)) {
            let numbered = |(volumes, _): &(&'a Volumes, u64)| {
                (0..volumes.len()).map(|nth| volumes.name(nth as u32)).collect::<Vec<_>>()
            };
            let names: Vec<String> = traces.iter().flat_map(numbered).collect();
            let mut there = names[..names.len().min(LISTED)].join(", ");
            if names.len() > LISTED {
                there += &format!(" and {} more", names.len() - LISTED);
            }
            let found = format!("\"{name}\"");
            return Err(Failure::unexpected("--volume", found, &format!("one of {there}")));
        }
    }
    Ok(traces.iter().map(|(_, requests)| wanted.is_empty() || *requests > 0).collect())
}

/// Opens traces and looks through them, before anything runs: the load that they are, and what a report says of each file.
/// `options` are those of `firmament replay` by name, without dashes; a flag has an empty value.
///
/// # Errors
/// When an option is none, or a trace cannot be read.
pub fn traces(
    paths: &[PathBuf],
    options: &[(String, String)],
) -> Result<(JobFile, Vec<TraceOrigin>), Failure> {
    let how = &Replaying::of_options(options)?;
    let opened = open_traces(paths, &how.opening, how.strictness)?;
    let all: Vec<_> =
        opened.traces.into_iter().map(|trace| surveyed(trace, how)).collect::<Result<_, _>>()?;
    let kept = chosen_traces(
        all.iter().map(|(_, survey)| (&survey.names, survey.all())),
        &how.opening.volumes,
    )?;
    let all: Vec<_> =
        all.into_iter().zip(kept).filter(|(_, is_kept)| *is_kept).map(|(one, _)| one).collect();
    check_weights(how, all.len())?;
    let origins =
        (0..paths.len()).map(|nth| origin(nth, &paths[nth], &all)).collect::<Result<_, _>>()?;
    let mut warnings = opened.notes;
    warnings.extend(all.iter().flat_map(|(trace, survey)| told(trace, survey, how)));
    let tenant = |(nth, (trace, survey)): (usize, (Trace, Survey))| Tenant {
        name: trace.name(),
        trace,
        survey,
        weight: how.weights.get(nth).copied(),
    };
    let tenants = all.into_iter().enumerate().map(tenant).collect();
    Ok((JobFile::of_traces(how.replay, tenants, warnings), origins))
}

/// The traces that a report tells of.
///
/// # Errors
/// When one is not there any more, or another.
pub fn traces_again(
    files: &[TraceOrigin],
    options: &[(String, String)],
) -> Result<JobFile, Failure> {
    let paths: Vec<PathBuf> = files.iter().map(|file| PathBuf::from(&file.name)).collect();
    let (jobs, found) = traces(&paths, options)?;
    for (found, file) in found.iter().zip(files) {
        if found.sha256 != file.sha256 {
            let expected = format!("{}, as the report says", file.sha256);
            let what = format!("{}: sha256", file.name);
            return Err(Failure::unexpected(what, &found.sha256, &expected));
        }
    }
    Ok(jobs)
}

/// A trace with what has to be known of it.
fn surveyed(trace: Trace, how: &Replaying) -> Result<(Trace, Survey), Failure> {
    let refuse = |error: trace::OpenError| Failure::Input(error.to_string());
    let mut reader = trace.reader().map_err(refuse)?;
    let survey = Survey::gather(&mut reader, how.strictness)
        .map_err(|fault| Failure::Input(format!("{}: {fault}", trace.path.display())))?;
    Ok((trace, survey))
}

fn check_weights(how: &Replaying, traces: usize) -> Result<(), Failure> {
    if !how.weights.is_empty() && how.weights.len() != traces {
        let found = format!("{} for {traces} traces", how.weights.len());
        return Err(Failure::unexpected("--weights", found, "one for each trace"));
    }
    if !how.weights.is_empty() && host::replay::Classes::of(&how.weights).is_none() {
        let found = format!("{:?}", how.weights);
        let expected =
            "at most three different ones, and at most 256 for all traces of one weight together";
        return Err(Failure::unexpected("--weights", found, expected));
    }
    Ok(())
}

/// What a report tells of a file: of an archive all members together.
fn origin(nth: usize, path: &Path, all: &[(Trace, Survey)]) -> Result<TraceOrigin, Failure> {
    let parts = || {
        all.iter().flat_map(|(trace, survey)| {
            trace
                .inputs()
                .zip(&survey.parts)
                .filter(|(input, _)| *input == nth)
                .map(|(_, sums)| sums)
        })
    };
    let mut of_it = all.iter().filter(|(trace, _)| trace.inputs().any(|input| input == nth));
    let format = match (of_it.next(), of_it.count()) {
        (None, _) => "no requests that are asked for".to_owned(),
        (Some((trace, _)), 0) => trace.told(),
        (Some((trace, _)), others) => {
            format!("{}: {}, and {others} more", trace.name(), trace.told())
        }
    };
    Ok(TraceOrigin {
        name: path.display().to_string(),
        sha256: sha256(path).map_err(|error| Failure::file(path, &error, "a trace"))?,
        format,
        requests: parts().map(|(records, _)| records).sum(),
        unreadable: parts().map(|(_, unreadable)| unreadable).sum(),
    })
}

/// What a user has to be told of a trace.
fn told(trace: &Trace, survey: &Survey, how: &Replaying) -> Vec<String> {
    let file = trace.path.display();
    let mut lines = vec![];
    let faults = &survey.faults;
    for fault in &faults.first {
        lines.push(format!("{file}: {fault}: left out"));
    }
    let more = faults.count - faults.first.len() as u64;
    if more > 0 {
        lines.push(format!(
            "{file}: {more} more lines or records could not be read and are left out"
        ));
    }
    if let Some(broken) = &faults.broken {
        lines.push(format!("{file}: {broken}: it is replayed up to there"));
    }
    if survey.back.0 > 0 {
        let (count, by_ns) = survey.back;
        lines.push(format!(
            "{file}: {count} times are earlier than one before them, by at most {by_ns} ns: they count as that one"
        ));
    }
    if let (Some(rate), None) = (survey.doubtful_rate(), how.depth()) {
        lines.push(format!(
            "{file}: {rate:.0} arrivals a second, with times in {}: --time-unit gives another unit",
            trace.time_unit()
        ));
    }
    if trace.format() == Format::Tencent {
        lines.push(format!(
            "{file}: times are whole seconds: all requests of a second come at once"
        ));
    }
    lines
}

/// The checksum of a file.
fn sha256(path: &Path) -> io::Result<String> {
    let mut file = BufReader::with_capacity(1 << 16, input::open(path)?);
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => digest.update(&buffer[..count]),
        }
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
