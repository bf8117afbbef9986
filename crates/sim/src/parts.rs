//! Where each command's time goes: storage, host interface, and the firmware for the rest.

use contract::{CommandTag, Edge, Part};

/// The device's share of a command's time, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartTimes {
    /// Some flash operation of it was under way.
    pub storage: u64,
    /// The firmware had taken it, and neither flash nor DMA was under way.
    pub firmware: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Account {
    taken: u64,
    last: u64,
    storage_depth: u16,
    dma_depth: u16,
    storage: u64,
    dma: u64,
}

/// Accounts of the commands in the drive, by tag.
#[derive(Debug)]
pub struct Parts {
    accounts: Vec<Account>,
}

impl Parts {
    /// Accounts for `tags` tags.
    pub fn new(tags: u32) -> Self {
        Parts { accounts: vec![Account::default(); tags as usize] }
    }

    /// The firmware takes a command from the command queue, which is the host interface's
    /// (Cosmos+ figure 3): what it waited there is not the firmware's time.
    pub fn take(&mut self, tag: CommandTag, now: u64) {
        self.accounts[usize::from(tag.0)] = Account { taken: now, ..Account::default() };
    }

    /// An end of a span.
    #[inline]
    pub fn span(&mut self, tag: CommandTag, now: u64, part: Part, edge: Edge) {
        let account = &mut self.accounts[usize::from(tag.0)];
        account.settle(now);
        let depth = match part {
            Part::Storage => &mut account.storage_depth,
            Part::HostInterface => &mut account.dma_depth,
        };
        match edge {
            Edge::Begin => *depth += 1,
            // A page written on behalf of a command may outlive it, and its tag's next use.
            Edge::End => *depth = depth.saturating_sub(1),
        }
    }

    /// The command is complete.
    pub fn complete(&mut self, tag: CommandTag, now: u64) -> PartTimes {
        let account = &mut self.accounts[usize::from(tag.0)];
        account.settle(now);
        let inside = now - account.taken;
        PartTimes {
            storage: account.storage,
            firmware: inside.saturating_sub(account.storage + account.dma),
        }
    }
}

impl Account {
    #[inline]
    fn settle(&mut self, now: u64) {
        let since = now.saturating_sub(self.last.max(self.taken));
        if self.storage_depth > 0 {
            self.storage += since;
        } else if self.dma_depth > 0 {
            self.dma += since;
        }
        self.last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_hides_dma_and_the_firmware_has_the_rest() {
        let (tag, mut parts) = (CommandTag(0), Parts::new(1));
        parts.take(tag, 100);
        parts.span(tag, 110, Part::Storage, Edge::Begin);
        parts.span(tag, 150, Part::HostInterface, Edge::Begin);
        parts.span(tag, 200, Part::Storage, Edge::End);
        parts.span(tag, 230, Part::HostInterface, Edge::End);
        let times = parts.complete(tag, 240);
        assert_eq!(times, PartTimes { storage: 90, firmware: 20 });
    }
}
