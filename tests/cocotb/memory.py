"""Memory behind the AXI models: it can refuse accesses, and tells who looks at it."""

import itertools
from contextlib import contextmanager

import cocotb
from cocotbext.axi.sparse_memory import SparseMemory

PAGE = 4096
STRIPE = 512
# The models ask for the length of a memory, which Python has no room for beyond this.
LARGEST = 2**62


class Refused(Exception):
    """The model answers SLVERR."""


async def fail(error):
    raise error


def hold(condition, what):
    """Fails the test unless the condition holds. An exception in a memory would only become SLVERR."""
    if not condition:
        cocotb.start_soon(fail(AssertionError(what)))


class Memory(SparseMemory):
    """What a model of RAM reads and writes. Tests use `load` and `store`, which nothing refuses or counts."""

    def __init__(self, size):
        super().__init__(size)
        # Called with address and bytes of every write, before it is done.
        self.watchers = []
        self.refused = []
        self.refusals = 0
        self.accesses = 0

    @contextmanager
    def refusing(self, address, length):
        """Refuses accesses of a range meanwhile."""
        place = range(address, address + length)
        self.refused.append(place)
        yield
        self.refused.remove(place)

    def look(self, address, length):
        self.accesses += 1
        for place in self.refused:
            if address < place.stop and place.start < address + length:
                self.refusals += 1
                raise Refused(f"{address:#x}")

    def read(self, address, length, **_):
        self.look(address, length)
        return super().read(address, length)

    def write(self, address, data, **_):
        self.look(address, len(data))
        for watcher in self.watchers:
            watcher(address, bytes(data))
        super().write(address, data)

    def load(self, address, length):
        return super().read(address, length)

    def store(self, address, data):
        super().write(address, data)


class HostMemory(Memory):
    """Pages of host memory, far above 4 GiB and in no order."""

    BASE = 0x5_1234_0000_0000
    PAGES = 4096

    def __init__(self, random):
        super().__init__(LARGEST)
        self.random = random
        self.free = [self.BASE + PAGE * nth for nth in range(self.PAGES)]
        random.shuffle(self.free)
        # Forms that lists of pages take in turn.
        self.list_forms = itertools.cycle(("full", "short", "roomy"))
        # Where the controller has something to look for.
        self.mapped = set()
        self.above = self.BASE + PAGE * self.PAGES

    def look(self, address, length):
        super().look(address, length)
        hold(address // PAGE * PAGE in self.mapped, f"a stray access of host memory at {address:#x}")

    def page(self):
        """A page that is nobody's, full of what was there before."""
        address = self.free.pop()
        self.store(address, self.random.randbytes(PAGE))
        self.mapped.add(address)
        return address

    def release(self, pages):
        self.mapped.difference_update(pages)
        self.free.extend(pages)

    def zeros(self, pages):
        """Pages one behind the other, of zeros."""
        address = self.above
        self.above += PAGE * pages
        self.store(address, bytes(PAGE * pages))
        self.mapped.update(range(address, self.above, PAGE))
        return address


class DriveMemory:
    """The drive's memory, in stripes of 512 bytes over its channels."""

    CHANNELS = 2

    def __init__(self):
        self.channels = [Memory(LARGEST) for _ in range(self.CHANNELS)]

    def pieces(self, address, length):
        """What a range is made of: channel, address in it, and the place in the range."""
        start = address
        while address < start + length:
            size = min(STRIPE - address % STRIPE, start + length - address)
            stripe = address // STRIPE
            inside = stripe // self.CHANNELS * STRIPE + address % STRIPE
            yield stripe % self.CHANNELS, inside, slice(address - start, address - start + size)
            address += size

    def load(self, address, length):
        data = bytearray(length)
        for channel, inside, place in self.pieces(address, length):
            data[place] = self.channels[channel].load(inside, place.stop - place.start)
        return bytes(data)

    def store(self, address, data):
        for channel, inside, place in self.pieces(address, len(data)):
            self.channels[channel].store(inside, data[place])
