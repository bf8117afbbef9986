//! What happens to a drive seldom, in some rounds: formats, snapshots, verifies, and a long time without power. They are drawn by
//! numbers of their own, so that what else is drawn for a seed stays what it is.

use crate::draw::Draw;
use crate::faults::{Fault, Faults};
use crate::plan::{Act, Command, Pointer, Step};
use crate::sizes::LONGEST;

/// Hours without power in a round at most: behind them pages of the log are lost in numbers that no drive withstands.
const MOST_HOURS: u32 = 2_400;
/// Key that drives have which are to lie without power.
const RETENTION: &str = "errors.retention_bits_per_terabit_per_hour";
/// Wrong bits in 10^12 that an hour adds: after 600 hours a page is sound, and after 2,400 often not.
const PER_HOUR: &str = "1000000";

/// What may happen in a round.
pub(crate) struct Extras {
    draw: Draw,
    /// Commands that verify, in every third round, by numbers of their own, too.
    verifies: Option<Draw>,
    aborts: bool,
    formats: bool,
    saves: bool,
    /// Hours for which the drive may still lie without power.
    hours_left: u32,
    cuts: bool,
}

/// Numbers of a purpose.
fn of_seed(seed: u64, purpose: u64) -> Draw {
    let mut draw = Draw(seed ^ purpose);
    draw.below(1);
    draw
}

/// Keys of drives that are to lie without power, one in six of those that age in no other way. Half of them read each page
/// once.
pub(crate) fn retention(
    seed: u64,
    faults: Faults,
    values: &[(String, String)],
) -> Vec<(String, String)> {
    let ages = |(key, _): &(String, String)| {
        key == "errors.raw_bits_per_terabit" || key.starts_with("errors.disturb")
    };
    let is_flash = !values.iter().any(|(key, _)| key == "storage.medium");
    let may = faults.has(Fault::Shelf) && is_flash && !values.iter().any(ages);
    let mut draw = of_seed(seed, 0x1f12_3bb5_159a_55e5);
    if !may || !draw.once_in(6) {
        return Vec::new();
    }
    let once = draw.once_in(2).then_some(("ftl.read_retries", "0"));
    let keys = [Some((RETENTION, PER_HOUR)), once].into_iter().flatten();
    keys.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

impl Extras {
    /// What may happen in the round of a seed, where the power may be cut or not.
    pub fn of(seed: u64, faults: Faults, values: &[(String, String)]) -> Self {
        let mut draw = of_seed(seed, 0x6c62_272e_07bb_0142);
        let formats = draw.once_in(8) && faults.has(Fault::Formats);
        let saves = draw.once_in(8) && faults.has(Fault::Snapshots);
        let lies = values.iter().any(|(key, _)| key == RETENTION);
        let hours_left = if lies { draw.one_of(&[600, MOST_HOURS]) } else { 0 };
        let mut verifies = of_seed(seed, 0x3c6e_f372_fe94_f82b);
        // Rounds with programs astray stay as long as they were drawn to be.
        let may_verify = verifies.once_in(3) && !faults.has(Fault::Astray);
        let verifies = may_verify.then_some(verifies);
        let aborts = faults.has(Fault::Aborts);
        Extras { draw, verifies, aborts, formats, saves, hours_left, cuts: false }
    }

    /// The same where the power may be cut.
    pub fn with_cuts(self, cuts: bool) -> Self {
        Extras { cuts, ..self }
    }

    /// Commands that verify, and an Abort of one that is likely under way: the first identifiers are used first.
    fn verify(&mut self, steps: &mut Vec<Step>) {
        let Some(draw) = &mut self.verifies else { return };
        if !draw.once_in(6) {
            return;
        }
        let commands = (0..1 + draw.below(4)).map(|_| Command {
            act: Act::Verify,
            lba: draw.below(1 << 12),
            blocks: 1 + draw.below(LONGEST),
            fua: draw.once_in(3),
            pointer: Pointer::Sound,
        });
        let commands = commands.collect();
        steps.push(Step::Submit { queue: 1, commands });
        if self.aborts {
            steps.push(Step::Run { ps: draw.below(100_000_000) });
            let (queue, cid) = (draw.one_of(&[1, 1, 2]), draw.below(6) as u16);
            steps.push(Step::Abort { queue, cid });
        }
    }

    /// What comes behind a turn of the host.
    pub fn turn(&mut self, steps: &mut Vec<Step>) {
        if self.formats && self.draw.once_in(30) {
            steps.push(Step::Format);
            if self.cuts && self.draw.once_in(2) {
                steps.push(Step::Run { ps: self.draw.below(4_000_000_000) });
                steps.push(Step::CutPower { again_after_ps: Vec::new() });
            }
        }
        self.verify(steps);
        if self.saves && self.draw.once_in(20) {
            steps.push(Step::SaveAndRestore);
        }
        if self.cuts && self.hours_left > 0 && self.draw.once_in(30) {
            let hours = self.draw.one_of(&[1, 24, 168, 720]).min(self.hours_left);
            self.hours_left -= hours;
            steps.push(Step::Shelve { hours });
        }
    }
}
