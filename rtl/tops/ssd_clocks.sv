// SPDX-License-Identifier: Apache-2.0

// Test top: a whole controller of two channels with two ways each, whose buses have 128 bits, and whose host
// interface and channels have clocks of their own.
`define FM_PORTS_CLOCKS \
    input logic host_clk_i, \
    input logic flash_clk_i,
module ssd_clocks #(
    localparam int unsigned Channels = 2,
    localparam int unsigned Ways     = 2,
    localparam int unsigned DataBits = 128,
`include "ssd_ports.svh"

  logic core_rst_n, host_rst_n, flash_rst_n;

  fm_reset_sync u_core_reset (
      .clk_i,
      .rst_ni,
      .rst_no(core_rst_n)
  );

  fm_reset_sync u_host_reset (
      .clk_i (host_clk_i),
      .rst_ni,
      .rst_no(host_rst_n)
  );

  fm_reset_sync u_flash_reset (
      .clk_i (flash_clk_i),
      .rst_ni,
      .rst_no(flash_rst_n)
  );

  ssd_bench #(
      .Channels(Channels),
      .Ways(Ways),
      .DataBits(DataBits),
      .OwnClocks(1'b1)
  ) u_bench (
      .*,
      .rst_ni(core_rst_n),
      .host_rst_ni(host_rst_n),
      .flash_rst_ni(flash_rst_n)
  );

endmodule
