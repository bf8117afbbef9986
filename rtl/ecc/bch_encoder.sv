// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Encoder of a binary BCH code: chunks go in, chunks with their parity come out.
//
// Contract: `in_last_i` marks the last word of a chunk, of up to ChunkBytes; a shorter one is coded
// as if zeros stood before it. Its words are passed on, then come the parity words, the last of
// them with `out_last_o` and its unused bits zero. With `in_bypass_i`, the same for all words of a
// packet, they are passed on and nothing is added. Bits travel as fm_bch_pkg::lane says.
// Latency: none. `in_ready_o` follows `out_ready_i` and is low while parity goes out, so that the
// output never pauses.
// Reason: division by the generator, Width bits a cycle. The remainder is shifted out at its top
// and leaves zeros behind, which is where the next chunk starts.
module bch_encoder #(
    parameter int unsigned ChunkBytes = 256,
    parameter int unsigned T          = 13,
    parameter int unsigned Width      = 16
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    input  logic             in_last_i,
    input  logic             in_bypass_i,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o,
    output logic             out_last_o
);

  localparam int unsigned M = fm_bch_pkg::field_degree(ChunkBytes, T);
  localparam int unsigned ParityBits = fm_bch_pkg::parity_bits(M, T);
  localparam int unsigned ParityWords = (ParityBits + Width - 1) / Width;
  localparam int unsigned CountBits = $clog2(ParityWords + 1);

  `FM_REQUIRE(gen_no_field, M != 0, "bch_encoder: found no field for ChunkBytes and T")
  `FM_REQUIRE(gen_much_parity, ParityBits <= fm_bch_pkg::MaxParityBits, "bch_encoder: too much parity")
  `FM_REQUIRE(gen_bad_width, Width % 8 == 0 && Width <= ParityBits,
           "bch_encoder: Width is not whole bytes up to the parity")

  typedef logic [ParityBits-1:0] parity_t;

  // Without its leading term.
  localparam parity_t Generator = ParityBits'(fm_bch_pkg::generator(M, T));

  // Row r says which of the leaving bits change bit r of the remainder: column p is
  // x^(ParityBits + p) modulo the generator.
  // Runs at elaboration only.
  // verilator coverage_off
  function automatic logic [ParityBits-1:0][Width-1:0] feedback_rows();
    logic [ParityBits-1:0][Width-1:0] rows;
    parity_t column = Generator;
    for (int unsigned p = 0; p < Width; p++) begin
      for (int unsigned r = 0; r < ParityBits; r++) begin
        rows[r][p] = column[r];
      end
      column = (column << 1) ^ (column[ParityBits-1] ? Generator : '0);
    end
    return rows;
  endfunction
  // verilator coverage_on

  localparam logic [ParityBits-1:0][Width-1:0] Rows = feedback_rows();

  parity_t remainder_q;
  logic [Width-1:0] word, leaving, parity_word;
  logic [CountBits-1:0] parity_left_q;
  logic in_parity, take;

  for (genvar p = 0; p < Width; p++) begin : gen_lane
    assign word[p] = in_data_i[fm_bch_pkg::lane(Width, p)];
    assign parity_word[fm_bch_pkg::lane(Width, p)] = remainder_q[ParityBits-Width+p];
  end

  assign in_parity = parity_left_q != '0;
  assign in_ready_o = out_ready_i && !in_parity;
  assign out_valid_o = in_valid_i || in_parity;
  assign out_data_o = in_parity ? parity_word : in_data_i;
  assign out_last_o = in_parity ? parity_left_q == CountBits'(1) : in_last_i && in_bypass_i;
  assign take = out_valid_o && out_ready_i;

  // While parity leaves, nothing is fed back.
  assign leaving = in_parity ? '0 : remainder_q[ParityBits-1-:Width] ^ word;

  // A function where the register is written: a model then works it out for words that are taken, and
  // not whenever an input changes, which took half of the time of a channel.
  function automatic parity_t divided(parity_t remainder, logic [Width-1:0] leaving_bits);
    divided = remainder << Width;
    for (int unsigned r = 0; r < ParityBits; r++) begin
      divided[r] ^= ^(leaving_bits & Rows[r]);
    end
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      remainder_q <= '0;
      parity_left_q <= '0;
    end else if (take) begin
      if (in_parity) begin
        remainder_q <= divided(remainder_q, leaving);
        parity_left_q <= parity_left_q - 1'b1;
      end else if (!in_bypass_i) begin
        remainder_q <= divided(remainder_q, leaving);
        if (in_last_i) parity_left_q <= CountBits'(ParityWords);
      end
    end
  end

  `FM_ASSERT_STREAM(u_assert_in, in_valid_i, in_ready_o, ({in_bypass_i, in_last_i, in_data_i}))
  `FM_ASSERT_STREAM(u_assert_out, out_valid_o, out_ready_i, ({out_last_o, out_data_o}))

endmodule
