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

  typedef `FM_AXI_BAR_REQUEST(DataBits, BarBits, IdBits) bar_request_t;
  typedef `FM_AXI_BAR_RESPONSE(DataBits, IdBits) bar_response_t;
  typedef `FM_AXI_REQUEST(DataBits, fm_axi_pkg::IdBits) request_t;
  typedef `FM_AXI_RESPONSE(DataBits, fm_axi_pkg::IdBits) response_t;
  typedef `FM_AXI_REQUEST(DataBits, MemoryIdBits) memory_request_t;
  typedef `FM_AXI_RESPONSE(DataBits, MemoryIdBits) memory_response_t;

  bar_request_t bar_request;
  bar_response_t bar_response;
  request_t host_request;
  response_t host_response;
  memory_request_t memory_request;
  memory_response_t memory_response;
  fm_uart_pkg::access_t word_access;
  logic access_done, access_failed, window_valid, window_done, function_reset, idle, sleeps, zero;
  logic [31:0] access_data, window_data;
  logic [$clog2(WindowBytes/4)-1:0] window_place;
  logic [63:0] changed, clear;
  logic unused_waits, unused_trace_valid;
  logic [3:0] unused_trace_place;
  logic [31:0] unused_trace_data;
  logic unused_bar_b_id;
  assign unused_bar_b_id = ^bar_response.b_id;

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
      .aw_valid_o(bar_request.aw_valid), .aw_ready_i(bar_response.aw_ready), .aw_o(bar_request.aw),
      .w_valid_o(bar_request.w_valid), .w_ready_i(bar_response.w_ready), .w_o(bar_request.w),
      .b_valid_i(bar_response.b_valid), .b_ready_o(bar_request.b_ready),
      .ar_valid_o(bar_request.ar_valid), .ar_ready_i(bar_response.ar_ready), .ar_o(bar_request.ar),
      .r_valid_i(bar_response.r_valid), .r_ready_o(bar_request.r_ready), .r_i(bar_response.r),
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
      .ar_valid_i(host_request.ar_valid), .ar_ready_o(host_response.ar_ready), .ar_i(host_request.ar),
      .r_valid_o(host_response.r_valid), .r_ready_i(host_request.r_ready), .r_id_o(host_response.r_id), .r_o(host_response.r),
      .aw_valid_i(host_request.aw_valid), .aw_ready_o(host_response.aw_ready), .aw_i(host_request.aw),
      .w_valid_i(host_request.w_valid), .w_ready_o(host_response.w_ready), .w_i(host_request.w),
      .b_valid_o(host_response.b_valid), .b_ready_i(host_request.b_ready), .b_id_o(host_response.b_id),
      .b_response_o(host_response.b_response),
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
      .bar_i(bar_request),
      .bar_o(bar_response),
      .host_o(host_request),
      .host_i(host_response),
      .memory_o(memory_request),
      .memory_i(memory_response),
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
      .ar_valid_i(memory_request.ar_valid), .ar_ready_o(memory_response.ar_ready), .ar_i(memory_request.ar),
      .r_valid_o(memory_response.r_valid), .r_ready_i(memory_request.r_ready), .r_id_o(memory_response.r_id), .r_o(memory_response.r),
      .aw_valid_i(memory_request.aw_valid), .aw_ready_o(memory_response.aw_ready), .aw_i(memory_request.aw),
      .w_valid_i(memory_request.w_valid), .w_ready_o(memory_response.w_ready), .w_i(memory_request.w),
      .b_valid_o(memory_response.b_valid), .b_ready_i(memory_request.b_ready), .b_id_o(memory_response.b_id),
      .b_response_o(memory_response.b_response),
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
