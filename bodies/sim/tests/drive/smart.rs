//! What the SMART log says of time and temperature.

use board::Board;
use machine::{HostMemory, Payload, Polling, Stamp};
use nvme::admin::{AdminCommand, EventAfterRead, GetLogPage, LogPage};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::log::Health;

use torture::bench::{Again, Bench, DATA};

const SECOND: u64 = 1_000_000_000_000;

fn bench(board: &str) -> Bench {
    let board = Board::resolve(board, &[]).expect("the board");
    let mut bench = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    bench.start_once();
    bench
}

fn health(bench: &mut Bench) -> Health {
    let (page, event) = (LogPage::Health, EventAfterRead::Retained);
    let log = GetLogPage { page, event, offset: 0, length: Health::BYTES as u64 };
    bench.admin(AdminCommand::GetLogPage(log), DATA);
    let mut bytes = [0; Health::BYTES];
    assert!(bench.drive.host_mut().memory.read(DATA, &mut bytes));
    Health::parse(&bytes)
}

/// Reads without end, until `seconds` have gone by.
fn work(bench: &mut Bench, seconds: u64) {
    let until = bench.drive.now() + seconds * SECOND;
    for lba in (0..2_000).step_by(4) {
        bench.write(lba, &[Stamp::new(lba, 1); 4]);
    }
    for nth in 0..32 {
        let range = BlockRange { start: nth * 60, blocks: 32 };
        let mut header = bench.data(32);
        header.cid = 40;
        let command = IoCommand::Read(range, UnitAccess::Forced).emit(header);
        bench.drive.host_mut().again = Some(Again { queue: 1, command, until });
        bench.submit(1, &[command]);
    }
    bench.drive.run(|_| false);
    bench.drive.host_mut().seen.clear();
    bench.drive.host_mut().times.clear();
}

#[test]
fn a_drive_that_works_is_warmer_than_one_that_rests() {
    // With firmware that schedules, with channels that do, and without flash.
    for board in ["small", "ocowfc"] {
        let mut bench = bench(board);
        assert_eq!(health(&mut bench).temperature_kelvin, 313, "{board}");
        work(&mut bench, 20);
        let warm = health(&mut bench).temperature_kelvin;
        assert!((314..320).contains(&warm), "{board}: {warm} K after 20 s");
    }
}

#[test]
fn commands_without_firmware_keep_the_controller_busy() {
    let mut bench = bench("openexpress");
    let start = bench.drive.now();
    work(&mut bench, 1);
    let busy = bench.drive.automated().busy.as_ps();
    let passed = bench.drive.now() - start;
    assert!(busy > SECOND / 2 && busy <= passed, "{busy} of {passed}");
}
