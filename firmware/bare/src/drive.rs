//! The smallest drive worth the name.

use contract::{
    Automation, BadBlocks, CachePolicy, Completer, Configuration, DoorbellBuffers, Geometry, Grain,
    Medium, Policies,
};

/// Two channels of two ways, 4 MiB of flash, 3 MiB of it on offer.
pub fn configuration() -> Configuration {
    Configuration {
        serial: 1,
        medium: Medium::Flash,
        command_set: contract::CommandSet::Block,
        zoning: None,
        flash_times: contract::FlashTimes::UNKNOWN,
        automation: Automation::None,
        geometry: Geometry {
            channels: 2,
            ways: 2,
            blocks_per_way: 16,
            pages_per_block: 16,
            page_bytes: 4096,
        },
        grain: Grain::Phases,
        joined_planes: 1,
        programming: contract::Programming::SINGLE,
        suspends: 0,
        read_unit_bytes: 4096,
        unit_bytes: 4096,
        logical_pages: 768,
        namespaces: 1,
        block_formats: [4096, 0, 0, 0],
        block_format: 0,
        buffer_entries: 64,
        cache: CachePolicy::WriteBack,
        policies: Policies::PUBLISHED,
        command_slots: 16,
        io_queues: 2,
        vectors: 3,
        queue_entries: 64,
        completer: Completer::Firmware,
        doorbell_buffers: DoorbellBuffers::Absent,
        max_transfer_bytes: 64 << 10,
        dma_requests: 8,
        clean_entries_kept: 0,
        free_pages_kept: 0,
        refresh: contract::Refresh::NONE,
        read_retries: 1,
        read_levels: 0,
        spare_blocks_per_way: 2,
        bad_blocks: BadBlocks::Table,
        rated_cycles: 3000,
        recovery: None,
        reserve: None,
    }
}
