//! A program whose drive is in a file is killed at any moment, and the next start finds all that was
//! durable: `make image-kills`.

#![cfg(target_os = "linux")]

// The driver of the tests of hosts/pci, which know more of it.
#[allow(dead_code)]
#[path = "../../../../hosts/pci/tests/served/client.rs"]
mod client;
#[allow(dead_code)]
#[path = "../../../../hosts/pci/tests/served/driver.rs"]
mod driver;
mod model;
mod run;
mod serve;

/// What the driver asks of its house.
mod house {
    /// How long anything may take.
    pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(120);
}

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{kill_process, Pid, Signal};

/// How often programs are killed, unless `IMAGE_KILLS` says something else.
const KILLS: u32 = 20;

/// How often programs are to be killed.
fn kills() -> u32 {
    std::env::var("IMAGE_KILLS").map_or(KILLS, |text| text.parse().expect("IMAGE_KILLS: a number"))
}

/// A small drive that keeps a log.
const DRIVE: [&str; 9] = [
    "small",
    "--set",
    "recovery.log_entries=6",
    "--set",
    "geometry.blocks_per_way=48",
    "--set",
    "ftl.spare_blocks_per_way=4",
    "--set",
    "ftl.buffer_kib=512",
];

/// Who kills a process when some time has passed.
struct Killer {
    thread: JoinHandle<()>,
    /// The time has passed: whatever ends from now on may have ended by the kill.
    has_begun: Arc<AtomicBool>,
}

impl Killer {
    /// Waits until the process was killed.
    fn join(self) {
        self.thread.join().expect("a process of our own");
    }
}

/// Kills a process when some time has passed.
fn kill_after(process: u32, delay: Duration) -> Killer {
    let process = Pid::from_raw(process as i32).expect("a process");
    let has_begun = Arc::new(AtomicBool::new(false));
    let begins = has_begun.clone();
    let thread = thread::spawn(move || {
        thread::sleep(delay);
        begins.store(true, Ordering::SeqCst);
        // Who was killed is waited for later, so that nobody else can have its number.
        kill_process(process, Signal::KILL).expect("a process of our own");
    });
    Killer { thread, has_begun }
}

/// Numbers that are random and the same each time (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        random::next(&mut self.0) % end
    }
}
