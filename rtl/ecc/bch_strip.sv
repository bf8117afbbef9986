// SPDX-License-Identifier: Apache-2.0

// Takes the parity off received code words.
//
// Contract: a packet is a code word: data and then ParityWords words of parity. Its data leave on
// `data`. With `in_bypass_i`, the same for all words of a packet, every word is data, and the
// packet is cut into chunks of at most DataWords. `take_o` tells that a word was taken, `end_o`
// that with it a chunk ended, of `end_words_o` data words; `end_last_o` is low for a chunk that was
// cut off. A word that ends a chunk waits for `end_ready_i`.
// Latency: a word of a code word leaves ParityWords words after it came; a bypassed one at once.
// Reason: a delay line as long as the parity holds exactly the parity when a code word ends, so
// short chunks need not be announced. That the line or the chunk is full stands in registers, since everything
// that takes a word waits for it.
module bch_strip #(
    parameter int unsigned Width       = 16,
    parameter int unsigned DataWords   = 128,
    parameter int unsigned ParityWords = 10,
    localparam int unsigned WordBits = $clog2(DataWords + 1)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                in_valid_i,
    output logic                in_ready_o,
    input  logic [   Width-1:0] in_data_i,
    input  logic                in_last_i,
    input  logic                in_bypass_i,
    output logic                data_valid_o,
    input  logic                data_ready_i,
    output logic [   Width-1:0] data_o,
    input  logic                end_ready_i,
    output logic                take_o,
    output logic                end_o,
    output logic [WordBits-1:0] end_words_o,
    output logic                end_last_o
);

  localparam int unsigned HeldBits = $clog2(ParityWords + 1);

  logic [ParityWords-1:0][Width-1:0] line_q;
  logic [HeldBits-1:0] held_q;
  logic [WordBits-1:0] words_q;
  logic line_full_q, chunk_ends_q;  // the line is; the next word of data is the last that fits
  logic is_data, ends, allowed;

  assign is_data = in_bypass_i || line_full_q;
  assign end_words_o = words_q + WordBits'(is_data);
  assign ends = in_last_i || (in_bypass_i && chunk_ends_q);
  assign allowed = !ends || end_ready_i;

  assign in_ready_o = allowed && (!is_data || data_ready_i);
  assign data_valid_o = in_valid_i && allowed && is_data;
  assign data_o = in_bypass_i ? in_data_i : line_q[ParityWords-1];
  assign take_o = in_valid_i && in_ready_o;
  assign end_o = take_o && ends;
  assign end_last_o = in_last_i;

  always_ff @(posedge clk_i) begin
    if (take_o) line_q <= {line_q[ParityWords-2:0], in_data_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q       <= '0;
      words_q      <= '0;
      line_full_q  <= 1'b0;
      chunk_ends_q <= 1'b0;
    end else if (end_o) begin
      held_q       <= '0;
      words_q      <= '0;
      line_full_q  <= 1'b0;
      chunk_ends_q <= 1'b0;
    end else if (take_o) begin
      if (!is_data) begin
        held_q      <= held_q + 1'b1;
        line_full_q <= held_q == HeldBits'(ParityWords - 1);
      end
      words_q      <= end_words_o;
      chunk_ends_q <= is_data && words_q == WordBits'(DataWords - 2);
    end
  end

endmodule
