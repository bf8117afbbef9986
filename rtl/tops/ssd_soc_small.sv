// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// Test top: a whole controller with its processor, of two channels with two ways each, buses of 256 bits, two memory channels,
// and times short enough for tests.
`define FM_PORTS_PROCESSOR \
    input  logic        load_valid_i, \
    input  logic [31:0] load_address_i, \
    input  logic [31:0] load_data_i, \
    input  logic        run_i, \
    output logic        sleeps_o, \
    output logic        waits_o, \
    output logic        trace_valid_o, \
    output logic [3:0]  trace_place_o, \
    output logic [31:0] trace_data_o,
`define FM_PORTS_MANAGERS (Channels + 3)
module ssd_soc_small #(
    localparam int unsigned Channels = 2,
    localparam int unsigned Ways     = 2,
    localparam int unsigned DataBits = 256,
`include "ssd_ports.svh"

  // The host interface has no clock of its own.
  logic host_clk_i, host_rst_ni;
  assign host_clk_i = clk_i;
  assign host_rst_ni = rst_ni;

`include "ssd_buses.svh"

  // An access may pause for 16,384 to 24,576 cycles.
  ssd_soc #(
      .DataBits(DataBits),
      .Memories(Memories),
      .Channels(Channels),
      .Ways(Ways),
      .TickBits(13),
      .TickCycles(256),
      .BarBits(BarBits),
      .IdBits(IdBits)
  ) u_soc (
      .*,
      .flash_clk_i(clk_i),
      .flash_rst_ni(rst_ni),
      .bar_i(bar_request),
      .bar_o(bar_response),
      .host_o(host_request),
      .host_i(host_response),
      .memory_o(memory_request),
      .memory_i(memory_response)
  );

endmodule
