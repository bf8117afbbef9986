//! In which cycles an agent does something.

use rtl_sim::Random;

/// So many of a hundred cycles, each by itself.
pub struct Willing {
    percent: u32,
    random: Random,
}

impl Willing {
    /// Always, mostly, half of the time, or seldom.
    pub fn any(random: &mut Random) -> Self {
        let percent = [100, 90, 50, 15][random.below(4) as usize];
        Self { percent, random: random.split() }
    }

    /// In every cycle.
    pub fn always() -> Self {
        Self { percent: 100, random: Random::new(0) }
    }

    /// Whether it does in the next cycle.
    pub fn next(&mut self) -> bool {
        self.random.percent(self.percent)
    }
}
