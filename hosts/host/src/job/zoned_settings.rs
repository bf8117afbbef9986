//! What job files say of zones, and whether it fits the drive.

use super::direction::Direction;
use super::error::JobError;
use super::spec::Mix;
use super::units::{self, Reading};
use super::zoned::{ZoneLayout, Zoned};

/// What a job says of zones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ZonedSettings {
    is_zoned: bool,
    zone_bytes: u64,
    most_open: u32,
    most_own: u32,
    appends: bool,
}

impl ZonedSettings {
    /// Acts on an option, if it is one of these.
    pub(super) fn apply(
        &mut self,
        key: &str,
        value: &str,
        size: impl Fn(&str) -> Reading<u64>,
    ) -> Reading<bool> {
        let count = |text| units::count(text, 0, 65_535).map(|count| count as u32);
        match key {
            "zonemode" => {
                self.is_zoned = match value {
                    "none" => false,
                    "zbd" => true,
                    _ => return Err("none or zbd".to_owned()),
                }
            }
            "zonesize" => self.zone_bytes = size(value)?,
            "max_open_zones" => self.most_open = count(value)?,
            "job_max_open_zones" => self.most_own = count(value)?,
            "zone_append" => self.appends = units::boolean(value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// How a job of this mix uses the zones of a drive, if it has some. `error` makes an error of an option, what was found and what was
    /// expected.
    ///
    /// # Errors
    /// When only one of job and drive has zones, when zones are of another size, or when the job writes more of them than the drive lets be open.
    pub(super) fn fit(
        &self,
        layout: Option<ZoneLayout>,
        mix: Mix,
        error: impl Fn(&str, Option<String>, String) -> JobError,
    ) -> Result<Option<Zoned>, JobError> {
        let Some(layout) = layout else {
            if self.is_zoned {
                let expected = "none, as the drive has no zones (nvme.command_set zoned)";
                return Err(error("zonemode", None, expected.to_owned()));
            }
            return Ok(None);
        };
        if !self.is_zoned {
            let (found, expected) = ("none".to_owned(), "zbd, as the drive has zones".to_owned());
            return Err(error("zonemode", Some(found), expected));
        }
        if mix.directions().contains(&Direction::Trim) {
            let expected = "reads and writes: zones are reset when they are written anew";
            return Err(error("rw", None, expected.to_owned()));
        }
        if self.zone_bytes != 0 && self.zone_bytes != layout.zone_bytes {
            let expected = format!("0, or the zones of the drive, {} bytes", layout.zone_bytes);
            return Err(error("zonesize", Some(self.zone_bytes.to_string()), expected));
        }
        for (key, found) in
            [("max_open_zones", self.most_open), ("job_max_open_zones", self.most_own)]
        {
            if found > layout.most_open {
                let expected = format!("at most {}, the open zones of the drive", layout.most_open);
                return Err(error(key, Some(found.to_string()), expected));
            }
        }
        let limit = |count: u32| (count > 0).then_some(count);
        Ok(Some(Zoned {
            most_open: limit(self.most_open),
            most_own: limit(self.most_own),
            appends: self.appends,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{parse_file, DriveShape};

    fn resolve(options: &str, zones: Option<ZoneLayout>) -> Result<Option<Zoned>, String> {
        let shape =
            DriveShape { capacity_bytes: 64 << 20, block_bytes: 4096, placement_handles: 0, zones };
        let text = format!("[job]\nsize=1m\n{}\n", options.replace(' ', "\n"));
        let found = parse_file("job.fio", &text).and_then(|jobs| jobs.resolve(shape));
        found.map(|specs| specs[0].zoned).map_err(|error| error.to_string())
    }

    const LAYOUT: ZoneLayout =
        ZoneLayout { zone_bytes: 1 << 20, capacity_bytes: 1 << 20, zones: 64, most_open: 3 };

    #[test]
    fn a_job_says_how_it_uses_zones() {
        let zoned = |most_open, most_own, appends| Some(Zoned { most_open, most_own, appends });
        for (options, zones, expected) in [
            ("rw=write", None, None),
            ("rw=write zonemode=none", None, None),
            ("rw=write zonemode=zbd", Some(LAYOUT), zoned(None, None, false)),
            (
                "rw=randwrite zonemode=zbd max_open_zones=2 zonesize=1m job_max_open_zones=1",
                Some(LAYOUT),
                zoned(Some(2), Some(1), false),
            ),
            ("rw=write zonemode=zbd zone_append=1", Some(LAYOUT), zoned(None, None, true)),
        ] {
            assert_eq!(resolve(options, zones), Ok(expected), "{options}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_in_a_line() {
        for (options, zones, expected) in [
            (
                "rw=write zonemode=zbd",
                None,
                "zonemode: found \"zbd\", expected none, as the drive has no zones",
            ),
            (
                "rw=write",
                Some(LAYOUT),
                "zonemode: found \"none\", expected zbd, as the drive has zones",
            ),
            ("rw=trim zonemode=zbd", Some(LAYOUT), "rw: found \"trim\", expected reads and writes"),
            (
                "rw=write zonemode=strided",
                Some(LAYOUT),
                "zonemode: found \"strided\", expected none or zbd",
            ),
            (
                "rw=write zonemode=zbd zonesize=2m",
                Some(LAYOUT),
                "zonesize: found \"2097152\", expected 0, or the zones of the drive, 1048576 bytes",
            ),
            (
                "rw=write zonemode=zbd max_open_zones=4",
                Some(LAYOUT),
                "max_open_zones: found \"4\", expected at most 3, the open zones of the drive",
            ),
        ] {
            let line = resolve(options, zones).unwrap_err();
            assert!(line.contains(expected), "{options}: {line}");
        }
    }
}
