//! The firmware as the program of the processor in the controller (`firmware/soc`), as an ELF file of 32 bits.

/// The file; where it could not be built, a line that says what was missing.
pub const PROGRAM: Result<&[u8], &str> = include!(concat!(env!("OUT_DIR"), "/program.rs"));

/// Bytes that belong at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The address of the first.
    pub address: u32,
    /// They.
    pub bytes: &'a [u8],
}

/// What of a program is to be put into memory, by its program headers (ELF specification 1.2, "Program Loading").
/// `None` if it is no program of this kind.
pub fn pieces(elf: &[u8]) -> Option<Vec<Piece<'_>>> {
    const LOAD: u32 = 1;
    const RISCV: u32 = 243;
    let half = |at: usize| Some(u32::from(u16::from_le_bytes(*elf.get(at..)?.first_chunk()?)));
    let word = |at: usize| Some(u32::from_le_bytes(*elf.get(at..)?.first_chunk()?));
    // Class 1 has 32 bits, data 1 is little-endian.
    if !elf.starts_with(b"\x7fELF\x01\x01") || half(18)? != RISCV {
        return None;
    }
    let (headers, size, count) = (word(28)?, half(42)?, half(44)?);
    let header = |nth: u32| Some((headers.checked_add(nth * size)?) as usize);
    let mut pieces = Vec::new();
    for nth in 0..count {
        let at = header(nth)?;
        let [offset, address, length] = [word(at + 4)?, word(at + 12)?, word(at + 16)?];
        if word(at)? == LOAD && length > 0 {
            let bytes = elf.get(offset as usize..)?.get(..length as usize)?;
            pieces.push(Piece { address, bytes });
        }
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_lies_where_the_processor_begins() {
        let elf = match PROGRAM {
            Ok(elf) => elf,
            Err(line) => return eprintln!("skipped: {line}"),
        };
        let pieces = pieces(elf).expect("a program");
        let first = pieces.iter().map(|piece| piece.address).min();
        assert_eq!(first, Some(0x8000_0000));
        // 0x80 behind it there is an instruction of 32 bits.
        let begin = pieces.iter().find_map(|piece| piece.bytes.get(0x80)).copied();
        assert_eq!(begin.map(|byte| byte & 3), Some(3));
        assert_eq!(super::pieces(&elf[..40]), None);
        assert_eq!(super::pieces(b"\x7fELF\x02\x01"), None);
    }
}
