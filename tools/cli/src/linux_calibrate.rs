//! The command `linux calibrate`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use foreign::input;
use linux::{Calibration, DriverTimes, Partner};
use recipe::Failure;

use crate::arguments::{MeasureArguments, PartnerKind};
use crate::output::print;

/// Bytes of what the system says of itself that are read at most.
const MOST_BYTES: u64 = 4 << 20;

/// The option that makes this program the second process of a measurement.
const PARTNER: &str = "--partner";

/// A constant of `[guest_cpu]`.
struct Line {
    key: &'static str,
    /// Its row of what is printed for people.
    name: &'static str,
    ns: u64,
    /// How it was measured, or why not.
    how: String,
    is_measured: bool,
}

/// Measures what this machine's processor takes for what `--cpu` charges, and prints it as a board file has it.
///
/// # Errors
/// When no second process can be started, or standard output is gone.
pub fn calibrate(arguments: &MeasureArguments) -> Result<(), Failure> {
    if let Some(kind) = arguments.partner {
        let partner = match kind {
            PartnerKind::Yields => Partner::Yields,
            PartnerKind::Echoes => Partner::Echoes,
        };
        // The first process has gone: there is nobody to tell.
        let _ = partner.act();
        return Ok(());
    }
    let refused =
        |error| Failure::unexpected("linux calibrate", error, "a second process to switch to");
    let program = std::env::current_exe().map_err(refused)?;
    let partner = |partner| {
        let kind = match partner {
            Partner::Yields => "yields",
            Partner::Echoes => "echoes",
        };
        let mut command = Command::new(&program);
        command.args(["linux", "calibrate", PARTNER, kind]);
        command
    };
    let found = Calibration::measured(arguments.rounds, partner).map_err(refused)?;
    let driver = match &arguments.device {
        None => Err("needs --device, and the right to trace its driver".to_owned()),
        Some(device) => DriverTimes::measured(device),
    };
    let lines = lines(found, driver, arguments.device.as_ref());
    let machine = machine();
    print(|out| {
        for line in &lines {
            let value = if line.is_measured {
                format!("{} ns", line.ns)
            } else {
                "not measured".to_owned()
            };
            writeln!(out, "{:20}  {value:>12}  {}", line.name, line.how)?;
        }
        let values: Vec<_> = lines.iter().map(|line| line.ns.to_string()).collect();
        writeln!(out, "--cpu {}\n\n[guest_cpu]", values.join(","))?;
        for Line { key, ns, how, is_measured, .. } in &lines {
            let (source, role) = match is_measured {
                true => (format!("firmament linux calibrate on {machine}: {how}"), "calibrated"),
                false => (format!("not measured: {how}"), "assumed"),
            };
            let source = source.replace(['"', '\\'], "'");
            writeln!(out, "{key} = {{ value = {ns}, source = \"{source}\", role = \"{role}\" }}")?;
        }
        Ok(())
    })
}

fn lines(
    found: Calibration,
    driver: Result<DriverTimes, String>,
    device: Option<&PathBuf>,
) -> [Line; 4] {
    let device = device.map_or(String::new(), |device| device.display().to_string());
    let ([issue_ns, complete_ns], how, is_measured) = match driver {
        Err(why) => ([0; 2], [why.clone(), why], false),
        Ok(DriverTimes { issue_ns, complete_ns, requests }) => {
            let of = |between: &str| format!("{between}, mean of {requests} reads of {device}");
            let how =
                [of("block_bio_queue to block_rq_issue"), of("block_rq_complete to sched_waking")];
            ([issue_ns, complete_ns], how, true)
        }
    };
    let [issue, complete] = how;
    let line = |key, name, ns, how, is_measured| Line { key, name, ns, how, is_measured };
    let switch = "sched_yield between two processes of one processor, less both calls alone";
    let wake = "a byte that another process sends back through pipes, less the same in one process and its switches";
    [
        line("issue_ns", "a request issued", issue_ns, issue, is_measured),
        line("complete_ns", "a request completed", complete_ns, complete, is_measured),
        line("switch_ns", "a switch of tasks", found.switch_ns, switch.to_owned(), true),
        line("wake_ns", "a task woken", found.wake_ns, wake.to_owned(), true),
    ]
}

/// The machine, as far as a board file needs to name it: its processor and its Linux.
fn machine() -> String {
    let read = |path| input::text(Path::new(path), MOST_BYTES).unwrap_or_default();
    let info = read("/proc/cpuinfo");
    let name = info.lines().find(|line| line.starts_with("model name"));
    let name = name.and_then(|line| line.split_once(':')).map_or("a processor", |(_, name)| name);
    format!("{}, Linux {}", name.trim(), read("/proc/sys/kernel/osrelease").trim())
}
