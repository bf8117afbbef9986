//! The time that the guest's processor takes, in virtual time.
//!
//! Linux in user mode takes no virtual time but 256 ns for each look at a clock. A module of the guest (`world/charge`) lets a fixed
//! time pass at four places of the kernel, so that a request costs the processor something.

use std::fmt;
use std::str::FromStr;

/// Nanoseconds of each kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// A request is given to a driver.
    pub issue_ns: u32,
    /// A driver completes a request.
    pub complete_ns: u32,
    /// The processor goes from one task to another.
    pub switch_ns: u32,
    /// A task is woken.
    pub wake_ns: u32,
}

/// What the processor's time is reckoned by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charges {
    /// It takes none.
    None,
    /// These.
    At(Costs),
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
                Ok(Charges::At(Costs { issue_ns, complete_ns, switch_ns, wake_ns }))
            }
            _ => Err("none, or four numbers of nanoseconds with commas between them".to_owned()),
        }
    }
}

impl fmt::Display for Charges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Charges::None => f.write_str("none"),
            Charges::At(Costs { issue_ns, complete_ns, switch_ns, wake_ns }) => {
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
        let costs = Costs { issue_ns: 900, complete_ns: 1200, switch_ns: 0, wake_ns: 300 };
        for charges in [Charges::None, Charges::At(costs)] {
            assert_eq!(charges.to_string().parse(), Ok(charges));
        }
        for wrong in ["", "1,2,3", "1,2,3,4,5", "1,2,3,-4", "some"] {
            assert!(wrong.parse::<Charges>().is_err(), "{wrong}");
        }
    }
}
