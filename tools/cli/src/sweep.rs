//! The command `sweep`.

use std::io::Write;
use std::path::PathBuf;

use ::sweep::{Journal, Origin, Sweep, SweepError, Tables, Time, What};
use indicatif::HumanDuration;

use crate::arguments::SweepArguments;
use crate::output::{print, Destination};
use crate::program::{COMMIT, VERSION};
use crate::progress::CountLine;
use crate::signals;
use crate::study::{make_folder, threads};
use recipe::Failure;

/// Folder of the folders that sweeps write to.
const FOLDER: &str = "out/sweeps";

/// Runs a sweep, or what is left of it, and writes its tables and its page.
///
/// # Errors
/// When the file cannot be used, found before anything runs; when a row cannot be written; when points have failed, after
/// everything is written; and when a signal ended it.
pub fn sweep(arguments: &SweepArguments) -> Result<(), Failure> {
    let sweep = Sweep::read(&arguments.file).map_err(failure)?;
    ::sweep::check_keys(&sweep).map_err(failure)?;
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(FOLDER).join(sweep.name()));
    make_folder(&folder)?;
    let page = arguments.html.as_deref().map(Destination::new).transpose()?;
    let origin = Origin::new(&sweep, VERSION, COMMIT);
    let mut journal = Journal::open(&folder, &sweep, &origin).map_err(failure)?;
    for other in &arguments.merge {
        journal.take_from(other, &sweep, &origin).map_err(failure)?;
    }
    let own = sweep.points_of(arguments.shard);
    let done_of = |journal: &Journal| own.iter().filter(|&&point| journal.has(point)).count();
    let before = done_of(&journal);
    let stop = signals::stop()?;
    let mut line = CountLine::new("points", own.len() as u64);
    let asked = || stop.signal().is_some();
    let (mut failed, others) = (0, journal.done() - before as u64);
    let threads = threads(arguments.jobs);
    let what = What { sweep: &sweep, points: &own, threads, stop: &asked };
    let time = ::sweep::run(&what, &mut journal, &mut |progress| {
        failed = progress.failed;
        line.show(progress.done - others);
    });
    drop(line);
    let time = time.map_err(failure)?;
    let tables = ::sweep::write(&sweep, &journal, &folder).map_err(failure)?;
    if let Some(page) = page {
        page.write(|out| ::sweep::write_page(&sweep, &journal, arguments.aims.as_ref(), out))?;
    }
    tell(&sweep, &tables, (before, failed, &time))?;
    let (done, points) = (done_of(&journal), own.len());
    if done < points {
        let line = format!(
            "ended by a signal: {done} of {points} points are done, and the same command goes on"
        );
        return Err(Failure::Stopped(line));
    }
    let first = journal.rows().find_map(|row| Some((row.point, row.error.as_ref()?)));
    let Some((point, error)) = first else { return Ok(()) };
    let have = if failed == 1 { "1 point has" } else { &format!("{failed} points have") };
    Err(Failure::Drive(format!("{have} failed (column error): point {point}: {error}")))
}

/// Prints what was done and where it is.
fn tell(
    sweep: &Sweep,
    tables: &Tables,
    (before, failed, time): (usize, u64, &Time),
) -> Result<(), Failure> {
    let Time { wall, in_points, threads, ran } = time;
    let share = 100.0 * in_points.as_secs_f64() / (wall.as_secs_f64() * *threads as f64).max(1e-9);
    print(|out| {
        write!(out, "{}: {ran} points in {}", sweep.name(), HumanDuration(*wall))?;
        if *ran > 0 {
            let each = in_points.as_secs_f64() * 1e3 / *ran as f64;
            write!(out, ", {each:.3} ms each, {share:.1} % of {threads} threads in points")?;
        }
        if before > 0 {
            write!(out, ", {before} were done before")?;
        }
        if failed > 0 {
            write!(out, ", {failed} have failed")?;
        }
        writeln!(out)?;
        let files = [Some(&tables.csv), Some(&tables.parquet), tables.summary.as_ref()];
        files.into_iter().flatten().try_for_each(|file| writeln!(out, "  {}", file.display()))
    })
}

fn failure(error: SweepError) -> Failure {
    Failure::Input(error.to_string())
}
