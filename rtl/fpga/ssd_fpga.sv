// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// The whole controller as it stands on an FPGA board without PCIe: its processor with its program, the data buffer memory in an SDRAM, and a
// computer at a serial line in the place of the host.
//
// Contract: the pins of the chips as in `ssd_soc`, those of the SDRAM as in `sdram`, the line as in `uart_host`. The processor runs from the
// reset on. `alive_o` tells that it is not asleep.
// Latency: that of its parts.
// Reason: composition alone; what is of a board only (pads, clock) is in rtl/boards. One clock for all, as the line is slow.
module ssd_fpga #(
    parameter int unsigned Channels      = 2,
    parameter int unsigned Ways          = 2,
    parameter              ProgramFile   = "",
    parameter int unsigned ProgramBytes  = 128 << 10,
    parameter int unsigned BitCycles     = 25,
    parameter int unsigned SilenceCycles = 1 << 21,
    parameter int unsigned PowerUpCycles = 5000,
    parameter int unsigned TickBits      = 23,
    parameter int unsigned TickCycles    = 1562,
    parameter int unsigned RowBits       = 13
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    // The serial line.
    input  logic                           line_i,
    output logic                           line_o,
    output logic                           alive_o,
    // The SDRAM.
    output logic                           sdram_cke_o,
    output logic                           sdram_cs_no,
    output logic                           sdram_ras_no,
    output logic                           sdram_cas_no,
    output logic                           sdram_we_no,
    output logic [1:0]                     sdram_ba_o,
    output logic [RowBits-1:0]             sdram_a_o,
    output logic [1:0]                     sdram_dqm_o,
    output logic [15:0]                    sdram_dq_o,
    output logic                           sdram_dq_oe_o,
    input  logic [15:0]                    sdram_dq_i,
    // The chips, a lane a channel.
    output logic [Channels-1:0][Ways-1:0]  ce_no,
    output logic [Channels-1:0]            cle_o,
    output logic [Channels-1:0]            ale_o,
    output logic [Channels-1:0]            we_no,
    output logic [Channels-1:0]            wp_no,
    output logic [Channels-1:0]            re_no,
    output logic [Channels-1:0][7:0]       dq_o,
    output logic [Channels-1:0]            dq_oe_o,
    output logic [Channels-1:0]            dqs_o,
    output logic [Channels-1:0]            dqs_oe_o,
    input  logic [Channels-1:0][7:0]       dq_i,
    input  logic [Channels-1:0]            dqs_i,
    input  logic [Channels-1:0][Ways-1:0]  rb_ni
);

  localparam int unsigned DataBits = 64;
  localparam int unsigned BarBits = 14;
  localparam int unsigned IdBits = 4;
  localparam int unsigned WindowBytes = 32768;
  localparam int unsigned MemoryIdBits = $clog2(Channels + 3) + fm_axi_pkg::IdBits;

  typedef `FM_AXI_R(DataBits) r_beat_t;
  typedef `FM_AXI_W(DataBits) w_beat_t;
  typedef `FM_AXI_BURST(MemoryIdBits) memory_burst_t;
  typedef `FM_AXI_BAR_AW(BarBits, IdBits) bar_aw_t;
  typedef `FM_AXI_BAR_W(DataBits) bar_w_t;
  typedef `FM_AXI_BAR_AR(BarBits, IdBits) bar_ar_t;
  typedef `FM_AXI_BAR_R(DataBits, IdBits) bar_r_t;

  logic bar_aw_valid, bar_aw_ready, bar_w_valid, bar_w_ready, bar_b_valid, bar_b_ready;
  logic bar_ar_valid, bar_ar_ready, bar_r_valid, bar_r_ready;
  bar_aw_t bar_aw;
  bar_w_t bar_w;
  bar_ar_t bar_ar;
  bar_r_t bar_r;
  logic host_ar_valid, host_ar_ready, host_r_valid, host_r_ready, host_aw_valid, host_aw_ready;
  logic host_w_valid, host_w_ready, host_b_valid, host_b_ready;
  fm_axi_pkg::burst_t host_ar, host_aw;
  fm_axi_pkg::id_t host_r_id, unused_host_b_id;
  fm_axi_pkg::response_e host_b_response;
  r_beat_t host_r;
  w_beat_t host_w;
  logic memory_ar_valid, memory_ar_ready, memory_r_valid, memory_r_ready, memory_aw_valid, memory_aw_ready;
  logic memory_w_valid, memory_w_ready, memory_b_valid, memory_b_ready;
  memory_burst_t memory_ar, memory_aw;
  logic [MemoryIdBits-1:0] memory_r_id, memory_b_id;
  fm_axi_pkg::response_e memory_b_response;
  r_beat_t memory_r;
  w_beat_t memory_w;
  fm_uart_pkg::access_t word_access;
  logic access_done, access_failed, window_valid, window_done, function_reset, idle, sleeps, zero;
  logic [31:0] access_data, window_data;
  logic [$clog2(WindowBytes/4)-1:0] window_place;
  logic [63:0] changed, clear;
  logic unused_waits, unused_trace_valid;
  logic [3:0] unused_trace_place;
  logic [31:0] unused_trace_data;
  logic [IdBits-1:0] unused_bar_b_id;

  uart_host #(
      .BitCycles(BitCycles),
      .SilenceCycles(SilenceCycles)
  ) u_uart (
      .clk_i,
      .rst_ni,
      .line_i,
      .line_o,
      .access_o(word_access),
      .done_i(access_done),
      .failed_i(access_failed),
      .data_i(access_data)
  );

  host_access #(
      .DataBits(DataBits),
      .BarBits(BarBits),
      .IdBits(IdBits),
      .WindowBytes(WindowBytes)
  ) u_access (
      .clk_i,
      .rst_ni,
      .access_i(word_access),
      .done_o(access_done),
      .failed_o(access_failed),
      .data_o(access_data),
      .aw_valid_o(bar_aw_valid), .aw_ready_i(bar_aw_ready), .aw_o(bar_aw),
      .w_valid_o(bar_w_valid), .w_ready_i(bar_w_ready), .w_o(bar_w),
      .b_valid_i(bar_b_valid), .b_ready_o(bar_b_ready),
      .ar_valid_o(bar_ar_valid), .ar_ready_i(bar_ar_ready), .ar_o(bar_ar),
      .r_valid_i(bar_r_valid), .r_ready_o(bar_r_ready), .r_i(bar_r),
      .window_valid_o(window_valid),
      .window_place_o(window_place),
      .window_done_i(window_done),
      .window_data_i(window_data),
      .changed_i(changed),
      .clear_o(clear),
      .zero_o(zero),
      .function_reset_o(function_reset),
      .idle_i(idle),
      .sleeps_i(sleeps)
  );

  host_window #(
      .DataBits(DataBits),
      .Bytes(WindowBytes)
  ) u_window (
      .clk_i,
      .rst_ni,
      .ar_valid_i(host_ar_valid), .ar_ready_o(host_ar_ready), .ar_i(host_ar),
      .r_valid_o(host_r_valid), .r_ready_i(host_r_ready), .r_id_o(host_r_id), .r_o(host_r),
      .aw_valid_i(host_aw_valid), .aw_ready_o(host_aw_ready), .aw_i(host_aw),
      .w_valid_i(host_w_valid), .w_ready_o(host_w_ready), .w_i(host_w),
      .b_valid_o(host_b_valid), .b_ready_i(host_b_ready), .b_id_o(unused_host_b_id), .b_response_o(host_b_response),
      .valid_i(window_valid),
      .write_i(word_access.write),
      .place_i(window_place),
      .data_i(word_access.data),
      .done_o(window_done),
      .data_o(window_data),
      .changed_o(changed),
      .clear_i(clear),
      .zero_i(zero)
  );

  ssd_soc #(
      .DataBits(DataBits),
      .Memories(1),
      .Channels(Channels),
      .Ways(Ways),
      .ProgramBytes(ProgramBytes),
      .ProgramFile(ProgramFile),
      .CacheWords(4096),
      .Queues(5),
      .LargestSize(16'd63),
      .Tags(64),
      .TickBits(TickBits),
      .TickCycles(TickCycles),
      .BarBits(BarBits),
      .IdBits(IdBits)
  ) u_soc (
      .*,
      .host_clk_i(clk_i),
      .host_rst_ni(rst_ni),
      .flash_clk_i(clk_i),
      .flash_rst_ni(rst_ni),
      // The line is no bridge, and is reset with the drive.
      .host_reset_i(1'b0),
      .function_reset_i(function_reset),
      .msix_enable_i(1'b1),
      .msix_mask_i(1'b0),
      .idle_o(idle),
      .bar_aw_valid_i(bar_aw_valid), .bar_aw_ready_o(bar_aw_ready), .bar_aw_i(bar_aw),
      .bar_w_valid_i(bar_w_valid), .bar_w_ready_o(bar_w_ready), .bar_w_i(bar_w),
      .bar_b_valid_o(bar_b_valid), .bar_b_ready_i(bar_b_ready), .bar_b_id_o(unused_bar_b_id),
      .bar_ar_valid_i(bar_ar_valid), .bar_ar_ready_o(bar_ar_ready), .bar_ar_i(bar_ar),
      .bar_r_valid_o(bar_r_valid), .bar_r_ready_i(bar_r_ready), .bar_r_o(bar_r),
      .host_ar_valid_o(host_ar_valid), .host_ar_ready_i(host_ar_ready), .host_ar_o(host_ar),
      .host_r_valid_i(host_r_valid), .host_r_ready_o(host_r_ready), .host_r_id_i(host_r_id), .host_r_i(host_r),
      .host_aw_valid_o(host_aw_valid), .host_aw_ready_i(host_aw_ready), .host_aw_o(host_aw),
      .host_w_valid_o(host_w_valid), .host_w_ready_i(host_w_ready), .host_w_o(host_w),
      .host_b_valid_i(host_b_valid), .host_b_ready_o(host_b_ready), .host_b_response_i(host_b_response),
      .memory_ar_valid_o(memory_ar_valid), .memory_ar_ready_i(memory_ar_ready), .memory_ar_o(memory_ar),
      .memory_r_valid_i(memory_r_valid), .memory_r_ready_o(memory_r_ready), .memory_r_id_i(memory_r_id),
      .memory_r_i(memory_r),
      .memory_aw_valid_o(memory_aw_valid), .memory_aw_ready_i(memory_aw_ready), .memory_aw_o(memory_aw),
      .memory_w_valid_o(memory_w_valid), .memory_w_ready_i(memory_w_ready), .memory_w_o(memory_w),
      .memory_b_valid_i(memory_b_valid), .memory_b_ready_o(memory_b_ready), .memory_b_id_i(memory_b_id),
      .memory_b_response_i(memory_b_response),
      .load_valid_i(1'b0),
      .load_address_i('0),
      .load_data_i('0),
      .run_i(1'b1),
      .sleeps_o(sleeps),
      .waits_o(unused_waits),
      .trace_valid_o(unused_trace_valid),
      .trace_place_o(unused_trace_place),
      .trace_data_o(unused_trace_data)
  );

  assign alive_o = !sleeps;

  sdram #(
      .DataBits(DataBits),
      .IdBits(MemoryIdBits),
      .RowBits(RowBits),
      .PowerUpCycles(PowerUpCycles)
  ) u_sdram (
      .clk_i,
      .rst_ni,
      .ar_valid_i(memory_ar_valid), .ar_ready_o(memory_ar_ready), .ar_i(memory_ar),
      .r_valid_o(memory_r_valid), .r_ready_i(memory_r_ready), .r_id_o(memory_r_id), .r_o(memory_r),
      .aw_valid_i(memory_aw_valid), .aw_ready_o(memory_aw_ready), .aw_i(memory_aw),
      .w_valid_i(memory_w_valid), .w_ready_o(memory_w_ready), .w_i(memory_w),
      .b_valid_o(memory_b_valid), .b_ready_i(memory_b_ready), .b_id_o(memory_b_id), .b_response_o(memory_b_response),
      .pin_cke_o(sdram_cke_o),
      .pin_cs_no(sdram_cs_no),
      .pin_ras_no(sdram_ras_no),
      .pin_cas_no(sdram_cas_no),
      .pin_we_no(sdram_we_no),
      .pin_ba_o(sdram_ba_o),
      .pin_a_o(sdram_a_o),
      .pin_dqm_o(sdram_dqm_o),
      .pin_dq_o(sdram_dq_o),
      .pin_dq_oe_o(sdram_dq_oe_o),
      .pin_dq_i(sdram_dq_i)
  );

endmodule
