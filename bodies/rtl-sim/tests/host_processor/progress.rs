//! How DMA requests ended: counts by direction, faults by tag.

use crate::host_processor::setup::{Setup, TAGS};
use ::registers::host::{dma_progress, faults, interrupt_enable, interrupt_status, DmaFault};
use rtl_sim::seed;

/// Faults are cleared in so many cycles.
const CLEARED: u32 = TAGS as u32;

fn fault(setup: &mut Setup, tag: u64) -> u32 {
    faults::FAULT.get(&[setup.read_word(faults::OFFSET + tag as u32 * faults::ENTRY)])
}

#[test]
fn all_is_well_at_first() {
    let mut setup = Setup::willing();
    setup.run(CLEARED);
    assert_eq!(setup.read(dma_progress::REGISTER), 0);
    for tag in 0..TAGS {
        assert_eq!(fault(&mut setup, tag), DmaFault::None as u32, "tag {tag}");
    }
}

#[test]
fn ends_are_counted_and_faults_stay_with_their_tag_until_it_is_fetched() {
    seed::each(5, |random| {
        let mut setup = Setup::at_any_pace(random);
        let mut counts = [0; 2];
        let mut expected = vec![0; TAGS as usize];
        let tags = 1 + random.below(TAGS);
        for _ in 0..200 {
            let tag = random.below(tags);
            if random.percent(40) {
                setup.fetch(tag);
                expected[tag as usize] = 0;
            } else {
                let (direction, kind) = (random.below(2), random.below(5));
                setup.ends.push(vec![tag, direction, kind]);
                while !setup.ends.is_empty() {
                    setup.cycle();
                }
                counts[direction as usize] += 1;
                let found = &mut expected[tag as usize];
                *found = if *found == 0 { kind } else { *found };
            }
            let progress = [setup.read(dma_progress::REGISTER)];
            assert_eq!(dma_progress::FROM_HOST.get(&progress), counts[0]);
            assert_eq!(dma_progress::TO_HOST.get(&progress), counts[1]);
            let any = expected.iter().any(|fault| *fault != 0);
            assert_eq!(dma_progress::FAULT.get(&progress), u32::from(any));
            let looked_at = random.below(tags);
            let found = fault(&mut setup, looked_at);
            assert_eq!(u64::from(found), expected[looked_at as usize], "tag {looked_at}");
        }
    });
}

#[test]
fn an_end_waits_while_a_tag_is_fetched() {
    let mut setup = Setup::willing();
    setup.run(CLEARED);
    setup.ends.push(vec![9, 0, DmaFault::Bus as u64]);
    setup.set("fetched_tag_i", 9);
    setup.set("fetched_valid_i", 1);
    setup.run(4);
    assert!(!setup.ends.is_empty());
    setup.set("fetched_valid_i", 0);
    setup.run(2);
    assert!(setup.ends.is_empty());
    assert_eq!(fault(&mut setup, 9), DmaFault::Bus as u32);
}

#[test]
fn counts_of_ends_wrap() {
    let mut setup = Setup::willing();
    let counts = [(1 << 15) + 3, 5];
    for (direction, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            setup.ends.push(vec![1, direction as u64, 0]);
        }
    }
    setup.run(CLEARED + counts[0] + counts[1]);
    let progress = [setup.read(dma_progress::REGISTER)];
    assert_eq!(dma_progress::FROM_HOST.get(&progress), 3);
    assert_eq!(dma_progress::TO_HOST.get(&progress), 5);
}

#[test]
fn an_end_raises_the_line_until_it_is_cleared() {
    let mut setup = Setup::willing();
    let ended = interrupt_status::DMA_ENDED.mask();
    setup.run(CLEARED);
    setup.write(interrupt_enable::REGISTER, ended);
    setup.ends.push(vec![0, 0, 0]);
    setup.run(5);
    assert_eq!((setup.interrupts(), setup.irq.last()), (ended, 1));
    setup.write(interrupt_status::REGISTER, ended);
    setup.run(2);
    assert_eq!((setup.interrupts(), setup.irq.last()), (0, 0));
    // The write clears at the end of its second cycle. What comes then is not lost.
    for (cycles, expected) in [(0, 0), (1, ended), (2, ended)] {
        setup.master.write(interrupt_status::REGISTER.offset, ended);
        setup.run(cycles);
        setup.ends.push(vec![0, 0, 0]);
        setup.run(6);
        assert_eq!(setup.interrupts(), expected, "{cycles} cycles after the write begins");
    }
}
