// SPDX-License-Identifier: Apache-2.0

// Test top: a whole controller of one channel with one way, whose buses have 64 bits.
module ssd_narrow #(
    localparam int unsigned Channels = 1,
    localparam int unsigned Ways     = 1,
    localparam int unsigned DataBits = 64,
`include "ssd_ports.svh"

  ssd_bench #(
      .Channels(Channels),
      .Ways(Ways),
      .DataBits(DataBits)
  ) u_bench (
      .*,
      .host_clk_i(clk_i),
      .host_rst_ni(rst_ni),
      .flash_clk_i(clk_i),
      .flash_rst_ni(rst_ni)
  );

endmodule
