// SPDX-License-Identifier: Apache-2.0

// Test top: a whole controller of two channels with two ways each, for drives whose pages consist of up to four mapping units, all of
// which their metadata name: 20 bytes, and 4 for each. The host may place its data.
module ssd_units #(
    localparam int unsigned Channels = 2,
    localparam int unsigned Ways     = 2,
    localparam int unsigned DataBits = 256,
`include "ssd_ports.svh"

  ssd_bench #(
      .Channels(Channels),
      .Ways(Ways),
      .DataBits(DataBits),
      .MetadataBytes(36),
      .Placed(1'b1)
  ) u_bench (
      .*,
      .host_clk_i(clk_i),
      .host_rst_ni(rst_ni),
      .flash_clk_i(clk_i),
      .flash_rst_ni(rst_ni)
  );

endmodule
