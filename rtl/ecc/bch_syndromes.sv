// SPDX-License-Identifier: Apache-2.0

// Syndromes of a received code word, while it comes in.
//
// Contract: a word is taken at each edge with `valid_i`; `last_i` marks the last of a code word,
// whose unused bits are ignored. With it, in the same cycle, `syndromes_o[i]` is S_(2i+1); the even
// ones are squares. The bit at position p of the last word stands for alpha^(p - Center): a code
// word times a power of x has the same errors, and bch_chien wants its powers so.
// Latency: none from the last word.
// Reason: only the odd syndromes are kept. Each is a register times a constant plus the word, one
// exclusive-or a bit. The next code word may follow at once, so the result is given before it would
// be registered, and the register is cleared instead.
module bch_syndromes #(
    parameter int unsigned M       = 12,
    parameter int unsigned T       = 13,
    parameter int unsigned Width   = 16,
    parameter int unsigned PadBits = 4,
    parameter int unsigned Center  = 4
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    valid_i,
    input  logic [Width-1:0]        data_i,
    input  logic                    last_i,
    output logic [    T-1:0][M-1:0] syndromes_o
);

  logic [Width-1:0] word;

  for (genvar p = 0; p < Width; p++) begin : gen_lane
    if (p < PadBits) begin : gen_pad
      assign word[p] = data_i[fm_bch_pkg::lane(Width, p)] && !last_i;
    end else begin : gen_bit
      assign word[p] = data_i[fm_bch_pkg::lane(Width, p)];
    end
  end

  // Row r says which bits of {register, word} make bit r of the next S_j.
  // Runs at elaboration only.
  // verilator coverage_off
  function automatic logic [M-1:0][M+Width-1:0] rows(int j);
    logic [M-1:0][M+Width-1:0] result;
    fm_bch_pkg::element_t column;
    for (int c = 0; c < int'(M + Width); c++) begin
      column = c < int'(Width) ? fm_bch_pkg::power(M, (c - int'(Center)) * j)
                               : fm_bch_pkg::power(M, c - int'(Width) + int'(Width) * j);
      for (int unsigned r = 0; r < M; r++) begin
        result[r][c] = column[r];
      end
    end
    return result;
  endfunction
  // verilator coverage_on

  for (genvar i = 0; i < T; i++) begin : gen_syndrome
    localparam logic [M-1:0][M+Width-1:0] Rows = rows(2 * i + 1);
    logic [M-1:0] next, value_q;
    logic [M+Width-1:0] operand;

    assign operand = {value_q, word};
    for (genvar r = 0; r < M; r++) begin : gen_bit
      assign next[r] = ^(operand & Rows[r]);
    end
    assign syndromes_o[i] = next;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || (valid_i && last_i)) begin
        value_q <= '0;
      end else if (valid_i) begin
        value_q <= next;
      end
    end
  end

endmodule
