// SPDX-License-Identifier: Apache-2.0

// Test top: a whole controller whose host interface runs commands by itself, for drives whose medium is memory. It has one
// channel with one way, without error correction, since a controller has one at least.
module ssd_automated #(
    localparam int unsigned Channels = 1,
    localparam int unsigned Ways     = 1,
    localparam int unsigned DataBits = 256,
`include "ssd_ports.svh"

  ssd_bench #(
      .Channels(Channels),
      .Ways(Ways),
      .DataBits(DataBits),
      .Ecc(1'b0),
      .Automated(1'b1)
  ) u_bench (
      .*,
      .host_clk_i(clk_i),
      .host_rst_ni(rst_ni),
      .flash_clk_i(clk_i),
      .flash_rst_ni(rst_ni)
  );

endmodule
