//! Which placement identifier a write names.

use nvme::command::Entry;
use nvme::placement;

use super::slot::Slot;
use crate::job::{clone_seed, Handles, JobSpec, Selection};

/// Sets the draws of identifiers apart from those of offsets.
const PURPOSE: u64 = 0x7066_6470_6964_7331;

/// The identifiers of a job's writes.
#[derive(Debug)]
pub(super) struct Placing {
    handles: Handles,
    /// The next in turn.
    next: usize,
    random: u64,
}

impl Placing {
    /// Those of a job, if its writes name any.
    pub fn of(spec: &JobSpec, seed: u64) -> Option<Box<Placing>> {
        let handles = spec.handles.clone()?;
        let random = random::mix(clone_seed(spec, seed) ^ PURPOSE);
        Some(Box::new(Placing { handles, next: 0, random }))
    }

    /// Has a command name an identifier: as fio does, a request has one, and so all of its commands have.
    pub fn place(&mut self, entry: Entry, slot: &mut Slot, is_first: bool) -> Entry {
        if is_first {
            slot.identifier = self.choose();
        }
        placement::with_identifier(entry, slot.identifier)
    }

    fn choose(&mut self) -> u16 {
        let identifiers = &self.handles.identifiers;
        let nth = match self.handles.selection {
            Selection::InTurn => {
                let nth = self.next;
                self.next = (nth + 1) % identifiers.len();
                nth
            }
            Selection::Random => random::below(&mut self.random, identifiers.len() as u64) as usize,
        };
        identifiers[nth]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nvme::command::Header;
    use nvme::io::opcode;

    fn placing(identifiers: &[u16], selection: Selection) -> Placing {
        let handles = Handles { identifiers: identifiers.to_vec(), selection };
        Placing { handles, next: 0, random: 3 }
    }

    fn named(placing: &mut Placing, slot: &mut Slot, is_first: bool) -> Option<u16> {
        let write = Entry::new(opcode::WRITE, Header::default());
        placement::identifier(&placing.place(write, slot, is_first))
    }

    #[test]
    fn requests_take_turns_and_commands_of_a_request_name_the_same() {
        let mut placing = placing(&[4, 2, 2], Selection::InTurn);
        let (mut one, mut other) = (Slot::NOTHING, Slot::NOTHING);
        assert_eq!(named(&mut placing, &mut one, true), Some(4));
        assert_eq!(named(&mut placing, &mut other, true), Some(2));
        assert_eq!(named(&mut placing, &mut one, false), Some(4));
        let next: Vec<_> = (0..4).map(|_| named(&mut placing, &mut one, true)).collect();
        assert_eq!(next, [2, 4, 2, 2].map(Some));
    }

    #[test]
    fn drawn_identifiers_are_all_of_them() {
        let mut placing = placing(&[0, 1, 2, 3], Selection::Random);
        let mut counts = [0; 4];
        for _ in 0..400 {
            let own = named(&mut placing, &mut Slot::NOTHING.clone(), true).expect("an identifier");
            counts[usize::from(own)] += 1;
        }
        assert!(counts.iter().all(|count| (60..150).contains(count)), "{counts:?}");
    }
}
