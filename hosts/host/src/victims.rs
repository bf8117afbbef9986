//! Victims of collection that a function chooses, in place of the policy that the board names.

use std::fmt;
use std::sync::Arc;

use firmware::ftl::victim::Chooser;
use sim::Drive;

/// Begins a chooser with the seed of a run, once a run.
type Begin = Arc<dyn Fn(u64) -> Box<dyn Chooser> + Send + Sync>;

/// Who chooses the victims of a run.
#[derive(Clone)]
pub struct Victims(Begin);

impl Victims {
    /// Those that `begin` gives for the seed of a run choose.
    pub fn new(begin: impl Fn(u64) -> Box<dyn Chooser> + Send + Sync + 'static) -> Self {
        Victims(Arc::new(begin))
    }

    /// Has them choose the victims of a drive from now on.
    pub(crate) fn take_over<H, O>(&self, drive: &mut Drive<H, O>, seed: u64) {
        drive.choose_victims(Some((self.0)(seed)));
    }
}

impl fmt::Debug for Victims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Victims").finish_non_exhaustive()
    }
}
