"""The host interface between AXI models that others wrote."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiMaster, AxiRam

from memory import DriveMemory, HostMemory

CYCLE_NS = 4


def pauses(rng, share):
    """Whether a channel pauses, cycle by cycle: rarely or often, shortly or long."""
    longest = rng.choice([1, 1, 4, 30])
    while True:
        length = rng.randint(1, longest)
        paused = rng.random() < share
        for _ in range(length):
            yield paused


class World:
    """Clock, reset, memory, and a model at each port."""

    def __init__(self, dut, name):
        self.dut = dut
        self.seed = int(os.environ["RTL_SEED"])
        # How much is done; 1 is the short form.
        self.rounds = int(os.environ["RTL_ROUNDS"])
        self.random = random.Random(f"{name} {self.seed}")
        self.memory = HostMemory(self.random)
        self.drive = DriveMemory()
        self.link = {"clock": dut.clk_i, "reset": dut.rst_ni, "reset_active_level": False}
        self.host_ram = AxiRam(AxiBus.from_prefix(dut, "host"), mem=self.memory, **self.link)
        self.drive_rams = [
            AxiRam(AxiBus.from_prefix(dut, f"memory{nth}"), mem=channel, **self.link)
            for nth, channel in enumerate(self.drive.channels)
        ]
        self.bar = AxiMaster(AxiBus.from_prefix(dut, "bar"), **self.link)
        self.processor = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "processor"), **self.link)

    async def start(self):
        """Clock and reset; MSI-X is on."""
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk_i, CYCLE_NS, unit="ns").start())
        dut.rst_ni.value = 0
        dut.function_reset_i.value = 0
        dut.msix_enable_i.value = 1
        dut.msix_mask_i.value = 0
        await self.cycles(5)
        dut.rst_ni.value = 1
        await self.cycles(5)

    async def cycles(self, count):
        await ClockCycles(self.dut.clk_i, count)

    def pause(self):
        """Every channel of every port pauses from now on: never, rarely or often, as the seed has it."""
        for model in [self.host_ram, *self.drive_rams, self.bar, self.processor]:
            write, read = model.write_if, model.read_if
            channels = [write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel]
            for channel in channels:
                share = self.random.choice([0.0, 0.1, 0.3, 0.6])
                if share:
                    channel.set_pause_generator(pauses(random.Random(self.random.random()), share))
