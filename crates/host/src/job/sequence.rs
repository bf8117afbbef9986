//! The sequence of offsets, lengths and directions of a job.
//!
//! What is fixed (`Plan`) is kept apart from where the walk stands (`Cursor`), which is small and
//! copied: a verify phase starts from a copy of the cursor and so walks the same requests again,
//! with nothing stored a request.

use super::coverage::Permutation;
use super::distribution::Ranks;
use super::random::Prng;
use super::spec::{
    Access, ByteRange, Direction, Distribution, JobSpec, Lengths, Mix, PerDirection,
};

/// A stretch that one request covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) offset_bytes: u64,
    pub(super) length_bytes: u64,
}

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
}

/// How a place is chosen.
#[derive(Clone, Debug)]
enum Placing {
    Sequential,
    Covering,
    Uniform,
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
    /// Next offset within the range, for sequential jobs.
    position: PerDirection<u64>,
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
}

/// Seed of one clone: the run's seed, `randseed` and the clone's number.
pub(super) fn clone_seed(spec: &JobSpec, seed: u64) -> u64 {
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
        };
        plan.placing = match spec.access {
            Access::Sequential => Placing::Sequential,
            Access::Covering => Placing::Covering,
            Access::Drawn(Distribution::Uniform) => Placing::Uniform,
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
            position: PerDirection::default(),
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
        let at = match &self.placing {
            Placing::Sequential => return self.next_in_line(cursor, direction, length),
            Placing::Covering => {
                if cursor.visited == cursor.order.len() {
                    self.restart(cursor);
                }
                cursor.visited += 1;
                cursor.order.at(cursor.visited - 1)
            }
            Placing::Uniform => cursor.place.below(*self.places.of(direction)),
            Placing::Ranked(scatter) => scatter.of(direction).draw(&mut cursor.place),
        };
        self.extent(at * self.align_bytes.of(direction), direction, length)
    }

    /// Moves to the beginning of the range, with fresh random numbers.
    pub(super) fn restart(&self, cursor: &mut Cursor) {
        cursor.position = PerDirection::default();
        cursor.order = self.new_order(&mut cursor.place);
        cursor.visited = 0;
    }

    fn new_order(&self, place: &mut Prng) -> Permutation {
        let direction = self.mix.directions()[0];
        Permutation::new(*self.places.of(direction), place)
    }

    fn next_in_line(&self, cursor: &mut Cursor, direction: Direction, length: u64) -> Extent {
        let position = cursor.position.of_mut(direction);
        if self.range.len - *position < *self.min_bytes.of(direction) {
            *position = 0;
        }
        let extent = self.extent(*position, direction, length);
        *position += extent.length_bytes;
        extent
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
    fn new(distribution: Distribution, places: u64, random: &mut Prng) -> Self {
        let order = Permutation::new(places, random);
        let (ranks, hottest, center) = match distribution {
            Distribution::Uniform => unreachable!("uniform draws need no ranks"),
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
