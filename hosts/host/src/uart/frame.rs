//! Frames on the line (`docs/spec/uart-host.md`).

use std::fmt;

/// Words of a frame at most. Source: `rtl/fpga/fm_uart_pkg.sv`, as all of these.
pub const MOST_WORDS: usize = 64;
const REQUEST: u8 = 0xa5;
const ANSWER: u8 = 0x5a;
const READ: u8 = 1;
const WRITE: u8 = 2;

/// What the controller is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request<'a> {
    /// So many words from an address on.
    Read(u32, usize),
    /// Words for an address and those behind it.
    Write(u32, &'a [u32]),
}

/// Why a frame has no answer that is worth anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The line is silent.
    Silent,
    /// What came was no answer to this frame, or was changed on its way.
    Garbled,
    /// The controller got something else than was sent.
    Resend,
    /// There is nothing at that address, or no such request.
    Refused,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Silent => "found silence",
            Self::Garbled => "found a garbled answer",
            Self::Resend => "found that a request was garbled",
            Self::Refused => "found that a request was refused",
        })
    }
}

/// CRC-16/IBM-3740 over bytes: zero over bytes and their own, its high byte first.
fn crc(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xffff, |sum, &byte| {
        (0..8).fold(sum ^ u16::from(byte) << 8, |sum, _| {
            sum << 1 ^ if sum & 0x8000 != 0 { 0x1021 } else { 0 }
        })
    })
}

impl Request<'_> {
    /// The bytes of a frame with this number.
    pub fn emit(self, number: u8) -> Vec<u8> {
        let (operation, address, count, words) = match self {
            Self::Read(address, count) => (READ, address, count, &[][..]),
            Self::Write(address, words) => (WRITE, address, words.len(), words),
        };
        let mut frame = vec![REQUEST, operation, number, count as u8];
        frame.extend(address.to_le_bytes());
        frame.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        frame.extend(crc(&frame[1..]).to_be_bytes());
        frame
    }

    fn operation(self) -> u8 {
        match self {
            Self::Read(..) => READ,
            Self::Write(..) => WRITE,
        }
    }

    /// Bytes of an answer that has what was asked for.
    pub fn answer_bytes(self) -> usize {
        match self {
            Self::Read(_, count) => 7 + 4 * count,
            Self::Write(..) => 7,
        }
    }

    /// The words of an answer, or what is wrong with it. `None` while more bytes have to come. Bytes before its mark are passed over.
    pub fn parse(self, number: u8, bytes: &[u8]) -> Option<Result<Vec<u32>, Fault>> {
        let start = bytes.iter().position(|&byte| byte == ANSWER)?;
        let frame = &bytes[start..];
        let length = 7 + 4 * usize::from(*frame.get(4)?);
        if length > 7 + 4 * MOST_WORDS {
            return Some(Err(Fault::Garbled));
        }
        let frame = frame.get(..length)?;
        if crc(&frame[1..]) != 0 {
            return Some(Err(Fault::Garbled));
        }
        Some(match frame[3] {
            0 if frame[1..3] == [self.operation(), number] && length == self.answer_bytes() => {
                let words = frame[5..length - 2].chunks_exact(4);
                Ok(words
                    .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                    .collect())
            }
            1 => Err(Fault::Refused),
            2 => Err(Fault::Resend),
            _ => Err(Fault::Garbled),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_sum_is_the_one_of_its_name() {
        // The check value that every catalogue of such sums gives for these nine bytes.
        assert_eq!(crc(b"123456789"), 0x29b1);
        let mut with = b"123456789".to_vec();
        with.extend(0x29b1_u16.to_be_bytes());
        assert_eq!(crc(&with), 0);
    }

    #[test]
    fn frames_have_the_form_of_the_page() {
        let frame = Request::Write(0x1000_0004, &[0x4433_2211]).emit(7);
        assert_eq!(frame[..12], [0xa5, 2, 7, 1, 4, 0, 0, 0x10, 0x11, 0x22, 0x33, 0x44]);
        assert_eq!(frame.len(), 14);
        assert_eq!(Request::Read(0, 64).emit(0).len(), 10);
    }

    #[test]
    fn answers_are_believed_only_whole_and_to_the_right_frame() {
        let asked = Request::Read(0, 1);
        let answer = |middle: &[u8]| {
            let mut frame = vec![ANSWER];
            frame.extend(middle);
            frame.extend(crc(middle).to_be_bytes());
            frame
        };
        let good = answer(&[READ, 9, 0, 1, 1, 2, 3, 4]);
        assert_eq!(asked.parse(9, &good), Some(Ok(vec![0x0403_0201])));
        for length in 0..good.len() {
            assert_eq!(asked.parse(9, &good[..length]), None, "{length}");
        }
        for at in 1..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            assert_ne!(asked.parse(9, &bad), Some(Ok(vec![0x0403_0201])), "{at}");
        }
        assert_eq!(asked.parse(8, &good), Some(Err(Fault::Garbled)));
        assert_eq!(asked.parse(9, &answer(&[READ, 9, 1, 0])), Some(Err(Fault::Refused)));
        assert_eq!(asked.parse(9, &answer(&[READ, 9, 2, 0])), Some(Err(Fault::Resend)));
        let mut noise = vec![0xff, 0];
        noise.extend(good);
        assert_eq!(asked.parse(9, &noise), Some(Ok(vec![0x0403_0201])));
    }
}
