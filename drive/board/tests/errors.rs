//! What a user can get wrong, and the one line that each mistake is answered with.

use std::fs;
use std::path::PathBuf;

use board::Board;

/// The error of a board that must not resolve.
fn refusal(board: Result<Board, board::BoardError>) -> String {
    let line = board.expect_err("the board is wrong").to_string();
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn wrong_overrides_are_named_with_what_would_be_right() {
    #[rustfmt::skip]
    let cases = [
        ("geometry.channels", "0", "--set: geometry.channels: found 0, expected a whole number from 1 to 64"),
        ("geometry.channels", "65", "--set: geometry.channels: found 65, expected a whole number from 1 to 64"),
        ("geometry.ways", "-1", "--set: geometry.ways: found -1, expected a whole number from 1 to 64"),
        ("geometry.ways", "4.5", "--set: geometry.ways: found 4.5, expected a whole number from 1 to 64"),
        ("geometry.ways", "", "--set: geometry.ways: found \"\", expected a whole number from 1 to 64"),
        ("geometry.ways", "four\n", "--set: geometry.ways: found \"four\\n\", expected a whole number from 1 to 64"),
        ("geometry.page_bytes", "12288", "--set: geometry.page_bytes: found 12288, expected a power of two from 4096 to 65536"),
        ("geometry.page_bytes", "65536", "--set: geometry.page_bytes: found 65536, expected flash.spare_bytes beside it, as 1664 spare bytes belong to a page of 16384"),
        ("geometry.blocks_per_way", "16777216", "--set: geometry.blocks_per_way: found 16777216, expected at most 524287, so that all pages count in 32 bits"),
        ("geometry.blocks_per_way", "66", "--set: geometry.blocks_per_way: found 66, expected at least 67, for spares, reserve and data"),
        ("flash.cell_mode", "tlc", "--set: flash.cell_mode: found \"tlc\", expected cells of at most 2 bits, which is flash.cell_bits"),
        ("flash.pairing", "diagonal", "--set: flash.pairing: found \"diagonal\", expected one of adjacent, shifted"),
        ("flash.cell_mode", "plc", "--set: flash.cell_mode: found \"plc\", expected one of slc, mlc, tlc, qlc"),
        ("flash.pages_per_physical_block", "3", "--set: flash.pages_per_physical_block: found 3, expected a multiple of flash.cell_bits, which is 2, as a word line has as many pages"),
        ("flash.metadata_bytes", "22", "--set: flash.metadata_bytes: found 22, expected a whole number from 24 to 254"),
        ("flash.metadata_bytes", "25", "--set: flash.metadata_bytes: found 25, expected an even number up to 254, no more than a chunk and what 65 code words leave of 1664 spare bytes"),
        ("flash.t_erase_us", "abc", "--set: flash.t_erase_us: found \"abc\", expected a number of us above 0, at most 1000000"),
        ("flash.t_erase_us", "0", "--set: flash.t_erase_us: found 0, expected a number of us above 0, at most 1000000"),
        ("flash.t_erase_us", "nan", "--set: flash.t_erase_us: found nan, expected a number of us above 0, at most 1000000"),
        ("flash.t_erase_us", "inf", "--set: flash.t_erase_us: found inf, expected a number of us above 0, at most 1000000"),
        ("flash.read_deviation_us", "93", "--set: flash.read_deviation_us: found 93, expected with flash.die_deviation_us less than flash.t_read_slc_us"),
        ("flash.die_deviation_us", "-0.1", "--set: flash.die_deviation_us: found -0.1, expected a number of us from 0 to 1000000"),
        ("channel.clock_mhz", "0", "--set: channel.clock_mhz: found 0, expected a whole number from 1 to 10000"),
        ("channel.bus_bandwidth_mb_s", "0", "--set: channel.bus_bandwidth_mb_s: found 0, expected a number of MB/s from 1 to 1000000"),
        ("channel.read_unit_bytes", "65537", "--set: channel.read_unit_bytes: found 65537, expected a whole number from 0 to 65536"),
        ("channel.read_unit_bytes", "128", "--set: channel.read_unit_bytes: found 128, expected 0 for whole pages, or a power of two from 256 to geometry.page_bytes, which is 16384: whole chunks of ecc.chunk_bytes, at most 64 units a page"),
        ("ftl.map_cache_bytes", "1000000", "boards/cosmos-plus.toml: recovery.log_entries: found 0, expected at least 4, as ftl.map_cache_bytes is above 0: parts of the map are pages of the log"),
        ("ftl.mapping_unit_bytes", "2048", "--set: ftl.mapping_unit_bytes: found 2048, expected 0 for the page, or a power of two from 4096 to geometry.page_bytes, which is 16384"),
        ("ftl.mapping_unit_bytes", "6144", "--set: ftl.mapping_unit_bytes: found 6144, expected 0 for the page, or a power of two from 4096 to geometry.page_bytes, which is 16384"),
        ("ftl.mapping_unit_bytes", "32768", "--set: ftl.mapping_unit_bytes: found 32768, expected 0 for the page, or a power of two from 4096 to geometry.page_bytes, which is 16384"),
        ("ftl.mapping_unit_bytes", "4096", "boards/cosmos-plus.toml: flash.metadata_bytes: found 24, expected at least 36, for the 4 mapping units that are programmed together"),
        ("channel.read_unit_bytes", "6144", "--set: channel.read_unit_bytes: found 6144, expected 0 for whole pages, or a power of two from 256 to geometry.page_bytes, which is 16384: whole chunks of ecc.chunk_bytes, at most 64 units a page"),
        ("ecc.correctable_bits", "18", "boards/cosmos-plus.toml: flash.spare_bytes: found 1664, expected at least 1728, the parity of 64 chunks"),
        ("processor.register_read_ns", "2e9", "--set: processor.register_read_ns: found 2000000000.0, expected a number of ns from 0 to 1000000000"),
        ("namespace.count", "0", "--set: namespace.count: found 0, expected a whole number from 1 to 16"),
        ("namespace.count", "17", "--set: namespace.count: found 17, expected a whole number from 1 to 16"),
        ("namespace.block_bytes", "1024", "--set: namespace.block_bytes: found 1024, expected one of namespace.block_formats_bytes"),
        ("namespace.block_formats_bytes", "512,512", "--set: namespace.block_formats_bytes: found [512, 512], expected a list of different sizes out of 512, 4096"),
        ("namespace.block_formats_bytes", "", "--set: namespace.block_formats_bytes: found [\"\"], expected a list of different sizes out of 512, 4096"),
        ("nvme.command_slots", "4097", "--set: nvme.command_slots: found 4097, expected a whole number from 8 to 4096"),
        ("nvme.io_queues", "65536", "--set: nvme.io_queues: found 65536, expected a whole number from 1 to 65535"),
        ("ftl.buffer_kib", "255", "--set: ftl.buffer_kib: found 255, expected at least 256, for 16 pages"),
        ("ftl.spare_blocks_per_way", "8190", "boards/cosmos-plus.toml: geometry.blocks_per_way: found 8192, expected at least 8193, for spares, reserve and data"),
        ("ftl.spare_blocks_per_way", "8", "boards/cosmos-plus.toml: errors.factory_bad_blocks_per_million: found 2000, expected at most 488, half the share of ftl.spare_blocks_per_way"),
        ("flash.t_raed_slc_us", "9", "--set: flash.t_raed_slc_us: found an unknown key, expected one such as flash.t_read_slc_us"),
        ("ways", "9", "--set: ways: found an unknown key, expected one such as geometry.ways"),
        ("processor.command_registers", "0", "--set: processor.command_registers: found 0, expected a whole number from 1 to 64"),
        ("processor.cycles_per_100_instructions", "0", "--set: processor.cycles_per_100_instructions: found 0, expected a whole number from 1 to 100000"),
        ("work_instructions.lop", "9", "--set: work_instructions.lop: found an unknown key, expected one such as work_instructions.loop"),
        ("geometry", "9", "--set: geometry: found an unknown key, expected one such as geometry.ways"),
    ];
    for (key, value, line) in cases {
        let overrides = [(key.to_owned(), value.to_owned())];
        assert_eq!(refusal(Board::resolve("cosmos-plus", &overrides)), line);
    }
}

/// A drive that looks at all of its blocks is ready within CAP.TO.
#[test]
fn a_scan_takes_no_longer_than_hosts_wait() {
    let set = |blocks: &str| {
        let keys = [
            ("ftl.bad_blocks", "scan"),
            ("ftl.spare_blocks_per_way", "256"),
            ("geometry.blocks_per_way", blocks),
        ];
        let keys = keys.map(|(key, value)| (key.to_owned(), value.to_owned()));
        Board::resolve("cosmos-plus", &keys)
    };
    assert!(set("8192").is_ok());
    assert_eq!(refusal(set("32768")), "--set: ftl.bad_blocks: found \"scan\", expected table, as 262144 blocks a channel may take 55768 ms, and hosts wait for 30000 ms");
}

/// Virtual time is 64 bits of picoseconds, and a step of the firmware may be done thousands of times
/// in a turn.
#[test]
fn work_takes_no_longer_than_a_second() {
    let cycles = ("processor.cycles_per_100_instructions".to_owned(), "200".to_owned());
    let with = |instructions: &str| {
        let work = ("work_instructions.loop".to_owned(), instructions.to_owned());
        Board::resolve("cosmos-plus", &[cycles.clone(), work])
    };
    assert!(with("500000000").is_ok());
    let line = "--set: work_instructions.loop: found 500000001, expected at most 500000000, a second at processor.clock_mhz";
    assert_eq!(refusal(with("500000001")), line);
}

#[test]
fn wrong_files_are_named_with_key_and_what_would_be_right() {
    #[rustfmt::skip]
    let cases = [
        ("", "my.toml: description: found nothing, expected a text"),
        ("description = \"mine\"", "my.toml: storage.medium: found nothing, expected one of flash, memory"),
        ("description = 3", "my.toml: description: found 3, expected a text"),
        ("inherits = 3", "my.toml: inherits: found 3, expected a text"),
        ("inherits = \"smal\"", "my.toml: inherits: found \"smal\", expected a built-in board such as small, or a file beside this one"),
        ("geometry = 3", "my.toml: geometry: found 3, expected a section"),
        ("geometry = []", "my.toml: geometry: found [], expected a section"),
        ("[geometry]\nways = true", "my.toml: geometry.ways: found true, expected a whole number from 1 to 64"),
        ("[geometry]\nways = \"4\"", "my.toml: geometry.ways: found \"4\", expected a whole number from 1 to 64"),
        ("[geometry]\nways = [{ a = 1 }, 2]", "my.toml: geometry.ways: found [a table, 2], expected a whole number from 1 to 64"),
        ("[geometry]\nways = { value = 65, source = \"x\", role = \"given\" }", "my.toml: geometry.ways: found 65, expected a whole number from 1 to 64"),
        ("[geometry]\nways = { value = 4 }", "my.toml: geometry.ways: found a table without \"source\", expected { value, source, role }, or the value alone"),
        ("[geometry]\nways = { value = 4, source = \"x\", rule = \"given\" }", "my.toml: geometry.ways: found a table with \"rule\", expected { value, source, role }, or the value alone"),
        ("[geometry]\nways = { value = 4, source = \" \", role = \"given\" }", "my.toml: geometry.ways: found source \" \", expected a source in words"),
        ("[geometry]\nways = { value = 4, source = \"x\", role = \"guessed\" }", "my.toml: geometry.ways: found role \"guessed\", expected one of given, measured, calibrated, assumed"),
        ("[flsh]\nt_erase_us = 3", "my.toml: flsh.t_erase_us: found an unknown key, expected one such as flash.t_erase_us"),
        ("[geometrie]", "my.toml: geometrie: found an unknown key, expected one such as geometry.ways"),
        ("way = { value = 4 }", "my.toml: way: found an unknown key, expected one such as geometry.ways"),
        ("[flash]\nt_erase_ms = 5", "my.toml: flash.t_erase_ms: found an unknown key, expected one such as flash.t_erase_us"),
        ("[flash]\n\"t_erase\\nus\" = 5", "my.toml: flash.t_erase\\nus: found an unknown key, expected one such as flash.t_erase_us"),
    ];
    for (text, line) in cases {
        assert_eq!(refusal(Board::parse("my.toml", text)), line, "{text}");
    }
}

/// Parity of the data comes first in the spare area, then the code word of the metadata.
#[test]
fn metadata_fit_behind_the_code_words() {
    let set = |bytes: &str| {
        Board::resolve("ozone", &[("flash.metadata_bytes".to_owned(), bytes.to_owned())])
    };
    assert!(set("38").is_ok());
    let line = "--set: flash.metadata_bytes: found 40, expected an even number up to 38, no more than a chunk and what 9 code words leave of 128 spare bytes";
    assert_eq!(refusal(set("40")), line);
}

/// Word lines are spread over those around them, of which there have to be some.
#[test]
fn a_block_with_shifted_pairing_has_word_lines_to_shift() {
    let set = |pages: &str| {
        let cells = [("cell_mode", "tlc"), ("cell_bits", "3"), ("pairing", "shifted")];
        let all = cells.into_iter().chain([("pages_per_physical_block", pages)]);
        let named = |(key, value): (&str, &str)| (format!("flash.{key}"), value.to_owned());
        Board::resolve("cosmos-plus", &all.map(named).collect::<Vec<_>>())
    };
    assert!(set("6").is_ok());
    let line = "--set: flash.pages_per_physical_block: found 3, expected at least 6, as flash.pairing is shifted";
    assert_eq!(refusal(set("3")), line);
}

/// A page of another size needs its own spare area, in a file as on the command line.
#[test]
fn a_page_of_another_size_states_its_spare_bytes() {
    let set = |values: &[(&str, &str)]| {
        let owned = |(key, value): &(&str, &str)| (key.to_string(), value.to_string());
        let overrides: Vec<_> = values.iter().map(owned).collect();
        Board::resolve("cosmos-plus", &overrides)
    };
    let page = ("geometry.page_bytes", "4096");
    let line = "--set: geometry.page_bytes: found 4096, expected flash.spare_bytes beside it, as 1664 spare bytes belong to a page of 16384";
    assert_eq!(refusal(set(&[page])), line);
    assert!(set(&[page, ("flash.spare_bytes", "416")]).is_ok());
    assert!(set(&[("flash.spare_bytes", "416"), page]).is_ok());
    assert!(set(&[("flash.spare_bytes", "2000")]).is_ok());
    assert!(set(&[("geometry.page_bytes", "16384")]).is_ok());
    let file = |text: &str| Board::parse("my.toml", &format!("inherits = \"cosmos-plus\"\n{text}"));
    let line = "my.toml: geometry.page_bytes: found 8192, expected flash.spare_bytes beside it, as 1664 spare bytes belong to a page of 16384";
    assert_eq!(refusal(file("[geometry]\npage_bytes = 8192\n")), line);
    assert!(file("[geometry]\npage_bytes = 8192\n[flash]\nspare_bytes = 832\n").is_ok());
}

#[test]
fn what_is_not_toml_is_named_with_its_line() {
    for (text, line) in [("a = 1\nb = \n", 2), ("[geometry]\nways = 1\nways = 2", 3), ("\n[", 2)] {
        let message = refusal(Board::parse("my.toml", text));
        assert!(
            message.starts_with(&format!("my.toml: line {line}: found a fault (")),
            "{message}"
        );
        assert!(message.ends_with("), expected TOML"), "{message}");
    }
    let deep = format!("a = {}", "[".repeat(100_000));
    assert!(refusal(Board::parse("my.toml", &deep)).starts_with("my.toml: line 1: found a fault"));
    let nested = format!("{}b = 1", "a.".repeat(100_000));
    assert!(refusal(Board::parse("my.toml", &nested)).starts_with("my.toml: line 1: found a fault"));
}

#[test]
fn boards_that_are_not_there_are_named() {
    let unknown = "cosmos+: found no board of this name, expected one such as cosmos-plus, or a \
                   path that ends in .toml";
    assert_eq!(refusal(Board::resolve("cosmos+", &[])), unknown);
    let missing = refusal(Board::resolve("./not-there.toml", &[]));
    assert!(missing.starts_with("./not-there.toml: found No such file"), "{missing}");
    assert!(missing.ends_with(", expected a board file"), "{missing}");
    let line_break = refusal(Board::resolve("a\nb.toml", &[]));
    assert!(line_break.starts_with("a\\nb.toml: found "), "{line_break}");
}

#[test]
fn loops_and_endless_files_end_in_an_error() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("loops");
    fs::create_dir_all(&directory).unwrap();
    let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
    write("own.toml", "inherits = \"./own.toml\"");
    write("one.toml", "inherits = \"two\"");
    write("two.toml", "inherits = \"./../loops/one.toml\"");
    write("long.toml", &"#\n".repeat(1 << 20));
    for (file, blamed, found) in
        [("own.toml", "own.toml", "./own.toml"), ("one.toml", "two.toml", "./../loops/one.toml")]
    {
        let path = directory.join(file);
        let line = refusal(Board::resolve(path.to_str().unwrap(), &[]));
        let end = format!(
            "{blamed}: inherits: found {found:?}, which leads back here, expected a chain that ends"
        );
        assert!(line.ends_with(&end), "{line}");
    }
    let long = refusal(Board::resolve(directory.join("long.toml").to_str().unwrap(), &[]));
    assert!(long.ends_with("long.toml: found more than 1 MiB, expected a board file"), "{long}");
}

/// Every job is one core's, and what only one core can do is refused on several.
#[test]
fn every_job_is_given_to_one_core() {
    let apart = ("processor.cores", "host; ftl; channels");
    let rows: [(&[(&str, &str)], &str); 12] = [
        (&[("processor.cores", "host; channels")], "a core for each job, and ftl has none"),
        (&[("processor.cores", "ftl; channels")], "a core for each job, and host has none"),
        (&[("processor.cores", "host, ftl; channels 0-6")], "a core for each job, and channel 7 has none"),
        (&[("processor.cores", "host, ftl; channels; channels 3")], "one core for each job, and \"channels 3\" has two"),
        (&[("processor.cores", "host, host, ftl, channels")], "one core for each job, and \"host\" has two"),
        (&[("processor.cores", "host, ftl; channels 0-8")], "host, ftl, channels, channels 0-3, or channels 0 instead of \"channels 0-8\", of channels up to 7"),
        (&[("processor.cores", "host, ftl; channels 5-2")], "host, ftl, channels, channels 0-3, or channels 0 instead of \"channels 5-2\", of channels up to 7"),
        (&[("processor.cores", "host, ftl; ; channels")], "host, ftl, channels, channels 0-3, or channels 0 instead of \"\", of channels up to 7"),
        (&[apart], "firmware, as processor.cores has host and ftl on two cores"),
        (&[apart, ("channel.scheduler", "controller")], "one core, as channel.scheduler is controller"),
        (&[apart, ("storage.medium", "memory")], "one core, as storage.medium is memory"),
        (&[("processor.cores", "host, ftl; channels"), ("recovery.log_entries", "64"), ("power_loss.capacitor_millijoules", "150")], "one core, as power_loss.capacitor_millijoules is above 0"),
    ];
    for (values, expected) in rows {
        let values: Vec<_> =
            values.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let refusal = refusal(Board::resolve("cosmos-plus", &values));
        let start = ["--set: processor.cores: found [", "cosmos-plus.toml: host.completer: found "];
        assert!(start.iter().any(|start| refusal.contains(start)), "{values:?}: {refusal}");
        assert!(refusal.ends_with(&format!("expected {expected}")), "{values:?}: {refusal}");
    }
    let several = "host; ftl, channels 0; channels 1-7";
    let values = [("processor.cores", several), ("host.completer", "firmware")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
    let cores = Board::resolve("cosmos-plus", &values).expect("a board").cores;
    assert_eq!((cores.count, cores.host, cores.ftl), (3, 0, 1));
    assert_eq!(cores.channels[..8], [1, 2, 2, 2, 2, 2, 2, 2]);
}

#[test]
fn chunks_go_with_no_log_no_scan_no_memory_and_as_many_blocks_as_a_page_can_name() {
    let open_channel = ("nvme.command_set", "open-channel");
    for (set, line) in [
        (("recovery.log_entries", "8"), "expected block, as recovery.log_entries is above 0"),
        (("ftl.bad_blocks", "scan"), "expected block, as ftl.bad_blocks is scan"),
        (("storage.medium", "memory"), "expected block, as storage.medium is memory"),
        (("ftl.mapping_unit_bytes", "8192"), "expected 0, or namespace.block_bytes, 4096"),
        (("namespace.block_bytes", "512"), "of which a page of 16384 bytes holds 1 to 16"),
        (
            ("processor.cores", "host, ftl; channels"),
            "expected one core, as nvme.command_set is open-channel",
        ),
        (("namespace.count", "2"), "expected at most 1, as nvme.command_set is open-channel"),
        (("flash.metadata_bytes", "34"), "expected at least 36, for the 4 blocks of a page"),
    ] {
        let metadata = ("flash.metadata_bytes", "36");
        let all = [open_channel, metadata, set].map(|(key, value)| (key.into(), value.into()));
        let error = board::Board::resolve("small", &all).expect_err(line).to_string();
        assert!(error.contains(line), "{error}");
    }
    let fits = [open_channel, ("flash.metadata_bytes", "36"), ("ftl.mapping_unit_bytes", "4096")];
    let fits = fits.map(|(key, value)| (key.into(), value.into()));
    let board = board::Board::resolve("small", &fits).expect("a board");
    assert_eq!((board.firmware.unit_bytes, board.firmware.block_formats), (4096, [4096, 0, 0, 0]));
    assert_eq!(u64::from(board.firmware.logical_pages), board.firmware.geometry.pages());
}

#[test]
fn zones_fit_into_the_flash_and_into_the_buffer() {
    let plain = [
        ("nvme.command_set", "zoned"),
        ("flash.metadata_bytes", "36"),
        ("zones.channels", "2"),
        ("zones.ways", "1"),
        ("zones.open", "3"),
        ("zones.active", "5"),
    ];
    let resolve = |set: &[(&str, &str)]| {
        let all = plain.iter().chain(set).map(|&(key, value)| (key.into(), value.into()));
        board::Board::resolve("small", &all.collect::<Vec<_>>())
    };
    for (set, line) in [
        (
            ("zones.channels", "3"),
            "zones.channels: found 3, expected a divisor of geometry.channels, 2",
        ),
        (("zones.ways", "4"), "zones.ways: found 4, expected a divisor of geometry.ways, 2"),
        (("zones.open", "6"), "zones.open: found 6, expected at most zones.active, 5"),
        (
            ("zones.active", "33"),
            "zones.active: found 33, expected at most 32: a page of each in half of ftl.buffer_kib",
        ),
        (
            ("zones.active", "31"),
            "zones.active: found 31, expected at most 30, so that a log block holds a page of each",
        ),
        (("geometry.blocks_per_way", "4"), "expected at least 6, for spares, the log and a zone"),
        (("recovery.log_entries", "8"), "expected block, as recovery.log_entries is above 0"),
        (("storage.medium", "memory"), "expected block, as storage.medium is memory"),
        (
            ("processor.cores", "host, ftl; channels"),
            "expected one core, as nvme.command_set is zoned",
        ),
        (("namespace.count", "2"), "expected at most 1, as nvme.command_set is zoned"),
        (("flash.metadata_bytes", "34"), "expected at least 36, for the 4 blocks of a page"),
        (("namespace.block_bytes", "512"), "as nvme.command_set is zoned"),
    ] {
        let error = resolve(&[set]).expect_err(line).to_string();
        assert!(error.contains(line), "{error}");
    }
    let board = resolve(&[]).expect("a board");
    let zoning = board.firmware.zoning.expect("zones");
    assert_eq!((zoning.zones_per_set, board.firmware.logical_pages), (27, 27 * 4 * 32));
    let unstated = [("nvme.command_set", "zoned")].map(|(key, value)| (key.into(), value.into()));
    let error = board::Board::resolve("small", &unstated).expect_err("no zones").to_string();
    assert!(error.contains("expected block, as there is no section [zones]"), "{error}");
}

#[test]
fn chips_suspend_where_the_firmware_schedules_and_nothing_else_breaks_in() {
    let rows: [(&[(&str, &str)], &str); 3] = [
        (
            &[
                ("flash.suspends", "2"),
                ("recovery.log_entries", "64"),
                ("power_loss.capacitor_millijoules", "150"),
            ],
            "power_loss.capacitor_millijoules: found 150, expected 0, as flash.suspends is not",
        ),
        (
            &[
                ("flash.suspends", "2"),
                ("channel.busy_timeout_us", "20000"),
                ("errors.hangs_per_billion", "9"),
            ],
            "errors.hangs_per_billion: found 9, expected 0, as flash.suspends is not",
        ),
        (
            &[("flash.suspends", "2"), ("channel.scheduler", "controller")],
            "flash.suspends: found 2, expected 0, as channel.scheduler is controller",
        ),
    ];
    for (values, expected) in rows {
        let values: Vec<_> =
            values.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let refusal = refusal(Board::resolve("cosmos-plus", &values));
        assert!(refusal.ends_with(expected), "{values:?}: {refusal}");
    }
}
