//! What follows from the sizes of a drive: what it says of itself, the room that it takes, how much it
//! does at once.

use contract::{
    Chosen, Configuration, FlashOperation, Geometry, Hardware, Lpn, PlacementPolicy, Policies,
};
use firmware::ftl::sizes;
use nvme::admin::{AdminCommand, IdentifyStructure};
use nvme::identify::Namespace;
use nvme::io::{IoCommand, UnitAccess};

use crate::bench::{configuration, numbers, range, Bench, BLOCKS_A_PAGE};

fn namespace(bench: &mut Bench) -> Namespace {
    bench.admin(AdminCommand::Identify(IdentifyStructure::Namespace), 1);
    Namespace::parse(bench.body.control_page())
}

#[test]
fn a_namespace_tells_its_size_its_use_and_its_unit() {
    let mut bench = Bench::new(&configuration());
    let found = namespace(&mut bench);
    assert_eq!((found.size, found.capacity, found.in_use), (800, 800, 0));
    // Zero-based: a mapping unit of four blocks.
    assert_eq!((found.write_granularity, found.write_alignment), (3, 3));
    bench.write(8, &numbers(8, 5, 1), UnitAccess::Forced);
    assert_eq!(namespace(&mut bench).in_use, 8);
    bench.trim(8, 4);
    assert_eq!(namespace(&mut bench).in_use, 4);
}

/// Three operations for each slice of a full command table, but no more than 16 for each entry of the
/// buffer; at least 4,096; and three slices on top, each with two collections.
#[test]
fn the_operation_pool_has_room_for_what_can_be_under_way() {
    let small = configuration();
    assert_eq!(sizes::operations_needed(&small), 4096 + 3 * (2 * (2 * 8 + 1) + 8));
    let large = Configuration {
        command_slots: 1024,
        buffer_entries: 4096,
        geometry: Geometry { pages_per_block: 128, ..small.geometry },
        ..small.clone()
    };
    let collections = 3 * (2 * (2 * 128 + 1) + 8);
    assert_eq!(sizes::operations_needed(&large), 1024 * 9 * 3 + collections);
    let few_entries = Configuration { buffer_entries: 512, ..large };
    assert_eq!(sizes::operations_needed(&few_entries), 512 * 16 + collections);
}

/// A page that has come from flash goes on to the host in the turn that takes the answer.
#[test]
fn what_an_answer_releases_is_handed_over_in_the_same_turn() {
    let mut bench = Bench::new(&configuration());
    for lba in (0..36).step_by(4) {
        bench.write(lba, &numbers(lba, 4, 1), UnitAccess::Forced);
    }
    (bench.body.answered, bench.body.sent) = (Vec::new(), Vec::new());
    assert_eq!(bench.read(0, 4, UnitAccess::Normal), Ok(numbers(0, 4, 1)));
    assert_eq!(bench.body.sent, bench.body.answered[1..], "{:?}", bench.body.answered);
}

/// Four pages on two channels of two ways: each channel has room for two requests, but a turn issues no
/// more than one read trigger to it.
#[test]
fn a_channel_is_given_one_phase_of_a_class_a_turn() {
    let mut bench = Bench::new(&configuration());
    bench.write(0, &numbers(0, 16, 1), UnitAccess::Forced);
    for lba in (100..132).step_by(4) {
        bench.write(lba, &numbers(lba, 4, 1), UnitAccess::Normal);
    }
    bench.done(IoCommand::Flush);
    bench.body.issued.clear();
    let tag = bench.submit(IoCommand::Read(range(0, 16), UnitAccess::Normal), vec![0; 16]);
    assert_eq!(bench.finish(tag).1, numbers(0, 16, 1));
    let is_trigger = |operation| operation == FlashOperation::ReadTrigger;
    let triggers = bench.body.issued.iter().filter(|(_, r)| is_trigger(r.operation));
    let turns: Vec<u64> = triggers.map(|&(turn, _)| turn).collect();
    let first = turns[0];
    assert_eq!(turns, [first, first, first + 1, first + 1]);
}

/// Where the first pages of a new drive go.
fn dies_of_first_pages(placement: Chosen<PlacementPolicy>, pages: u64) -> Vec<u32> {
    let mut bench = Bench::new(&Configuration {
        policies: Policies { placement, ..Policies::PUBLISHED },
        ..configuration()
    });
    for page in 0..pages {
        let lba = page * BLOCKS_A_PAGE;
        bench.write(lba, &numbers(lba, 4, 1), UnitAccess::Forced);
    }
    let die = |page| {
        bench
            .firmware
            .inspect()
            .translator()
            .lookup(Lpn(page as u32))
            .expect("it is written")
            .page
            .die
    };
    (0..pages).map(die).collect()
}

#[test]
fn new_data_go_to_the_dies_in_the_order_of_the_placement() {
    // A die's number is way * channels + channel: two channels by two ways.
    assert_eq!(dies_of_first_pages(PlacementPolicy::ChannelFirst.with([]), 6), [0, 1, 2, 3, 0, 1]);
    assert_eq!(dies_of_first_pages(PlacementPolicy::WayFirst.with([]), 6), [0, 2, 1, 3, 0, 2]);
    let random = dies_of_first_pages(PlacementPolicy::Random.with([7]), 40);
    for die in 0..4 {
        let share = random.iter().filter(|other| **other == die).count();
        assert!((4..=17).contains(&share), "die {die} takes {share} of 40 pages: {random:?}");
    }
}
