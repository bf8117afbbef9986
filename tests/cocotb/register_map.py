"""The processor's registers by their names, as the SystemRDL source has them."""

import pathlib

from rdl import model

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "rtl/host/nvme_host.rdl"


class RegisterMap:
    """Where registers are, and what is in them."""

    def __init__(self):
        source = model.read(SOURCE, ("event_e", "dma_fault_e"), packets=None, registers="nvme_host")
        self.registers = {one.name: one for one in source.registers}
        self.windows = {one.name: one for one in source.windows}
        self.numbers = {one.name: one.value for enum in source.enums for one in enum.members}

    def offset(self, name):
        return self.registers[name].offset

    def packed(self, name, **values):
        """The word that a register is to be written with."""
        fields = {one.name: one for one in self.registers[name].fields}
        word = 0
        for key, value in values.items():
            assert 0 <= value < 1 << fields[key].bits, f"{name}.{key}: {value:#x}"
            word |= value << fields[key].low
        return word

    def fields(self, name, word):
        """What a word that was read says, by field."""
        return {one.name: (word & one.mask) >> one.low for one in self.registers[name].fields}

    def entry(self, window, index):
        """The address of an entry of a window of entries that are alike."""
        (register,) = self.windows[window].registers
        return self.windows[window].offset + register.offset + index * register.size

    def counter(self, name):
        """The address of a monitor."""
        (register,) = [one for one in self.windows["monitors"].registers if one.name == name]
        return self.windows["monitors"].offset + register.offset
