// SPDX-License-Identifier: Apache-2.0

// Chien search: which bits of a word are wrong, Width bits a cycle, the word that travelled last
// first.
//
// Contract: `load_i` takes a locator, lowest power first, for the last word of a code word; each
// cycle after it belongs to the word before. `wrong_o` has a bit for each position that is a root:
// position p, s words before the last, stands for alpha^(Width s + p - Center), Center being 4.
// Latency: three cycles from `load_i` to `wrong_o` of the last word. It never waits; the next
// locator may be loaded in any cycle and does not disturb what is on its way.
// Reason: the locator is evaluated by Horner's rule around the centre of each eight positions,
// where every step multiplies by at most alpha^4, which is a shift and a few gates. Constants of
// its own for each position and coefficient would take twice the logic. Going from the end needs
// no start value that depends on the length.
module bch_chien #(
    parameter int unsigned M     = 12,
    parameter int unsigned T     = 13,
    parameter int unsigned Width = 16
) (
    input  logic                clk_i,
    input  logic                load_i,
    input  logic [  T:0][M-1:0] locator_i,
    output logic [Width-1:0]    wrong_o
);

  localparam int unsigned Group = 8;
  localparam int unsigned Center = 4;
  localparam int unsigned Groups = Width / Group;
  // The upper coefficients are summed up in one cycle, the others in the next.
  localparam int unsigned Upper = (T + 1) / 2;

  typedef logic [M-1:0] element_t;

  // What the bits become that a shift moves out: alpha^(M + i) to the left, alpha^(-1 - i) to the
  // right.
  // Runs at elaboration only.
  // verilator coverage_off
  function automatic logic [1:0][Center-1:0][M-1:0] moved_out();
    logic [1:0][Center-1:0][M-1:0] result;
    for (int i = 0; i < int'(Center); i++) begin
      result[0][i] = M'(fm_bch_pkg::power(M, int'(M) + i));
      result[1][i] = M'(fm_bch_pkg::power(M, -1 - i));
    end
    return result;
  endfunction
  // verilator coverage_on

  localparam logic [1:0][Center-1:0][M-1:0] MovedOut = moved_out();

  // value * alpha^exponent, for an exponent between -Center and Center.
  function automatic element_t shifted(element_t value, int exponent);
    element_t result = exponent < 0 ? value >> -exponent : value << exponent;
    for (int i = 0; i < exponent; i++) begin
      result ^= {M{value[int'(M)-exponent+i]}} & MovedOut[0][i];
    end
    for (int i = 0; i < -exponent; i++) begin
      result ^= {M{value[-exponent-1-i]}} & MovedOut[1][i];
    end
    return result;
  endfunction

  // Coefficient j at the centre of each group, and at that of the first group of the next word.
  element_t terms[T + 1][Groups];
  element_t lower_q[Upper][Groups];
  element_t upper_d[Width], upper_q[Width], value[Width];

  for (genvar j = 0; j <= T; j++) begin : gen_coefficient
    element_t term_q, next;
    assign terms[j][0] = term_q;

    for (genvar g = 1; g < Groups; g++) begin : gen_group
      gf_scale #(
          .M(M),
          .Exponent(-int'(Group * g * j))
      ) u_scale (
          .value_i(term_q),
          .product_o(terms[j][g])
      );
    end

    gf_scale #(
        .M(M),
        .Exponent(-int'(Width * j))
    ) u_next (
        .value_i(term_q),
        .product_o(next)
    );

    always_ff @(posedge clk_i) begin
      term_q <= load_i ? locator_i[j] : next;
    end
  end

  for (genvar p = 0; p < Width; p++) begin : gen_position
    localparam int Offset = int'(Center) - int'(p % Group);
    localparam int unsigned G = p / Group;

    always_comb begin
      upper_d[p] = terms[T][G];
      for (int j = int'(T) - 1; j >= int'(Upper); j--) begin
        upper_d[p] = shifted(upper_d[p], Offset) ^ terms[j][G];
      end
      value[p] = upper_q[p];
      for (int j = int'(Upper) - 1; j >= 0; j--) begin
        value[p] = shifted(value[p], Offset) ^ lower_q[j][G];
      end
    end

    always_ff @(posedge clk_i) begin
      upper_q[p] <= upper_d[p];
      wrong_o[p] <= value[p] == '0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned j = 0; j < Upper; j++) begin
      lower_q[j] <= terms[j];
    end
  end

endmodule
