// SPDX-License-Identifier: Apache-2.0

// Proof of `fm_joint_clear`: whatever the two clocks do and whenever either side is cleared, both sides are open on the same turn
// alone, and they do open.
//
// Both clocks are inputs that may change in any step. The second claim has two parts. Where what each side sees of the other one is
// what it is, and not both are open, some side goes on at its next edge: that is so after three cycles of both clocks in which no side went
// on. And a side that is not to be cleared leaves Open behind the other one only. So from when none is to be cleared, the next place of
// Open that the side ahead comes to is the last one of both, and none takes more than five steps to it.
module fm_joint_clear_proof
  import fm_joint_clear_pkg::*;
(
    input logic in_clk_i,
    input logic out_clk_i,
    input logic rst_ni,
    input logic in_clear_i,
    input logic out_clear_i
);

  logic in_open, in_forget, out_open, out_forget;

  fm_joint_clear u_joint (
      .in_clk_i, .in_rst_ni(rst_ni), .in_clear_i, .in_open_o(in_open), .in_forget_o(in_forget),
      .out_clk_i, .out_rst_ni(rst_ni), .out_clear_i, .out_open_o(out_open), .out_forget_o(out_forget)
  );

  // Both sides, and what is known of them.
  joint_e in_state, out_state;
  logic [3:0] in_at, out_at, in_seen_at, out_seen_at;
  assign in_state = u_joint.in_state;
  assign out_state = u_joint.out_state;

  fm_joint_clear_watch u_in_watch (
      .clk_i(in_clk_i), .rst_ni, .state_i(in_state),
      .peer_clk_i(out_clk_i), .early_i(u_joint.u_out.u_peer.crossing_q), .seen_i(u_joint.u_out.u_peer.settled_q),
      .peer_at_i(out_at), .at_o(in_at), .seen_at_o(in_seen_at)
  );

  fm_joint_clear_watch u_out_watch (
      .clk_i(out_clk_i), .rst_ni, .state_i(out_state),
      .peer_clk_i(in_clk_i), .early_i(u_joint.u_in.u_peer.crossing_q), .seen_i(u_joint.u_in.u_peer.settled_q),
      .peer_at_i(in_at), .at_o(out_at), .seen_at_o(out_seen_at)
  );

  logic started_q;
  initial started_q = 1'b0;

  always_ff @(posedge in_clk_i) started_q <= 1'b1;

  // A side begins a turn by itself where it was asked to alone; else it is behind the other one.
  logic in_begins, out_begins, wanted;
  assign in_begins = in_state == Open && u_joint.u_in.state_d == Closed;
  assign out_begins = out_state == Open && u_joint.u_out.state_d == Closed;
  assign wanted = !rst_ni || u_joint.u_in.wanted || u_joint.u_out.wanted;

  // That the other side is seen as it is.
  logic seen, moves, at_rest;
  assign seen = in_seen_at == in_at && out_seen_at == out_at;
  assign moves = u_joint.u_in.state_d != in_state || u_joint.u_out.state_d != out_state;
  assign at_rest = in_state == Open && out_state == Open;

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    SameTurn : assert (in_state != Open || out_state != Open || in_at == out_at);
    OpenAlone : assert (!in_forget || !out_open);
    Moves : assert (wanted || !seen || at_rest || moves);
    RestIsOpen : assert (wanted || !seen || !at_rest || (in_open && out_open));
    InFollows : assert (!in_begins || u_joint.u_in.wanted || 4'(out_at - in_at - 4'd1) <= 4'd1);
    OutFollows : assert (!out_begins || u_joint.u_out.wanted || 4'(in_at - out_at - 4'd1) <= 4'd1);
    BothOpen : cover (in_open && out_open && in_at == 4'd4);
    Twice : cover (in_state == Ready && out_state == Closed);
  end

endmodule
