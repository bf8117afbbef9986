// SPDX-License-Identifier: Apache-2.0

// Test top: a page verdict whose sums are so small that they are soon full.
module page_verdicts #(
    localparam int unsigned SumBits   = 5,
    localparam int unsigned ErrorBits = 3
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 chunk_i,
    input  logic                 page_last_i,
    input  logic [ErrorBits-1:0] errors_i,
    input  logic                 failed_i,
    input  logic                 erased_i,
    output logic                 valid_o,
    output logic                 erased_o,
    output logic [  SumBits-1:0] bits_o,
    output logic [ErrorBits-1:0] most_bits_o,
    output logic [          7:0] lost_chunks_o
);

  page_verdict #(
      .T(7),
      .SumBits(SumBits)
  ) u_verdict (
      .*
  );

endmodule
