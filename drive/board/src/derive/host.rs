//! The host's end of the link, and commands that run without firmware.

use contract::Duration;

use super::Derivation;
use crate::board::{Arbitration, Automation, HostInterface, Movers};
use crate::Bandwidth;

impl Derivation<'_> {
    pub(super) fn automation(&self) -> Automation {
        let cycle =
            |cycles: u64| Duration::from_ps(cycles * 1_000_000 / self.u64("automation.clock_mhz"));
        let cycles = |path: &str| cycle(self.u64(path));
        let beats = 1024 * 64 / self.u64("automation.beat_bytes");
        Automation {
            cycle: cycle(1),
            beat_bytes: self.u32("automation.beat_bytes"),
            fetch: cycles("automation.fetch_cycles"),
            task: cycles("automation.task_cycles") + self.time("automation.task_us"),
            completion: cycles("automation.completion_cycles"),
            path: Bandwidth::from_ps_per_kib((cycle(beats).as_ps() / 64).max(1)),
            chunk: cycles("automation.chunk_cycles"),
            movers: self.choice("automation.movers", [Movers::One, Movers::EachWay]),
        }
    }

    pub(super) fn host(&self) -> HostInterface {
        let arbitrations = [Arbitration::RoundRobin, Arbitration::Weighted];
        HostInterface {
            link: self.bandwidth("host.link_bandwidth_mb_s"),
            bus: self.bandwidth("host.bus_bandwidth_mb_s"),
            doorbell_latency: self.time("host.doorbell_latency_us"),
            fetch_latency: self.time("host.fetch_latency_us"),
            fetch_interval: self.time("host.fetch_interval_us"),
            dma_latency_from_host: self.time("host.dma_latency_from_host_us"),
            dma_latency_to_host: self.time("host.dma_latency_to_host_us"),
            dma_unit_overhead: self.time("host.dma_unit_overhead_us"),
            dma_unit_overhead_from_host: self.time("host.dma_unit_overhead_from_host_us"),
            dma_unit_overhead_arriving: self.time("host.dma_unit_overhead_arriving_us"),
            dma_answer_latency: self.time("host.dma_answer_latency_us"),
            list_latency: self.time("host.list_latency_us"),
            address_list: self.time("host.address_list_us"),
            fetch_behind_bytes: self.u64("host.fetch_behind_bytes"),
            completion_behind_bytes: self.u64("host.completion_behind_bytes"),
            completion_interval: self.time("host.completion_interval_us"),
            completion_latency: self.time("host.completion_latency_us"),
            interrupt_latency: self.time("host.interrupt_latency_us"),
            arbitration: self.choice("host.arbitration", arbitrations),
            command_queue_depth: self.u32("host.command_queue_depth"),
            submit_latency: self.time("host.submit_latency_us"),
            reap_latency: self.time("host.reap_latency_us"),
            ftl_request: self.time("host.ftl_request_us"),
            ftl_block: self.time("host.ftl_block_us"),
            ftl_spare_percent: self.u32("host.ftl_spare_percent"),
        }
    }
}
