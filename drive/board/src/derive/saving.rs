//! From leaves to what the drive saves when the power goes away: the energy of the capacitor, and what it is spent on.

use contract::{Duration, Geometry, Medium, Programming, Recovery, Reserve, SavingCosts};

use super::Derivation;
use crate::board::{Channel, Execution, Scheduling};
use crate::flash::Flash;
use crate::BoardError;

/// The longest of the times of page types.
pub(super) fn slowest(times: &[Duration]) -> Duration {
    times.iter().copied().max().expect("a cell mode has a page type")
}

impl Derivation<'_> {
    /// The capacitor, if there is one, and the blocks for what it lets the drive save: twice as many as that fills,
    /// since some may go bad, and one more a way, since a program that fails while it is written puts an end to a block.
    pub(super) fn reserve(
        &self,
        (flash, geometry): (&Flash, &Geometry),
        (buffer_pages, planes): (u32, u32),
        recovery: Option<Recovery>,
    ) -> Result<Option<Reserve>, BoardError> {
        let path = "power_loss.capacitor_millijoules";
        let capacitor = self.capacitor_pj();
        if capacitor == 0 || self.medium() == Medium::Memory {
            return Ok(None);
        }
        if recovery.is_none() {
            let expected = "0, as recovery.log_entries is 0: without a log a drive does not find again what it saves";
            return Err(self.contradiction(path, expected.to_owned()));
        }
        let costs = self.saving_costs(flash, geometry, planes);
        let left = 100 - self.u64("power_loss.kept_back_percent");
        let energy_pj = capacitor / 100 * left;
        if costs.ways(geometry) == 0 {
            let expected = "0, as channel.busy_timeout_us is above 0 and a chip that hangs leaves no other way to save to";
            return Err(self.contradiction(path, expected.to_owned()));
        }
        let mut reserve = Reserve { blocks_per_way: 0, energy_pj, costs };
        let pages = reserve.data_pages(buffer_pages, geometry);
        if pages < geometry.dies() {
            let needed = Reserve::needed_pj(&costs, geometry.dies(), geometry);
            let least = (needed * 100).div_ceil(left).div_ceil(1_000_000_000);
            let expected =
                format!("0 for none, or at least {least}, for journal pages and a page a way");
            return Err(self.contradiction(path, expected));
        }
        let all = u64::from(pages + costs.pages_beside(geometry));
        let row = u64::from(costs.ways(geometry)) * u64::from(geometry.pages_per_block);
        reserve.blocks_per_way = (2 * all).div_ceil(row) as u32 + 1;
        Ok(Some(reserve))
    }

    /// What the capacitor holds, in picojoules.
    pub(super) fn capacitor_pj(&self) -> u64 {
        self.u64("power_loss.capacitor_millijoules") * 1_000_000_000
    }

    /// What it costs to save pages. A channel that schedules may have begun two operations over all planes of a die, one
    /// behind the other.
    fn saving_costs(&self, flash: &Flash, geometry: &Geometry, planes: u32) -> SavingCosts {
        let Channel { bus, program_overhead, status_check, status_latency, page_bus_bytes, .. } =
            self.channel(flash.page_bus_bytes());
        let carried = u64::from(page_bus_bytes) * bus.ps_per_kib();
        let Programming { flash_pages, passes } = flash.programming;
        let times = u64::from(flash_pages * passes);
        let page = Duration::from_ps(carried.div_ceil(1024))
            + program_overhead
            + status_check
            + status_latency;
        let between = times - u64::from(passes);
        SavingCosts {
            controller_mw: self.u64("power_loss.controller_milliwatts"),
            // Planes that act together are programmed by as many arrays.
            die_mw: self.u64("power_loss.die_milliwatts") * u64::from(flash.fold.planes()),
            transfer_pj: times
                * u64::from(page_bus_bytes)
                * self.u64("power_loss.transfer_picojoules_per_byte"),
            program: self.longest_program(flash) + flash.t_plane_busy * between,
            erase: self.longest_begun(flash),
            transfer: page * times,
            begun_per_die: if self.schedules() { 1 } else { 2 * planes },
            hung_ways: self.hung_ways(geometry),
            given_per_way: match self.schedules() {
                true => Reserve::PAGES_A_WAY,
                false => self.way_requests(geometry).max(Reserve::PAGES_A_WAY),
            },
        }
    }

    /// For how long the array programs a page at most, in all passes.
    fn longest_program(&self, flash: &Flash) -> Duration {
        let times = flash.program_times();
        let deviation = flash.program_deviation + flash.die_deviation;
        match flash.fold.pages() {
            1 => slowest(times) + deviation,
            _ => times.iter().fold(Duration::ZERO, |sum, &time| sum + time + deviation),
        }
    }

    /// What a die may have begun takes at most.
    fn longest_begun(&self, flash: &Flash) -> Duration {
        let erase = flash.t_erase + flash.erase_deviation + flash.die_deviation;
        match flash.fold.pages() {
            1 => erase,
            _ => erase.max(self.longest_program(flash)),
        }
    }

    /// Ways that one chip which hangs keeps from answering. A channel that waits for its chips for ever has chips that do not
    /// hang; one that keeps the order of operations goes on with no other way before the hung one has timed out.
    fn hung_ways(&self, geometry: &Geometry) -> u32 {
        let Scheduling { execution, busy_timeout, .. } = self.scheduling();
        match execution {
            _ if busy_timeout == Duration::ZERO => 0,
            _ if self.schedules() => 1,
            Execution::OutOfOrder => 1,
            Execution::Sequential | Execution::Decoupled | Execution::InOrder => geometry.ways,
        }
    }
}
