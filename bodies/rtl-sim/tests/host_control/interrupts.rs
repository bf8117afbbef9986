//! Interrupts: masks, pending bits, coalescing.

use crate::host_control::commands::{entry, unmask_vectors};
use crate::host_control::system::{
    Pair, System, MESSAGES, MSIX_PENDING, MSIX_TABLE, QUEUES, TICK_CYCLES,
};
use rtl_sim::{seed, Random};

/// Completes so many commands of a queue, each once it has come.
fn complete(system: &mut System, pair: &mut Pair, count: u64, random: &mut Random) {
    for _ in 0..count {
        let entry = entry(0, random);
        system.push(pair, &entry);
        system.ring_tail(pair);
        let (tag, _) = system.command();
        system.processor.complete(tag, 0, 0);
        system.until("a completion", |system| system.pop(&mut pair.clone()).is_some());
        system.pop(pair);
        system.ring_head(pair);
    }
}

/// Messages of vectors, in order, after all that is under way.
fn messages(system: &mut System) -> Vec<u32> {
    system.until("writes", |system| system.memory.is_idle());
    system.cycles(50);
    system.until("writes", |system| system.memory.is_idle());
    let messages = system.memory.take_messages();
    for message in &messages {
        assert_eq!(message.address, MESSAGES + 4 * u64::from(message.data));
    }
    messages.iter().map(|message| message.data).collect()
}

#[test]
fn masked_vectors_wait_and_send_once() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        system.bring_up(4, 0);
        unmask_vectors(&mut system);
        let mut pair = system.create_pair(3, 16, 0);
        complete(&mut system, &mut pair, 1, random);
        assert_eq!(messages(&mut system), [3]);
        // By its own mask.
        system.write(MSIX_TABLE + 16 * 3 + 12, &[1]);
        complete(&mut system, &mut pair, 3, random);
        assert!(messages(&mut system).is_empty());
        assert_eq!(system.read32(MSIX_PENDING), 1 << 3);
        system.write(MSIX_TABLE + 16 * 3 + 12, &[0]);
        assert_eq!(messages(&mut system), [3]);
        assert_eq!(system.read32(MSIX_PENDING), 0);
        // By that of the function.
        system.set("msix_mask_i", 1);
        complete(&mut system, &mut pair, 2, random);
        assert!(messages(&mut system).is_empty());
        system.set("msix_mask_i", 0);
        assert_eq!(messages(&mut system), [3]);
        // Without MSI-X nothing is kept.
        system.set("msix_enable_i", 0);
        complete(&mut system, &mut pair, 2, random);
        assert!(messages(&mut system).is_empty());
        system.set("msix_enable_i", 1);
        assert!(messages(&mut system).is_empty());
        // A disable forgets what is pending.
        system.set("msix_mask_i", 1);
        complete(&mut system, &mut pair, 1, random);
        assert!(messages(&mut system).is_empty());
        assert_eq!(system.read32(MSIX_PENDING), 1 << 3);
        system.write(0x14, &[0]);
        system.expect(crate::host_control::processor::Event::Disable);
        system.set("msix_mask_i", 0);
        assert!(messages(&mut system).is_empty());
    });
}

#[test]
fn a_message_that_is_refused_harms_nobody() {
    let mut random = Random::new(3);
    let mut system = System::new(&mut random);
    system.bring_up(4, 0);
    unmask_vectors(&mut system);
    let mut pair = system.create_pair(1, 16, 0);
    system.write(MSIX_TABLE + 16, &[0x1000, 0]);
    complete(&mut system, &mut pair, 12, &mut random);
    assert!(messages(&mut system).is_empty());
    unmask_vectors(&mut system);
    complete(&mut system, &mut pair, 1, &mut random);
    assert_eq!(messages(&mut system), [1]);
    assert_eq!(system.read32(0x1c), 1);
}

#[test]
fn accesses_to_the_table_wait_for_no_message_that_the_host_does_not_take() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        system.bring_up(16, 0);
        unmask_vectors(&mut system);
        let mut pair = system.create_pair(1, 16, 0);
        let mut other = system.create_pair(2, 16, 0);
        system.memory.holds_messages = true;
        complete(&mut system, &mut pair, 2, random);
        complete(&mut system, &mut other, 1, random);
        system.cycles(1_000);
        // The message that waits has left the table, and stays what it was.
        let kept = system.read(MSIX_TABLE + 16, 4);
        system.write(MSIX_TABLE + 16, &[0, 0, 0xdead, 1]);
        assert_eq!(system.read(MSIX_TABLE + 16, 4), [0, 0, 0xdead, 1]);
        system.write(MSIX_TABLE + 16, &kept);
        assert_eq!(system.read(MSIX_TABLE + 16, 4), kept);
        system.memory.holds_messages = false;
        assert_eq!(messages(&mut system), [1, 2, 1]);
    });
}

#[test]
fn completions_are_gathered_up_to_the_threshold() {
    seed::each(2, |random| {
        let mut system = System::new(random);
        let mut admin = system.bring_up(16, 0);
        unmask_vectors(&mut system);
        let mut pair = system.create_pair(1, 16, 0);
        let mut other = system.create_pair(2, 16, 0);
        // Three more than one, and a time that does not run out.
        let settings = [("coalescing_threshold_i", 3), ("coalescing_time_i", 255)];
        system.pulse("coalescing_valid_i", &settings);
        complete(&mut system, &mut pair, 3, random);
        complete(&mut system, &mut other, 3, random);
        assert!(messages(&mut system).is_empty());
        complete(&mut system, &mut pair, 1, random);
        assert_eq!(messages(&mut system), [1]);
        complete(&mut system, &mut other, 2, random);
        assert_eq!(messages(&mut system), [2]);
        complete(&mut system, &mut pair, 2, random);
        assert!(messages(&mut system).is_empty());
        // The admin queue is never coalesced.
        complete(&mut system, &mut admin, 1, random);
        assert_eq!(messages(&mut system), [0]);
        system.pulse("forbid_valid_i", &[("forbid_vector_i", 1), ("forbid_i", 1)]);
        complete(&mut system, &mut pair, 1, random);
        assert_eq!(messages(&mut system), [1]);
        system.pulse("forbid_valid_i", &[("forbid_vector_i", 1), ("forbid_i", 0)]);
        complete(&mut system, &mut pair, 1, random);
        assert!(messages(&mut system).is_empty());
        system.pulse("coalescing_valid_i", &[("coalescing_time_i", 0)]);
        complete(&mut system, &mut pair, 1, random);
        assert_eq!(messages(&mut system), [1]);
    });
}

#[test]
fn the_coalescing_time_ends_a_wait_in_time() {
    seed::each(3, |random| {
        let mut system = System::new(random);
        system.bring_up(16, 0);
        unmask_vectors(&mut system);
        let mut pair = system.create_pair(4, 16, 0);
        let time = 1 + random.below(3);
        let settings = [("coalescing_threshold_i", 200), ("coalescing_time_i", time)];
        system.pulse("coalescing_valid_i", &settings);
        let before = system.bench.cycles();
        complete(&mut system, &mut pair, 1, random);
        system.until("a message", |system| system.memory.is_idle());
        let posted = system.bench.cycles();
        let mut came = Vec::new();
        system.until("a message", |system| {
            came = system.memory.take_messages();
            !came.is_empty()
        });
        let now = system.bench.cycles();
        let ticks = 16 * time * TICK_CYCLES;
        assert!(
            now - posted <= ticks + 100 && now - before >= ticks - TICK_CYCLES,
            "{}",
            now - posted
        );
        assert_eq!(came[0].data, 4);
        // Nothing is left of it.
        system.cycles(2 * ticks);
        assert!(system.memory.take_messages().is_empty());
    });
}

/// All dwords of the table.
fn table(system: &mut System) -> Vec<u32> {
    (0..QUEUES).flat_map(|vector| system.read(MSIX_TABLE + 16 * vector, 4)).collect()
}

#[test]
fn a_function_reset_wipes_the_table_and_a_disable_leaves_it() {
    seed::each(3, |random| {
        let mut system = System::new(random);
        let wiped: Vec<u32> = (0..QUEUES).flat_map(|_| [0, 0, 0, 1]).collect();
        assert_eq!(table(&mut system), wiped, "after the reset of the block");
        system.bring_up(4, 0);
        unmask_vectors(&mut system);
        system.create_pair(3, 16, 0);
        let kept = table(&mut system);
        assert_ne!(kept, wiped);
        system.write(0x14, &[0]);
        system.expect(crate::host_control::processor::Event::Disable);
        assert_eq!(table(&mut system), kept, "after a disable");
        system.set_ready(0);
        system.until("CSTS.RDY off", |system| system.read32(0x1c) & 1 == 0);

        // Interrupts that wait behind the function's mask do not survive the reset.
        system.bring_up(4, 0);
        let mut pair = system.create_pair(3, 16, 0);
        system.set("msix_mask_i", 1);
        complete(&mut system, &mut pair, 2, random);
        assert!(messages(&mut system).is_empty());
        assert_eq!(system.read32(MSIX_PENDING), 1 << 3);
        system.cycles(random.below(20));
        system.pulse("function_reset_i", &[]);
        assert_eq!(table(&mut system), wiped, "after the reset of the function");
        assert_eq!(system.read32(MSIX_PENDING), 0);
        system.set("msix_mask_i", 0);
        assert!(messages(&mut system).is_empty());
        system.expect(crate::host_control::processor::Event::Disable);
        system.set_ready(0);

        // The host sets it up again, and it serves.
        system.bring_up(4, 0);
        pair = system.create_pair(3, 16, 0);
        unmask_vectors(&mut system);
        complete(&mut system, &mut pair, 1, random);
        assert_eq!(messages(&mut system), [3]);
    });
}
