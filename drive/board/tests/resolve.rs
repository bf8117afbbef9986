//! Boards from outside: the shipped ones, inheritance, overrides, printing.

use std::fs;
use std::path::PathBuf;

use board::{Board, CellMode, GuestCpu};
use contract::{CachePolicy, Duration, PlacementPolicy, Work};

fn set(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

fn resolve(name: &str) -> Board {
    Board::resolve(name, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// A fresh directory with these files in it.
fn directory(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&directory).unwrap();
    for (file, text) in files {
        fs::write(directory.join(file), text).unwrap();
    }
    directory
}

#[test]
fn shipped_boards_resolve_and_give_a_source_for_every_number_of_hardware() {
    for name in board::names() {
        let board = resolve(name);
        assert_eq!(board.name, name);
        assert!(!board.description.is_empty(), "{name}");
        assert_eq!(board.unsourced(), Vec::<&str>::new(), "{name}");
    }
}

#[test]
fn a_bare_number_in_a_file_is_reported_as_unsourced() {
    let text = "inherits = \"small\"\n[flash]\nt_erase_us = 4000\n[ftl]\nbuffer_kib = 512";
    let board = Board::parse("mine.toml", text).unwrap();
    assert_eq!(board.unsourced(), ["flash.t_erase_us"]);
}

/// Who leaves the processor of a Linux out has none, and is the board that it was; who states it states all of it.
#[test]
fn the_processor_of_a_guest_is_stated_as_a_whole_or_not_at_all() {
    let plain = resolve("small");
    assert_eq!((plain.guest_cpu, plain.value("guest_cpu.wake_ns")), (None, None));
    assert!(!plain.to_toml().contains("guest_cpu") && plain.unsourced().is_empty());
    let text = "inherits = \"small\"\ndescription = \"d\"\n[guest_cpu]\nissue_ns = 900\n";
    let error = Board::parse("mine.toml", text).unwrap_err().to_string();
    let expected = "mine.toml: guest_cpu.complete_ns: found nothing, expected a whole number from 0 to 1000000";
    assert_eq!(error, expected);
    let whole = format!("{text}complete_ns = 1200\nswitch_ns = 0\nwake_ns = {{ value = 300, source = \"s\", role = \"calibrated\" }}");
    let board = Board::parse("mine.toml", &whole).unwrap();
    let cpu = GuestCpu { issue_ns: 900, complete_ns: 1200, switch_ns: 0, wake_ns: 300 };
    assert_eq!(board.guest_cpu, Some(cpu));
    assert_ne!(board.sha256(), plain.sha256());
    let unsourced = ["guest_cpu.issue_ns", "guest_cpu.complete_ns", "guest_cpu.switch_ns"];
    assert_eq!(board.unsourced(), unsourced);
    assert_eq!(Board::parse("mine.toml", &board.to_toml()).unwrap(), board);
}

#[test]
fn capacities_are_those_worked_out_by_hand() {
    // Blocks a way without spares and the two in reserve, times pages, dies, and 100/107.
    let cases = [
        ("cosmos-plus", (8192 - 64 - 2) * 128 * 64, 1 << 40, 62_213_263),
        ("cosmos-plus-mlc", (4096 - 64 - 2) * 256 * 64, 1 << 40, 61_707_962),
        ("small", (32 - 2 - 2) * 32 * 4, 64 << 20, 3_349),
    ];
    for (name, pages, raw_bytes, logical_pages) in cases {
        let firmware = resolve(name).firmware;
        let page_bytes = u64::from(firmware.geometry.page_bytes);
        assert_eq!(firmware.geometry.pages() * page_bytes, raw_bytes, "{name}");
        assert_eq!(u64::from(firmware.logical_pages), pages * 100 / 107, "{name}");
        assert_eq!(firmware.logical_pages, logical_pages, "{name}");
    }
}

#[test]
fn the_default_board_holds_what_the_paper_states() {
    let board = resolve("cosmos-plus");
    assert_eq!(board.flash.cell_mode, CellMode::Slc);
    assert_eq!(board.flash.read_times(), [Duration::from_us(99)]);
    assert_eq!(board.flash.program_times(), [Duration::from_us(486)]);
    assert_eq!(board.flash.t_erase, Duration::from_us(5_000));
    assert_eq!(board.channel.clock, Duration::from_ns(10));
    assert_eq!(board.channel.page_bus_bytes, 18_048);
    let page = u64::from(board.channel.page_bus_bytes);
    assert_eq!(board.channel.bus.time_of(page), Duration::from_ns(90_240));
    assert_eq!(board.channel.status_check, Duration::from_us(1));
    assert_eq!(board.memory.channel_bus.ps_per_kib(), 2_560_000);
    assert_eq!(board.processor.register_read, Duration::from_ns(153));
    let firmware = board.firmware;
    assert_eq!((firmware.buffer_entries, firmware.cache), (1_024, CachePolicy::WriteBack));
    assert_eq!((firmware.block_formats, firmware.block_format), ([4096, 512, 0, 0], 0));
    assert_eq!(firmware.max_transfer_bytes, 1 << 20);
}

#[test]
fn the_mlc_board_differs_from_its_parent_where_it_says_so() {
    let (slc, mlc) = (resolve("cosmos-plus"), resolve("cosmos-plus-mlc"));
    assert_eq!(mlc.flash.cell_mode, CellMode::Mlc);
    assert_eq!(mlc.flash.read_times(), [58, 90].map(Duration::from_us));
    assert_eq!(mlc.flash.program_times(), [481, 2_295].map(Duration::from_us));
    assert_eq!(mlc.firmware.geometry.pages_per_block, 256);
    assert_eq!(mlc.firmware.geometry.blocks_per_way, 4_096);
    assert_eq!((mlc.channel, mlc.ecc, mlc.memory), (slc.channel, slc.ecc, slc.memory));
    assert_eq!((mlc.host, mlc.processor), (slc.host, slc.processor));
}

#[test]
fn files_inherit_from_neighbours_and_built_in_boards_leaf_by_leaf() {
    let directory = directory(
        "chain",
        &[
            ("grand.toml", "inherits = \"small\"\ndescription = \"grand\"\ngeometry.ways = 4"),
            ("parent.toml", "inherits = \"grand\"\n[flash]\nt_erase_us = 3000\nrated_cycles = 7"),
            ("child.toml", "inherits = \"./parent.toml\"\n[flash]\nt_erase_us = 2000.5"),
        ],
    );
    let board = resolve(directory.join("child.toml").to_str().unwrap());
    assert_eq!((board.name.as_str(), board.description.as_str()), ("child", "grand"));
    assert_eq!(board.flash.t_erase, Duration::from_ns(2_000_500));
    assert_eq!(board.firmware.rated_cycles, 7);
    assert_eq!((board.firmware.geometry.channels, board.firmware.geometry.ways), (2, 4));
}

#[test]
fn a_file_may_be_named_as_the_built_in_board_that_it_inherits() {
    let text = "inherits = \"small\"\n[ftl]\nread_retries = 9";
    let directory = directory("namesake", &[("small.toml", text)]);
    let board = resolve(directory.join("small.toml").to_str().unwrap());
    assert_eq!((board.name.as_str(), board.firmware.read_retries), ("small", 9));
}

#[test]
fn overrides_reach_the_derived_form_and_later_ones_win() {
    let overrides = set(&[
        ("geometry.ways", "2"),
        ("flash.t_read_slc_us", "50"),
        ("ftl.placement", "random"),
        ("ftl.placement_seed", "12"),
        ("namespace.block_formats_bytes", "512, 4096"),
        ("flash.spare_bytes", "2000"),
        ("work_instructions.loop", "0"),
        ("work_instructions.decode", "1001"),
        ("processor.cycles_per_100_instructions", "150"),
        ("geometry.ways", "4"),
    ]);
    let board = Board::resolve("cosmos-plus", &overrides).unwrap();
    assert_eq!(board.firmware.geometry.ways, 4);
    assert_eq!(board.flash.read_times(), [Duration::from_us(50)]);
    assert_eq!(board.firmware.policies.placement, PlacementPolicy::Random.with([12]));
    assert_eq!((board.firmware.block_formats, board.firmware.block_format), ([512, 4096, 0, 0], 1));
    assert_eq!(board.channel.page_bus_bytes, 18_384);
    assert_eq!(board.processor.work_cycles[Work::Loop as usize], 0);
    assert_eq!(board.processor.work_cycles[Work::Decode as usize], 1_501);
}

#[test]
fn a_printed_board_reads_back_as_the_same_board() {
    let overrides = [
        set(&[]),
        set(&[("flash.t_erase_us", "4000.25"), ("host.arbitration", "weighted")]),
        set(&[("namespace.block_formats_bytes", "512"), ("namespace.block_bytes", "512")]),
    ];
    for name in board::names() {
        for overrides in &overrides {
            // A page of a drive with chunks or zones has no room for the names of so many blocks.
            let small_blocks = overrides.iter().any(|(key, _)| key == "namespace.block_bytes");
            let board = match Board::resolve(name, overrides) {
                Err(error) if small_blocks => {
                    let kinds = ["open-channel", "zoned"];
                    let is_of_kind = kinds.iter().any(|kind| error.to_string().contains(kind));
                    assert!(is_of_kind, "{name}: {error}");
                    continue;
                }
                board => board.unwrap(),
            };
            let printed = board.to_toml();
            let again = Board::parse(&format!("{name}.toml"), &printed).unwrap();
            assert_eq!(again, board, "{name} with {overrides:?}:\n{printed}");
        }
    }
}

#[test]
fn a_printed_board_tells_what_the_command_line_changed() {
    let overrides = set(&[("flash.t_erase_us", "4000"), ("ftl.cache", "write-through")]);
    let printed = Board::resolve("cosmos-plus", &overrides).unwrap().to_toml();
    for line in [
        "t_erase_us = { value = 4000, source = \"command line\", role = \"assumed\" }",
        "cache = { value = \"write-through\", source = \"command line\", role = \"assumed\" }",
        "t_read_slc_us = { value = 99, source = \"Cosmos+ Table 5\", role = \"given\" }",
        "cell_mode = \"slc\"",
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line} in\n{printed}");
    }
}

/// Out of order, and where channels schedule at all. A superblock is the least that is set aside.
#[test]
fn blocks_go_together_where_channels_join_planes() {
    let of = |pairs: &[(&str, &str)]| {
        let firmware = Board::resolve("ocowfc", &set(pairs)).unwrap().firmware;
        (firmware.joined_planes, firmware.logical_pages)
    };
    let pages = |blocks: u32| 16 * blocks * 512 / 107 * 100 + 16 * blocks * 512 % 107 * 100 / 107;
    assert_eq!(of(&[]), (2, pages(8192 - 64 - 4)));
    assert_eq!(of(&[("channel.merging", "planes")]), (2, pages(8192 - 64 - 4)));
    let four = [("flash.planes", "4"), ("ftl.spare_blocks_per_way", "61")];
    assert_eq!(of(&four), (4, pages(8192 - 64 - 8)));
    for alone in [
        ("channel.merging", "cache"),
        ("channel.merging", "none"),
        ("channel.execution", "decoupled"),
        ("flash.planes", "1"),
    ] {
        assert_eq!(of(&[alone]), (1, pages(8192 - 64 - 2)), "{alone:?}");
    }
    // Where the firmware schedules, it sees one plane of pages twice as large: 4,096 blocks, of which 64 are spares.
    let folded = [
        ("channel.scheduler", "firmware"),
        ("flash.metadata_bytes", "28"),
        ("ftl.spare_blocks_per_way", "128"),
    ];
    assert_eq!(of(&folded), (1, pages(4096 - 64 - 2)));
    let error = Board::resolve("ocowfc", &set(&[("geometry.blocks_per_way", "68")])).unwrap_err();
    let expected = "--set: geometry.blocks_per_way: found 68, expected at least 70, for spares, reserve and data";
    assert_eq!(error.to_string(), expected);
}
