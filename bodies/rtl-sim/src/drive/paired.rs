//! How far both bodies are apart, seed by seed.
//!
//! Which of two commands comes first may hang on a cycle, and all that follows hangs on which came first. So the bodies
//! differ in a single run by chance, too. The difference of a pair of runs of the same seed is one observation; the mean
//! of many and its interval tell what is left without chance.
//!
//! Where nothing of a drive is drawn, as over memory, all seeds would be one observation. So each pair has a host of its
//! own: its times to submit and to reap are drawn, within a tenth of the board's, and are the same for both bodies.

use super::compare::{hardware, in_virtual_time, Figures};
use board::Board;
use contract::Duration;
use cpu_time::ThreadTime;
use report::Direction;
use runs::confidence::{Interval, Level};
use runs::pool::in_order;
use std::ops::RangeInclusive;

/// What is run as pairs.
pub struct Pairs<'a> {
    /// The drive, the same on both bodies but for the host's times, which each pair draws.
    pub board: &'a Board,
    /// A job file whose last job is compared.
    pub jobs: &'a str,
    /// Seeds, a pair of runs each.
    pub seeds: RangeInclusive<u64>,
    /// Pairs that run side by side.
    pub threads: usize,
}

/// What a pair gave: figures of hardware and virtual time in each direction that the job went.
struct Pair {
    figures: [Option<[Figures; 2]>; 3],
    /// Time of the hardware that was simulated, in seconds.
    simulated_s: f64,
    /// Processor time that this took, in seconds.
    cpu_s: f64,
}

/// What pairs of runs gave.
pub struct Paired(Vec<Pair>);

/// A figure over all pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// What the figure measures, as the table has it.
    pub name: &'static str,
    /// Its mean in hardware.
    pub hardware: f64,
    /// Its mean in virtual time.
    pub simulated: f64,
    /// The mean difference of a pair in percent of the hardware, with the interval that holds the true one at 95 %; none
    /// where the hardware has zero.
    pub apart: Option<Interval>,
    /// By how much virtual time may be off, in percent.
    pub most: f64,
}

/// The directions of a job, in the order of [`Pair::figures`].
const DIRECTIONS: [Direction; 3] = [Direction::Read, Direction::Write, Direction::Trim];

impl Compared {
    /// A figure of so many pairs, each in hardware and in virtual time.
    fn of(name: &'static str, most: f64, pairs: &[(f64, f64)]) -> Compared {
        let count = pairs.len() as f64;
        let mean = |side: fn(&(f64, f64)) -> f64| pairs.iter().map(side).sum::<f64>() / count;
        let percent: Vec<f64> = pairs
            .iter()
            .filter(|(hardware, _)| *hardware != 0.0)
            .map(|(hardware, simulated)| (simulated / hardware - 1.0) * 100.0)
            .collect();
        Compared {
            name,
            hardware: mean(|pair| pair.0),
            simulated: mean(|pair| pair.1),
            apart: Interval::of(&percent, Level::USUAL),
            most,
        }
    }

    /// Whether no difference within the aim is in the interval. Where the hardware has zero, whether virtual time has not.
    pub fn is_outside(&self) -> bool {
        let Some(Interval { mean, half_width }) = self.apart else {
            return self.hardware != self.simulated;
        };
        mean.abs() - half_width.unwrap_or(0.0) > self.most
    }
}

impl Paired {
    /// The figures of the job in a direction, if each pair went there.
    pub fn figures(&self, direction: Direction) -> Option<[Compared; 6]> {
        let at = DIRECTIONS.iter().position(|&other| other == direction)?;
        let each: Option<Vec<_>> = self
            .0
            .iter()
            .map(|pair| pair.figures[at].map(|sides| sides.map(|figures| figures.each())))
            .collect();
        let each = each.filter(|each| !each.is_empty())?;
        let of = |figure: usize| {
            let (name, _, most) = each[0][0][figure];
            let values = each.iter().map(|[hard, soft]| (hard[figure].1, soft[figure].1));
            Compared::of(name, most, &values.collect::<Vec<_>>())
        };
        Some(std::array::from_fn(of))
    }

    /// How much of the hardware's time was simulated, and the processor time that this took, both in seconds.
    pub fn speed(&self) -> (f64, f64) {
        let add = |(simulated, cpu), pair: &Pair| (simulated + pair.simulated_s, cpu + pair.cpu_s);
        self.0.iter().fold((0.0, 0.0), add)
    }
}

impl Pairs<'_> {
    /// Runs all pairs, some of them side by side. The order in which they end changes nothing.
    ///
    /// # Errors
    /// The line of the lowest seed that failed, which it names: there is no such hardware, or jobs and drive do not go together.
    pub fn run(&self) -> Result<Paired, String> {
        let seeds: Vec<u64> = self.seeds.clone().collect();
        let pairs = in_order(seeds.len(), self.threads, &|nth| self.pair(seeds[nth]), &mut |_| ());
        pairs.into_iter().collect::<Result<_, _>>().map(Paired)
    }

    /// Both runs of a seed.
    fn pair(&self, seed: u64) -> Result<Pair, String> {
        let board = &with_host_of(seed, self.board);
        let before = ThreadTime::now();
        let of_seed = |body| move |line| format!("seed {seed}, {body}: {line}");
        let hardware = hardware(board, self.jobs, seed).map_err(of_seed("in hardware"))?;
        let cpu_s = before.elapsed().as_secs_f64();
        let simulated =
            in_virtual_time(board, self.jobs, seed).map_err(of_seed("in virtual time"))?;
        let figures = DIRECTIONS
            .map(|direction| Some([hardware.figures(direction)?, simulated.figures(direction)?]));
        Ok(Pair { figures, simulated_s: hardware.result.speed.simulated_s, cpu_s })
    }
}

/// The board with the host of a pair: each of the times that the host takes for itself is drawn uniformly within a tenth of the
/// board's.
pub fn with_host_of(seed: u64, board: &Board) -> Board {
    let mut drawn = random::mix(seed);
    let mut near = |time: Duration| {
        let tenth = time.as_ps() / 10;
        Duration::from_ps(time.as_ps() - tenth + random::below(&mut drawn, 2 * tenth + 1))
    };
    let mut board = board.clone();
    board.host.submit_latency = near(board.host.submit_latency);
    board.host.reap_latency = near(board.host.reap_latency);
    board
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(f64, f64)]) -> Compared {
        Compared::of("MB/s", 1.0, pairs)
    }

    #[test]
    fn chance_is_inside_and_a_constant_difference_is_not() {
        let chance = of(&[(100.0, 120.0), (100.0, 83.0), (100.0, 91.0), (100.0, 107.0)]);
        assert!(!chance.is_outside(), "{chance:?}");
        let constant = of(&[(100.0, 103.0), (120.0, 123.8), (90.0, 92.8), (110.0, 113.1)]);
        assert!(constant.is_outside(), "{constant:?}");
        assert!((constant.apart.expect("a difference").mean - 3.0).abs() < 0.2);
        let within = of(&[(100.0, 100.9), (120.0, 121.1), (90.0, 90.8), (110.0, 111.0)]);
        assert!(!within.is_outside(), "{within:?}");
    }

    #[test]
    fn a_single_pair_has_no_interval() {
        assert!(of(&[(100.0, 102.0)]).is_outside());
        assert!(!of(&[(100.0, 100.5)]).is_outside());
        assert_eq!(of(&[(100.0, 102.0)]).apart.expect("a difference").half_width, None);
    }

    #[test]
    fn each_pair_has_a_host_of_its_own() {
        let board = Board::resolve("firmament-automated", &[]).expect("a built-in board");
        let times = |board: &Board| [board.host.submit_latency, board.host.reap_latency];
        let hosts: Vec<_> = (1..=8).map(|seed| times(&with_host_of(seed, &board))).collect();
        assert_eq!(hosts[0], times(&with_host_of(1, &board)), "a seed decides");
        for (nth, host) in hosts.iter().enumerate() {
            assert!(!hosts[..nth].contains(host), "{hosts:?}");
            for (drawn, told) in host.iter().zip(times(&board)) {
                assert!(drawn.as_ps().abs_diff(told.as_ps()) <= told.as_ps() / 10, "{drawn:?}");
            }
        }
    }

    #[test]
    fn nothing_in_hardware_is_nothing_in_virtual_time() {
        assert!(!of(&[(0.0, 0.0), (0.0, 0.0)]).is_outside());
        assert!(of(&[(0.0, 0.0), (0.0, 2.0)]).is_outside());
    }
}
