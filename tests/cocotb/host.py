"""A host's driver: registers and doorbells in BAR 0, queues in host memory, messages."""

import struct
from dataclasses import dataclass, field

import cocotb
from cocotb.triggers import Event, with_timeout
from cocotbext.axi import AxiResp

import nvme
from memory import PAGE, hold
from world import CYCLE_NS

# Longest wait, in cycles: more than a time-out of the controller.
PATIENCE = 30_000
DWORD = 2
MESSAGES = 0xFEE0_0000


@dataclass
class QueuePair:
    """A submission queue and its completion queue, with a vector of their own."""

    number: int
    entries: int
    completion_entries: int
    submissions: int
    completions: int
    tail: int = 0
    head: int = 0
    phase: int = 1
    # Entries that the controller may still read.
    fetched: int = 0
    waiting: dict = field(default_factory=dict)
    # Completion entries that were written, and messages.
    posted: int = 0
    messages: int = 0
    turns: int = 0

    def room(self):
        used = (self.tail - self.fetched) % self.entries
        return min(self.entries - 1 - used, self.completion_entries - 1 - len(self.waiting))


class Host:
    def __init__(self, world):
        self.world = world
        self.memory = world.memory
        self.queues = {}
        # Queues are there for the controller, too.
        self.is_up = False
        self.next_cid = world.random.randrange(0x1_0000)
        self.news = Event()
        self.memory.watchers.append(self.watch)
        self.memory.mapped.add(MESSAGES // PAGE * PAGE)
        # Values of messages that came, by vector.
        self.data = {vector: world.random.getrandbits(32) for vector in range(17)}

    # -- BAR 0 --

    async def read(self, offset, length=4):
        size = DWORD if length == 4 else None
        answer = await self.world.bar.read(offset, length, size=size)
        assert answer.resp == AxiResp.OKAY, f"BAR 0, {offset:#x}: {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def write(self, offset, value, length=4):
        answer = await self.world.bar.write(offset, value.to_bytes(length, "little"), size=DWORD)
        assert answer.resp == AxiResp.OKAY, f"BAR 0, {offset:#x}: {answer.resp!r}"

    def ring(self, queue, is_head, value):
        """Writes a doorbell, and does not wait."""
        offset = nvme.DOORBELLS + 8 * queue + 4 * is_head
        self.world.bar.init_write(offset, value.to_bytes(4, "little"), size=DWORD)

    async def status_is(self, mask, value):
        """Waits for bits of CSTS."""
        async def look():
            while await self.read(nvme.CSTS) & mask != value:
                pass
        await self.patiently(look(), f"CSTS & {mask:#x} == {value:#x}")

    async def patiently(self, work, what):
        try:
            return await with_timeout(cocotb.start_soon(work), PATIENCE * CYCLE_NS, "ns")
        except cocotb.triggers.SimTimeoutError:
            raise AssertionError(f"stuck: {what}") from None

    # -- up and down --

    def make_queue(self, number, entries, completion_entries):
        pages = [self.memory.zeros(-(-count * size // PAGE)) for count, size in
                 ((entries, nvme.ENTRY_BYTES), (completion_entries, nvme.COMPLETION_BYTES))]
        self.queues[number] = QueuePair(number, entries, completion_entries, *pages)
        return self.queues[number]

    async def enable(self, entries=8):
        """Brings the controller up with admin queues of so many entries."""
        self.queues.clear()
        self.is_up = True
        admin = self.make_queue(0, entries, entries)
        for vector in self.data:
            await self.set_vector(vector)
        await self.write(nvme.AQA, (entries - 1) << 16 | (entries - 1))
        await self.write(nvme.ASQ, admin.submissions, 8)
        await self.write(nvme.ACQ, admin.completions, 8)
        await self.write(nvme.CC, nvme.CC_SETTINGS | nvme.CC_ENABLE)
        await self.status_is(nvme.CSTS_READY | nvme.CSTS_FATAL, nvme.CSTS_READY)

    async def set_vector(self, vector):
        """Where the message of a vector goes, and what it says; then it is let go."""
        entry = struct.pack("<QII", MESSAGES + 8 * vector, self.data[vector], 0)
        answer = await self.world.bar.write(nvme.MSIX_TABLE + 16 * vector, entry)
        assert answer.resp == AxiResp.OKAY

    async def disable(self):
        self.is_up = False
        await self.write(nvme.CC, nvme.CC_SETTINGS)
        await self.status_is(nvme.CSTS_READY, 0)

    async def create_queue(self, number, entries, completion_entries):
        """A pair of I/O queues, and the vector of its number."""
        pair = self.make_queue(number, entries, completion_entries)
        shape = (completion_entries - 1) << 16 | number
        done = await self.admin(nvme.Command(nvme.CREATE_CQ, 0, pair.completions, 0, (shape, number << 16 | 3)))
        assert done.status == nvme.SUCCESS
        shape = (entries - 1) << 16 | number
        done = await self.admin(nvme.Command(nvme.CREATE_SQ, 0, pair.submissions, 0, (shape, number << 16 | 1)))
        assert done.status == nvme.SUCCESS

    # -- what the controller writes --

    def watch(self, address, data):
        """Sees completion entries and messages come, in their order."""
        vector, rest = divmod(address - MESSAGES, 8)
        if vector in self.data:
            hold(rest == 0 and data == struct.pack("<I", self.data[vector]), f"vector {vector}: {data.hex()}")
            self.take_message(vector)
        for pair in self.queues.values():
            place, size = address - pair.completions, pair.completion_entries * nvme.COMPLETION_BYTES
            if 0 <= place < size:
                expected = pair.posted * nvme.COMPLETION_BYTES % size
                hold((place, len(data)) == (expected, nvme.COMPLETION_BYTES),
                     f"queue {pair.number}: {len(data)} bytes at {place:#x}, expected an entry at {expected:#x}")
                pair.posted += 1

    def take_message(self, vector):
        if vector not in self.queues:
            return hold(False, f"vector {vector}: a message of no queue")
        pair = self.queues[vector]
        pair.messages += 1
        hold(pair.messages <= pair.posted, f"queue {vector}: a message before its completion entry")
        cocotb.start_soon(self.reap(pair))

    async def reap(self, pair):
        """Takes all completion entries that are there, as an interrupt handler does."""
        taken = 0
        while True:
            place = pair.completions + pair.head * nvme.COMPLETION_BYTES
            entry = nvme.Completion.parse(self.memory.load(place, nvme.COMPLETION_BYTES))
            if entry.phase != pair.phase:
                break
            taken += 1
            pair.head = (pair.head + 1) % pair.completion_entries
            if pair.head == 0:
                pair.phase ^= 1
                pair.turns += 1
            assert entry.queue == pair.number, f"{entry}"
            assert entry.cid in pair.waiting, f"a completion of nothing: {entry}"
            pair.fetched = entry.head
            pair.waiting.pop(entry.cid).set(entry)
        if taken and self.is_up:
            self.ring(pair.number, True, pair.head)
            self.news.set()

    # -- commands --

    async def submit(self, number, command):
        """Puts a command into a queue once there is room; what its completion will be told with."""
        pair = self.queues[number]
        while pair.room() == 0:
            self.news.clear()
            await self.news.wait()
        self.next_cid = (self.next_cid + 1) % 0x1_0000
        done = pair.waiting[self.next_cid] = Event()
        self.memory.store(pair.submissions + pair.tail * nvme.ENTRY_BYTES, command.entry(self.next_cid))
        pair.tail = (pair.tail + 1) % pair.entries
        self.ring(number, False, pair.tail)
        return done

    async def run(self, number, command):
        """Runs a command to its end; its completion."""
        async def through():
            done = await self.submit(number, command)
            await done.wait()
            return done.data
        return await self.patiently(through(), f"{command}")

    async def admin(self, command):
        return await self.run(0, command)
