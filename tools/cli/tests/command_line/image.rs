//! A drive in a file: what is kept over runs, and what is refused.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::str::contains;
use serde_json::Value;

use crate::program::{firmament, json, stdout};

/// A small drive that keeps a log.
pub const LOGGED: [&str; 7] = [
    "small",
    "--set",
    "recovery.log_entries=6",
    "--set",
    "geometry.blocks_per_way=48",
    "--set",
    "ftl.spare_blocks_per_way=4",
];

/// A run on the small drive in an image of a directory.
fn run(directory: &Path, more: &[&str]) -> Command {
    let mut command = firmament(["run"]);
    command.current_dir(directory).args(["--image", "drive.img"]).args(more);
    command
}

/// A run that writes a megabyte.
const WRITES: [&str; 4] = ["--rw=randwrite", "--bs=16k", "--size=1m", "--iodepth=8"];

fn made(more: &[&str]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    run(directory.path(), &[&LOGGED[..], &WRITES, more].concat()).assert().success();
    directory
}

#[test]
fn a_drive_goes_on_where_it_ended_and_need_not_be_described_again() {
    for payload in ["--payload=stamp", "--payload=full"] {
        let directory = made(&[payload, "--precondition=random"]);
        for _ in 0..2 {
            let again = ["--rw=randrw", "--bs=4k", "--size=2m", "--iodepth=4"];
            let mut again = run(directory.path(), &again);
            let report: Value = json(again.arg("--output-format=json"));
            let provenance = &report["firmament"]["provenance"];
            assert_eq!(provenance["image"], "drive.img");
            assert_eq!(provenance["board"]["name"], "small");
            assert_eq!(format!("--payload={}", provenance["payload"].as_str().unwrap()), payload);
            assert_eq!(report["firmament"]["uncorrectable_reads"], 0);
            assert_eq!(report["jobs"][0]["error"], 0);
        }
    }
}

#[test]
fn the_first_run_gives_what_it_gives_without_an_image() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = [&LOGGED[..], &WRITES, &["--output-format=json"]].concat();
    let with = json(&mut run(directory.path(), &arguments));
    let without = json(firmament(["run"]).args(&arguments));
    for key in ["jobs", "disk_util"] {
        assert_eq!(with[key], without[key]);
    }
    for key in ["flash_pages_programmed", "write_amplification", "interrupts", "simulated_s"] {
        assert_eq!(with["firmament"][key], without["firmament"][key], "{key}");
    }
}

#[test]
fn what_does_not_go_together_is_one_line_and_the_image_stays_as_it_was() {
    let directory = made(&[]);
    let image = directory.path().join("drive.img");
    let before = fs::read(&image).unwrap();
    let read = ["--rw=read", "--size=1m"];
    let rows: [(&[&str], &str); 9] = [
        (
            &["cosmos-plus-log", "--set", "power_loss.capacitor_millijoules=300"],
            "drive.img: geometry.channels: found 2, expected 8",
        ),
        (&["small"], "drive.img: geometry.blocks_per_way: found 48, expected 32"),
        // Without a board, settings are of the board that the image has.
        (
            &["--set", "recovery.log_entries=7"],
            "--set: found recovery.log_entries=7, expected recovery.log_entries=6, as drive.img has it",
        ),
        (&["--set", "recovery.logs=7"], "--set: found recovery.logs=7, expected a key of boards"),
        (&["cosmos-plus-log"], "drive.img: geometry.channels: found 2, expected 8"),
        (&["--payload=full"], "drive.img: payload: found stamp, expected full"),
        (
            &["--precondition=none"],
            "--precondition: found none for drive.img, which exists, expected it for a new image",
        ),
        (&["--image=."], "the argument '--image <FILE>' cannot be used multiple times"),
        (
            &["small", "--set", "recovery.log_entries=7"],
            "drive.img: geometry.blocks_per_way: found 48, expected 32",
        ),
    ];
    for (more, expected) in rows {
        let ran = run(directory.path(), &[more, &read].concat()).assert().code(2);
        let said = String::from_utf8(ran.get_output().stderr.clone()).unwrap();
        assert!(said.contains(expected) || more[0] == "--image=.", "{more:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(fs::read(&image).unwrap() == before, "{more:?} changed the image");
    }
}

#[test]
fn what_is_no_image_or_not_whole_is_refused_and_stays_as_it_was() {
    let directory = made(&[]);
    let image = directory.path().join("drive.img");
    let sound = fs::read(&image).unwrap();
    // The first record of a page begins with the erases of its block.
    let head_damaged = [&sound[..5000], &[sound[5000] ^ 1], &sound[5001..]].concat();
    let rows: [(&[u8], &str); 4] = [
        (b"[global]\nrw=read\n", "drive.img: found something else, expected a drive image"),
        (&sound[..sound.len() - 1], "drive.img: length: found"),
        (
            &head_damaged,
            "drive.img: head: found a wrong checksum, expected an undamaged drive image",
        ),
        (&sound[..100], "drive.img: head: found a wrong checksum"),
    ];
    for (bytes, expected) in rows {
        fs::write(&image, bytes).unwrap();
        let mut command = run(directory.path(), &["--rw=read", "--size=1m"]);
        command.assert().code(2).stderr(contains(expected));
        assert!(fs::read(&image).unwrap() == bytes, "{expected}");
    }
}

/// Writes behind the limit fail, as on a full disk.
#[test]
fn a_drive_whose_image_cannot_be_written_ends_as_if_the_power_were_cut() {
    let directory = made(&["--payload=full"]);
    let program = assert_cmd::cargo::cargo_bin!("firmament").display().to_string();
    let write = "--rw=randwrite --bs=16k --size=8m --iodepth=8";
    let line =
        format!("trap '' XFSZ; ulimit -f 40000; exec {program} run --image drive.img {write}");
    let mut limited = Command::new("sh");
    let ran = limited.args(["-c", &line]).current_dir(directory.path()).assert().code(2);
    let expected =
        "firmament: drive.img: found File too large (os error 27), expected room for what \
                    the drive writes\n";
    ran.stderr(expected);
    let again = ["--rw=randrw", "--bs=4k", "--size=8m", "--output-format=json"];
    let report = json(&mut run(directory.path(), &again));
    assert_eq!(report["firmament"]["uncorrectable_reads"], 0);
}

#[test]
fn a_report_of_an_image_is_not_run_again() {
    let directory = made(&["--json=report.json"]);
    firmament(["rerun", "report.json"]).current_dir(directory.path()).assert().code(2).stderr(
        "firmament: report.json: image: found drive.img, expected a drive in memory: an image is \
         not what it was before the run\n",
    );
    assert!(stdout(firmament(["report", "report.json"]).current_dir(directory.path())).len() > 100);
}

/// The program with `image` in a directory.
fn image(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = firmament(["image"]);
    command.current_dir(directory).args(arguments);
    command
}

#[test]
fn a_raw_image_goes_into_a_drive_and_comes_out_again() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    // No whole block at the end, and holes.
    let mut raw = vec![0; (9 << 20) + 1234];
    for (nth, byte) in (0u32..).zip(&mut raw) {
        if nth % (1 << 20) > 700_000 || nth > 9 << 20 {
            *byte = (nth.wrapping_mul(0x9e37_79b9) >> 24) as u8;
        }
    }
    fs::write(directory.join("disk.raw"), &raw).unwrap();
    let into = [&["convert", "disk.raw", "drive.img"], &LOGGED[..]].concat();
    image(directory, &into).assert().success().stdout("");
    image(directory, &["convert", "drive.img", "again.raw"]).assert().success().stdout("");
    let again = fs::read(directory.join("again.raw")).unwrap();
    assert!(again[..raw.len()] == raw[..] && again[raw.len()..].iter().all(|&byte| byte == 0));
    let info = stdout(&mut image(directory, &["info", "drive.img"]));
    assert!(info.contains(&format!("capacity: {} bytes for the host", again.len())), "{info}");
    let taken =
        std::os::unix::fs::MetadataExt::blocks(&fs::metadata(directory.join("again.raw")).unwrap())
            * 512;
    assert!(taken < raw.len() as u64, "{taken} bytes on the disk");
    let checked = stdout(&mut image(directory, &["check", "drive.img"]));
    assert!(checked.starts_with("drive.img: sound: "), "{checked}");
    assert!(checked.ends_with("powered on 2 times\n"), "{checked}");
}

#[test]
fn a_drive_that_was_damaged_outside_fails_a_job_that_verifies_it() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let write = ["--rw=write", "--bs=16k", "--size=1m", "--payload=full", "--precondition=none"];
    run(directory, &[&LOGGED[..], &write].concat()).assert().success();
    image(directory, &["convert", "drive.img", "disk.raw"]).assert().success();
    let mut raw = fs::read(directory.join("disk.raw")).unwrap();
    for file in ["whole.img", "damaged.img"] {
        let into = [&["convert", "disk.raw", file], &LOGGED[..]].concat();
        image(directory, &into).assert().success();
        raw[5000..5200].iter_mut().for_each(|byte| *byte ^= 1);
        fs::write(directory.join("disk.raw"), &raw).unwrap();
    }
    let read = ["--rw=read", "--bs=16k", "--size=1m", "--verify=crc32c", "--name=v"];
    let verify = |file: &str| {
        let mut command = firmament(["run", "--image", file]);
        command.current_dir(directory).args(read);
        command
    };
    verify("whole.img").assert().success();
    let told = "firmament: job v: verify: bad magic header at LBA 1 (error 84)\n";
    verify("damaged.img").assert().code(1).stderr(told);
}

#[test]
fn what_cannot_be_made_looked_at_or_converted_is_one_line() {
    let directory = made(&[]);
    let directory = directory.path();
    fs::write(directory.join("large.raw"), vec![1; 128 << 20]).unwrap();
    fs::write(directory.join("text"), "no image").unwrap();
    let large = [&["convert", "large.raw", "new.img"], &LOGGED[..]].concat();
    let stamps = [&["convert", "text", "new.img", "--payload=stamp"], &LOGGED[..]].concat();
    let filled = [&["convert", "text", "new.img", "--precondition=random"], &LOGGED[..]].concat();
    let raw = ["convert", "drive.img", "out.raw"];
    let rows: [(&[&str], &str); 14] = [
        // Stamps are no bytes, and what a raw image holds is no state.
        (
            &stamps,
            "--payload: found stamp for a raw disk image, expected full: stamps are no bytes",
        ),
        (&filled, "--precondition: found a state for a raw disk image, expected none"),
        // A raw image is no drive.
        (
            &[&raw[..], &["small"]].concat(),
            "command line: found the board small for a raw disk image, expected no word of a drive",
        ),
        (&[&raw[..], &["--set", "a.b=1"]].concat(), "--set: found it for a raw disk image"),
        (&[&raw[..], &["--seed=1"]].concat(), "--seed: found it for a raw disk image"),
        (&[&raw[..], &["--payload=full"]].concat(), "--payload: found it for a raw disk image"),
        (
            &["new", "drive.img"],
            "drive.img: found it there already, expected a path for a new drive image",
        ),
        (
            &["new", "new.img", "small"],
            "new.img: recovery.log_entries: found 0, expected a number above 0",
        ),
        (&["info", "text"], "text: found something else, expected a drive image"),
        (&["info", "none"], "none: found nothing yet, expected a drive image"),
        (&["check", "none"], "none: found No such file or directory"),
        (&["convert", "drive.img", "out.raw"], "payload: found stamp of drive.img, expected full"),
        (&large, "large.raw: found 134217728 bytes, expected at most "),
        (&["convert", "text", "drive.img"], "drive.img: found it there already, expected"),
    ];
    for (arguments, expected) in rows {
        let ran = image(directory, arguments).assert().code(2);
        let said = String::from_utf8(ran.get_output().stderr.clone()).unwrap();
        assert!(said.contains(expected), "{arguments:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    assert!(!directory.join("new.img").exists() && !directory.join("out.raw").exists());
}

#[test]
fn two_programs_cannot_have_one_drive() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let new = [&["new", "drive.img"], &LOGGED[..]].concat();
    image(directory, &new).assert().success();
    let held = drive_image::Image::open(&directory.join("drive.img"), drive_image::Access::Drive);
    let held = held.unwrap();
    let expected =
        "firmament: drive.img: found it in use, expected a drive image that no other program has open\n";
    run(directory, &["--rw=read", "--size=1m"]).assert().code(2).stderr(expected);
    image(directory, &["check", "drive.img"]).assert().code(2).stderr(expected);
    image(directory, &["convert", "drive.img", "out.raw"]).assert().code(2).stderr(expected);
    assert!(!directory.join("out.raw").exists(), "nothing is left that looks like a disk image");
    image(directory, &["info", "drive.img"]).assert().success();
    drop(held);
    image(directory, &["convert", "drive.img", "out.raw"]).assert().success();
    image(directory, &["check", "drive.img"]).assert().success();
}
