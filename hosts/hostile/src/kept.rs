//! Houses that are built once a thread; each input has a copy of one.
//!
//! An input must say by itself what happens, so no drive lives on from one input to the next.

use std::cell::{Cell, OnceCell};
use std::ops::{Deref, DerefMut};

use crate::house::{board, House};
use crate::memory::Memory;

thread_local! {
    static AT_POWER_ON: OnceCell<House> = const { OnceCell::new() };
    static RUNNING: OnceCell<House> = const { OnceCell::new() };
    static WITH_BYTES: OnceCell<House> = const { OnceCell::new() };
    /// The memory of the copy before, which the next one takes over: what was not touched need not be copied.
    static MEMORY: Cell<Option<Memory>> = const { Cell::new(None) };
}

/// A copy of a house that was built before.
pub struct Copied(Option<House>);

impl Copied {
    /// Of a drive at power-on, with stamps for data.
    pub fn at_power_on() -> Self {
        AT_POWER_ON.with(|kept| Copied::of(kept.get_or_init(House::built)))
    }

    /// Of a drive that is up, with all queue pairs.
    pub fn running() -> Self {
        RUNNING.with(|kept| Copied::of(kept.get_or_init(House::built_running)))
    }

    /// Of a drive that is up, with real bytes.
    pub fn with_bytes() -> Self {
        let build = || House::built_with_bytes(board());
        WITH_BYTES.with(|kept| Copied::of(kept.get_or_init(build)))
    }

    fn of(house: &House) -> Self {
        Copied(Some(house.copied(MEMORY.take().unwrap_or_default())))
    }
}

impl Deref for Copied {
    type Target = House;

    fn deref(&self) -> &House {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

impl DerefMut for Copied {
    fn deref_mut(&mut self) -> &mut House {
        self.0.as_mut().expect("it is there until it is dropped")
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        MEMORY.set(self.0.take().map(House::into_memory));
    }
}
