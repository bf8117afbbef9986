//! Pages that a single write has to wait for, at most.

use contract::{Levelling, VictimPolicy, WearLevelling};

use crate::drive::{Drive, Policies, Shape, BLOCK};
use crate::models::Load;

/// Whatever is collected, a write waits for one victim with a gain at most; one that is collected for the sake of wear
/// may come before it, and gain nothing.
#[test]
fn a_write_waits_for_few_moves_under_every_policy() {
    // Hardly a page to spare, and many.
    for (blocks_per_way, planes, ratio) in [(64, 1, 0.98), (64, 1, 0.8), (256, 4, 0.9)] {
        let shape = Shape { ways: 1, blocks_per_way, planes, bad: 0, ratio };
        for &policy in VictimPolicy::ALL {
            for (levelling, superblocks) in [(Levelling::None, 1), (Levelling::Static, 2)] {
                for free_pages_kept in [0, BLOCK] {
                    let wear_levelling = WearLevelling { levelling, spread: 4 };
                    let victim = (policy, 4);
                    let policies = Policies { victim, wear_levelling, free_pages_kept };
                    let loads = [Load::UNIFORM, Load { writes: 0.9, pages: 0.1 }];
                    let longest = loads.map(|load| Drive::of(shape, policies).longest(load, 6));
                    println!("{policies:?}, ratio {ratio}: {longest:?} pages");
                    let most = u64::from(superblocks * BLOCK - 1);
                    assert!(longest.iter().all(|&one| one <= most), "{policies:?}: {longest:?}");
                }
            }
        }
    }
}
