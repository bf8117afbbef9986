// SPDX-License-Identifier: Apache-2.0

// Proof of `fm_fifo_async`: a beat that went in comes out, unchanged, in its turn, whatever the two clocks do, and whenever
// either side is cleared; and none comes out that went in before a side was cleared, once that side is open again.
//
// Both clocks are inputs that may change in any step, together or not, and so may what clears a side. One beat is followed: the one
// with the number `followed_q` of each turn, any. What makes the claims inductive is the order of what is known of both counts: the
// copies of a count follow it in the order of their registers.
module fm_fifo_async_proof
  import fm_joint_clear_pkg::*;
#(
    localparam int unsigned Width = 2,
    localparam int unsigned Depth = 4
) (
    input logic             in_clk_i,
    input logic             out_clk_i,
    input logic             rst_ni,
    input logic             in_clear_i,
    input logic             out_clear_i,
    input logic             in_valid_i,
    input logic [Width-1:0] in_data_i,
    input logic             out_ready_i
);

  localparam int unsigned Bits = $clog2(Depth);
  typedef logic [Bits:0] count_t;

  logic in_ready, out_valid, push, in_open, in_forget, out_open, out_forget;
  logic [Width-1:0] out_data;

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

  fm_fifo_async #(
      .Width(Width),
      .Depth(Depth)
  ) u_fifo (
      .in_clk_i,
      .in_rst_ni(rst_ni),
      .in_open_i(in_open),
      .in_forget_i(in_forget),
      .in_valid_i,
      .in_ready_o(in_ready),
      .in_data_i,
      .out_clk_i,
      .out_rst_ni(rst_ni),
      .out_open_i(out_open),
      .out_forget_i(out_forget),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o(out_data)
  );

  function automatic count_t binary(count_t gray);
    binary = gray;
    for (int unsigned shift = 1; shift <= Bits; shift++) binary ^= gray >> shift;
  endfunction

  // The number of the beat that is followed never changes.
  count_t followed_q;
  logic [Width-1:0] data_q;
  // The turn at which it went in: where its writer was when it opened.
  logic [3:0] turn_q;
  logic started_q;

  initial started_q = 1'b0;
  assign push = in_valid_i && in_ready;

  always_ff @(posedge in_clk_i) begin
    started_q  <= 1'b1;
    followed_q <= followed_q;
    if (rst_ni && push && u_fifo.written_q == followed_q) begin
      data_q <= in_data_i;
      turn_q <= in_at;
    end
  end

  // What each side knows of the other's count, oldest first.
  count_t written, written_early, written_seen, read, read_early, read_seen, level;
  assign written = u_fifo.written_q;
  assign written_early = binary(u_fifo.u_written_seen.crossing_q);
  assign written_seen = binary(u_fifo.u_written_seen.settled_q);
  assign read = u_fifo.read_q;
  assign read_early = binary(u_fifo.u_read_seen.crossing_q);
  assign read_seen = binary(u_fifo.u_read_seen.settled_q);
  assign level = written - read;

  // The counts are of the same turn, unless one side is closed, and the other one is closed or has forgotten its own.
  logic same_turn, in_knows, out_knows, is_inside;
  assign same_turn = !(in_state == Closed && out_state inside {Closed, Cleared}) &&
      !(out_state == Closed && in_state == Cleared);
  // What a side knows of the other's count is of this turn.
  assign in_knows = in_state inside {Ready, Open};
  assign out_knows = out_state inside {Ready, Open};
  assign is_inside = same_turn && followed_q - read < level;

  function automatic logic forgot(logic [1:0] state);
    return joint_e'(state) inside {Cleared, Ready};
  endfunction

  always_comb begin
    Reset : assume (started_q || !rst_ni);
    // What makes the claims inductive.
    WrittenIsGray : assert (binary(u_fifo.written_gray_q) == written);
    ReadIsGray : assert (binary(u_fifo.read_gray_q) == read);
    WriterForgot : assert (!forgot(in_state) || written == '0);
    ReaderForgot : assert (!forgot(out_state) || read == '0);
    NothingYet : assert (!forgot(in_state) || !same_turn || level == '0);
    EarlyForgot : assert (!forgot(u_joint.u_out.u_peer.crossing_q) || written_early == '0);
    SeenForgot : assert (!forgot(u_joint.u_out.u_peer.settled_q) || written_seen == '0);
    ReadEarlyForgot : assert (!forgot(u_joint.u_in.u_peer.crossing_q) || read_early == '0);
    ReadSeenForgot : assert (!forgot(u_joint.u_in.u_peer.settled_q) || read_seen == '0);
    ReaderIsBehind : assert (!out_knows ||
                             (written_early - read <= level && written_seen - read <= written_early - read));
    WriterIsBehind : assert (!in_knows || (written - read_seen <= count_t'(Depth) &&
                                           written - read_early <= written - read_seen &&
                                           level <= written - read_early));
    Kept : assert (!is_inside || u_fifo.u_crossing.memory_q[followed_q[Bits-1:0]] == data_q);
    KeptTurn : assert (!is_inside || turn_q == in_at - 4'(in_state == Closed));
    // The claims.
    LevelInRange : assert (!same_turn || level <= count_t'(Depth));
    ValidIsThere : assert (!out_valid || (same_turn && level != '0));
    InOrder : assert (!out_valid || read != followed_q || (out_data == data_q && turn_q == out_at));
    ClosedIsStill : assert ((out_open || !out_valid) && (in_open || !in_ready));
    InAsked : assert (!in_clear_i || !in_open);
    OutAsked : assert (!out_clear_i || !out_open);
    Full : cover (rst_ni && level == count_t'(Depth) && in_open);
    Late : cover (out_valid && in_state == Closed);
  end

endmodule
