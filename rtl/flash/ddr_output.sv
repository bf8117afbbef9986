// SPDX-License-Identifier: Apache-2.0

// Output cells that change at both levels of the clock.
//
// Contract: what is on `first_i` at a rising edge is on the pins while the clock is high after it,
// what is on `second_i` while it is low. Pins are at ResetValue until the first edge. A pin changes only behind an edge, and
// at most once, so no level is shorter than half a period but for the difference of the two registers' delays.
// Latency: none beyond the edge.
// Reason: generic, for simulation and for technologies without such a cell. Each of two registers changes at one edge only, so that
// their sum has the value that is due. A selector that the clock drives would show the value before at each edge, until the register
// behind it has changed: a strobe too short to be a strobe where a burst pauses or ends. Simulation without delays hides that;
// `make rtl-pins` runs both forms with delays.
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

  logic [Width-1:0] rise_q, fall_q, second_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rise_q <= {Width{ResetValue}};
      second_q <= {Width{ResetValue}};
    end else begin
      rise_q <= first_i ^ fall_q;
      second_q <= second_i;
    end
  end

  always_ff @(negedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fall_q <= '0;
    else fall_q <= second_q ^ rise_q;
  end

  assign pin_o = rise_q ^ fall_q;

endmodule
