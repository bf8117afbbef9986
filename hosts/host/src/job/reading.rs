//! From the lines of a job to its settings.

use super::apply::Applied;
use super::checks::{self, wrong};
use super::entry::Entry;
use super::error::{JobError, Place};
use super::names::canonical;
use super::settings::Settings;
use super::units::KbBase;

impl Settings {
    /// Reads a job's options in order, the last of each name counting, and the warnings about those
    /// that are not acted on.
    pub(super) fn read(
        name: String,
        place: Place,
        entries: Vec<Entry>,
    ) -> Result<(Self, Vec<String>), JobError> {
        let mut settings = Settings::new(name, place);
        let mut warnings = Vec::new();
        // The base decides what sizes mean, wherever it stands.
        for entry in entries.iter().filter(|e| e.key == "kb_base") {
            settings.kb_base = KbBase::read(&entry.value).map_err(|e| wrong(entry, e))?;
        }
        checks::engine(&entries)?;
        for entry in &entries {
            let key = canonical(&entry.key);
            checks::belongs(key, entry, &entries)?;
            match settings.apply(key, &entry.value).map_err(|e| wrong(entry, e))? {
                Applied::Yes => {
                    settings.says(key, (entry.place.clone(), entry.value.clone()));
                }
                Applied::NotASetting => checks::set_aside(key, entry)?,
            }
        }
        checks::contradictions(&settings)?;
        checks::remarks(&mut settings, &mut warnings);
        Ok((settings, warnings))
    }
}
