// SPDX-License-Identifier: Apache-2.0

// What `ddr_output` was, with a selector that the clock drives: what `make rtl-pins` has to find wrong. No part of the hardware.
//
// Contract: as ddr_output, but for levels that are too short.
// Latency: none beyond the edge.
// Reason: a test that nothing fails says nothing.
module ddr_output #(
    parameter int unsigned Width      = 8,
    parameter bit          ResetValue = 1'b1
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [Width-1:0] first_i,
    input  logic [Width-1:0] second_i,
    output logic [Width-1:0] pin_o
);

  logic [Width-1:0] first_q, second_early_q, second_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= {Width{ResetValue}};
      second_early_q <= {Width{ResetValue}};
    end else begin
      first_q <= first_i;
      second_early_q <= second_i;
    end
  end

  always_ff @(negedge clk_i or negedge rst_ni) begin
    if (!rst_ni) second_q <= {Width{ResetValue}};
    else second_q <= second_early_q;
  end

  assign pin_o = clk_i ? first_q : second_q;

endmodule
