//! What tells one resolved board from another: a digest of its values.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::keys;
use crate::leaf::Amount;
use crate::Board;

impl Board {
    /// SHA-256 of all resolved values, as 64 hexadecimal digits. Name, description, sources and the
    /// way in which a number is written do not count: boards of one digest behave alike.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for (key, leaf) in self.sheet.used() {
            let value = match &leaf.amount {
                Amount::Number(number) => number.to_string(),
                Amount::Sizes(sizes) => format!("{sizes:?}"),
                Amount::Lists(lists) => format!("{lists:?}"),
                Amount::Unstated => continue,
            };
            hash.update(format!("{}={value}\n", key.path));
        }
        hash.finalize().iter().fold(String::new(), |mut digits, byte| {
            write!(digits, "{byte:02x}").expect("a string takes all");
            digits
        })
    }

    /// All keys with their values, as TOML, but for those of policies that the board has not chosen, and those that it leaves out.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.sheet.used().map(|(key, leaf)| (key.path.as_str(), leaf.written.as_str()))
    }

    /// What each core of the processor does, in the words of the board, by number.
    pub fn core_jobs(&self) -> impl Iterator<Item = String> + '_ {
        self.sheet.lists("processor.cores").iter().map(|jobs| jobs.join(", "))
    }

    /// The value at a dotted key, as TOML; none if boards have no such key, or this board leaves it out.
    pub fn value(&self, key: &str) -> Option<&str> {
        let leaf = keys::index_of(key).map(|_| self.sheet.leaf(key));
        leaf.filter(|leaf| leaf.is_stated()).map(|leaf| leaf.written.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(key: &str, value: &str) -> Board {
        Board::resolve("small", &[(key.to_owned(), value.to_owned())]).unwrap()
    }

    #[test]
    fn the_digest_is_that_of_values_alone() {
        let plain = Board::resolve("small", &[]).unwrap();
        let clock = plain.value("processor.clock_mhz").unwrap();
        assert_eq!(set("processor.clock_mhz", clock).sha256(), plain.sha256());
        assert_ne!(set("processor.clock_mhz", "123").sha256(), plain.sha256());
        assert_ne!(set("ftl.placement", "random").sha256(), plain.sha256());
        assert_eq!(plain.sha256().len(), 64);
        assert_eq!(plain.value("processor.clock"), None);
    }

    #[test]
    fn a_printed_board_has_the_digest_of_its_origin() {
        let board = set("flash.t_erase_us", "3500.5");
        let read = Board::parse("elsewhere.toml", &board.to_toml()).unwrap();
        assert_eq!(read.sha256(), board.sha256());
    }
}
