//! The sequence of offsets, lengths and directions of a job.
//!
//! What is fixed (`Plan`) is kept apart from where the walk stands (`Cursor`), which is small and
//! copied: a verify phase starts from a copy of the cursor and so walks the same requests again,
//! with nothing stored a request.

use super::coverage::Permutation;
use super::direction::{Direction, PerDirection};
use super::distribution::Ranks;
use super::extent::{ByteRange, Extent};
use super::random::Prng;
use super::spec::{Access, Distribution, JobSpec, Lengths, Mix, RunRest, Stepping};
use super::zones::Zones;

/// All that stays the same from request to request.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    mix: Mix,
    range: ByteRange,
    lengths: PerDirection<Lengths>,
    align_bytes: PerDirection<u64>,
    min_bytes: PerDirection<u64>,
    /// Number of places at which a request may start.
    places: PerDirection<u64>,
    placing: Placing,
    stepping: Stepping,
    /// Whether every random offset is random: no runs, and nothing follows on.
    leaps: bool,
}

/// How a place is chosen.
#[derive(Clone, Debug)]
enum Placing {
    Sequential,
    Covering,
    Uniform,
    Zoned(Box<PerDirection<Zones>>),
    Ranked(Box<PerDirection<Scatter>>),
}

/// Skewed ranks and where they lie.
#[derive(Clone, Debug)]
struct Scatter {
    ranks: Ranks,
    order: Permutation,
    /// Added to the permuted rank, modulo the number of places.
    shift: u64,
}

/// Where the walk stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    mix: Prng,
    length: Prng,
    place: Prng,
    choice: Prng,
    /// Where the last request of each direction began and ended, from the start of the range.
    last: PerDirection<u64>,
    position: PerDirection<u64>,
    /// Requests left of a run that began with a random offset.
    run_left: u32,
    /// Order of the pass and how far it has come, for covering jobs.
    order: Permutation,
    visited: u64,
}

/// Streams of random numbers that must not run in step.
#[derive(Clone, Copy)]
enum Purpose {
    Mix,
    Length,
    Place,
    Scatter,
    Choice,
}

/// Seed of one clone: the run's seed, `randseed` and the clone's number.
pub(crate) fn clone_seed(spec: &JobSpec, seed: u64) -> u64 {
    let mut of_run = Prng::new(seed, spec.seeding.salt);
    Prng::new(of_run.bits(), u64::from(spec.index)).bits()
}

impl Plan {
    /// The plan of a job and the cursor at its start.
    pub(super) fn new(spec: &JobSpec, seed: u64) -> (Self, Cursor) {
        let seed = clone_seed(spec, seed);
        let stream = |purpose: Purpose| Prng::new(seed, purpose as u64);
        let of = |f: &dyn Fn(Direction) -> u64| PerDirection {
            read: f(Direction::Read),
            write: f(Direction::Write),
            trim: f(Direction::Trim),
        };
        let min_bytes = of(&|direction| spec.lengths.of(direction).min_bytes());
        // A direction that the job does not use may be longer than the range: one place, unused.
        let places = of(&|direction| {
            let room = spec.range.len.saturating_sub(*min_bytes.of(direction));
            room / spec.align_bytes.of(direction) + 1
        });
        let mut plan = Self {
            mix: spec.mix,
            range: spec.range,
            lengths: spec.lengths.clone(),
            align_bytes: spec.align_bytes,
            min_bytes,
            places,
            placing: Placing::Sequential,
            stepping: spec.stepping,
            leaps: spec.stepping.run == 1
                && spec
                    .mix
                    .directions()
                    .iter()
                    .all(|&d| *spec.stepping.random_percent.of(d) == 100),
        };
        plan.placing = match &spec.access {
            Access::Sequential => Placing::Sequential,
            Access::Covering => Placing::Covering,
            Access::Drawn(Distribution::Uniform) => Placing::Uniform,
            Access::Drawn(Distribution::Zoned(zones)) => {
                let of =
                    |direction| Zones::new(zones.of(direction), *plan.align_bytes.of(direction));
                Placing::Zoned(Box::new(PerDirection {
                    read: of(Direction::Read),
                    write: of(Direction::Write),
                    trim: of(Direction::Trim),
                }))
            }
            Access::Drawn(distribution) => {
                let scatter = |direction| {
                    let mut random = stream(Purpose::Scatter);
                    Scatter::new(distribution, *plan.places.of(direction), &mut random)
                };
                Placing::Ranked(Box::new(PerDirection {
                    read: scatter(Direction::Read),
                    write: scatter(Direction::Write),
                    trim: scatter(Direction::Trim),
                }))
            }
        };
        let mut place = stream(Purpose::Place);
        let cursor = Cursor {
            mix: stream(Purpose::Mix),
            length: stream(Purpose::Length),
            order: plan.new_order(&mut place),
            place,
            choice: stream(Purpose::Choice),
            last: PerDirection::default(),
            position: PerDirection::default(),
            run_left: 0,
            visited: 0,
        };
        (plan, cursor)
    }

    /// The direction of the next request; of a trim and its write, the write.
    pub(super) fn draw_direction(&self, cursor: &mut Cursor) -> Direction {
        match self.mix {
            Mix::Only(direction) => direction,
            Mix::TrimThenWrite => Direction::Write,
            Mix::ReadWrite { read_percent } => {
                if cursor.mix.below(100) < u64::from(read_percent) {
                    Direction::Read
                } else {
                    Direction::Write
                }
            }
        }
    }

    /// The next request of `direction`. A sequential walk that reaches the end of the range starts
    /// again at its beginning, a covering one begins another order.
    pub(super) fn draw_extent(&self, cursor: &mut Cursor, direction: Direction) -> Extent {
        let length = self.lengths.of(direction).draw(&mut cursor.length);
        let start = match &self.placing {
            Placing::Sequential => self.next_in_line(cursor, direction),
            placing => match self.next_in_run(cursor, direction) {
                Some(start) => start,
                None => self.leap(placing, cursor, direction) * self.align_bytes.of(direction),
            },
        };
        let extent = self.extent(start, direction, length);
        *cursor.last.of_mut(direction) = start;
        *cursor.position.of_mut(direction) = start + extent.length_bytes;
        extent
    }

    /// A random place.
    fn leap(&self, placing: &Placing, cursor: &mut Cursor, direction: Direction) -> u64 {
        match placing {
            Placing::Sequential => unreachable!("a sequential job does not leap"),
            Placing::Covering => {
                if cursor.visited == cursor.order.len() {
                    self.restart(cursor);
                }
                cursor.visited += 1;
                cursor.order.at(cursor.visited - 1)
            }
            Placing::Uniform => cursor.place.below(*self.places.of(direction)),
            Placing::Zoned(zones) => {
                let place = zones.of(direction).draw(&mut cursor.place);
                place.min(*self.places.of(direction) - 1)
            }
            Placing::Ranked(scatter) => scatter.of(direction).draw(&mut cursor.place),
        }
    }

    /// Where a request goes that a random job does not send to a random place: later ones of a run,
    /// and a share of the others. What would leave the range is random after all.
    fn next_in_run(&self, cursor: &mut Cursor, direction: Direction) -> Option<u64> {
        if self.leaps {
            return None;
        }
        let position = *cursor.position.of(direction);
        let next =
            || (self.range.len - position >= *self.min_bytes.of(direction)).then_some(position);
        if cursor.run_left > 0 {
            cursor.run_left -= 1;
            return match self.stepping.rest {
                RunRest::Sequential => next(),
                RunRest::Identical => Some(*cursor.last.of(direction)),
            };
        }
        cursor.run_left = self.stepping.run - 1;
        let percent = u64::from(*self.stepping.random_percent.of(direction));
        if percent == 100 || cursor.choice.below(100) < percent {
            None
        } else {
            next()
        }
    }

    /// Moves to the beginning of the range, with fresh random numbers.
    pub(super) fn restart(&self, cursor: &mut Cursor) {
        cursor.position = PerDirection::default();
        cursor.run_left = 0;
        cursor.order = self.new_order(&mut cursor.place);
        cursor.visited = 0;
    }

    fn new_order(&self, place: &mut Prng) -> Permutation {
        let direction = self.mix.directions()[0];
        Permutation::new(*self.places.of(direction), place)
    }

    /// Whether the walk of `direction` has come to the end of the range, so that it would start anew.
    pub(super) fn is_through(&self, cursor: &Cursor, direction: Direction) -> bool {
        match self.placing {
            Placing::Sequential if self.stepping.gap_bytes == 0 => {
                let room = self.range.len - *self.min_bytes.of(direction);
                *cursor.position.of(direction) > room
            }
            Placing::Sequential => self.has_swept(cursor, direction),
            Placing::Covering => cursor.visited == cursor.order.len(),
            Placing::Uniform | Placing::Zoned(_) | Placing::Ranked(_) => false,
        }
    }

    /// Whether a request of `direction` that leaves a gap would begin beyond the range.
    pub(super) fn has_swept(&self, cursor: &Cursor, direction: Direction) -> bool {
        let position = *cursor.position.of(direction);
        let next = u128::from(position) + u128::from(self.stepping.gap_bytes.unsigned_abs());
        let room = u128::from(self.range.len - *self.min_bytes.of(direction));
        self.stepping.gap_bytes > 0 && position > 0 && next > room
    }

    /// Where a sequential request begins. Around the end of the range, with gaps and backwards, the
    /// order is fio's, with its peculiarity: a walk backwards begins at the start of the drive if the
    /// range does, and else one step before the range's length, counted from the start of the drive if
    /// that lies in the range.
    fn next_in_line(&self, cursor: &Cursor, direction: Direction) -> u64 {
        let (position, len) = (*cursor.position.of(direction), self.range.len);
        let fits = |start: u64| start <= len - self.min_bytes.of(direction);
        match self.stepping.gap_bytes {
            0 if fits(position) => position,
            0 => 0,
            gap => {
                let from = match position {
                    0 if gap < 0 && self.range.start > 0 => {
                        len.checked_sub(self.range.start).filter(|&from| from > 0).unwrap_or(len)
                    }
                    0 => return 0,
                    position => position,
                };
                let back = || len.checked_add_signed(gap).filter(|_| gap < 0);
                let next = from.checked_add_signed(gap).or_else(back);
                next.filter(|&start| fits(start)).unwrap_or(0)
            }
        }
    }

    /// A request at `start` of the range, shortened where it would pass the end.
    fn extent(&self, start: u64, direction: Direction, length: u64) -> Extent {
        let room = self.range.len - start;
        let length_bytes = if length <= room {
            length
        } else {
            let min = self.min_bytes.of(direction);
            room / min * min
        };
        Extent { offset_bytes: self.range.start + start, length_bytes }
    }
}

impl Scatter {
    fn new(distribution: &Distribution, places: u64, random: &mut Prng) -> Self {
        let order = Permutation::new(places, random);
        let (ranks, hottest, center) = match *distribution {
            Distribution::Uniform | Distribution::Zoned(_) => {
                unreachable!("uniform draws need no ranks")
            }
            Distribution::Zipf { theta, center } => (Ranks::zipf(places, theta), 0, center),
            Distribution::Pareto { h, center } => (Ranks::pareto(places, h), 0, center),
            Distribution::Normal { deviation_percent, center } => {
                (Ranks::normal(places, deviation_percent), places / 2, center)
            }
        };
        let shift = center.map_or(0, |center| {
            let wanted = ((places - 1) as f64 * center) as u64;
            (wanted + places - order.at(hottest)) % places
        });
        Self { ranks, order, shift }
    }

    fn draw(&self, random: &mut Prng) -> u64 {
        let place = self.order.at(self.ranks.draw(random)) + self.shift;
        if place >= self.order.len() {
            place - self.order.len()
        } else {
            place
        }
    }
}
