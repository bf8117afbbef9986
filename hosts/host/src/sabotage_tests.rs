//! Runs in which data is changed on its way: each kind of wrong value is caught, and named.

use board::Board;
use machine::{Device, Payload, Stamp, Unobserved};

use super::*;
use crate::drive_state::PayloadForm;
use crate::job::parse_file;
use crate::memory::{Memory, PAGE_BYTES};
use crate::payload;

/// The block that is changed.
const VICTIM: u64 = 300;

/// Runs a job while `spoil` may change each block of host memory that holds data of the victim,
/// after each turn of the firmware; the message that ends the run.
fn run_spoiled(
    form: PayloadForm,
    options: &str,
    mut spoil: impl FnMut(Payload, Stamp, &mut [u8]),
) -> Result<(), String> {
    let board = Board::resolve("small", &[]).unwrap();
    let text = format!("[job]\n{}\n", options.replace(' ', "\n"));
    let jobs = parse_file("job.fio", &text).unwrap();
    let request = RunRequest {
        seed: 9,
        payload: form,
        precondition: Preconditioning::Sequential,
        ..RunRequest::new(&board, &jobs, "job.fio")
    };
    let mut session = Session::open(request, Unobserved, &mut Control::default()).unwrap();
    session.start();
    let payload = session.payload;
    loop {
        assert_eq!(session.drive.run(|_| true), Stopped::Host);
        if let Some(error) = session.failure() {
            return Err(error.to_string());
        }
        if session.engine().is_over() {
            return Ok(());
        }
        each_block(session.drive.memory(), |block| {
            if let Some(stamp) = payload::get(payload, block).filter(|s| s.lba() == VICTIM) {
                spoil(payload, stamp, block);
            }
        });
    }
}

/// Every page of host memory. Blocks are pages on this board, and data buffers start on them.
fn each_block(memory: &mut Memory, mut act: impl FnMut(&mut [u8])) {
    for page in memory.pages_mut() {
        assert_eq!(page.len() as u64, PAGE_BYTES);
        act(page);
    }
}

const READS: &str = "rw=randread size=4m iodepth=8";
const WRITES: &str = "rw=randwrite size=2m io_size=6m iodepth=8 verify=crc32c";

#[test]
fn sound_runs_pass() {
    for form in [PayloadForm::Stamps, PayloadForm::Bytes] {
        for options in [READS, WRITES] {
            assert_eq!(run_spoiled(form, options, |_, _, _| {}), Ok(()));
        }
    }
}

#[test]
fn future_misdirected_lost_and_corrupt_data_is_caught() {
    let rows = [
        ("future", Stamp::new(VICTIM, 2), "found version 2 of LBA 300"),
        ("misdirected", Stamp::new(VICTIM + 1, 1), "found version 1 of LBA 301"),
        ("lost", Stamp::ZERO, "found zeroes"),
        ("corrupt", Stamp::CORRUPT, "found corrupt data"),
    ];
    for (name, wrong, found) in rows {
        let message = run_spoiled(PayloadForm::Stamps, READS, |payload, _, block| {
            payload::put(payload, wrong, block);
        });
        let message = message.expect_err(name);
        let start = format!("job: wrong data at LBA 300 (byte 1228800): {found}, expected ");
        assert!(message.starts_with(&start), "{name}: {message}");
        let end = message.strip_prefix(&start).unwrap();
        assert!(end.starts_with("version 1 of LBA 300; "), "{name}: {message}");
        assert!(end.ends_with(" us, seed 9") && !end.contains('\n'), "{name}: {message}");
    }
}

#[test]
fn an_old_version_is_caught() {
    let message = run_spoiled(PayloadForm::Stamps, WRITES, |payload, stamp, block| {
        // The drive is made to store the version before the one it should.
        if stamp.version() == 3 {
            payload::put(payload, Stamp::new(VICTIM, 2), block);
        }
    });
    let message = message.unwrap_err();
    assert!(message.contains("found version 2 of LBA 300, expected version 3 of LBA 300"));
}

#[test]
fn one_wrong_bit_is_caught_and_its_byte_is_named() {
    let message = run_spoiled(PayloadForm::Bytes, READS, |_, _, block| block[1000] ^= 4);
    let message = message.unwrap_err();
    let start = "job: wrong data at LBA 300 (byte 1229800): found mangled bytes, expected version";
    assert!(message.starts_with(start), "{message}");
}
