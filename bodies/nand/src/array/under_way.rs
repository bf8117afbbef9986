//! What chips do at a time: those that hang, and what a power loss leaves of operations that were not over.

use super::{Array, Work};
use crate::aside::number;
use crate::die::Register;
use crate::hung::Hung;
use crate::Prior;

impl<P: Prior> Array<P> {
    /// A die hangs at the next thing that it is told.
    pub fn hang(&mut self, die: u32) {
        let (dies, timeout) = (self.dies.len() as u32, self.timeout);
        self.hung.get_or_insert_with(|| Hung::new(dies, timeout)).at_next(die);
    }

    /// States from when on a die does without end what it was told.
    pub fn note_hung(&mut self, die: u32, at: u64) {
        if let Some(hung) = &mut self.hung {
            hung.note(die, at);
        }
    }

    /// Dies that hang.
    pub fn hung(&self, now: u64) -> u32 {
        self.hung.as_ref().map_or(0, |hung| hung.count(now))
    }

    /// From now on no more than so many dies hang, with those that do.
    pub fn limit_hung(&mut self, now: u64, most: u32) {
        if let Some(hung) = &mut self.hung {
            hung.limit(now, most);
        }
    }

    /// States when a die does what it was told: from `from` to `until`, in picoseconds. Needed where the
    /// power may be cut.
    #[inline]
    pub fn occupy(&mut self, die: u32, work: Work, (from, until): (u64, u64)) {
        let Some(last) = self.last_works.get_mut(die as usize) else { return };
        if let Some(watched) = &mut self.watched {
            watched.push((work, from, until));
        }
        let is_over = |slot: &Option<(Work, u64, u64)>| slot.is_none_or(|(_, _, end)| end <= from);
        let slot = last.works.iter_mut().find(|slot| is_over(slot));
        *slot.expect("a die does one thing at a time, on each plane") = Some((work, from, until));
    }

    /// What a die was told last lasts until then, as it stopped with it or goes on.
    pub fn prolong(&mut self, die: u32, until: u64) {
        let Some(last) = self.last_works.get_mut(die as usize) else { return };
        let latest = last.works.iter_mut().flatten().max_by_key(|(_, from, _)| *from);
        latest.expect("a die that stops with something was told it").2 = until;
    }

    /// What dies do, from and until when: first what is under way at `now`, then what they were told since this was
    /// asked last.
    pub fn watch(&mut self, now: u64) -> impl Iterator<Item = (Work, u64, u64)> + '_ {
        let works = self.last_works.iter().flat_map(|last| last.works.into_iter().flatten());
        let watched =
            self.watched.get_or_insert_with(|| works.filter(|work| work.2 > now).collect());
        watched.drain(..)
    }

    /// So many hours pass in which there is no power.
    pub fn rest(&mut self, hours: u64) {
        if let Some(aging) = &mut self.aging {
            aging.rest(hours);
        }
    }

    /// The power goes away at `now`. What is under way then is cut off: a page that is being programmed and a
    /// block that is being erased hold neither what they did nor what they were to. What had not begun did
    /// not happen, but for erases, which count as begun once they were handed over.
    pub fn cut(&mut self, now: u64) {
        if let Some(aging) = &mut self.aging {
            aging.cut(now);
        }
        self.watched = None;
        if let Some(hung) = &mut self.hung {
            hung.cut();
        }
        for die in 0..self.last_works.len() as u32 {
            let state = &mut self.dies[die as usize];
            state.register = Register::default();
            let passes = state.passes.take();
            let works = core::mem::take(&mut self.last_works[die as usize]).works;
            for (work, from, _) in works.into_iter().flatten().filter(|&(_, _, end)| end > now) {
                match work {
                    Work::Erase { block } => {
                        let block = self.blocks.index(die, block);
                        self.blocks.tear_all(block);
                        self.keep_block(block);
                    }
                    // A pass that had not begun leaves what the one before it did.
                    Work::Program { row }
                        if from < now || passes.is_some_and(|of| of.0 == row && of.1 > 1) =>
                    {
                        let at = self.blocks.place(die, row);
                        self.blocks.tear(at);
                        self.keep_page(at);
                    }
                    Work::Program { row } => {
                        let at = self.blocks.place(die, row);
                        self.blocks.take_back(at);
                        if let Some(image) = &self.image {
                            image.take_back(number(image, at));
                        }
                    }
                }
            }
        }
    }
}
