"""Host and memory that answer SLVERR: the command fails alone."""

import cocotb

import nvme
from drive import Drive
from host import MESSAGES
from memory import PAGE

# The blocks that fail, apart from all others.
FIRST, COUNT = 3000, 40
BLOCKS_OF_PAGE = PAGE // nvme.BLOCK


async def fails(drive, opcode, memory, place_of):
    """A command fails, since memory refuses what `place_of` says for its buffer; others at the same time do not."""
    buffer, data = drive.buffer(COUNT), drive.random.randbytes(COUNT * nvme.BLOCK)
    if opcode == nvme.WRITE:
        buffer.fill(data)
    queue, refusals = drive.some_queue(), memory.refusals
    with memory.refusing(*place_of(buffer)):
        others = cocotb.start_soon(drive.at_once(3, longest=16))
        done = await drive.host.run(queue, nvme.blocks(opcode, FIRST, COUNT, buffer))
        assert done.status == nvme.TRANSFER_ERROR, f"{done}"
        assert memory.refusals > refusals, "nothing was refused"
        if opcode == nvme.WRITE:
            buffer.check_kept()
            drive.check_mixed(FIRST, COUNT, data)
        else:
            buffer.check_mixed(drive.expected[drive.bytes_of(FIRST, COUNT)])
        await others
    buffer.release()


async def works(drive):
    await drive.write(2, FIRST, COUNT)
    await drive.read(3, FIRST, COUNT)


@cocotb.test()
@cocotb.parametrize(automated=[False, True])
async def an_error_fails_one_command(dut, automated):
    drive = await Drive.ready(dut, f"errors {automated}", True, automated)
    of_drive = {nth: memory for nth, memory in enumerate(drive.world.drive.channels)}
    channel, inside, _ = next(drive.world.drive.pieces(drive.place + drive.bytes_of(FIRST + COUNT // 2, 1).start, 4))
    cases = [
        # A page of the buffer, the list of its pages, and a stripe of the drive's memory.
        (drive.memory, lambda buffer: (buffer.pages[1], PAGE)),
        (drive.memory, lambda buffer: (buffer.lists[-1], PAGE)),
        (of_drive[channel], lambda _: (inside, 4)),
    ]
    turns = [(opcode, *case) for opcode in (nvme.WRITE, nvme.READ) for case in cases]
    # The short form has two of them.
    for opcode, memory, place_of in drive.random.sample(turns, min(2 * drive.rounds, len(turns))):
        await fails(drive, opcode, memory, place_of)
        await works(drive)
    await drive.finish()


@cocotb.test()
async def a_page_that_does_not_come_is_written_nowhere(dut):
    drive = await Drive.ready(dut, "page", True, True)
    buffer, data = drive.buffer(COUNT), drive.random.randbytes(COUNT * nvme.BLOCK)
    buffer.fill(data)
    with drive.memory.refusing(buffer.pages[2], PAGE):
        done = await drive.host.run(1, nvme.blocks(nvme.WRITE, FIRST, COUNT, buffer))
    assert done.status == nvme.TRANSFER_ERROR, f"{done}"
    found, before = drive.found(FIRST, COUNT), drive.expected[drive.bytes_of(FIRST, COUNT)]
    for page, _, place in buffer.pieces():
        expected = before if page == 2 else data
        if page <= 2:
            nvme.same(found[place], expected[place], f"what page {page} was to be")
    drive.check_mixed(FIRST, COUNT, data)
    buffer.release()
    await works(drive)
    await drive.finish()


@cocotb.test()
async def a_message_that_is_refused_is_lost_alone(dut):
    drive = await Drive.ready(dut, "message", True, True)
    pair = drive.host.queues[2]
    messages, refusals = pair.messages, drive.memory.refusals
    with drive.memory.refusing(MESSAGES, PAGE):
        done = await drive.host.submit(2, nvme.Command(nvme.FLUSH))
        await drive.world.cycles(3000)
        assert drive.memory.refusals == refusals + 1 and pair.messages == messages
        await drive.host.reap(pair)
    assert done.is_set() and done.data.status == nvme.SUCCESS
    await drive.read(2, 0, 8)
    assert pair.messages == messages + 1
    await drive.finish()


@cocotb.test()
async def a_queue_that_is_refused_is_fatal_until_a_reset(dut):
    drive = await Drive.ready(dut, "queue", True, True)
    for place in ("submissions", "completions"):
        with drive.memory.refusing(getattr(drive.host.queues[1], place), PAGE):
            await drive.host.submit(1, nvme.Command(nvme.FLUSH))
            await drive.host.status_is(nvme.CSTS_FATAL, nvme.CSTS_FATAL)
            await drive.host.disable()
        assert await drive.host.read(nvme.CSTS) == 0
        await drive.bring_up()
        await drive.at_once(4, longest=16)
    await drive.finish()
