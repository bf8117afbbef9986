// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Judges a received chunk and sends the syndromes of a dirty one to the solver.
//
// Contract: with `end_i`, up only while `end_ready_o` is, a chunk has ended; what is known of it
// comes beside. One beat on `chunk` follows. If the chunk is dirty, its T odd syndromes then go out
// on `syndrome`, as one packet. The first waits for `search_free_i`; `start_o` tells that it went,
// and `start_words_o` how many data words the chunk has.
// Latency: `chunk` one cycle after `end_i`, the first syndrome two. Chunks end at most every other
// cycle.
// Reason: whether any syndrome bit is set takes as long to find as the syndromes took. A chunk is
// dirty only if it is neither bypassed nor erased. A packet that was begun must not wait for its
// channel, since others wait for the solver; so it begins when the search is free to take the
// answer. One chunk can be judged while the one before is being sent: a page ends with a short
// chunk, which is over before the solver has served all channels. That a chunk leaves makes room a
// cycle later, since the words of the bus wait for what is said here.
module bch_verdict #(
    parameter int unsigned M         = 12,
    parameter int unsigned T         = 13,
    parameter int unsigned DataWords = 128,
    localparam int unsigned WordBits = $clog2(DataWords + 1),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            end_i,
    output logic                            end_ready_o,
    input  logic            [ WordBits-1:0] end_words_i,
    input  logic                            end_last_i,
    input  logic                            end_page_last_i,
    input  logic                            end_bypass_i,
    input  logic                            end_erased_i,
    input  logic            [ErrorBits-1:0] end_zeros_i,
    input  logic [    T-1:0][        M-1:0] end_syndromes_i,
    output logic                            chunk_valid_o,
    input  logic                            chunk_ready_i,
    output logic            [ WordBits-1:0] chunk_words_o,
    output logic                            chunk_last_o,
    output logic                            chunk_page_last_o,
    output logic                            chunk_dirty_o,
    output logic                            chunk_erased_o,
    output logic            [ErrorBits-1:0] chunk_zeros_o,
    input  logic                            search_free_i,
    output logic                            start_o,
    output logic            [ WordBits-1:0] start_words_o,
    output logic                            syndrome_valid_o,
    input  logic                            syndrome_ready_i,
    output logic            [        M-1:0] syndrome_o,
    output logic                            syndrome_last_o
);

  localparam int unsigned IndexBits = $clog2(T + 1);

  logic judging_q, bypass_q, judged, send;
  logic [T-1:0][M-1:0] judged_q, sent_q;

  logic sending_q, send_free;
  logic [IndexBits-1:0] index_q;

  // A dirty chunk leaves when its syndromes can, any other when its beat is taken.
  assign send_free = !sending_q || (syndrome_ready_i && syndrome_valid_o && syndrome_last_o);
  assign chunk_dirty_o = !bypass_q && !chunk_erased_o && judged_q != '0;
  assign chunk_valid_o = judging_q && (!chunk_dirty_o || send_free);
  assign judged = chunk_valid_o && chunk_ready_i;
  assign send = judged && chunk_dirty_o;
  assign end_ready_o = !judging_q;

  // What ends is kept from then on; until then, whatever comes: that an end is there is known late.
  always_ff @(posedge clk_i) begin
    if (end_ready_o) begin
      chunk_words_o     <= end_words_i;
      chunk_last_o      <= end_last_i;
      chunk_page_last_o <= end_page_last_i;
      chunk_erased_o    <= end_erased_i && !end_bypass_i;
      chunk_zeros_o     <= end_zeros_i;
      bypass_q          <= end_bypass_i;
      judged_q          <= end_syndromes_i;
    end
    if (send) begin
      start_words_o <= chunk_words_o;
      sent_q        <= judged_q;
    end
  end

  assign syndrome_valid_o = sending_q && (index_q != '0 || search_free_i);
  assign syndrome_o = sent_q[index_q];
  assign syndrome_last_o = index_q == IndexBits'(T - 1);
  assign start_o = syndrome_valid_o && syndrome_ready_i && index_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      judging_q <= 1'b0;
      sending_q <= 1'b0;
      index_q   <= '0;
    end else begin
      judging_q <= end_i || (judging_q && !judged);
      sending_q <= send || (sending_q && !send_free);
      if (syndrome_valid_o && syndrome_ready_i) begin
        index_q <= syndrome_last_o ? '0 : index_q + 1'b1;
      end
    end
  end

  `FM_ASSERT(EndOnlyWhenReady, !end_i || end_ready_o)
  `FM_ASSERT_STREAM(u_assert_chunk, chunk_valid_o, chunk_ready_i,
                 ({chunk_words_o, chunk_last_o, chunk_page_last_o, chunk_dirty_o,
                   chunk_erased_o, chunk_zeros_o}))
  `FM_ASSERT_STREAM(u_assert_syndrome, syndrome_valid_o, syndrome_ready_i,
                 ({syndrome_o, syndrome_last_o}))

endmodule
