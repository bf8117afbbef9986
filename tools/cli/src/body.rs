//! What a drive is made of: a body in virtual time, or hardware.

use std::path::PathBuf;

use board::Board;
use host::{Prepared, Progress, RunRequest, Stop, Watchers};
use recipe::{Body, Failure, Keep, OtherSeeds, Processor, Recipe};
use report::{OverSeeds, RunResult};

use crate::arguments::{BodyKind, PayloadKind, PreconditionKind, ProcessorKind, RunArguments};
#[cfg(target_os = "linux")]
use crate::arguments::{DoorbellKind, LinuxArguments, PaceKind, ServeArguments};
use crate::tell;
#[cfg(feature = "rtl")]
use {
    contract::Work,
    rtl_sim::drive::{RtlDrive, WorkCount, WorkCounts},
};

/// Checks that a run asks of its body only what it can do.
///
/// # Errors
/// When it does not.
pub fn check(arguments: &RunArguments) -> Result<(), Failure> {
    let RunArguments {
        payload, precondition, image, from, save, timeline, body, processor, ..
    } = arguments;
    if *body == BodyKind::Sim {
        return without_controller(*processor);
    }
    if payload.is_some_and(|payload| payload != PayloadKind::Full) {
        return Err(Failure::unexpected("--payload", "stamp", &format!("full, {HARDWARE}")));
    }
    check_new(*precondition, &[("--image", image), ("--from", from), ("--save", save)])?;
    if let (Some(path), ProcessorKind::Ibex) = (timeline, processor) {
        let expected = "none, as firmware on --processor=ibex does not tell all of its commands";
        return Err(Failure::unexpected("--timeline", path.display(), expected));
    }
    Ok(())
}

/// Why a drive in hardware has less than one in virtual time.
const HARDWARE: &str = "as --body=rtl is hardware";

/// A drive in hardware is new, and none of these files is there for it.
fn check_new(
    precondition: Option<PreconditionKind>,
    files: &[(&str, &Option<PathBuf>)],
) -> Result<(), Failure> {
    let none = format!("none, {HARDWARE}");
    if precondition.is_some_and(|state| state != PreconditionKind::None) {
        let found = "a state that is put there at once";
        return Err(Failure::unexpected("--precondition", found, &none));
    }
    match files.iter().find_map(|(key, file)| Some((key, file.as_ref()?))) {
        Some((key, path)) => Err(Failure::unexpected(key, path.display(), &none)),
        None => Ok(()),
    }
}

/// A body in virtual time has the board's processor.
fn without_controller(processor: ProcessorKind) -> Result<(), Failure> {
    match processor {
        ProcessorKind::Board => Ok(()),
        ProcessorKind::Ibex => {
            let expected = "board, as --body=sim has no controller for it to be in";
            Err(Failure::unexpected("--processor", "ibex", expected))
        }
    }
}

/// Runs the other seeds of a recipe, of whose first `first` is the result, as [`recipe::over_seeds`].
///
/// # Errors
/// When one of them fails, or is ended by a signal.
pub fn over_seeds(
    recipe: &Recipe,
    first: &RunResult,
    stop: &Stop,
) -> Result<Option<OverSeeds>, Failure> {
    let run = |request: RunRequest<'_>, watchers: Watchers<'_>| {
        run(recipe, (request, Keep::Nothing), (watchers, &mut |_| ())).map(|(result, _)| result)
    };
    // A signal asks for the end by itself.
    recipe::over_seeds(recipe, first, OtherSeeds { stop, run: &run, look: &mut || () })
}

/// The same of a drive that is served.
///
/// # Errors
/// When it does not.
#[cfg(target_os = "linux")]
pub fn check_served(arguments: &ServeArguments) -> Result<(), Failure> {
    let ServeArguments { precondition, image, pace, doorbells, reports, body, processor, .. } =
        arguments;
    if *body == BodyKind::Sim {
        return without_controller(*processor);
    }
    if *pace == Some(PaceKind::Real) {
        let expected = format!("fast, {HARDWARE}, which is slower than the wall clock");
        return Err(Failure::unexpected("--pace", "real", &expected));
    }
    if *doorbells == Some(DoorbellKind::Memory) {
        return Err(Failure::unexpected("--doorbells", "memory", &format!("message, {HARDWARE}")));
    }
    check_new(*precondition, &[("--image", image), ("--monitor", &reports.monitor)])
}

/// The same of a drive for Linux in virtual time.
///
/// # Errors
/// When it does not.
#[cfg(target_os = "linux")]
pub fn check_booted(arguments: &LinuxArguments) -> Result<(), Failure> {
    let LinuxArguments { precondition, image, from, save, cut_at, drives, body, .. } = arguments;
    if *body == BodyKind::Sim {
        return Ok(());
    }
    check_new(*precondition, &[("--image", image), ("--from", from), ("--save", save)])?;
    let none = format!("none, {HARDWARE}");
    if cut_at.is_some() {
        return Err(Failure::unexpected("--cut-at", "a power loss", &none));
    }
    match drives.is_empty() {
        true => Ok(()),
        false => Err(Failure::unexpected("--drive", "further drives", &none)),
    }
}

/// Boots Linux on a drive in hardware.
///
/// # Errors
/// As those of [`linux::run`], and when there is no such hardware.
#[cfg(all(target_os = "linux", feature = "rtl"))]
pub fn boot_in_hardware<'a>(
    setup: &linux::Setup<'_>,
    asked: linux::Asked<'a>,
    stop: Stop,
) -> Result<linux::Outcome, linux::Fault> {
    linux::run_on(setup, asked, stop, |guest, watcher| {
        let mut drive = RtlDrive::of_host(setup.board, guest, setup.seed)?;
        drive.watched_by(watcher);
        Ok(drive)
    })
}

/// Does the run of a recipe, or another of its kind, on a drive with the recipe's body.
///
/// # Errors
/// As those of [`host::run`], and when there is no such hardware.
pub fn run(
    recipe: &Recipe,
    (request, keep): (RunRequest<'_>, Keep),
    (watchers, progress): (Watchers<'_>, &mut dyn FnMut(Progress)),
) -> Result<(RunResult, Option<Prepared>), Failure> {
    match recipe.body {
        Body::Sim => recipe.run((request, keep), watchers, progress),
        Body::Rtl => Ok((in_hardware(recipe.processor, request, watchers, progress)?, None)),
    }
}

#[cfg(feature = "rtl")]
fn in_hardware(
    processor: Processor,
    request: RunRequest<'_>,
    mut watchers: Watchers<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunResult, Failure> {
    let (board, seed) = (request.board, request.seed);
    let mut drive = RtlDrive::new(board, (where_it_runs(processor), request.polling), seed)
        .map_err(Failure::Input)?;
    if let Some(observer) = watchers.observer.take() {
        drive.watched_by(Box::new(observer));
    }
    let (counts, skipped) = (drive.work_counts(), drive.skipped());
    let formats = board.firmware.block_formats;
    let block_bytes = formats[usize::from(board.firmware.block_format)];
    let payload = machine::Payload::Bytes { block_bytes, seed };
    let powered = host::Powered { drive, payload, known: host::Known::State };
    let result = host::run_powered(request, powered, watchers, progress)?;
    if let Some(counts) = counts {
        tell_work(&counts);
    }
    if skipped.get() > 0 {
        let cycles = skipped.get();
        tell(&format!("firmament: hardware: {cycles} cycles not run, as nothing changes in them"));
    }
    Ok(result)
}

/// Where the firmware of a drive in hardware runs.
#[cfg(feature = "rtl")]
pub fn where_it_runs(processor: Processor) -> rtl_sim::drive::Processor {
    match processor {
        Processor::Board => rtl_sim::drive::Processor::Beside,
        Processor::Ibex => rtl_sim::drive::Processor::Ibex,
    }
}

/// Tells what each kind of the firmware's work took on the processor in the controller: means of one.
#[cfg(feature = "rtl")]
fn tell_work(counts: &WorkCounts) {
    tell("firmament: work            times  instructions    cycles  of them waiting");
    for (work, count) in Work::ALL.iter().zip(*counts.borrow()) {
        let WorkCount { times, instructions, cycles, waited } = count;
        if times > 0 {
            let [instructions, cycles, waited] =
                [instructions, cycles, waited].map(|sum| sum as f64 / times as f64);
            let name = work.name();
            tell(&format!(
                "firmament: {name:12} {times:8} {instructions:13.1} {cycles:9.1} {waited:16.1}"
            ));
        }
    }
}

#[cfg(not(feature = "rtl"))]
fn in_hardware(
    _: Processor,
    _: RunRequest<'_>,
    _: Watchers<'_>,
    _: &mut dyn FnMut(Progress),
) -> Result<RunResult, Failure> {
    Err(no_hardware())
}

/// The program has no hardware in it.
#[cfg(not(feature = "rtl"))]
pub fn no_hardware() -> Failure {
    let expected =
        "sim: this program was built without hardware (make rtl-drive builds one with it)";
    Failure::unexpected("--body", "rtl", expected)
}

/// Tells how fast hardware was simulated.
pub fn tell_speed(body: Body, result: &RunResult, board: &Board) {
    if body == Body::Rtl {
        // A word of two bytes goes over the flash bus in each cycle.
        let cycle_s = board.channel.bus.time_of(2).as_ps() as f64 / 1e12;
        let cycles = result.speed.simulated_s / cycle_s;
        let rate = cycles / result.speed.cpu_s.max(1e-9);
        tell(&format!("firmament: hardware: {cycles:.0} cycles, {rate:.0} a CPU second"));
    }
}
