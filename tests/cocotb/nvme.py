"""Wire formats of NVMe 1.4 as a host needs them."""

import struct
from dataclasses import dataclass, field

from memory import PAGE

ENTRY_BYTES = 64
COMPLETION_BYTES = 16
BLOCK = 512

# Offsets of controller registers (section 3.1).
CAP, VS, CC, CSTS, AQA, ASQ, ACQ, DOORBELLS = 0x00, 0x08, 0x14, 0x1C, 0x24, 0x28, 0x30, 0x1000
MSIX_TABLE = 0x2000

# CC with entries of 64 and 16 bytes and pages of 4 KiB (section 3.1.5).
CC_SETTINGS = 6 << 16 | 4 << 20
CC_ENABLE = 1
CC_SHUTDOWN = 1 << 14
CSTS_READY = 1
CSTS_FATAL = 1 << 1
CSTS_SHUTDOWN_DONE = 2 << 2

# Opcodes (figures 139 and 346).
DELETE_SQ, CREATE_SQ, DELETE_CQ, CREATE_CQ, IDENTIFY = 0x00, 0x01, 0x04, 0x05, 0x06
FLUSH, WRITE, READ, WRITE_ZEROES = 0x00, 0x01, 0x02, 0x08

# Status codes (figures 126 to 128), of generic type.
SUCCESS, INVALID_OPCODE, TRANSFER_ERROR, OUT_OF_RANGE = 0x00, 0x01, 0x04, 0x80


def same(found, expected, what):
    if found != expected:
        wrong = [at for at in range(len(found)) if found[at] != expected[at]]
        raise AssertionError(f"{what}, byte {wrong[0]:#x}: found {found[wrong[0]]:#04x}, "
                             f"expected {expected[wrong[0]]:#04x}; {len(wrong)} are wrong")


def mixed(found, before, after, what):
    """Each byte is one of two."""
    if found not in (before, after):
        wrong = [at for at in range(len(found)) if found[at] not in (before[at], after[at])]
        assert not wrong, f"{what}, byte {wrong[0]:#x}: {len(wrong)} are neither as before nor as they were to be"


@dataclass
class Command:
    opcode: int
    nsid: int = 1
    prp1: int = 0
    prp2: int = 0
    dwords: tuple = ()
    """Dwords 10 and on."""

    def entry(self, cid):
        rest = list(self.dwords) + [0] * (6 - len(self.dwords))
        return struct.pack("<IIQQQQ6I", self.opcode | cid << 16, self.nsid, 0, 0, self.prp1, self.prp2, *rest)

    @classmethod
    def parse(cls, entry):
        first, nsid, _, _, prp1, prp2, *rest = struct.unpack("<IIQQQQ6I", entry)
        return cls(first & 0xFF, nsid, prp1, prp2, tuple(rest))


def blocks(opcode, start, count, buffer):
    """A read or write."""
    return Command(opcode, 1, buffer.prp1, buffer.prp2, (start & 0xFFFF_FFFF, start >> 32, count - 1))


@dataclass
class Completion:
    result: int
    head: int
    queue: int
    cid: int
    phase: int
    status: int

    @classmethod
    def parse(cls, data):
        result, _, head, queue, cid, status = struct.unpack("<IIHHHH", data)
        return cls(result, head, queue, cid, status & 1, status >> 1)


@dataclass
class Buffer:
    """Bytes in pages of host memory that PRP entries name (section 4.3)."""

    memory: object
    length: int
    offset: int
    pages: list
    prp1: int = 0
    prp2: int = 0
    lists: list = field(default_factory=list)
    before: list = field(default_factory=list)

    @classmethod
    def any(cls, memory, random, length):
        """Of any pages, from any dword of the first on, with a list that begins anywhere in its page."""
        offset = random.choice([0, 0, 4 * random.randrange(PAGE // 4)])
        pages = [memory.page() for _ in range(-(-(offset + length) // PAGE))]
        made = cls(memory, length, offset, pages, prp1=pages[0] + offset)
        if len(pages) == 2:
            made.prp2 = pages[1]
        elif len(pages) > 2:
            made.prp2 = made.write_list(pages[1:], random)
        made.before = [memory.load(page, PAGE) for page in pages]
        return made

    def write_list(self, pages, random):
        """A list with room for all of them up to the end of its page; or one entry too few, so that another list follows.
        Only the first list may begin within its page."""
        form = next(self.memory.list_forms)
        room = {"full": len(pages), "short": random.randrange(2, len(pages) + 1), "roomy": PAGE // 8}[form]
        first, left = (pages, []) if room >= len(pages) else (pages[:room - 1], pages[room - 1:])
        if left:
            first = first + [self.store_list(left, 0)]
        return self.store_list(first, PAGE - 8 * room)

    def store_list(self, entries, inside):
        page = self.memory.page()
        self.lists.append(page)
        self.memory.store(page + inside, struct.pack(f"<{len(entries)}Q", *entries))
        return page + inside

    def pieces(self):
        """Places of its bytes: page by number, offset in it, and the place in the data."""
        done = 0
        while done < self.length:
            page, inside = divmod(self.offset + done, PAGE)
            size = min(PAGE - inside, self.length - done)
            yield page, inside, slice(done, done + size)
            done += size

    def fill(self, data):
        assert len(data) == self.length
        for page, inside, place in self.pieces():
            self.memory.store(self.pages[page] + inside, data[place])
        self.before = [self.memory.load(page, PAGE) for page in self.pages]

    def expected(self, data):
        """Its pages with these bytes in their places, and what was there before in all others."""
        pages = [bytearray(page) for page in self.before]
        for page, inside, place in self.pieces():
            pages[page][inside:inside + place.stop - place.start] = data[place]
        return pages

    def check(self, data):
        """Holds these bytes, and what it had before in the rest of its pages."""
        for nth, (page, expected) in enumerate(zip(self.pages, self.expected(data))):
            same(self.memory.load(page, PAGE), expected, f"page {nth} of {len(self.pages)}, data from {self.offset:#x}")

    def check_kept(self):
        """Holds what it had before, in all of its pages."""
        for nth, (page, expected) in enumerate(zip(self.pages, self.before)):
            same(self.memory.load(page, PAGE), expected, f"page {nth} of {len(self.pages)}")

    def check_mixed(self, data):
        """Holds in each byte either what it had before or, in its place, one of these bytes."""
        for page, before, after in zip(self.pages, self.before, self.expected(data)):
            mixed(self.memory.load(page, PAGE), before, after, f"page {page:#x}")

    def release(self):
        self.memory.release(self.pages + self.lists)
