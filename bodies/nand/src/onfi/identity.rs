//! What a chip says about itself.

use contract::Duration;

use super::{Config, Parameter};

/// Copies of the parameter page that come one after the other.
const PARAMETER_PAGE_COPIES: usize = 3;
/// Copies of the unique ID, each followed by its complement (ONFI 4.0, "Read Unique ID").
const UNIQUE_ID_COPIES: usize = 16;

/// READ ID (ONFI 4.0, "Read ID").
pub(crate) fn read_id(config: &Config, address: u8) -> Vec<u8> {
    match address {
        0x00 => config.identity.id.to_vec(),
        0x20 => b"ONFI".to_vec(),
        _ => vec![],
    }
}

/// READ UNIQUE ID.
pub(crate) fn unique_id(config: &Config) -> Vec<u8> {
    let id = config.identity.unique;
    let pair = [id, id.map(|byte| !byte)].concat();
    pair.repeat(UNIQUE_ID_COPIES)
}

/// READ PARAMETER PAGE: its copies (ONFI 4.0, "Parameter Page Definitions").
pub(crate) fn parameter_page(config: &Config) -> Vec<u8> {
    let mut page = [0; 256];
    let mut put = |at: usize, bytes: &[u8]| page[at..at + bytes.len()].copy_from_slice(bytes);
    let rows = &config.rows;
    let multi_plane = rows.plane_bits > 0;
    put(0, b"ONFI");
    // Revision 4.0.
    put(4, &(1u16 << 9).to_le_bytes());
    // Features: several LUNs, multi-plane programs and reads, NV-DDR2.
    let features = u16::from(rows.luns > 1) << 1
        | u16::from(multi_plane) << 3
        | u16::from(multi_plane) << 6
        | 1 << 10;
    put(6, &features.to_le_bytes());
    // Optional commands, from bit 0: cache program, cache read, features, status enhanced, copyback,
    // unique ID, change read column enhanced, change row address, not small data move, reset LUN,
    // volume select, ODT configure, features by LUN.
    put(8, &0b1_1110_1111_1111u16.to_le_bytes());
    put(14, &[PARAMETER_PAGE_COPIES as u8]);
    put(32, &padded::<12>(&config.identity.manufacturer));
    put(44, &padded::<20>(&config.identity.model));
    put(64, &config.identity.id[..1]);
    put(80, &(config.data_bytes as u32).to_le_bytes());
    put(84, &(config.spare_bytes as u16).to_le_bytes());
    put(92, &rows.pages.to_le_bytes());
    put(96, &rows.blocks.to_le_bytes());
    put(100, &[rows.luns as u8, 2 << 4 | rows.cycles as u8, config.identity.cell_bits]);
    // Programs of a page: one.
    put(110, &[1]);
    put(113, &[rows.plane_bits as u8]);
    let us = |time: Duration| (time.as_ps().div_ceil(1_000_000) as u16).to_le_bytes();
    let longest = |times: &[Duration]| us(times.iter().copied().max().unwrap_or_default());
    // SDR timing modes 0 to 5; NV-DDR2 timing modes 0 to 6.
    put(129, &[0x3f]);
    put(142, &[0x7f]);
    put(133, &longest(&config.times.program));
    put(135, &us(config.times.erase));
    put(137, &longest(&config.times.read));
    let change_of_column = config.timing[Parameter::Ccs].as_ps() / 1_000;
    put(139, &(change_of_column as u16).to_le_bytes());
    let crc = crc16(&page[..254]);
    page[254..].copy_from_slice(&crc.to_le_bytes());
    page.repeat(PARAMETER_PAGE_COPIES)
}

/// The integrity CRC of the parameter page: polynomial 8005h, initial value 4F4Eh.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0x4f4e, |crc, byte| {
        let mut crc = crc ^ u16::from(*byte) << 8;
        for _ in 0..8 {
            let carry = crc & 0x8000 != 0;
            crc = crc << 1 ^ if carry { 0x8005 } else { 0 };
        }
        crc
    })
}

/// Text, filled up with spaces.
fn padded<const N: usize>(text: &str) -> [u8; N] {
    let mut field = [b' '; N];
    text.bytes().zip(&mut field).for_each(|(byte, place)| *place = byte);
    field
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onfi::{Interface, Timing};

    #[test]
    fn the_crc_is_that_of_its_definition() {
        // CRC-16/BUYPASS is the same polynomial from zero, and of "123456789" it is FEE8h. From
        // another initial value it differs by what that value becomes in nine bytes of zeros.
        let shifted = crc16(&[0; 9]);
        assert_eq!(crc16(b"123456789") ^ shifted, 0xfee8);
        // A message with its CRC behind it, high byte first, leaves nothing.
        let crc = crc16(b"ONFI").to_be_bytes();
        assert_eq!(crc16(&[b"ONFI", &crc[..]].concat()), 0);
    }

    #[test]
    fn the_parameter_page_tells_geometry_and_times() {
        let config = Config::small(Interface::Sdr, Timing::sdr_mode_5());
        let pages = parameter_page(&config);
        assert_eq!(pages.len(), 768);
        let (page, copies) = pages.split_at(256);
        assert_eq!([page, page].concat(), copies);
        assert_eq!(&page[..4], b"ONFI");
        assert_eq!(&page[32..44], b"FIRMAMENT   ");
        assert_eq!(page[80..86], [0, 8, 0, 0, 128, 0]);
        assert_eq!(page[92..102], [24, 0, 0, 0, 16, 0, 0, 0, 2, 0x23]);
        assert_eq!(page[133..141], [20, 0, 50, 0, 5, 0, 0x2c, 0x01]);
        assert_eq!(crc16(&page[..254]).to_le_bytes(), page[254..]);
    }
}
