//! The Commands Supported and Effects log (NVMe 1.4 section 5.14.1.5, figure 200).

/// Bits of a command's entry.
pub mod effect {
    /// CSUPP: the controller has the command.
    pub const SUPPORTED: u32 = 1 << 0;
    /// LBCC: it may change the content of logical blocks.
    pub const BLOCK_CONTENT: u32 = 1 << 1;
    /// NCC: it may change the capabilities of a namespace.
    pub const NAMESPACE_CAPABILITY: u32 = 1 << 2;
    /// CSE: no other command for the same namespace may be outstanding.
    pub const ALONE_IN_NAMESPACE: u32 = 1 << 16;
}

/// Bytes of the log: a dword for each admin opcode, then one for each I/O opcode, then reserved.
pub const BYTES: usize = 4096;
/// Bytes of the entries of a command set.
const SET_BYTES: usize = 1024;

/// Commands of a set, by opcode, with their effects.
pub type Effects<'a> = &'a [(u8, u32)];

/// Writes the log of a controller that has these commands and no others: admin commands of drives of all kinds, and of its own.
pub fn emit(admin: [Effects<'_>; 2], io: Effects<'_>, page: &mut [u8; BYTES]) {
    page.fill(0);
    let [common, more] = admin;
    for (set, commands) in [(0, common), (0, more), (SET_BYTES, io)] {
        for (opcode, effects) in commands {
            let at = set + usize::from(*opcode) * 4;
            page[at..at + 4].copy_from_slice(&effects.to_le_bytes());
        }
    }
}

/// Effects of an admin and of an I/O command with this opcode.
pub fn parse(page: &[u8; BYTES], opcode: u8) -> [u32; 2] {
    [0, SET_BYTES].map(|set| {
        let at = set + usize::from(opcode) * 4;
        u32::from_le_bytes(page[at..at + 4].try_into().expect("four bytes"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stand_at_their_opcodes() {
        let mut page = [0xff; BYTES];
        let alone = effect::SUPPORTED | effect::ALONE_IN_NAMESPACE;
        emit([&[(0, 1)], &[(0x80, alone)]], &[(1, 3), (255, 1)], &mut page);
        assert_eq!(page[..8], [1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(page[512..516], [1, 0, 1, 0]);
        assert_eq!(page[1024..1032], [0, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(page[2044..2052], [1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(parse(&page, 0x80), [alone, 0]);
        assert_eq!(parse(&page, 1), [0, 3]);
    }
}
