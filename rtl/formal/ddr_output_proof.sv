// SPDX-License-Identifier: Apache-2.0

// Proof of `ddr_output`: while the clock is high the pins are what the first input was at its rising edge, while it is low what the
// second one was there; at each edge one register alone changes, so nothing is on the pins between the two.
module ddr_output_proof #(
    localparam int unsigned Width = 2
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic [Width-1:0] first_i,
    input logic [Width-1:0] second_i
);

  logic [Width-1:0] pin, first_q, second_q, late_q;
  logic started_q;

  ddr_output #(
      .Width(Width)
  ) u_pins (
      .clk_i,
      .rst_ni,
      .first_i,
      .second_i,
      .pin_o(pin)
  );

  initial started_q = 1'b0;

  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {first_q, second_q} <= '1;
    else {first_q, second_q} <= {first_i, second_i};
  end

  always_ff @(negedge clk_i or negedge rst_ni) begin
    if (!rst_ni) late_q <= '1;
    else late_q <= second_q;
  end

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    // What is true inside.
    Second : assert (u_pins.second_q == second_q);
    // The claim.
    Level : assert (pin == (clk_i ? first_q : late_q));
    Pulse : cover (started_q && rst_ni && clk_i && pin == '0 && late_q == '1 && second_q == '1);
  end

endmodule
