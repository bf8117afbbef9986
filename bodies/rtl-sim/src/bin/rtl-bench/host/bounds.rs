//! What no controller can pass, from the limits of link and buses alone.

use super::rig::{Kind, Load};
use rtl_sim::axi::Link;

/// Bytes of queue entries, and how many of those of a submission queue come in one packet at best.
const SUBMISSION_ENTRY: f64 = 64.0;
const COMPLETION_ENTRY: f64 = 16.0;
const ENTRIES_OF_PACKET: f64 = 4.0;

const PAGE: u64 = 4096;
/// Bytes of an entry of a PRP list.
const LIST_ENTRY: u64 = 8;

/// Bytes that a piece of data takes on a link, with the overhead of each packet.
fn on_link(link: &Link, bytes: u64, overhead: u64) -> f64 {
    (bytes + bytes.div_ceil(link.payload) * overhead) as f64
}

/// The share of a link's payload limit if the link does nothing else than a command needs: beside its
/// data, entry and list to the controller, or completion to the host.
pub fn share(link: &Link, load: &Load) -> f64 {
    let (data, beside) = match load.kind {
        Kind::Read => {
            let entry = COMPLETION_ENTRY + link.write_overhead as f64;
            (on_link(link, load.bytes, link.write_overhead), entry)
        }
        Kind::Write | Kind::Flush => {
            let overhead = link.completion_overhead as f64;
            let pages = load.bytes.div_ceil(PAGE);
            // The first page is in the command, the second one too if there is no other.
            let list = if pages > 2 { (pages - 1) * LIST_ENTRY } else { 0 };
            let beside = SUBMISSION_ENTRY
                + overhead / ENTRIES_OF_PACKET
                + on_link(link, list, link.completion_overhead);
            (on_link(link, load.bytes, link.completion_overhead), beside)
        }
    };
    data / (data + beside)
}

/// Beats that a command needs on the busier direction of the host's bus.
pub fn beats(bus_bytes: u64, load: &Load) -> f64 {
    let beats = |bytes: u64| bytes.div_ceil(bus_bytes) as f64;
    let data = if load.kind == Kind::Flush { 0.0 } else { beats(load.bytes) };
    let (entry, completion) = (beats(SUBMISSION_ENTRY as u64), beats(COMPLETION_ENTRY as u64));
    match load.kind {
        Kind::Read => (data + completion).max(entry),
        Kind::Write | Kind::Flush => (data + entry).max(completion),
    }
}

/// Cycles from doorbell to completion of a command alone, of link and memories: the entry comes, data
/// moves, the completion goes.
pub fn alone(link: &Link, load: &Load, memory_latency: u64) -> f64 {
    let rate = link.millibytes_a_cycle as f64 / 1000.0;
    let round_trip = link.round_trip as f64;
    let (latency, overhead) = (memory_latency as f64, link.completion_overhead as f64);
    let entry = round_trip + (SUBMISSION_ENTRY + overhead) / rate;
    let completion = (COMPLETION_ENTRY + link.write_overhead as f64) / rate + latency;
    let data = match load.kind {
        // The drive's memory, the link, and the answer that says that it is there.
        Kind::Read => 2.0 * latency + on_link(link, load.bytes, link.write_overhead) / rate,
        Kind::Write => {
            round_trip + on_link(link, load.bytes, link.completion_overhead) / rate + latency
        }
        Kind::Flush => 0.0,
    };
    entry + data + completion
}

#[cfg(test)]
mod tests {
    use super::super::rig::Pattern;
    use super::*;

    fn load(kind: Kind, bytes: u64) -> Load {
        Load { kind, bytes, pattern: Pattern::Random, queues: 10, depth: 8 }
    }

    #[test]
    fn bounds_are_those_of_the_packets() {
        let link = Link::gen3(8, 250);
        let close = |found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 1e-3, "found {found}, expected {expected}");
        };
        // Sixteen packets of 280 bytes and one of 40; of 276, and a quarter of four entries.
        close(share(&link, &load(Kind::Read, 4096)), 4480.0 / 4520.0);
        close(share(&link, &load(Kind::Write, 4096)), 4416.0 / 4485.0);
        close(share(&link, &load(Kind::Write, 16384)), 17664.0 / (17664.0 + 69.0 + 44.0));
        close(beats(32, &load(Kind::Read, 4096)), 129.0);
        close(beats(32, &load(Kind::Write, 4096)), 130.0);
        close(beats(64, &load(Kind::Flush, 0)), 1.0);
        let rate = 31.507;
        let entry = 200.0 + 84.0 / rate;
        close(
            alone(&link, &load(Kind::Read, 4096), 2),
            entry + 4.0 + 4480.0 / rate + 2.0 + 40.0 / rate,
        );
        close(
            alone(&link, &load(Kind::Write, 4096), 2),
            entry + 200.0 + 4416.0 / rate + 2.0 + 2.0 + 40.0 / rate,
        );
    }
}
