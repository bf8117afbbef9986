//! Placement handles of a job's writes (`fdp`, `dataplacement`, `plids`, `plid_select` of fio), on drives whose host places its data.

use super::error::JobError;
use super::units::{self, Reading};

/// How the handle of a write is chosen (`plid_select`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// One after the other.
    #[default]
    InTurn,
    /// At random.
    Random,
}

/// The placement identifiers that a job's writes name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handles {
    /// Them, at least one.
    pub identifiers: Vec<u16>,
    /// How that of a write is chosen.
    pub selection: Selection,
}

/// What a job says of placement.
#[derive(Clone, Debug, Default)]
pub(super) struct HandleSettings {
    /// The option that asks for it.
    pub(super) asked_by: Option<&'static str>,
    /// Indices of placement identifiers; all of them, if none is said.
    pub(super) indices: Vec<u16>,
    pub(super) selection: Selection,
}

impl HandleSettings {
    /// What an option asks for.
    pub(super) fn ask(&mut self, by: &'static str, is_wanted: bool) {
        self.asked_by = is_wanted.then_some(by);
    }
}

/// Reads `dataplacement`: whether the host places its data.
pub(super) fn read_placement(text: &str) -> Reading<bool> {
    match text {
        "none" => Ok(false),
        "fdp" => Ok(true),
        _ => Err("none or fdp".to_owned()),
    }
}

/// Reads `plid_select`.
pub(super) fn read_selection(text: &str) -> Reading<Selection> {
    match text {
        "roundrobin" => Ok(Selection::InTurn),
        "random" => Ok(Selection::Random),
        _ => Err("roundrobin or random".to_owned()),
    }
}

/// Reads `plids`: indices of placement identifiers, divided by commas.
pub(super) fn read_indices(text: &str) -> Reading<Vec<u16>> {
    let index = |text: &str| units::count(text.trim(), 0, u16::MAX.into()).map(|n| n as u16);
    text.split(',').map(index).collect()
}

impl HandleSettings {
    /// The identifiers that writes name on a drive with so many. `error` makes an error of an option, what was found and what was
    /// expected.
    ///
    /// # Errors
    /// When the drive has none, or not those.
    pub(super) fn fit(
        &self,
        of_drive: u16,
        error: impl Fn(&str, Option<String>, String) -> JobError,
    ) -> Result<Option<Handles>, JobError> {
        let Some(key) = self.asked_by else { return Ok(None) };
        if of_drive == 0 {
            let expected = "a board whose host places its data (ftl.streams by-handle)".to_owned();
            return Err(error(key, None, expected));
        }
        if let Some(index) = self.indices.iter().find(|&&index| index >= of_drive) {
            let expected = format!("at most {}, the last that the drive has", of_drive - 1);
            return Err(error("plids", Some(index.to_string()), expected));
        }
        let identifiers = match self.indices.is_empty() {
            true => (0..of_drive).collect(),
            false => self.indices.clone(),
        };
        Ok(Some(Handles { identifiers, selection: self.selection }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{parse_file, DriveShape};

    fn shape(placement_handles: u16) -> DriveShape {
        DriveShape { capacity_bytes: 1 << 30, block_bytes: 4096, placement_handles, zones: None }
    }

    #[test]
    fn a_job_names_the_identifiers_that_it_says_or_all_of_them() {
        let in_turn = |identifiers: &[u16]| {
            let identifiers = identifiers.to_vec();
            Some(Handles { identifiers, selection: Selection::InTurn })
        };
        for (options, expected) in [
            ("", None),
            ("fdp=0", None),
            ("fdp=0 plids=2", None),
            ("dataplacement=none", None),
            ("fdp=1", in_turn(&[0, 1, 2, 3])),
            ("dataplacement=fdp", in_turn(&[0, 1, 2, 3])),
            ("fdp=1 plids=3,0,3", in_turn(&[3, 0, 3])),
            ("fdp=1 fdp_pli=2 fdp_pli_select=roundrobin", in_turn(&[2])),
        ] {
            let text = format!("[job]\nrw=write\nsize=1m\n{}\n", options.replace(' ', "\n"));
            let specs = parse_file("job.fio", &text).unwrap().resolve(shape(4)).unwrap();
            assert_eq!(specs[0].handles, expected, "{options}");
        }
    }

    #[test]
    fn what_the_drive_does_not_have_is_refused_in_a_line() {
        for (options, handles, expected) in [
            ("fdp=1", 0, "fdp: found \"1\", expected a board whose host places its data (ftl.streams by-handle)"),
            ("dataplacement=fdp", 0, "dataplacement: found \"fdp\", expected a board whose host places its data (ftl.streams by-handle)"),
            ("fdp=1 plids=1,4", 4, "plids: found \"4\", expected at most 3, the last that the drive has"),
            ("dataplacement=streams", 4, "dataplacement: found \"streams\", expected none or fdp"),
            ("plid_select=scheme", 4, "plid_select: found \"scheme\", expected roundrobin or random"),
            ("plids=one", 4, "plids: found \"one\", expected a whole number from 0 to 65535"),
        ] {
            let text = format!("[job]\nrw=write\nsize=1m\n{}\n", options.replace(' ', "\n"));
            let found = parse_file("job.fio", &text).and_then(|jobs| jobs.resolve(shape(handles)));
            let line = found.unwrap_err().to_string();
            assert!(line.contains(expected), "{options}: {line}");
        }
    }
}
