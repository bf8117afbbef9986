//! fio jobs on a drive in hardware whose chips program word lines at one go, with the oracle on, beside the drive in virtual time.

mod by_hand;

use board::Board;
use machine::Polling;
use report::{Direction, DriveResult};
use rtl_sim::drive::compare::{both, in_hardware, Both, Ran};
use rtl_sim::drive::{Processor, RtlDrive};

/// Chips that a test has time for.
const SHORT: &[(&str, &str)] = &[
    ("flash.program", "one-shot"),
    ("flash.metadata_bytes", "36"),
    ("flash.t_read_lsb_us", "20"),
    ("flash.t_read_csb_us", "30"),
    ("flash.t_read_msb_us", "25"),
    ("flash.t_read_tsb_us", "35"),
    ("flash.t_program_one_shot_us", "150"),
    ("flash.t_erase_us", "100"),
    ("flash.read_deviation_us", "1"),
    ("flash.program_deviation_us", "1"),
    ("flash.erase_deviation_us", "1"),
    ("flash.die_deviation_us", "0"),
];

/// Chips by the bits of their cells, and the smallest buffer for their word lines.
const MLC: &[(&str, &str)] =
    &[("flash.cell_mode", "mlc"), ("flash.cell_bits", "2"), ("ftl.buffer_kib", "512")];
const TLC: &[(&str, &str)] = &[
    ("flash.cell_mode", "tlc"),
    ("flash.cell_bits", "3"),
    ("flash.pages_per_physical_block", "48"),
    ("ftl.buffer_kib", "768"),
];
const QLC: &[(&str, &str)] =
    &[("flash.cell_mode", "qlc"), ("flash.cell_bits", "4"), ("ftl.buffer_kib", "1024")];

/// Random writes of flash pages, then reads of the same.
const JOBS: &str = "[global]\nsize=2m\nbs=16k\niodepth=8\n\
    [write]\nrw=randwrite\nend_fsync=1\n[read]\nstonewall\nrw=randread\nio_size=1m\n";

fn board(overrides: &[&[(&str, &str)]]) -> Board {
    let set = [&[SHORT], overrides].concat().concat();
    let set: Vec<_> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Board::resolve("small", &set).expect("the board resolves")
}

fn run_in_hardware(board: &Board, jobs: &str) -> DriveResult {
    let drive = RtlDrive::new(board, (Processor::Beside, Polling::Skip), 7).expect("a drive");
    in_hardware(drive, board, jobs, 7).expect("they run").drive
}

fn jobs_read_what_they_wrote(chips: &[(&[(&str, &str)], u64)]) {
    for &(cells, together) in chips {
        let Both { hardware, simulated } = both(&board(&[cells]), JOBS, 7).expect("they run");
        for Ran { result, .. } in [hardware, simulated] {
            let drive = result.drive;
            assert_eq!(drive.host_bytes_read, 1 << 20, "{cells:?}");
            // Whole word lines, as few as the job's flush permits and as it writes in any order.
            let word_lines = drive.pages_programmed / together;
            assert_eq!(drive.pages_programmed, word_lines * together, "{cells:?}");
            assert!((128..=136).contains(&drive.pages_programmed), "{cells:?}: {word_lines}");
            assert!(drive.pages_read > 16, "{cells:?}: {}", drive.pages_read);
        }
    }
}

#[test]
fn word_lines_that_are_not_there_in_hardware_are_refused_in_a_line() {
    let refused = |overrides: &[&[(&str, &str)]], processor| {
        let board = board(overrides);
        RtlDrive::new(&board, (processor, Polling::Skip), 1).err().expect("no such hardware")
    };
    let what = "of a controller in hardware";
    for (set, processor, line) in [
        (
            [("flash.program", "two-pass")],
            Processor::Beside,
            format!("small: flash.program: found two-pass, expected page or one-shot {what}"),
        ),
        (
            [("flash.metadata_bytes", "32")],
            Processor::Beside,
            format!("small: flash.metadata_bytes: found 32, expected 36 {what}"),
        ),
        (
            [("flash.suspends", "2")],
            Processor::Beside,
            format!("small: flash.suspends: found 2, expected 0 {what}"),
        ),
        (
            [("geometry.channels", "1")],
            Processor::Beside,
            format!(
                "small: geometry: found 1 x 2 channels and ways, expected those {what}: 2 x 2"
            ),
        ),
        (
            [("flash.program", "one-shot")],
            Processor::Ibex,
            format!(
                "small: flash.program: found whole word lines, expected page, with --processor ibex, {what}"
            ),
        ),
    ] {
        assert_eq!(refused(&[TLC, &set], processor), line);
    }
    let units = [("ftl.mapping_unit_bytes", "8192"), ("flash.metadata_bytes", "44")];
    let line = refused(&[TLC, &units], Processor::Beside);
    assert!(line.starts_with("small: flash.metadata_bytes: found 44, expected 36"), "{line}");
    let units = [("ftl.mapping_unit_bytes", "8192"), ("flash.metadata_bytes", "36")];
    let line = refused(&[MLC, &units], Processor::Beside);
    assert_eq!(line, format!("small: ftl.mapping_unit_bytes: found 8192, expected 16384 {what}"));
    let planes = [
        ("flash.planes", "2"),
        ("channel.merging", "planes"),
        ("flash.metadata_bytes", "44"),
        ("ftl.buffer_kib", "1536"),
    ];
    let line = refused(&[TLC, &planes], Processor::Beside);
    let found = "found 2 planes that act together, expected none";
    assert_eq!(line, format!("small: channel.merging: {found} {what}"));
}

/// What `make test-all` does beside `make test`, which makes no model of this controller.
mod long {
    use super::*;

    #[test]
    fn jobs_read_what_they_wrote_of_word_lines_in_hardware() {
        jobs_read_what_they_wrote(&[(TLC, 3)]);
    }

    #[test]
    fn jobs_read_what_they_wrote_of_other_cells_in_hardware() {
        jobs_read_what_they_wrote(&[(MLC, 2), (QLC, 4)]);
    }

    /// A drive so small that it collects: what moves goes through entries of its own, a flash page each.
    #[test]
    fn collection_moves_flash_pages_of_word_lines_in_hardware() {
        let tiny = [
            ("geometry.blocks_per_way", "10"),
            ("flash.pages_per_physical_block", "12"),
            ("recovery.log_entries", "6"),
        ];
        let board = board(&[TLC, &tiny]);
        let jobs = "[global]\nbs=16k\niodepth=8\nsize=1280k\n\
            [write]\nrw=randwrite\nio_size=3m\nend_fsync=1\n[read]\nstonewall\nrw=randread\n";
        let drive = run_in_hardware(&board, jobs);
        assert!(drive.garbage_collections > 4, "{}", drive.garbage_collections);
        assert!(drive.gc_pages_moved > 4, "{}", drive.gc_pages_moved);
        assert!(drive.log_pages > 4, "{}", drive.log_pages);
        assert_eq!(drive.uncorrectable_reads, 0);
    }

    /// Each flush leaves a word line that is not full: what it lacks is programmed as zeroes, and nothing else of it is read.
    #[test]
    fn word_lines_that_flushes_leave_unfilled_are_read_in_hardware() {
        let jobs = "[global]\nbs=16k\nsize=512k\n[write]\nrw=randwrite\niodepth=2\nfsync=1\n\
            [push]\nstonewall\nrw=write\noffset=512k\nend_fsync=1\n\
            [read]\nstonewall\nrw=randread\niodepth=4\n";
        let drive = run_in_hardware(&board(&[TLC]), jobs);
        assert!(drive.pages_programmed > 64 + 32, "{}", drive.pages_programmed);
        assert_eq!(drive.uncorrectable_reads, 0);
    }

    /// Parts of the map are pages of the log: what is read of them is asked for what it says of itself. Eight parts, of which six
    /// have room in memory.
    #[test]
    fn parts_of_the_map_are_read_from_word_lines_in_hardware() {
        let paged = [
            ("geometry.blocks_per_way", "352"),
            ("recovery.log_entries", "4"),
            ("ftl.map_cache_bytes", "196608"),
        ];
        let jobs = "[global]\nbs=16k\nsize=90%\niodepth=2\n\
            [write]\nrw=randwrite\nnumber_ios=16\nend_fsync=1\n\
            [read]\nstonewall\nrw=randread\nnumber_ios=12\n";
        let drive = run_in_hardware(&board(&[MLC, &paged]), jobs);
        let parts = drive.map.expect("a map in part");
        assert!(parts.parts_read > 2 && parts.parts_written > 0, "{parts:?}");
        assert_eq!(drive.uncorrectable_reads, 0);
    }

    /// Twelve wrong bits a chunk, of which 13 are corrected.
    #[test]
    fn flash_pages_of_word_lines_are_read_at_another_level_in_hardware() {
        let rate = [("errors.raw_bits_per_terabit", "5500000000")];
        let drive = run_in_hardware(&board(&[TLC, &rate]), JOBS);
        assert_eq!(drive.uncorrectable_reads, 0);
        let (read, tries) = (drive.pages_read, drive.read_retries);
        assert!((read / 2..read * 2).contains(&tries), "{tries} of {read}");
    }

    /// A page of a job lies in the word line at its number: each third one is of the same type.
    #[test]
    fn a_flash_page_takes_the_time_of_its_type() {
        let (lsb, csb, msb) = (40.0, 200.0, 400.0);
        let times = [
            ("flash.t_read_lsb_us", "40"),
            ("flash.t_read_csb_us", "200"),
            ("flash.t_read_msb_us", "400"),
        ];
        let board = board(&[TLC, &times]);
        let mean = |first: u32| {
            let jobs = format!(
                "[write]\nrw=write\nbs=16k\nsize=1536k\niodepth=1\nend_fsync=1\n\
                [read]\nstonewall\nrw=read:32k\nbs=16k\noffset={}k\nsize=768k\niodepth=1\n",
                16 * first
            );
            let Both { hardware, simulated } = both(&board, &jobs, 1).expect("they run");
            [hardware, simulated].map(|ran| ran.figures(Direction::Read).expect("it read").mean)
        };
        let means = [0, 1, 2].map(mean);
        println!("{means:?} us");
        for ((mean, time), nth) in means.iter().zip([lsb, csb, msb]).zip(0..) {
            let beyond = mean.map(|mean| mean - time);
            // What a read takes beside its array is the same for all types. It differs between the bodies, as the board has not
            // the times of the hardware.
            let others = means[0].map(|mean| mean - lsb);
            let bodies = ["hardware", "virtual time"].into_iter().zip(beyond).zip(others);
            for ((body, beyond), least) in bodies {
                assert!((beyond - least).abs() < 5.0, "{body}, {nth}: {means:?}");
            }
        }
    }

    /// The short form of what `make rtl-compare` has of word lines: within so many percent for each of
    /// [`rtl_sim::drive::compare::Figures::each`]: the aim of that comparison, but for the host interface, as measured. Of the
    /// twelve writes one more or one less waits there for its turn.
    #[test]
    fn word_lines_are_as_fast_on_a_board_with_the_times_of_the_hardware() {
        let fill = "[fill]\nrw=write\nbs=16k\nsize=1536k\niodepth=1\nend_fsync=1\n";
        let write = "[job]\nrw=write\nbs=128k\nsize=1536k\niodepth=8\nend_fsync=1\n".to_owned();
        let read = format!(
            "{fill}[job]\nstonewall\nrw=randread\nbs=16k\nsize=1536k\niodepth=1\nio_size=512k\n"
        );
        let set = [("ftl.buffer_kib".to_owned(), "768".to_owned())];
        let board = Board::resolve("firmament-rtl-tlc", &set).expect("a board");
        let mut beyond = Vec::new();
        let percents = [1.0, 1.0, 1.0, 5.0, 2.0, 2.0];
        for (jobs, direction) in [(write, Direction::Write), (read, Direction::Read)] {
            let Both { hardware, simulated } = both(&board, &jobs, 1).expect("they run");
            let [hardware, simulated] = [hardware, simulated]
                .map(|ran| ran.figures(direction).expect("it went there").each());
            for (((name, hardware, _), (_, simulated, _)), most) in
                hardware.into_iter().zip(simulated).zip(percents)
            {
                let line = format!("{direction:?}: {name}: {hardware:.3} / {simulated:.3}");
                println!("{line}");
                if (simulated - hardware).abs() > hardware * most / 100.0 {
                    beyond.push(line);
                }
            }
        }
        assert!(beyond.is_empty(), "{beyond:#?}");
    }

    /// A word line that fails is programmed again, from its first flash page on, in another block. The block that fails does
    /// not make the one after it fail.
    #[test]
    fn a_word_line_that_fails_is_programmed_again_in_hardware() {
        let failing = [
            ("errors.program_failures_per_billion", "100000000"),
            ("ftl.spare_blocks_per_way", "12"),
        ];
        let board = board(&[TLC, &failing]);
        let jobs = "[global]\nbs=16k\niodepth=8\nsize=2m\n\
            [write]\nrw=randwrite\nend_fsync=1\n[read]\nstonewall\nrw=randread\n";
        let drive = run_in_hardware(&board, jobs);
        println!("bad blocks {}, programmed {}", drive.bad_blocks, drive.pages_programmed);
        assert!((1..=12).contains(&drive.bad_blocks), "{}", drive.bad_blocks);
        assert_eq!(drive.uncorrectable_reads, 0);
    }
}
