// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// Test top: a whole controller as in ssd_clocks, whose host interface goes on with the controller's clock while the host's own clock may
// stop: between the two is a bridge_crossing. `host_reset_i` belongs to no clock.
`define FM_PORTS_CLOCKS \
    input logic host_clk_i, \
    input logic flash_clk_i,
module ssd_bridge #(
    localparam int unsigned Channels = 2,
    localparam int unsigned Ways     = 2,
    localparam int unsigned DataBits = 128,
`include "ssd_ports.svh"

  typedef `FM_AXI_R(DataBits) r_beat_t;
  typedef `FM_AXI_W(DataBits) w_beat_t;
  typedef `FM_AXI_BAR_AW(BarBits, IdBits) bar_aw_t;
  typedef `FM_AXI_BAR_W(DataBits) bar_w_t;
  typedef `FM_AXI_BAR_AR(BarBits, IdBits) bar_ar_t;
  typedef `FM_AXI_BAR_R(DataBits, IdBits) bar_r_t;

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

  // Towards the host, and towards the controller.
  bar_r_t outer_bar_r;
  fm_axi_pkg::burst_t outer_ar, outer_aw, ar, aw;
  r_beat_t outer_r, r;
  w_beat_t outer_w, w;
  bar_aw_t bar_aw;
  bar_w_t bar_w;
  bar_ar_t bar_ar;
  bar_r_t bar_r;
  logic bar_aw_valid, bar_aw_ready, bar_w_valid, bar_w_ready, bar_b_valid, bar_b_ready, bar_ar_valid, bar_ar_ready;
  logic bar_r_valid, bar_r_ready, ar_valid, ar_ready, r_valid, r_ready, aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready;
  logic [IdBits-1:0] bar_b_id;
  fm_axi_pkg::id_t r_id;
  fm_axi_pkg::response_e b_response;
  logic host_reset, function_reset, msix_enable, msix_mask, idle;

  assign {bar_r_data_o, bar_r_id_o, bar_r_last_o} = outer_bar_r;
  assign {host_ar_id_o, host_ar_address_o, host_ar_length_o} = outer_ar;
  assign {host_aw_id_o, host_aw_address_o, host_aw_length_o} = outer_aw;
  assign outer_r = {host_r_data_i, host_r_response_i, host_r_last_i};
  assign {host_w_data_o, host_w_strobe_o, host_w_last_o} = outer_w;

  bridge_crossing #(
      .DataBits(DataBits),
      .BarBits(BarBits),
      .IdBits(IdBits)
  ) u_bridge (
      .clk_i,
      .rst_ni(core_rst_n),
      .bridge_clk_i(host_clk_i),
      .bridge_rst_ni(host_rst_n),
      .perst_ni(!host_reset_i),
      .bridge_function_reset_i(function_reset_i),
      .bridge_msix_enable_i(msix_enable_i),
      .bridge_msix_mask_i(msix_mask_i),
      .bridge_idle_o(idle_o),
      .bridge_bar_aw_valid_i(bar_aw_valid_i), .bridge_bar_aw_ready_o(bar_aw_ready_o),
      .bridge_bar_aw_i({bar_aw_address_i, bar_aw_id_i, bar_aw_size_i}),
      .bridge_bar_w_valid_i(bar_w_valid_i), .bridge_bar_w_ready_o(bar_w_ready_o),
      .bridge_bar_w_i({bar_w_data_i, bar_w_strobe_i, bar_w_last_i}),
      .bridge_bar_b_valid_o(bar_b_valid_o), .bridge_bar_b_ready_i(bar_b_ready_i), .bridge_bar_b_id_o(bar_b_id_o),
      .bridge_bar_ar_valid_i(bar_ar_valid_i), .bridge_bar_ar_ready_o(bar_ar_ready_o),
      .bridge_bar_ar_i({bar_ar_address_i, bar_ar_id_i, bar_ar_length_i, bar_ar_size_i}),
      .bridge_bar_r_valid_o(bar_r_valid_o), .bridge_bar_r_ready_i(bar_r_ready_i), .bridge_bar_r_o(outer_bar_r),
      .bridge_host_ar_valid_o(host_ar_valid_o), .bridge_host_ar_ready_i(host_ar_ready_i), .bridge_host_ar_o(outer_ar),
      .bridge_host_r_valid_i(host_r_valid_i), .bridge_host_r_ready_o(host_r_ready_o),
      .bridge_host_r_id_i(host_r_id_i), .bridge_host_r_i(outer_r),
      .bridge_host_aw_valid_o(host_aw_valid_o), .bridge_host_aw_ready_i(host_aw_ready_i), .bridge_host_aw_o(outer_aw),
      .bridge_host_w_valid_o(host_w_valid_o), .bridge_host_w_ready_i(host_w_ready_i), .bridge_host_w_o(outer_w),
      .bridge_host_b_valid_i(host_b_valid_i), .bridge_host_b_ready_o(host_b_ready_o),
      .bridge_host_b_response_i(fm_axi_pkg::response_e'(host_b_response_i)),
      .host_reset_o(host_reset),
      .function_reset_o(function_reset),
      .msix_enable_o(msix_enable),
      .msix_mask_o(msix_mask),
      .idle_i(idle),
      .bar_aw_valid_o(bar_aw_valid), .bar_aw_ready_i(bar_aw_ready), .bar_aw_o(bar_aw),
      .bar_w_valid_o(bar_w_valid), .bar_w_ready_i(bar_w_ready), .bar_w_o(bar_w),
      .bar_b_valid_i(bar_b_valid), .bar_b_ready_o(bar_b_ready), .bar_b_id_i(bar_b_id),
      .bar_ar_valid_o(bar_ar_valid), .bar_ar_ready_i(bar_ar_ready), .bar_ar_o(bar_ar),
      .bar_r_valid_i(bar_r_valid), .bar_r_ready_o(bar_r_ready), .bar_r_i(bar_r),
      .host_ar_valid_i(ar_valid), .host_ar_ready_o(ar_ready), .host_ar_i(ar),
      .host_r_valid_o(r_valid), .host_r_ready_i(r_ready), .host_r_id_o(r_id), .host_r_o(r),
      .host_aw_valid_i(aw_valid), .host_aw_ready_o(aw_ready), .host_aw_i(aw),
      .host_w_valid_i(w_valid), .host_w_ready_o(w_ready), .host_w_i(w),
      .host_b_valid_o(b_valid), .host_b_ready_i(b_ready), .host_b_response_o(b_response)
  );

  logic unused_b_id;
  assign unused_b_id = ^host_b_id_i;

  ssd_bench #(
      .Channels(Channels),
      .Ways(Ways),
      .DataBits(DataBits),
      .OwnClocks(1'b1)
  ) u_bench (
      .*,
      .rst_ni(core_rst_n),
      .host_clk_i(clk_i),
      .host_rst_ni(core_rst_n),
      .flash_rst_ni(flash_rst_n),
      .host_reset_i(host_reset),
      .function_reset_i(function_reset),
      .msix_enable_i(msix_enable),
      .msix_mask_i(msix_mask),
      .idle_o(idle),
      .bar_aw_valid_i(bar_aw_valid), .bar_aw_ready_o(bar_aw_ready),
      .bar_aw_address_i(bar_aw.address), .bar_aw_id_i(bar_aw.id), .bar_aw_size_i(bar_aw.size),
      .bar_w_valid_i(bar_w_valid), .bar_w_ready_o(bar_w_ready),
      .bar_w_data_i(bar_w.data), .bar_w_strobe_i(bar_w.strobe), .bar_w_last_i(bar_w.last),
      .bar_b_valid_o(bar_b_valid), .bar_b_ready_i(bar_b_ready), .bar_b_id_o(bar_b_id),
      .bar_ar_valid_i(bar_ar_valid), .bar_ar_ready_o(bar_ar_ready),
      .bar_ar_address_i(bar_ar.address), .bar_ar_id_i(bar_ar.id), .bar_ar_length_i(bar_ar.length), .bar_ar_size_i(bar_ar.size),
      .bar_r_valid_o(bar_r_valid), .bar_r_ready_i(bar_r_ready),
      .bar_r_data_o(bar_r.data), .bar_r_id_o(bar_r.id), .bar_r_last_o(bar_r.last),
      .host_ar_valid_o(ar_valid), .host_ar_ready_i(ar_ready),
      .host_ar_id_o(ar.id), .host_ar_address_o(ar.address), .host_ar_length_o(ar.length),
      .host_r_valid_i(r_valid), .host_r_ready_o(r_ready), .host_r_id_i(r_id),
      .host_r_data_i(r.data), .host_r_response_i(r.response), .host_r_last_i(r.last),
      .host_aw_valid_o(aw_valid), .host_aw_ready_i(aw_ready),
      .host_aw_id_o(aw.id), .host_aw_address_o(aw.address), .host_aw_length_o(aw.length),
      .host_w_valid_o(w_valid), .host_w_ready_i(w_ready),
      .host_w_data_o(w.data), .host_w_strobe_o(w.strobe), .host_w_last_o(w.last),
      .host_b_valid_i(b_valid), .host_b_ready_o(b_ready), .host_b_id_i('0), .host_b_response_i(b_response)
  );

endmodule
