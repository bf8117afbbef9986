//! The words of a drive's shape: structs field by field, enums by the number of what they are.

use alloc::vec::Vec;
use contract::packet::{CodeWords, PhaseFormat, RowFormat};
use contract::{
    Automation, BadBlocks, CachePolicy, Chosen, CommandSet, Completer, Configuration,
    DoorbellBuffers, FlashTimes, Geometry, Grain, Medium, OperationGrain, PlacementPolicy,
    Policies, PriorityPolicy, Programming, Recovery, Refresh, ReplacementPolicy, Reserve,
    SavingCosts, Settings, StreamPolicy, VictimPolicy, WearPolicy, Zoning,
};

use super::words::Words;
use crate::{ChannelWords, Layout, Setup};

/// A field that is missing here does not compile.
macro_rules! structs {
    ($($name:ident { $($field:ident),* $(,)? })*) => {
        $(impl Words for $name {
            fn put(&self, words: &mut Vec<u32>) {
                let Self { $($field),* } = self;
                $($field.put(words);)*
            }

            fn take(words: &mut &[u32]) -> Option<Self> {
                $(let $field = Words::take(words)?;)*
                Some(Self { $($field),* })
            }
        })*
    };
}

/// Nor does a variant.
macro_rules! enums {
    ($($name:ident { $($number:literal => $variant:ident $(($value:ident))?),* $(,)? })*) => {
        $(impl Words for $name {
            fn put(&self, words: &mut Vec<u32>) {
                match self {
                    $(Self::$variant $(($value))? => {
                        words.push($number);
                        $($value.put(words);)?
                    })*
                }
            }

            fn take(words: &mut &[u32]) -> Option<Self> {
                Some(match u32::take(words)? {
                    $($number => Self::$variant $(({
                        let $value = Words::take(words)?;
                        $value
                    }))?,)*
                    _ => return None,
                })
            }
        })*
    };
}

/// Policies are told by their number in the table of their kind.
macro_rules! policies {
    ($($name:ident),* $(,)?) => {
        $(impl Words for $name {
            fn put(&self, words: &mut Vec<u32>) {
                words.push(*self as u32);
            }

            fn take(words: &mut &[u32]) -> Option<Self> {
                $name::ALL.get(u32::take(words)? as usize).copied()
            }
        })*
    };
}

policies! {
    VictimPolicy, StreamPolicy, WearPolicy, PlacementPolicy, PriorityPolicy, ReplacementPolicy,
}

impl<P: Words> Words for Chosen<P> {
    fn put(&self, words: &mut Vec<u32>) {
        self.policy.put(words);
        self.settings.0.put(words);
    }

    fn take(words: &mut &[u32]) -> Option<Self> {
        let (policy, values) = <(P, _)>::take(words)?;
        Some(Chosen { policy, settings: Settings(values) })
    }
}

enums! {
    Medium { 0 => Flash, 1 => Memory }
    CommandSet { 0 => Block, 1 => OpenChannel, 2 => Zoned }
    Automation { 0 => None, 1 => ReadsAndWrites }
    Grain { 0 => Phases, 1 => Operations(grain) }
    CachePolicy { 0 => WriteBack, 1 => WriteThrough }
    Completer { 0 => Firmware, 1 => Interface }
    DoorbellBuffers { 0 => Absent, 1 => Offered }
    BadBlocks { 0 => Table, 1 => Scan }
}

structs! {
    Geometry { channels, ways, blocks_per_way, pages_per_block, page_bytes }
    FlashTimes { read, program, erase }
    RowFormat { pages_per_block, page_stride, block_shift }
    CodeWords { chunk_bytes, parity_bytes, metadata_bytes }
    PhaseFormat { page_bytes, flash_pages, rows, code }
    OperationGrain { way_requests, format }
    Policies { victim, streams, wear, placement, priority, replacement }
    Refresh { corrected_bits, patrol_interval }
    Programming { flash_pages, passes }
    Recovery { log_blocks_per_way, snapshots_per_journal_page, log_entries, map_cache_parts }
    SavingCosts {
        controller_mw, die_mw, transfer_pj, program, erase, transfer, begun_per_die,
        hung_ways, given_per_way,
    }
    Reserve { blocks_per_way, energy_pj, costs }
    Zoning { channels, ways, most_open, most_active, zones_per_set }
    Configuration {
        serial, medium, command_set, zoning, automation, geometry, flash_times, grain, joined_planes, programming, suspends, read_unit_bytes, unit_bytes,
        logical_pages, namespaces, block_formats, block_format, buffer_entries, cache, policies,
        command_slots, io_queues, vectors, queue_entries, completer, doorbell_buffers,
        max_transfer_bytes, dma_requests, clean_entries_kept, free_pages_kept, refresh, read_retries, read_levels, spare_blocks_per_way,
        bad_blocks, rated_cycles, recovery, reserve,
    }
    Layout { page_bytes, metadata_bytes, stride, flash_pages, first_whole, first_spare, control, list, end }
    ChannelWords {
        scheduler, timeouts, bus, command_waits, phase_waits, chip_waits, data_waits,
    }
    Setup { cycle_ps, layout, log_entries, channels, format }
}
