// SPDX-License-Identifier: Apache-2.0

// Chien search: which bits of a word are wrong, Width bits a cycle, the word that travelled last
// first.
//
// Contract: `load_i` takes a locator, lowest power first, for the last word of a code word; each
// cycle after it belongs to the word before. `wrong_o` has a bit for each position that is a root:
// position p, s words before the last, stands for alpha^(Width s + p - Center), Center being 4.
// Latency: three cycles from `load_i` to `wrong_o` of the last word. It never waits; the next
// locator may be loaded in any cycle and does not disturb what is on its way.
// Reason: the locator is evaluated around the centre of each eight positions, in pairs of coefficients, pairs of
// pairs and so on, at powers from alpha^-16 to alpha^16, whose products are a few gates. Constants of
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

  // Coefficient j at the centre of each group, and at that of the first group of the next word.
  logic [Groups-1:0][T:0][M-1:0] terms;
  logic [Groups-1:0][Upper-1:0][M-1:0] lower_q;
  element_t upper_d[Width], upper_q[Width], value[Width];

  for (genvar j = 0; j <= T; j++) begin : gen_coefficient
    element_t term_q, next;
    assign terms[0][j] = term_q;

    for (genvar g = 1; g < Groups; g++) begin : gen_group
      gf_scale #(
          .M(M),
          .Exponent(-int'(Group * g * j))
      ) u_scale (
          .value_i(term_q),
          .product_o(terms[g][j])
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

    gf_value #(
        .M(M),
        .Terms(T + 1 - Upper),
        .Exponent(Offset)
    ) u_upper (
        .coefficients_i(terms[G][T:Upper]),
        .value_o(upper_d[p])
    );

    // What the upper ones sum up to is one more coefficient.
    gf_value #(
        .M(M),
        .Terms(Upper + 1),
        .Exponent(Offset)
    ) u_value (
        .coefficients_i({upper_q[p], lower_q[G]}),
        .value_o(value[p])
    );

    always_ff @(posedge clk_i) begin
      upper_q[p] <= upper_d[p];
      wrong_o[p] <= value[p] == '0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned g = 0; g < Groups; g++) begin
      lower_q[g] <= terms[g][Upper-1:0];
    end
  end

endmodule
