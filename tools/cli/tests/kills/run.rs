//! `firmament run --image`, killed again and again.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use drive_image::{Access, Image};

use crate::{kill_after, kills, Random, DRIVE};

fn run(directory: &Path, jobs: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("firmament"));
    command.arg("run").args(DRIVE).args(["--image", "drive.img"]).args(jobs);
    command.current_dir(directory).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// The drive was full, so that nothing may read as zeroes or as an error afterwards.
#[test]
fn a_run_that_is_killed_leaves_a_drive_that_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let mut random = Random(2);
    let load = ["--rw=randwrite", "--bs=4k", "--iodepth=16", "--fsync=32", "--runtime=1000s"];
    let load = [&load[..], &["--time_based", "--size=64m"]].concat();
    let mut killed = 0;
    let path = directory.join("drive.img");
    for round in 0..kills().div_ceil(4) {
        let child = run(directory, &load).spawn().unwrap();
        // Some while the image is being made, the others when it was.
        let is_made = || Image::about_file(&path).unwrap().is_some();
        while round > 0 && !is_made() {
            thread::sleep(Duration::from_millis(1));
        }
        let killer = kill_after(child.id(), Duration::from_micros(random.below(400_000)));
        killer.join();
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.signal(), Some(9), "{said}");
        killed += 1;
        if !is_made() {
            continue;
        }
        let read = ["--rw=randread", "--bs=64k", "--size=64m", "--number_ios=200"];
        let read = run(directory, &read).output().unwrap();
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        let image = Image::open(&path, Access::Look).unwrap();
        drive_image::check(&image, nand::is_aside).unwrap();
    }
    println!("{killed} kills");
    assert!(path.exists());
}
