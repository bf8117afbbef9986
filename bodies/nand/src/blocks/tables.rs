//! Blocks and their tables in a snapshot.

use borsh::io::{Read, Result, Write};
use contract::state::{expect, put_words, take_words};
use sparse::Parts;

use super::Blocks;
use crate::states::Pages;

impl<P> Blocks<P> {
    /// Writes the words of all tables as [`put_words`] has them.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn put_tables(&self, to: &mut impl Write) -> Result<()> {
        put_words(self.tables.len(), self.tables.iter(), to)
    }

    /// Reads the tables of blocks whose other fields were read, and checks these. `new` are the blocks of new chips of the same
    /// board.
    ///
    /// # Errors
    /// The errors of the reader, and when they are not of such chips.
    pub fn take_tables(&mut self, new: &Self, from: &mut impl Read) -> Result<()> {
        let shape = |blocks: &Self| {
            let words = (blocks.versions_per_page, blocks.words_per_page, blocks.units);
            (words, blocks.geometry, blocks.states.sizes())
        };
        expect(shape(self) == shape(new), "chips of another board")?;
        let each = new.tables.each();
        let touched = |pages: &Pages| !matches!(pages, Pages::Prior);
        let most = self.states.iter().filter(|state| touched(&state.pages)).count();
        let words = take_words(most.saturating_mul(each), from)?;
        expect(words.len() % each == 0, "a block with half a table")?;
        let tables = words.len() / each;
        let mut owned = vec![false; tables];
        for state in self.states.iter() {
            expect(
                state.next <= self.geometry.pages_per_block,
                "a page that a block does not have",
            )?;
            if let Pages::Table(table) = state.pages {
                let free = owned.get_mut(table as usize);
                expect(
                    free.is_some_and(|owned| !std::mem::replace(owned, true)),
                    "a table of two blocks",
                )?;
            }
        }
        for &left in &self.left {
            let free = owned.get_mut(left as usize);
            expect(
                free.is_some_and(|owned| !std::mem::replace(owned, true)),
                "a table that was left and is none, or a block's",
            )?;
        }
        self.tables = Parts::new(each, words);
        Ok(())
    }
}
