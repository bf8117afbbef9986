//! What capacitors are enough for, by hand and as the board works it out.

use board::Board;
use contract::{Duration, Reserve};

fn with(capacitor: u64, more: &[(&str, &str)]) -> Result<Board, String> {
    let own = [("power_loss.capacitor_millijoules".to_owned(), capacitor.to_string())];
    let more = more.iter().map(|&(key, value)| (key.to_owned(), value.to_owned()));
    let values: Vec<_> = own.into_iter().chain(more).collect();
    Board::resolve("cosmos-plus-log", &values).map_err(|error| error.to_string())
}

/// The example of docs/design/durability.md.
#[test]
fn a_capacitor_is_enough_for_what_its_energy_says() {
    let board = with(300, &[]).expect("a board");
    let reserve: Reserve = board.firmware.reserve.expect("a capacitor");
    let geometry = &board.firmware.geometry;
    let costs = reserve.costs;
    let joules = |pj: u64| pj as f64 * 1e-12;
    // 5 W and 64 dies at 165 mW for the longest erase: 5 ms, and 106 us of deviations.
    let begun = (5.0 + 64.0 * 0.165) * 5.106e-3;
    assert!((joules(costs.begun_pj(geometry)) - begun).abs() < 1e-6);
    // A page: 512 us of a die, 18,048 bytes at 825 pJ; and 5 W for its row's time over all 64 dies.
    let page_bytes = 16_384.0 + 1664.0;
    let transfer = page_bytes / 200e6 + 2.5e-6 + 1e-6;
    let each = 0.165 * 512e-6 + page_bytes * 825e-12;
    let row = 5.0 * (512e-6 + 8.0 * transfer);
    let pages = |pages: f64| (pages / 64.0).ceil() * row + pages * each;
    let most = board.firmware.buffer_entries;
    let data = reserve.data_pages(most, geometry);
    println!("300 mJ, 20 % kept back: {data} pages of {most} in the buffer");
    println!("  what had begun: {:.1} mJ", begun * 1e3);
    println!("  a page: {:.1} uJ, a row of 64: {:.2} mJ", each * 1e6, row * 1e3);
    println!("  all: {:.1} of 240 mJ", (begun + pages(f64::from(data) + 67.0)) * 1e3);
    assert!(begun + pages(f64::from(data) + 67.0) <= 0.24);
    let one_more = begun + pages(f64::from(data) + 68.0);
    assert!(data == most || one_more > 0.24, "{data} of {most}");
    for capacitor in [150, 200, 300, 600, 1200] {
        let board = with(capacitor, &[]).expect("a board");
        let reserve = board.firmware.reserve.expect("a capacitor");
        let data = reserve.data_pages(u32::MAX - 1, geometry);
        println!("{capacitor} mJ: {data} pages, {} blocks a way", reserve.blocks_per_way);
    }
}

/// Chips that may hang cost a way, or a channel, and what it had been given.
#[test]
fn a_chip_that_may_hang_is_counted() {
    const TIMEOUT: (&str, &str) = ("channel.busy_timeout_us", "20000");
    const CONTROLLER: (&str, &str) = ("channel.scheduler", "controller");
    const ORDERED: [(&str, &str); 3] = [TIMEOUT, CONTROLLER, ("channel.execution", "in-order")];
    let of = |name: &str, more: &[(&str, &str)]| {
        let board = with(300, more).expect("a board");
        let geometry = &board.firmware.geometry;
        let reserve = board.firmware.reserve.expect("a capacitor");
        let costs = reserve.costs;
        let data = reserve.data_pages(u32::MAX - 1, geometry);
        let counted = costs.ways(geometry);
        println!(
            "300 mJ, {name}: {data} pages over {counted} ways, {} beside",
            costs.pages_beside(geometry)
        );
        (data, counted, costs.pages_beside(geometry) - 67, costs)
    };
    let (without, all, none, _) = of("chips do not hang", &[]);
    assert_eq!((all, none), (64, 0));
    let (with_one, ways, again, costs) = of("one may, firmware schedules", &[TIMEOUT]);
    assert_eq!((ways, again), (63, 2));
    assert!(with_one < without);
    // By hand: 5.165 W for its rows, of which three are for its own pages and the journal's.
    let page_bytes = 16_384.0 + 1664.0;
    let each = 0.165 * 512e-6 + page_bytes * 825e-12;
    let row = 512e-6 + 8.0 * (page_bytes / 200e6 + 2.5e-6 + 1e-6);
    let geometry = with(300, &[]).expect("a board").firmware.geometry;
    let by_hand = 5.165 * row * (2.0 + 3.0) + 100.0 * each;
    assert!((costs.pages_pj(100, &geometry) as f64 * 1e-12 - by_hand).abs() < 1e-6);
    let free = [TIMEOUT, CONTROLLER, ("channel.execution", "out-of-order")];
    assert_eq!(of("one may, channels schedule freely", &free).1, 63);
    assert_eq!(of("one may, channels keep an order", &ORDERED).1, 56);
    let one_channel = [&ORDERED[..], &[("geometry.channels", "1")]].concat();
    let refused = with(3000, &one_channel).expect_err("no other way");
    assert!(refused.contains("a chip that hangs leaves no other way to save to"), "{refused}");
}

/// Units of a page that is saved were planned at different times, and its metadata say when.
#[test]
fn small_units_need_room_for_when_they_were_planned() {
    let quarters = |bytes| [("ftl.mapping_unit_bytes", "4096"), ("flash.metadata_bytes", bytes)];
    let refused = with(300, &quarters("50")).expect_err("too little room");
    assert!(refused.contains("flash.metadata_bytes: found 50, expected at least 52"), "{refused}");
    let board = with(300, &quarters("52")).expect("a board");
    let (config, whole) = (&board.firmware, with(300, &[]).expect("a board").firmware);
    assert_eq!(config.buffer_entries, 4 * whole.buffer_entries);
    assert_eq!(config.reserve, whole.reserve, "energy and area are by pages");
}

#[test]
fn too_small_a_capacitor_and_one_without_a_log_are_refused() {
    let small = with(20, &[]).expect_err("hardly anything");
    assert!(
        small.contains("power_loss.capacitor_millijoules") && small.contains("at least"),
        "{small}"
    );
    let least: u64 = small
        .split("at least ")
        .nth(1)
        .and_then(|rest| rest.split(',').next())
        .and_then(|text| text.parse().ok())
        .expect("a number");
    assert!(with(least, &[]).is_ok() && with(least - 1, &[]).is_err(), "{small}");
    let without = with(300, &[("recovery.log_entries", "0")]).expect_err("no log");
    assert!(without.contains("without a log"), "{without}");
}

#[test]
fn a_word_line_costs_all_its_passes_and_what_lies_between_its_pages() {
    let chips = [
        ("flash.cell_mode", "qlc"),
        ("flash.cell_bits", "4"),
        ("flash.program", "two-pass"),
        ("flash.metadata_bytes", "84"),
        ("flash.t_program_coarse_us", "1000"),
        ("flash.t_program_fine_us", "3000"),
        ("flash.program_deviation_us", "50"),
        ("flash.die_deviation_us", "5"),
        ("flash.t_plane_busy_us", "2"),
    ];
    let costs = with(20_000, &chips).expect("a board").firmware.reserve.expect("a capacitor").costs;
    // Of four pages in each of two passes three are followed by others.
    assert_eq!(costs.program, Duration::from_us(1_000 + 3_000 + 2 * (50 + 5) + 6 * 2));
}
