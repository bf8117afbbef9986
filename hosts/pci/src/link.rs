//! The PCI Express link that a drive says it has (PCI Express Base 3.0 sections 7.8.6 to 7.8.8).

use board::Bandwidth;

const LANES: u8 = 8;
const MOST_LANES: u8 = 16;
/// Million bytes a second of a lane by generation, from the first on: 2.5 and 5 GT/s with 8 bits in 10, then
/// 8, 16 and 32 GT/s with 128 in 130.
const LANE_MB_S: [f64; 5] = [250.0, 500.0, 984.6, 1969.2, 3938.5];

/// Speed and width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Generation, from 1 on.
    generation: u8,
    lanes: u8,
}

impl Link {
    /// The slowest link of eight lanes that carries `bandwidth`; the fastest of sixteen where none does. A
    /// board tells how much its link carries, not of what kind it is.
    pub fn carrying(bandwidth: Bandwidth) -> Self {
        let mb_s = 1024e6 / bandwidth.ps_per_kib() as f64;
        match LANE_MB_S.iter().position(|lane| lane * f64::from(LANES) >= mb_s) {
            Some(before) => Link { generation: before as u8 + 1, lanes: LANES },
            None => Link { generation: LANE_MB_S.len() as u8, lanes: MOST_LANES },
        }
    }

    /// The fields of Link Capabilities: speed in bits 3:0, width in 9:4.
    pub fn capabilities(self) -> u32 {
        u32::from(self.generation) | u32::from(self.lanes) << 4
    }

    /// The fields of Link Status, of a link that has trained to all it can.
    pub fn status(self) -> u16 {
        self.capabilities() as u16
    }

    /// Link Capabilities 2: the speeds up to its own, from bit 1 on.
    pub fn speeds(self) -> u32 {
        ((1 << self.generation) - 1) << 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::Board;

    #[test]
    fn a_link_carries_what_its_board_says() {
        for (mb_s, generation, lanes) in [
            ("100", 1, 8),
            ("2000", 1, 8),
            ("2001", 2, 8),
            ("3200", 2, 8),
            ("7150", 3, 8),
            ("30000", 5, 8),
            ("40000", 5, 16),
        ] {
            let set = [("host.link_bandwidth_mb_s".to_string(), mb_s.to_string())];
            let link = Link::carrying(Board::resolve("small", &set).unwrap().host.link);
            assert_eq!(link, Link { generation, lanes }, "{mb_s} MB/s");
        }
    }

    #[test]
    fn fields_stand_where_the_registers_have_them() {
        let link = Link { generation: 3, lanes: 8 };
        assert_eq!((link.capabilities(), link.status(), link.speeds()), (0x83, 0x83, 0b1110));
    }
}
