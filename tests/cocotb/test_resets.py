"""The host takes its memory away in the middle of commands, and everything works again."""

import cocotb

import nvme
from drive import Drive


class Doomed:
    """A command that a reset meets, or not."""

    def __init__(self, drive, start, count):
        self.drive, self.start, self.count = drive, start, count
        self.opcode = drive.random.choice([nvme.READ, nvme.WRITE])
        self.buffer, self.data = drive.buffer(count), drive.random.randbytes(count * nvme.BLOCK)
        if self.opcode == nvme.WRITE:
            self.buffer.fill(self.data)
        command = nvme.blocks(self.opcode, start, count, self.buffer)
        self.task = cocotb.start_soon(drive.host.submit(drive.some_queue(), command))

    def look(self):
        """What it has left behind once the controller is down."""
        if self.opcode == nvme.WRITE:
            self.buffer.check_kept()
            self.drive.check_mixed(self.start, self.count, self.data)
        else:
            self.buffer.check_mixed(self.drive.expected[self.drive.bytes_of(self.start, self.count)])
        self.buffer.release()


async def in_the_middle(drive, reset):
    """Commands, a reset at any moment of them, and what holds from then on."""
    doomed = [Doomed(drive, start, count) for start, count in drive.cut(8)]
    await drive.world.cycles(drive.random.randrange(1500))
    for one in doomed:
        one.task.cancel()
    await reset()
    accesses = drive.memory.accesses
    await drive.world.cycles(600)
    assert drive.memory.accesses == accesses, "host memory was used after the controller had stopped"
    for one in doomed:
        one.look()
    drive.check_memory()
    await drive.bring_up()
    await drive.at_once(4, longest=16)
    await drive.finish()


@cocotb.test()
@cocotb.parametrize(automated=[False, True])
async def controller_reset(dut, automated):
    drive = await Drive.ready(dut, f"reset {automated}", True, automated)
    for _ in range(drive.rounds):
        await in_the_middle(drive, drive.host.disable)


@cocotb.test()
async def function_reset(dut):
    drive = await Drive.ready(dut, "function", True, True)

    async def reset():
        drive.host.is_up = False
        await drive.world.bar.wait_write()
        dut.function_reset_i.value = 1
        await drive.world.cycles(1)
        dut.function_reset_i.value = 0
        await drive.world.cycles(1)

        async def idle():
            while not int(dut.idle_o.value):
                await drive.world.cycles(1)
        await drive.host.patiently(idle(), "idle after a reset of the function")
        assert await drive.host.read(nvme.CC) == 0 and await drive.host.read(nvme.AQA) == 0
        vector = await drive.host.read(nvme.MSIX_TABLE, 16)
        assert vector == 1 << 96, f"vector 0 after a reset of the function: {vector:#x}"
        await drive.host.status_is(nvme.CSTS_READY, 0)

    for _ in range(drive.rounds):
        await in_the_middle(drive, reset)
