// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Tells the end of descriptors once all their writes were answered.
//
// Contract: `sent_i` says that a burst begins on a channel, `close_i`, only with `close_room_o`, that
// a transfer has no more: it is the bursts since the one before it, the one of this cycle too. Every burst is answered once, those of a channel in order. Descriptors end in order, with
// the first fault of their transfers and answers.
// Latency: two cycles from the last answer.
// Reason: answers are counted, not listed. Those of younger transfers wait at the border, so an
// error can only be that of the oldest one.
module dma_retire #(
    parameter int unsigned Channels  = 1,
    parameter int unsigned Transfers = 16,
    parameter int unsigned CountBits = 8
) (
    input  logic                                            clk_i,
    input  logic                                            rst_ni,
    input  logic                   [Channels-1:0]           sent_i,
    input  logic                                            close_i,
    output logic                                            close_room_o,
    input  fm_transfer_pkg::closing_t                       closing_i,
    input  logic                   [Channels-1:0]           b_valid_i,
    output logic                   [Channels-1:0]           b_ready_o,
    input  fm_host_pkg::dma_fault_e   [Channels-1:0]           b_fault_i,
    output logic                                            done_valid_o,
    input  logic                                            done_ready_i,
    output fm_transfer_pkg::outcome_t                       done_o
);

  typedef logic [Channels-1:0][CountBits-1:0] counts_t;

  typedef struct packed {
    fm_transfer_pkg::closing_t closing;
    counts_t                sent;
  } entry_t;

  counts_t sent_d, sent_q, answered_q;
  entry_t oldest;
  logic oldest_valid, complete, retire, done_valid_q;
  logic [Channels-1:0] answer;
  logic [$clog2(Transfers+1)-1:0] unused_level;
  fm_host_pkg::dma_fault_e answer_fault, fault_q, fault;
  fm_transfer_pkg::outcome_t done_q;

  fm_fifo #(
      .Width($bits(entry_t)),
      .Depth(Transfers)
  ) u_transfers (
      .clk_i,
      .rst_ni,
      .in_valid_i(close_i),
      .in_ready_o(close_room_o),
      .in_data_i({closing_i, sent_d}),
      .out_valid_o(oldest_valid),
      .out_ready_i(retire),
      .out_data_o(oldest),
      .level_o(unused_level)
  );

  always_comb begin
    answer_fault = fm_host_pkg::DmaNone;
    for (int unsigned i = 0; i < Channels; i++) begin
      sent_d[i] = sent_q[i] + CountBits'(sent_i[i]);
      b_ready_o[i] = !oldest_valid || answered_q[i] != oldest.sent[i];
      answer[i] = b_valid_i[i] && b_ready_o[i];
      if (answer[i]) answer_fault = fm_transfer_pkg::first_fault(answer_fault, b_fault_i[i]);
    end
  end

  assign complete = oldest_valid && answered_q == oldest.sent;
  assign retire = complete && (!oldest.closing.last || !done_valid_q || done_ready_i);
  assign fault = fm_transfer_pkg::first_fault(fault_q, oldest.closing.fault);
  assign done_valid_o = done_valid_q;
  assign done_o = done_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sent_q <= '0;
      answered_q <= '0;
      fault_q <= fm_host_pkg::DmaNone;
      done_valid_q <= 1'b0;
    end else begin
      sent_q <= sent_d;
      for (int unsigned i = 0; i < Channels; i++) begin
        answered_q[i] <= answered_q[i] + CountBits'(answer[i]);
      end
      if (retire) fault_q <= oldest.closing.last ? fm_host_pkg::DmaNone : fault;
      else fault_q <= fm_transfer_pkg::first_fault(fault_q, answer_fault);
      if (retire && oldest.closing.last) done_valid_q <= 1'b1;
      else if (done_ready_i) done_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (retire && oldest.closing.last) done_q <= '{tag: oldest.closing.tag, fault: fault};
  end

  `FM_ASSERT_STREAM(u_assert_done, done_valid_o, done_ready_i, done_o)

endmodule
