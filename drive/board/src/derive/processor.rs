//! From leaves to the processor that runs the firmware: times of its registers, and cycles of each kind of work.

use contract::Work;

use super::Derivation;
use crate::board::{GuestCpu, Processor};
use crate::keys::work_path;
use crate::BoardError;

impl Derivation<'_> {
    /// The processor of a host that runs Linux in virtual time, where the board states it.
    pub(super) fn guest_cpu(&self) -> Option<GuestCpu> {
        let is_stated = self.sheet.leaf("guest_cpu.issue_ns").is_stated();
        is_stated.then(|| GuestCpu {
            issue_ns: self.u32("guest_cpu.issue_ns"),
            complete_ns: self.u32("guest_cpu.complete_ns"),
            switch_ns: self.u32("guest_cpu.switch_ns"),
            wake_ns: self.u32("guest_cpu.wake_ns"),
        })
    }

    pub(super) fn processor(&self) -> Result<Processor, BoardError> {
        let clock_mhz = self.u64("processor.clock_mhz");
        Ok(Processor {
            clock_mhz,
            register_read: self.time("processor.register_read_ns"),
            register_write: self.time("processor.register_write_ns"),
            register_cycles: self.u64("processor.register_cycles"),
            command_registers: self.u32("processor.command_registers"),
            command_register: self.time("processor.command_register_ns"),
            flash_registers: [
                "processor.trigger_registers",
                "processor.transfer_registers",
                "processor.program_registers",
                "processor.erase_registers",
                "processor.check_registers",
                // Commands without data, as an erase.
                "processor.erase_registers",
                "processor.erase_registers",
                "processor.erase_registers",
                "processor.erase_registers",
            ]
            .map(|path| self.u32(path)),
            response_registers: self.u32("processor.response_registers"),
            dma_registers: self.u32("processor.dma_registers"),
            dma_request_registers: self.u32("processor.dma_request_registers"),
            dma_poll_registers: self.u32("processor.dma_poll_registers"),
            list_registers: self.u32("processor.list_registers"),
            awaited_registers: self.u32("processor.awaited_registers"),
            completion_registers: self.u32("processor.completion_registers"),
            store_registers: self.u32("processor.store_registers"),
            time_registers: self.u32("processor.time_registers"),
            work_cycles: self.work_cycles(clock_mhz)?,
            message_latency: self.time("processor.message_latency_ns"),
            message_cycles: ["processor.send_instructions", "processor.receive_instructions"].map(
                |path| self.u64(path) * self.u64("processor.cycles_per_100_instructions") / 100,
            ),
        })
    }

    /// Cycles of each kind of work. None takes longer than any other time of a board may be.
    fn work_cycles(&self, clock_mhz: u64) -> Result<[u64; Work::ALL.len()], BoardError> {
        let each = self.u64("processor.cycles_per_100_instructions");
        let second = clock_mhz * 1_000_000;
        let mut cycles = [0; Work::ALL.len()];
        for (work, cycles) in Work::ALL.into_iter().zip(&mut cycles) {
            let path = work_path(work);
            let hundredths = self.u64(&path) * each;
            *cycles = hundredths / 100;
            if hundredths > second * 100 {
                let most = second * 100 / each;
                let expected = format!("at most {most}, a second at processor.clock_mhz");
                return Err(self.contradiction(&path, expected));
            }
        }
        Ok(cycles)
    }
}
