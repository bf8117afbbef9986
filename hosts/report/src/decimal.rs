//! Large integers in files: as decimal text, since readers of JSON keep numbers to 64 bits at most.

use serde::{de, Deserialize, Deserializer, Serializer};

/// Writes `value` as text.
pub(crate) fn serialize<S: Serializer>(value: &u128, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// Reads a value back.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(|_| de::Error::custom(format!("{text:?} in place of a whole number")))
}
