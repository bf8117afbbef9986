//! The layouts that have a name.

use std::sync::LazyLock;

use super::{Layout, Sure};

/// Names, the layouts as a user would write them, and what a line has to have to be found as one of them.
const TABLE: [(&str, &str, Sure); 6] = [
    // "Storage Performance Council: Trace File Format Specification", revision 1.0.1, as the traces of UMass have it: ASU, LBA,
    // bytes, r or w, seconds, and fields that are not needed.
    ("spc", "csv:volume=1,lba=2,bytes=3,op=4,time=5s,columns=5+", Sure::Point),
    // DiskSim's ASCII traces: arrival in milliseconds, device, block, blocks, 1 for a read.
    (
        "disksim",
        "words:time=1ms,volume=2,lba=3,sectors=4,op=5,read=1,write=0,columns=5",
        Sure::Sectors,
    ),
    // FEMU's replayer and its kind ("Tiny-Tail Flash", FAST '17): as DiskSim's, in bytes.
    ("femu", "words:time=1ms,volume=2,offset=3,bytes=4,op=5,read=1,write=0,columns=5", Sure::Bytes),
    // FIU (Koller and Rangaswami: "I/O Deduplication", FAST '10): nanoseconds, process number and name, LBA, sectors, R or W, major and
    // minor device number, MD5 of the data.
    ("fiu", "words:time=1ns,text=3,lba=4,sectors=5,op=6,volume=7+8,columns=9", Sure::Columns),
    // `biosnoop` of bcc, whose times are those of completions.
    (
        "biosnoop",
        "words:end=TIME(s)*s,text=COMM,volume=DISK,op=T,lba=SECTOR,bytes=BYTES,response=LAT(ms)*ms",
        Sure::Columns,
    ),
    // The command trace of VMware's vscsiStats as CSV: serial number, bytes, entries of the list, command, LBN, microseconds.
    ("vscsi", "csv:bytes=2,op=4,lba=5,time=6us,columns=6", Sure::Columns),
];

/// All of them.
pub(crate) fn named() -> &'static [Layout] {
    static NAMED: LazyLock<Vec<Layout>> = LazyLock::new(|| {
        let layout = |(name, text, sure): (&str, &str, Sure)| {
            let layout = Layout::of_text(text).and_then(Result::ok).expect("the table is right");
            Layout { sure, ..layout.called(name) }
        };
        TABLE.into_iter().map(layout).collect()
    });
    &NAMED
}
