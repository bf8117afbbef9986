//! What each block may read as after a kill: what was durable, or anything newer.

/// Bytes of a block.
pub const BLOCK: usize = 4096;

/// What a block was made to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Zeroes,
    /// Bytes of the block's number and this version.
    Version(u32),
}

/// A change of a block.
#[derive(Clone, Copy, Debug)]
struct Change {
    /// All changes have different numbers.
    number: u64,
    content: Content,
    /// The command was completed.
    done: bool,
}

/// A block with its changes since the one that is durable, that one first. No two are under way at once.
#[derive(Clone, Debug)]
struct Block {
    changes: Vec<Change>,
}

/// All blocks, and what was found that must not be.
pub struct Model {
    blocks: Vec<Block>,
    version: u32,
    changes: u64,
    pub violations: Vec<String>,
}

impl Model {
    /// Blocks of zeroes.
    pub fn new(count: u64) -> Self {
        let zeroes = Change { number: 0, content: Content::Zeroes, done: true };
        let blocks = vec![Block { changes: vec![zeroes] }; count as usize];
        Model { blocks, version: 0, changes: 0, violations: Vec::new() }
    }

    pub fn count(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// Content that no block had.
    pub fn fresh(&mut self) -> Content {
        self.version += 1;
        Content::Version(self.version)
    }

    /// Whether no change of a block is under way.
    pub fn is_quiet(&self, block: u64) -> bool {
        self.blocks[block as usize].changes.iter().all(|change| change.done)
    }

    /// A change begins.
    pub fn begin(&mut self, block: u64, content: Content) {
        self.changes += 1;
        let change = Change { number: self.changes, content, done: false };
        self.blocks[block as usize].changes.push(change);
    }

    /// A change was completed; `durable` if it was forced.
    pub fn end(&mut self, block: u64, durable: bool) {
        let changes = &mut self.blocks[block as usize].changes;
        changes.last_mut().expect("a change").done = true;
        if durable {
            changes.drain(..changes.len() - 1);
        }
    }

    /// A flush was completed before whose begin these changes were. Forced ones that came since have
    /// dropped them.
    pub fn flushed(&mut self, latest: &[u64]) {
        for (block, &number) in self.blocks.iter_mut().zip(latest) {
            let at = block.changes.iter().position(|change| change.number == number);
            block.changes.drain(..at.unwrap_or(0));
        }
    }

    /// The last completed change of each block, by its number.
    pub fn latest(&self) -> Vec<u64> {
        let latest = |block: &Block| {
            let last = block.changes.iter().rev().find(|change| change.done);
            last.expect("what is durable was completed").number
        };
        self.blocks.iter().map(latest).collect()
    }

    /// The drive has power again, and a block reads so. From then on it is durable.
    pub fn found(&mut self, number: u64, bytes: &[u8]) {
        let changes = &mut self.blocks[number as usize].changes;
        // The newest first: blocks were zeroed more than once.
        match changes.iter().rev().find(|change| bytes == expand(number, change.content)) {
            Some(&change) => *changes = vec![Change { done: true, ..change }],
            None => {
                let permitted: Vec<Content> = changes.iter().map(|change| change.content).collect();
                let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
                let found = (word(0), word(4));
                self.violations.push(format!("block {number}: found {found:?}, not {permitted:?}"));
            }
        }
    }

    /// Whether what a block reads as while nothing of it is under way is its newest content.
    pub fn read(&mut self, number: u64, bytes: &[u8]) {
        let newest = self.blocks[number as usize].changes.last().expect("a change").content;
        if bytes != expand(number, newest) {
            self.violations.push(format!("block {number}: read is not {newest:?}"));
        }
    }
}

/// The bytes of a block.
pub fn expand(block: u64, content: Content) -> Vec<u8> {
    let Content::Version(version) = content else { return vec![0; BLOCK] };
    let word = |nth: u32| match nth {
        0 => block as u32,
        1 => version,
        nth => (block as u32 ^ version.rotate_left(9)).wrapping_mul(2 * nth + 1),
    };
    (0..BLOCK as u32 / 4).flat_map(|nth| word(nth).to_le_bytes()).collect()
}
