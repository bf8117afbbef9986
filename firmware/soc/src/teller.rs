//! Tells whoever watches the trace window what the firmware says of itself, as it changes.

use alloc::vec;
use alloc::vec::Vec;
use driver::trace::Event;
use firmware::{Inspection, Told};

use crate::bus::trace;

/// Blocks that are looked at in a turn of the main loop, so that no turn takes long.
const BLOCKS_A_TURN: usize = 16;

/// What has been told.
#[derive(Default)]
pub struct Teller {
    told: Told,
    /// Of each block, once it takes data.
    erases: Vec<Option<u32>>,
    /// Erases and bad blocks when blocks were looked at from the first one on.
    worn: (u64, u64),
    /// The next block to look at. Behind the last one, none is until they are more.
    next_block: usize,
}

impl Teller {
    /// Tells what has changed.
    pub fn tell(&mut self, firmware: &Inspection<'_>) {
        if self.erases.is_empty() {
            self.erases = vec![None; firmware.blocks() as usize];
        }
        let mut now = firmware.told();
        let worn = (firmware.planned_erases(), now.counters.bad_blocks);
        if worn != self.worn {
            (self.worn, self.next_block) = (worn, 0);
        }
        self.tell_numbers(&mut now);
        self.tell_blocks(firmware);
    }

    fn tell_numbers(&mut self, now: &mut Told) {
        for (which, (now, told)) in (0..).zip(now.each().zip(self.told.each())) {
            if *now != *told {
                trace(Event::Count(which, now.wrapping_sub(*told) as u32));
            }
        }
        self.told = *now;
    }

    fn tell_blocks(&mut self, firmware: &Inspection<'_>) {
        let left = self.erases.iter_mut().enumerate().skip(self.next_block);
        for (block, told) in left.take(BLOCKS_A_TURN) {
            let block = block as u32;
            let erases = firmware.block_erases(block);
            if erases != *told {
                *told = erases;
                trace(Event::Erases(block, erases));
            }
            self.next_block += 1;
        }
    }
}
