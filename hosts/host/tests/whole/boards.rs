//! Every board runs every kind of job.

use contract::CommandSet;

use super::*;

/// Jobs one after the other, which see to it that what is read was written.
const JOBS: &str = "[global]
size=32m
stonewall
[seq-write]
rw=write
bs=128k
iodepth=8
[rand-verify]
rw=randrw
bs=4k
iodepth=32
io_size=8m
verify=crc32c
fsync=64
[trim]
rw=randtrim
bs=64k
io_size=4m
[several]
rw=randread
bs=16k
iodepth=4
numjobs=4
io_size=4m
[seq-read]
rw=read
bs=128k
iodepth=16
";

#[test]
fn every_board_runs_every_kind_of_job() {
    for board in board::names() {
        let shipped = Board::resolve(board, &[]).unwrap();
        // Where the host places data, no state can be put into a drive.
        let precondition = match shipped.firmware.command_set {
            CommandSet::Block => Preconditioning::Sequential,
            CommandSet::OpenChannel | CommandSet::Zoned => Preconditioning::None,
        };
        let run = Run { board, precondition, ..Run::new() };
        // What fits into an FPGA's test is smaller than these jobs.
        let run = match shipped.capacity().host_bytes < 32 << 20 {
            true => run.set("geometry.blocks_per_way", "64"),
            false => run,
        };
        // Zones have no trims.
        let zoned =
            JOBS.replace("[global]", "[global]\nzonemode=zbd").replace("randtrim", "randwrite");
        let is_zoned = shipped.firmware.command_set == CommandSet::Zoned;
        let result = run.go(if is_zoned { &zoned } else { JOBS });
        assert_eq!(result.jobs.len(), 8, "{board}");
        let ceilings = shipped.ceilings();
        let most = ceilings[0].lowest().amount * 1e6;
        let last = result.jobs.last().expect("the reads");
        let read = direction(last, Direction::Read).bandwidth();
        // What the data buffer still holds of the jobs before is beyond the ceilings of flash.
        let found_in_buffer = result.drive.buffer_hits > 0;
        let held = found_in_buffer || read <= most;
        assert!(held, "{board}: {read:.3e} is above the ceiling of {most:.3e}");
        assert!(read > 0.1 * most, "{board}: {read:.3e} is far below the ceiling of {most:.3e}");
    }
}

#[test]
fn memory_keeps_real_bytes() {
    for commands in ["none", "reads-and-writes"] {
        let payload = PayloadForm::Bytes;
        let run = Run { board: "openexpress", payload, ..Run::new() };
        let result = run.set("automation.commands", commands).go(JOBS);
        let drive = &result.drive;
        assert_eq!((drive.pages_read, drive.pages_programmed), (0, 0), "there is no flash");
        let busy = drive.channel_busy.iter().filter(|&&busy| busy > 0.0).count();
        assert_eq!(busy, if commands == "none" { 0 } else { 4 }, "{commands}");
    }
}
