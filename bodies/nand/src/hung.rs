//! Chips that hang: since when, and how many more may.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::Duration;

/// What a controller takes at most, once it has waited long enough for a chip, until it has reset that.
const UNTIL_RESET: Duration = Duration::from_us(5_000);

/// Chips that stay busy until they are reset.
#[derive(Clone, BorshSerialize, BorshDeserialize)]
pub(crate) struct Hung {
    /// By die, since when it does without end what it was told.
    since: Vec<Option<u64>>,
    /// How long, at most, until it is reset.
    lasts: u64,
    /// How many more may hang, where that is limited.
    left: Option<u32>,
    /// A die that hangs at the next thing that it is told.
    next: Option<u32>,
}

impl Hung {
    /// None of so many hangs. Controllers wait for `timeout` before they reset one.
    pub fn new(dies: u32, timeout: Duration) -> Self {
        let lasts = (timeout + UNTIL_RESET).as_ps();
        Hung { since: vec![None; dies as usize], lasts, left: None, next: None }
    }

    /// A die is told something. Whether it hangs, if that was `drawn`.
    pub fn told(&mut self, die: u32, drawn: bool) -> bool {
        self.since[die as usize] = None;
        let hangs = self.next.take_if(|next| *next == die).is_some() || drawn;
        let Some(left) = &mut self.left else { return hangs };
        let may = hangs && *left > 0;
        *left -= u32::from(may);
        may
    }

    /// A die hangs at the next thing that it is told.
    pub fn at_next(&mut self, die: u32) {
        self.next = Some(die);
    }

    /// A die hangs from a time on.
    pub fn note(&mut self, die: u32, at: u64) {
        self.since[die as usize] = Some(at);
    }

    /// Dies that hang.
    pub fn count(&self, now: u64) -> u32 {
        let hangs = |&&since: &&Option<u64>| since.is_some_and(|at| now < at + self.lasts);
        self.since.iter().filter(hangs).count() as u32
    }

    /// From now on no more than so many hang at all, with those that do.
    pub fn limit(&mut self, now: u64, most: u32) {
        self.left = Some(most.saturating_sub(self.count(now)));
    }

    /// The power went away: whatever hung is as it should be.
    pub fn cut(&mut self) {
        self.since.fill(None);
        self.left = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hangs_where_one_may() {
        let mut hung = Hung::new(3, Duration::from_us(1));
        assert!(!hung.told(0, false) && hung.told(0, true));
        hung.note(0, 7);
        assert_eq!((hung.count(8), hung.count(7 + 5_001_000_000)), (1, 0));
        hung.limit(8, 1);
        assert!(!hung.told(1, true), "one does already");
        hung.cut();
        assert_eq!(hung.count(8), 0);
        hung.limit(8, 1);
        hung.at_next(2);
        assert!(!hung.told(1, false) && hung.told(2, false) && !hung.told(1, true));
    }
}
