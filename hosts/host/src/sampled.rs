//! A drive runs, and whoever looks at it is let look when it is time.

use machine::{Machine, Stopped};
use monitor::Sampler;

use crate::fio_host::FioHost;
use crate::looks::Looks;
use crate::monitoring::{load_of, run_table};

/// Who looks at a drive that runs.
pub struct Watched<'a> {
    /// The operation monitor, if there is one.
    pub monitor: Option<&'a mut Sampler>,
    /// The looks for the report.
    pub looks: &'a mut Looks,
    /// When the drive stops for others.
    pub due_ps: u64,
}

/// Runs the drive until the condition holds or the time is due, and lets the sampler, if there is one,
/// read the table when that is, and looks be taken when they are due.
///
/// What is due when the condition holds is seen to before the drive goes on: where a run is interrupted, as wall time
/// has it, changes nothing of what is seen.
pub fn run_sampled(
    drive: &mut impl Machine<FioHost>,
    watched: Watched<'_>,
    mut until: impl FnMut(&FioHost) -> bool,
) -> Stopped {
    let Watched { mut monitor, looks, due_ps } = watched;
    loop {
        let now_ps = drive.now_ps();
        if looks.due_ps() <= now_ps {
            looks.look(now_ps, drive, load_of(drive));
        }
        let mut next_ps = due_ps.min(looks.due_ps());
        if let Some(sampler) = &mut monitor {
            if sampler.due_ps() <= now_ps {
                sampler.sample(&run_table(drive));
            }
            next_ps = next_ps.min(sampler.due_ps());
        }
        if due_ps <= now_ps {
            return Stopped::Due;
        }
        let stopped = drive.run_to(next_ps, &mut until);
        if stopped != Stopped::Due {
            return stopped;
        }
    }
}
