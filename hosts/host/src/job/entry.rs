//! A line of a job.

use super::error::{JobError, Place};
use super::variables::keywords;

/// One `key=value`; a bare key has an empty value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) place: Place,
    pub(super) key: String,
    pub(super) value: String,
}

impl Entry {
    /// From its two sides, with keywords of the value replaced.
    pub(super) fn new(place: Place, key: &str, value: &str) -> Result<Self, JobError> {
        let (key, found) = (key.to_string(), value.to_string());
        match keywords(value) {
            Ok(value) => Ok(Self { place, key, value }),
            Err(expected) => Err(JobError::Value { place, key, found, expected }),
        }
    }
}
