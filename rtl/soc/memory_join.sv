// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"
`include "fm_axi.svh"

// Joins managers to one channel of the data buffer memory.
//
// Contract: bursts of each manager keep their order where they have the same id. Towards memory the number of
// the manager stands above its id, so that answers find back. Data of writes come in the order of their
// addresses; a manager whose data do not come holds up those of the others behind it. So a manager offers an address when it
// has the data: those of `memory_side` do, dma_writer from the host with InHand, entry_store, memory_engine and word_access.
// What is left is the pace of a manager at a clock of its own, whose beats come through a crossing, and the last beat of a
// transfer from the host, which dma_writer holds until dma_retire has room for its end: that waits for memory's answers to
// bursts before it and for whoever takes ends, but for no host.
// A manager may wait with its data until its address was taken; memory may wait with an address for the data of it.
// Latency: none.
// Reason: AXI4 keeps no order between ids, so no answer waits for another manager's. An address that memory does not take at
// once is taken here, and its data go on: memory may wait for them, but they must not wait for memory (AXI4 section A3.3.1).
module memory_join #(
    parameter int unsigned Managers = 2,
    parameter int unsigned DataBits = 256,
    localparam int unsigned SourceBits = $clog2(Managers),
    localparam int unsigned IdBits = SourceBits + fm_axi_pkg::IdBits,
    localparam type w_beat_t = `FM_AXI_W(DataBits),
    localparam type memory_burst_t = `FM_AXI_BURST(IdBits)
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    // The managers. What is read goes to all of them, with the valid of one.
    input  logic [Managers-1:0]               ar_valid_i,
    output logic [Managers-1:0]               ar_ready_o,
    input  fm_axi_pkg::burst_t [Managers-1:0] ar_i,
    output logic [Managers-1:0]               r_valid_o,
    input  logic [Managers-1:0]               r_ready_i,
    input  logic [Managers-1:0]               aw_valid_i,
    output logic [Managers-1:0]               aw_ready_o,
    input  fm_axi_pkg::burst_t [Managers-1:0] aw_i,
    input  logic [Managers-1:0]               w_valid_i,
    output logic [Managers-1:0]               w_ready_o,
    input  w_beat_t [Managers-1:0]            w_i,
    output logic [Managers-1:0]               b_valid_o,
    input  logic [Managers-1:0]               b_ready_i,
    // The memory.
    output logic                              ar_valid_o,
    input  logic                              ar_ready_i,
    output memory_burst_t                     ar_o,
    input  logic                              r_valid_i,
    output logic                              r_ready_o,
    input  logic [SourceBits-1:0]             r_source_i,
    output logic                              aw_valid_o,
    input  logic                              aw_ready_i,
    output memory_burst_t                     aw_o,
    output logic                              w_valid_o,
    input  logic                              w_ready_i,
    output w_beat_t                           w_o,
    input  logic                              b_valid_i,
    output logic                              b_ready_o,
    input  logic [SourceBits-1:0]             b_source_i
);

  // Bursts whose data are not through.
  localparam int unsigned Bursts = 8;

  typedef logic [Managers-1:0] managers_t;
  typedef logic [SourceBits-1:0] source_t;

  function automatic source_t number(managers_t one);
    number = '0;
    for (int unsigned i = 0; i < Managers; i++) begin
      if (one[i]) number |= source_t'(i);
    end
  endfunction

  function automatic managers_t one_of(source_t source);
    return managers_t'(1) << source;
  endfunction

  function automatic fm_axi_pkg::burst_t chosen(managers_t one, fm_axi_pkg::burst_t [Managers-1:0] bursts);
    chosen = '0;
    for (int unsigned i = 0; i < Managers; i++) begin
      if (one[i]) chosen |= bursts[i];
    end
  endfunction

  // Reads.
  managers_t ar_grant, r_one;
  fm_axi_pkg::burst_t ar;

  fm_arbiter_round_robin #(
      .Requests(Managers)
  ) u_reads (
      .clk_i,
      .rst_ni,
      .request_i(ar_valid_i),
      .accept_i(ar_ready_i),
      .grant_o(ar_grant)
  );

  assign ar = chosen(ar_grant, ar_i);
  assign ar_valid_o = ar_grant != '0;
  assign ar_ready_o = ar_grant & {Managers{ar_ready_i}};
  assign ar_o = {number(ar_grant), ar};
  assign r_one = one_of(r_source_i);
  assign r_valid_o = r_one & {Managers{r_valid_i}};
  assign r_ready_o = (r_one & r_ready_i) != '0;

  // Writes: whose data come next waits in a queue.
  managers_t aw_grant, w_one, b_one;
  fm_axi_pkg::burst_t aw;
  logic queue_ready, source_valid, aw_taken, aw_held_q;
  memory_burst_t aw_q;
  source_t source;
  logic [$clog2(Bursts+1)-1:0] unused_level;

  fm_arbiter_round_robin #(
      .Requests(Managers)
  ) u_writes (
      .clk_i,
      .rst_ni,
      .request_i(aw_valid_i),
      .accept_i(aw_taken),
      .grant_o(aw_grant)
  );

  assign aw = chosen(aw_grant, aw_i);
  assign aw_taken = queue_ready && !aw_held_q;
  assign aw_ready_o = aw_grant & {Managers{aw_taken}};
  assign aw_valid_o = aw_held_q || (aw_grant != '0 && queue_ready);
  assign aw_o = aw_held_q ? aw_q : {number(aw_grant), aw};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) aw_held_q <= 1'b0;
    else aw_held_q <= aw_valid_o && !aw_ready_i;
  end

  always_ff @(posedge clk_i) begin
    if (!aw_held_q) aw_q <= aw_o;
  end

  fm_fifo #(
      .Width(SourceBits),
      .Depth(Bursts)
  ) u_sources (
      .clk_i,
      .rst_ni,
      .in_valid_i(aw_grant != '0 && !aw_held_q),
      .in_ready_o(queue_ready),
      .in_data_i(number(aw_grant)),
      .out_valid_o(source_valid),
      .out_ready_i(w_valid_o && w_ready_i && w_o.last),
      .out_data_o(source),
      .level_o(unused_level)
  );

  assign w_one = one_of(source) & {Managers{source_valid}};
  assign w_valid_o = (w_one & w_valid_i) != '0;
  assign w_ready_o = w_one & {Managers{w_ready_i}};
  assign w_o = w_i[source];
  assign b_one = one_of(b_source_i);
  assign b_valid_o = b_one & {Managers{b_valid_i}};
  assign b_ready_o = (b_one & b_ready_i) != '0;

  `FM_ASSERT_STREAM(u_assert_ar, ar_valid_o, ar_ready_i, ar_o)
  `FM_ASSERT_STREAM(u_assert_aw, aw_valid_o, aw_ready_i, aw_o)
  `FM_ASSERT_STREAM(u_assert_w, w_valid_o, w_ready_i, w_o)

endmodule
