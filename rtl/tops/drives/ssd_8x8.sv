// SPDX-License-Identifier: Apache-2.0

// Test top: a whole controller of eight channels with eight ways each.
module ssd_8x8 #(
    localparam int unsigned Channels = 8,
    localparam int unsigned Ways     = 8,
    localparam int unsigned DataBits = 256,
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
