//! Who measures what a guest does with a drive.

use std::cell::RefCell;
use std::rc::Rc;

use board::Board;
use machine::Observer;
use pci::{Meter, Metered};

use crate::accounts::Accounts;
use crate::watch::{SharedTrace, Watchers};

/// Its commands are no program's.
pub(crate) const ADMIN_QUEUE: u16 = 0;

/// Measures of a guest on a drive.
#[derive(Clone, Debug)]
pub struct Measures {
    /// Its commands.
    pub meter: Rc<RefCell<Meter>>,
    /// Its system calls.
    pub accounts: Rc<RefCell<Accounts>>,
}

impl Measures {
    /// Measures of a guest that has done nothing yet.
    pub fn new(board: &Board) -> Self {
        let config = &board.firmware;
        let meter = Meter::new(config.io_queues, config.command_slots).of_engine("nvme");
        Measures { meter: Rc::new(RefCell::new(meter)), accounts: Rc::default() }
    }

    /// Those who watch the drive for these measures, and for whoever asked besides.
    pub(crate) fn watchers<'a>(
        &self,
        trace: SharedTrace,
        other: Option<&'a mut dyn Observer>,
    ) -> Watchers<'a> {
        let meter = Metered(self.meter.clone());
        Watchers { meter, accounts: self.accounts.clone(), trace, other }
    }
}
