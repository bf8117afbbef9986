//! The open superblocks of a way: one for each stream.

use super::{Blocks, Open, Role, Stream, NONE};

impl Blocks {
    /// The streams that a way can have an open superblock for.
    #[inline]
    pub fn streams(&self) -> &'static [Stream] {
        &Stream::ALL[..usize::from(self.streams)]
    }

    /// What a superblock was opened for last.
    pub fn stream(&self, die: u32, superblock: u32) -> Stream {
        self.of(die, superblock).stream
    }

    /// The open superblock of a stream of a way, and its next page.
    #[inline]
    pub fn open(&self, die: u32, stream: Stream) -> Option<(u32, u32)> {
        let Open { superblock, next_page } = self.dies[die as usize].open[stream.index()];
        (superblock != NONE).then_some((superblock, next_page))
    }

    /// Pages left in the open superblock of a stream of a way; none if none is open.
    #[inline]
    pub fn left(&self, die: u32, stream: Stream) -> u32 {
        self.open(die, stream).map_or(0, |(_, next)| self.superblock_pages() - next)
    }

    /// Pages left in the row of all planes that the next page of a stream of a way lies in.
    #[inline]
    pub fn left_in_row(&self, die: u32, stream: Stream) -> u32 {
        let next = self.open(die, stream).map(|(_, next)| next);
        next.map_or(0, |next| self.planes() - (next & (self.planes() - 1)))
    }

    /// Opens the next free superblock of a way for a stream that has none open, and returns it.
    pub fn open_next(&mut self, die: u32, stream: Stream) -> u32 {
        let d = &mut self.dies[die as usize];
        let open = d.open[stream.index()].superblock;
        assert_eq!(open, NONE, "way {die} has an open superblock for {stream:?} already");
        let superblock = d.free.head;
        assert_ne!(superblock, NONE, "way {die} has no free superblock");
        self.unlink(die, superblock);
        let opened = self.of_mut(die, superblock);
        (opened.role, opened.stream) = (Role::Open, stream);
        self.dies[die as usize].open[stream.index()] = Open { superblock, next_page: 0 };
        superblock
    }

    /// Whether a superblock, just opened, has to be erased first. It has not any more.
    pub(in crate::ftl) fn take_unclean(&mut self, die: u32, superblock: u32) -> bool {
        let index = self.index(die, superblock);
        core::mem::take(&mut self.unclean[index])
    }

    /// Opens a superblock in no list again, whose first `used` pages are taken.
    pub(in crate::ftl) fn reopen(
        &mut self,
        (die, stream): (u32, Stream),
        superblock: u32,
        used: u32,
    ) {
        let opened = self.of_mut(die, superblock);
        (opened.role, opened.stream) = (Role::Open, stream);
        self.dies[die as usize].open[stream.index()] = Open { superblock, next_page: used };
    }
}
