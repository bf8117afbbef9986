"""The controller comes up, says what it is, makes and deletes queues, and goes down."""

import cocotb

import nvme
from drive import Drive
from memory import PAGE


@cocotb.test()
async def registers_read_alike_in_beats_of_any_size(dut):
    drive = await Drive.start(dut, "registers", paused=True)
    host = drive.host
    whole = await host.read(nvme.CAP, 64)
    words = [await host.read(4 * nth) for nth in range(16)]
    assert whole == sum(word << 32 * nth for nth, word in enumerate(words)), f"{whole:#x}, {words}"
    cap = words[0] | words[1] << 32
    assert cap & 0xFFFF == 1023 and cap >> 37 & 1 == 1, f"CAP {cap:#x}"
    assert words[2] == 0x0001_0400, f"VS {words[2]:#x}"


@cocotb.test()
async def enables_and_disables_and_shuts_down(dut):
    drive = await Drive.start(dut, "enables", paused=True)
    host, numbers = drive.host, drive.firmware.map.numbers
    for entries in (2, 8):
        await host.enable(entries)
        assert await host.read(nvme.AQA) == (entries - 1) << 16 | (entries - 1)
        assert await host.read(nvme.ACQ, 8) == host.queues[0].completions
        await host.write(nvme.CC, nvme.CC_SETTINGS | nvme.CC_ENABLE | nvme.CC_SHUTDOWN)
        await host.status_is(nvme.CSTS_SHUTDOWN_DONE, nvme.CSTS_SHUTDOWN_DONE)
        await host.disable()
    names = ["EventEnable", "EventShutdown", "EventDisable"] * 2
    assert drive.firmware.events == [numbers[name] for name in names], f"{drive.firmware.events}"


@cocotb.test()
async def identifies_itself_and_makes_queues(dut):
    drive = await Drive.start(dut, "identifies", paused=True)
    host, firmware = drive.host, drive.firmware
    await host.enable(4)
    # More commands than both admin queues have entries: their phase turns.
    for _ in range(6):
        buffer = nvme.Buffer.any(drive.memory, drive.random, PAGE)
        done = await host.admin(nvme.Command(nvme.IDENTIFY, 0, buffer.prp1, buffer.prp2, (1, 0)))
        assert done.status == nvme.SUCCESS, f"{done}"
        buffer.check(firmware.identity)
        buffer.release()
    assert host.queues[0].turns == 1 and host.queues[0].messages == 6, f"{host.queues[0]}"
    done = await host.admin(nvme.Command(0x7F, 0, 0, 0, (0, 0)))
    assert done.status == nvme.INVALID_OPCODE, f"{done}"
    # Pairs from the first to the last, deleted, and made again in another order.
    for numbers in ((1, 7, 16), (16, 1)):
        for number in numbers:
            await host.create_queue(number, 16, 8)
            done = await host.run(number, nvme.Command(nvme.FLUSH))
            assert done.status == nvme.SUCCESS and host.queues[number].messages == 1, f"{done}"
        for number in numbers:
            for opcode in (nvme.DELETE_SQ, nvme.DELETE_CQ):
                done = await host.admin(nvme.Command(opcode, 0, 0, 0, (number, 0)))
                assert done.status == nvme.SUCCESS, f"{done}"
            del host.queues[number]
    await drive.finish()
