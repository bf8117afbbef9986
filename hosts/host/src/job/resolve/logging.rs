//! The logs of a job by their names.

use super::super::logging::{LogNames, Logging};
use super::super::settings::Settings;

/// What a trace calls the drive where the job does not name one.
const DRIVE: &str = "/dev/nvme0n1";

impl Settings {
    /// The logs of this job, with all names filled in.
    pub(in super::super) fn named_logs(&self) -> Logging {
        let mut logging = self.logging.clone();
        let LogNames { bandwidth, latency, iops, histogram } = &mut logging.names;
        for name in [bandwidth, latency, iops, histogram].into_iter().flatten() {
            if name.is_empty() {
                name.clone_from(&self.name);
            }
        }
        let (_, drive) = self.origin("filename");
        logging.drive = if drive.is_empty() { DRIVE.to_string() } else { drive };
        logging
    }
}
