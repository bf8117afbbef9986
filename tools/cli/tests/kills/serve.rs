//! `firmament serve --image` under a driver that knows what it was promised.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use drive_image::{Access, Image};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use rustix::io::{pread, pwrite};

use crate::client::Client;
use crate::driver::{Driver, Holder, DATA};
use crate::model::{expand, Content, Model, BLOCK};
use crate::{kill_after, kills, Killer, Random, DRIVE};

/// Blocks that are written: some of the drive, so that each is often.
const BLOCKS: u64 = 256;
/// Blocks of a mapping unit, which are freed together.
const UNIT: u64 = 4;
/// Commands under way.
const DEPTH: u16 = 8;
const SOCKET: &str = "drive.sock";

/// What a command that is under way does.
#[derive(Clone, Debug)]
enum Task {
    Change { block: u64, count: u64, forced: bool },
    Flush { latest: Vec<u64> },
    Read { block: u64 },
}

/// A host of a drive that may be gone at any moment.
struct Host {
    driver: Driver,
    tasks: Vec<Option<Task>>,
    done: u64,
}

impl Host {
    /// Waits until the drive is up.
    fn start(directory: &Path) -> Self {
        let mut client = Client::connect(&directory.join(SOCKET));
        client.negotiate();
        let driver = Driver::start(client, Holder::Sealed);
        Host { driver, tasks: vec![None; usize::from(DEPTH)], done: 0 }
    }

    fn buffer(slot: usize) -> u64 {
        DATA + slot as u64 * BLOCK as u64
    }

    /// Reads all blocks of a drive that has just come up.
    fn find(&mut self, model: &mut Model) {
        for block in 0..model.count() {
            let bytes = self.driver.read(block);
            model.found(block, &bytes);
        }
    }

    /// Keeps the drive busy for ever, or until so many commands are done.
    fn load(&mut self, model: &mut Model, random: &mut Random, most: u64) {
        while self.done < most {
            for slot in 0..self.tasks.len() {
                if self.tasks[slot].is_none() {
                    self.begin(model, random, slot);
                }
            }
            self.take(model);
            if self.tasks.iter().all(Option::is_some) {
                self.driver.wait_for_more();
            }
        }
    }

    fn begin(&mut self, model: &mut Model, random: &mut Random, slot: usize) {
        let forced = random.below(6) == 0;
        let access = if forced { UnitAccess::Forced } else { UnitAccess::Normal };
        let kind = random.below(20);
        let (first, count) = match kind {
            0 | 1 => (random.below(BLOCKS / UNIT) * UNIT, UNIT),
            _ => (random.below(BLOCKS), 1),
        };
        let range = BlockRange { start: first, blocks: count as u32 };
        let quiet = (first..first + count).all(|block| model.is_quiet(block) && !self.reads(block));
        let (command, task) = match kind {
            2 => (IoCommand::Flush, Task::Flush { latest: model.latest() }),
            _ if !quiet => return,
            0 | 1 | 3 => {
                (first..first + count).for_each(|block| model.begin(block, Content::Zeroes));
                let task = Task::Change { block: first, count, forced };
                (IoCommand::WriteZeroes(range, access), task)
            }
            4..7 => (IoCommand::Read(range, UnitAccess::Normal), Task::Read { block: first }),
            _ => {
                let content = model.fresh();
                model.begin(first, content);
                let bytes = expand(first, content);
                pwrite(&self.driver.memory, &bytes, Host::buffer(slot)).unwrap();
                (IoCommand::Write(range, access), Task::Change { block: first, count, forced })
            }
        };
        self.tasks[slot] = Some(task);
        self.driver.submit(command, (slot as u16, Host::buffer(slot)));
    }

    fn reads(&self, wanted: u64) -> bool {
        let reads = |task: &Task| matches!(task, Task::Read { block } if *block == wanted);
        self.tasks.iter().flatten().any(reads)
    }

    /// Takes the completions that have come, also those that a drive has left that is gone.
    fn take(&mut self, model: &mut Model) {
        while let Some(entry) = self.driver.next_completion() {
            let slot = usize::from(entry.cid);
            if slot >= self.tasks.len() {
                // The read that the drive was gone under.
                continue;
            }
            let task = self.tasks[slot].take().expect("a command under way");
            if !entry.status.is_success() {
                model.violations.push(format!("{task:?}: {}", entry.status));
            }
            self.done += 1;
            match task {
                Task::Change { block, count, forced } => {
                    (block..block + count).for_each(|block| model.end(block, forced));
                }
                Task::Flush { latest } => model.flushed(&latest),
                Task::Read { block } => {
                    let mut bytes = vec![0; BLOCK];
                    pread(&self.driver.memory, &mut bytes, Host::buffer(slot)).unwrap();
                    model.read(block, &bytes);
                }
            }
        }
    }
}

/// When a program is killed.
#[derive(Clone, Copy)]
enum Life {
    /// So long after it was started.
    FromStart(Duration),
    /// So long after it said that it serves.
    Serving(Duration),
    /// Not yet.
    Long,
}

/// The program, and whether it came to serve.
fn serve(directory: &Path, life: Life) -> (Child, Option<Killer>, bool) {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("firmament"))
        .arg("serve")
        .args(DRIVE)
        .args(["--image", "drive.img", "--vfio-user", SOCKET, "--pace", "fast"])
        .current_dir(directory)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let early = match life {
        Life::FromStart(life) => Some(kill_after(child.id(), life)),
        Life::Serving(_) | Life::Long => None,
    };
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    let serves = said.starts_with("firmament: serving");
    assert!(serves || early.is_some() && said.is_empty(), "{said}");
    let killer = match life {
        Life::Serving(life) => Some(kill_after(child.id(), life)),
        Life::FromStart(_) | Life::Long => early,
    };
    (child, killer, serves)
}

/// What came of all rounds.
#[derive(Debug, Default)]
struct Outcome {
    /// Kills before the drive served, while it came up or was read, and under load.
    kills: [u32; 3],
    done: u64,
}

/// A life of the drive that ends with a kill.
fn live(
    directory: &Path,
    (model, random): (&mut Model, &mut Random),
    outcome: &mut Outcome,
    life: Life,
) {
    let (mut child, killer, serves) = serve(directory, life);
    let mut host = None;
    let mut phase = usize::from(serves);
    if serves {
        // The driver panics when the drive is gone.
        let gone = catch_unwind(AssertUnwindSafe(|| {
            let host = host.insert(Host::start(directory));
            host.find(model);
            phase = 2;
            host.load(model, random, u64::MAX);
        }));
        let has_begun = |killer: &Killer| killer.has_begun.load(Ordering::SeqCst);
        let killed = killer.as_ref().is_some_and(has_begun);
        if let (Err(cause), false) = (gone, killed) {
            resume_unwind(cause);
        }
    }
    killer.into_iter().for_each(Killer::join);
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(9), "{status}");
    if let Some(mut host) = host {
        host.take(model);
        outcome.done += host.done;
    }
    outcome.kills[phase] += 1;
    assert_eq!(model.violations, [""; 0], "after {outcome:?}");
}

#[test]
fn a_served_drive_that_is_killed_keeps_what_was_durable() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let (mut model, mut random) = (Model::new(BLOCKS), Random(1));
    let mut outcome = Outcome::default();
    for round in 0..kills() {
        // Some end before the drive is up, the others somewhere after that.
        let mut life = |longest_us| Duration::from_micros(random.below(longest_us));
        let life = match round % 4 {
            3 => Life::FromStart(life(300_000)),
            _ => Life::Serving(life(400_000)),
        };
        live(directory, (&mut model, &mut random), &mut outcome, life);
    }
    let (mut child, _, _) = serve(directory, Life::Long);
    let mut host = Host::start(directory);
    host.find(&mut model);
    host.load(&mut model, &mut random, 500);
    assert_eq!(model.violations, [""; 0], "after {outcome:?}");
    println!("{} kills {:?}, {} commands", kills(), outcome.kills, outcome.done);
    assert!(kills() < 10 || outcome.kills[2] > 3 && outcome.done > 200, "{outcome:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    let image = Image::open(&directory.join("drive.img"), Access::Look).unwrap();
    let checked = drive_image::check(&image, nand::is_aside).unwrap();
    assert!(checked.pages > 100, "{checked:?}");
}
