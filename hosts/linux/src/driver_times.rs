//! What a request takes between the block layer and the driver of a block device of this machine, by the kernel's tracepoints.
//!
//! Each read of a device passes four of them: it reaches the block layer, is given to the driver, is completed by the driver, and
//! the program is woken. From the first to the second is a request issued, from the third to the fourth a request completed. What
//! the tracepoints take themselves is part of both.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::pinned::Pinned;

/// Where the kernel's tracing may be.
const PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
/// The tracepoints in the order in which a read passes them, as they are written after a time.
const STEPS: [(&str, &str); 4] = [
    ("block/block_bio_queue", ": block_bio_queue: "),
    ("block/block_rq_issue", ": block_rq_issue: "),
    ("block/block_rq_complete", ": block_rq_complete: "),
    ("sched/sched_waking", ": sched_waking: "),
];
/// Bytes of the trace that are read at most.
const MOST_BYTES: u64 = 64 << 20;
/// Reads that are traced.
const READS: u64 = 1000;
/// Bytes of a read, and what its memory and its place are a multiple of.
const READ_BYTES: usize = 4096;

/// Nanoseconds of a request, in the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverTimes {
    /// It is given to the driver.
    pub issue_ns: u64,
    /// The driver completes it.
    pub complete_ns: u64,
    /// Of so many requests.
    pub requests: u64,
}

impl DriverTimes {
    /// Reads a block device and traces it.
    ///
    /// # Errors
    /// Why that cannot be done.
    pub fn measured(device: &Path) -> Result<Self, String> {
        let _pinned = Pinned::here();
        let tracing = Tracing::begin()?;
        let refused = |error| format!("{}: {error}", device.display());
        read_device(device).map_err(refused)?;
        let text = tracing.text()?;
        let times = DriverTimes::of(&text, std::process::id());
        times.ok_or_else(|| "no read of the device was seen by the tracepoints".to_owned())
    }

    /// From what the kernel wrote of this process's reads, whose times are in microseconds each.
    fn of(trace: &str, process: u32) -> Option<Self> {
        let woken = format!("pid={process} ");
        let (mut sums_us, mut requests) = ([0.0; 2], 0_u64);
        let mut passed: Vec<f64> = Vec::new();
        let mut sector = None;
        for line in trace.lines() {
            let Some((step, time_us, rest)) = event(line) else { continue };
            let is_begin = step == 0;
            let is_its = match step {
                3 => rest.contains(&woken),
                _ => is_begin || sector_of(rest) == sector,
            };
            if is_begin {
                (sector, passed) = (sector_of(rest), vec![time_us]);
            } else if is_its && step == passed.len() {
                passed.push(time_us);
            }
            if let [queued, issued, completed, woken] = passed[..] {
                sums_us[0] += issued - queued;
                sums_us[1] += woken - completed;
                requests += 1;
                passed.clear();
            }
        }
        let [issue_ns, complete_ns] =
            sums_us.map(|sum| (1000.0 * sum / requests.max(1) as f64).round() as u64);
        (requests > 0).then_some(DriverTimes { issue_ns, complete_ns, requests })
    }
}

/// The step, the time in microseconds and the words of a line.
fn event(line: &str) -> Option<(usize, f64, &str)> {
    let split = |(step, (_, mark)): (usize, &(&str, &str))| {
        line.split_once(mark).map(|(head, rest)| (step, head, rest))
    };
    let (step, head, rest) = STEPS.iter().enumerate().find_map(split)?;
    let seconds: f64 = head.split_whitespace().next_back()?.parse().ok()?;
    Some((step, 1e6 * seconds, rest))
}

/// The sector that stands before the plus of a block event.
fn sector_of(words: &str) -> Option<&str> {
    words.split_once(" + ")?.0.split_whitespace().next_back()
}

fn read_device(device: &Path) -> io::Result<()> {
    let direct = OFlags::DIRECT.bits() as i32;
    let mut file = OpenOptions::new().read(true).custom_flags(direct).open(device)?;
    let pages = file.seek(SeekFrom::End(0))? / READ_BYTES as u64;
    if pages == 0 {
        return Err(io::Error::other("a device without data"));
    }
    let mut memory = vec![0; 2 * READ_BYTES];
    let first = memory.as_ptr().align_offset(READ_BYTES);
    (0..READS).try_for_each(|nth| {
        let at = nth.wrapping_mul(0x9e37_79b9_7f4a_7c15) % pages;
        file.read_exact_at(&mut memory[first..first + READ_BYTES], at * READ_BYTES as u64)
    })
}

/// A trace of its own, which ends with this.
struct Tracing(PathBuf);

impl Tracing {
    fn begin() -> Result<Self, String> {
        let place = PLACES.into_iter().find(|place| Path::new(place).join("instances").is_dir());
        let place = place.ok_or("the kernel's tracing is not to be found, or not for this user")?;
        let own = Path::new(place).join(format!("instances/firmament-{}", std::process::id()));
        let refused = |error| format!("tracing is not allowed: {error}");
        fs::create_dir(&own).map_err(refused)?;
        let tracing = Tracing(own);
        let enable = |(event, _): &(&str, &str)| {
            fs::write(tracing.0.join(format!("events/{event}/enable")), "1")
        };
        STEPS.iter().try_for_each(enable).map_err(refused)?;
        Ok(tracing)
    }

    fn text(&self) -> Result<String, String> {
        let file = File::open(self.0.join("trace")).map(|file| file.take(MOST_BYTES));
        let text = file.and_then(io::read_to_string);
        text.map_err(|error| format!("the trace cannot be read: {error}"))
    }
}

impl Drop for Tracing {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two reads of process 4711, with another program's read of another sector in between.
    const TRACE: &str = "# tracer: nop
       firmament-4711    [001] ..... 100.000010: block_bio_queue: 259,0 R 4096 + 8 [firmament]
       firmament-4711    [001] ..... 100.000013: block_rq_issue: 259,0 R 4096 () 4096 + 8 none,0,0 [firmament]
          kworker-99     [001] d.h1. 100.000050: block_rq_complete: 259,0 R () 77 + 8 none,0,0 [0]
           <idle>-0      [001] d.h1. 100.000060: sched_waking: comm=some db pid=99 prio=120 target_cpu=001
           <idle>-0      [001] d.h1. 100.000090: block_rq_complete: 259,0 R () 4096 + 8 none,0,0 [0]
           <idle>-0      [001] d.h1. 100.000092: sched_waking: comm=firmament pid=4711 prio=120 target_cpu=001
       firmament-4711    [001] ..... 100.000100: block_bio_queue: 259,0 R 512 + 8 [firmament]
       firmament-4711    [001] ..... 100.000101: block_rq_issue: 259,0 R 4096 () 512 + 8 none,0,0 [firmament]
           <idle>-0      [001] d.h1. 100.000150: block_rq_complete: 259,0 R () 512 + 8 none,0,0 [0]
           <idle>-0      [001] d.h1. 100.000151: sched_waking: comm=firmament pid=4711 prio=120 target_cpu=001
";

    #[test]
    fn times_are_those_between_the_tracepoints_of_each_read() {
        let times = DriverTimes::of(TRACE, 4711);
        assert_eq!(times, Some(DriverTimes { issue_ns: 2000, complete_ns: 1500, requests: 2 }));
        assert_eq!(DriverTimes::of(TRACE, 4712), None);
        assert_eq!(DriverTimes::of("", 4711), None);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let folder = std::env::temp_dir();
        assert!(DriverTimes::measured(&folder.join("no such device")).is_err());
    }
}
