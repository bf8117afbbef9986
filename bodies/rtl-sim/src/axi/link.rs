//! The limits of a PCIe link.

/// A PCI Express link as a manager sees it. Packets carry up to `payload` bytes; each has an overhead
/// of header, sequence number, checksum and framing. Source: PCI Express Base 3.1, sections 2.2 and 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Raw rate in each direction, in thousandths of a byte a cycle.
    pub millibytes_a_cycle: u64,
    /// Data bytes of a full packet.
    pub payload: u64,
    /// Bytes that a write adds to its data.
    pub write_overhead: u64,
    /// Bytes that a completion of a read adds to its data.
    pub completion_overhead: u64,
    /// Cycles from a read to its first byte, on an idle link.
    pub round_trip: u64,
}

/// Cycles in thousandths, so that rates add up.
const MILLI: u64 = 1000;

impl Link {
    /// Generation 3 (8 GT/s, 128b/130b) with so many lanes, at a clock of the manager in MHz: 256
    /// bytes payload, 800 ns round trip.
    pub fn gen3(lanes: u64, clock_mhz: u64) -> Self {
        Self {
            millibytes_a_cycle: 8_000 * MILLI * lanes * 128 / 130 / 8 / clock_mhz,
            payload: 256,
            write_overhead: 24,
            completion_overhead: 20,
            round_trip: 800 * clock_mhz / 1000,
        }
    }

    /// Thousandths of a cycle that so many bytes take, with so much overhead a packet.
    fn time(&self, bytes: u64, overhead: u64) -> u64 {
        let raw = bytes + bytes.div_ceil(self.payload) * overhead;
        raw * MILLI * MILLI / self.millibytes_a_cycle
    }

    /// Bytes of data that full packets of writes carry in so many cycles.
    pub fn write_limit(&self, cycles: u64) -> u64 {
        cycles * MILLI * self.payload / self.time(self.payload, self.write_overhead)
    }

    /// Bytes of data that full completions of reads carry in so many cycles.
    pub fn read_limit(&self, cycles: u64) -> u64 {
        cycles * MILLI * self.payload / self.time(self.payload, self.completion_overhead)
    }
}

/// One direction of a link.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    /// When it is free, in thousandths of a cycle.
    free: u64,
}

impl Lane {
    /// Sends so many bytes of a read's answer no sooner than in a cycle; returns the one when they are
    /// there.
    pub(super) fn complete(&mut self, link: &Link, cycle: u64, bytes: u64) -> u64 {
        self.free = self.free.max(cycle * MILLI) + link.time(bytes, link.completion_overhead);
        self.free.div_ceil(MILLI)
    }

    /// Whether it can take a beat of a write in this cycle.
    pub(super) fn is_free(&self, cycle: u64) -> bool {
        self.free <= cycle * MILLI
    }

    /// Takes so many bytes of a write, of which a packet begins with `begins`.
    pub(super) fn write(&mut self, link: &Link, cycle: u64, bytes: u64, begins: Packet) {
        let overhead = match begins {
            Packet::Begins => link.write_overhead,
            Packet::GoesOn => 0,
        };
        let time = (bytes + overhead) * MILLI * MILLI / link.millibytes_a_cycle;
        // What was not used in the cycle before is not lost, since beats come in whole cycles.
        self.free = self.free.max((cycle * MILLI).saturating_sub(MILLI)) + time;
    }
}

/// Whether a packet begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packet {
    Begins,
    GoesOn,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_packets() {
        // 7.877 GB/s raw; 256 of 280 and 276 bytes are data.
        let link = Link::gen3(8, 250);
        assert_eq!(link.millibytes_a_cycle, 31_507);
        assert_eq!(link.round_trip, 200);
        let gigabytes = |bytes: u64| bytes as f64 * 250e6 / 1e6 / 1e9;
        assert!((gigabytes(link.write_limit(1_000_000)) - 7.20).abs() < 0.01);
        assert!((gigabytes(link.read_limit(1_000_000)) - 7.31).abs() < 0.01);
    }
}
