// SPDX-License-Identifier: Apache-2.0

`include "fm_axi.svh"

// The data buffer memory and all that reaches it: the host's DMA, the channels, the memory engine, and the processor.
//
// Contract: `host` and `flash` as in `memory_crossbar`; the engine's orders as in `memory_engine`; with WordAccess the
// processor's words as in `word_access`. Managers of units are the channels, then the engine, then the processor.
// Latency: that of its parts.
// Reason: composition alone.
module memory_side
  import fm_ssd_pkg::*;
#(
    parameter int unsigned DataBits   = 256,
    parameter int unsigned Memories   = 1,
    parameter int unsigned Channels   = 2,
    parameter bit          WordAccess = 1'b0,
    localparam int unsigned Managers = Channels + (WordAccess ? 2 : 1),
    localparam int unsigned MemoryIdBits = $clog2(Managers + 1) + fm_axi_pkg::IdBits,
    localparam type r_beat_t = `FM_AXI_R(DataBits),
    localparam type w_beat_t = `FM_AXI_W(DataBits),
    localparam type memory_burst_t = `FM_AXI_BURST(MemoryIdBits)
) (
    input  logic                                  clk_i,
    input  logic                                  rst_ni,
    // The host's DMA. What is read goes to it beside.
    input  logic [Memories-1:0]                   host_ar_valid_i,
    output logic [Memories-1:0]                   host_ar_ready_o,
    input  fm_axi_pkg::burst_t [Memories-1:0]     host_ar_i,
    output logic [Memories-1:0]                   host_r_valid_o,
    input  logic [Memories-1:0]                   host_r_ready_i,
    input  logic [Memories-1:0]                   host_aw_valid_i,
    output logic [Memories-1:0]                   host_aw_ready_o,
    input  fm_axi_pkg::burst_t [Memories-1:0]     host_aw_i,
    input  logic [Memories-1:0]                   host_w_valid_i,
    output logic [Memories-1:0]                   host_w_ready_o,
    input  w_beat_t [Memories-1:0]                host_w_i,
    output logic [Memories-1:0]                   host_b_valid_o,
    input  logic [Memories-1:0]                   host_b_ready_i,
    // The channels.
    input  logic [Channels-1:0]                   flash_ar_valid_i,
    output logic [Channels-1:0]                   flash_ar_ready_o,
    input  fm_axi_pkg::burst_t [Channels-1:0]     flash_ar_i,
    output logic [Channels-1:0]                   flash_r_valid_o,
    input  logic [Channels-1:0]                   flash_r_ready_i,
    output r_beat_t [Channels-1:0]                flash_r_o,
    input  logic [Channels-1:0]                   flash_aw_valid_i,
    output logic [Channels-1:0]                   flash_aw_ready_o,
    input  fm_axi_pkg::burst_t [Channels-1:0]     flash_aw_i,
    input  logic [Channels-1:0]                   flash_w_valid_i,
    output logic [Channels-1:0]                   flash_w_ready_o,
    input  w_beat_t [Channels-1:0]                flash_w_i,
    output logic [Channels-1:0]                   flash_b_valid_o,
    input  logic [Channels-1:0]                   flash_b_ready_i,
    output fm_axi_pkg::response_e [Channels-1:0]  flash_b_response_o,
    // The processor.
    input  logic                                  order_valid_i,
    input  order_t                                order_i,
    output logic                                  engine_busy_o,
    output logic                                  engine_differs_o,
    output logic                                  engine_failed_o,
    input  word_order_t                           word_order_i,
    output word_answer_t                          word_answer_o,
    // The data buffer memory. Above the id of a burst stands the number of its manager.
    output logic [Memories-1:0]                   memory_ar_valid_o,
    input  logic [Memories-1:0]                   memory_ar_ready_i,
    output memory_burst_t [Memories-1:0]          memory_ar_o,
    input  logic [Memories-1:0]                   memory_r_valid_i,
    output logic [Memories-1:0]                   memory_r_ready_o,
    input  logic [Memories-1:0][MemoryIdBits-1:0] memory_r_id_i,
    input  r_beat_t [Memories-1:0]                memory_r_i,
    output logic [Memories-1:0]                   memory_aw_valid_o,
    input  logic [Memories-1:0]                   memory_aw_ready_i,
    output memory_burst_t [Memories-1:0]          memory_aw_o,
    output logic [Memories-1:0]                   memory_w_valid_o,
    input  logic [Memories-1:0]                   memory_w_ready_i,
    output w_beat_t [Memories-1:0]                memory_w_o,
    input  logic [Memories-1:0]                   memory_b_valid_i,
    output logic [Memories-1:0]                   memory_b_ready_o,
    input  logic [Memories-1:0][MemoryIdBits-1:0] memory_b_id_i,
    input  fm_axi_pkg::response_e [Memories-1:0]  memory_b_response_i
);

  logic [Managers-1:0] ar_valid, ar_ready, r_valid, r_ready;
  logic [Managers-1:0] aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready;
  fm_axi_pkg::burst_t [Managers-1:0] ar, aw;
  r_beat_t [Managers-1:0] r;
  w_beat_t [Managers-1:0] w;
  fm_axi_pkg::response_e [Managers-1:0] b_response;

  assign ar_valid[Channels-1:0] = flash_ar_valid_i;
  assign flash_ar_ready_o = ar_ready[Channels-1:0];
  assign ar[Channels-1:0] = flash_ar_i;
  assign flash_r_valid_o = r_valid[Channels-1:0];
  assign r_ready[Channels-1:0] = flash_r_ready_i;
  assign flash_r_o = r[Channels-1:0];
  assign aw_valid[Channels-1:0] = flash_aw_valid_i;
  assign flash_aw_ready_o = aw_ready[Channels-1:0];
  assign aw[Channels-1:0] = flash_aw_i;
  assign w_valid[Channels-1:0] = flash_w_valid_i;
  assign flash_w_ready_o = w_ready[Channels-1:0];
  assign w[Channels-1:0] = flash_w_i;
  assign flash_b_valid_o = b_valid[Channels-1:0];
  assign b_ready[Channels-1:0] = flash_b_ready_i;
  assign flash_b_response_o = b_response[Channels-1:0];

  memory_crossbar #(
      .Managers(Managers),
      .Memories(Memories),
      .DataBits(DataBits)
  ) u_crossbar (
      .*,
      .ar_valid_i(ar_valid), .ar_ready_o(ar_ready), .ar_i(ar),
      .r_valid_o(r_valid), .r_ready_i(r_ready), .r_o(r),
      .aw_valid_i(aw_valid), .aw_ready_o(aw_ready), .aw_i(aw),
      .w_valid_i(w_valid), .w_ready_o(w_ready), .w_i(w),
      .b_valid_o(b_valid), .b_ready_i(b_ready), .b_response_o(b_response)
  );

  memory_engine #(
      .DataBits(DataBits)
  ) u_engine (
      .clk_i,
      .rst_ni,
      .start_i(order_valid_i),
      .order_i,
      .busy_o(engine_busy_o),
      .differs_o(engine_differs_o),
      .failed_o(engine_failed_o),
      .ar_valid_o(ar_valid[Channels]), .ar_ready_i(ar_ready[Channels]), .ar_o(ar[Channels]),
      .r_valid_i(r_valid[Channels]), .r_ready_o(r_ready[Channels]), .r_i(r[Channels]),
      .aw_valid_o(aw_valid[Channels]), .aw_ready_i(aw_ready[Channels]), .aw_o(aw[Channels]),
      .w_valid_o(w_valid[Channels]), .w_ready_i(w_ready[Channels]), .w_o(w[Channels]),
      .b_valid_i(b_valid[Channels]), .b_ready_o(b_ready[Channels]), .b_response_i(b_response[Channels])
  );

  if (WordAccess) begin : gen_words
    localparam int unsigned Words = Channels + 1;

    word_access #(
        .DataBits(DataBits)
    ) u_words (
        .clk_i,
        .rst_ni,
        .order_i(word_order_i),
        .answer_o(word_answer_o),
        .ar_valid_o(ar_valid[Words]), .ar_ready_i(ar_ready[Words]), .ar_o(ar[Words]),
        .r_valid_i(r_valid[Words]), .r_ready_o(r_ready[Words]), .r_i(r[Words]),
        .aw_valid_o(aw_valid[Words]), .aw_ready_i(aw_ready[Words]), .aw_o(aw[Words]),
        .w_valid_o(w_valid[Words]), .w_ready_i(w_ready[Words]), .w_o(w[Words]),
        .b_valid_i(b_valid[Words]), .b_ready_o(b_ready[Words]), .b_response_i(b_response[Words])
    );
  end else begin : gen_no_words
    logic unused_order;
    assign unused_order = ^word_order_i;
    assign word_answer_o = '0;
  end

endmodule
