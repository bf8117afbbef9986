//! The threshold voltages of a word line's levels, and what reads as a wrong bit.
//!
//! All voltages are in microvolts above the mean of erased cells.

use board::Cells as Keys;

use super::condition::{Condition, Drift};
use super::gray::{GrayCode, MOST_BITS, MOST_LEVELS};
use super::normal::{below, SIGMA};

const UV_PER_MV: i64 = 1000;

/// How the cells of a word line are programmed: the levels they have when that is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    code: GrayCode,
    means: [i64; MOST_LEVELS],
    sigmas: [i64; MOST_LEVELS],
    /// By the level below.
    references: [i64; MOST_LEVELS],
    /// What a cell of each level has risen by in the last program of its word line. The cells beside it that were programmed
    /// before rise by a share of that; what a word line's earlier programs did is made up for by its last one.
    pub swings: [i64; MOST_LEVELS],
}

/// The same at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Voltages {
    code: GrayCode,
    means: [i64; MOST_LEVELS],
    sigmas: [i64; MOST_LEVELS],
    references: [i64; MOST_LEVELS],
}

/// How the cells of a page are told apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sensing {
    voltages: Voltages,
    /// The references of the page, lowest first, and their number.
    at: [i64; MOST_LEVELS],
    count: usize,
    /// By level: the references below it.
    passed: [usize; MOST_LEVELS],
}

impl Levels {
    /// Cells of one bit: erased, and `programmed` above that, told apart at `reference`; in millivolts.
    pub fn of_one_bit(keys: &Keys, programmed: u32, reference: u32) -> Self {
        let mut levels = Self::erased(keys, 1);
        levels.means[1] = i64::from(programmed) * UV_PER_MV;
        levels.references[0] = i64::from(reference) * UV_PER_MV;
        levels.swings = levels.means;
        levels
    }

    /// Cells of several bits, by how many pages of their word line are programmed, one after the other: the lower page alone
    /// first, all of them last.
    pub fn by_pages(keys: &Keys, bits: u32) -> Vec<Self> {
        let all = Self::of_all(keys, bits);
        let mut stages: Vec<Self> = (1..bits).map(|pages| all.before(keys, pages)).collect();
        stages.push(all);
        for nth in 1..stages.len() {
            let before = stages[nth - 1].means;
            let Self { means, swings, code, .. } = &mut stages[nth];
            for level in 0..code.levels() {
                // The last page divides each level of before in two.
                swings[level] = (means[level] - before[level >> 1]).max(0);
            }
        }
        stages
    }

    /// Cells of several bits that have all of them, risen to that in one go.
    pub fn of_all(keys: &Keys, bits: u32) -> Self {
        let mut levels = Self::erased(keys, bits);
        let (first, gap) = (i64::from(keys.erased_gap_mv), i64::from(keys.level_gap_mv));
        let mean = |level: usize| (first + gap * (level as i64 - 1)) * UV_PER_MV;
        levels.references[0] = i64::from(keys.erased_reference_mv) * UV_PER_MV;
        for level in 1..levels.code.levels() {
            levels.means[level] = mean(level);
            levels.references[level] = mean(level) + i64::from(keys.level_reference_mv) * UV_PER_MV;
        }
        levels.swings = levels.means;
        levels
    }

    /// The same with so many pages alone. Each level is below all those that further pages make of it, by as much, in
    /// proportion, as the lower page alone is below its own.
    fn before(&self, keys: &Keys, pages: u32) -> Self {
        if pages == 1 {
            return Self::of_one_bit(keys, keys.lower_page_mv, keys.lower_page_reference_mv);
        }
        let mut levels = Self::erased(keys, pages);
        let half = self.means[self.code.levels() / 2];
        let lowered = |uv: i64| uv * i64::from(keys.lower_page_mv) * UV_PER_MV / half;
        let further = self.code.bits() - pages;
        for level in 1..levels.code.levels() {
            let lowest = level << further;
            levels.means[level] = lowered(self.means[lowest]);
            levels.references[level - 1] = lowered(self.references[lowest - 1]);
        }
        levels.swings = levels.means;
        levels
    }

    fn erased(keys: &Keys, bits: u32) -> Self {
        let mut sigmas = [i64::from(keys.level_sigma_mv) * UV_PER_MV; MOST_LEVELS];
        sigmas[0] = i64::from(keys.erased_sigma_mv) * UV_PER_MV;
        let none = [0; MOST_LEVELS];
        Self { code: GrayCode::new(bits), means: none, sigmas, references: none, swings: none }
    }

    /// The code of its cells.
    pub fn code(&self) -> &GrayCode {
        &self.code
    }

    /// The largest swing.
    pub fn widest_swing(&self) -> i64 {
        self.swings.into_iter().max().unwrap_or(0)
    }

    /// What has become of them.
    pub fn after(&self, drift: &Drift, condition: Condition) -> Voltages {
        let top = self.means[self.code.levels() - 1];
        let lowered = drift.lowered(condition);
        Voltages {
            code: self.code,
            means: self.means.map(|mean| drift.mean((mean, top), condition)),
            sigmas: self.sigmas.map(|sigma| drift.sigma(sigma, condition)),
            references: self.references.map(|reference| reference - lowered),
        }
    }
}

impl Voltages {
    /// How a page of the word line is read.
    pub fn sensing(self, page: u32) -> Sensing {
        let mut sensing =
            Sensing { voltages: self, at: [0; MOST_LEVELS], count: 0, passed: [0; MOST_LEVELS] };
        for lower in self.code.references(page) {
            sensing.at[sensing.count] = self.references[lower];
            sensing.count += 1;
            sensing.passed[lower + 1..].iter_mut().for_each(|passed| *passed += 1);
        }
        sensing
    }
}

impl Sensing {
    /// The share of the cells of a level, risen by `shift`, that lies below a reference; in 2^-64.
    #[inline]
    fn below(&self, reference: usize, (level, shift): (usize, i64)) -> u64 {
        let Voltages { means, sigmas, .. } = &self.voltages;
        below((self.at[reference] - means[level] - shift) * SIGMA / sigmas[level])
    }

    /// Whether a cell of a level, risen by `shift`, reads as a wrong bit. `rank` tells where in its level's distribution
    /// it lies: the share of the cells, in 2^-64, that are below it.
    #[inline]
    pub fn is_wrong(&self, rank: u64, (level, shift): (usize, i64)) -> bool {
        let above = |&reference: &usize| rank >= self.below(reference, (level, shift));
        let passed = (0..self.count).take_while(above).count();
        // Each reference that a cell is on the wrong side of turns its bit over.
        (passed ^ self.passed[level]) & 1 == 1
    }

    /// The share of the cells of a level, risen by `shift`, that read as wrong bits; in 2^-64.
    pub fn wrong_share(&self, (level, shift): (usize, i64)) -> u64 {
        let mut lower = 0;
        let mut wrong = 0u64;
        for passed in 0..=self.count {
            let upper = match passed < self.count {
                true => self.below(passed, (level, shift)),
                false => u64::MAX,
            };
            if (passed ^ self.passed[level]) & 1 == 1 {
                wrong = wrong.saturating_add(upper - lower);
            }
            lower = upper;
        }
        wrong
    }

    /// Ranks between which no cell reads as a wrong bit, whatever its level, as long as it has risen by no more than `most`.
    pub fn safe_ranks(&self, most: i64) -> (u64, u64) {
        let (mut low, mut high) = (0, u64::MAX);
        for level in 0..self.voltages.code.levels() {
            for reference in 0..self.count {
                if reference < self.passed[level] {
                    low = low.max(self.below(reference, (level, 0)));
                } else {
                    high = high.min(self.below(reference, (level, most)));
                }
            }
        }
        (low, high)
    }

    /// The share of wrong bits where all levels come alike, of the cell and of its neighbours: what a scrambler makes of
    /// any data. In 2^-64. `pull` tells what a cell rises by for the level of a neighbour on its word line, and of the
    /// one on the next.
    pub fn mean_share(&self, pull: &[[i64; MOST_LEVELS]; 2]) -> u64 {
        let levels = self.voltages.code.levels();
        let mut sum = 0u128;
        for left in 0..levels {
            for right in 0..=left {
                let times = if left == right { 1 } else { 2 };
                for next in 0..levels {
                    let shift = pull[0][left] + pull[0][right] + pull[1][next];
                    let shares = (0..levels).map(|level| self.wrong_share((level, shift)));
                    sum += times * shares.map(u128::from).sum::<u128>();
                }
            }
        }
        (sum >> (4 * self.voltages.code.bits())) as u64
    }
}

const _: () = assert!(MOST_LEVELS == 1 << MOST_BITS);

#[cfg(test)]
mod tests {
    use super::*;
    use board::Board;

    fn keys(changes: &[(&str, &str)]) -> Keys {
        let owned: Vec<_> = changes.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        Board::resolve("small", &owned).expect("a board").cells
    }

    const PLAIN: [(&str, &str); 5] = [
        ("cells.single_mv", "1000"),
        ("cells.single_reference_mv", "600"),
        ("cells.erased_sigma_mv", "200"),
        ("cells.level_sigma_mv", "100"),
        ("cells.widening_permille_per_kilocycle", "100"),
    ];

    fn share(of: u64) -> f64 {
        of as f64 / 2f64.powi(64)
    }

    #[test]
    fn one_pair_of_levels_errs_as_worked_out_by_hand() {
        let keys = keys(&PLAIN);
        let levels = Levels::of_one_bit(&keys, keys.single_mv, keys.single_reference_mv);
        let drift = Drift::new(&keys);
        // Erased cells: 600 of 200 mV are 3 deviations, 1.349898e-3. Programmed ones: 400 of 100 mV, 3.167124e-5.
        let fresh = levels.after(&drift, Condition::default()).sensing(0);
        assert!((share(fresh.wrong_share((0, 0))) / 1.349_898e-3 - 1.0).abs() < 1e-4);
        assert!((share(fresh.wrong_share((1, 0))) / 3.167_124e-5 - 1.0).abs() < 1e-4);
        let mean = share(fresh.mean_share(&[[0; MOST_LEVELS]; 2]));
        assert!((mean / ((1.349_898e-3 + 3.167_124e-5) / 2.0) - 1.0).abs() < 1e-4, "{mean}");
        // A shift of 100 mV: 2.5 deviations and 5.
        assert!((share(fresh.wrong_share((0, 100_000))) / 6.209_665e-3 - 1.0).abs() < 1e-4);
        assert!((share(fresh.wrong_share((1, 100_000))) / 2.866_516e-7 - 1.0).abs() < 1e-3);
        // 5,000 cycles: deviations of 300 and 150 mV, 2 and 2.666667 of them.
        let worn = Condition { cycles: 5000, ..Condition::default() };
        let worn = levels.after(&drift, worn).sensing(0);
        assert!((share(worn.wrong_share((0, 0))) / 2.275_013e-2 - 1.0).abs() < 1e-4);
        assert!((share(worn.wrong_share((1, 0))) / 3.830_381e-3 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn a_read_level_moves_references_and_errors_from_one_side_to_the_other() {
        let keys = keys(&[&PLAIN[..], &[("cells.read_step_mv", "100")]].concat());
        let levels = Levels::of_one_bit(&keys, keys.single_mv, keys.single_reference_mv);
        let lower = Condition { level: 2, ..Condition::default() };
        let sensing = levels.after(&Drift::new(&keys), lower).sensing(0);
        // At 400 mV: 2 deviations of erased cells, 6 of programmed ones.
        assert!((share(sensing.wrong_share((0, 0))) / 2.275_013e-2 - 1.0).abs() < 1e-4);
        assert!((share(sensing.wrong_share((1, 0))) / 9.865_876e-10 - 1.0).abs() < 1e-2);
    }

    #[test]
    fn swings_of_mlc_are_those_of_the_second_program() {
        let keys = keys(&[
            ("cells.erased_gap_mv", "2000"),
            ("cells.level_gap_mv", "1000"),
            ("cells.lower_page_mv", "1800"),
            ("cells.erased_reference_mv", "1000"),
            ("cells.lower_page_reference_mv", "900"),
        ]);
        let stages = Levels::by_pages(&keys, 2);
        let [lower, levels] = stages[..] else { panic!("{} stages", stages.len()) };
        assert_eq!(lower.swings[..2], [0, 1_800_000]);
        let swings = [0, 2_000_000, 1_200_000, 2_200_000];
        assert_eq!(levels.swings[..4], swings);
    }

    #[test]
    fn a_page_more_divides_each_level_in_two_and_moves_no_cell_down() {
        let keys = keys(&[]);
        for bits in 2..=MOST_BITS as u32 {
            let stages = Levels::by_pages(&keys, bits);
            assert_eq!(stages.len(), bits as usize);
            for pair in stages.windows(2) {
                let [before, after] = pair else { unreachable!("windows of two") };
                assert_eq!(after.code.bits(), before.code.bits() + 1);
                for level in 1..after.code.levels() {
                    let from = before.means[level >> 1];
                    assert!(from <= after.means[level], "{bits} bits, level {level}");
                    assert_eq!(after.swings[level], after.means[level] - from);
                    for page in 0..before.code.bits() {
                        let kept = before.code.bit(level >> 1, page);
                        assert_eq!(after.code.bit(level, page), kept, "{bits} bits, page {page}");
                    }
                }
                for below in 0..before.code.levels() - 1 {
                    let [low, high] = [below, below + 1].map(|level| before.means[level]);
                    let reference = before.references[below];
                    assert!(
                        low < reference && reference < high,
                        "{bits} bits, above level {below}"
                    );
                }
            }
        }
    }

    #[test]
    fn cells_are_wrong_as_often_as_their_share_says_and_never_between_the_safe_ranks() {
        let keys = keys(&[]);
        let drift = Drift::new(&keys);
        let worn = Condition { cycles: 20_000, reads: 100_000, ..Condition::default() };
        for bits in 2..=MOST_BITS as u32 {
            let levels = Levels::of_all(&keys, bits);
            for page in 0..bits {
                let sensing = levels.after(&drift, worn).sensing(page);
                let (low, high) = sensing.safe_ranks(200_000);
                for cell in (0..levels.code().levels()).flat_map(|l| [(l, 0), (l, 200_000)]) {
                    const RANKS: u64 = 20_000;
                    let mut wrong = 0;
                    for nth in 0..RANKS {
                        let rank = u64::MAX / RANKS * nth + u64::MAX / RANKS / 2;
                        let is_wrong = sensing.is_wrong(rank, cell);
                        assert!(!is_wrong || rank < low || rank >= high, "{bits} bits, {cell:?}");
                        wrong += u64::from(is_wrong);
                    }
                    let expected = share(sensing.wrong_share(cell)) * RANKS as f64;
                    // One more or less at each reference.
                    let off = (wrong as f64 - expected).abs();
                    assert!(off <= 9.0, "{bits} bits, page {page}, {cell:?}: {wrong}, {expected}");
                }
            }
        }
    }
}
