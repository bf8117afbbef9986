//! How the data of commands are spread over channels and ways (Cosmos+ section 6.5, figure 26).

use std::collections::BTreeMap;

use contract::{FlashOperation, Geometry};
use machine::{CommandStep, FlashPhase, Observer};

/// Watches which channel and which way the flash requests of each command go to.
pub(crate) struct SpreadWatcher {
    geometry: Geometry,
    /// Of each command on its way, by tag: bytes on each channel, then on each way number.
    open: BTreeMap<u16, Vec<u64>>,
    commands: u64,
    sums: MeanSpread,
}

/// Mean over commands of the standard deviation of what a command has on each channel (devC) and
/// on each way (devW), in bytes. Ways of one number count as one, whatever channel they are on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MeanSpread {
    pub channel_bytes: f64,
    pub way_bytes: f64,
}

impl SpreadWatcher {
    /// A watcher of a drive with this flash.
    pub fn new(geometry: Geometry) -> Self {
        let sums = MeanSpread::default();
        SpreadWatcher { geometry, open: BTreeMap::new(), commands: 0, sums }
    }

    /// The means over all commands that moved data to or from flash; none if there were none.
    pub fn mean(&self) -> Option<MeanSpread> {
        let commands = self.commands as f64;
        (self.commands > 0).then(|| MeanSpread {
            channel_bytes: self.sums.channel_bytes / commands,
            way_bytes: self.sums.way_bytes / commands,
        })
    }

    fn close(&mut self, bytes: &[u64]) {
        let (channels, ways) = bytes.split_at(self.geometry.channels as usize);
        self.commands += 1;
        self.sums.channel_bytes += standard_deviation(channels);
        self.sums.way_bytes += standard_deviation(ways);
    }
}

impl Observer for SpreadWatcher {
    fn bus(&mut self, phase: FlashPhase) {
        let moves_data =
            matches!(phase.operation, FlashOperation::ReadTransfer | FlashOperation::Program);
        let Some(tag) = phase.command.filter(|_| moves_data) else { return };
        let Geometry { channels, ways, page_bytes, .. } = self.geometry;
        let places = (channels + ways) as usize;
        let bytes = self.open.entry(tag.0).or_insert_with(|| vec![0; places]);
        bytes[usize::from(phase.channel)] += u64::from(page_bytes);
        bytes[channels as usize + usize::from(phase.way)] += u64::from(page_bytes);
    }

    fn command(&mut self, _now: u64, step: CommandStep<'_>) {
        if let CommandStep::Posted(tag) = step {
            if let Some(bytes) = self.open.remove(&tag.0) {
                self.close(&bytes);
            }
        }
    }
}

/// Of a population.
fn standard_deviation(values: &[u64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<u64>() as f64 / count;
    let squares: f64 = values.iter().map(|value| (*value as f64 - mean).powi(2)).sum();
    (squares / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::CommandTag;
    use machine::TimeSpan;

    const PAGE: f64 = 16384.0;

    fn watcher() -> SpreadWatcher {
        SpreadWatcher::new(Geometry {
            channels: 4,
            ways: 2,
            blocks_per_way: 8,
            pages_per_block: 8,
            page_bytes: 16384,
        })
    }

    fn phase(operation: FlashOperation, channel: u8, way: u8, tag: u16) -> FlashPhase {
        let span = TimeSpan { start: 0, end: 1 };
        FlashPhase { operation, channel, way, row: 0, command: Some(CommandTag(tag)), span }
    }

    #[test]
    fn an_even_command_has_no_deviation_and_a_lumped_one_has() {
        let mut even = watcher();
        for channel in 0..4 {
            for way in 0..2 {
                even.bus(phase(FlashOperation::Program, channel, way, 3));
            }
        }
        assert_eq!(even.mean(), None, "the command is still on its way");
        even.command(9, CommandStep::Posted(CommandTag(3)));
        assert_eq!(even.mean(), Some(MeanSpread::default()));

        let mut lumped = watcher();
        for _ in 0..4 {
            lumped.bus(phase(FlashOperation::ReadTransfer, 1, 0, 3));
            lumped.bus(phase(FlashOperation::StatusCheck, 2, 1, 3));
        }
        lumped.command(9, CommandStep::Posted(CommandTag(3)));
        // 4 pages on one of 4 channels: mean 1, deviations 3, 1, 1, 1, so the root of 12 / 4.
        let channel_bytes = 3f64.sqrt() * PAGE;
        let mean = lumped.mean().unwrap();
        assert!((mean.channel_bytes - channel_bytes).abs() < 1e-6);
        assert!((mean.way_bytes - 2.0 * PAGE).abs() < 1e-6);
    }

    #[test]
    fn commands_are_told_apart_and_averaged() {
        let mut both = watcher();
        both.bus(phase(FlashOperation::Program, 0, 0, 1));
        both.bus(phase(FlashOperation::Program, 0, 1, 2));
        both.bus(phase(FlashOperation::Program, 1, 0, 2));
        both.command(5, CommandStep::Posted(CommandTag(1)));
        both.command(6, CommandStep::Posted(CommandTag(7)));
        both.command(7, CommandStep::Posted(CommandTag(2)));
        // One page on 2 ways: 0.5 page. Two pages on 2 ways, one each: none.
        assert!((both.mean().unwrap().way_bytes - 0.25 * PAGE).abs() < 1e-6);
    }
}
