//! The firmware as the program of the processor in the controller (`firmware/soc`), as an ELF file of 32 bits; and a small firmware as
//! that of an FPGA.

include!(concat!(env!("OUT_DIR"), "/program.rs"));

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

/// Memory from an address on with a program in it and further words, as `$readmemh` reads it: a word a line, from the first to the last
/// that is not zero.
///
/// # Errors
/// A line, when it is no program of this kind, or lies elsewhere.
pub fn image(elf: &[u8], first: u32, (at, words): (u32, &[u32])) -> Result<String, String> {
    let pieces =
        pieces(elf).ok_or("program: found no RISC-V program, expected an ELF file of 32 bits")?;
    let extra: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut bytes = Vec::new();
    for Piece { address, bytes: piece } in
        pieces.into_iter().chain([Piece { address: at, bytes: &extra }])
    {
        let start = address.checked_sub(first).ok_or_else(|| {
            format!("program: found bytes at {address:#010x}, expected them from {first:#010x} on")
        })? as usize;
        let end = start + piece.len();
        if bytes.len() < end {
            bytes.resize(end.next_multiple_of(4), 0u8);
        }
        bytes[start..end].copy_from_slice(piece);
    }
    let words =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    Ok(words.map(|word| format!("{word:08x}\n")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file with one piece: header, one program header, bytes.
    fn elf_of(address: u32, bytes: &[u8]) -> Vec<u8> {
        let mut elf = vec![0; 84];
        elf[..6].copy_from_slice(b"\x7fELF\x01\x01");
        elf[18] = 243;
        (elf[28], elf[42], elf[44]) = (52, 32, 1);
        elf[52] = 1;
        elf[56] = 84;
        elf[64..68].copy_from_slice(&address.to_le_bytes());
        elf[68..72].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        elf.extend(bytes);
        elf
    }

    #[test]
    fn an_image_has_the_program_and_the_words_at_their_places() {
        let elf = elf_of(0x8000_0004, &[1, 2, 3, 4, 5]);
        let found = image(&elf, 0x8000_0000, (0x8000_000c, &[0xdead_beef]));
        assert_eq!(found.as_deref(), Ok("00000000\n04030201\n00000005\ndeadbeef\n"));
        let low = elf_of(0x7fff_fffc, &[1]);
        assert!(image(&low, 0x8000_0000, (0x8000_0000, &[]))
            .is_err_and(|line| line.contains("0x7ffffffc")));
        assert!(image(b"none", 0, (0, &[])).is_err());
    }

    #[test]
    fn the_program_lies_where_the_processor_begins() {
        let elf = match PROGRAM {
            Ok(elf) => elf,
            Err(line) => return eprintln!("skipped: {line}"),
        };
        let pieces = pieces(elf).expect("a program");
        let first = pieces.iter().map(|piece| piece.address).min();
        assert_eq!(first, Some(registers::map::PROGRAM));
        // 0x80 behind it there is an instruction of 32 bits.
        let begin = pieces.iter().find_map(|piece| piece.bytes.get(0x80)).copied();
        assert_eq!(begin.map(|byte| byte & 3), Some(3));
        assert_eq!(super::pieces(&elf[..40]), None);
        assert_eq!(super::pieces(b"\x7fELF\x02\x01"), None);
    }
}
