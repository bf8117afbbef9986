//! What slopes tell of the parameters of a fit: which are determined, which only together, and which not at all.
//!
//! Near the best place a residual changes with each parameter as its slope says. With residuals of a known standard deviation
//! this gives an interval for each parameter: a narrow one if it were the only unknown, and a wider one beside others that
//! move the same residuals. Directions in which parameters can move together without moving the residuals are the
//! eigenvectors with small eigenvalues of the matrix of the slopes' products.

use crate::least_squares::eigen::{eigen, Eigen};

/// Standard deviations from the middle of an interval to its end: 95 % lie within.
const HALF_WIDTH: f64 = 1.96;
/// Share of the largest component of a direction from which on a parameter belongs to it.
const BELONGS: f64 = 0.3;

/// How sure one has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sureness {
    /// Standard deviation of a residual.
    pub deviation: f64,
    /// Half of the widest interval with which a parameter still counts as determined, in the unit of the parameters.
    pub widest: f64,
}

/// What is known of one parameter. Half widths are those of intervals in which it lies in 95 of 100 cases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known {
    /// It is determined.
    Determined {
        /// Half of its interval.
        half_width: f64,
    },
    /// It is not, but a combination with others is.
    Together {
        /// Which one of [`Knowledge::combinations`].
        group: usize,
    },
    /// It would not be determined even if all others were known.
    Not,
}

/// Parameters of which only a combination is determined.
#[derive(Clone, Debug, PartialEq)]
pub struct Combination {
    /// The parameters, rising.
    pub members: Vec<usize>,
    /// What each member counts in the combination that is determined, the largest 1; `None` if several are.
    pub factors: Option<Vec<f64>>,
    /// Half of that combination's interval.
    pub half_width: f64,
    /// The member that moves the residuals most.
    pub strongest: usize,
}

/// What is known of all parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    /// By parameter.
    pub parameters: Vec<Known>,
    /// Groups of parameters that are known together.
    pub combinations: Vec<Combination>,
}

impl Knowledge {
    /// What the slopes tell: by parameter, how each residual changes with it.
    pub fn of(slopes: &[Vec<f64>], sureness: Sureness) -> Knowledge {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let alone = |nth: &usize| {
            let slope = &slopes[*nth];
            sureness.half_width(dot(slope, slope)) <= sureness.widest
        };
        let moving: Vec<usize> = (0..slopes.len()).filter(alone).collect();
        let matrix: Vec<Vec<f64>> = moving
            .iter()
            .map(|a| moving.iter().map(|b| dot(&slopes[*a], &slopes[*b])).collect())
            .collect();
        let mut directions = Directions { all: eigen(&matrix), matrix, sureness };
        directions.keep_positive();
        let half_widths: Vec<f64> =
            (0..moving.len()).map(|nth| directions.half_width(nth)).collect();
        let open: Vec<usize> =
            (0..moving.len()).filter(|nth| half_widths[*nth] > sureness.widest).collect();
        let groups = directions.groups(&open);

        let mut parameters = vec![Known::Not; slopes.len()];
        for (place, half_width) in moving.iter().zip(half_widths) {
            parameters[*place] = Known::Determined { half_width };
        }
        let mut combinations = Vec::new();
        for group in groups {
            for nth in &group {
                parameters[moving[*nth]] = Known::Together { group: combinations.len() };
            }
            combinations.push(directions.combination(&group, &moving));
        }
        Knowledge { parameters, combinations }
    }
}

impl Sureness {
    /// Half of the interval of what has this sum of squares of its slopes.
    fn half_width(self, squares: f64) -> f64 {
        HALF_WIDTH * self.deviation / squares.sqrt()
    }
}

/// Directions in the space of the parameters that move something, and how well each is known.
struct Directions {
    all: Vec<Eigen>,
    matrix: Vec<Vec<f64>>,
    sureness: Sureness,
}

impl Directions {
    /// Rounding may leave the eigenvalue of a direction that moves nothing at or below zero.
    fn keep_positive(&mut self) {
        let largest = self.all.last().map_or(0.0, |last| last.value);
        for direction in &mut self.all {
            direction.value = direction.value.max(largest * f64::EPSILON);
        }
    }

    /// Half of a parameter's interval where nothing is known of the others.
    fn half_width(&self, nth: usize) -> f64 {
        let variance: f64 = self.all.iter().map(|e| e.vector[nth].powi(2) / e.value).sum();
        self.sureness.half_width(1.0 / variance)
    }

    /// The parameters that are not determined, those together that can make up for each other.
    fn groups(&self, open: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for nth in open {
            // The direction that its interval is wide by.
            let part = |e: &&Eigen| e.vector[*nth].powi(2) / e.value;
            let widest = self.all.iter().max_by(|a, b| part(a).total_cmp(&part(b)));
            let Some(direction) = widest else { continue };
            let mut group = vec![*nth];
            group.extend(self.partners(direction, *nth));
            let (joined, apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|other| other.iter().any(|own| group.contains(own)));
            group.extend(joined.into_iter().flatten());
            group.sort_unstable();
            group.dedup();
            groups = apart;
            groups.push(group);
        }
        groups.sort();
        groups
    }

    /// Those that move along with a parameter in a direction; at least the one that does most.
    fn partners(&self, direction: &Eigen, nth: usize) -> Vec<usize> {
        let size = |other: &usize| direction.vector[*other].abs();
        let others = || (0..direction.vector.len()).filter(|other| *other != nth);
        let largest = (0..direction.vector.len()).map(|n| size(&n)).fold(0.0, f64::max);
        let mut partners: Vec<usize> =
            others().filter(|other| size(other) >= BELONGS * largest).collect();
        if partners.is_empty() {
            partners.extend(others().max_by(|a, b| size(a).total_cmp(&size(b))));
        }
        partners
    }

    /// What is known of a group.
    fn combination(&self, group: &[usize], moving: &[usize]) -> Combination {
        let matrix: Vec<Vec<f64>> = group
            .iter()
            .map(|row| group.iter().map(|column| self.matrix[*row][*column]).collect())
            .collect();
        let all = eigen(&matrix);
        let is_strong = |e: &&Eigen| self.sureness.half_width(e.value) <= self.sureness.widest;
        let only = all.iter().filter(is_strong).count() == 1;
        // The largest eigenvalue stands last.
        let best = all.last().expect("a group has members");
        let largest = best.vector.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let largest = largest.expect("a vector has components");
        let strongest = group
            .iter()
            .copied()
            .max_by(|a, b| self.matrix[*a][*a].total_cmp(&self.matrix[*b][*b]))
            .expect("a group has members");
        Combination {
            members: group.iter().map(|nth| moving[*nth]).collect(),
            factors: only.then(|| best.vector.iter().map(|part| part / largest).collect()),
            half_width: self.sureness.half_width(best.value) / largest.abs(),
            strongest: moving[strongest],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURE: Sureness = Sureness { deviation: 1.0, widest: 0.25 };

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-6 * expected.abs()
    }

    #[test]
    fn a_parameter_that_stands_alone_has_the_interval_of_a_mean() {
        // Four residuals that each move by 100 a unit: the mean of four, 1.96 / (100 sqrt 4).
        let knowledge = Knowledge::of(&[vec![100.0; 4]], SURE);
        let [Known::Determined { half_width }] = knowledge.parameters[..] else {
            panic!("{knowledge:?}")
        };
        assert!(close(half_width, 1.96 / 200.0), "{half_width}");
        // Twice the deviation is twice the interval.
        let twice = Sureness { deviation: 2.0, ..SURE };
        let knowledge = Knowledge::of(&[vec![100.0; 4]], twice);
        let Known::Determined { half_width } = knowledge.parameters[0] else { panic!() };
        assert!(close(half_width, 1.96 / 100.0), "{half_width}");
    }

    #[test]
    fn what_moves_nothing_or_too_little_is_not_known() {
        let knowledge = Knowledge::of(&[vec![100.0, 0.0], vec![0.0, 0.0], vec![0.0, 5.0]], SURE);
        assert!(matches!(
            knowledge.parameters[..],
            [Known::Determined { .. }, Known::Not, Known::Not]
        ));
        assert!(knowledge.combinations.is_empty());
    }

    #[test]
    fn two_that_make_up_for_each_other_are_known_together_only() {
        // The third is determined beside them.
        let slopes = [vec![100.0, 100.0, 0.0], vec![50.0, 50.0, 0.0], vec![0.0, 10.0, 90.0]];
        let knowledge = Knowledge::of(&slopes, SURE);
        assert_eq!(knowledge.parameters[0], Known::Together { group: 0 });
        assert_eq!(knowledge.parameters[1], Known::Together { group: 0 });
        assert!(matches!(knowledge.parameters[2], Known::Determined { .. }), "{knowledge:?}");
        let [Combination { members, factors, strongest, half_width }] = &knowledge.combinations[..]
        else {
            panic!("{knowledge:?}")
        };
        assert_eq!((members.as_slice(), *strongest), (&[0, 1][..], 0));
        let factors = factors.as_ref().unwrap();
        assert!(close(factors[0], 1.0) && close(factors[1], 0.5), "{factors:?}");
        // One unit of the combination moves two residuals by 100 each.
        assert!(close(*half_width, 1.96 / (100.0 * 2.0_f64.sqrt())), "{half_width}");
    }

    #[test]
    fn a_quotient_has_factors_of_different_sign() {
        let slopes = [vec![80.0, 40.0], vec![-80.0, -40.0]];
        let knowledge = Knowledge::of(&slopes, SURE);
        let factors = knowledge.combinations[0].factors.as_ref().unwrap();
        assert!(close(factors[0] * factors[1], -1.0), "{factors:?}");
    }

    #[test]
    fn correlated_parameters_have_wider_intervals_than_each_alone() {
        // Slopes at an angle whose cosine is 0.8: wider by 1 / sqrt(1 - 0.64).
        let slopes = [vec![100.0, 0.0], vec![80.0, 60.0]];
        let knowledge = Knowledge::of(&slopes, SURE);
        for known in &knowledge.parameters {
            let Known::Determined { half_width } = known else { panic!("{knowledge:?}") };
            assert!(close(*half_width, 1.96 / 100.0 / 0.6), "{half_width}");
        }
    }

    #[test]
    fn three_of_which_only_one_sum_is_known_are_one_group() {
        let slope = vec![60.0, 60.0];
        let knowledge = Knowledge::of(&[slope.clone(), slope.clone(), slope], SURE);
        assert_eq!(knowledge.combinations.len(), 1, "{knowledge:?}");
        assert_eq!(knowledge.combinations[0].members, [0, 1, 2]);
        let factors = knowledge.combinations[0].factors.as_ref().unwrap();
        assert!(factors.iter().all(|factor| close(*factor, 1.0)), "{factors:?}");
    }

    #[test]
    fn two_pairs_are_two_groups() {
        let slopes = [vec![90.0, 0.0], vec![0.0, 70.0], vec![90.0, 0.0], vec![0.0, -70.0]];
        let knowledge = Knowledge::of(&slopes, SURE);
        let groups: Vec<&[usize]> =
            knowledge.combinations.iter().map(|group| group.members.as_slice()).collect();
        assert_eq!(groups, [&[0, 2][..], &[1, 3][..]]);
    }
}
