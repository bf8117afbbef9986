// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Keeps words of the data buffer memory that the processor alone uses.
//
// Contract: orders and answers as those of `word_access`, from the processor and to there. Words from `From` on are kept, direct
// mapped; all that is written goes on to memory. A write of such a word is answered at once, and the next order that goes on
// waits for it; if memory refuses it, the next order fails. Words below `From` are read and written as if there were nothing between.
// Latency: two cycles for a word that is kept, one for a write if none waits; after a reset, `Words` cycles.
// Reason: tables in a memory off the chip. No hardware looks at them, so nothing has to be coherent.
module word_cache
  import fm_ssd_pkg::*;
#(
    parameter int unsigned Words = 4096,
    // A word's number, a power of two.
    parameter logic [27:0] From = 28'h40_0000
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  word_order_t  order_i,
    output word_answer_t answer_o,
    output word_order_t  order_o,
    input  word_answer_t answer_i
);

  localparam int unsigned PlaceBits = $clog2(Words);
  localparam int unsigned TagBits = 28 - PlaceBits;

  typedef enum logic [2:0] {
    Clear,
    Idle,
    // What is kept has been looked up.
    Compare,
    Fetch,
    Pass
  } state_e;

  state_e state_q;
  logic [PlaceBits-1:0] clear_q, place;
  logic is_kept, hits, tag_valid, writes, is_posted_q, failed_q, posts, tag_write;
  logic [TagBits-1:0] tag;
  logic [31:0] kept;
  logic [27:0] posted_address_q;
  logic [31:0] posted_data_q;

  assign is_kept = order_i.address >= From;
  assign place = order_i.address[PlaceBits-1:0];

  // A write takes its place whatever was there: it is a whole word.
  assign posts = state_q == Idle && order_i.valid && order_i.write && is_kept && !is_posted_q;
  assign writes = posts || (state_q == Fetch && !is_posted_q && answer_i.done && !answer_i.failed);
  assign tag_write = writes || state_q == Clear;

  fm_ram_block #(
      .Width(32),
      .Depth(Words)
  ) u_words (
      .clk_i,
      .rst_ni,
      .write_i(writes),
      .write_address_i(place),
      .write_data_i(posts ? order_i.data : answer_i.data),
      .read_i(state_q == Idle && order_i.valid && !order_i.write),
      .read_address_i(place),
      .read_data_o(kept)
  );

  fm_ram_block #(
      .Width(TagBits + 1),
      .Depth(Words)
  ) u_tags (
      .clk_i,
      .rst_ni,
      .write_i(tag_write),
      .write_address_i(state_q == Clear ? clear_q : place),
      .write_data_i({state_q != Clear, order_i.address[27:PlaceBits]}),
      .read_i(state_q == Idle && order_i.valid && !order_i.write),
      .read_address_i(place),
      .read_data_o({tag_valid, tag})
  );

  assign hits = tag_valid && tag == order_i.address[27:PlaceBits];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Clear;
      clear_q <= '0;
      is_posted_q <= 1'b0;
      failed_q <= 1'b0;
    end else begin
      unique case (state_q)
        Clear: begin
          clear_q <= clear_q + 1'b1;
          if (clear_q == '1) state_q <= Idle;
        end
        Idle:
        if (order_i.valid && !posts) begin
          if (!is_kept) state_q <= Pass;
          else if (!order_i.write) state_q <= Compare;
        end
        Compare: state_q <= hits ? Idle : Fetch;
        Fetch, Pass: if (answer_o.done) state_q <= Idle;
        default: ;
      endcase
      if (posts) is_posted_q <= 1'b1;
      if (is_posted_q && answer_i.done) is_posted_q <= 1'b0;
      if (is_posted_q && answer_i.done && answer_i.failed) failed_q <= 1'b1;
      else if (answer_o.done) failed_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (posts) begin
      posted_address_q <= order_i.address;
      posted_data_q <= order_i.data;
    end
  end

  always_comb begin
    order_o = order_i;
    order_o.valid = state_q inside {Fetch, Pass};
    if (is_posted_q) order_o = '{valid: 1'b1, write: 1'b1, address: posted_address_q, data: posted_data_q};
  end

  always_comb begin
    answer_o = '{done: posts, failed: failed_q, data: kept};
    if (state_q == Compare) answer_o.done = hits;
    if (state_q inside {Fetch, Pass}) begin
      answer_o = answer_i;
      answer_o.done = answer_i.done && !is_posted_q;
      answer_o.failed = answer_i.failed || failed_q;
    end
  end

  `FM_REQUIRE(gen_from, (From & (From - 1)) == 0 && From != 0, "word_cache: From is no power of two")

endmodule
