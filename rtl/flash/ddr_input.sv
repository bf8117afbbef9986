// SPDX-License-Identifier: Apache-2.0

// Input cells that take DQ at both edges of a strobe.
//
// Contract: after a falling edge of `strobe_i`, `capture_o` holds the byte of the rising edge
// before in [7:0] and that of the falling edge in [15:8], until the next rising edge. DQ is stable
// at the edges: whoever uses this delays the strobe, or the pins are those of a simulation.
// Latency: none beyond the edge.
// Reason: generic; two flip-flops a pin.
module ddr_input (
    input  logic        strobe_i,
    input  logic [ 7:0] dq_i,
    output logic [15:0] capture_o
);

  logic [7:0] rise_q, fall_q;

  always_ff @(posedge strobe_i) rise_q <= dq_i;
  always_ff @(negedge strobe_i) fall_q <= dq_i;

  assign capture_o = {fall_q, rise_q};

endmodule
