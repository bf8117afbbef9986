//! How far the figures of a job in virtual time go where times of the board are some cycles other.
//!
//! Which of two commands comes first may hang on a cycle, and with it what a short job's figures are. So a figure of the
//! hardware tells nothing against virtual time while it lies among those that virtual time gives by chance.

use super::compare::{in_virtual_time, Figures};
use board::Board;
use contract::Duration;
use report::Direction;

/// By how much times are other, in nanoseconds: up to three cycles of 100 MHz, as times of the board were measured.
pub const SHIFTS_NS: [i64; 4] = [-30, -10, 10, 30];

/// The least and the most of each figure of the last job, in the order of [`Figures::each`]: decoding and the fetch of an
/// entry take so much more or less in each run, one after the other.
///
/// # Errors
/// A line, when jobs and drive do not go together.
pub fn spread(
    board: &Board,
    jobs: &str,
    (direction, seed): (Direction, u64),
) -> Result<[(f64, f64); 6], String> {
    let mut spread = [(f64::INFINITY, f64::NEG_INFINITY); 6];
    for decode_ns in SHIFTS_NS {
        for fetch_ns in SHIFTS_NS {
            let mut shifted = board.clone();
            shift(&mut shifted.ecc.decode_latency, decode_ns);
            shift(&mut shifted.host.fetch_latency, fetch_ns);
            let ran = in_virtual_time(&shifted, jobs, seed)?;
            let figures = ran.figures(direction);
            let each = figures.as_ref().map(Figures::each);
            for ((least, most), (_, figure, _)) in spread.iter_mut().zip(each.into_iter().flatten())
            {
                (*least, *most) = (least.min(figure), most.max(figure));
            }
        }
    }
    Ok(spread)
}

/// A time that is so much longer; none is below zero.
fn shift(time: &mut Duration, ns: i64) {
    *time = Duration::from_ps(time.as_ps().saturating_add_signed(ns * 1000));
}
