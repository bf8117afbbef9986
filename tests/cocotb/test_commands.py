"""Reads and writes, with firmware and without."""

import cocotb

import nvme
from drive import BLOCKS, Drive


def turned(drive):
    """The small queues went round more than once, so their phase was both."""
    pair = drive.host.queues[1]
    assert pair.turns >= 2, f"{pair}"


@cocotb.test()
@cocotb.parametrize(paused=[False, True])
async def firmware_moves_data(dut, paused):
    drive = await Drive.ready(dut, f"firmware {paused}", paused, automated=False)
    for _ in range(drive.rounds):
        await drive.at_once(6)
    for nth in range(7):
        await drive.read(1, 8 * nth, 1)
    turned(drive)
    await drive.finish()


@cocotb.test()
@cocotb.parametrize(paused=[False, True])
async def hardware_moves_data(dut, paused):
    drive = await Drive.ready(dut, f"hardware {paused}", paused, automated=True)
    for _ in range(drive.rounds):
        await drive.at_once(12)
    for nth in range(7):
        await drive.read(1, 8 * nth, 1)
    turned(drive)
    seen = [command for command in drive.firmware.commands if command[0] != 0]
    assert seen == [], f"the firmware saw {seen}"
    automated = sum(await drive.firmware.counters("automated_reads", "automated_writes"))
    posted = sum(pair.posted for pair in drive.host.queues.values() if pair.number != 0)
    assert automated == posted, f"{automated} commands ran by themselves, {posted} were completed"
    # What breaks a rule is the firmware's.
    buffer = drive.buffer(8)
    done = await drive.host.run(2, nvme.blocks(nvme.READ, BLOCKS - 4, 8, buffer))
    assert done.status == nvme.OUT_OF_RANGE and drive.firmware.commands[-1] == (2, nvme.READ), f"{done}"
    buffer.check_kept()
    await drive.finish()
