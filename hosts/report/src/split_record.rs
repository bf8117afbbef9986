//! Times by part and cause in files: a list of part, cause and picoseconds, by their keys.

use contract::{Cause, Part, Split};
use serde::{de, Deserialize, Deserializer, Serialize, Serializer};

/// Writes all times that are not zero.
pub(crate) fn serialize<S: Serializer>(split: &Split, to: S) -> Result<S::Ok, S::Error> {
    let pairs = Part::ALL.into_iter().flat_map(|part| Cause::ALL.map(|cause| (part, cause)));
    let times = pairs.map(|(part, cause)| (part.key(), cause.key(), split.of(part, cause)));
    times.filter(|(_, _, time_ps)| *time_ps > 0).collect::<Vec<_>>().serialize(to)
}

/// Reads the times back. All of them together are a time: whoever adds some of them up does not pass its largest value.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Split, D::Error> {
    let mut split = Split::default();
    let mut total_ps: u64 = 0;
    for (part_key, cause_key, time_ps) in Vec::<(String, String, u64)>::deserialize(from)? {
        let part = Part::ALL.into_iter().find(|part| part.key() == part_key);
        let cause = Cause::ALL.into_iter().find(|cause| cause.key() == cause_key);
        total_ps = total_ps.checked_add(time_ps).ok_or_else(|| {
            de::Error::custom(format!("{time_ps} ps of {cause_key:?} beyond the longest time"))
        })?;
        match part.zip(cause).filter(|(part, cause)| Split::occurs(*part, *cause)) {
            Some((part, cause)) => split.add(part, cause, time_ps),
            None => {
                let fault = format!("{cause_key:?} in {part_key:?} in place of a cause in a part");
                return Err(de::Error::custom(fault));
            }
        }
    }
    Ok(split)
}
