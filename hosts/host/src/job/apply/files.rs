//! What options say of the files of a job.

use super::super::parts::{names, read_service, MAX_FILES};
use super::super::settings::Settings;
use super::super::units::{self, Reading};
use super::Applied;

impl Settings {
    /// Acts on one option if it is about the files of a job.
    pub(in super::super) fn apply_files(&mut self, key: &str, value: &str) -> Reading<Applied> {
        match key {
            "nrfiles" => self.files.count = Some(units::count(value, 1, MAX_FILES)?),
            "openfiles" => {
                let open = units::count(value, 0, MAX_FILES)? as u32;
                self.files.open = if open == 0 { u32::MAX } else { open };
            }
            "file_service_type" => self.files.service = read_service(value)?,
            // As in fio, names decide how many there are, unless a number comes after them.
            "filename" => self.files.count = Some(names(value).len() as u64),
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }
}
