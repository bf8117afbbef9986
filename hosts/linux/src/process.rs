//! The process that is the guest: how it is started, what it is told, and how it ends.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{open, statvfs, Mode, OFlags};
use rustix::process::{kill_process_group, Pid, Signal};
use tempfile::TempDir;

use crate::charges::Charges;
use crate::end::End;
use crate::page::Task;

/// The number by which the guest's kernel knows the virtio device of its PCI bus (`world/kernel.config`).
const PCI_DEVICE: u32 = 1234;
/// How long a guest whose links are gone may take to end.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// The folder, in that of the process, with what the guest is told; it writes its script's exit code there.
const OWN_FOLDER: &str = "told";
/// The link, beside it, to the folder that the guest shares with the machine.
const SHARED_FOLDER: &str = "shared";
/// The link, beside it, to the root that scripts see in place of the world's.
const OWN_ROOT: &str = "own-root";
/// Where POSIX shared memory is kept: files there are memory.
const SHARED_MEMORY: &str = "/dev/shm";
/// Bytes of a text that are read at most: a guest is not trusted.
const MOST_TEXT: u64 = 64 << 10;

/// The files that a guest is made of.
#[derive(Clone, Debug)]
pub struct World {
    /// Linux in user mode.
    pub kernel: PathBuf,
    /// The root file system, a cpio archive.
    pub root: PathBuf,
    /// The library that the kernel is loaded with: its random numbers are those of a seed (`world/shim.c`).
    pub shim: PathBuf,
}

impl World {
    /// The world in a folder that `make linux-vt` has filled.
    ///
    /// # Errors
    /// A line about the first file that is not there.
    pub fn in_folder(folder: &Path) -> Result<Self, String> {
        let file = |name: &str| {
            let path = folder.join(name);
            match path.is_file() {
                true => Ok(path.canonicalize().unwrap_or(path)),
                false => Err(format!(
                    "{}: found no such file, expected Linux as make linux-vt builds it",
                    path.display()
                )),
            }
        };
        Ok(World { kernel: file("linux")?, root: file("root.cpio")?, shim: file("shim.so")? })
    }
}

/// Whether a folder of the machine can be a guest's root: its scripts run in a shell.
///
/// # Errors
/// A line about what the folder lacks.
pub fn check_root(folder: &Path) -> Result<(), String> {
    match folder.join("bin/sh").symlink_metadata() {
        Ok(_) => Ok(()),
        Err(_) => Err(format!(
            "{}: found no bin/sh in it, expected the folder of a root file system",
            folder.display()
        )),
    }
}

/// What a guest is told at its start.
#[derive(Clone, Debug)]
pub struct Told<'a> {
    /// What it runs once it has booted, as a shell script.
    pub script: &'a str,
    /// Files that it finds beside the script, by name.
    pub files: &'a [(String, Vec<u8>)],
    /// A folder of the machine that it may read and write, as `/share`.
    pub share: Option<&'a Path>,
    /// A root file system of the machine that the script sees in place of the world's, to read.
    pub root: Option<&'a Path>,
    /// Its memory in MiB.
    pub memory_mib: u32,
    /// The seed of its random numbers.
    pub seed: u64,
    /// The time that its processor takes.
    pub charges: Charges,
    /// How much its kernel says, from 0 to 7.
    pub log_level: u8,
}

/// A guest's process with its folder, which goes with it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    time: UnixListener,
    /// One for each drive.
    virtio: Vec<UnixListener>,
    folder: TempDir,
}

impl Process {
    /// Starts a guest of so many drives. What it writes to its console goes to `console`.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn start(world: &World, told: &Told<'_>, drives: usize, console: File) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("firmament-linux-").tempdir();
        let folder = folder.map_err(|error| {
            let place = std::env::temp_dir();
            io::Error::other(format!(
                "no folder for temporary files in {} (TMPDIR): {error}",
                place.display()
            ))
        })?;
        let own = folder.path().join(OWN_FOLDER);
        fs::create_dir(&own)?;
        fs::write(own.join("script"), told.script)?;
        for (name, bytes) in told.files {
            fs::write(own.join(name), bytes)?;
        }
        if let Some(share) = told.share {
            symlink(share.canonicalize()?, folder.path().join(SHARED_FOLDER))?;
        }
        if let Some(root) = told.root {
            symlink(root.canonicalize()?, folder.path().join(OWN_ROOT))?;
        }
        let listen = |name: &str| UnixListener::bind(folder.path().join(name));
        let time = listen("time")?;
        let virtio = (0..drives).map(|nth| listen(&socket_name(nth))).collect::<io::Result<_>>()?;
        symlink(&world.root, folder.path().join("root.cpio"))?;
        let errors = File::create(folder.path().join("errors"))?;
        let mut command = Command::new(&world.kernel);
        command
            .current_dir(folder.path())
            .args(words(told, drives))
            .env_clear()
            .env("LD_PRELOAD", &world.shim)
            .env("FIRMAMENT_SEED", told.seed.to_string())
            .env("TMPDIR", memory_folder(told.memory_mib)?)
            .stdin(Stdio::null())
            .stdout(console)
            .stderr(errors)
            .process_group(0);
        Ok(Process { child: command.spawn()?, time, virtio, folder })
    }

    /// Where the guest asks for its time.
    pub fn time_listener(&self) -> &UnixListener {
        &self.time
    }

    /// Where the guest's driver comes of the drive with this number, counted from 0.
    pub fn virtio_listener(&self, drive: usize) -> &UnixListener {
        &self.virtio[drive]
    }

    /// Whether the process has ended.
    pub fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// What the script ended with; none where the guest came not so far.
    pub fn status(&self) -> Option<u8> {
        let file = self.folder.path().join(OWN_FOLDER).join("status");
        text(&file).trim().parse().ok()
    }

    /// Where in its memory the guest's kernel tells of its programs; none where it has not said so yet.
    pub fn account_address(&self) -> Option<u64> {
        text(&self.folder.path().join(OWN_FOLDER).join("account")).trim().parse().ok()
    }

    /// Why the process has ended, whose kernel had come as far as the drive or not.
    pub fn verdict(&self, has_booted: bool) -> End {
        if self.status().is_some() {
            return End::PoweredOff;
        }
        let said = text(&self.folder.path().join("errors"));
        let last = said.lines().rev().find(|line| is_a_reason(line)).unwrap_or("no reason");
        match has_booted {
            true => End::Fault(format!(
                "Linux ended before its script: found {last:?}, expected it to power off"
            )),
            false => End::Unable(format!(
                "found {last:?}, expected Linux to start, which needs ptrace and a folder for its memory whose files may be executed"
            )),
        }
    }

    /// Why a guest runs no more whose link broke with this error.
    pub fn end_after(&mut self, error: &io::Error, has_booted: bool) -> End {
        let since = Instant::now();
        while since.elapsed() < LAST_WORDS {
            if self.has_ended() {
                return self.verdict(has_booted);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        End::Fault(format!(
            "the link with Linux: found {error}, expected it to last until Linux powers off"
        ))
    }

    /// What the guest's processor runs, in words. The guest's kernel is a process of the machine, and so is each program: which of both
    /// runs tells whether it computes or polls. `task` is who it is, where the guest has told.
    pub fn running(&self, task: Option<&Task>) -> String {
        let name = |task: &Task| format!("{} (process {} of Linux)", task.name, task.process);
        match (self.is_kernel_running(), task) {
            (None, None) => "a program".to_owned(),
            (None, Some(task)) => name(task),
            (Some(false), None) => "a program that computes".to_owned(),
            (Some(false), Some(task)) => format!("{}, which computes", name(task)),
            (Some(true), None) => "a thread of Linux's kernel that polls".to_owned(),
            (Some(true), Some(task)) => {
                format!("{}, for which Linux's kernel polls", name(task))
            }
        }
    }

    /// Whether the guest's kernel has the processor, and not one of its programs; none where neither has.
    fn is_kernel_running(&self) -> Option<bool> {
        let kernel = self.child.id();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let id = entry.file_name().to_string_lossy().into_owned();
            let status = text(&entry.path().join("stat"));
            // Behind the name in brackets: state, parent, group (proc_pid_stat(5)).
            let fields = status.rsplit_once(") ").map_or("", |(_, rest)| rest);
            let fields: Vec<&str> = fields.split(' ').collect();
            let is_of_guest = fields.get(2).and_then(|group| group.parse().ok()) == Some(kernel);
            if is_of_guest && fields.first() == Some(&"R") {
                return Some(id == kernel.to_string());
            }
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.child.id() as i32) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// The words of the kernel's command line. No path of the machine is in it: the guest may print it, and runs would differ. The kernel's random
/// numbers begin with the line, so that the same words in another order are another run.
fn words(told: &Told<'_>, drives: usize) -> Vec<String> {
    let mut words = vec![
        format!("mem={}M", told.memory_mib),
        "initrd=root.cpio".to_owned(),
        "con=null".to_owned(),
        "con0=null,fd:1".to_owned(),
        "ssl=null".to_owned(),
        "time-travel=ext:1:time".to_owned(),
    ];
    // The last number is that of the device among those of its kind.
    let device = |nth| format!("virtio_uml.device={}:{PCI_DEVICE}:{}", socket_name(nth), nth + 1);
    words.extend((0..drives).map(device));
    words.extend([
        "umid=guest".to_owned(),
        "uml_dir=./".to_owned(),
        "hostfs=.".to_owned(),
        format!("told={OWN_FOLDER}"),
        "norandmaps".to_owned(),
        format!("loglevel={}", told.log_level),
    ]);
    if told.share.is_some() {
        words.push(format!("share={SHARED_FOLDER}"));
    }
    if told.root.is_some() {
        words.push(format!("own_root={OWN_ROOT}"));
    }
    if let Charges::At(_) = told.charges {
        words.push(format!("charge={}", told.charges));
    }
    words
}

/// Whether a line that the kernel said before it could boot may be why it did not.
fn is_a_reason(line: &str) -> bool {
    // It tells what memory it takes, and only then whether it may.
    !line.trim().is_empty() && !line.starts_with("Adding ")
}

/// The name of the socket of a drive in the folder of the process.
fn socket_name(drive: usize) -> String {
    match drive {
        0 => "pci".to_owned(),
        nth => format!("pci{nth}"),
    }
}

/// Where the guest's memory is to be kept: in memory, or in the folder for temporary files.
///
/// # Errors
/// When neither has room.
fn memory_folder(memory_mib: u32) -> io::Result<PathBuf> {
    let places = [PathBuf::from(SHARED_MEMORY), std::env::temp_dir()];
    let free_mib = |place: &PathBuf| match statvfs(place) {
        Ok(told) => told.f_bavail.saturating_mul(told.f_frsize) >> 20,
        Err(_) => 0,
    };
    let told: Vec<_> = places
        .iter()
        .map(|place| format!("{} MiB free in {}", free_mib(place), place.display()))
        .collect();
    let mut roomy = places.into_iter().filter(|place| free_mib(place) >= u64::from(memory_mib));
    roomy.next().ok_or_else(|| {
        let told = told.join(" and ");
        io::Error::other(format!("{told}, less than --memory {memory_mib}"))
    })
}

/// The text of a file that the guest or the system writes, up to [`MOST_TEXT`]; nothing where there is none.
fn text(path: &Path) -> String {
    let mut text = Vec::new();
    // The guest may have put a pipe or a link there, and a pipe that is opened as files are waits for who writes to it.
    let careful = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = open(path, careful, Mode::empty()).map(File::from);
    if let Some(file) = file.ok().filter(|file| file.metadata().is_ok_and(|of| of.is_file())) {
        let _ = file.take(MOST_TEXT).read_to_end(&mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use rustix::fs::{mknodat, FileType, CWD};

    use super::*;

    /// Were the pipe opened as files are, this would wait for ever.
    #[test]
    fn text_is_that_of_files_and_never_waits() {
        let folder = TempDir::new().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "17\n").expect("a file");
        symlink(path("file"), path("link")).expect("a link");
        mknodat(CWD, path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
        assert_eq!(text(&path("file")), "17\n");
        assert!(text(Path::new("/proc/self/stat")).contains('('), "a file of the system");
        for name in ["link", "pipe", "absent", ""] {
            assert_eq!(text(&path(name)), "", "{name}");
        }
    }
}
