// SPDX-License-Identifier: Apache-2.0

// Test top: a whole controller of two channels with two ways each, whose metadata name the flash pages of a word line: 20 bytes, and
// 4 for each of up to four.
module ssd_word_lines #(
    localparam int unsigned Channels = 2,
    localparam int unsigned Ways     = 2,
    localparam int unsigned DataBits = 256,
`include "ssd_ports.svh"

  ssd_bench #(
      .Channels(Channels),
      .Ways(Ways),
      .DataBits(DataBits),
      .MetadataBytes(36)
  ) u_bench (
      .*,
      .host_clk_i(clk_i),
      .host_rst_ni(rst_ni),
      .flash_clk_i(clk_i),
      .flash_rst_ni(rst_ni)
  );

endmodule
