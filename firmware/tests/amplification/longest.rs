//! Pages that a single write has to wait for, at most.

use contract::{StreamPolicy, VictimPolicy, WearPolicy};

use crate::drive::{Drive, Policies, Shape, BLOCK};
use crate::models::Load;

/// Whatever is collected, and wherever that goes, a write waits for the rest of a victim and another victim at most; a victim
/// that is collected for the sake of wear may gain nothing.
#[test]
fn a_write_waits_for_few_moves_under_every_policy() {
    let loads = [Load::UNIFORM, Load { writes: 0.9, pages: 0.1 }];
    // Hardly a page to spare, and many.
    for (blocks_per_way, planes, ratio) in [(64, 1, 0.98), (64, 1, 0.8), (256, 4, 0.9)] {
        let shape = Shape { ways: 1, blocks_per_way, planes, units: 1, bad: 0, ratio };
        for &policy in VictimPolicy::ALL {
            for &streams in StreamPolicy::ALL {
                for levelling in [WearPolicy::Unlevelled, WearPolicy::Threshold] {
                    for free_pages_kept in [0, BLOCK] {
                        let policies = Policies {
                            streams: streams.with([4]),
                            wear: levelling.with([4]),
                            free_pages_kept,
                            ..Policies::of(policy, 4)
                        };
                        let longest = loads
                            .map(|load| Drive::of(shape, policies).longest(load, 6))
                            .into_iter()
                            .max()
                            .expect("loads");
                        // Data of a handle are mixed with others only behind the fourth victim.
                        let superblocks = match (levelling, streams) {
                            (WearPolicy::Threshold, StreamPolicy::ByHandle) => 4,
                            (WearPolicy::Threshold, _) => 2,
                            _ => 1,
                        };
                        println!(
                            "{policy:?} {streams:?} {levelling:?}, {free_pages_kept} kept, ratio \
                             {ratio}: {longest} pages"
                        );
                        let most = u64::from(superblocks * BLOCK);
                        assert!(longest < most, "{policies:?}, {shape:?}: {longest} pages");
                    }
                }
            }
        }
    }
}
