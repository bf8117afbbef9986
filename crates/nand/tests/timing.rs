//! Latencies: their means, bounds and kinds of pages.

mod chips;

use board::Board;
use chips::{board, Chips, Page, DIES, PAGES, STAMPS};
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
    let Board { flash, .. } = board(changes);
    let mut chips = Chips::new(&board(changes), STAMPS, 11);
    for die in 0..DIES {
        let offset = offset(changes, die, 11);
        assert!(offset.abs() <= flash.die_deviation.as_ps() as i64);
        let centre = |latency: Duration| latency.as_ps() as i64 + offset;
        let kind = page as usize % 2;
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
    assert_eq!(flash.t_read, [Duration::from_us(99); 2]);
    assert_eq!(flash.t_program, [Duration::from_us(486); 2]);
    check_kind(&[], 0);
    check_kind(&[], 1);
}

#[test]
fn mlc_pages_are_lsb_and_msb_in_turn() {
    let mlc = [("flash.cell_mode", "mlc"), ("flash.pages_per_physical_block", "8")];
    let flash = board(&mlc).flash;
    assert_eq!(flash.t_read, [58, 90].map(Duration::from_us));
    assert_eq!(flash.t_program, [481, 2295].map(Duration::from_us));
    check_kind(&mlc, 4);
    check_kind(&mlc, 5);
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
