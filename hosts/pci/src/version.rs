//! Negotiation: which version of the protocol, and which limits hold.

use rustix::io::Errno;
use serde_json::{json, Value};

use crate::memory::{MOST_REGIONS, PAGE_BYTES};
use crate::wire::{Fields, MOST_DATA};

const MAJOR: u16 = 0;
const MINOR: u16 = 1;
/// File descriptors that a client may put into one message. The server takes more, but QEMU takes no
/// server that offers more than 16.
const MOST_FDS: u64 = 16;
/// What a client that names no limit takes in one message, in bytes.
const DEFAULT_TRANSFER: u64 = 1 << 20;

/// What a client proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    minor: u16,
    /// Most bytes of data that it takes in one message, at least 1.
    pub most_transfer: u64,
    writes_multiple: bool,
}

impl Proposal {
    /// Reads the payload of a VERSION command.
    ///
    /// # Errors
    /// EINVAL when the version is another or the capabilities are not what they should be.
    pub fn parse(payload: &[u8]) -> Result<Self, Errno> {
        let mut fields = Fields(payload);
        let (major, minor) = (fields.u16()?, fields.u16()?);
        if major != MAJOR {
            return Err(Errno::INVAL);
        }
        let capabilities = match fields.rest() {
            [] => Value::Null,
            [text @ .., 0] => capabilities(text)?,
            _ => return Err(Errno::INVAL),
        };
        let most_transfer = match capabilities.get("max_data_xfer_size") {
            None => DEFAULT_TRANSFER,
            Some(value) => value.as_u64().filter(|&bytes| bytes > 0).ok_or(Errno::INVAL)?,
        };
        let writes_multiple = match capabilities.get("write_multiple") {
            None => false,
            Some(value) => value.as_bool().ok_or(Errno::INVAL)?,
        };
        let most_transfer = most_transfer.min(MOST_DATA as u64);
        Ok(Proposal { minor, most_transfer, writes_multiple })
    }

    /// The payload of the answer.
    pub fn answer(&self) -> Vec<u8> {
        let mut capabilities = json!({
            "max_msg_fds": MOST_FDS,
            "max_data_xfer_size": MOST_DATA,
            "max_dma_maps": MOST_REGIONS,
            "pgsizes": PAGE_BYTES,
        });
        // The answer may name only what was proposed.
        if self.writes_multiple {
            capabilities["write_multiple"] = Value::Bool(true);
        }
        let text = json!({ "capabilities": capabilities }).to_string();
        let mut payload = Vec::new();
        payload.extend_from_slice(&MAJOR.to_le_bytes());
        payload.extend_from_slice(&self.minor.min(MINOR).to_le_bytes());
        payload.extend_from_slice(text.as_bytes());
        payload.push(0);
        payload
    }
}

/// The capabilities in the JSON text, or null where there are none.
fn capabilities(text: &[u8]) -> Result<Value, Errno> {
    let value: Value = serde_json::from_slice(text).map_err(|_| Errno::INVAL)?;
    let Value::Object(mut object) = value else { return Err(Errno::INVAL) };
    match object.remove("capabilities") {
        None => Ok(Value::Null),
        Some(capabilities @ Value::Object(_)) => Ok(capabilities),
        Some(_) => Err(Errno::INVAL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(version: [u8; 4], text: &str) -> Result<Proposal, Errno> {
        Proposal::parse(&[&version[..], text.as_bytes()].concat())
    }

    #[test]
    fn the_answer_is_no_newer_than_the_proposal_and_names_what_it_named() {
        let old = proposed([0; 4], "").unwrap();
        assert_eq!(old.most_transfer, 1 << 20);
        let answer = old.answer();
        assert_eq!(answer[..4], [0; 4]);
        assert!(!String::from_utf8_lossy(&answer).contains("write_multiple"));
        let text = "{\"capabilities\":{\"max_data_xfer_size\":4096,\"write_multiple\":true}}\0";
        let new = proposed([0, 0, 9, 0], text).unwrap();
        assert_eq!(new.most_transfer, 4096);
        let answer = new.answer();
        assert_eq!((&answer[..4], answer.last()), (&[0, 0, 1, 0][..], Some(&0)));
        let told: Value = serde_json::from_slice(&answer[4..answer.len() - 1]).unwrap();
        assert_eq!(told["capabilities"]["write_multiple"], true);
        assert_eq!(told["capabilities"]["pgsizes"], 4096);
    }

    #[test]
    fn a_proposal_that_is_none_is_refused() {
        for (version, text) in [
            ([1, 0, 0, 0], ""),
            ([0; 4], "{}"),
            ([0; 4], "\0"),
            ([0; 4], "[]\0"),
            ([0; 4], "{\"capabilities\":3}\0"),
            ([0; 4], "{\"capabilities\":{\"max_data_xfer_size\":0}}\0"),
            ([0; 4], "{\"capabilities\":{\"max_data_xfer_size\":\"x\"}}\0"),
            ([0; 4], "{\"capabilities\":{\"write_multiple\":1}}\0"),
        ] {
            assert_eq!(proposed(version, text), Err(Errno::INVAL), "{text}");
        }
        assert_eq!(Proposal::parse(&[0; 3]), Err(Errno::INVAL));
    }
}
