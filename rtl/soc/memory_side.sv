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
    localparam type request_t = `FM_AXI_REQUEST(DataBits, fm_axi_pkg::IdBits),
    localparam type response_t = `FM_AXI_RESPONSE(DataBits, fm_axi_pkg::IdBits),
    localparam type memory_request_t = `FM_AXI_REQUEST(DataBits, MemoryIdBits),
    localparam type memory_response_t = `FM_AXI_RESPONSE(DataBits, MemoryIdBits)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    // The host's DMA.
    input  request_t [Memories-1:0]         host_i,
    output response_t [Memories-1:0]        host_o,
    // The channels.
    input  request_t [Channels-1:0]         flash_i,
    output response_t [Channels-1:0]        flash_o,
    // The processor.
    input  logic                            order_valid_i,
    input  order_t                          order_i,
    output logic                            engine_busy_o,
    output logic                            engine_differs_o,
    output logic                            engine_failed_o,
    input  word_order_t                     word_order_i,
    output word_answer_t                    word_answer_o,
    // The data buffer memory. Above the id of a burst stands the number of its manager.
    output memory_request_t [Memories-1:0]  memory_o,
    input  memory_response_t [Memories-1:0] memory_i
);

  request_t [Managers-1:0] request;
  response_t [Managers-1:0] response;

  assign request[Channels-1:0] = flash_i;
  assign flash_o = response[Channels-1:0];

  memory_crossbar #(
      .Managers(Managers),
      .Memories(Memories),
      .DataBits(DataBits)
  ) u_crossbar (
      .*,
      .units_i(request),
      .units_o(response)
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
      .ar_valid_o(request[Channels].ar_valid), .ar_ready_i(response[Channels].ar_ready), .ar_o(request[Channels].ar),
      .r_valid_i(response[Channels].r_valid), .r_ready_o(request[Channels].r_ready), .r_i(response[Channels].r),
      .aw_valid_o(request[Channels].aw_valid), .aw_ready_i(response[Channels].aw_ready), .aw_o(request[Channels].aw),
      .w_valid_o(request[Channels].w_valid), .w_ready_i(response[Channels].w_ready), .w_o(request[Channels].w),
      .b_valid_i(response[Channels].b_valid), .b_ready_o(request[Channels].b_ready),
      .b_response_i(response[Channels].b_response)
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
        .ar_valid_o(request[Words].ar_valid), .ar_ready_i(response[Words].ar_ready), .ar_o(request[Words].ar),
        .r_valid_i(response[Words].r_valid), .r_ready_o(request[Words].r_ready), .r_i(response[Words].r),
        .aw_valid_o(request[Words].aw_valid), .aw_ready_i(response[Words].aw_ready), .aw_o(request[Words].aw),
        .w_valid_o(request[Words].w_valid), .w_ready_i(response[Words].w_ready), .w_o(request[Words].w),
        .b_valid_i(response[Words].b_valid), .b_ready_o(request[Words].b_ready), .b_response_i(response[Words].b_response)
    );
  end else begin : gen_no_words
    logic unused_order;
    assign unused_order = ^word_order_i;
    assign word_answer_o = '0;
  end

endmodule
