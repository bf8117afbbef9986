"""A host before a drive: the controller, its firmware, and what its blocks should hold."""

import cocotb

import nvme
from firmware import NAMESPACE_AT, Firmware
from host import Host
from memory import PAGE
from world import World

BLOCKS = 4096
# Around the namespace, in the drive's memory.
MARGIN = 2 * PAGE
LONGEST = 40


class Drive:
    def __init__(self, dut, name):
        self.world = World(dut, name)
        self.random, self.memory, self.rounds = self.world.random, self.world.memory, self.world.rounds
        self.firmware = Firmware(self.world, BLOCKS)
        self.host = Host(self.world)
        self.place = NAMESPACE_AT - MARGIN
        # What the drive's memory should hold from `place` on.
        self.expected = bytearray(self.random.randbytes(BLOCKS * nvme.BLOCK + 2 * MARGIN))
        self.world.drive.store(self.place, self.expected)

    @classmethod
    async def start(cls, dut, name, paused):
        """A controller after its reset, with firmware; all models pause as they like, or none does."""
        drive = cls(dut, name)
        await drive.world.start()
        if paused:
            drive.world.pause()
        await drive.firmware.start()
        return drive

    @classmethod
    async def ready(cls, dut, name, paused, automated):
        """One with I/O queues: a small one, whose phase turns soon, one whose completion queue is the smaller one,
        and one of more than a page."""
        drive = await cls.start(dut, name, paused)
        if automated:
            await drive.firmware.automate()
        await drive.bring_up()
        return drive

    async def bring_up(self):
        await self.host.enable()
        for number, (entries, completion_entries) in enumerate([(4, 3), (16, 5), (100, 300)], 1):
            await self.host.create_queue(number, entries, completion_entries)

    # -- blocks --

    def bytes_of(self, start, count):
        at = MARGIN + start * nvme.BLOCK
        return slice(at, at + count * nvme.BLOCK)

    def cut(self, pieces, longest=LONGEST):
        """Ranges of blocks that do not meet, in any order: two of the longest, others of a block or of some pages."""
        counts = [longest, longest] + [self.random.choice([1, 8, self.random.randint(1, longest)]) for _ in range(pieces - 2)]
        self.random.shuffle(counts)
        ranges, start = [], self.random.randrange(BLOCKS // 2)
        for count in counts:
            start += self.random.randrange(20)
            ranges.append((start, count))
            start += count
        self.random.shuffle(ranges)
        return ranges

    def buffer(self, count):
        """A buffer for so many blocks."""
        return nvme.Buffer.any(self.memory, self.random, count * nvme.BLOCK)

    async def write(self, number, start, count):
        """Writes new data."""
        buffer, data = self.buffer(count), self.random.randbytes(count * nvme.BLOCK)
        buffer.fill(data)
        done = await self.host.run(number, nvme.blocks(nvme.WRITE, start, count, buffer))
        assert done.status == nvme.SUCCESS, f"a write of {count} from {start}: {done}"
        buffer.check_kept()
        buffer.release()
        self.expected[self.bytes_of(start, count)] = data

    async def read(self, number, start, count):
        buffer = self.buffer(count)
        done = await self.host.run(number, nvme.blocks(nvme.READ, start, count, buffer))
        assert done.status == nvme.SUCCESS, f"a read of {count} from {start}: {done}"
        buffer.check(self.expected[self.bytes_of(start, count)])
        buffer.release()

    def some_queue(self):
        return self.random.choice([number for number in self.host.queues if number != 0])

    async def at_once(self, pieces, longest=LONGEST):
        """Writes and reads of ranges that do not meet, all under way at once on all queues; then reads of them."""
        ranges = self.cut(pieces, longest)
        # By their lengths in turn, so that both have a long one.
        by_length = sorted(range(pieces), key=lambda nth: ranges[nth][1])
        works = [(self.write, self.read)[by_length.index(nth) % 2] for nth in range(pieces)]
        for round_works in (works, [self.read] * pieces):
            tasks = [
                cocotb.start_soon(work(self.some_queue(), start, count))
                for work, (start, count) in zip(round_works, ranges)
            ]
            for task in tasks:
                await task
            self.check_memory()

    def found(self, start, count):
        return self.world.drive.load(self.place + self.bytes_of(start, count).start, count * nvme.BLOCK)

    def check_memory(self):
        """The drive's memory holds what was written, and around it what was there before."""
        nvme.same(self.world.drive.load(self.place, len(self.expected)), self.expected,
                  f"the drive's memory from {MARGIN:#x} before the namespace")

    def check_mixed(self, start, count, data):
        """Each byte of these blocks is as it was, or as a write that failed had it; what is there is taken as it is."""
        place, found = self.bytes_of(start, count), self.found(start, count)
        nvme.mixed(found, self.expected[place], data, f"{count} blocks from {start}")
        self.expected[place] = found

    async def finish(self):
        """Nothing was lost, and nothing else than was asked for comes later."""
        await self.firmware.lost_nothing()
        counts = [(pair.posted, pair.messages, len(pair.waiting)) for pair in self.host.queues.values()]
        await self.world.cycles(300)
        assert counts == [(pair.posted, pair.messages, len(pair.waiting)) for pair in self.host.queues.values()]
        assert all(waiting == 0 for _, _, waiting in counts), f"{counts}"
        self.check_memory()
