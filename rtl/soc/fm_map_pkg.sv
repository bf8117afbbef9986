// SPDX-License-Identifier: Apache-2.0

// Made by rtl/tools/registers.py of rtl/soc/address_map.rdl; `make registers` makes it anew.
package fm_map_pkg;

  // Blocks of registers on the processor's bus, which has 20 address bits.

  // The host interface.
  localparam logic [19:0] HostBase = 20'h00000;
  localparam int unsigned HostBits = 15;

  // The controller as a whole.
  localparam logic [19:0] ControllerBase = 20'h08000;
  localparam int unsigned ControllerBits = 6;

  // Flash channels, one behind the other.
  localparam logic [19:0] ChannelBase = 20'h10000;
  localparam int unsigned ChannelBits = 9;

  // What a processor in the controller finds at its 32-bit addresses.

  // The controller's registers, as above.
  localparam logic [31:0] RegistersBase = 32'h40000000;
  localparam int unsigned RegistersBits = 20;

  // The trace window, whose words are written and leave the controller.
  localparam logic [31:0] TraceBase = 32'h50000000;
  localparam int unsigned TraceBits = 6;

  // Program memory: code, tables, stack.
  localparam logic [31:0] ProgramBase = 32'h80000000;
  localparam int unsigned ProgramBits = 30;

  // The first GiB of the data buffer memory.
  localparam logic [31:0] MemoryBase = 32'hc0000000;
  localparam int unsigned MemoryBits = 30;

endpackage
