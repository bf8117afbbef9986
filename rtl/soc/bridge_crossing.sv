// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// Between a PCIe bridge whose clock may stop with its link, and the host interface, whose clock goes on.
//
// Contract: the ports with `bridge_` are those of `host_domain` towards the bridge, at `bridge_clk_i`; the others go to the host side of
// `ssd_top` or `nvme_host`, at `clk_i`. `perst_ni` belongs to no clock and is low at power-on, and whenever the bridge is reset or its clock
// stops; any pulse of it counts. From when it falls on, all that is under way is forgotten: the host interface sees
// `host_reset_o` three cycles later, and until `perst_ni` is up again, and the bridge's clock has run since. What the bridge asks for
// before that is not taken. `bridge_rst_ni` and `rst_ni` are of power, each from a fm_reset_sync of its clock. Of accesses that the bridge asked
// for before `bridge_function_reset_i`, those that are answered come before it. `bridge_idle_o` is up when nothing is under way to host
// memory, and no reset of the function is.
// Latency: that of fm_fifo_async on each way.
// Reason: a queue is forgotten as a whole, by one fm_joint_clear for all ten, so no answer is taken for that of another access. The
// wish of the bridge's side is kept in registers that need no clock: it is there when the clock comes back, however late.
module bridge_crossing #(
    parameter int unsigned DataBits = 256,
    parameter int unsigned BarBits  = 14,
    parameter int unsigned IdBits   = 4,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits),
    localparam type bar_aw_t = `FM_AXI_BAR_AW(BarBits, IdBits),
    localparam type bar_w_t = `FM_AXI_BAR_W(DataBits),
    localparam type bar_ar_t = `FM_AXI_BAR_AR(BarBits, IdBits),
    localparam type bar_r_t = `FM_AXI_BAR_R(DataBits, IdBits)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   bridge_clk_i,
    input  logic                   bridge_rst_ni,
    input  logic                   perst_ni,
    // The bridge.
    input  logic                   bridge_function_reset_i,
    input  logic                   bridge_msix_enable_i,
    input  logic                   bridge_msix_mask_i,
    output logic                   bridge_idle_o,
    input  logic                   bridge_bar_aw_valid_i,
    output logic                   bridge_bar_aw_ready_o,
    input  bar_aw_t                bridge_bar_aw_i,
    input  logic                   bridge_bar_w_valid_i,
    output logic                   bridge_bar_w_ready_o,
    input  bar_w_t                 bridge_bar_w_i,
    output logic                   bridge_bar_b_valid_o,
    input  logic                   bridge_bar_b_ready_i,
    output logic [IdBits-1:0]      bridge_bar_b_id_o,
    input  logic                   bridge_bar_ar_valid_i,
    output logic                   bridge_bar_ar_ready_o,
    input  bar_ar_t                bridge_bar_ar_i,
    output logic                   bridge_bar_r_valid_o,
    input  logic                   bridge_bar_r_ready_i,
    output bar_r_t                 bridge_bar_r_o,
    output logic                   bridge_host_ar_valid_o,
    input  logic                   bridge_host_ar_ready_i,
    output fm_axi_pkg::burst_t     bridge_host_ar_o,
    input  logic                   bridge_host_r_valid_i,
    output logic                   bridge_host_r_ready_o,
    input  fm_axi_pkg::id_t        bridge_host_r_id_i,
    input  r_beat_t                bridge_host_r_i,
    output logic                   bridge_host_aw_valid_o,
    input  logic                   bridge_host_aw_ready_i,
    output fm_axi_pkg::burst_t     bridge_host_aw_o,
    output logic                   bridge_host_w_valid_o,
    input  logic                   bridge_host_w_ready_i,
    output w_beat_t                bridge_host_w_o,
    input  logic                   bridge_host_b_valid_i,
    output logic                   bridge_host_b_ready_o,
    input  fm_axi_pkg::response_e  bridge_host_b_response_i,
    // The host interface.
    output logic                   host_reset_o,
    output logic                   function_reset_o,
    output logic                   msix_enable_o,
    output logic                   msix_mask_o,
    input  logic                   idle_i,
    output logic                   bar_aw_valid_o,
    input  logic                   bar_aw_ready_i,
    output bar_aw_t                bar_aw_o,
    output logic                   bar_w_valid_o,
    input  logic                   bar_w_ready_i,
    output bar_w_t                 bar_w_o,
    input  logic                   bar_b_valid_i,
    output logic                   bar_b_ready_o,
    input  logic [IdBits-1:0]      bar_b_id_i,
    output logic                   bar_ar_valid_o,
    input  logic                   bar_ar_ready_i,
    output bar_ar_t                bar_ar_o,
    input  logic                   bar_r_valid_i,
    output logic                   bar_r_ready_o,
    input  bar_r_t                 bar_r_i,
    input  logic                   host_ar_valid_i,
    output logic                   host_ar_ready_o,
    input  fm_axi_pkg::burst_t     host_ar_i,
    output logic                   host_r_valid_o,
    input  logic                   host_r_ready_i,
    output fm_axi_pkg::id_t        host_r_id_o,
    output r_beat_t                host_r_o,
    input  logic                   host_aw_valid_i,
    output logic                   host_aw_ready_o,
    input  fm_axi_pkg::burst_t     host_aw_i,
    input  logic                   host_w_valid_i,
    output logic                   host_w_ready_o,
    input  w_beat_t                host_w_i,
    output logic                   host_b_valid_o,
    input  logic                   host_b_ready_i,
    output fm_axi_pkg::response_e  host_b_response_o
);

  // -- who is to forget --

  logic here_rst_n, there_rst_n, here_kept, there_kept;
  logic here_clear, there_clear, here_joint_open, there_joint_open, here_open, there_open, here_forget, there_forget;

  // It falls without a clock and rises behind two cycles of it, so the synchroniser behind it sees each fall.
  fm_reset_sync u_here_reset (
      .clk_i,
      .rst_ni(perst_ni),
      .rst_no(here_rst_n)
  );

  fm_reset_sync u_there_reset (
      .clk_i (bridge_clk_i),
      .rst_ni(perst_ni),
      .rst_no(there_rst_n)
  );

  fm_synchronizer u_here_clear (
      .clk_i,
      .rst_ni,
      .bits_i(here_rst_n),
      .bits_o(here_kept)
  );

  fm_synchronizer u_there_clear (
      .clk_i (bridge_clk_i),
      .rst_ni(bridge_rst_ni),
      .bits_i(there_rst_n),
      .bits_o(there_kept)
  );

  assign here_clear = !here_kept;
  assign there_clear = !there_kept;

  fm_joint_clear u_joint (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_clear_i(here_clear), .in_open_o(here_joint_open), .in_forget_o(here_forget),
      .out_clk_i(bridge_clk_i), .out_rst_ni(bridge_rst_ni), .out_clear_i(there_clear), .out_open_o(there_joint_open),
      .out_forget_o(there_forget)
  );

  // In the first cycles of a clock that comes back the wish is not seen yet.
  assign here_open = here_joint_open;
  assign there_open = there_joint_open && there_rst_n;
  assign host_reset_o = !here_open;

  // -- BAR 0 --

  fm_fifo_async #(
      .Width($bits(bar_aw_t))
  ) u_bar_aw (
      .in_clk_i(bridge_clk_i), .in_rst_ni(bridge_rst_ni), .in_open_i(there_open), .in_forget_i(there_forget),
      .in_valid_i(bridge_bar_aw_valid_i), .in_ready_o(bridge_bar_aw_ready_o), .in_data_i(bridge_bar_aw_i),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_open_i(here_open), .out_forget_i(here_forget),
      .out_valid_o(bar_aw_valid_o), .out_ready_i(bar_aw_ready_i), .out_data_o(bar_aw_o)
  );

  fm_fifo_async #(
      .Width($bits(bar_w_t))
  ) u_bar_w (
      .in_clk_i(bridge_clk_i), .in_rst_ni(bridge_rst_ni), .in_open_i(there_open), .in_forget_i(there_forget),
      .in_valid_i(bridge_bar_w_valid_i), .in_ready_o(bridge_bar_w_ready_o), .in_data_i(bridge_bar_w_i),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_open_i(here_open), .out_forget_i(here_forget),
      .out_valid_o(bar_w_valid_o), .out_ready_i(bar_w_ready_i), .out_data_o(bar_w_o)
  );

  fm_fifo_async #(
      .Width(IdBits)
  ) u_bar_b (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_open_i(here_open), .in_forget_i(here_forget),
      .in_valid_i(bar_b_valid_i), .in_ready_o(bar_b_ready_o), .in_data_i(bar_b_id_i),
      .out_clk_i(bridge_clk_i), .out_rst_ni(bridge_rst_ni), .out_open_i(there_open), .out_forget_i(there_forget),
      .out_valid_o(bridge_bar_b_valid_o), .out_ready_i(bridge_bar_b_ready_i), .out_data_o(bridge_bar_b_id_o)
  );

  fm_fifo_async #(
      .Width($bits(bar_ar_t))
  ) u_bar_ar (
      .in_clk_i(bridge_clk_i), .in_rst_ni(bridge_rst_ni), .in_open_i(there_open), .in_forget_i(there_forget),
      .in_valid_i(bridge_bar_ar_valid_i), .in_ready_o(bridge_bar_ar_ready_o), .in_data_i(bridge_bar_ar_i),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_open_i(here_open), .out_forget_i(here_forget),
      .out_valid_o(bar_ar_valid_o), .out_ready_i(bar_ar_ready_i), .out_data_o(bar_ar_o)
  );

  fm_fifo_async #(
      .Width($bits(bar_r_t))
  ) u_bar_r (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_open_i(here_open), .in_forget_i(here_forget),
      .in_valid_i(bar_r_valid_i), .in_ready_o(bar_r_ready_o), .in_data_i(bar_r_i),
      .out_clk_i(bridge_clk_i), .out_rst_ni(bridge_rst_ni), .out_open_i(there_open), .out_forget_i(there_forget),
      .out_valid_o(bridge_bar_r_valid_o), .out_ready_i(bridge_bar_r_ready_i), .out_data_o(bridge_bar_r_o)
  );

  // -- host memory --

  logic [1:0] host_b_response;
  assign host_b_response_o = fm_axi_pkg::response_e'(host_b_response);

  fm_fifo_async #(
      .Width($bits(fm_axi_pkg::burst_t))
  ) u_host_ar (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_open_i(here_open), .in_forget_i(here_forget),
      .in_valid_i(host_ar_valid_i), .in_ready_o(host_ar_ready_o), .in_data_i(host_ar_i),
      .out_clk_i(bridge_clk_i), .out_rst_ni(bridge_rst_ni), .out_open_i(there_open), .out_forget_i(there_forget),
      .out_valid_o(bridge_host_ar_valid_o), .out_ready_i(bridge_host_ar_ready_i), .out_data_o(bridge_host_ar_o)
  );

  fm_fifo_async #(
      .Width(fm_axi_pkg::IdBits + $bits(r_beat_t))
  ) u_host_r (
      .in_clk_i(bridge_clk_i), .in_rst_ni(bridge_rst_ni), .in_open_i(there_open), .in_forget_i(there_forget),
      .in_valid_i(bridge_host_r_valid_i), .in_ready_o(bridge_host_r_ready_o), .in_data_i({bridge_host_r_id_i, bridge_host_r_i}),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_open_i(here_open), .out_forget_i(here_forget),
      .out_valid_o(host_r_valid_o), .out_ready_i(host_r_ready_i), .out_data_o({host_r_id_o, host_r_o})
  );

  fm_fifo_async #(
      .Width($bits(fm_axi_pkg::burst_t))
  ) u_host_aw (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_open_i(here_open), .in_forget_i(here_forget),
      .in_valid_i(host_aw_valid_i), .in_ready_o(host_aw_ready_o), .in_data_i(host_aw_i),
      .out_clk_i(bridge_clk_i), .out_rst_ni(bridge_rst_ni), .out_open_i(there_open), .out_forget_i(there_forget),
      .out_valid_o(bridge_host_aw_valid_o), .out_ready_i(bridge_host_aw_ready_i), .out_data_o(bridge_host_aw_o)
  );

  fm_fifo_async #(
      .Width($bits(w_beat_t))
  ) u_host_w (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni), .in_open_i(here_open), .in_forget_i(here_forget),
      .in_valid_i(host_w_valid_i), .in_ready_o(host_w_ready_o), .in_data_i(host_w_i),
      .out_clk_i(bridge_clk_i), .out_rst_ni(bridge_rst_ni), .out_open_i(there_open), .out_forget_i(there_forget),
      .out_valid_o(bridge_host_w_valid_o), .out_ready_i(bridge_host_w_ready_i), .out_data_o(bridge_host_w_o)
  );

  fm_fifo_async #(
      .Width($bits(fm_axi_pkg::response_e))
  ) u_host_b (
      .in_clk_i(bridge_clk_i), .in_rst_ni(bridge_rst_ni), .in_open_i(there_open), .in_forget_i(there_forget),
      .in_valid_i(bridge_host_b_valid_i), .in_ready_o(bridge_host_b_ready_o), .in_data_i(bridge_host_b_response_i),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni), .out_open_i(here_open), .out_forget_i(here_forget),
      .out_valid_o(host_b_valid_o), .out_ready_i(host_b_ready_i), .out_data_o(host_b_response)
  );

  // -- levels, and the reset of the function --

  logic is_quiet, quiet_seen, function_done;

  fm_level_crossing #(
      .Width(2)
  ) u_msix (
      .in_clk_i(bridge_clk_i), .in_rst_ni(bridge_rst_ni), .bits_i({bridge_msix_enable_i, bridge_msix_mask_i}),
      .out_clk_i(clk_i), .out_rst_ni(rst_ni), .bits_o({msix_enable_o, msix_mask_o})
  );

  // What is just being asked for is not seen there sooner than that it is not quiet here.
  assign is_quiet = idle_i && !host_ar_valid_i && !host_aw_valid_i && !host_w_valid_i;

  fm_level_crossing u_quiet (
      .in_clk_i(clk_i), .in_rst_ni(rst_ni), .bits_i(is_quiet),
      .out_clk_i(bridge_clk_i), .out_rst_ni(bridge_rst_ni), .bits_o(quiet_seen)
  );

  function_reset_crossing u_function (
      .clk_i,
      .rst_ni,
      .reset_o(function_reset_o),
      .idle_i,
      .bridge_clk_i,
      .bridge_rst_ni,
      .reset_i(bridge_function_reset_i),
      .done_o(function_done)
  );

  assign bridge_idle_o = quiet_seen && function_done && !bridge_host_ar_valid_o && !bridge_host_aw_valid_o && !bridge_host_w_valid_o;

endmodule
