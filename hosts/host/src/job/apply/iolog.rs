//! What options say of a log that is played back.

use super::super::iolog::{Stalls, Target};
use super::super::settings::Settings;
use super::super::units::{self, Reading};
use super::Applied;

impl Settings {
    /// Acts on one option if it is about a log that is played back.
    pub(in super::super) fn apply_iolog(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let iolog = &mut self.iolog;
        match key {
            "read_iolog" if value.is_empty() => return Err("a file".to_string()),
            "read_iolog" => {}
            "replay_no_stall" => {
                iolog.stalls = if units::boolean(value)? { Stalls::Skipped } else { Stalls::Made }
            }
            "replay_time_scale" => iolog.time_scale = units::count(value, 1, 1_000_000)?,
            "replay_scale" => iolog.narrowing.divisor = units::count(value, 0, 1 << 40)?.max(1),
            "replay_align" => {
                let align = units::size(value, self.kb_base)?;
                if align != 0 && !align.is_power_of_two() {
                    return Err("0 or a power of two".to_string());
                }
                iolog.narrowing.align = align.max(1);
            }
            "replay_redirect" => {
                iolog.target = if value.is_empty() { Target::Files } else { Target::Drive }
            }
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }
}
