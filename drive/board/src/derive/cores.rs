//! What each core of the processor does, and what boards with several cannot have.

use contract::{CommandSet, Completer, Configuration, Cores, Grain, Medium, MOST_CORES};

use super::Derivation;
use crate::BoardError;

const KEY: &str = "processor.cores";
/// All that a job can be called.
const JOBS: &str = "host, ftl, channels, channels 0-3, or channels 0";

/// What stands for a core.
enum Job {
    Host,
    Ftl,
    Channels(u32, u32),
}

impl Derivation<'_> {
    /// Gives each job to its core. Every job has exactly one.
    pub(super) fn cores(&self, firmware: &Configuration) -> Result<Cores, BoardError> {
        let wrong = |expected: String| self.contradiction(KEY, expected);
        let lists = self.sheet.lists(KEY);
        if lists.len() > MOST_CORES {
            return Err(wrong(format!("at most {MOST_CORES} cores")));
        }
        let channels = firmware.geometry.channels;
        let (mut host, mut ftl, mut of_channel) = (None, None, vec![None; channels as usize]);
        for (core, jobs) in (0..).zip(lists) {
            for word in jobs {
                let job = job(word, channels).ok_or_else(|| {
                    let last = channels - 1;
                    wrong(format!("{JOBS} instead of {word:?}, of channels up to {last}"))
                })?;
                let taken = match job {
                    Job::Host => host.replace(core).is_some(),
                    Job::Ftl => ftl.replace(core).is_some(),
                    Job::Channels(first, last) => of_channel[first as usize..=last as usize]
                        .iter_mut()
                        .any(|of: &mut Option<u8>| of.replace(core).is_some()),
                };
                if taken {
                    return Err(wrong(format!("one core for each job, and {word:?} has two")));
                }
            }
        }
        let missing = |job: &str| wrong(format!("a core for each job, and {job} has none"));
        let mut cores = Cores {
            count: lists.len() as u8,
            host: host.ok_or_else(|| missing("host"))?,
            ftl: ftl.ok_or_else(|| missing("ftl"))?,
            ..Cores::ONE
        };
        for (channel, of) in of_channel.into_iter().enumerate() {
            let of = of.ok_or_else(|| missing(&format!("channel {channel}")))?;
            cores.channels[channel] = of;
        }
        self.check_several(&cores, firmware)?;
        Ok(cores)
    }

    /// What only one core can do.
    fn check_several(&self, cores: &Cores, firmware: &Configuration) -> Result<(), BoardError> {
        if cores.count == 1 {
            return Ok(());
        }
        let one = match (firmware.medium, firmware.grain) {
            (Medium::Memory, _) => Some("storage.medium is memory"),
            (_, Grain::Operations(_)) => Some("channel.scheduler is controller"),
            _ if firmware.command_set == CommandSet::OpenChannel => {
                Some("nvme.command_set is open-channel")
            }
            _ if firmware.command_set == CommandSet::Zoned => Some("nvme.command_set is zoned"),
            _ if firmware.reserve.is_some() => Some("power_loss.capacitor_millijoules is above 0"),
            _ => None,
        };
        if let Some(reason) = one {
            return Err(self.contradiction(KEY, format!("one core, as {reason}")));
        }
        if cores.host != cores.ftl && firmware.completer == Completer::Interface {
            let expected = "firmware, as processor.cores has host and ftl on two cores".to_owned();
            return Err(self.contradiction("host.completer", expected));
        }
        Ok(())
    }
}

/// The job that a word stands for, of a drive with so many channels.
fn job(word: &str, channels: u32) -> Option<Job> {
    let range = match word {
        "host" => return Some(Job::Host),
        "ftl" => return Some(Job::Ftl),
        "channels" => return Some(Job::Channels(0, channels - 1)),
        _ => word.strip_prefix("channels ")?,
    };
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last && last < channels).then_some(Job::Channels(first, last))
}
