//! Draws in proportion to weights.

/// A stream of random numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        random::below(&mut self.0, end)
    }
}

/// Draws a place in proportion to weights.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// Sums of the weights up to each place.
    sums: Vec<u64>,
}

impl Weights {
    pub(crate) fn new(weights: impl IntoIterator<Item = u64>) -> Self {
        let mut sum = 0_u64;
        let sums = weights.into_iter().map(|weight| {
            sum += weight;
            sum
        });
        Weights { sums: sums.collect() }
    }

    /// Whether there is nothing to draw.
    pub(crate) fn is_empty(&self) -> bool {
        self.sums.last().is_none_or(|&sum| sum == 0)
    }

    pub(crate) fn draw(&self, random: &mut Random) -> usize {
        let all = *self.sums.last().expect("there is something to draw");
        let point = random.below(all);
        self.sums.partition_point(|&sum| sum <= point)
    }
}

/// Draws places without putting them back: each comes as often as its weight says before any comes again.
#[derive(Clone, Debug)]
pub(crate) struct Urn {
    weights: Vec<u64>,
    left: Vec<u64>,
    /// A Fenwick tree of what is left (Fenwick: "A New Data Structure for Cumulative Frequency Tables", 1994).
    tree: Vec<u64>,
    all: u64,
}

impl Urn {
    pub(crate) fn new(weights: Vec<u64>) -> Self {
        let mut urn = Urn { left: Vec::new(), tree: Vec::new(), all: 0, weights };
        urn.fill();
        urn
    }

    /// Fills it anew.
    fn fill(&mut self) {
        self.left.clone_from(&self.weights);
        self.all = self.left.iter().sum();
        self.tree = vec![0; self.left.len() + 1];
        for place in 1..self.tree.len() {
            self.tree[place] += self.left[place - 1];
            let above = place + lowest_bit(place);
            if above < self.tree.len() {
                self.tree[above] += self.tree[place];
            }
        }
    }

    /// How often a place may still be drawn.
    pub(crate) fn left(&self, place: usize) -> u64 {
        self.left[place]
    }

    /// Takes one of a place of which some are left.
    pub(crate) fn take(&mut self, place: usize) {
        self.left[place] -= 1;
        self.all -= 1;
        let mut node = place + 1;
        while node < self.tree.len() {
            self.tree[node] -= 1;
            node += lowest_bit(node);
        }
        if self.all == 0 {
            self.fill();
        }
    }

    /// Finds a place, in proportion to what is left. Some weight is not zero.
    pub(crate) fn look(&self, random: &mut Random) -> usize {
        let mut point = random.below(self.all);
        let mut place = 0;
        let mut step = self.tree.len().next_power_of_two() / 2;
        while step > 0 {
            if let Some(&sum) = self.tree.get(place + step).filter(|&&sum| sum <= point) {
                point -= sum;
                place += step;
            }
            step /= 2;
        }
        place
    }
}

fn lowest_bit(value: usize) -> usize {
    value & value.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_urn_gives_each_place_as_often_as_its_weight_says(
            weights in prop::collection::vec(0_u64..5, 1..40),
            seed: u64,
        ) {
            let all: u64 = weights.iter().sum();
            prop_assume!(all > 0);
            let (mut urn, mut random) = (Urn::new(weights.clone()), Random::new(seed));
            for round in 1..3 {
                let mut drawn = vec![0; weights.len()];
                for _ in 0..all {
                    let place = urn.look(&mut random);
                    prop_assert!(urn.left(place) > 0, "round {}", round);
                    urn.take(place);
                    drawn[place] += 1;
                }
                prop_assert_eq!(&drawn, &weights);
            }
        }

        #[test]
        fn weights_of_zero_are_never_drawn(weights in prop::collection::vec(0_u64..3, 1..20), seed: u64) {
            let drawn = Weights::new(weights.iter().copied());
            prop_assert_eq!(drawn.is_empty(), weights.iter().all(|&weight| weight == 0));
            let mut random = Random::new(seed);
            for _ in 0..if drawn.is_empty() { 0 } else { 50 } {
                prop_assert!(weights[drawn.draw(&mut random)] > 0);
            }
        }
    }
}
