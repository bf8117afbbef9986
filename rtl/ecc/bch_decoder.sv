// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Decoder of a binary BCH code for one channel. The key equation solver is shared and outside.
//
// Contract: code words go in as packets, as bch_encoder gives them; corrected chunks come out as
// packets, without parity, in order. `in_raw_i` is the word before it was descrambled, for erased
// pages. A packet with `in_bypass_i` comes out as it is. `in_page_last_i` with the last word of a
// packet makes it the last of its page. Up to T wrong bits of a chunk, parity included, are
// corrected; a chunk found to have more leaves as it came, with `out_failed_o`. See bch_corrector
// for what goes beside the data. `syndrome` and `locator` go to and come from bch_shared_solver.
// Latency: a clean or erased chunk leaves when it is complete; a dirty one after the solver's turn
// and as many cycles as it has words. Its data wait in a block RAM meanwhile.
// Throughput: a word a cycle, whatever the errors, if the solver answers within a chunk's time.
// Reason: receiving, solving, searching and correcting are four stages, a chunk in each.
// docs/rtl.md has the budget of cycles.
module bch_decoder #(
    parameter int unsigned ChunkBytes = 256,
    parameter int unsigned T          = 13,
    parameter int unsigned Width      = 16,
    localparam int unsigned M = fm_bch_pkg::field_degree(ChunkBytes, T),
    localparam int unsigned ErrorBits = $clog2(T + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  logic [    Width-1:0] in_data_i,
    input  logic [    Width-1:0] in_raw_i,
    input  logic                 in_last_i,
    input  logic                 in_page_last_i,
    input  logic                 in_bypass_i,
    output logic                 syndrome_valid_o,
    input  logic                 syndrome_ready_i,
    output logic [        M-1:0] syndrome_o,
    output logic                 syndrome_last_o,
    input  logic                 locator_valid_i,
    input  logic [        M-1:0] locator_i,
    input  logic                 locator_last_i,
    input  logic [ErrorBits-1:0] locator_errors_i,
    input  logic                 locator_failed_i,
    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output logic [    Width-1:0] out_data_o,
    output logic                 out_last_o,
    output logic                 out_page_last_o,
    output logic [ErrorBits-1:0] out_errors_o,
    output logic                 out_failed_o,
    output logic                 out_erased_o
);

  localparam int unsigned ParityBits = fm_bch_pkg::parity_bits(M, T);
  localparam int unsigned ParityWords = (ParityBits + Width - 1) / Width;
  localparam int unsigned PadBits = ParityWords * Width - ParityBits;
  localparam int unsigned DataWords = ChunkBytes * 8 / Width;
  localparam int unsigned WordBits = $clog2(DataWords + 1);
  // At full rate a chunk's first word waits for about three chunks' time.
  localparam int unsigned BufferWords = 2 ** $clog2(5 * DataWords);
  localparam int unsigned ChunkFifoBits = WordBits + ErrorBits + 4;

  `FM_REQUIRE(gen_bad_width, Width % 8 == 0 && ChunkBytes * 8 % Width == 0,
           "bch_decoder: Width is not whole bytes that divide ChunkBytes")
  `FM_REQUIRE(gen_bad_field, M != 0 && ParityWords >= 2, "bch_decoder: no code of ChunkBytes and T")

  logic take, ends, end_ready, end_last, end_erased;
  logic [WordBits-1:0] end_words;
  logic [ErrorBits-1:0] end_zeros;
  logic [T-1:0][M-1:0] end_syndromes;

  logic strip_valid, strip_ready, data_valid, data_ready;
  logic [Width-1:0] strip_data, data;

  bch_strip #(
      .Width(Width),
      .DataWords(DataWords),
      .ParityWords(ParityWords)
  ) u_strip (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o,
      .in_data_i,
      .in_last_i,
      .in_bypass_i,
      .data_valid_o(strip_valid),
      .data_ready_i(strip_ready),
      .data_o(strip_data),
      .end_ready_i(end_ready),
      .take_o(take),
      .end_o(ends),
      .end_words_o(end_words),
      .end_last_o(end_last)
  );

  fm_fifo_block #(
      .Width(Width),
      .Depth(BufferWords)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .in_valid_i(strip_valid),
      .in_ready_o(strip_ready),
      .in_data_i(strip_data),
      .out_valid_o(data_valid),
      .out_ready_i(data_ready),
      .out_data_o(data)
  );

  bch_syndromes #(
      .M(M),
      .T(T),
      .Width(Width),
      .PadBits(PadBits)
  ) u_syndromes (
      .clk_i,
      .rst_ni,
      .valid_i(take && !in_bypass_i),
      .data_i(in_data_i),
      .last_i(in_last_i),
      .syndromes_o(end_syndromes)
  );

  erased_detector #(
      .T(T),
      .Width(Width),
      .PadBits(PadBits)
  ) u_erased (
      .clk_i,
      .rst_ni,
      .valid_i(take && !in_bypass_i),
      .data_i(in_raw_i),
      .last_i(in_last_i),
      .erased_o(end_erased),
      .zeros_o(end_zeros)
  );

  logic judged_valid, judged_ready, judged_last, judged_page_last, judged_dirty, judged_erased;
  logic [WordBits-1:0] judged_words, start_words;
  logic [ErrorBits-1:0] judged_zeros;
  logic search_free, start;

  bch_verdict #(
      .M(M),
      .T(T),
      .DataWords(DataWords)
  ) u_verdict (
      .clk_i,
      .rst_ni,
      .end_i(ends),
      .end_ready_o(end_ready),
      .end_words_i(end_words),
      .end_last_i(end_last),
      .end_page_last_i(in_page_last_i && end_last),
      .end_bypass_i(in_bypass_i),
      .end_erased_i(end_erased),
      .end_zeros_i(end_zeros),
      .end_syndromes_i(end_syndromes),
      .chunk_valid_o(judged_valid),
      .chunk_ready_i(judged_ready),
      .chunk_words_o(judged_words),
      .chunk_last_o(judged_last),
      .chunk_page_last_o(judged_page_last),
      .chunk_dirty_o(judged_dirty),
      .chunk_erased_o(judged_erased),
      .chunk_zeros_o(judged_zeros),
      .search_free_i(search_free),
      .start_o(start),
      .start_words_o(start_words),
      .syndrome_valid_o,
      .syndrome_ready_i,
      .syndrome_o,
      .syndrome_last_o
  );

  logic chunk_valid, chunk_ready, chunk_last, chunk_page_last, chunk_dirty, chunk_erased;
  logic [WordBits-1:0] chunk_words;
  logic [ErrorBits-1:0] chunk_zeros;
  logic [3:0] unused_level;

  fm_fifo #(
      .Width(ChunkFifoBits),
      .Depth(8)
  ) u_chunks (
      .clk_i,
      .rst_ni,
      .in_valid_i(judged_valid),
      .in_ready_o(judged_ready),
      .in_data_i({judged_words, judged_last, judged_page_last, judged_dirty, judged_erased,
                  judged_zeros}),
      .out_valid_o(chunk_valid),
      .out_ready_i(chunk_ready),
      .out_data_o({chunk_words, chunk_last, chunk_page_last, chunk_dirty, chunk_erased,
                   chunk_zeros}),
      .level_o(unused_level)
  );

  logic result_valid, result_ready, result_failed;
  logic [ErrorBits-1:0] result_errors, result_entries, entry;
  logic [WordBits-1:0] entry_word;
  logic [Width-1:0] entry_wrong;

  bch_search #(
      .M(M),
      .T(T),
      .Width(Width),
      .DataWords(DataWords),
      .ParityWords(ParityWords),
      .PadBits(PadBits)
  ) u_search (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .free_o(search_free),
      .start_words_i(start_words),
      .locator_valid_i,
      .locator_i,
      .locator_last_i,
      .locator_errors_i,
      .locator_failed_i,
      .result_valid_o(result_valid),
      .result_ready_i(result_ready),
      .result_failed_o(result_failed),
      .result_errors_o(result_errors),
      .result_entries_o(result_entries),
      .entry_i(entry),
      .entry_word_o(entry_word),
      .entry_wrong_o(entry_wrong)
  );

  bch_corrector #(
      .T(T),
      .Width(Width),
      .DataWords(DataWords)
  ) u_corrector (
      .clk_i,
      .rst_ni,
      .chunk_valid_i(chunk_valid),
      .chunk_ready_o(chunk_ready),
      .chunk_words_i(chunk_words),
      .chunk_last_i(chunk_last),
      .chunk_page_last_i(chunk_page_last),
      .chunk_dirty_i(chunk_dirty),
      .chunk_erased_i(chunk_erased),
      .chunk_zeros_i(chunk_zeros),
      .data_valid_i(data_valid),
      .data_ready_o(data_ready),
      .data_i(data),
      .result_valid_i(result_valid),
      .result_ready_o(result_ready),
      .result_failed_i(result_failed),
      .result_errors_i(result_errors),
      .result_entries_i(result_entries),
      .entry_o(entry),
      .entry_word_i(entry_word),
      .entry_wrong_i(entry_wrong),
      .out_valid_o,
      .out_ready_i,
      .out_data_o,
      .out_last_o,
      .out_page_last_o,
      .out_errors_o,
      .out_failed_o,
      .out_erased_o
  );

  `FM_ASSERT_STREAM(u_assert_in, in_valid_i, in_ready_o,
                 ({in_bypass_i, in_page_last_i, in_last_i, in_raw_i, in_data_i}))

endmodule
