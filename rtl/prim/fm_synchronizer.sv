// SPDX-License-Identifier: Apache-2.0

// Bits of another clock, two registers later.
//
// Contract: `bits_i` comes from registers, and at most one bit of it changes at a time, or only one bit is looked
// at. `bits_o` is some value that they had lately, and never one behind an earlier one. Reset to zero.
// Latency: two to three cycles.
// Reason: the attribute has the vendor's tools keep both registers together, and whoever writes constraints
// finds every crossing by this module's name.
module fm_synchronizer #(
    parameter int unsigned Width = 1
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [Width-1:0] bits_i,
    output logic [Width-1:0] bits_o
);

  (* ASYNC_REG = "TRUE" *)logic [Width-1:0] crossing_q;
  (* ASYNC_REG = "TRUE" *)logic [Width-1:0] settled_q;

  assign bits_o = settled_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      crossing_q <= '0;
      settled_q  <= '0;
    end else begin
      crossing_q <= bits_i;
      settled_q  <= crossing_q;
    end
  end

endmodule
