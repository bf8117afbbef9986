// SPDX-License-Identifier: Apache-2.0

// Test top: a whole controller of two channels with two ways each, whose R/B# pins lead nowhere: ways that are busy are asked for
// their status each 60 cycles.
module ssd_polls #(
    localparam int unsigned Channels = 2,
    localparam int unsigned Ways     = 2,
    localparam int unsigned DataBits = 256,
`include "ssd_ports.svh"

  ssd_bench #(
      .Channels(Channels),
      .Ways(Ways),
      .DataBits(DataBits),
      .PollCycles(60)
  ) u_bench (
      .*,
      .host_clk_i(clk_i),
      .host_rst_ni(rst_ni),
      .flash_clk_i(clk_i),
      .flash_rst_ni(rst_ni)
  );

endmodule
