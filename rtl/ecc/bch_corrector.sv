// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Last stage of the decoder: lets data out, chunk by chunk, with the wrong bits inverted.
//
// Contract: takes the data words of a chunk for each beat on `chunk`; of a dirty one when its beat
// on `result` is there. A failed chunk leaves as it came, an erased one as ones. What is said of
// the chunk beside `out_last_o` holds for all its words: `out_errors_o` bits were corrected (in an
// erased chunk, were zero), `out_failed_o`, `out_erased_o`, and whether it is the last of its page.
// `out_last_o` ends a packet.
// Latency: none; one cycle for a dirty chunk, in which the end of its list is found.
// Reason: results are complete before the first word leaves, so every word carries the verdict and
// a failed chunk need not be repaired. The list has the last word first, so it is read from its
// end.
module bch_corrector #(
    parameter int unsigned T         = 13,
    parameter int unsigned Width     = 16,
    parameter int unsigned DataWords = 128,
    localparam int unsigned WordBits = $clog2(DataWords + 1),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 chunk_valid_i,
    output logic                 chunk_ready_o,
    input  logic [ WordBits-1:0] chunk_words_i,
    input  logic                 chunk_last_i,
    input  logic                 chunk_page_last_i,
    input  logic                 chunk_dirty_i,
    input  logic                 chunk_erased_i,
    input  logic [ErrorBits-1:0] chunk_zeros_i,
    input  logic                 data_valid_i,
    output logic                 data_ready_o,
    input  logic [    Width-1:0] data_i,
    input  logic                 result_valid_i,
    output logic                 result_ready_o,
    input  logic                 result_failed_i,
    input  logic [ErrorBits-1:0] result_errors_i,
    input  logic [ErrorBits-1:0] result_entries_i,
    output logic [ErrorBits-1:0] entry_o,
    input  logic [ WordBits-1:0] entry_word_i,
    input  logic [    Width-1:0] entry_wrong_i,
    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output logic [    Width-1:0] out_data_o,
    output logic                 out_last_o,
    output logic                 out_page_last_o,
    output logic [ErrorBits-1:0] out_errors_o,
    output logic                 out_failed_o,
    output logic                 out_erased_o
);

  logic [WordBits-1:0] word_q;
  logic [ErrorBits-1:0] entry_q;
  logic begun_q, listed_q;  // the dirty chunk leaves; its list has an entry to come
  logic begin_dirty, take, final_word, correct;
  logic [Width-1:0] wrong;

  assign out_valid_o = chunk_valid_i && data_valid_i && (!chunk_dirty_i || begun_q);
  assign begin_dirty = chunk_valid_i && chunk_dirty_i && result_valid_i && !begun_q;
  assign take = out_valid_o && out_ready_i;
  assign data_ready_o = take;
  assign final_word = word_q + 1'b1 == chunk_words_i;
  assign chunk_ready_o = take && final_word;
  assign result_ready_o = take && final_word && chunk_dirty_i;

  assign entry_o = entry_q;
  assign correct = listed_q && entry_word_i == word_q;
  for (genvar p = 0; p < Width; p++) begin : gen_lane
    assign wrong[fm_bch_pkg::lane(Width, p)] = correct && entry_wrong_i[p];
  end

  assign out_data_o = chunk_erased_i ? '1 : data_i ^ wrong;
  assign out_last_o = final_word && chunk_last_i;
  assign out_page_last_o = chunk_page_last_i;
  assign out_failed_o = chunk_dirty_i && result_failed_i;
  assign out_erased_o = chunk_erased_i;

  always_comb begin
    out_errors_o = '0;
    if (chunk_erased_i) out_errors_o = chunk_zeros_i;
    if (chunk_dirty_i && !result_failed_i) out_errors_o = result_errors_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_q   <= '0;
      begun_q  <= 1'b0;
      listed_q <= 1'b0;
    end else if (begin_dirty) begin
      begun_q  <= 1'b1;
      listed_q <= !result_failed_i && result_entries_i != '0;
    end else if (take) begin
      word_q <= final_word ? '0 : word_q + 1'b1;
      if (final_word) begun_q <= 1'b0;
      if (final_word || (correct && entry_q == '0)) listed_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (begin_dirty) entry_q <= result_entries_i - 1'b1;
    else if (take && correct) entry_q <= entry_q - 1'b1;
  end

  `FM_ASSERT_STREAM(u_assert_out, out_valid_o, out_ready_i,
                 ({out_data_o, out_last_o, out_page_last_o, out_errors_o, out_failed_o,
                   out_erased_o}))

endmodule
