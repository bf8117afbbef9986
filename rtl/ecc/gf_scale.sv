// SPDX-License-Identifier: Apache-2.0

// An element of GF(2^M) times the constant alpha^Exponent.
//
// Latency: none.
// Reason: multiplying by a constant is linear, so each bit of the product is the exclusive-or of
// some bits of the element. Which ones is worked out at elaboration.
module gf_scale #(
    parameter int unsigned M        = 12,
    parameter int          Exponent = 1
) (
    input  logic [M-1:0] value_i,
    output logic [M-1:0] product_o
);

  // Row r has the bits that make bit r of the product.
  // Runs at elaboration only.
  // verilator coverage_off
  function automatic logic [M-1:0][M-1:0] rows();
    logic [M-1:0][M-1:0] result;
    fm_bch_pkg::element_t column;
    for (int c = 0; c < int'(M); c++) begin
      column = fm_bch_pkg::power(M, Exponent + c);
      for (int unsigned r = 0; r < M; r++) begin
        result[r][c] = column[r];
      end
    end
    return result;
  endfunction
  // verilator coverage_on

  localparam logic [M-1:0][M-1:0] Rows = rows();

  for (genvar r = 0; r < M; r++) begin : gen_bit
    assign product_o[r] = ^(value_i & Rows[r]);
  end

endmodule
