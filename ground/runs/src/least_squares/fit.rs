//! Least squares over bounded parameters that are whole numbers of steps.
//!
//! Levenberg's and Marquardt's method with differences in place of derivatives. A drive's answer to
//! a small change is not smooth, as its events fall into another order, so the differences are wide
//! at first and become narrow where wide ones lead no further. Several dampings are tried at once,
//! since runs are done side by side. Nothing is drawn at random.

use crate::least_squares::linear::solve;

/// A parameter, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Where a fit begins.
    pub start: i64,
    /// The lowest place.
    pub low: i64,
    /// The highest place.
    pub high: i64,
}

/// Parameters, in steps, in the order of their ranges.
pub type Place = Vec<i64>;

/// What is to be made small, worked out at several places at once.
pub trait Problem {
    /// How it fails.
    type Error;

    /// The residuals at each place.
    ///
    /// # Errors
    /// When it fails.
    fn residuals(&mut self, places: &[Place]) -> Result<Vec<Vec<f64>>, Self::Error>;
}

/// Where a fit ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// Where it began.
    pub start: Place,
    /// Where it ended.
    pub place: Place,
    /// Residuals at the start.
    pub before: Vec<f64>,
    /// Residuals at `place`.
    pub after: Vec<f64>,
    /// Rounds that were done.
    pub rounds: u32,
    /// Why it ended.
    pub ended: Ended,
}

impl Fitted {
    /// The sum of squares where it ended.
    pub fn cost(&self) -> f64 {
        cost(&self.after)
    }
}

/// Why a fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No place nearby is better.
    Converged,
    /// The rounds were used up.
    OutOfRounds,
}

/// Widest difference, as a share of the range.
const WIDEST: i64 = 50;
/// A difference that leads no further is divided by this.
const NARROWING: i64 = 4;
/// Dampings that are tried, in parts of the diagonal.
const DAMPINGS: [f64; 7] = [1e-9, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0];
/// Share of the cost that a step must gain.
const LEAST_GAIN: f64 = 1e-6;

/// Looks for the place of the least sum of squares, in at most `rounds` rounds.
///
/// # Errors
/// When the problem fails.
pub fn fit<P: Problem>(ranges: &[Range], rounds: u32, problem: &mut P) -> Result<Fitted, P::Error> {
    let start: Place = ranges.iter().map(|range| range.start).collect();
    let before = at(problem, &start)?;
    let mut here = Here { place: start.clone(), residuals: before.clone() };
    let mut widths: Vec<i64> =
        ranges.iter().map(|range| ((range.high - range.low) / WIDEST).max(1)).collect();
    for round in 1..=rounds {
        let narrowest = widths.iter().all(|width| *width == 1);
        let slopes = here.slopes(ranges, &widths, problem)?;
        let mut places = here.steps(ranges, &slopes);
        if narrowest {
            places.extend(here.neighbours(ranges));
        }
        places.sort();
        places.dedup();
        let answers = problem.residuals(&places)?;
        let found =
            places.into_iter().zip(answers).min_by(|a, b| cost(&a.1).total_cmp(&cost(&b.1)));
        match found {
            Some((place, residuals)) if gains(cost(&here.residuals), cost(&residuals)) => {
                here = Here { place, residuals };
            }
            _ if narrowest => {
                return Ok(here.fitted((start, before), round, Ended::Converged));
            }
            _ => widths.iter_mut().for_each(|width| *width = (*width / NARROWING).max(1)),
        }
    }
    Ok(here.fitted((start, before), rounds, Ended::OutOfRounds))
}

/// Where the fit is.
struct Here {
    place: Place,
    residuals: Vec<f64>,
}

impl Here {
    fn fitted(self, (start, before): (Place, Vec<f64>), rounds: u32, ended: Ended) -> Fitted {
        Fitted { start, place: self.place, before, after: self.residuals, rounds, ended }
    }

    /// By parameter: how each residual changes a step.
    fn slopes<P: Problem>(
        &self,
        ranges: &[Range],
        widths: &[i64],
        problem: &mut P,
    ) -> Result<Vec<Vec<f64>>, P::Error> {
        let difference = |nth: usize| match self.place[nth] + widths[nth] <= ranges[nth].high {
            true => widths[nth],
            false => -widths[nth],
        };
        let moved = |nth: usize| self.moved(nth, difference(nth));
        let places: Vec<Place> = (0..ranges.len()).map(moved).collect();
        let answers = problem.residuals(&places)?;
        let slope = |(nth, answer): (usize, &Vec<f64>)| {
            let by = difference(nth) as f64;
            answer.iter().zip(&self.residuals).map(|(there, here)| (there - here) / by).collect()
        };
        Ok(answers.iter().enumerate().map(slope).collect())
    }

    fn moved(&self, nth: usize, by: i64) -> Place {
        let mut place = self.place.clone();
        place[nth] += by;
        place
    }

    /// Where each damping leads to.
    fn steps(&self, ranges: &[Range], slopes: &[Vec<f64>]) -> Vec<Place> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let normal: Vec<Vec<f64>> =
            slopes.iter().map(|a| slopes.iter().map(|b| dot(a, b)).collect()).collect();
        let gradient: Vec<f64> = slopes.iter().map(|slope| dot(slope, &self.residuals)).collect();
        let equations = Equations { normal, gradient };
        let lead = |damping: &f64| {
            let step = equations.bounded_step(*damping, &self.place, ranges)?;
            let land = |((at, by), range): ((&i64, &f64), &Range)| {
                (*at as f64 + by).round().clamp(range.low as f64, range.high as f64) as i64
            };
            let place: Place = self.place.iter().zip(&step).zip(ranges).map(land).collect();
            (place != self.place).then_some(place)
        };
        DAMPINGS.iter().filter_map(lead).collect()
    }

    /// The places one step away along one parameter.
    fn neighbours(&self, ranges: &[Range]) -> Vec<Place> {
        let inside = |(nth, by): &(usize, i64)| {
            (ranges[*nth].low..=ranges[*nth].high).contains(&(self.place[*nth] + by))
        };
        let all = (0..ranges.len()).flat_map(|nth| [(nth, -1), (nth, 1)]);
        all.filter(inside).map(|(nth, by)| self.moved(nth, by)).collect()
    }
}

/// The equations of a step.
struct Equations {
    /// Products of the slopes.
    normal: Vec<Vec<f64>>,
    /// Products of the slopes and the residuals.
    gradient: Vec<f64>,
}

impl Equations {
    /// The damped step from `place`. A parameter that would leave its range goes to its bound and the
    /// others make up for it. One that changes nothing stays.
    fn bounded_step(&self, damping: f64, place: &[i64], ranges: &[Range]) -> Option<Vec<f64>> {
        let count = place.len();
        let mut step: Vec<f64> = vec![0.0; count];
        let mut free: Vec<usize> = (0..count).filter(|nth| self.normal[*nth][*nth] > 0.0).collect();
        while !free.is_empty() {
            let element = |row: usize, column: usize| {
                let damped = if row == column { 1.0 + damping } else { 1.0 };
                self.normal[row][column] * damped
            };
            let matrix: Vec<Vec<f64>> = free
                .iter()
                .map(|row| free.iter().map(|column| element(*row, *column)).collect())
                .collect();
            let fixed = |row: usize| -> f64 {
                let others = (0..count).filter(|nth| !free.contains(nth));
                others.map(|nth| self.normal[row][nth] * step[nth]).sum()
            };
            let right: Vec<f64> =
                free.iter().map(|row| -self.gradient[*row] - fixed(*row)).collect();
            let solution = solve(&matrix, &right)?;
            let bounds = |nth: usize| {
                let Range { low, high, .. } = ranges[nth];
                ((low - place[nth]) as f64, (high - place[nth]) as f64)
            };
            let leaves = |(nth, by): (&usize, &f64)| {
                let (least, most) = bounds(*nth);
                (!(least..=most).contains(by)).then_some(*nth)
            };
            let out: Vec<usize> = free.iter().zip(&solution).filter_map(leaves).collect();
            for (nth, by) in free.iter().zip(&solution) {
                let (least, most) = bounds(*nth);
                step[*nth] = by.clamp(least, most);
            }
            if out.is_empty() {
                break;
            }
            free.retain(|nth| !out.contains(nth));
        }
        Some(step)
    }
}

/// The residuals at one place.
///
/// # Errors
/// When the problem fails.
pub fn at<P: Problem>(problem: &mut P, place: &Place) -> Result<Vec<f64>, P::Error> {
    let mut answers = problem.residuals(std::slice::from_ref(place))?;
    Ok(answers.remove(0))
}

fn cost(residuals: &[f64]) -> f64 {
    residuals.iter().map(|residual| residual * residual).sum()
}

fn gains(before: f64, after: f64) -> bool {
    after < before * (1.0 - LEAST_GAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    struct Formula<F>(F);

    impl<F: Fn(&[f64]) -> Vec<f64>> Problem for Formula<F> {
        type Error = Infallible;

        fn residuals(&mut self, places: &[Place]) -> Result<Vec<Vec<f64>>, Infallible> {
            let floats = |place: &Place| place.iter().map(|x| *x as f64).collect::<Vec<f64>>();
            Ok(places.iter().map(|place| (self.0)(&floats(place))).collect())
        }
    }

    fn fitted(ranges: &[Range], formula: impl Fn(&[f64]) -> Vec<f64>) -> Fitted {
        let Ok(fitted) = fit(ranges, 30, &mut Formula(formula));
        fitted
    }

    const WIDE: Range = Range { start: 500, low: 0, high: 1000 };

    #[test]
    fn linear_sums_are_solved_to_the_step() {
        let found = fitted(&[WIDE; 3], |x| {
            vec![x[0] + x[1] - 300.0, x[1] + 2.0 * x[2] - 1700.0, x[0] - x[2] + 690.0, 0.1]
        });
        assert_eq!(found.place, [20, 280, 710]);
        assert_eq!(found.ended, Ended::Converged);
    }

    #[test]
    fn a_curved_valley_is_followed() {
        // Rosenbrock's function, scaled to steps.
        let found = fitted(&[Range { start: -1200, low: -2000, high: 2000 }; 2], |x| {
            let (a, b) = (x[0] / 1000.0, x[1] / 1000.0);
            vec![10.0 * (b - a * a), 1.0 - a]
        });
        assert!((found.place[0] - 1000).abs() <= 20, "{found:?}");
    }

    #[test]
    fn what_wants_out_stays_at_its_bound_and_others_make_up_for_it() {
        let found = fitted(&[WIDE; 2], |x| vec![x[0] + x[1] - 1400.0, 0.1 * (x[0] - 2000.0)]);
        assert_eq!(found.place, [1000, 400]);
    }

    #[test]
    fn what_changes_nothing_stays_where_it_started() {
        let found = fitted(&[WIDE; 2], |x| vec![x[0] - 3.0]);
        assert_eq!(found.place, [3, 500]);
        assert_eq!((found.before, found.after), (vec![497.0], vec![0.0]));
    }

    #[test]
    fn noise_that_is_smaller_than_the_trend_does_not_stop_it() {
        let found = fitted(&[WIDE; 2], |x| {
            let noise = |x: f64| 2.0 * (x * 12.9898).sin();
            vec![x[0] - 100.0 + noise(x[1]), x[1] - 900.0 + noise(x[0])]
        });
        assert!(
            (found.place[0] - 100).abs() <= 4 && (found.place[1] - 900).abs() <= 4,
            "{found:?}"
        );
    }
}
