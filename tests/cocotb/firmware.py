"""The test as firmware: it works the processor's registers, and nothing else of the controller."""

import cocotb
from cocotb.triggers import Event, Lock, RisingEdge
from cocotbext.axi import AxiResp

import nvme
from register_map import RegisterMap

IDENTIFY_BYTES = 4096
# Where things are in the drive's memory.
IDENTIFY_AT = 0x1000
NAMESPACE_AT = 0x10_0A00

TO_HOST, FROM_HOST = 1, 0
COUNTS = {TO_HOST: "to_host", FROM_HOST: "from_host"}
# Counts of DMA_PROGRESS are modulo this.
COUNT_TURN = 1 << 15


class Firmware:
    def __init__(self, world, blocks):
        self.world = world
        self.map = RegisterMap()
        self.blocks = blocks
        self.identity = world.random.randbytes(IDENTIFY_BYTES)
        self.lock = Lock()
        self.queue_lock = Lock()
        self.issued = {TO_HOST: 0, FROM_HOST: 0}
        self.ended = {TO_HOST: 0, FROM_HOST: 0}
        self.waiting = {TO_HOST: {}, FROM_HOST: {}}
        self.events = []
        # Commands that came, by opcode and queue; those of before the last disable are none of its business.
        self.commands = []
        self.enabling = 0

    # -- registers --

    async def load(self, address):
        answer = await self.world.processor.read(address, 4)
        assert answer.resp == AxiResp.OKAY, f"a read at {address:#x}: {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def store(self, address, word):
        answer = await self.world.processor.write(address, word.to_bytes(4, "little"))
        assert answer.resp == AxiResp.OKAY, f"a write at {address:#x}: {answer.resp!r}"

    async def get(self, name):
        return self.map.fields(name, await self.load(self.map.offset(name)))

    async def set(self, name, **values):
        await self.store(self.map.offset(name), self.map.packed(name, **values))

    async def room(self, field):
        while (await self.get("status"))[field] == 0:
            pass

    # -- the main loop --

    async def start(self):
        """Looks whether the registers are those it knows, and begins to serve them."""
        identity = await self.get("identity")
        assert identity == {"version": 1, "magic": 0x4E5648}, f"{identity}"
        await self.set("interrupt_enable", event_waits=1, dma_ended=1)
        cocotb.start_soon(self.serve())

    async def serve(self):
        while True:
            if not int(self.world.dut.irq_o.value):
                await RisingEdge(self.world.dut.irq_o)
            await self.set("interrupt_status", dma_ended=1)
            await self.take_progress()
            while (event := await self.get("host_event"))["valid"]:
                await self.take(event)

    async def take(self, event):
        numbers = self.map.numbers
        self.events.append(event["kind"])
        if event["kind"] == numbers["EventEnable"]:
            await self.set("ready", ready=1)
        elif event["kind"] == numbers["EventDisable"]:
            self.enabling += 1
            await self.set("ready", ready=0)
        elif event["kind"] == numbers["EventShutdown"]:
            await self.set("controller", shutdown_done=1)
        elif event["kind"] == numbers["EventCommand"]:
            cocotb.start_soon(self.execute(event["tag"], event["id"]))
        else:
            raise AssertionError(f"the host rings wrongly: {event}")

    async def take_progress(self):
        progress = await self.get("dma_progress")
        for way, name in COUNTS.items():
            news = (progress[name] - self.ended[way]) % COUNT_TURN
            for _ in range(news):
                self.ended[way] += 1
                self.waiting[way].pop(self.ended[way]).set()

    # -- commands --

    async def execute(self, tag, queue):
        enabling = self.enabling
        place = self.map.entry("commands", tag)
        words = [await self.load(place + 4 * nth) for nth in range(16)]
        command = nvme.Command.parse(b"".join(word.to_bytes(4, "little") for word in words))
        self.commands.append((queue, command.opcode))
        status = await (self.admin(tag, command) if queue == 0 else self.io(tag, command))
        # What a disable has made stale frees its tag all the same.
        result = tag if enabling == self.enabling else 0
        async with self.lock:
            await self.room("completion_room")
            await self.set("completion_result", result=result)
            await self.set("completion", tag=tag, status=status)

    async def admin(self, tag, command):
        first, second = command.dwords[0], command.dwords[1]
        number, size = first & 0xFFFF, first >> 16
        base = {"size": size, "address": command.prp1, "id": number}
        if command.opcode == nvme.IDENTIFY:
            self.world.drive.store(IDENTIFY_AT, self.identity)
            return await self.move(tag, TO_HOST, (0, IDENTIFY_BYTES, IDENTIFY_BYTES), IDENTIFY_AT)
        if command.opcode == nvme.CREATE_CQ:
            return await self.queue("completion_queue", base, second >> 16, interrupts=1)
        if command.opcode == nvme.CREATE_SQ:
            return await self.queue("submission_queue", base, second >> 16, priority_class=2)
        if command.opcode in (nvme.DELETE_SQ, nvme.DELETE_CQ):
            name = "submission_queue" if command.opcode == nvme.DELETE_SQ else "completion_queue"
            async with self.queue_lock:
                await self.set(name, id=number)
                await self.queue_done()
            return nvme.SUCCESS
        return nvme.INVALID_OPCODE

    async def queue(self, name, base, partner, **values):
        async with self.queue_lock:
            await self.set("queue_base_low", page=(base["address"] & 0xFFFF_FFFF) >> 12)
            await self.set("queue_base_high", page=base["address"] >> 32)
            await self.set("queue_shape", size=base["size"], partner=partner)
            await self.set(name, id=base["id"], create=1, **values)
            await self.queue_done()
        return nvme.SUCCESS

    async def queue_done(self):
        while (await self.get("status"))["queue_busy"]:
            pass

    async def io(self, tag, command):
        if command.opcode == nvme.FLUSH:
            return nvme.SUCCESS
        start, count = command.dwords[0] | command.dwords[1] << 32, (command.dwords[2] & 0xFFFF) + 1
        if start + count > self.blocks:
            return nvme.OUT_OF_RANGE
        if command.opcode not in (nvme.READ, nvme.WRITE):
            return nvme.INVALID_OPCODE
        way = TO_HOST if command.opcode == nvme.READ else FROM_HOST
        length, place = count * nvme.BLOCK, NAMESPACE_AT + start * nvme.BLOCK
        # Pieces of any size, all of them under way at once.
        cuts = sorted({4 * self.world.random.randrange(length // 4) for _ in range(3)} | {0}) + [length]
        pieces = [
            cocotb.start_soon(self.move(tag, way, (begin, end - begin, length), place + begin))
            for begin, end in zip(cuts, cuts[1:])
        ]
        return max([await piece for piece in pieces])

    async def move(self, tag, way, part, memory):
        """Moves a part (offset, length, and length of the whole) of a command's data; the status that it leads to."""
        offset, length, whole = part
        async with self.lock:
            await self.room("dma_room")
            await self.set("dma_host_offset", bytes=offset)
            await self.set("dma_length", bytes=length)
            await self.set("dma_command_length", bytes=whole)
            await self.set("dma_memory_low", address=memory & 0xFFFF_FFFF)
            await self.set("dma_memory_high", address=memory >> 32)
            self.issued[way] += 1
            done = self.waiting[way][self.issued[way]] = Event()
            await self.set("dma", tag=tag, to_host=way)
        await done.wait()
        fault = await self.load(self.map.entry("faults", tag))
        return nvme.SUCCESS if fault == self.map.numbers["DmaNone"] else nvme.TRANSFER_ERROR

    # -- commands that run by themselves --

    async def automate(self):
        await self.set("transfer_blocks", blocks=256)
        await self.set("blocks_low", blocks=self.blocks)
        await self.set("blocks_high", blocks=0)
        await self.set("memory_base_low", address=NAMESPACE_AT)
        await self.set("memory_base_high", address=0)
        await self.set("automation", enable=1, block_shift=nvme.BLOCK.bit_length() - 1)

    async def counters(self, *names):
        """Monitors, captured together."""
        await self.set("monitor", capture=1)
        while (await self.get("monitor"))["busy"]:
            pass
        return [await self.load(self.map.counter(name)) for name in names]

    async def lost_nothing(self):
        status = await self.get("interrupt_status")
        lost = [name for name, value in status.items() if name.endswith("_dropped") and value]
        assert not lost, f"the firmware lost something: {lost}"
