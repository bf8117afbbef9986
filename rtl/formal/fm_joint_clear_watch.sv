// SPDX-License-Identifier: Apache-2.0

// What is known of both sides of a crossing that are cleared alone; for proofs.
//
// Each side has a place on a line instead of in a circle: how many steps it has taken, modulo 16. Copies of a state in the other
// side's synchroniser have the place that the state had. All that a side does follows from how far its place is from those copies,
// and so does that no turn of the other side is missed.
module fm_joint_clear_watch
  import fm_joint_clear_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  joint_e     state_i,
    // What the other side has of it, the newest first.
    input  logic       peer_clk_i,
    input  logic [1:0] early_i,
    input  logic [1:0] seen_i,
    input  logic [3:0] peer_at_i,
    output logic [3:0] at_o,
    output logic [3:0] seen_at_o
);

  function automatic logic [1:0] gray(logic [1:0] count);
    return count ^ (count >> 1);
  endfunction

  logic [3:0] at_q, early_q, seen_q;
  joint_e state_q;

  assign at_o = at_q + 4'(state_i != state_q);
  assign seen_at_o = seen_q;

  // A step behind, so that it needs nothing of the control's inside.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_q <= 4'd1;
      state_q <= Closed;
    end else begin
      at_q <= at_o;
      state_q <= state_i;
    end
  end

  always_ff @(posedge peer_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      early_q <= 4'd0;
      seen_q  <= 4'd0;
    end else begin
      early_q <= at_o;
      seen_q  <= early_q;
    end
  end

  // How far the other side may be ahead of what it has seen.
  logic [3:0] lead;
  assign lead = peer_at_i[1:0] == 2'd1 ? 4'd2 : 4'd1;

  always_comb begin
    Places : assert (gray(at_o[1:0]) == state_i && gray(at_q[1:0]) == state_q);
    OneStep : assert (at_o - at_q <= 4'd1);
    Copies : assert (gray(early_q[1:0]) == early_i && gray(seen_q[1:0]) == seen_i);
    InOrder : assert (early_q - seen_q <= 4'd4 && at_o - early_q <= 4'd4 && at_o - seen_q <= 4'd4);
    Ahead : assert (4'(peer_at_i - seen_q + 4'd2) <= 4'(lead + 4'd2));
    Near : assert (4'(peer_at_i - at_o + 4'd2) <= 4'd4);
  end

endmodule
