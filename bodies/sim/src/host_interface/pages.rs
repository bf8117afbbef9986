//! The pages of a command's data. A list stands in host memory, where the host can change it at any time: each
//! of its entries is read once, before any data move, and what was read then is what counts.

use borsh::{BorshDeserialize, BorshSerialize};
use machine::HostMemory;
use nvme::prp::{PrpError, Transfer};

/// The list of one command, as it was found.
#[derive(Clone, Debug, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Pages {
    /// Addresses of the data pages 1 and up.
    listed: Vec<u64>,
    /// What ended the list before its time.
    fault: Option<PrpError>,
    is_read: bool,
}

impl Pages {
    /// Forgets the list: the tag is another command's. What room it took is kept.
    #[inline]
    pub(super) fn clear(&mut self) {
        if self.is_read {
            self.listed.clear();
            (self.fault, self.is_read) = (None, false);
        }
    }

    /// Reads the list of a transfer, if it has one and that was not done before.
    #[inline]
    pub(super) fn read(&mut self, transfer: &Transfer, memory: &mut dyn HostMemory) {
        if self.is_read || !transfer.has_list() {
            return;
        }
        self.is_read = true;
        let list = transfer.list(|address| {
            let mut entry = [0; 8];
            memory.read_word(address, &mut entry).then(|| u64::from_le_bytes(entry))
        });
        for page in list {
            match page {
                Ok(page) => self.listed.push(page),
                Err(fault) => self.fault = Some(fault),
            }
        }
    }

    /// The address of a data page, 1 or up.
    ///
    /// # Errors
    /// What was wrong with the list before it came to the page.
    #[inline]
    pub(super) fn page(&self, page: u32) -> Result<u64, PrpError> {
        let nowhere = PrpError::Unreadable { address: 0 };
        self.listed.get(page as usize - 1).copied().ok_or(self.fault.unwrap_or(nowhere))
    }
}
