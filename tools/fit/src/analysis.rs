//! How much each key moves each figure, and what follows for the keys.

use runs::least_squares::{Knowledge, Known, Place, Range, Sureness};

use crate::simulated::{Halt, Simulated};

/// Half of the widest interval, in the logarithm, with which a key counts as determined: a quarter.
pub(crate) const WIDEST: f64 = 0.223;

/// What is known of the keys at a place.
#[derive(Clone, Debug)]
pub(crate) struct Analysis {
    /// By key, how each residual changes with the logarithm of its value.
    pub slopes: Vec<Vec<f64>>,
    pub knowledge: Knowledge,
    /// By how much intervals are wider than the errors of the figures make them; at least 1.
    pub widened: f64,
}

impl Analysis {
    /// Looks at the figures on both sides of a place, along each key.
    pub fn at(simulated: &mut Simulated<'_>, place: &Place) -> Result<Analysis, Halt> {
        let count = place.len();
        let sides: Vec<[Place; 2]> = (0..count).map(|nth| sides(simulated, place, nth)).collect();
        let mut places: Vec<Place> = sides.iter().flatten().cloned().collect();
        places.push(place.clone());
        let answers = simulated.residuals(&places)?;
        let here = &answers[2 * count];
        let slopes: Vec<Vec<f64>> = (0..count)
            .map(|nth| {
                let parameter = &simulated.parameters[nth];
                let from = parameter.logarithm(place[nth]);
                let way = |side: usize| parameter.logarithm(sides[nth][side][nth]) - from;
                let (below, above) = (&answers[2 * nth], &answers[2 * nth + 1]);
                let slope = |((below, above), here): ((&f64, &f64), &f64)| {
                    agreed(sloped(below - here, way(0)), sloped(above - here, way(1)))
                };
                below.iter().zip(above).zip(here).map(slope).collect()
            })
            .collect();
        let widened = deviation(here, count);
        let sureness = Sureness { deviation: widened, widest: WIDEST };
        Ok(Analysis { knowledge: Knowledge::of(&slopes, sureness), slopes, widened })
    }

    /// The keys that stay as the base has them: those that are not known, and of those that are known together all but the one
    /// that moves the figures most.
    pub fn kept(&self) -> Vec<bool> {
        let kept = |(nth, known): (usize, &Known)| match known {
            Known::Determined { .. } => false,
            Known::Not => true,
            Known::Together { group } => self.knowledge.combinations[*group].strongest != nth,
        };
        self.knowledge.parameters.iter().enumerate().map(kept).collect()
    }

    /// The keys that are not determined by themselves.
    pub fn unsure(&self) -> Vec<usize> {
        let known = self.knowledge.parameters.iter().enumerate();
        known
            .filter(|(_, own)| !matches!(own, Known::Determined { .. }))
            .map(|(nth, _)| nth)
            .collect()
    }

    /// How much a key moves all figures.
    pub fn squares(&self, nth: usize) -> f64 {
        self.slopes[nth].iter().map(|slope| slope * slope).sum()
    }

    /// Whether no key is left free of those that are known together with one.
    pub fn leaves_none(&self, kept: &[bool], nth: usize) -> bool {
        match self.knowledge.parameters[nth] {
            Known::Together { group } => {
                self.knowledge.combinations[group].members.iter().all(|member| kept[*member])
            }
            _ => false,
        }
    }
}

/// Runs of an analysis of so many keys, for each measurement.
pub(crate) fn places(keys: usize) -> u64 {
    2 * keys as u64 + 1
}

/// The two places around a place along a key; fewer steps away, or at the place itself, where the range ends or no board is.
fn sides(simulated: &Simulated<'_>, place: &Place, nth: usize) -> [Place; 2] {
    let parameter = &simulated.parameters[nth];
    let Range { low, high, .. } = parameter.range();
    let at = |steps: i64| {
        let mut side = place.clone();
        side[nth] = (place[nth] + steps).clamp(low, high);
        side
    };
    [-1, 1].map(|sign| {
        let side = at(sign * parameter.apart());
        if simulated.has_board(&side) {
            side
        } else {
            place.clone()
        }
    })
}

/// The slope of what changes by `change` on a way; none on a way of no length.
fn sloped(change: f64, way: f64) -> Option<f64> {
    (way != 0.0).then(|| change / way)
}

/// The slope that both sides of a place agree on: none if they have different signs, otherwise the smaller. A percentile may
/// leap where two kinds of requests are about as frequent, and figures change a little whenever events fall into another
/// order; neither tells anything of a key.
fn agreed(below: Option<f64>, above: Option<f64>) -> f64 {
    match (below, above) {
        (Some(a), Some(b)) if a * b <= 0.0 => 0.0,
        (Some(a), Some(b)) if a.abs() < b.abs() => a,
        (Some(_), Some(slope)) | (Some(slope), None) | (None, Some(slope)) => slope,
        (None, None) => 0.0,
    }
}

/// Standard deviation of the residuals: that which was expected, or what is left of them if that is more.
fn deviation(residuals: &[f64], parameters: usize) -> f64 {
    let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
    let free = residuals.len().saturating_sub(parameters).max(1);
    (squares / free as f64).sqrt().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_what_both_sides_agree_on() {
        // Two up on a way of one to the right, and three down on a way of two to the left.
        assert_eq!(agreed(sloped(-3.0, -2.0), sloped(2.0, 1.0)), 1.5);
        assert_eq!(agreed(sloped(3.0, -2.0), sloped(2.0, 1.0)), 0.0);
        // A leap on one side.
        assert_eq!(agreed(sloped(0.5, -1.0), sloped(-40.0, 1.0)), -0.5);
        // At an end of the range there is one side.
        assert_eq!(agreed(sloped(0.0, 0.0), sloped(2.0, 1.0)), 2.0);
        assert_eq!(agreed(None, None), 0.0);
    }

    #[test]
    fn residuals_larger_than_expected_widen_all_intervals() {
        assert_eq!(deviation(&[0.1, 0.2, -0.1], 1), 1.0);
        assert_eq!(deviation(&[3.0, 4.0, 0.0], 1), (25.0_f64 / 2.0).sqrt());
    }
}
