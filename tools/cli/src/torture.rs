//! The command `torture`.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;

use ::torture::plan::Plan;
use ::torture::rounds::Torture;
use ::torture::shrink::{shrink, Failing};
use ::torture::storm::Outcome;
use ::torture::violation::attempt;
use foreign::input;

use crate::arguments::TortureArguments;
use crate::output::{print, Destination};
use crate::progress::CountLine;
use recipe::Failure;

/// Runs rounds, or a saved one.
///
/// # Errors
/// When a promise was broken; when the board, a file or the rounds cannot be used.
pub fn torture(arguments: &TortureArguments) -> Result<(), Failure> {
    let save = arguments.save.as_deref().map(Destination::new).transpose()?;
    if let Some(file) = &arguments.replay {
        let plan = read(file)?;
        let unfit = |error| Failure::Input(format!("{}: {error}", file.display()));
        plan.check().map_err(unfit)?;
        return replay(&plan);
    }
    let &TortureArguments { seed, rounds, ops, faults, cut_every, .. } = arguments;
    let end = seed.checked_add(rounds).ok_or_else(|| {
        let expected = "a seed and rounds whose sum is below 2^64";
        Failure::unexpected("--rounds", rounds, expected)
    })?;
    let torture = Torture { board: arguments.board.clone(), commands: ops, faults, cut_every };
    let all = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let mut line = CountLine::new("rounds", rounds);
    let found = torture
        .run(seed..end, arguments.jobs.unwrap_or_else(all), &mut |ended, _| line.show(ended));
    drop(line);
    let (outcome, violation) = found.map_err(|error| Failure::Input(error.to_string()))?;
    let Some((seed, failing)) = violation else {
        return print(|out| tell(out, rounds, &outcome));
    };
    let found = failing.violation.what.clone();
    let mut line = CountLine::new("runs to shrink", u64::from(arguments.shrink));
    let shrunk = shrink(failing, arguments.shrink, &mut |left| {
        line.show(u64::from(arguments.shrink - left))
    });
    drop(line);
    print(|out| show(out, &shrunk))?;
    if let Some(file) = save {
        file.write(|out| ::torture::file::write(&shrunk.plan, out))?;
    }
    let cuts = cut_every.map_or(String::new(), |turns| format!(" --cut-every {turns}"));
    let again = format!("--seed {seed} --rounds 1 --ops {ops} --faults {faults}{cuts}");
    let board = arguments.board.as_deref().map_or(String::new(), |board| format!("{board} "));
    Err(Failure::Drive(format!("{found}; run it again with: firmament torture {board}{again}")))
}

fn read(file: &Path) -> Result<Plan, Failure> {
    const EXPECTED: &str = "a history that torture --save wrote";
    let text = input::text(file, input::OF_PROGRAM)
        .map_err(|error| Failure::file(file, &error, EXPECTED))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::unexpected(file.display(), error, EXPECTED))
}

fn replay(plan: &Plan) -> Result<(), Failure> {
    match attempt(plan) {
        Ok(outcome) => print(|out| tell(out, 1, &outcome)),
        Err(violation) => {
            let failing = Failing { plan: plan.clone(), violation };
            print(|out| show(out, &failing))?;
            Err(Failure::Drive(failing.violation.what))
        }
    }
}

/// Prints what rounds without a violation came to.
fn tell(out: &mut dyn Write, rounds: u64, outcome: &Outcome) -> std::io::Result<()> {
    let lines = [
        ("rounds", rounds),
        ("power losses", outcome.cuts),
        ("commands that ended well", outcome.done),
        ("of these compares that found a difference", outcome.differed),
        ("commands that were refused as they had to be", outcome.refused),
        ("commands that were aborted", outcome.aborted),
        ("commands that failed because data are lost", outcome.lost),
        ("commands that a worn-out drive refused", outcome.read_only),
        ("commands that ran without firmware", outcome.automated),
        ("pages moved by collection", outcome.moves),
        ("blocks gone bad in use", outcome.bad_blocks),
        ("reads repeated", outcome.read_retries),
        ("chips reset that stayed busy", outcome.chip_resets),
        ("superblocks refreshed", outcome.refreshes),
        ("journal pages written", outcome.journal_pages),
        ("pages that recovery read", outcome.recovery_reads),
        ("formats", outcome.formats),
        ("snapshots read back", outcome.snapshots),
        ("hours without power", outcome.hours),
        ("programs sent astray", outcome.astray),
        ("violations", 0),
    ];
    lines.iter().try_for_each(|(what, count)| writeln!(out, "{count:>12}  {what}"))
}

/// Prints a history that breaks a promise.
fn show(out: &mut dyn Write, Failing { plan, violation }: &Failing) -> std::io::Result<()> {
    write!(out, "{plan}")?;
    writeln!(out, "step {}: {}", violation.step + 1, violation.what)
}
