//! What the blocks of a drive are for, as far as that depends on which of them are bad from the factory: the log, the
//! save area, and all others.

use contract::Configuration;

use super::buffer::Buffer;
use super::log::area::Area;
use super::log::Log;
use super::save::{area::Area as SaveArea, Save};
use super::translate::Translator;

/// The blocks of which it is known whether they are bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// All blocks.
    All,
    /// Blocks of log and save area, and blocks before them. The log tells of all other blocks.
    Areas,
}

/// The log, the save area, and the map over all other blocks.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub log: Option<Log>,
    pub save: Option<Save>,
    pub translator: Translator,
}

impl Layout {
    /// Of an empty drive without its `bad(die, block)` blocks.
    ///
    /// # Panics
    /// If a way has not enough good blocks for log and save area.
    pub fn new(
        config: &Configuration,
        known: Known,
        mut bad: impl FnMut(u32, u32) -> bool,
    ) -> Self {
        let g = config.geometry;
        let log = config.recovery.map(|settings| {
            let area = Area::new(g, &settings, &mut bad);
            let mut log = Log::new(config, settings, (area, Buffer::log_entries(config).start));
            log.knows_blocks = known == Known::All;
            log
        });
        let of_log = |die, block| log.as_ref().is_some_and(|log| log.area.contains(die, block));
        let area = config.reserve.map(|reserve| {
            SaveArea::new(g, &reserve, |die, block| of_log(die, block) || bad(die, block))
        });
        let apart = |die, block| {
            of_log(die, block) || area.as_ref().is_some_and(|area| area.contains(die, block))
        };
        let translator = Translator::new(config, |die, block| {
            known == Known::Areas || apart(die, block) || bad(die, block)
        });
        let reserve = config.reserve.zip(area);
        let save = reserve.map(|(reserve, area)| Save::new(config, reserve, area));
        Layout { log, save, translator }
    }
}
