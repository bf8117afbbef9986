// SPDX-License-Identifier: Apache-2.0

// The value of a polynomial over GF(2^M) at alpha^Exponent.
//
// Contract: coefficient j, that of x^j, is `coefficients_i[j]`.
// Latency: none.
// Reason: Horner's rule is a chain of as many products as there are coefficients, and tools leave it a chain. Here
// neighbours are joined in pairs, the pairs at the square of the point, and so on, which takes as many products and
// only the logarithm of that many behind one another.
module gf_value #(
    parameter int unsigned M        = 12,
    parameter int unsigned Terms    = 8,
    parameter int          Exponent = 1
) (
    input  logic [Terms-1:0][M-1:0] coefficients_i,
    output logic            [M-1:0] value_o
);

  localparam int unsigned Pairs = (Terms + 1) / 2;

  if (Terms == 1) begin : gen_value
    assign value_o = coefficients_i[0];
  end else begin : gen_pairs
    logic [Pairs-1:0][M-1:0] pairs;

    for (genvar k = 0; k < Pairs; k++) begin : gen_pair
      if (2 * k + 1 < Terms) begin : gen_two
        logic [M-1:0] product;

        gf_scale #(
            .M(M),
            .Exponent(Exponent)
        ) u_scale (
            .value_i(coefficients_i[2*k+1]),
            .product_o(product)
        );

        assign pairs[k] = coefficients_i[2*k] ^ product;
      end else begin : gen_one
        assign pairs[k] = coefficients_i[2*k];
      end
    end

    gf_value #(
        .M(M),
        .Terms(Pairs),
        .Exponent(2 * Exponent)
    ) u_value (
        .coefficients_i(pairs),
        .value_o
    );
  end

endmodule
