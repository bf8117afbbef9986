//! What options say of logs.

use super::super::logging::{LogClock, LogSharing, OffsetColumn, PriorityForm, WindowValue};
use super::super::settings::Settings;
use super::super::units::{self, Reading};
use super::Applied;

impl Settings {
    /// Acts on one option if it is about logs.
    pub(in super::super) fn apply_logging(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let logging = &mut self.logging;
        let milliseconds = |text| units::count(text, 0, 1 << 40);
        // As in fio, without a value the name is the job's, or the one that was given before.
        let named = |name: &mut Option<String>| match (value, &name) {
            ("", Some(_)) => {}
            _ => *name = Some(value.to_string()),
        };
        match key {
            "write_bw_log" => named(&mut logging.names.bandwidth),
            "write_lat_log" => named(&mut logging.names.latency),
            "write_iops_log" => named(&mut logging.names.iops),
            "write_hist_log" => named(&mut logging.names.histogram),
            "write_iolog" if value.is_empty() => return Err("a file".to_string()),
            "write_iolog" => logging.trace = Some(value.to_string()),
            "log_avg_msec" => logging.average_ms = milliseconds(value)?,
            "log_hist_msec" => logging.histogram_ms = milliseconds(value)?,
            "log_hist_coarseness" => logging.coarseness = units::count(value, 0, 6)? as u32,
            "log_max_value" => {
                logging.value = match units::boolean(value)? {
                    true => WindowValue::Largest,
                    false => WindowValue::Mean,
                }
            }
            "log_offset" => {
                logging.offset = match units::boolean(value)? {
                    true => OffsetColumn::Shown,
                    false => OffsetColumn::Absent,
                }
            }
            "log_prio" => {
                logging.priority = match units::boolean(value)? {
                    true => PriorityForm::Hexadecimal,
                    false => PriorityForm::Flag,
                }
            }
            "log_unix_epoch" => {
                logging.clock = match units::boolean(value)? {
                    true => LogClock::Run,
                    false => LogClock::Job,
                }
            }
            "per_job_logs" => {
                logging.sharing = match units::boolean(value)? {
                    true => LogSharing::None,
                    false => LogSharing::Named,
                }
            }
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }
}
