//! What of a run is warm-up, by the marginal standard error rule.

/// How many batches at the front of a run are its warm-up; none if the run is too short to tell.
///
/// The rule (MSER) is that of K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
/// SIMULATION 69(6), 1997: cut where the standard error of the mean of what is left is least. It is applied to the
/// means of batches, as MSER-5 does to those of five observations (K. P. White, M. J. Cobb, S. C. Spratt, "A comparison
/// of five steady-state truncation heuristics for simulation", Winter Simulation Conference 2000). A least one in
/// the second half says nothing, as both papers have it: then the run has to go on.
///
/// `batches` are the means of batches of equal size, in the order of time.
pub fn warm_up(batches: &[f64]) -> Option<usize> {
    // From the back: sums of those that are left, about the last, so that small deviations on a large mean stay.
    let about = *batches.last()?;
    let (mut sum, mut squares, mut left) = (0.0, 0.0, 0.0);
    let mut least = (f64::INFINITY, batches.len());
    for (cut, batch) in batches.iter().enumerate().rev() {
        let deviation = batch - about;
        sum += deviation;
        squares += deviation * deviation;
        left += 1.0;
        // The last few are always close to one another.
        if left < LEAST_LEFT {
            continue;
        }
        let error = (squares - sum * sum / left).max(0.0) / (left * left);
        // Of equal ones the earliest: nothing is cut without a reason.
        if error <= least.0 {
            least = (error, cut);
        }
    }
    (2 * least.1 <= batches.len()).then_some(least.1)
}

/// Batches that are left at least.
const LEAST_LEFT: f64 = 5.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_is_cut_and_a_level_is_not() {
        let level: Vec<f64> = (0..100).map(|nth| 10.0 + f64::from(nth % 3)).collect();
        assert_eq!(warm_up(&level).map(|cut| cut < 5), Some(true));
        assert_eq!(warm_up(&[7.0; 40]), Some(0));
        let mut rising = level.clone();
        for (nth, batch) in rising.iter_mut().enumerate().take(20) {
            *batch += 5.0 * (20 - nth) as f64;
        }
        let cut = warm_up(&rising).expect("most of it is level");
        assert!((18..24).contains(&cut), "{cut}");
    }

    #[test]
    fn a_run_that_never_settles_has_no_cut() {
        let rising: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(warm_up(&rising), None);
        let late: Vec<f64> = (0..100).map(|nth| if nth < 70 { 1.0 } else { 9.0 }).collect();
        assert_eq!(warm_up(&late), None);
        assert_eq!(warm_up(&[]), None);
    }
}
