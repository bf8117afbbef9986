//! What options say of going back to what was written.

use super::super::settings::Settings;
use super::super::units::{self, Reading};
use super::Applied;

impl Settings {
    /// Acts on one option if it says how the job goes back to what it wrote.
    pub(in super::super) fn apply_back(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let back = &mut self.back;
        let count = |text: &str| units::count(text, 0, u64::MAX);
        match key {
            "verify_backlog" => back.verify_writes = count(value)?,
            "verify_backlog_batch" => back.verify_batch = count(value)?,
            "trim_percentage" => back.trim_percent = units::count(value, 0, 100)? as u8,
            "trim_backlog" => back.trim_writes = count(value)?,
            "trim_backlog_batch" => back.trim_batch = count(value)?,
            "trim_verify_zero" => back.trim_verify = units::boolean(value)?,
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }
}
