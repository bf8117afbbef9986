//! The time that the guest's processor takes, in virtual time.
//!
//! Linux in user mode takes no virtual time but 256 ns for each look at a clock. A module of the guest (`world/charge`) lets a fixed
//! time pass at four places of the kernel, so that a request costs the processor something.

use std::fmt;
use std::str::FromStr;

use board::{Board, GuestCpu};
use report::{GuestCosts, GuestProcessor};

/// Nanoseconds of a look at a clock (Linux 6.12, `arch/um/kernel/time.c`, `TIMER_MULTIPLIER` at each read).
const CLOCK_NS: u32 = 256;

/// What the processor's time is reckoned by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charges {
    /// It takes none.
    None,
    /// These.
    At(GuestCpu),
}

impl Charges {
    /// Those that a board states.
    pub fn of(board: &Board) -> Self {
        board.guest_cpu.map_or(Charges::None, Charges::At)
    }

    /// What a report says of them, whose drive has this board.
    pub(crate) fn told(self, board: &Board) -> GuestProcessor {
        let stated_by = if self == Charges::of(board) { "the board" } else { "--cpu" };
        let costs = match self {
            Charges::None => None,
            Charges::At(GuestCpu { issue_ns, complete_ns, switch_ns, wake_ns }) => {
                let stated_by = stated_by.to_owned();
                Some(GuestCosts { issue_ns, complete_ns, switch_ns, wake_ns, stated_by })
            }
        };
        GuestProcessor { clock_ns: CLOCK_NS, costs }
    }
}

impl FromStr for Charges {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Charges::None);
        }
        let values: Option<Vec<u32>> = text.split(',').map(|value| value.parse().ok()).collect();
        match values.as_deref() {
            Some(&[issue_ns, complete_ns, switch_ns, wake_ns]) => {
                Ok(Charges::At(GuestCpu { issue_ns, complete_ns, switch_ns, wake_ns }))
            }
            _ => Err("none, or four numbers of nanoseconds with commas between them".to_owned()),
        }
    }
}

impl fmt::Display for Charges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Charges::None => f.write_str("none"),
            Charges::At(GuestCpu { issue_ns, complete_ns, switch_ns, wake_ns }) => {
                write!(f, "{issue_ns},{complete_ns},{switch_ns},{wake_ns}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_again() {
        let costs = GuestCpu { issue_ns: 900, complete_ns: 1200, switch_ns: 0, wake_ns: 300 };
        for charges in [Charges::None, Charges::At(costs)] {
            assert_eq!(charges.to_string().parse(), Ok(charges));
        }
        for wrong in ["", "1,2,3", "1,2,3,4,5", "1,2,3,-4", "some"] {
            assert!(wrong.parse::<Charges>().is_err(), "{wrong}");
        }
    }
}
