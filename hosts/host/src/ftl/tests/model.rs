//! What each block may hold: now, and after a power loss.

/// A change of a block: its number among all, and what the block holds then; 0 for nothing.
pub type Change = (u64, u64);

/// What a logical block may hold.
#[derive(Clone, Debug)]
struct Block {
    /// What it holds; none if a write to it failed.
    now: Option<u64>,
    /// What it may hold after a power loss, the first being durable.
    changes: Vec<Change>,
}

/// All blocks.
#[derive(Debug)]
pub struct Model {
    blocks: Vec<Block>,
    changed: u64,
}

impl Model {
    /// So many, none of which was ever written.
    pub fn new(blocks: u64) -> Self {
        let block = Block { now: Some(0), changes: vec![(0, 0)] };
        Model { blocks: vec![block; blocks as usize], changed: 0 }
    }

    /// Number of logical blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// The number of the last change that began.
    pub fn changed(&self) -> u64 {
        self.changed
    }

    /// What a block holds, as the last change left it.
    pub fn now(&self, lba: u64) -> Option<u64> {
        self.blocks[lba as usize].now
    }

    /// A write of a block begins: what it writes, its number.
    pub fn write(&mut self, lba: u64) -> u64 {
        self.changed += 1;
        let own = &mut self.blocks[lba as usize];
        own.now = Some(self.changed);
        own.changes.push((self.changed, self.changed));
        self.changed
    }

    /// A block begins to be deallocated.
    pub fn trim(&mut self, lba: u64) {
        self.changed += 1;
        self.blocks[lba as usize].changes.push((self.changed, 0));
    }

    /// It is deallocated.
    pub fn trimmed(&mut self, lba: u64) {
        self.blocks[lba as usize].now = Some(0);
    }

    /// A write of it failed.
    pub fn failed(&mut self, lba: u64) {
        self.blocks[lba as usize].now = None;
    }

    /// What a block holds is durable, if it was changed no later than this. Returns what it holds then.
    pub fn durable(&mut self, lba: u64, changed: u64) -> Option<u64> {
        let own = &mut self.blocks[lba as usize];
        let last = *own.changes.last().expect("a block holds something");
        let is_meant = last.0 <= changed && own.now == Some(last.1);
        is_meant.then(|| {
            own.changes = vec![last];
            last.1
        })
    }

    /// After a power loss all blocks were read. Whatever was written up to some moment is there.
    pub fn settle(&mut self, found: &[u64]) {
        let last = found.iter().copied().max().unwrap_or(0);
        for (lba, (own, &value)) in self.blocks.iter_mut().zip(found).enumerate() {
            let Block { changes, .. } = &*own;
            assert!(
                changes.iter().any(|change| change.1 == value),
                "block {lba}: {value}, {changes:?}"
            );
            let written = changes.iter().rposition(|change| change.1 > 0 && change.0 <= last);
            let (least, others) = changes.split_at(written.unwrap_or(0) + 1);
            let is_whole = least.last().is_some_and(|change| change.1 == value)
                || value == 0 && others.iter().any(|change| change.1 == 0);
            assert!(is_whole, "block {lba}: {value} where {last} is there, {changes:?}");
            (own.now, own.changes) = (Some(value), vec![(0, value)]);
        }
    }
}
