// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Counts the words of a page and says where its code words end.
//
// Contract: `start_i` begins a page of `data_words_i`, cut into chunks, and MetadataWords
// behind them, if `metadata_i`. With `parity_i` ParityWords follow each chunk and the metadata.
// From the second cycle on `active_o` is up while words are to come, and `take_i` counts one.
// Beside the word that is next: whether it ends a code word; whether it ends the page. `idle_o` is
// up when a started page is over.
// Latency: none. A word a cycle, over the ends of code words too.
// Reason: the part that is next is chosen while the one before is counted down, so no adder and no
// multiple of the chunk is needed. A page may be empty. Whether there is more, and what the next word
// ends, is kept in registers, since the decoder has a long way to go from the end of a code word.
module page_framer #(
    parameter int unsigned ChunkWords    = 128,
    parameter int unsigned ParityWords   = 10,
    parameter int unsigned MetadataWords = 12
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        start_i,
    input  logic [14:0] data_words_i,
    input  logic        metadata_i,
    input  logic        parity_i,
    input  logic        take_i,
    output logic        active_o,
    output logic        word_last_o,
    output logic        page_last_o,
    output logic        idle_o
);

  localparam int unsigned RestBits = $clog2(ChunkWords);
  localparam int unsigned LeftBits = $clog2(ChunkWords + 1);

  `FM_REQUIRE(gen_bad_chunk, ChunkWords >= 4 && 2 ** RestBits == ChunkWords && RestBits < 15,
           "page_framer: ChunkWords is not a power of two from 4")
  `FM_REQUIRE(gen_much_parity, ParityWords <= ChunkWords, "page_framer: more parity than data")
  `FM_REQUIRE(gen_bad_metadata, MetadataWords >= 1 && MetadataWords <= ChunkWords,
           "page_framer: MetadataWords is not from 1 to ChunkWords")

  typedef logic [LeftBits-1:0] left_t;

  // What is still to be begun.
  logic [14-RestBits:0] chunks_q;
  logic [RestBits-1:0] rest_q;
  logic has_chunks_q, has_rest_q, metadata_q, parity_q, parity_due_q;
  // What is being counted.
  logic choosing_q, active_q;
  left_t left_q, part;
  logic more, more_d, has_chunks_d, has_rest_d, metadata_d, parity_due_d;
  logic ends_d, ends_q, word_last_q, page_last_q, choose;

  assign more = has_chunks_q || has_rest_q || metadata_q;

  assign choose = choosing_q || (active_q && take_i && ends_q);

  assign active_o = active_q;
  assign word_last_o = word_last_q;
  assign page_last_o = page_last_q;
  assign idle_o = !choosing_q && !active_q;

  always_comb begin
    part = left_t'(MetadataWords);
    if (has_rest_q) part = left_t'(rest_q);
    if (has_chunks_q) part = left_t'(ChunkWords);
    if (parity_due_q) part = left_t'(ParityWords);
  end

  // What is left when the next part is chosen.
  always_comb begin
    parity_due_d = parity_q && !parity_due_q;
    has_chunks_d = has_chunks_q;
    has_rest_d = has_rest_q;
    metadata_d = metadata_q;
    if (!parity_due_q) begin
      has_chunks_d = has_chunks_q && chunks_q != (15 - RestBits)'(1);
      if (!has_chunks_q) has_rest_d = 1'b0;
      if (!has_chunks_q && !has_rest_q) metadata_d = 1'b0;
    end
    more_d = has_chunks_d || has_rest_d || metadata_d;
    ends_d = choose ? part == left_t'(1) : left_q == left_t'(2);
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      {chunks_q, rest_q} <= data_words_i;
      has_chunks_q <= data_words_i[14:RestBits] != '0;
      has_rest_q <= data_words_i[RestBits-1:0] != '0;
      metadata_q <= metadata_i;
      parity_q <= parity_i;
      parity_due_q <= 1'b0;
    end else if (choose) begin
      if (!parity_due_q) chunks_q <= chunks_q - 1'b1;
      {has_chunks_q, has_rest_q, metadata_q} <= {has_chunks_d, has_rest_d, metadata_d};
      parity_due_q <= parity_due_d;
    end
    if (choose || take_i) begin
      left_q <= choose ? part : left_q - 1'b1;
      ends_q <= ends_d;
      word_last_q <= ends_d && !(choose ? parity_due_d : parity_due_q);
      page_last_q <= ends_d && !(choose ? parity_due_d || more_d : parity_due_q || more);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      choosing_q <= 1'b0;
      active_q   <= 1'b0;
    end else begin
      choosing_q <= start_i;
      if (choose) active_q <= more || parity_due_q;
    end
  end

  `FM_ASSERT(StartWhenIdle, !start_i || idle_o)
  `FM_ASSERT(TakeWhenActive, !take_i || active_q)

endmodule
