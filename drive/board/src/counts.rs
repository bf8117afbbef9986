//! When a key counts: values that change nothing on a board are told to whoever states them.

use contract::{Grain, Medium};

use crate::keys;
use crate::kind::Case;
use crate::Board;

/// Whether it holds on a board.
fn holds(case: Case, board: &Board) -> bool {
    let firmware = &board.firmware;
    let by_firmware = firmware.grain == Grain::Phases;
    match case {
        Case::ByFirmware => by_firmware,
        Case::ByController => !by_firmware,
        Case::PlanesTogether => !by_firmware || board.channel.scheduling.merging.planes,
        Case::PagesTogether => !by_firmware || firmware.programming.flash_pages > 1,
        Case::InFlash => firmware.medium == Medium::Flash,
        Case::InMemory => firmware.medium == Medium::Memory,
        Case::NotSimulated => false,
    }
}

impl Board {
    /// Keys that a simulated drive of this board makes no use of.
    pub fn unused_keys(&self) -> impl Iterator<Item = &'static str> + '_ {
        let unused =
            keys::all().iter().filter(|key| !key.when.iter().all(|case| holds(*case, self)));
        unused.map(|key| &*key.path)
    }

    /// The unused keys whose values differ from those of the board of this name that is built in, or where none is, of the
    /// default board. What a board that is built in says of its hardware is true of it, used or not.
    pub fn unused_values(&self) -> Vec<&'static str> {
        let names = crate::names();
        let name = names.iter().find(|&&name| name == self.name).unwrap_or(&names[0]);
        let built_in = Board::resolve(name, &[]).expect("built-in boards resolve");
        let (own, other) = (&self.sheet, &built_in.sheet);
        self.unused_keys().filter(|key| own.leaf(key).amount != other.leaf(key).amount).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unused(name: &str, set: &[(&str, &str)]) -> Vec<&'static str> {
        let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        Board::resolve(name, &set).expect("the board").unused_keys().collect()
    }

    /// Keys of every case, where the case holds and where it does not.
    #[test]
    fn a_key_counts_where_its_case_holds() {
        let by_controller = [("channel.scheduler", "controller")];
        for (key, counts_by_firmware, counts_by_controller) in [
            ("channel.clock_mhz", false, false),
            ("channel.request_depth", true, false),
            ("ftl.priority", true, false),
            ("channel.way_queue_depth", false, true),
            ("flash.planes", false, true),
            ("flash.t_plane_busy_us", false, true),
            ("flash.t_erase_us", true, true),
            ("memory.channels", false, false),
        ] {
            assert_eq!(!unused("small", &[]).contains(&key), counts_by_firmware, "{key}");
            assert_eq!(
                !unused("small", &by_controller).contains(&key),
                counts_by_controller,
                "{key}"
            );
        }
        let in_memory = unused("openexpress", &[]);
        assert!(in_memory.contains(&"flash.t_erase_us") && !in_memory.contains(&"memory.channels"));
        assert!(in_memory.contains(&"ftl.victim") && !unused("small", &[]).contains(&"ftl.victim"));
    }

    #[test]
    fn what_a_built_in_board_says_of_itself_is_no_fault_of_whoever_uses_it() {
        for name in crate::names() {
            let board = Board::resolve(name, &[]).expect("the board");
            assert_eq!(board.unused_values(), [""; 0], "{name}");
        }
        let set = [("channel.clock_mhz".to_owned(), "10".to_owned())];
        let board = Board::resolve("ozone", &set).expect("the board");
        assert_eq!(board.unused_values(), ["channel.clock_mhz"]);
    }
}
