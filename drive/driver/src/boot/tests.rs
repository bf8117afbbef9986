use super::*;
use alloc::vec;
use contract::packet::{CodeWords, PhaseFormat, RowFormat};
use contract::*;

use crate::{ChannelWords, Entries, Layout};

/// A drive in which no two numbers are the same.
fn boot() -> Boot {
    let format = PhaseFormat {
        page_bytes: 8192,
        flash_pages: 72,
        rows: RowFormat { pages_per_block: 33, page_stride: 34, block_shift: 35 },
        code: CodeWords { chunk_bytes: 36, parity_bytes: 37, metadata_bytes: 38 },
    };
    let costs = SavingCosts {
        controller_mw: 1 << 40,
        die_mw: 41,
        transfer_pj: 42,
        program: Duration::from_us(43),
        erase: Duration::from_us(44),
        transfer: Duration::from_us(45),
        begun_per_die: 46,
        hung_ways: 65,
        given_per_way: 66,
    };
    let config = Configuration {
        serial: 1,
        medium: Medium::Flash,
        command_set: contract::CommandSet::Block,
        zoning: Some(contract::Zoning {
            channels: 75,
            ways: 76,
            most_open: 77,
            most_active: 78,
            zones_per_set: 79,
        }),
        flash_times: contract::FlashTimes::UNKNOWN,
        automation: contract::Automation::ReadsAndWrites,
        geometry: Geometry {
            channels: 2,
            ways: 3,
            blocks_per_way: 4,
            pages_per_block: 5,
            page_bytes: 6,
        },
        grain: Grain::Operations(OperationGrain { way_requests: 7, format }),
        joined_planes: 8,
        programming: Programming { flash_pages: 42, passes: 43 },
        suspends: 44,
        read_unit_bytes: 9,
        unit_bytes: 10,
        logical_pages: 11,
        namespaces: 1,
        block_formats: [12, 13, 14, 15],
        block_format: 16,
        buffer_entries: 17,
        cache: CachePolicy::WriteThrough,
        policies: Policies {
            victim: VictimPolicy::DChoices.with([27, 28 << 32]),
            streams: StreamPolicy::Apart.with([]),
            wear: WearPolicy::Threshold.with([29]),
            placement: PlacementPolicy::Random.with([u64::MAX - 18]),
            priority: PriorityPolicy::ByClass.with([67, 68, 69, 70]),
            replacement: ReplacementPolicy::Lru.with([71]),
        },
        command_slots: 19,
        io_queues: 20,
        vectors: 21,
        queue_entries: 22,
        completer: Completer::Interface,
        doorbell_buffers: DoorbellBuffers::Offered,
        max_transfer_bytes: 23,
        dma_requests: 24,
        clean_entries_kept: 25,
        free_pages_kept: 26,
        refresh: Refresh { corrected_bits: 30, patrol_interval: Duration::from_us(1 << 30) },
        read_retries: 31,
        read_levels: 64,
        spare_blocks_per_way: 32,
        bad_blocks: BadBlocks::Scan,
        rated_cycles: 47,
        recovery: Some(Recovery {
            log_blocks_per_way: 48,
            snapshots_per_journal_page: 49,
            log_entries: 50,
            map_cache_parts: Some(51),
        }),
        reserve: Some(Reserve { blocks_per_way: 52, energy_pj: 53, costs }),
    };
    let channels = ChannelWords {
        scheduler: 54,
        timeouts: 55,
        bus: 56,
        command_waits: 57,
        phase_waits: 58,
        chip_waits: 59,
        data_waits: 60,
    };
    let entries = Entries { short: 61, whole: 73, flash_pages: 74, dies: 75 };
    let layout = Layout::of(entries, 4096, 24);
    let setup = Setup { cycle_ps: 10_000, layout, log_entries: (62, 63), channels, format };
    Boot { config, setup }
}

#[test]
fn a_drive_comes_back_from_its_words() {
    let full = boot();
    let mut least = full.clone();
    least.config.grain = Grain::Phases;
    least.config.policies.placement = PlacementPolicy::WayFirst.with([]);
    (least.config.recovery, least.config.reserve, least.config.zoning) = (None, None, None);
    for boot in [full, least] {
        let mut words = boot.emit();
        assert_eq!(Boot::parse(&words).as_ref(), Some(&boot));
        // What stands behind them in memory is not theirs.
        words.resize(MOST_WORDS, u32::MAX);
        assert_eq!(Boot::parse(&words), Some(boot));
    }
}

#[test]
fn words_of_no_drive_are_refused() {
    let words = boot().emit();
    for length in 0..words.len() {
        assert_eq!(Boot::parse(&words[..length]), None, "cut at {length}");
    }
    let with = |nth: usize, word| {
        let mut words = words.clone();
        words[nth] = word;
        Boot::parse(&words)
    };
    assert_eq!(with(0, 0), None);
    assert_eq!(with(1, words[1] - 1), None);
    assert_eq!(with(1, u32::MAX), None);
    // The third word of the configuration is its command set.
    assert_eq!(with(4, 3), None);
    assert_eq!(Boot::parse(&vec![0; MOST_WORDS]), None);
}
