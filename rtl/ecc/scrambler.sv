// SPDX-License-Identifier: Apache-2.0

`include "fm_assert.svh"

// Scrambler and descrambler: XORs the bytes of a page with the sequence of its row.
//
// Contract: `start_i` takes the row address and the column of the first byte; the stream is held
// until the register is ready. Then each word is XORed with Width/8 bytes of the sequence, the byte
// of the lower column in the lower bits. With `enable_i` low the words pass as they are. `start_i`
// comes between packets. The sequence is that of drive/ecc, scrambler.rs.
// Latency: none for a word. A start takes 16 cycles.
// Reason: the register is in Galois form, a step multiplies by x, so the state at column c is the
// seed times x^(8c). Squaring is linear: sixteen times squaring, and multiplying by x^8 where the
// column has a one, gives just that, because sixteen squarings alone change nothing in GF(2^8).
// Two small maps stand for a table of starts (Cosmos+ section 3.2, figure 6).
module scrambler #(
    parameter int unsigned Width      = 16,
    parameter logic [8:0]  Polynomial = 9'h11d,
    parameter int unsigned SeedBits   = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             enable_i,
    input  logic             start_i,
    input  logic [     31:0] row_i,
    input  logic [     15:0] column_i,
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);

  `FM_REQUIRE(gen_bad_width, Width % 8 == 0, "scrambler: Width is not whole bytes")
  `FM_REQUIRE(gen_bad_seed, SeedBits >= 8 && SeedBits <= 32, "scrambler: SeedBits is not 8 to 32")
  `FM_REQUIRE(gen_bad_polynomial, Polynomial[8] && Polynomial[0],
           "scrambler: Polynomial is not of degree 8 with a constant term")

  localparam int unsigned Bytes = Width / 8;

  typedef logic [7:0] state_t;

  // state * x^8: eight steps of the register.
  function automatic state_t next_byte(state_t state);
    for (int i = 0; i < 8; i++) begin
      state = (state << 1) ^ (state[7] ? Polynomial[7:0] : '0);
    end
    return state;
  endfunction

  function automatic state_t squared(state_t state);
    logic [14:0] wide = '0;
    for (int i = 0; i < 8; i++) wide[2*i] = state[i];
    for (int i = 14; i >= 8; i--) begin
      if (wide[i]) wide[i-:9] ^= Polynomial;
    end
    return wide[7:0];
  endfunction

  // The selected bits of the row, folded; zero, where the register would stay, becomes ones.
  function automatic state_t seed(logic [31:0] row);
    logic [31:0] selected = row & (32'hffff_ffff >> (32 - SeedBits));
    state_t folded = selected[7:0] ^ selected[15:8] ^ selected[23:16] ^ selected[31:24];
    return folded == '0 ? '1 : folded;
  endfunction

  state_t state_q, start_state, after;
  logic [Width-1:0] mask;
  logic [15:0] column_q;
  logic [4:0] left_q;
  logic ready, ready_q, take;

  always_comb begin
    after = state_q;
    for (int unsigned i = 0; i < Bytes; i++) begin
      mask[8*i+:8] = after;
      after = next_byte(after);
    end
  end

  assign out_data_o = in_data_i ^ (enable_i ? mask : '0);
  assign ready = ready_q;
  assign out_valid_o = in_valid_i && ready;
  assign in_ready_o = out_ready_i && ready;
  assign take = in_valid_i && in_ready_o;
  assign start_state = squared(state_q);

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      state_q  <= seed(row_i);
      column_q <= column_i;
    end else if (!ready) begin
      state_q  <= column_q[15] ? next_byte(start_state) : start_state;
      column_q <= column_q << 1;
    end else if (take) begin
      state_q <= after;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q  <= '0;
      ready_q <= 1'b1;
    end else if (start_i) begin
      left_q  <= 5'd16;
      ready_q <= 1'b0;
    end else if (!ready) begin
      left_q  <= left_q - 1'b1;
      ready_q <= left_q == 5'd1;
    end
  end

  `FM_ASSERT_STREAM(u_assert_in, in_valid_i, in_ready_o, in_data_i)
  `FM_ASSERT_STREAM(u_assert_out, out_valid_o && !start_i, out_ready_i, out_data_o)

endmodule
