//! Latencies: their means, bounds and kinds of pages.

use super::chips::{board, Chips, Page, DIES, PAGES, STAMPS};
use board::Board;
use contract::Duration;

/// Draws in picoseconds.
struct Sample(Vec<i64>);

impl Sample {
    const SIZE: usize = 4_000;

    fn of(draw: impl FnMut() -> Duration) -> Self {
        Self(std::iter::repeat_with(draw).take(Self::SIZE).map(|d| d.as_ps() as i64).collect())
    }

    fn mean(&self) -> i64 {
        self.0.iter().sum::<i64>() / Self::SIZE as i64
    }

    /// All lie within the deviation around a centre; the mean is at it.
    fn assert_around(&self, centre: i64, deviation: Duration) {
        let bound = deviation.as_ps() as i64;
        let widest = self.0.iter().map(|draw| (draw - centre).abs()).max();
        assert!(widest.is_some_and(|widest| widest <= bound && widest > bound / 2));
        // Five standard errors of a bell with deviation / sqrt(12).
        let error = 5.0 * bound as f64 / 12f64.sqrt() / (Self::SIZE as f64).sqrt();
        assert!(((self.mean() - centre) as f64).abs() <= error, "{} around {centre}", self.mean());
    }
}

/// How far a die is from the board's mean, as told by a board whose operations do not deviate.
fn offset(changes: &[(&str, &str)], die: u32, seed: u64) -> i64 {
    let still = [("flash.read_deviation_us", "0")];
    let board = board(&[changes, &still].concat());
    let mut chips = Chips::new(&board, STAMPS, seed);
    chips.array.read(die, 0).as_ps() as i64 - board.flash.t_read[0].as_ps() as i64
}

fn check_kind(changes: &[(&str, &str)], page: u32) {
    let Board { flash, firmware, .. } = board(changes);
    let mut chips = Chips::new(&board(changes), STAMPS, 11);
    for die in 0..DIES {
        let offset = offset(changes, die, 11);
        assert!(offset.abs() <= flash.die_deviation.as_ps() as i64);
        let centre = |latency: Duration| latency.as_ps() as i64 + offset;
        let kind = flash.word_lines(firmware.geometry.pages_per_block).of(page).page_type as usize;
        Sample::of(|| chips.array.read(die, page))
            .assert_around(centre(flash.t_read[kind]), flash.read_deviation);
        let programs = Sample::of(|| {
            chips.array.wipe(die, 0);
            chips.program(die, page, &Page::regular(0, 1)).busy
        });
        programs.assert_around(centre(flash.t_program[kind]), flash.program_deviation);
        Sample::of(|| chips.array.erase(die, 0).busy)
            .assert_around(centre(flash.t_erase), flash.erase_deviation);
    }
}

#[test]
fn slc_pages_are_alike_and_deviate_within_bounds() {
    let flash = board(&[]).flash;
    assert_eq!(flash.read_times(), [Duration::from_us(99)]);
    assert_eq!(flash.program_times(), [Duration::from_us(486)]);
    check_kind(&[], 0);
    check_kind(&[], 1);
}

#[test]
fn mlc_pages_are_lsb_and_msb_in_turn() {
    let mlc = [("flash.cell_mode", "mlc"), ("flash.pages_per_physical_block", "8")];
    let flash = board(&mlc).flash;
    assert_eq!(flash.read_times(), [58, 90].map(Duration::from_us));
    assert_eq!(flash.program_times(), [481, 2295].map(Duration::from_us));
    check_kind(&mlc, 4);
    check_kind(&mlc, 5);
}

/// Chips of cells with three or four bits, in blocks of 12 pages.
fn mode<'a>(mode: &'a str, bits: &'a str, pairing: &'a str) -> [(&'a str, &'a str); 8] {
    [
        ("flash.cell_mode", mode),
        ("flash.cell_bits", bits),
        ("flash.pairing", pairing),
        ("flash.pages_per_physical_block", "12"),
        ("flash.t_read_csb_us", "75"),
        ("flash.t_program_csb_us", "1300"),
        ("flash.t_read_tsb_us", "140"),
        ("flash.t_program_tsb_us", "4100"),
    ]
}

#[test]
fn pages_of_cells_with_three_and_four_bits_have_a_time_of_their_type() {
    for (name, bits) in [("tlc", "3"), ("qlc", "4")] {
        for pairing in ["adjacent", "shifted"] {
            let changes = mode(name, bits, pairing);
            (0..4).for_each(|page| check_kind(&changes, page));
            check_kind(&changes, 11);
        }
    }
    // Which of the first pages are of which type decides what they take.
    let still = [("flash.read_deviation_us", "0"), ("flash.die_deviation_us", "0")];
    let times = |pairing| -> Vec<u64> {
        let board = board(&[&mode("tlc", "3", pairing)[..], &still].concat());
        let mut chips = Chips::new(&board, STAMPS, 1);
        (0..12).map(|row| chips.array.read(0, row).as_ps() / 1_000_000).collect()
    };
    assert_eq!(times("adjacent"), [58, 75, 90].repeat(4));
    assert_eq!(times("shifted"), [58, 58, 75, 58, 75, 90, 58, 75, 90, 75, 90, 90]);
}

#[test]
fn cells_that_could_hold_more_use_their_lower_pages_alone() {
    for (name, pages) in [("slc", 4), ("mlc", 8), ("tlc", 12)] {
        let board =
            board(&[&mode(name, "3", "adjacent")[1..], &[("flash.cell_mode", name)]].concat());
        assert_eq!(board.firmware.geometry.pages_per_block, pages, "{name}");
    }
}

#[test]
fn dies_and_seeds_differ_in_speed() {
    let offsets: Vec<i64> =
        (0..3).flat_map(|seed| (0..DIES).map(move |die| offset(&[], die, seed))).collect();
    let mut different = offsets.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), offsets.len());
}

#[test]
fn error_rates_leave_the_times_as_they_are() {
    let times = |changes: &[(&str, &str)]| -> Vec<Duration> {
        let mut chips = Chips::new(&board(changes), STAMPS, 1);
        (0..PAGES).map(|row| chips.array.read(0, row)).collect()
    };
    assert_eq!(times(&[]), times(&[("errors.raw_bits_per_terabit", "3000000000")]));
}
